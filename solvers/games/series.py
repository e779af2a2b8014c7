"""Many games of one kind, and how many of them are won.

Tested in tests/solvers/games/test_strategy.py.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import Final

import numpy as np
from numpy.typing import NDArray

from minecheck.minefield.game import Game
from minecheck.solvers.games.generator import BoardOptions, generate_board
from minecheck.solvers.games.strategy import Player, Strategy

#: The chance that an interval contains the true rate.
CONFIDENCE: Final = 0.95


@dataclass(frozen=True, slots=True)
class Series(BoardOptions):
    """Games of one kind, each with a seed of its own: ``seed``, the next one, and so on."""

    seed: int = 0

    def deal_game(self, number: int) -> Game:
        """Deal the game of a number, from 0."""
        game = generate_board(replace(self, seed=self.seed + number)).game
        assert game is not None, "without a deadline one is found"
        return game


@dataclass(frozen=True, slots=True)
class GameTally:
    """The ends of games, and the seconds of each guess, (guesses,)."""

    games: int
    won: int
    seconds: NDArray[np.float64]

    def __add__(self, other: "GameTally") -> "GameTally":
        return GameTally(
            self.games + other.games,
            self.won + other.won,
            np.concatenate([self.seconds, other.seconds]),
        )

    @property
    def guesses(self) -> int:
        """The number of guesses."""
        return int(self.seconds.size)

    @property
    def rate(self) -> float:
        """The share of games that are won."""
        return self.won / self.games


def compute_wilson_interval(won: int, games: int) -> tuple[float, float]:
    """Return the rates between which the true one lies with `CONFIDENCE` (E. B. Wilson, 1927).

    Args:
        won: the number of games that were won.
        games: the number of games, at least 1.
    """
    z = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)
    centre = won + z * z / 2
    half = z * (won * (games - won) / games + z * z / 4) ** 0.5
    return max(0.0, (centre - half) / (games + z * z)), min(1.0, (centre + half) / (games + z * z))


def play_games(series: Series, strategy: Strategy, numbers: Iterable[int]) -> GameTally:
    """Play the games of these numbers.

    Args:
        series: the kind of the games.
        strategy: how they are played.
        numbers: numbers from 0, one a game.
    """
    games = won = 0
    seconds: list[float] = []
    for number in numbers:
        game = series.deal_game(number)
        lost = False
        for turn in Player(strategy, seed=series.seed + number).iterate_turns(game):
            if turn.guessed:
                seconds.append(turn.seconds)
            lost = any(game.layout.mines[cell] for cell in turn.cells)
        games += 1
        won += not lost
    return GameTally(games, won, np.array(seconds))
