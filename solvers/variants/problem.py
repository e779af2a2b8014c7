"""A variant as boxes of cells that only their sums distinguish, whatever its clues allow.

Tested in tests/solvers/backends/test_variants.py.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from minecheck.minefield.reduction.constraints import IS_MINE, NONE, Index, Reduction
from minecheck.minefield.topology import NOBODY
from minecheck.minefield.variant import Clue
from minecheck.solvers.variants.arrangements import count_arrangements
from minecheck.solvers.variants.slots import Slots


@dataclass(frozen=True, slots=True)
class Box:
    """Cells with the same clues, each of which holds ``least`` to ``least + span`` mines.

    Mines above ``least`` are called spare: only how many of them a box holds matters to its clues.
    """

    cells: tuple[int, ...]
    clues: tuple[int, ...]
    least: int
    span: int

    @property
    def capacity(self) -> int:
        """The most spare mines that fit in."""
        return len(self.cells) * self.span

    @property
    def ways(self) -> tuple[int, ...]:
        """The number of ways to lay each number of spare mines in its cells."""
        return count_arrangements(len(self.cells), self.span)


@dataclass(frozen=True, slots=True, eq=False)
class VariantProblem:
    """Boxes with clues, the ``loose`` ones without, and what the clues allow.

    Clue k allows ``clues[k]`` mines, of which ``sure[k]`` lie around it in every layout. ``lies``
    are the least and the most clues that are wrong. ``base`` are the mines that are in each cell,
    (cells,), in every layout; ``spare`` is what the total leaves to the boxes, None without a
    total. ``decided`` are the unknown cells that are in no box.
    """

    boxes: tuple[Box, ...]
    loose: tuple[Box, ...]
    decided: Index
    clues: tuple[Clue, ...]
    sure: tuple[int, ...]
    lies: tuple[int, int]
    base: NDArray[np.int8]
    spare: int | None

    @property
    def sure_mines(self) -> int:
        """Mines that are in every layout."""
        return int(self.base.sum())

    def layout_from_spare(self, spare: Mapping[int, int]) -> NDArray[np.int8]:
        """Return the mines of each cell, (cells,), from the spare mines by cell."""
        mine_counts = self.base.copy()
        for cell, spare_mines in spare.items():
            mine_counts[cell] += spare_mines
        return mine_counts

    @classmethod
    def from_reduction(
        cls, slots: Slots, reduction: Reduction, mines: int | None = None
    ) -> "VariantProblem":
        """Return the open part of a variant.

        Args:
            slots: the slots of the variant.
            reduction: one of its slots without conflict; a split one if clues may lie.
            mines: the total of mines, None for any.
        """
        boxes = sorted(_iterate_boxes(slots, reduction), key=lambda box: (box.clues, box.least))
        sees = np.repeat(np.arange(slots.seen.size), np.diff(slots.constraints.start))
        members = slots.constraints.members
        decided = (reduction.state[members] == IS_MINE) & (slots.cell[members] != NOBODY)
        sure = slots.seen + np.bincount(sees[decided], minlength=slots.seen.size)
        base = slots.count_mines(reduction.state == IS_MINE)
        is_decided = slots.variant.unknown.ravel().copy()
        for box in boxes:
            is_decided[list(box.cells)] = False
        return cls(
            tuple(box for box in boxes if box.clues),
            tuple(box for box in boxes if not box.clues),
            np.flatnonzero(is_decided).astype(np.int32),
            tuple(slots.variant.clues.values()),
            tuple(sure.tolist()),
            slots.variant.lies,
            base,
            None if mines is None else mines - int(base.sum()),
        )


def _iterate_boxes(slots: Slots, reduction: Reduction) -> Iterator[Box]:
    """Yield the boxes of a reduction, but the slack, and its loose cells."""
    clues: list[list[int]] = [[] for _ in range(reduction.box_start.size - 1)]
    for clue, ends in zip(
        reduction.clue.tolist(), pairwise(reduction.clue_start.tolist()), strict=True
    ):
        for box in reduction.clue_boxes[slice(*ends)].tolist() if clue != NONE else ():
            clues[box].append(clue)
    for among, ends in zip(clues, pairwise(reduction.box_start.tolist()), strict=True):
        yield from _group_cells(slots, reduction.box_cells[slice(*ends)], among)
    yield from _group_cells(slots, reduction.loose, [])


def _group_cells(slots: Slots, box: Index, clues: list[int]) -> Iterator[Box]:
    """Yield the cells of some slots as boxes: those that are unknown, and the known mines."""
    cells = np.unique(slots.cell[box])
    cells = cells[cells != NOBODY]
    unknown = slots.variant.unknown.ravel()[cells]
    for least, among in enumerate((cells[unknown], cells[~unknown])):
        if among.size:
            span = slots.variant.most - least
            yield Box(tuple(among.tolist()), tuple(clues), least, span)
