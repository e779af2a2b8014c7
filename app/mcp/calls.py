"""Calls of tools: from arguments to a job, and from its answer to text."""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import orjson

from minecheck.app import problems
from minecheck.app.field_names import suggest_field
from minecheck.app.limits import Limits, LimitValues
from minecheck.app.mcp.board_view import View
from minecheck.app.mcp.paragraphs import Paragraphs
from minecheck.app.mcp.tool import CallContext, Tool, ToolAnswer
from minecheck.app.mcp.tools import MOST_CELLS, MOST_CHARACTERS, TOOLS
from minecheck.app.problems import ProblemError, format_json_pointer, reject_field
from minecheck.app.quoting import quote_text
from minecheck.app.requests.board_text import read_text_fields
from minecheck.app.requests.jobs import Job, make_job
from minecheck.app.requests.json_reader import with_whole_numbers

#: Types of JSON schema, each with its Python type and its name in messages.
_KINDS = {"integer": (int, "a whole number from 0"), "boolean": (bool, "true or false")}
#: The most readings of an ambiguous board that an error lists.
_MOST_READINGS = 4


def limit_calls(limits: Limits) -> LimitValues:
    """Return the limits of calls to a service with these limits: smaller boards."""
    return LimitValues(
        min(limits.max_cells, MOST_CELLS),
        limits.max_layouts,
        limits.deadline_ms,
        limits.max_deadline_ms,
    )


class Call(NamedTuple):
    """A call that was read.

    Attributes:
        tool: the tool.
        context: what its answer says of the call.
        job: the job that answers it; None where reading the board is all.
    """

    tool: Tool
    context: CallContext
    job: Job | None


def read_call(name: str, arguments: Mapping[str, Any], limits: Limits, arrived: float) -> Call:
    """Read a call.

    Args:
        name: the name of the tool.
        arguments: its arguments.
        limits: the limits of calls.
        arrived: when it came, on the monotonic clock.

    Raises:
        ProblemError: there is no such tool, or an argument is wrong or missing.
    """
    tool = TOOLS.get(name)
    if tool is None:
        fix = f"Use one of: {', '.join(TOOLS)}."
        reject_field("bad-value", f"There is no tool {quote_text(name)}.", fix)
    _check_names(tool, arguments)
    arguments = with_whole_numbers(dict(arguments))
    for argument in tool.required:
        if arguments.get(argument) is None:
            missing = f"The argument {argument} is missing."
            reject_field(
                "missing-field", missing, f"Add {argument}.", format_json_pointer(argument)
            )
    own = {
        argument.name: _own_value(tool, argument.name, arguments)
        for argument in tool.arguments
        if argument.own
    }
    fields = {
        key: value for key, value in arguments.items() if key not in own and value is not None
    }
    top, left = own["show_row"], own["show_col"]
    context = CallContext(view=View(0, 0, top, left), arguments=arguments)
    if "board" in tool.names:
        options = {key: value for key, value in fields.items() if key != "board"}
        text = _read_text("board", fields["board"])
        read, reading = read_text_fields(text, options, limits.max_cells)
        fields |= read
        fields.pop("symbols", None)
        rows = reading.rows
        context = CallContext(
            rows=rows,
            view=_view_part(len(rows), len(rows[0]), top, left),
            notes=reading.notes,
            notation=reading.notation,
            mines=fields.get("mines"),
            arguments=arguments,
        )
    elif "file" in fields:
        fields["file"] = _read_text("file", fields["file"])
    if tool.operation is None:
        _check_total(fields.get("mines"))
        return Call(tool, context, None)
    return Call(tool, context, make_job(tool.operation, {**fields, **tool.fixed}, limits, arrived))


def _check_names(tool: Tool, arguments: Iterable[str]) -> None:
    """Reject arguments that a tool does not have.

    Raises:
        ProblemError: there is one.
    """
    for argument in arguments:
        if argument not in tool.names:
            reject_field(
                "unknown-field",
                f"{quote_text(argument)} is not an argument of {tool.name}.",
                f"{suggest_field(argument, tool.names)}The arguments are {', '.join(tool.names)}.",
                format_json_pointer(argument),
            )


def render_answer(call: Call, body: bytes) -> ToolAnswer:
    """Return the answer of a tool.

    Args:
        call: the call.
        body: the answer of its operation as JSON; empty if it has none.

    Raises:
        ProblemError: the part that was to be shown begins outside the board.
    """
    answer = orjson.loads(body) if body else {}
    context = call.context
    if (rows := answer.get("board") or answer.get("layout")) and not context.rows:
        _view_part(len(rows), len(rows[0]), context.view.top, context.view.left)
    return call.tool.render(answer, context)


def describe_problem(error: ProblemError) -> ToolAnswer:
    """Return an error as the answer of a tool: what is wrong, where, and how to ask again."""
    document = error.document
    text = Paragraphs()
    text.add(f"ERROR: {document['detail'][:1500]}")
    text.add(f"How to fix it: {document['fix'][:1500]}")
    if field := document.get("pointer", "").split("/")[1:2]:
        text.add(f"The argument at fault is {field[0][:80]}.")
    readings = document.get("readings", ())
    for number, reading in enumerate(readings[:_MOST_READINGS], 1):
        notes = " ".join(reading["notes"])[:500]
        if reading["board"] is None:
            text.add(f"Reading {number}: {notes}")
            continue
        board = "\n".join(reading["board"])
        text.add(
            f"Reading {number}: {notes}\nTo choose it, call again with this board:\n{board}",
            f"Reading {number} is left out for its length.",
        )
    return ToolAnswer(text.join(), None)


def _own_value(tool: Tool, name: str, arguments: Mapping[str, Any]) -> Any:
    """Return an argument that the tool itself takes, or its default."""
    schema = next(argument.schema for argument in tool.arguments if argument.name == name)
    value = arguments.get(name)
    if value is None:
        return schema["default"]
    kind, expected = _KINDS[schema["type"]]
    if type(value) is not kind or value < schema.get("minimum", value):
        reject_field("bad-value", f"{name} is not {expected}.", f"Send {expected}.", f"/{name}")
    return value


def _check_total(mines: object) -> None:
    """Check a total that no operation sees."""
    if mines is not None and (type(mines) is not int or mines < 0):
        detail = "mines is not a whole number from 0."
        reject_field("bad-value", detail, "Send a whole number.", "/mines")


def _read_text(name: str, value: object) -> str:
    """Return a text, or the rows of a list as lines of one."""
    if isinstance(value, list) and value and all(isinstance(row, str) for row in value):
        value = "\n".join(value)
    if not isinstance(value, str):
        fix = "Send text, one row of the board a line."
        reject_field("bad-value", f"{name} is not text.", fix, f"/{name}")
    problems.require_at_most(name, len(value), MOST_CHARACTERS, f"{MOST_CHARACTERS} characters")
    return value


def _view_part(rows: int, cols: int, top: int, left: int) -> View:
    """Return the part of a board that is shown from a cell on.

    Raises:
        ProblemError: the cell is outside the board.
    """
    for name, value, size in (("show_row", top, rows), ("show_col", left, cols)):
        if value >= size:
            reject_field(
                "bad-value",
                f"{name} is {value}, and the board has 0 to {size - 1}.",
                f"Send {name} from 0 to {size - 1}, or leave it out.",
                f"/{name}",
            )
    return View(rows, cols, top, left)
