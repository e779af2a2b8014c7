"""The routes that show the automata, and what they do with a board."""

from functools import partial
from time import monotonic
from typing import Annotated, Any, Final

from fastapi import APIRouter, Path, Query, Request, Response
from pydantic import BaseModel, Field

from app import problems
from app.execution.workers import Workers
from app.questions import puzzles
from app.questions.fields import AskBoard, Cutting, Rows
from app.questions.verdict import Solver
from app.questions.verdict import Window as WindowShown
from app.requests import query
from app.requests.body import read_model
from app.requests.jobs import due
from app.routes import machines, openapi
from app.settings import Settings
from automata import Window
from automata.drawing import TooLargeToDraw
from minefield import Board
from solvers import Deadline


class AskRun(AskBoard):
    """A board, or a window of it, that an automaton reads."""

    window: Cutting | None = Field(
        default=None,
        description="What is read instead of the whole board, as for /v1/strips: an object, or "
        "row,col,height,width in one string",
    )


class RunStep(BaseModel):
    """A column of a run."""

    symbol: str = Field(
        description="Its cells. In a window a clue is what it leaves for cells that are not known "
        "to be mines outside, `!` where these are too many"
    )
    reached: list[str] = Field(description="States that some run is in after the column")
    live: list[str] = Field(description="Those of them on runs that are accepted")
    merged: list[str] | None = Field(default=None, description="hu-lin: q0 to q8")


class RowError(BaseModel):
    """A smallest piece of a row that contradicts itself: squares start to stop - 1."""

    type: str | None = Field(description="Kadlac's type of error: 1e, 2e or Be")
    subtype: str | None = Field(description="Her subtype; null for pieces not in her Table 3")
    start: int
    stop: int
    at_start: bool = Field(description="Whether it matters that the row begins there")
    at_end: bool = Field(description="Whether it matters that the row ends there")


class WindowError(BaseModel):
    """Four squares inside a board of one row, with a free one on either side."""

    window: str = Field(description="Over 0, 1, 2, B and ?")
    consistent: bool
    type: str | None = Field(description="Of the first error: 1e, 2e or Be, as in Table 3")
    subtype: str | None


class ImpossibleColumn(BaseModel):
    """A column that occurs in no consistent board."""

    column: int
    why: str


class RunAnswer(BaseModel):
    """What an automaton does with a board."""

    machine: str
    consistent: bool | None
    witness: Rows | None = Field(description="A layout; of a window as /v1/strips draws it")
    read: WindowShown | None = Field(
        default=None,
        description="With a window: the part of the board that is read, which is the window and "
        "the unknown cells outside that its clues see",
    )
    start: str
    stops_at: int | None = Field(
        description="The column after which no run is left, or the number of columns when the "
        "end of the board rejects it; null for a consistent board"
    )
    steps: list[RunStep] | None
    output: str | None = Field(default=None, description="kadlac: what Table 2 writes")
    errors: list[RowError] | None = Field(default=None, description="kadlac: what is wrong")
    impossible: list[ImpossibleColumn] | None = Field(default=None, description="hu-lin")
    solver: Solver


ASKED: Final[dict[str, dict[str, Any]]] = {
    "board": {"board": ["1?"]},
    "window": {"board": ["1??", "B1?"], "window": "0,0,1,2"},
}
RUN: Final[dict[str, Any]] = {
    "machine": "kadlac",
    "consistent": True,
    "witness": ["1B"],
    "start": "so",
    "stops_at": None,
    "steps": [
        {"symbol": "1", "reached": ["1o"], "live": ["1o"]},
        {"symbol": "?", "reached": ["?b"], "live": ["?b"]},
    ],
    "output": "0B",
    "errors": [],
    "solver": {"name": "kadlac", "complete": True, "elapsed_ms": 0.4},
}

router: Final = APIRouter(prefix="/v1/automata", tags=["automata"])

#: The largest machine is worked out within a second, on a slow computer within so many.
_WORKED_OUT_IN: Final = 60.0

_Name = Annotated[
    str,
    Path(
        description="kadlac, hu-lin, or strip-1 to strip-12 (listed: strip-1 to strip-3)",
        openapi_examples={"hu-lin": {"value": "hu-lin"}},
    ),
]
_Form = Annotated[
    str | None,
    Query(
        description="given, merged (hu-lin only), deterministic or minimal; without it the "
        "machine as given, or for a picture the fullest form that can be drawn",
        json_schema_extra={"enum": ["given", "merged", "deterministic", "minimal"]},
    ),
]
_Format = Annotated[
    str | None,
    Query(
        alias="format",
        description="json, dot or svg, instead of the Accept header",
        json_schema_extra={"enum": list(machines.FORMATS)},
    ),
]


