"""Numbers as JSON has them: exact integers as decimal strings, chances as numbers or fractions.

Tested in tests/app/test_exact.py and tests/app/test_library_answers.py.
"""

from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from minecheck.minefield import numerals


def render_chances(chances: NDArray[Any]) -> list[list[Any]]:
    """Return chances of shape (height, width) as JSON types."""
    rows: list[list[Any]] = chances.tolist()
    if chances.dtype != np.object_:
        # orjson writes NaN, which stands for a known cell, as null.
        return rows
    # Cells share their fractions: each is written once.
    written = {id(chance): render_chance(chance) for row in rows for chance in row}
    return [[written[id(chance)] for chance in row] for row in rows]


def render_chance(chance: float | Fraction | None) -> float | str | None:
    """Return a fraction as its two numbers, a float as it is."""
    if not isinstance(chance, Fraction):
        return chance
    return f"{format_integer(chance.numerator)}/{format_integer(chance.denominator)}"


def format_integer(number: int | None) -> str | None:
    """Return the decimal digits of a number of any size, or None."""
    return None if number is None else numerals.format_integer(number)
