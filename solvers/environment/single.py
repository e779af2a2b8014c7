"""One game at a time as an environment of Gymnasium."""

from typing import Any, Final

import gymnasium
import numpy as np
from gymnasium import spaces

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

_ALL: Final = np.ones(1, np.bool_)


class MinesweeperEnv(gymnasium.Env[Observation, np.int64]):
    """Minesweeper, one game an episode, which begins after the first click.

    An observation is what is shown: int8 (rows, cols) with 0 to 8 for numbers, 9 for hidden cells
    and 10 for the mine that ended the game. An action is the number of a cell in reading order. A
    click on a cell that is shown changes nothing, and costs 1.

    ``info`` has the mask of legal actions (``action_mask``, int8 as `Discrete.sample` takes it) and
    the seed of the game (``game_seed``); after a move ``won`` and ``illegal``. With ``exact`` it
    has the chances of the position (``chances``, (rows, cols), see `update_chances`), and of the
    move ``mine_chance``, ``chance_lost`` and ``had_proved_cell``, as `MoveResults` describes them.

    Equal seeds give equal boards on every platform, those of ``minecheck simulate`` among them. A
    reset without a seed begins the game of the next one.

    Args:
        rows: the rows of the board.
        cols: its columns.
        mines: how many mines there are.
        guarantee: ``opening``, ``random`` (the first click is only no mine) or ``guess-free``.
        shape: ``rectangle``, ``torus``, ``cylinder``, ``hexagonal`` or ``knight``.
        first: the first click, (row, col); None for that of ``minecheck simulate``.
        exact: whether exact chances are computed.
        reward: ``outcome`` or ``chance``, see `Reward`.
        seed_step: how much the seed of the next game is above that of the last one.
        render_mode: None, ``ansi`` or ``rgb_array``.

    Raises:
        QuestionError: there are no such boards.
        ValueError: another argument is none of those above.
    """

    metadata = {"render_modes": list(RENDER_MODES), "render_fps": 4}  # noqa: RUF012 - as Gymnasium has it

    def __init__(
        self,
        rows: int = 9,
        cols: int = 9,
        mines: int = 10,
        guarantee: str = Guarantee.OPENING.value,
        shape: str = Shape.RECTANGLE.value,
        first: Coordinates | None = None,
        exact: bool = True,
        reward: str = Reward.OUTCOME.value,
        seed_step: int = 1,
        render_mode: str | None = None,
    ) -> None:
        self.kind = DealtBoards(
            *(rows, cols, mines),
            read_choice("guarantee", guarantee, Guarantee),
            read_choice("shape", shape, Shape),
            first,
        )
        self.render_mode = read_render_mode(render_mode)
        self.observation_space: spaces.Space[Observation] = make_observation_space(self.kind)
        self.action_space = make_action_space(self.kind)
        self._games = GameBatch(self.kind, 1, exact, read_choice("reward", reward, Reward))
        self._seed_step = seed_step
        self._begun = False
        self._over = False

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin a game: that of ``seed``, or without one that of the next seed.

        Args:
            seed: the seed, 0 or more.
            options: ignored.
        """
        super().reset(seed=seed)
        if seed is None and self._begun:
            self._games.begin_next(_ALL, self._seed_step)
        else:
            self._games.begin_all(fresh_seed() if seed is None else seed)
        self._begun, self._over = True, False
        return self._observe(), self._describe()

    def step(self, action: np.int64) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Click on a cell.

        Args:
            action: the number of the cell, row * cols + col.

        Raises:
            gymnasium.error.ResetNeeded: no game has begun, or it is over.
            ValueError: there is no such cell.
        """
        if not self._begun or self._over:
            raise gymnasium.error.ResetNeeded("The game is over or not begun: call reset first.")
        if not self.action_space.contains(action):
            last = self.kind.rows * self.kind.cols - 1
            raise ValueError(f"{action!r} is not a cell: send 0 to {last}.")
        moves = self._games.make_moves(np.array([action], np.int64), _ALL)
        terminated = bool(moves.lost[0] | moves.won[0])
        truncated = bool(moves.truncated[0])
        self._over = terminated or truncated
        info = self._describe() | {
            name: column[0].item() for name, column in moves.to_columns().items()
        }
        return self._observe(), float(moves.rewards[0]), terminated, truncated, info

    def render(self) -> Any:
        """Return the board as text with rulers, or as pixels; None without a mode."""
        if self.render_mode is None:
            return None
        return draw_frame(self.render_mode, self.kind, self._games.cells[0])

    def _observe(self) -> Observation:
        shape = self.kind.rows, self.kind.cols
        return np.array(self._games.cells[0].reshape(shape))

    def _describe(self) -> dict[str, Any]:
        info: dict[str, Any] = {
            "action_mask": self._games.legal[0].astype(np.int8),
            "game_seed": int(self._games.seeds[0]),
        }
        if self._games.chances is not None:
            shape = self.kind.rows, self.kind.cols
            info["chances"] = self._games.chances[0].reshape(shape).copy()
        return info
