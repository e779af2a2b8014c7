"""The rungs of the ladder that run in one process: answering, and rendering."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Final

from minecheck.app import problems
from minecheck.app.execution import at_once
from minecheck.app.operation import FunctionOperation
from minecheck.app.questions import QuestionOperation
from minecheck.app.requests.jobs import Job
from minecheck.solvers import (
    BOUNDED,
    INLINE,
    Answer,
    BackendError,
    Deadline,
    Effort,
    NeedsMoreEffort,
    Progress,
    Question,
    answer_question,
)
from minecheck.solvers.tasks.layouts import LayoutsAnswer

#: Larger boards, and pages of more cells, are worked on and written off the event loop.
_INLINE_CELLS: Final = 2_000
INLINE_PAGE: Final = 10_000
#: The fields near the end of a partial answer, and how near they are.
_PARTIAL: Final = b'"complete":false'
_LAST_BYTES: Final = 200
#: A function that takes more seconds is called again, alone, with all of its time.
_TRIED_SECONDS: Final = 0.1
#: The efforts with which no question takes long.
BOUNDEDLY: Final = (INLINE, BOUNDED)


def answer_in_process(
    job: Job,
    efforts: Sequence[Effort],
    progress: Progress | None = None,
    keep: Callable[[Answer], None] = lambda _: None,
) -> tuple[Answer | None, Progress | None]:
    """Answer a job by the first of the efforts that is enough.

    Where none is *unbounded*, only what is small enough is tried.

    Args:
        job: the job.
        efforts: the efforts, from the least on.
        progress: how far it got before.
        keep: a function that is given the answer after each part of it.

    Returns:
        The answer, or else None and the progress.

    Raises:
        ProblemError: the backend that was asked for cannot take the board.
    """
    for effort in efforts:
        if not _is_worth_trying(job, effort):
            continue
        try:
            with translate_backend_errors():
                return answer_question(job.question, job.deadline, effort, keep, progress), None
        except NeedsMoreEffort as needs:
            progress = needs.progress
    return None, progress


def render_body(job: Job, answer: Answer) -> bytes:
    """Return the answer as JSON.

    Raises:
        ProblemError: the offset is above the number of layouts.
    """
    check_offset(job.question, answer)
    assert isinstance(job.operation, QuestionOperation), "only questions have an `Answer`"
    return job.operation.write(job.question, answer)


def answer_boundedly(
    job: Job, progress: Progress, efforts: Sequence[Effort] = BOUNDEDLY
) -> tuple[bytes | None, Progress | None]:
    """Answer by bounded effort, which a line of a batch is given at first.

    Returns:
        The answer as JSON, or else None and how far it got.

    Raises:
        ProblemError: there is no answer.
    """
    if isinstance(job.operation, FunctionOperation):
        seconds = min(_TRIED_SECONDS, job.seconds)
        body = job.operation.answer(job.input, Deadline.in_seconds(seconds))
        return (None if is_partial(body) else body), None
    at_first = at_once.answer_job(job, progress)
    if at_first is not None:
        return at_first, None
    answer, further = answer_in_process(job, efforts, progress)
    return (None if answer is None else render_body(job, answer)), further


def answer_fully(job: Job, effort: Effort, progress: Progress | None = None) -> bytes:
    """Return the answer by this process alone, with all the effort that the deadline allows.

    Raises:
        ProblemError: there is no answer.
    """
    if isinstance(job.operation, FunctionOperation):
        return job.operation.answer(job.input, job.deadline)
    answer, _ = answer_in_process(job, (effort,), progress)
    assert answer is not None, "the effort has no bounds"
    return render_body(job, answer)


def is_partial(body: bytes) -> bool:
    """Return True if an answer says that the deadline, or its effort, cut it short."""
    return _PARTIAL in body[-_LAST_BYTES:]


def render_with_facts(job: Job, answer: Answer) -> tuple[Answer, bytes]:
    """Return the answer as JSON, and what others than the client want to know of it.

    Large answers take long to hand over, and a process that takes them apart does nothing else.
    """
    facts = Answer(
        method=answer.method, complete=answer.complete, conflict=answer.conflict, note=answer.note
    )
    return facts, render_body(job, answer)


def check_offset(question: Question, answer: Answer) -> None:
    """Reject an offset beyond the last layout.

    Raises:
        ProblemError: 422, the offset is above the number of layouts.
    """
    if isinstance(answer, LayoutsAnswer) and answer.count and question.offset > answer.count:
        raise problems.make_offset_problem(question.offset, answer.count)


def _is_worth_trying(job: Job, effort: Effort) -> bool:
    """Return True if an effort is worth trying."""
    if effort.unbounded:
        return True
    if effort is INLINE:
        return job.question.size <= _INLINE_CELLS and job.question.page <= INLINE_PAGE
    return job.is_bounded


@contextmanager
def translate_backend_errors() -> Iterator[None]:
    """Turn rejections by a backend into problems, within a context.

    Raises:
        ProblemError: a backend cannot take the board.
    """
    try:
        yield
    except BackendError as error:
        raise problems.make_backend_problem(error) from None
