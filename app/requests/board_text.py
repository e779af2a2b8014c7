"""Bodies and files that hold boards as people write them: what was read, and how."""

import re
from collections.abc import Mapping
from dataclasses import replace
from http import HTTPStatus
from typing import Any, Final, NamedTuple

import orjson

from minecheck.app import problems
from minecheck.app.problems import ProblemError
from minecheck.app.requests.json_reader import BODY, decode_utf8
from minecheck.minefield import BoardError, FormatError
from minecheck.minefield.formats import AUTO, find_format
from minecheck.minefield.numerals import format_count
from minecheck.minefield.reader import AmbiguousBoardError, BoardReading, decode_text, read_board

#: The notation that needs no word in an answer.
_PLAIN: Final = "rows"
_JSON_OBJECT: Final = re.compile(rb"(?:\xef\xbb\xbf)?\s*\{\s*\"")
#: A row of this many cells, or with a clue that no single row can have, may have been several rows.
_LONG_ROW: Final = 16
_MOST_OF_ROW: Final = 2
#: A problem shows the readings of a text as boards up to this size. Others are described in words.
_MOST_SHOWN_CELLS: Final = 10_000
#: Fixes that choose between readings that are too large to be shown.
_FIX_SYMBOLS: Final = "Say what each symbol means with `symbols`: one of those in `readings`."
_FIX_ROWS: Final = "Send the rows of the board between line breaks, in the standard notation."


class BoardText(NamedTuple):
    """A board that was sent as text: the ``fields`` of a request, and its ``reading`` as JSON.

    The reading is None if there is nothing to say: the text has rows in the standard notation.
    """

    fields: dict[str, Any]
    reading: bytes | None


def read_body_text(content: bytes, options: Mapping[str, Any], most: int) -> BoardText | None:
    """Return the board of a body that is text, None if the options ask for strict reading.

    Args:
        content: the body.
        options: the fields in the query; a total there goes before one in the text.
        most: the most cells that the board may have.

    Raises:
        ProblemError: there is no board that can be read, it may be one of several, or it is JSON.
    """
    if options.get("layers", 1) != 1 or "notation" in options:
        return None
    if _JSON_OBJECT.match(content) and find_format(content.decode(errors="replace")) is None:
        raise ProblemError(
            HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
            "json-as-text",
            "The body is a JSON object, but its Content-Type is text/plain.",
            "Send it with Content-Type: application/json; curl --json does so.",
        )
    try:
        text, decoded = decode_text(content)
    except BoardError:
        text, decoded = decode_utf8(content, BODY), ()
    fields, reading = read_text_fields(text, options, most)
    notes = [*decoded, *reading.notes]
    if "\n" not in text.strip() and _may_be_joined(reading):
        notes.append(
            "The text has no line break, so the board has one row. If it had several, curl -d "
            "joined them: use --data-binary."
        )
    if not notes and reading.notation == _PLAIN:
        return BoardText(fields, None)
    return BoardText(fields, orjson.dumps(describe_reading(reading, notes)))


def read_text_fields(
    text: str, options: Mapping[str, Any], most: int
) -> tuple[dict[str, Any], BoardReading]:
    """Return the board, and the total if there is one, that a text holds, and how it was read.

    Args:
        text: the text.
        options: further fields of the request; a total there goes before one in the text.
        most: the most cells that the board may have.

    Raises:
        ProblemError: as `read_board_or_file`.
    """
    other_fields = {name: value for name, value in options.items() if name != "symbols"}
    reading = read_board_or_file(text, options.get("symbols"), most, other_fields)
    fields: dict[str, Any] = {"board": reading.board}
    if reading.mines is None:
        return fields, reading
    stated = options.get("mines")
    if stated is None:
        fields["mines"] = reading.mines
        note = f"The total of {format_count(reading.mines, 'mine')} is from the text."
    elif stated != reading.mines:
        note = f"The text has the total {reading.mines}; the given one, {stated}, was used."
    else:
        return fields, reading
    return fields, replace(reading, notes=(*reading.notes, note))


def read_board_or_file(
    data: bytes | str,
    symbols: object,
    most: int,
    other_fields: Mapping[str, Any] | None = None,
    field: str = "board",
    format: str = AUTO,
) -> BoardReading:
    """Return the board that a text or a file of any format holds.

    Args:
        data: the text or file.
        symbols: what symbols mean, as `minefield.symbols.read_symbols` takes them.
        most: the most cells that the board may have.
        other_fields: further fields, for the requests that choose one of several readings.
        field: the name of the field that holds the text, for problems; empty for a whole body.
        format: the name of the format of a file.

    Raises:
        ProblemError: it holds none, or may be read as different boards.
    """
    try:
        reading = read_board(data, symbols, most=most, format=format)
    except AmbiguousBoardError as error:
        raise _make_ambiguous_problem(error, other_fields or {}, field) from None
    except BoardError as error:
        problem = problems.make_board_problem(error, field)
        if error.code == "several-boards":
            problem.document["fix"] += " /v1/batch takes several."
        raise problem from None
    except FormatError as error:
        raise problems.make_format_problem(error, f"/{field}" if field else None) from None
    cells = reading.board.cells.size
    if cells > most:
        problems.require_at_most(field, cells, most, format_count(most, "cell"))
    return reading


def describe_reading(reading: BoardReading, notes: list[str] | None = None) -> dict[str, Any]:
    """Return a reading as JSON has it; ``notes`` replace its own."""
    return {
        "notation": reading.notation,
        "board": reading.rows,
        "mines": reading.mines,
        "symbols": dict(reading.symbols),
        "notes": list(reading.notes) if notes is None else notes,
    }


def _make_ambiguous_problem(
    error: AmbiguousBoardError, other_fields: Mapping[str, Any], field: str
) -> ProblemError:
    """Return the problem of a text with several readings, each with the request that chooses it.

    Large readings are without ``board``, and their ``request`` gives the symbols to send along.
    """
    problem = problems.make_board_problem(error, field)
    problem.document["readings"] = readings = [
        describe_reading(reading) for reading in error.readings
    ]
    if any(reading.board.cells.size > _MOST_SHOWN_CELLS for reading in error.readings):
        for reading in readings:
            reading["board"] = None
            symbols = {"symbols": reading["symbols"]} if reading["symbols"] else {}
            reading["request"] = symbols | dict(other_fields)
        by_symbols = all(reading["symbols"] for reading in readings)
        problem.document["fix"] = _FIX_SYMBOLS if by_symbols else _FIX_ROWS
        return problem
    for reading in readings:
        stated = {name: reading[name] for name in ("board", "mines") if reading[name] is not None}
        reading["request"] = stated | dict(other_fields)
    return problem


def _may_be_joined(reading: BoardReading) -> bool:
    """Return True if the one row of a board may have been several."""
    cells = reading.board.cells
    clues = cells[(cells >= 0) & (cells <= 8)]
    above = bool(clues.size) and int(clues.max()) > _MOST_OF_ROW
    return cells.shape[0] == 1 and (above or cells.shape[1] >= _LONG_ROW)
