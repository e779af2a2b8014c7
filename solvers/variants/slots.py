"""A variant without lies as the constraints of plain boards, over slots for one mine each.

A cell that holds up to s mines has s *slots*, which the same clues count: so they end up in one
box, of which only the number of mines matters. A clue that is a set is exact, for the most mines
that it allows, and has *slack*: slots of its own that hold what the cells lack. The reduction takes
both as they are; a count only has to know in how many ways mines lie in the slots of a box
(`solvers.variants.slot_counts`).

Tested in tests/solvers/variants/test_slot_counts.py.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from minecheck.minefield.board import MINE
from minecheck.minefield.reduction.constraints import (
    IS_MINE,
    IS_SAFE,
    NONE,
    UNDECIDED,
    Constraints,
    Index,
    Reduction,
    reduce,
)
from minecheck.minefield.topology import NOBODY
from minecheck.minefield.variant import Variant


@dataclass(frozen=True, slots=True, eq=False)
class Slots:
    """The constraints of a variant, its clues in reading order.

    Attributes:
        variant: the board. Whether clues may lie is left out of account.
        constraints: known mines fill a slot, known safe cells have one that is empty.
        cell: the cell of each slot, (slots,), ascending; slack comes last and has `NOBODY`.
        seen: known mines around each clue, (clues,).
        allowed: by the first slot of its slack, which numbers of mines a clue's slack may hold.
    """

    variant: Variant
    constraints: Constraints
    cell: Index
    seen: Index
    allowed: dict[int, tuple[bool, ...]]

    @classmethod
    def from_variant(cls, variant: Variant) -> "Slots":
        """Lay out the slots of a variant."""
        codes = variant.cells.ravel()
        is_mine, around = codes == MINE, variant.around_clues
        # By cell: its slots, and those of them that are not known. Nobody, the last one, has none.
        slots = np.where(is_mine | variant.unknown.ravel(), variant.most, 1)
        unknown = np.append(np.where(variant.unknown.ravel(), slots, (slots - 1) * is_mine), 0)
        first = np.append(np.cumsum(slots) - slots + is_mine, 0)
        seen = np.append(is_mine, False)[around].sum(axis=1)
        low, high, slack = _build_bounds(variant, seen, unknown[around].sum(axis=1))
        spare = np.array([len(allowed) - 1 if allowed else 0 for allowed in slack], np.int64)
        before = int(slots.sum()) + np.cumsum(spare) - spare
        start, members = _build_runs(
            np.column_stack([unknown[around], spare]), np.column_stack([first[around], before])
        )
        cell = np.repeat(np.arange(codes.size), slots)
        known = np.where(variant.unknown.ravel()[cell], np.int8(UNDECIDED), np.int8(IS_SAFE))
        known[is_mine[cell]] = UNDECIDED
        known[first[:-1][is_mine] - 1] = IS_MINE
        more = int(spare.sum())
        constraints = Constraints(
            np.append(known, np.full(more, UNDECIDED, np.int8)),
            start,
            members,
            low,
            high,
            np.fromiter(variant.clues, np.int32),
        )
        allowed = {
            slot: of_slot for slot, of_slot in zip(before.tolist(), slack, strict=True) if of_slot
        }
        of_slack = np.full(more, NOBODY, np.int32)
        cells = np.append(cell.astype(np.int32), of_slack)
        return cls(variant, constraints, cells, seen.astype(np.int32), allowed)

    @property
    def from_cells(self) -> int:
        """The number of slots without the slack."""
        return int(np.count_nonzero(self.cell != NOBODY))

    def build_reduction(self, mines: int | None) -> Reduction:
        """Return the reduction, with ``mines`` mines on the board if given.

        Where cells hold several mines, those without a clue are a component as well.
        """
        # The total does not count slack, so propagation is without it where there is some.
        reduction = reduce(replace(self.constraints, total=None if self.allowed else mines))
        if reduction.conflict != NONE:
            return reduction
        reduction.state[self.from_cells :] = np.where(
            reduction.state[self.from_cells :] == UNDECIDED, np.int8(UNDECIDED), np.int8(IS_SAFE)
        )
        mines_left = None if mines is None else mines - reduction.mines_decided
        reduction = replace(self._with_slack_apart(reduction), mines_left=mines_left)
        return (
            reduction
            if self.variant.most == 1 or not reduction.loose.size
            else _with_loose_box(reduction)
        )

    def _with_slack_apart(self, reduction: Reduction) -> Reduction:
        """Return the same reduction with slack in boxes of its own: it is no place for mines."""
        start, slack = reduction.box_start, self.cell[reduction.box_cells] == NOBODY
        if not slack.any():
            return reduction
        # Slack comes last in its box.
        share = np.add.reduceat(slack, start[:-1], dtype=np.int32)
        is_mixed = (share > 0) & (share < np.diff(start))
        ends = (start[1:] - share)[is_mixed]
        number = np.arange(start.size) + np.append(0, np.cumsum(is_mixed))
        there = is_mixed[reduction.clue_boxes]
        boxes = np.repeat(number[reduction.clue_boxes], 1 + there)
        boxes[np.arange(there.size)[there] + np.cumsum(there)[there]] += 1
        before = np.append(0, np.cumsum(there))
        return replace(
            reduction,
            box_start=np.sort(np.concatenate([start, ends])),
            clue_start=(reduction.clue_start + before[reduction.clue_start]).astype(np.int32),
            clue_boxes=boxes.astype(np.int32),
            component_boxes=number[reduction.component_boxes].astype(np.int32),
        )

    def fill_slots(self, mine_counts: NDArray[np.int8]) -> NDArray[np.bool_]:
        """Return which slots hold a mine, (slots,), from the mines of each cell, (cells,)."""
        cell = self.cell[: self.from_cells]
        rank = np.arange(cell.size) - np.searchsorted(cell, cell)
        filled = np.zeros(self.cell.size, np.bool_)
        filled[: cell.size] = rank < mine_counts[cell]
        constraints = self.constraints
        if not self.allowed:
            return filled
        for clue, most in enumerate(constraints.high.tolist()):
            slots = constraints.cells_of(clue)
            if slots.size and self.cell[slots[-1]] == NOBODY:
                slack = slots[self.cell[slots] == NOBODY]
                filled[slack[: most - np.count_nonzero(filled[slots])]] = True
        return filled

    def count_mines(self, filled: NDArray[np.bool_]) -> NDArray[np.int8]:
        """Return the mines of each cell, (cells,), from the slots that hold one."""
        cell = self.cell[: self.from_cells][filled[: self.from_cells]]
        mine_counts: NDArray[np.int8] = np.bincount(cell, minlength=self.variant.cells.size).astype(
            np.int8
        )
        return mine_counts

    def unknown_cells(self, slots: Index) -> Index:
        """Return the unknown cells that have some of these slots, ascending."""
        cells = np.unique(self.cell[slots])
        cells = cells[cells != NOBODY]
        unknown: Index = cells[self.variant.unknown.ravel()[cells]]
        return unknown


def _build_bounds(
    variant: Variant, seen: NDArray[np.int64], unknown: NDArray[np.int64]
) -> tuple[Index, Index, list[tuple[bool, ...]]]:
    """Return the least and the most mines in unknown slots around each clue, and its slack.

    Slack is which numbers of mines less than the most are allowed, where these are not all.
    """
    low, high, slack = [], [], []
    for clue, there, most in zip(
        variant.clues.values(), seen.tolist(), unknown.tolist(), strict=True
    ):
        least, largest = clue.low - there, clue.high - there
        allowed: tuple[bool, ...] = ()
        if clue.values:
            fitting = [value - there for value in clue.values if there <= value <= there + most]
            # Nothing that fits is more than there can be.
            least, largest = min(fitting, default=most + 1), max(fitting, default=most + 1)
            if len(fitting) <= largest - least:
                allowed = tuple(largest - less in fitting for less in range(largest - least + 1))
                least = largest
        low.append(max(0, min(least, most + 1)))
        high.append(max(-1, min(largest, most)) if least <= most else most + 1)
        slack.append(allowed)
    return np.array(low, np.int32), np.array(high, np.int32), slack


def _build_runs(lengths: NDArray[np.int64], firsts: NDArray[np.int64]) -> tuple[Index, Index]:
    """Return, for rows of runs, where each row starts, and the numbers in its runs."""
    start = np.zeros(len(lengths) + 1, np.int32)
    np.cumsum(lengths.sum(axis=1), out=start[1:])
    sizes = lengths.ravel()
    within = np.arange(start[-1]) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return start, (np.repeat(firsts.ravel(), sizes) + within).astype(np.int32)


def _with_loose_box(reduction: Reduction) -> Reduction:
    """Return the same reduction with the loose cells as a box, which any number of mines fits."""
    boxes, clues = reduction.box_start.size - 1, reduction.clue.size
    loose = reduction.loose.size

    def append_item(items: Index, item: int) -> Index:
        return np.append(items, np.int32(item))

    return replace(
        reduction,
        box_start=append_item(reduction.box_start, reduction.box_start[-1] + loose),
        box_cells=np.concatenate([reduction.box_cells, reduction.loose]),
        clue_start=append_item(reduction.clue_start, reduction.clue_boxes.size + 1),
        clue_boxes=append_item(reduction.clue_boxes, boxes),
        low=append_item(reduction.low, 0),
        high=append_item(reduction.high, loose),
        clue=append_item(reduction.clue, NONE),
        component_boxes=append_item(reduction.component_boxes, boxes + 1),
        component_clues=append_item(reduction.component_clues, clues + 1),
        loose=reduction.loose[:0],
    )
