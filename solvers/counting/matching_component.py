"""Components whose layouts are the perfect matchings of a graph: dominoes, wherever they are found.

Where each clue asks for one mine, and each box lies in two clues, clues are the vertices of a graph
and boxes its edges. Where that is planar and tables would be wide, a determinant counts them.
"""

from collections.abc import Mapping
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from minecheck.minefield.reduction.constraints import Reduction
from minecheck.solvers.budget import Budget, TooWide
from minecheck.solvers.counting.component import Component
from minecheck.solvers.counting.determinants import Sparse
from minecheck.solvers.counting.kasteleyn import Matchings
from minecheck.solvers.counting.ratio import Ratio
from minecheck.solvers.counting.rounded import Rounded
from minecheck.solvers.findings import Estimate

#: Components of fewer boxes have narrow tables, as have those that take fewer units of `Budget`.
_FEW_BOXES: Final = 60
_CHEAP: Final = 1_000_000


class MatchingComponent(Component):
    """Such a component: a `Component` that has another way where tables are wide.

    Args:
        reduction: a reduction without conflict.
        component: which of its components.
        budget: spent by each pass.
        cheap_work: the work for which tables are used in any case, in units of `Budget`.
    """

    def __init__(
        self, reduction: Reduction, component: int, budget: Budget, cheap_work: float = _CHEAP
    ) -> None:
        super().__init__(reduction, component, budget)
        self._cheap_work = cheap_work

    @staticmethod
    def is_matching(reduction: Reduction, component: int, few_boxes: int = _FEW_BOXES) -> bool:
        """Return True if the layouts of a component are matchings, and it is not small.

        Args:
            reduction: the reduced board.
            component: the number of the component.
            few_boxes: the number of boxes below which it is small.
        """
        first_box, end_box = reduction.component_boxes[component : component + 2].tolist()
        if end_box - first_box < few_boxes:
            return False
        clues = slice(*reduction.component_clues[component : component + 2].tolist())
        begin, end = reduction.clue_start[[clues.start, clues.stop]].tolist()
        degrees = np.bincount(
            reduction.clue_boxes[begin:end] - first_box, minlength=end_box - first_box
        )
        exact = (reduction.low[clues] == 1) & (reduction.high[clues] == 1)
        return bool(exact.all() and (degrees == 2).all())

    @cached_property
    def matchings(self) -> Matchings:
        """The graph, its edges in the order of the boxes."""
        clue = np.repeat(np.arange(self._low.size), np.diff(self._clue_start))
        ends = clue[np.argsort(self._clue_boxes, kind="stable")].reshape(-1, 2)
        edges = [(first_clue, second_clue) for first_clue, second_clue in ends.tolist()]
        return Matchings(self._low.size, edges, self._size.astype(np.int64))

    @cached_property
    def _matrix(self) -> Sparse | None:
        """The matrix of the determinant; None if tables are the better way, or the only one."""
        tables = super().cost
        if tables <= self._cheap_work:
            return None
        matrix = self.matchings.matrix
        return matrix if matrix is not None and matrix.cost < tables else None

    @property
    def splits(self) -> bool:
        """True if the component may be counted in parts, which only tables may."""
        return self._matrix is None

    @property
    def core(self) -> list[int] | None:
        """Clues that have no matching, None if none are known."""
        return self.matchings.find_excess()

    @property
    def cost(self) -> float:
        """The cost of the count, in units of `solvers.budget.Budget`."""
        return super().cost if self._matrix is None else self._matrix.cost

    @property
    def by_mines_cost(self) -> float:
        """The cost of the count by mines, which is no more where all layouts have as many."""
        return super().by_mines_cost if self._matrix is None else self._matrix.cost

    @property
    def estimate(self) -> Estimate:
        """The expected cost of the count in time and memory."""
        if self._matrix is None:
            return super().estimate
        return Estimate(self._matrix.cost, float(self._matrix.order) ** 2)

    @cached_property
    def count(self) -> int:
        """The number of layouts, by a determinant where tables are wide."""
        if self._matrix is None:
            return super().count
        self._spend_budget(self._matrix.cost)
        return self.matchings.count_matchings(self._check_deadline)

    @cached_property
    def by_mines(self) -> dict[int, int]:
        """Layouts by number of mines, which all have in common."""
        if self._matrix is None:
            return super().by_mines
        return {self._mines: self.count} if self.count else {}

    @cached_property
    def totals(self) -> int:
        """The possible numbers of mines as bits."""
        if self._matrix is None:
            return super().totals
        return 1 << self._mines if self.count else 0

    @property
    def _mines(self) -> int:
        """The number of mines in every layout."""
        return self.matchings.vertices // 2

    def find_forced(self, allowed: int = -1) -> dict[int, bool]:
        """Return boxes that are all mines or all safe, from how many matchings hold each edge."""
        if self._matrix is None:
            return super().find_forced(allowed)
        return {
            box: mine_sum != 0
            for (box, mine_sum), size in zip(self.sum_mines().items(), self.sizes, strict=True)
            if mine_sum in (0, self.count * size)
        }

    def weigh_layouts(self, mine: int, safe: int) -> int:
        """Return the weight of all layouts, which weigh the same.

        Args:
            mine: the weight of a mine.
            safe: the weight of a safe cell.
        """
        if self._matrix is None:
            return super().weigh_layouts(mine, safe)
        return self.count * self._weigh_layout(mine, safe)

    def _weigh_layout(self, mine: int, safe: int) -> int:
        """Return the weight of every layout."""
        return int(mine**self._mines * safe ** (self.cells - self._mines))

    def sum_mines(self, mine: int = 1, safe: int = 1) -> dict[int, int]:
        """Return the mines of each box, summed over all layouts by weight.

        Args:
            mine: the weight of a mine.
            safe: the weight of a safe cell.
        """
        if self._matrix is None:
            return super().sum_mines(mine, safe)
        weight = self._weigh_layout(mine, safe)
        return {box: layouts * weight for box, layouts in enumerate(self._holding, self.first_box)}

    @cached_property
    def _holding(self) -> list[int]:
        """Layouts with a mine in each box."""
        assert self._matrix is not None, "called where there is a determinant"
        if not self.count:
            return [0] * len(self.sizes)
        self._spend_budget(self._matrix.inverse_cost)
        return self.matchings.count_by_edge(self.count, self._check_deadline)

    def round_chances(self, mine: int = 1, safe: int = 1) -> NDArray[np.float64]:
        """Return the nearest doubles to the chances of the boxes: (boxes,).

        Args:
            mine: the weight of a mine, which makes no difference here.
            safe: the weight of a safe cell, which makes none either.
        """
        if self._matrix is None:
            return super().round_chances(mine, safe)
        layouts_and_sizes = zip(self._holding, self.sizes, strict=True)
        return np.array(
            [Ratio(layouts, self.count * size).nearest for layouts, size in layouts_and_sizes]
        )

    def sum_completed_mines(self, completions: Mapping[int, int]) -> dict[int, int]:
        """Return the mines of each box, summed over all layouts of the board."""
        if self._matrix is None:
            return super().sum_completed_mines(completions)
        layouts_of_rest = completions.get(self._mines, 0)
        return {box: mine_sum * layouts_of_rest for box, mine_sum in self.sum_mines().items()}

    def round_completed_chances(
        self, completions: Rounded, roundings: float
    ) -> NDArray[np.float64] | None:
        """Return the chances of the boxes, for which the rest of the board makes no difference.

        Args:
            completions: layouts of the rest by mines of this component.
            roundings: how many operations' losses these may be off by.
        """
        if self._matrix is None:
            return super().round_completed_chances(completions, roundings)
        # All layouts have the same number of mines.
        return self.round_chances()

    def find_witness(self, mines: int | None) -> NDArray[np.int32]:
        """Return the mines of each box in some matching: int32, (boxes,).

        Raises:
            TooWide: none was found.
        """
        if self._matrix is None:
            return super().find_witness(mines)
        matching = self.matchings.find_matching()
        if matching is None:
            raise TooWide
        return np.array(matching, np.int32)
