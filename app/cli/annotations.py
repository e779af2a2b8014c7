"""The arguments and options that several commands have, and what reads their values."""

import re
from math import isfinite
from typing import Annotated, Final

import typer

from minecheck.app.cli.ending import fail_with
from minecheck.app.quoting import quote_text
from minecheck.minefield import Notation, parse_cell

#: A time: a number, perhaps with an exponent, and a unit.
_TIME: Final = re.compile(r"([0-9]*\.?[0-9]+(?:e-?[0-9]{1,3})?)\s*(ms|s|m|min|h)?", re.IGNORECASE)
_SECONDS: Final = {"ms": 0.001, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0}


def parse_seconds(text: str) -> float:
    """Return the seconds of a time such as 5s, 500ms, 2m or 1h; a bare number is of seconds.

    Raises:
        BadParameter: it is not a time above 0.
    """
    match = _TIME.fullmatch(text.strip())
    seconds = float(match[1]) * _SECONDS[(match[2] or "s").lower()] if match else 0.0
    if not (isfinite(seconds) and seconds > 0):
        raise typer.BadParameter(f'"{text[:40]}" is not a time such as 5s, 500ms or 2m.')
    return seconds


File = Annotated[
    str,
    typer.Argument(
        help="File with the board, as rows or in any format; or a link or game ID; - reads stdin"
    ),
]
Files = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="FILE",
        help="Files with a board each, as rows or in any format; or links or game IDs. - reads "
        "stdin, as no FILE does if a board is piped into the command",
    ),
]
Form = Annotated[
    str | None,
    typer.Option("--format", help="Format of the file, such as mbf, or auto; see docs/formats.md"),
]
Dialect = Annotated[Notation, typer.Option("--notation", help="Notation of the board")]
Symbols = Annotated[
    str | None,
    typer.Option(help="What symbols mean, such as X=mine,.=unknown"),
]
Trust = Annotated[
    bool,
    typer.Option("--trust-flags", help="Treat flags as mines; by default each flag is checked"),
]
Mines = Annotated[int | None, typer.Option(help="Exact number of mines on the whole board")]
Seconds = Annotated[
    float | None,
    typer.Option(
        "--deadline",
        parser=parse_seconds,
        metavar="TIME",
        help="Time until it gives up, such as 5s, 500ms or 2m; a bare number is of seconds",
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print the JSON that the HTTP service answers")]


def parse_first(text: str) -> tuple[int, int]:
    """Return the cell that the option ``--first`` names, as row,column.

    Raises:
        Exit: it is not a cell.
    """
    if (cell := parse_cell(text)) is None:
        fail_with(f"--first: {quote_text(text)} is not a cell such as 0,3")
    return cell
