"""Numbers of twice the precision of a double and of any size, in compiled loops.

A weight of many layouts leaves the range of doubles, and weights that are summed may lie far
apart. So each number is a `minefield.double_double` with an exponent of its own; in arrays, three
doubles in a row. None is negative.

Tested in tests/automata/test_diagram.py and tests/automata/test_weighing.py.
"""

from fractions import Fraction
from typing import Final, TypeAlias

import numpy as np

from minecheck.minefield import double_double
from minecheck.minefield.compiled import Matrix, compile_inner, inline_kernel
from minecheck.minefield.double_double import (
    add_twofold,
    divide_twofold,
    multiply_twofold,
    round_twofold,
)

#: High and low part, and the exponent, in units of `_STEP`.
Number: TypeAlias = tuple[float, float, float]
#: An operation loses no more, relatively; scaling by powers of two loses nothing.
LOSS: Final = double_double.LOSS

#: High parts lie between 1 / _RANGE and _RANGE, which is the root of a step.
_RANGE: Final = 2.0**256
_STEP: Final = 2.0**512
_STEP_BITS: Final = 512
#: The low parts of smaller chances may be cut off.
_LEAST_SURE: Final = 2.0**-900
_LEAST: Final = 5e-324
_BELOW_ONE: Final = 1.0 - 2.0**-53


def number_from_integer(integer: int) -> Number:
    """Round an integer, not negative, to a number."""
    exponent = (integer.bit_length() + _STEP_BITS // 2 - 1) // _STEP_BITS
    scaled = Fraction(integer, 1 << _STEP_BITS * exponent)
    high = float(scaled)
    return high, float(scaled - Fraction(high)), float(exponent)


@inline_kernel
def read_number(vector: Matrix[np.float64], index: int) -> Number:
    """Read a number of a vector, (numbers, 3).

    Args:
        vector: numbers as three doubles each: high part, low part, exponent.
        index: the index of the number.
    """
    return vector[index, 0], vector[index, 1], vector[index, 2]


@inline_kernel
def add_number(vector: Matrix[np.float64], index: int, number: Number) -> None:
    """Add to a number of a vector, (numbers, 3), in place.

    Args:
        vector: numbers as three doubles each: high part, low part, exponent.
        index: the index of the number.
        number: what is added.
    """
    vector[index] = add_numbers(read_number(vector, index), number)


@compile_inner
def add_numbers(larger: Number, smaller: Number) -> Number:
    """Return the sum of two numbers, neither of them negative."""
    if larger[0] == 0 or smaller[0] == 0:
        return smaller if larger[0] == 0 else larger
    if larger[2] < smaller[2]:
        larger, smaller = smaller, larger
    exponent_gap = larger[2] - smaller[2]
    # Numbers with exponents further apart cannot change each other's digits.
    if exponent_gap > 1:
        return larger
    scale = 1.0 if exponent_gap == 0 else 1.0 / _STEP
    high, low = add_twofold((larger[0], larger[1]), (smaller[0] * scale, smaller[1] * scale))
    return _normalise(high, low, larger[2])


@inline_kernel
def multiply_numbers(left: Number, right: Number) -> Number:
    """Return the product of two numbers, neither of them negative."""
    high, low = multiply_twofold((left[0], left[1]), (right[0], right[1]))
    return _normalise(high, low, left[2] + right[2])


@compile_inner
def _normalise(high: float, low: float, exponent: float) -> Number:
    """Return a number with its high part in range."""
    if high >= _RANGE:
        return high / _STEP, low / _STEP, exponent + 1
    if 0 < high < 1 / _RANGE:
        return high * _STEP, low * _STEP, exponent - 1
    return high, low, exponent


@compile_inner
def round_ratio(part: Number, whole: Number, error: float) -> float:
    """Return the double nearest to the chance ``part / whole``, which is neither 0 nor 1.

    Args:
        part: the part.
        whole: the whole, above 0.
        error: the relative error of the two together.

    Returns:
        NaN where it is in doubt which double is nearest.
    """
    high, low, exponent = _normalise(
        *divide_twofold((part[0], part[1]), (whole[0], whole[1])), part[2] - whole[2]
    )
    if exponent < -2:
        return _LEAST
    while exponent < 0:
        high, low, exponent = high / _STEP, low / _STEP, exponent + 1
    chance, sure = round_twofold((high, low), error)
    if not sure or chance < _LEAST_SURE:
        return np.nan
    return min(chance, _BELOW_ONE)
