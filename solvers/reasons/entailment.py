"""Entailment of information by clues: SAT looks for layouts that contradict it.

Tested in tests/solvers/reasons/test_fewest_clues.py.
"""

from collections.abc import Collection, Sequence
from random import Random
from typing import Final

import numpy as np

from minecheck.minefield.board import MINE, SAFE, list_neighbours
from minecheck.minefield.layout import Layout
from minecheck.minefield.reduction.constraints import IS_MINE, UNDECIDED
from minecheck.solvers.backends import sat
from minecheck.solvers.backends.clauses import Clauses, encode_cardinality
from minecheck.solvers.deadline import Deadline
from minecheck.solvers.reasons.hidden_clues import HiddenClues

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
        self._oracle = sat.Oracle(self._build_clauses(hidden, deadline), deadline, "glucose4")
        # The search prefers layouts that differ little from the known one.
        targets = hidden.targets.tolist()
        self._oracle.prefer_values(
            [
                cell if value == IS_MINE else -cell
                for cell, value in enumerate(targets, 1)
                if value != UNDECIDED
            ]
        )
        self._first_guard = cells + 1

    def __enter__(self) -> "Entailment":
        return self

    def __exit__(self, *_: object) -> None:
        self._oracle.__exit__()

    def find_sufficient(self, groups: Collection[int]) -> set[int] | None:
        """Return groups among these that entail everything; None if even all of them do not."""
        if self._oracle.solve([self._first_guard + group for group in groups]):
            return None
        return {guard - self._first_guard for guard in self._oracle.read_core()}

    def find_missed(self, groups: Collection[int]) -> set[int] | None:
        """Return groups of which one more is needed, none to spare; None if these are enough.

        Some layout that says otherwise agrees with all others, those that are given among them.
        It is empty where all groups together are not enough.
        """
        if self._oracle.solve([self._first_guard + group for group in groups]):
            layout = self._list_contradicted()
            return min(
                (self._approach_layout(set(groups), layout) for _ in range(_ORDERS)), key=len
            )
        return None

    def _approach_layout(self, held: set[int], contradicted: set[int]) -> set[int]:
        """Return the groups that a layout contradicts after it agrees with as many as it can."""
        held = set(self._all) - contradicted | held
        violated: set[int] = set()
        while untried := sorted(contradicted - violated):
            group = self._random.choice(untried)
            if self._oracle.solve(
                [self._first_guard + group_held for group_held in (*held, group)]
            ):
                contradicted = self._list_contradicted()
                held = set(self._all) - contradicted
            else:
                violated.add(group)
        return contradicted

    def _list_contradicted(self) -> set[int]:
        """Return the groups that the last layout contradicts."""
        mines = self._oracle.read_model(self._cells)
        numbers = Layout(mines.reshape(self._shape)).count_neighbours().ravel()
        wrong = mines[self._shown] | (numbers[self._shown] != self._numbers)
        return set(self._group[wrong].tolist())

    def _build_clauses(self, hidden: HiddenClues, deadline: Deadline) -> Clauses:
        """Encode known cells, the total, the clues under their guards, and the negated claim."""
        cells = self._cells
        codes = hidden.base.cells.ravel()
        clauses: Clauses = [[cell + 1] for cell in np.flatnonzero(codes == MINE).tolist()]
        clauses += [[-cell - 1] for cell in np.flatnonzero(codes == SAFE).tolist()]
        if not hidden.contradiction:
            values = enumerate(hidden.targets.tolist(), 1)
            targets = [(cell, value) for cell, value in values if value != UNDECIDED]
            clauses.append([-cell if value == IS_MINE else cell for cell, value in targets])
        near = list_neighbours(self._shape)
        rows = [near[cell] for cell in self._shown.tolist()]
        guards = self._group + cells + 1
        clauses += [
            [-g, -cell - 1] for g, cell in zip(guards.tolist(), self._shown.tolist(), strict=True)
        ]
        added, top = encode_cardinality(
            np.cumsum([0, *map(len, rows)]),
            np.array([cell + 1 for row in rows for cell in row], np.int64),
            self._numbers.astype(np.int32),
            self._numbers.astype(np.int32),
            deadline,
            guards,
            cells + len(self._all),
        )
        clauses += added
        if hidden.mines is not None:
            total = np.array([hidden.mines], np.int32)
            every = np.arange(1, cells + 1)
            added, _ = encode_cardinality(
                np.array([0, cells]), every, total, total, deadline, top=top
            )
            clauses += added
        return clauses
