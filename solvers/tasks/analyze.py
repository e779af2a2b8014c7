"""Everything about a board at once, with the chance of a mine in each cell.

Tested in tests/solvers/test_router.py.
"""

from dataclasses import dataclass
from typing import ClassVar, Final

from minecheck.solvers.answer import ChancesAnswer
from minecheck.solvers.composer import Composer
from minecheck.solvers.question import Steps
from minecheck.solvers.tasks.check import Proofs
from minecheck.solvers.tasks.count import (
    WEIGHED,
    WEIGHED_COUNT,
    Count,
    CountAnswer,
    certify_count,
    count_nothing,
    find_by_mines,
    find_likelihood,
)
from minecheck.solvers.tasks.task import Task, make_example


@dataclass(kw_only=True)
class AnalyzeAnswer(CountAnswer, ChancesAnswer):
    """All of it."""

    json_fields: ClassVar = (
        "witness",
        *("count", "by_mines", "likelihood", "approximate", "estimate"),
        *("forced", "others", "probabilities", "safest", "certificates"),
    )

    certificates: Proofs = None


@dataclass(frozen=True)
class Analyze(Count):
    """A board to analyze."""

    task: ClassVar = "analyze"
    answer_type: ClassVar = AnalyzeAnswer
    quick: ClassVar = True
    steps: ClassVar = Steps(
        (
            Composer.find_forced,
            Composer.count_layouts,
            find_by_mines,
            find_likelihood,
            Composer.compute_chances,
        ),
        certified=(certify_count,),
        refuted=(certify_count,),
        nothing=(count_nothing,),
    )
    forced_by_count: ClassVar = True
    needs_layout: ClassVar = True


ANALYZE: Final = Task(
    question=Analyze,
    summary="All of these, and the chances",
    description="Verdict, count and forced cells, and how likely a mine is in each other unknown "
    "cell. What is not decided by the deadline is null.",
    examples={
        "board": make_example(
            {"board": ["?1??"], "mines": 1},
            "positions",
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
        "rules": make_example(
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
