"""Many games of one kind that are played at the same time, and what each move was worth."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from minecheck.minefield.board import UNKNOWN
from minecheck.minefield.topology import NOBODY
from minecheck.solvers.environment.clicks import ILLEGAL, LOST, NOTHING, WON, click_cells
from minecheck.solvers.environment.dealing import DealtBoards, wrap_seed
from minecheck.solvers.environment.truth import update_chances

#: Seconds for the chances of a position that is solved alone.
_SECONDS: Final = 10.0


class Reward(StrEnum):
    """The reward of a move.

    OUTCOME: 1 for a game that is won, -1 for a mine, else 0. CHANCE: 0 for a safest cell, else less
    by the chance of a mine beyond that of a safest one; needs exact chances. A click on a cell that
    is shown costs 1 in both.
    """

    OUTCOME = "outcome"
    CHANCE = "chance"


@dataclass(frozen=True, slots=True)
class MoveResults:
    """The results of a move in each game; all arrays are (games,).

    They say nothing of games in which no move was made. Of a legal move, ``mine_chance`` is the
    chance that there was a mine, ``chance_lost`` how much that is above the least of all hidden
    cells, and ``had_proved_cell`` whether a hidden cell was proved safe; None where no chances are
    computed. They are 0 for an illegal move.
    """

    rewards: NDArray[np.float64]
    lost: NDArray[np.bool_]
    won: NDArray[np.bool_]
    illegal: NDArray[np.bool_]
    truncated: NDArray[np.bool_]
    mine_chance: NDArray[np.float64] | None
    chance_lost: NDArray[np.float64] | None
    had_proved_cell: NDArray[np.bool_] | None

    def to_columns(self) -> dict[str, NDArray[Any]]:
        """Return what `info` says of the moves."""
        columns: dict[str, NDArray[Any]] = {"won": self.won, "illegal": self.illegal}
        if self.mine_chance is not None:
            assert self.chance_lost is not None, "one of them comes with the others"
            assert self.had_proved_cell is not None, "one of them comes with the others"
            columns["mine_chance"] = self.mine_chance
            columns["chance_lost"] = self.chance_lost
            columns["had_proved_cell"] = self.had_proved_cell
        return columns


class GameBatch:
    """Games that are played at the same time, each begun by its first click.

    A game is cut off after as many moves as there are cells: nobody who makes legal moves only is.

    Attributes:
        cells: what is shown, int8 (games, cells); `UNKNOWN` where a cell is hidden.
        seeds: the seed of each game, int64 (games,).
        chances: exact chances, float64 (games, cells), see `update_chances`; None without them.
    """

    def __init__(self, kind: DealtBoards, games: int, exact: bool, reward: Reward) -> None:
        if reward is Reward.CHANCE and not exact:
            raise ValueError("The reward 'chance' needs exact chances: leave exact=True.")
        size = kind.rows * kind.cols
        self.kind = kind
        self.cells = np.full((games, size), UNKNOWN, np.int8)
        self.seeds = np.zeros(games, np.int64)
        self.chances = np.zeros((games, size)) if exact else None
        # The least chance of a hidden cell.
        self._least = np.zeros(games)
        self._reward = reward
        self._codes = np.zeros((games, size), np.int8)
        self._hidden = np.zeros(games, np.int64)
        self._moves = np.zeros(games, np.int64)

    def begin_games(self, which: NDArray[np.bool_], seeds: NDArray[np.int64]) -> None:
        """Begin some games anew.

        Args:
            which: the games: (games,).
            seeds: the seed of each of these: (new games,).
        """
        self.seeds[which] = seeds
        self._codes[which] = self.kind.deal(seeds)
        self.cells[which] = UNKNOWN
        self._hidden[which] = self.cells.shape[1] - self.kind.mines
        self._moves[which] = 0
        row, col = self.kind.opened_first
        self._click(np.where(which, row * self.kind.cols + col, NOBODY))
        self._find_chances(which)

    def begin_all(self, seed: int) -> None:
        """Begin all games anew: the first with this seed, each other one with the next."""
        games = range(self.seeds.size)
        seeds = np.array([wrap_seed(seed + game) for game in games], np.int64)
        self.begin_games(np.ones(seeds.size, np.bool_), seeds)

    def begin_next(self, which: NDArray[np.bool_], step: int) -> None:
        """Begin some games anew, with seeds this much above their last ones."""
        last_seeds = self.seeds[which].tolist()
        self.begin_games(which, np.array([wrap_seed(seed + step) for seed in last_seeds], np.int64))

    def make_moves(self, actions: NDArray[np.int64], which: NDArray[np.bool_]) -> MoveResults:
        """Click on a cell of each game.

        Args:
            actions: numbers of cells in reading order: (games,).
            which: the games in which a move is made: (games,).
        """
        games = np.arange(actions.size)
        legal = which & (self.cells[games, np.where(which, actions, 0)] == UNKNOWN)
        weighed = self._weigh_moves(actions, legal)
        outcomes = self._click(np.where(which, actions, NOBODY))
        self._moves += which
        lost, won, illegal = outcomes == LOST, outcomes == WON, outcomes == ILLEGAL
        self._find_chances(which & ~illegal)
        if self._reward is Reward.CHANCE:
            assert weighed[1] is not None, "as the reward needs exact chances"
            rewards = -(weighed[1] + illegal)
        else:
            rewards = won.astype(np.float64) - lost - illegal
        over = lost | won
        truncated = which & ~over & (self._moves >= self.cells.shape[1])
        return MoveResults(rewards, lost, won, illegal, truncated, *weighed)

    @property
    def legal(self) -> NDArray[np.bool_]:
        """Cells that are hidden, (games, cells)."""
        return np.asarray(self.cells == UNKNOWN)

    def _click(self, clicks: NDArray[np.int64]) -> NDArray[np.int8]:
        outcomes = np.full(clicks.size, NOTHING, np.int8)
        click_cells(self._codes, self.kind.neighbours, clicks, self.cells, self._hidden, outcomes)
        return outcomes

    def _find_chances(self, which: NDArray[np.bool_]) -> None:
        """Bring the chances of some games up to date; after a loss none are left."""
        if self.chances is None:
            return
        going = which & (self._hidden > 0) & ~self._has_mine()
        over = which & ~going
        self.chances[over], self._least[over] = 0.0, 0.0
        update_chances(self.kind, self.cells, going, self.chances, self._least, _SECONDS)

    def _has_mine(self) -> NDArray[np.bool_]:
        """Return which games show a mine, (games,)."""
        return np.asarray((self.cells > UNKNOWN).any(axis=1))

    def _weigh_moves(
        self, actions: NDArray[np.int64], legal: NDArray[np.bool_]
    ) -> tuple[NDArray[np.float64] | None, NDArray[np.float64] | None, NDArray[np.bool_] | None]:
        """Return of each move the chance of a mine, the chance lost, and if a cell was proved."""
        if self.chances is None:
            return None, None, None
        chosen = self.chances[np.arange(actions.size), np.where(legal, actions, 0)]
        held = np.where(legal, chosen, 0.0)
        lost = np.where(legal, chosen - self._least, 0.0)
        return held, lost, np.asarray(legal & (self._least == 0.0))
