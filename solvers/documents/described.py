"""Parsed annotations of questions and answers.

Tested in tests/app/test_exact.py and tests/app/test_library_answers.py.
"""

from dataclasses import fields
from functools import cache, cached_property
from types import NoneType, UnionType
from typing import Annotated, Any, NamedTuple, Union, get_args, get_origin, get_type_hints

from annotated_types import DocInfo

from minecheck.solvers.annotations import JsonName, ValueKind
from minecheck.solvers.answer import Later


class Meaning(NamedTuple):
    """A type without its marks, those of all its layers, and whether it may be None."""

    type: Any
    marks: tuple[object, ...]
    optional: bool

    def find_mark(self, kind: type) -> Any:
        """Return the mark of a class, the outermost one, or None."""
        return next((mark for mark in reversed(self.marks) if isinstance(mark, kind)), None)

    @property
    def description(self) -> str | None:
        """The description in words."""
        doc = self.find_mark(DocInfo)
        return None if doc is None else doc.documentation

    @property
    def key(self) -> Any:
        """What tables have an entry for: the kind of value if it has one, else the type."""
        return self.find_mark(ValueKind) or self.type


class AnswerField(NamedTuple):
    """A field of an answer, under its name in JSON."""

    attribute: str
    name: str
    annotation: Any

    @property
    def described(self) -> Meaning:
        """The meaning of its annotation."""
        return describe_annotation(self.annotation)


def describe_annotation(annotation: Any) -> Meaning:
    """Return the meaning of an annotation."""
    if get_origin(annotation) is Annotated:
        inner = describe_annotation(annotation.__origin__)
        return inner._replace(marks=(*inner.marks, *annotation.__metadata__))
    if get_origin(annotation) is Later:
        return describe_annotation(get_args(annotation)[0])._replace(optional=True)
    if get_origin(annotation) in (Union, UnionType):
        types = [member for member in get_args(annotation) if member is not NoneType]
        if len(types) < len(get_args(annotation)):
            inner = describe_annotation(Union[tuple(types)])  # noqa: UP007 - of a number known here only
            return inner._replace(optional=True)
    return Meaning(annotation, (), False)


def list_fields(kind: type) -> tuple[AnswerField, ...]:
    """Return the fields of a dataclass, in order: those in its ``json_fields``, or all."""
    # mypy believes that the class of a dataclass has no hash, since its values have none.
    hashable_kind: Any = kind
    return _list_fields(hashable_kind)


@cache
def _list_fields(kind: Any) -> tuple[AnswerField, ...]:
    hints = get_type_hints(kind, include_extras=True)
    names = getattr(kind, "json_fields", None) or [field.name for field in fields(kind)]
    return tuple(_describe_field(kind, name, hints) for name in names)


def _describe_field(kind: type, name: str, hints: dict[str, Any]) -> AnswerField:
    annotation = hints.get(name)
    if annotation is None:
        attribute = getattr(kind, name)
        get = attribute.func if isinstance(attribute, cached_property) else attribute.fget
        annotation = get_type_hints(get, include_extras=True)["return"]
    named = describe_annotation(annotation).find_mark(JsonName)
    return AnswerField(name, name if named is None else named.name, annotation)
