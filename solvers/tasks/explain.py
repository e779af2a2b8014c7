"""Why are cells forced, or why is the board inconsistent?

Tested in tests/solvers/reasons/test_explain.py.
"""

from dataclasses import KW_ONLY, dataclass
from typing import Annotated, ClassVar, Final

from minecheck.minefield.layout import Layout
from minecheck.solvers.annotations import Coordinates, Only, ValueKind, doc
from minecheck.solvers.answer import Answer
from minecheck.solvers.backend import Backend
from minecheck.solvers.backends.auto import Auto
from minecheck.solvers.composer import Composer
from minecheck.solvers.findings import Either, Explanation, Statement, WalkStep
from minecheck.solvers.question import BackendOption, QuestionWithTotal, Steps, check_cell
from minecheck.solvers.tasks.task import Task, make_example


def _explain_cells(composer: "Composer[Explain, ExplainAnswer]") -> None:
    """Explain why cells are forced, or show that the requested one is not."""
    answer, cell = composer.answer, composer.question.cell
    forced, layout = answer.forced, answer.witness
    if forced is None or layout is None:
        return

    def store_explanations(explanations: list[Explanation]) -> None:
        answer.explanations = explanations
        composer.report_progress()

    if cell is not None and cell not in forced.mines and cell not in forced.safe:
        answer.explanations = []
        if answer.complete:
            answer.either = composer.run_in_time(lambda: _find_either(composer, cell, layout))
        return
    explainer = composer.explainer
    explanations = explainer.explain_forced(
        layout, forced, cell, store_explanations, composer.progress.cases
    )
    store_explanations(explanations)
    if explainer.too_long:
        answer.note = "too many steps to show: ask for one cell"
    answer.complete &= explainer.cores.complete
    answer.complete &= all(
        explanation.reasons is not None
        and explanation.reasons.minimal
        and explanation.steps is not None
        for explanation in explanations
    )
    if composer.question.walk:
        answer.walk, whole = explainer.walk_through(explanations)
        if not whole:
            composer.leave_incomplete()


def _find_either(
    composer: "Composer[Explain, ExplainAnswer]", cell: Coordinates, layout: Layout
) -> Either:
    """Return a layout in which the cell is a mine and one in which it is safe."""
    question = composer.question
    held = bool(layout.mines[cell])
    supposed = QuestionWithTotal(question.board.with_assumption(cell, not held), question.mines)
    layout_of_supposed = Auto(supposed, composer.deadline, composer.effort).find_witness()
    assert layout_of_supposed is not None, "the cell is not forced"
    return (
        Either(cell, layout, layout_of_supposed)
        if held
        else Either(cell, layout_of_supposed, layout)
    )


def _derive_refutation(composer: "Composer[Explain, ExplainAnswer]") -> None:
    """Find the steps that lead from the conflict's clues to a contradiction."""
    core = composer.core
    if core is not None:
        composer.answer.steps = composer.run_in_time(
            lambda: composer.explainer.derive_refutation(core)
        )


@dataclass(kw_only=True)
class ExplainAnswer(Answer):
    """Why cells are forced, or why the board is inconsistent."""

    json_fields: ClassVar = ("explanations", "walk", "either", "steps")

    explanations: Annotated[
        list[Explanation] | None,
        doc("Of all forced cells, or of the one asked about; empty if it is not forced"),
    ] = None
    walk: Annotated[
        list[WalkStep] | None,
        Only(lambda question, answer: question.walk and answer.consistent is not False),
        doc("The forced cells again in one order, each in one step, with the fewest clues first"),
    ] = None
    either: Annotated[
        Either | None,
        Only(lambda question, answer: answer.either is not None),
        doc("If the cell that was asked about is not forced"),
    ] = None
    steps: Annotated[
        list[Statement] | None,
        Only(lambda question, answer: answer.consistent is False),
        doc("On an inconsistent board: from the clues in conflict to a contradiction"),
    ] = None


@dataclass(frozen=True)
class Explain(QuestionWithTotal):
    """A board to be explained."""

    task: ClassVar = "explain"
    answer_type: ClassVar = ExplainAnswer
    steps: ClassVar = Steps(
        (Composer.find_forced, _explain_cells), inconsistent=(_derive_refutation,)
    )
    patient: ClassVar = True
    engine: ClassVar = Backend.REASONS

    _: KW_ONLY
    backend: BackendOption = Backend.AUTO
    cell: Annotated[
        Coordinates | None,
        ValueKind.CELL,
        doc(
            "The one unknown cell that is asked about, [row, col] or row,col in one "
            "string (rules: its name); by default all forced cells"
        ),
    ] = None

    walk: Annotated[
        bool, doc("Whether to add one walk through the position: each cell in one step")
    ] = False

    def _check_options(self) -> None:
        check_cell(self.board, self.cell, "explain")


EXPLAIN: Final = Task(
    question=Explain,
    summary="Why are cells forced, or why is the board inconsistent?",
    description="Each step of the explanation follows from clues and earlier steps that it names.",
    examples={
        "board": make_example(
            {"board": ["?1??"], "mines": 1},
            "positions",
            "reasons",
            explanations=[
                {
                    "cells": [[0, 3]],
                    "value": "safe",
                    "difficulty": "global",
                    "reasons": {
                        "clues": [[0, 1]],
                        "total": True,
                        "minimal": True,
                        "smallest": True,
                    },
                    "steps": [
                        {
                            "rule": "total",
                            "cells": [[0, 0], [0, 2], [0, 3]],
                            "low": 1,
                            "high": 1,
                            "sources": [],
                            "under": [],
                            "clue": None,
                            "text": "There is 1 mine in all: (0, 0), (0, 2) and (0, 3) hold "
                            "exactly 1 mine.",
                        },
                        {
                            "rule": "clue",
                            "cells": [[0, 0], [0, 2]],
                            "low": 1,
                            "high": 1,
                            "sources": [],
                            "under": [],
                            "clue": [0, 1],
                            "text": "The 1 at row 0, column 1 touches 2 unknown cells, which hold "
                            "exactly 1 mine: (0, 0) and (0, 2).",
                        },
                        {
                            "rule": "difference",
                            "cells": [[0, 3]],
                            "low": 0,
                            "high": 0,
                            "sources": [0, 1],
                            "under": [],
                            "clue": None,
                            "text": "The 1 mine in step 1 is in step 2: row 0, column 3 is safe.",
                        },
                    ],
                }
            ],
        ),
    },
)
