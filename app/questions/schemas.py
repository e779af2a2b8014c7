"""Bodies of requests and answers, as pydantic models and OpenAPI schemas."""

import re
from collections.abc import Callable
from contextlib import suppress
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from functools import partial
from typing import Annotated, Any, Literal

from fastapi import FastAPI
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    InstanceOf,
    WithJsonSchema,
)

from minefield import DIALECTS, parse_place
from solvers import SEEDS, Backend

Count = Annotated[str, Field(pattern=r"^[0-9]+$")]
Place = Annotated[list[int], Field(min_length=2, max_length=2)]
Rows = list[str]

BOARD_SCHEMA = {
    "description": (
        "The board as text with one row a line, as a list of strings, or as nested lists of "
        "symbols and clues. Standard notation: `0`-`8` clue, `?` unknown, `B` or `*` mine, "
        "`S` safe but its number unknown, `F` a player's flag."
    ),
    "anyOf": [
        {"type": "string", "minLength": 1},
        {"type": "array", "items": {"type": "string", "minLength": 1}, "minItems": 1},
        {
            "type": "array",
            "items": {
                "type": "array",
                "items": {
                    "anyOf": [
                        {"type": "string", "minLength": 1, "maxLength": 1},
                        {"type": "integer", "minimum": 0, "maximum": 8},
                    ]
                },
                "minItems": 1,
            },
            "minItems": 1,
        },
    ],
    "examples": [["1?", "??"]],
}


DeadlineMs = Annotated[
    int | None,
    Field(
        ge=1,
        description="Time for the answer in milliseconds; the service has a default and a maximum",
    ),
]


