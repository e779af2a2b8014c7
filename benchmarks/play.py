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

from minefield import Board
from minefield.game import Game
from solvers import Deadline
from solvers.counting.position import position
from solvers.games.generator import Kind, Wanted, generate
from solvers.play.moves import Adviser

_PLAYER = Path(__file__).with_name("jsminesweeper.mjs")
_EFFORT = 40_000_000
_SECONDS = 1.0


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
        ours = np.array([_won(game, rules.mines) for game in boards], np.int64)
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


def _won(game: Game, mines: int) -> bool:
    """Whether the game is won by the best moves."""
    board = game.opened
    while not game.won(board):
        cells = _next(board, mines)
        if any(game.layout.mines[cell] for cell in cells):
            return False
        board = game.after(board, cells)
    return True


def _next(board: Board, mines: int) -> list[tuple[int, int]]:
    """All cells that are proved safe, or the best one to open."""
    known = position(board, mines)
    if known is None:
        # No ordinary position: any cell will do, they are very few.
        row, col = np.argwhere(board.unknown)[0].tolist()
        return [(row, col)]
    safe = [(row, col) for row, col in np.argwhere(known.chances == 0.0).tolist()]
    if safe:
        return safe
    adviser = Adviser(board, mines, known.chances, _EFFORT, Deadline.after(_SECONDS))
    return [adviser.moves(1).moves[0].cell]


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
