"""The operation game: a game that was dealt, as it stands."""

from functools import partial
from http import HTTPStatus
from types import MappingProxyType
from typing import Annotated, Final, Literal

import numpy as np
import orjson
from pydantic import BaseModel, Field

from minecheck.app.games.deals import Kept, replay_game
from minecheck.app.games.stores import Games
from minecheck.app.limits import Limits
from minecheck.app.operation import JSON_ANSWER, FunctionOperation
from minecheck.app.problems import ProblemError
from minecheck.app.questions.fields import JsonCell, RequestFields, Rows
from minecheck.app.requests.body import run_off_loop
from minecheck.minefield import draw
from minecheck.solvers import Deadline
from minecheck.solvers.tasks.task import Example

#: The field that names a game, as a path has it.
GameId = Annotated[
    str,
    Field(
        description="The `id` from the answer that began the game",
        # Any other is that of no game, too.
        json_schema_extra={"pattern": "^[A-Za-z0-9_-]{22}$"},
    ),
]


class AskKeptGame(RequestFields):
    """A game that the service keeps."""

    id: GameId


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


def require_game(games: Games, stored: Kept | None) -> Kept:
    """Return a game that was found.

    Args:
        games: the store that it should be in.
        stored: the game, None if it is not there.

    Raises:
        ProblemError: 404, it is not there.
    """
    if stored is None:
        raise ProblemError(
            HTTPStatus.NOT_FOUND,
            "no-such-game",
            "There is no game with this id. It may have expired, or been removed to make room.",
            games.fix,
        )
    return stored


async def render_game(games: Games, game: str, stored: Kept) -> bytes:
    """Return a game as it stands, as JSON.

    Args:
        games: the store that it is in.
        game: its id.
        stored: the game.
    """
    return await run_off_loop(stored.deal, partial(_render_game, game, stored, games.seconds))


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


def make_headers(value: object) -> dict[str, str]:
    """Return the headers of the answers about games, which change with each click."""
    return {**JSON_ANSWER, "Cache-Control": "no-store"}


def answer_nothing(value: object, _: Deadline) -> bytes:
    """Return nothing: the games that the service keeps have the answer."""
    return b""


async def _find_game(games: Games, game: str, answer: bytes) -> bytes:
    return await render_game(games, game, require_game(games, await games.find_game(game)))


def _make_input(ask: AskKeptGame, limits: Limits) -> str:
    return ask.id


#: The example of an answer: a game after its first click.
PLAYING: Final = MappingProxyType(
    {
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
)
GAME: Final = FunctionOperation(
    name="game",
    path="/v1/games/{id}",
    method="GET",
    tag="boards",
    summary="A game that was dealt, as it stands",
    description="Return the game as after the last click.",
    request=AskKeptGame,
    response=PlayAnswer,
    make_input=_make_input,
    answer=answer_nothing,
    partial_answer=None,
    headers=make_headers,
    follow_up=_find_game,
    batched=False,
    examples={"game": Example({"id": PLAYING["id"]}, dict(PLAYING))},
)
