"""Many games at a time as a vector environment of Gymnasium."""

from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from minecheck.minefield.topology import Shape
from minecheck.solvers.annotations import Coordinates
from minecheck.solvers.environment.dealing import DealtBoards
from minecheck.solvers.environment.games import GameBatch, Reward
from minecheck.solvers.environment.observing import (
    RENDER_MODES,
    Observation,
    draw_frame,
    make_action_space,
    make_observation_space,
    read_choice,
    read_render_mode,
)
from minecheck.solvers.games.generator import Guarantee
from minecheck.solvers.question import fresh_seed


class MinesweeperVectorEnv(VectorEnv[Observation, NDArray[np.int64], NDArray[Any]]):
    """Many games of Minesweeper, played in compiled calls: `MinesweeperEnv`, ``num_envs`` times.

    Arguments, observations and ``info`` are those of `MinesweeperEnv`, stacked. Game i begins with
    the seed ``seed + i``; its next game has a seed ``num_envs`` above that of its last one, so that
    no board comes twice. A game that is over is begun anew by the next step, whose action is
    ignored for it (`AutoresetMode.NEXT_STEP`).

    Args:
        num_envs: how many games there are.
        rows: the rows of the boards.
        cols: their columns.
        mines: the mines of each board.
        guarantee: as for `MinesweeperEnv`.
        shape: as for `MinesweeperEnv`.
        first: as for `MinesweeperEnv`.
        exact: as for `MinesweeperEnv`.
        reward: as for `MinesweeperEnv`.
        render_mode: as for `MinesweeperEnv`.

    Raises:
        QuestionError: there are no such boards.
        ValueError: another argument is not among those allowed.
    """

    metadata = {  # noqa: RUF012 - as Gymnasium has it
        "render_modes": list(RENDER_MODES),
        "render_fps": 4,
        "autoreset_mode": AutoresetMode.NEXT_STEP,
    }

    def __init__(
        self,
        num_envs: int = 1,
        rows: int = 9,
        cols: int = 9,
        mines: int = 10,
        guarantee: str = Guarantee.OPENING.value,
        shape: str = Shape.RECTANGLE.value,
        first: Coordinates | None = None,
        exact: bool = True,
        reward: str = Reward.OUTCOME.value,
        render_mode: str | None = None,
    ) -> None:
        if num_envs < 1:
            raise ValueError("There is at least one game: send num_envs=1 or more.")
        self.kind = DealtBoards(
            *(rows, cols, mines),
            read_choice("guarantee", guarantee, Guarantee),
            read_choice("shape", shape, Shape),
            first,
        )
        self.num_envs = num_envs
        self.render_mode = read_render_mode(render_mode)
        self.single_observation_space = make_observation_space(self.kind)
        self.single_action_space = make_action_space(self.kind)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._games = GameBatch(self.kind, num_envs, exact, read_choice("reward", reward, Reward))
        self._begun = False
        self._over = np.zeros(num_envs, np.bool_)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin all games: with ``seed``, the next one, and so on; without one with the next seeds.

        Args:
            seed: the seed of the first game, 0 or more.
            options: ignored.
        """
        super().reset(seed=seed)
        every = np.ones(self.num_envs, np.bool_)
        if seed is None and self._begun:
            self._games.begin_next(every, self.num_envs)
        else:
            self._games.begin_all(fresh_seed() if seed is None else seed)
        self._begun = True
        self._over[:] = False
        return self._observe(), self._describe()

    def step(
        self, actions: NDArray[np.int64]
    ) -> tuple[Observation, NDArray[Any], NDArray[Any], NDArray[Any], dict[str, Any]]:
        """Click on a cell of each game that is not over, and begin the others anew.

        Args:
            actions: numbers of cells, row * cols + col: (num_envs,).

        Raises:
            gymnasium.error.ResetNeeded: no games have begun.
            ValueError: there is no such cell.
        """
        if not self._begun:
            raise gymnasium.error.ResetNeeded("No game has begun: call reset first.")
        chosen = np.ascontiguousarray(actions, np.int64)
        cells = self.kind.rows * self.kind.cols
        if chosen.shape != (self.num_envs,) or chosen.min() < 0 or chosen.max() >= cells:
            raise ValueError(f"Send {self.num_envs} cells, each from 0 to {cells - 1}.")
        over, going = self._over, ~self._over
        moves = self._games.make_moves(chosen, going)
        if over.any():
            self._games.begin_next(over, self.num_envs)
        info = self._describe()
        for name, column in moves.to_columns().items():
            info[name], info[f"_{name}"] = column, going.copy()
        terminated = moves.lost | moves.won
        self._over = terminated | moves.truncated
        return self._observe(), moves.rewards, terminated, moves.truncated, info

    def render(self) -> tuple[Any, ...] | None:
        """Return the boards as text with rulers, or as pixels; None without a mode."""
        if self.render_mode is None:
            return None
        return tuple(draw_frame(self.render_mode, self.kind, cells) for cells in self._games.cells)

    def _observe(self) -> Observation:
        return self._games.cells.reshape(self.num_envs, self.kind.rows, self.kind.cols).copy()

    def _describe(self) -> dict[str, Any]:
        info: dict[str, Any] = {
            "action_mask": self._games.legal.view(np.int8),
            "game_seed": self._games.seeds.copy(),
        }
        if self._games.chances is not None:
            shape = self.num_envs, self.kind.rows, self.kind.cols
            info["chances"] = self._games.chances.reshape(shape).copy()
        for name in list(info):
            info[f"_{name}"] = np.ones(self.num_envs, np.bool_)
        return info
