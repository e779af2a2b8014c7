"""The contents of a file in any format, and the error for a file that cannot be read.

Tested in tests/minefield/formats/test_formats.py.
"""

from dataclasses import dataclass

from minecheck.minefield.board import Board
from minecheck.minefield.errors import FixableError
from minecheck.minefield.layout import Layout


@dataclass(eq=False, repr=False)
class FormatError(FixableError):
    """A file that cannot be read, or written: what is wrong, where, and how to fix it.

    ``code`` is a stable slug. ``offset`` counts the bytes of a binary file or
    the characters of a text, ``row`` and ``col`` the cells, all from 0; they
    are None where the fault is not in one place.
    """

    code: str
    detail: str
    fix: str
    offset: int | None = None
    row: int | None = None
    col: int | None = None


@dataclass(frozen=True, slots=True)
class Opened:
    """What a file holds: a board as a player sees it, a layout, or both of one shape.

    ``mines`` is the number of mines on the whole board, that of the layout unless
    another is given, None if the file does not tell it; ``first`` is the (row, col)
    that a game begins with; ``format`` is the name of the format, which
    `minefield.formats.read` fills in.
    """

    board: Board | None
    layout: Layout | None = None
    mines: int | None = None
    format: str = ""
    first: tuple[int, int] | None = None
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.mines is None and self.layout is not None:
            object.__setattr__(self, "mines", self.layout.total)

    def to_board(self) -> Board:
        """Return the board, or else the layout with every cell shown.

        Raises:
            FormatError: there is neither.
        """
        if self.board is not None:
            return self.board
        if self.layout is None:
            raise make_nothing_to_write_error()
        return Board(self.layout.to_codes())

    def require_mines(self) -> int:
        """Return the number of mines, which some formats require.

        Raises:
            FormatError: it is not known.
        """
        if self.mines is None:
            raise FormatError(
                "mines-missing",
                "The format needs the number of mines, which the request does not give.",
                "Give the number of mines on the whole board.",
            )
        return self.mines

    def require_layout(self) -> Layout:
        """Return the layout, for a format that holds nothing else.

        Raises:
            FormatError: there is none.
        """
        if self.layout is None:
            raise FormatError(
                "layout-missing",
                "Files of this format need to know every mine, which a board does not show.",
                "Give a layout, or choose a format that can hold a board.",
            )
        return self.layout


def make_nothing_to_write_error() -> FormatError:
    """Return the error for a file that would hold neither a board nor a layout."""
    return FormatError(
        "nothing-to-write", "There is no board and no layout.", "Give at least one of them."
    )
