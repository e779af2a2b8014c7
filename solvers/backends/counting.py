"""Any board of narrow components, counted exactly: `solvers.counting` as a backend.

Tested in tests/solvers/test_router.py.
"""

from collections.abc import Iterator
from fractions import Fraction
from functools import cached_property
from random import Random

import numpy as np
from numpy.typing import NDArray

from minecheck.minefield.layout import Layout
from minecheck.solvers.backend import Backend
from minecheck.solvers.backends.method import Reduced
from minecheck.solvers.budget import Budget
from minecheck.solvers.counting.chances import Chances
from minecheck.solvers.counting.ratio import Ratio
from minecheck.solvers.counting.whole_board import BoardTally
from minecheck.solvers.findings import Estimate, Forced

#: Units of `solvers.budget.Budget` that are done in a second, at least.
_WORK_A_SECOND = 250_000_000


class Counting(Reduced):
    """Any board of narrow components, by dynamic programming."""

    backend = Backend.FRONTIER

    @cached_property
    def tally(self) -> BoardTally:
        """The counts."""
        work = self.effort.transitions
        if self.effort.unbounded:
            # Work that cannot be done in time is not begun.
            work = int(min(work, max(0.0, self.deadline.left) * _WORK_A_SECOND))
        return BoardTally(self.reduction, Budget(work, self.deadline))

    def find_witness(self) -> Layout | None:
        """Return the first layout, None if there is none."""
        if self.contradictory or not self.tally.count:
            return None
        return self._layout_from_mines(self.tally.unrank(0))

    def find_forced(self) -> tuple[Forced, bool]:
        """Return the forced cells, which are always all of them."""
        return self._forced_from_values(self.tally.find_forced()), True

    def count(self) -> int:
        """Count the layouts by dynamic programming."""
        return self.tally.count

    def by_mines(self) -> dict[int, int] | None:
        """Return the layouts by number of mines."""
        return self.tally.by_mines

    @property
    def soon_by_mines(self) -> bool:
        """True if layouts by number of mines take little time."""
        return self.tally.soon_by_mines

    @property
    def estimate(self) -> Estimate | None:
        """The expected cost of the count, None before counting was considered."""
        return self.tally.estimate if "tally" in vars(self) else None

    def iterate_layouts(self) -> Iterator[Layout]:
        """Yield layouts from the question's offset on, by their numbers."""
        for rank in range(self.question.offset, self.tally.count):
            self.deadline.check()
            yield self._layout_from_mines(self.tally.unrank(rank))

    def sample(self, random: Random) -> Layout:
        """Draw a layout at random, weighted by the density of the question."""
        return self._layout_from_mines(self.tally.sample(random, self.question.density))

    def rank(self, layout: Layout) -> int:
        """Return the number of a layout in the order of `iterate_layouts`."""
        return self.tally.rank(layout.mines.ravel())

    def compute_chances(self) -> Chances | None:
        """Return exact chances if the question asks for fractions, else None."""
        # Doubles that are rounded to nearest rank the cells correctly, too.
        density = self.question.density
        return self.tally.compute_chances(density) if self.question.fractions else None

    def compute_probabilities(self) -> NDArray[np.float64]:
        """Return the nearest doubles to the chances, NaN for known cells, (height, width)."""
        return self.rounded

    @cached_property
    def rounded(self) -> NDArray[np.float64]:
        """The nearest doubles to the chances, NaN for known cells, (height, width)."""
        return self.tally.compute_probabilities(self.question.density).reshape(self.board.shape)

    def compute_likelihood(self, density: Fraction) -> Ratio | None:
        """Return the chance that random mines of this density make a layout."""
        return self.tally.compute_likelihood(density)
