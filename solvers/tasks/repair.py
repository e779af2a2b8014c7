"""The fewest clues to change to make the board consistent.

Tested in tests/solvers/backends/test_variants.py.
"""

from dataclasses import KW_ONLY, dataclass
from typing import Annotated, ClassVar, Final

from minecheck.solvers.annotations import Flat, Ge, ValueKind, doc
from minecheck.solvers.answer import Answer
from minecheck.solvers.backend import Backend
from minecheck.solvers.composer import Composer
from minecheck.solvers.findings import Corrections
from minecheck.solvers.question import BackendOption, QuestionWithTotal, Steps, check_limit
from minecheck.solvers.tasks.task import Task, make_example


def _find_repairs(composer: "Composer[Repair, RepairAnswer]") -> None:
    """Find the fewest corrections that help."""
    from minecheck.solvers.reasons.repair import find_repairs

    composer.list_sets(find_repairs, "repairs")


def _leave_as_it_is(composer: "Composer[Repair, RepairAnswer]") -> None:
    """Record that a consistent board needs no corrections."""
    composer.answer.repairs = Corrections(0, [], possible=True, more=False)


@dataclass(kw_only=True)
class RepairAnswer(Answer):
    """The fewest clues to change to make the board consistent."""

    json_fields: ClassVar = ("repairs",)

    repairs: Annotated[Corrections | None, Flat()] = None


@dataclass(frozen=True)
class Repair(QuestionWithTotal):
    """A board to be repaired."""

    task: ClassVar = "repair"
    answer_type: ClassVar = RepairAnswer
    steps: ClassVar = Steps((_leave_as_it_is,), inconsistent=(_find_repairs,))
    unbounded: ClassVar = True
    engine: ClassVar = Backend.REASONS

    _: KW_ONLY
    backend: BackendOption = Backend.AUTO
    limit: Annotated[int, ValueKind.LIMIT, Ge(1), doc("How many repairs to return at most")] = 10

    def _check_options(self) -> None:
        check_limit(self.limit)


REPAIR: Final = Task(
    question=Repair,
    summary="The fewest clues to change to make the board consistent",
    description="Each repair changes as few clues as possible, and names their new numbers.",
    examples={
        "board": make_example(
            {"board": ["1?2"]},
            "automata",
            "reasons",
            automata=["kadlac"],
            changes=1,
            repairs=[[{"clue": [0, 2], "was": 2, "number": 1}]],
            more=False,
            repairable=True,
            conflict={"clues": [[0, 2]], "total": False, "minimal": True, "smallest": True},
        ),
    },
)
