"""Strips cut out of a larger board: what the clues in a window say about the window.

A clue at the edge of the window also sees cells outside. Mines known there
lower its number; unknown cells there make it an interval, from what is left if
all of them are mines to what is left if none is. Intervals alone would allow
too much, for two clues may see the same unknown cell. So those cells are read
along with the strip, as cells that are no part of a layout: a layout of the
window fits if some way to fill them makes every clue in it right.

Source: the feature that the student project on Hu and Lin's automaton set out
to build; its figures 3 and 4 are the cases it left unsolved.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise, product
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from minecheck.automata.columns import Columns
from minecheck.automata.diagram import MOST_NODES, WIDEST, Diagram
from minecheck.automata.outside import Beyond, Outside
from minecheck.automata.profiles import CELLS
from minecheck.automata.strips import PAPERS
from minecheck.minefield.board import MINE, SAFE, UNKNOWN, Board, format_symbol_rows
from minecheck.minefield.errors import FixableError
from minecheck.minefield.layout import Layout
from minecheck.minefield.numerals import format_count

#: In a column of a window: a clue with more known mines around it outside than it says. It is in
#: the alphabet of no machine, so that every run ends there.
OVERFULL: Final = "!"

#: The symbols of cell codes; an index of -1 takes the last.
_SYMBOLS: Final = np.frombuffer((CELLS + OVERFULL).encode(), np.uint8)

#: Steps from a cell to its neighbours, in reading order, (8, 2).
_STEPS: Final = np.array([step for step in product((-1, 0, 1), repeat=2) if any(step)])


@dataclass(eq=False, repr=False)
class WindowError(FixableError):
    """A window that cannot be cut; ``field`` is the one of its fields to fix."""

    field: str
    detail: str
    fix: str


@dataclass(frozen=True, slots=True)
class Window:
    """A rectangle of cells: its upper left corner, zero-based, and its size."""

    row: int
    col: int
    rows: int
    cols: int

    @property
    def row_slice(self) -> slice:
        """Its rows on the board."""
        return slice(self.row, self.row + self.rows)

    @property
    def col_slice(self) -> slice:
        """Its columns on the board."""
        return slice(self.col, self.col + self.cols)

    def __contains__(self, cell: tuple[int, int]) -> bool:
        row, col = cell
        return 0 <= row - self.row < self.rows and 0 <= col - self.col < self.cols


@dataclass(frozen=True, slots=True)
class Loosened:
    """A clue in the window that unknown cells outside may satisfy in part.

    Attributes:
        row, col: where it stands on the board.
        number: what it says.
        low, high: fewest and most mines that it leaves for its neighbours in
            the window.
    """

    row: int
    col: int
    number: int
    low: int
    high: int


def cut_window(
    board: Board,
    window: Window,
    check: Callable[[], None] = lambda: None,
    most_nodes: int = MOST_NODES,
) -> "Cut":
    """Cut the strip in a window out of a board.

    Args:
        board: the board.
        window: where the strip lies.
        check: a function called now and then in long work; what it raises ends that.
        most_nodes: how large the `Diagram` may be.

    Raises:
        WindowError: the window is not on the board, or too wide.
    """
    for field, board_side, start, length in (
        ("row", board.height, window.row, window.rows),
        ("col", board.width, window.col, window.cols),
    ):
        side, noun = ("rows", "row") if field == "row" else ("cols", "column")
        if not 0 <= start < board_side:
            raise WindowError(
                field,
                f"The window begins at {noun} {start}, which is not on the board.",
                f"Send a {noun} from 0 to {board_side - 1}.",
            )
        if not 1 <= length <= board_side - start:
            raise WindowError(
                side,
                f"The window has {format_count(length, noun)}, but from {noun} {start} on the "
                f"board has only {board_side - start}.",
                f"Send at most {format_count(board_side - start, noun)}.",
            )
    return Cut(board, window, check, most_nodes)


class Cut:
    """The cells in a window and what its clues say about them. Made by `cut_window`.

    Arrays have the shape of the window, (height, width). Flags count as
    unknown, inside and outside. What the clues outside say is not looked at.
    """

    def __init__(
        self,
        board: Board,
        window: Window,
        check: Callable[[], None],
        most_nodes: int,
    ) -> None:
        self.window = window
        self._check = check
        self._most_nodes = most_nodes
        # No clue sees further than one cell.
        top_row, left_col = max(0, window.row - 1), max(0, window.col - 1)
        rows = slice(window.row - top_row, window.row - top_row + window.rows)
        cols = slice(window.col - left_col, window.col - left_col + window.cols)
        board = Board(
            board.cells[
                top_row : window.row + window.rows + 1, left_col : window.col + window.cols + 1
            ]
        )
        self._cells = board.cells[rows, cols]
        outside = np.ones(board.shape, np.bool_)
        outside[rows, cols] = False
        clues = ~outside & (board.cells < UNKNOWN)
        self.unknown = board.unknown[rows, cols]
        self._clues = clues[rows, cols]
        mines = _count_around(outside & (board.cells == MINE))[rows, cols]
        #: Cells outside that a clue inside sees and that may be mines.
        hidden = outside & board.unknown & (_count_around(clues) > 0)
        self._open = _count_around(hidden)[rows, cols]
        #: The mines that each clue still needs among the cells outside that may be mines.
        self._needs = np.where(self._clues, self._cells - mines, 0).astype(np.int8)
        # The ring of cells around the window is only kept where it is needed.
        needed_cells = np.argwhere(~outside | hidden)
        (first_row, first_col), (last_row, last_col) = (
            needed_cells.min(axis=0),
            needed_cells.max(axis=0),
        )
        frame = (slice(first_row, last_row + 1), slice(first_col, last_col + 1))
        self._hidden = hidden[frame]
        #: What is read, on the board: the window and the unknown cells outside that its clues see.
        self.frame = Window(
            top_row + int(first_row),
            left_col + int(first_col),
            rows=int(last_row - first_row) + 1,
            cols=int(last_col - first_col) + 1,
        )
        self._inner = (
            slice(rows.start - first_row, rows.stop - first_row),
            slice(cols.start - first_col, cols.stop - first_col),
        )
        self._turned = window.rows > window.cols
        breadth = self._hidden.shape[1 if self._turned else 0]
        if breadth > WIDEST:
            raise WindowError(
                "cols" if self._turned else "rows",
                f"With the unknown cells that its clues see, the window is {breadth} cells across.",
                f"At most {WIDEST} can be read: choose a narrower window.",
            )

    @property
    def machine(self) -> str:
        """The automaton: ``strip-`` and how many cells across it reads, hidden ones included."""
        return f"strip-{self._hidden.shape[1 if self._turned else 0]}"

    @property
    def machines(self) -> list[str]:
        """The automata that read `symbols`, the plainest first."""
        # The papers' machines know neither safe cells without a number nor clues beyond help.
        are_papers_able = {"S", OVERFULL}.isdisjoint("".join(self.symbols))
        return [
            name
            for side in sorted({self.frame.rows, self.frame.cols})
            for name in ([PAPERS[side]] if are_papers_able and side in PAPERS else [])
            + [f"strip-{side}"]
            if side <= WIDEST
        ]

    @property
    def symbols(self) -> list[str]:
        """The rows of `frame` as automata read them: a board of its own, without what is around it.

        A clue is what it leaves for cells not known to be mines outside, or
        `OVERFULL`. Cells outside are ``?`` if a clue sees them and may be mines, else ``S``.
        """
        return format_symbol_rows(_SYMBOLS[np.maximum(self._read, -1)])

    @property
    def loosened(self) -> list[Loosened]:
        """The clues in the window that unknown cells outside make intervals, in reading order."""
        rows, cols = np.nonzero(self._clues & (self._open > 0) & (self._needs > 0))
        return [
            Loosened(
                self.window.row + row,
                self.window.col + col,
                number=int(self._cells[row, col]),
                low=max(0, int(self._needs[row, col] - self._open[row, col])),
                high=int(self._needs[row, col]),
            )
            for row, col in zip(rows.tolist(), cols.tolist(), strict=True)
        ]

    @cached_property
    def _read(self) -> NDArray[np.int8]:
        """The cells of `frame`, (height, width): clues as in `symbols`, too full ones negative."""
        cells = np.where(self._hidden, np.int8(UNKNOWN), np.int8(SAFE))
        inside = np.where(self.unknown, np.int8(UNKNOWN), self._cells)
        cells[self._inner] = np.where(self._clues, self._needs, inside)
        return cells

    @cached_property
    def diagram(self) -> Diagram:
        """All layouts of the window, as paths over it and the cells outside that it needs."""
        columns = Columns.from_cells(self._to_word(self._read))
        columns.hidden[:] = self._to_word(self._hidden)
        return Diagram(columns, check=self._check, most_nodes=self._most_nodes)

    def is_consistent(self) -> bool:
        """Return True if the clues in the window can hold together."""
        return not self.diagram.empty

    def count(self) -> int:
        """Count the layouts of the window that fit, exactly: not the ways to fill the outside."""
        return self.diagram.count()

    def find_forced(self) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Return unknown cells with a mine in every layout, and in none.

        Both are all false when the window is inconsistent.
        """
        mines, safe = map(self._to_window, self.diagram.find_forced())
        return mines & self.unknown, safe & self.unknown

    def find_outside(self) -> Outside | None:
        """Return the conditions on unknown cells outside that clues see, None if inconsistent."""
        if not self._hidden.any():
            return Outside((), (), ()) if self.is_consistent() else None
        columns = Columns.from_cells(self._to_word(self._read))
        filled = Diagram(columns, check=self._check, most_nodes=self._most_nodes)
        if filled.empty:
            return None
        mines, safe = (self._to_word(cells) & self._hidden for cells in filled.find_forced())
        return Outside(
            self._list_board_cells(mines), self._list_board_cells(safe), self._list_beyond(filled)
        )

    def _list_beyond(self, filled: Diagram) -> tuple[Beyond, ...]:
        """Return for each clue that sees unknown cells outside the numbers of mines among these."""
        clues = np.zeros_like(self._hidden)
        clues[self._inner] = self._clues & (self._open > 0)
        clue_cells = np.argwhere(clues)
        # A margin of cells that are not hidden keeps neighbours on the frame.
        hidden = np.pad(self._hidden, 1)
        # The diagram has its cells in the order of the word, people read along rows.
        steps = _STEPS if self._turned else _STEPS[:, ::-1]
        in_word = clue_cells[:, np.newaxis] + steps
        is_seen = hidden[in_word[..., 0] + 1, in_word[..., 1] + 1]
        rows, cols = in_word[is_seen].T
        cell_indices = (
            rows * filled.breadth + cols if self._turned else cols * filled.breadth + rows
        )
        ends = np.append(0, is_seen.sum(axis=1).cumsum())
        bounds = filled.bound_mines_among(cell_indices, ends).tolist()
        nearby = clue_cells[:, np.newaxis] + _STEPS
        corner = (self.frame.row, self.frame.col)
        outside = (nearby[hidden[nearby[..., 0] + 1, nearby[..., 1] + 1]] + corner).tolist()
        cells = list(map(tuple, outside))
        return tuple(
            Beyond(row, col, tuple(cells[begin:end]), low, high)
            for (row, col), (low, high), (begin, end) in zip(
                np.add(clue_cells, corner).tolist(), bounds, pairwise(ends.tolist()), strict=True
            )
        )

    def _list_board_cells(self, cells: NDArray[np.bool_]) -> tuple[tuple[int, int], ...]:
        """Return the true cells of `frame`, as cells of the board."""
        on_board = np.add(np.argwhere(cells), (self.frame.row, self.frame.col))
        return tuple((row, col) for row, col in on_board.tolist())

    def compute_chances(self) -> NDArray[np.float64]:
        """Return for each cell the share of layouts with a mine there; NaN when inconsistent.

        The nearest doubles to the exact ratios, but never 0 or 1 unless a cell is known or forced.
        """
        return self._to_window(self.diagram.compute_chances())

    def iterate_layouts(self, offset: int = 0) -> Iterator[NDArray[np.bool_]]:
        """Yield the layouts of the window from rank ``offset`` on, as `Strip.iterate_layouts` does.

        Raises:
            ValueError: ``offset`` is negative.
        """
        return map(self._to_window, self.diagram.iterate_layouts(offset))

    def _to_word(self, cells: NDArray[Any]) -> NDArray[Any]:
        """Return cells of the board as a word has them, (length, breadth)."""
        return cells if self._turned else cells.T

    def _to_window(self, columns: NDArray[Any]) -> NDArray[Any]:
        """Return cells of the word, (length, breadth), as the window has them."""
        return self._to_word(columns)[self._inner]


def draw_layout(board: Board, window: Window, mines: NDArray[np.bool_]) -> list[str]:
    """Draw a layout of a window as rows of symbols.

    Clues show their number. Other safe cells are ``S``: their numbers depend on what is outside.

    Args:
        board: the board.
        window: the window.
        mines: the mines in the window: (height, width).
    """
    cells = board.cells[window.row_slice, window.col_slice]
    symbols = np.where(mines, np.uint8(ord("B")), np.uint8(ord("S")))
    digits = (cells + ord("0")).astype(np.uint8)
    return format_symbol_rows(np.where(cells < UNKNOWN, digits, symbols))


def _count_around(cells: NDArray[np.bool_]) -> NDArray[np.int8]:
    """Return the number of true cells among the eight neighbours of each cell, (height, width)."""
    return Layout(cells).count_neighbours()
