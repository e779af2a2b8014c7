"""Lines of a batch, answered where it is called: in a worker, with bounded effort."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from http import HTTPStatus
from itertools import chain
from time import monotonic
from typing import Any, Final, NamedTuple

import orjson

from app import problems
from app.answers import render
from app.execution import fast_path
from app.problems import ProblemError
from app.requests import reading
from app.requests.reading import Asked
from app.routes import streaming
from app.settings import Settings
from minefield.amounts import several
from solvers import (
    BOUNDED,
    FULL,
    INLINE,
    Answer,
    BackendRefusal,
    Deadline,
    Effort,
    NeedsWorker,
    Task,
    answer,
)

#: What may be asked of many boards.
TASKS: Final = (
    Task.CHECK,
    Task.COUNT,
    Task.FORCED,
    Task.ANALYZE,
    Task.LAYOUTS,
    Task.EXPLAIN,
    Task.REPAIR,
)
#: A problem begins with its type, an answer with its verdict.
PROBLEM: Final = b'{"type":'
#: With these efforts no line takes long.
BOUNDEDLY: Final = (INLINE, BOUNDED)
#: What an answer that was cut short says near its end, and how near.
_INCOMPLETE: Final = b'"complete":false'
_LAST_BYTES: Final = 200


@dataclass(frozen=True, slots=True)
class Tally:
    """How many answers there are, how many of them are problems, and how many were cut short."""

    lines: int = 0
    problems: int = 0
    incomplete: int = 0

    def __add__(self, other: "Tally") -> "Tally":
        return Tally(
            self.lines + other.lines,
            self.problems + other.problems,
            self.incomplete + other.incomplete,
        )


class Joined(NamedTuple):
    """Answers in order, but for the lines at the places ``left``.

    The answers before each of these and behind the last one are one text: a few long ones
    go from one process to another more quickly than many short ones.
    """

    texts: list[bytes]
    left: list[int]
    tally: Tally


def answered(
    lines: list[bytes],
    first: int,
    defaults: dict[str, Any],
    task: Task,
    settings: Settings,
    efforts: Sequence[Effort] = BOUNDEDLY,
) -> list[bytes | None]:
    """A line of JSON for each line, or None where these efforts are not enough.

    ``first`` is the number of the first line; a problem tells its line by it.
    """
    # One step for all lines, then the next: that keeps the processor's caches warm.
    told = _at_once(lines, defaults, task, settings)
    left = [place for place, one in enumerate(told) if one is None]
    asked = [_asked(lines[place], first + place, defaults, task, settings) for place in left]
    read = monotonic()
    found = [
        _found(one, first + place, read, efforts) for place, one in zip(left, asked, strict=True)
    ]
    for place, one in zip(left, found, strict=True):
        told[place] = _told(one, first + place)
    return told


def joined(
    lines: list[bytes], first: int, defaults: dict[str, Any], task: Task, settings: Settings
) -> Joined:
    """What `answered` finds."""
    parts: list[list[bytes]] = [[]]
    left = []
    for place, told in enumerate(answered(lines, first, defaults, task, settings)):
        if told is None:
            left.append(place)
            parts.append([])
        else:
            parts[-1].append(told)
    return Joined([b"".join(part) for part in parts], left, tally(chain.from_iterable(parts)))


def tally(answers: Iterable[bytes]) -> Tally:
    """What answers there are."""
    lines = problems = incomplete = 0
    for told in answers:
        lines += 1
        problems += told.startswith(PROBLEM)
        incomplete += _INCOMPLETE in told[-_LAST_BYTES:]
    return Tally(lines, problems, incomplete)


def whole(source: Iterable[bytes]) -> Iterator[bytes]:
    """Lines of a file without their ends."""
    return (line.rstrip(b"\r\n") for line in source)


def thoroughly(
    lines: list[bytes],
    first: int,
    defaults: dict[str, Any],
    task: Task,
    settings: Settings,
    effort: Effort = FULL,
) -> list[bytes]:
    """The same with all the effort that the deadline of each line allows."""
    found = answered(lines, first, defaults, task, settings, (*BOUNDEDLY, effort))
    return [told for told in found if told is not None]


def _at_once(
    lines: list[bytes], defaults: dict[str, Any], task: Task, settings: Settings
) -> list[bytes | None]:
    """Answers to the ordinary ones among the lines."""
    if task not in fast_path.TASKS:
        return [None] * len(lines)
    read = [
        fast_path.read(line, defaults, settings.max_cells)
        if len(line) <= settings.max_body_bytes
        else None
        for line in lines
    ]
    found = (one and fast_path.told(one, task) for one in read)
    return [one and one + b"\n" for one in found]


def _asked(
    line: bytes, number: int, defaults: dict[str, Any], task: Task, settings: Settings
) -> Asked | bytes:
    """What a line asks, or the problem with it."""
    if len(line) > settings.max_body_bytes:
        return too_long(settings.max_body_bytes, number)
    try:
        return reading.of_line(line, defaults, task, settings)
    except ProblemError as error:
        return refused(error, number)


def _found(
    asked: Asked | bytes, number: int, read: float, efforts: Sequence[Effort]
) -> tuple[Asked, Answer] | bytes | None:
    """The answer by the least of the efforts that is enough, the problem with it, or None."""
    if isinstance(asked, bytes):
        return asked
    # Its time begins when it is its turn, not when all lines were ``read``.
    deadline = Deadline(asked.deadline.at + monotonic() - read)
    try:
        for effort in efforts:
            with suppress(NeedsWorker):
                return asked, answer(asked.question, deadline, effort)
    except BackendRefusal as error:
        return refused(problems.of_backend(error), number)
    return None


def _told(found: tuple[Asked, Answer] | bytes | None, number: int) -> bytes | None:
    """The answer as a line; problems are lines already."""
    if not isinstance(found, tuple):
        return found
    try:
        return told(*found)
    except ProblemError as error:
        return refused(error, number)


def told(asked: Asked, found: Answer) -> bytes:
    """An answer as a line; raises ProblemError for an offset behind the last layout."""
    streaming.check_offset(asked.question, found)
    return render.rendered(asked.question, found) + b"\n"


def refused(error: ProblemError, number: int) -> bytes:
    """A problem as a line that tells which line it is about, from 0."""
    return orjson.dumps({**error.document, "line": number}) + b"\n"


def too_long(limit: int, number: int) -> bytes:
    """What is said of a line that is longer than a request may be."""
    error = ProblemError(
        HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
        "line-too-long",
        f"Line {number} is longer than {several(limit, 'byte')}.",
        "Send a smaller board, or raise MINECHECK_MAX_BODY_BYTES.",
    )
    return refused(error, number)
