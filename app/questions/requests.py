"""The models of requests, derived from the classes of questions, and what makes questions of them.

What says which board is meant, how it is written and how long the answer may take is the same for
all: `app.questions.fields` has it, for plane boards only or for all boards and rules.
"""

from collections.abc import Callable, Iterable
from dataclasses import MISSING, Field, fields
from enum import Enum
from fractions import Fraction
from inspect import getdoc
from math import prod
from typing import Annotated, Any, Final, Literal, NamedTuple, TypeAlias, get_type_hints

import pydantic
from annotated_types import Ge, Le
from pydantic import WithJsonSchema, create_model

from minecheck.app import problems
from minecheck.app.limits import Limits
from minecheck.app.questions import puzzles
from minecheck.app.questions.fields import (
    CELL_SCHEMA,
    LAYOUT_SCHEMA,
    AskBoard,
    AskPuzzle,
    Cutting,
    Density,
    LayoutRows,
    Offset,
    Seed,
)
from minecheck.automata import Window
from minecheck.minefield import Board, Layout, Puzzle
from minecheck.solvers import Backend, Question
from minecheck.solvers.annotations import OneOf, ValueKind
from minecheck.solvers.backend import list_backends
from minecheck.solvers.documents.described import Meaning, describe_annotation

_PAGE: Final = 100
#: Cells of all layouts in one JSON answer, at most.
_ANSWER_CELLS: Final = 20_000_000


class Context(NamedTuple):
    """The context of a field: the board, the limits, and whether the answer is streamed."""

    board: Puzzle
    limits: Limits
    stream: bool


#: Makes the value of an option from that of a field; raises ProblemError.
Convert: TypeAlias = Callable[[str, Any, Context], Any]
#: Makes a question of the fields of a request; raises ProblemError or QuestionError.
MakeQuestion: TypeAlias = Callable[[Any, Puzzle, Limits, bool], Question]


def is_plane(question: type[Question]) -> bool:
    """Return True if a question is about plane boards only."""
    return get_type_hints(question)["board"] is Board


def request_model(question: type[Question]) -> type[AskBoard]:
    """Return the model of the requests that ask a question."""
    options = _list_options(question)
    base = AskBoard if is_plane(question) else AskPuzzle
    own: Any = {
        name: _make_field(option, meaning, question)
        for name, (option, meaning) in options.items()
        if name not in base.model_fields
    }
    name = f"Ask{(question.options_name or question.task).capitalize()}"
    return create_model(name, __base__=base, __doc__=getdoc(question), **own)


def make_question_maker(question: type[Question]) -> MakeQuestion:
    """Return what makes a question of a request; what that leaves out is as it is by default."""
    converters = {
        name: _CONVERTERS.get(meaning.key) for name, (_, meaning) in _list_options(question).items()
    }
    paged = [name for name, convert in converters.items() if convert is _read_page]

    def make_question(ask: Any, board: Puzzle, limits: Limits, stream: bool) -> Question:
        context = Context(board, limits, stream)
        options = {}
        for name, convert in converters.items():
            value = getattr(ask, name)
            if convert is not None and (value is not None or name in paged):
                value = convert(name, value, context)
            if value is not None:
                options[name] = value
        return question(board, **options)

    return make_question


def most_in_an_answer(cells: int, limits: Limits) -> int:
    """Return the most layouts, or boards, in one answer of the service.

    Args:
        cells: the cells of each.
        limits: the limits of the service.
    """
    return min(limits.max_layouts, max(1, _ANSWER_CELLS // max(1, cells)))


def _list_options(question: type[Question]) -> dict[str, tuple[Field[Any], Meaning]]:
    hints = get_type_hints(question, include_extras=True)
    return {
        option.name: (option, describe_annotation(hints[option.name]))
        for option in fields(question)
        if option.name != "board"
    }


def _make_field(option: Field[Any], meaning: Meaning, question: type[Question]) -> tuple[Any, Any]:
    """Return the field of a model that stands for an option."""
    drawn = option.default_factory is not MISSING
    kind = _field_type(meaning, question)
    least, most = meaning.find_mark(Ge), meaning.find_mark(Le)
    constraints: dict[str, Any] = {} if least is None else {"ge": least.ge}
    constraints |= {} if most is None else {"le": most.le}
    if drawn or option.default is not MISSING:
        constraints["default"] = None if drawn else option.default
    if meaning.key is ValueKind.SEED:
        # It may be text: the type has the bounds.
        return kind, pydantic.Field(default=None, description=meaning.description)
    if (drawn or meaning.optional) and meaning.key not in _TAKE_NONE:
        kind = kind | None
    return kind, pydantic.Field(description=meaning.description, **constraints)


def _field_type(meaning: Meaning, question: type[Question]) -> Any:
    """Return what an option is in a request."""
    if meaning.key is Layout:
        return LayoutRows if is_plane(question) else Annotated[Any, WithJsonSchema(LAYOUT_SCHEMA)]
    if isinstance(meaning.type, type) and issubclass(meaning.type, Enum):
        # Other backends are valid names, too: the question says why they do not answer it.
        values: Iterable[Enum] = meaning.type
        if meaning.type is Backend:
            values = list_backends(question.choose_engine_task())
            assert values, f"which engines answer {question.task}? It may say engines_like a task"
        names = {"type": "string", "enum": list(values)}
        kind: Any = meaning.type
        if meaning.optional:
            kind, names = kind | None, {"anyOf": [names, {"type": "null"}]}
        return Annotated[kind, pydantic.Field(strict=False), WithJsonSchema(names)]
    if (words := meaning.find_mark(OneOf)) is not None:
        return Literal[words.values]
    return _TYPES.get(meaning.key, meaning.type)


def _read_limit(name: str, value: int, context: Context) -> int:
    if not context.stream:
        problems.require_at_most(name, value, context.limits.max_layouts)
    return value


def _read_page(name: str, value: int | None, context: Context) -> int:
    """Return the number of requested layouts; a page is as large as all of them."""
    most = most_in_an_answer(prod(context.board.shape), context.limits)
    limit = value or min(_PAGE, most)
    if not context.stream:
        problems.require_at_most(name, limit, most)
    return limit


def _read_cell(name: str, value: Any, context: Context) -> Any:
    return puzzles.read_cell(value, context.board)


def _read_window(name: str, value: Any, context: Context) -> Window:
    return puzzles.read_window(value, context.board)


def _read_layout(name: str, value: Any, context: Context) -> Layout:
    if context.stream:
        problems.reject_field(
            "bad-value",
            "A stream of layouts does not tell the number of a layout.",
            "Leave layout out, or send Accept: application/json.",
            f"/{name}",
        )
    return puzzles.read_layout(value, context.board)


#: The form of options in requests, by type or kind, where it differs.
_TYPES: Final[dict[Any, Any]] = {
    ValueKind.NUMBER: Offset,
    ValueKind.SEED: Seed,
    ValueKind.CELL: Annotated[Any, WithJsonSchema(CELL_SCHEMA)],
    Fraction: Density,
    Window: Cutting,
}
#: Options that accept None, and switches, which only programs can leave open.
_TAKE_NONE: Final = (ValueKind.CELL, Fraction, Layout, bool)
_CONVERTERS: Final[dict[Any, Convert]] = {
    ValueKind.LIMIT: _read_limit,
    ValueKind.PAGE: _read_page,
    ValueKind.CELL: _read_cell,
    Window: _read_window,
    Layout: _read_layout,
}
