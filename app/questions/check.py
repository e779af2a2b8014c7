"""Is any layout consistent with the board?"""

from typing import Any, Final

from pydantic import Field

from app.answers import parts, position_json
from app.limits import Limits
from app.questions.fields import Ask
from app.questions.record import Record, example
from app.questions.verdict import AnyAnswer, Layout
from minefield import Puzzle
from solvers import Question, Task


class AskCertified(Ask):
    """A board whose verdict, forced cells or count may be proved."""

    certificate: bool = Field(
        default=False,
        description="Whether to give a certificate: a layout, proofs, or tables of the count, "
        "for `minecheck verify`",
    )


class CheckAnswer(AnyAnswer):
    """Whether the board is consistent."""

    witness: Layout | None = Field(
        description="A layout: numbers on safe cells (`S` above 8), `B` on mines; for rules: the "
        "names of its mines, and the places of mines among the others; where cells hold several "
        "mines, or clues lie: its rows, the mines of each cell, and the clues that are wrong",
        examples=[["11", "1B"]],
    )
    certificate: dict[str, Any] | None = Field(
        default=None,
        description="If asked for: the board with a layout, with clauses and their refutation, or "
        "with the tables of the count",
    )


def _question(ask: AskCertified, board: Puzzle, limits: Limits, stream: bool) -> Question:
    return Question(Task.CHECK, board, ask.mines, backend=ask.backend, certificate=ask.certificate)


CHECK: Final = Record(
    name="check",
    summary="Is any layout consistent with the board?",
    asked=AskCertified,
    answered=CheckAnswer,
    question=_question,
    parts=(parts.witness, parts.certificate),
    at_once=position_json.WITNESS,
    examples={
        "board": example({"board": ["?1??"], "mines": 1}, "frontier", witness=["B100"]),
        "rules": example(
            {
                "rules": [
                    {"cells": ["a", "b"], "mines": 1},
                    {"cells": ["b", "c", "d"], "low": 2, "high": 3},
                ],
                "total_cells": 5,
                "mines": 1,
            },
            "search",
            witness=None,
            conflict={"clues": [1], "total": True, "minimal": True, "smallest": True},
            feasible_mines={"least": 2, "most": 4},
        ),
    },
)
