"""Tests make jobs of questions, and render answers, as the service does."""

from collections.abc import Awaitable, Callable
from types import SimpleNamespace
from typing import Any, Final

from minecheck.app.catalogue import QUESTIONS
from minecheck.app.questions import QuestionOperation
from minecheck.app.requests.body import ReadingTurns
from minecheck.app.requests.jobs import Job
from minecheck.app.settings import Settings
from minecheck.solvers import Answer, Deadline, Question, answer_question
from minecheck.solvers.documents import render

#: All questions by name.
QUESTIONS_BY_NAME: Final[dict[str, QuestionOperation]] = {
    operation.name: operation for operation in QUESTIONS
}
#: The names of the questions that a batch may ask.
BATCHED: Final = [operation.name for operation in QUESTIONS if operation.batched]
#: The names of the questions that need no more than a board.
TASKS: Final = [name for name in BATCHED if name != "moves"]


def app_of(settings: Settings, run: Callable[[Callable[[], Any]], Awaitable[Any]]) -> Any:
    """Return as much of an app as the reading of a request needs, with ``run`` as its workers."""
    workers = SimpleNamespace(bounded=SimpleNamespace(run=run))
    state = SimpleNamespace(
        settings=settings, workers=workers, reading=ReadingTurns(), compiling=None
    )
    return SimpleNamespace(state=state)


def job_of(question: Question, seconds: float = 60.0) -> Job:
    """Return a job whose time begins now."""
    return Job.from_input(
        QUESTIONS_BY_NAME[question.task], question, Deadline.in_seconds(seconds), seconds
    )


def whole(job: Job, found: Answer) -> Answer:
    """Return the answer itself, where the service would render it."""
    return found


def render_body(question: Question, found: Answer | None = None) -> bytes:
    """Render the body of the given answer, or of the answer of the solvers."""
    found = found or answer_question(question)
    return render.render_answer(question, found)
