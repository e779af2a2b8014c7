"""The operation read_format: a file or link of another program, read."""

from typing import Annotated, Final

import orjson
from pydantic import BaseModel, Field, WithJsonSchema

from minecheck.app.functions.format_names import SAMPLE, name_format, require_format
from minecheck.app.limits import Limits
from minecheck.app.operation import FunctionOperation
from minecheck.app.questions.fields import JsonCell, RequestFields, Rows
from minecheck.app.questions.puzzles import read_board
from minecheck.app.requests.board_text import read_board_or_file
from minecheck.app.requests.json_reader import BODY, decode_utf8
from minecheck.minefield import Notation, draw
from minecheck.minefield.formats import AUTO
from minecheck.minefield.reader import BoardReading
from minecheck.solvers import Deadline
from minecheck.solvers.tasks.task import Example


class AskReadFormat(RequestFields):
    """A file, which is the body, and its format."""

    format: Annotated[
        str,
        name_format(
            "Name of the format, or auto, which recognises all but mbf, abf and hex, and reads "
            "boards as people write them",
            AUTO,
        ),
    ]
    file: Annotated[bytes, WithJsonSchema({"type": "string"})]
    symbols: str | None = Field(
        default=None,
        description="With auto: what symbols mean, as JSON or as X=mine,.=unknown",
    )
    notation: Annotated[
        Notation | None,
        Field(strict=False),
        WithJsonSchema({"type": "string", "enum": list(Notation)}),
    ] = Field(default=None, description="With auto: the notation of the text, if it is known")


class FileShown(BaseModel):
    """The contents of a file."""

    format: str = Field(description="Name of the format, or how the cells of a text were written")
    board: Rows | None = Field(description="What a player sees, in standard notation")
    layout: Rows | None = Field(description="Where all the mines are: B, and the numbers between")
    mines: int | None = Field(description="Mines on the whole board")
    first: JsonCell | None = Field(description="The cell that the game begins with")
    symbols: dict[str, str] = Field(
        description="The meaning of each symbol of a text that is not in the standard notation"
    )
    notes: list[str] = Field(description="How a text was read, and what was left out")


def _make_input(ask: AskReadFormat, limits: Limits) -> bytes:
    """Return the answer: what takes long is to read the file.

    Raises:
        ProblemError: there is no such format, or no board in the file.
    """
    require_format(ask.format, AUTO)
    if ask.format == AUTO and ask.notation:
        text = decode_utf8(ask.file, BODY)
        board = read_board(text, limits.max_cells, ask.notation, "", ask.symbols)
        reading = BoardReading(board, notation=ask.notation)
    else:
        symbols = ask.symbols if ask.format == AUTO else None
        reading = read_board_or_file(
            ask.file, symbols, limits.max_cells, field="", format=ask.format
        )
    return orjson.dumps(
        {
            "format": reading.notation,
            "board": None if reading.view is None else draw(reading.view),
            "layout": None if reading.layout is None else reading.layout.rows(),
            "mines": reading.mines,
            "first": reading.first,
            "symbols": dict(reading.symbols),
            "notes": list(reading.notes),
        }
    )


def _return_answer(answer: bytes, _: Deadline) -> bytes:
    return answer


READ_FORMAT: Final = FunctionOperation(
    name="read_format",
    path="/v1/formats/{format}",
    tag="formats",
    summary="A file or link, read",
    description="Read a file: the body is the file itself, whatever its Content-Type.\n\n"
    "With auto it may also be a board as people write it: rows, tables, literals of programs, "
    "emoji, links and so on. `notes` say how it was read.",
    request=AskReadFormat,
    response=FileShown,
    make_input=_make_input,
    answer=_return_answer,
    partial_answer=None,
    takes_file=True,
    batched=False,
    examples={
        "file": Example(
            {"format": "mine", "file": SAMPLE},
            {
                "format": "mine",
                "board": ["1F?", "11?"],
                "layout": None,
                "mines": 1,
                "first": None,
                "symbols": {},
                "notes": [],
            },
        ),
    },
)
