"""The formats by name, and reading and writing in any of them.

Tested in tests/minefield/formats/test_formats.py.
"""

import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import PurePath
from types import MappingProxyType
from typing import Final, Protocol

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


@dataclass(frozen=True, slots=True, kw_only=True)
class FileFormat:
    """A format: its name, a line about it, and how its files are called.

    ``views`` and ``maps`` say whether it holds boards as players see them,
    and layouts. ``read`` takes the content of a file, a link or a game ID, and
    the most cells that the board may have. ``signed`` tells whether a text is
    unmistakably of the format, None where nothing can tell.
    """

    name: str
    title: str
    suffix: str
    read: Callable[[bytes | str, int], Opened]
    write: Callable[[Opened], bytes | str]
    signed: Callable[[str], bool] | None = None
    media_type: str = _TEXT
    views: bool = True
    maps: bool = True

    @property
    def holds(self) -> list[str]:
        """view, map or both."""
        return ["view"] * self.views + ["map"] * self.maps


class _Module(Protocol):
    """The module of a format whose texts can be recognised: the parts of a `FileFormat`."""

    @property
    def NAME(self) -> str: ...  # noqa: N802 - a constant of the module
    def read(self, data: bytes | str, most: int) -> Opened: ...
    def write(self, opened: Opened) -> bytes | str: ...
    def is_recognised(self, text: str) -> bool: ...


def _describe_module(
    module: _Module,
    title: str,
    suffix: str = ".txt",
    media_type: str = _TEXT,
    *,
    views: bool = True,
    maps: bool = True,
) -> FileFormat:
    return FileFormat(
        name=module.NAME,
        title=title,
        suffix=suffix,
        read=module.read,
        write=module.write,
        signed=module.is_recognised,
        media_type=media_type,
        views=views,
        maps=maps,
    )


_ALL: Final = (
    FileFormat(
        name=mbf.NAME,
        title="Minesweeper board file, binary",
        suffix=".mbf",
        read=mbf.read,
        write=mbf.write,
        media_type=_BINARY,
        views=False,
    ),
    FileFormat(
        name=mbf.ALIKE,
        title="Arbiter board file, the same bytes",
        suffix=".abf",
        read=mbf.read,
        write=mbf.write,
        media_type=_BINARY,
        views=False,
    ),
    FileFormat(
        name=mbf.HEX,
        title="The bytes of MBF as hexadecimal digits",
        suffix=".txt",
        read=mbf.read_hex,
        write=mbf.write_hex,
        views=False,
    ),
    _describe_module(dotmine, "Position saved by JSMinesweeper", ".mine"),
    _describe_module(jsminesweeper, "Link of JSMinesweeper: analysis=, or b= and m="),
    _describe_module(dotboard, "MINESWEEPER-BOARD v0.1 of ms_toollib", ".board"),
    _describe_module(tatham, "Game ID of Mines in Tatham's puzzle collection", views=False),
    _describe_module(tatham_save, "Saved game of Mines in Tatham's puzzle collection", ".sav"),
    _describe_module(puzzlink, "Link of puzz.link or pzv.jp to a Minesweeper puzzle", maps=False),
    _describe_module(pzprv3, "Minesweeper puzzle saved by puzz.link, with the player's marks"),
    _describe_module(legup, "Minesweeper puzzle of LEGUP, XML", ".xml", "application/xml"),
    _describe_module(penpa, "Link of Penpa-edit to a Minesweeper puzzle"),
    _describe_module(mgb, "Board of Minegauler, JSON", ".mgb", "application/json", views=False),
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
        if cells.shape != layout.mines.shape:
            raise FormatError(
                "shapes-differ",
                "The board and the layout have different sizes.",
                "Send only one of them, or two of the same size.",
            )
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
    with suppress(FormatError):
        if (name := find_format(grid.decode_text(data))) is not None:
            return name
    raise FormatError(
        "format-unknown",
        "The file does not show which format it has.",
        f"Name the format: {', '.join(FORMATS)}. Any bytes, or digits, could be MBF, so MBF must "
        "always be named.",
    )


def find_format(text: str) -> str | None:
    """Return the name of the format whose signs a text bears, None if it bears none."""
    if len(text) <= _LONGEST_LINK and _LINK_OF_PAGE.search(text) is not None:
        return None
    for name, entry in FORMATS.items():
        if entry.signed is not None and entry.signed(text):
            return name
    return None


def find_format_by_name(file: str) -> str | None:
    """Return the format that the suffix of a file's name stands for, None if there is none."""
    suffix = PurePath(file).suffix.lower()
    names = [name for name, entry in FORMATS.items() if entry.suffix == suffix]
    # Several are plain text.
    return names[0] if len(names) == 1 else None


def _require_format(name: str | None) -> FileFormat:
    if name is None or name not in FORMATS:
        raise FormatError(
            "no-such-format",
            f"There is no format {str(name)[:80]!r}.",
            f"Use one of: {', '.join(FORMATS)}.",
        )
    return FORMATS[name]


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
