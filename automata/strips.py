"""Boards up to twelve cells wide: questions about them answered column by column."""

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from random import Random
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from automata import deciding, two_rows
from automata.diagram import MOST_NODES, WIDEST, Columns, Diagram
from automata.odds import EVEN, TOLD_APART, Odds
from automata.weighing import TooLong, Weighing
from minefield.board import Board
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
        self._two_rows = len(self._cells) <= 2 and mines is None
        self._weighings: dict[Odds, Weighing] = {}
        #: The machines that have run, in this order.
        self.ran: dict[str, None] = {}

    @property
    def machine(self) -> str:
        """The machines that have run, in this order, joined by ``+``.

        The verdict on a board of one row or two, without a total and without safe cells that have
        no number, is that of ``kadlac`` or ``hu-lin``. All else comes from ``strip-1``, and so on.
        """
        return "+".join(self.ran or [self._strip])

    @property
    def _strip(self) -> str:
        return f"strip-{len(self._cells)}"

    @cached_property
    def diagram(self) -> Diagram:
        """All layouts; its columns are those of the board, or its rows where it is turned."""
        self.ran[self._strip] = None
        return Diagram(
            Columns.of(np.ascontiguousarray(self._cells.T)),
            self._mines,
            check=self._check,
            most_nodes=self._most_nodes,
        )

    def consistent(self) -> bool:
        """Whether any layout fits."""
        return self._consistent

    @cached_property
    def _consistent(self) -> bool:
        if not self._two_rows:
            return not self.diagram.empty
        consistent, read = deciding.verdict(self._cells)
        self.ran[PAPERS[len(self._cells)] if read else self._strip] = None
        return consistent

    def witness(self) -> Layout | None:
        """The first layout, or None when there is none."""
        if not self.consistent():
            return None
        if not self._two_rows:
            return next(self.layouts())
        self.ran[self._strip] = None
        mines = two_rows.witness(self._cells)
        assert mines is not None, "the machines agree"
        return Layout(self._upright(mines))

    def count(self) -> int:
        """Number of layouts, exact."""
        if not self._two_rows:
            return self.diagram.count()
        return self.weighing(EVEN).whole if self.consistent() else 0

    def by_mines(self) -> dict[int, int]:
        """Number of layouts for each total of mines that some layout has, exact."""
        if not self._two_rows:
            return self.diagram.by_mines()
        return self.weighing(EVEN).by_mines() if self.consistent() else {}

    def forced(self) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Unknown cells with a mine in every layout, and in none: bool, (height, width) each.

        All false when the board is inconsistent.
        """
        if self._two_rows:
            self.ran[self._strip] = None
            mines, safe = two_rows.forced(self._cells)
            return self._upright(mines), self._upright(safe)
        mines, safe = map(self._placed, self.diagram.forced())
        return mines & self._board.unknown, safe & self._board.unknown

    def weighing(self, odds: Odds) -> Weighing:
        """What the layouts of a consistent board of one row or two weigh; no total.

        Raises:
            TooLong: it has more columns than a diagram may have nodes.
        """
        if self._cells.shape[1] > self._most_nodes:
            raise TooLong(f"strips are weighed up to {self._most_nodes} columns")
        self._check()
        self.ran[self._strip] = None
        if odds not in self._weighings:
            self._weighings[odds] = Weighing(self._cells, odds, self._check, self._most_nodes)
        return self._weighings[odds]

    def weight(self, odds: Odds) -> int | None:
        """What all layouts weigh together, exact; None: not for this width, or with a total."""
        if not self._two_rows:
            return None
        return self.weighing(odds).whole if self.consistent() else 0

    def chances(self, odds: Odds = EVEN) -> NDArray[np.float64]:
        """The chance of a mine in each cell, (height, width); NaN when inconsistent.

        The nearest doubles to the exact ratios, but never 0 or 1 unless the cell is known or
        forced.

        Raises:
            TooLong: that takes ratios with too many digits.
        """
        if not self._two_rows:
            return self._placed(self.diagram.chances(odds))
        if not self.consistent():
            return np.full(self._board.shape, np.nan)
        return self._upright(self.weighing(odds).chances)

    def alike(self, odds: Odds = EVEN) -> NDArray[np.bool_] | None:
        """The cells of which some chances may be equal as doubles only; None: there are none."""
        if not self._two_rows:
            all_alike = self.count() > TOLD_APART or odds != EVEN
            return np.ones(self._board.shape, np.bool_) if all_alike else None
        large = self.weighing(odds).large()
        return None if large is None else self._upright(np.broadcast_to(large, self._cells.shape))

    def ratios(self, places: Sequence[tuple[int, int]], odds: Odds = EVEN) -> list[tuple[int, int]]:
        """The exact chances of cells, each as a part and the whole, not in lowest terms.

        Raises:
            TooLong: they have too many digits.
        """
        turned = [(col, row) if self._turned else (row, col) for row, col in places]
        if self._two_rows:
            return self.weighing(odds).ratios(turned)
        numbers = [column * len(self._cells) + row for row, column in turned]
        asked = sorted(set(numbers))
        found = dict(zip(asked, self.diagram.ratios(asked, odds), strict=True))
        return [found[number] for number in numbers]

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

    def sample(self, random: Random, odds: Odds = EVEN) -> Layout:
        """A layout, drawn by its weight.

        Raises:
            IndexError: the board is inconsistent.
        """
        return Layout(self._placed(self.diagram.sample(random, odds)))

    def _upright(self, cells: NDArray[Any]) -> NDArray[Any]:
        """Cells with the columns upright, (breadth, length), as the board has them."""
        return cells.T if self._turned else cells

    def _placed(self, columns: NDArray[Any]) -> NDArray[Any]:
        """Cells of the word, (length, breadth), as the board has them, (height, width)."""
        return columns if self._turned else columns.T
