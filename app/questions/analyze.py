"""Everything about a board at once, with the chance of a mine in each cell."""

from typing import Final

from pydantic import BaseModel, Field

from app.answers import parts, position_json
from app.limits import Limits
from app.questions.check import CheckAnswer
from app.questions.count import WEIGHED, WEIGHED_COUNT, AskCount, CountAnswer, weighed
from app.questions.forced import ForcedAnswer
from app.questions.record import Record, example
from app.questions.verdict import Cell, Chance
from minefield import Puzzle
from solvers import Question, Task


class AskAnalyze(AskCount):
    """A board to analyze."""


class SafeCell(BaseModel):
    """A cell and the chance of a mine in it."""

    cell: Cell
    probability: Chance


class AnalyzeAnswer(CheckAnswer, CountAnswer, ForcedAnswer):
    """All of it."""

    probabilities: list[list[Chance]] | dict[str, Chance] | None = Field(
        description="Chance of a mine, or by name for rules; null for known cells, and as a "
        "whole from sat, cpsat and exhaustive. The nearest doubles to the exact ratios"
    )
    safest: list[SafeCell] | None = Field(
        description="The ten unknown cells with the smallest chances, equal ones in reading "
        "order; for rules named cells only; null from sat, cpsat, exhaustive"
    )


def _question(ask: AskAnalyze, board: Puzzle, limits: Limits, stream: bool) -> Question:
    return weighed(Task.ANALYZE, ask, board)


ANALYZE: Final = Record(
    name="analyze",
    summary="All of these, and the chances",
    asked=AskAnalyze,
    answered=AnalyzeAnswer,
    question=_question,
    parts=(
        parts.witness,
        parts.count,
        parts.by_mines,
        parts.forced,
        parts.others,
        parts.probabilities,
        parts.safest,
        parts.certificate,
    ),
    at_once=position_json.EVERYTHING,
    examples={
        "board": example(
            {"board": ["?1??"], "mines": 1},
            "frontier",
            witness=["B100"],
            count="2",
            by_mines={"1": "2"},
            forced={"mines": [], "safe": [[0, 3]]},
            probabilities=[[0.5, None, 0.5, 0.0]],
            safest=[
                {"cell": [0, 3], "probability": 0.0},
                {"cell": [0, 0], "probability": 0.5},
                {"cell": [0, 2], "probability": 0.5},
            ],
        ),
        "rules": example(
            WEIGHED,
            "frontier",
            witness={"mines": ["a", "c", "d"], "others": []},
            **WEIGHED_COUNT,
            forced={"mines": [], "safe": []},
            others={"cells": 1, "probability": "1/5", "forced": None},
            probabilities={"a": "1/10", "b": "9/10", "c": "3/5", "d": "3/5"},
            safest=[
                {"cell": "a", "probability": "1/10"},
                {"cell": "c", "probability": "3/5"},
                {"cell": "d", "probability": "3/5"},
                {"cell": "b", "probability": "9/10"},
            ],
        ),
    },
)
