"""Numbers of twice the precision of a double, for quotients that are rounded correctly.

A number is a pair (high, low): their unevaluated sum, ``high`` the nearest
double to it. For numbers that are not negative, no operation here loses more
than a few units of 2**-104, relatively (Dekker 1971; Joldes, Muller and
Popescu 2017), so that long sums of products keep about 95 bits: far more than
the 53 that are asked for. `rounded` says when even that is not enough.
"""

from typing import Final, TypeAlias

from minefield.compiled import inlined, inner

Twofold: TypeAlias = tuple[float, float]

#: Splits a double into halves of 26 bits.
_SPLITTER: Final = 134217729.0
#: More than the relative error of any chain of a few thousand operations.
_ERROR: Final = 2.0**-86


@inlined
def product(one: Twofold, other: Twofold) -> Twofold:
    """The product of two numbers."""
    high, low = _exact_product(one[0], other[0])
    return _normal(high, low + (one[0] * other[1] + one[1] * other[0]))


@inner
def total(one: Twofold, other: Twofold) -> Twofold:
    """The sum of two numbers that are not negative."""
    high = one[0] + other[0]
    part = high - one[0]
    low = (one[0] - (high - part)) + (other[0] - part)
    return _normal(high, low + one[1] + other[1])


@inlined
def quotient(one: Twofold, other: Twofold) -> Twofold:
    """The quotient of two numbers."""
    first = one[0] / other[0]
    high, low = _exact_product(first, other[0])
    rest = ((one[0] - high) - low) + one[1] - first * other[1]
    return _normal(first, rest / other[0])


@inlined
def rounded(number: Twofold, error: float = _ERROR) -> tuple[float, bool]:
    """The nearest double, and whether the relative error of the number leaves no doubt about it."""
    high, low = number
    slack = abs(high) * error
    return high, high + (low + slack) == high and high + (low - slack) == high


@inlined
def _normal(high: float, low: float) -> Twofold:
    """The pair of the same sum whose first part is the nearest double to it."""
    nearest = high + low
    return nearest, low - (nearest - high)


@inlined
def _exact_product(one: float, other: float) -> Twofold:
    """A product of doubles without error, unless it leaves their range."""
    high = one * other
    left = _SPLITTER * one
    left -= left - one
    right = _SPLITTER * other
    right -= right - other
    low = left * right - high
    low += left * (other - right) + (one - left) * right
    return high, low + (one - left) * (other - right)
