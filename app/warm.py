"""Compile what is compiled, before anyone waits for it: ``python -m app.warm``."""

from collections.abc import Iterable

from minefield import parse
from solvers import Backend, Question, Task, answer


def warm(backends: Iterable[Backend] = (Backend.AUTO,)) -> None:
    """Answer a few small questions that run through every compiled function."""
    for rows, mines in (("?1?1?\n?????", None), ("?2??\n?1??\n???1", 3), ("01\n?1", None)):
        board = parse(rows)
        for backend in backends:
            answer(Question(Task.ANALYZE, board, mines, backend=backend))


if __name__ == "__main__":
    warm()
