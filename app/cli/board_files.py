"""The files that commands read boards from."""

import re
import shlex
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NoReturn

import typer
from pydantic import BaseModel

from minecheck.app.cli.ending import combine_statuses, fail_with
from minecheck.minefield import Board, BoardError, FormatError, formats, parse, reader
from minecheck.minefield.formats import AUTO
from minecheck.minefield.reader import AmbiguousBoardError, BoardReading

#: Text that is not a name of a file, but rows.
_ROWS: Final = re.compile(r"[0-8?BSF*]+(?:(?:\\n|/)[0-8?BSF*]+)*")
#: The ends of names of files that only batches read.
_OF_BATCHES: Final = re.compile(r"\.(ndjson|jsonl|csv|tsv|parquet|gz|zst)$", re.IGNORECASE)
#: Rows of a board that a message shows.
_MOST_ROWS: Final = 20


def list_sources(files: Sequence[str] | None) -> list[str]:
    """Return the files that a command names, or - if it names none and a board is piped into it.

    Raises:
        Exit: it names none, and standard input is a terminal.
    """
    if files:
        return list(files)
    if sys.stdin is not None and sys.stdin.isatty():
        fail_with("FILE: no board is given. Name a file, or pipe the rows into the command.")
    return ["-"]


def answer_each(
    files: Sequence[str], answer: Callable[[str], None], *, has_titles: bool
) -> NoReturn:
    """Run a command for each of its files, and end it with the status that needs attention most.

    Args:
        files: the names of the files.
        answer: what is done for each; it ends with `typer.Exit`.
        has_titles: whether the name of a file stands above its answer if there are several.
    """
    statuses = []
    for file in files:
        if has_titles and len(files) > 1:
            print(f"{file}:")
        try:
            answer(file)
        except typer.Exit as ended:
            statuses.append(ended.exit_code)
            sys.stdout.flush()
    raise typer.Exit(combine_statuses(statuses))


def add_board(
    fields: Mapping[str, Any], file: str, form: str | None, request: type[BaseModel]
) -> dict[str, Any]:
    """Return the fields of a request with the board of a file, and its total if one is taken.

    Args:
        fields: the other fields; ``notation`` and ``symbols`` say how to read the file.
        file: the name of a file, - for standard input, a link or a game ID.
        form: the name of the format, None to go by the name of the file, or by its contents.
        request: the model of the request.
    """
    others = dict(fields)
    notation, symbols = others.pop("notation", None), others.pop("symbols", None)
    board, total = read_board(file, notation, form, others.get("mines"), symbols)
    takes_total = total is not None and "mines" in request.model_fields
    return others | {"board": board} | ({"mines": total} if takes_total else {})


def read_board(
    file: str, notation: str | None, form: str | None, mines: int | None, symbols: object = None
) -> tuple[Board, int | None]:
    """Return the board in a file, and the total of mines: that of the file if none is given.

    With a notation it is read in that one only; else as `read_file` reads it.

    Args:
        file: the name of a file, - for standard input, a link or a game ID.
        notation: a name of `Notation`, None for any.
        form: the name of the format, None to go by the name of the file, or by its contents.
        mines: the total that is given.
        symbols: what symbols mean, as `read_symbols` takes them.
    """
    if notation is not None:
        try:
            return parse(read_text(file), notation, symbols), mines
        except BoardError as error:
            fail_with(f"{file}: {error}")
    reading = read_file(file, form, symbols)
    return reading.board, reading.mines if mines is None else mines


def read_file(file: str, form: str | None = None, symbols: object = None) -> BoardReading:
    """Return what a file, link or game ID holds, and print notes on how it was read as errors."""
    name = form or formats.find_format_by_name(file) or AUTO
    try:
        reading = reader.read_board(read_source(file), symbols, "--symbols", format=name)
    except AmbiguousBoardError as error:
        fail_with(f"{file}: {error.detail} {_list_readings(error)}")
    except (BoardError, FormatError) as error:
        is_many = error.code in ("invalid-json", "several-boards") or _OF_BATCHES.search(file)
        several = " A file of many boards is for minecheck batch." if is_many else ""
        fail_with(f"{file}: {error}{several}")
    for note in reading.notes:
        print(f"minecheck: {file}: {note}", file=sys.stderr)
    return reading


def _list_readings(error: AmbiguousBoardError) -> str:
    """Return the readings of a text, each below what chooses it."""
    lines = ["Choose one:"]
    for reading in error.readings:
        pairs = ",".join(f"{symbol}={meaning}" for symbol, meaning in reading.symbols.items())
        chosen = f"--symbols {shlex.quote(pairs)}" if pairs else "these rows:"
        lines += [f"  {chosen}", *(f"    {row}" for row in reading.rows[:_MOST_ROWS])]
        lines += ["    ..."] * (len(reading.rows) > _MOST_ROWS)
    return "\n".join(lines)


def read_text(file: str) -> str:
    """Read a file in UTF-8."""
    try:
        return read_bytes(file).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        fail_with(f"{file}: not UTF-8 at byte {error.start}")


def read_source(file: str) -> bytes | str:
    """Return the bytes of a file, or the text itself if it is a link or a game ID."""
    if file != "-" and not Path(file).exists() and _is_text_of_board(file):
        return file
    return read_bytes(file)


def _is_text_of_board(text: str) -> bool:
    """Return True for a link, or text with the signs of a format."""
    return "#" in text or "://" in text or formats.find_format(text) is not None


def read_bytes(file: str) -> bytes:
    """Read a file; - is standard input."""
    try:
        if file != "-":
            return Path(file).read_bytes()
        if sys.stdin is None:
            fail_with("-: standard input is closed")
        return sys.stdin.buffer.read()
    except IsADirectoryError:
        fail_with(f"{file}: that is a folder. Name a file; minecheck batch reads folders.")
    except OSError as error:
        rows = _ROWS.fullmatch(file)
        fix = f" For rows: printf '{file}\\n' | minecheck check -" if rows else ""
        fail_with(f"{file}: {error.strerror}.{fix}")
