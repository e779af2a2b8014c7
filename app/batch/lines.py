"""Lines of a batch, answered by the process that reads them, as far as bounded effort goes."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from http import HTTPStatus
from math import inf
from time import monotonic
from typing import Any, Final, NamedTuple, TypeAlias, TypeVar

import orjson

from minecheck.app import problems
from minecheck.app.execution import at_once, rungs
from minecheck.app.operation import Operation
from minecheck.app.problems import OutOfMemory, ProblemError
from minecheck.app.requests.jobs import Job, read_line
from minecheck.app.settings import Settings
from minecheck.app.telemetry.faults import Fault
from minecheck.minefield.amounts import format_count
from minecheck.solvers import Deadline, Effort, Progress
from minecheck.solvers.positions.pipeline import Lines, Read, leave_lines

Made = TypeVar("Made")
#: Is given each unexpected exception that a line was answered with.
Report: TypeAlias = Callable[[Fault], None]

#: A problem begins with its type.
PROBLEM: Final = b'{"type":'


@dataclass(frozen=True, slots=True)
class LineTemplate:
    """The operation for all lines, and the options of lines that have none of their own."""

    record: Operation
    defaults: dict[str, Any]
    settings: Settings


@dataclass(frozen=True, slots=True)
class Summary:
    """The number of answers, of problems among them, and of answers cut short."""

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
    job: Job | None = None
    progress: Progress | None = None


class PartialAnswers(NamedTuple):
    """Answers in order to the first ``lines`` of a chunk, except the ``unfinished`` ones.

    The answers before each of these and after the last one are one text: a few long ones
    go from one process to another more quickly than many short ones. ``faults`` are for the log.
    """

    texts: list[bytes]
    unfinished: list[Unfinished]
    summary: Summary
    faults: list[Fault]
    lines: int
    seconds: float

    def followed_by(self, other: "PartialAnswers") -> "PartialAnswers":
        """Return these answers and those to the lines that follow, as one."""
        *texts, last = self.texts
        begin, *others = other.texts
        return PartialAnswers(
            [*texts, last + begin, *others],
            self.unfinished + other.unfinished,
            self.summary + other.summary,
            self.faults + other.faults,
            self.lines + other.lines,
            self.seconds + other.seconds,
        )


def answer_bounded(
    template: LineTemplate, lines: list[bytes], first: int, seconds: float = inf
) -> PartialAnswers:
    """Answer lines by bounded effort.

    Once it has taken so many ``seconds``, it leaves the lines that are not answered together to
    another turn: at least the first one is answered, or found to take more effort.

    Args:
        template: the operation, its defaults and the settings.
        lines: the lines.
        first: the number of the first line.
        seconds: the time of the turn.
    """
    turn = Deadline.in_seconds(seconds)
    started = monotonic()
    faults: list[Fault] = []
    together = _answer_together(template, lines, faults.append)
    parts: list[list[bytes]] = [[]]
    unfinished = []
    alone = []
    begin, taken = 0, len(lines)
    for before, place in enumerate(together.left):
        if before and turn.left <= 0:
            taken = place
            break
        end = together.ends[place]
        parts[-1].append(together.text[begin:end])
        begin = end
        read = together.read.get(place)
        bodies = _answer_line(template, lines[place], first + place, read, faults.append)
        if isinstance(bodies, Unfinished):
            unfinished.append(bodies)
            parts.append([])
        else:
            parts[-1].append(bodies)
            alone.append(bodies)
    end = together.ends[taken] if taken < len(lines) else len(together.text)
    parts[-1].append(together.text[begin:end])
    # Answers rendered together contain no problem, and none is cut short.
    summary = Summary(taken - len(alone) - len(unfinished)) + summed_up(alone)
    texts = [b"".join(part) for part in parts]
    return PartialAnswers(texts, unfinished, summary, faults, taken, monotonic() - started)


def answer_in_process(
    template: LineTemplate, lines: list[bytes], first: int, effort: Effort, report: Report
) -> list[bytes]:
    """Answer lines by this process alone, with all the effort that their deadlines allow.

    Args:
        template: the operation, its defaults and the settings.
        lines: the lines.
        first: the number of the first line.
        effort: how much may be spent on a line.
        report: a function that is told of unexpected exceptions.
    """
    try:
        together = _answer_together(template, lines, report)
    except MemoryError:
        together = leave_lines(len(lines))
    answers = together.answers
    for place in together.left:
        number, read = first + place, together.read.get(place)
        answers[place] = _answer_to_the_end(template, lines[place], number, read, effort, report)
    return [body for body in answers if body is not None]


def summed_up(answers: Iterable[bytes]) -> Summary:
    """Return the summary of some answers."""
    lines = problems = incomplete = 0
    for documents in answers:
        lines += 1
        problems += documents.startswith(PROBLEM)
        incomplete += rungs.is_partial(documents)
    return Summary(lines, problems, incomplete)


def strip_ends(source: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the lines of a file without their ends."""
    return (line.rstrip(b"\r\n") for line in source)


