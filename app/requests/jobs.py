"""From the fields of a request, a line or a command to a question and when its answer is due."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from http import HTTPStatus
from time import monotonic
from types import MappingProxyType
from typing import Any, Final, NamedTuple, TypeVar

from pydantic import BaseModel, ValidationError

from app import problems
from app.limits import Limits
from app.problems import ProblemError
from app.questions import Record, puzzles
from app.questions.fields import AskBoard, AskPage, AskWindow
from app.questions.record import Askable, Errand
from app.requests.json_reader import LINE, read_json, read_object
from app.requests.wording import in_words
from minefield import Board
from minefield.spelling import meant
from solvers import Deadline, Question, QuestionError

Model = TypeVar("Model", bound=BaseModel)

#: What a line has to say, and what it most often says besides.
_PLAIN: Final = frozenset({"board", "mines"})
#: What may be a whole line.
_BARE: Final = ("board", "file", "formula")
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


@dataclass(frozen=True, slots=True)
class Commission:
    """An errand, what is wanted, and by when: in so many ``seconds`` from when it was asked for."""

    errand: Errand
    wanted: Any
    deadline: Deadline
    seconds: float

    def beginning(self) -> "Commission":
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
    if not stream and (plain := _plain(record, fields, limits)):
        return plain.job(limits, arrived)
    ask = validated(record.asked, fields)
    seconds = seconds_of(ask.deadline_ms, limits)
    board = puzzles.puzzle(ask, limits.max_cells)
    try:
        question = record.question(ask, board, limits, stream)
    except QuestionError as error:
        raise problems.of_question(error) from None
    limited = not stream or (isinstance(ask, AskPage) and ask.limit is not None)
    return Job(record, question, Deadline(arrived + seconds), seconds, limited)


def commission(
    errand: Errand, fields: dict[str, Any], limits: Limits, arrived: float
) -> Commission:
    """The errand that fields ask for; ``arrived`` is when, on the monotonic clock.

    Raises:
        ProblemError: they do not; it names the field, or the cell, and the fix.
    """
    ask = validated(errand.asked, fields)
    seconds = seconds_of(fields.get("deadline_ms"), limits)
    return Commission(errand, errand.wanted(ask, limits), Deadline(arrived + seconds), seconds)


class Plain(NamedTuple):
    """A board, perhaps with its total of mines, asked about without options.

    Its fields need no model, which takes some 10 microseconds of a request. If it is answered at
    once, no question is made of a line, which saves 3 of the 30 microseconds that a line of a
    batch of check takes a worker.
    """

    record: Record
    board: Board
    mines: int | None

    def job(self, limits: Limits, arrived: float) -> Job:
        """The question; ``arrived`` is when, on the monotonic clock.

        Raises:
            ProblemError: the total is larger than the board.
        """
        assert self.record.at_once is not None, "as `_plain` has seen"
        try:
            question = Question(self.record.at_once.task, self.board, self.mines)
        except QuestionError as error:
            raise problems.of_question(error) from None
        seconds = seconds_of(None, limits)
        return Job(self.record, question, Deadline(arrived + seconds), seconds)


def read_line(
    record: Askable, line: bytes, defaults: dict[str, Any], limits: Limits
) -> Plain | Job | Commission:
    """What a line of a batch asks: an object, or a board, a file or a formula as one string.

    What it does not say is taken from ``defaults``. Its time begins now.

    Raises:
        ProblemError: as `job`, or it is not JSON.
    """
    value = read_json(line, LINE)
    bare = next((name for name in _BARE if name in record.asked.model_fields), None)
    own = {bare: value} if isinstance(value, str) and bare else read_object(value, LINE)
    fields = defaults | own
    if isinstance(record, Errand):
        return commission(record, fields, limits, monotonic())
    return _plain(record, fields, limits) or job(record, fields, limits, monotonic())


def _plain(record: Record, fields: dict[str, Any], limits: Limits) -> Plain | None:
    """What fields ask that say no more than a board, and its mines if any; None for others.

    Raises:
        ProblemError: no board can be read.
    """
    mines = fields.get("mines")
    if (
        record.at_once is None
        or "board" not in fields
        or not fields.keys() <= _PLAIN
        or not (mines is None or (type(mines) is int and mines >= 0))
    ):
        return None
    return Plain(record, puzzles.read_board(fields["board"], limits.max_cells), mines)


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
        ProblemError: one of them is wrong, or missing; the first one is named.
    """
    try:
        return model.model_validate(fields)
    except ValidationError as error:
        raise _wrong(model, error) from None


def _wrong(model: type[BaseModel], error: ValidationError) -> ProblemError:
    """The first field that is wrong; what is missing is told last: it may be there, misspelt."""
    first = min(error.errors(include_url=False), key=lambda one: one["type"] == "missing")
    # What follows a field's name in a location is pydantic's, but for the parts of a window.
    places = [str(place) for place in first["loc"][: 2 if first["loc"][:1] == ("window",) else 1]]
    field = ".".join(places)
    known = (AskWindow if len(places) == 2 else model).model_fields
    if first["type"] == "extra_forbidden":
        return problems.of_name(field, known, *places)
    code, detail, fix = "bad-value", f"{field[:80]}: {in_words(first)}.", ""
    if first["type"] == "missing":
        code, detail, fix = "missing-field", f"The field {field} is missing.", f"Add {field}."
    elif field == "window":
        fix = _WINDOW
    elif choices := _choices(model).get(field):
        close = meant(first["input"], choices)
        fix = f"{close}Use one of: {', '.join(choices)}."
    return ProblemError(
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
    record: Askable, fields: dict[str, Any], own: tuple[str, ...], limits: Limits
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
    try:
        ask = record.asked.model_validate({**said, **fields})
    except ValidationError as error:
        # What is missing may be told by lines.
        if any(one["type"] != "missing" for one in error.errors(include_url=False)):
            raise _wrong(record.asked, error) from None
    else:
        if isinstance(ask, AskBoard):
            puzzles.board(ask, limits.max_cells)
    seconds_of(fields.get("deadline_ms"), limits)
