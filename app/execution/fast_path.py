"""What is asked most: a position of a game, perhaps with its total of mines.

To bytes, and of lines from bytes, with next to nothing in between. What is any
other line or question, or any other position, is left to the general way, which
says the same of these, and of faults where they are.
"""

from collections.abc import Mapping
from time import perf_counter
from typing import Any, Final, NamedTuple

import orjson

from app.answers import position_json, render
from minefield import Board, BoardError, parse
from minefield.board import FLAG
from solvers import Backend, Question, Task
from solvers.counting.board import BY_MINES_CELLS
from solvers.counting.position import Position, position
from solvers.counting.safest import SAFEST

#: What is told of a position at once.
TASKS: Final = frozenset({Task.CHECK, Task.COUNT, Task.FORCED, Task.ANALYZE})
#: What a line may say of its own accord, or the query for all lines.
_BOARD: Final = "board"
_MINES: Final = "mines"
#: A board that is no wider is a strip, which has its own methods.
_STRIP: Final = 2
#: The symbol of flags, which are claims to be judged.
_FLAG: Final = b"F"
#: Who answers, as `solvers` would say.
METHOD: Final = "frontier"


class Asked(NamedTuple):
    """A board and its total of mines, where it has one."""

    board: Board
    mines: int | None


def read(line: bytes, defaults: Mapping[str, Any], most: int) -> Asked | None:
    """The board of at most so many cells that a line is or has; None for any other line.

    ``defaults`` are the options that hold unless the line says otherwise.
    """
    # Before anything is read, which would be read again.
    if _FLAG in line or not defaults.keys() <= {_MINES}:
        return None
    try:
        value = orjson.loads(line)
    except orjson.JSONDecodeError:
        return None
    rows, mines = value, defaults.get(_MINES)
    names = 0
    if isinstance(value, dict):
        rows, mines = value.get(_BOARD), value.get(_MINES, mines)
        names = 1 + (_MINES in value)
        # With a name that stands twice there are more colons than names.
        if len(value) != names or line.count(b":") != names:
            return None
    elif not isinstance(value, str):
        return None
    try:
        board = parse(rows)
    except BoardError:
        return None
    if board.cells.size > most or not _fits(board):
        return None
    if mines is None or (type(mines) is int and 0 <= mines <= board.cells.size):
        return Asked(board, mines)
    return None


def of(question: Question) -> Asked | None:
    """What a question of one of `TASKS` asks about; None for any other question."""
    board = question.board
    plain = question.task in TASKS and question.backend is Backend.AUTO
    options = question.fractions or question.certificate or question.density is not None
    if not plain or options or not isinstance(board, Board) or not _fits(board):
        return None
    # The codes of all that is no claim are smaller.
    return None if board.cells.max() == FLAG else Asked(board, question.mines)


def _fits(board: Board) -> bool:
    return board.cells.size <= BY_MINES_CELLS and min(board.shape) > _STRIP


def told(asked: Asked, task: Task) -> bytes | None:
    """The JSON that answers one of `TASKS`; None if the position is not an ordinary one."""
    started = perf_counter()
    found = position(asked.board, asked.mines)
    if found is None:
        return None
    answer: dict[str, Any] = {"consistent": True}
    if task is Task.CHECK:
        answer["witness"] = orjson.Fragment(position_json.layout(found.layout))
    elif task is Task.FORCED:
        answer["forced"] = _forced(*position_json.forced(found))
    elif task is Task.COUNT:
        answer |= _counts(found)
    else:
        layout, mines, safe, chances, least = position_json.everything(found, SAFEST)
        answer["witness"] = orjson.Fragment(layout)
        answer |= _counts(found)
        answer["forced"] = _forced(mines, safe)
        answer["probabilities"] = orjson.Fragment(chances)
        answer["safest"] = orjson.Fragment(least)
    answer["conflict"] = None
    answer["solver"] = render.solver(METHOD, True, perf_counter() - started)
    return orjson.dumps(answer)


def _counts(found: Position) -> dict[str, Any]:
    by_mines = {str(mines): render.digits(count) for mines, count in found.by_mines.items()}
    return {"count": render.digits(found.count), "by_mines": by_mines}


def _forced(mines: bytes, safe: bytes) -> dict[str, orjson.Fragment]:
    return {"mines": orjson.Fragment(mines), "safe": orjson.Fragment(safe)}
