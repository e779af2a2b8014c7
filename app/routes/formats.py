"""The routes that read and write the community's formats."""

from collections.abc import Mapping
from functools import partial
from http import HTTPStatus
from typing import Annotated, Any, Final

import orjson
from fastapi import APIRouter, Path, Request, Response
from pydantic import BaseModel, Field, WithJsonSchema

from minecheck.app import problem_responses, problems
from minecheck.app.problems import ProblemError
from minecheck.app.questions import puzzles
from minecheck.app.questions.fields import (
    BOARD_SCHEMA,
    AskBoard,
    AskCell,
    JsonCell,
    LayoutRows,
    Rows,
)
from minecheck.app.questions.puzzles import read_board
from minecheck.app.quoting import quote_text
from minecheck.app.requests import maps, query
from minecheck.app.requests.board_text import read_board_or_file
from minecheck.app.requests.body import make_from_body, read_body, read_model, require_no_multipart
from minecheck.app.requests.json_reader import BODY, decode_utf8
from minecheck.app.routes import openapi
from minecheck.app.routes.constant import answer_constant, tag_content
from minecheck.app.settings import Settings
from minecheck.minefield import Notation, draw, formats
from minecheck.minefield.formats import AUTO, FORMATS, FormatError, Opened
from minecheck.minefield.reader import BoardReading
from minecheck.minefield.spelling import suggest_name

router: Final = APIRouter(prefix="/v1/formats", tags=["formats"])

_SAMPLE: Final = "3x2x1\n1FH\n11H\n"
_BOARD: Final = ["1F?", "11?"]
_LAYOUT: Final = ["1B1", "111"]
#: The field that each rejection of writing is about.
_ABOUT: Final = {
    "first-off-the-board": "/first",
    "layout-missing": "/layout",
    "mines-differ": "/mines",
    "mines-missing": "/mines",
    "shapes-differ": "/layout",
    "too-many-mines": "/mines",
}

_From = Annotated[
    str,
    Path(
        description="Name of the format, or auto, which recognises all but mbf, abf and hex, and "
        "reads boards as people write them",
        json_schema_extra={"enum": [AUTO, *FORMATS]},
    ),
]
_Into = Annotated[
    str, Path(description="Name of the format", json_schema_extra={"enum": list(FORMATS)})
]


class FormatShown(BaseModel):
    """A format."""

    name: str
    title: str
    media_type: str
    suffix: str
    holds: list[str] = Field(
        description="view: what a player sees; map: where all the mines are",
        json_schema_extra={"items": {"type": "string", "enum": ["view", "map"]}},
    )


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


class AskWrite(AskBoard):
    """A board, a layout, or both, to be written."""

    board: Annotated[Any, WithJsonSchema(BOARD_SCHEMA)] = None
    layout: LayoutRows = Field(
        default=None,
        description="Where all the mines are, as answers draw it: B for mines, and on safe cells "
        "their number or S",
    )
    mines: int | None = Field(
        default=None, ge=0, description="Mines on the whole board; not needed with a layout"
    )
    first: AskCell | None = Field(
        default=None, description="The cell that the game begins with, [row, col] or row,col"
    )


@router.get(
    "",
    summary="Which formats are read and written?",
    responses=problem_responses.problem_responses(400, 422),
    response_model=list[FormatShown],
    dependencies=[query.allow_query_names()],
)
async def list_formats(request: Request) -> Response:
    """Return all formats, with their media types, the suffixes of files, and what they hold."""
    shown = [
        FormatShown(
            name=entry.name,
            title=entry.title,
            media_type=entry.media_type,
            suffix=entry.suffix,
            holds=entry.holds,
        ).model_dump()
        for entry in FORMATS.values()
    ]
    content = orjson.dumps(shown)
    return answer_constant(request, content, "application/json", tag_content(content))


