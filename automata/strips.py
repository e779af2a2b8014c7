"""Boards up to twelve cells wide, and narrower ones with other neighbours, column by column."""

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from random import Random
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from minecheck.automata import deciding, two_rows
from minecheck.automata.diagram import MOST_NODES, Diagram
from minecheck.automata.odds import EVEN, MOST_DISTINCT, Odds
from minecheck.automata.reading import Reading, choose_order
from minecheck.automata.weighing import TooLong, Weighing
from minecheck.minefield.board import Board
from minecheck.minefield.layout import Layout
from minecheck.minefield.variant import Variant

#: Boards of one row and of two are the papers'.
PAPERS: Final = {1: "kadlac", 2: "hu-lin"}


def make_strip(
    board: Board | Variant,
    mines: int | None = None,
    check: Callable[[], None] = lambda: None,
    most_nodes: int = MOST_NODES,
) -> "Strip":
    """Make a word of columns of a board, read as `automata.reading` says.

    Args:
        board: at most twelve cells high or wide; or with other neighbours, and with clues that are
            intervals.
        mines: the total of mines in the layouts, or None for any.
        check: called now and then in long work; what it raises ends that.
        most_nodes: how large the `Diagram` may be, if one is needed.

    Raises:
        NotAStrip: it is too wide.
    """
    reading = choose_order(board)
    if isinstance(board, Board) and min(board.shape) <= 2 and mines is None:
        return TwoRows(board, reading, check, most_nodes)
    return Strip(board, reading, mines, check, most_nodes)


