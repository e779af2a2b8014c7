"""Rehearsal: modules that load at first use are loaded before a user waits."""

from contextlib import suppress
from time import monotonic

from minecheck.app.catalogue import QUESTIONS
from minecheck.app.execution.rungs import answer_in_process
from minecheck.app.requests.jobs import make_job
from minecheck.app.settings import Settings
from minecheck.minefield import parse
from minecheck.minefield.reader import read_board
from minecheck.solvers import BackendError, Effort, NeedsMoreEffort, answer_question
from minecheck.solvers.backend import BoardKind, list_backends
from minecheck.solvers.tasks.count import Count


def rehearse_examples(effort: Effort) -> None:
    """Answer all examples.

    What is imported only when somebody asks for it, and tables that are made at first use.
    """
    for backend in list_backends("count", BoardKind.PLANE):
        with suppress(BackendError, NeedsMoreEffort):
            answer_question(Count(parse("1?\n??"), backend=backend), effort=effort)
    # As they come: what the service is set to may allow less.
    settings = Settings.model_construct()
    for operation in QUESTIONS:
        for example in operation.examples.values():
            answer_in_process(
                make_job(operation, dict(example.request), settings, monotonic()), (effort,)
            )


def rehearse_reading() -> None:
    """Read a text that is not plain rows, as all the patterns for such texts are compiled then."""
    read_board("1 ?\n? ?")
