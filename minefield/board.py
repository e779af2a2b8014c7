"""What a board is: an immutable grid of clues, known cells and unknowns."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from minecheck.minefield.board_svg import draw_svg
from minecheck.minefield.errors import FixableError

Cells: TypeAlias = NDArray[np.int8]

UNKNOWN: Final = 9
MINE: Final = 10
SAFE: Final = 11
FLAG: Final = 12
#: More than the largest cell code, and a power of two: two cells are one number below its square.
CODES: Final = 16
#: The cell code of each clue, by the digit that all notations have for it.
CLUE_CODES: Final[Mapping[str, int]] = MappingProxyType({str(clue): clue for clue in range(9)})
#: The symbol of each cell code in the standard notation.
SYMBOLS: Final = "012345678?BSF"
_SYMBOL_BYTES: Final = np.frombuffer(SYMBOLS.encode(), np.uint8)


@dataclass(eq=False, repr=False)
class BoardError(FixableError):
    """A board that cannot be read: what is wrong, where, and how to fix it.

    ``code`` is a stable slug; ``row`` and ``col`` are zero-based, or None
    where the fault is not in one place.
    """

    code: str
    detail: str
    fix: str
    row: int | None = None
    col: int | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Board:
    """A grid of cells, read-only int8 of shape (height, width).

    A cell is a clue 0..8, `UNKNOWN`, `MINE`, `SAFE` (no mine, number not
    known) or `FLAG` (a player's claim of a mine: solvers treat it as unknown).
    """

    cells: Cells

    def __post_init__(self) -> None:
        values = np.asarray(self.cells)
        if values.size and (
            values.dtype.kind not in "iu" or values.min() < 0 or values.max() > FLAG
        ):
            raise ValueError(
                f"A Board is made of cell codes, integers in 0..{FLAG}. minecheck.parse reads text."
            )
        cells = np.array(values, dtype=np.int8, order="C", copy=True)
        if cells.ndim != 2 or cells.size == 0:
            raise BoardError(
                "empty-board", "The board has no cells.", "Send at least one row with one cell."
            )
        cells.setflags(write=False)
        object.__setattr__(self, "cells", cells)

    @classmethod
    def read_only(cls, cells: Cells) -> "Board":
        """Return a board around cell codes that are known to be right.

        ``cells``, which becomes read-only and is neither copied nor checked, is int8 of shape
        (height, width), not empty.
        """
        cells.setflags(write=False)
        board = object.__new__(cls)
        object.__setattr__(board, "cells", cells)
        return board

    @property
    def height(self) -> int:
        """Number of rows."""
        return int(self.cells.shape[0])

    @property
    def width(self) -> int:
        """Number of columns."""
        return int(self.cells.shape[1])

    @property
    def shape(self) -> tuple[int, int]:
        """(height, width)."""
        height, width = self.cells.shape
        return height, width

    @property
    def unknown(self) -> NDArray[np.bool_]:
        """Cells that may or may not be mines, flags included: bool, (height, width)."""
        return np.asarray((self.cells == UNKNOWN) | (self.cells == FLAG))

    @property
    def flags(self) -> list[tuple[int, int]]:
        """(row, col) of each flag, in reading order."""
        return list_coordinates(self.cells == FLAG)

    def with_flags_as_mines(self) -> "Board":
        """Return the same board with every flag taken for a mine."""
        return Board(np.where(self.cells == FLAG, np.int8(MINE), self.cells))

    def with_assumption(self, cell: tuple[int, int], mine: bool) -> "Board":
        """Return the same board where one cell is known to be a mine or to be safe.

        Args:
            cell: (row, col) from 0.
            mine: True for a mine, False for a safe cell.
        """
        return self.with_codes({cell: MINE if mine else SAFE})

    def with_codes(self, codes: Mapping[tuple[int, int], int]) -> "Board":
        """Return the same board with other codes in some cells.

        Args:
            codes: the new code of each cell by (row, col); the codes are not checked.
        """
        cells = self.cells.copy()
        for cell, code in codes.items():
            cells[cell] = code
        return Board.read_only(cells)

    def transpose(self) -> "Board":
        """Return the board with rows and columns exchanged."""
        return Board(self.cells.T)

    def rows(self) -> list[str]:
        """Return the board in the standard notation, one string a row."""
        return format_symbol_rows(_SYMBOL_BYTES[self.cells])

    def to_numpy(self) -> NDArray[np.str_]:
        """Return the symbols of the cells, one string each: shape (height, width)."""
        return np.array([list(row) for row in self.rows()])

    def __reduce__(self) -> tuple[type["Board"], tuple[Cells]]:
        # Unpickled arrays are writable, so the board is made anew.
        return Board, (self.cells,)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Board) and np.array_equal(self.cells, other.cells)

    def __hash__(self) -> int:
        return hash((self.shape, self.cells.tobytes()))

    def __str__(self) -> str:
        return "\n".join(self.rows())

    def __repr__(self) -> str:
        return f"parse({self.rows()!r})"

    def _repr_html_(self) -> str:
        """Return the board as a picture, as notebooks show it."""
        return draw_svg(self.rows())


def list_coordinates(where: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Return (row, col) of every true cell of a (height, width) mask, in reading order."""
    width = where.shape[1]
    return [divmod(cell, width) for cell in where.ravel().nonzero()[0].tolist()]


def list_around(cell: tuple[int, int], shape: tuple[int, int]) -> list[tuple[int, int]]:
    """List (row, col) of the up to eight cells around one, in reading order."""
    (row, col), (height, width) = cell, shape
    return [
        (near_row, near_col)
        for near_row in range(max(0, row - 1), min(height, row + 2))
        for near_col in range(max(0, col - 1), min(width, col + 2))
        if (near_row, near_col) != cell
    ]


def list_neighbours(shape: tuple[int, int]) -> list[list[int]]:
    """List for each cell, row * width + col, the up to eight cells around it."""
    height, width = shape
    return [
        [row * width + col for row, col in list_around(divmod(cell, width), shape)]
        for cell in range(height * width)
    ]


def format_symbol_rows(symbols: NDArray[np.uint8]) -> list[str]:
    """Return ASCII codes of shape (height, width) as one string a row."""
    height, width = symbols.shape
    text = symbols.tobytes().decode("ascii")
    return [text[start : start + width] for start in range(0, height * width, width)]
