"""The fields of requests that say how a board differs from a plane one, and how each is read."""

import re
from collections.abc import Mapping
from typing import Annotated, Any, Final

from pydantic import BeforeValidator, Field, InstanceOf, WithJsonSchema
from pydantic_core import PydanticCustomError

from minecheck.app.questions.value_errors import make_form_error, make_value_error
from minecheck.minefield.topology import FARTHEST, MOST_OFFSETS, Offset, Shape
from minecheck.minefield.variant import MOST_PER_CELL, Clue

#: Numbers of mines that clues may speak of, and how many of them one may list.
_MOST_MINES: Final = 10_000
_MOST_VALUES: Final = 400
_MOST_CLUES: Final = 100_000
_FARTHEST_CELL: Final = 1_000_000_000

Topology = Annotated[
    Annotated[Shape, Field(strict=False)],
    WithJsonSchema({"type": "string", "enum": list(Shape)}),
    Field(
        description="Which cells touch: `torus` joins left to right and top to bottom, `cylinder` "
        "left to right; `hexagonal` shifts rows 1, 3, 5 … by half a cell to the right; on `knight` "
        "boards a clue counts the mines a knight's move away",
    ),
]
Layers = Annotated[
    int,
    Field(
        ge=1,
        description="Layers of a board in space, written one below the other in as many rows each; "
        "a cell also touches the one above, the one below, and the neighbours of these",
    ),
]
MinesPerCell = Annotated[
    int,
    Field(
        ge=1,
        le=MOST_PER_CELL,
        description="The most mines in a cell; a known mine then stands for one or more, and "
        "clues and totals count mines",
    ),
]
Lies = Annotated[
    int | None, Field(ge=0, description="Exactly how many clues are wrong; each layout shows which")
]
MostLies = Annotated[int | None, Field(ge=0, description="The most clues that may be wrong")]

_PAIR: Final = "-?[0-9]{1,3},-?[0-9]{1,3}"
_OFFSETS_SCHEMA: Final = {
    "anyOf": [
        {
            "type": "array",
            "items": {
                "type": "array",
                "items": {"type": "integer", "minimum": -FARTHEST, "maximum": FARTHEST},
                "minItems": 2,
                "maxItems": 2,
            },
            "minItems": 1,
            "maxItems": MOST_OFFSETS,
        },
        {"type": "string", "pattern": f"^{_PAIR}( {_PAIR})*$"},
        {"type": "null"},
    ],
    "examples": [[[0, 1], [1, 0], [0, -1], [-1, 0]], "0,1 1,0 0,-1 -1,0"],
}


def _parse_offsets(offsets: object) -> object:
    """Parse offsets from lists of two numbers, or from such pairs in one string."""
    if isinstance(offsets, str) and re.fullmatch(f"{_PAIR}( {_PAIR})*", offsets):
        offsets = [[int(part) for part in pair.split(",")] for pair in offsets.split()]
    pairs = (
        isinstance(offsets, list)
        and offsets
        and all(
            isinstance(pair, list) and [type(part) for part in pair] == [int, int]
            for pair in offsets
        )
    )
    if offsets is not None and not pairs:
        raise make_form_error(
            "a list of offsets",
            'a list such as [[0, 1], [1, 0]], or a string such as "0,1 1,0"',
        )
    return offsets and tuple(tuple(pair) for pair in offsets)  # type: ignore[attr-defined]


Neighbours = Annotated[
    InstanceOf[tuple[Offset, ...]] | None,
    BeforeValidator(_parse_offsets),
    WithJsonSchema(_OFFSETS_SCHEMA),
    Field(
        description="Which cells a clue counts, by offsets [rows down, columns to the right], in "
        "place of the eight around it; they need not be symmetric. With topology rectangle, torus "
        "or cylinder"
    ),
]

_NUMBER: Final = {"type": "integer", "minimum": 0, "maximum": _MOST_MINES}
_CLUES_SCHEMA: Final = {
    "anyOf": [
        {
            "type": "array",
            "maxItems": _MOST_CLUES,
            "items": {
                "title": "Clue",
                "type": "object",
                "properties": {
                    "cell": {
                        "type": "array",
                        "items": {"type": "integer", "minimum": 0},
                        "minItems": 2,
                        "maxItems": 2,
                    },
                    "mines": _NUMBER,
                    "low": _NUMBER,
                    "high": _NUMBER,
                    "values": {
                        "type": "array",
                        "items": _NUMBER,
                        "minItems": 1,
                        "maxItems": _MOST_VALUES,
                    },
                },
                "required": ["cell"],
                "additionalProperties": False,
            },
        },
        {
            "type": "string",
            "pattern": r"^[0-9]+,[0-9]+=[0-9]+([-|][0-9]+)*( [0-9]+,[0-9]+=[0-9]+([-|][0-9]+)*)*$",
        },
        {"type": "null"},
    ],
    "examples": [
        [{"cell": [0, 1], "low": 1, "high": 3}, {"cell": [2, 2], "values": [1, 3]}],
        "0,1=1-3 2,2=1|3 4,4=12",
    ],
}
_IN_TEXT: Final = re.compile(
    r"([0-9]{1,9}),([0-9]{1,9})="
    r"(?:([0-9]{1,5})|([0-9]{1,5})-([0-9]{1,5})|([0-9]{1,5}(?:\|[0-9]{1,5})+))"
)
_SAYS: Final = ({"mines"}, {"low"}, {"high"}, {"low", "high"}, {"values"})


