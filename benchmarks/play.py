"""Games won by the first of the best moves, against JSMinesweeper's own solver on the same boards.

It takes node, and JSMinesweeper's sources: their folder is named by ``JSMINESWEEPER``, and by
``GAMES`` how many games of each kind are played (by default 1000).
"""

import json
import os
import subprocess
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from minefield.game import Game
from solvers.games.generator import Kind, Wanted, generate
from solvers.games.player import Player, Strategy

_PLAYER = Path(__file__).with_name("jsminesweeper.mjs")


class _Rules(NamedTuple):
    """A kind of games."""

    name: str
    height: int
    width: int
    mines: int
    kind: Kind
    first: tuple[int, int]


_PLAYED = (
    _Rules("16x30/99, opening at (3, 3)", 16, 30, 99, Kind.OPENING, (3, 3)),
    _Rules("16x30/99, safe start in a corner", 16, 30, 99, Kind.RANDOM, (0, 0)),
    _Rules("16x16/40, opening at (3, 3)", 16, 16, 40, Kind.OPENING, (3, 3)),
    _Rules("9x9/10, opening at (3, 3)", 9, 9, 10, Kind.OPENING, (3, 3)),
)


def run() -> None:
    """Play all games, and tell how many more are won, with its standard error."""
    sources = os.environ.get("JSMINESWEEPER")
    if sources is None:
        print("left out: JSMINESWEEPER does not name the folder of JSMinesweeper's sources")
        return
    games = int(os.environ.get("GAMES", "1000"))
    for rules in _PLAYED:
        boards = [_game(rules, seed) for seed in range(games)]
        started = perf_counter()
        ours = np.array([_won(game) for game in boards], np.int64)
        seconds = (perf_counter() - started) / games
        theirs = _theirs(sources, boards)
        more = ours - theirs
        print(
            f"{rules.name}: {games} games, won {ours.mean():.2%} against {theirs.mean():.2%}, "
            f"{100 * more.mean():+.2f} ± {100 * more.std() / games**0.5:.2f} points, "
            f"{1e3 * seconds:.0f} ms a game",
            flush=True,
        )


def _game(rules: _Rules, seed: int) -> Game:
    wanted = Wanted(rules.height, rules.width, rules.mines, rules.kind, rules.first, seed)
    game = generate(wanted).game
    assert game is not None, "only boards without guesses may be missing"
    return game


def _won(game: Game) -> bool:
    """Whether the game is won by the best moves."""
    turns = Player(Strategy.BEST).turns(game)
    return not any(game.layout.mines[cell] for turn in turns for cell in turn.cells)


def _theirs(sources: str, games: list[Game]) -> NDArray[np.int64]:
    """Which games the other solver wins."""
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
