"""Whether a certificate shows what it claims.

Every clause of a formula is judged by itself, by adding up: if all its literals are false, so many
mines there would be at least, so many at most, and that misses what was asked. Then the proof is
checked (`minefield.certificates.lrat`). No code is shared with what finds the answers.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final, TypeAlias

import numpy as np

from minefield.amounts import several
from minefield.board import FLAG, MINE, UNKNOWN, Board
from minefield.certificates import lrat
from minefield.certificates.counting import Counted, verify_count
from minefield.certificates.dimacs import Formula, ProofError, read_cnf
from minefield.certificates.document import Certificate, CertificateError, Claim
from minefield.rules import Rules

#: Clauses judged between two calls of ``pause``.
_CHUNK: Final = 1000

#: Numbers of mines that count as least and most, by the range of cells they are in.
_Bounds: TypeAlias = dict[tuple[int, int], tuple[int, int]]


def verify_all(certificates: Sequence[Certificate]) -> list[Counted | None]:
    """`verify` them all; of several, an error's ``field`` begins with ``proofs`` and a position."""
    found = []
    for place, certificate in enumerate(certificates):
        try:
            found.append(verify(certificate))
        except CertificateError as error:
            raise (error.within(place) if len(certificates) > 1 else error) from None
    return found


def verify(certificate: Certificate, pause: Callable[[], None] = lambda: None) -> Counted | None:
    """Return if the certificate shows what it claims; of a count, what else it shows.

    ``pause`` is called now and then; what it raises ends the verification.

    Raises:
        CertificateError: it does not.
    """
    if certificate.claim is Claim.CONSISTENT:
        _verify_witness(certificate)
        return None
    if certificate.count is not None:
        return verify_count(certificate.puzzle, certificate.mines, certificate.count, pause)
    try:
        formula = read_cnf(certificate.cnf)
        _Judge(certificate).judge(formula, pause)
        lrat.check(formula, certificate.proof, pause)
    except ProofError as error:
        raise CertificateError(error.text, error.line, error.detail) from None
    return None


def _verify_witness(certificate: Certificate) -> None:
    puzzle, witness, mines = certificate.puzzle, certificate.witness, certificate.mines
    if witness is None or witness.mines.shape != puzzle.shape:
        raise CertificateError(
            "witness", None, "It does not have the rows and columns of the board."
        )
    if isinstance(puzzle, Rules):
        for rule in puzzle.broken(witness.mines)[:1]:
            raise CertificateError("witness", None, f"It breaks rule {rule}.", (rule,))
    else:
        for row, col in witness.contradictions(puzzle)[:1]:
            detail = f"It contradicts the board at row {row}, column {col}."
            raise CertificateError("witness", None, detail, (row, col))
    if mines is not None and mines != witness.total:
        detail = f"It has {several(witness.total, 'mine')}, which is not the total."
        raise CertificateError("witness", None, detail)


@dataclass(frozen=True, slots=True)
class _Sum:
    """Among ``cells`` lie from ``low`` to ``high`` mines."""

    cells: frozenset[int]
    low: int
    high: int