def _make_clue_error(detail: str) -> PydanticCustomError:
    """Return the error for a clue that is not written as it should be."""
    return make_value_error(
        detail,
        'each clue as {"cell": [0, 1], "mines": 2}, or with low and high, or with values, in place '
        "of mines",
    )


def _parse_clues(clues: object) -> object:
    """Parse clues by their cell, from objects or from a text."""
    if clues is None:
        return None
    if isinstance(clues, str):
        clues = [_read_clue_text(text) for text in clues.split(" ")]
    if not isinstance(clues, list) or len(clues) > _MOST_CLUES:
        raise make_form_error(
            f"a list of at most {_MOST_CLUES} clues",
            'a list of objects such as {"cell": [0, 1], "low": 1}, or a string such as "0,1=1-3"',
        )
    by_cell: dict[tuple[int, int], Clue] = {}
    for number, entry in enumerate(clues):
        cell, clue = _parse_clue(number, entry)
        if cell in by_cell:
            raise _make_clue_error(f"clue {number} is for the cell of an earlier clue")
        by_cell[cell] = clue
    return by_cell


def _read_clue_text(text: str) -> Mapping[str, Any]:
    """Return a clue such as 0,1=1-3 as an object."""
    match = _IN_TEXT.fullmatch(text)
    if match is None:
        raise _make_clue_error(
            "a clue in a string is not written as row,col=mines, row,col=low-high or "
            "row,col=one|another, with one blank between two clues"
        )
    row, col, mines, low, high, values = match.groups()
    cell = {"cell": [int(row), int(col)]}
    if mines is not None:
        return {**cell, "mines": int(mines)}
    if low is not None:
        return {**cell, "low": int(low), "high": int(high)}
    return {**cell, "values": [int(value) for value in values.split("|")]}


def _parse_clue(number: int, entry: object) -> tuple[tuple[int, int], Clue]:
    """Parse one clue and its cell."""
    if not isinstance(entry, Mapping):
        raise _make_clue_error(
            f'clue {number} is not an object such as {{"cell": [0, 1], "low": 1}}'
        )
    cell, bounds = (
        entry.get("cell"),
        {name: value for name, value in entry.items() if name != "cell"},
    )
    if not isinstance(cell, list) or [type(part) for part in cell] != [int, int]:
        raise _make_clue_error(f"clue {number} has no cell, such as [0, 1]")
    if not 0 <= min(cell) <= max(cell) < _FARTHEST_CELL:
        raise _make_clue_error(f"the cell of clue {number} is not on the board")
    if bounds.keys() not in _SAYS:
        raise _make_clue_error(
            f"clue {number} has to have cell, exactly one of mines, values, or low and high, and "
            "no other field"
        )
    values = bounds.get("values", list(bounds.values()))
    if not (
        isinstance(values, list)
        and 1 <= len(values) <= _MOST_VALUES
        and all(type(value) is int and 0 <= value <= _MOST_MINES for value in values)
    ):
        raise _make_clue_error(
            f"values of clue {number} has to be a list of 1 to {_MOST_VALUES} whole numbers from "
            f"0 to {_MOST_MINES}"
            if "values" in bounds
            else f"{' and '.join(bounds)} of clue {number} has to be a whole number from 0 to "
            f"{_MOST_MINES}"
        )
    if "mines" in bounds or "values" in bounds:
        return (cell[0], cell[1]), Clue.one_of(values)
    low, high = bounds.get("low", 0), bounds.get("high", _MOST_MINES)
    if low > high:
        raise _make_clue_error(f"clue {number} has a low above its high")
    return (cell[0], cell[1]), Clue(low, high)


Clues = Annotated[
    InstanceOf[dict[tuple[int, int], Clue]] | None,
    BeforeValidator(_parse_clues),
    WithJsonSchema(_CLUES_SCHEMA),
    Field(
        description="Clues beside those in the rows, which may be larger than 8, an interval "
        "(low to high) or one of several values; each cell is S on the board. In a string: "
        "row,col=mines, row,col=low-high or row,col=one|another, with blanks between them"
    ),
]
