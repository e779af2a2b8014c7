"""Numbers and lists as text."""

from collections.abc import Iterable
from decimal import MAX_EMAX, MAX_PREC, MIN_EMIN, Decimal, localcontext
from typing import Final

#: Python converts at most this many digits at once.
MOST_DIGITS: Final = 4300
#: The number of bits below which an integer always has fewer digits than that.
_SHORT_BITS: Final = 14_000
#: The number of bits up to which an integer is converted at once.
_FEW_BITS: Final = 30_000


def format_count(number: int | str, noun: str) -> str:
    """Return a number with its noun, such as ``1 row`` or ``2 rows``.

    Args:
        number: the number, or its decimal digits.
        noun: the noun in the singular; an ``s`` makes its plural.
    """
    return f"{number} {noun}" if str(number) == "1" else f"{number} {noun}s"


def join_words(words: Iterable[str]) -> str:
    """Join one word or more with commas and an "and"."""
    *others, last = words
    return f"{', '.join(others)} and {last}" if others else last


def format_integer(number: int) -> str:
    """Return the decimal digits of an integer of any size (`str` rejects more than 4300 digits)."""
    if number.bit_length() <= _SHORT_BITS:
        return str(number)
    with localcontext(prec=MAX_PREC, Emax=MAX_EMAX, Emin=MIN_EMIN):
        return f"{_to_decimal(number, number.bit_length()):f}"


def _to_decimal(number: int, bits: int) -> Decimal:
    """Convert an integer of ``bits`` bits by halves, which are multiplied in nearly linear time."""
    if bits <= _FEW_BITS:
        return Decimal(number)
    low = bits // 2
    lower = _to_decimal(number & ((1 << low) - 1), low)
    return _to_decimal(number >> low, bits - low) * Decimal(2) ** low + lower