def problem_line(error: ProblemError, number: int) -> bytes:
    """Return a problem as a line.

    Args:
        error: the problem.
        number: the number, from 0, of the line that it is about.
    """
    return orjson.dumps({**error.document, "line": number}) + b"\n"


def too_long(limit: int, number: int) -> ProblemError:
    """Return the problem of a line that is longer than a request may be.

    Args:
        limit: the most bytes of a request.
        number: the number of the line, from 0.
    """
    return ProblemError(
        HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
        "line-too-long",
        f"Line {number} is longer than {format_count(limit, 'byte')}.",
        "Send a smaller board, or raise MINECHECK_MAX_BODY_BYTES.",
    )


def read_job(template: LineTemplate, line: bytes, number: int, read: Read | None = None) -> Job:
    """Return the job of a line.

    Args:
        template: the operation, its defaults and the settings.
        line: the line.
        number: its number, from 0.
        read: as in `read_line`.

    Raises:
        ProblemError: it is too long, or asks nothing.
    """
    if len(line) > template.settings.max_body_bytes:
        raise too_long(template.settings.max_body_bytes, number)
    return read_line(template.record, line, template.defaults, template.settings, read)


def _answer_together(template: LineTemplate, lines: list[bytes], report: Report) -> Lines:
    """Answer what can be answered by one call; if that fails, each line is left to be tried alone.

    Raises:
        MemoryError: there is no memory left.
    """
    try:
        return at_once.answer_together(template.record, lines, template.defaults, template.settings)
    except MemoryError:
        raise
    except Exception as error:  # noqa: BLE001 - reported
        report(Fault.from_exception(error))
        return leave_lines(len(lines))


def _answer_line(
    template: LineTemplate, line: bytes, number: int, read: Read | None, report: Report
) -> bytes | Unfinished:
    """Answer a line by bounded effort, from what was ``read`` of it.

    Raises:
        MemoryError: there is no memory left.
    """
    return _or_problem(lambda: _by_bounded_effort(template, line, number, read), number, report)


def _answer_to_the_end(
    job: LineTemplate, line: bytes, number: int, read: Read | None, effort: Effort, report: Report
) -> bytes:
    """Answer a line, whatever effort it takes."""
    try:
        body = _answer_line(job, line, number, read, report)
        if not isinstance(body, Unfinished):
            return body
        left = body
        return _or_problem(lambda: _by_effort(left, effort), number, report)
    except MemoryError:
        return problem_line(OutOfMemory(), number)


def _or_problem(answer: Callable[[], Made], number: int, report: Report) -> Made | bytes:
    """Return what ``answer`` returns, or the problem that it raises as a line.

    An unexpected exception is reported, and costs this line and no other.

    Raises:
        MemoryError: there is no memory left; the line may be tried where there is more.
    """
    try:
        return answer()
    except ProblemError as error:
        return problem_line(error, number)
    except MemoryError:
        raise
    except Exception as error:  # noqa: BLE001 - reported
        report(Fault.from_exception(error, number))
        return problem_line(problems.of_defect(), number)


def _by_bounded_effort(
    job: LineTemplate, line: bytes, number: int, read: Read | None
) -> bytes | Unfinished:
    one = read_job(job, line, number, read)
    body, progress = rungs.answer_boundedly(one, at_once.progress_of(read))
    return Unfinished(number, line, one, progress) if body is None else body + b"\n"


def _by_effort(left: Unfinished, effort: Effort) -> bytes:
    assert left.job is not None, "it was read here"
    return rungs.answer_fully(left.job.restart_clock(), effort, left.progress) + b"\n"
