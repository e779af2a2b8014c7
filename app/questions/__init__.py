"""Questions as operations: one for each task of `minecheck.solvers.tasks`, which it derives from.

`app.catalogue` has all operations. A command makes only the one that it needs.
"""

from minecheck.app.questions.operation import QuestionOperation
from minecheck.solvers import tasks
from minecheck.solvers.tasks import NAMES

__all__ = ["NAMES", "QuestionOperation", "find_question"]


def find_question(name: str) -> QuestionOperation:
    """Return the question of this name."""
    return QuestionOperation.from_task(tasks.find_task(name))
