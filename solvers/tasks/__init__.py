"""What can be asked of a board: for each question a module, with its answer and what finds it."""

from importlib import import_module
from typing import Final

from minecheck.solvers.tasks.task import Task

__all__ = ["NAMES", "Task", "find_task"]

#: All tasks, in the order in which people are shown them.
NAMES: Final = (
    "check",
    "layouts",
    "count",
    "forced",
    "analyze",
    "strips",
    "sample",
    "explain",
    "conflicts",
    "repair",
    "moves",
    "compose",
)


def find_task(name: str) -> Task:
    """Return the task of this name."""
    task: Task = getattr(import_module(f"{__name__}.{name}"), name.upper())
    return task
