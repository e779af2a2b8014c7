"""Boards up to twelve cells wide, and narrower ones with other neighbours, column by column."""

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from random import Random
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from automata import deciding, two_rows
from automata.diagram import MOST_NODES, Diagram
from automata.odds import EVEN, TOLD_APART, Odds
from automata.reading import Reading, reading
from automata.weighing import TooLong, Weighing
from minefield.board import Board
from minefield.layout import Layout
from minefield.variant import Variant

#: Boards of one row and of two are the papers'.
PAPERS: Final = {1: "kadlac", 2: "hu-lin"}


def strip(
    board: Board | Variant,
    mines: int | None = None,
    check: Callable[[], None] = lambda: None,
    most_nodes: int = MOST_NODES,
) -> "Strip":
    """The board as a word of columns, read as `automata.reading` says.

    Args:
        board: at most twelve cells high or wide; or with other neighbours, and with clues that are
            intervals.
        mines: the total of mines in the layouts asked for, or None.
        check: called now and then in long work; what it raises ends that.
        most_nodes: how large the `Diagram` may be, if one is needed.

    Raises:
        NotAStrip: it is too wide.
    """
    read = reading(board)
    if isinstance(board, Board) and min(board.shape) <= 2 and mines is None:
        return TwoRows(board, read, check, most_nodes)
    return Strip(board, read, mines, check, most_nodes)


class Strip:
    """A board read column by column.

    A flag counts as unknown. Questions take time linear in the length, but for
    those with long numbers, and with totals of mines. Methods raise `DiagramTooLarge` where
    their `Diagram` would be. Made by `strip`.
    """

    def __init__(
        self,
        board: Board | Variant,
        read: Reading,
        mines: int | None,
        check: Callable[[], None],
        most_nodes: int,
    ) -> None:
        self._board = board
        self._reading = read
        self._mines = mines
        self._check = check
        self._most_nodes = most_nodes
        #: The machines that have run, in this order.
        self.ran: dict[str, None] = {}

    @property
    def machine(self) -> str:
        """The machines that have run, in this order, joined by ``+``."""
        return "+".join(self.ran or [self._reading.machine])

    @cached_property
    def diagram(self) -> Diagram:
        """All layouts; its columns are those of the reading."""
        self.ran[self._reading.machine] = None
        return Diagram(
            self._reading.columns, self._mines, check=self._check, most_nodes=self._most_nodes
        )

    def consistent(self) -> bool:
        """Whether any layout fits."""
        return not self.diagram.empty

    def witness(self) -> Layout | None:
        """The first layout, or None when there is none."""
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
        mines, safe = map(self._reading.placed, self.diagram.forced())
        return mines & self._board.unknown, safe & self._board.unknown

    def weight(self, odds: Odds) -> int | None:
        """What all layouts weigh together, exact; None: that is not told of this board."""
        return None

    def chances(self, odds: Odds = EVEN) -> NDArray[np.float64]:
        """The chance of a mine in each cell, (height, width); NaN when inconsistent.

        The nearest doubles to the exact ratios, but never 0 or 1 unless the cell is known or
        forced.

        Raises:
            TooLong: that takes ratios with too many digits.
        """
        return self._reading.placed(self.diagram.chances(odds))

    def alike(self, odds: Odds = EVEN) -> NDArray[np.bool_] | None:
        """The cells of which some chances may be equal as doubles only; None: there are none."""
        if self.count() <= TOLD_APART and odds == EVEN:
            return None
        return np.ones(self._board.shape, np.bool_)

    def ratios(self, places: Sequence[tuple[int, int]], odds: Odds = EVEN) -> list[tuple[int, int]]:
        """The exact chances of cells, each as a part and the whole, not in lowest terms.

        Raises:
            TooLong: they have too many digits.
        """
        numbers = self._reading.numbers(places)
        asked = sorted(set(numbers))
        found = dict(zip(asked, self.diagram.ratios(asked, odds), strict=True))
        return [found[number] for number in numbers]

    def layouts(self, offset: int = 0) -> Iterator[Layout]:
        """Every layout once, from rank ``offset`` on.

        The order is lexicographic, safe before mine, with the cells as they are read: on a plane
        board column by column from top to bottom, or row by row from left to right if it is higher
        than wide.

        Raises:
            ValueError: ``offset`` is negative.
        """
        return (Layout(self._reading.placed(mines)) for mines in self.diagram.layouts(offset))

    def layout(self, rank: int) -> Layout:
        """The layout number ``rank``, from 0, in the order of `layouts`.

        Raises:
            IndexError: there are not so many layouts.
        """
        return Layout(self._reading.placed(self.diagram.layout(rank)))

    def rank(self, layout: Layout) -> int:
        """How many layouts stand before ``layout``.

        Raises:
            ValueError: it does not fit the board.
        """
        if layout.mines.shape != self._board.shape or not self._fits(layout):
            raise ValueError("the layout does not fit the board")
        return self.diagram.rank(self._reading.along(layout.mines))

    def _fits(self, layout: Layout) -> bool:
        if isinstance(self._board, Board):
            return layout.fits(self._board, self._mines)
        wrong = self._board.contradictions(layout.mines)
        return not wrong and self._mines in (None, layout.total)

    def sample(self, random: Random, odds: Odds = EVEN) -> Layout:
        """A layout, drawn by its weight.

        Raises:
            IndexError: the board is inconsistent.
        """
        return Layout(self._reading.placed(self.diagram.sample(random, odds)))


