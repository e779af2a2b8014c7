"""Games of the vector environment against the same ones in Gymnasium's `SyncVectorEnv`."""

from functools import partial
from statistics import median
from typing import Any

import gymnasium
import numpy as np

import minecheck.env
from benchmarks.timing import alternate, kept
from minecheck.solvers.environment.registering import register_environments

_GAMES, _STEPS, _ROUNDS = 64, 40, 7


def run() -> None:
    """Random legal moves on both; then alone, in moves a second."""
    assert minecheck.env.__all__
    register_environments()
    for board in ("Beginner", "Expert"):
        for exact in (False, True):
            given: dict[str, Any] = {"num_envs": _GAMES, "exact": exact}
            ours = gymnasium.make_vec(f"Minesweeper-{board}-v0", **given)
            theirs = gymnasium.make_vec(
                f"Minesweeper-{board}-v0",
                vectorization_mode="sync",
                disable_env_checker=True,
                **given,
            )
            _play(ours)
            _play(theirs)
            pairs = alternate(partial(_play, ours), partial(_play, theirs), _ROUNDS)
            mine, other = (median(side) for side in zip(*pairs, strict=True))
            print(
                f"  {board}, exact={exact}: {_GAMES * _STEPS / mine:,.0f} steps/s, "
                f"ratio of times to SyncVectorEnv {mine / other:.2f}{kept(mine / other, 1)}",
                flush=True,
            )


def _play(environments: Any) -> None:
    draws = np.random.default_rng(0)
    _, info = environments.reset(seed=0)
    for _ in range(_STEPS):
        mask = info["action_mask"]
        actions = (draws.random(mask.shape, np.float32) * mask).argmax(axis=1)
        *_, info = environments.step(actions)
