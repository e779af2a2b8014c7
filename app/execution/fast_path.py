"""Positions of games, answered at once: from the board to bytes in some ten microseconds.

Other boards, and inconsistent ones, are left to the solvers, which give the same answers.
"""

from time import perf_counter
from typing import Final

from app.answers import position_json
from app.answers.render import solver
from app.requests.jobs import Job
from solvers import Progress
from solvers.at_once import NAME, is_plain, may_be_position
from solvers.counting.position import position

#: Larger boards are read and written in a worker.
MOST_CELLS: Final = 2000


def answered(job: Job, *, tried: bool = False) -> tuple[bytes | None, Progress | None]:
    """The JSON that answers about a position of a game, else how far that got.

    A board that was ``tried`` before, with others, is none.
    """
    if tried:
        return None, Progress(no_position=True)
    fields, question = job.record.at_once, job.question
    board = question.board
    if (
        not fields
        or question.by_mines
        or not is_plain(question)
        or not may_be_position(board)
        or board.cells.size > MOST_CELLS
    ):
        return None, None
    started = perf_counter()
    found = position(board, question.mines)
    if found is None:
        return None, Progress(no_position=True)
    told_by = solver(NAME, True, perf_counter() - started)
    text, _ = position_json.written(position_json.of_one(found), fields, told_by)
    return text[:-1], None
