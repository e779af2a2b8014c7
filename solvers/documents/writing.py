"""How values are written as JSON, by their types: put together once for each class of answers.

Tested in tests/app/test_exact.py and tests/app/test_library_answers.py.
"""

from collections.abc import Callable
from dataclasses import is_dataclass
from functools import cache, partial
from typing import Any, Final, TypeAlias, get_args, get_origin

from minecheck.automata import Loosened, Outside, Window
from minecheck.minefield import Board, Layout, draw
from minecheck.minefield.certificates.document import Certificate, combine_documents
from minecheck.solvers.annotations import Flat, Joined, Only, Repeated, ValueKind
from minecheck.solvers.documents import numbers
from minecheck.solvers.documents.cells import OnBoard, render_window
from minecheck.solvers.documents.described import (
    AnswerField,
    Meaning,
    describe_annotation,
    list_fields,
)
from minecheck.solvers.findings import Others

#: Writes a value, cells and layouts as the first argument has them.
Write: TypeAlias = Callable[[OnBoard, Any], Any]
#: Writes some fields of an answer to a question into an object.
WriteFields: TypeAlias = Callable[[Any, Any, OnBoard, dict[str, Any]], None]


@cache
def choose_writer(annotation: Any) -> Write | None:
    """Return what writes values of a type; None if they are JSON as they stand."""
    meaning = describe_annotation(annotation)
    write = _build_writer(meaning)
    if write is None or not meaning.optional:
        return write
    return lambda draw_on, value: None if value is None else write(draw_on, value)


def _build_writer(meaning: Meaning) -> Write | None:
    if meaning.key in _BY_TYPE:
        return _BY_TYPE[meaning.key]
    origin, arguments = get_origin(meaning.type), get_args(meaning.type)
    if origin is list:
        return _make_list_writer(arguments[0])
    if origin is dict:
        write = choose_writer(arguments[1])
        assert write is not None, "only numbers of any size stand in dictionaries"
        return lambda draw_on, value: {
            str(name): write(draw_on, entry) for name, entry in value.items()
        }
    kind: Any = meaning.type
    return make_object_writer(kind) if is_dataclass(kind) else None


def _make_list_writer(annotation: Any) -> Write | None:
    several = _IN_LISTS.get(describe_annotation(annotation).key)
    if several is not None:
        return several
    write = choose_writer(annotation)
    if write is None:
        return None
    return lambda draw_on, value: [write(draw_on, entry) for entry in value]


def make_object_writer(kind: Any) -> Write:
    """Return what writes values of a class as objects."""
    fields = [
        (field.attribute, field.name, choose_writer(field.annotation))
        for field in list_fields(kind)
    ]

    def write(draw_on: OnBoard, value: Any) -> dict[str, Any]:
        return {
            name: getattr(value, attribute)
            if write_field is None
            else write_field(draw_on, getattr(value, attribute))
            for attribute, name, write_field in fields
        }

    return write


def make_fields_writer(kind: type) -> WriteFields:
    """Return what writes the fields of answers of a class."""
    hashable_kind: Any = kind
    return _make_fields_writer(hashable_kind)


@cache
def _make_fields_writer(kind: Any) -> WriteFields:
    parts = list(map(make_field_writer, list_fields(kind)))

    def write(question: Any, answer: Any, draw_on: OnBoard, into: dict[str, Any]) -> None:
        for part in parts:
            part(question, answer, draw_on, into)

    return write


@cache
def make_field_writer(field: AnswerField) -> WriteFields:
    """Return what writes a field of an answer."""
    attribute, name, annotation = field
    meaning = field.described
    if meaning.type is Others:
        return lambda question, answer, draw_on, into: into.update(draw_on.render_others(answer))
    if meaning.find_mark(Flat) is not None:
        return _make_flat_writer(attribute, meaning.type)
    only = meaning.find_mark(Only)
    value: Callable[[Any, Any, OnBoard], Any]
    if meaning.type == list[Certificate]:
        joined = meaning.find_mark(Joined) is not None

        value = partial(_render_certificate, joined)
    else:
        value = _make_value_writer(
            attribute, annotation, repeated=meaning.find_mark(Repeated) is not None
        )
    if only is None:

        def write(question: Any, answer: Any, draw_on: OnBoard, into: dict[str, Any]) -> None:
            into[name] = value(question, answer, draw_on)
    else:
        when = only.when

        def write(question: Any, answer: Any, draw_on: OnBoard, into: dict[str, Any]) -> None:
            if when(question, answer):
                into[name] = value(question, answer, draw_on)

    return write


