"""Counting a whole board: its components, its loose cells and its total of mines together."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import accumulate
from math import inf, log2, prod
from operator import mul
from random import Random

import numpy as np
from numpy.typing import NDArray

from minecheck.minefield.reduction.constraints import IS_MINE, IS_SAFE, UNDECIDED, Index, Reduction
from minecheck.solvers.budget import Budget, TooWide
from minecheck.solvers.counting import mine_sets
from minecheck.solvers.counting.chances import Chances
from minecheck.solvers.counting.combinations import rank_combination, unrank_combination
from minecheck.solvers.counting.completions import Completions
from minecheck.solvers.counting.component import Component
from minecheck.solvers.counting.component_products import (
    by_mines,
    estimate_product,
    multiply_components,
    to_odds,
)
from minecheck.solvers.counting.cost import ROUNDED
from minecheck.solvers.counting.matching_component import MatchingComponent
from minecheck.solvers.counting.ratio import Ratio
from minecheck.solvers.counting.total import Total
from minecheck.solvers.deadline import DeadlinePassed
from minecheck.solvers.findings import Estimate

#: Units of `Budget`, some milliseconds.
_SOON = 2_000_000


@dataclass(eq=False)
class BoardTally:
    """Exact counts of the layouts of a reduction without conflict.

    Everything is computed on first use and spends ``budget``; past it the
    properties raise `solvers.budget.TooWide` or
    `solvers.deadline.DeadlinePassed`.
    """

    reduction: Reduction
    budget: Budget

    @cached_property
    def parts(self) -> list[Component]:
        """The components."""
        reduction = self.reduction
        return [
            (
                MatchingComponent
                if MatchingComponent.is_matching(reduction, component)
                else Component
            )(reduction, component, self.budget)
            for component in range(reduction.components)
        ]

    @property
    def loose(self) -> int:
        """Number of loose cells."""
        return self.reduction.loose.size

    @cached_property
    def count(self) -> int:
        """Number of layouts."""
        if self.reduction.mines_left is None:
            return self._layouts_from[0]
        components = [component.by_mines for component in self.parts]
        self.budget.spend(estimate_product(components, self.reduction.box_cells.size), 0)
        return multiply_components(self.reduction, components)

    @property
    def cost(self) -> float:
        """The expected cost of `count`, infinite if a component has no plan."""
        return sum(
            component.cost if self.reduction.mines_left is None else component.by_mines_cost
            for component in self.parts
        )

    @property
    def estimate(self) -> Estimate | None:
        """The effort of `count`; None if the deadline passed before it was known."""
        products, table = 0.0, 1.0
        for component in self.parts:
            try:
                products += component.estimate.products
                table = max(table, component.estimate.table)
            except TooWide:
                return Estimate(inf, inf)
            except DeadlinePassed:
                return None
        return Estimate(products, table)

    @cached_property
    def by_mines(self) -> dict[int, int]:
        """The result of the function `by_mines`."""
        if self.reduction.mines_left is not None:
            total = self.reduction.mines_decided + self.reduction.mines_left
            return {total: self.count} if self.count else {}
        self.budget.spend(1, self._product_bits)
        return by_mines(self.reduction, [component.by_mines for component in self.parts])

    @property
    def soon_by_mines(self) -> bool:
        """True if `by_mines` costs next to nothing after `count`."""
        if self.reduction.mines_left is not None:
            return True
        try:
            component_cost = sum(component.by_mines_cost for component in self.parts)
        except TooWide:
            return False
        return component_cost + self._product_bits / 64 <= _SOON

    @cached_property
    def possible(self) -> bool:
        """True if a layout exists; only the possible numbers of mines decide that."""
        totals = (1 << self.loose + 1) - 1
        for component in self.parts:
            totals = mine_sets.add_sets(totals, component.totals)
        mines_left = self.reduction.mines_left
        return bool(totals if mines_left is None else mines_left >= 0 and totals >> mines_left & 1)

    def find_forced(self) -> NDArray[np.int8]:
        """Return each cell's value where all layouts agree, else UNDECIDED; there must be a layout.

        The values, (cells,), follow from which numbers of mines are possible, not from counts.
        """
        values = self.reduction.state.copy()
        mines_left = self.reduction.mines_left
        possible = [component.totals for component in self.parts]
        # Bit m: the first (last) components can hold m mines together.
        totals_before = list(accumulate(possible, mine_sets.add_sets, initial=1))
        totals_from = list(accumulate(reversed(possible), mine_sets.add_sets, initial=1))[::-1]
        loose = (1 << self.loose + 1) - 1
        for index, component in enumerate(self.parts):
            allowed = -1
            if mines_left is not None:
                totals_of_others = mine_sets.add_sets(
                    mine_sets.add_sets(totals_before[index], totals_from[index + 1]), loose
                )
                allowed = mine_sets.mirror_set(totals_of_others, mines_left)
            for box, mines in component.find_forced(allowed).items():
                values[self.reduction.cells_of(box)] = mines
        if mines_left is not None and self.loose:
            spare = mine_sets.mirror_set(totals_from[0], mines_left) & loose
            if spare in (1, 1 << self.loose):
                values[self.reduction.loose] = spare != 1
        return values

    def compute_probabilities(self, density: Fraction | None = None) -> NDArray[np.float64]:
        """Return the chance of a mine for each cell that is not given, NaN for the others.

        The exact ratio of `compute_chances`, (cells,), is rounded to the nearest double, but never
        to 0 or 1 unless the cell is forced.
        """
        reduction = self.reduction
        if reduction.mines_left is None:
            odds = to_odds(density)
            boxes = [component.round_chances(*odds) for component in self.parts]
            loose = self._compute_loose_chance(density).nearest
        else:
            by_total = self._round_by_total(reduction.mines_left)
            if by_total is None:
                return self.compute_chances(density).round_chances()
            boxes, loose = by_total
        chances = np.full(reduction.state.size, np.nan)
        chances[self._find_decided(IS_SAFE)] = 0.0
        chances[self._find_decided(IS_MINE)] = 1.0
        chances[reduction.loose] = loose
        if boxes:
            sizes = np.diff(reduction.box_start)
            chances[reduction.box_cells] = np.repeat(np.concatenate(boxes), sizes)
        return chances

    def _round_by_total(self, mines_left: int) -> tuple[list[NDArray[np.float64]], float] | None:
        """Return the chances in each component, and in a loose cell; None if there is doubt."""
        by_mines = [component.by_mines for component in self.parts]
        total = Total(by_mines, self.loose, mines_left, self._spend_rounded)
        boxes = []
        for component, completions, roundings in zip(
            self.parts, total.completions, total.roundings, strict=True
        ):
            chances = component.round_completed_chances(completions, roundings)
            if chances is None:
                return None
            boxes.append(chances)
        loose, sure = total.round_loose_chance()
        return (boxes, loose) if sure else None

    def _spend_rounded(self, products: int) -> None:
        """Spend the cost of that many products, rounded up and down."""
        self.budget.spend(3 * ROUNDED * products, 0)

    def compute_chances(self, density: Fraction | None = None) -> Chances:
        """Return the chance of a mine for each cell that is not given.

        Each layout weighs the same, or with ``density`` p, mines m of n
        undecided cells weigh p^m (1 - p)^(n - m).
        """
        reduction = self.reduction
        groups = []
        for index, component in enumerate(self.parts):
            if reduction.mines_left is None:
                odds = to_odds(density)
                total_weight, mine_sums = component.weigh_layouts(*odds), component.sum_mines(*odds)
            else:
                weights = self._completions.weigh(index)
                total_weight = sum(
                    layouts * weights[mines] for mines, layouts in component.by_mines.items()
                )
                mine_sums = component.sum_completed_mines(weights)
            for box, mine_sum in mine_sums.items():
                cells = self.reduction.cells_of(box)
                groups.append((cells, Ratio(mine_sum, total_weight * cells.size)))
        if self.loose:
            groups.append((reduction.loose, self._compute_loose_chance(density)))
        for value in (IS_SAFE, IS_MINE):
            groups.append((self._find_decided(value), Ratio(int(value == IS_MINE), 1)))
        return Chances(reduction.state.size, groups)

    def compute_likelihood(self, density: Fraction) -> Ratio:
        """Return the chance that mines laid in the unknown cells with this density make a layout.

        For a reduction without a total.
        """
        mine, safe = to_odds(density)
        cells = self._find_decided(IS_MINE).size + self._find_decided(IS_SAFE).size
        # Powers take more than linear time.
        self.budget.spend(int((cells * density.denominator.bit_length() / 64) ** 1.6), 0)
        weights = [
            mine ** self._find_decided(IS_MINE).size * safe ** self._find_decided(IS_SAFE).size
        ]
        for component in self.parts:
            weights.append(component.weigh_layouts(mine, safe))
            cells += component.cells
        return Ratio(prod(weights), density.denominator**cells)

    @property
    def feasible(self) -> tuple[int, int] | None:
        """The least and the most mines of any layout, None if there is none.

        For a reduction without a total.
        """
        possible = [component.totals for component in self.parts]
        if not all(possible):
            return None
        decided = self.reduction.mines_decided
        fewest = sum(map(mine_sets.find_least, possible))
        most = sum(mine_set.bit_length() - 1 for mine_set in possible)
        return decided + fewest, decided + most + self.loose

    def find_witness(self) -> NDArray[np.bool_]:
        """Return the mines of one of the layouts, (cells,); there must be one.

        It is found sooner than the first layout.
        """
        mines_left = self.reduction.mines_left
        loose = (1 << self.loose + 1) - 1
        # Bit m: the parts from each one on, and the loose cells, can hold m mines together.
        parts_to_choose = [] if mines_left is None else self.parts
        totals = [component.totals for component in reversed(parts_to_choose)]
        totals_from = list(accumulate(totals, mine_sets.add_sets, initial=loose))[::-1]
        boxes = [np.empty(0, np.int32)]
        for index, component in enumerate(self.parts):
            mines = None
            if mines_left is not None:
                possible_mines = component.totals & mine_sets.mirror_set(
                    totals_from[index + 1], mines_left
                )
                mines = mine_sets.find_least(possible_mines)
                mines_left -= mines
            boxes.append(component.find_witness(mines))
        is_mine = self.reduction.place_mines(np.concatenate(boxes))
        is_mine[self.reduction.loose[: mines_left or 0]] = True
        return is_mine

    def unrank(self, rank: int) -> NDArray[np.bool_]:
        """Return the mines of layout number ``rank``, (cells,), from 0 to ``count - 1``.

        Layouts are ordered component by component: with a total by the mines in the first
        component, then by its layouts, then the same of the next; the loose
        cells vary fastest.
        """
        reduction = self.reduction
        is_mine = np.asarray(reduction.state == IS_MINE)
        mines_left = reduction.mines_left
        for index, component in enumerate(self.parts):
            if mines_left is None:
                inner, rank = divmod(rank, self._layouts_from[index + 1])
                self._place_component(is_mine, component, None, inner)
                continue
            for mines, layouts in component.by_mines.items():
                completions = self._completions.count(index + 1, mines_left - mines)
                if rank < layouts * completions:
                    inner, rank = divmod(rank, completions)
                    self._place_component(is_mine, component, mines, inner)
                    mines_left -= mines
                    break
                rank -= layouts * completions
        if mines_left is None:
            digits = rank.to_bytes((self.loose + 7) // 8, "big")
            bits = np.unpackbits(np.frombuffer(digits, dtype=np.uint8))
            is_mine[reduction.loose] = bits[bits.size - self.loose :]
        else:
            is_mine[reduction.loose[unrank_combination(self.loose, mines_left, rank)]] = True
        return is_mine

    def rank(self, is_mine: NDArray[np.bool_]) -> int:
        """Return the number of the layout with these mines, (cells,): the inverse of `unrank`.

        It must be a layout.
        """
        rank, mines_left = 0, self.reduction.mines_left
        for index, component in enumerate(self.parts):
            mines_by_box = self._choose_boxes(component, is_mine)
            if mines_left is None:
                rank += component.rank(None, mines_by_box) * self._layouts_from[index + 1]
                continue
            mines_held = component.count_mines(mines_by_box)
            for mines, layouts in component.by_mines.items():
                completions = self._completions.count(index + 1, mines_left - mines)
                if mines == mines_held:
                    rank += component.rank(mines, mines_by_box) * completions
                    break
                rank += layouts * completions
            mines_left -= mines_held
        loose = is_mine[self.reduction.loose]
        if mines_left is None:
            return rank + (int.from_bytes(np.packbits(loose).tobytes()) >> -self.loose % 8)
        return rank + rank_combination(self.loose, np.flatnonzero(loose).tolist())

    def sample(self, random: Random, density: Fraction | None = None) -> NDArray[np.bool_]:
        """Draw the mines of a layout at random, (cells,), from exact integers; there must be one.

        Args:
            random: the source of random numbers.
            density: the chance of a mine by which layouts are weighted if there is no total; None
                for the same chance of all layouts.
        """
        if density is None:
            return self.unrank(random.randrange(self.count))
        is_mine = np.asarray(self.reduction.state == IS_MINE)
        odds = to_odds(density)
        for component in self.parts:
            weight_number = random.randrange(component.weigh_layouts(*odds))
            for box, indices in component.unrank_by_weight(*odds, weight_number):
                is_mine[self.reduction.cells_of(box)[indices]] = True
        denominator, mine = density.denominator, density.numerator
        is_mine[self.reduction.loose] = [
            random.randrange(denominator) < mine for _ in range(self.loose)
        ]
        return is_mine

    @property
    def _product_bits(self) -> int:
        """The cost of multiplying layouts by mines of all parts, in bits of a number."""
        undecided = self.loose + self.reduction.box_cells.size
        # Cost of Karatsuba's method for numbers of some bits per cell and cell.
        return int(2 * undecided ** (2 * log2(3)))

    def _place_component(
        self, is_mine: NDArray[np.bool_], component: Component, mines: int | None, rank: int
    ) -> None:
        """Add the mines of a component's layout ``rank`` with ``mines`` mines (None: any)."""
        rank_left = mines, rank
        if self._last_layouts.get(component.first_box, (None,))[0] != rank_left:
            chosen = component.unrank(mines, rank)
            cells = [self.reduction.cells_of(box)[indices] for box, indices in chosen]
            self._last_layouts[component.first_box] = rank_left, np.concatenate(cells)
        is_mine[self._last_layouts[component.first_box][1]] = True

    @cached_property
    def _last_layouts(self) -> dict[int, tuple[tuple[int | None, int], Index]]:
        """What was placed last of each component: from one rank to the next most of it stays."""
        return {}

    def _choose_boxes(
        self, component: Component, is_mine: NDArray[np.bool_]
    ) -> list[tuple[int, list[int]]]:
        """Return the boxes of a component and the indices of the mines in each."""
        boxes = range(component.first_box, component.first_box + len(component.sizes))
        cells_of = self.reduction.cells_of
        return [(box, np.flatnonzero(is_mine[cells_of(box)]).tolist()) for box in boxes]

    def _find_decided(self, value: int) -> Index:
        """Return the cells that were not given and that propagation found to have this value."""
        unknown = self.reduction.constraints.known == UNDECIDED
        cells = np.flatnonzero(unknown & (self.reduction.state == value))
        return cells.astype(np.int32)

    @cached_property
    def _layouts_from(self) -> list[int]:
        """Layouts of the components from each one on and the loose cells, any mines."""
        counts = (component.count for component in reversed(self.parts))
        return list(accumulate(counts, mul, initial=1 << self.loose))[::-1]

    @cached_property
    def _completions(self) -> Completions:
        """The ways in which components and loose cells complete the total."""
        mines_left = self.reduction.mines_left
        assert mines_left is not None, (
            "without a total the components have nothing to do with each other"
        )
        by_mines = [component.by_mines for component in self.parts]
        return Completions(by_mines, self.loose, mines_left, self.budget)

    def _compute_loose_chance(self, density: Fraction | None) -> Ratio:
        mines_left = self.reduction.mines_left
        if mines_left is None:
            chance = Fraction(1, 2) if density is None else density
            return Ratio(chance.numerator, chance.denominator)
        return Ratio(self._completions.count_with_loose_mine(), self.count)
