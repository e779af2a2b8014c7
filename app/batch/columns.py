"""The columns of tables: those of requests, in CSV and Parquet, and those of answers."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, TypeAlias

import orjson

from minecheck.app.batch.passed_fields import TABLE_COLUMNS, is_passed
from minecheck.app.operation import Operation
from minecheck.app.problem_responses import Problem
from minecheck.app.questions.fields import list_alternatives
from minecheck.app.requests.json_reader import LINE, read_json, read_object

#: Is given what is being done, how far it is, and how far it goes if that is known.
ReportProgress: TypeAlias = Callable[[str, int, int | None], None]

TEXT: Final = "strings"
ROWS: Final = "lists of strings"
INTEGERS: Final = "integers"
TRUTHS: Final = "booleans"
EXACT: Final = "doubles or decimals"
#: The column type of a field of a request, by its type in JSON.
_BY_TYPE: Final = {"string": TEXT, "integer": INTEGERS, "boolean": TRUTHS, "number": EXACT}
#: Columns of fields that are passed through, at most; others are in the column answer only.
_MOST_PASSED: Final = 100


def find_types(operation: Operation, name: str) -> list[str]:
    """Return the types that a column may have; none if it may have any, as it is passed through.

    Raises:
        ProblemError: it is misspelt, or a field of answers.
    """
    if is_passed(operation, name):
        return []
    kinds = map(_column_type, list_alternatives(operation.request).get(name, ()))
    return [kind for kind in dict.fromkeys(kinds) if kind]


def _column_type(schema: Mapping[str, Any]) -> str | None:
    """Return the type of column for what a field may be; None if a column cannot hold it."""
    if schema.get("type") == "array":
        return ROWS if schema.get("items", {}).get("type") == "string" else None
    return _BY_TYPE.get(schema.get("type", ""))


def find_passed_fields(answers: Path, operation: Operation) -> dict[str, set[type]]:
    """Return the names of fields that answers repeat, and the types of their values in Python.

    ``file`` and ``line`` come first, if any answer has them.

    Args:
        answers: a file of answers, one a line.
        operation: the operation that they are of.
    """
    own = {*operation.fields, *Problem.model_fields}
    passed: dict[str, set[type]] = {"file": set(), "line": set()}
    with answers.open("rb") as source:
        for line in source:
            for name, value in orjson.loads(line).items():
                if name not in own and (name in passed or len(passed) < _MOST_PASSED):
                    passed.setdefault(name, set()).add(type(value))
    return {name: types for name, types in passed.items() if types}


def make_rows(
    lines: Iterable[bytes], passed: Mapping[str, bool]
) -> Iterator[tuple[dict[str, Any], int]]:
    """Yield the columns of answers, and the bytes of their lines.

    Args:
        lines: the answers.
        passed: the columns of fields that are passed through, and whether they hold JSON.
    """
    for line in lines:
        document = read_object(read_json(line, LINE), LINE)
        solver = document.get("solver", {})
        elapsed = solver.get("elapsed_ms")
        request = orjson.loads(line) if passed else {}
        of_answer = {
            "consistent": document.get("consistent"),
            "count": document.get("count"),
            "complete": solver.get("complete"),
            "elapsed_ms": None if elapsed is None else float(elapsed),
            "method": solver.get("name"),
            "problem": document.get("type"),
            "detail": document.get("detail"),
            "answer": line.removesuffix(b"\n").decode(),
        }
        assert tuple(of_answer) == tuple(TABLE_COLUMNS), "as they are reserved"
        row = {
            name: _write_json(request.get(name)) if is_json else request.get(name)
            for name, is_json in passed.items()
        }
        yield row | of_answer, len(line)


def _write_json(value: Any) -> str | None:
    """Return a value as text: JSON, if it is not text itself; None if it is missing."""
    if value is None or isinstance(value, str):
        return value
    return orjson.dumps(value).decode()