class AskBoard(BaseModel):
    """A board and how to read it."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    board: Annotated[Any, WithJsonSchema(BOARD_SCHEMA)]
    notation: str = Field(
        default="standard",
        description="Dialect of the board",
        json_schema_extra={"enum": list(DIALECTS)},
    )
    flags: Literal["claims", "trust"] = Field(
        default="claims",
        description="Flags as claims to be judged (their cells are unknown), or as mines",
    )
    deadline_ms: DeadlineMs = None


_RULES_SCHEMA = {
    "type": "array",
    "minItems": 1,
    "items": {
        "type": "object",
        "properties": {
            "cells": {
                "type": "array",
                "items": {"type": "string", "minLength": 1, "maxLength": 100},
                "uniqueItems": True,
            },
            "mines": {"type": "integer", "minimum": 0},
            "low": {"type": "integer", "minimum": 0},
            "high": {"type": "integer", "minimum": 0},
        },
        "required": ["cells"],
        "additionalProperties": False,
    },
    "examples": [
        [{"cells": ["a", "b"], "mines": 1}, {"cells": ["b", "c", "d"], "low": 1, "high": 2}]
    ],
}


class Ask(AskBoard):
    """A board, or rules in its place, and how to look at it."""

    board: Annotated[Any, WithJsonSchema(BOARD_SCHEMA)] = None
    rules: Annotated[Any, WithJsonSchema(_RULES_SCHEMA)] = Field(
        default=None,
        description="In place of a board: how many mines (exactly, or from low to high) are among "
        "the cells of each rule, named as you like. Answers then name cells, not places",
    )
    total_cells: int | None = Field(
        default=None,
        ge=0,
        description="Beside rules only: number of cells in all; those without a name are others",
    )
    mines: int | None = Field(
        default=None,
        ge=0,
        description="Exact number of mines on the whole board, known ones included",
    )
    backend: Annotated[
        Backend, Field(strict=False), WithJsonSchema({"type": "string", "enum": list(Backend)})
    ] = Field(
        default=Backend.AUTO, description="The method; `auto` takes the cheapest that is exact"
    )


class AskCertified(Ask):
    """A board whose verdict, or forced cells, may be proved."""

    certificate: bool = Field(
        default=False,
        description="Whether to give a certificate: a layout, or proofs, for `minecheck verify`",
    )


_CELL_SCHEMA = {
    "anyOf": [
        {"type": "array", "items": {"type": "integer"}, "minItems": 2, "maxItems": 2},
        {"type": "string"},
    ],
    "examples": [[0, 3], "0,3"],
}


def _auto(backend: Backend) -> Backend:
    if backend is not Backend.AUTO:
        raise ValueError("reasons and repairs are found by auto alone")
    return backend


class AskReasoned(Ask):
    """A board for which there is one way only."""

    backend: Annotated[
        Backend,
        Field(strict=False),
        AfterValidator(_auto),
        WithJsonSchema({"type": "string", "enum": [Backend.AUTO]}),
    ] = Field(default=Backend.AUTO, description="The method; there is but one")


def _place(value: object) -> object:
    """What one string says as row,col, as the list it means."""
    place = parse_place(value) if isinstance(value, str) else None
    return value if place is None else list(place)


#: The cell that a game begins with.
FirstPlace = Annotated[Place, BeforeValidator(_place), WithJsonSchema(_CELL_SCHEMA)]


class AskExplain(AskReasoned):
    """A board to be explained."""

    cell: Annotated[Any, WithJsonSchema(_CELL_SCHEMA)] = Field(
        default=None,
        description="The one unknown cell that is asked about, [row, col] or row,col in one "
        "string (rules: its name); by default all forced cells",
    )


class AskRepair(AskReasoned):
    """A board to be repaired."""

    limit: int = Field(default=10, ge=1, description="How many repairs are wanted at most")


_LONGEST_DENSITY = 100
_MOST_PLACES = 1000
# In time linear in their length: no two parts may take the same digits.
_DECIMAL = r"([0-9]+(\.[0-9]+)?|\.[0-9]+)([eE][-+]?[0-9]+)?"
_RATIO = r"[0-9]+/[0-9]+"


class Written(float):
    """A number that no float equals, with its digits as they were written."""

    def __new__(cls, digits: str) -> "Written":
        """From a decimal number."""
        number = super().__new__(cls, digits)
        number.digits = digits
        return number

    digits: str


def _density(value: object) -> object:
    """The decimal, or the ratio, as it was written, as a fraction."""
    if value is None:
        return None
    if isinstance(value, int | float | str) and not isinstance(value, bool):
        digits = getattr(value, "digits", str(value))
        found = _ratio(digits) if len(digits) <= _LONGEST_DENSITY else None
        if found is not None and 0 < found < 1:
            return found
    raise ValueError(
        "a density is a number between 0 and 1, both excluded, or such a number or a fraction p/q "
        f"as a string, of at most {_LONGEST_DENSITY} characters and not below 1e-{_MOST_PLACES}"
    )


def _ratio(digits: str) -> Fraction | None:
    """The number that is written so; None where none is, or one of too many places."""
    if re.fullmatch(_RATIO, digits):
        with suppress(ZeroDivisionError):
            return Fraction(digits)
    elif re.fullmatch(_DECIMAL, digits):
        # An exponent of twenty digits is past the bounds of decimals.
        with suppress(InvalidOperation):
            if abs(Decimal(digits).adjusted()) <= _MOST_PLACES:
                return Fraction(digits)
    return None


_DENSITY_SCHEMA = {
    "anyOf": [
        {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1},
        {
            "type": "string",
            "pattern": f"^({_DECIMAL}|{_RATIO})$",
            "maxLength": _LONGEST_DENSITY,
        },
        {"type": "null"},
    ],
    "examples": [0.2, "1/3"],
}
Density = Annotated[
    InstanceOf[Fraction] | None,
    BeforeValidator(_density),
    WithJsonSchema(_DENSITY_SCHEMA),
]
_DENSITY: Any = Field(
    default=None,
    description="Chance of a mine of each unknown cell, exactly as written, in place of equally "
    "likely layouts: a number, or a decimal number or a fraction such as 1/3 as a string",
)


class AskCount(Ask):
    """A board whose layouts are counted."""

    density: Density = _DENSITY
    fractions: bool = Field(
        default=False, description="Chances as exact strings such as 3/7, in place of numbers"
    )


class AskAnalyze(AskCount):
    """A board to analyze."""


_OFFSET_SCHEMA = {
    "anyOf": [
        {"type": "integer", "minimum": 0},
        {"type": "string", "pattern": "^[0-9]{1,20000}$"},
    ]
}


def _whole(value: object, most: int) -> object:
    """Digits, at most so many, as an integer; everything else as it is."""
    if isinstance(value, str) and re.fullmatch(f"[0-9]{{1,{most}}}", value):
        # Of strings of over 4300 digits Python makes no integers directly.
        return int(Decimal(value))
    return value


def _offset(given: object) -> object:
    value = _whole(given, 20_000)
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return value
    raise ValueError("an offset is a whole number, 0 or more, with at most 20000 digits")


class AskPage(Ask):
    """A board, and which of many layouts are wanted."""

    offset: Annotated[int, BeforeValidator(_offset), WithJsonSchema(_OFFSET_SCHEMA)] = Field(
        default=0, description="Number of the first layout wanted, as an integer or its digits"
    )
    limit: int | None = Field(
        default=None,
        ge=1,
        description="How many layouts are wanted at most; by default 100, of a stream all",
    )


class AskWindow(BaseModel):
    """A rectangle of cells, as long as the board allows unless it is told."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    row: int = Field(default=0, ge=0, description="Its first row, from 0")
    col: int = Field(default=0, ge=0, description="Its first column, from 0")
    height: int | None = Field(default=None, ge=1, description="Number of rows")
    width: int | None = Field(default=None, ge=1, description="Number of columns")


