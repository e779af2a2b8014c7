"""From the fields of a request, a line or a command to a question and when its answer is due."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from http import HTTPStatus
from time import monotonic
from types import MappingProxyType
from typing import Any, Final, TypeVar

from pydantic import BaseModel, ValidationError

from app import problems
from app.limits import Limits
from app.problems import ProblemError
from app.questions import Record, puzzles
from app.questions.fields import AskBoard, AskPage, AskWindow
from app.requests.json_reader import LINE, read_json, read_object
from app.requests.wording import in_words
from minefield.spelling import meant
from solvers import Deadline, Question, QuestionError

Model = TypeVar("Model", bound=BaseModel)

_WINDOW: Final = "Send row, col, height and width, or row,col,height,width in one string."


@dataclass(frozen=True, slots=True)
class Job:
    """A question, when its answer is due, and in how many ``seconds`` from when it came.

    ``limited`` is False where all layouts are wanted, as a stream.
    """

    record: Record
    question: Question
    deadline: Deadline
    seconds: float
    limited: bool = True

    def beginning(self) -> "Job":
        """The same, with its time beginning now."""
        return replace(self, deadline=Deadline.after(self.seconds))


def job(
    record: Record,
    fields: dict[str, Any],
    limits: Limits,
    arrived: float,
    *,
    stream: bool = False,
) -> Job:
    """The question that fields ask; ``arrived`` is when, on the monotonic clock.

    Raises:
        ProblemError: they do not; it names the field, or the cell, and the fix.
    """
    ask = validated(record.asked, fields)
    seconds = seconds_of(ask.deadline_ms, limits)
    board = puzzles.puzzle(ask, limits.max_cells)
    try:
        question = record.question(ask, board, limits, stream)
    except QuestionError as error:
        raise problems.of_question(error) from None
    limited = not stream or (isinstance(ask, AskPage) and ask.limit is not None)
    return Job(record, question, Deadline(arrived + seconds), seconds, limited)


def read_line(record: Record, line: bytes, defaults: dict[str, Any], limits: Limits) -> Job:
    """What a line of a batch asks: an object, or a board as one string.

    What it does not say is taken from ``defaults``. Its time begins now.

    Raises:
        ProblemError: as `job`, or it is not JSON.
    """
    value = read_json(line, LINE)
    own = {"board": value} if isinstance(value, str) else read_object(value, LINE)
    return job(record, defaults | own, limits, monotonic())


def due(deadline_ms: int | None, arrived: float, limits: Limits) -> Deadline:
    """When an answer is due; ``arrived`` is when the request came, on the monotonic clock.

    Raises:
        ProblemError: it has longer than the limits allow.
    """
    return Deadline(arrived + seconds_of(deadline_ms, limits))


def seconds_of(deadline_ms: int | None, limits: Limits) -> float:
    """The time for an answer.

    Raises:
        ProblemError: it is longer than the limits allow.
    """
    allowed = deadline_ms or min(limits.deadline_ms, limits.max_deadline_ms)
    problems.at_most("deadline_ms", allowed, limits.max_deadline_ms)
    return allowed / 1000


def validated(model: type[Model], fields: dict[str, Any]) -> Model:
    """The fields as a model has them.

    Raises:
        ProblemError: one of them is wrong; the first one is named.
    """
    try:
        return model.model_validate(fields)
    except ValidationError as error:
        # What is missing is told last: it may be there, misspelt.
        first = min(error.errors(include_url=False), key=lambda one: one["type"] == "missing")
    # What follows a field's name in a location is pydantic's, but for the parts of a window.
    places = [str(place) for place in first["loc"][: 2 if first["loc"][:1] == ("window",) else 1]]
    field = ".".join(places)
    known = (AskWindow if len(places) == 2 else model).model_fields
    if first["type"] == "extra_forbidden":
        raise problems.of_name(field, known, *places)
    code, detail, fix = "bad-value", f"{field[:80]}: {in_words(first)}.", ""
    if first["type"] == "missing":
        code, detail, fix = "missing-field", f"The field {field} is missing.", f"Add {field}."
    elif field == "window":
        fix = _WINDOW
    elif choices := _choices(model).get(field):
        close = meant(first["input"], choices)
        fix = f"{close}Use one of: {', '.join(choices)}."
    raise ProblemError(
        HTTPStatus.UNPROCESSABLE_ENTITY,
        code,
        detail,
        fix or f"{known[places[-1]].description}.",
        pointer=problems.pointer(*places),
    )


@cache
def _choices(model: type[BaseModel]) -> dict[str, list[str]]:
    """The values that fields may have which have but some, by name."""
    fields = model.model_json_schema()["properties"]
    ways = {name: [field, *field.get("anyOf", ())] for name, field in fields.items()}
    found = {name: [way.get("enum", ()) for way in several] for name, several in ways.items()}
    return {name: [one for few in enums for one in few if one] for name, enums in found.items()}


#: What lines of a batch are about, each for itself.
_OWN: Final = ("board", "rules")
#: What a line may have to say itself: a board that is one in every notation, and a total.
_ANYTHING: Final[Mapping[str, Any]] = MappingProxyType({"board": "0", "mines": 0})


def check_defaults(
    record: Record, fields: dict[str, Any], own: tuple[str, ...], limits: Limits
) -> None:
    """Check that options make sense for all lines of a batch; ``own`` are names that it keeps.

    Raises:
        ProblemError: a name, or a value, would be rejected in every line.
    """
    known = [name for name in record.asked.model_fields if name not in _OWN]
    for name in fields:
        if name not in known:
            raise problems.of_name(name, [*own, *known])
    said = {name: one for name, one in _ANYTHING.items() if name in record.asked.model_fields}
    ask: AskBoard = validated(record.asked, {**said, **fields})
    seconds_of(ask.deadline_ms, limits)
    puzzles.board(ask, limits.max_cells)
