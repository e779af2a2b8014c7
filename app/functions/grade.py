"""The operation grade: how hard a game is, and where it needs its first guess."""

from time import monotonic
from typing import TYPE_CHECKING, Annotated, Any, Final, NamedTuple, TypeAlias

import orjson
from pydantic import BaseModel, Field, WithJsonSchema

from minecheck.app import problems
from minecheck.app.functions.fewest_clicks import (
    AskFewestClicks,
    FewestClicksField,
    answer_fewest_clicks,
)
from minecheck.app.limits import Limits
from minecheck.app.operation import FunctionOperation
from minecheck.app.questions.fields import (
    AskCell,
    DeadlineMs,
    JsonCell,
    LayoutRows,
    RequestFields,
    Rows,
)
from minecheck.app.questions.responses import build_model
from minecheck.app.questions.verdict import Solver
from minecheck.app.requests import maps
from minecheck.minefield import draw
from minecheck.minefield.formats import AUTO, FORMATS, Opened
from minecheck.minefield.game import Game
from minecheck.solvers import Backend, Deadline
from minecheck.solvers.documents import render
from minecheck.solvers.documents.cells import OnBoard
from minecheck.solvers.documents.writing import make_fields_writer
from minecheck.solvers.findings import Guess, Move, Win
from minecheck.solvers.games.grade import Grade, grade_game
from minecheck.solvers.reasons.deduction import LEVELS
from minecheck.solvers.tasks.moves import MovesAnswer
from minecheck.solvers.tasks.task import Example

_NAME: Final = Backend.REASONS.value
#: The number of moves that are listed where the game gets stuck.
MOST_MOVES: Final = 5


class AskGrade(RequestFields):
    """A map and the first click."""

    layout: LayoutRows = Field(
        default=None,
        description="Where all the mines are: B for mines, and on safe cells their number or S",
    )
    file: Annotated[str | bytes | None, WithJsonSchema({"type": "string", "minLength": 1})] = Field(
        default=None,
        description="Instead of a layout: a file, link or game ID in any format that is read, or "
        "rows as text",
    )
    format: Annotated[str, WithJsonSchema({"type": "string", "enum": [AUTO, *FORMATS]})] = Field(
        default=AUTO, description="The format of the file; auto recognises all but mbf, abf and hex"
    )
    first: AskCell | None = Field(
        default=None,
        description="The first click, [row, col] from 0 or row,col in one string; needed unless "
        "the file has it",
    )
    fewest_clicks: AskFewestClicks = False
    deadline_ms: DeadlineMs = None


if TYPE_CHECKING:
    _Move: TypeAlias = Any
    _Win: TypeAlias = Any
    _Guess: TypeAlias = Any
else:
    _Move, _Win, _Guess = build_model(Move), build_model(Win), build_model(Guess)


class StuckShown(BaseModel):
    """The position where nothing more is proved safe, and what is known of it."""

    board: Rows = Field(description="What is shown then; `?` elsewhere")
    moves: list[_Move] | None = Field(description="The best moves, best first")
    win: _Win | None = Field(description="The chance to get through with best play")
    guesses: list[_Guess] | None = Field(description="Guesses that cannot be avoided")


class GradeAnswer(BaseModel):
    """The difficulty of a game; null where the time did not suffice."""

    guess_free: bool | None = Field(description="Whether it can be won without a guess")
    difficulty: str | None = Field(
        description="The hardest step taken, easy ones first: up to the first guess, or as far as "
        "the time was enough"
    )
    steps: dict[str, int] | None = Field(
        description="Clicks after the first one by the easiest step that proves them safe; a click "
        "shows a number, or an opening"
    )
    stuck: StuckShown | None = Field(description="Where the first guess is needed, if there is one")
    openings: int | None
    bbbv: int | None = Field(alias="3bv", description="Clicks that open all safe cells")
    fewest_clicks: FewestClicksField
    mines: int
    first: JsonCell
    layout: Rows = Field(description="Numbers on safe cells, `B` on mines")
    solver: Solver


class GradeInput(NamedTuple):
    """A game, and whether the answer has its fewest clicks."""

    game: Game
    fewest_clicks: bool


def _answer_grade(request: GradeInput, deadline: Deadline) -> bytes:
    started = monotonic()
    game = request.game
    grade = grade_game(game, MOST_MOVES, deadline)
    fewest, is_cut_short = answer_fewest_clicks(request.fewest_clicks, game.layout, deadline)
    is_complete = grade.complete and not is_cut_short
    return _render_answer(game, grade, fewest, is_complete, monotonic() - started)


