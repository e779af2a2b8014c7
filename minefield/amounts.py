"""Amounts in words, as messages tell them."""


def several(number: int | str, noun: str) -> str:
    """A number, or the digits of one, with its noun: ``1 row``, ``2 rows``."""
    return f"{number} {noun}" if str(number) == "1" else f"{number} {noun}s"
