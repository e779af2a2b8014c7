"""Names that a line may have besides the fields of its request, and that its answer repeats.

A misspelt option must not pass for such a name, and no answer may have a name twice. So a name is
rejected if it is that of an option, or reads like one, or is a field of answers.
"""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final, NamedTuple

import jiter
import orjson
from pydantic import BaseModel

from minecheck.app import problems
from minecheck.app.batch.batch_line import Passed
from minecheck.app.catalogue import OPERATIONS
from minecheck.app.field_names import names_mines_left, suggest_field
from minecheck.app.operation import Operation, list_fields
from minecheck.app.problem_responses import Problem
from minecheck.app.problems import ProblemError
from minecheck.app.questions import QuestionOperation
from minecheck.app.questions.fields import list_alternatives
from minecheck.app.quoting import quote_text

#: Names that are always passed through, although some of them read like options; so are those that
#: end in _id or begin with _.
LABELS: Final = ("id", "index", "notes", "player", "tags")
#: Columns of answers in tables, and their types in Arrow. Some are fields of no answer in JSON.
TABLE_COLUMNS: Final = {
    "consistent": "bool",
    "count": "string",
    "complete": "bool",
    "elapsed_ms": "double",
    "method": "string",
    "problem": "string",
    "detail": "string",
    "answer": "string",
}
#: The names that problems and tables have themselves, and those that a batch adds.
_RESERVED: Final = frozenset({*Problem.model_fields, *TABLE_COLUMNS, "line", "summary"})
#: Bits of the integers that orjson writes.
_MOST_BITS: Final = 63


class SplitFields(NamedTuple):
    """The fields of a line: its ``own`` ones, the ``passed`` ones, and why others are rejected."""

    own: dict[str, Any]
    passed: Passed
    problem: ProblemError | None = None


def split_fields(operation: Operation, fields: Mapping[str, Any]) -> SplitFields:
    """Split the fields of a line into those of its request and those that are passed through."""
    own: dict[str, Any] = {}
    passed: dict[str, Any] = {}
    problem: ProblemError | None = None
    for name, value in fields.items():
        try:
            if name == "task" and value != operation.name:
                line_task = quote_text(str(value))
                raise _make_name_problem(
                    name, f"The line asks for {line_task}, and the batch for {operation.name}."
                )
            (passed if is_passed(operation, name) else own)[name] = value
        except ProblemError as error:
            problem = problem or error
    return SplitFields(own, _render_fields(passed), problem)


def is_passed(operation: Operation, name: str) -> bool:
    """Return True for a name that is passed through, False for a field of the request.

    Raises:
        ProblemError: it is neither.
    """
    return _is_passed(operation.name, operation.request, operation.response, name)


# Operations may be copies from other processes, and their models are not.
@lru_cache(maxsize=4096)
def _is_passed(
    task: str, request: type[BaseModel], response: type[BaseModel] | None, name: str
) -> bool:
    fields = request.model_fields
    if name in list_alternatives(request):
        return False
    if name in _RESERVED or (response is not None and name in list_fields(response)):
        detail = f"{quote_text(name)} is the name of a field of answers."
        raise _make_name_problem(name, detail, suggest_field(name, fields))
    if name in LABELS or name.endswith("_id") or name.startswith("_"):
        return True
    if names_mines_left(name) and "mines" in fields:
        # The request is rejected with the number that it should have.
        return False
    if suggest_field(name, fields):
        error = problems.make_name_problem(name, fields)
        error.document["fix"] += f" {_explain_name_fix(name)}"
        raise error
    if tasks := [operation.name for operation in OPERATIONS if _is_option_of(operation, name)]:
        raise _make_name_problem(
            name, f"{quote_text(name)} is an option of {', '.join(tasks)}, not of {task}."
        )
    return True


def _is_option_of(operation: Operation, name: str) -> bool:
    is_question = isinstance(operation, QuestionOperation) and operation.batched
    return is_question and name in operation.request.model_fields


def _make_name_problem(name: str, detail: str, near: str = "") -> ProblemError:
    """Return the problem of a name that is of something else; ``near`` begins the fix."""
    leave = "If not, leave it out." if near else "Leave it out."
    return problems.make_field_problem(
        "unknown-field",
        detail,
        f"{near}{leave} {_explain_name_fix(name)}",
        problems.format_json_pointer(name),
    )


def _explain_name_fix(name: str) -> str:
    """Return the fix for the name of a field that is to be passed through."""
    return f"To have it repeated in the answer, call it {quote_text('_' + name)}."


def _render_fields(fields: dict[str, Any]) -> Passed:
    if not fields:
        return Passed()
    text = orjson.dumps(_with_exact_numbers(fields))
    return Passed(b"," + text[1:-1], frozenset(fields))


def _with_exact_numbers(value: Any) -> Any:
    """Return a JSON value whose numbers are written with all of their digits."""
    if isinstance(value, dict):
        return {name: _with_exact_numbers(entry) for name, entry in value.items()}
    if isinstance(value, list):
        return [_with_exact_numbers(entry) for entry in value]
    if isinstance(value, jiter.LosslessFloat):
        return orjson.Fragment(str(value))
    if type(value) is int and value.bit_length() > _MOST_BITS:
        return orjson.Fragment(str(value))
    return value
