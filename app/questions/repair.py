"""What are the fewest clues to change to make the board consistent?"""

from typing import Any, Final

from pydantic import BaseModel, Field

from app import problems
from app.answers.cells import OnBoard
from app.limits import Limits
from app.questions.fields import AskReasoned, Place
from app.questions.record import Record, example
from app.questions.verdict import AnyAnswer
from minefield import Puzzle
from solvers import Answer, Question, Task


class AskRepair(AskReasoned):
    """A board to be repaired."""

    limit: int = Field(default=10, ge=1, description="How many repairs are wanted at most")


class Change(BaseModel):
    """A clue with another number."""

    clue: Place | int
    was: int | None = Field(description="Its number now; null for rules")
    number: int = Field(description="The number it would have; for rules: exactly so many mines")


class RepairAnswer(AnyAnswer):
    """The fewest clues to change to make the board consistent."""

    changes: int | None = Field(
        description="How many clues each repair changes; null where that is not known, or where "
        "changing clues does not help"
    )
    repairs: list[list[Change]] | None = Field(description="The repairs with that many changes")
    more: bool | None = Field(description="Whether there are, or may be, others as small")
    repairable: bool | None = Field(
        description="False where known cells and the total of mines contradict each other"
    )


def _question(ask: AskRepair, board: Puzzle, limits: Limits, stream: bool) -> Question:
    problems.at_most("limit", ask.limit, limits.max_layouts)
    return Question(Task.REPAIR, board, ask.mines, backend=ask.backend, limit=ask.limit)


def _repairs(question: Question, answer: Answer, draw: OnBoard) -> dict[str, Any]:
    found = answer.repairs
    return {
        "changes": found and found.changes,
        "repairs": found
        and [
            [
                {
                    "clue": draw.clues([change.clue])[0],
                    "was": change.was,
                    "number": change.number,
                }
                for change in repair
            ]
            for repair in found.sets
        ],
        "more": found and found.more,
        "repairable": found and found.possible,
    }


REPAIR: Final = Record(
    name="repair",
    summary="The fewest clues to change to make the board consistent",
    asked=AskRepair,
    answered=RepairAnswer,
    question=_question,
    parts=(_repairs,),
    examples={
        "board": example(
            {"board": ["1?2"]},
            "kadlac",
            changes=1,
            repairs=[[{"clue": [0, 2], "was": 2, "number": 1}]],
            more=False,
            repairable=True,
            conflict={"clues": [[0, 2]], "total": False, "minimal": True, "smallest": True},
        ),
    },
)
