"""The fewest clues that keep a board's information.

Tested in tests/solvers/reasons/test_fewest_clues.py.
"""

from dataclasses import KW_ONLY, dataclass
from typing import Annotated, ClassVar, Final

import numpy as np

from minecheck.minefield.board import MINE, Board
from minecheck.minefield.layout import Layout
from minecheck.minefield.numerals import format_count
from minecheck.minefield.rules import Puzzle
from minecheck.solvers.annotations import Flat, Ge, OneOf, Repeated, Text, ValueKind, doc
from minecheck.solvers.answer import Answer
from minecheck.solvers.backend import Backend
from minecheck.solvers.composer import Composer
from minecheck.solvers.composition import Composition, Keep, Leave, Symmetry
from minecheck.solvers.effort import NeedsMoreEffort
from minecheck.solvers.findings import LEVELS, Composed
from minecheck.solvers.question import (
    BackendOption,
    QuestionError,
    QuestionWithTotal,
    Steps,
    check_layout,
)
from minecheck.solvers.tasks.task import Task, make_example

#: Larger boards are not composed: their clauses alone take minutes.
_MOST_CELLS: Final = 2_500


def _find_clues(composer: "Composer[Compose, ComposeAnswer]") -> None:
    """Find the fewest clues that keep what they have to, and the hidden ones that decide most."""
    from minecheck.solvers.reasons.fewest_clues import compose_clues

    if not composer.effort.unbounded:
        raise NeedsMoreEffort
    question, answer = composer.question, composer.answer
    forced, composition = answer.forced, question.composition
    if answer.consistent and (forced is None or not answer.complete):
        return

    def keep_composed(composed: Composed) -> None:
        answer.composed = composed
        composer.report_progress()

    revealing = question.reveals > 0 and answer.consistent
    until = composer.deadline.take_share(0.5) if revealing else composer.deadline
    composed = compose_clues(
        question.board, question.mines, composition, forced, until, keep_composed
    )
    keep_composed(composed)
    answer.complete &= composed.enough is False or composed.optimal
    if revealing:
        _find_reveals(composer, composed)


def _find_reveals(composer: "Composer[Compose, ComposeAnswer]", composed: Composed) -> None:
    """Find the hidden clues of the board that decide most."""
    from minecheck.solvers.reasons.reveals import Reveals

    question, answer = composer.question, composer.answer
    assert answer.forced is not None, "forced cells are found before"
    reveals = Reveals(
        question.board, question.mines, answer.forced, composer.deadline, composer.effort
    )
    composed.reveals = reveals.find_best(question.reveals, question.layout)
    answer.complete &= reveals.complete


@dataclass(kw_only=True)
class ComposeAnswer(Answer):
    """The fewest clues that keep a board's information."""

    json_fields: ClassVar = ("keep", "composed")

    keep: Annotated[Keep | None, Repeated(), Text(""), doc("What the clues have to keep")] = None
    composed: Annotated[Composed | None, Flat()] = None


