"""A game: where the mines are, where the first click goes, and what is shown."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from minecheck.minefield.board import UNKNOWN, Board
from minecheck.minefield.compiled import FixedMatrix, Matrix, Vector, compile_kernel
from minecheck.minefield.layout import Layout
from minecheck.minefield.openings import open_around_zeros


class Played(NamedTuple):
    """Where a game stands: what it shows, whether it is won, and the mine that was opened."""

    board: Board
    won: bool
    hit: tuple[int, int] | None

    @property
    def over(self) -> bool:
        """True if the game is won or lost."""
        return self.won or self.hit is not None


@dataclass(frozen=True)
class Game:
    """A layout and the first click, (row, col) from 0, which must be on a safe cell.

    Raises:
        ValueError: the first click is outside the board, or on a mine.
    """

    layout: Layout
    first: tuple[int, int]

    def __post_init__(self) -> None:
        self._number_clicks([self.first])

    @cached_property
    def codes(self) -> NDArray[np.int8]:
        """The number of each cell, or `MINE`; read-only, (height, width)."""
        return self.layout.to_codes()

    @property
    def unseen(self) -> Board:
        """The board before the first click."""
        return Board(np.full(self.layout.mines.shape, UNKNOWN, np.int8))

    @property
    def opened(self) -> Board:
        """The board after the first click."""
        return self.open_cells(self.unseen, [self.first])

    def open_cells(self, board: Board, clicks: Iterable[tuple[int, int]]) -> Board:
        """Return the board after clicks at (row, col); a 0 opens all cells around it.

        Cells that are shown already stay as they are, and so do flags next to an opening.

        Args:
            board: what is shown so far, of the shape of the layout.
            clicks: (row, col) from 0 of each cell clicked on.

        Raises:
            ValueError: the board has another shape, or a click is outside it or on a mine.
        """
        if board.cells.shape != self.layout.mines.shape:
            raise ValueError(
                f"a {self.layout.mines.shape} game cannot be played on a {board.shape} board"
            )
        chosen = self._number_clicks(clicks)
        cells = board.cells.copy()
        reveal_cells(self.codes, cells, chosen)
        return Board(cells)

    def replay_clicks(self, clicks: Sequence[tuple[int, int]]) -> Played:
        """Return the state of the game after clicks at (row, col), made after the first one.

        It is over when all safe cells are shown, or a mine is opened: what is clicked on after
        that changes nothing.
        """
        end = next((number for number, cell in enumerate(clicks) if self.layout.mines[cell]), None)
        board = self.open_cells(self.unseen, [self.first, *clicks[:end]])
        won = self.is_won(board)
        return Played(board, won, None if won or end is None else clicks[end])

    def is_won(self, board: Board) -> bool:
        """Return True if every safe cell shows its number."""
        return not np.any((board.cells > 8) & ~self.layout.mines)

    def _number_clicks(self, clicks: Iterable[tuple[int, int]]) -> NDArray[np.int64]:
        """Return the cells clicked on, numbered in reading order."""
        height, width = self.layout.mines.shape
        chosen = []
        for row, col in clicks:
            if not (0 <= row < height and 0 <= col < width):
                raise ValueError(f"row {row}, column {col} is outside the board")
            if self.layout.mines[row, col]:
                raise ValueError(f"there is a mine at row {row}, column {col}")
            chosen.append(row * width + col)
        return np.array(chosen, np.int64)


@compile_kernel
def reveal_cells(
    codes: FixedMatrix[np.int8], cells: Matrix[np.int8], clicks: Vector[np.int64]
) -> NDArray[np.int64]:
    """Show the cells clicked on in ``cells``, and all that a 0 opens; return which were not shown.

    Flags stay where a 0 would open them, and go where they are clicked on.

    Args:
        codes: the number of each cell, or `MINE`: (height, width).
        cells: what is shown so far, which is brought up to date: (height, width).
        clicks: the cells clicked on, numbered in reading order.
    """
    width = cells.shape[1]
    # A cell waits once, when it is shown.
    waiting = np.empty(cells.size, np.int64)
    count = 0
    for cell in clicks:
        row, col = cell // width, cell % width
        if cells[row, col] > 8:
            cells[row, col] = codes[row, col]
            waiting[count] = cell
            count += 1
    return waiting[: count + open_around_zeros(codes, cells, waiting, count)].copy()
