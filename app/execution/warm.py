"""Compile what is compiled, before anyone waits for it: ``python -m app.execution.warm``."""

from collections.abc import Iterable
from fractions import Fraction
from typing import Final

import numpy as np

from app.execution import fast_path
from app.questions.catalogue import QUESTIONS
from app.requests.jobs import Plain
from automata import Window
from minefield import Layout, parse, parse_rules
from minefield.certificates import drat
from minefield.game import Game
from solvers import Backend, Question, Task, answer
from solvers.games.generator import Kind, Wanted, generate
from solvers.reasons.deduction import Level

#: A consistent position of a game: about any other, nothing is answered at once.
_GAME: Final = parse("?2??\n?2??\n???1")


def warm(backends: Iterable[Backend] = (Backend.AUTO, Backend.FRONTIER)) -> None:
    """Answer a few small questions that run through every compiled function."""
    # Ordinary boards are answered at once; rules take the way of those that are not.
    triangle = [{"cells": ["a", "b"], "mines": 1}, {"cells": ["b", "c"], "low": 0, "high": 1}]
    rules = parse_rules(triangle, 4)
    for board, mines in (
        (parse("?1?1?\n?????"), None),
        (_GAME, 3),
        (parse("01\n?1"), None),
        (rules, None),
        (rules, 1),
        (rules, 4),
    ):
        for backend in backends:
            for task in (Task.ANALYZE, Task.LAYOUTS):
                answer(Question(task, board, mines, backend=backend))
    for record in QUESTIONS:
        told, _ = fast_path.answered(record, Plain(_GAME, 3))
        # What is not answered here is compiled while somebody waits.
        if record.at_once is not None and told is None:
            raise AssertionError(f"the board to warm with has no answer to {record.name}")
    # Reasons for which there are others, and a conflict; then a proof.
    for rows in ("??11\n12??", "0?1\n2?5\n???"):
        answer(Question(Task.EXPLAIN, parse(rows)))
    drat.check("p cnf 2 3\n1 2 0\n-1 0\n-2 0\n", "d -2 0\n2 0\n0\n")
    layout = Layout(np.array([[True, False, True, False]]))
    layout.rows()
    answer(Question(Task.LAYOUTS, rules, backend=Backend.FRONTIER, layout=layout))
    cut_out = Window(row=0, col=0, height=1, width=2)
    answer(Question(Task.STRIPS, parse("?1\n??"), window=cut_out))
    for strip in ("?1?", "?1?\n???", "?1?\n???\n???", "??\n1?\n??"):
        for total in (None, 2):
            for task in (Task.ANALYZE, Task.LAYOUTS, Task.FORCED):
                answer(Question(task, parse(strip), total, backend=Backend.AUTOMATA))
    # Of weights so large that they are summed at twice the precision, or with integers.
    density = Fraction(1, 10**18)
    for strip in ("?1?1?", "?1?1?\n?????"):
        answer(Question(Task.ANALYZE, parse(strip), density=density))
    Game(layout, (0, 1)).after(parse("????"), [(0, 1)])
    # A board so dense that layouts are changed.
    generate(Wanted(9, 9, 30, Kind.GUESS_FREE, (4, 4), 0, Level.TRIVIAL))


if __name__ == "__main__":
    warm()
