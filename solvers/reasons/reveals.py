"""Which hidden clue would decide most if it were shown.

On a layout the number is known. Without one, each number that a safe cell may show counts by the
share of the layouts that show it.
"""

from collections.abc import Iterator
from math import log2

import numpy as np

from minefield.board import MINE, Board
from minefield.layout import Layout
from minefield.reduction.constraints import IS_MINE, IS_SAFE
from solvers.answer import Forced, Reveal
from solvers.backends.search import Auto
from solvers.budget import TooWide
from solvers.deadline import Deadline, DeadlinePassed
from solvers.effort import Effort
from solvers.question import Place, Question, Task
from solvers.reasons.hidden_clues import neighbours

#: Numbers, and what each would decide: other cells, and how many layouts are left.
_Outcome = tuple[int, int | None]


class Reveals:
    """Hidden clues of a consistent board with ``mines`` mines, if given, and ``forced`` cells."""

    def __init__(
        self, board: Board, mines: int | None, forced: Forced, deadline: Deadline, effort: Effort
    ) -> None:
        self._board = board
        self._mines = mines
        self._forced = forced
        self._known = len(forced.mines) + len(forced.safe)
        self._deadline = deadline
        self._effort = effort
        #: False where some cell was not looked at, or something is not known of it.
        self.complete = True

    def best(self, limit: int, layout: Layout | None) -> list[Reveal]:
        """Those that would decide most, first; of those that there was time for."""
        found: list[Reveal] = []
        try:
            for cell in self._hidden(layout):
                told = self._expected(cell, layout)
                if told is None:
                    self.complete = False
                else:
                    self.complete &= told.bits is not None
                    found.append(told)
        except DeadlinePassed:
            self.complete = False
        found.sort(
            key=lambda one: (-one.forced, np.inf if one.bits is None else one.bits, one.cell)
        )
        return found[:limit]

    def _hidden(self, layout: Layout | None) -> Iterator[Place]:
        """Cells that may show a number, those next to what is known first."""
        codes = self._board.cells
        near = neighbours(self._board.shape)
        clues = (codes <= 8).ravel()
        mines = self._forced.values == IS_MINE if layout is None else layout.mines
        hidden = np.flatnonzero((codes > 8) & (codes != MINE) & ~mines).tolist()
        hidden.sort(key=lambda cell: not clues[near[cell]].any())
        return (divmod(cell, self._board.width) for cell in hidden)

    def _expected(self, cell: Place, layout: Layout | None) -> Reveal | None:
        """What a cell would decide; None where it takes too long to weigh its numbers."""
        if layout is not None:
            outcome = self._outcome(cell, int(layout.numbers()[cell]))
            assert outcome is not None, "the layout fits"
            forced, count = outcome
            return Reveal(cell, float(forced), None if count is None else log2(count))
        outcomes = [one for number in range(9) if (one := self._outcome(cell, number))]
        if len(outcomes) == 1:
            ((forced, count),) = outcomes
            return Reveal(cell, float(forced), None if count is None else log2(count))
        weighed = [(forced, count) for forced, count in outcomes if count is not None]
        if len(weighed) < len(outcomes):
            return None
        every = sum(count for _, count in weighed)
        return Reveal(
            cell,
            sum(forced * count for forced, count in weighed) / every,
            sum(count / every * log2(count) for _, count in weighed),
        )

    def _outcome(self, cell: Place, number: int) -> _Outcome | None:
        """Other cells that a number forces, and the layouts that are left; None if none is."""
        self._deadline.check()
        board = self._board.changed({cell: number})
        question = Question(Task.COUNT, board, self._mines)
        method = Auto(question, self._deadline, self._effort)
        if method.witness() is None:
            return None
        forced, complete = method.forced()
        if not complete:
            raise DeadlinePassed
        own = bool(self._forced.values[cell] == IS_SAFE and self._board.unknown[cell])
        newly = len(forced.mines) + len(forced.safe) - self._known + own
        try:
            return newly, method.count()
        except TooWide:
            return newly, None
