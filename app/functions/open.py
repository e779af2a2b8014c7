"""The operation open: a cell of a game that was dealt is opened."""

from functools import partial
from typing import Final, NamedTuple

from pydantic import Field

from minecheck.app import problems
from minecheck.app.functions.game import (
    PLAYING,
    AskKeptGame,
    PlayAnswer,
    answer_nothing,
    make_headers,
    render_game,
    require_game,
)
from minecheck.app.games.deals import replay_game
from minecheck.app.games.stores import Games
from minecheck.app.limits import Limits
from minecheck.app.operation import FunctionOperation
from minecheck.app.questions.fields import AskCell
from minecheck.app.requests.body import run_off_loop
from minecheck.solvers.tasks.task import Example


class AskOpen(AskKeptGame):
    """The cell that is opened."""

    cell: AskCell = Field(description="A cell, [row, col] from 0 or row,col in one string")


class CellClick(NamedTuple):
    """A click on a cell of the game with this id."""

    game: str
    cell: tuple[int, int]


def _make_input(ask: AskOpen, limits: Limits) -> CellClick:
    row, col = ask.cell
    return CellClick(ask.id, (row, col))


async def _click_cell(games: Games, click: CellClick, answer: bytes) -> bytes:
    """Add a click to a game, unless the cell is open or the game over, and return the game."""
    stored = require_game(games, await games.find_game(click.game))
    _, played = await run_off_loop(stored.deal, partial(replay_game, stored))
    problems.require_on_board("cell", "The cell", click.cell, played.board.shape)
    if not played.over and played.board.unknown[click.cell]:
        row, col = click.cell
        clicked = await games.click_cell(click.game, row * played.board.width + col)
        stored = require_game(games, clicked)
    return await render_game(games, click.game, stored)


OPEN: Final = FunctionOperation(
    name="open",
    path="/v1/games/{id}/open",
    tag="boards",
    summary="Open a cell of a game that was dealt",
    description="Open a cell, and all around it if it is a 0.\n\n"
    "What is open, or over, stays as it is, so it may be sent again.",
    request=AskOpen,
    response=PlayAnswer,
    make_input=_make_input,
    answer=answer_nothing,
    partial_answer=None,
    headers=make_headers,
    follow_up=_click_cell,
    batched=False,
    examples={
        "mine": Example(
            {"id": PLAYING["id"], "cell": [0, 3]},
            {
                **PLAYING,
                "status": "lost",
                "hit": [0, 3],
                "layout": ["111BB1", "B11232", "22001B", "B10022", "11001B"],
                "seed": "7",
            },
        ),
    },
)
