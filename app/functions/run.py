"""The operation run: what an automaton does with a board, column by column."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict
from time import perf_counter
from typing import Any, Final, NamedTuple

import orjson
from pydantic import BaseModel, Field

from minecheck.app.functions import machines
from minecheck.app.functions.machines import AskReading
from minecheck.app.limits import Limits
from minecheck.app.operation import FunctionOperation
from minecheck.app.questions.fields import Rows
from minecheck.app.questions.verdict import Solver, WindowAnswer
from minecheck.automata import DiagramTooLarge, Window, draw_layout, hu_lin, kadlac, make_strip
from minecheck.automata.machine import Reader
from minecheck.automata.runs import Transition, trace_word
from minecheck.automata.windows import Cut
from minecheck.minefield import Board
from minecheck.solvers import Deadline, DeadlinePassed
from minecheck.solvers.documents import render
from minecheck.solvers.tasks.task import Example


class AskRun(AskReading):
    """A board, or a window of it, that an automaton reads."""


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


class ImpossibleColumn(BaseModel):
    """A column that occurs in no consistent board."""

    column: int
    why: str


class RunAnswer(BaseModel):
    """The run of an automaton over a board."""

    machine: str
    consistent: bool | None
    witness: Rows | None = Field(description="A layout; of a window as /v1/strips draws it")
    read: WindowAnswer | None = Field(
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
    columns: list[str] | None = Field(
        default=None, description="Where there are no steps: what is read, as their symbols"
    )
    output: str | None = Field(default=None, description="kadlac: what Table 2 writes")
    errors: list[RowError] | None = Field(default=None, description="kadlac: what is wrong")
    impossible: list[ImpossibleColumn] | None = Field(default=None, description="hu-lin")
    solver: Solver


class RunInput(NamedTuple):
    """A machine, and the board or the window that it reads."""

    name: str
    board: Board
    window: Window | None


def _make_input(ask: AskRun, limits: Limits) -> RunInput:
    return RunInput(ask.machine, *machines.read_by(ask.machine, ask, limits))


def _find_witness(board: Board, cut_out: Cut | None, deadline: Deadline) -> list[str] | None:
    """Find a layout of the board, or of the window alone.

    Raises:
        DiagramTooLarge: there is no room for it.
        DeadlinePassed: there is no time for it.
    """
    if cut_out is None:
        layout = make_strip(board, check=deadline.check).find_witness()
        return None if layout is None else layout.rows()
    mines = next(cut_out.iterate_layouts(), None)
    return None if mines is None else draw_layout(board, cut_out.window, mines)


def answer_run(request: RunInput, deadline: Deadline) -> bytes:
    """Return the run over the columns that `machines.list_columns` accepts, as JSON."""
    started = perf_counter()
    name = request.name
    cut_out, columns, fields = _read_columns(request, deadline.check)
    symbols = columns
    try:
        witness = _find_witness(request.board, cut_out, deadline)
    except (DiagramTooLarge, DeadlinePassed):
        return _render_without_steps(fields, columns, perf_counter() - started)
    fields |= {"consistent": witness is not None, "witness": witness}
    if name == "hu-lin":
        fields["impossible"] = list(_iterate_impossible(symbols))
        symbols = ["".join(sorted(column)) for column in symbols]
    try:
        run = trace_word(_Counted(machines.find_reader(name), deadline), symbols)
    except (_TooManyStates, DeadlinePassed):
        return _render_without_steps(fields, columns, perf_counter() - started)
    if sum(len(step.reached) + len(step.live) for step in run.steps) > machines.MOST_STATES:
        return _render_without_steps(fields, columns, perf_counter() - started)
    fields |= {"start": run.start, "stops_at": run.dies}
    fields["steps"] = [_render_step(step) for step in run.steps]
    if name == "kadlac":
        row = "".join(symbols)
        output = kadlac.run_machine(row)
        fields |= {"output": output.output, "stops_at": output.failed_at}
        fields["errors"] = [asdict(error) for error in kadlac.find_errors(row)]
    if name == "hu-lin":
        merged = {state: q for q, states in hu_lin.list_classes().items() for state in states}
        for shown, step in zip(fields["steps"], run.steps, strict=True):
            shown["merged"] = sorted({merged[state] for state in step.reached})
    fields["solver"] = render.describe_automaton(name, True, perf_counter() - started)
    return orjson.dumps(fields)


def _partial_answer(request: RunInput, elapsed: float) -> bytes:
    _, columns, fields = _read_columns(request)
    return _render_without_steps(fields, columns, elapsed)


def _read_columns(
    request: RunInput, check: Callable[[], None] = lambda: None
) -> tuple[Cut | None, list[str], dict[str, Any]]:
    """Return the window, its columns, and the fields that every answer has."""
    cut_out = machines.cut_part(request.board, request.window, check)
    columns = machines.list_columns(request.name, request.board, cut_out)
    return cut_out, columns, {"machine": request.name, **machines.describe_part(cut_out)}


def _render_without_steps(fields: Mapping[str, Any], columns: list[str], elapsed: float) -> bytes:
    """Return the answer for a run that took too much time or memory.

    ``elapsed`` is the time that it took, in seconds.
    """
    name = fields["machine"]
    solver = render.describe_automaton(name, False, elapsed)
    unknown = dict.fromkeys(("consistent", "witness", "stops_at", "steps"))
    start = machines.find_reader(name).start
    answer = {"machine": name, "start": start, **unknown, **fields, "columns": columns}
    return orjson.dumps(answer | {"solver": solver})


class _TooManyStates(Exception):
    """A run goes through more than `MOST_STATES`."""


class _Counted:
    """A reader that counts the states it leads to, and looks at the time.

    Raises:
        _TooManyStates: there are more than `machines.MOST_STATES`.
        DeadlinePassed: it takes too long.
    """

    def __init__(self, reader: Reader, deadline: Deadline) -> None:
        self.start = reader.start
        self.is_accepting = reader.is_accepting
        self._next = reader.follow
        self._left = machines.MOST_STATES
        self._check = deadline.check

    def follow(self, state: str, symbol: str) -> tuple[str, ...]:
        """Return the states that ``symbol`` leads to."""
        self._check()
        successors = self._next(state, symbol)
        self._left -= len(successors)
        if self._left < 0:
            raise _TooManyStates
        return successors


def _render_step(step: Transition) -> dict[str, Any]:
    return {
        "symbol": step.symbol,
        "reached": sorted(step.reached),
        "live": sorted(step.live),
    }


def _iterate_impossible(columns: list[str]) -> Iterator[dict[str, Any]]:
    """Yield the columns that occur in no consistent board, and why."""
    for index, column in enumerate(columns):
        try:
            hu_lin.encode_column(*column)
        except hu_lin.ImpossibleColumnError as error:
            yield {"column": index, "why": str(error)}


RUN: Final = FunctionOperation(
    name="run",
    path="/v1/automata/{machine}/run",
    tag="automata",
    summary="What an automaton does with a board, column by column",
    description="The states that the machine is in after each column.",
    request=AskRun,
    response=RunAnswer,
    make_input=_make_input,
    answer=answer_run,
    partial_answer=_partial_answer,
    examples={
        "board": Example(
            {"machine": "kadlac", "board": ["1?"]},
            {
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
                "solver": {
                    "name": "automata",
                    "machines": ["kadlac"],
                    "complete": True,
                    "elapsed_ms": 0.4,
                },
            },
        ),
    },
)
