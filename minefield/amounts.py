"""Amounts in words and digits."""

from decimal import MAX_EMAX, MAX_PREC, MIN_EMIN, Decimal, localcontext
from typing import Final

#: Numbers of up to so many bits have less than the 4300 digits that `str` takes.
_SHORT_BITS: Final = 14_000
#: Numbers of up to so many bits are turned into digits at once.
_FEW_BITS: Final = 30_000


def several(number: int | str, noun: str) -> str:
    """A number, or the digits of one, with its noun: ``1 row``, ``2 rows``."""
    return f"{number} {noun}" if str(number) == "1" else f"{number} {noun}s"


def digits(number: int) -> str:
    """The decimal digits of a number of any size (`str` refuses more than 4300)."""
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
