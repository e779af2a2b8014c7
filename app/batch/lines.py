"""Lines of a batch, answered by the process that reads them, as far as bounded effort goes."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from http import HTTPStatus
from math import inf
from time import monotonic
from typing import Any, Final, NamedTuple, TypeAlias

import orjson

from minecheck.app.batch.batch_line import (
    NOTHING_PASSED,
    PROBLEM,
    BatchLine,
    Passed,
    finish_answer,
    render_problem,
)
from minecheck.app.batch.passed_fields import SplitFields, split_fields
from minecheck.app.execution import at_once, rungs
from minecheck.app.operation import Operation
from minecheck.app.problems import OutOfMemory, ProblemError, make_defect_problem
from minecheck.app.questions.fields import override_fields
from minecheck.app.requests.board_text import BoardText, read_body_text
from minecheck.app.requests.jobs import Job, find_line_field, make_line_job, read_line_fields
from minecheck.app.requests.json_reader import LINE, decode_utf8
from minecheck.app.settings import Settings
from minecheck.app.telemetry.faults import Fault
from minecheck.minefield.numerals import format_count
from minecheck.solvers import Deadline, Effort, Progress
from minecheck.solvers.positions.pipeline import AnsweredLines, ParsedLine, leave_lines

#: Is given each unexpected exception that a line was answered with.
Report: TypeAlias = Callable[[Fault], None]

#: Rows of a board in the standard notation, which the text of a JSON string may be as well.
PLAIN_ROWS: Final = re.compile(rb"[0-8?BSF*]+(?:\r?\n[0-8?BSF*]+)*")
#: Totals that compiled code takes are shorter.
_TOTAL_BITS: Final = 31


@dataclass(frozen=True, slots=True)
class LineTemplate:
    """The operation for all lines, and the options of lines that have none of their own."""

    operation: Operation
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


class LineRequest(NamedTuple):
    """What a line asks: its ``job``, or the document of the ``problem`` that it is answered with.

    The ``passed`` fields stand in the answer, whatever it is.
    """

    line: BatchLine
    passed: Passed = NOTHING_PASSED
    job: Job | None = None
    problem: dict[str, Any] | None = None


class LineAnswer(NamedTuple):
    """A line of the output, whether it is a problem, and whether its deadline cut it short."""

    text: bytes
    is_problem: bool = False
    is_partial: bool = False

    @classmethod
    def from_body(cls, body: bytes, request: LineRequest) -> "LineAnswer":
        """Return the line of an answer."""
        whole = body if request.job is None else request.job.add_reading(body)
        text = finish_answer(whole, request.line, request.passed)
        return cls(text, body.startswith(PROBLEM), rungs.is_partial(body))

    @classmethod
    def from_problem(cls, request: LineRequest, error: ProblemError | None = None) -> "LineAnswer":
        """Return the line of a problem: its own, or one that came up while it was answered."""
        document = request.problem if error is None else error.document
        assert document is not None, "without a job it has a problem"
        return cls(render_problem(document, request.line, request.passed), is_problem=True)


class Unfinished(NamedTuple):
    """A line that takes more than bounded effort, and how far it got.

    Without a job it has not been read: the worker was lost with it.
    """

    request: LineRequest
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

    def append_answers(self, other: "PartialAnswers") -> "PartialAnswers":
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


class _Together(NamedTuple):
    """Answers to the lines of a chunk that one call has made.

    Most are ``compiled``. Lines without the fields that are passed through are answered ``again``,
    by index. Of lines that are left, compiled code has ``read`` some, and of others the ``fields``
    are read.
    """

    compiled: AnsweredLines
    again: dict[int, bytes]
    read: dict[int, ParsedLine]
    fields: dict[int, SplitFields]

    def is_whole(self, chunk: Sequence[BatchLine]) -> bool:
        """Return True if the answers to a chunk stand as they are in the text of compiled code."""
        return not self.compiled.unanswered and not any(line.origin for line in chunk)

    def list_answers(self, chunk: Sequence[BatchLine]) -> list[bytes | None]:
        """Return the finished answers, None where a line is left."""
        answers = [
            finish_answer(text[:-1], line, NOTHING_PASSED) if text and line.origin else text
            for text, line in zip(self.compiled.answers, chunk, strict=True)
        ]
        for index, text in self.again.items():
            answers[index] = text
        return answers


def answer_bounded(
    template: LineTemplate, chunk: Sequence[BatchLine], seconds: float = inf
) -> PartialAnswers:
    """Answer lines by bounded effort.

    Once it has taken so many ``seconds``, it leaves the lines that are not answered together to
    another turn: at least the first one is answered, or found to take more effort.
    """
    turn = Deadline.in_seconds(seconds)
    started = monotonic()
    faults: list[Fault] = []
    together = _answer_together(template, chunk, faults.append)
    if together.is_whole(chunk):
        # Cut into lines, a chunk would take a twentieth longer.
        summary, texts = Summary(len(chunk)), [together.compiled.text]
        return PartialAnswers(texts, [], summary, faults, len(chunk), monotonic() - started)
    answers = together.list_answers(chunk)
    parts: list[list[bytes]] = [[]]
    unfinished: list[Unfinished] = []
    alone: list[LineAnswer] = []
    taken = 0
    for index, line in enumerate(chunk):
        text = answers[index]
        if text is None:
            if (alone or unfinished) and turn.left <= 0:
                break
            answer = _answer_line(template, line, index, together, faults.append)
            if isinstance(answer, Unfinished):
                unfinished.append(answer)
                parts.append([])
            else:
                alone.append(answer)
                parts[-1].append(answer.text)
        else:
            parts[-1].append(text)
        taken += 1
    # Answers made together contain no problem, and none is cut short.
    summary = Summary(taken - len(alone) - len(unfinished)) + summarise_answers(alone)
    texts = [b"".join(part) for part in parts]
    return PartialAnswers(texts, unfinished, summary, faults, taken, monotonic() - started)


def answer_fields(
    template: LineTemplate, fields: tuple[tuple[Any, ...], ...], seconds: float
) -> PartialAnswers:
    """Answer lines of another process, given field by field, as `answer_bounded`."""
    return answer_bounded(template, BatchLine.list_lines(*fields), seconds)


def answer_unbounded(
    template: LineTemplate, chunk: Sequence[BatchLine], effort: Effort, report: Report
) -> list[bytes]:
    """Answer lines by this process alone, with all the effort that their deadlines allow.

    Args:
        template: the operation, its defaults and the settings.
        chunk: the lines.
        effort: how much may be spent on a line.
        report: a function that is called with unexpected exceptions.
    """
    try:
        together = _answer_together(template, chunk, report)
    except MemoryError:
        together = _leave_all(chunk)
    return [
        _answer_to_the_end(template, line, index, together, effort, report).text
        if text is None
        else text
        for index, (line, text) in enumerate(zip(chunk, together.list_answers(chunk), strict=True))
    ]


def summarise_answers(answers: Iterable[LineAnswer]) -> Summary:
    """Return the summary of some answers."""
    return sum((Summary(1, one.is_problem, one.is_partial) for one in answers), Summary())


def make_long_line_problem(limit: int, number: int) -> ProblemError:
    """Return the problem of a line that is longer than a request may be."""
    return ProblemError(
        HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
        "line-too-long",
        f"Line {number} is longer than {format_count(limit, 'byte')}.",
        "Send a smaller board, or raise MINECHECK_MAX_BODY_BYTES.",
    )


def read_request(
    template: LineTemplate,
    line: BatchLine,
    fields: SplitFields | None = None,
    read: ParsedLine | None = None,
) -> LineRequest:
    """Return the question of a line, or the problem with it.

    Args:
        template: the operation, its defaults and the settings.
        line: the line.
        fields: the fields of the line, if they are read.
        read: the fields, those of the template included, if compiled code has read the line.
    """
    if line.kind == "problem":
        return LineRequest(line, problem=orjson.loads(line.content))
    passed = NOTHING_PASSED if fields is None else fields.passed
    try:
        if read is not None:
            job = make_line_job(template.operation, read.to_fields(), template.settings)
            return LineRequest(line, passed, job)
        parsed = _read_fields(template, line) if fields is None else fields
        passed = parsed.passed
        if parsed.problem is not None:
            raise parsed.problem
        text = _read_text(template, line, parsed.own)
        own = parsed.own if text is None else parsed.own | text.fields
        request = override_fields(template.defaults, own)
        job = make_line_job(template.operation, request, template.settings)
        reading = None if text is None else text.reading
        return LineRequest(line, passed, replace(job, reading=reading))
    except ProblemError as error:
        return LineRequest(line, passed, problem=error.document)


def _read_fields(template: LineTemplate, line: BatchLine) -> SplitFields:
    """Return the fields of a line; a board that is text is one of them, as it is.

    Raises:
        ProblemError: it is too long, or not what it should be.
    """
    if len(line.content) > template.settings.max_body_bytes:
        raise make_long_line_problem(template.settings.max_body_bytes, line.line)
    if line.kind == "text":
        bare = find_line_field(template.operation)
        assert bare is not None, "the batch has looked"
        return SplitFields({bare: line.content}, NOTHING_PASSED)
    return split_fields(template.operation, read_line_fields(template.operation, line.content))


def _read_text(template: LineTemplate, line: BatchLine, own: Mapping[str, Any]) -> BoardText | None:
    """Return the board, or the file, of a line that has it as text; None if it has not.

    Raises:
        ProblemError: it cannot be read, or not as one board.
    """
    name = "board" if line.kind == "row" else find_line_field(template.operation)
    written = None if line.kind == "json" or name is None else own.get(name)
    content = written.encode() if isinstance(written, str) else written
    if name is None or not isinstance(content, bytes):
        return None
    if name == "board" and not PLAIN_ROWS.fullmatch(content):
        options = template.defaults | {key: value for key, value in own.items() if key != name}
        text = read_body_text(content, options, template.settings.max_cells)
        if text is not None:
            return text
    return BoardText({name: decode_utf8(content, LINE)}, None)


def _answer_together(
    template: LineTemplate, chunk: Sequence[BatchLine], report: Report
) -> _Together:
    """Answer what can be answered by one call; if that fails, each line is left to be tried alone.

    Raises:
        MemoryError: there is no memory left.
    """
    try:
        return _answer_positions(template, chunk)
    except MemoryError:
        raise
    except Exception as error:  # noqa: BLE001 - reported
        report(Fault.from_exception(error))
        return _leave_all(chunk)


def _leave_all(chunk: Sequence[BatchLine]) -> _Together:
    return _Together(leave_lines(len(chunk)), {}, {}, {})


def _answer_positions(template: LineTemplate, chunk: Sequence[BatchLine]) -> _Together:
    """Answer positions of games by compiled code, which reads a board and a total.

    Lines with fields that are passed through are read here, and again by that code without them.
    """
    compiled = _call_compiled(template, list(map(_write_for_compiled, chunk)))
    together = _Together(compiled, {}, compiled.parsed, {})
    if not template.operation.at_once:
        return together
    for index in compiled.unanswered:
        if index not in compiled.parsed and chunk[index].content.startswith(b"{"):
            with suppress(ProblemError):
                together.fields[index] = _read_fields(template, chunk[index])
    again = [index for index, fields in together.fields.items() if _is_plain(fields)]
    compiled = _call_compiled(
        template, [orjson.dumps(together.fields[number].own) for number in again]
    )
    for number, (index, text) in enumerate(zip(again, compiled.answers, strict=True)):
        if text is not None:
            passed = together.fields[index].passed
            together.again[index] = finish_answer(text[:-1], chunk[index], passed)
        elif number in compiled.parsed:
            together.read[index] = compiled.parsed[number]
    return together


def _call_compiled(template: LineTemplate, contents: list[bytes]) -> AnsweredLines:
    if not contents:
        return leave_lines(0)
    return at_once.answer_together(
        template.operation, contents, template.defaults, template.settings
    )


def _write_for_compiled(line: BatchLine) -> bytes:
    """Return a line as compiled code reads it; empty if it cannot."""
    if line.kind in ("json", "row"):
        return line.content
    if line.kind == "text" and PLAIN_ROWS.fullmatch(line.content):
        return b'"%b"' % line.content.replace(b"\r", b"").replace(b"\n", rb"\n")
    return b""


def _is_plain(fields: SplitFields) -> bool:
    """Return True for a board, perhaps a total, and fields that are passed through."""
    own = fields.own
    rows = own.get("board")
    return (
        bool(fields.passed.text)
        and fields.problem is None
        and own.keys() <= {"board", "mines"}
        and type(own.get("mines", 0)) is int
        and own.get("mines", 0).bit_length() < _TOTAL_BITS
        and isinstance(rows, (str, list))
        and all(isinstance(row, str) for row in rows)
    )


def _answer_line(
    template: LineTemplate, line: BatchLine, index: int, together: _Together, report: Report
) -> LineAnswer | Unfinished:
    """Answer a line by bounded effort, from what was found out about it.

    Raises:
        MemoryError: there is no memory left.
    """
    request = LineRequest(line)
    try:
        read = together.read.get(index)
        request = read_request(template, line, together.fields.get(index), read)
        if request.job is None:
            return LineAnswer.from_problem(request)
        body, progress = rungs.answer_boundedly(request.job, at_once.make_progress(read))
        if body is None:
            return Unfinished(request, progress)
        return LineAnswer.from_body(body, request)
    except Exception as error:  # noqa: BLE001 - reported
        return _answer_error(error, request, report)


def _answer_to_the_end(
    template: LineTemplate,
    line: BatchLine,
    index: int,
    together: _Together,
    effort: Effort,
    report: Report,
) -> LineAnswer:
    """Answer a line, whatever effort it takes."""
    request = LineRequest(line)
    try:
        answer = _answer_line(template, line, index, together, report)
        if not isinstance(answer, Unfinished):
            return answer
        request, progress = answer
        assert request.job is not None, "it was read here"
        try:
            body = rungs.answer_fully(request.job.restart_clock(), effort, progress)
            return LineAnswer.from_body(body, request)
        except Exception as error:  # noqa: BLE001 - reported
            return _answer_error(error, request, report)
    except MemoryError:
        return LineAnswer.from_problem(request, OutOfMemory())


def _answer_error(error: Exception, request: LineRequest, report: Report) -> LineAnswer:
    """Return the problem that an exception costs the line of a request, and no other line.

    Raises:
        MemoryError: there is no memory left; the line may be tried where there is more.
    """
    if isinstance(error, MemoryError):
        raise error
    if isinstance(error, ProblemError):
        return LineAnswer.from_problem(request, error)
    report(Fault.from_exception(error, request.line.line))
    return LineAnswer.from_problem(request, make_defect_problem())
