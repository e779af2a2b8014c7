"""The cells that are best to open next.

Tested in tests/solvers/play/test_moves.py.
"""

from dataclasses import KW_ONLY, dataclass, field
from typing import Annotated, ClassVar, Final

from minecheck.minefield.board import Board
from minecheck.solvers.annotations import Coordinates, Flat, Ge, ValueKind, doc
from minecheck.solvers.answer import ChancesAnswer
from minecheck.solvers.backend import Backend
from minecheck.solvers.backends.auto import Auto
from minecheck.solvers.composer import Composer
from minecheck.solvers.findings import RankedMoves as Found
from minecheck.solvers.question import (
    BackendOption,
    QuestionError,
    QuestionWithTotal,
    Steps,
    check_cell,
    check_limit,
)
from minecheck.solvers.tasks.task import Task, make_example


def _find_moves(composer: "Composer[Moves, MovesAnswer]") -> None:
    """Find the best moves, as far as chances are known; at least those that are proved."""
    # Loaded only for this question, as the explainer is for its own.
    from minecheck.solvers.play.moves import Adviser, list_proved_moves

    question, answer = composer.question, composer.answer
    forced, chances = answer.forced, answer.probabilities
    if chances is None:
        if forced is not None:
            answer.moves = list_proved_moves(question.board, forced.safe, question.limit)
        composer.leave_incomplete()
        return
    assert isinstance(composer.method, Auto), "`play` and `auto` are the only backends of moves"
    position, effort = composer.method.position, composer.effort.transitions
    adviser = Adviser(question.board, question.mines, chances, position, effort, composer.deadline)
    answer.moves = adviser.rank_moves(question.limit, question.cell)
    if not answer.moves.complete:
        composer.leave_incomplete()


def _open_nothing(composer: "Composer[Moves, MovesAnswer]") -> None:
    """Record that there is nothing to open on an inconsistent board."""
    composer.answer.moves = Found([], guesses=[], winnable=False)


@dataclass(kw_only=True)
class MovesAnswer(ChancesAnswer):
    """The moves, best first."""

    json_fields: ClassVar = ("moves",)

    moves: Annotated[Found | None, Flat()] = None


@dataclass(frozen=True)
class Moves(QuestionWithTotal):
    """A position of a game."""

    task: ClassVar = "moves"
    answer_type: ClassVar = MovesAnswer
    steps: ClassVar = Steps(
        (Composer.find_forced, Composer.compute_chances, _find_moves), nothing=(_open_nothing,)
    )
    engine: ClassVar = Backend.PLAY

    board: Board
    mines: Annotated[int, Ge(0), doc("Number of mines on the whole board, known ones included")] = (
        field()
    )
    _: KW_ONLY
    backend: BackendOption = Backend.AUTO
    limit: Annotated[int, ValueKind.LIMIT, Ge(1), doc("How many moves to return at most")] = 10
    cell: Annotated[
        Coordinates | None,
        ValueKind.CELL,
        doc(
            "A cell to tell of however bad it is, [row, col] or row,col in one string; it "
            "comes last if it is none of the best"
        ),
    ] = None

    def _check_options(self) -> None:
        check_limit(self.limit)
        check_cell(self.board, self.cell, "open", safe=True)
        if not isinstance(self.board, Board):
            raise QuestionError("board", "Only plane boards have moves.")


MOVES: Final = Task(
    question=Moves,
    summary="Which cell is best to open next, and what are the chances to win?",
    description="The total of mines is required. Each move comes with all its chances.",
    examples={
        "board": make_example(
            {"board": ["??2", "24?", "???"], "mines": 4, "limit": 1},
            "positions",
            "play",
            moves=[
                {
                    "cell": [2, 0],
                    "safe": False,
                    "mine": 1 / 3,
                    "numbers": [1 / 3, 1 / 3, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
                    "progress": 2 / 3,
                    "survival": 2 / 3,
                    "win": 2 / 3,
                    "dead": False,
                }
            ],
            win={"low": 2 / 3, "high": 2 / 3, "exact": True},
            guesses=[{"cells": [[0, 0], [2, 0], [2, 1]], "chance": 2 / 3}],
        ),
    },
)
