"""Exact chances.

Tested in tests/solvers/counting/test_whole_board.py.
"""

from fractions import Fraction
from math import nextafter
from typing import NamedTuple

from minecheck.solvers.budget import Budget


class Ratio(NamedTuple):
    """An exact chance, ``part / whole``, not in lowest terms."""

    part: int
    whole: int

    @property
    def nearest(self) -> float:
        """The nearest double, but never 0 or 1 unless it is exactly that."""
        if self.part in (0, self.whole):
            return float(self.part != 0)
        return min(max(self.part / self.whole, nextafter(0.0, 1.0)), nextafter(1.0, 0.0))

    def to_fraction(self, budget: Budget) -> Fraction:
        """Return the fraction in lowest terms, in time quadratic in the digits."""
        budget.spend(1, self.whole.bit_length() ** 2 // 16)
        return Fraction(self.part, self.whole)
