"""The route POST /v1/automata/{name}/step: one column more, for machines too large to be listed."""

from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from time import monotonic, perf_counter
from typing import Annotated, Any, Final, NamedTuple

import orjson
from fastapi import APIRouter, Path, Request, Response
from pydantic import BaseModel, ConfigDict, Field

from app import problems
from app.answers import render
from app.execution.workers import Workers
from app.questions.fields import DeadlineMs
from app.questions.verdict import Solver
from app.requests.body import read_model
from app.requests.jobs import due
from app.routes import machines
from app.settings import Settings
from automata import hu_lin, kadlac
from automata.hu_lin import ImpossibleColumn
from automata.profiles import CELLS
from minefield.amounts import several
from solvers import Deadline, DeadlinePassed

router: Final = APIRouter(prefix="/v1/automata", tags=["automata"])

#: States that a step may start from, and moves that it may make.
MOST_FROM: Final = 10_000
MOST_MOVES: Final = 100_000
#: What a cell of a state of ``strip-`` machines may be.
_PROFILE: Final = "-B0123"


class AskStep(BaseModel):
    """A column, and the states before it."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    column: str = Field(
        description=f"Its cells from top to bottom: `{CELLS}`; kadlac and hu-lin have no `S`"
    )
    states: list[str] | None = Field(
        default=None,
        max_length=MOST_FROM,
        description="The states before it, such as `reached` of the step before; without them, "
        "the start",
    )
    deadline_ms: DeadlineMs = None


class StepMove(BaseModel):
    """What a column does in one state."""

    state: str
    next: list[str] = Field(description="The states that follow; none where the run ends")


class StepAnswer(BaseModel):
    """The states after a column."""

    machine: str
    column: str
    moves: list[StepMove] | None = Field(description="For each of the states before the column")
    reached: list[str] | None = Field(description="All states that follow, each once")
    states: int | None = Field(description="How many these are")
    accepting: list[str] | None = Field(description="Those of them in which the board may end")
    why: str | None = Field(
        default=None, description="hu-lin: why no consistent board has this column"
    )
    solver: Solver


ASKED: Final[dict[str, Any]] = {"column": "1?0?", "states": ["----", "B---"]}
ANSWERED: Final[dict[str, Any]] = {
    "machine": "strip-4",
    "column": "1?0?",
    "moves": [{"state": "----", "next": ["1-0-"]}, {"state": "B---", "next": ["0-0-"]}],
    "reached": ["0-0-", "1-0-"],
    "states": 2,
    "accepting": ["0-0-"],
    "solver": {"name": "strip-4", "complete": True, "elapsed_ms": 0.4},
}


class Wanted(NamedTuple):
    """A machine, the column it reads, and the states that it is in."""

    name: str
    column: str
    states: tuple[str, ...]


@router.post(
    "/{name}/step",
    summary="One column more: the states that follow, of machines of any width",
    operation_id="step",
    response_class=Response,
    responses={
        200: {
            "description": "The states after the column",
            "model": StepAnswer,
            "content": {"application/json": {"example": ANSWERED}},
        },
        **problems.described(400, 404, 408, 413, 415, 422, 503),
    },
    openapi_extra={
        "requestBody": {
            "required": True,
            "content": {
                "application/json": {"schema": AskStep.model_json_schema(), "example": ASKED}
            },
        }
    },
)
async def step(
    request: Request,
    name: Annotated[
        str,
        Path(
            description="kadlac, hu-lin, or strip-1 to strip-12",
            openapi_examples={"strip-4": {"value": "strip-4"}},
        ),
    ],
) -> Response:
    """Nothing is listed but what is asked for, so the machine may have any number of states."""
    machines.width(name)
    started = monotonic()
    wanted, deadline = await read_model(request, AskStep, partial(asked, name))
    workers: Workers = request.app.state.workers
    body = await workers.found(told, wanted, deadline=deadline, gone=request.receive)
    if body is None:
        body = _rendered(wanted, {}, monotonic() - started)
    return Response(body, media_type="application/json")


def asked(name: str, ask: AskStep, settings: Settings, arrived: float) -> tuple[Wanted, Deadline]:
    """What a request asks, and by when.

    Raises:
        ProblemError: it makes no sense.
    """
    return wanted_of(name, ask), due(ask.deadline_ms, arrived, settings)


def wanted_of(name: str, ask: AskStep) -> Wanted:
    """What is asked for.

    Raises:
        ProblemError: the column, or a state, is none of the machine's.
    """
    rows = machines.width(name)
    if len(ask.column) != rows:
        problems.refuse(
            "wrong-width",
            f"{name} reads columns of {several(rows, 'cell')}; this one has {len(ask.column)}.",
            f"Send {several(rows, 'cell')}, such as {'?' * rows}.",
            "/column",
        )
    alphabet = CELLS if name.startswith("strip-") else CELLS.replace("S", "")
    for place, cell in enumerate(ask.column):
        if cell not in alphabet:
            problems.refuse(
                "outside-the-alphabet",
                f"The cell {cell!a} in row {place} of the column is not in the alphabet of {name}.",
                f"Use the symbols {alphabet}.",
                "/column",
            )
    start = machines.reader(name).start
    states = tuple(dict.fromkeys([start] if ask.states is None else ask.states))
    for place, state in enumerate(ask.states or ()):
        if not _is_state(name, state):
            problems.refuse(
                "unknown-state",
                f"{name} has no state {state[:40]!a}.",
                f"Use states that {name} has reached; it starts in {start}.",
                f"/states/{place}",
            )
    return Wanted(name, ask.column, states)


def _is_state(name: str, state: str) -> bool:
    if name.startswith("strip-"):
        return len(state) == machines.width(name) and set(state) <= set(_PROFILE)
    machine = kadlac.deciding() if name == "kadlac" else hu_lin.machine()
    return state in machine.moves


def told(wanted: Wanted, deadline: Deadline) -> bytes:
    """The states that follow, if they are found in time and are not too many."""
    started = perf_counter()
    machine = machines.reader(wanted.name)
    symbol = wanted.column
    if wanted.name == "hu-lin":
        symbol = "".join(sorted(symbol))
    found: dict[str, Any] = {}
    moves: list[dict[str, Any]] = []
    left = MOST_MOVES
    with suppress(DeadlinePassed):
        for state in wanted.states:
            deadline.check()
            following = machine.next(state, symbol)
            left -= len(following)
            if left < 0:
                break
            moves.append({"state": state, "next": following})
    complete = len(moves) == len(wanted.states)
    if complete:
        reached = sorted({state for move in moves for state in move["next"]})
        found = {
            "moves": moves,
            "reached": reached,
            "states": len(reached),
            "accepting": [state for state in reached if machine.accepts(state)],
        }
    return _rendered(wanted, found, perf_counter() - started, complete=complete)


def _rendered(
    wanted: Wanted, found: Mapping[str, Any], elapsed: float, *, complete: bool = False
) -> bytes:
    unknown = dict.fromkeys(("moves", "reached", "states", "accepting"))
    known = {"machine": wanted.name, "column": wanted.column}
    why = {}
    if wanted.name == "hu-lin":
        try:
            hu_lin.symbol_of(*wanted.column)
        except ImpossibleColumn as error:
            why = {"why": str(error)}
    solver = render.solver(wanted.name, complete, elapsed)
    return orjson.dumps({**known, **unknown, **found, **why, "solver": solver})
