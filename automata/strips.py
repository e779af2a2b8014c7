"""Boards up to twelve cells wide: questions about them answered column by column."""

from collections.abc import Callable, Iterator
from functools import cached_property
from random import Random
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from automata import deciding, narrow
from automata.diagram import MOST_NODES, WIDEST, Columns, Diagram
from minefield.board import SAFE, Board
from minefield.layout import Layout

#: Boards of one row and of two are the papers'.
PAPERS: Final = {1: "kadlac", 2: "hu-lin"}


class NotAStrip(ValueError):
    """A board that is too wide both ways; the message says how wide a strip may be."""


def strip(
    board: Board,
    mines: int | None = None,
    check: Callable[[], None] = lambda: None,
    most_nodes: int = MOST_NODES,
) -> "Strip":
    """The board as a word of columns, read along its longer side.

    Args:
        board: at most twelve cells high or wide.
        mines: the total of mines in the layouts asked for, or None.
        check: called now and then in long work; what it raises ends that.
        most_nodes: how large the `Diagram` may be, if one is needed.

    Raises:
        NotAStrip: both sides are longer than twelve.
    """
    breadth = min(board.shape)
    if breadth > WIDEST:
        raise NotAStrip(
            f"a {board.height}x{board.width} board is not a strip: "
            f"the automata read boards up to {WIDEST} cells high or wide"
        )
    return Strip(board, mines, check, most_nodes)


class Strip:
    """A board read column by column, or row by row where it is higher than wide.

    A flag counts as unknown. Questions take time linear in the length, but for
    those with long numbers, and with totals of mines. Methods that need a `Diagram` raise
    `DiagramTooLarge` where it would be. Made by `strip`.
    """

    def __init__(
        self,
        board: Board,
        mines: int | None,
        check: Callable[[], None],
        most_nodes: int,
    ) -> None:
        self._board = board
        self._mines = mines
        self._check = check
        self._most_nodes = most_nodes
        self._turned = board.height > board.width
        #: The cells with the columns upright, (breadth, length).
        self._cells = board.turned().cells if self._turned else board.cells
        # Without a total there are loops for one and two rows that need no diagram.
        self._narrow = len(self._cells) <= 2 and mines is None

    @property
    def machine(self) -> str:
        """The machine that decides the board: ``kadlac``, ``hu-lin``, or ``strip-`` and its width.

        The papers' machines know neither safe cells without a number nor totals.
        """
        breadth = len(self._cells)
        if self._narrow and not (self._cells == SAFE).any():
            return PAPERS[breadth]
        return f"strip-{breadth}"

    @cached_property
    def diagram(self) -> Diagram:
        """All layouts; its columns are those of the board, or its rows where it is turned."""
        return Diagram(
            Columns.of(np.ascontiguousarray(self._cells.T)),
            self._mines,
            check=self._check,
            most_nodes=self._most_nodes,
        )

    def consistent(self) -> bool:
        """Whether any layout fits."""
        return deciding.consistent(self._cells) if self._narrow else not self.diagram.empty

    def witness(self) -> Layout | None:
        """The first layout, or None when there is none."""
        if self._narrow:
            mines = narrow.witness(self._cells)
            return None if mines is None else Layout(mines.T if self._turned else mines)
        return next(self.layouts(), None)

    def count(self) -> int:
        """Number of layouts, exact."""
        return self.diagram.count()

    def by_mines(self) -> dict[int, int]:
        """Number of layouts for each total of mines that some layout has, exact."""
        return self.diagram.by_mines()

    def forced(self) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Unknown cells with a mine in every layout, and in none: bool, (height, width) each.

        All false when the board is inconsistent.
        """
        if self._narrow:
            mines, safe = narrow.forced(self._cells)
            return (mines.T, safe.T) if self._turned else (mines, safe)
        mines, safe = map(self._placed, self.diagram.forced())
        return mines & self._board.unknown, safe & self._board.unknown

    def probabilities(self, log_odds: float = 0.0) -> NDArray[np.float64]:
        """The chance of a mine in each cell, (height, width); NaN when inconsistent.

        Floats, but for forced cells, which are exactly 0 or 1. A layout of k
        mines weighs exp(``log_odds`` * k).
        """
        if self._narrow:
            chances = narrow.probabilities(self._cells, log_odds)
            return chances.T if self._turned else chances
        return self._placed(self.diagram.probabilities(log_odds))

    def layouts(self, offset: int = 0) -> Iterator[Layout]:
        """Every layout once, from rank ``offset`` on.

        The order is lexicographic, safe before mine, with the cells taken
        column by column from top to bottom (where the board is turned, row by
        row from left to right). A board as high as wide is not turned.

        Raises:
            ValueError: ``offset`` is negative.
        """
        return (Layout(self._placed(mines)) for mines in self.diagram.layouts(offset))

    def layout(self, rank: int) -> Layout:
        """The layout number ``rank``, from 0, in the order of `layouts`.

        Raises:
            IndexError: there are not so many layouts.
        """
        return Layout(self._placed(self.diagram.layout(rank)))

    def rank(self, layout: Layout) -> int:
        """How many layouts stand before ``layout``.

        Raises:
            ValueError: it does not fit the board.
        """
        if layout.mines.shape != self._board.shape or not layout.fits(self._board, self._mines):
            raise ValueError("the layout does not fit the board")
        return self.diagram.rank(layout.mines if self._turned else layout.mines.T)

    def sample(self, random: Random) -> Layout:
        """A layout, each with the same chance.

        Raises:
            IndexError: the board is inconsistent.
        """
        return Layout(self._placed(self.diagram.sample(random)))

    def _placed(self, columns: NDArray[Any]) -> NDArray[Any]:
        """Cells of the word, (length, breadth), as the board has them, (height, width)."""
        return columns if self._turned else columns.T
