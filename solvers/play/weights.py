"""The weights of what moves are ordered by before the end of a game, and the games that gave them.

Tested in tests/solvers/play/test_even_guesses.py.
"""

from functools import cache
from importlib.resources import files
from tomllib import loads
from typing import NamedTuple


class Weights(NamedTuple):
    """The weights of scores; weights.toml explains each of them."""

    even: float
    near: float
    second: float


@cache
def load_weights() -> Weights:
    """Load the weights in weights.toml."""
    values = loads(files("minecheck.solvers.play").joinpath("weights.toml").read_text())
    return Weights(values["even"], values["near"], values["second"])
