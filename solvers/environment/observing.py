"""What environments for one game and for many have in common: spaces, and frames.

Tested in tests/solvers/environment/test_single.py.
"""

from enum import StrEnum
from typing import Any, Final, TypeAlias, TypeVar, cast

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from minecheck.minefield.board import MINE
from minecheck.solvers.environment.dealing import DealtBoards
from minecheck.solvers.environment.pictures import draw_pixels, draw_with_rulers

Observation: TypeAlias = NDArray[np.int8]

Choice = TypeVar("Choice", bound=StrEnum)

RENDER_MODES: Final = ("ansi", "rgb_array")


def make_observation_space(kind: DealtBoards) -> spaces.Space[Observation]:
    """Return the space of what is shown."""
    shape = kind.rows, kind.cols
    return cast("spaces.Space[Observation]", spaces.Box(0, MINE, shape, np.int8))


def make_action_space(kind: DealtBoards) -> spaces.Discrete:
    """Return the space of the cells to click on."""
    return spaces.Discrete(kind.rows * kind.cols)


def read_choice(name: str, value: object, choices: type[Choice]) -> Choice:
    """Return the choice that the value of an argument stands for.

    Args:
        name: the name of the argument.
        value: its value.
        choices: all that there are.

    Raises:
        ValueError: it is none of them.
    """
    if value not in list(choices):
        raise ValueError(f"{value!r} is not a valid {name}. Use one of: {', '.join(choices)}.")
    return choices(str(value))


def read_render_mode(mode: str | None) -> str | None:
    """Return a render mode.

    Raises:
        ValueError: there is no such mode.
    """
    if mode is not None and mode not in RENDER_MODES:
        raise ValueError(f"{mode!r} is not a render mode. Use one of: {', '.join(RENDER_MODES)}.")
    return mode


def draw_frame(mode: str, kind: DealtBoards, cells: NDArray[np.int8]) -> Any:
    """Return a frame of a game: text, or pixels.

    Args:
        mode: one of `RENDER_MODES`.
        kind: the kind of the board.
        cells: what is shown: (cells,).
    """
    board = cells.reshape(kind.rows, kind.cols)
    return draw_with_rulers(board) if mode == "ansi" else draw_pixels(board, kind.shape)
