"""Exact counts over slots: the tables of `solvers.counting`, with other ways to fill a box."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import accumulate, pairwise
from random import Random
from typing import Final

import numpy as np
from numpy.typing import NDArray

from minecheck.minefield.polynomials import convolve
from minecheck.minefield.reduction.constraints import NONE, Index, Reduction
from minecheck.minefield.topology import NOBODY
from minecheck.solvers.budget import Budget, TooWide
from minecheck.solvers.counting import whole_board
from minecheck.solvers.counting.chances import Chances
from minecheck.solvers.counting.component import Component
from minecheck.solvers.deadline import Deadline
from minecheck.solvers.variants.arrangements import (
    count_arrangements,
    iterate_arrangement,
    rank_arrangement,
)
from minecheck.solvers.variants.slots import Slots

#: The budget of all passes, as multiples of planned counts.
_PASSES: Final = 32


@dataclass(frozen=True, slots=True)
class Filling:
    """The ways in which mines lie in the slots of a box.

    Attributes:
        ways: in how many ways so many mines lie there, by their number.
        held: the same, each way times the slots, if one unknown cell of the box has a mine in it.
        is_slack: whether these are not slots of cells.
    """

    ways: tuple[int, ...]
    held: tuple[int, ...]
    is_slack: bool = False

    @classmethod
    @lru_cache(256)
    def from_cells(cls, unknown: int, known: int, most: int) -> "Filling":
        """Return the filling of cells which hold several mines.

        Args:
            unknown: cells that hold any number of mines.
            known: cells that hold one at least.
            most: the most mines of each cell.
        """
        slots = unknown * most + known * (most - 1)
        known_ways = count_arrangements(known, most - 1)
        ways = tuple(convolve(count_arrangements(unknown, most), known_ways))
        if not unknown:
            return cls(ways, (0,) * len(ways))
        rest = convolve(count_arrangements(unknown - 1, most), known_ways)
        empty = (*rest, *[0] * (len(ways) - len(rest)))
        held = tuple(slots * (one - none) for one, none in zip(ways, empty, strict=True))
        return cls(ways, held)


class SlotComponent(Component):
    """A component whose boxes are slots: the kind of a box is its number in the component."""

    def __init__(self, slots: Slots, reduction: Reduction, component: int, budget: Budget) -> None:
        super().__init__(reduction, component, budget)
        starts = reduction.box_start[self.first_box : self.first_box + self._size.size + 1]
        boxes = [reduction.box_cells[slice(*ends)] for ends in pairwise(starts.tolist())]
        #: The number of slots of each cell of a box, by box; empty if every cell has one.
        self._spans: list[list[int]] = []
        different: dict[Filling, int] = {}
        kinds = []
        for box in boxes:
            filling, spans = _fill_box(slots, box)
            self._spans.append(spans)
            kinds.append(different.setdefault(filling, len(different)))
        self._fillings = list(different)
        self._possible_by_kind = [
            [mines for mines, ways in enumerate(filling.ways) if ways] for filling in different
        ]
        self._numbers = np.array(kinds, np.int32)

    @property
    def _is_alone(self) -> bool:
        return super()._is_alone and not self._fillings[0].is_slack

    @property
    def _kinds(self) -> Index:
        return self._numbers

    def _box_capacity(self, kind: int) -> int:
        return len(self._fillings[kind].ways) - 1

    def _count_ways(self, kind: int, mines: int) -> int:
        return self._fillings[kind].ways[mines]

    def _list_possible_mines(self, kind: int) -> Sequence[int]:
        return self._possible_by_kind[kind]

    def _count_towards_total(self, kind: int, mines: int) -> int:
        return 0 if self._fillings[kind].is_slack else mines

    def _sum_mines_held(self, kind: int, mines: int) -> int:
        return self._fillings[kind].held[mines]

    def _weight_of_way(self, kind: int, mines: int, odds: tuple[int, int]) -> int:
        filling = self._fillings[kind]
        if filling.is_slack:
            return 1
        mine, safe = odds
        return int(mine**mines * safe ** (len(filling.ways) - 1 - mines))

    def _unrank_cells(self, box: int, mines: int, number: int) -> list[int]:
        filling, spans = self._fillings[self._numbers[box]], self._spans[box]
        if filling.is_slack:
            return list(range(mines))
        if not spans:
            return super()._unrank_cells(box, mines, number)
        # The first slots of each cell are those that are filled.
        starts = accumulate(spans, initial=0)
        held = iterate_arrangement(filling.ways, spans, mines, number)
        return [
            first + rank
            for first, count in zip(starts, held, strict=False)
            for rank in range(count)
        ]

    def _rank_combination(self, box: int, indices: Sequence[int]) -> int:
        filling, spans = self._fillings[self._numbers[box]], self._spans[box]
        if filling.is_slack:
            return 0
        if not spans:
            return super()._rank_combination(box, indices)
        cell = np.repeat(np.arange(len(spans)), spans)[list(indices)]
        held = np.bincount(cell, minlength=len(spans)).tolist()
        return rank_arrangement(filling.ways, zip(spans, held, strict=True), len(indices))


@dataclass(eq=False)
class SlotTally(whole_board.BoardTally):
    """Exact counts of the layouts of a reduction of slots, over slots."""

    slots: Slots

    @cached_property
    def parts(self) -> list[Component]:
        """The components."""
        reduction = self.reduction
        return [
            SlotComponent(self.slots, reduction, component, self.budget)
            for component in range(reduction.components)
        ]


@dataclass(eq=False)
class SlotCounts:
    """Exact counts of the layouts of a variant without lies, over its cells.

    Everything is computed on first use. ``most_work`` are the units of `solvers.budget.Budget` that
    the count may be planned to take.

    Raises:
        TooWide: it takes more.
        DeadlinePassed: it took too long.
    """

    slots: Slots
    reduction: Reduction
    density: Fraction | None
    deadline: Deadline

    most_work: int

    def check_feasible(self) -> None:
        """Find out whether there is a count, which takes most of the time.

        Raises:
            TooWide: the count takes too much work.
            DeadlinePassed: it took too long.
        """
        if self.reduction.conflict == NONE and self._tally.cost > self.most_work:
            raise TooWide
        assert self.count >= 0

    @cached_property
    def count(self) -> int:
        """The number of layouts."""
        return self._tally.count if self.reduction.conflict == NONE else 0

    @cached_property
    def _tally(self) -> SlotTally:
        return SlotTally(
            self.reduction, Budget(_PASSES * self.most_work, self.deadline), self.slots
        )

    @property
    def by_mines(self) -> dict[int, int]:
        """Layouts by their number of mines."""
        return self._tally.by_mines if self.count else {}

    def compute_chances(self, cells: int) -> Chances:
        """Return the chance of a mine in each unknown cell, out of ``cells`` cells."""
        groups = self._tally.compute_chances(self.density).groups
        by_cells = [(self.slots.unknown_cells(slots), chance) for slots, chance in groups]
        return Chances(cells, by_cells)

    def find_witness(self) -> NDArray[np.int8]:
        """Return the mines of each cell, (cells,), in the layout that is soonest found."""
        return self.slots.count_mines(self._tally.find_witness())

    def unrank(self, rank: int) -> NDArray[np.int8]:
        """Return the mines of each cell, (cells,), in the layout of this number."""
        return self.slots.count_mines(self._tally.unrank(rank))

    def sample(self, random: Random) -> NDArray[np.int8]:
        """Return the mines of each cell, (cells,), in a layout drawn at random, by weight."""
        return self.slots.count_mines(self._tally.sample(random, self.density))

    def rank(self, mine_counts: NDArray[np.int8]) -> int:
        """Return the number of the layout with these mines in each cell, (cells,)."""
        return self._tally.rank(self.slots.fill_slots(mine_counts))


def _fill_box(slots: Slots, box: Index) -> tuple[Filling, list[int]]:
    """Return what a box of slots holds, and the slots of each cell unless that is one."""
    if slots.cell[box[0]] == NOBODY:
        ways = tuple(map(int, slots.allowed[int(box[0])]))
        return Filling(ways, (0,) * len(ways), is_slack=True), []
    most = slots.variant.most
    if most == 1:
        return Filling.from_cells(box.size, 0, 1), []
    cells, spans = np.unique(slots.cell[box], return_counts=True)
    unknown = int(np.count_nonzero(slots.variant.unknown.ravel()[cells]))
    return Filling.from_cells(unknown, cells.size - unknown, most), spans.tolist()
