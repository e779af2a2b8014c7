"""Games won by the first of the best moves, against JSMinesweeper's own solver on the same boards.

It takes node, and JSMinesweeper's sources: their folder is named by ``JSMINESWEEPER``, and by
``GAMES`` how many games of each kind are played (by default 1000).
"""

import json
import os
import subprocess
from pathlib import Path
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from minecheck.minefield.game import Game
from minecheck.solvers.games.generator import Guarantee
from minecheck.solvers.games.player import Player, Strategy
from minecheck.solvers.games.series import Series

_PLAYER = Path(__file__).with_name("jsminesweeper.mjs")


_OPENING = (Guarantee.OPENING, (3, 3), Strategy.BEST)
_CORNER = (Guarantee.RANDOM, (0, 0), Strategy.BEST)
_PLAYED = {
    "16x30/99, opening at (3, 3)": Series(16, 30, 99, *_OPENING),
    "16x30/99, safe start in a corner": Series(16, 30, 99, *_CORNER),
    "16x16/40, opening at (3, 3)": Series(16, 16, 40, *_OPENING),
    "9x9/10, opening at (3, 3)": Series(9, 9, 10, *_OPENING),
}


def run() -> None:
    """Play all games, and print how many more are won, with the standard error."""
    sources = os.environ.get("JSMINESWEEPER")
    if sources is None:
        print("left out: JSMINESWEEPER does not name the folder of JSMinesweeper's sources")
        return
    games = int(os.environ.get("GAMES", "1000"))
    for name, series in _PLAYED.items():
        boards = list(map(series.deal_game, range(games)))
        started = perf_counter()
        ours = np.array([_won(game) for game in boards], np.int64)
        seconds = (perf_counter() - started) / games
        theirs = _theirs(sources, boards)
        more = ours - theirs
        print(
            f"{name}: {games} games, won {ours.mean():.2%} against {theirs.mean():.2%}, "
            f"{100 * more.mean():+.2f} ± {100 * more.std() / games**0.5:.2f} points, "
            f"{1e3 * seconds:.0f} ms a game",
            flush=True,
        )


def _won(game: Game) -> bool:
    """Return True if the best moves win the game."""
    turns = Player(Strategy.BEST).iterate_turns(game)
    return not any(game.layout.mines[cell] for turn in turns for cell in turn.cells)


def _theirs(sources: str, games: list[Game]) -> NDArray[np.int64]:
    """Return 1 for each game that the other solver wins, else 0, of shape (games,)."""
    lines = "".join(
        json.dumps(
            {
                "mines": ["".join(map(str, row)) for row in game.layout.mines.astype(int).tolist()],
                "first": game.first,
            }
        )
        + "\n"
        for game in games
    )
    command = ("node", str(_PLAYER), sources)
    played = subprocess.run(command, input=lines, capture_output=True, text=True, check=True)
    return np.array([json.loads(line)["won"] for line in played.stdout.splitlines()], np.int64)