_WINDOW_SCHEMA = {
    "anyOf": [
        AskWindow.model_json_schema(),
        {"type": "string", "pattern": "^[0-9]{1,9}(,[0-9]{1,9}){3}$"},
    ],
    "examples": [{"row": 1, "col": 0, "height": 1, "width": 3}, "1,0,1,3"],
}


def _window(value: object) -> object:
    """Four numbers in one string as a window; an object as it is."""
    if isinstance(value, dict):
        return value
    if not isinstance(value, str) or not re.fullmatch(r"[0-9]{1,9}(,[0-9]{1,9}){3}", value):
        raise ValueError(
            "a window is an object with row, col, height and width, or these four numbers "
            "in one string, such as 0,3,2,8"
        )
    return dict(zip(("row", "col", "height", "width"), map(int, value.split(",")), strict=True))


Cutting = Annotated[AskWindow, BeforeValidator(_window), WithJsonSchema(_WINDOW_SCHEMA)]


_LAYOUT_SCHEMA = {
    "anyOf": [
        {"type": "array", "items": {"type": "string"}},
        {"type": "object"},
    ],
    "examples": [["B100"]],
}


class AskLayouts(AskPage):
    """A board whose layouts are wanted."""

    layout: Annotated[Any, WithJsonSchema(_LAYOUT_SCHEMA)] = Field(
        default=None,
        description="A layout whose rank is wanted, as it is drawn in answers; not for a stream, "
        "which tells no rank",
    )
    window: Cutting | None = Field(
        default=None,
        description="What is laid out in place of the whole board, by the clues in it alone: an "
        "object, or row,col,height,width in one string",
    )


_SEED_SCHEMA = {
    "anyOf": [
        {"type": "integer", "minimum": 0, "exclusiveMaximum": SEEDS},
        {"type": "string", "pattern": "^[0-9]{1,18}$"},
        {"type": "null"},
    ]
}
#: What draws depend on; in digits for those whose numbers are doubles.
Seed = Annotated[
    Annotated[int, Field(ge=0, lt=SEEDS)] | None,
    BeforeValidator(partial(_whole, most=19)),
    WithJsonSchema(_SEED_SCHEMA),
    Field(
        description="What the draws depend on, as an integer or its digits: the same seed draws "
        "the same; by default a new one",
    ),
]


class AskSample(AskPage):
    """A board whose layouts are drawn at random."""

    limit: int = Field(default=1, ge=1, description="How many layouts are wanted")
    seed: Seed = None
    density: Density = _DENSITY


class AskStrips(AskBoard):
    """A board and the window that cuts a strip out of it."""

    window: Cutting = Field(
        description="What to cut out: an object, or row,col,height,width in one string"
    )


class AskRun(AskBoard):
    """A board, or a window of it, that an automaton reads."""

    window: Cutting | None = Field(
        default=None,
        description="What is read in place of the whole board, as for /v1/strips: an object, or "
        "row,col,height,width in one string",
    )


class Solver(BaseModel):
    """Who answered."""

    name: str = Field(description="The methods that gave the answer", examples=["search"])
    complete: bool = Field(description="False where something is missing or may be")
    elapsed_ms: float
    note: str | None = Field(default=None, description="What would have helped to finish")
    cached: bool = Field(
        default=False, description="Given before; elapsed_ms is the time it took then"
    )


class Flags(BaseModel):
    """A player's flags, sorted."""

    right: list[Place] = Field(description="On mines in every layout")
    wrong: list[Place] = Field(description="On safe cells in every layout")
    unproved: list[Place]


Cell = Place | str
#: Cells of rules that have no name are numbered among themselves.
AnyCell = Place | str | int
Layout = Rows | dict[str, list[str] | list[int]]
Chance = float | str | None


class Feasible(BaseModel):
    """The least and the most mines of any layout; not every total between must have one."""

    least: int
    most: int


