"""Counting one board in parts that others work on: its components, and a wide one by a few boxes.

Components are counted independently of each other. Of one component, some boxes are supposed to
hold so many mines, in every way there is: what is left of it then is narrower, and the counts of
all ways, each times the ways to lay these mines, add up to that of the component (cutset
conditioning, Dechter 2003). Work that does not depend on these boxes is done again in every piece,
so a component is split only where it does not fit into memory in one piece, or where the pieces,
as many at a time as there are processors, are done sooner.

Parts are pure values and go to whoever `solvers.effort.Share` names; nothing here knows of
processes or machines.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from math import ceil, comb, inf
from time import monotonic
from typing import Final, NamedTuple, TypeAlias

import numpy as np

from minecheck.minefield.polynomials import count_by_mines
from minecheck.minefield.reduction.constraints import (
    IS_MINE,
    IS_SAFE,
    NONE,
    UNDECIDED,
    Constraints,
    Index,
    Reduction,
)
from minecheck.minefield.reduction.constraints import reduce as reduced
from minecheck.solvers.budget import Budget
from minecheck.solvers.counting.component import Component
from minecheck.solvers.counting.whole_board import BoardTally
from minecheck.solvers.deadline import Deadline
from minecheck.solvers.effort import Share

#: Units that are done in a second, about.
_WORK_A_SECOND: Final = 500_000_000
#: The budget of one piece; its deadline ends it.
_WORK: Final = 10**15
#: A component is split into no more pieces.
_PIECES: Final = 1 << 14
#: Boxes that are tried for each one that is taken.
_TRIED: Final = 12

#: Layouts by number of mines; all under 0 where these do not matter.
Counts: TypeAlias = dict[int, int]
#: One of the splits, by its index, and the mines that its boxes hold.
_Piece: TypeAlias = tuple[int, tuple[int, ...]]


class SplitLimits(NamedTuple):
    """Limits of how a component is split.

    Attributes:
        piece_work: the cost of a piece besides its count, in units of `Budget`.
        most_limbs: limbs of the largest table of a piece, about 256 MB; of all of them, where all
            are kept, eight times as many: most tables have fewer than is reckoned here.
        most_boxes: the most boxes by which a component is split.
        planning_share: planning may take this part of what the count would take, or of the time
            there is.
    """

    piece_work: int = 20_000_000
    most_limbs: int = 2**25
    most_boxes: int = 14
    planning_share: float = 0.25


LIMITS: Final = SplitLimits()


@dataclass(frozen=True, slots=True)
class Split:
    """A component, and the cells of the boxes by which it is split.

    ``by_mines`` tells whether the mines of layouts matter.
    """

    constraints: Constraints
    boxes: tuple[Index, ...]
    by_mines: bool

    @property
    def pieces(self) -> Iterator[tuple[int, ...]]:
        """The mines of the boxes, in every way."""
        return product(*(range(cells.size + 1) for cells in self.boxes))

    def count(self, box_mines: Sequence[int], deadline: Deadline) -> Counts:
        """Return the layouts in which the boxes hold these numbers of mines.

        Args:
            box_mines: the mines of each box by which the component is split.
            deadline: when to give up.

        Returns:
            Layouts by mines, or all at 0 if mines do not matter.

        Raises:
            TooWide: it takes too much memory.
            DeadlinePassed: it takes too long.
        """
        constraints, placements = self.constraints, 1
        for cells, mines in zip(self.boxes, box_mines, strict=True):
            constraints = _with_assumption(constraints, cells, mines)
            placements *= comb(cells.size, mines)
        reduction = reduced(constraints)
        if reduction.conflict != NONE:
            return {}
        tally = BoardTally(reduction, Budget(_WORK, deadline))
        if not self.by_mines:
            return {0: placements * tally.count}
        components = [component.by_mines for component in tally.parts]
        layouts = count_by_mines(components, reduction.loose.size, reduction.mines_decided)
        return {mines: placements * count for mines, count in layouts.items()}


def spread_count(
    tally: BoardTally,
    share: Share,
    deadline: Deadline,
    by_mines: bool,
    limits: SplitLimits = LIMITS,
) -> None:
    """Have others count the components of a tally, if that is expensive, and store the counts.

    Args:
        tally: the counts of a board, to which the results are added.
        share: a function that spreads tasks over workers.
        deadline: when to give up.
        by_mines: whether layouts by mines are needed.
        limits: limits of how components are split.

    Raises:
        TooWide: a component is too wide however it is split.
        DeadlinePassed: counting takes too long.
    """
    works = {
        component: _estimate_cost(part, by_mines, limits).work
        for component, part in enumerate(tally.parts)
        if part.splits and ("by_mines" if by_mines else "count") not in vars(part)
    }
    if sum(works.values()) < share.least_work:
        return
    # Cheap pieces are counted faster than they are sent.
    dear = [component for component, work in works.items() if work >= share.least_work / 100]
    splits = tuple(
        split_component(
            isolate_component(tally.reduction, component),
            by_mines,
            share.processors,
            deadline,
            limits,
        )
        for component in dear
    )
    if len(splits) == 1 and not splits[0].boxes:
        return
    pieces = [
        (index, box_mines) for index, split in enumerate(splits) for box_mines in split.pieces
    ]
    results = share.each(partial(_count_piece, splits), pieces, deadline)
    counts: list[Counter[int]] = [Counter() for _ in dear]
    for (index, _), layouts in zip(pieces, results, strict=True):
        counts[index].update(layouts)
    for component, layouts in zip(dear, counts, strict=True):
        part = tally.parts[component]
        # The result is stored as if it had been counted here.
        if by_mines:
            part.by_mines = {mines: layouts[mines] for mines in sorted(layouts) if layouts[mines]}
        else:
            part.count = layouts[0]


def isolate_component(reduction: Reduction, component: int) -> Constraints:
    """Return the clues of one component, over its cells only, in the order of their boxes.

    Args:
        reduction: the reduced board.
        component: the number of the component.
    """
    first_box, end_box = reduction.component_boxes[component : component + 2].tolist()
    first_clue, last_clue = reduction.component_clues[component : component + 2].tolist()
    starts = reduction.box_start - reduction.box_start[first_box]
    members, start = [], [0]
    for clue in range(first_clue, last_clue):
        boxes = reduction.boxes_of(clue).tolist()
        members += [np.arange(*starts[box : box + 2], dtype=np.int32) for box in boxes]
        start.append(start[-1] + sum(cells_of_box.size for cells_of_box in members[-len(boxes) :]))
    return Constraints(
        np.full(starts[end_box], UNDECIDED, np.int8),
        np.array(start, np.int32),
        np.concatenate(members),
        reduction.low[first_clue:last_clue],
        reduction.high[first_clue:last_clue],
        np.arange(last_clue - first_clue, dtype=np.int32),
    )


def split_component(
    constraints: Constraints,
    by_mines: bool,
    processors: int,
    deadline: Deadline,
    limits: SplitLimits = LIMITS,
) -> Split:
    """Choose the boxes by which a component is best split, one after the other, or none.

    Args:
        constraints: the clues of the component alone.
        by_mines: whether layouts by mines are needed.
        processors: how many pieces are counted at a time.
        deadline: when the counts have to be there.
        limits: limits of how it is split.
    """
    start_time = monotonic()
    reduction = reduced(constraints)
    cost = _estimate_total_cost(reduction, by_mines, limits)
    best_split, least_work = Split(constraints, (), by_mines), cost.work if cost.fits else inf
    split_boxes: list[Index] = []
    pieces = 1
    while len(split_boxes) < limits.most_boxes and pieces < _PIECES:
        patience = min(deadline.left, cost.work / _WORK_A_SECOND if cost.fits else inf)
        if monotonic() - start_time > limits.planning_share * patience:
            break
        next_box = _choose_box(constraints, reduction, by_mines, limits)
        if next_box is None:
            break
        cells, constraints, reduction, cost = next_box
        split_boxes.append(cells)
        pieces *= cells.size + 1
        work = (cost.work + limits.piece_work) * ceil(pieces / processors) if cost.fits else inf
        if work < least_work:
            best_split, least_work = (
                Split(best_split.constraints, tuple(split_boxes), by_mines),
                work,
            )
        elif least_work < inf and work > 4 * least_work:
            break
    return best_split


@dataclass(frozen=True, slots=True)
class _Cost:
    """What a count takes: units of `Budget`, and whether it fits into memory."""

    work: float
    fits: bool


def _count_piece(splits: Sequence[Split], piece: _Piece, deadline: Deadline) -> Counts:
    index, box_mines = piece
    return splits[index].count(box_mines, deadline)


def _with_assumption(constraints: Constraints, cells: Index, mines: int) -> Constraints:
    """Return the constraints with the first ``mines`` of these cells as mines, the others safe."""
    known = constraints.known.copy()
    known[cells] = IS_SAFE
    known[cells[:mines]] = IS_MINE
    members, start = constraints.members, constraints.start
    new_start = np.concatenate(([0], np.cumsum(known[members] == UNDECIDED)))[start]
    mines_in_clue = np.diff(np.concatenate(([0], np.cumsum(known[members] == IS_MINE)))[start])
    return Constraints(
        known,
        new_start.astype(np.int32),
        members[known[members] == UNDECIDED],
        (constraints.low - mines_in_clue).astype(np.int32),
        (constraints.high - mines_in_clue).astype(np.int32),
        constraints.origin,
    )


def _choose_box(
    constraints: Constraints, reduction: Reduction, by_mines: bool, limits: SplitLimits
) -> tuple[Index, Constraints, Reduction, _Cost] | None:
    """Return the box by which it is best to split, and what is left with half its mines."""
    best_choice, least_estimate = None, inf
    for box in _list_candidates(reduction):
        cells = reduction.cells_of(box)
        supposed = _with_assumption(constraints, cells, cells.size // 2)
        narrowed = reduced(supposed)
        if narrowed.conflict != NONE:
            continue
        cost = _estimate_total_cost(narrowed, by_mines, limits)
        # Twice as wide is twice as dear, planned or not.
        estimate = cost.work * (cells.size + 1) if cost.work < inf else inf
        if best_choice is None or estimate < least_estimate:
            best_choice, least_estimate = (cells, supposed, narrowed, cost), estimate
    return best_choice


def _list_candidates(reduction: Reduction) -> list[int]:
    """Return the boxes at the widest join of the most expensive component, best first."""
    budget = Budget(_WORK, Deadline())
    components = [
        Component(reduction, component, budget) for component in range(reduction.components)
    ]
    if not components:
        return []
    return max(components, key=lambda part: part.cost).widest[:_TRIED]


def _estimate_total_cost(reduction: Reduction, by_mines: bool, limits: SplitLimits) -> _Cost:
    """Return the cost of all components."""
    budget = Budget(_WORK, Deadline())
    costs = [
        _estimate_cost(Component(reduction, component, budget), by_mines, limits)
        for component in range(reduction.components)
    ]
    return _Cost(sum(cost.work for cost in costs), all(cost.fits for cost in costs))


def _estimate_cost(component: Component, by_mines: bool, limits: SplitLimits) -> _Cost:
    work = component.cost
    if work == inf:
        return _Cost(inf, False)
    limbs = 1 + component.cells / 64
    if by_mines:
        # A number for each number of mines, in all tables at once.
        kept_limbs = int(component.plan.entries.sum()) * limbs * component.cells
        return _Cost(work * component.cells, kept_limbs <= 8 * limits.most_limbs)
    return _Cost(work, int(component.plan.entries.max()) * limbs <= limits.most_limbs)
