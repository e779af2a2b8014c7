"""The routes that show the automata, and what they do with a board."""

from functools import partial
from time import monotonic
from typing import Annotated, Final

from fastapi import APIRouter, Path, Query, Request, Response

from app import problems
from app.answers import machines
from app.execution.workers import Workers
from app.questions import examples, schemas
from app.requests import puzzles, reading
from app.routes import openapi
from automata import Window
from automata.drawing import TooLargeToDraw
from minefield import Board
from solvers import Deadline

router: Final = APIRouter(prefix="/v1/automata", tags=["automata"])

#: The largest picture is laid out within a few seconds, on a slow machine within so many.
_DRAWN_IN: Final = 60.0

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
        description="json, dot or svg, in place of Accept",
        json_schema_extra={"enum": list(machines.FORMATS)},
    ),
]


@router.get(
    "",
    summary="Which automata can be seen whole?",
    responses=problems.described(400, 422),
    dependencies=[reading.queried()],
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
    dependencies=[reading.queried("form", "format")],
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
                deadline=Deadline.after(_DRAWN_IN),
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


@router.post(
    "/{name}/run",
    summary="What an automaton does with a board, column by column",
    response_class=Response,
    responses={
        200: {
            "description": "The run",
            "model": schemas.RunAnswer,
            "content": {"application/json": {"example": examples.RUN}},
        },
        **problems.described(400, 404, 408, 413, 415, 422, 503),
    },
    openapi_extra=openapi.described(schemas.AskRun, **examples.RUN_ASKED),
)
async def run(request: Request, name: _Name) -> Response:
    """The states that the machine is in after each column."""
    machines.width(name)
    started = monotonic()

    settings = request.app.state.settings

    def asked(ask: schemas.AskRun, arrived: float) -> tuple[Board, Window | None, Deadline]:
        deadline = reading.deadline_of(ask.deadline_ms, settings, arrived)
        board = puzzles.board(ask, settings.max_cells)
        window = None if ask.window is None else reading.window(ask.window, board)
        machines.columns(name, board, machines.part(board, window))
        return board, window, deadline

    board, window, deadline = await reading.read_ask(request, schemas.AskRun, settings, asked)
    try:
        body = await _workers(request).run(
            *(machines.told, name, board, window), deadline=deadline, gone=request.receive
        )
    except TimeoutError:
        body = machines.untold(
            name, monotonic() - started, machines.read(machines.part(board, window))
        )
    return Response(body, media_type="application/json")


async def _left(request: Request) -> None:
    """Until the client has left; a body, which no GET needs, is thrown away."""
    while (await request.receive())["type"] != "http.disconnect":
        pass


def _workers(request: Request) -> Workers:
    workers: Workers = request.app.state.workers
    return workers
