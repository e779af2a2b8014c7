"""Compile what is compiled, before anyone waits for it: ``python -m app.warm``."""

from collections.abc import Iterable

from automata import Window
from minefield import parse
from solvers import Backend, Question, Task, answer


def warm(backends: Iterable[Backend] = (Backend.AUTO,)) -> None:
    """Answer a few small questions that run through every compiled function."""
    for rows, mines in (("?1?1?\n?????", None), ("?2??\n?1??\n???1", 3), ("01\n?1", None)):
        board = parse(rows)
        for backend in backends:
            answer(Question(Task.ANALYZE, board, mines, backend=backend))
    cut_out = Window(row=0, col=0, height=1, width=2)
    answer(Question(Task.STRIPS, parse("?1\n??"), window=cut_out))
    answer(Question(Task.ANALYZE, parse("?1?"), backend=Backend.AUTOMATA))


if __name__ == "__main__":
    warm()
