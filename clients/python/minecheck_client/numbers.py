"""Decimal digits and integers of any size: Python's own ways end at 4300 digits."""

from decimal import Decimal

#: So many digits Python reads under any limit that may be set (640 is the lowest).
_FEW = 600


def integer(digits: str) -> int:
    """The integer with these decimal digits, by halves.

    Raises:
        ValueError: they are not decimal digits.
    """
    if len(digits) <= _FEW:
        return int(digits)
    low = len(digits) // 2
    scale: int = 10**low
    return integer(digits[:-low]) * scale + integer(digits[-low:])


def digits(number: int) -> str:
    """The decimal digits of an integer."""
    return str(Decimal(number))
