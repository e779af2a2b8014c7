"""Positions of games, answered at once: from the board to bytes in some ten microseconds.

Other boards, and inconsistent ones, are left to the solvers, which give the same answers.
"""

from time import perf_counter
from typing import Any, Final

import orjson

from app.answers.render import solver
from app.requests.jobs import Job
from minefield import Board
from minefield.board import FLAG
from solvers import Backend
from solvers.counting.board import BY_MINES_CELLS
from solvers.counting.position import position

#: Who answers, as `solvers` would say.
METHOD: Final = "frontier"
_FLAG: Final = bytes((FLAG,))
#: A board that is no wider is a strip, which automata read.
_STRIP: Final = 2


def takes(job: Job) -> bool:
    """Whether a board may be a position of a game, asked about without options."""
    question = job.question
    board = question.board
    if job.record.at_once is None or not isinstance(board, Board):
        return False
    cells = board.cells
    height, width = cells.shape
    return bool(
        height * width <= BY_MINES_CELLS
        and height > _STRIP
        and width > _STRIP
        and question.backend is Backend.AUTO
        and question.density is None
        and not (question.fractions or question.certificate)
        # Claims are judged.
        and _FLAG not in cells.tobytes()
    )


def answered(job: Job) -> bytes | None:
    """The JSON that answers what it `takes`; None if the board is no such position after all."""
    at_once, question = job.record.at_once, job.question
    started = perf_counter()
    assert at_once is not None, "only what it takes is answered"
    assert isinstance(question.board, Board), "only what it takes is answered"
    found = position(question.board, question.mines)
    if found is None:
        return None
    answer: dict[str, Any] = {"consistent": True, **at_once.write(found), "conflict": None}
    answer["solver"] = solver(METHOD, True, perf_counter() - started)
    return orjson.dumps(answer)
