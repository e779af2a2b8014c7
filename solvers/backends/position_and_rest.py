"""Boards that are ordinary positions but for some wide components, which are answered apart.

Without a total of mines components have nothing to do with each other.
"""

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from minefield.board import MINE, SAFE, UNKNOWN, Board
from minefield.layout import Layout
from minefield.reduction.constraints import IS_MINE
from solvers.answer import Approximation, Estimate, Forced
from solvers.backends.method import Method
from solvers.backends.search import Auto
from solvers.counting.polynomial import product
from solvers.counting.position import Position, most_of
from solvers.counting.position_parts import LEFT_OUT
from solvers.deadline import Deadline
from solvers.effort import Effort
from solvers.progress import Progress
from solvers.question import Question
from solvers.search.core import Core


class PositionAndRest(Method):
    """What a position tells of its narrow components, and `Auto` of the rest."""

    def __init__(
        self, question: Question, deadline: Deadline, effort: Effort, found: Position
    ) -> None:
        super().__init__(question, deadline, effort)
        self.position = found
        #: The cells that the position leaves out.
        self.open = found.chances == LEFT_OUT
        self.rest_board = _rest(self.grid, self.open, found.values)
        self.rest = Auto(replace(question, board=self.rest_board), deadline, effort)

    @classmethod
    def of(
        cls,
        question: Question,
        deadline: Deadline,
        effort: Effort,
        found: Position | None = None,
    ) -> "PositionAndRest | None":
        """The method for a plain question without a total; None if no component is narrow.

        ``found`` is what `most_of` tells, if that is known.
        """
        assert isinstance(question.board, Board)
        found = found or most_of(question.board)
        if found is None or len(found.starts) == 1:
            return None
        return cls(question, deadline, effort, found)

    @property
    def name(self) -> str:
        return "+".join(dict.fromkeys(["frontier", *self.rest.used]))

    def resume(self, progress: Progress) -> None:
        self.rest.resume(progress)

    def witness(self) -> Layout | None:
        found = self.rest.witness()
        if found is None:
            return None
        return Layout(np.where(self.open, found.mines, self.position.layout))

    @property
    def has_counted_some(self) -> bool:
        return self.rest.has_counted_some

    def core(self) -> Core | None:
        # Its clues are numbered as those of the whole board.
        whole = Auto(self.question, self.deadline, self.effort)
        return None if whole.witness() else whole.core()

    def forced(self) -> tuple[Forced, bool]:
        found, complete = self.rest.forced()
        return Forced(np.where(self.open, found.values, self.position.values)), complete

    def count(self) -> int:
        return self.rest.count() * self.position.count

    def by_mines(self) -> dict[int, int] | None:
        found = self.rest.by_mines()
        if found is None:
            return None
        bits = (self.rest.count() * self.position.count).bit_length()
        known = int(np.count_nonzero(self.rest_board.cells == MINE))
        both = product([found, self.position.by_mines()], bits)
        return {mines - known: layouts for mines, layouts in both.items()}

    @property
    def soon_by_mines(self) -> bool:
        return self.position.soon_by_mines and self.rest.soon_by_mines

    def approximate(self) -> Approximation | None:
        found = self.rest.approximate()
        return found and replace(found, count=found.count * self.position.count)

    @property
    def estimate(self) -> Estimate | None:
        return self.rest.estimate

    @property
    def note(self) -> str | None:
        return self.rest.note

    def probabilities(self, density: Fraction | None) -> NDArray[np.float64]:
        return np.where(self.open, self.rest.probabilities(density), self.position.chances)

    def layouts(self) -> Iterator[Layout]:
        raise AssertionError("it is asked for no pages of layouts")


def _rest(board: Board, open_cells: NDArray[np.bool_], values: NDArray[np.int8]) -> Board:
    """The board where only these cells are unknown, and only clues beside them are left."""
    cells = np.full(board.shape, SAFE, np.int8)
    cells[(board.cells == MINE) | (values == IS_MINE)] = MINE
    height, width = board.shape
    ring = np.pad(open_cells, 1)
    near = np.zeros(board.shape, np.bool_)
    for down in range(3):
        for aside in range(3):
            near |= ring[down : down + height, aside : aside + width]
    clues = near & (board.cells <= 8)
    cells[clues] = board.cells[clues]
    cells[open_cells] = UNKNOWN
    return Board(cells)
