"""The consequences of the clues in a window for its cells.

Tested in tests/solvers/test_router.py.
"""

from dataclasses import KW_ONLY, dataclass
from typing import Annotated, ClassVar, Final

from minecheck.automata import Loosened, Outside, Window, cut_window
from minecheck.minefield.board import Board
from minecheck.minefield.layout import Layout
from minecheck.solvers.annotations import Chances, Repeated, ValueKind, doc
from minecheck.solvers.answer import ChancesAnswer, CountedAnswer, Later
from minecheck.solvers.backend import Backend
from minecheck.solvers.composer import Composer
from minecheck.solvers.question import BackendOption, Question, QuestionError, Steps
from minecheck.solvers.tasks.task import Task, make_example


def _tell_loosened(composer: "Composer[Strips, StripsAnswer]") -> None:
    """Record the clues that cells outside loosen."""
    composer.answer.loosened = composer.method.loosened


def _find_outside(composer: "Composer[Strips, StripsAnswer]") -> None:
    """Find what must hold outside the window."""
    composer.answer.outside = composer.run_in_time(composer.method.find_outside)
    composer.report_progress()


@dataclass(kw_only=True)
class StripsAnswer(CountedAnswer, ChancesAnswer):
    """The consequences of the clues in a window for its cells.

    ``witness`` and ``probabilities`` have the shape of the window.
    """

    json_fields: ClassVar = (
        *("window", "loosened", "outside", "witness", "machines"),
        *("count", "forced", "probabilities"),
    )

    window: Annotated[Window | None, Repeated()] = None
    loosened: Annotated[
        list[Loosened] | None,
        doc("Clues that unknown cells outside make intervals; known mines there count"),
    ] = None
    outside: Annotated[
        Outside | None,
        doc("What must hold outside; null where nothing fits, or it was not found in time"),
    ] = None
    witness: Annotated[
        Later[Layout],
        doc("A layout of the window: `B` mines, numbers on clues, `S` on other safe cells"),
    ] = Later()
    machines: Annotated[
        list[str] | None,
        Repeated(),
        doc("Automata that read the window: POST /v1/automata/{name}/run shows how"),
    ] = None
    count: Annotated[
        int | None, ValueKind.COUNT, doc("Layouts of the window that can be completed outside")
    ] = None
    probabilities: Annotated[
        Chances | None,
        doc("The share of these layouts in which a cell is a mine; null for known cells"),
    ] = None


@dataclass(frozen=True)
class Strips(Question):
    """A board and the window that cuts a strip out of it."""

    task: ClassVar = "strips"
    answer_type: ClassVar = StripsAnswer
    steps: ClassVar = Steps(
        (Composer.find_forced, _find_outside, Composer.count_layouts, Composer.compute_chances),
        nothing=(Composer.count_nothing,),
        known=(_tell_loosened,),
    )

    board: Board
    _: KW_ONLY
    backend: BackendOption = Backend.AUTO
    window: Annotated[Window, doc("What to cut out: an object, or row,col,rows,cols in one string")]

    @property
    def cutout(self) -> Window:
        """The window that is cut out of the board."""
        return self.window

    @property
    def machines(self) -> list[str]:
        """The automata that read the window."""
        return cut_window(self.board, self.window).machines

    def _check_options(self) -> None:
        if not isinstance(self.board, Board):
            raise QuestionError("window", "Only plane boards have windows.")


STRIPS: Final = Task(
    question=Strips,
    summary="What the clues in a window say about the cells in it",
    description="All of it follows from the clues in the window alone, whatever is outside.",
    batched=False,
    examples={
        "board": make_example(
            {"board": ["?2??", "??1?"], "window": {"row": 0, "col": 0, "rows": 1, "cols": 4}},
            "automata",
            automata=["strip-2"],
            window={"row": 0, "col": 0, "height": 1, "width": 4},
            loosened=[{"clue": [0, 1], "number": 2, "low": 0, "high": 2}],
            outside={
                "mines": [],
                "safe": [],
                "clues": [
                    {"clue": [0, 1], "cells": [[1, 0], [1, 1]], "low": 0, "high": 2},
                ],
            },
            witness=["S2SS"],
            machines=["strip-2", "strip-4"],
            count="8",
            forced={"mines": [], "safe": []},
            probabilities=[[0.5, None, 0.5, 0.5]],
        ),
    },
)
