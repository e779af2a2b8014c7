"""The operation step: one column more, for machines too large to be listed."""

from contextlib import suppress
from time import perf_counter
from typing import Any, Final, NamedTuple

import orjson
from pydantic import BaseModel, Field

from minecheck.app import problems
from minecheck.app.functions import machines
from minecheck.app.functions.machines import MachineName
from minecheck.app.limits import Limits
from minecheck.app.operation import FunctionOperation
from minecheck.app.questions.fields import DeadlineMs, RequestFields
from minecheck.app.questions.verdict import Solver
from minecheck.app.quoting import quote_text
from minecheck.automata import hu_lin
from minecheck.automata.hu_lin import ImpossibleColumnError
from minecheck.automata.machine import Machine
from minecheck.automata.profiles import CELLS
from minecheck.minefield.numerals import format_count
from minecheck.solvers import Deadline, DeadlinePassed
from minecheck.solvers.documents import render
from minecheck.solvers.tasks.task import Example

#: States that a step may start from, and moves that it may make.
MOST_FROM: Final = 10_000
MOST_MOVES: Final = 100_000
#: The possible cells in a state of ``strip-`` machines.
_PROFILE: Final = "-B0123"


class AskStep(RequestFields):
    """A column, and the states before it."""

    machine: MachineName
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
    """The effect of a column on one state."""

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


class StepInput(NamedTuple):
    """A machine, the column it reads, and the states that it is in."""

    name: str
    column: str
    states: tuple[str, ...]


def _make_input(ask: AskStep, limits: Limits) -> StepInput:
    """Return the step of a request.

    Raises:
        ProblemError: the column, or a state, is none of the machine's.
    """
    name = ask.machine
    rows = machines.count_rows_read(name)
    if len(ask.column) != rows:
        problems.reject_field(
            "wrong-width",
            f"{name} reads columns of {format_count(rows, 'cell')}; "
            f"this one has {len(ask.column)}.",
            f"Send {format_count(rows, 'cell')}, such as {'?' * rows}.",
            "/column",
        )
    alphabet = CELLS if name.startswith("strip-") else CELLS.replace("S", "")
    for row, cell in enumerate(ask.column):
        if cell not in alphabet:
            problems.reject_field(
                "outside-the-alphabet",
                f"The cell {quote_text(cell)} in row {row} of the column is not in the alphabet of "
                f"{name}.",
                f"Use the symbols {alphabet}.",
                "/column",
            )
    start = machines.find_reader(name).start
    states = tuple(dict.fromkeys([start] if ask.states is None else ask.states))
    for index, state in enumerate(ask.states or ()):
        if not _is_state(name, state):
            problems.reject_field(
                "unknown-state",
                f"{name} has no state {quote_text(state)}.",
                f"Use states that {name} has reached; it starts in {start}.",
                f"/states/{index}",
            )
    return StepInput(name, ask.column, states)


def _is_state(name: str, state: str) -> bool:
    reader = machines.find_reader(name)
    if isinstance(reader, Machine):
        return state in reader.moves
    return len(state) == machines.count_rows_read(name) and set(state) <= set(_PROFILE)


def _answer_step(request: StepInput, deadline: Deadline) -> bytes:
    """Return the states that follow, if they are found in time and are not too many."""
    started = perf_counter()
    machine = machines.find_reader(request.name)
    symbol = request.column
    if request.name == "hu-lin":
        symbol = "".join(sorted(symbol))
    fields = None
    moves: list[dict[str, Any]] = []
    moves_left = MOST_MOVES
    with suppress(DeadlinePassed):
        for state in request.states:
            deadline.check()
            following = machine.follow(state, symbol)
            moves_left -= len(following)
            if moves_left < 0:
                break
            moves.append({"state": state, "next": following})
    if len(moves) == len(request.states):
        reached = sorted({state for move in moves for state in move["next"]})
        fields = {
            "moves": moves,
            "reached": reached,
            "states": len(reached),
            "accepting": [state for state in reached if machine.is_accepting(state)],
        }
    return _render_answer(request, perf_counter() - started, fields)


def _render_answer(
    request: StepInput, elapsed: float, fields: dict[str, Any] | None = None
) -> bytes:
    """Return the answer as JSON: what is not among the fields is null."""
    unknown = dict.fromkeys(("moves", "reached", "states", "accepting"))
    header = {"machine": request.name, "column": request.column}
    why = {}
    if request.name == "hu-lin":
        try:
            hu_lin.encode_column(*request.column)
        except ImpossibleColumnError as error:
            why = {"why": str(error)}
    solver = render.describe_automaton(request.name, bool(fields), elapsed)
    return orjson.dumps({**header, **unknown, **(fields or {}), **why, "solver": solver})


STEP: Final = FunctionOperation(
    name="step",
    path="/v1/automata/{machine}/step",
    tag="automata",
    summary="One column more: the states that follow, of machines of any width",
    description="Nothing is listed but what is asked for: the machine may have any number of "
    "states.",
    request=AskStep,
    response=StepAnswer,
    make_input=_make_input,
    answer=_answer_step,
    partial_answer=_render_answer,
    examples={
        "column": Example(
            {"machine": "strip-4", "column": "1?0?", "states": ["----", "B---"]},
            {
                "machine": "strip-4",
                "column": "1?0?",
                "moves": [
                    {"state": "----", "next": ["1-0-"]},
                    {"state": "B---", "next": ["0-0-"]},
                ],
                "reached": ["0-0-", "1-0-"],
                "states": 2,
                "accepting": ["0-0-"],
                "solver": {
                    "name": "automata",
                    "machines": ["strip-4"],
                    "complete": True,
                    "elapsed_ms": 0.4,
                },
            },
        ),
    },
)
