"""The operation boards: boards to play."""

from collections.abc import Collection
from time import monotonic
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, TypeAlias

import orjson
from pydantic import AfterValidator, BaseModel, Field, WithJsonSchema

from minecheck.app import problems
from minecheck.app.limits import Limits
from minecheck.app.operation import FunctionOperation
from minecheck.app.questions.fields import AskCell, DeadlineMs, JsonCell, Rows, Seed, Sized
from minecheck.app.questions.responses import build_model
from minecheck.app.questions.value_errors import make_form_error
from minecheck.app.questions.verdict import Solver
from minecheck.minefield import Board, draw
from minecheck.minefield.game import Game
from minecheck.minefield.numerals import format_count
from minecheck.solvers import Backend, Deadline, QuestionError, fresh_seed
from minecheck.solvers.documents import render
from minecheck.solvers.documents.cells import OnBoard
from minecheck.solvers.documents.writing import make_fields_writer
from minecheck.solvers.findings import WalkStep
from minecheck.solvers.games.drills import TECHNIQUES, DrillOptions, DrillSearch, find_drill
from minecheck.solvers.games.generator import BoardOptions, Generated, Guarantee, generate_board
from minecheck.solvers.reasons.deduction import LEVELS, Level
from minecheck.solvers.tasks.task import Example

_NAME: Final = Backend.REASONS.value


def _require_one_of(names: Collection[str]) -> AfterValidator:
    """Return a validator that rejects all other names."""

    def check_name(name: str) -> str:
        if name not in names:
            raise make_form_error("a valid value", f"one of: {', '.join(names)}")
        return name

    return AfterValidator(check_name)


class AskGame(Sized):
    """A request for a board to play."""

    rows: int = Field(ge=1, description="Number of rows, or height")
    cols: int = Field(ge=1, description="Number of columns, or width")
    mines: int = Field(ge=0, description="Number of mines")
    kind: Annotated[
        Guarantee, Field(strict=False), WithJsonSchema({"type": "string", "enum": list(Guarantee)})
    ] = Field(
        default=Guarantee.GUESS_FREE,
        description="`random`: any layout without a mine at the first click; `opening`: any "
        "without mines around it either; `guess-free`: one of these that needs no guess",
    )
    first: AskCell | None = Field(
        default=None,
        description="The first click, [row, col] from 0 or row,col in one string; by default the "
        "middle",
    )
    difficulty: (
        Annotated[
            str,
            WithJsonSchema({"type": "string", "enum": list(LEVELS)}),
            _require_one_of(LEVELS),
        ]
        | None
    ) = Field(
        default=None,
        description="The hardest step that a guess-free board may need: one of "
        f"{', '.join(LEVELS)}; by default any",
    )
    technique: (
        Annotated[
            str,
            WithJsonSchema({"type": "string", "enum": list(TECHNIQUES)}),
            _require_one_of(TECHNIQUES),
        ]
        | None
    ) = Field(
        default=None,
        description="For a drill: a position of a game whose next step needs this grade of "
        "difficulty or this pattern of clues, and nothing easier is enough",
    )
    seed: Seed = None
    deadline_ms: DeadlineMs = None


if TYPE_CHECKING:
    _WalkStep: TypeAlias = Any
else:
    _WalkStep = build_model(WalkStep)


class DrillShown(BaseModel):
    """What a drill is about: the cells that its technique decides, and why."""

    technique: str
    safe: list[JsonCell] = Field(description="Cells that are proved safe")
    mines: list[JsonCell] = Field(description="Cells that are proved to be mines")
    steps: list[_WalkStep] = Field(
        description="The proofs, each from the board as it stands; together they decide these cells"
    )


class GameAnswer(BaseModel):
    """A board to play; what was not found in time is null."""

    found: bool
    seed: str = Field(pattern=r"^[0-9]+$", description="Send it again for the same board")
    layout: Rows | None = Field(description="Numbers on safe cells, `B` on mines")
    first: JsonCell = Field(description="The first click")
    board: Rows | None = Field(
        description="What the first click shows; `?` elsewhere. In a drill, what was shown and "
        "which mines were proved (`B`) before its next step"
    )
    mines: int
    kind: Literal["random", "opening", "guess-free"]
    difficulty: str | None = Field(
        description="The hardest step needed, easy ones first; null for boards that may need a "
        "guess, and if it was not graded in time"
    )
    tries: int | None = Field(
        description="Layouts tried, changed ones included; null where the worker was cut off"
    )
    drill: DrillShown | None = Field(
        default=None, description="Of drills only: the next step; null if none was found in time"
    )
    solver: Solver


def _answer_boards(request: BoardOptions, deadline: Deadline) -> bytes:
    started = monotonic()
    if isinstance(request, DrillOptions):
        return _render_drill(request, find_drill(request, deadline), monotonic() - started)
    generated = generate_board(request, deadline)
    return render_answer(request, generated, monotonic() - started)


