"""Minesweeper as an environment for learners, with the exact worth of every move.

>>> import gymnasium, minecheck.env
>>> environment = gymnasium.make("Minesweeper-v0")
>>> observation, info = environment.reset(seed=1)
>>> observation.shape, int(info["action_mask"].sum())
((9, 9), 28)

Loading this module registers the environments with Gymnasium, which is the extra ``env``. What
players that write need (`prompt_move`, `parse_move`, `score_move`, `score_reply`) works without it.
"""

from importlib.util import find_spec
from typing import TYPE_CHECKING

from minecheck.solvers.datasets.scoring import score_reply
from minecheck.solvers.environment.text import MoveScore, parse_move, prompt_move, score_move

if TYPE_CHECKING:
    from minecheck.solvers.environment.single import MinesweeperEnv
    from minecheck.solvers.environment.vector import MinesweeperVectorEnv

__all__ = [
    "MinesweeperEnv",
    "MinesweeperVectorEnv",
    "MoveScore",
    "parse_move",
    "prompt_move",
    "score_move",
    "score_reply",
]

if find_spec("gymnasium") is not None:
    from minecheck.solvers.environment.registering import register_environments

    register_environments()


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if find_spec("gymnasium") is None:
        raise ModuleNotFoundError(
            f"{name} needs Gymnasium: pip install 'minecheck[env]'", name="gymnasium"
        )
    from minecheck.solvers.environment import single, vector

    found = single.MinesweeperEnv if name == "MinesweeperEnv" else vector.MinesweeperVectorEnv
    return globals().setdefault(name, found)
