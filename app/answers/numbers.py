"""Numbers as JSON has them: exact integers as decimal strings, chances as numbers or fractions."""

from decimal import MAX_EMAX, MAX_PREC, MIN_EMIN, Decimal, localcontext
from fractions import Fraction
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

#: Numbers of up to so many bits have less than the 4300 digits that `str` takes.
_SHORT_BITS: Final = 14_000
#: Numbers of up to so many bits are turned into digits at once.
_FEW_BITS: Final = 30_000


def chances(given: NDArray[Any]) -> list[list[Any]]:
    """Chances of shape (height, width) as JSON types."""
    rows: list[list[Any]] = given.tolist()
    if given.dtype != np.object_:
        # orjson writes NaN, which stands for a known cell, as null.
        return rows
    # Cells share their fractions: each is written once.
    written = {id(one): chance(one) for row in rows for one in row}
    return [[written[id(one)] for one in row] for row in rows]


def chance(given: float | Fraction | None) -> float | str | None:
    """A fraction as its two numbers, a float as it is."""
    if not isinstance(given, Fraction):
        return given
    return f"{digits(given.numerator)}/{digits(given.denominator)}"


def digits(number: int | None) -> str | None:
    """The decimal digits of a number of any size (`str` refuses more than 4300)."""
    if number is None:
        return None
    if number.bit_length() <= _SHORT_BITS:
        return str(number)
    with localcontext(prec=MAX_PREC, Emax=MAX_EMAX, Emin=MIN_EMIN):
        return f"{_decimal(number, number.bit_length()):f}"


def _decimal(number: int, bits: int) -> Decimal:
    """A number of so many bits, by halves: those are multiplied in nearly linear time."""
    if bits <= _FEW_BITS:
        return Decimal(number)
    low = bits // 2
    rest = _decimal(number & ((1 << low) - 1), low)
    return _decimal(number >> low, bits - low) * Decimal(2) ** low + rest
