"""Exact chances.

Tested in tests/solvers/counting/test_whole_board.py.
"""

from fractions import Fraction
from typing import NamedTuple

from minecheck.automata.odds import round_ratio
from minecheck.solvers.budget import Budget


class Ratio(NamedTuple):
    """An exact chance, ``part / whole``, not in lowest terms."""

    part: int
    whole: int

    @property
    def nearest(self) -> float:
        """The nearest double, but never 0 or 1 unless it is exactly that."""
        return round_ratio(self.part, self.whole)

    def to_fraction(self, budget: Budget) -> Fraction:
        """Return the fraction in lowest terms, in time quadratic in the digits."""
        budget.spend(1, self.whole.bit_length() ** 2 // 16)
        return Fraction(self.part, self.whole)
