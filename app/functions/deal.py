"""The operation deal: a board to play, of which the service keeps the mines to itself."""

from secrets import token_urlsafe
from typing import Final, NoReturn

from minecheck.app import problems
from minecheck.app.functions.boards import BOARDS, AskGame
from minecheck.app.functions.game import PLAYING, PlayAnswer, make_headers, render_game
from minecheck.app.games.deals import Deal, Kept
from minecheck.app.games.stores import Games
from minecheck.app.limits import Limits
from minecheck.app.operation import FunctionOperation
from minecheck.solvers import Deadline
from minecheck.solvers.games.drills import DrillOptions
from minecheck.solvers.games.generator import BoardOptions, generate_board
from minecheck.solvers.tasks.task import Example


def _make_input(ask: AskGame, limits: Limits) -> BoardOptions:
    options: BoardOptions = BOARDS.make_input(ask, limits)
    if isinstance(options, DrillOptions):
        problems.reject_field(
            "bad-value",
            "A game begins at its first click, and a drill in the middle of one.",
            "Leave out technique, or ask for the drill at /v1/boards.",
            "/technique",
        )
    return options


def _generate_deal(options: BoardOptions, deadline: Deadline) -> bytes:
    """Return the stored form of a requested game.

    Raises:
        ProblemError: 503, none was found in time.
    """
    generated = generate_board(options, deadline)
    if generated.game is None:
        _partial_answer(options, 0.0)
    difficulty = None if generated.difficulty is None else generated.difficulty.label
    return Deal(generated.game, options.kind, difficulty, options.seed).pack()


def _partial_answer(options: BoardOptions, elapsed: float) -> NoReturn:
    raise problems.make_temporary_problem(
        "no-board-found",
        "No board of this kind and difficulty was found before the deadline.",
        "Allow more time with deadline_ms, or ask for fewer mines, another kind or another "
        "difficulty.",
    )


async def _keep_deal(games: Games, options: BoardOptions, dealt: bytes) -> bytes:
    """Keep a game under a new id, and return it."""
    game = token_urlsafe(16)
    await games.keep_deal(game, dealt)
    return await render_game(games, game, Kept(dealt))


DEAL: Final = FunctionOperation(
    name="deal",
    path="/v1/games",
    tag="boards",
    summary="A board to play, of which the service keeps the mines to itself",
    description="Deal a board as `/v1/boards` does: the same for the same seed, but its layout "
    "stays here.",
    request=AskGame,
    response=PlayAnswer,
    make_input=_make_input,
    answer=_generate_deal,
    partial_answer=_partial_answer,
    is_bounded=BOARDS.is_bounded,
    headers=make_headers,
    follow_up=_keep_deal,
    batched=False,
    examples={
        name: Example(example.request, dict(PLAYING)) for name, example in BOARDS.examples.items()
    },
)
