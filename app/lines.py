"""Lines of a batch, answered where it is called: in a worker, with bounded effort."""

from collections.abc import Sequence
from contextlib import suppress
from http import HTTPStatus
from typing import Any, Final

import orjson

from app import asking, problems, rendering, streaming
from app.asking import Asked
from app.problems import ProblemError
from app.settings import Settings
from solvers import BOUNDED, FULL, INLINE, Answer, BackendRefusal, Effort, NeedsWorker, Task, answer

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


def answered(
    lines: list[bytes], first: int, defaults: dict[str, Any], task: Task, settings: Settings
) -> list[bytes | None]:
    """A line of JSON for each line, or None where bounded effort is not enough.

    ``first`` is the number of the first line; a problem tells its line by it.
    """
    return [
        _answered(line, number, defaults, task, settings, (INLINE, BOUNDED))
        for number, line in enumerate(lines, first)
    ]


def thoroughly(
    lines: list[bytes], first: int, defaults: dict[str, Any], task: Task, settings: Settings
) -> list[bytes]:
    """The same with all the effort that the deadline of each line allows."""
    found = (
        _answered(line, number, defaults, task, settings, (INLINE, BOUNDED, FULL))
        for number, line in enumerate(lines, first)
    )
    return [told for told in found if told is not None]


def _answered(
    line: bytes,
    number: int,
    defaults: dict[str, Any],
    task: Task,
    settings: Settings,
    efforts: Sequence[Effort],
) -> bytes | None:
    """The answer by the least of the efforts that is enough, or None."""
    if len(line) > settings.max_body_bytes:
        return too_long(settings.max_body_bytes, number)
    try:
        asked = asking.of_line(line, defaults, task, settings)
        for effort in efforts:
            with suppress(NeedsWorker):
                return told(asked, answer(asked.question, asked.deadline, effort))
        return None
    except ProblemError as error:
        return refused(error, number)
    except BackendRefusal as error:
        return refused(problems.of_backend(error), number)


def told(asked: Asked, found: Answer) -> bytes:
    """An answer as a line; raises ProblemError for an offset behind the last layout."""
    streaming.check_offset(asked.question, found)
    return rendering.rendered(asked.question, found) + b"\n"


def refused(error: ProblemError, number: int) -> bytes:
    """A problem as a line that tells which line it is about, from 0."""
    return orjson.dumps({**error.document, "line": number}) + b"\n"


def too_long(limit: int, number: int) -> bytes:
    """What is said of a line that is longer than a request may be."""
    error = ProblemError(
        HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
        "line-too-long",
        f"Line {number} is longer than {limit} bytes.",
        "Send a smaller board, or raise MINECHECK_MAX_BODY_BYTES.",
    )
    return refused(error, number)