def _partial_answer(request: BoardOptions, elapsed: float) -> bytes:
    if isinstance(request, DrillOptions):
        return _render_drill(request, None, elapsed)
    return render_answer(request, None, elapsed)


def _is_bounded(request: BoardOptions) -> bool:
    """Return True unless boards without guesses, or drills, have to be searched for."""
    return request.kind is not Guarantee.GUESS_FREE and not isinstance(request, DrillOptions)


def render_answer(request: BoardOptions, generated: Generated | None, elapsed: float) -> bytes:
    """Return the board as JSON, null for unfinished parts.

    Args:
        request: the request for a board.
        generated: the board that was found, None if there was no time.
        elapsed: the time that it took, in seconds.
    """
    if generated is None:
        return _render_game(request, None, None, elapsed)
    game = generated.game
    return _render_game(
        request,
        None if game is None else (game, game.opened),
        generated.tries,
        elapsed,
        difficulty=None if generated.difficulty is None else generated.difficulty.label,
        complete=generated.complete,
    )


def _render_drill(request: DrillOptions, search: DrillSearch | None, elapsed: float) -> bytes:
    """Return a drill as JSON, as `render_answer` does boards."""
    drill = None if search is None else search.drill
    tries = None if search is None else search.tries
    if drill is None:
        return _render_game(request, None, tries, elapsed, drill=None)
    shown = {
        "technique": request.technique,
        "safe": sorted({cell for step in drill.steps for cell in step.safe}),
        "mines": sorted({cell for step in drill.steps for cell in step.mines}),
        "steps": [_write_step(step) for step in drill.steps],
    }
    return _render_game(
        request, (drill.game, drill.board), tries, elapsed, drill=shown, complete=True
    )


def _render_game(
    request: BoardOptions,
    position: tuple[Game, Board] | None,
    tries: int | None,
    elapsed: float,
    *,
    difficulty: str | None = None,
    complete: bool = False,
    **extra_fields: Any,
) -> bytes:
    """Return the fields that all answers have, and more; null for unfinished parts.

    ``position`` is the game, and its board as it is shown.
    """
    game, board = position or (None, None)
    return orjson.dumps(
        {
            "found": game is not None,
            "seed": str(request.seed),
            "layout": None if game is None else game.layout.rows(),
            "first": request.first,
            "board": None if board is None else draw(board),
            "mines": request.mines,
            "kind": request.kind,
            "difficulty": difficulty,
            "tries": tries,
            **extra_fields,
            "solver": render.describe_solver(_NAME, complete, elapsed),
        }
    )


def _write_step(step: WalkStep) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    make_fields_writer(WalkStep)(None, step, OnBoard(), fields)
    return fields


def _make_input(ask: AskGame, limits: Limits) -> BoardOptions:
    """Return the options of the requested board.

    Raises:
        ProblemError: there is no such board.
    """
    most = limits.max_cells
    problems.require_at_most("rows", ask.rows, most, format_count(most, "row"))
    widest = most // ask.rows
    mines = f"{format_count(widest, 'column')} of {format_count(ask.rows, 'cell')}"
    problems.require_at_most("cols", ask.cols, widest, mines)
    row, col = ask.first or (ask.rows // 2, ask.cols // 2)
    level = Level.SEARCH if ask.difficulty is None else LEVELS[ask.difficulty]
    seed = fresh_seed() if ask.seed is None else ask.seed
    if ask.technique is not None and ask.difficulty is not None:
        problems.reject_field(
            "bad-value",
            "The technique of a drill already says how hard its next step is.",
            "Leave out difficulty, or technique.",
            "/difficulty",
        )
    size = ask.rows, ask.cols, ask.mines
    try:
        if ask.technique is not None:
            return DrillOptions(*size, ask.kind, (row, col), seed, level, ask.technique)
        return BoardOptions(*size, ask.kind, (row, col), seed, level)
    except QuestionError as error:
        raise problems.make_question_problem(error, ask) from None


BOARDS: Final = FunctionOperation(
    name="boards",
    path="/v1/boards",
    tag="boards",
    summary="A board to play: random, with an opening, or without guesses; or a drill",
    description="A board that meets the request; the same for the same seed.",
    request=AskGame,
    response=GameAnswer,
    make_input=_make_input,
    answer=_answer_boards,
    partial_answer=_partial_answer,
    is_bounded=_is_bounded,
    examples={
        "guess-free": Example(
            {"rows": 5, "cols": 6, "mines": 6, "kind": "guess-free", "seed": 7},
            {
                "found": True,
                "seed": "7",
                "layout": ["111BB1", "B11232", "22001B", "B10022", "11001B"],
                "first": [2, 3],
                "board": ["??????", "?1123?", "?2001?", "?1002?", "?1001?"],
                "mines": 6,
                "kind": "guess-free",
                "difficulty": "subset",
                "tries": 1,
                "solver": {"name": _NAME, "complete": True, "elapsed_ms": 0.4},
            },
        ),
    },
)
