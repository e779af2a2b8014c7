"""The hidden clue that would decide most if it were shown.

On a layout the number is known. Without one, each number that a safe cell may show counts by the
share of the layouts that show it.

Tested in tests/solvers/reasons/test_fewest_clues.py.
"""

from collections.abc import Iterator
from math import log2

import numpy as np

from minecheck.minefield.board import MINE, Board, list_neighbours
from minecheck.minefield.layout import Layout
from minecheck.minefield.reduction.constraints import IS_MINE, IS_SAFE
from minecheck.solvers.annotations import Coordinates
from minecheck.solvers.backends.auto import Auto
from minecheck.solvers.budget import TooWide
from minecheck.solvers.deadline import Deadline, DeadlinePassed
from minecheck.solvers.effort import Effort
from minecheck.solvers.findings import Forced, Reveal
from minecheck.solvers.question import QuestionToCount

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

    def find_best(self, limit: int, layout: Layout | None) -> list[Reveal]:
        """Return the clues that would decide most, best first, as far as time allowed.

        Args:
            limit: the most clues.
            layout: the true layout, None if it is not known.
        """
        reveals: list[Reveal] = []
        try:
            for cell in self._iterate_hidden(layout):
                weighed = self._weigh_cell(cell, layout)
                if weighed is None:
                    self.complete = False
                else:
                    self.complete &= weighed.bits is not None
                    reveals.append(weighed)
        except DeadlinePassed:
            self.complete = False
        reveals.sort(
            key=lambda reveal: (
                -reveal.forced,
                np.inf if reveal.bits is None else reveal.bits,
                reveal.cell,
            )
        )
        return reveals[:limit]

    def _iterate_hidden(self, layout: Layout | None) -> Iterator[Coordinates]:
        """Yield cells that may show a number, those next to what is known first."""
        codes = self._board.cells
        near = list_neighbours(self._board.shape)
        clues = (codes <= 8).ravel()
        mines = self._forced.values == IS_MINE if layout is None else layout.mines
        hidden = np.flatnonzero((codes > 8) & (codes != MINE) & ~mines).tolist()
        hidden.sort(key=lambda cell: not clues[near[cell]].any())
        return (divmod(cell, self._board.width) for cell in hidden)

    def _weigh_cell(self, cell: Coordinates, layout: Layout | None) -> Reveal | None:
        """Return what a cell would decide; None if weighing its numbers takes too long."""
        if layout is not None:
            outcome = self._weigh_number(cell, int(layout.count_neighbours()[cell]))
            assert outcome is not None, "the layout fits"
            forced, count = outcome
            return Reveal(cell, float(forced), None if count is None else log2(count))
        outcomes = [shown for number in range(9) if (shown := self._weigh_number(cell, number))]
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

    def _weigh_number(self, cell: Coordinates, number: int) -> _Outcome | None:
        """Count the other cells that a number forces, and the layouts that are left.

        None stands for a number that no layout shows.
        """
        self._deadline.check()
        board = self._board.with_codes({cell: number})
        question = QuestionToCount(board, self._mines)
        method = Auto(question, self._deadline, self._effort)
        if method.find_witness() is None:
            return None
        forced, complete = method.find_forced()
        if not complete:
            raise DeadlinePassed
        own = bool(self._forced.values[cell] == IS_SAFE and self._board.unknown[cell])
        newly = len(forced.mines) + len(forced.safe) - self._known + own
        try:
            return newly, method.count()
        except TooWide:
            return newly, None
