"""Chances of cells as exact ratios, rounded and ranked.

Tested in tests/solvers/counting/test_whole_board.py.
"""

from dataclasses import dataclass
from functools import cached_property, cmp_to_key
from heapq import nsmallest
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from minecheck.minefield.reduction.constraints import Index
from minecheck.solvers.budget import Budget
from minecheck.solvers.counting.ratio import Ratio


@dataclass(frozen=True)
class Chances:
    """The chance of a mine for groups of cells, each ascending, out of ``cells`` in all."""

    cells: int
    groups: list[tuple[Index, Ratio]]

    @cached_property
    def rounded(self) -> list[float]:
        """The nearest double of each group."""
        return [chance.nearest for _, chance in self.groups]

    def round_chances(self) -> NDArray[np.float64]:
        """Return the chance of each cell, (cells,), NaN for those in no group."""
        chances = np.full(self.cells, np.nan)
        for (cells, _), chance in zip(self.groups, self.rounded, strict=True):
            chances[cells] = chance
        return chances

    def to_fractions(self, budget: Budget) -> NDArray[np.object_]:
        """Return a Fraction for each cell, (cells,), None for those in no group."""
        fractions = np.full(self.cells, None, dtype=np.object_)
        for cells, chance in self.groups:
            fractions[cells] = chance.to_fraction(budget)
        return fractions

    def find_safest(self, most_cells: int, cells: int) -> list[tuple[int, Ratio]]:
        """Return the safest cells numbered below ``cells``, by exact chance, then by number.

        Args:
            most_cells: how many cells to return at most.
            cells: the number of cells, in reading order, to choose among.
        """
        safest: list[tuple[int, Ratio]] = []
        # Rounding keeps the order, so only what looks alike is compared exactly.
        rounded = self.rounded.__getitem__
        for _, indices in groupby(sorted(range(len(self.groups)), key=rounded), rounded):
            if len(safest) >= most_cells:
                break
            candidates = [
                (cell, chance)
                for group, chance in (self.groups[index] for index in indices)
                for cell in group[:most_cells].tolist()
                if cell < cells
            ]
            safest += nsmallest(most_cells, candidates, key=cmp_to_key(compare_by_chance))
        return safest[:most_cells]


def compare_by_chance(left: tuple[int, Ratio], right: tuple[int, Ratio]) -> int:
    """Compare two cells by chance, then by number, for `functools.cmp_to_key`.

    Args:
        left: a cell and its chance.
        right: another cell and its chance.

    Returns:
        A number below 0 if the left one comes first, above 0 if the right one does.
    """
    (left_cell, left_chance), (right_cell, right_chance) = left, right
    exactly = (
        0
        if left_chance is right_chance
        else left_chance.part * right_chance.whole - right_chance.part * left_chance.whole
    )
    return exactly or left_cell - right_cell
