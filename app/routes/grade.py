"""The route POST /v1/grade: how hard a game is, and where it needs its first guess."""

from collections.abc import Mapping
from time import monotonic
from typing import Annotated, Any, Final

import orjson
from anyio import to_thread
from fastapi import APIRouter, Request, Response
from pydantic import BaseModel, ConfigDict, Field, WithJsonSchema

from app import problems
from app.answers import render
from app.execution.workers import Workers
from app.questions import moves
from app.questions.fields import AskPlace, DeadlineMs, LayoutRows, Place, Rows
from app.questions.moves import Guess, Move, Win
from app.questions.verdict import Solver
from app.requests import maps
from app.requests.body import read_model
from app.requests.jobs import due
from app.routes import openapi
from app.settings import Settings
from minefield import draw
from minefield.formats import AUTO, FORMATS, Opened
from minefield.game import Game
from solvers import Deadline
from solvers.games.grade import Grade, grade
from solvers.reasons.deduction import LEVELS

router: Final = APIRouter(tags=["boards"])

_NAME: Final = "proofs"
#: So many moves are told where the game gets stuck.
MOST_MOVES: Final = 5


class AskGrade(BaseModel):
    """A map and the first click."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

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
    first: AskPlace | None = Field(
        default=None,
        description="The first click, [row, col] from 0 or row,col in one string; needed unless "
        "the file has it",
    )
    deadline_ms: DeadlineMs = None


class StuckShown(BaseModel):
    """The position where nothing more is proved safe, and what is known of it."""

    board: Rows = Field(description="What is shown then; `?` elsewhere")
    moves: list[Move] | None = Field(description="The best moves, best first")
    win: Win | None = Field(description="The chance to get through with best play")
    guesses: list[Guess] | None = Field(description="Guesses that cannot be avoided")


class GradeAnswer(BaseModel):
    """How hard the game is; what was not found in time is null."""

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
    mines: int
    first: Place
    layout: Rows = Field(description="Numbers on safe cells, `B` on mines")
    solver: Solver


_ASKED: Final[Mapping[str, dict[str, Any]]] = {
    "layout": {"layout": ["1B", "11"], "first": [1, 0]},
    "file": {"file": "9x9:4,4,mb071b49fbd1cb6a0d5868"},
}
_THIRD: Final = 1 / 3
ANSWERED: Final = {
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
    "mines": 1,
    "first": [1, 0],
    "layout": ["1B", "11"],
    "solver": {"name": _NAME, "complete": True, "elapsed_ms": 1.2},
}


@router.post(
    "/v1/grade",
    summary="How hard is a game, and does it need a guess?",
    operation_id="grade",
    response_class=Response,
    responses={
        200: {
            "description": "The grade, as far as it was found in time",
            "model": GradeAnswer,
            "content": {"application/json": {"example": ANSWERED}},
        },
        **problems.described(400, 408, 413, 415, 422, 503),
    },
    openapi_extra=openapi.of_file(AskGrade, _ASKED),
)
async def graded(request: Request) -> Response:
    """The game is played by the easiest steps, as far as proofs go."""
    game, deadline = await read_model(request, AskGrade, asked)
    workers: Workers = request.app.state.workers
    started = monotonic()
    body = await workers.found(told, game, deadline=deadline, gone=request.receive)
    if body is None:
        # The layout may be large.
        body = await to_thread.run_sync(rendered, game, None, monotonic() - started)
    return Response(body, media_type="application/json")


def asked(ask: AskGrade, settings: Settings, arrived: float) -> tuple[Game, Deadline]:
    """What a request asks, and by when.

    Raises:
        ProblemError: it makes no sense.
    """
    return game_of(ask, settings.max_cells), due(ask.deadline_ms, arrived, settings)


def told(game: Game, deadline: Deadline) -> bytes:
    """The body of the answer."""
    started = monotonic()
    return rendered(game, grade(game, MOST_MOVES, deadline), monotonic() - started)


def rendered(game: Game, found: Grade | None, elapsed: float) -> bytes:
    """The grade as JSON, None where it was cut off; ``elapsed`` is in seconds."""
    return orjson.dumps(
        {
            "guess_free": found and found.guess_free,
            "difficulty": found and found.difficulty.label,
            "steps": found and {name: found.steps[level] for name, level in LEVELS.items()},
            "stuck": found and _stuck(found),
            "openings": found and found.openings,
            "3bv": found and found.clicks,
            "mines": game.layout.total,
            "first": game.first,
            "layout": game.layout.rows(),
            "solver": render.solver(_NAME, found is not None and found.complete, elapsed),
        }
    )


def _stuck(found: Grade) -> dict[str, Any] | None:
    if found.stuck is None:
        return None
    return {"board": draw(found.stuck.board), **moves.shown(found.stuck.answer)}


def game_of(ask: AskGrade, most: int) -> Game:
    """The game that is asked about, of at most so many cells.

    Raises:
        ProblemError: there is none.
    """
    opened = _opened(ask, most)
    assert opened.layout is not None, "maps have one"
    first = opened.first if ask.first is None else (ask.first[0], ask.first[1])
    if first is None:
        problems.refuse(
            "missing-field",
            "The field first is missing: the file does not tell where the game begins.",
            'Add the first click, such as "first": "3,3", row and column from 0.',
            "/first",
        )
    problems.on_the_board("first", "The first click", first, opened.layout.mines.shape)
    if opened.layout.mines[first]:
        problems.refuse(
            "first-on-a-mine",
            f"There is a mine at the first click, row {first[0]}, column {first[1]}.",
            "Give a safe cell: the game would be over.",
            "/first",
        )
    return Game(opened.layout, first)


def _opened(ask: AskGrade, most: int) -> Opened:
    if ask.layout is not None and ask.file is not None:
        problems.refuse(
            "layout-and-file",
            "The request has both a layout and a file.",
            "Send one of the two.",
            "/file",
        )
    if ask.file is not None:
        return maps.of_file(ask.file, ask.format, most)
    if ask.layout is None:
        problems.refuse(
            "missing-field",
            "The field layout is missing.",
            "Add layout, or file instead.",
            "/layout",
        )
    return maps.of_rows(ask.layout, most)
