"""The errand boards: boards to play."""

from time import monotonic
from typing import Annotated, Final, Literal

import orjson
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, WithJsonSchema

from app import problems
from app.answers import render
from app.limits import Limits
from app.questions.fields import AskPlace, DeadlineMs, Place, Rows, Seed
from app.questions.record import Errand, Example
from app.questions.verdict import Solver
from minefield import draw
from minefield.amounts import several
from solvers import Deadline, QuestionError, fresh_seed
from solvers.games.generator import Generated, Kind, Wanted, generate
from solvers.reasons.deduction import LEVELS, Level

_NAME: Final = "generator"


def _level(name: str) -> str:
    if name not in LEVELS:
        raise ValueError("there is no such level")
    return name


class AskGame(BaseModel):
    """The board that is wanted."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    height: int = Field(ge=1, description="Number of rows")
    width: int = Field(ge=1, description="Number of columns")
    mines: int = Field(ge=0, description="Number of mines")
    kind: Annotated[
        Kind, Field(strict=False), WithJsonSchema({"type": "string", "enum": list(Kind)})
    ] = Field(
        default=Kind.GUESS_FREE,
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
            AfterValidator(_level),
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


def _told(wanted: Wanted, deadline: Deadline) -> bytes:
    started = monotonic()
    found = generate(wanted, deadline)
    return rendered(wanted, found, monotonic() - started)


def _untold(wanted: Wanted, elapsed: float) -> bytes:
    return rendered(wanted, None, elapsed)


def _brief(wanted: Wanted) -> bool:
    """Only boards without guesses are searched for."""
    return wanted.kind is not Kind.GUESS_FREE


def rendered(wanted: Wanted, found: Generated | None, elapsed: float) -> bytes:
    """What was found as JSON, None for what was cut off; ``elapsed`` is in seconds."""
    game = found and found.game
    level = None if found is None else found.difficulty
    return orjson.dumps(
        {
            "found": game is not None,
            "seed": str(wanted.seed),
            "layout": game and game.layout.rows(),
            "first": wanted.first,
            "board": game and draw(game.opened),
            "mines": wanted.mines,
            "kind": wanted.kind,
            "difficulty": None if level is None else level.label,
            "tries": found and found.tries,
            "solver": render.solver(_NAME, found is not None and found.complete, elapsed),
        }
    )


def _wanted(ask: AskGame, limits: Limits) -> Wanted:
    """The board that is asked for.

    Raises:
        ProblemError: there is no such board.
    """
    most = limits.max_cells
    problems.at_most("height", ask.height, most, several(most, "row"))
    widest = most // ask.height
    amount = f"{several(widest, 'column')} of {several(ask.height, 'cell')}"
    problems.at_most("width", ask.width, widest, amount)
    row, col = ask.first or (ask.height // 2, ask.width // 2)
    level = Level.SEARCH if ask.difficulty is None else LEVELS[ask.difficulty]
    seed = fresh_seed() if ask.seed is None else ask.seed
    try:
        return Wanted(ask.height, ask.width, ask.mines, ask.kind, (row, col), seed, level)
    except QuestionError as error:
        raise problems.of_question(error) from None


BOARDS: Final = Errand(
    name="boards",
    path="/v1/boards",
    tag="boards",
    summary="A board to play: random, with an opening, or without guesses",
    description="A board as wanted; the same for the same seed.",
    asked=AskGame,
    answered=GameAnswer,
    wanted=_wanted,
    told=_told,
    untold=_untold,
    brief=_brief,
    examples={
        "guess-free": Example(
            {"height": 5, "width": 6, "mines": 6, "kind": "guess-free", "seed": 7},
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
