"""What the clues in a window say about the cells in it."""

from dataclasses import asdict
from typing import Any, Final

from pydantic import BaseModel, Field

from app.answers import parts
from app.answers.cells import OnBoard
from app.limits import Limits
from app.questions import puzzles
from app.questions.fields import AskBoard, Cutting, Place, Rows
from app.questions.record import Record, example
from app.questions.verdict import AnyAnswer, Count, ForcedCells, Window
from automata import cut
from minefield import Board, Puzzle
from solvers import Answer, Question, Task


class AskStrips(AskBoard):
    """A board and the window that cuts a strip out of it."""

    window: Cutting = Field(
        description="What to cut out: an object, or row,col,height,width in one string"
    )


class LoosenedClue(BaseModel):
    """A clue in the window that unknown cells outside may satisfy in part."""

    clue: Place
    number: int
    low: int = Field(description="Fewest mines that it leaves for its neighbours in the window")
    high: int = Field(description="Most mines that it leaves for them")


class BeyondClue(BaseModel):
    """How many mines are outside the window around a clue in it."""

    clue: Place
    cells: list[Place] = Field(description="The unknown cells outside that it sees")
    low: int = Field(description="Fewest mines among them")
    high: int = Field(description="Most mines among them")


class OutsideCells(BaseModel):
    """What the clues in the window say about unknown cells outside that they see."""

    mines: list[Place] = Field(description="Mines, however the window is completed")
    safe: list[Place] = Field(description="Safe, however the window is completed")
    clues: list[BeyondClue] = Field(description="For each clue that sees such cells, in order")


class StripsAnswer(AnyAnswer):
    """What the clues in a window say about the cells in it."""

    forced: ForcedCells | None
    window: Window
    loosened: list[LoosenedClue] | None = Field(
        description="Clues that unknown cells outside make intervals; known mines there count"
    )
    outside: OutsideCells | None = Field(
        description="What must hold outside; null where nothing fits, or it was not found in time"
    )
    witness: Rows | None = Field(
        description="A layout of the window: `B` mines, numbers on clues, `S` on other safe cells"
    )
    machines: list[str] = Field(
        description="Automata that read the window: POST /v1/automata/{name}/run shows how"
    )
    count: Count | None = Field(description="Layouts of the window that can be completed outside")
    probabilities: list[list[float | None]] | None = Field(
        description="The share of these layouts in which a cell is a mine; null for known cells"
    )


def _question(ask: AskStrips, board: Puzzle, limits: Limits, stream: bool) -> Question:
    return Question(Task.STRIPS, board, window=puzzles.window(ask.window, board))


def _window(question: Question, answer: Answer, draw: OnBoard) -> dict[str, Any]:
    assert question.window is not None, "a strip is cut out by a window"
    loosened = answer.loosened
    return {
        "window": asdict(question.window),
        "loosened": loosened
        and [
            {
                "clue": (clue.row, clue.col),
                "number": clue.number,
                "low": clue.low,
                "high": clue.high,
            }
            for clue in loosened
        ],
    }


def _outside(question: Question, answer: Answer, draw: OnBoard) -> dict[str, Any]:
    found = answer.outside
    return {
        "outside": found
        and {
            "mines": found.mines,
            "safe": found.safe,
            "clues": [
                {
                    "clue": (beyond.row, beyond.col),
                    "cells": beyond.cells,
                    "low": beyond.low,
                    "high": beyond.high,
                }
                for beyond in found.clues
            ],
        }
    }


def _machines(question: Question, answer: Answer, draw: OnBoard) -> dict[str, Any]:
    assert question.window is not None, "a strip is cut out by a window"
    assert isinstance(question.board, Board), "a window is cut out of a board"
    return {"machines": cut(question.board, question.window).machines}


STRIPS: Final = Record(
    name="strips",
    summary="What the clues in a window say about the cells in it",
    asked=AskStrips,
    answered=StripsAnswer,
    question=_question,
    parts=(
        _window,
        _outside,
        parts.witness,
        _machines,
        parts.count,
        parts.forced,
        parts.probabilities,
    ),
    batched=False,
    examples={
        "board": example(
            {"board": ["?2??", "??1?"], "window": {"row": 0, "col": 0, "height": 1, "width": 4}},
            "strip-2",
            window={"row": 0, "col": 0, "height": 1, "width": 4},
            loosened=[{"clue": [0, 1], "number": 2, "low": 0, "high": 2}],
            outside={
                "mines": [],
                "safe": [],
                "clues": [
                    {"clue": [0, 1], "cells": [[1, 0], [1, 1]], "low": 0, "high": 2},
                ],
            },
            witness=["S2SS"],
            machines=["strip-2", "strip-4"],
            count="8",
            forced={"mines": [], "safe": []},
            probabilities=[[0.5, None, 0.5, 0.5]],
        ),
    },
)
