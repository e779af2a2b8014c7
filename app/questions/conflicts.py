"""Which sets of clues contradict each other, all of them?"""

from typing import Any, Final

from pydantic import Field

from app import problems
from app.answers import parts
from app.answers.cells import OnBoard
from app.limits import Limits
from app.questions.fields import AskReasoned
from app.questions.record import Found, Record, Stream, example
from app.questions.verdict import AnyAnswer, Clues
from minefield import Puzzle
from solvers import Answer, Question, Task
from solvers.answer import Conflicts


class AskConflicts(AskReasoned):
    """A board that may have several contradictions."""

    limit: int = Field(
        default=10,
        ge=1,
        description="How many conflicts are wanted at most; of a stream that does not say, all are",
    )


class ConflictsAnswer(AnyAnswer):
    """Minimal sets of clues that contradict each other."""

    conflicts: list[Clues] | None = Field(
        description="The sets, smallest first; of each, no clue can be dropped"
    )
    more: bool | None = Field(description="Whether there are, or may be, others")


def _question(ask: AskConflicts, board: Puzzle, limits: Limits, stream: bool) -> Question:
    if not stream:
        problems.at_most("limit", ask.limit, limits.max_layouts)
    return Question(Task.CONFLICTS, board, ask.mines, backend=ask.backend, limit=ask.limit)


def _conflicts(question: Question, answer: Answer, draw: OnBoard) -> dict[str, Any]:
    found = answer.conflicts
    return {
        "conflicts": found and [parts.clues(one, draw) for one in found.sets],
        "more": found and found.more,
    }


def _sets(answer: Answer) -> Conflicts | None:
    return answer.conflicts


CONFLICTS: Final = Record(
    name="conflicts",
    summary="All minimal sets of clues that contradict each other",
    asked=AskConflicts,
    answered=ConflictsAnswer,
    question=_question,
    parts=(_conflicts,),
    stream=Stream(
        '{"clues":[[0,1],[2,0]],"total":false,"minimal":true,"smallest":true}\n'
        '{"clues":[[0,0],[2,0]],"total":false,"minimal":true,"smallest":true}\n'
        '{"complete":true,"consistent":false,"more":false}\n',
        "one conflict per line as it is found, the smallest first. The last line is an object with "
        "`complete`, `consistent` and `more`: whether there are, or may be, other conflicts",
        Found(_sets, parts.clues),
    ),
    examples={
        "board": example(
            {"board": ["11?", "???", "3??"]},
            "propagation",
            conflicts=[
                {"clues": [[0, 1], [2, 0]], "total": False, "minimal": True, "smallest": True},
                {"clues": [[0, 0], [2, 0]], "total": False, "minimal": True, "smallest": True},
            ],
            more=False,
            conflict={"clues": [[0, 0], [2, 0]], "total": False, "minimal": True, "smallest": True},
        ),
    },
)
