"""What a tool is: the operation behind it, its arguments, and how its answer is written."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final

from pydantic import BaseModel

from minecheck.app.mcp.board_view import View
from minecheck.app.operation import Operation

#: The most characters of the text of an answer. Cells take about a token for two characters; with
#: what programs get besides, this stays below 4,000 tokens.
MOST_TEXT: Final = 5_600
_NOTHING: Final = View(0, 0)


@dataclass(frozen=True, slots=True)
class Argument:
    """An argument of a tool.

    Attributes:
        name: its name; also that of a field of the request of the operation, unless ``own``.
        schema: its JSON schema; by default that of the field.
        own: True if it is for the tool itself, and not a field of the request.
    """

    name: str
    schema: Mapping[str, Any] = field(default_factory=dict)
    own: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class CallContext:
    """The parts of a call that its answer refers to.

    Attributes:
        rows: the board that was read, in the standard notation; empty for a tool without one.
        view: the part of the board to be shown.
        notes: sentences on how the board was read.
        notation: how the cells of the board were written.
        mines: the total that was stated.
        arguments: the arguments of the call.
    """

    rows: Sequence[str] = ()
    view: View = _NOTHING
    notes: Sequence[str] = ()
    notation: str = "rows"
    mines: int | None = None
    arguments: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ToolAnswer:
    """The answer of a tool.

    Attributes:
        text: for the model, at most `MOST_TEXT` characters.
        structured: for programs, in the form of the tool's ``output``; None for an error.
    """

    text: str
    structured: dict[str, Any] | None


@dataclass(frozen=True, eq=False, kw_only=True)
class Tool:
    """A tool.

    Attributes:
        name: its name.
        title: a few words for people.
        description: what it does, for the model that chooses it.
        operation: what answers it; None where reading the board is all that it does.
        arguments: its arguments.
        required: the names of those without which there is no answer.
        fixed: fields of the request that always have the same value.
        output: the form of the structured answer.
        render: renders the answer, given the fields of the operation's answer and what was asked.
    """

    name: str
    title: str
    description: str
    operation: Operation | None
    arguments: Sequence[Argument]
    required: Sequence[str] = ("board",)
    fixed: Mapping[str, Any] = field(default_factory=dict)
    output: type[BaseModel]
    render: Callable[[Mapping[str, Any], CallContext], ToolAnswer]

    @cached_property
    def names(self) -> list[str]:
        """The names of the arguments."""
        return [argument.name for argument in self.arguments]

    @cached_property
    def input_schema(self) -> dict[str, Any]:
        """The JSON schema of the arguments."""
        fields = {}
        if self.operation is not None:
            fields = self.operation.request.model_json_schema()["properties"]
        return {
            "type": "object",
            "properties": {
                argument.name: _drop_titles(argument.schema or fields[argument.name])
                for argument in self.arguments
            },
            "required": list(self.required),
            "additionalProperties": False,
        }

    @cached_property
    def output_schema(self) -> dict[str, Any]:
        """The JSON schema of the structured answer."""
        schema: dict[str, Any] = _drop_titles(self.output.model_json_schema())
        return schema


def _drop_titles(schema: Any) -> Any:
    """Return a schema without the titles that pydantic makes of names."""
    if isinstance(schema, dict):
        return {
            name: _drop_titles(value)
            for name, value in schema.items()
            if not (name == "title" and isinstance(value, str))
        }
    return [_drop_titles(value) for value in schema] if isinstance(schema, list) else schema
