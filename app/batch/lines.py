"""Lines of a batch, answered by the process that reads them, as far as bounded effort goes."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Final, NamedTuple

import orjson

from app.execution import fast_path, positions, rungs
from app.problems import ProblemError
from app.questions.record import Askable
from app.requests.jobs import Commission, Job, read_line
from app.settings import Settings
from minefield.amounts import several
from solvers import Answer, Deadline, Effort, Progress

#: A problem begins with its type.
PROBLEM: Final = b'{"type":'
#: What an answer that was cut short says near its end, and how near.
_INCOMPLETE: Final = b'"complete":false'
_LAST_BYTES: Final = 200
#: An errand that takes more seconds goes on alone.
_TRIED_SECONDS: Final = 0.1


@dataclass(frozen=True, slots=True)
class Asked:
    """What is asked of all lines: the question, and the options of lines without their own."""

    record: Askable
    defaults: dict[str, Any]
    settings: Settings


@dataclass(frozen=True, slots=True)
class Summary:
    """How many answers there are, how many of them are problems, and how many were cut short."""

    lines: int = 0
    problems: int = 0
    incomplete: int = 0

    def __add__(self, other: "Summary") -> "Summary":
        return Summary(
            self.lines + other.lines,
            self.problems + other.problems,
            self.incomplete + other.incomplete,
        )


class Unfinished(NamedTuple):
    """A line that takes more than bounded effort: its number, and how far it got.

    Without a job it has not been read: the worker was lost with it.
    """

    number: int
    line: bytes
    job: Job | Commission | None = None
    progress: Progress | None = None


class Answered(NamedTuple):
    """Answers in order, but for the ``unfinished`` ones.

    The answers before each of these and after the last one are one text: a few long ones
    go from one process to another more quickly than many short ones.
    """

    texts: list[bytes]
    unfinished: list[Unfinished]
    summary: Summary


def answered(asked: Asked, lines: list[bytes], first: int) -> Answered:
    """Answers to lines by bounded effort; ``first`` is the number of the first line."""
    together = positions.answered(asked.record, lines, asked.defaults, asked.settings)
    parts: list[list[bytes]] = [[]]
    unfinished = []
    alone = []
    begin = 0
    for place in together.left:
        end = together.ends[place]
        parts[-1].append(together.text[begin:end])
        begin = end
        told = _answer(asked, lines[place], first + place, together.tried[place])
        if isinstance(told, Unfinished):
            unfinished.append(told)
            parts.append([])
        else:
            parts[-1].append(told)
            alone.append(told)
    parts[-1].append(together.text[begin:])
    # Of answers given together none is a problem, or cut short.
    summary = Summary(len(lines) - len(together.left)) + summed_up(alone)
    return Answered([b"".join(part) for part in parts], unfinished, summary)


def here(asked: Asked, lines: list[bytes], first: int, effort: Effort) -> list[bytes]:
    """Answers to lines by this process alone, with all the effort that their deadlines allow."""
    together = positions.answered(asked.record, lines, asked.defaults, asked.settings)
    answers = together.answers
    for place in together.left:
        told = _answer(asked, lines[place], first + place, together.tried[place])
        answers[place] = _finished(told, effort) if isinstance(told, Unfinished) else told
    return [told for told in answers if told is not None]


def summed_up(answers: Iterable[bytes]) -> Summary:
    """What answers there are."""
    lines = problems = incomplete = 0
    for told in answers:
        lines += 1
        problems += told.startswith(PROBLEM)
        incomplete += _incomplete(told)
    return Summary(lines, problems, incomplete)


def _incomplete(told: bytes) -> bool:
    return _INCOMPLETE in told[-_LAST_BYTES:]


def whole(source: Iterable[bytes]) -> Iterator[bytes]:
    """Lines of a file without their ends."""
    return (line.rstrip(b"\r\n") for line in source)


def answer_line(job: Job, found: Answer, number: int) -> bytes:
    """An answer as a line."""
    try:
        return rungs.written(job, found) + b"\n"
    except ProblemError as error:
        return problem_line(error, number)


def problem_line(error: ProblemError, number: int) -> bytes:
    """A problem as a line, with the number of the line it is about, from 0."""
    return orjson.dumps({**error.document, "line": number}) + b"\n"


def too_long(limit: int, number: int) -> ProblemError:
    """A line that is longer than a request may be."""
    return ProblemError(
        HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
        "line-too-long",
        f"Line {number} is longer than {several(limit, 'byte')}.",
        "Send a smaller board, or raise MINECHECK_MAX_BODY_BYTES.",
    )


def job(asked: Asked, line: bytes, number: int) -> Job | Commission:
    """What a line asks.

    Raises:
        ProblemError: it asks nothing.
    """
    if len(line) > asked.settings.max_body_bytes:
        raise too_long(asked.settings.max_body_bytes, number)
    return read_line(asked.record, line, asked.defaults, asked.settings)


def _answer(asked: Asked, line: bytes, number: int, tried: bool) -> bytes | Unfinished:
    """The answer by bounded effort; what was ``tried`` is no position."""
    try:
        one = job(asked, line, number)
        if isinstance(one, Commission):
            return _tried(one) or Unfinished(number, line, one)
        body, missed = fast_path.answered(one, tried=tried)
        if body is not None:
            return body + b"\n"
        found, progress = rungs.here(one, rungs.BOUNDEDLY, missed)
    except ProblemError as error:
        return problem_line(error, number)
    if found is None:
        return Unfinished(number, line, one, progress)
    return answer_line(one, found, number)


def _tried(asked: Commission) -> bytes | None:
    """The answer to an errand, if it does not take long.

    Raises:
        ProblemError: there is none.
    """
    body = asked.errand.told(asked.wanted, Deadline.after(min(_TRIED_SECONDS, asked.seconds)))
    return None if _incomplete(body) else body + b"\n"


def _finished(left: Unfinished, effort: Effort) -> bytes:
    assert left.job is not None, "it was read here"
    try:
        if isinstance(left.job, Commission):
            asked = left.job.beginning()
            return asked.errand.told(asked.wanted, asked.deadline) + b"\n"
        found, _ = rungs.here(left.job.beginning(), (effort,), left.progress)
    except ProblemError as error:
        return problem_line(error, left.number)
    assert found is not None, "the effort has no bounds"
    return answer_line(left.job, found, left.number)
