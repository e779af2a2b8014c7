"""A reduced board as bounded integers: one variable a box, one linear constraint a clue."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from minecheck.minefield.reduction.constraints import Index, Reduction
from minecheck.minefield.reduction.propagation import transpose_lists


@dataclass(frozen=True, eq=False)
class BoxProblem:
    """Find x with ``0 <= x[b] <= size[b]`` and ``low[k] <= sum(x[boxes of k]) <= high[k]``.

    Clue k is over ``clue_boxes[clue_start[k]:clue_start[k + 1]]``. With a
    total of mines, the loose cells are one more box (the last) and the total
    one more clue (the last) over all boxes, so that everything is one
    component; without, loose cells are left out. Component c has the boxes
    ``component_boxes[c]..component_boxes[c + 1]`` and likewise its clues.
    """

    reduction: Reduction
    size: Index
    clue_start: Index
    clue_boxes: Index
    low: Index
    high: Index
    component_boxes: Index
    component_clues: Index
    first_box: int = 0

    @classmethod
    def from_reduction(cls, reduction: Reduction, total: bool = True) -> "BoxProblem":
        """Return the boxes and clues of a reduction without conflict.

        Args:
            reduction: the reduced board.
            total: whether its total, if there is one, is a clue, too.
        """
        size = np.diff(reduction.box_start)
        if reduction.mines_left is None or not total:
            return cls(
                reduction,
                size,
                reduction.clue_start,
                reduction.clue_boxes,
                reduction.low,
                reduction.high,
                reduction.component_boxes,
                reduction.component_clues,
            )
        boxes = size.size + 1
        left = np.int32(reduction.mines_left)
        filled = reduction.clue_boxes.size
        return cls(
            reduction,
            np.append(size, np.int32(reduction.loose.size)),
            np.append(reduction.clue_start, np.int32(filled + boxes)),
            # The loose cells come first: they are the easiest to fill.
            np.concatenate(
                (reduction.clue_boxes, np.arange(boxes - 1, -1, -1, dtype=np.int32)), dtype=np.int32
            ),
            np.append(reduction.low, left),
            np.append(reduction.high, left),
            np.array([0, boxes], dtype=np.int32),
            np.array([0, reduction.low.size + 1], dtype=np.int32),
        )

    @cached_property
    def clues_of_box(self) -> tuple[Index, Index]:
        """(start, clues): clues of box b are ``clues[start[b]:start[b + 1]]``."""
        return transpose_lists(self.clue_start, self.clue_boxes, self.size.size)

    def take_component(self, index: int) -> "BoxProblem":
        """Return one component as a problem of its own; its boxes are numbered from 0."""
        first, last = self.component_boxes[index : index + 2].tolist()
        clues = slice(*self.component_clues[index : index + 2].tolist())
        start = self.clue_start[clues.start : clues.stop + 1]
        return BoxProblem(
            self.reduction,
            self.size[first:last],
            start - start[0],
            self.clue_boxes[start[0] : start[-1]] - np.int32(first),
            self.low[clues],
            self.high[clues],
            np.array([0, last - first], dtype=np.int32),
            np.array([0, clues.stop - clues.start], dtype=np.int32),
            self.first_box + first,
        )

    def count_mines(self, layout: NDArray[np.bool_]) -> Index:
        """Count the mines of each box in a layout, (cells,)."""
        reduction = self.reduction
        sums = np.concatenate(([0], np.cumsum(layout[reduction.box_cells])))
        mines = np.diff(sums[reduction.box_start])
        if self.size.size > mines.size:
            mines = np.append(mines, np.count_nonzero(layout[reduction.loose]))
        return mines.astype(np.int32)

    @property
    def components(self) -> int:
        """Number of components."""
        return self.component_boxes.size - 1

    def cells_of(self, box: int) -> Index:
        """Return the cells of a box; the last box may be that of the loose cells."""
        reduction = self.reduction
        box += self.first_box
        if box == reduction.box_start.size - 1:
            return reduction.loose
        return reduction.cells_of(box)

    def place_mines(self, mines: Index) -> NDArray[np.bool_]:
        """Return the cells that are mines, (cells,), when box b holds ``mines[b]``.

        The first cells of each box are mines; undecided cells outside the boxes are safe.
        """
        reduction = self.reduction
        boxed = min(self.size.size, reduction.box_start.size - 1 - self.first_box)
        placed = reduction.place_mines(mines[:boxed], self.first_box)
        if mines.size > boxed:
            placed[reduction.loose[: mines[boxed]]] = True
        return placed
