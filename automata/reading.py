"""The order in which the cells of a board of any topology are read.

A plane board is read along its longer side, a column after the other. Where edges are joined, the
first column has to be known still when the last one is read, unless the columns are folded: the
first, the last, the second, the last but one. So no two columns that touch are more than two apart,
and what has to be kept in mind does not grow with the length of the board: tori of a fixed
circumference are read by a finite automaton, as strips of a fixed width are.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from minecheck.automata.columns import Columns
from minecheck.automata.diagram import WIDEST
from minecheck.automata.kernels import KEY, SLOT
from minecheck.minefield.board import Board
from minecheck.minefield.topology import NOBODY, Shape
from minecheck.minefield.variant import Variant

#: The most cells, of those read so far, that may have to be kept in mind.
MOST_KEPT: Final = KEY // SLOT


class NotAStrip(ValueError):
    """A board that is too wide to be read, in any order; the message says how wide it may be."""


class Reading(ABC):
    """A board as a word of columns."""

    @property
    @abstractmethod
    def machine(self) -> str:
        """The automaton that reads so."""

    @property
    @abstractmethod
    def columns(self) -> Columns:
        """The known facts about the cells; the caller may change the arrays."""

    @abstractmethod
    def to_columns(self, cells: NDArray[Any]) -> NDArray[Any]:
        """Return cells of the board, (height, width), as they are read, (length, breadth)."""

    @abstractmethod
    def to_board(self, columns: NDArray[Any]) -> NDArray[Any]:
        """Return cells as they are read, (length, breadth), as the board has them."""

    @abstractmethod
    def number_cells(self, cells: Sequence[tuple[int, int]]) -> list[int]:
        """Return the positions, from 0, of cells (row, col) in the reading order."""


@dataclass(frozen=True)
class Straight(Reading):
    """A plane board, read along its longer side; if both are as long, from left to right."""

    board: Board

    def __post_init__(self) -> None:
        if min(self.board.shape) > WIDEST:
            raise NotAStrip(
                f"a {self.board.height}x{self.board.width} board is not a strip: "
                f"the automata read boards up to {WIDEST} cells high or wide"
            )

    @property
    def machine(self) -> str:
        """The name of the automaton, with the width of the strip."""
        return f"strip-{min(self.board.shape)}"

    @property
    def columns(self) -> Columns:
        """The columns of the board as they are read."""
        return Columns.from_cells(np.ascontiguousarray(self.to_columns(self.board.cells)))

    def to_columns(self, cells: NDArray[Any]) -> NDArray[Any]:
        """Return cells of the board with the shorter side as columns, as a view."""
        return cells if self.board.height > self.board.width else cells.T

    def to_board(self, columns: NDArray[Any]) -> NDArray[Any]:
        """Return cells as the board has them, as a view."""
        return self.to_columns(columns)

    def number_cells(self, cells: Sequence[tuple[int, int]]) -> list[int]:
        """Return the numbers of cells at (row, col) as they are read."""
        breadth = min(self.board.shape)
        if self.board.height > self.board.width:
            return [row * breadth + col for row, col in cells]
        return [col * breadth + row for row, col in cells]


@dataclass(frozen=True, eq=False)
class Ordered(Reading):
    """A board of any topology, read in some order.

    Attributes:
        board: whose clues are intervals and whose neighbours are mutual; no cell holds more mines
            than one, and no clue lies.
        order: the numbers of its cells, ``row * width + col``, as they are read; (length, breadth).
    """

    board: Variant
    order: NDArray[np.int64]

    @property
    def machine(self) -> str:
        """The name of the automaton, with the topology and the width of a column."""
        topology = self.board.topology
        name = "strip" if topology.plain else str(topology.shape)
        return f"{name}-{self.order.shape[1]}"

    @property
    def columns(self) -> Columns:
        """The columns of the board as they are read, with the clues of the variant."""
        cell_numbers = self.order.ravel()
        neighbours = self.board.topology.list_neighbours(cell_numbers, self.board.shape)
        # The number of a missing neighbour would index the last cell.
        neighbours = np.where(neighbours == NOBODY, NOBODY, self._indices[neighbours])
        neighbours[neighbours > np.arange(cell_numbers.size)[:, np.newaxis]] = NOBODY
        neighbours.sort(axis=1)
        is_used = (neighbours != NOBODY).any(axis=0)
        earlier = np.ascontiguousarray(neighbours[:, is_used], np.int32)
        columns = Columns.from_cells(self.to_columns(self.board.cells), earlier)
        largest = np.iinfo(np.int8).max
        clues = self.board.differences.values()
        for index, clue in zip(self.number_cells(list(self.board.differences)), clues, strict=True):
            cell = divmod(index, self.order.shape[1])
            columns.low[cell], columns.high[cell] = min(clue.low, largest), min(clue.high, largest)
        return columns

    @cached_property
    def _indices(self) -> NDArray[np.int64]:
        """The index of each cell in the order."""
        indices = np.empty(self.order.size, np.int64)
        indices[self.order.ravel()] = np.arange(indices.size)
        return indices

    def to_columns(self, cells: NDArray[Any]) -> NDArray[Any]:
        """Return cells of the board in the order in which they are read, as a copy."""
        return np.asarray(cells.ravel()[self.order])

    def to_board(self, columns: NDArray[Any]) -> NDArray[Any]:
        """Return cells as the board has them, as a copy."""
        return np.asarray(columns.ravel()[self._indices].reshape(self.board.shape))

    def number_cells(self, cells: Sequence[tuple[int, int]]) -> list[int]:
        """Return the numbers of cells at (row, col) as they are read."""
        width = self.board.shape[1]
        return [int(self._indices[row * width + col]) for row, col in cells]


def choose_order(board: Board | Variant) -> Reading:
    """Choose the order for which the fewest cells are kept in mind, `Straight` on the plane.

    Raises:
        NotAStrip: whatever the order, they are too many; or neighbours are not mutual.
    """
    if isinstance(board, Board):
        return Straight(board)
    if not board.topology.mutual:
        raise NotAStrip("the automata read boards where a cell is a neighbour of its neighbours")
    cells_kept, best_reading = min(
        ((reading.columns.cells_kept, reading) for reading in _iterate_orders(board)),
        key=lambda pair: pair[0],
    )
    if cells_kept > MOST_KEPT:
        raise NotAStrip(
            f"the automata keep up to {MOST_KEPT} cells in mind; this board takes more, however it "
            "is read: it is too wide"
        )
    return best_reading


def _iterate_orders(board: Variant) -> Iterator[Ordered]:
    """Yield orders along columns and rows, the longer side first; straight and folded."""
    rows, width = board.shape
    topology = board.topology
    cells = np.arange(rows * width).reshape(topology.layers, rows // topology.layers, width)
    along = cells.transpose(2, 0, 1).reshape(width, -1)
    down = cells.transpose(1, 0, 2).reshape(-1, topology.layers * width)
    for order in (down, along) if len(down) > len(along) else (along, down):
        yield Ordered(board, order)
        if topology.shape in (Shape.TORUS, Shape.CYLINDER):
            yield Ordered(board, order[_fold_length(len(order))])


def _fold_length(length: int) -> NDArray[np.int64]:
    """Return 0, the last, 1, the last but one, and so on."""
    order = np.empty(length, np.int64)
    order[::2] = np.arange((length + 1) // 2)
    order[1::2] = np.arange(length - 1, (length - 1) // 2, -1)
    return order
