"""What one process does by itself on the ladder: answer, and write the answer."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Final

from app import problems
from app.answers.render import rendered
from app.requests.jobs import Job
from solvers import (
    BOUNDED,
    INLINE,
    Answer,
    Backend,
    BackendRefusal,
    Effort,
    NeedsWorker,
    Progress,
    Question,
    Task,
    answer,
)

#: Larger boards, and pages of more cells, are worked on and written off the event loop.
_INLINE_CELLS: Final = 2_000
INLINE_PAGE: Final = 10_000
#: Larger boards go to the unbounded workers at once: what would be tried in vain costs too much.
_BOUNDED_CELLS: Final = 50_000
#: With these efforts no question takes long.
BOUNDEDLY: Final = (INLINE, BOUNDED)


def here(
    job: Job,
    efforts: Sequence[Effort],
    progress: Progress | None = None,
    keep: Callable[[Answer], None] = lambda _: None,
) -> tuple[Answer | None, Progress | None]:
    """The answer of this process by the first of the efforts that is enough; else the progress.

    Where none is *unbounded*, only what is small enough is tried. ``keep`` is given the answer
    after each part of it.

    Raises:
        ProblemError: the backend that was asked for cannot take the board.
    """
    for effort in efforts:
        if not _fits(job.question, effort):
            continue
        try:
            with refusals():
                return answer(job.question, job.deadline, effort, keep, progress), None
        except NeedsWorker as needs:
            progress = needs.progress
    return None, progress


def written(job: Job, found: Answer) -> bytes:
    """The answer as JSON.

    Raises:
        ProblemError: there is no layout of the number that was asked for.
    """
    check_offset(job.question, found)
    return rendered(job.record.parts, job.question, found)


def told(job: Job, found: Answer) -> tuple[Answer, bytes]:
    """The answer as JSON, and what others than the client want to know of it.

    Large answers take long to hand over, and a process that takes them apart does nothing else.
    """
    known = Answer(
        method=found.method, complete=found.complete, conflict=found.conflict, note=found.note
    )
    return known, written(job, found)


def check_offset(question: Question, found: Answer) -> None:
    """Raise `ProblemError` for an offset beyond the last layout."""
    if question.task is Task.LAYOUTS and found.count and question.offset >= found.count:
        raise problems.beyond(question.offset, found.count)


def _fits(question: Question, effort: Effort) -> bool:
    """Whether an effort is worth trying."""
    if effort.unbounded:
        return True
    return _is_small(question) if effort is INLINE else may_be_bounded(question)


def _is_small(question: Question) -> bool:
    paged = question.task in (Task.LAYOUTS, Task.SAMPLE)
    page = question.limit * question.cells if paged else 0
    return question.size <= _INLINE_CELLS and page <= INLINE_PAGE


def may_be_bounded(question: Question) -> bool:
    """Whether bounded effort may be enough; SAT and the other backends know no bounds."""
    if question.certificate or question.task in (Task.REPAIR, Task.CONFLICTS, Task.COMPOSE):
        return False
    by_budget = (Backend.AUTO, Backend.AUTOMATA, Backend.FRONTIER)
    return question.backend in by_budget and question.size <= _BOUNDED_CELLS


@contextmanager
def refusals() -> Iterator[None]:
    """Within, what a backend refuses becomes a problem."""
    try:
        yield
    except BackendRefusal as refusal:
        raise problems.of_backend(refusal) from None
