"""The weights of the layouts of a strip, and the doubles nearest to exact chances.

Tested in tests/automata/test_diagram.py and tests/automata/test_weighing.py.
"""

from fractions import Fraction
from math import nextafter
from typing import Final, NamedTuple

#: Fractions of numbers up to this that round to the same double are equal: two that differ do so
#: by 2**-52 at least.
MOST_DISTINCT: Final = 2.0**26


class Odds(NamedTuple):
    """What a mine and a safe cell weigh: whole numbers above 0, nothing in common.

    A layout weighs the product over its unknown cells.
    """

    mine: int
    safe: int

    @property
    def chance(self) -> Fraction:
        """The chance of a cell that no clue sees."""
        return Fraction(self.mine, self.mine + self.safe)


#: All layouts weigh the same.
EVEN: Final = Odds(1, 1)


def round_ratio(part: int, whole: int) -> float:
    """Return the double nearest to ``part / whole``, but 0 or 1 only if it is exactly that."""
    if part in (0, whole):
        return float(part != 0)
    return min(max(part / whole, nextafter(0.0, 1.0)), nextafter(1.0, 0.0))
