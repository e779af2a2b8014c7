"""Numbers of twice the precision of a double, for quotients that are rounded correctly.

A number is a pair (high, low): their unevaluated sum, ``high`` the nearest
double to it. For numbers that are not negative, no operation here loses more
than `LOSS`, relatively (Dekker 1971; Joldes, Muller and Popescu 2017), so that
long sums of products keep about 95 bits: far more than the 53 that are asked
for. `rounded` says when even that is not enough.

Losses add up: a number that comes about by a chain of n operations, counted
along its longest way from exact numbers, is off by no more than n * `LOSS`, as
long as that is small. Sums do not cancel, as nothing is negative. It also takes
that nothing leaves the range of doubles, and no part of what matters gets
subnormal: callers keep high parts between 1e-200 and 1e200, or scale them.
"""

from collections.abc import Callable
from fractions import Fraction
from math import inf, isfinite
from typing import Any, Final, TypeAlias

from minecheck.minefield.compiled import in_machine_code, inline_kernel

Twofold: TypeAlias = tuple[float, float]

#: What an operation loses, relatively, at most: 16 units of 2**-106. A quotient loses 15.
LOSS: Final = 2.0**-102
#: `round_twofold` is right for chains of at most this many operations.
LONGEST_CHAIN: Final = 1 << 16
_ERROR: Final = LOSS * LONGEST_CHAIN


@inline_kernel
def multiply_twofold(one: Twofold, other: Twofold) -> Twofold:
    """Return the product of two numbers that are not negative."""
    high, low = _exact_product(one[0], other[0])
    return _normalise(high, low + (one[0] * other[1] + one[1] * other[0]))


@inline_kernel
def add_twofold(one: Twofold, other: Twofold) -> Twofold:
    """Return the sum of two numbers that are not negative."""
    high = one[0] + other[0]
    part = high - one[0]
    low = (one[0] - (high - part)) + (other[0] - part)
    return _normalise(high, low + one[1] + other[1])


@inline_kernel
def divide_twofold(one: Twofold, other: Twofold) -> Twofold:
    """Return the quotient of two numbers that are not negative; ``other`` must not be 0."""
    first = one[0] / other[0]
    high, low = _exact_product(first, other[0])
    rest = ((one[0] - high) - low) + one[1] - first * other[1]
    return _normalise(first, rest / other[0])


@inline_kernel
def round_twofold(number: Twofold, error: float = _ERROR) -> tuple[float, bool]:
    """Round a number to the nearest double, and return whether its error leaves no doubt of it.

    Args:
        number: the pair (high, low).
        error: the relative error of the number; by default that of `LONGEST_CHAIN` operations.
    """
    high, low = number
    slack = abs(high) * error
    return high, high + (low + slack) == high and high + (low - slack) == high


@inline_kernel
def _normalise(high: float, low: float) -> Twofold:
    """Return the pair of the same sum whose first part is the nearest double to it.

    That takes no more than three operations if ``low`` is not larger than ``high`` (Dekker 1971).
    """
    nearest = high + low
    return nearest, low - (nearest - high)


@inline_kernel
def _exact_product(one: float, other: float) -> Twofold:
    """Return a product of doubles without error, unless it leaves their range.

    A fused multiply-add finds what the rounded product is off by.
    """
    high = one * other
    return high, _multiply_add(one, other, -high)


def _multiply_add_exactly(one: float, other: float, addend: float) -> float:
    """Return ``one * other + addend``, rounded once."""
    if not (isfinite(one) and isfinite(other) and isfinite(addend)):
        return addend if isfinite(one) and isfinite(other) else one * other + addend
    exact = Fraction(one) * Fraction(other) + Fraction(addend)
    try:
        return float(exact)
    except OverflowError:
        return inf if exact > 0 else -inf


def _multiply_add_as_ir(
    typing_context: Any, one: Any, other: Any, addend: Any
) -> tuple[Any, Callable[..., Any]]:
    """Return the type and the code generator of `_multiply_add_exactly`."""
    from numba import types

    def generate_code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.fma(*arguments)

    return types.float64(types.float64, types.float64, types.float64), generate_code


# Python has it from 3.13 on, and Numba has not; LLVM has: it becomes one instruction.
_multiply_add: Final = in_machine_code(_multiply_add_as_ir, unless_compiled=_multiply_add_exactly)
