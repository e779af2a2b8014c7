"""The operation boards: boards to play."""

from time import monotonic
from typing import Annotated, Final, Literal

import orjson
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, WithJsonSchema

from minecheck.app import problems
from minecheck.app.limits import Limits
from minecheck.app.operation import FunctionOperation
from minecheck.app.questions.fields import AskPlace, DeadlineMs, Place, Rows, Seed, Sized
from minecheck.app.questions.verdict import Solver
from minecheck.minefield import draw
from minecheck.minefield.amounts import format_count
from minecheck.solvers import Backend, Deadline, QuestionError, fresh_seed
from minecheck.solvers.documents import render
from minecheck.solvers.games.generator import BoardOptions, Generated, Guarantee, generate_board
from minecheck.solvers.reasons.deduction import LEVELS, Level
from minecheck.solvers.tasks.task import Example

_NAME: Final = Backend.REASONS.value


def _level_named(name: str) -> str:
    if name not in LEVELS:
        raise ValueError("there is no such level")
    return name


class AskGame(Sized):
    """A request for a board to play."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

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
    first: AskPlace | None = Field(
        default=None,
        description="The first click, [row, col] from 0 or row,col in one string; by default the "
        "middle",
    )
    difficulty: (
        Annotated[
            str,
            WithJsonSchema({"type": "string", "enum": list(LEVELS)}),
            AfterValidator(_level_named),
        ]
        | None
    ) = Field(
        default=None,
        description="The hardest step that a guess-free board may need: one of "
        f"{', '.join(LEVELS)}; by default any",
    )
    seed: Seed = None
    deadline_ms: DeadlineMs = None


class GameAnswer(BaseModel):
    """A board to play; what was not found in time is null."""

    found: bool
    seed: str = Field(pattern=r"^[0-9]+$", description="Send it again for the same board")
    layout: Rows | None = Field(description="Numbers on safe cells, `B` on mines")
    first: Place = Field(description="The first click")
    board: Rows | None = Field(description="What the first click shows; `?` elsewhere")
    mines: int
    kind: Literal["random", "opening", "guess-free"]
    difficulty: str | None = Field(
        description="The hardest step needed, easy ones first; null for boards that may need a "
        "guess, and if it was not graded in time"
    )
    tries: int | None = Field(
        description="Layouts tried, changed ones included; null where the worker was cut off"
    )
    solver: Solver


def _answer_boards(request: BoardOptions, deadline: Deadline) -> bytes:
    started = monotonic()
    found = generate_board(request, deadline)
    return render_answer(request, found, monotonic() - started)


def _partial_answer(request: BoardOptions, elapsed: float) -> bytes:
    return render_answer(request, None, elapsed)


def _is_bounded(request: BoardOptions) -> bool:
    """Return True unless the boards must need no guess: only these are searched for."""
    return request.kind is not Guarantee.GUESS_FREE


def render_answer(request: BoardOptions, found: Generated | None, elapsed: float) -> bytes:
    """Return the board as JSON, null for unfinished parts.

    Args:
        request: the wanted board.
        found: the board that was found, None if there was no time.
        elapsed: the time that it took, in seconds.
    """
    game = found and found.game
    level = None if found is None else found.difficulty
    return orjson.dumps(
        {
            "found": game is not None,
            "seed": str(request.seed),
            "layout": game and game.layout.rows(),
            "first": request.first,
            "board": game and draw(game.opened),
            "mines": request.mines,
            "kind": request.kind,
            "difficulty": None if level is None else level.label,
            "tries": found and found.tries,
            "solver": render.describe_solver(_NAME, found is not None and found.complete, elapsed),
        }
    )


def _make_input(ask: AskGame, limits: Limits) -> BoardOptions:
    """Return the options of the requested board.

    Raises:
        ProblemError: there is no such board.
    """
    most = limits.max_cells
    problems.at_most("rows", ask.rows, most, format_count(most, "row"))
    widest = most // ask.rows
    mines = f"{format_count(widest, 'column')} of {format_count(ask.rows, 'cell')}"
    problems.at_most("cols", ask.cols, widest, mines)
    row, col = ask.first or (ask.rows // 2, ask.cols // 2)
    level = Level.SEARCH if ask.difficulty is None else LEVELS[ask.difficulty]
    seed = fresh_seed() if ask.seed is None else ask.seed
    try:
        return BoardOptions(ask.rows, ask.cols, ask.mines, ask.kind, (row, col), seed, level)
    except QuestionError as error:
        raise problems.of_question(error) from None


BOARDS: Final = FunctionOperation(
    name="boards",
    path="/v1/boards",
    tag="boards",
    summary="A board to play: random, with an opening, or without guesses",
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
