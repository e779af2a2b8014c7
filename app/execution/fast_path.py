"""Positions of games, answered at once: from the board to bytes in some ten microseconds.

Other boards, and inconsistent ones, are left to the solvers, which give the same answers.
"""

from time import perf_counter
from typing import Any, Final

import orjson

from app.answers.render import size, solver
from app.requests.jobs import Job, Plain
from minefield import Board
from minefield.board import FLAG
from solvers import Backend, Progress, Question
from solvers.counting.board import BY_MINES_CELLS
from solvers.counting.position import position

#: Who answers, as `solvers` would say.
METHOD: Final = "frontier"
_FLAG: Final = bytes((FLAG,))
#: A board that is no wider is a strip, which automata read.
_STRIP: Final = 2


def answered(asked: Plain | Job) -> tuple[bytes | None, Progress | None]:
    """The JSON that answers about a position of a game, else how far that got."""
    if isinstance(asked, Job) and not _is_plain(asked.question):
        return None, None
    at_once = asked.record.at_once
    about = asked.question if isinstance(asked, Job) else asked
    board, mines = about.board, about.mines
    if at_once is None or not isinstance(board, Board) or not _may_be_position(board):
        return None, None
    started = perf_counter()
    found = position(board, mines)
    if found is None:
        return None, Progress(no_position=True)
    answer: dict[str, Any] = {"consistent": True, **at_once.write(found), "conflict": None}
    answer |= size(board, mines)
    answer["solver"] = solver(METHOD, True, perf_counter() - started)
    return orjson.dumps(answer), None


def _is_plain(question: Question) -> bool:
    return (
        question.backend is Backend.AUTO
        and question.density is None
        and not (question.fractions or question.certificate)
    )


def _may_be_position(board: Board) -> bool:
    cells = board.cells
    height, width = cells.shape
    return (
        height * width <= BY_MINES_CELLS
        and height > _STRIP
        and width > _STRIP
        # Claims are judged.
        and _FLAG not in cells.tobytes()
    )
