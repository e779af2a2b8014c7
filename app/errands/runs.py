"""The errand run: what an automaton does with a board, column by column."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from time import perf_counter
from typing import Any, Final, NamedTuple

import orjson
from pydantic import BaseModel, Field

from app.answers import render
from app.errands import machines
from app.errands.machines import AskReading
from app.limits import Limits
from app.questions.fields import Rows
from app.questions.record import Errand, Example
from app.questions.verdict import Solver
from app.questions.verdict import Window as WindowShown
from automata import DiagramTooLarge, Window, drawn, hu_lin, kadlac, strip
from automata.machine import Reader
from automata.runs import Transition, trace
from automata.windows import Cut
from minefield import Board
from solvers import Deadline, DeadlinePassed


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
    columns: list[str] | None = Field(
        default=None, description="Where there are no steps: what is read, as their symbols"
    )
    output: str | None = Field(default=None, description="kadlac: what Table 2 writes")
    errors: list[RowError] | None = Field(default=None, description="kadlac: what is wrong")
    impossible: list[ImpossibleColumn] | None = Field(default=None, description="hu-lin")
    solver: Solver


class Wanted(NamedTuple):
    """A machine, and the board or the window that it reads."""

    name: str
    board: Board
    window: Window | None


def _wanted(ask: AskRun, limits: Limits) -> Wanted:
    return Wanted(ask.machine, *machines.read_by(ask.machine, ask, limits))


def _witness(board: Board, cut_out: Cut | None) -> list[str] | None:
    """A layout of the board, or of the window alone."""
    if cut_out is None:
        layout = strip(board).witness()
        return None if layout is None else layout.rows()
    mines = next(cut_out.layouts(), None)
    return None if mines is None else drawn(board, cut_out.window, mines)


def told(wanted: Wanted, deadline: Deadline) -> bytes:
    """What a machine does with what `machines.columns` lets pass, as JSON."""
    started = perf_counter()
    name = wanted.name
    cut_out, columns, found = _read(wanted)
    symbols = columns
    try:
        witness = _witness(wanted.board, cut_out)
    except DiagramTooLarge:
        return _stepless(found, columns, perf_counter() - started)
    found |= {"consistent": witness is not None, "witness": witness}
    if name == "hu-lin":
        found["impossible"] = list(_impossible(symbols))
        symbols = ["".join(sorted(column)) for column in symbols]
    try:
        run = trace(_Counted(machines.reader(name), deadline), symbols)
    except (_TooManyStates, DeadlinePassed):
        return _stepless(found, columns, perf_counter() - started)
    if sum(len(step.reached) + len(step.live) for step in run.steps) > machines.MOST_STATES:
        return _stepless(found, columns, perf_counter() - started)
    found |= {"start": run.start, "stops_at": run.dies}
    found["steps"] = [_step(step) for step in run.steps]
    if name == "kadlac":
        row = "".join(symbols)
        output = kadlac.run(row)
        found |= {"output": output.output, "stops_at": output.failed_at}
        found["errors"] = [asdict(error) for error in kadlac.errors(row)]
    if name == "hu-lin":
        merged = {state: q for q, states in hu_lin.classes().items() for state in states}
        for shown, step in zip(found["steps"], run.steps, strict=True):
            shown["merged"] = sorted({merged[state] for state in step.reached})
    found["solver"] = render.solver(name, True, perf_counter() - started)
    return orjson.dumps(found)


def _untold(wanted: Wanted, elapsed: float) -> bytes:
    _, columns, found = _read(wanted)
    return _stepless(found, columns, elapsed)


def _read(wanted: Wanted) -> tuple[Cut | None, list[str], dict[str, Any]]:
    """What is cut out of the board, the columns of it, and what is told of any run."""
    cut_out = machines.part(wanted.board, wanted.window)
    columns = machines.columns(wanted.name, wanted.board, cut_out)
    return cut_out, columns, {"machine": wanted.name, **machines.read(cut_out)}


def _stepless(known: Mapping[str, Any], columns: list[str], elapsed: float) -> bytes:
    """The answer for a run that took too much time or memory; ``elapsed`` is in seconds."""
    name = known["machine"]
    solver = render.solver(name, False, elapsed)
    unknown = dict.fromkeys(("consistent", "witness", "stops_at", "steps"))
    start = machines.reader(name).start
    found = {"machine": name, "start": start, **unknown, **known, "columns": columns}
    return orjson.dumps(found | {"solver": solver})


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
        self.accepts = reader.accepts
        self._next = reader.next
        self._left = machines.MOST_STATES
        self._check = deadline.check

    def next(self, state: str, symbol: str) -> tuple[str, ...]:
        """The states that ``symbol`` leads to."""
        self._check()
        found = self._next(state, symbol)
        self._left -= len(found)
        if self._left < 0:
            raise _TooManyStates
        return found


def _step(step: Transition) -> dict[str, Any]:
    return {
        "symbol": step.symbol,
        "reached": sorted(step.reached),
        "live": sorted(step.live),
    }


def _impossible(columns: list[str]) -> Iterator[dict[str, Any]]:
    """The columns that occur in no consistent board, and why."""
    for place, column in enumerate(columns):
        try:
            hu_lin.symbol_of(*column)
        except hu_lin.ImpossibleColumn as error:
            yield {"column": place, "why": str(error)}


RUN: Final = Errand(
    name="run",
    path="/v1/automata/{machine}/run",
    tag="automata",
    summary="What an automaton does with a board, column by column",
    description="The states that the machine is in after each column.",
    asked=AskRun,
    answered=RunAnswer,
    wanted=_wanted,
    told=told,
    untold=_untold,
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
                "solver": {"name": "kadlac", "complete": True, "elapsed_ms": 0.4},
            },
        ),
    },
)
