"""Players to compare others with, from one that knows nothing to the best moves.

Tested in tests/solvers/games/test_evaluation.py.
"""

from random import Random
from typing import Final

import numpy as np

from minecheck.minefield.board import Board
from minecheck.solvers.annotations import Coordinates
from minecheck.solvers.games.evaluation import EvaluatedPlayer
from minecheck.solvers.games.probst import ProbstPlayer
from minecheck.solvers.games.strategy import Player, Strategy


class RandomPlayer:
    """Opens any unopened cell, each with the same chance."""

    def __init__(self, seed: int) -> None:
        self._draws = Random(seed)

    def begin_game(self) -> None:
        """Do nothing: games do not differ."""

    def choose_cell(self, board: Board, mines: int) -> Coordinates:
        """Return the cell to open.

        Args:
            board: the position.
            mines: the total of mines.
        """
        row, col = divmod(self._draws.choice(np.flatnonzero(board.unknown).tolist()), board.width)
        return row, col


class StrategyPlayer:
    """Opens what is proved safe, and guesses by a strategy."""

    def __init__(self, strategy: Strategy, seed: int) -> None:
        self._player = Player(strategy)
        self._draws = Random(seed)
        self._safe: list[Coordinates] = []

    def begin_game(self) -> None:
        """Forget what was proved of another game."""
        self._safe = []

    def choose_cell(self, board: Board, mines: int) -> Coordinates:
        """Return the cell to open.

        Args:
            board: the position.
            mines: the total of mines.
        """
        # Proved cells stay proved, but an opening may have shown them meanwhile.
        while self._safe:
            cell = self._safe.pop()
            if board.unknown[cell]:
                return cell
        cells, _ = self._player.choose_cells(board, mines, self._draws)
        self._safe = cells[:0:-1]
        return cells[0]


#: The names of the players, the simplest first.
PLAYERS: Final = ("random", "probst", "safest", "best")


def make_player(name: str, seed: int = 0) -> EvaluatedPlayer:
    """Return a player by its name.

    Args:
        name: one of `PLAYERS`.
        seed: where its random choices begin.

    Raises:
        ValueError: there is no player of that name.
    """
    if name == "random":
        return RandomPlayer(seed)
    if name == "probst":
        return ProbstPlayer()
    if name not in PLAYERS:
        raise ValueError(f"there is no player {name!r}")
    return StrategyPlayer(Strategy(name), seed)
