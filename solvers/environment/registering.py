"""The names under which Gymnasium makes the environments.

Tested in tests/solvers/environment/test_registering.py.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

import gymnasium

_SIZES: Final[Mapping[str, dict[str, int | str]]] = {
    "Beginner": {"rows": 9, "cols": 9, "mines": 10},
    "Intermediate": {"rows": 16, "cols": 16, "mines": 40},
    "Expert": {"rows": 16, "cols": 30, "mines": 99},
}

#: The arguments of each environment by its name.
ENVIRONMENTS: Final[Mapping[str, Mapping[str, int | str]]] = MappingProxyType(
    {
        "Minesweeper-v0": {},
        **{f"Minesweeper-{name}-v0": size for name, size in _SIZES.items()},
        **{
            f"Minesweeper-{name}-GuessFree-v0": size | {"guarantee": "guess-free"}
            for name, size in _SIZES.items()
        },
        **{
            f"Minesweeper-{shape.capitalize()}-v0": _SIZES["Beginner"] | {"shape": shape}
            for shape in ("torus", "cylinder", "hexagonal", "knight")
        },
    }
)


def register_environments() -> None:
    """Register all environments with Gymnasium, for one game and for many."""
    for name, settings in ENVIRONMENTS.items():
        arguments: dict[str, Any] = dict(settings)
        if name not in gymnasium.registry:
            gymnasium.register(
                name,
                entry_point="minecheck.solvers.environment.single:MinesweeperEnv",
                vector_entry_point="minecheck.solvers.environment.vector:MinesweeperVectorEnv",
                kwargs=arguments,
            )