class _Judge:
    """Whether the clauses of a certificate follow from its board."""

    def __init__(self, certificate: Certificate) -> None:
        self.puzzle, self.mines = certificate.puzzle, certificate.mines
        self.unknown = frozenset(np.flatnonzero(self.puzzle.unknown).tolist())
        self.variables = certificate.variables
        places: set[int] = set()
        for entry, cell in enumerate(self.variables):
            if cell not in self.unknown or cell in places:
                detail = f"Variable {entry + 1} is not an unknown cell, or repeats an earlier one."
                raise CertificateError("variables", None, detail, (entry,))
            places.add(cell)
        self.counters = certificate.counters
        self.position = [self._positions(entry) for entry in range(len(self.counters))]
        #: (counter, first, end, mines) of each variable after those of cells.
        self.ranges = [
            (entry, *bound)
            for entry, counter in enumerate(self.counters)
            for bound in counter.at_least
        ]
        self.denied = self._denied(certificate)
        #: Claims denied so far, the sums that hints have named, and which of them a counter counts.
        self.denials = 0
        self.sums: dict[str, _Sum] = {}
        self.counted: dict[int, str] = {}

    def judge(self, formula: Formula, pause: Callable[[], None]) -> None:
        """Raise `CertificateError` unless all clauses follow, and the claim is denied once."""
        known = len(self.variables) + len(self.ranges)
        hints, hint = [*formula.comments, (formula.lines + 1, "")], 0
        holds: Callable[[list[int]], bool] | None = None
        for place, (line, clause) in enumerate(formula):
            if place % _CHUNK == 0:
                pause()
            while hints[hint][0] < line:
                holds = self._hinted(*hints[hint])
                hint += 1
            if holds is None:
                raise CertificateError("cnf", line, "No comment says what the clause follows from.")
            if any(abs(literal) > known for literal in clause):
                raise CertificateError("cnf", line, f"The variables go up to {known}.")
            if not holds(clause):
                detail = f"The clause does not follow from: {hints[hint - 1][1][:80]!a}."
                raise CertificateError("cnf", line, detail)
        if self.denied and not self.denials:
            raise CertificateError("cnf", formula.lines, "The formula does not deny the claim.")

    def _positions(self, entry: int) -> dict[int, int]:
        """Where each variable stands in the order of a counter."""
        counter = self.counters[entry]
        order = {variable: place for place, variable in enumerate(counter.order)}
        if len(order) < len(counter.order):
            raise CertificateError("counters", None, "A variable appears twice.", (entry,))
        if not all(1 <= variable <= len(self.variables) for variable in order):
            raise CertificateError(
                "counters", None, "A variable does not stand for a cell.", (entry,)
            )
        for place, (first, end, _) in enumerate(counter.at_least):
            if not 0 <= first < end <= len(order):
                detail = f"The range of bound {place} does not consist of cells."
                raise CertificateError("counters", None, detail, (entry, place))
        return order

    def _denied(self, certificate: Certificate) -> list[int]:
        """The clause that denies the claim, empty if none does."""
        if certificate.claim is Claim.INCONSISTENT:
            return []
        if certificate.cell not in self.variables:
            raise CertificateError("cell", None, "No variable stands for it.")
        variable = self.variables.index(certificate.cell) + 1
        return [-variable if certificate.claim is Claim.MINE else variable]

    def _hinted(self, line: int, hint: str) -> Callable[[list[int]], bool]:
        """What the clauses below a comment are held to."""
        kind, *words = hint.split()[:4] or [""]
        if all(word.isascii() and word.isdigit() and len(word) < 10 for word in words):
            match kind, *map(int, words):
                case ["clue", int(row), int(col)] if isinstance(self.puzzle, Board):
                    return self._sum(f"clue {row} {col}", partial(self._clue, line, row, col))
                case ["rule", int(rule)] if isinstance(self.puzzle, Rules):
                    return self._sum(f"rule {rule}", partial(self._rule, line, rule))
                case ["total"]:
                    return self._sum("total", partial(self._total, line))
                case ["counter", int(counter)] if counter < len(self.counters):
                    return partial(self._defines, counter)
                case ["claim"]:
                    return self._denies
        raise CertificateError("cnf", line, f"Nothing follows from this comment: {hint[:80]!a}.")

    def _sum(self, name: str, read: Callable[[], _Sum]) -> Callable[[list[int]], bool]:
        if name not in self.sums:
            self.sums[name] = read()
        return partial(self._follows, name)

    def _clue(self, line: int, row: int, col: int) -> _Sum:
        """What a clue asks of its unknown neighbours."""
        assert isinstance(self.puzzle, Board), "clues are those of a board"
        cells, (height, width) = self.puzzle.cells, self.puzzle.shape
        if row >= height or col >= width or cells[row, col] > 8:
            raise CertificateError("cnf", line, f"There is no clue at row {row}, column {col}.")
        near = [
            (r, c)
            for r in range(max(0, row - 1), min(height, row + 2))
            for c in range(max(0, col - 1), min(width, col + 2))
            if (r, c) != (row, col)
        ]
        need = int(cells[row, col]) - sum(int(cells[cell]) == MINE for cell in near)
        unknown = (r * width + c for r, c in near if cells[r, c] in (UNKNOWN, FLAG))
        return _Sum(frozenset(unknown), need, need)

    def _rule(self, line: int, place: int) -> _Sum:
        assert isinstance(self.puzzle, Rules), "there are no rules for a board"
        if place >= len(self.puzzle.rules):
            raise CertificateError("cnf", line, f"There is no rule {place}.")
        rule, number = self.puzzle.rules[place], self.puzzle.number
        return _Sum(frozenset(number[name] for name in rule.cells), rule.low, rule.high)

    def _total(self, line: int) -> _Sum:
        if self.mines is None:
            raise CertificateError("cnf", line, "There is no total of mines.")
        known = 0
        if isinstance(self.puzzle, Board):
            known = int(np.count_nonzero(self.puzzle.cells == MINE))
        return _Sum(self.unknown, self.mines - known, self.mines - known)

    def _follows(self, name: str, clause: list[int]) -> bool:
        """Whether a clause follows from a clue, a rule or the total."""
        read = self._read(clause)
        if read is None:
            return False
        asked = self.sums[name]
        counter, bounds = read
        if counter is not None:
            if not self._counts(counter, name):
                return False
        elif not all(cell in asked.cells for cell, _ in bounds):
            return False
        return _misses(bounds, len(asked.cells), asked.low, asked.high)

    def _counts(self, counter: int, name: str) -> bool:
        """Whether a counter counts cells of this sum only; each belongs to the first that asks."""
        if counter not in self.counted:
            order = self.counters[counter].order
            if all(self.variables[variable - 1] in self.sums[name].cells for variable in order):
                self.counted[counter] = name
        return self.counted.get(counter) == name

    def _defines(self, counter: int, clause: list[int]) -> bool:
        """Whether a clause follows from the meaning of the variables of a counter.

        The mines in its longest range are those in the others, which lie in it,
        and in the cells that are left.
        """
        read = self._read(clause)
        if read is None or read[0] != counter:
            return False
        bounds = read[1]
        first, end = max(bounds, key=lambda place: place[1] - place[0])
        low, high = bounds.pop((first, end))
        inside = all(first <= begin and stop <= end for begin, stop in bounds)
        return low > high or (inside and _misses(bounds, end - first, low, high))

    def _denies(self, clause: list[int]) -> bool:
        self.denials += 1
        return clause == self.denied != [] and self.denials == 1

    def _read(self, clause: list[int]) -> tuple[int | None, _Bounds] | None:
        """The counter of a clause, and what it would mean for ranges if its literals were false.

        Without a counter, a range is a cell by its number. None if there are two counters.
        """
        cells = len(self.variables)
        counter, bounds = None, _Bounds()
        for literal in clause:
            if abs(literal) > cells:
                counter = self.ranges[abs(literal) - cells - 1][0]
        for literal in clause:
            bound = self._bound(abs(literal), counter)
            if bound is None:
                return None
            first, end, mines = bound
            low, high = bounds.get((first, end), (0, end - first))
            bounds[first, end] = (
                (low, min(high, mines - 1)) if literal > 0 else (max(low, mines), high)
            )
        return counter, bounds

    def _bound(self, variable: int, counter: int | None) -> tuple[int, int, int] | None:
        """(first, end, mines) that a variable speaks of, None if it is none of the counter's."""
        cells = len(self.variables)
        if variable > cells:
            owner, first, end, mines = self.ranges[variable - cells - 1]
            return (first, end, mines) if owner == counter else None
        if counter is None:
            cell = self.variables[variable - 1]
            return cell, cell + 1, 1
        place = self.position[counter].get(variable)
        return None if place is None else (place, place + 1, 1)


def _misses(bounds: _Bounds, size: int, low: int, high: int) -> bool:
    """Whether ``size`` cells, within these bounds on parts of them, cannot hold low..high mines.

    Where parts overlap that is left open.
    """
    least = most = free = 0
    last = -1
    for first, end in sorted(bounds):
        fewest, greatest = bounds[first, end]
        if fewest > greatest:
            return True
        if first < last:
            return False
        last = end
        least += fewest
        most += greatest
        free += end - first
    return least > high or most + size - free < low
