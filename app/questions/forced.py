"""Which cells are the same in every layout?"""

from typing import Any, Final

from pydantic import Field

from app.answers import parts, position_json
from app.limits import Limits
from app.questions.check import AskCertified
from app.questions.record import Record, example
from app.questions.verdict import AnyAnswer, ForcedCells, Others
from minefield import Puzzle
from solvers import Question, Task


class ForcedAnswer(AnyAnswer):
    """Which cells are forced."""

    forced: ForcedCells | None
    others: Others | None = Field(
        default=None, description="For rules with cells that none of them names"
    )
    certificate: dict[str, Any] | None = Field(
        default=None, description="If asked for: the board with a proof for each forced cell"
    )


def _question(ask: AskCertified, board: Puzzle, limits: Limits, stream: bool) -> Question:
    return Question(Task.FORCED, board, ask.mines, backend=ask.backend, certificate=ask.certificate)


FORCED: Final = Record(
    name="forced",
    summary="Which cells are forced?",
    asked=AskCertified,
    answered=ForcedAnswer,
    question=_question,
    parts=(parts.forced, parts.others, parts.certificate),
    at_once=position_json.FORCED,
    examples={
        "board": example(
            {"board": ["?1??"], "mines": 1}, "frontier", forced={"mines": [], "safe": [[0, 3]]}
        ),
        "rules": example(
            {
                "rules": [
                    {"cells": ["a", "b"], "mines": 1},
                    {"cells": ["b", "c", "d"], "low": 2, "high": 3},
                ],
                "total_cells": 5,
                "mines": 2,
            },
            "search",
            forced={"mines": ["b"], "safe": ["a"]},
            others={"cells": 1, "probability": None, "forced": "safe"},
        ),
    },
)
