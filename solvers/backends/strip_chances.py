"""Exact chances by automata, as questions want them."""

from contextlib import AbstractContextManager
from dataclasses import dataclass
from fractions import Fraction
from functools import cmp_to_key

import numpy as np
from numpy.typing import NDArray

from automata import Odds, Strip
from solvers.budget import Budget
from solvers.counting.chances import by_chance
from solvers.counting.ratio import Ratio
from solvers.counting.safest import safest


@dataclass(frozen=True)
class StripChances:
    """The chance of a mine in each unknown cell of a consistent strip; cells in reading order.

    ``rounded`` are the nearest doubles, NaN for known cells, (height, width).
    As `solvers.counting.board.Chances`. All of the strip's work is done within the
    context ``bounded``.
    """

    strip: Strip
    odds: Odds
    rounded: NDArray[np.float64]
    bounded: AbstractContextManager[None]

    def nearest(self) -> NDArray[np.float64]:
        """Of each cell the nearest double, NaN for known ones; (cells,)."""
        return self.rounded.ravel()

    def exact(self, budget: Budget) -> NDArray[np.object_]:
        """Of each cell a Fraction, None for known ones; (cells,)."""
        found = np.full(self.rounded.size, None, dtype=np.object_)
        cells = np.flatnonzero(~np.isnan(self.nearest())).tolist()
        known: dict[Ratio, Fraction] = {}
        for cell, chance in zip(cells, self._ratios(cells), strict=True):
            if chance not in known:
                known[chance] = chance.exact(budget)
            found[cell] = known[chance]
        return found

    def least(self, wanted: int, cells: int) -> list[tuple[int, Ratio]]:
        """Of the cells numbered below ``cells`` the first by exact chance, then by number."""
        rounded = self.nearest()[:cells]
        first = safest(rounded, wanted)
        candidates = first.tolist()
        with self.bounded:
            alike = self.strip.alike(self.odds)
        if alike is None or not candidates:
            return list(zip(candidates, self._ratios(candidates), strict=True))
        # Rounding keeps the order, so only what looks like one of these is compared exactly.
        unsure = alike.ravel()[:cells]
        others = safest(np.where(unsure, np.nan, rounded), wanted).tolist()
        near = np.flatnonzero(unsure & (rounded <= rounded[first[-1]])).tolist()
        candidates = sorted({*near, *others})
        found = zip(candidates, self._ratios(candidates), strict=True)
        return sorted(found, key=cmp_to_key(by_chance))[:wanted]

    def _ratios(self, cells: list[int]) -> list[Ratio]:
        width = self.rounded.shape[1]
        places = [divmod(cell, width) for cell in cells]
        with self.bounded:
            return [Ratio(*ratio) for ratio in self.strip.ratios(places, self.odds)]
