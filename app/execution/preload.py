"""Imported once, by the process that workers are forked from.

Against our habit this module does its work on import: what is loaded here every worker has from
its first moment, so that one which takes the place of a killed one is ready within a fraction of a
second, and what is loaded for a question does not count as its memory.
"""

from time import monotonic
from typing import Final

from app.execution import rungs, warm
from app.questions.catalogue import QUESTIONS
from app.requests.jobs import job
from app.settings import Settings
from minefield import parse
from solvers import FULL, Backend, Question, Task, answer

#: As they come: what the service is set to may allow less.
_SETTINGS: Final = Settings.model_construct()

warm.load()
# What is imported only when somebody asks for it, and tables that are made at first use.
for backend in Backend:
    answer(Question(Task.COUNT, parse("1?\n??"), backend=backend))
for record in QUESTIONS:
    for example in record.examples.values():
        rungs.here(job(record, dict(example.asked), _SETTINGS, monotonic()), (FULL,))