class Strip:
    """A board read column by column.

    A flag counts as unknown. Questions take time linear in the length, but for
    those with long numbers, and with totals of mines. Methods raise `DiagramTooLarge` where
    their `Diagram` would be. Made by `make_strip`.
    """

    def __init__(
        self,
        board: Board | Variant,
        reading: Reading,
        mines: int | None,
        check: Callable[[], None],
        most_nodes: int,
    ) -> None:
        self._board = board
        self._reading = reading
        self._mines = mines
        self._check = check
        self._most_nodes = most_nodes
        #: The machines that have run, in this order.
        self.ran: dict[str, None] = {}

    @property
    def machines(self) -> tuple[str, ...]:
        """The machines that have run, in this order."""
        return tuple(self.ran) or (self._reading.machine,)

    @cached_property
    def diagram(self) -> Diagram:
        """All layouts; its columns are those of the reading."""
        self.ran[self._reading.machine] = None
        return Diagram(
            self._reading.columns, self._mines, check=self._check, most_nodes=self._most_nodes
        )

    def is_consistent(self) -> bool:
        """Return True if any layout fits."""
        return not self.diagram.empty

    def find_witness(self) -> Layout | None:
        """Return the first layout, or None when there is none."""
        return next(self.iterate_layouts(), None)

    def count(self) -> int:
        """Count the layouts, exactly."""
        return self.diagram.count()

    def by_mines(self) -> dict[int, int]:
        """Count the layouts for each total of mines that some layout has, exactly."""
        return self.diagram.by_mines()

    def find_forced(self) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Return the unknown cells with a mine in every layout, and in none: bool, (height, width).

        All false when the board is inconsistent.
        """
        mines, safe = map(self._reading.to_board, self.diagram.find_forced())
        return mines & self._board.unknown, safe & self._board.unknown

    def weigh_all(self, odds: Odds) -> int | None:
        """Return the exact weight of all layouts, None if it is not available for this board."""
        return None

    def compute_chances(self, odds: Odds = EVEN) -> NDArray[np.float64]:
        """Return the chance of a mine in each cell, (height, width); NaN when inconsistent.

        Chances are the nearest doubles to the exact ratios, but never 0 or 1 unless the cell is
        known or forced.

        Raises:
            TooLong: that takes ratios with too many digits.
        """
        return self._reading.to_board(self.diagram.compute_chances(odds))

    def find_alike(self, odds: Odds = EVEN) -> NDArray[np.bool_] | None:
        """Return the cells of which some chances may be equal as doubles only; None without any."""
        if self.count() <= MOST_DISTINCT and odds == EVEN:
            return None
        return np.ones(self._board.shape, np.bool_)

    def compute_ratios(
        self, cells: Sequence[tuple[int, int]], odds: Odds = EVEN
    ) -> list[tuple[int, int]]:
        """Return the exact chances of cells, each as a part and the whole, not in lowest terms.

        Args:
            cells: (row, col) of the cells.
            odds: the weights of mines and safe cells.

        Raises:
            TooLong: they have too many digits.
        """
        indices = self._reading.number_cells(cells)
        distinct = sorted(set(indices))
        ratio_of = dict(zip(distinct, self.diagram.compute_ratios(distinct, odds), strict=True))
        return [ratio_of[index] for index in indices]

    def iterate_layouts(self, offset: int = 0) -> Iterator[Layout]:
        """Yield every layout once, from rank ``offset`` on.

        The order is lexicographic, safe before mine, with the cells as they are read: on a plane
        board column by column from top to bottom, or row by row from left to right if it is higher
        than wide.

        Raises:
            ValueError: ``offset`` is negative.
        """
        return (
            Layout(self._reading.to_board(mines)) for mines in self.diagram.iterate_layouts(offset)
        )

    def unrank(self, rank: int) -> Layout:
        """Return the layout number ``rank``, from 0, in the order of `iterate_layouts`.

        Raises:
            IndexError: there are not so many layouts.
        """
        return Layout(self._reading.to_board(self.diagram.unrank(rank)))

    def rank(self, layout: Layout) -> int:
        """Return the number of layouts before ``layout``.

        Raises:
            ValueError: it does not fit the board.
        """
        if layout.mines.shape != self._board.shape or not self._fits_layout(layout):
            raise ValueError("the layout does not fit the board")
        return self.diagram.rank(self._reading.to_columns(layout.mines))

    def _fits_layout(self, layout: Layout) -> bool:
        if isinstance(self._board, Board):
            return layout.fits_board(self._board, self._mines)
        wrong = self._board.list_contradictions(layout.mines)
        return not wrong and self._mines in (None, layout.total)

    def sample(self, random: Random, odds: Odds = EVEN) -> Layout:
        """Draw a layout by its weight.

        Args:
            random: the source of random numbers.
            odds: the weights of mines and safe cells.

        Raises:
            IndexError: the board is inconsistent.
        """
        return Layout(self._reading.to_board(self.diagram.sample(random, odds)))


class TwoRows(Strip):
    """A plane board with one or two rows, or with one or two columns, without a total.

    Loops of their own answer most questions, without a `Diagram`. The verdict on a board without
    safe cells that have no number is that of ``kadlac`` or ``hu-lin``. All else comes from
    ``strip-1`` and ``strip-2``.
    """

    def __init__(
        self, board: Board, reading: Reading, check: Callable[[], None], most_nodes: int
    ) -> None:
        super().__init__(board, reading, None, check, most_nodes)
        #: Cells with upright columns, (1 or 2, length).
        self._cells = np.ascontiguousarray(reading.to_columns(board.cells).T)
        self._weighings: dict[Odds, Weighing] = {}

    def is_consistent(self) -> bool:
        """Return whether there is a layout, which a machine has decided."""
        return self._consistent

    @cached_property
    def _consistent(self) -> bool:
        consistent, is_decided_by_paper = deciding.decide_strip(self._cells)
        self.ran[PAPERS[len(self._cells)] if is_decided_by_paper else self._reading.machine] = None
        return consistent

    def find_witness(self) -> Layout | None:
        """Return the first layout, or None when there is none."""
        if not self.is_consistent():
            return None
        self.ran[self._reading.machine] = None
        mines = two_rows.find_witness(self._cells)
        assert mines is not None, "the machines agree"
        return Layout(self._to_upright(mines))

    def count(self) -> int:
        """Count the layouts, exactly."""
        return self.weigh_layouts(EVEN).whole if self.is_consistent() else 0

    def by_mines(self) -> dict[int, int]:
        """Count the layouts for each total of mines that some layout has, exactly."""
        return self.weigh_layouts(EVEN).by_mines() if self.is_consistent() else {}

    def find_forced(self) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Return the unknown cells with a mine in every layout, and in none: (height, width)."""
        self.ran[self._reading.machine] = None
        mines, safe = two_rows.find_forced(self._cells)
        return self._to_upright(mines), self._to_upright(safe)

    def weigh_layouts(self, odds: Odds) -> Weighing:
        """Return the weights of the layouts of a consistent board.

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

    def weigh_all(self, odds: Odds) -> int | None:
        """Return the weight of all layouts together."""
        return self.weigh_layouts(odds).whole if self.is_consistent() else 0

    def compute_chances(self, odds: Odds = EVEN) -> NDArray[np.float64]:
        """Return the chance of a mine in each cell, (height, width); NaN when inconsistent."""
        if not self.is_consistent():
            return np.full(self._board.shape, np.nan)
        return self._to_upright(self.weigh_layouts(odds).chances)

    def find_alike(self, odds: Odds = EVEN) -> NDArray[np.bool_] | None:
        """Return the cells of which some chances may be equal as doubles only; None without any."""
        large = self.weigh_layouts(odds).find_large()
        return (
            None if large is None else self._to_upright(np.broadcast_to(large, self._cells.shape))
        )

    def compute_ratios(
        self, cells: Sequence[tuple[int, int]], odds: Odds = EVEN
    ) -> list[tuple[int, int]]:
        """Return the exact chances of cells, each as a part and the whole, not in lowest terms.

        Args:
            cells: (row, col) of the cells.
            odds: the weights of mines and safe cells.

        Raises:
            TooLong: they have too many digits.
        """
        breadth = len(self._cells)
        indices = self._reading.number_cells(cells)
        return self.weigh_layouts(odds).compute_ratios(
            [divmod(index, breadth)[::-1] for index in indices]
        )

    def _to_upright(self, cells: NDArray[Any]) -> NDArray[Any]:
        """Return cells with columns upright, (1 or 2, length), as the board has them."""
        return self._reading.to_board(cells.T)
