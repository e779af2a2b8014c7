"""The routes of /v1/games: games of which the service keeps the mines to itself."""

from contextlib import suppress
from functools import partial
from http import HTTPStatus
from secrets import token_urlsafe
from typing import Annotated, Any, Final, Literal

import numpy as np
import orjson
from fastapi import APIRouter, Path, Request, Response
from pydantic import BaseModel, Field

from minecheck.app import problem_responses, problems
from minecheck.app.execution.games import Deal, Games, Kept, replay_game
from minecheck.app.execution.timed import stop_early
from minecheck.app.execution.workers import Workers
from minecheck.app.functions.boards import BOARDS
from minecheck.app.problems import ProblemError
from minecheck.app.questions.fields import AskCell, JsonCell, RequestFields, Rows
from minecheck.app.requests import query
from minecheck.app.requests.body import read_model, run_off_loop
from minecheck.app.routes import openapi, operations
from minecheck.app.settings import Settings
from minecheck.minefield import draw
from minecheck.solvers import Deadline
from minecheck.solvers.games.drills import DrillOptions
from minecheck.solvers.games.generator import BoardOptions, generate_board

router: Final = APIRouter(prefix="/v1/games", tags=["boards"])

_Id = Annotated[
    str,
    Path(
        description="The `id` from the answer that began the game",
        # Any other is that of no game, too.
        json_schema_extra={"pattern": "^[A-Za-z0-9_-]{22}$"},
    ),
]


class AskOpen(RequestFields):
    """The cell that is opened."""

    cell: AskCell = Field(description="A cell, [row, col] from 0 or row,col in one string")


class PlayAnswer(BaseModel):
    """A game as its player sees it; mines and seed follow when it is over."""

    id: str = Field(description="What the game is asked for by; whoever knows it may play")
    status: Literal["playing", "won", "lost"]
    board: Rows = Field(description="Numbers on cells that are open; `?` elsewhere")
    opened: int = Field(description="Cells that are open")
    mines: int
    first: JsonCell = Field(description="The first click, which is made already")
    kind: Literal["random", "opening", "guess-free"]
    difficulty: str | None = Field(
        description="The hardest step needed, easy ones first; null for boards that may need a "
        "guess, and if it was not graded in time"
    )
    hit: JsonCell | None = Field(description="The mine that was opened, if the game is lost")
    layout: Rows | None = Field(
        description="Numbers on safe cells, `B` on mines; null until the game is over"
    )
    seed: str | None = Field(
        description="POST /v1/boards makes the same board of it; null until the game is over"
    )
    expires_in: int = Field(description="Seconds that the game is kept from now on")


_PLAYING: Final = {
    "id": "oH1wPcG3zD8mJTyzO3kYLA",
    "status": "playing",
    "board": ["??????", "?1123?", "?2001?", "?1002?", "?1001?"],
    "opened": 16,
    "mines": 6,
    "first": [2, 3],
    "kind": "guess-free",
    "difficulty": "subset",
    "hit": None,
    "layout": None,
    "seed": None,
    "expires_in": 3600,
}
_OPEN_EXAMPLE: Final = {"cell": [0, 3]}
_LOST: Final = _PLAYING | {
    "status": "lost",
    "hit": [0, 3],
    "layout": ["111BB1", "B11232", "22001B", "B10022", "11001B"],
    "seed": "7",
}
#: Examples of answers, by path and method.
ANSWER_EXAMPLES: Final[dict[tuple[str, str], dict[str, Any]]] = {
    ("/v1/games", "post"): _PLAYING,
    ("/v1/games/{id}", "get"): _PLAYING,
    ("/v1/games/{id}/open", "post"): _LOST,
}


def _describe_responses(described: str, *statuses: int) -> dict[int | str, dict[str, Any]]:
    return {
        200: {"description": described, "model": PlayAnswer},
        **problem_responses.problem_responses(*statuses),
    }