class TwoRows(Strip):
    """A plane board of one row or two, or so many columns, without a total.

    Loops of their own answer most questions, without a `Diagram`. The verdict on a board without
    safe cells that have no number is that of ``kadlac`` or ``hu-lin``. All else comes from
    ``strip-1`` and ``strip-2``.
    """

    def __init__(
        self, board: Board, read: Reading, check: Callable[[], None], most_nodes: int
    ) -> None:
        super().__init__(board, read, None, check, most_nodes)
        #: With the columns upright, (1 or 2, length).
        self._cells = np.ascontiguousarray(read.along(board.cells).T)
        self._weighings: dict[Odds, Weighing] = {}

    def consistent(self) -> bool:
        return self._consistent

    @cached_property
    def _consistent(self) -> bool:
        consistent, read = deciding.verdict(self._cells)
        self.ran[PAPERS[len(self._cells)] if read else self._reading.machine] = None
        return consistent

    def witness(self) -> Layout | None:
        if not self.consistent():
            return None
        self.ran[self._reading.machine] = None
        mines = two_rows.witness(self._cells)
        assert mines is not None, "the machines agree"
        return Layout(self._upright(mines))

    def count(self) -> int:
        return self.weighing(EVEN).whole if self.consistent() else 0

    def by_mines(self) -> dict[int, int]:
        return self.weighing(EVEN).by_mines() if self.consistent() else {}

    def forced(self) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        self.ran[self._reading.machine] = None
        mines, safe = two_rows.forced(self._cells)
        return self._upright(mines), self._upright(safe)

    def weighing(self, odds: Odds) -> Weighing:
        """What the layouts of a consistent board weigh.

        Raises:
            TooLong: it has more columns than a diagram may have nodes.
        """
        if self._cells.shape[1] > self._most_nodes:
            raise TooLong(f"strips are weighed up to {self._most_nodes} columns")
        self._check()
        self.ran[self._reading.machine] = None
        if odds not in self._weighings:
            self._weighings[odds] = Weighing(self._cells, odds, self._check, self._most_nodes)
        return self._weighings[odds]

    def weight(self, odds: Odds) -> int | None:
        return self.weighing(odds).whole if self.consistent() else 0

    def chances(self, odds: Odds = EVEN) -> NDArray[np.float64]:
        if not self.consistent():
            return np.full(self._board.shape, np.nan)
        return self._upright(self.weighing(odds).chances)

    def alike(self, odds: Odds = EVEN) -> NDArray[np.bool_] | None:
        large = self.weighing(odds).large()
        return None if large is None else self._upright(np.broadcast_to(large, self._cells.shape))

    def ratios(self, places: Sequence[tuple[int, int]], odds: Odds = EVEN) -> list[tuple[int, int]]:
        breadth = len(self._cells)
        numbers = self._reading.numbers(places)
        return self.weighing(odds).ratios([divmod(number, breadth)[::-1] for number in numbers])

    def _upright(self, cells: NDArray[Any]) -> NDArray[Any]:
        """Cells with the columns upright, (1 or 2, length), as the board has them."""
        return self._reading.placed(cells.T)
