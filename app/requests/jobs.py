"""Jobs: requests that are ready to run, made from the fields of a body, a line or a command."""

import json
import pickle
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache
from time import monotonic
from types import MappingProxyType
from typing import Any, Final, TypeVar

import orjson
from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from minecheck.app import problems
from minecheck.app.field_names import names_mines_left
from minecheck.app.limits import Limits
from minecheck.app.operation import JSON_ANSWER, Operation
from minecheck.app.problems import ProblemError
from minecheck.app.questions import QuestionOperation, puzzles
from minecheck.app.questions.fields import (
    OTHER_NAMES,
    AskBoard,
    AskWindow,
    Sized,
    list_alternatives,
)
from minecheck.app.quoting import quote_text
from minecheck.app.requests.json_reader import FIELDS_LINE, LINE, read_json, read_object
from minecheck.app.requests.wording import describe_error
from minecheck.minefield import Board, BoardError, parse
from minecheck.minefield.board import FLAG, MINE
from minecheck.minefield.numerals import format_count
from minecheck.minefield.spelling import suggest_name
from minecheck.solvers import Backend, BackendError, Deadline, Question
from minecheck.solvers.question import check_backend

Model = TypeVar("Model", bound=BaseModel)

#: The header that says how a board was read, where the answer has no field for it.
NOTES_HEADER: Final = "Minecheck-Notes"
#: Fields that a whole body may stand for, and those that a line of a batch may stand for.
BARE_FIELDS: Final = ("board", "file")
_LINE_FIELDS: Final = (*BARE_FIELDS, "formula")
_WINDOW: Final = "Send row, col, rows and cols, or row,col,rows,cols in one string."


@dataclass(frozen=True, slots=True)
class Job:
    """A request that is ready to run: an operation, its input, and when the answer is due.

    A job may be packed: then its input is pickled for the worker that unpacks it, and no other
    process spends time on it. All that has to be known of the input before is a field of the job.

    Attributes:
        input: the question, or what the function of the operation takes; bytes if packed.
        seconds: the time for the answer, counted from when the request came.
        limited: False for a stream of all that there is.
        is_bounded: whether bounded effort may be enough for the answer.
        headers: those of the response.
        reading: JSON about how a board was read that was sent as text, None if there is nothing
            to say.
        cells: of the board of a question, known ones included.
        offset: the number of the first layout that a question asks for.
        limit: the number of layouts, or other things, that a question asks for; 0 for functions.
        packed: whether `unpack_input` is needed to see the input.
        second_try: whether the request may have ended another replica.
    """

    operation: Operation
    input: Any
    deadline: Deadline
    seconds: float
    limited: bool = True
    is_bounded: bool = False
    headers: Mapping[str, str] = field(default_factory=lambda: dict(JSON_ANSWER))
    reading: bytes | None = None
    cells: int = 0
    offset: int = 0
    limit: int = 0
    packed: bool = False
    second_try: bool = False

    @classmethod
    def from_input(
        cls,
        operation: Operation,
        value: Any,
        deadline: Deadline,
        seconds: float,
        limited: bool = True,
    ) -> "Job":
        """Return the job of an operation with this input.

        Args:
            operation: the operation.
            value: the question, or what the function of the operation takes.
            deadline: when the answer is due.
            seconds: the time for the answer.
            limited: False for a stream of all that there is.
        """
        facts: dict[str, Any] = operation.describe_input(value)
        return cls(operation, value, deadline, seconds, limited, **facts)

    @property
    def question(self) -> Question:
        """The input of an operation that asks a question; the job is not packed."""
        question: Question = self.input
        return question

    def add_reading(self, answer: bytes) -> bytes:
        """Return an answer, which is a JSON object, with the field reading if there is one."""
        if self.reading is None or self.headers != JSON_ANSWER:
            return answer
        return b'%b,"reading":%b}' % (answer[:-1], self.reading)

    @property
    def response_headers(self) -> Mapping[str, str]:
        """The headers of the response; notes on the reading are among them if it is not JSON."""
        if self.reading is None or self.headers == JSON_ANSWER:
            return self.headers
        return {**self.headers, **self.note_headers}

    @property
    def note_headers(self) -> Mapping[str, str]:
        """The notes on how a board was read, as a JSON list in ASCII, if there are any."""
        notes = [] if self.reading is None else orjson.loads(self.reading)["notes"]
        return {NOTES_HEADER: json.dumps(notes)} if notes else {}

    def with_page(self, offset: int, limit: int) -> "Job":
        """Return the job for another page of layouts.

        Args:
            offset: the number of the first layout.
            limit: the most layouts.
        """
        value = self.input if self.packed else self.question.with_page(offset, limit)
        return replace(self, input=value, offset=offset, limit=limit)

    def restart_clock(self) -> "Job":
        """Return the job with all of its time left."""
        return replace(self, deadline=Deadline.in_seconds(self.seconds))

    def pack_input(self, second_try: bool) -> "Job":
        """Return the job with its input pickled."""
        packed = pickle.dumps(self.input)
        return replace(self, input=packed, packed=True, second_try=second_try)

    def unpack_input(self) -> "Job":
        """Return the job with its original input, or for another page if that was requested."""
        if not self.packed:
            return self
        job = replace(self, input=pickle.loads(self.input), packed=False)
        if not self.limit or (job.question.offset, job.question.limit) == (self.offset, self.limit):
            return job
        return job.with_page(self.offset, self.limit)