def _make_value_writer(
    attribute: str, annotation: Any, *, repeated: bool
) -> Callable[[Any, Any, OnBoard], Any]:
    """Return what finds and writes a field of an answer, or of the question if it is repeated."""
    write = choose_writer(annotation)

    def write_value(question: Any, answer: Any, draw_on: OnBoard) -> Any:
        value = getattr(question if repeated else answer, attribute)
        return value if write is None else write(draw_on, value)

    return write_value


def _make_flat_writer(attribute: str, kind: type) -> WriteFields:
    write_object = make_object_writer(kind)
    unknown = dict.fromkeys(field.name for field in list_fields(kind))

    def write(question: Any, answer: Any, draw_on: OnBoard, into: dict[str, Any]) -> None:
        value = getattr(answer, attribute)
        into.update(unknown if value is None else write_object(draw_on, value))

    return write


def _render_certificate(
    joined: bool, question: Any, answer: Any, draw_on: OnBoard
) -> dict[str, Any] | None:
    """Return the proof of an answer as one document."""
    certificates = answer.certificates
    if certificates is None:
        return None
    if joined and answer.consistent:
        return combine_documents(question.board, question.mines, certificates)
    document: dict[str, Any] = certificates[0].to_document()
    return document


def _render_outside(draw_on: OnBoard, outside: Outside) -> dict[str, Any]:
    clues = [
        {"clue": (clue.row, clue.col), "cells": clue.cells, "low": clue.low, "high": clue.high}
        for clue in outside.clues
    ]
    return {"mines": outside.mines, "safe": outside.safe, "clues": clues}


def _render_loosened(draw_on: OnBoard, clue: Loosened) -> dict[str, Any]:
    cell = (clue.row, clue.col)
    return {"clue": cell, "number": clue.number, "low": clue.low, "high": clue.high}


def _render_digits(draw_on: OnBoard, number: int) -> str | None:
    return numbers.format_integer(number)


_BY_TYPE: Final[dict[Any, Write]] = {
    ValueKind.COUNT: _render_digits,
    ValueKind.NUMBER: _render_digits,
    # orjson writes what is infinite as null.
    ValueKind.AMOUNT: lambda draw_on, value: value,
    ValueKind.CHANCE: lambda draw_on, value: numbers.render_chance(value),
    ValueKind.CHANCES: lambda draw_on, value: draw_on.render_chances(value),
    ValueKind.CELL: lambda draw_on, value: draw_on.render_cells([value])[0],
    ValueKind.ANY_CELL: lambda draw_on, value: draw_on.all_cells([value])[0],
    ValueKind.CLUE: lambda draw_on, value: draw_on.render_clues([value])[0],
    ValueKind.RANKED: lambda draw_on, value: [
        {"cell": draw_on.render_cells([cell])[0], "probability": numbers.render_chance(chance)}
        for cell, chance in value
    ],
    Layout: lambda draw_on, value: draw_on.render_layout(value),
    Board: lambda draw_on, value: draw(value),
    Window: lambda draw_on, value: render_window(value),
    Loosened: _render_loosened,
    Outside: _render_outside,
}
_IN_LISTS: Final[dict[Any, Write]] = {
    ValueKind.CELL: lambda draw_on, value: draw_on.render_cells(value),
    ValueKind.ANY_CELL: lambda draw_on, value: draw_on.all_cells(value),
    ValueKind.CLUE: lambda draw_on, value: draw_on.render_clues(value),
}
