"""What is loaded at first use, loaded before anyone waits."""

from contextlib import suppress
from time import monotonic

from app.execution.rungs import here
from app.questions.catalogue import QUESTIONS
from app.requests.jobs import job
from app.settings import Settings
from minefield import parse
from solvers import Backend, Effort, NeedsWorker, Question, Task, answer


def rehearse(effort: Effort) -> None:
    """Answer all examples.

    What is imported only when somebody asks for it, and tables that are made at first use.
    """
    for backend in Backend:
        with suppress(NeedsWorker):
            answer(Question(Task.COUNT, parse("1?\n??"), backend=backend), effort=effort)
    # As they come: what the service is set to may allow less.
    settings = Settings.model_construct()
    for record in QUESTIONS:
        for example in record.examples.values():
            here(job(record, dict(example.asked), settings, monotonic()), (effort,))
