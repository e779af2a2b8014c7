"""The models of answers, derived from their classes."""

import inspect
from dataclasses import is_dataclass
from functools import cache
from typing import Any, Final, Literal, get_args, get_origin

from pydantic import BaseModel, Field, create_model

from minecheck import automata, minefield
from minecheck.app.problem_responses import TextReading
from minecheck.app.questions.fields import JsonCell, Rows
from minecheck.app.questions.verdict import (
    AnyCell,
    Cell,
    Chance,
    Count,
    Feasible,
    Layout,
    LoosenedClue,
    OutsideCells,
    SafeCell,
    Solver,
    WindowAnswer,
)
from minecheck.minefield.certificates.document import Certificate
from minecheck.solvers import Answer
from minecheck.solvers.annotations import Coordinates, Flat, OneOf, Only, Repeated, ValueKind
from minecheck.solvers.documents.described import AnswerField, describe_annotation, list_fields
from minecheck.solvers.findings import (
    Approximation,
    Conflict,
    Correction,
    Forced,
    Others,
    Statement,
)

#: The JSON form of values, by type or kind, and that of lists of them.
_BY_TYPE: Final[dict[Any, Any]] = {
    ValueKind.COUNT: Count,
    ValueKind.NUMBER: Count,
    ValueKind.AMOUNT: float | None,
    ValueKind.CHANCE: Chance,
    ValueKind.CHANCES: list[list[Chance]] | dict[str, Chance],
    ValueKind.CELL: Cell,
    ValueKind.ANY_CELL: AnyCell,
    ValueKind.CLUE: JsonCell | int,
    ValueKind.RANKED: list[SafeCell],
    Coordinates: JsonCell,
    minefield.Board: Rows,
    minefield.Layout: Layout,
    automata.Window: WindowAnswer,
    automata.Loosened: LoosenedClue,
    automata.Outside: OutsideCells,
    list[Certificate]: dict[str, Any],
}
_IN_LISTS: Final[dict[Any, Any]] = {ValueKind.CLUE: list[JsonCell] | list[int]}
#: The same in answers about plane boards only.
_ON_PLANE: Final[dict[Any, Any]] = {
    ValueKind.CHANCES: list[list[float | None]],
    minefield.Layout: Rows,
}
#: The names of models, where the classes have others.
_NAMES: Final[dict[type, str]] = {
    Approximation: "Approximate",
    Conflict: "Clues",
    Correction: "Change",
    Forced: "ForcedCells",
    Statement: "Step",
}
#: An example of a layout.
_LAYOUT: Final = ["11", "1B"]


def build_model(kind: Any) -> type[BaseModel]:
    """Return the model of a class whose values stand in answers."""
    answer_class: Any = kind
    return _build_model(answer_class)


@cache
def _build_model(kind: Any) -> type[BaseModel]:
    fields: Any = {
        field.name: _make_field(field, plane=False, required=True) for field in list_fields(kind)
    }
    name = _NAMES.get(kind, kind.__name__)
    return create_model(name, __doc__=_read_summary(kind), **fields)


def build_answer_model(kind: type[Answer], *, plane: bool) -> type[BaseModel]:
    """Return the model of the answers of a class.

    Args:
        kind: the class.
        plane: whether they are about plane boards only.
    """
    fields: dict[str, Any] = {}
    for field in list_fields(kind):
        meaning = field.described
        if meaning.find_mark(Flat) is None:
            optional = meaning.find_mark(Only) is not None or meaning.type is Others
            shown = meaning.type is minefield.Layout and not plane
            examples: dict[str, Any] = {"examples": [_LAYOUT]} if shown else {}
            fields[field.name] = _make_field(field, plane=plane, required=not optional, **examples)
        else:
            # All of them are null where nothing was found.
            fields |= {
                part.name: _make_field(part, plane=plane, required=True, unknown=True)
                for part in list_fields(meaning.type)
            }
    return create_model(kind.__name__, __base__=AnyAnswer, __doc__=_read_summary(kind), **fields)


def _read_summary(kind: type) -> str:
    """Return the first paragraph of a docstring."""
    return (inspect.getdoc(kind) or "").partition("\n\n")[0]


def _make_field(
    field: AnswerField, *, plane: bool, required: bool, unknown: bool = False, **settings: Any
) -> tuple[Any, Any]:
    """Return a field of a model; ``unknown`` if it may be null whatever its type is."""
    meaning = field.described
    in_json = _find_json_type(field.annotation, plane)
    optional = (meaning.optional or unknown) and meaning.find_mark(Repeated) is None
    settings |= {} if required else {"default": None}
    return in_json | None if optional else in_json, Field(
        description=meaning.description, **settings
    )


def _find_json_type(annotation: Any, plane: bool) -> Any:
    """Return the type that a value has in JSON, but that it may be None."""
    meaning = describe_annotation(annotation)
    if plane and meaning.key in _ON_PLANE:
        return _ON_PLANE[meaning.key]
    if meaning.key in _BY_TYPE:
        return _BY_TYPE[meaning.key]
    origin, arguments = get_origin(meaning.type), get_args(meaning.type)
    if origin is list or origin is tuple:
        inner = describe_annotation(arguments[0])
        if inner.key in _IN_LISTS:
            return _IN_LISTS[inner.key]
        return list[_find_json_type(arguments[0], plane)]  # type: ignore[misc]
    if origin is dict:
        return dict[str, _find_json_type(arguments[1], plane)]  # type: ignore[misc]
    if (words := meaning.find_mark(OneOf)) is not None:
        return Literal[words.values]
    kind: Any = meaning.type
    return build_model(kind) if is_dataclass(kind) else kind


class Frame(BaseModel):
    """The fields around those of an answer."""

    feasible_mines: Feasible | None = Field(
        default=None,
        description="If no layout has the given total of mines, but some have another",
    )
    rows: int | None = Field(default=None, description="Rows of the board, as it was read")
    cols: int | None = Field(default=None, description="Columns of the board, as it was read")
    mines: int | None = Field(default=None, description="The total of mines, as it was read")
    solver: Solver
    reading: TextReading | None = Field(
        default=None,
        description="How the board was read, if it was sent as text that is not plain rows in "
        "the standard notation",
    )


def _any_answer() -> type[BaseModel]:
    own = {
        answer_field.name: _make_field(
            answer_field, plane=False, required=answer_field.name != "flags"
        )
        for answer_field in list_fields(Answer)
    }
    frame = {name: (field.annotation, field) for name, field in Frame.model_fields.items()}
    order = (
        *("consistent", "conflict", "feasible_mines", "flags"),
        *("rows", "cols", "mines", "solver", "reading"),
    )
    fields: Any = {name: (own | frame)[name] for name in order}
    return create_model(
        "AnyAnswer",
        __doc__="""What every answer says.

    Null means not decided in time, or that there is none. Fields that are not required are left
    out where there is nothing to say.
    """,
        **fields,
    )


AnyAnswer: Final = _any_answer()