def _partial_answer(request: GradeInput, elapsed: float) -> bytes:
    return _render_answer(request.game, None, None, False, elapsed)


def _render_answer(
    game: Game,
    grade: Grade | None,
    fewest: dict[str, Any] | None,
    is_complete: bool,
    elapsed: float,
) -> bytes:
    """Return the grade as JSON."""
    return orjson.dumps(
        {
            "guess_free": grade and grade.guess_free,
            "difficulty": grade and grade.difficulty.label,
            "steps": grade and {name: grade.steps[level] for name, level in LEVELS.items()},
            "stuck": grade and _render_stuck(grade),
            "openings": grade and grade.openings,
            "3bv": grade and grade.clicks,
            "fewest_clicks": fewest,
            "mines": game.layout.total,
            "first": game.first,
            "layout": game.layout.rows(),
            "solver": render.describe_solver(_NAME, is_complete, elapsed),
        }
    )


def _render_stuck(grade: Grade) -> dict[str, Any] | None:
    if grade.stuck is None:
        return None
    fields: dict[str, Any] = {"board": draw(grade.stuck.board)}
    make_fields_writer(MovesAnswer)(None, grade.stuck.answer, OnBoard(), fields)
    return fields


def _make_input(ask: AskGrade, limits: Limits) -> GradeInput:
    """Return the game of a request.

    Raises:
        ProblemError: there is none.
    """
    opened = _read_game_file(ask, limits.max_cells)
    assert opened.layout is not None, "maps have one"
    first = opened.first if ask.first is None else (ask.first[0], ask.first[1])
    if first is None:
        problems.reject_field(
            "missing-field",
            "The field first is missing: the map does not tell where the game begins.",
            'Add the first click, such as "first": "1,0", row and column from 0.',
            "/first",
        )
    problems.require_on_board("first", "The first click", first, opened.layout.mines.shape)
    if opened.layout.mines[first]:
        problems.reject_field(
            "first-on-a-mine",
            f"There is a mine at the first click, row {first[0]}, column {first[1]}.",
            "Give a safe cell: this click would end the game.",
            "/first",
        )
    return GradeInput(Game(opened.layout, first), ask.fewest_clicks)


def _read_game_file(ask: AskGrade, most: int) -> Opened:
    if ask.layout is not None and ask.file is not None:
        problems.reject_field(
            "layout-and-file",
            "The request has both a layout and a file.",
            "Send one of the two.",
            "/file",
        )
    if ask.file is not None:
        return maps.read_layout_file(ask.file, ask.format, most)
    if ask.layout is None:
        problems.reject_field(
            "missing-field",
            "The field layout is missing.",
            'Add the whole map, such as "layout": ["1B", "11"], or a file in its place, and the '
            'first click, such as "first": "1,0".',
            "/layout",
        )
    return maps.parse_layout_rows(ask.layout, most)


_THIRD: Final = 1 / 3
GRADE: Final = FunctionOperation(
    name="grade",
    path="/v1/grade",
    tag="boards",
    summary="How hard is a game, and does it need a guess?",
    description="The game is played by the easiest steps, as far as proofs go.",
    request=AskGrade,
    response=GradeAnswer,
    make_input=_make_input,
    answer=_answer_grade,
    partial_answer=_partial_answer,
    examples={
        "layout": Example(
            {"layout": ["1B", "11"], "first": [1, 0]},
            {
                "guess_free": False,
                "difficulty": "trivial",
                "steps": dict.fromkeys(LEVELS, 0),
                "stuck": {
                    "board": ["??", "1?"],
                    "moves": [
                        {
                            "cell": cell,
                            "safe": False,
                            "mine": _THIRD,
                            "numbers": [0.0, 2 / 3, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
                            "progress": 0.0,
                            "survival": _THIRD,
                            "win": _THIRD,
                            "dead": True,
                        }
                        for cell in ([0, 0], [0, 1], [1, 1])
                    ],
                    "win": {"low": _THIRD, "high": _THIRD, "exact": True},
                    "guesses": [{"cells": [[0, 0], [0, 1], [1, 1]], "chance": _THIRD}],
                },
                "openings": 0,
                "3bv": 3,
                "fewest_clicks": None,
                "mines": 1,
                "first": [1, 0],
                "layout": ["1B", "11"],
                "solver": {"name": _NAME, "complete": True, "elapsed_ms": 1.2},
            },
        ),
        "file": Example({"file": "9x9:4,4,mb071b49fbd1cb6a0d5868"}, None),
    },
)