def make_job(
    operation: Operation,
    fields: dict[str, Any],
    limits: Limits,
    arrived: float,
    *,
    stream: bool = False,
) -> Job:
    """Return the job that fields ask for.

    Args:
        operation: the operation.
        fields: the fields of the request by name.
        limits: the limits of the service.
        arrived: when the fields came, on the monotonic clock.
        stream: whether the answer is streamed.

    Raises:
        ProblemError: a field is wrong or missing; it names the field, or the cell, and the fix.
    """
    try:
        request = validate_fields(operation.request, fields)
        seconds = read_seconds(fields.get("deadline_ms"), limits)
        value = operation.prepare_input(request, limits, stream)
    except ProblemError as error:
        _point_to_sent_name(error.document, fields)
        raise
    endless = operation.stream is not None and operation.stream.endless
    limited = not stream or endless or fields.get("limit") is not None
    return Job.from_input(operation, value, Deadline(arrived + seconds), seconds, limited)


def _point_to_sent_name(problem: dict[str, Any], fields: Mapping[str, Any]) -> None:
    """Have a problem name the field as it was sent, such as height for rows."""
    *holders, name = problem.get("pointer", "/").split("/")[1:]
    sent: Any = fields
    for holder in holders:
        sent = sent.get(holder) if isinstance(sent, dict) else None
    for other in OTHER_NAMES.get(name, ()):
        if isinstance(sent, dict) and other in sent and name not in sent:
            problem["pointer"] = problems.format_json_pointer(*holders, other)
            problem["detail"] = re.sub(rf"^((?:\w+\.)?){name}:", rf"\1{other}:", problem["detail"])


@cache
def find_bare_field(model: type[BaseModel], names: tuple[str, ...] = BARE_FIELDS) -> str | None:
    """Return the first of the names that is a field of the model, or None."""
    return next((name for name in names if name in model.model_fields), None)


def find_line_field(operation: Operation) -> str | None:
    """Return the field that a whole line of a batch may stand for, or None."""
    return find_bare_field(operation.request, _LINE_FIELDS)


def read_line_fields(operation: Operation, line: bytes) -> dict[str, Any]:
    """Return the fields of a line of a batch: an object, or a field that stands for the whole line.

    A text stands for a board, a file or a formula, and a list for the rows of a board.

    Args:
        operation: the operation.
        line: the line.

    Raises:
        ProblemError: the line is not JSON, or JSON of another kind.
    """
    bare = find_line_field(operation)
    kind = LINE if bare == "board" else FIELDS_LINE
    value = read_json(line, kind)
    if bare and isinstance(value, (str, list) if bare == "board" else str):
        return {bare: value}
    return read_object(value, kind)


