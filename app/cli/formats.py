"""The command ``formats``: the files and links of other programs."""

import sys
from typing import Annotated

import typer

from app.cli.boards import Form, Mines, place, read_bytes
from app.cli.ending import fail
from app.cli.show import Screen
from minefield import Notation, draw, formats, parse
from minefield.board import BoardError
from minefield.formats import AUTO, FORMATS, FormatError, Opened
from solvers import Deadline


def show_formats(
    file: Annotated[
        str | None, typer.Argument(help="File, link or game ID to read; - reads stdin")
    ] = None,
    form: Form = None,
    into: Annotated[
        str | None, typer.Option(help="Write the file in this format, to standard output")
    ] = None,
    mines: Mines = None,
    first: Annotated[
        str | None, typer.Option(help="The first click, for formats with one: row,column from 0")
    ] = None,
) -> None:
    """List the formats of other programs, show what a file holds, or write it in another one."""
    if file is None:
        for known in FORMATS.values():
            holds = " and ".join(known.holds)
            print(f"{known.name:<14} {known.suffix:<7} {holds:<13} {known.title}")
        return
    try:
        opened = _read(file, form)
        if into is None:
            _show(opened)
            return
        clicked = opened.first if first is None else place(first, "--first")
        known_mines = opened.mines if mines is None else mines
        whole = Opened(opened.board, opened.layout, known_mines, opened.format, clicked)
        written = formats.write(whole, into)
    except (BoardError, FormatError) as error:
        fail(f"{file}: {error}")
    sys.stdout.buffer.write(written.encode() if isinstance(written, str) else written)


def _read(file: str, form: str | None) -> Opened:
    """What a file holds; what bears no sign of a format is read as rows."""
    data = read_bytes(file)
    name = form or formats.named(file) or AUTO
    try:
        return formats.read(data, name)
    except FormatError as error:
        if error.code != "format-unknown" or name != AUTO:
            raise
        try:
            return Opened(parse(data.decode("utf-8-sig"), Notation.STANDARD), None, None, "rows")
        except (BoardError, UnicodeDecodeError):
            raise error from None


def _show(opened: Opened) -> None:
    screen = Screen(Deadline())
    print(f"format {opened.format}")
    if opened.mines is not None:
        print(f"mines {opened.mines}")
    if opened.first is not None:
        print(f"the first click: row {opened.first[0]} column {opened.first[1]}")
    if opened.board is not None:
        screen.board("what a player sees", draw(opened.board))
    if opened.layout is not None:
        screen.board("where all mines are", opened.layout.rows())
