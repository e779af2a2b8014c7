"""Which cell is best to open next?"""

from typing import Annotated, Any, Final

from pydantic import BaseModel, Field, WithJsonSchema

from app import problems
from app.answers.cells import OnBoard
from app.limits import Limits
from app.questions import puzzles
from app.questions.fields import CELL_SCHEMA, AskBoard, Place
from app.questions.record import Record, example
from app.questions.verdict import AnyAnswer
from minefield import Puzzle
from solvers import Answer, Question, Task
from solvers.answer import Move as Found


class AskMoves(AskBoard):
    """A position of a game."""

    mines: int = Field(ge=0, description="Number of mines on the whole board, known ones included")
    limit: int = Field(default=10, ge=1, description="How many moves are wanted at most")
    cell: Annotated[Any, WithJsonSchema(CELL_SCHEMA)] = Field(
        default=None,
        description="A cell to tell of however bad it is, [row, col] or row,col in one string; it "
        "comes last if it is none of the best",
    )


class Move(BaseModel):
    """A cell to open next. Chances are exact; null where one is not known."""

    cell: Place
    safe: bool = Field(description="Whether it is proved safe")
    mine: float = Field(description="Chance of a mine")
    numbers: list[float] | None = Field(
        description="Chance of each number, 0 to 8, that it would show"
    )
    progress: float | None = Field(
        description="Chance that it is safe, and that then a safe cell is proved or nothing is "
        "left to do"
    )
    survival: float | None = Field(
        description="Chance to survive this click and the next one, on the safest cell then"
    )
    win: float | None = Field(
        description="Chance to win with best play after it; null where the game is not near "
        "enough to its end"
    )
    dead: bool | None = Field(
        description="Whether opening it tells nothing: it shows the same number in all layouts "
        "where it is safe"
    )


class Win(BaseModel):
    """The chance to win with best play."""

    low: float
    high: float
    exact: bool = Field(description="Whether low and high are the chance itself")


class Guess(BaseModel):
    """Cells that nothing outside of them can tell apart."""

    cells: list[Place]
    chance: float = Field(description="To open them all right with best play")


class MovesAnswer(AnyAnswer):
    """Which cell is best to open next."""

    moves: list[Move] | None = Field(description="Best first; none where nothing is left to open")
    win: Win | None
    guesses: list[Guess] | None = Field(
        description="Guesses that cannot be avoided, whenever they are made"
    )


def _question(ask: AskMoves, board: Puzzle, limits: Limits, stream: bool) -> Question:
    problems.at_most("limit", ask.limit, limits.max_layouts)
    cell = None if ask.cell is None else puzzles.cell(ask.cell, board)
    return Question(Task.MOVES, board, ask.mines, limit=ask.limit, cell=cell)


def _moves(question: Question, answer: Answer, draw: OnBoard) -> dict[str, Any]:
    return shown(answer)


def shown(answer: Answer) -> dict[str, Any]:
    """The moves, the chance to win and the guesses that an answer has, null where it has none."""
    if answer.consistent is False:
        return {"moves": [], "win": None, "guesses": []}
    found = answer.moves
    if found is None:
        return {"moves": None, "win": None, "guesses": None}
    win = {"low": found.low, "high": found.high, "exact": found.low == found.high}
    guesses = None
    if found.guesses is not None:
        guesses = [{"cells": one.cells, "chance": one.chance} for one in found.guesses]
    return {"moves": list(map(_move, found.moves)), "win": win, "guesses": guesses}


def _move(move: Found) -> dict[str, Any]:
    return {
        "cell": move.cell,
        "safe": move.safe,
        "mine": move.mine,
        "numbers": move.numbers,
        "progress": move.progress,
        "survival": move.survival,
        "win": move.win,
        "dead": move.dead,
    }


MOVES: Final = Record(
    name="moves",
    summary="Which cell is best to open next, and what are the chances to win?",
    asked=AskMoves,
    answered=MovesAnswer,
    question=_question,
    parts=(_moves,),
    examples={
        "board": example(
            {"board": ["??2", "24?", "???"], "mines": 4, "limit": 1},
            "frontier",
            moves=[
                {
                    "cell": [2, 0],
                    "safe": False,
                    "mine": 1 / 3,
                    "numbers": [1 / 3, 1 / 3, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
                    "progress": 2 / 3,
                    "survival": 2 / 3,
                    "win": 2 / 3,
                    "dead": False,
                }
            ],
            win={"low": 2 / 3, "high": 2 / 3, "exact": True},
            guesses=[{"cells": [[0, 0], [2, 0], [2, 1]], "chance": 2 / 3}],
        ),
    },
)
