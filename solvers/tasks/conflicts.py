"""All minimal sets of clues that contradict each other.

Tested in tests/solvers/reasons/test_conflicts.py.
"""

from dataclasses import KW_ONLY, dataclass
from typing import Annotated, ClassVar, Final

from minecheck.solvers.annotations import Flat, Ge, ValueKind, doc
from minecheck.solvers.answer import Answer
from minecheck.solvers.backend import Backend
from minecheck.solvers.composer import Composer
from minecheck.solvers.findings import Conflicts
from minecheck.solvers.question import BackendOption, QuestionWithTotal, Steps, check_limit
from minecheck.solvers.tasks.task import Stream, Task, make_example


def _find_conflicts(composer: "Composer[AllConflicts, ConflictsAnswer]") -> None:
    """Find all minimal conflicts, up to the limit."""
    from minecheck.solvers.reasons.conflicts import find_conflicts

    composer.list_sets(find_conflicts, "conflicts")


def _contradict_nothing(composer: "Composer[AllConflicts, ConflictsAnswer]") -> None:
    """Record that a consistent board has no conflicts."""
    composer.answer.conflicts = Conflicts([], more=False)


def _read_sets(answer: "ConflictsAnswer") -> Conflicts | None:
    return answer.conflicts


@dataclass(kw_only=True)
class ConflictsAnswer(Answer):
    """Minimal sets of clues that contradict each other."""

    json_fields: ClassVar = ("conflicts",)

    conflicts: Annotated[Conflicts | None, Flat()] = None


@dataclass(frozen=True)
class AllConflicts(QuestionWithTotal):
    """A board that may have several contradictions."""

    task: ClassVar = "conflicts"
    answer_type: ClassVar = ConflictsAnswer
    quick: ClassVar = True
    steps: ClassVar = Steps((_contradict_nothing,), inconsistent=(_find_conflicts,))
    unbounded: ClassVar = True
    engine: ClassVar = Backend.REASONS

    _: KW_ONLY
    backend: BackendOption = Backend.AUTO
    limit: Annotated[
        int,
        ValueKind.LIMIT,
        Ge(1),
        doc("How many conflicts to return at most; a stream without a limit returns all"),
    ] = 10

    def _check_options(self) -> None:
        check_limit(self.limit)


CONFLICTS: Final = Task(
    question=AllConflicts,
    summary="All minimal sets of clues that contradict each other",
    description="A set is minimal if no clue of it can be left out. The smallest sets come first.",
    stream=Stream(
        '{"clues":[[0,1],[2,0]],"total":false,"minimal":true,"smallest":true}\n'
        '{"clues":[[0,0],[2,0]],"total":false,"minimal":true,"smallest":true}\n'
        '{"complete":true,"consistent":false,"more":false}\n',
        "one conflict per line as it is found, the smallest first. The last line is an object with "
        "`complete`, `consistent` and `more`: whether there are, or may be, other conflicts",
        _read_sets,
    ),
    examples={
        "board": make_example(
            {"board": ["11?", "???", "3??"]},
            "propagation",
            "reasons",
            conflicts=[
                {"clues": [[0, 1], [2, 0]], "total": False, "minimal": True, "smallest": True},
                {"clues": [[0, 0], [2, 0]], "total": False, "minimal": True, "smallest": True},
            ],
            more=False,
            conflict={"clues": [[0, 0], [2, 0]], "total": False, "minimal": True, "smallest": True},
        ),
    },
)
