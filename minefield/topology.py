"""Which cells touch each other: how a board is glued, stacked and stepped on.

The cells of a board of several layers are written one layer below the other: a board of 2 layers
and 6 rows has the rows 0 to 2 in its first layer, and 3 to 5 in its second.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from minecheck.minefield.errors import FixableError
from minecheck.minefield.numerals import format_count

#: Rows down, columns to the right.
Offset: TypeAlias = tuple[int, int]

#: The value of a missing neighbour.
NOBODY: Final = -1
MOST_OFFSETS: Final = 120
FARTHEST: Final = 100
#: Steps that are usually worked out together.
_PART: Final = 1 << 20

_AROUND: Final = tuple(
    (down, right) for down in (-1, 0, 1) for right in (-1, 0, 1) if (down, right) != (0, 0)
)
_KNIGHT: Final = tuple(
    (down, right) for down in (-2, -1, 1, 2) for right in (-2, -1, 1, 2) if abs(down * right) == 2
)
# Offset coordinates: the rows 1, 3, 5 … are shifted by half a cell to the right.
_HEXAGON: Final = (
    ((-1, -1), (-1, 0), (0, -1), (0, 1), (1, -1), (1, 0)),
    ((-1, 0), (-1, 1), (0, -1), (0, 1), (1, 0), (1, 1)),
)


class Shape(StrEnum):
    """The shape of the cells of a layer."""

    RECTANGLE = "rectangle"
    TORUS = "torus"
    CYLINDER = "cylinder"
    HEXAGONAL = "hexagonal"
    KNIGHT = "knight"


@dataclass(eq=False, repr=False)
class TopologyError(FixableError):
    """A topology that makes no sense; ``field`` is what is wrong with it."""

    field: str
    detail: str
    fix: str


@dataclass(frozen=True)
class Topology:
    """The neighbours of each cell, by their number in reading order.

    On a torus the edges of a layer are joined left to right and top to bottom, on a cylinder left
    to right. Of hexagons every other row is shifted by half a cell to the right, beginning with
    the second row of each layer. ``offsets`` stand in place of the eight cells around one; they
    need not be symmetric: a clue counts the mines where its offsets lead. In the layers above
    and below, the cell in the same place is a neighbour, and so are its own neighbours there.

    No cell is its own neighbour, and none is a neighbour twice, however small the torus.

    Raises:
        TopologyError: layers, or offsets, that there cannot be.
    """

    shape: Shape = Shape.RECTANGLE
    offsets: tuple[Offset, ...] | None = None
    layers: int = 1

    def __post_init__(self) -> None:
        if self.layers < 1:
            raise TopologyError("layers", "A board has 1 layer or more.", "Leave layers out.")
        if self.offsets is not None:
            self._check_offsets(self.offsets)

    def _check_offsets(self, offsets: Sequence[Offset]) -> None:
        if self.shape in (Shape.HEXAGONAL, Shape.KNIGHT):
            raise TopologyError(
                "neighbours",
                f"The topology {self.shape} says which cells are neighbours.",
                "Leave out neighbours, or take rectangle, torus or cylinder.",
            )
        if not 1 <= len(offsets) <= MOST_OFFSETS:
            raise TopologyError(
                "neighbours",
                f"A cell has 1 to {MOST_OFFSETS} neighbours, not {len(offsets)}.",
                "Send a list of offsets such as [[0, 1], [1, 0]].",
            )
        for index, offset in enumerate(offsets):
            if offset == (0, 0) or max(map(abs, offset)) > FARTHEST:
                raise TopologyError(
                    f"neighbours/{index}",
                    "No cell is its own neighbour."
                    if offset == (0, 0)
                    else f"An offset leads at most {FARTHEST} rows or columns away.",
                    "Send other offsets: rows down and columns to the right.",
                )
            if offsets.index(offset) != index:
                raise TopologyError(
                    f"neighbours/{index}", "The offset is there twice.", "Send it once."
                )

    @property
    def plain(self) -> bool:
        """True for the topology of an ordinary board."""
        return self == Topology()

    @property
    def mutual(self) -> bool:
        """True if every cell is a neighbour of its neighbours."""
        return self.offsets is None or {(-down, -right) for down, right in self.offsets} == set(
            self.offsets
        )

    @cached_property
    def most(self) -> int:
        """The most neighbours that a cell may have."""
        return int(self._steps.shape[1])

    @cached_property
    def _steps(self) -> NDArray[np.int64]:
        """(2, most, 3): layers, rows and columns to each neighbour, of even and of odd rows."""
        around = self.offsets or (_KNIGHT if self.shape is Shape.KNIGHT else _AROUND)
        even, odd = _HEXAGON if self.shape is Shape.HEXAGONAL else (around, around)
        flat = [[(0, *offset) for offset in offsets] for offsets in (even, odd)]
        if self.layers > 1:
            for steps, offsets in zip(flat, (even, odd), strict=True):
                steps += [(up, *offset) for up in (-1, 1) for offset in ((0, 0), *offsets)]
        return np.array(flat, np.int64)

    def check_rows(self, rows: int) -> None:
        """Reject a number of rows that cannot be split into these layers.

        Raises:
            TopologyError: ``rows`` is no multiple of the number of layers.
        """
        if rows % self.layers:
            raise TopologyError(
                "layers",
                f"{format_count(rows, 'row')} cannot be cut into "
                f"{format_count(self.layers, 'layer')}.",
                "Write the layers one below the other, all with the same number of rows.",
            )

    def list_neighbours(
        self, cells: NDArray[np.integer], shape: tuple[int, int], part_steps: int = _PART
    ) -> NDArray[np.int32]:
        """Return the neighbours of some cells, ascending, `NOBODY` in the first columns.

        Args:
            cells: numbers ``row * width + col``: (cells,).
            shape: (height, width) of the board, whose layers lie one below the other.
            part_steps: how many neighbours are worked out together; memory is in proportion.

        Returns:
            int32 of shape (cells, most).
        """
        neighbours = np.empty((cells.size, self.most), np.int32)
        # A part at a time, for what is worked out in between takes some times as much memory.
        part = max(1, part_steps // self.most)
        for start in range(0, cells.size, part):
            neighbours[start : start + part] = self._compute_neighbours(
                cells[start : start + part], shape
            )
        return neighbours

    def _compute_neighbours(
        self, cells: NDArray[np.integer], shape: tuple[int, int]
    ) -> NDArray[np.int64]:
        rows, width = shape
        height = rows // self.layers
        row, col = np.divmod(np.asarray(cells, np.int64), width)
        layer, row = np.divmod(row, height)
        steps = self._steps[row & 1]
        layer = layer[:, None] + steps[:, :, 0]
        row = row[:, None] + steps[:, :, 1]
        col = col[:, None] + steps[:, :, 2]
        if self.shape is Shape.TORUS:
            row %= height
        if self.shape in (Shape.TORUS, Shape.CYLINDER):
            col %= width
        there = (layer >= 0) & (layer < self.layers)
        there &= (row >= 0) & (row < height) & (col >= 0) & (col < width)
        neighbours = np.where(there, (layer * height + row) * width + col, NOBODY)
        neighbours[neighbours == cells[:, None]] = NOBODY
        neighbours.sort(axis=1)
        # Several steps may lead to the same cell of a small torus.
        neighbours[:, 1:][neighbours[:, 1:] == neighbours[:, :-1]] = NOBODY
        neighbours.sort(axis=1)
        return neighbours
