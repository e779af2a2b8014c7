"""The cells that are the same in every layout.

Tested in tests/solvers/test_router.py.
"""

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Final

from minecheck.solvers.annotations import Joined, doc
from minecheck.solvers.answer import Answer
from minecheck.solvers.composer import Composer
from minecheck.solvers.question import Steps
from minecheck.solvers.tasks.check import Check, Proofs, certify_conflict, certify_layout
from minecheck.solvers.tasks.task import EXAMPLE_RULES, Task, make_example


def _certify_forced(composer: Composer[Any, Any]) -> None:
    """Prove each forced cell, with a layout."""
    answer = composer.answer
    layout, forced = answer.witness, answer.forced
    if layout is not None and forced is not None:
        certify_layout(composer)
        proved = answer.certificates
        composer.run_in_time(
            lambda: proved.extend(composer.explainer.iterate_certificates(layout, forced))
        )


@dataclass(kw_only=True)
class ForcedAnswer(Answer):
    """The forced cells."""

    json_fields: ClassVar = ("forced", "others", "certificates")

    certificates: Annotated[
        Proofs, Joined(), doc("If asked for: the board with a proof for each forced cell")
    ] = None


@dataclass(frozen=True)
class ForcedCells(Check):
    """A board whose verdict, forced cells or count may be proved."""

    task: ClassVar = "forced"
    answer_type: ClassVar = ForcedAnswer
    steps: ClassVar = Steps(
        (Composer.find_forced,), (_certify_forced,), refuted=(certify_conflict,)
    )
    forced_by_count: ClassVar = True


FORCED: Final = Task(
    question=ForcedCells,
    summary="Which cells are forced?",
    description="A cell is forced if it is a mine, or safe, in every layout.",
    examples={
        "board": make_example(
            {"board": ["?1??"], "mines": 1}, "positions", forced={"mines": [], "safe": [[0, 3]]}
        ),
        "rules": make_example(
            {**EXAMPLE_RULES, "mines": 2},
            "search",
            forced={"mines": ["b"], "safe": ["a"]},
            others={"cells": 1, "probability": None, "forced": "safe"},
        ),
    },
)
