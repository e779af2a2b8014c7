"""Questions as the jobs that the service makes of them, and answers as it writes them."""

from collections.abc import Awaitable, Callable
from types import SimpleNamespace
from typing import Any, Final

from app.answers import render
from app.questions import Record
from app.questions.catalogue import QUESTIONS
from app.requests.jobs import Job
from app.settings import Settings
from solvers import Answer, Deadline, Question, answer

#: All questions by name.
RECORDS: Final[dict[str, Record]] = {record.name: record for record in QUESTIONS}
#: The names of those that a batch may ask.
BATCHED: Final = [record.name for record in QUESTIONS if record.batched]
#: The names of those that need no more than a board.
TASKS: Final = [name for name in BATCHED if name != "moves"]


def app_of(settings: Settings, run: Callable[[Callable[[], Any]], Awaitable[Any]]) -> Any:
    """As much of an app as the reading of a request needs; ``run`` is what workers do."""
    workers = SimpleNamespace(bounded=SimpleNamespace(run=run))
    return SimpleNamespace(state=SimpleNamespace(settings=settings, workers=workers))


def job_of(question: Question, seconds: float = 60.0) -> Job:
    """A question whose time begins now."""
    return Job(RECORDS[question.task], question, Deadline.after(seconds), seconds)


def whole(job: Job, found: Answer) -> Answer:
    """The answer itself, where something else may be made of it."""
    return found


def rendered(question: Question, found: Answer | None = None) -> bytes:
    """The body that answers a question, by the solvers unless the answer is given."""
    found = found or answer(question)
    return render.rendered(RECORDS[question.task].parts, question, found)
