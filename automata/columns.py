"""What is known of the cells of a strip: the word that a decision diagram is grown from.

Tested in tests/automata/test_diagram.py.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from minecheck.automata import kernels
from minecheck.automata.kernels import MAY_BE_MINE, MAY_BE_SAFE
from minecheck.minefield.board import FLAG, MINE, UNKNOWN
from minecheck.minefield.topology import NOBODY

#: The largest clue that there is a symbol for, and a number that no clue exceeds.
_LARGEST_CLUE: Final = 8
_ANY: Final = np.iinfo(np.int8).max


@dataclass(frozen=True, slots=True, eq=False)
class Columns:
    """The known facts about the cells of a strip: arrays of shape (length, breadth) but the last.

    Attributes:
        may: whether a cell may be safe (bit 0) and may be a mine (bit 1), uint8.
        low: fewest mines around a cell, int8. A clue is an interval; one that
            all its neighbours keep is no clue. Clues belong to cells that are safe.
        high: most mines around a cell, int8.
        hidden: cells that are no part of a layout: they only have to exist.
        earlier: the neighbours of each cell that are read before it, as numbers
            ``column * breadth + row``, `NOBODY` for none: int32 (cells, any).
    """

    may: NDArray[np.uint8]
    low: NDArray[np.int8]
    high: NDArray[np.int8]
    hidden: NDArray[np.bool_]
    earlier: NDArray[np.int32]

    @classmethod
    def from_cells(
        cls, cells: NDArray[np.int8], earlier: NDArray[np.int32] | None = None
    ) -> "Columns":
        """Build the columns of cells.

        Args:
            cells: cell codes: (length, breadth).
            earlier: the neighbours of each cell that are read before it; None for those of a plane
                board.
        """
        clue = cells <= _LARGEST_CLUE
        unknown = (cells == UNKNOWN) | (cells == FLAG)
        may = np.where(cells == MINE, np.uint8(MAY_BE_MINE), np.uint8(MAY_BE_SAFE))
        may[unknown] = MAY_BE_SAFE | MAY_BE_MINE
        return cls(
            may,
            np.where(clue, cells, np.int8(0)),
            np.where(clue, cells, np.int8(_ANY)),
            np.zeros(cells.shape, np.bool_),
            _list_earlier(*cells.shape) if earlier is None else earlier,
        )

    @property
    def word(self) -> tuple[kernels.Cells, NDArray[np.int16]]:
        """The result of `kernels.build_word`."""
        return kernels.build_word(
            self.may.ravel(),
            self.low.ravel(),
            self.high.ravel(),
            self.hidden.ravel(),
            self.earlier,
        )

    @property
    def cells_kept(self) -> int:
        """The most cells that have to be kept in mind at once; too many are not counted on."""
        return self.word[0].slots


def _list_earlier(length: int, breadth: int) -> NDArray[np.int32]:
    """Return `Columns.earlier` of a plane board: cells above, and to the left in three rows."""
    cell_numbers = np.arange(length * breadth, dtype=np.int32).reshape(length, breadth)
    earlier = np.full((length, breadth, 4), NOBODY, np.int32)
    earlier[:, 1:, 0] = cell_numbers[:, :-1]
    earlier[1:, 1:, 1] = cell_numbers[:-1, :-1]
    earlier[1:, :, 2] = cell_numbers[:-1]
    earlier[1:, :-1, 3] = cell_numbers[:-1, 1:]
    return earlier.reshape(-1, 4)
