"""One component of a reduction before it is counted: its boxes, the plan of joins, and their cost.

What a pass takes is known before it starts: `solvers.counting.elimination` plans which tables are
joined, and `solvers.counting.cost` tells what that takes.

Tested in tests/solvers/counting/test_component.py.
"""

from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from math import comb, inf, log2
from typing import Final

import numpy as np

from minecheck.minefield.reduction.constraints import Index, Reduction
from minecheck.solvers.budget import Budget, TooWide
from minecheck.solvers.counting.combinations import rank_combination, unrank_combination
from minecheck.solvers.counting.cost import BOX, Limbs, estimate_bits, estimate_inside_work
from minecheck.solvers.counting.elimination import plan_joins
from minecheck.solvers.counting.join_tree import CLUE, JoinTree
from minecheck.solvers.findings import Estimate

#: Numbers of mines that the layouts of some cells have, for each of these cells.
_SPREAD: Final = 0.1


class PlannedComponent:
    """One component of a reduction: what its boxes hold, by their kinds, and how it is counted.

    Here the kind of a box is its size.

    Args:
        reduction: a reduction without conflict.
        component: which of its components.
        budget: spent by each pass.
    """

    def __init__(self, reduction: Reduction, component: int, budget: Budget) -> None:
        first_box, end_box = reduction.component_boxes[component : component + 2].tolist()
        self.first_box = first_box
        self.budget = budget
        starts = reduction.box_start[first_box : end_box + 1]
        self._size = np.diff(starts)
        self.cells = int(starts[-1] - starts[0])
        clues = slice(*reduction.component_clues[component : component + 2].tolist())
        clue_start = reduction.clue_start[clues.start : clues.stop + 1]
        self._clue_start = clue_start - clue_start[0]
        self._clue_boxes = reduction.clue_boxes[clue_start[0] : clue_start[-1]] - np.int32(
            first_box
        )
        self._low, self._high = reduction.low[clues], reduction.high[clues]

    @property
    def _is_alone(self) -> bool:
        """True if it is a single box, which needs no tables."""
        return self._size.size == 1

    @property
    def _kinds(self) -> Index:
        """The kind of each box, (boxes,)."""
        return self._size

    def _box_capacity(self, kind: int) -> int:
        """Return the most mines that a box of this kind holds."""
        return kind

    def _count_ways(self, kind: int, mines: int) -> int:
        """Return the number of ways to lay ``mines`` mines in a box."""
        return comb(kind, mines)

    def _list_possible_mines(self, kind: int) -> Sequence[int]:
        """Return the numbers of mines that can be laid in a box in some way, ascending."""
        return range(kind + 1)

    def _count_towards_total(self, kind: int, mines: int) -> int:
        """Return how many of the mines in a box count towards the total."""
        return mines

    def _sum_mines_held(self, kind: int, mines: int) -> int:
        """Return the cells with a mine in a box with ``mines`` mines, summed over the ways."""
        return mines * self._count_ways(kind, mines)

    def _weight_of_way(self, kind: int, mines: int, odds: tuple[int, int]) -> int:
        """Return the weight of each way, from the weights of a mine and a safe cell."""
        mine, safe = odds
        return int(mine**mines * safe ** (kind - mines))

    def _unrank_cells(self, box: int, mines: int, way: int) -> list[int]:
        """Return the cells of way ``way`` to lay ``mines`` mines in a box of the component."""
        return unrank_combination(self.sizes[box], mines, way)

    def _rank_combination(self, box: int, indices: Sequence[int]) -> int:
        """Return the number of a choice of cells in a box: the inverse of `_unrank_cells`."""
        return rank_combination(self.sizes[box], indices)

    def count_mines(self, mines_by_box: list[tuple[int, list[int]]]) -> int:
        """Return how many mines of a layout, as from `unrank`, count towards the total."""
        kinds = self._kinds.tolist()
        return sum(
            self._count_towards_total(kinds[box - self.first_box], len(indices))
            for box, indices in mines_by_box
        )

    @cached_property
    def sizes(self) -> list[int]:
        """Cells of each box."""
        sizes: list[int] = self._size.tolist()
        return sizes

    @cached_property
    def plan(self) -> JoinTree:
        """The joins.

        Raises:
            TooWide: there are too many products in any order.
        """
        if self._planned.cost == inf:
            raise TooWide
        return self._planned

    @cached_property
    def _planned(self) -> JoinTree:
        """The joins, up to where they become too dear."""
        self.budget.spend(BOX * self._size.size, 0)
        return plan_joins(self._size, self._clue_start, self._clue_boxes, self._low, self._high)

    @property
    def widest(self) -> list[int]:
        """Boxes of the reduction in the clues that are open at the widest join.

        Those in most of these clues come first.
        """
        plan = self._planned
        if not plan.products.size:
            return []
        join = int(plan.products.argmax())
        tables = (int(plan.left[join]), int(plan.right[join]))
        rows = [plan.dims[plan.dim_start[table] : plan.dim_start[table + 1]] for table in tables]
        clues_of_box: Counter[int] = Counter()
        for clue in np.unique(np.concatenate(rows)[:, CLUE]):
            clues_of_box.update(
                self._clue_boxes[slice(*self._clue_start[clue : clue + 2])].tolist()
            )
        return [self.first_box + box for box, _ in clues_of_box.most_common()]

    @property
    def cost(self) -> float:
        """The expected cost of `count`, infinite if there is no plan."""
        try:
            return estimate_inside_work(self.plan, self._count_limbs)
        except TooWide:
            return inf

    @property
    def splits(self) -> bool:
        """True if it may be counted in parts, by the mines in some boxes."""
        return True

    @property
    def core(self) -> list[int] | None:
        """Places of clues that cannot hold together, none of them to spare; None: not known."""
        return None

    @property
    def estimate(self) -> Estimate:
        """The effort of `count`.

        Raises:
            TooWide: there is no plan.
        """
        return Estimate(self.plan.cost, float(self.plan.entries.max()))

    @property
    def by_mines_cost(self) -> float:
        """The expected cost of `by_mines`."""
        rows = 1 + _SPREAD * self._expected[1]
        return estimate_inside_work(self.plan, rows * (1 + self._count_limbs))

    def _estimate_weighed_limbs(self, mine: int, safe: int) -> Limbs:
        """Return the limbs that weights inside each table are expected to have."""
        extra_bits = 0.0 if mine == safe == 1 else log2(mine + safe)
        return self._count_limbs + self._expected[1] * extra_bits / 64

    def _spend_budget(self, work: float) -> None:
        self.budget.spend(int(work), 0)

    def _check_deadline(self) -> None:
        self.budget.deadline.check()

    @property
    def _ones(self) -> Limbs:
        return np.ones(self.plan.entries.size)

    @cached_property
    def _expected(self) -> tuple[Limbs, Limbs]:
        """The result of `solvers.counting.cost.estimate_bits`."""
        return estimate_bits(self.plan)

    @property
    def _count_limbs(self) -> Limbs:
        """Limbs that layouts inside each table are expected to have."""
        return 1 + self._expected[0] / 64

    @property
    def _member_limbs(self) -> Limbs:
        """Limbs that sets of numbers of mines have inside each table, at most."""
        return 1 + self._expected[1] / 64
