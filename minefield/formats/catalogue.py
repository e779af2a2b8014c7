"""The formats by name, and reading and writing in any of them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import PurePath
from types import MappingProxyType
from typing import Final

from minefield.amounts import several
from minefield.board import Board
from minefield.formats import dotboard, dotmine, grid, jsminesweeper, mbf, tatham
from minefield.formats.opened import FormatError, Opened

#: In place of a name: find the format by its signs.
AUTO: Final = "auto"
_BINARY: Final = "application/octet-stream"
_TEXT: Final = "text/plain; charset=utf-8"


@dataclass(frozen=True, slots=True)
class Format:
    """A format: its name, a line about it, and how its files are called.

    ``views`` and ``maps`` say whether it holds boards as players see them,
    and layouts. ``signed`` tells whether a text is unmistakably of the
    format, None where nothing can tell.
    """

    name: str
    title: str
    media_type: str
    suffix: str
    views: bool
    maps: bool
    read: Callable[[bytes | str, int], Opened]
    write: Callable[[Opened], bytes | str]
    signed: Callable[[str], bool] | None = None

    @property
    def holds(self) -> list[str]:
        """view, map or both."""
        return ["view"] * self.views + ["map"] * self.maps


_ALL: Final = (
    Format(
        name=mbf.NAME,
        title="Minesweeper board file, binary",
        media_type=_BINARY,
        suffix=".mbf",
        views=False,
        maps=True,
        read=mbf.read,
        write=mbf.write,
    ),
    Format(
        name=mbf.ALIKE,
        title="Arbiter board file, the same bytes",
        media_type=_BINARY,
        suffix=".abf",
        views=False,
        maps=True,
        read=mbf.read,
        write=mbf.write,
    ),
    Format(
        name=mbf.HEX,
        title="The bytes of MBF as hexadecimal digits",
        media_type=_TEXT,
        suffix=".txt",
        views=False,
        maps=True,
        read=mbf.read_hex,
        write=mbf.write_hex,
    ),
    Format(
        name=dotmine.NAME,
        title="Position saved by JSMinesweeper",
        media_type=_TEXT,
        suffix=".mine",
        views=True,
        maps=True,
        read=dotmine.read,
        write=dotmine.write,
        signed=dotmine.signed,
    ),
    Format(
        name=jsminesweeper.NAME,
        title="Link of JSMinesweeper: analysis=, or b= and m=",
        media_type=_TEXT,
        suffix=".txt",
        views=True,
        maps=True,
        read=jsminesweeper.read,
        write=jsminesweeper.write,
        signed=jsminesweeper.signed,
    ),
    Format(
        name=dotboard.NAME,
        title="MINESWEEPER-BOARD v0.1 of ms_toollib",
        media_type=_TEXT,
        suffix=".board",
        views=True,
        maps=True,
        read=dotboard.read,
        write=dotboard.write,
        signed=dotboard.signed,
    ),
    Format(
        name=tatham.NAME,
        title="Game ID of Mines in Tatham's puzzle collection",
        media_type=_TEXT,
        suffix=".txt",
        views=False,
        maps=True,
        read=tatham.read,
        write=tatham.write,
        signed=tatham.signed,
    ),
)

#: All formats, by name.
FORMATS: Final[Mapping[str, Format]] = MappingProxyType({one.name: one for one in _ALL})


def read(data: bytes | str, format: str | None = None, most: int = grid.MOST_CELLS) -> Opened:
    """What a file of at most so many cells holds, in time linear in both.

    Without a format, or with `AUTO`, only what bears unmistakable signs is
    read. Binary files never do: any four bytes are a head of MBF.

    Raises:
        FormatError: it cannot be read, or its format cannot be told.
    """
    name = told(data) if format in (None, AUTO) else format
    return replace(_known(name).read(data, most), format=name)


def write(opened: Opened, format: str) -> bytes | str:
    """A file; bytes where the format is binary. What it cannot hold is left out.

    Raises:
        FormatError: what it must hold is missing, or the parts of ``opened``
            do not go together.
    """
    chosen = _known(format)
    cells = opened.shown()
    layout = opened.layout
    if layout is not None:
        _check_one_shape(cells, opened)
        opened = replace(opened, mines=layout.total if opened.mines is None else opened.mines)
        if opened.mines != layout.total:
            raise FormatError(
                "mines-differ",
                f"The layout has {several(layout.total, 'mine')}, and the number given is "
                f"{opened.mines}.",
                "Correct one of the two, or leave the number out.",
            )
    _check_numbers(cells, opened)
    return chosen.write(opened)


def told(data: bytes | str) -> str:
    """The name of the format that a text bears the signs of.

    Raises:
        FormatError: it bears none.
    """
    text = _text(data)
    for name, known in FORMATS.items():
        if text is not None and known.signed is not None and known.signed(text):
            return name
    raise FormatError(
        "format-unknown",
        "The file does not show which format it has.",
        f"Name the format: {', '.join(FORMATS)}. Any bytes, or digits, could be MBF, so MBF must "
        "always be named.",
    )


def named(file: str) -> str | None:
    """The name of the format that files with such a name have, None if that is not known."""
    suffix = PurePath(file).suffix.lower()
    found = [name for name, known in FORMATS.items() if known.suffix == suffix]
    # Several are plain text.
    return found[0] if len(found) == 1 else None


def _text(data: bytes | str) -> str | None:
    try:
        return grid.decoded(data)
    except FormatError:
        return None


def _known(name: str | None) -> Format:
    if name is None or name not in FORMATS:
        raise FormatError(
            "no-such-format",
            f"Unknown format {str(name)[:80]!a}.",
            f"Use one of: {', '.join(FORMATS)}.",
        )
    return FORMATS[name]


def _check_one_shape(cells: Board, opened: Opened) -> None:
    if opened.layout is not None and cells.shape != opened.layout.mines.shape:
        raise FormatError(
            "shapes-differ",
            "The board and the layout have different sizes.",
            "Send only one of them, or two of the same size.",
        )


def _check_numbers(cells: Board, opened: Opened) -> None:
    """Whether the number of mines and the first cell are of this board."""
    if opened.mines is not None:
        grid.at_most_all(opened.mines, *cells.shape)
    if opened.first is not None:
        row, col = opened.first
        if not (0 <= row < cells.height and 0 <= col < cells.width):
            raise FormatError(
                "first-off-the-board",
                f"The first cell, row {row} and column {col}, is not on the board.",
                "Name a cell of the board, or leave it out.",
            )
