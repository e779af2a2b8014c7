"""Questions by the names of their tasks, for tests that ask many of them alike."""

from enum import StrEnum
from fractions import Fraction
from typing import Any, Final

from minecheck.minefield.rules import Puzzle
from minecheck.solvers import Question, tasks
from minecheck.solvers.backend import Backend


class Task(StrEnum):
    """The names of all tasks."""

    CHECK = "check"
    LAYOUTS = "layouts"
    COUNT = "count"
    FORCED = "forced"
    ANALYZE = "analyze"
    STRIPS = "strips"
    SAMPLE = "sample"
    EXPLAIN = "explain"
    CONFLICTS = "conflicts"
    REPAIR = "repair"
    MOVES = "moves"
    COMPOSE = "compose"


assert tuple(Task) == tasks.NAMES, "each task is a member here"

#: The tasks that `ENGINES` lists; others have the engines of one of them.
LISTED: Final = tuple(
    name for name in tasks.NAMES if not tasks.find_task(name).question.engines_like
)
#: Engines that answer check, count, forced, analyze and layouts of any small board on their own.
WHOLE: Final = (
    *(Backend.AUTO, Backend.AUTOMATA, Backend.FRONTIER),
    *(Backend.SAT, Backend.CPSAT, Backend.EXHAUSTIVE),
)
#: Questions that one engine answers, reasons or play.
REASONED: Final = (Task.EXPLAIN, Task.REPAIR, Task.CONFLICTS, Task.MOVES, Task.COMPOSE)


def question_of(
    task: str,
    board: Puzzle,
    mines: int | None = None,
    density: Fraction | None = None,
    backend: Backend = Backend.AUTO,
    **options: Any,
) -> Question:
    """Return a question, with those of the options that its task has."""
    given = {"mines": mines, "density": density, "backend": backend, **options}
    known = tasks.find_task(task).options
    left = {name: one for name, one in given.items() if name in known}
    return tasks.find_task(task).question(board, **left)


class Said:
    """The fields of an answer: None for those that answers to its task do not have."""

    def __init__(self, answer: Any) -> None:
        self._answer = answer

    def __getattr__(self, name: str) -> Any:
        return getattr(self._answer, name, None)
