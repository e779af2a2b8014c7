"""Strips, and windows cut out of boards, by the automata that read them column by column."""

from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from math import log
from random import Random

import numpy as np
from numpy.typing import NDArray

from automata import MOST_NODES, DiagramTooLarge, Loosened, NotAStrip, cut, strip
from minefield.layout import Layout
from solvers.answer import BackendRefusal, Forced
from solvers.backends.method import Method
from solvers.counting import board
from solvers.counting.budget import TooWide
from solvers.deadline import Deadline
from solvers.effort import Effort, NeedsWorker
from solvers.question import Question

#: Counts by mines that take more work are left out.
_BY_MINES_DIGITS = 4_000_000_000
_DIGITS_PER_NODE = _BY_MINES_DIGITS // MOST_NODES


class Automata(Method):
    """Boards up to twelve cells high or wide, read column by column."""

    def __init__(self, question: Question, deadline: Deadline, effort: Effort) -> None:
        super().__init__(question, deadline, effort)
        try:
            self.strip = strip(self.grid, question.mines, deadline.check, effort.nodes)
        except NotAStrip as refusal:
            raise BackendRefusal(str(refusal)) from None

    @property
    def name(self) -> str:
        return self.strip.machine

    def witness(self) -> Layout | None:
        with _bounded(self.effort):
            return self.strip.witness()

    def forced(self) -> tuple[Forced, bool]:
        with _bounded(self.effort):
            return self._forced(*self.strip.forced()), True

    def count(self) -> int:
        with _bounded(self.effort):
            return self.strip.count()

    def by_mines(self) -> dict[int, int] | None:
        with _bounded(self.effort):
            unknown = int(np.count_nonzero(self.board.unknown))
            bits = self.strip.count().bit_length()
            # Additions of numbers with so many digits of 64 bits take about a nanosecond a digit.
            digits = len(self.strip.diagram) * unknown * bits // 64
            if unknown > board.BY_MINES_CELLS or digits > _BY_MINES_DIGITS:
                return None
            if digits > self.effort.nodes * _DIGITS_PER_NODE:
                raise NeedsWorker
            return self.strip.by_mines()

    def layouts(self) -> Iterator[Layout]:
        with _bounded(self.effort):
            for layout in self.strip.layouts(self.question.offset):
                yield layout
                self.deadline.check()

    def sample(self, random: Random) -> Layout:
        if self.question.density is not None:
            raise BackendRefusal("it draws all layouts uniformly, without a density")
        with _bounded(self.effort):
            return self.strip.sample(random)

    def rank(self, layout: Layout) -> int:
        with _bounded(self.effort):
            return self.strip.rank(layout)

    def probabilities(self, density: Fraction | None) -> NDArray[np.float64] | None:
        log_odds = 0.0
        if density is not None:
            log_odds = log(density.numerator) - log(density.denominator - density.numerator)
        with _bounded(self.effort):
            chances = self.strip.probabilities(log_odds)
            return _uncertain(chances, self.board.unknown, *self.strip.forced())


class Windowed(Method):
    """What the clues in a window say, by the automaton that reads it as a strip.

    Layouts and chances have the shape of the window.
    """

    def __init__(self, question: Question, deadline: Deadline, effort: Effort) -> None:
        super().__init__(question, deadline, effort)
        assert question.window is not None, "a strip is cut out by a window"
        self.cut = cut(self.grid, question.window, deadline.check, effort.nodes)

    @property
    def name(self) -> str:
        return self.cut.machine

    @property
    def loosened(self) -> list[Loosened]:
        return self.cut.loosened

    def witness(self) -> Layout | None:
        with _bounded(self.effort):
            mines = next(self.cut.layouts(), None)
            return None if mines is None else Layout(mines)

    def forced(self) -> tuple[Forced, bool]:
        with _bounded(self.effort):
            mines, safe = (self._on_board(cells) for cells in self.cut.forced())
        return self._forced(mines, safe), True

    def count(self) -> int:
        with _bounded(self.effort):
            return self.cut.count()

    def layouts(self) -> Iterator[Layout]:
        with _bounded(self.effort):
            for mines in self.cut.layouts(self.question.offset):
                yield Layout(mines)
                self.deadline.check()

    def probabilities(self, density: Fraction | None) -> NDArray[np.float64] | None:
        with _bounded(self.effort):
            return _uncertain(self.cut.probabilities(), self.cut.unknown, *self.cut.forced())

    def _on_board(self, cells: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """From the window's cells, (height, width), to the board's."""
        placed = np.zeros(self.board.shape, np.bool_)
        placed[self.cut.window.rows, self.cut.window.cols] = cells
        return placed


def _uncertain(
    chances: NDArray[np.float64],
    unknown: NDArray[np.bool_],
    mines: NDArray[np.bool_],
    safe: NDArray[np.bool_],
) -> NDArray[np.float64]:
    """Chances of unknown cells, never 0 or 1 unless the cell is forced; NaN for known ones."""
    least, most = np.nextafter(0.0, 1.0), np.nextafter(1.0, 0.0)
    between = np.where(mines | safe, chances, np.clip(chances, least, most))
    return np.where(unknown, between, np.nan)


@contextmanager
def _bounded(effort: Effort) -> Iterator[None]:
    """What a diagram that is too large means to a method."""
    try:
        yield
    except DiagramTooLarge as error:
        if not effort.unbounded:
            raise NeedsWorker from None
        raise TooWide(str(error)) from None
