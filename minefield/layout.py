"""A layout: every cell is a mine or is safe."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from minefield.board import MINE, SAFE, Board, coordinates
from minefield.compiled import FixedMatrix, compiled
from minefield.notation import rows_of_symbols


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
        """A layout of an array that is its own: C-contiguous bool, read-only from now on."""
        mines.setflags(write=False)
        layout = object.__new__(cls)
        object.__setattr__(layout, "mines", mines)
        return layout

    @property
    def total(self) -> int:
        """Number of mines."""
        return int(np.count_nonzero(self.mines))

    @property
    def amounts(self) -> NDArray[np.int8]:
        """Number of mines in each cell, (height, width)."""
        return self.mines.view(np.int8)

    def numbers(self) -> NDArray[np.int8]:
        """Mines among the up to eight neighbours of each cell, (height, width)."""
        height, width = self.mines.shape
        padded = np.zeros((height + 2, width + 2), dtype=np.int8)
        padded[1:-1, 1:-1] = self.mines
        rows = padded[:-2] + padded[1:-1] + padded[2:]
        return np.asarray(rows[:, :-2] + rows[:, 1:-1] + rows[:, 2:] - padded[1:-1, 1:-1], np.int8)

    def codes(self) -> NDArray[np.int8]:
        """The cells of the board that shows it all, numbers and `MINE`, (height, width)."""
        return np.where(self.mines, np.int8(MINE), self.numbers())

    def rows(self) -> list[str]:
        """The layout as Kadlac draws it: safe cells show their number, mines are ``B``."""
        return rows_of_symbols(drawn(self.mines))

    def contradictions(self, board: Board) -> list[tuple[int, int]]:
        """(row, col) of the cells of ``board`` that this layout gets wrong.

        Looks at the two grids only: it shares no code with any solver.

        Raises:
            ValueError: the two differ in shape.
        """
        if board.cells.shape != self.mines.shape:
            raise ValueError(
                f"a {self.mines.shape} layout cannot be compared with a {board.shape} board"
            )
        clue = board.cells <= 8
        wrong = np.where(clue, self.mines | (self.numbers() != board.cells), False)
        wrong |= (board.cells == MINE) & ~self.mines
        wrong |= (board.cells == SAFE) & self.mines
        return coordinates(wrong)

    def fits(self, board: Board, mines: int | None = None) -> bool:
        """Whether the layout agrees with every cell of ``board`` and has ``mines`` mines in all."""
        return not self.contradictions(board) and mines in (None, self.total)

    def __reduce__(self) -> tuple[type["Layout"], tuple[NDArray[np.bool_]]]:
        # Unpickled arrays are writable, so the layout is made anew.
        return Layout, (self.mines,)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Layout) and np.array_equal(self.mines, other.mines)

    def __hash__(self) -> int:
        return hash((self.mines.shape, self.mines.tobytes()))

    def __str__(self) -> str:
        return "\n".join(self.rows())


class Piled(Layout):
    """A layout of cells that may hold several mines: ``amounts`` of them, int8 (height, width)."""

    __slots__ = ("_amounts",)
    _amounts: NDArray[np.int8]

    def __init__(self, amounts: NDArray[np.integer]) -> None:
        super().__init__(np.asarray(amounts > 0))
        held = np.array(amounts, np.int8)
        held.setflags(write=False)
        object.__setattr__(self, "_amounts", held)

    @property
    def amounts(self) -> NDArray[np.int8]:
        return self._amounts

    @property
    def total(self) -> int:
        return int(self._amounts.sum(dtype=np.int64))

    def __reduce__(self) -> tuple[type["Piled"], tuple[NDArray[np.int8]]]:  # type: ignore[override]
        return Piled, (self._amounts,)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Piled) and np.array_equal(self._amounts, other._amounts)

    def __hash__(self) -> int:
        return hash((self._amounts.shape, self._amounts.tobytes()))


@compiled
def drawn(mines: FixedMatrix[np.bool_]) -> NDArray[np.uint8]:
    """A layout as Kadlac draws it, in ASCII codes: mines are ``B``, safe cells show their number.

    Both arrays have the shape (height, width).
    """
    height, width = mines.shape
    symbols = np.empty((height, width), np.uint8)
    # With a ring around, no cell is at an edge, and no branch is needed.
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
