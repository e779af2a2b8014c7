"""Is any layout consistent with the board?

Tested in tests/solvers/test_router.py.
"""

from dataclasses import KW_ONLY, dataclass
from typing import Annotated, Any, ClassVar, Final, TypeAlias

from minecheck.minefield.certificates.document import Certificate
from minecheck.minefield.variant import Variant
from minecheck.solvers.annotations import JsonName, Only, Text, doc
from minecheck.solvers.answer import Answer
from minecheck.solvers.backend import Backend
from minecheck.solvers.composer import Composer
from minecheck.solvers.question import BackendOption, CertifiedOption, QuestionWithTotal, Steps
from minecheck.solvers.tasks.task import EXAMPLE_RULES, Task, make_example


def _is_certified(question: Any, answer: Any) -> bool:
    return bool(question.certificate)


#: The proofs of an answer.
Proofs: TypeAlias = Annotated[
    list[Certificate] | None,
    JsonName("certificate"),
    Only(_is_certified),
    Text(""),
    doc(
        "If asked for: the board with a layout, with clauses and their refutation, or with the "
        "tables of the count"
    ),
]


def certify_layout(composer: Composer[Any, Any]) -> None:
    """Prove the verdict by the layout."""
    from minecheck.solvers.reasons.proofs import certify_witness

    question, layout = composer.question, composer.answer.witness
    assert layout is not None, "certified once it is found"
    assert not isinstance(question.board, Variant), "as the question checks"
    composer.answer.certificates = [certify_witness(question.board, question.mines, layout)]


def certify_conflict(composer: Composer[Any, Any]) -> None:
    """Prove that the conflict's clues cannot hold together."""
    core = composer.core
    if core is not None:
        composer.answer.certificates = composer.run_in_time(
            lambda: [composer.explainer.certify_refutation(core)]
        )


@dataclass(kw_only=True)
class CheckAnswer(Answer):
    """The verdict on the consistency of the board."""

    json_fields: ClassVar = ("witness", "certificates")

    certificates: Proofs = None


@dataclass(frozen=True)
class Check(QuestionWithTotal):
    """A board whose verdict, forced cells or count may be proved."""

    task: ClassVar = "check"
    options_name: ClassVar = "certified"
    answer_type: ClassVar[type[Answer]] = CheckAnswer
    quick: ClassVar = True
    steps: ClassVar = Steps(certified=(certify_layout,), refuted=(certify_conflict,))
    at_once: ClassVar = True

    _: KW_ONLY
    backend: BackendOption = Backend.AUTO
    certificate: CertifiedOption = False


CHECK: Final = Task(
    question=Check,
    summary="Is any layout consistent with the board?",
    description="A consistent board comes with a layout, an inconsistent one with clues that "
    "contradict each other.",
    examples={
        "board": make_example({"board": ["?1??"], "mines": 1}, "positions", witness=["B100"]),
        "rules": make_example(
            {**EXAMPLE_RULES, "mines": 1},
            "search",
            witness=None,
            conflict={"clues": [1], "total": True, "minimal": True, "smallest": True},
            feasible_mines={"least": 2, "most": 4},
        ),
    },
)
