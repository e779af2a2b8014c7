"""Positions of games, answered at once: all there is to say of them comes from one compiled call.

What the call does not take, and inconsistent boards, are left to the other methods, which give the
same answers.
"""

from typing import Final, TypeGuard

from minefield.board import FLAG, Board
from minefield.rules import Puzzle
from solvers.answer import Answer, Forced
from solvers.counting.position import Position, most_of
from solvers.question import Backend, Question, Task

#: What it is called in answers.
NAME: Final = "frontier"
# What the tasks ask for beside the verdict.
_COUNTED: Final = (Task.ANALYZE, Task.COUNT)
_DECIDED: Final = (Task.ANALYZE, Task.FORCED)
_WITH_CHANCES: Final = (Task.ANALYZE,)
_TASKS: Final = (*_COUNTED, Task.FORCED, Task.CHECK)
#: A board that is no wider is a strip, which automata read.
STRIP: Final = 2


def takes(question: Question) -> bool:
    """Whether the call may tell all that is asked; no board is a position for sure."""
    return question.task in _TASKS and is_plain(question) and may_be_position(question.board)


def is_plain(question: Question) -> bool:
    """Whether no option asks for more than the call tells."""
    return (
        question.backend is Backend.AUTO
        and question.density is None
        and not (question.fractions or question.certificate)
    )


def may_be_position(board: Puzzle) -> TypeGuard[Board]:
    """Whether it is a board, no strip, and has no flags: these are claims to be judged."""
    if not isinstance(board, Board):
        return False
    cells = board.cells
    return min(cells.shape) > STRIP and FLAG not in cells.tobytes()


def most_known(board: Puzzle, mines: int | None = None) -> Position | None:
    """What the call tells of a board, perhaps without some components; None if it tells nothing."""
    if not may_be_position(board) or (mines is not None and mines < 0):
        return None
    return most_of(board, mines)


def told(task: Task, found: Position | None, by_mines: bool | None = False) -> Answer | None:
    """The answer to a plain question, from what `most_known` tells; None if that is not all.

    ``by_mines`` as in `solvers.question.Question`.
    """
    if found is None or found.left_out or (by_mines and not found.soon_by_mines):
        return None
    fields: dict[str, object] = {"consistent": True, "_witness": found.witness, "method": NAME}
    if task in _COUNTED:
        fields["count"] = found.count
        if by_mines is None:
            fields["_by_mines"] = found.by_mines
        elif found.soon_by_mines:
            fields["_by_mines"] = found.by_mines()
    if task in _DECIDED:
        fields["forced"] = Forced(found.values)
    if task in _WITH_CHANCES:
        fields["probabilities"] = found.chances
        fields["_safest"] = found.safest
    return Answer.of(fields)
