"""Games won by the first of the best moves, against JSMinesweeper's own solver on the same boards.

It takes node, and JSMinesweeper's sources: ``JSMINESWEEPER`` names their folder, ``GAMES`` how many
games of each kind are played (by default 1000), and ``KINDS`` the kinds, by the sizes that they
begin with (``9x9,16x16``). Both players play at the same time.
"""

import json
import os
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import process_time

import numpy as np
from numpy.typing import NDArray

from minecheck.minefield.game import Game
from minecheck.solvers.games.generator import Guarantee
from minecheck.solvers.games.series import Series
from minecheck.solvers.games.strategy import Player, Strategy

_PLAYER = Path(__file__).with_name("jsminesweeper.mjs")


_OPENING = (Guarantee.OPENING, (3, 3))
_CORNER = (Guarantee.RANDOM, (0, 0))
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
    kinds = tuple(os.environ.get("KINDS", "").split(","))
    for name, series in _PLAYED.items():
        if not name.startswith(kinds):
            continue
        boards = list(map(series.deal_game, range(games)))
        with ThreadPoolExecutor(1) as beside:
            their_games = beside.submit(_theirs, sources, boards)
            started = process_time()
            ours = np.array([_won(game) for game in boards], np.int64)
            seconds = (process_time() - started) / games
            theirs = their_games.result()
        more = 100 * (ours - theirs)
        print(
            f"{name}: {games} games, won {ours.mean():.2%} against {theirs.mean():.2%}, "
            f"{more.mean():+.2f} ± {more.std() / games**0.5:.2f} points, "
            f"{np.count_nonzero(more > 0)} won by one and {np.count_nonzero(more < 0)} by the "
            f"other alone, {1e3 * seconds:.0f} ms a game",
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
