"""Many games of one kind, and how many of them are won."""

from collections.abc import Iterable
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from minefield.game import Game
from solvers.games.generator import Kind, Wanted, generate
from solvers.games.player import Player, Strategy
from solvers.question import Place


@dataclass(frozen=True, slots=True)
class Series:
    """Games of one kind, each with a seed of its own: ``seed``, the next one, and so on."""

    height: int
    width: int
    mines: int
    kind: Kind
    first: Place
    strategy: Strategy
    seed: int = 0

    def game(self, number: int) -> Game:
        """The game of a number, from 0."""
        game = generate(self.wanted(number)).game
        assert game is not None, "without a deadline one is found"
        return game

    def wanted(self, number: int) -> Wanted:
        """What the game of a number is like.

        Raises:
            QuestionError: there are no such games.
        """
        seed = self.seed + number
        return Wanted(self.height, self.width, self.mines, self.kind, self.first, seed)


@dataclass(frozen=True, slots=True)
class Tally:
    """How games ended, and the seconds that each guess took, (guesses,)."""

    games: int
    won: int
    seconds: NDArray[np.float64]

    def __add__(self, other: "Tally") -> "Tally":
        return Tally(
            self.games + other.games,
            self.won + other.won,
            np.concatenate([self.seconds, other.seconds]),
        )

    @property
    def guesses(self) -> int:
        """How many guesses were made."""
        return int(self.seconds.size)

    @property
    def rate(self) -> float:
        """The share of games that are won."""
        return self.won / self.games

    def interval(self, confidence: float = 0.95) -> tuple[float, float]:
        """Between which rates the true one lies, with some confidence (E. B. Wilson, 1927)."""
        z = NormalDist().inv_cdf((1 + confidence) / 2)
        centre = self.won + z * z / 2
        lost = self.games - self.won
        half = z * (self.won * lost / self.games + z * z / 4) ** 0.5
        games = self.games + z * z
        return max(0.0, (centre - half) / games), min(1.0, (centre + half) / games)


def played(series: Series, numbers: Iterable[int]) -> Tally:
    """Play the games of these numbers."""
    games = won = 0
    seconds: list[float] = []
    for number in numbers:
        game = series.game(number)
        lost = False
        for turn in Player(series.strategy, seed=series.seed + number).turns(game):
            if turn.guessed:
                seconds.append(turn.seconds)
            lost = any(game.layout.mines[cell] for cell in turn.cells)
        games += 1
        won += not lost
    return Tally(games, won, np.array(seconds))
