"""Numbers of twice the precision of a double, for quotients that are rounded correctly.

A number is a pair (high, low): their unevaluated sum, ``high`` the nearest
double to it. For numbers that are not negative, no operation here loses more
than a few units of 2**-104, relatively (Dekker 1971; Joldes, Muller and
Popescu 2017), so that long sums of products keep about 95 bits: far more than
the 53 that are asked for. `rounded` says when even that is not enough.
"""

from collections.abc import Callable
from typing import Any, Final, TypeAlias, cast

from numba import types
from numba.extending import intrinsic

from minefield.compiled import inlined

Twofold: TypeAlias = tuple[float, float]

#: More than the relative error of any chain of a few thousand operations.
_ERROR: Final = 2.0**-86


@inlined
def product(one: Twofold, other: Twofold) -> Twofold:
    """The product of two numbers."""
    high, low = _exact_product(one[0], other[0])
    return _normal(high, low + (one[0] * other[1] + one[1] * other[0]))


@inlined
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
    return high, _multiply_add(one, other, -high)


def _multiply_add_as_ir(
    typing_context: Any, one: Any, other: Any, addend: Any
) -> tuple[Any, Callable[..., Any]]:
    """``one * other + addend``, rounded once."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.fma(*arguments)

    return types.float64(types.float64, types.float64, types.float64), generate


# Python has it from 3.13 on, and Numba has not; LLVM has: it becomes one instruction.
_multiply_add = cast(Callable[[float, float, float], float], intrinsic(_multiply_add_as_ir))
