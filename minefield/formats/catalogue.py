"""The formats by name, and reading and writing in any of them.

Tested in tests/minefield/formats/test_formats.py.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import PurePath
from types import MappingProxyType
from typing import Final

from minecheck.minefield.board import Board
from minecheck.minefield.formats import (
    dotboard,
    dotmine,
    grid,
    jsminesweeper,
    legup,
    mbf,
    mgb,
    penpa,
    puzzlink,
    pzprv3,
    tatham,
    tatham_save,
)
from minecheck.minefield.formats.opened import FormatError, Opened
from minecheck.minefield.numerals import format_count

#: The name that asks for the format to be recognised.
AUTO: Final = "auto"
#: A link to a page of this project, perhaps percent-encoded, and the longest one that is
#: recognised.
_LINK_OF_PAGE: Final = re.compile(
    r"^\S*(?:#|%23)(?:analyse|strips|play)(?:\?|%3f)\S*$", re.IGNORECASE
)
_LONGEST_LINK: Final = 400_000
_BINARY: Final = "application/octet-stream"
_TEXT: Final = "text/plain; charset=utf-8"
_XML: Final = "application/xml"
_JSON: Final = "application/json"


@dataclass(frozen=True, slots=True)
class FileFormat:
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
    FileFormat(
        name=mbf.NAME,
        title="Minesweeper board file, binary",
        media_type=_BINARY,
        suffix=".mbf",
        views=False,
        maps=True,
        read=mbf.read,
        write=mbf.write,
    ),
    FileFormat(
        name=mbf.ALIKE,
        title="Arbiter board file, the same bytes",
        media_type=_BINARY,
        suffix=".abf",
        views=False,
        maps=True,
        read=mbf.read,
        write=mbf.write,
    ),
    FileFormat(
        name=mbf.HEX,
        title="The bytes of MBF as hexadecimal digits",
        media_type=_TEXT,
        suffix=".txt",
        views=False,
        maps=True,
        read=mbf.read_hex,
        write=mbf.write_hex,
    ),
    FileFormat(
        name=dotmine.NAME,
        title="Position saved by JSMinesweeper",
        media_type=_TEXT,
        suffix=".mine",
        views=True,
        maps=True,
        read=dotmine.read,
        write=dotmine.write,
        signed=dotmine.is_recognised,
    ),
    FileFormat(
        name=jsminesweeper.NAME,
        title="Link of JSMinesweeper: analysis=, or b= and m=",
        media_type=_TEXT,
        suffix=".txt",
        views=True,
        maps=True,
        read=jsminesweeper.read,
        write=jsminesweeper.write,
        signed=jsminesweeper.is_recognised,
    ),
    FileFormat(
        name=dotboard.NAME,
        title="MINESWEEPER-BOARD v0.1 of ms_toollib",
        media_type=_TEXT,
        suffix=".board",
        views=True,
        maps=True,
        read=dotboard.read,
        write=dotboard.write,
        signed=dotboard.is_recognised,
    ),
    FileFormat(
        name=tatham.NAME,
        title="Game ID of Mines in Tatham's puzzle collection",
        media_type=_TEXT,
        suffix=".txt",
        views=False,
        maps=True,
        read=tatham.read,
        write=tatham.write,
        signed=tatham.is_recognised,
    ),
    FileFormat(
        name=tatham_save.NAME,
        title="Saved game of Mines in Tatham's puzzle collection",
        media_type=_TEXT,
        suffix=".sav",
        views=True,
        maps=True,
        read=tatham_save.read,
        write=tatham_save.write,
        signed=tatham_save.is_recognised,
    ),
    FileFormat(
        name=puzzlink.NAME,
        title="Link of puzz.link or pzv.jp to a Minesweeper puzzle",
        media_type=_TEXT,
        suffix=".txt",
        views=True,
        maps=False,
        read=puzzlink.read,
        write=puzzlink.write,
        signed=puzzlink.is_recognised,
    ),
    FileFormat(
        name=pzprv3.NAME,
        title="Minesweeper puzzle saved by puzz.link, with the player's marks",
        media_type=_TEXT,
        suffix=".txt",
        views=True,
        maps=True,
        read=pzprv3.read,
        write=pzprv3.write,
        signed=pzprv3.is_recognised,
    ),
    FileFormat(
        name=legup.NAME,
        title="Minesweeper puzzle of LEGUP, XML",
        media_type=_XML,
        suffix=".xml",
        views=True,
        maps=True,
        read=legup.read,
        write=legup.write,
        signed=legup.is_recognised,
    ),
    FileFormat(
        name=penpa.NAME,
        title="Link of Penpa-edit to a Minesweeper puzzle",
        media_type=_TEXT,
        suffix=".txt",
        views=True,
        maps=True,
        read=penpa.read,
        write=penpa.write,
        signed=penpa.is_recognised,
    ),
    FileFormat(
        name=mgb.NAME,
        title="Board of Minegauler, JSON",
        media_type=_JSON,
        suffix=".mgb",
        views=False,
        maps=True,
        read=mgb.read,
        write=mgb.write,
        signed=mgb.is_recognised,
    ),
)

#: All formats, by name.
FORMATS: Final[Mapping[str, FileFormat]] = MappingProxyType({one.name: one for one in _ALL})


def read(data: bytes | str, format: str | None = None, most: int = grid.MOST_CELLS) -> Opened:
    """Read a file in any format, in time linear in its size and the board's.

    Without a format, or with `AUTO`, only what bears unmistakable signs is
    read. Binary files never do: any four bytes are a head of MBF.

    Args:
        data: the content of the file.
        format: the name of its format; None or `AUTO` to recognise it.
        most: the most cells that the board may have.

    Raises:
        FormatError: it cannot be read, or its format is not clear.
    """
    name = recognise_format(data) if format in (None, AUTO) else format
    return replace(_require_format(name).read(data, most), format=name)


def write(opened: Opened, format: str) -> bytes | str:
    """Write a board or layout in a format; what the format cannot hold is left out.

    Args:
        opened: the board, the layout, or both.
        format: the name of the format.

    Returns:
        The content of the file, as bytes where the format is binary.

    Raises:
        FormatError: what it must hold is missing, or the parts of ``opened`` do not go together.
    """
    chosen = _require_format(format)
    cells = opened.to_board()
    layout = opened.layout
    if layout is not None:
        _check_one_shape(cells, opened)
        opened = replace(opened, mines=layout.total if opened.mines is None else opened.mines)
        if opened.mines != layout.total:
            raise FormatError(
                "mines-differ",
                f"The layout has {format_count(layout.total, 'mine')}, but the number given is "
                f"{opened.mines}.",
                "Correct one of the two, or leave the number out.",
            )
    _check_mines_and_first(cells, opened)
    return chosen.write(opened)


def recognise_format(data: bytes | str) -> str:
    """Return the name of the format that a text bears the signs of.

    Raises:
        FormatError: it bears none.
    """
    text = _try_decode(data)
    if text is not None and (name := find_format(text)) is not None:
        return name
    raise FormatError(
        "format-unknown",
        "The file does not show which format it has.",
        f"Name the format: {', '.join(FORMATS)}. Any bytes, or digits, could be MBF, so MBF must "
        "always be named.",
    )


def find_format(text: str) -> str | None:
    """Return the name of the format whose signs a text bears, None if it bears none."""
    if _is_link_of_page(text):
        return None
    for name, entry in FORMATS.items():
        if entry.signed is not None and entry.signed(text):
            return name
    return None


def _is_link_of_page(text: str) -> bool:
    return len(text) <= _LONGEST_LINK and _LINK_OF_PAGE.search(text) is not None


def find_format_by_name(file: str) -> str | None:
    """Return the format that the suffix of a file's name stands for, None if there is none."""
    suffix = PurePath(file).suffix.lower()
    names = [name for name, entry in FORMATS.items() if entry.suffix == suffix]
    # Several are plain text.
    return names[0] if len(names) == 1 else None


def _try_decode(data: bytes | str) -> str | None:
    try:
        return grid.decode_text(data)
    except FormatError:
        return None


def _require_format(name: str | None) -> FileFormat:
    if name is None or name not in FORMATS:
        raise FormatError(
            "no-such-format",
            f"There is no format {str(name)[:80]!r}.",
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


def _check_mines_and_first(cells: Board, opened: Opened) -> None:
    """Check that the number of mines and the first cell are possible on this board."""
    if opened.mines is not None:
        grid.check_mine_count(opened.mines, *cells.shape)
    if opened.first is not None:
        row, col = opened.first
        if not (0 <= row < cells.height and 0 <= col < cells.width):
            raise FormatError(
                "first-off-the-board",
                f"The first cell, row {row} and column {col}, is not on the board.",
                "Name a cell of the board, or leave it out.",
            )
