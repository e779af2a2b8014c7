"""The files that commands read boards from."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from minecheck.app.cli.ending import fail_with
from minecheck.minefield import (
    Board,
    BoardError,
    FormatError,
    Notation,
    formats,
    parse,
    parse_place,
)

File = Annotated[str, typer.Argument(help="File with the board, one row a line; - reads stdin")]
Form = Annotated[
    str | None,
    typer.Option("--format", help="Format of the file, such as mbf, or auto; see docs/formats.md"),
]
Dialect = Annotated[Notation, typer.Option("--notation", help="Notation of the board")]
Trust = Annotated[bool, typer.Option("--trust-flags", help="Treat flags as mines, not as claims")]
Mines = Annotated[int | None, typer.Option(help="Exact number of mines on the whole board")]
Seconds = Annotated[float | None, typer.Option("--deadline", help="Seconds until it gives up")]
Json = Annotated[bool, typer.Option("--json", help="Print the JSON that the HTTP service answers")]


def read_board(
    file: str, notation: str, form: str | None, mines: int | None
) -> tuple[Board, int | None]:
    """Read the board in a file, and the total of mines: that of the file where none is given.

    Args:
        file: the name of the file; - is standard input.
        notation: the notation of rows.
        form: the format of another program, None if the name of the file tells it.
        mines: the total of mines, None if none is given.

    Raises:
        Exit: the file cannot be read.
    """
    try:
        if (name := form or formats.find_format_by_name(file)) is not None:
            opened = formats.read(read_bytes(file), name)
            return opened.to_board(), opened.mines if mines is None else mines
        text = read_text(file)
        if text.lstrip()[:1] in ("{", "["):
            fail_with(
                f"{file}: that is JSON. Give the rows as text, one per line, or a file of many "
                "boards to minecheck batch"
            )
        return parse(text, notation), mines
    except (BoardError, FormatError) as error:
        fail_with(f"{file}: {error}")


def read_text(file: str) -> str:
    """Read a file in UTF-8."""
    try:
        return read_bytes(file).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        fail_with(f"{file}: not UTF-8 at byte {error.start}")


def read_bytes(file: str) -> bytes:
    """Read a file; - is standard input."""
    try:
        if file != "-":
            return Path(file).read_bytes()
        if sys.stdin is None:
            fail_with("-: standard input is closed")
        return sys.stdin.buffer.read()
    except OSError as error:
        fail_with(f"{file}: {error.strerror}")


def parse_cell(text: str, option: str) -> tuple[int, int]:
    """Return the cell that is written as row,column.

    Args:
        text: the text.
        option: the option that it was given for, for the message.

    Raises:
        Exit: it is no cell.
    """
    if (found := parse_place(text)) is None:
        fail_with(f"{option}: {text[:99]!a} is not a cell such as 0,3")
    return found
