"""Chances of cells as exact ratios, rounded and ranked."""

from dataclasses import dataclass
from functools import cached_property, cmp_to_key
from heapq import nsmallest
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from minefield.reduction.constraints import Index
from solvers.budget import Budget
from solvers.counting.ratio import Ratio


@dataclass(frozen=True)
class Chances:
    """The chance of a mine for groups of cells, each ascending, out of ``cells`` in all."""

    cells: int
    groups: list[tuple[Index, Ratio]]

    @cached_property
    def rounded(self) -> list[float]:
        """Of each group the nearest double."""
        return [chance.nearest for _, chance in self.groups]

    def nearest(self) -> NDArray[np.float64]:
        """Of each cell, NaN for those in no group; (cells,)."""
        found = np.full(self.cells, np.nan)
        for (cells, _), chance in zip(self.groups, self.rounded, strict=True):
            found[cells] = chance
        return found

    def exact(self, budget: Budget) -> NDArray[np.object_]:
        """Of each cell a Fraction, None for those in no group; (cells,)."""
        found = np.full(self.cells, None, dtype=np.object_)
        for cells, chance in self.groups:
            found[cells] = chance.exact(budget)
        return found

    def least(self, wanted: int, cells: int) -> list[tuple[int, Ratio]]:
        """Of the cells numbered below ``cells`` the first by exact chance, then by number."""
        found: list[tuple[int, Ratio]] = []
        # Rounding keeps the order, so only what looks alike is compared exactly.
        rounded = self.rounded.__getitem__
        for _, places in groupby(sorted(range(len(self.groups)), key=rounded), rounded):
            if len(found) >= wanted:
                break
            candidates = [
                (cell, chance)
                for group, chance in (self.groups[place] for place in places)
                for cell in group[:wanted].tolist()
                if cell < cells
            ]
            found += nsmallest(wanted, candidates, key=cmp_to_key(by_chance))
        return found[:wanted]


def by_chance(left: tuple[int, Ratio], right: tuple[int, Ratio]) -> int:
    """Below 0 if the left chance is smaller, above if it is larger; else by cell."""
    (cell, one), (other, two) = left, right
    exactly = 0 if one is two else one.part * two.whole - two.part * one.whole
    return exactly or cell - other