@router.post(
    "/{format}",
    summary="A file or link, read",
    operation_id="read_format",
    response_class=Response,
    responses={
        200: {"description": "What it holds", "model": FileShown},
        **problem_responses.problem_responses(400, 404, 408, 413, 415, 422),
    },
    openapi_extra={
        "parameters": [
            {
                "name": "symbols",
                "in": "query",
                "required": False,
                "description": "With auto: what symbols mean, as JSON or as X=mine,.=unknown",
                "schema": {"type": "string"},
            },
            {
                "name": "notation",
                "in": "query",
                "required": False,
                "description": "With auto: the notation of the text, if it is known",
                "schema": {"type": "string", "enum": list(Notation)},
            },
        ],
        "requestBody": {
            "required": True,
            "content": {
                "text/plain": {"schema": {"type": "string"}, "example": _SAMPLE},
                "application/octet-stream": {"schema": {"type": "string", "format": "binary"}},
            },
        },
    },
)
async def read_file(request: Request, format: _From) -> Response:
    """Read a file: the body is the file itself, whatever its Content-Type.

    With auto it may also be a board as people write it: rows, tables, literals of programs, emoji,
    links and so on. `notes` say how it was read.
    """
    _check_name(format, AUTO)
    require_no_multipart(request)
    options = query.read_parameters(request, "symbols", "notation") if format == AUTO else {}
    settings = request.app.state.settings
    body = await read_body(request, settings)
    read = partial(_read_in_worker, body, format, options, settings.max_cells)
    shown = await make_from_body(request, body, read)
    return Response(shown, media_type="application/json")


@router.post(
    "/{format}/write",
    summary="A board or a layout, as a file or link",
    operation_id="write_format",
    response_class=Response,
    responses={
        200: {
            "description": "The file",
            "content": {
                "application/octet-stream": {"schema": {"type": "string", "format": "binary"}},
                "text/plain": {"schema": {"type": "string"}, "example": _SAMPLE},
            },
        },
        **problem_responses.problem_responses(400, 404, 408, 413, 415, 422),
    },
    openapi_extra=openapi.describe_route(
        AskWrite,
        {
            "layout": {"layout": _LAYOUT, "first": [1, 0]},
            "board": {"board": _BOARD, "mines": 1},
        },
        # Most formats need the number of mines, too.
        alone=False,
    ),
)
async def write_file(request: Request, format: _Into) -> Response:
    """Write a board or a layout; the format omits what it cannot hold, see `holds`."""
    _check_name(format)
    file = await read_model(request, AskWrite, partial(render_file, format))
    entry = FORMATS[format]
    disposition = f'attachment; filename="board{entry.suffix}"'
    return Response(
        file,
        media_type=entry.media_type,
        headers={"Content-Disposition": disposition},
    )


def _check_name(name: str, *further: str) -> None:
    if name not in (*FORMATS, *further):
        raise ProblemError(
            HTTPStatus.NOT_FOUND,
            "no-such-format",
            f"{quote_text(name)} is not a format.",
            f"{suggest_name(name, FORMATS)}Use one of: {', '.join([*further, *FORMATS])}.",
        )


def _read_in_worker(body: bytes, format: str, options: Mapping[str, str], most: int) -> bytes:
    """Return the contents of a file, or the board in a text, as JSON."""
    symbols = options.get("symbols")
    if notation := options.get("notation"):
        text = decode_utf8(body, BODY)
        reading = BoardReading(read_board(text, most, notation, "", symbols), notation=notation)
    else:
        reading = read_board_or_file(body, symbols, most, field="", format=format)
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


def render_file(format: str, ask: AskWrite, settings: Settings) -> bytes | str:
    """Return the file for the fields of a request.

    Args:
        format: the name of the format.
        ask: the fields.
        settings: the settings of the service.

    Raises:
        ProblemError: a field cannot be read, or the format cannot hold it.
    """
    most = settings.max_cells
    board = None if ask.board is None else puzzles.board_of_request(ask, most)
    layout = None if ask.layout is None else maps.parse_layout_rows(ask.layout, most).layout
    first = None if ask.first is None else (ask.first[0], ask.first[1])
    try:
        return formats.write(Opened(board, layout, ask.mines, format, first), format)
    except FormatError as error:
        raise problems.make_format_problem(error, _ABOUT.get(error.code, "/board")) from None