@router.get(
    "",
    summary="Which automata can be listed in full?",
    responses=problems.described(400, 422),
    dependencies=[query.only()],
)
async def names() -> list[str]:
    """The names of all machines that can be listed."""
    return list(machines.NAMES)


@router.get(
    "/{name}",
    summary="An automaton as JSON, DOT or SVG",
    response_class=Response,
    responses={
        200: {
            "description": "The machine",
            "content": {kind: {} for kind in machines.FORMATS.values()},
        },
        **problems.described(400, 404, 422, 503),
    },
    dependencies=[query.only("form", "format")],
)
async def machine(
    request: Request, name: _Name, form: _Form = None, kind: _Format = None
) -> Response:
    """The machine, in the format asked for."""
    wanted = machines.format_of(kind, ",".join(request.headers.getlist("accept")))
    forms = list(machines.forms(name)) if form is None else [form]
    refusal = None
    for tried in forms if wanted == "svg" else forms[:1]:
        machines.in_form(name, tried)
        try:
            body = await _workers(request).run(
                *(machines.written, name, tried, wanted),
                deadline=Deadline.after(_WORKED_OUT_IN),
                gone=partial(_left, request),
            )
        except TooLargeToDraw as error:
            refusal = refusal or error
            continue
        except TimeoutError:
            raise problems.not_ready() from None
        location = f"{router.prefix}/{name}?form={tried}&format={wanted}"
        headers = {"Content-Location": location, "Vary": "Accept"}
        return Response(body, headers=headers, media_type=machines.FORMATS[wanted])
    assert refusal is not None, "every machine has a form"
    raise problems.of_picture(refusal)


@router.get(
    "/kadlac/windows",
    summary="Kadlac's Appendix B: all windows of four squares, and what is wrong in each",
    responses={
        200: {"description": "All 625 windows", "model": list[WindowError]},
        **problems.described(400, 422, 503),
    },
    dependencies=[query.only()],
    response_class=Response,
)
async def windows(request: Request) -> Response:
    """Computed, which differs from the printed table in six windows: see docs/errata.md, K9."""
    try:
        body = await _workers(request).run(
            machines.windows,
            deadline=Deadline.after(_WORKED_OUT_IN),
            gone=partial(_left, request),
        )
    except TimeoutError:
        raise problems.not_ready() from None
    return Response(body, media_type="application/json")


@router.post(
    "/{name}/run",
    summary="What an automaton does with a board, column by column",
    response_class=Response,
    responses={
        200: {
            "description": "The run",
            "model": RunAnswer,
            "content": {"application/json": {"example": RUN}},
        },
        **problems.described(400, 404, 408, 413, 415, 422, 503),
    },
    openapi_extra=openapi.described(AskRun, ASKED),
)
async def run(request: Request, name: _Name) -> Response:
    """The states that the machine is in after each column."""
    machines.width(name)
    started = monotonic()
    board, window, deadline = await read_model(request, AskRun, partial(asked, name))
    try:
        body = await _workers(request).run(
            *(machines.told, name, board, window), deadline=deadline, gone=request.receive
        )
    except TimeoutError:
        body = machines.untold(
            name, monotonic() - started, machines.read(machines.part(board, window))
        )
    return Response(body, media_type="application/json")


def asked(
    name: str, ask: AskRun, settings: Settings, arrived: float
) -> tuple[Board, Window | None, Deadline]:
    """What a request asks, and by when.

    Raises:
        ProblemError: it makes no sense.
    """
    deadline = due(ask.deadline_ms, arrived, settings)
    board = puzzles.board(ask, settings.max_cells)
    window = None if ask.window is None else puzzles.window(ask.window, board)
    machines.columns(name, board, machines.part(board, window))
    return board, window, deadline


async def _left(request: Request) -> None:
    """Until the client has left; a body, which no GET needs, is thrown away."""
    while (await request.receive())["type"] != "http.disconnect":
        pass


def _workers(request: Request) -> Workers:
    workers: Workers = request.app.state.workers
    return workers
