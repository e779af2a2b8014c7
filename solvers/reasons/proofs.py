"""Certificates of answers, for `minefield.certificates.judge` to verify.

Clues over up to eight cells become the clauses of `solvers.backends.sat`. Larger ones and
the total count with a totalizer (Bailleux and Boufkhad, CP 2003): a binary tree
over the cells, with variables at each node for "at least so many mines below".
The total's tree splits between clues before it splits one, so that what clues
need adds up on the way to its root.

A proof does not hold for the assumptions of a solver, so the contrary of
a claim is a clause.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from minecheck.minefield.certificates.document import Certificate, CertificateError, Claim, Counter
from minecheck.minefield.certificates.judge import verify
from minecheck.minefield.layout import Layout
from minecheck.minefield.reduction.constraints import IS_MINE, UNDECIDED, Constraints
from minecheck.minefield.rules import Plain, Rules
from minecheck.solvers.backends.clauses import Clauses, build_templates
from minecheck.solvers.deadline import Deadline
from minecheck.solvers.reasons.lemmas import Lemma, Unproved, list_refuting_lemmas

#: Clues over more cells than this are counted by a totalizer.
_TEMPLATE_CELLS: Final = 8


def certify_witness(puzzle: Plain, mines: int | None, layout: Layout) -> Certificate:
    """Certify by a layout that a board (or rules) is consistent.

    Args:
        puzzle: the board or rules.
        mines: the total of mines, None for any.
        layout: one of the layouts.

    Raises:
        Unproved: the layout does not fit.
    """
    certificate = Certificate(Claim.CONSISTENT, puzzle, mines, witness=layout)
    try:
        verify(certificate)
    except CertificateError as error:
        raise Unproved(str(error)) from error
    return certificate


def certify_refutation(
    puzzle: Plain,
    mines: int | None,
    clues: Sequence[int],
    total: bool,
    deadline: Deadline,
    forced: tuple[int, int] | None = None,
    constraints: Constraints | None = None,
) -> Certificate:
    """Certify that some clues, and perhaps the total, cannot hold together or force a cell.

    Args:
        puzzle: the board or rules.
        mines: the total of mines, None for any.
        clues: numbers of clues in the ``constraints`` of the puzzle.
        total: whether the total is used.
        deadline: when to give up.
        forced: an undecided cell's number in the constraints and the value (1 a mine, 0 safe) that
            the clues give it; None if they contradict each other.
        constraints: those of the puzzle, if they are known.

    Raises:
        DeadlinePassed: there was no proof in time.
        Unproved: the clues can hold, or leave the cell open.
    """
    constraints = constraints or Constraints.from_position(puzzle, mines)
    formula = _Formula(constraints, list(clues), forced)
    formula.add_clues(isinstance(puzzle, Rules), puzzle.shape[1], deadline)
    if total:
        formula.add_total(deadline)
    claim, cell = Claim.INCONSISTENT, None
    if forced is not None:
        cell, value = forced
        claim = Claim.MINE if value else Claim.SAFE
        variable = formula.variable[cell]
        formula.add_clauses("claim", [[-variable if value else variable]])
    proof = formula.drop_unused(list_refuting_lemmas(formula.clauses, deadline))
    return Certificate(
        claim,
        puzzle,
        mines,
        cell=cell,
        variables=tuple(formula.variable),
        counters=tuple(formula.counters),
        cnf=formula.to_dimacs(),
        proof=proof,
    )


@dataclass(slots=True)
class _Formula:
    """The clauses of some clues of ``constraints``, under the comments of a certificate.

    ``groups`` are the cells in the order of their variables, each with the first clue it is in.
    """

    constraints: Constraints
    clues: list[int]
    forced: tuple[int, int] | None
    variable: dict[int, int] = field(default_factory=dict)
    groups: list[list[int]] = field(default_factory=list)
    counters: list[Counter] = field(default_factory=list)
    sections: list[tuple[str, Clauses]] = field(default_factory=list)
    top: int = 0

    def __post_init__(self) -> None:
        alone = [] if self.forced is None else [[self.forced[0]]]
        for cells in [*(self.constraints.cells_of(clue).tolist() for clue in self.clues), *alone]:
            new_cells = [cell for cell in cells if cell not in self.variable]
            for cell in new_cells:
                self.variable[cell] = len(self.variable) + 1
            if new_cells:
                self.groups.append([self.variable[cell] for cell in new_cells])
        self.top = len(self.variable)

    @property
    def clauses(self) -> Clauses:
        """All clauses."""
        return [clause for _, clauses in self.sections for clause in clauses]

    def to_dimacs(self) -> str:
        """Return the formula in DIMACS form."""
        lines = [f"p cnf {self.top} {sum(len(clauses) for _, clauses in self.sections)}"]
        for hint, clauses in self.sections:
            lines.append(f"c {hint}")
            lines += [" ".join(map(str, [*clause, 0])) for clause in clauses]
        return "\n".join(lines) + "\n"

    def add_clauses(self, hint: str, clauses: Clauses) -> None:
        """Add clauses that follow from what the hint names."""
        self.sections.append((hint, clauses))

    def drop_unused(self, lemmas: list[Lemma]) -> str:
        """Drop the clauses that these lemmas do not use; they as LRAT text."""
        used = {hint for lemma in lemmas for hint in lemma.hints}
        named, number, sections = dict[int, int](), 0, []
        for hint, clauses in self.sections:
            used_clauses = []
            for clause in clauses:
                number += 1
                # The denial of the claim has to be stated.
                if number in used or hint == "claim":
                    used_clauses.append(clause)
                    named[number] = len(named) + 1
            if used_clauses:
                sections.append((hint, used_clauses))
        self.sections = sections
        lines = []
        for literals, hints in lemmas:
            number += 1
            named[number] = len(named) + 1
            words = [named[number], literals, 0, *(named[hint] for hint in hints), 0]
            lines.append(" ".join(str(word) for word in words if word != ""))
        return "".join(f"{line}\n" for line in lines)

    def add_clues(self, named: bool, width: int, deadline: Deadline) -> None:
        """Add clues: by row and column on a board of ``width`` columns, or by number."""
        for clue in self.clues:
            origin = int(self.constraints.origin[clue])
            hint = f"rule {origin}" if named else f"clue {origin // width} {origin % width}"
            cells = [self.variable[cell] for cell in self.constraints.cells_of(clue).tolist()]
            low, high = int(self.constraints.low[clue]), int(self.constraints.high[clue])
            low, high = max(low, 0), min(high, len(cells))
            if low > len(cells) or high < 0:
                self.add_clauses(hint, [[]])
            elif len(cells) <= _TEMPLATE_CELLS:
                self.add_clauses(hint, _fill_clauses(cells, low, high))
            else:
                self._add_totalizer(hint, [[cell] for cell in cells], low, high, deadline)

    def add_total(self, deadline: Deadline) -> None:
        """Add the total; the cells that are not variables may be anything."""
        known, total = self.constraints.known.tolist(), self.constraints.total
        assert total is not None, "there is a total to refute"
        undecided, left = known.count(UNDECIDED), total - known.count(IS_MINE)
        cells = len(self.variable)
        low, high = max(left - (undecided - cells), 0), min(left, cells)
        if left < 0 or left > undecided:
            self.add_clauses("total", [[]])
        else:
            self._add_totalizer("total", self.groups, low, high, deadline)

    def _add_totalizer(
        self, hint: str, groups: list[list[int]], low: int, high: int, deadline: Deadline
    ) -> None:
        """Add a totalizer over groups of variables of which low..high are true."""
        if not groups or (low == 0 and high == sum(map(len, groups))):
            return
        tree = _Totalizer(groups, low, high, self.top + 1, deadline)
        self.top += len(tree.at_least)
        self.add_clauses(f"counter {len(self.counters)}", tree.clauses)
        self.counters.append(Counter(tuple(tree.order), tuple(tree.at_least)))
        self.add_clauses(hint, tree.bounds)


class _Totalizer:
    """Variables that count, as `Counter` has them, with only those clauses that bounds need.

    At most ``high`` needs "so many in both halves make as many in all", and no
    more than high + 1 of them; at least ``low`` needs the same of safe cells.
    """

    def __init__(
        self, groups: list[list[int]], low: int, high: int, variable: int, deadline: Deadline
    ) -> None:
        self.order = [cell for group in groups for cell in group]
        self.at_least: list[tuple[int, int, int]] = []
        self.clauses: Clauses = []
        #: The number of mines or safe cells that is distinguished; none if nothing bounds it.
        size = len(self.order)
        self._mines = high + 1 if high < size else 0
        self._safe = size - low + 1 if low > 0 else 0
        self._next, self._deadline = variable, deadline
        ends = [0]
        for group in groups:
            ends.append(ends[-1] + len(group))
        root = self._build_node(ends)
        self.bounds: Clauses = [[-root[high + 1]]] if high < size else []
        if low > 0:
            self.bounds.append([root[low]])

    def _build_node(self, ends: list[int]) -> dict[int, int]:
        """Return the variables of a range by number of mines; its depth is logarithmic in its size.

        ``ends`` are where it begins, where it may be split best, and where it ends.
        """
        first, end = ends[0], ends[-1]
        if end - first == 1:
            return {1: self.order[first]}
        if len(ends) == 2:
            ends = list(range(first, end + 1))
        middle = len(ends) // 2
        left, right = self._build_node(ends[: middle + 1]), self._build_node(ends[middle:])
        split = ends[middle]
        variables = {}
        for mines in self._list_distinguished(end - first):
            variables[mines] = self._next
            self._next += 1
            self.at_least.append((first, end, mines))
        self._deadline.check()
        self.clauses += self._iterate_clauses(left, right, variables, split - first, end - split)
        return variables

    def _list_distinguished(self, size: int) -> list[int]:
        """Return the numbers of mines that distinguish a range of ``size`` cells from one less."""
        return [
            mines
            for mines in range(1, size + 1)
            if mines <= self._mines or size - mines + 1 <= self._safe
        ]

    def _iterate_clauses(
        self,
        left: dict[int, int],
        right: dict[int, int],
        here: dict[int, int],
        left_size: int,
        right_size: int,
    ) -> Iterator[list[int]]:
        """Yield the clauses that derive the number of both halves together."""
        most = self._mines
        for a in range(min(left_size, most) + 1):
            for b in range(min(right_size, most) + 1):
                if 0 < a + b <= most:
                    false = [-side[n] for side, n in ((left, a), (right, b)) if n]
                    yield [*false, here[a + b]]
        most = self._safe
        size = left_size + right_size
        for a in range(min(left_size, most) + 1):
            for b in range(min(right_size, most) + 1):
                # A number of safe cells: fewer mines than one more than the rest.
                if 0 < a + b <= most:
                    sides = ((left, left_size, a), (right, right_size, b))
                    true = [side[cells - n + 1] for side, cells, n in sides if n]
                    yield [*true, -here[size - a - b + 1]]


def _fill_clauses(cells: list[int], low: int, high: int) -> Clauses:
    return [
        [cells[abs(number) - 1] * (1 if number > 0 else -1) for number in row]
        for template in build_templates(low, high, len(cells))
        for row in template.tolist()
    ]