@dataclass(frozen=True)
class Compose(QuestionWithTotal):
    """A board of which some clues are to stay."""

    task: ClassVar = "compose"
    answer_type: ClassVar = ComposeAnswer
    steps: ClassVar = Steps((Composer.find_forced, _find_clues), inconsistent=(_find_clues,))
    unbounded: ClassVar = True
    engine: ClassVar = Backend.REASONS

    board: Board
    mines: Annotated[
        int | None,
        Ge(0),
        doc("Exact number of mines on the whole board, if those who solve it know it"),
    ] = None
    _: KW_ONLY
    backend: BackendOption = Backend.AUTO
    keep: Annotated[
        Keep | None,
        doc(
            "What the clues have to keep. Of a layout, a board that shows every cell: that "
            "no other fits (layout), or that it can be solved without guesses (solvable). Of any "
            "board: the verdict, and all that is known of its cells (forced). By default layout "
            "for a layout, forced for other boards"
        ),
    ] = None
    difficulty: Annotated[
        str | None,
        OneOf(tuple(LEVELS)),
        doc("With solvable: the hardest steps that it may need; by default bounds"),
    ] = None
    symmetry: Annotated[
        Symmetry, doc("What the cells of the clues that are kept have to be symmetric under")
    ] = Symmetry.NONE
    leave: Annotated[
        Leave,
        doc("What is left of the other clues: unknown cells, or safe ones without numbers"),
    ] = Leave.UNKNOWN
    reveals: Annotated[
        int,
        ValueKind.LIMIT,
        Ge(0),
        doc("How many hidden clues of the board to return at most: those that would decide most"),
    ] = 0
    layout: Annotated[
        Layout | None,
        doc("With reveals: the layout whose clues are hidden; by default all layouts count"),
    ] = None

    def __post_init__(self) -> None:
        if self.keep is None:
            object.__setattr__(self, "keep", _choose_default_keep(self.board, self.mines))
        super().__post_init__()

    @property
    def composition(self) -> Composition:
        """The way in which clues are chosen."""
        assert self.keep is not None, "it is chosen where it is not given"
        return Composition(
            self.keep, self.difficulty, self.symmetry, self.leave, self.reveals, self.layout
        )

    def _check_options(self) -> None:
        board = self.board
        if not isinstance(board, Board):
            raise QuestionError("board", "Clues can be chosen on plane boards only.")
        if self.cells > _MOST_CELLS:
            raise QuestionError("board", f"The board has more than {_MOST_CELLS} cells.")
        if self.symmetry is Symmetry.QUARTER_TURN and board.height != board.width:
            raise QuestionError("symmetry", "Only squares are the same after a quarter turn.")
        if self.difficulty is not None and self.keep is not Keep.SOLVABLE:
            raise QuestionError("difficulty", "A difficulty only applies if keep is solvable.")
        if self.difficulty == "global" and self.mines is None:
            raise QuestionError("mines", "Steps of the difficulty global need the total.")
        if self.layout is not None and self.reveals == 0:
            raise QuestionError("layout", "A layout is only used to choose reveals.")
        if self.layout is not None:
            check_layout(self, self.layout)
        if self.keep is not Keep.FORCED:
            self._check_full()

    def _check_full(self) -> None:
        board = self.board
        for row, col in np.argwhere(board.unknown)[:1].tolist():
            raise QuestionError(
                "board",
                f"With keep {self.keep}, every cell has to show a mine or a number. The cell at "
                f"row {row}, column {col} does not.",
                (row, col),
            )
        layout = Layout(board.cells == MINE)
        for row, col in layout.list_contradictions(board)[:1]:
            around = int(layout.count_neighbours()[row, col])
            raise QuestionError(
                "board",
                f"Around row {row}, column {col} the board shows {format_count(around, 'mine')}, "
                f"not {board.cells[row, col]}.",
                (row, col),
            )
        if self.mines not in (None, layout.total):
            raise QuestionError(
                "mines", f"The board shows {format_count(layout.total, 'mine')}, not {self.mines}."
            )


def _choose_default_keep(board: Puzzle, mines: int | None) -> Keep:
    """Return what is kept where nothing is said of it."""
    if isinstance(board, Board) and not board.unknown.any():
        return Keep.LAYOUT if Layout(board.cells == MINE).fits_board(board, mines) else Keep.FORCED
    return Keep.FORCED


COMPOSE: Final = Task(
    question=Compose,
    summary="The fewest clues that keep what a board tells, and what best to reveal",
    description="Clues are chosen so that what the board tells is kept: a single layout, the same "
    "forced cells, or that it can be solved at a grade.",
    examples={
        "board": make_example(
            {"board": ["1B10", "1121", "001B"], "mines": 2},
            "positions",
            "reasons",
            keep="layout",
            clues=10,
            enough=True,
            size=3,
            lower_bound=3,
            optimal=True,
            board=["??10", "?1??", "????"],
            kept=[[0, 2], [0, 3], [1, 1]],
            removed=[[0, 0], [1, 0], [1, 2], [1, 3], [2, 0], [2, 1], [2, 2]],
            redundant=[
                [0, 0],
                [0, 2],
                [0, 3],
                [1, 0],
                [1, 1],
                [1, 2],
                [1, 3],
                [2, 0],
                [2, 1],
                [2, 2],
            ],
            reveals=None,
        ),
    },
)
