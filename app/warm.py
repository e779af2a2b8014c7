"""Compile what is compiled, before anyone waits for it: ``python -m app.warm``."""

from minefield import parse
from solvers import Task, answer
from solvers.answer import Question


def warm() -> None:
    """Answer a few small questions that run through every compiled function."""
    for rows, mines in (("?1?1?\n?????", None), ("?2??\n?1??\n???1", 3), ("01\n?1", None)):
        board = parse(rows)
        for task in (Task.CHECK, Task.ANALYZE):
            answer(Question(task, board, mines))


if __name__ == "__main__":
    warm()
