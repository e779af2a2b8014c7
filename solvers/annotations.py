"""Annotations: the meaning of the fields of questions and answers beyond their Python types.

A question and its answer are dataclasses. Whatever else describes them (models, schemas, JSON,
options and text of commands, cache keys) is derived from their fields: from the type, a
description (`doc`), bounds (`Ge`, `Le`), and these marks, all of them in `Annotated`.

Tested in tests/app/test_operation.py.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, auto
from fractions import Fraction
from typing import Annotated, Any, TypeAlias

from annotated_types import Ge, Le, doc
from numpy.typing import NDArray

__all__ = [
    "Coordinates",
    "Flat",
    "Ge",
    "Joined",
    "JsonName",
    "Le",
    "OneOf",
    "Only",
    "Repeated",
    "Text",
    "ValueKind",
    "doc",
]

#: A cell as (row, col) from 0; a cell of rules as (0, its number); rule k as (0, k).
Coordinates: TypeAlias = tuple[int, int]


class ValueKind(Enum):
    """The meaning of a value where its Python type leaves it open."""

    #: A whole number of any size; the number of layouts.
    NUMBER = auto()
    COUNT = auto()
    #: An amount that may be infinite, which JSON cannot say.
    AMOUNT = auto()
    #: A cell that has a name, any cell, and a clue: written as [row, col], or by name for rules.
    CELL = auto()
    ANY_CELL = auto()
    CLUE = auto()
    #: The chance of a mine, and the chances of all cells as an array.
    CHANCE = auto()
    CHANCES = auto()
    #: Cells with their chances.
    RANKED = auto()
    #: Limits of the service: the number of results in one answer, and the number of layouts, which
    #: depends on the size of the board.
    LIMIT = auto()
    PAGE = auto()
    #: The seed of random draws.
    SEED = auto()


@dataclass(frozen=True, slots=True)
class JsonName:
    """The name of a field in JSON, where it has another one."""

    name: str


@dataclass(frozen=True, slots=True)
class Only:
    """The condition for a field, given question and answer; without it the field is omitted."""

    when: Callable[[Any, Any], bool]


@dataclass(frozen=True, slots=True)
class Text:
    """The format in which a value is printed for people; an empty text hides it."""

    text: str


@dataclass(frozen=True, slots=True)
class Flat:
    """A mark: the fields of an object are written into the parent, all null if there is none."""


@dataclass(frozen=True, slots=True)
class OneOf:
    """The only texts that there may be."""

    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Joined:
    """A mark: certificates are written as one document, even if there is only one."""


@dataclass(frozen=True, slots=True)
class Repeated:
    """A mark: the attribute of the same name of the question is repeated in the answer."""


Number: TypeAlias = Annotated[int, ValueKind.NUMBER]
Cell: TypeAlias = Annotated[Coordinates, ValueKind.CELL]
AnyCell: TypeAlias = Annotated[Coordinates, ValueKind.ANY_CELL]
ClueAt: TypeAlias = Annotated[Coordinates, ValueKind.CLUE]
Chance: TypeAlias = Annotated[float | Fraction | None, ValueKind.CHANCE]
Chances: TypeAlias = Annotated[NDArray[Any], ValueKind.CHANCES]
#: Cells and their chances.
Safest: TypeAlias = Annotated[list[tuple[Coordinates, float | Fraction]], ValueKind.RANKED]
