"""From the fields of a request, a line or a command to a question and when its answer is due."""

import pickle
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
from app.questions.fields import AskBoard, AskWindow
from app.questions.record import JSON_ANSWER, Askable, Errand
from app.requests.json_reader import FIELDS_LINE, LINE, read_json, read_object
from app.requests.wording import in_words
from minefield.spelling import meant
from solvers import Deadline, Question, QuestionError

Model = TypeVar("Model", bound=BaseModel)

#: What may be a whole line.
_BARE: Final = ("board", "file", "formula")
_WINDOW: Final = "Send row, col, height and width, or row,col,height,width in one string."


@dataclass(frozen=True, slots=True)
class Job:
    """A question, when its answer is due, and in how many ``seconds`` from when it came.

    ``limited`` is False where all that there is is wanted, as a stream.
    """

    record: Record
    question: Question
    deadline: Deadline
    seconds: float
    limited: bool = True

    @property
    def cells(self) -> int:
        """Those of the board, known ones included."""
        return self.question.cells

    @property
    def offset(self) -> int:
        """The number of the first layout that is wanted."""
        return self.question.offset

    @property
    def limit(self) -> int:
        """How many layouts are wanted, or whatever else there may be many of."""
        return self.question.limit

    def page(self, offset: int, limit: int) -> "Job":
        """The same about others: so many from this one on."""
        return replace(self, question=replace(self.question, offset=offset, limit=limit))

    def beginning(self) -> "Job":
        """The same, with its time beginning now."""
        return replace(self, deadline=Deadline.after(self.seconds))

    def opened(self) -> "Job":
        """Itself."""
        return self


@dataclass(frozen=True, slots=True)
class Sealed:
    """A job for workers to open: to take it apart, or what is in it, is what this spares others.

    ``packed`` is its question, about so many ``cells``, but for ``offset`` and ``limit``; all else
    is as in the job.
    """

    record: Record
    packed: bytes
    cells: int
    offset: int
    limit: int
    deadline: Deadline
    seconds: float
    limited: bool
    second_try: bool

    @classmethod
    def of(cls, job: Job, second_try: bool) -> "Sealed":
        """A job, sealed."""
        return cls(
            job.record,
            pickle.dumps(job.question),
            job.cells,
            job.offset,
            job.limit,
            job.deadline,
            job.seconds,
            job.limited,
            second_try,
        )

    def page(self, offset: int, limit: int) -> "Sealed":
        """As `Job.page`."""
        return replace(self, offset=offset, limit=limit)

    def opened(self) -> Job:
        """The job itself."""
        question = pickle.loads(self.packed)
        job = Job(self.record, question, self.deadline, self.seconds, self.limited)
        return job.page(self.offset, self.limit)


@dataclass(frozen=True, slots=True)
class Commission:
    """An errand, what is wanted, and by when: in so many ``seconds`` from when it was asked for.

    The ``headers`` of the answer, and whether it is ``brief``, are as in `Errand`. What is wanted
    may be ``packed``, for workers to take apart.
    """

    errand: Errand
    wanted: Any
    deadline: Deadline
    seconds: float
    headers: Mapping[str, str]
    brief: bool
    packed: bool = False
    second_try: bool = False

    def beginning(self) -> "Commission":
        """The same, with its time beginning now."""
        return replace(self, deadline=Deadline.after(self.seconds))

    def sealed(self, second_try: bool) -> "Commission":
        """The same, packed."""
        return replace(self, wanted=pickle.dumps(self.wanted), packed=True, second_try=second_try)

    def opened(self) -> Any:
        """What is wanted."""
        return pickle.loads(self.wanted) if self.packed else self.wanted


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
    endless = record.stream is not None and record.stream.endless
    limited = not stream or endless or fields.get("limit") is not None
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
    wanted = errand.wanted(ask, limits)
    headers, brief = errand.headers(wanted), errand.brief(wanted)
    return Commission(errand, wanted, Deadline(arrived + seconds), seconds, headers, brief)


def read_line(
    record: Askable, line: bytes, defaults: dict[str, Any], limits: Limits
) -> Job | Commission:
    """What a line of a batch asks: an object, or a board, a file or a formula as one string.

    What it does not say is taken from ``defaults``. Its time begins now.

    Raises:
        ProblemError: as `job`, or it is not JSON.
    """
    bare = next((name for name in _BARE if name in record.asked.model_fields), None)
    kind = LINE if bare == "board" else FIELDS_LINE
    value = read_json(line, kind)
    own = {bare: value} if isinstance(value, str) and bare else read_object(value, kind)
    fields = defaults | own
    if isinstance(record, Errand):
        asked = commission(record, fields, limits, monotonic())
        if asked.headers != JSON_ANSWER:
            problems.refuse(
                "bad-value",
                "picture: a line is answered in JSON.",
                "Leave it out, and ask for pictures one by one.",
                "/picture",
            )
        return asked
    return job(record, fields, limits, monotonic())


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
