"""A layout: every cell is a mine or is safe."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from minecheck.minefield.board import MINE, SAFE, Board, format_symbol_rows, list_coordinates
from minecheck.minefield.board_svg import draw_svg
from minecheck.minefield.compiled import FixedMatrix, compile_kernel
from minecheck.minefield.kernel import is_numba_loaded


@dataclass(frozen=True, slots=True, eq=False)
class Layout:
    """Where the mines are: read-only bool of shape (height, width)."""

    mines: NDArray[np.bool_]

    def __post_init__(self) -> None:
        mines = np.array(self.mines, dtype=np.bool_, copy=True, order="C")
        mines.setflags(write=False)
        object.__setattr__(self, "mines", mines)

    @classmethod
    def read_only(cls, mines: NDArray[np.bool_]) -> "Layout":
        """Return a layout around an array, which becomes read-only and is not copied.

        ``mines`` is C-contiguous bool of shape (height, width).
        """
        mines.setflags(write=False)
        layout = object.__new__(cls)
        object.__setattr__(layout, "mines", mines)
        return layout

    @property
    def total(self) -> int:
        """Number of mines."""
        return int(np.count_nonzero(self.mines))

    @property
    def mine_counts(self) -> NDArray[np.int8]:
        """Number of mines in each cell, (height, width)."""
        return self.mines.view(np.int8)

    def count_neighbours(self) -> NDArray[np.int8]:
        """Count the mines among the up to eight neighbours of each cell: int8, (height, width)."""
        height, width = self.mines.shape
        padded = np.zeros((height + 2, width + 2), dtype=np.int8)
        padded[1:-1, 1:-1] = self.mines
        rows = padded[:-2] + padded[1:-1] + padded[2:]
        return np.asarray(rows[:, :-2] + rows[:, 1:-1] + rows[:, 2:] - padded[1:-1, 1:-1], np.int8)

    def to_codes(self) -> NDArray[np.int8]:
        """Return the cells of the board that shows it all, numbers and `MINE`.

        Returns:
            Read-only int8 of shape (height, width).
        """
        codes = np.where(self.mines, np.int8(MINE), self.count_neighbours())
        codes.setflags(write=False)
        return codes

    def rows(self) -> list[str]:
        """Return the layout as Kadlac draws it: safe cells show their number, mines are ``B``."""
        if is_numba_loaded():
            return format_symbol_rows(draw_mines(self.mines))
        # Slower for many layouts, but not worth loading Numba for.
        numbers = self.count_neighbours().view(np.uint8)
        return format_symbol_rows(np.where(self.mines, np.uint8(66), np.uint8(48) + numbers))

    def list_contradictions(self, board: Board) -> list[tuple[int, int]]:
        """Return (row, col) of the cells of ``board`` that this layout gets wrong.

        Looks at the two grids only: it shares no code with any solver.

        Raises:
            ValueError: the two differ in shape.
        """
        if board.cells.shape != self.mines.shape:
            raise ValueError(
                f"a {self.mines.shape} layout cannot be compared with a {board.shape} board"
            )
        clue = board.cells <= 8
        wrong = np.where(clue, self.mines | (self.count_neighbours() != board.cells), False)
        wrong |= (board.cells == MINE) & ~self.mines
        wrong |= (board.cells == SAFE) & self.mines
        return list_coordinates(wrong)

    def fits_board(self, board: Board, mines: int | None = None) -> bool:
        """Return True if the layout agrees with a board and a total.

        Args:
            board: a board of the same shape.
            mines: the total of mines, None for any.

        Raises:
            ValueError: the two differ in shape.
        """
        return not self.list_contradictions(board) and mines in (None, self.total)

    def __reduce__(self) -> tuple[type["Layout"], tuple[NDArray[np.bool_]]]:
        # Unpickled arrays are writable, so the layout is made anew.
        return Layout, (self.mines,)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Layout) and np.array_equal(self.mines, other.mines)

    def __hash__(self) -> int:
        return hash((self.mines.shape, self.mines.tobytes()))

    def to_numpy(self) -> NDArray[np.bool_]:
        """Return where the mines are, as an array of its own: bool (height, width)."""
        return self.mines.copy()

    def __str__(self) -> str:
        return "\n".join(self.rows())

    def __repr__(self) -> str:
        return f"Layout({self.rows()!r})"

    def _repr_html_(self) -> str:
        """Return the layout as a picture, as notebooks show it."""
        return draw_svg(self.rows())


class MultiMineLayout(Layout):
    """A layout of cells that may hold several mines; `mine_counts` has the number in each cell."""

    __slots__ = ("_mine_counts",)
    _mine_counts: NDArray[np.int8]

    def __init__(self, mine_counts: NDArray[np.integer]) -> None:
        super().__init__(np.asarray(mine_counts > 0))
        held = np.array(mine_counts, np.int8)
        held.setflags(write=False)
        object.__setattr__(self, "_mine_counts", held)

    @property
    def mine_counts(self) -> NDArray[np.int8]:
        """Numbers of mines in the cells: int8 of shape (height, width)."""
        return self._mine_counts

    @property
    def total(self) -> int:
        """Number of mines in all cells together."""
        return int(self._mine_counts.sum(dtype=np.int64))

    def __reduce__(self) -> tuple[type["MultiMineLayout"], tuple[NDArray[np.int8]]]:  # type: ignore[override]
        return MultiMineLayout, (self._mine_counts,)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, MultiMineLayout) and np.array_equal(
            self._mine_counts, other._mine_counts
        )

    def __hash__(self) -> int:
        return hash((self._mine_counts.shape, self._mine_counts.tobytes()))


@compile_kernel
def draw_mines(mines: FixedMatrix[np.bool_]) -> NDArray[np.uint8]:
    """Draw a layout as Kadlac does, in ASCII codes: ``B`` for a mine, else the number.

    Both arrays have the shape (height, width). Sums of three rows of three cells are at most 9, so
    that uint8 holds them.
    """
    height, width = mines.shape
    symbols = np.empty((height, width), np.uint8)
    # A ring around the board removes edges, and with them all branches.
    three = np.zeros((height + 2, width), np.uint8)
    for row in range(height):
        three[row + 1, 0] = mines[row, 0]
        for col in range(1, width):
            three[row + 1, col] = np.uint8(mines[row, col - 1]) + np.uint8(mines[row, col])
        for col in range(width - 1):
            three[row + 1, col] += np.uint8(mines[row, col + 1])
    for row in range(height):
        for col in range(width):
            around = three[row, col] + three[row + 1, col] + three[row + 2, col]
            symbols[row, col] = 66 if mines[row, col] else 48 + around
    return symbols
