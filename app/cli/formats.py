"""The command ``formats``: the files and links of other programs."""

import sys
from dataclasses import replace
from typing import Annotated, Final

import typer

from minecheck.app.cli.annotations import Form, Mines, Symbols, parse_first
from minecheck.app.cli.board_files import read_file
from minecheck.app.cli.ending import fail_with
from minecheck.app.cli.show import Screen
from minecheck.minefield import draw, formats
from minecheck.minefield.formats import FORMATS, FormatError, Opened
from minecheck.solvers import Deadline


def show_formats(
    file: Annotated[
        str | None, typer.Argument(help="File, link or game ID to read; - reads stdin")
    ] = None,
    form: Form = None,
    into: Annotated[
        str | None, typer.Option(help="Write the file in this format, to standard output")
    ] = None,
    mines: Mines = None,
    symbols: Symbols = None,
    first: Annotated[
        str | None, typer.Option(help="The first click, for formats with one: row,column from 0")
    ] = None,
) -> None:
    """List the formats of other programs, show what a file holds, or write it in another one."""
    if file is None:
        for entry in FORMATS.values():
            holds = " and ".join(entry.holds)
            print(f"{entry.name:<14} {entry.suffix:<7} {holds:<13} {entry.title}")
        return
    reading = read_file(file, form, symbols)
    opened = Opened(reading.view, reading.layout, reading.mines, reading.notation, reading.first)
    if into is None:
        _show_file(opened)
        return
    clicked = opened.first if first is None else parse_first(first)
    known_mines = opened.mines if mines is None else mines
    try:
        written = formats.write(replace(opened, mines=known_mines, first=clicked), into)
    except FormatError as error:
        fail_with(f"{file}: {error}")
    sys.stdout.buffer.write(written.encode() if isinstance(written, str) else written)


def _show_file(opened: Opened) -> None:
    screen = Screen(Deadline())
    print(f"format {opened.format}")
    if opened.mines is not None:
        print(f"mines {opened.mines}")
    if opened.first is not None:
        print(f"the first click: row {opened.first[0]} column {opened.first[1]}")
    if opened.board is not None:
        screen.print_board("what a player sees", draw(opened.board))
    if opened.layout is not None:
        screen.print_board("where all mines are", opened.layout.rows())


COMMANDS: Final = {"formats": show_formats}
