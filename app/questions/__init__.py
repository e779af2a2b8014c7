"""What can be asked: one record per question, from which all else derives.

`app.questions.catalogue` has them all. What needs only one, as a command does, loads no other.
"""

from importlib import import_module
from typing import Final

from app.questions.record import Record

__all__ = ["NAMES", "Record", "named"]

#: Of all questions, in the order in which people are shown them. Each has a module of its own.
NAMES: Final = (
    "check",
    "layouts",
    "count",
    "forced",
    "analyze",
    "strips",
    "sample",
    "explain",
    "conflicts",
    "repair",
    "moves",
    "compose",
)


def named(name: str) -> Record:
    """The question of this name."""
    found: Record = getattr(import_module(f"app.questions.{name}"), name.upper())
    return found
