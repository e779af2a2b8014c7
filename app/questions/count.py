"""How many layouts are there?"""

from typing import Any, Final

from pydantic import BaseModel, Field

from app.answers import parts, position_json
from app.limits import Limits
from app.questions.check import AskCertified
from app.questions.fields import DENSITY, Density
from app.questions.record import Record, example
from app.questions.verdict import AnyAnswer, Chance, Count
from minefield import Puzzle
from solvers import Question, Task


class AskCount(AskCertified):
    """A board whose layouts are counted."""

    density: Density = DENSITY
    fractions: bool = Field(
        default=False, description="Chances as exact strings such as 3/7 instead of numbers"
    )
    by_mines: bool = Field(
        default=False,
        description="Whether to tell layouts by total of mines where that takes long, too",
    )


class Approximate(BaseModel):
    """A count that is not exact: within a factor of 1 + epsilon, with probability 1 - delta."""

    count: Count
    epsilon: float
    delta: float


class Estimate(BaseModel):
    """Work that an exact count takes, known beforehand; null where it is beyond all bounds."""

    products: float | None = Field(description="Products of table entries to be summed")
    table: float | None = Field(description="Entries of the largest table")


class CountAnswer(AnyAnswer):
    """How many layouts there are."""

    count: Count | None
    by_mines: dict[str, Count] | None = Field(
        description="Layouts by total of mines; null where that takes long and was not asked for"
    )
    likelihood: Chance = Field(
        default=None,
        description="With a density: the chance that mines laid at random in the unknown cells fit",
    )
    certificate: dict[str, Any] | None = Field(
        default=None,
        description="If asked for: the board with the tables of the count, or null with a note",
    )
    approximate: Approximate | None = Field(
        default=None, description="An approximate count, if the exact one took too long"
    )
    estimate: Estimate | None = Field(
        default=None,
        description="What an exact count takes, if that is not little",
    )


def _question(ask: AskCount, board: Puzzle, limits: Limits, stream: bool) -> Question:
    return weighed(Task.COUNT, ask, board)


def weighed(task: Task, ask: AskCount, board: Puzzle) -> Question:
    """The question to the solvers, with all options of a count."""
    return Question(
        *(task, board, ask.mines, ask.density, ask.backend),
        fractions=ask.fractions,
        by_mines=ask.by_mines,
        certificate=ask.certificate,
    )


#: Rules whose layouts are weighed, in place of a board, and what is counted of them.
WEIGHED: Final = {
    "rules": [{"cells": ["a", "b"], "mines": 1}, {"cells": ["b", "c", "d"], "low": 2, "high": 3}],
    "total_cells": 5,
    "density": 0.2,
    "fractions": True,
}
WEIGHED_COUNT: Final[dict[str, Any]] = {
    "count": "8",
    "by_mines": {"2": "2", "3": "4", "4": "2"},
    "likelihood": "8/125",
    "estimate": {"products": 11.0, "table": 3.0},
}

COUNT: Final = Record(
    name="count",
    summary="How many layouts?",
    asked=AskCount,
    answered=CountAnswer,
    question=_question,
    parts=(parts.count, parts.by_mines, parts.certificate),
    at_once=position_json.COUNT,
    examples={
        "board": example(
            {"board": ["?1??"], "mines": 1}, "frontier", count="2", by_mines={"1": "2"}
        ),
        "rules": example(WEIGHED, "frontier", **WEIGHED_COUNT),
    },
)
