"""Clauses of clues, each under a guard that switches it on; which clues may be at fault.

Any clue may be wrong, so nothing is propagated: only known cells are folded in.

Tested in tests/solvers/reasons/test_repair.py.
"""

from collections.abc import Iterator, Sequence
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from minecheck.minefield.reduction.constraints import NONE, Constraints, Index, reduce
from minecheck.minefield.reduction.propagation import transpose_lists
from minecheck.solvers.backends.clauses import Clauses, check_total_time, encode_cardinality
from minecheck.solvers.deadline import Deadline
from minecheck.solvers.search.engine import Verdict
from minecheck.solvers.search.problem import BoxProblem
from minecheck.solvers.search.search import find_witness

#: Clues and the mines that each of them sees, or should see, among its undecided cells.
Seen: TypeAlias = tuple[tuple[int, int], ...]
#: What a solver gives variables: literals, or for the first ones whether they are true.
Model: TypeAlias = Sequence[int] | NDArray[np.bool_]

#: The budget of `solvers.search.search` for showing that a component is consistent.
_SEARCH: Final = 500


def iterate_suspects(constraints: Constraints, deadline: Deadline) -> Iterator[list[int]]:
    """Yield components of clues that are not quickly shown to be consistent.

    Args:
        constraints: the clues; the total is left out.
        deadline: when to give up.

    Raises:
        DeadlinePassed: not all were found in time.
    """
    joined = transpose_lists(constraints.start, constraints.members, constraints.cells)
    untried = constraints.asking
    # All clues at first: those that say nothing decide nothing.
    clues = np.arange(untried.size)
    reduction = constraints.without_total.reduction
    while reduction.conflict != NONE:
        deadline.check()
        part = _find_component(constraints, joined, int(clues[reduction.conflict]), untried)
        untried[part] = False
        yield part
        clues = np.flatnonzero(untried)
        reduction = reduce(constraints.with_clues(clues, total=False))  # type: ignore[arg-type]
    verdicts, _ = find_witness(BoxProblem.from_reduction(reduction, total=False), _SEARCH, deadline)
    for open_part in np.flatnonzero(verdicts != Verdict.CONSISTENT):
        clue = int(clues[reduction.clue[reduction.component_clues[open_part]]])
        # Propagation may have split a component into several.
        if untried[clue]:
            part = _find_component(constraints, joined, clue, untried)
            untried[part] = False
            yield part


def _find_component(
    constraints: Constraints, joined: tuple[Index, Index], clue: int, among: NDArray[np.bool_]
) -> list[int]:
    """Return the clues ``among`` these that cells join to ``clue``, ascending.

    Clues of cell c are ``joined[1][joined[0][c]:joined[0][c + 1]]``.
    """
    start, clues = joined
    clues_found, cells, waiting = {clue}, set[int](), [clue]
    while waiting:
        clue = waiting.pop()
        for cell in constraints.cells_of(clue):
            if cell not in cells:
                cells.add(cell)
                near = clues[start[cell] : start[cell + 1]]
                further = set(near[among[near]].tolist()) - clues_found
                clues_found |= further
                waiting += further
    return sorted(clues_found)


class Guarded:
    """Clauses of some clues, and of the total if there is one and it is asked for, with guards.

    The variables 1, 2, … are ``cells``; the guard of clue k is ``guards[k]``, that of the total
    ``total``. ``top`` is the largest variable so far. To write clauses raises `DeadlinePassed`.
    """

    def __init__(
        self, constraints: Constraints, clues: Sequence[int], deadline: Deadline, total: bool = True
    ) -> None:
        self.deadline = deadline
        chosen = constraints.with_clues(clues, total)
        self.cells, members = np.unique(chosen.members, return_inverse=True)
        cells = self.cells.size
        self.variables = members.astype(np.int64) + 1
        self.start, self.low, self.high = chosen.start, chosen.low, chosen.high
        self.guards = np.arange(len(clues)) + cells + 1
        self.top = cells + len(clues)
        self.clauses = self.encode_cardinality(
            self.start, self.variables, self.low, self.high, self.guards
        )
        self.left, self.total = chosen.mines_left, None
        self.loose = chosen.undecided - cells
        if self.left is not None:
            check_total_time(cells, self.left, deadline)
            self.total = self.top + 1
            every = np.arange(1, cells + 1)
            least = self.left - self.loose
            self.clauses += self.encode_cardinality(
                [0, cells], every, [least], [self.left], [self.total]
            )

    @property
    def switches(self) -> list[int]:
        """All guards, that of the total last."""
        guards: list[int] = self.guards.tolist()
        return guards if self.total is None else [*guards, self.total]

    def list_broken(self, model: Model) -> Seen:
        """Return the clues that a model breaks, by their indices, and the mines they see."""
        mines = self._count_mines(model)
        before = np.concatenate(([0], np.cumsum(mines[self.variables])))
        seen = before[self.start[1:]] - before[self.start[:-1]]
        broken = np.flatnonzero((seen < self.low) | (seen > self.high))
        return tuple(zip(broken.tolist(), seen[broken].tolist(), strict=True))

    def meets_total(self, model: Model) -> bool:
        """Return True if a model has the total number of mines, perhaps with loose cells."""
        assert self.left is not None, "there is a total"
        return self.left - self.loose <= int(self._count_mines(model).sum()) <= self.left

    def _count_mines(self, model: Model) -> NDArray[np.int64]:
        mines = np.zeros(self.cells.size + 1, dtype=np.int64)
        mines[1:][: len(model)] = np.array(model[: self.cells.size]) > 0
        return mines

    def encode_cardinality(
        self, start: Any, variables: Any, low: Any, high: Any, guards: Any
    ) -> Clauses:
        """Encode clues like `encode_cardinality`; new variables come after ``top``.

        Args:
            start: where the variables of each clue begin, and the end of the last: (clues + 1,).
            variables: variables of the clues.
            low: the least true ones of each clue: (clues,).
            high: the most: (clues,).
            guards: the guard of each clue: (clues,).

        Raises:
            DeadlinePassed: it takes too long.
        """
        start, low, high, guards = (np.asarray(part) for part in (start, low, high, guards))
        clauses, self.top = encode_cardinality(
            start, variables, low, high, self.deadline, guards, self.top
        )
        return clauses
