"""Moves in words, for players that write: a prompt, their reply as a cell, and its score.

Frameworks that evaluate language models take three functions: `prompt_move`, `parse_move` and
`score_move`. None of them needs a framework, or Gymnasium.

Of a reply the last line that is not blank counts, and nothing before it. It has to be one cell and
nothing else, so that a reply of many guesses is no answer.
"""

import re
from dataclasses import dataclass
from typing import Final

import numpy as np

from minecheck.minefield.board import SAFE, Board
from minecheck.minefield.numerals import format_count
from minecheck.solvers.annotations import Coordinates
from minecheck.solvers.environment.pictures import draw_with_rulers
from minecheck.solvers.library.boards import BoardLike, read_board
from minecheck.solvers.library.questions import analyze
from minecheck.solvers.question import QuestionError

#: A longer last line is no answer.
_LONGEST: Final = 200
#: Signs with which writers surround an answer.
_ORNAMENTS: Final = " \t*_`$\"'#>"
_NAME: Final = re.compile(r"(?:(?:my |the |final )*answer|move)[ *_`]*(?::|=| is)", re.IGNORECASE)
_BETWEEN: Final = r"(?:\s*[,;]\s*(?:{0})?|\s+(?:and\s+)?(?:{0})?|\s*(?:{0}))\s*".format(
    "columns?|col|c"
)
_CELL: Final = re.compile(
    rf"[(\[]?\s*(?:row|r)?\s*([0-9]{{1,4}}){_BETWEEN}([0-9]{{1,4}})\s*[)\]]?", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class MoveScore:
    """The score of a reply.

    Attributes:
        value: 1 less the chance lost for a legal move, else 0.
        cell: the cell, (row, col) from 0; None if the reply names none.
        legal: whether that is a hidden cell of the board.
        mine_chance: the chance of a mine there; None unless it is legal.
        chance_lost: how much that is above the least chance of all hidden cells.
        had_proved_cell: whether some hidden cell is proved safe.
    """

    value: float
    cell: Coordinates | None
    legal: bool
    mine_chance: float | None
    chance_lost: float | None
    had_proved_cell: bool


def prompt_move(board: BoardLike, mines: int) -> str:
    """Return a prompt that asks for the next move.

    Args:
        board: what is shown, in any form that `minecheck.parse` takes.
        mines: the number of mines on the board.
    """
    return describe_position(_read_plane(board), mines) + (
        "Choose the hidden cell that is least likely to be a mine. Write your answer on the last "
        "line, as the row and the column: ANSWER: row,column"
    )


def describe_position(board: Board, mines: int, noun: str = "game") -> str:
    """Return the beginning of a prompt: how to read a board, and the board."""
    return (
        f"This is a {noun} of Minesweeper with {format_count(mines, 'mine')}. Rows and columns are "
        "numbered from 0: row numbers are on the left, column numbers are on top. A digit is the "
        "number of mines among the up to eight cells around it, ? is a hidden cell.\n\n"
        f"{draw_with_rulers(board.cells)}\n\n"
    )


def read_last_line(reply: str) -> str | None:
    """Return the last line of a reply that is not blank, without the name of the answer.

    This is all of a reply that counts. None if there is none, or if it is too long.
    """
    lines = [line for line in reply.splitlines() if line.strip()]
    if not lines or len(lines[-1]) > _LONGEST:
        return None
    line = lines[-1].strip(_ORNAMENTS)
    named = _NAME.match(line)
    # A full stop at the end belongs to the sentence, one at the beginning to a number.
    return (line[named.end() :] if named else line).lstrip(_ORNAMENTS).rstrip(_ORNAMENTS + ".")


def parse_move(reply: str) -> Coordinates | None:
    """Return the cell that a reply names, (row, col) from 0; None if its last line is no cell.

    Accepted are ``ANSWER: 3,4``, ``(3, 4)``, ``row 3, column 4``, ``r3c4`` and the like, in bold or
    between backticks.
    """
    line = read_last_line(reply)
    match = None if line is None else _CELL.fullmatch(line)
    return (int(match[1]), int(match[2])) if match else None


def score_move(
    board: BoardLike, mines: int, reply: str, *, deadline: float | None = None
) -> MoveScore:
    """Score the reply to `prompt_move`.

    Args:
        board: what is shown.
        mines: the number of mines on the board.
        reply: what the player has written.
        deadline: seconds for the exact chances; None for no limit.

    Raises:
        QuestionError: no layout fits the board, no cell is hidden, or the chances were not known in
            time.
    """
    shown = _read_plane(board)
    hidden = shown.unknown | (shown.cells == SAFE)
    analysis = analyze(shown, mines, deadline=deadline)
    if analysis.probabilities is None or not hidden.any():
        raise QuestionError(
            "board",
            "There is no move to score: no layout fits the board, no cell is hidden, or the "
            "deadline has passed.",
        )
    chances = np.where(shown.cells == SAFE, 0.0, analysis.probabilities)
    least = float(chances[hidden].min())
    cell = parse_move(reply)
    inside = cell is not None and cell[0] < shown.height and cell[1] < shown.width
    if cell is None or not inside or not hidden[cell]:
        return MoveScore(0.0, cell, False, None, None, least == 0.0)
    chance = float(chances[cell])
    return MoveScore(1.0 - (chance - least), cell, True, chance, chance - least, least == 0.0)


def _read_plane(board: BoardLike) -> Board:
    """Return an ordinary board; raise `QuestionError` for one with other rules."""
    shown = read_board(board)
    if not isinstance(shown, Board):
        raise QuestionError("board", "Moves are asked for on ordinary boards only.")
    return shown