class Others(BaseModel):
    """The cells that no rule names: they are all alike."""

    cells: int
    probability: Chance = Field(description="Chance of a mine in each of them")
    forced: Literal["mines", "safe"] | None


class Clues(BaseModel):
    """Clues that contradict each other, or that force a cell; with the total of mines or not."""

    clues: list[Place] | list[int] = Field(description="For rules: their positions from 0")
    total: bool = Field(description="Whether the total of mines is needed, too")
    minimal: bool = Field(description="Whether none of them can be dropped")
    smallest: bool = Field(
        description="Whether it is known that no fewer clues do it (the total of mines is taken in "
        "only where the clues alone do not)"
    )


class Verdict(BaseModel):
    """What every answer says.

    Null means not decided in time, or that there is none. Fields that are not required are left
    out where there is nothing to say.
    """

    consistent: bool | None = Field(description="Whether any layout of mines fits")
    conflict: Clues | None = Field(
        description="On an inconsistent board: clues that contradict each other"
    )
    feasible_mines: Feasible | None = Field(
        default=None,
        description="Where no layout has the total of mines, but some have another",
    )
    flags: Flags | None = Field(default=None, description="Where the board has flags as claims")
    solver: Solver


class CheckAnswer(Verdict):
    """Whether the board is consistent."""

    witness: Layout | None = Field(
        description="A layout: numbers on safe cells, `B` on mines; for rules: the names of its "
        "mines, and the places of mines among the others",
        examples=[["11", "1B"]],
    )
    certificate: dict[str, Any] | None = Field(
        default=None,
        description="If asked for: the board with a layout, or with clauses and their refutation",
    )


class Approximate(BaseModel):
    """A count that is not exact: within a factor of 1 + epsilon, with probability 1 - delta."""

    count: Count
    epsilon: float
    delta: float


class Estimate(BaseModel):
    """Work that counting takes, known before it is begun; null where it is beyond all bounds."""

    products: float | None = Field(description="Products of table entries to be summed")
    table: float | None = Field(description="Entries of the largest table")


class CountAnswer(Verdict):
    """How many layouts there are."""

    count: Count | None
    by_mines: dict[str, Count] | None = Field(
        description="Layouts by total of mines; null past 2000 undecided cells"
    )
    likelihood: Chance = Field(
        default=None,
        description="With a density: the chance that mines laid at random in the unknown cells fit",
    )
    approximate: Approximate | None = Field(
        default=None, description="About how many there are, where the count took too long"
    )
    estimate: Estimate | None = Field(
        default=None,
        description="What an exact count takes, as known before; absent where that is little",
    )


class ForcedCells(BaseModel):
    """Unknown cells that are the same in every layout, as [row, col] or by name."""

    mines: list[Cell]
    safe: list[Cell]


class ForcedAnswer(Verdict):
    """Which cells are forced."""

    forced: ForcedCells | None
    others: Others | None = Field(
        default=None, description="For rules with cells that none of them names"
    )
    certificate: dict[str, Any] | None = Field(
        default=None, description="If asked for: the board with a proof for each forced cell"
    )


class Step(BaseModel):
    """One step of a deduction: among the cells lie low to high mines."""

    rule: Literal[
        "clue",
        "total",
        "difference",
        "intersection",
        "union",
        "assume",
        "look-ahead",
        "search",
    ] = Field(description="Why it holds")
    cells: list[AnyCell]
    low: int
    high: int = Field(description="Below low in a contradiction")
    sources: list[int] = Field(description="Places, from 0, of the steps it follows from")
    under: list[int] = Field(description="Places of the suppositions it rests on")
    clue: Place | int | None = Field(description="The clue that says it")
    text: str = Field(description="The step in words; there, steps are counted from 1")


class Explanation(BaseModel):
    """Why cells are the same in every layout."""

    cells: list[AnyCell]
    value: Literal["mine", "safe"]
    difficulty: Literal["trivial", "subset", "bounds", "look-ahead", "global", "search"] | None = (
        Field(description="The easiest technique that finds it on the whole board")
    )
    reasons: Clues | None = Field(description="Clues that force each of the cells")
    steps: list[Step] | None = Field(
        description="From the reasons to the cells: the last step says what they are"
    )


class Either(BaseModel):
    """A cell that is not forced."""

    cell: Cell
    mine: Layout = Field(description="A layout in which it is a mine")
    safe: Layout = Field(description="A layout in which it is safe")