@router.post(
    "",
    summary="A board to play, of which the service keeps the mines to itself",
    operation_id="deal",
    response_class=Response,
    responses=_describe_responses("The game, its first click made", 400, 408, 413, 415, 422, 503),
    openapi_extra=openapi.describe_operation(BOARDS),
)
async def deal_game(request: Request) -> Response:
    """Deal a board as `/v1/boards` does: the same for the same seed, but its layout stays here."""
    job = await operations.read_job_of_request(request, BOARDS)
    options: BoardOptions = job.unpack_input().input
    if isinstance(options, DrillOptions):
        problems.reject_field(
            "bad-value",
            "A game begins at its first click, and a drill in the middle of one.",
            "Leave out technique, or ask for the drill at /v1/boards.",
            "/technique",
        )
    workers: Workers = request.app.state.workers
    dealt = None
    with suppress(TimeoutError):
        dealt = await workers.run(
            *(_find_deal, options, stop_early(job.deadline)),
            deadline=job.deadline,
            client_left=request.receive,
            brief=job.is_bounded,
        )
    if dealt is None:
        raise problems.make_temporary_problem(
            "no-board-found",
            "No board of this kind and difficulty was found before the deadline.",
            "Allow more time with deadline_ms, or ask for fewer mines, another kind or another "
            "difficulty.",
        )
    games: Games = request.app.state.games
    game = token_urlsafe(16)
    await games.keep_deal(game, dealt)
    return await _answer_game(games, game, Kept(dealt))


@router.get(
    "/{id}",
    summary="A game that was dealt, as it stands",
    operation_id="game",
    response_class=Response,
    responses=_describe_responses("The game", 400, 404, 422, 503),
    dependencies=[query.allow_query_names()],
)
async def get_game(request: Request, id: _Id) -> Response:
    """Return the game as after the last click."""
    games: Games = request.app.state.games
    return await _answer_game(games, id, _require_game(games, await games.find_game(id)))


@router.post(
    "/{id}/open",
    summary="Open a cell of a game that was dealt",
    operation_id="open",
    response_class=Response,
    responses=_describe_responses("The game after that", 400, 404, 408, 413, 415, 422, 503),
    openapi_extra={
        "requestBody": {
            "required": True,
            "content": {
                "application/json": {
                    "schema": AskOpen.model_json_schema(),
                    "example": _OPEN_EXAMPLE,
                }
            },
        }
    },
)
async def open_cell(request: Request, id: _Id) -> Response:
    """Open a cell, and all around it if it is a 0.

    What is open, or over, stays as it is, so it may be sent again.
    """
    row, col = await read_model(request, AskOpen, cell_of)
    games: Games = request.app.state.games
    stored = _require_game(games, await games.find_game(id))
    _, played = await run_off_loop(stored.deal, partial(replay_game, stored))
    problems.require_on_board("cell", "The cell", (row, col), played.board.shape)
    if not played.over and played.board.unknown[row, col]:
        clicked = await games.click_cell(id, row * played.board.width + col)
        stored = _require_game(games, clicked)
    return await _answer_game(games, id, stored)


def cell_of(ask: AskOpen, _: Settings) -> AskCell:
    """Return the cell that a request opens."""
    return ask.cell


def _find_deal(options: BoardOptions, deadline: Deadline) -> bytes | None:
    """Return the stored form of a requested game; None if none was found in time."""
    generated = generate_board(options, deadline)
    if generated.game is None:
        return None
    difficulty = None if generated.difficulty is None else generated.difficulty.label
    return Deal(generated.game, options.kind, difficulty, options.seed).pack()


def _require_game(games: Games, stored: Kept | None) -> Kept:
    """Return a game that was found.

    Raises:
        ProblemError: 404, it was not.
    """
    if stored is None:
        raise ProblemError(
            HTTPStatus.NOT_FOUND,
            "no-such-game",
            "There is no game with this id. It may have expired, or been removed to make room.",
            games.fix,
        )
    return stored


async def _answer_game(games: Games, game: str, stored: Kept) -> Response:
    """Return the answer of all routes: a game as it stands."""
    body = await run_off_loop(stored.deal, partial(_render_game, game, stored, games.seconds))
    # It changes with each click.
    return Response(body, media_type="application/json", headers={"Cache-Control": "no-store"})


def _render_game(game: str, stored: Kept, seconds: int) -> bytes:
    deal, played = replay_game(stored)
    layout = deal.game.layout
    return orjson.dumps(
        {
            "id": game,
            "status": "won" if played.won else "lost" if played.over else "playing",
            "board": draw(played.board),
            "opened": int(np.count_nonzero(played.board.cells <= 8)),
            "mines": layout.total,
            "first": deal.game.first,
            "kind": deal.kind,
            "difficulty": deal.difficulty,
            "hit": played.hit,
            "layout": layout.rows() if played.over else None,
            "seed": str(deal.seed) if played.over else None,
            "expires_in": seconds,
        }
    )
