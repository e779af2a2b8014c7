"""Exact counting of one component, by joining small tables over its clues.

`solvers.counting.planned_component` plans which tables are joined,
`solvers.counting.arithmetic_circuit` computes their values and `solvers.counting.ranking` reads
layouts off them. Bounded-width counting in the sense of Golan; the elimination decides the width.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from minecheck.minefield.reduction.constraints import Reduction
from minecheck.solvers.budget import Budget, TooWide
from minecheck.solvers.counting import arithmetic_circuit, nearest, table_values
from minecheck.solvers.counting.cost import (
    ROUNDED,
    Limbs,
    estimate_inside_work,
    estimate_outside_work,
)
from minecheck.solvers.counting.mine_rows import ENTRIES, Rows
from minecheck.solvers.counting.naturals import to_integer, to_integers
from minecheck.solvers.counting.planned_component import PlannedComponent
from minecheck.solvers.counting.ranking import Ranking
from minecheck.solvers.counting.ratio import Ratio
from minecheck.solvers.counting.rounded import Rounded, round_naturals
from minecheck.solvers.counting.table_values import LIMITS, TableLimits, TableValues
from minecheck.solvers.counting.witness import ANY, find_box_mines

#: The value for a number of mines in a box of some kind.
Value: TypeAlias = Callable[[int, int], int]


class Component(PlannedComponent):
    """One component of a reduction, ready to be counted.

    Everything is computed on first use. What takes more than what is left of
    the budget, or more than the memory, raises `TooWide` before it starts.
    A pass past its deadline raises `DeadlinePassed`.

    Args:
        reduction: a reduction without conflict.
        component: which of its components.
        budget: spent by each pass.
        limits: the memory that tables may take.
    """

    def __init__(
        self,
        reduction: Reduction,
        component: int,
        budget: Budget,
        limits: TableLimits = LIMITS,
    ) -> None:
        super().__init__(reduction, component, budget)
        self._limits = limits
        # The last weights.
        self._weighing: dict[tuple[int, int], TableValues] = {}
        self._ranking: dict[tuple[int, int], Ranking] = {}

    @cached_property
    def count(self) -> int:
        """Number of layouts; 0 when the component is inconsistent."""
        limbs = self._count_limbs
        if self.plan.entries @ limbs <= self._limits.kept_limbs:
            return to_integer(self._counts.read_table(-1), 0)
        self._spend_budget(self.cost)
        leaves = self._build_leaves(self._count_ways)
        tables = arithmetic_circuit.compute_inside(
            self.plan, leaves, self._check_deadline, keep=False, limits=self._limits
        )
        return to_integer(tables.read_table(-1), 0)

    @cached_property
    def by_mines(self) -> dict[int, int]:
        """Layouts of the component by number of mines; empty when it is inconsistent."""
        if self._is_alone:
            return self._alone
        fewest = int(self._rows.least[-1])
        layouts = enumerate(self._by_mines.list_values(-1), fewest)
        return {mines: layout_count for mines, layout_count in layouts if layout_count}

    @cached_property
    def _alone(self) -> dict[int, int]:
        """As `by_mines`, of a single box: it may be large, and needs no tables."""
        low, high = int(self._low.max()), int(self._high.min())
        kind = int(self._kinds[0])
        return {mines: self._count_ways(kind, mines) for mines in range(low, high + 1)}

    @cached_property
    def totals(self) -> int:
        """Which numbers of mines are possible: bit m for m mines."""
        return to_integer(self._members.read_table(-1), 0)

    def find_forced(self, allowed: int = -1) -> dict[int, bool]:
        """Return boxes that are all mines (True) or all safe (False) in every layout.

        Keys are box numbers of the reduction. Only layouts whose number of mines m has bit m set in
        ``allowed`` count; there must be one.
        """
        # Mines need not be distinguished if all layouts count.
        if allowed == -1 or not self.totals & ~allowed:
            inside, step, allowed = self._possible, 0, 1
        else:
            inside, step, allowed = self._members, 1, allowed & ((1 << self.cells + 1) - 1)
        limbs = self._member_limbs if step else self._ones
        self._spend_budget(estimate_outside_work(self.plan, limbs, limbs[-1]))
        outside = arithmetic_circuit.compute_outside(
            self.plan,
            inside,
            [allowed],
            self._check_deadline,
            arithmetic_circuit.SUMS,
            limits=self._limits,
        )
        forced = {}
        for box, size in enumerate(self.sizes):
            possible = outside.list_values(box)
            possible_mines = [
                mines for mines in range(size + 1) if possible[mines] >> mines * step & 1
            ]
            if possible_mines in ([0], [size]):
                forced[self.first_box + box] = possible_mines != [0]
        return forced

    def weigh_layouts(self, mine: int, safe: int) -> int:
        """Return the weight of all layouts together; that of a layout is a product over cells.

        Args:
            mine: the weight of a mine.
            safe: the weight of a safe cell.
        """
        return (
            self.count
            if mine == safe == 1
            else to_integer(self._weigh_inside(mine, safe).read_table(-1), 0)
        )

    def sum_mines(self, mine: int = 1, safe: int = 1) -> dict[int, int]:
        """Return the mines of each box, summed over all layouts; keys as in `find_forced`.

        0 says that the box is safe, size times `count` that it is full of mines.

        Args:
            mine: the weight of a mine, as for `weigh_layouts`.
            safe: the weight of a safe cell.
        """
        limbs, odds = self._estimate_weighed_limbs(mine, safe), (mine, safe)
        inside = self._weigh_inside(mine, safe)
        self._spend_budget(estimate_outside_work(self.plan, limbs, limbs[-1]))
        return self._sum_outside(
            inside,
            lambda kind, mines: (
                self._sum_mines_held(kind, mines) * self._weight_of_way(kind, mines, odds)
            ),
        )

    def round_chances(self, mine: int = 1, safe: int = 1) -> NDArray[np.float64]:
        """Return the chance of a mine in a cell of each box, (boxes,), as the nearest double.

        It is 0 or 1 only where that is exactly so. There must be a layout.

        Args:
            mine: the weight of a mine, as for `weigh_layouts`.
            safe: the weight of a safe cell.
        """
        inside = self._weigh_inside(mine, safe)
        self._spend_budget(ROUNDED * self.plan.cost)
        unit_root = round_naturals([1])
        chances = nearest.round_all_chances(
            self.plan, ENTRIES, inside, unit_root, 0.0, self._check_deadline
        )
        if chances is not None:
            return chances
        total_weight, mine_sums = self.weigh_layouts(mine, safe), self.sum_mines(mine, safe)
        sums = zip(mine_sums.values(), self.sizes, strict=True)
        return np.array([Ratio(mines, total_weight * size).nearest for mines, size in sums])

    def sum_completed_mines(self, completions: Mapping[int, int]) -> dict[int, int]:
        """Return the mines of each box, summed over all layouts of the whole board.

        ``completions`` are the layouts of the rest by mines of this component, which has some.
        """
        if self._is_alone:
            kind = int(self._kinds[0])
            mine_sums = (
                self._sum_mines_held(kind, mines) * completions.get(mines, 0)
                for mines in self._alone
            )
            return {self.first_box: sum(mine_sums)}
        fewest, most = min(self.by_mines), max(self.by_mines)
        root = [completions.get(mines, 0) for mines in range(fewest, most + 1)]
        limbs = self._row_limbs[-1] + max(root).bit_length() / 64
        self._spend_budget(estimate_outside_work(self.plan, self._row_limbs, limbs))
        return self._sum_outside(self._by_mines, self._sum_mines_held, root, self._rows)

    def round_completed_chances(
        self, completions: Rounded, roundings: float
    ) -> NDArray[np.float64] | None:
        """Round like `round_chances`, given the layouts of the rest; None if that is in doubt.

        Args:
            completions: layouts of the rest by mines of this component, from the fewest it may have
                to the most.
            roundings: how many operations' losses the completions may be off by.
        """
        if self._is_alone:
            layouts_by_mines, fewest = round_naturals(list(self._alone.values())), min(self._alone)
            chance, sure = nearest.round_chance(
                layouts_by_mines, fewest, self.cells, completions, roundings
            )
            return np.array([chance]) if sure else None
        inside, rows = self._by_mines, self._rows
        self._spend_budget(ROUNDED * estimate_inside_work(self.plan, self._row_counts))
        return nearest.round_all_chances(
            self.plan, rows, inside, completions, roundings, self._check_deadline
        )

    def _sum_outside(
        self,
        inside: TableValues,
        value_of: Value,
        root: Sequence[int] = (1,),
        rows: Rows = ENTRIES,
    ) -> dict[int, int]:
        """Return ``value_of`` times the values outside for each box, given the values inside."""
        outside = arithmetic_circuit.compute_outside(
            self.plan, inside, root, self._check_deadline, rows=rows, limits=self._limits
        )
        sums = to_integers(
            arithmetic_circuit.contract_boxes(
                self.plan, self._build_leaves(value_of, rows), outside
            )
        )
        return dict(enumerate(sums, self.first_box))

    def _weigh_inside(self, mine: int, safe: int) -> TableValues:
        """Return the weights inside all tables, as for `weigh_layouts`."""
        if mine == safe == 1:
            return self._counts
        if (mine, safe) not in self._weighing:
            limbs, odds = self._estimate_weighed_limbs(mine, safe), (mine, safe)
            inside = self._compute_inside(
                limbs,
                lambda kind, mines: (
                    self._count_ways(kind, mines) * self._weight_of_way(kind, mines, odds)
                ),
            )
            self._weighing = {(mine, safe): inside}
        return self._weighing[mine, safe]

    def find_witness(self, mines: int | None) -> NDArray[np.int32]:
        """Return the mines of each box, (boxes,), in a layout, with ``mines`` mines if given."""
        if self._is_alone:
            return np.array([self._low.max() if mines is None else mines], np.int32)
        if mines is not None:
            return find_box_mines(self.plan, self._members, mines)
        tables = self._counts if "_counts" in vars(self) else self._possible
        return find_box_mines(self.plan, tables, ANY)

    def unrank(self, mines: int | None, rank: int) -> list[tuple[int, list[int]]]:
        """Return layout number ``rank`` among those with ``mines`` mines, or among all.

        The orders of the two have nothing in common; that among all is far cheaper to come by.

        Args:
            mines: the number of mines, None for all layouts.
            rank: from 0, below ``by_mines[mines]`` or `count`.

        Returns:
            (box of the reduction, indices of its mines in the box) for each box, ascending.
        """
        if mines is None:
            return self.unrank_by_weight(1, 1, rank)
        if self._is_alone:
            return [(self.first_box, self._unrank_cells(0, mines, rank))]
        return self._place_mines(self._by_mines_ranking.unrank(mines, rank))

    def unrank_by_weight(
        self, mine: int, safe: int, weight_number: int
    ) -> list[tuple[int, list[int]]]:
        """Return the layout that a weight number belongs to, as `unrank` does.

        Args:
            mine: the weight of a mine.
            safe: the weight of a safe cell.
            weight_number: from 0, below `weigh_layouts` of these weights.
        """
        weighed_ways = self._find_weighed_ranking(mine, safe).unrank(0, weight_number)
        return self._place_mines(
            [
                (mines, rank // self._weight_of_way(kind, mines, (mine, safe)))
                for kind, (mines, rank) in zip(self._kinds.tolist(), weighed_ways, strict=True)
            ]
        )

    def _place_mines(self, ways_of_boxes: list[tuple[int, int]]) -> list[tuple[int, list[int]]]:
        """Return boxes and cells like `unrank`, from each box's mines and number of way."""
        return [
            (self.first_box + box, self._unrank_cells(box, mines, way))
            for box, (mines, way) in enumerate(ways_of_boxes)
        ]

    def rank(self, mines: int | None, mines_by_box: list[tuple[int, list[int]]]) -> int:
        """Return the number of a layout: the inverse of `unrank`.

        Args:
            mines: the number of mines, None for the order of all layouts.
            mines_by_box: (box of the reduction, indices of its mines in the box), in any order.

        Raises:
            ValueError: it is not a layout.
        """
        if mines is not None and self._is_alone:
            return self._rank_combination(0, mines_by_box[0][1])
        ways_of_boxes = [(0, 0)] * len(self.sizes)
        for reduction_box, indices in mines_by_box:
            box = reduction_box - self.first_box
            ways_of_boxes[box] = len(indices), self._rank_combination(box, indices)
        ranking = self._find_weighed_ranking(1, 1) if mines is None else self._by_mines_ranking
        return ranking.rank(ways_of_boxes)

    def _find_weighed_ranking(self, mine: int, safe: int) -> Ranking:
        if (mine, safe) not in self._ranking:
            self._ranking = {(mine, safe): Ranking(self.plan, self._weigh_inside(mine, safe))}
        return self._ranking[mine, safe]

    @cached_property
    def _by_mines_ranking(self) -> Ranking:
        return Ranking(self.plan, self._by_mines, self._rows)

    @cached_property
    def _counts(self) -> TableValues:
        """Layouts inside all tables."""
        return self._compute_inside(self._count_limbs, self._count_ways)

    @cached_property
    def _by_mines(self) -> TableValues:
        """Layouts by mines inside all tables."""
        # The numbers of large boxes are long, whether many or few are multiplied.
        self._spend_budget(float(self.plan.entries @ self._row_limbs))
        return self._compute_inside(self._row_limbs, self._count_ways, rows=self._rows)

    @cached_property
    def _rows(self) -> Rows:
        """The mines that layouts inside all tables may have."""
        return arithmetic_circuit.build_mine_rows(self._members)

    @cached_property
    def _members(self) -> TableValues:
        """Possible numbers of mines inside all tables."""
        return self._compute_inside(
            self._member_limbs,
            lambda kind, mines: (
                int(mines in self._list_possible_mines(kind))
                << self._count_towards_total(kind, mines)
            ),
            arithmetic_circuit.SUMS,
        )

    @cached_property
    def _possible(self) -> TableValues:
        """Possibility inside all tables, as sets that hold 0 or nothing."""
        return self._compute_inside(
            self._ones,
            lambda kind, mines: int(mines in self._list_possible_mines(kind)),
            arithmetic_circuit.SUMS,
        )

    def _compute_inside(
        self,
        limbs: Limbs,
        value_of: Value,
        kind: int = arithmetic_circuit.PRODUCTS,
        rows: Rows = ENTRIES,
    ) -> TableValues:
        """Return all values inside, expected to have ``limbs`` limbs an entry."""
        if self.plan.entries @ limbs > self._limits.most_limbs:
            raise TooWide
        self._spend_budget(estimate_inside_work(self.plan, limbs))
        leaves = self._build_leaves(value_of, rows)
        return arithmetic_circuit.compute_inside(
            self.plan, leaves, self._check_deadline, kind, rows, limits=self._limits
        )

    def _build_leaves(self, value_of: Value, rows: Rows = ENTRIES) -> TableValues:
        """Build the tables of boxes, with a value for each number of mines that has a row."""
        are_all = rows is ENTRIES
        return table_values.build_leaves(
            self.plan,
            self._kinds,
            lambda kind: [
                value_of(kind, mines)
                for mines in (
                    range(self._box_capacity(kind) + 1)
                    if are_all
                    else self._list_possible_mines(kind)
                )
            ],
            rows,
        )

    @property
    def _row_counts(self) -> Limbs:
        """Numbers of mines that each entry of a table may have, in the mean."""
        return table_values.count_rows(self.plan, self._rows) / self.plan.entries

    @property
    def _row_limbs(self) -> Limbs:
        """Limbs that layouts by mines inside each entry are expected to have."""
        return self._row_counts * (1 + self._count_limbs)