def make_line_job(operation: Operation, fields: dict[str, Any], limits: Limits) -> Job:
    """Return the job that the fields of a line ask for; its time begins now.

    Args:
        operation: the operation.
        fields: the fields by name, those that hold for all lines included.
        limits: the limits of the service.

    Raises:
        ProblemError: as `make_job`, or the line asks for something other than JSON.
    """
    job = make_job(operation, fields, limits, monotonic())
    if job.headers != JSON_ANSWER:
        problems.reject_field(
            "bad-value",
            "picture: a line is answered in JSON.",
            "Leave it out, and ask for pictures one by one.",
            "/picture",
        )
    return job


def read_seconds(deadline_ms: int | None, limits: Limits) -> float:
    """Return the seconds for an answer.

    Args:
        deadline_ms: the field of the request, None for the service's own default.
        limits: the limits of the service.

    Raises:
        ProblemError: it is longer than the limits allow.
    """
    allowed = deadline_ms or min(limits.deadline_ms, limits.max_deadline_ms)
    problems.require_at_most("deadline_ms", allowed, limits.max_deadline_ms)
    return allowed / 1000


def validate_fields(model: type[Model], fields: dict[str, Any]) -> Model:
    """Return the fields as a model has them.

    Args:
        model: the model.
        fields: the fields by name.

    Raises:
        ProblemError: one of them is wrong, or missing; the first one is named.
    """
    try:
        return model.model_validate(fields)
    except ValidationError as error:
        raise _make_value_problem(model, error, fields) from None


def _make_value_problem(
    model: type[BaseModel], error: ValidationError, request: Mapping[str, Any]
) -> ProblemError:
    """Return the problem of the first invalid field.

    Unknown names come first, which may be why others are missing.
    """
    errors = error.errors(include_url=False)
    order = {"extra_forbidden": 0, "missing": 2}
    worst = min(errors, key=lambda entry: order.get(entry["type"], 1))
    # The rest of a location is pydantic's, except for the parts of a window.
    path = [str(part) for part in worst["loc"][: 2 if worst["loc"][:1] == ("window",) else 1]]
    field = ".".join(path)
    holder = AskWindow if len(path) == 2 else model
    fields = holder.model_fields
    if worst["type"] == "extra_forbidden":
        if names_mines_left(field) and "mines" in fields:
            return _make_mines_left_problem(field, worst["input"], request)
        if issubclass(holder, Sized) and (twice := _find_other_name(path[-1])) in fields:
            return problems.make_field_problem(
                "bad-value",
                f"The request has both {twice} and {path[-1]}, which mean the same.",
                f"Leave out {path[-1]}.",
                problems.format_json_pointer(*path),
            )
        return problems.make_name_problem(field, fields, *path, value=worst["input"])
    code, detail, fix = "bad-value", f"{field[:80]}: {describe_error(worst)}.", ""
    if worst["type"] == "missing":
        code, detail = "missing-field", f"The field {field} is missing."
        fix = describe_addition(field, fields[path[-1]].description)
    elif field == "window":
        fix = _WINDOW
    elif field in ("cell", "first"):
        fix = puzzles.CELL_FIX
    elif choices := _list_choices(model).get(field):
        close = suggest_name(worst["input"], choices)
        fix = f"{close}Use one of: {', '.join(choices)}."
    return problems.make_field_problem(
        code,
        detail,
        fix or f"{_suggest_fix(worst)}{fields[path[-1]].description}.",
        problems.format_json_pointer(*path),
    )


def describe_addition(field: str, description: str | None) -> str:
    """Return the fix for a field that is missing, and what it is; a board needs no description."""
    return f"Add {field}. {description}." if description else f"Add {field}."


