"""Bodies of requests and answers, as pydantic models and OpenAPI schemas."""

import re
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema

from minefield import DIALECTS
from solvers import Backend

Count = Annotated[str, Field(pattern=r"^[0-9]+$")]
Place = Annotated[list[int], Field(min_length=2, max_length=2)]
Rows = list[str]

_BOARD_SCHEMA = {
    "description": (
        "The board as text with one row a line, as a list of strings, or as nested lists of "
        "symbols and clues. Standard notation: `0`-`8` clue, `?` unknown, `B` or `*` mine, "
        "`S` safe but its number unknown, `F` a player's flag."
    ),
    "anyOf": [
        {"type": "string"},
        {"type": "array", "items": {"type": "string"}},
        {
            "type": "array",
            "items": {
                "type": "array",
                "items": {"anyOf": [{"type": "string"}, {"type": "integer"}]},
            },
        },
    ],
    "examples": [["1?", "??"]],
}


class Ask(BaseModel):
    """A board and how to look at it."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    board: Annotated[Any, WithJsonSchema(_BOARD_SCHEMA)]
    mines: int | None = Field(
        default=None,
        ge=0,
        description="Exact number of mines on the whole board, known ones included",
    )
    notation: str = Field(
        default="standard",
        description="Dialect of the board",
        json_schema_extra={"enum": list(DIALECTS)},
    )
    flags: Literal["claims", "trust"] = Field(
        default="claims",
        description="Flags as claims to be judged (their cells are unknown), or as mines",
    )
    backend: Annotated[
        Backend, Field(strict=False), WithJsonSchema({"type": "string", "enum": list(Backend)})
    ] = Field(
        default=Backend.AUTO, description="The method; `auto` takes the cheapest that is exact"
    )
    deadline_ms: int | None = Field(
        default=None,
        ge=1,
        description="Time for the answer in milliseconds; the service has a default and a maximum",
    )


class AskAnalyze(Ask):
    """A board to analyze."""

    density: float | None = Field(
        default=None,
        gt=0,
        lt=1,
        description="Chance of a mine of each unknown cell, in place of equally likely layouts",
    )


_OFFSET_SCHEMA = {
    "anyOf": [
        {"type": "integer", "minimum": 0},
        {"type": "string", "pattern": "^[0-9]{1,4300}$"},
    ]
}


def _offset(value: object) -> object:
    """Digits as an integer; everything else as it is."""
    if isinstance(value, str) and re.fullmatch(r"[0-9]{1,4300}", value):
        return int(value)
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return value
    raise ValueError("an offset is a whole number, 0 or more, with at most 4300 digits")


class AskLayouts(Ask):
    """A board whose layouts are wanted."""

    offset: Annotated[int, BeforeValidator(_offset), WithJsonSchema(_OFFSET_SCHEMA)] = Field(
        default=0, description="Number of the first layout wanted, as an integer or its digits"
    )
    limit: int | None = Field(
        default=None,
        ge=1,
        description="How many layouts are wanted at most (JSON: default 100; NDJSON: all)",
    )


class Solver(BaseModel):
    """Who answered."""

    name: str = Field(description="The methods that gave the answer", examples=["search"])
    complete: bool = Field(description="False where something is missing or may be")
    elapsed_ms: float


class Flags(BaseModel):
    """A player's flags, sorted."""

    right: list[Place] = Field(description="On mines in every layout")
    wrong: list[Place] = Field(description="On safe cells in every layout")
    unproved: list[Place]


class Verdict(BaseModel):
    """What every answer says; null where it was not decided in time or does not apply."""

    consistent: bool | None = Field(description="Whether any layout of mines fits")
    conflict: list[Place] | None = Field(
        description="On an inconsistent board: clues that cannot hold together"
    )
    conflict_mines: bool | None = Field(
        description="Whether the total of mines is part of the conflict"
    )
    conflict_minimal: bool | None = Field(
        description="Whether the conflict dissolves when any one of its clues is dropped"
    )
    flags: Flags | None = Field(description="Where the board has flags that are claims")
    solver: Solver


class CheckAnswer(Verdict):
    """Whether the board is consistent."""

    witness: Rows | None = Field(
        description="A layout: numbers on safe cells, `B` on mines", examples=[["11", "1B"]]
    )


class CountAnswer(Verdict):
    """How many layouts there are."""

    count: Count | None
    by_mines: dict[str, Count] | None = Field(
        description="Layouts by total of mines; null from automata and past 2000 undecided cells"
    )


class ForcedCells(BaseModel):
    """Unknown cells that are the same in every layout, as [row, col]."""

    mines: list[Place]
    safe: list[Place]


class ForcedAnswer(Verdict):
    """Which cells are forced."""

    forced: ForcedCells | None


class LayoutsAnswer(Verdict):
    """A page of layouts."""

    count: Count | None
    offset: Count
    layouts: list[Rows] | None
    next_offset: Count | None = Field(description="Where the next page starts; null on the last")


class AnalyzeAnswer(CheckAnswer, CountAnswer, ForcedAnswer):
    """All of it."""

    probabilities: list[list[float | None]] | None = Field(
        description="Chance of a mine; null for known cells, all null from sat, cpsat, exhaustive"
    )


class Health(BaseModel):
    """State of the service."""

    status: Literal["ok"]
