"""Positions of games, answered at once: all there is to say of them comes from one compiled call.

Which questions and which boards take this way is decided here, for all that compiled code has not
read (`solvers.positions.read`). What the call does not take, and inconsistent boards, are left to
the other methods, which give the same answers.

Tested in tests/solvers/test_router.py and tests/app/execution/test_at_once_lines.py.
"""

from typing import TypeGuard

from minecheck.minefield.board import FLAG, Board
from minecheck.minefield.rules import Puzzle
from minecheck.solvers.answer import Answer
from minecheck.solvers.backend import Backend
from minecheck.solvers.findings import Forced
from minecheck.solvers.positions.solve import NAME, STRIP, Position, solve_narrow_components
from minecheck.solvers.progress import Progress
from minecheck.solvers.question import Question


def may_answer(question: Question) -> bool:
    """Return True if the compiled call may answer the whole question; only it knows for sure."""
    return (
        question.at_once
        and question.backend is Backend.AUTO
        and question.density is None
        and not (question.fractions or question.certificate)
        and may_be_position(question.board)
    )


def look_at_position(question: Question, progress: Progress) -> Position | None:
    """Return the result of the compiled call, which is made once, for the board of a question.

    Some components may be left out. None if the call tells nothing, or does not take the question.

    Args:
        question: the question, whose board and total the call takes.
        progress: the state of the question, which keeps the result.
    """
    if not progress.looked and may_answer(question):
        progress.position = solve_known_part(question.board, question.mines)
        progress.looked = True
    return progress.position


def may_be_position(board: Puzzle) -> TypeGuard[Board]:
    """Return True for a board that is no strip and has no flags, which are claims to be judged."""
    if not isinstance(board, Board):
        return False
    cells = board.cells
    return min(cells.shape) > STRIP and FLAG not in cells.tobytes()


def solve_known_part(board: Puzzle, mines: int | None) -> Position | None:
    """Return the result of the call for a board, perhaps without wide components; None if none.

    Args:
        board: the board, or rules, for which there is no result.
        mines: the total of mines, None for any.
    """
    if not may_be_position(board) or (mines is not None and mines < 0):
        return None
    return solve_narrow_components(board, mines)


def is_complete_for(position: Position | None, by_mines: bool | None) -> TypeGuard[Position]:
    """Return True if the result of the call covers all that a question requests.

    Args:
        position: the result, or None.
        by_mines: whether counts by number of mines are requested; None if only later.
    """
    return (
        position is not None and not position.left_out and (not by_mines or position.soon_by_mines)
    )


def answer_from_position(
    task: type[Question], position: Position | None, by_mines: bool | None
) -> Answer | None:
    """Return the answer to a plain question from the result of the call; None if that is partial.

    Args:
        task: the class of the question.
        position: the result of the compiled call.
        by_mines: as in `solvers.question.Question`.
    """
    if not is_complete_for(position, by_mines):
        return None
    kind = task.answer_type
    fields: dict[str, object] = {
        "consistent": True,
        "_witness": position.find_witness,
        "method": NAME,
        "engines": (NAME,),
    }
    if "count" in kind.json_fields:
        fields["count"] = position.count
        if by_mines is None:
            fields["_by_mines"] = position.by_mines
        elif position.soon_by_mines:
            fields["_by_mines"] = position.by_mines()
    if "forced" in kind.json_fields:
        fields["forced"] = Forced(position.values)
    if "probabilities" in kind.json_fields:
        fields["probabilities"] = position.chances
        fields["_safest"] = position.rank_safest
    return kind.from_values(fields)
