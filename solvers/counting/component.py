"""Exact counting of one component, by joining small tables over its clues.

`solvers.counting.elimination` plans which tables are joined, `solvers.counting.circuit` computes
their values and `solvers.counting.ranking` reads layouts off them. What a pass takes is
known before it starts. Bounded-width counting in the sense of Golan; the
elimination decides the width.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from math import comb, inf, log2
from typing import Final

import numpy as np
from numpy.typing import NDArray

from minefield.reduction.constraints import Reduction
from solvers.answer import Estimate
from solvers.budget import Budget, TooWide
from solvers.counting import circuit, nearest
from solvers.counting.circuit import TableValues
from solvers.counting.combinations import combination, combination_rank
from solvers.counting.cost import BOX, ROUNDED, Limbs, expected_bits, work_inside, work_outside
from solvers.counting.elimination import eliminate
from solvers.counting.join_tree import CLUE, JoinTree
from solvers.counting.mine_rows import ENTRIES, Rows
from solvers.counting.naturals import integer, integers
from solvers.counting.ranking import Ranking
from solvers.counting.ratio import Ratio
from solvers.counting.rounded import Rounded, rounded
from solvers.counting.witness import ANY, mines_of_boxes

#: Numbers of mines that the layouts of some cells have, for each of these cells.
_SPREAD: Final = 0.1
#: Where the tables have more limbs than this (256 MB), a count keeps only those it still needs.
_KEPT_LIMBS: Final = 2**25


class Component:
    """One component of a reduction, ready to be counted.

    Everything is computed on first use. What takes more than what is left of
    the budget, or more than the memory, raises `TooWide` before it starts.
    A pass past its deadline raises `DeadlinePassed`.

    Args:
        reduction: a reduction without conflict.
        component: which of its components.
        budget: spent by each pass.
    """

    def __init__(self, reduction: Reduction, component: int, budget: Budget) -> None:
        first, last = reduction.component_boxes[component : component + 2].tolist()
        self.first_box = first
        self.budget = budget
        starts = reduction.box_start[first : last + 1]
        self._size = np.diff(starts)
        self.cells = int(starts[-1] - starts[0])
        clues = slice(*reduction.component_clues[component : component + 2].tolist())
        clue_start = reduction.clue_start[clues.start : clues.stop + 1]
        self._clue_start = clue_start - clue_start[0]
        self._clue_boxes = reduction.clue_boxes[clue_start[0] : clue_start[-1]] - np.int32(first)
        self._low, self._high = reduction.low[clues], reduction.high[clues]
        # The weights asked about last.
        self._weighing: dict[tuple[int, int], TableValues] = {}
        self._ranking: dict[tuple[int, int], Ranking] = {}

    @cached_property
    def sizes(self) -> list[int]:
        """Cells of each box."""
        sizes: list[int] = self._size.tolist()
        return sizes

    @cached_property
    def plan(self) -> JoinTree:
        """The joins; `TooWide` if there are too many products in any order."""
        if self._planned.cost == inf:
            raise TooWide
        return self._planned

    @cached_property
    def _planned(self) -> JoinTree:
        """The joins, up to where they become too dear."""
        self.budget.spend(BOX * self._size.size, 0)
        return eliminate(self._size, self._clue_start, self._clue_boxes, self._low, self._high)

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
        near: Counter[int] = Counter()
        for clue in np.unique(np.concatenate(rows)[:, CLUE]):
            near.update(self._clue_boxes[slice(*self._clue_start[clue : clue + 2])].tolist())
        return [self.first_box + box for box, _ in near.most_common()]

    @property
    def cost(self) -> float:
        """What `count` is expected to spend, infinite where there is no plan."""
        try:
            return work_inside(self.plan, self._count_limbs)
        except TooWide:
            return inf

    @property
    def splits(self) -> bool:
        """Whether it may be counted in parts, by what some boxes hold."""
        return True

    @property
    def core(self) -> list[int] | None:
        """Places of clues that cannot hold together, none of them to spare; None: not known."""
        return None

    @property
    def estimate(self) -> Estimate:
        """What `count` takes; `TooWide` if there is no plan."""
        return Estimate(self.plan.cost, float(self.plan.entries.max()))

    @property
    def by_mines_cost(self) -> float:
        """What `by_mines` is expected to spend."""
        rows = 1 + _SPREAD * self._expected[1]
        return work_inside(self.plan, rows * (1 + self._count_limbs))

    @cached_property
    def count(self) -> int:
        """Number of layouts; 0 when the component is inconsistent."""
        limbs = self._count_limbs
        if self.plan.entries @ limbs <= _KEPT_LIMBS:
            return integer(self._counts.table(-1), 0)
        self._spend(self.cost)
        found = circuit.inside(self.plan, circuit.leaves(self.plan, comb), self._check, keep=False)
        return integer(found.table(-1), 0)

    @cached_property
    def by_mines(self) -> dict[int, int]:
        """Layouts of the component by number of mines; empty when it is inconsistent."""
        if len(self.sizes) == 1:
            return self._alone
        least = int(self._rows.least[-1])
        layouts = enumerate(self._by_mines.values(-1), least)
        return {mines: number for mines, number in layouts if number}

    @cached_property
    def _alone(self) -> dict[int, int]:
        """As `by_mines`, of a single box: it may be large, and needs no tables."""
        low, high = int(self._low.max()), int(self._high.min())
        return {mines: comb(self.cells, mines) for mines in range(low, high + 1)}

    @cached_property
    def totals(self) -> int:
        """Which numbers of mines are possible: bit m for m mines."""
        return integer(self._members.table(-1), 0)

    def forced(self, allowed: int = -1) -> dict[int, bool]:
        """Boxes that are all mines (True) or all safe (False) in every layout.

        Keys are box numbers of the reduction. Only layouts whose number of
        mines m has bit m set in ``allowed`` count; there must be one.
        """
        # Where all layouts count, their mines do not matter.
        if allowed == -1 or not self.totals & ~allowed:
            inside, step, allowed = self._possible, 0, 1
        else:
            inside, step, allowed = self._members, 1, allowed & ((1 << self.cells + 1) - 1)
        limbs = self._member_limbs if step else self._ones
        self._spend(work_outside(self.plan, limbs, limbs[-1]))
        rest = circuit.outside(self.plan, inside, [allowed], self._check, circuit.SUMS)
        found = {}
        for box, size in enumerate(self.sizes):
            possible = rest.values(box)
            held = [m for m in range(size + 1) if possible[m] >> m * step & 1]
            if held in ([0], [size]):
                found[self.first_box + box] = held != [0]
        return found

    def weighed(self, mine: int, safe: int) -> int:
        """All layouts, a mine weighing ``mine`` and a safe cell ``safe``; a product over cells."""
        return self.count if mine == safe == 1 else integer(self._weights(mine, safe).table(-1), 0)

    def sums(self, mine: int = 1, safe: int = 1) -> dict[int, int]:
        """For each box the mines it holds, summed over all layouts; keys as in `forced`.

        0 says that the box is safe, size times `count` that it is full of mines.
        Layouts count by their weights, as in `weighed`.
        """
        limbs = self._weighed_limbs(mine, safe)
        inside = self._weights(mine, safe)
        self._spend(work_outside(self.plan, limbs, limbs[-1]))
        return self._held(inside, lambda size, mines: _weight(size, mines, mine, safe))

    def nearest(self, mine: int = 1, safe: int = 1) -> NDArray[np.float64]:
        """The chance of a mine in a cell of each box, (boxes,): the nearest double.

        It is 0 or 1 only where that is exactly so. Layouts count by their weights, as in
        `weighed`; there must be one.
        """
        inside = self._weights(mine, safe)
        self._spend(ROUNDED * self.plan.cost)
        one = rounded([1])
        found = nearest.chances(self.plan, ENTRIES, inside, one, 0.0, self._check)
        if found is not None:
            return found
        return self._ratios(self.sums(mine, safe), self.weighed(mine, safe))

    def completed(self, completions: Mapping[int, int]) -> dict[int, int]:
        """For each box the mines it holds, summed over all layouts of the whole board.

        ``completions`` are the layouts of the rest by mines of this component, which has some.
        """
        if len(self.sizes) == 1:
            held = (mines * ways * completions.get(mines, 0) for mines, ways in self._alone.items())
            return {self.first_box: sum(held)}
        least, most = min(self.by_mines), max(self.by_mines)
        root = [completions.get(mines, 0) for mines in range(least, most + 1)]
        limbs = self._row_limbs[-1] + max(root).bit_length() / 64
        self._spend(work_outside(self.plan, self._row_limbs, limbs))
        return self._held(self._by_mines, comb, root, self._rows)

    def nearest_completed(self, completions: Rounded, lost: float) -> NDArray[np.float64] | None:
        """As `nearest`, from the layouts of the rest of the board; None if there is doubt.

        ``completions`` are those by mines of this component, from the fewest it may have to the
        most, off by no more than so many operations lose.
        """
        if len(self.sizes) == 1:
            ways, least = rounded(list(self._alone.values())), min(self._alone)
            chance, sure = nearest.chance(ways, least, self.cells, completions, lost)
            return np.array([chance]) if sure else None
        inside, rows = self._by_mines, self._rows
        self._spend(ROUNDED * work_inside(self.plan, self._row_counts))
        return nearest.chances(self.plan, rows, inside, completions, lost, self._check)

    def _held(
        self,
        inside: TableValues,
        value: Callable[[int, int], int],
        root: Sequence[int] = (1,),
        rows: Rows = ENTRIES,
    ) -> dict[int, int]:
        """For each box its mines times what is inside and outside, from values as in `_inside`."""
        beyond = circuit.outside(self.plan, inside, root, self._check, rows=rows)
        weights = circuit.leaves(self.plan, lambda size, mines: mines * value(size, mines))
        found = integers(circuit.contracted(self.plan, weights, beyond))
        return dict(enumerate(found, self.first_box))

    def _ratios(self, held: Mapping[int, int], whole: int) -> NDArray[np.float64]:
        """The nearest doubles to the chances of all boxes."""
        sums = zip(held.values(), self.sizes, strict=True)
        return np.array([Ratio(mines, whole * size).nearest for mines, size in sums])

    def _weights(self, mine: int, safe: int) -> TableValues:
        """Weights inside all tables, as `weighed`."""
        if mine == safe == 1:
            return self._counts
        if (mine, safe) not in self._weighing:
            limbs = self._weighed_limbs(mine, safe)
            inside = self._inside(limbs, lambda size, m: _weight(size, m, mine, safe))
            self._weighing = {(mine, safe): inside}
        return self._weighing[mine, safe]

    def _weighed_limbs(self, mine: int, safe: int) -> Limbs:
        """Limbs that weights inside each table are expected to have."""
        more = 0.0 if mine == safe == 1 else log2(mine + safe)
        return self._count_limbs + self._expected[1] * more / 64

    def witness(self, mines: int | None) -> NDArray[np.int32]:
        """The mines of each box, (boxes,), in one of the layouts: with so many mines, or any."""
        if len(self.sizes) == 1:
            return np.array([self._low.max() if mines is None else mines], np.int32)
        if mines is not None:
            return mines_of_boxes(self.plan, self._members, mines)
        known = self._counts if "_counts" in vars(self) else self._possible
        return mines_of_boxes(self.plan, known, ANY)

    def layout(self, mines: int | None, rank: int) -> list[tuple[int, list[int]]]:
        """The layout number ``rank`` among those with ``mines`` mines, or among all if None.

        Returns (box of the reduction, places of its mines within the box) for
        each box, ascending. ``rank`` must be below ``by_mines[mines]``, or
        `count`. The orders of the two have nothing in common; that among all
        is far cheaper to come by.
        """
        if mines is None:
            return self.weighed_layout(1, 1, rank)
        if len(self.sizes) == 1:
            return [(self.first_box, combination(self.cells, mines, rank))]
        return self._placed(self._by_mines_ranking.layout(mines, rank))

    def weighed_layout(self, mine: int, safe: int, number: int) -> list[tuple[int, list[int]]]:
        """The layout that weight number ``number``, below `weighed`, belongs to; as `layout`."""
        chosen = self._weighed_ranking(mine, safe).layout(0, number)
        return self._placed(
            [
                (held, place // (mine**held * safe ** (size - held)))
                for size, (held, place) in zip(self.sizes, chosen, strict=True)
            ]
        )

    def _placed(self, chosen: list[tuple[int, int]]) -> list[tuple[int, list[int]]]:
        """As `layout`, from the mines of each box and the number of their places."""
        return [
            (self.first_box + box, combination(size, held, number))
            for box, (size, (held, number)) in enumerate(zip(self.sizes, chosen, strict=True))
        ]

    def rank(self, mines: int | None, chosen: list[tuple[int, list[int]]]) -> int:
        """The inverse of `layout`, for boxes in any order; ValueError if it is not a layout."""
        if mines is not None and len(self.sizes) == 1:
            return combination_rank(self.cells, chosen[0][1])
        held = [(0, 0)] * len(self.sizes)
        for box, places in chosen:
            size = self.sizes[box - self.first_box]
            held[box - self.first_box] = len(places), combination_rank(size, places)
        ranking = self._weighed_ranking(1, 1) if mines is None else self._by_mines_ranking
        return ranking.rank(held)

    def _weighed_ranking(self, mine: int, safe: int) -> Ranking:
        if (mine, safe) not in self._ranking:
            self._ranking = {(mine, safe): Ranking(self.plan, self._weights(mine, safe))}
        return self._ranking[mine, safe]

    @cached_property
    def _by_mines_ranking(self) -> Ranking:
        return Ranking(self.plan, self._by_mines, self._rows)

    @cached_property
    def _counts(self) -> TableValues:
        """Layouts inside all tables."""
        return self._inside(self._count_limbs, comb)

    @cached_property
    def _by_mines(self) -> TableValues:
        """Layouts by mines inside all tables."""
        # Those of large boxes are long, whether much is multiplied or not.
        self._spend(float(self.plan.entries @ self._row_limbs))
        return self._inside(self._row_limbs, comb, rows=self._rows)

    @cached_property
    def _rows(self) -> Rows:
        """The mines that layouts inside all tables may have."""
        return circuit.rows_by_mines(self.plan, self._members)

    @cached_property
    def _members(self) -> TableValues:
        """Possible numbers of mines inside all tables."""
        return self._inside(self._member_limbs, lambda size, mines: 1 << mines, circuit.SUMS)

    @cached_property
    def _possible(self) -> TableValues:
        """Whether anything is possible inside all tables, as sets of 0 or of nothing."""
        return self._inside(self._ones, lambda size, mines: 1, circuit.SUMS)

    def _inside(
        self,
        limbs: Limbs,
        value: Callable[[int, int], int],
        kind: int = circuit.PRODUCTS,
        rows: Rows = ENTRIES,
    ) -> TableValues:
        """All values inside, expected to have so many limbs an entry."""
        if self.plan.entries @ limbs > circuit.MOST_LIMBS:
            raise TooWide
        self._spend(work_inside(self.plan, limbs))
        leaves = circuit.leaves(self.plan, value, rows)
        return circuit.inside(self.plan, leaves, self._check, kind, rows)

    def _spend(self, work: float) -> None:
        self.budget.spend(int(work), 0)

    def _check(self) -> None:
        self.budget.deadline.check()

    @property
    def _ones(self) -> Limbs:
        return np.ones(self.plan.entries.size)

    @cached_property
    def _expected(self) -> tuple[Limbs, Limbs]:
        """As `solvers.counting.cost.expected_bits`."""
        return expected_bits(self.plan)

    @property
    def _count_limbs(self) -> Limbs:
        """Limbs that layouts inside each table are expected to have."""
        return 1 + self._expected[0] / 64

    @property
    def _member_limbs(self) -> Limbs:
        """Limbs that sets of numbers of mines have inside each table, at most."""
        return 1 + self._expected[1] / 64

    @property
    def _row_counts(self) -> Limbs:
        """Numbers of mines that each entry of a table may have, in the mean."""
        return circuit.row_counts(self.plan, self._rows) / self.plan.entries

    @property
    def _row_limbs(self) -> Limbs:
        """Limbs that layouts by mines inside each entry are expected to have."""
        return self._row_counts * (1 + self._count_limbs)


def _weight(size: int, mines: int, mine: int, safe: int) -> int:
    """What the ways to lay mines in a box weigh."""
    return int(comb(size, mines) * mine**mines * safe ** (size - mines))
