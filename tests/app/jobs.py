"""Questions as the jobs that the service makes of them, and answers as it writes them."""

from typing import Final

from app.answers import render
from app.questions import Record
from app.questions.catalogue import QUESTIONS
from app.requests.jobs import Job
from solvers import Answer, Deadline, Question, answer

#: All questions by name.
RECORDS: Final[dict[str, Record]] = {record.name: record for record in QUESTIONS}
#: The names of those that a batch may ask.
BATCHED: Final = [record.name for record in QUESTIONS if record.batched]
#: The names of those that need no more than a board.
TASKS: Final = [name for name in BATCHED if name != "moves"]


def job_of(question: Question, seconds: float = 60.0) -> Job:
    """A question whose time begins now."""
    return Job(RECORDS[question.task], question, Deadline.after(seconds), seconds)


def rendered(question: Question, found: Answer | None = None) -> bytes:
    """The body that answers a question, by the solvers unless the answer is given."""
    found = found or answer(question)
    return render.rendered(RECORDS[question.task].parts, question, found)
