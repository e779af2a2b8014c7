"""The fields of requests that several questions share, and how each is read."""

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from functools import cache, partial
from typing import Annotated, Any, Literal

from jiter import LosslessFloat
from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    InstanceOf,
    WithJsonSchema,
    model_validator,
)

from minecheck.app.questions.value_errors import make_form_error
from minecheck.app.questions.variant_fields import (
    Clues,
    Layers,
    Lies,
    MinesPerCell,
    MostLies,
    Neighbours,
    Topology,
)
from minecheck.minefield import DIALECTS, Shape, parse_cell
from minecheck.solvers import SEEDS

#: A cell in JSON, [row, col] from 0.
JsonCell = Annotated[list[int], Field(min_length=2, max_length=2)]
Rows = list[str]

BOARD_SCHEMA = {
    "description": (
        "The board as text with one row per line, as a list of strings, or as nested lists of "
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


LAYOUT_SCHEMA = {
    "anyOf": [
        {"type": "array", "items": {"type": "string"}},
        {"type": "object"},
    ],
    "examples": [["B100"]],
}
#: The position of all mines, drawn in rows.
LayoutRows = Annotated[
    Any, WithJsonSchema({"type": "array", "items": {"type": "string", "minLength": 1}})
]

DeadlineMs = Annotated[
    int | None,
    Field(
        ge=1,
        description="Time for the answer in milliseconds; the service has a default and a maximum",
    ),
]


#: Meanings of symbols that the sender defines.
Symbols = Annotated[
    dict[str, str] | str | None,
    Field(
        description="The meaning of symbols that are not in the standard notation, such as "
        '{"X": "mine", ".": "unknown"}, in a query X=mine,.=unknown. Meanings are unknown, mine, '
        "safe, flag and the clues 0 to 8"
    ),
]


class RequestFields(BaseModel):
    """Fields of a request: of exact types, no others, and unchanged."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class AskBoard(RequestFields):
    """A board and how to read it."""

    board: Annotated[Any, WithJsonSchema(BOARD_SCHEMA)]
    notation: str = Field(
        default="standard",
        description="Notation of the board",
        json_schema_extra={"enum": list(DIALECTS)},
    )
    symbols: Symbols = None
    flags: Literal["claims", "trust"] = Field(
        default="claims",
        description="Whether flags are claims to be judged (their cells are unknown), or mines",
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


class AskVariant(AskBoard):
    """A board that may be another one than in the plane game."""

    topology: Topology = Shape.RECTANGLE
    layers: Layers = 1
    neighbours: Neighbours = None
    clues: Clues = None
    mines_per_cell: MinesPerCell = 1
    lies: Lies = None
    most_lies: MostLies = None


#: The fields that make a board differ from a plane one.
VARIED = tuple(name for name in AskVariant.model_fields if name not in AskBoard.model_fields)


class AskPuzzle(AskVariant):
    """A board, or rules instead."""

    board: Annotated[Any, WithJsonSchema(BOARD_SCHEMA)] = None
    rules: Annotated[Any, WithJsonSchema(_RULES_SCHEMA)] = Field(
        default=None,
        description="Instead of a board: how many mines (exactly, or from low to high) are among "
        "the cells of each rule, named as you like. Answers then name cells, not coordinates",
    )
    total_cells: int | None = Field(
        default=None,
        ge=0,
        description="With rules only: the number of all cells; those without a name are the others",
    )
    mines: int | None = Field(
        default=None,
        ge=0,
        description="Exact number of mines on the whole board, known ones included",
    )


CELL_SCHEMA = {
    "anyOf": [
        {"type": "array", "items": {"type": "integer"}, "minItems": 2, "maxItems": 2},
        {"type": "string"},
    ],
    "examples": [[0, 3], "0,3"],
}


def _parse_pair(value: object) -> object:
    """Return the list that a string such as row,col stands for."""
    cell = parse_cell(value) if isinstance(value, str) else value
    if isinstance(cell, list | tuple) and [type(part) for part in cell] == [int, int]:
        return list(cell)
    raise make_form_error("a cell", '[row, col], both from 0, such as [0, 3], or "0,3"')


#: A cell, as [row, col] or as row,col in one string.
AskCell = Annotated[JsonCell, BeforeValidator(_parse_pair), WithJsonSchema(CELL_SCHEMA)]


_LONGEST_DENSITY = 100
_MOST_EXPONENT = 1000
# In time linear in their length: no two parts may take the same digits.
_DECIMAL = r"([0-9]+(\.[0-9]+)?|\.[0-9]+)([eE][-+]?[0-9]+)?"
_RATIO = r"[0-9]+/[0-9]+"


def _parse_density(value: object) -> object:
    """Parse a decimal or a ratio, exactly as it was written, as a fraction."""
    if value is None:
        return None
    if isinstance(value, int | float | str | LosslessFloat) and not isinstance(value, bool):
        digits = str(value)
        density = _parse_ratio(digits) if len(digits) <= _LONGEST_DENSITY else None
        if density is not None and 0 < density < 1:
            return density
    raise make_form_error(
        "a valid density",
        "a number above 0 and below 1, or a string with such a number or a fraction p/q, "
        f"of at most {_LONGEST_DENSITY} characters and not below 1e-{_MOST_EXPONENT}",
    )


def _parse_ratio(digits: str) -> Fraction | None:
    """Parse a number; None if there is none, or its exponent is too large."""
    if re.fullmatch(_RATIO, digits):
        with suppress(ZeroDivisionError):
            return Fraction(digits)
    elif re.fullmatch(_DECIMAL, digits):
        # An exponent of twenty digits is past the bounds of decimals.
        with suppress(InvalidOperation):
            if abs(Decimal(digits).adjusted()) <= _MOST_EXPONENT:
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
    BeforeValidator(_parse_density),
    WithJsonSchema(_DENSITY_SCHEMA),
]

_OFFSET_SCHEMA = {
    "anyOf": [
        {"type": "integer", "minimum": 0},
        {"type": "string", "pattern": "^[0-9]{1,20000}$"},
    ]
}


def _parse_whole(value: object, most: int) -> object:
    """Return digits, at most ``most``, as an integer, and everything else unchanged."""
    if isinstance(value, str) and re.fullmatch(f"[0-9]{{1,{most}}}", value):
        # Python converts no strings of over 4300 digits to integers directly.
        return int(Decimal(value))
    return value


def _parse_offset(value: object) -> object:
    offset = _parse_whole(value, 20_000)
    if isinstance(offset, int) and not isinstance(offset, bool) and offset >= 0:
        return offset
    raise make_form_error(
        "a whole number that is 0 or more", "a whole number of at most 20000 digits, 0 or more"
    )


#: Other names that fields are accepted by.
OTHER_NAMES = {"rows": ("height",), "cols": ("width",)}

#: The number of the first requested item, of any size.
Offset = Annotated[int, BeforeValidator(_parse_offset), WithJsonSchema(_OFFSET_SCHEMA)]


class Sized(RequestFields):
    """Fields with rows and columns; height and width are other names for their numbers."""

    @model_validator(mode="before")
    @classmethod
    def rename_sizes(cls, request: Any) -> Any:
        """Return the fields of a request with rows and cols for their other names."""
        if not isinstance(request, dict):
            return request
        names = {
            synonym: name
            for name, synonyms in OTHER_NAMES.items()
            for synonym in synonyms
            if name not in request
        }
        return {names.get(name, name): value for name, value in request.items()}


class AskWindow(Sized):
    """A rectangle of cells; without rows or cols it reaches to the edge of the board."""

    row: int = Field(default=0, ge=0, description="Its first row, from 0")
    col: int = Field(default=0, ge=0, description="Its first column, from 0")
    rows: int | None = Field(default=None, ge=1, description="Number of rows, or height")
    cols: int | None = Field(default=None, ge=1, description="Number of columns, or width")


_WINDOW_SCHEMA = {
    "anyOf": [
        AskWindow.model_json_schema(),
        {"type": "string", "pattern": "^[0-9]{1,9}(,[0-9]{1,9}){3}$"},
    ],
    "examples": [{"row": 1, "col": 0, "rows": 1, "cols": 3}, "1,0,1,3"],
}


def _parse_window(value: object) -> object:
    """Parse four numbers in one string as a window; return an object as it is."""
    if isinstance(value, dict):
        return value
    if not isinstance(value, str) or not re.fullmatch(r"[0-9]{1,9}(,[0-9]{1,9}){3}", value):
        raise make_form_error(
            "a valid window",
            "an object with row, col, rows and cols, or a string of these four numbers, such as "
            '"0,3,2,8"',
        )
    return dict(zip(("row", "col", "rows", "cols"), map(int, value.split(",")), strict=True))


Cutting = Annotated[AskWindow, BeforeValidator(_parse_window), WithJsonSchema(_WINDOW_SCHEMA)]


_SEED_SCHEMA = {
    "anyOf": [
        {"type": "integer", "minimum": 0, "exclusiveMaximum": SEEDS},
        {"type": "string", "pattern": "^[0-9]{1,18}$"},
        {"type": "null"},
    ]
}
#: The seed of draws; digits are for clients whose numbers are doubles.
Seed = Annotated[
    Annotated[int, Field(ge=0, lt=SEEDS)] | None,
    BeforeValidator(partial(_parse_whole, most=19)),
    WithJsonSchema(_SEED_SCHEMA),
    Field(
        description="Where random draws begin, as an integer or a string of digits: the same seed "
        "gives the same result; by default a new one",
    ),
]


def override_fields(fields: Mapping[str, Any], others: Mapping[str, Any]) -> dict[str, Any]:
    """Return fields of a request with others in place of those that mean the same."""
    kept = dict(fields)
    for name, other_names in OTHER_NAMES.items():
        names = (name, *other_names)
        if kept and any(spelling in others for spelling in names):
            for spelling in names:
                kept.pop(spelling, None)
    return kept | dict(others)


@cache
def list_alternatives(model: type[BaseModel]) -> dict[str, list[Mapping[str, Any]]]:
    """Return the JSON schemas of all that each field of a request may be, by all of its names."""
    fields = model.model_json_schema()["properties"]
    other_names = OTHER_NAMES if issubclass(model, Sized) else {}
    return {
        spelling: list(iterate_alternatives(field))
        for name, field in fields.items()
        for spelling in (name, *other_names.get(name, ()))
    }


def iterate_alternatives(schema: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield the JSON schemas of all that a field may be."""
    for way in schema.get("anyOf", ()):
        yield from iterate_alternatives(way)
    if "type" in schema:
        yield schema
