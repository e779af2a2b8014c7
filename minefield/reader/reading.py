"""The results of reading a text: one board with notes, or several that it may mean.

Tested in tests/minefield/reader/test_read.py.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np

from minecheck.minefield.board import FLAG, MINE, SAFE, UNKNOWN, Board, BoardError
from minecheck.minefield.layout import Layout
from minecheck.minefield.notation import draw
from minecheck.minefield.numerals import format_count

#: The names of lists that say of each cell whether it is opened, as a pattern.
NAME_OF_MASK: Final = (
    r"(?:is_?)?(?:revealed|opened|visible|visited|uncovered|explored|hidden|covered|shown|mask)"
    r"(?:_?(?:cells|map|mask|grid))?"
)
#: Why a program with a list and a string has several boards.
LIST_AND_STRING: Final = "A list and a string of the text can both be the board."


@dataclass(frozen=True, slots=True)
class Grid:
    """A rectangle of cells as they were written, one string a cell, and what stood around it.

    ``notation`` names the way in which the cells were written. ``mines`` is the total that the
    text states, None if it states none. ``notes`` are whole sentences about what was left out.
    ``opened`` is True if squares are opened cells for certain, as in spoilers; ``doubtful``, if the
    grid is a way to cut the text only where clues contradict each other in all others.
    """

    cells: tuple[tuple[str, ...], ...]
    notation: str = "rows"
    mines: int | None = None
    notes: tuple[str, ...] = ()
    opened: bool = False
    doubtful: bool = False

    def require_rectangle(self) -> "Grid":
        """Return the grid itself, which has cells, as many in each row.

        Raises:
            BoardError: it has none, or its rows differ in length.
        """
        if not any(self.cells):
            raise make_empty_board_error()
        width = len(self.cells[0])
        for number, row in enumerate(self.cells):
            if len(row) != width:
                raise BoardError(
                    "ragged-rows",
                    f"Row {number} has {format_count(len(row), 'cell')} where row 0 has {width}.",
                    "Make all rows the same length. Write ? for a cell that is unknown.",
                    row=number,
                )
        return self

    def with_notes(self, *notes: str) -> "Grid":
        """Return the same grid with further notes."""
        return replace(self, notes=(*self.notes, *notes))


@dataclass(frozen=True, slots=True)
class BoardReading:
    """A board that was read, and how.

    ``mines`` is the total that the text states, None if it states none. ``notation`` is the name
    of a format, or says how the cells were written. ``symbols`` has the meaning of each symbol that
    is not in the standard notation, by the names of `minefield.symbols.MEANING_CODES`. ``notes``
    are whole sentences: how symbols were read, what was left out, what else was possible. Files may
    hold the ``layout`` as well, or ``only_layout``, with every cell of the board shown, and the
    ``first`` cell of the game as (row, col).
    """

    board: Board
    mines: int | None = None
    notation: str = "rows"
    notes: tuple[str, ...] = ()
    symbols: Mapping[str, str] = field(default_factory=dict)
    layout: Layout | None = None
    first: tuple[int, int] | None = None
    only_layout: bool = False

    def with_notes(self, *notes: str) -> "BoardReading":
        """Return the same reading with further notes before its own."""
        return replace(self, notes=(*notes, *self.notes))

    @property
    def view(self) -> Board | None:
        """The board as a player sees it, None if the file has the layout only."""
        return None if self.only_layout else self.board

    def find_layout(self) -> Layout | None:
        """Return the layout of the file, or the one that the board shows; None if it shows none.

        It does if every cell is a number, a mine or a flag, and all flags are mines by the numbers.
        """
        cells = self.board.cells
        if self.layout is not None or ((cells == UNKNOWN) | (cells == SAFE)).any():
            return self.layout
        shown = Layout((cells == MINE) | (cells == FLAG))
        numbers = Board(np.where(cells == FLAG, MINE, cells))
        wrong = shown.list_contradictions(numbers)
        return None if wrong or self.mines not in (None, shown.total) else shown

    @property
    def rows(self) -> list[str]:
        """The board in the standard notation, a string a row."""
        return draw(self.board)


class AmbiguousBoardError(BoardError):
    """A text that can be read as different boards: the ``readings``, the likeliest first."""

    def __init__(self, readings: tuple[BoardReading, ...], detail: str) -> None:
        super().__init__(
            "ambiguous-board",
            detail,
            "Send the board that you mean in the standard notation: one of `readings`; or say what "
            "each symbol means with `symbols`.",
        )
        self.readings = readings

    def map(self, change: Callable[[BoardReading], BoardReading]) -> "AmbiguousBoardError":
        """Return the same error with each of its readings changed."""
        return AmbiguousBoardError(tuple(map(change, self.readings)), self.detail)

    def __reduce__(self) -> tuple[type, tuple[tuple[BoardReading, ...], str]]:
        return type(self), (self.readings, self.detail)


def make_empty_board_error() -> BoardError:
    """Return the error of a text without any cell."""
    return BoardError(
        "empty-board", "The text has no cells.", "Send at least one row with one cell."
    )


def make_no_board_error(
    detail: str, fix: str = "Send the rows of the board, one a line."
) -> BoardError:
    """Return the error of a text that holds something else than a board."""
    return BoardError("no-board", detail, fix)


def make_several_boards_error(detail: str, row: int | None = None) -> BoardError:
    """Return the error of a text with several boards, of which a ``row`` begins the second."""
    fix = "Send one board, with nothing between its rows."
    return BoardError("several-boards", detail, fix, row)


def make_computed_error(code: str) -> BoardError:
    """Return the error of a program that computes the board, by some ``code``."""
    return make_no_board_error(
        f"The text computes the board, by {code.strip()[:20]!a}.",
        "Print the board, and send what is printed.",
    )


def make_masked_board_error(name: str = "") -> BoardError:
    """Return the error of a text with a list, of a name, that says which cells are opened."""
    return make_no_board_error(
        f"The list {name} beside the board says which cells are opened or marked."
        if name
        else "A list says of each cell whether it is opened.",
        "Send one board, with ? for each cell that is not opened, and F for each flag.",
    )


def make_one_row_error(size: str, cells: int) -> BoardError:
    """Return the error of a text with all cells in one row, and a ``size`` that says otherwise."""
    return BoardError(
        "ragged-rows",
        f"The text says {size}, and has {cells} cells in one row.",
        "Write each row on a line of its own, or as a list of its own.",
    )
