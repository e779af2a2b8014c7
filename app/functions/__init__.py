"""Operations that one function does each: for each a module, under its name in capitals."""

from importlib import import_module
from typing import Final

from minecheck.app.operation import FunctionOperation

__all__ = ["NAMES", "find_function"]

#: The names of all of them, in the order in which people are shown them.
NAMES: Final = (
    "run",
    "paths",
    "step",
    "languages",
    "circuits",
    "boards",
    "deal",
    "game",
    "open",
    "grade",
    "replays",
    "export",
    "solution",
    "read_format",
    "write_format",
)


def find_function(name: str) -> FunctionOperation:
    """Return the operation of this name."""
    operation: FunctionOperation = getattr(import_module(f"{__name__}.{name}"), name.upper())
    return operation
