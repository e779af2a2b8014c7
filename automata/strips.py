"""Boards one or two cells wide: questions about them answered in linear time."""

from collections.abc import Iterator
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from automata import hu_lin, kadlac
from automata.runs import Runs, accepts
from minefield.board import SAFE, UNKNOWN, Board, coordinates
from minefield.layout import Layout
from minefield.notation import draw


class NotAStrip(ValueError):
    """A board that no machine here takes; the message says why."""


def strip(board: Board) -> "Strip":
    """The board as a word for Kadlac's machine (1xn, nx1) or Hu and Lin's (2xn, nx2).

    Raises:
        NotAStrip: both sides are longer than two, or a cell is `SAFE`, which
            neither paper has a symbol for.
    """
    breadth = min(board.shape)
    if breadth > 2:
        raise NotAStrip(
            f"a {board.height}x{board.width} board is not a strip: "
            "the machines take 1xn, nx1, 2xn and nx2"
        )
    safe = coordinates(board.cells == SAFE)
    if safe:
        row, col = safe[0]
        raise NotAStrip(
            f"the cell at row {row}, column {col} is safe with its number not known, "
            "which is in the alphabet of neither machine"
        )
    return Strip(board, turned=breadth < board.height)


class Strip:
    """A board of one or two rows, or with ``turned`` of one or two columns, read as a word.

    A flag counts as unknown. Questions take time linear in the length, but for
    `count`, whose numbers grow with it. Made by `strip`.

    Attributes:
        machine: which machine reads it.
    """

    machine: Literal["kadlac", "hu-lin"]

    def __init__(self, board: Board, turned: bool) -> None:
        cells = np.where(board.unknown, np.int8(UNKNOWN), board.cells)
        cells = cells.T if turned else cells
        self._board = board
        self._turned = turned
        # Both cells of a column see the same columns, so each may be swapped by itself.
        self._swapped: NDArray[np.bool_] = cells[0] > cells[-1]
        rows = draw(Board(np.sort(cells, axis=0)))
        self._word = ["".join(column) for column in zip(*rows, strict=True)]
        self.machine = "kadlac" if len(cells) == 1 else "hu-lin"

    def consistent(self) -> bool:
        """Whether any layout fits."""
        deciding = kadlac.deciding() if self.machine == "kadlac" else hu_lin.machine()
        return accepts(deciding, self._word)

    def witness(self) -> Layout | None:
        """The first layout, or None when there is none."""
        return next(self.layouts(), None)

    def count(self) -> int:
        """Number of layouts, exact."""
        return self._runs.count()

    def forced(self) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Unknown cells with a mine in every layout, and in none: bool, (height, width) each.

        All false when the board is inconsistent.
        """
        mines, safe = map(self._restored, self._runs.forced())
        return mines & self._board.unknown, safe & self._board.unknown

    def layouts(self, offset: int = 0) -> Iterator[Layout]:
        """Every layout once, from rank ``offset`` on.

        The order is lexicographic, safe before mine, with the cells taken
        column by column from top to bottom (turned: row by row from left to
        right). A board as high as wide is not turned.

        Raises:
            ValueError: ``offset`` is negative.
        """
        if offset < 0:
            raise ValueError(f"layouts are ranked from 0: there is no rank {offset}")
        return (Layout(self._restored(columns)) for columns in self._runs.layouts(offset))

    @cached_property
    def _runs(self) -> Runs:
        machine = kadlac.guessing() if self.machine == "kadlac" else hu_lin.machine()
        return Runs(machine, self._word)

    def _restored(self, columns: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Columns of the word, (length, rows), as the board has them, (height, width)."""
        cells = np.where(self._swapped[:, np.newaxis], columns[:, ::-1], columns)
        return cells if self._turned else cells.T
