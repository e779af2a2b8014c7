"""Why are cells forced, or why is the board inconsistent?"""

from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, Field, WithJsonSchema

from app.answers import parts
from app.answers.cells import OnBoard
from app.limits import Limits
from app.questions import puzzles
from app.questions.fields import CELL_SCHEMA, AskReasoned, Place
from app.questions.record import Record, example
from app.questions.verdict import AnyAnswer, AnyCell, Cell, Clues, Layout
from minefield import Puzzle
from solvers import Answer, Question, Task
from solvers.answer import Explanation as Explained
from solvers.answer import Statement


class AskExplain(AskReasoned):
    """A board to be explained."""

    cell: Annotated[Any, WithJsonSchema(CELL_SCHEMA)] = Field(
        default=None,
        description="The one unknown cell that is asked about, [row, col] or row,col in one "
        "string (rules: its name); by default all forced cells",
    )


class Step(BaseModel):
    """One step of a deduction: among the cells lie low to high mines."""

    rule: Literal[
        "clue",
        "total",
        "difference",
        "intersection",
        "union",
        "assume",
        "look-ahead",
        "search",
    ] = Field(description="Why it holds")
    cells: list[AnyCell]
    low: int
    high: int = Field(description="Below low in a contradiction")
    sources: list[int] = Field(description="Numbers, from 0, of the steps it follows from")
    under: list[int] = Field(description="Numbers of the suppositions it rests on")
    clue: Place | int | None = Field(description="The clue that says it")
    text: str = Field(description="The step in words; there, steps are counted from 1")


class Explanation(BaseModel):
    """Why cells are the same in every layout."""

    cells: list[AnyCell]
    value: Literal["mine", "safe"]
    difficulty: Literal["trivial", "subset", "bounds", "look-ahead", "global", "search"] | None = (
        Field(description="The easiest technique that finds it on the whole board")
    )
    reasons: Clues | None = Field(description="Clues that force each of the cells")
    steps: list[Step] | None = Field(
        description="From the reasons to the cells: the last step says what they are"
    )


class Either(BaseModel):
    """A cell that is not forced."""

    cell: Cell
    mine: Layout = Field(description="A layout in which it is a mine")
    safe: Layout = Field(description="A layout in which it is safe")


class ExplainAnswer(AnyAnswer):
    """Why cells are forced, or why the board is inconsistent."""

    explanations: list[Explanation] | None = Field(
        description="Of all forced cells, or of the one asked about; empty if it is not forced"
    )
    either: Either | None = Field(
        default=None, description="If the cell that was asked about is not forced"
    )
    steps: list[Step] | None = Field(
        default=None,
        description="On an inconsistent board: from the clues in conflict to a contradiction",
    )


def _question(ask: AskExplain, board: Puzzle, limits: Limits, stream: bool) -> Question:
    cell = None if ask.cell is None else puzzles.cell(ask.cell, board)
    return Question(Task.EXPLAIN, board, ask.mines, backend=ask.backend, cell=cell)


def _explained(question: Question, answer: Answer, draw: OnBoard) -> dict[str, Any]:
    either, explanations = answer.either, answer.explanations
    found: dict[str, Any] = {
        "explanations": explanations and [_explanation(one, draw) for one in explanations]
    }
    if either is not None:
        found["either"] = {
            "cell": draw.cells([either.cell])[0],
            "mine": draw.layout(either.mine),
            "safe": draw.layout(either.safe),
        }
    if answer.consistent is False:
        found["steps"] = _steps(answer.steps, draw)
    return found


def _explanation(one: Explained, draw: OnBoard) -> dict[str, Any]:
    return {
        "cells": draw.all_cells(one.cells),
        "value": "mine" if one.mine else "safe",
        "difficulty": one.difficulty,
        "reasons": parts.clues(one.reasons, draw),
        "steps": _steps(one.steps, draw),
    }


def _steps(steps: list[Statement] | None, draw: OnBoard) -> list[dict[str, Any]] | None:
    if steps is None:
        return None
    return [
        {
            "rule": step.rule,
            "cells": draw.all_cells(step.cells),
            "low": step.low,
            "high": step.high,
            "sources": step.sources,
            "under": step.under,
            "clue": step.clue and draw.clues([step.clue])[0],
            "text": step.text,
        }
        for step in steps
    ]


EXPLAIN: Final = Record(
    name="explain",
    summary="Why are cells forced, or why is the board inconsistent?",
    asked=AskExplain,
    answered=ExplainAnswer,
    question=_question,
    parts=(_explained,),
    examples={
        "board": example(
            {"board": ["?1??"], "mines": 1},
            "frontier",
            explanations=[
                {
                    "cells": [[0, 3]],
                    "value": "safe",
                    "difficulty": "global",
                    "reasons": {
                        "clues": [[0, 1]],
                        "total": True,
                        "minimal": True,
                        "smallest": True,
                    },
                    "steps": [
                        {
                            "rule": "total",
                            "cells": [[0, 0], [0, 2], [0, 3]],
                            "low": 1,
                            "high": 1,
                            "sources": [],
                            "under": [],
                            "clue": None,
                            "text": "There is 1 mine in all: (0, 0), (0, 2) and (0, 3) hold "
                            "exactly 1 mine.",
                        },
                        {
                            "rule": "clue",
                            "cells": [[0, 0], [0, 2]],
                            "low": 1,
                            "high": 1,
                            "sources": [],
                            "under": [],
                            "clue": [0, 1],
                            "text": "The 1 at row 0, column 1 touches 2 unknown cells, which hold "
                            "exactly 1 mine: (0, 0) and (0, 2).",
                        },
                        {
                            "rule": "difference",
                            "cells": [[0, 3]],
                            "low": 0,
                            "high": 0,
                            "sources": [0, 1],
                            "under": [],
                            "clue": None,
                            "text": "The 1 mine in step 1 is in step 2: row 0, column 3 is safe.",
                        },
                    ],
                }
            ],
        ),
    },
)