def _suggest_fix(error: ErrorDetails) -> str:
    """Return what to send instead of a value of the wrong type or size; empty if it is neither."""
    bounds = error.get("ctx", {})
    match error["type"]:
        case "int_type" | "int_from_float" | "int_parsing":
            return "Send a whole number. "
        case "bool_type":
            return "Send true or false. "
        case "string_type":
            return "Send text. "
        case "dict_type" | "model_type" | "model_attributes_type":
            return "Send an object. "
        case "list_type":
            return "Send a list. "
        case "wrong_form" | "wrong_value":
            return f"Send {bounds['expected']}. "
        case "greater_than_equal":
            return f"Send {bounds['ge']} or more. "
        case "less_than_equal":
            return f"Send {bounds['le']} or less. "
    return ""


def _make_mines_left_problem(field: str, left: Any, request: Mapping[str, Any]) -> ProblemError:
    """Return the problem of a field with the mines that are not found yet, which is not mines."""
    fix = "Send mines: add the mines and flags that the board shows."
    board = request.get("board")
    if type(left) is int:
        with suppress(BoardError):
            cells = (board if isinstance(board, Board) else parse(board)).cells
            shown = int(((cells == MINE) | (cells == FLAG)).sum())
            fix = (
                f"Send mines: {left + shown}, if the board shows {format_count(shown, 'mine')} of "
                f"them and {left} are left."
            )
    return problems.make_field_problem(
        "unknown-field",
        f"{quote_text(field)} is not a field of this request: mines is the number on the whole "
        "board, those that are found included.",
        fix,
        problems.format_json_pointer(field),
    )


def _find_other_name(name: str) -> str | None:
    """Return the field that ``name`` is another name for; None if it is not."""
    return next((field for field, synonyms in OTHER_NAMES.items() if name in synonyms), None)


@cache
def _list_choices(model: type[BaseModel]) -> dict[str, list[str]]:
    """Return the values of those fields that have only a few, by name."""
    return {
        name: [choice for way in ways for choice in way.get("enum", ())]
        for name, ways in list_alternatives(model).items()
    }


#: The fields that each line of a batch has for itself.
_OWN: Final = ("board", "rules")
#: Fields that a line may have to give itself: a board that all notations can read, and a total.
_ANYTHING: Final[Mapping[str, Any]] = MappingProxyType({"board": "0", "mines": 0})


def check_defaults(
    operation: Operation, fields: dict[str, Any], own: tuple[str, ...], limits: Limits
) -> None:
    """Check that options make sense for all lines of a batch.

    Args:
        operation: the operation.
        fields: the options by name.
        own: names that the batch keeps for itself.
        limits: the limits of the service.

    Raises:
        ProblemError: a name, or a value, would be rejected in every line.
    """
    names = [name for name in operation.request.model_fields if name not in _OWN]
    for name in fields:
        if name in _OWN or name not in list_alternatives(operation.request):
            raise problems.make_name_problem(name, [*own, *names])
    placeholders = {
        name: value for name, value in _ANYTHING.items() if name in operation.request.model_fields
    }
    try:
        ask = operation.request.model_validate({**placeholders, **fields})
    except ValidationError as error:
        # A missing value may come in a line.
        if any(value["type"] != "missing" for value in error.errors(include_url=False)):
            problem = _make_value_problem(operation.request, error, fields)
            _point_to_sent_name(problem.document, fields)
            raise problem from None
    else:
        if isinstance(ask, AskBoard):
            puzzles.board_of_request(ask, limits.max_cells)
        if "backend" in fields:
            check_default_backend(operation, Backend(fields["backend"]))
    read_seconds(fields.get("deadline_ms"), limits)


def check_default_backend(operation: Operation, backend: Backend) -> None:
    """Check that a backend answers a question, whatever the board.

    Raises:
        ProblemError: it does not.
    """
    assert isinstance(operation, QuestionOperation), "no other takes a backend"
    question = operation.task.question
    try:
        check_backend(backend, question.choose_engine_task(), question.task)
    except BackendError as error:
        raise problems.make_backend_problem(error) from None
