"""Whether clues force what they have to tell: SAT looks for layouts that say otherwise."""

from collections.abc import Collection, Sequence
from random import Random
from typing import Final

import numpy as np

from minefield.board import MINE, SAFE
from minefield.layout import Layout
from minefield.reduction.constraints import IS_MINE, UNDECIDED
from solvers.backends import sat
from solvers.deadline import Deadline
from solvers.reasons.hidden_clues import HiddenClues, neighbours

#: Orders in which a layout is brought nearer: the one that contradicts least is taken.
_ORDERS: Final = 2


class Entailment:
    """Clues in ``groups`` (of cells) that are shown together; groups are numbered from 0.

    Variable v is true where cell v - 1 is a mine. A guard switches each group on: then its clues
    count, and stand on safe cells. A context manager; its methods raise `DeadlinePassed`.
    """

    #: Every question is decided, or the deadline passes.
    exact: Final = True

    def __init__(
        self, hidden: HiddenClues, groups: Sequence[Sequence[int]], deadline: Deadline
    ) -> None:
        self._shape = hidden.base.shape
        self._cells = cells = hidden.base.cells.size
        self._shown = np.array([cell for group in groups for cell in group], np.int64)
        self._group = np.repeat(np.arange(len(groups)), [len(group) for group in groups])
        self._numbers = np.array([hidden.numbers[cell] for cell in self._shown.tolist()], np.int64)
        self._all = range(len(groups))
        self._random = Random(0)
        self._oracle = sat.Oracle(self._clauses(hidden), deadline, "glucose4")
        # Layouts that are searched for differ little from what is told.
        told = hidden.told.tolist()
        self._oracle.prefer(
            [
                cell if value == IS_MINE else -cell
                for cell, value in enumerate(told, 1)
                if value != UNDECIDED
            ]
        )
        self._first_guard = cells + 1

    def __enter__(self) -> "Entailment":
        return self

    def __exit__(self, *_: object) -> None:
        self._oracle.__exit__()

    def enough(self, groups: Collection[int]) -> set[int] | None:
        """Groups among these that tell it all, or None if even all of them do not."""
        if self._oracle.solve([self._first_guard + group for group in groups]):
            return None
        return {guard - self._first_guard for guard in self._oracle.core()}

    def missed(self, groups: Collection[int]) -> set[int] | None:
        """Groups of which one more is needed, none to spare; None if these are enough.

        Some layout that says otherwise agrees with all others, those that are given among them.
        It is empty where all groups together are not enough.
        """
        if self._oracle.solve([self._first_guard + group for group in groups]):
            layout = self._contradicted()
            return min((self._nearer(set(groups), layout) for _ in range(_ORDERS)), key=len)
        return None

    def _nearer(self, held: set[int], contradicted: set[int]) -> set[int]:
        """What a layout contradicts once it agrees with as many other groups as it can."""
        held = set(self._all) - contradicted | held
        out: set[int] = set()
        while untried := sorted(contradicted - out):
            group = self._random.choice(untried)
            if self._oracle.solve([self._first_guard + one for one in (*held, group)]):
                contradicted = self._contradicted()
                held = set(self._all) - contradicted
            else:
                out.add(group)
        return contradicted

    def _contradicted(self) -> set[int]:
        """The groups that the last layout contradicts."""
        mines = self._oracle.model(self._cells)
        numbers = Layout(mines.reshape(self._shape)).numbers().ravel()
        wrong = mines[self._shown] | (numbers[self._shown] != self._numbers)
        return set(self._group[wrong].tolist())

    def _clauses(self, hidden: HiddenClues) -> sat.Clauses:
        """What is known, the total, the clues under their guards, and that it is otherwise."""
        cells = self._cells
        codes = hidden.base.cells.ravel()
        clauses: sat.Clauses = [[cell + 1] for cell in np.flatnonzero(codes == MINE).tolist()]
        clauses += [[-cell - 1] for cell in np.flatnonzero(codes == SAFE).tolist()]
        if not hidden.contradiction:
            values = enumerate(hidden.told.tolist(), 1)
            told = [(cell, value) for cell, value in values if value != UNDECIDED]
            clauses.append([-cell if value == IS_MINE else cell for cell, value in told])
        near = neighbours(self._shape)
        rows = [near[cell] for cell in self._shown.tolist()]
        guards = self._group + cells + 1
        clauses += [
            [-g, -cell - 1] for g, cell in zip(guards.tolist(), self._shown.tolist(), strict=True)
        ]
        clauses += sat.cardinality(
            np.cumsum([0, *map(len, rows)]),
            np.array([cell + 1 for row in rows for cell in row], np.int64),
            self._numbers.astype(np.int32),
            self._numbers.astype(np.int32),
            guards,
        )
        if hidden.mines is not None:
            total = np.array([hidden.mines], np.int32)
            top = max(map(abs, (one for clause in clauses for one in clause)), default=0)
            every = np.arange(1, cells + 1)
            clauses += sat.cardinality(
                np.array([0, cells]), every, total, total, top=max(top, cells + len(self._all))
            )
        return clauses
