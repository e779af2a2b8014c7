"""Boards that are ordinary positions except for some wide components, which are counted apart.

Without a total of mines components have nothing to do with each other.
"""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from minecheck.minefield.board import MINE, SAFE, UNKNOWN, Board
from minecheck.minefield.layout import Layout
from minecheck.minefield.openings import dilate_cells
from minecheck.minefield.polynomials import count_by_mines
from minecheck.minefield.reduction.constraints import IS_MINE
from minecheck.solvers.backend import Backend
from minecheck.solvers.backends.auto import Auto
from minecheck.solvers.backends.method import Method
from minecheck.solvers.deadline import Deadline
from minecheck.solvers.effort import Effort
from minecheck.solvers.findings import Approximation, Estimate, Forced
from minecheck.solvers.positions.components import LEFT_OUT
from minecheck.solvers.positions.solve import Position
from minecheck.solvers.progress import Progress
from minecheck.solvers.question import Question
from minecheck.solvers.search.core import Core


class PositionAndRest(Method):
    """The position's results for narrow components, and those of `Auto` for the rest.

    Args:
        question: a plain question without a total.
        deadline: when to give up.
        effort: how much the method may spend.
        position: the result of `solve_narrow_components` for the board.
    """

    def __init__(
        self, question: Question, deadline: Deadline, effort: Effort, position: Position
    ) -> None:
        super().__init__(question, deadline, effort)
        self.position = position
        #: The cells that the position leaves out.
        self.open = position.chances == LEFT_OUT
        self.rest_board = _build_rest(self.grid, self.open, position.values)
        self.rest = Auto(replace(question, board=self.rest_board), deadline, effort)

    @property
    def engines(self) -> tuple[Backend, ...]:
        """The engines that found the results so far; the last one gave the latest result."""
        return tuple(dict.fromkeys([Backend.POSITIONS, *self.rest.used]))

    def resume(self, progress: Progress) -> None:
        """Take over the progress of an earlier attempt, that of the rest included."""
        super().resume(progress)
        self.rest.resume(replace(progress, constraints=progress.rest))

    def hand_over(self, progress: Progress) -> None:
        """Store the progress of this attempt, that of the rest included."""
        super().hand_over(progress)
        progress.rest = vars(self.rest).get("constraints")

    def find_witness(self) -> Layout | None:
        """Return a layout, None if the rest has none."""
        layout_of_rest = self.rest.find_witness()
        if layout_of_rest is None:
            return None
        return Layout(np.where(self.open, layout_of_rest.mines, self.position.layout))

    @property
    def has_counted_some(self) -> bool:
        """True if layouts were counted, and there are some."""
        return self.rest.has_counted_some

    def find_core(self) -> Core | None:
        """Return clues of the whole board behind an inconsistency, None if none are known."""
        # In the rest, cells are known by clues of narrow components, which the core may need.
        whole = Auto.from_clues(self.question, self.constraints, self.deadline, self.effort)
        return None if whole.find_witness() else whole.find_core()

    def find_forced(self) -> tuple[Forced, bool]:
        """Return forced cells of both parts, and whether these are all."""
        forced, complete = self.rest.find_forced()
        return Forced(np.where(self.open, forced.values, self.position.values)), complete

    def count(self) -> int:
        """Multiply the counts of both parts."""
        return self.rest.count() * self.position.count

    def by_mines(self) -> dict[int, int] | None:
        """Return layouts by number of mines, None if those of the rest are not known."""
        by_mines = self.rest.by_mines()
        if by_mines is None:
            return None
        known_mines = int(np.count_nonzero(self.rest_board.cells == MINE))
        return count_by_mines([by_mines, self.position.by_mines()], 0, -known_mines)

    @property
    def soon_by_mines(self) -> bool:
        """True if layouts by number of mines take little time in both parts."""
        return self.position.soon_by_mines and self.rest.soon_by_mines

    def approximate(self) -> Approximation | None:
        """Estimate the count, None if that of the rest is not estimated."""
        approximation = self.rest.approximate()
        return approximation and replace(
            approximation, count=approximation.count * self.position.count
        )

    @property
    def estimate(self) -> Estimate | None:
        """The expected cost of the count of the rest."""
        return self.rest.estimate

    @property
    def note(self) -> str | None:
        """The note of the method for the rest."""
        return self.rest.note

    def compute_probabilities(self) -> NDArray[np.float64]:
        """Return the chances of both parts, NaN for known cells, (height, width)."""
        return np.where(self.open, self.rest.compute_probabilities(), self.position.chances)

    def iterate_layouts(self) -> Iterator[Layout]:
        """Fail: this method is not used for pages of layouts.

        Raises:
            AssertionError: always.
        """
        raise AssertionError("it lists no pages of layouts")


def _build_rest(board: Board, open_cells: NDArray[np.bool_], values: NDArray[np.int8]) -> Board:
    """Return the board with only these cells unknown and only the clues next to them left."""
    cells = np.full(board.shape, SAFE, np.int8)
    cells[(board.cells == MINE) | (values == IS_MINE)] = MINE
    clues = dilate_cells(open_cells) & (board.cells <= 8)
    cells[clues] = board.cells[clues]
    cells[open_cells] = UNKNOWN
    return Board(cells)
