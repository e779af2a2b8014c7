"""Exact chances by automata, as questions want them.

Tested in tests/automata/test_strips.py and tests/solvers/test_router.py.
"""

from contextlib import AbstractContextManager
from dataclasses import dataclass
from fractions import Fraction
from functools import cmp_to_key

import numpy as np
from numpy.typing import NDArray

from minecheck.automata import Odds, Strip
from minecheck.solvers.budget import Budget
from minecheck.solvers.counting.chances import compare_by_chance
from minecheck.solvers.counting.ratio import Ratio
from minecheck.solvers.counting.safest import find_safest


@dataclass(frozen=True)
class StripChances:
    """The chance of a mine in each unknown cell of a consistent strip; cells in reading order.

    ``rounded`` are the nearest doubles, NaN for known cells, (height, width).
    As `solvers.counting.chances.Chances`. All of the strip's work is done within the
    context ``bounded``.
    """

    strip: Strip
    odds: Odds
    rounded: NDArray[np.float64]
    bounded: AbstractContextManager[None]

    def round_chances(self) -> NDArray[np.float64]:
        """Return the nearest double for each cell, (cells,), NaN for known cells."""
        return self.rounded.ravel()

    def to_fractions(self, budget: Budget) -> NDArray[np.object_]:
        """Return a Fraction for each cell, (cells,), None for known cells."""
        fractions = np.full(self.rounded.size, None, dtype=np.object_)
        cells = np.flatnonzero(~np.isnan(self.round_chances())).tolist()
        fraction_of: dict[Ratio, Fraction] = {}
        for cell, chance in zip(cells, self._compute_ratios(cells), strict=True):
            if chance not in fraction_of:
                fraction_of[chance] = chance.to_fraction(budget)
            fractions[cell] = fraction_of[chance]
        return fractions

    def find_safest(self, most: int, cells: int) -> list[tuple[int, Ratio]]:
        """Return the safest cells numbered below ``cells``, by exact chance, then by number.

        Args:
            most: how many cells to return at most.
            cells: the number of cells, in reading order, to choose among.
        """
        rounded = self.round_chances()[:cells]
        safest_rounded = find_safest(rounded, most)
        candidates = safest_rounded.tolist()
        with self.bounded:
            alike = self.strip.find_alike(self.odds)
        if alike is None or not candidates:
            return list(zip(candidates, self._compute_ratios(candidates), strict=True))
        # Rounding keeps the order, so only what looks like one of these is compared exactly.
        unsure = alike.ravel()[:cells]
        others = find_safest(np.where(unsure, np.nan, rounded), most).tolist()
        near = np.flatnonzero(unsure & (rounded <= rounded[safest_rounded[-1]])).tolist()
        candidates = sorted({*near, *others})
        rated = zip(candidates, self._compute_ratios(candidates), strict=True)
        return sorted(rated, key=cmp_to_key(compare_by_chance))[:most]

    def _compute_ratios(self, cells: list[int]) -> list[Ratio]:
        width = self.rounded.shape[1]
        coordinates = [divmod(cell, width) for cell in cells]
        with self.bounded:
            return [Ratio(*ratio) for ratio in self.strip.compute_ratios(coordinates, self.odds)]