class ExplainAnswer(Verdict):
    """Why cells are forced, or why the board is inconsistent."""

    explanations: list[Explanation] | None = Field(
        description="Of all forced cells, or of the one asked about; empty if it is not forced"
    )
    either: Either | None = Field(
        default=None, description="Where the cell that was asked about is not forced"
    )
    steps: list[Step] | None = Field(
        default=None,
        description="On an inconsistent board: from the clues in conflict to a contradiction",
    )


class Change(BaseModel):
    """A clue that would say something else."""

    clue: Place | int
    was: int | None = Field(description="Its number now; null for rules")
    number: int = Field(description="The number it would have; for rules: exactly so many mines")


class RepairAnswer(Verdict):
    """The fewest clues to change to make the board consistent."""

    changes: int | None = Field(
        description="How many clues each repair changes; null where that is not known, or where "
        "changing clues does not help"
    )
    repairs: list[list[Change]] | None = Field(description="The repairs of so many changes")
    more: bool | None = Field(description="Whether there are, or may be, others as small")
    repairable: bool | None = Field(
        description="False where known cells and the total of mines contradict each other"
    )


class LayoutsAnswer(Verdict):
    """A page of layouts."""

    count: Count | None
    offset: Count
    layouts: list[Layout] | None
    next_offset: Count | None = Field(description="Where the next page starts; null on the last")
    rank: Count | None = Field(
        default=None,
        description="Where the layout that was asked about stands: the offset that finds it",
    )


class SampleAnswer(Verdict):
    """Layouts drawn at random."""

    count: Count | None = Field(description="Of all layouts")
    seed: int = Field(
        description="Ask with it again for the same samples. One that is drawn here is below 2^53; "
        "of one that you send, JavaScript reads no more digits"
    )
    offset: Count
    samples: list[Layout] | None = Field(
        description="Each of all layouts with the same chance, or by its weight with a density"
    )
    next_offset: Count | None = Field(description="Where the samples of this seed go on")


class SafeCell(BaseModel):
    """A cell and the chance of a mine in it."""

    cell: Cell
    probability: Chance


class AnalyzeAnswer(CheckAnswer, CountAnswer, ForcedAnswer):
    """All of it."""

    probabilities: list[list[Chance]] | dict[str, Chance] | None = Field(
        description="Chance of a mine, or by name for rules; null for known cells, and as a "
        "whole from sat, cpsat and exhaustive. The nearest doubles to the exact ratios; from "
        "automata the last digits may be off"
    )
    safest: list[SafeCell] | None = Field(
        description="The ten unknown cells with the smallest chances, equal ones in reading order "
        "(from automata, whose last digits may be off, those that are printed alike); "
        "for rules named cells only; null from sat, cpsat, exhaustive"
    )


class Window(BaseModel):
    """A rectangle of cells on the board."""

    row: int
    col: int
    height: int
    width: int


class LoosenedClue(BaseModel):
    """A clue in the window that unknown cells outside may satisfy in part."""

    clue: Place
    number: int
    low: int = Field(description="Fewest mines that it leaves for its neighbours in the window")
    high: int = Field(description="Most mines that it leaves for them")


class StripsAnswer(Verdict):
    """What the clues in a window say about the cells in it."""

    forced: ForcedCells | None
    window: Window
    loosened: list[LoosenedClue] | None = Field(
        description="Clues that unknown cells outside make intervals; known mines there count"
    )
    witness: Rows | None = Field(
        description="A layout of the window: `B` mines, numbers on clues, `S` on other safe cells"
    )
    machines: list[str] = Field(
        description="Automata that read the window: POST /v1/automata/{name}/run tells how"
    )
    count: Count | None = Field(description="Layouts of the window that can be completed outside")
    probabilities: list[list[float | None]] | None = Field(
        description="In what part of these layouts a cell is a mine; null for known cells"
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


class ImpossibleColumn(BaseModel):
    """A column that stands in no consistent board."""

    column: int
    why: str


class RunAnswer(BaseModel):
    """What an automaton does with a board."""

    machine: str
    consistent: bool | None
    witness: Rows | None = Field(description="A layout; of a window as /v1/strips draws it")
    read: Window | None = Field(
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


class Health(BaseModel):
    """State of the service."""

    status: Literal["ok"]


def amend(app: FastAPI, change: Callable[[dict[str, Any]], None]) -> None:
    """Have the OpenAPI document of an app changed, in place, as soon as it is made."""
    plain = app.openapi

    def openapi() -> dict[str, Any]:
        if app.openapi_schema is None:
            change(plain())
        return plain()

    # This is how FastAPI wants to be told.
    app.openapi = openapi  # type: ignore[method-assign]
