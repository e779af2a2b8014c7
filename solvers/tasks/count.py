"""The number of layouts.

Tested in tests/solvers/test_router.py.
"""

from dataclasses import KW_ONLY, dataclass
from fractions import Fraction
from typing import Annotated, Any, ClassVar, Final

import numpy as np

from minecheck.minefield.certificates.document import Certificate
from minecheck.minefield.rules import Plain
from minecheck.minefield.variant import Variant
from minecheck.solvers.annotations import Chance, Only, Text, ValueKind, doc
from minecheck.solvers.answer import CountedAnswer, Later
from minecheck.solvers.backend import Backend
from minecheck.solvers.budget import Budget, TooWide
from minecheck.solvers.composer import Composer
from minecheck.solvers.findings import Approximation
from minecheck.solvers.question import (
    BackendOption,
    CertifiedOption,
    DensityOption,
    QuestionError,
    QuestionToCount,
    Steps,
    check_density,
)
from minecheck.solvers.tasks.check import Proofs
from minecheck.solvers.tasks.task import EXAMPLE_RULES, Task, make_example

#: Layouts by number of mines fill the page: one of 10,000 cells has 10,000 numbers of 3,000 digits.
_BY_MINES_CELLS: Final = 10_000


def find_by_mines(composer: "Composer[Any, CountAnswer]") -> None:
    """Record layouts by number of mines, or an estimate if they were not counted."""
    question, answer, method = composer.question, composer.answer, composer.method
    if answer.count is None:
        answer.approximate = composer.run_in_time(method.approximate)
        answer.note = method.note
    elif question.by_mines is None:
        answer.by_mines = method.by_mines
    elif question.by_mines or composer.run_in_time(lambda: method.soon_by_mines):
        by_mines = answer.by_mines = composer.run_in_time(method.by_mines)
        answer.complete &= by_mines is not None
    composer.report_progress()


def find_likelihood(composer: "Composer[Any, CountAnswer]") -> None:
    """Record the chance that random mines fit, for a question with a density."""
    density, answer = composer.question.density, composer.answer
    if density is None:
        return
    likelihood = composer.run_in_time(lambda: composer.method.compute_likelihood(density))
    if likelihood is not None:
        answer.likelihood = composer.run_in_time(lambda: composer.format_chance(likelihood))
    answer.complete &= answer.likelihood is not None


def certify_count(composer: "Composer[Any, CountAnswer]") -> None:
    """Prove the count by tables, if they are not too large."""
    answer, board = composer.answer, composer.question.board
    count = answer.count
    by_mines = composer.question.by_mines is not None and answer.by_mines is not None
    assert not isinstance(board, Variant), "as the question checks"
    if count is None:
        return
    certificate = composer.run_in_time(lambda: _certify_answer(composer, board, count, by_mines))
    if certificate is not None:
        answer.certificates = [certificate]
    else:
        answer.note = "the tables that certify the count are too large, or take too long"


def _certify_answer(
    composer: "Composer[Any, CountAnswer]", board: Plain, count: int, by_mines: bool
) -> Certificate:
    """Return the certificate of a count, or of the conflict where there is no layout."""
    from minecheck.solvers.reasons.tables import certify_count

    effort, core = composer.effort, composer.core
    budget = Budget(effort.transitions, composer.deadline)
    try:
        return certify_count(board, composer.question.mines, by_mines, count, budget)
    except TooWide:
        if count or core is None or not effort.unbounded:
            raise
        return composer.explainer.certify_refutation(core)


def count_nothing(composer: "Composer[Any, CountAnswer]") -> None:
    """Record that there are no layouts."""
    composer.count_nothing()
    if composer.question.density is not None:
        composer.answer.likelihood = Fraction(0) if composer.question.fractions else 0.0


@dataclass(kw_only=True)
class CountAnswer(CountedAnswer):
    """The number of layouts.

    ``by_mines`` are the layouts by number of mines, ascending, and may be made when they are read.
    ``approximate`` stands in for a count that took too long.
    """

    json_fields: ClassVar[tuple[str, ...]] = (
        *("count", "by_mines", "likelihood", "approximate", "estimate"),
        "certificates",
    )

    by_mines: Annotated[
        Later[dict[int, Annotated[int, ValueKind.NUMBER]]],
        doc("Layouts by total of mines; null where that takes long and was not asked for"),
        Text(""),
    ] = Later()
    likelihood: Annotated[
        Chance,
        Only(lambda question, answer: question.density is not None),
        doc("With a density: the chance that mines laid at random in the unknown cells fit"),
        Text("likelihood {}"),
    ] = None
    approximate: Annotated[
        Approximation | None,
        Only(lambda question, answer: answer.approximate is not None),
        doc("An approximate count, if the exact one took too long"),
        Text(""),
    ] = None
    certificates: Annotated[
        Proofs,
        doc("If asked for: the board with the tables of the count, or null with a note"),
    ] = None


@dataclass(frozen=True)
class Count(QuestionToCount):
    """A board whose layouts are counted."""

    task: ClassVar = "count"
    answer_type: ClassVar = CountAnswer
    quick: ClassVar = True
    steps: ClassVar = Steps(
        (Composer.count_layouts, find_by_mines, find_likelihood),
        certified=(certify_count,),
        refuted=(certify_count,),
        nothing=(count_nothing,),
    )
    at_once: ClassVar = True
    needs_layout: ClassVar = False

    _: KW_ONLY
    backend: BackendOption = Backend.AUTO
    certificate: CertifiedOption = False
    density: DensityOption | None = None
    fractions: Annotated[bool, doc("Chances as exact strings such as 3/7 instead of numbers")] = (
        False
    )
    by_mines: Annotated[
        bool | None, doc("Whether to count layouts by total of mines even where that takes long")
    ] = False

    def _check_options(self) -> None:
        check_density(self.density, self.mines)
        cells = _BY_MINES_CELLS
        if self.by_mines and self.mines is None and np.count_nonzero(self.board.unknown) > cells:
            raise QuestionError(
                "by_mines",
                f"Layouts are counted by number of mines on boards of up to {cells} unknown cells.",
            )
        if self.certificate and self.density is not None:
            raise QuestionError(
                "certificate",
                "There are no certificates for layouts weighted by a density.",
            )


#: The weighted layouts of rules without a board, and what is counted of them.
WEIGHED: Final = {
    **EXAMPLE_RULES,
    "density": 0.2,
    "fractions": True,
}
WEIGHED_COUNT: Final[dict[str, Any]] = {
    "count": "8",
    "by_mines": {"2": "2", "3": "4", "4": "2"},
    "likelihood": "8/125",
    "estimate": {"products": 11.0, "table": 3.0},
}


COUNT: Final = Task(
    question=Count,
    summary="How many layouts?",
    shared=True,
    description="Exact at any size, as decimal strings, in all and by number of mines.",
    examples={
        "board": make_example(
            {"board": ["?1??"], "mines": 1}, "positions", count="2", by_mines={"1": "2"}
        ),
        "rules": make_example(WEIGHED, "frontier", **WEIGHED_COUNT),
    },
)
