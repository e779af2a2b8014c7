"""The one exact problem that every method shares.

A `Constraints` says which cells exist, which are known, and how many mines
each clue allows among its cells; it has no rows or columns, so hexagons, tori
and bare rules fit as well as boards. `reduce` folds the known cells in,
propagates what is trivial, and splits the rest:

* a *box* is a set of undecided cells with the same clues: only the number of
  mines in it matters, and it weighs C(size, mines) layouts;
* a *component* is a set of boxes joined by clues;
* a *loose* cell is undecided and touched by no open clue.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from minecheck.minefield.board import MINE, Board
from minecheck.minefield.reduction import kernels, propagation
from minecheck.minefield.reduction.propagation import (
    IS_MINE,
    IS_SAFE,
    NO_TOTAL,
    NONE,
    TOTAL,
    UNDECIDED,
)
from minecheck.minefield.rules import Puzzle, Rules
from minecheck.minefield.topology import NOBODY
from minecheck.minefield.variant import Variant

__all__ = [
    "IS_MINE",
    "IS_SAFE",
    "NONE",
    "TOTAL",
    "UNDECIDED",
    "Constraints",
    "Index",
    "Reduction",
    "reduce",
]

Index: TypeAlias = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Constraints:
    """Clues over cells numbered from 0, and what is made of them: each once, for all who ask.

    ``known`` holds IS_SAFE, IS_MINE or UNDECIDED for each cell (int8, (cells,)).
    Clue k counts the mines among the undecided cells
    ``members[start[k]:start[k + 1]]``: at least ``low[k]``, at most ``high[k]``
    (either may lie outside what is possible). ``origin[k]`` is the cell that
    shows the clue, or the rule's position. ``total`` is the exact number of
    mines over all cells, or None.
    """

    known: NDArray[np.int8]
    start: Index
    members: Index
    low: Index
    high: Index
    origin: Index
    total: int | None = None

    @property
    def cells(self) -> int:
        """Number of cells, known ones included."""
        return self.known.size

    @property
    def undecided(self) -> int:
        """Number of cells that are not known."""
        return int(np.count_nonzero(self.known == UNDECIDED))

    @property
    def mines_left(self) -> int | None:
        """The mines left for undecided cells, None without a total. It may be unreachable."""
        if self.total is None:
            return None
        return self.total - int(np.count_nonzero(self.known == IS_MINE))

    @cached_property
    def reduction(self) -> "Reduction":
        """The reduction of these constraints."""
        return reduce(self)

    @cached_property
    def parts(self) -> "Reduction":
        """The boxes and components of the clues as they are: nothing is propagated or decided.

        Clues may ask for what their cells cannot hold; clues without cells are left out.
        """
        parts = kernels.split(self.known, self.start, self.members, self.low, self.high)
        reason = np.full(self.known.size, NONE, np.int32)
        return Reduction(self, self.known, reason, NONE, *parts, mines_left=self.mines_left)  # type: ignore[misc]

    @cached_property
    def without_total(self) -> "Constraints":
        """The same clues, whatever the total of mines."""
        return self if self.total is None else replace(self, total=None)

    @property
    def asking(self) -> NDArray[np.bool_]:
        """Which clues say anything, (clues,): not every number of mines satisfies them."""
        return (self.low > 0) | (self.high < np.diff(self.start))

    def cells_of(self, clue: int) -> Index:
        """Return the undecided cells that a clue counts."""
        return self.members[self.start[clue] : self.start[clue + 1]]

    def locate_clue(self, clue: int, puzzle: Puzzle) -> tuple[int, int]:
        """Return where a clue of the puzzle stands: (row, col) of a board; (0, k) for rule k.

        Args:
            clue: its number among these constraints.
            puzzle: the board, variant or rules that the constraints are of.
        """
        origin = int(self.origin[clue])
        return (0, origin) if isinstance(puzzle, Rules) else divmod(origin, puzzle.shape[1])

    @classmethod
    def from_board(cls, board: Board, mines: int | None = None) -> "Constraints":
        """Return the clues of a board; cell (row, col) has the number ``row * width + col``.

        Args:
            board: the board.
            mines: the total of mines over all cells, None for any.
        """
        known, start, members, needs, origin = kernels.read_board_clues(board.cells)
        return cls(known, start, members, needs, needs, origin, mines)

    @classmethod
    def from_variant(cls, variant: Variant, mines: int | None = None) -> "Constraints":
        """Return the clues of a variant that are intervals; cells are numbered as on a board.

        Args:
            variant: the variant.
            mines: the total of mines over all cells, None for any.

        Raises:
            ValueError: its clues are not intervals, or lie, or cells hold several mines.
        """
        if variant.beyond is not None:
            raise ValueError(f"clues are not intervals with {variant.beyond}")
        codes = variant.cells.ravel()
        mine = codes == MINE
        known = np.where(mine, np.int8(IS_MINE), np.int8(IS_SAFE))
        known[variant.unknown.ravel()] = UNDECIDED
        around, there = variant.around_clues, variant.around_clues != NOBODY
        demands = there & (known[around] == UNDECIDED)
        seen = np.count_nonzero(there & mine[around], axis=1).astype(np.int32)
        start = np.zeros(len(around) + 1, np.int32)
        np.cumsum(np.count_nonzero(demands, axis=1), out=start[1:])
        clues = variant.clues.values()
        return cls(
            known,
            start,
            around[demands],
            _build_index(clue.low for clue in clues) - seen,
            _build_index(clue.high for clue in clues) - seen,
            _build_index(variant.clues),
            mines,
        )

    @classmethod
    def from_position(cls, position: Puzzle, mines: int | None = None) -> "Constraints":
        """Return the clues of a board, a variant or rules; clue k of rules is rule k.

        Args:
            position: the board, variant or rules.
            mines: the total of mines over all cells, None for any.

        Raises:
            ValueError: as `from_variant`.
        """
        if isinstance(position, Board):
            return cls.from_board(position, mines)
        if isinstance(position, Variant):
            return cls.from_variant(position, mines)
        rules, number = position.rules, position.number
        start = np.zeros(len(rules) + 1, dtype=np.int32)
        np.cumsum([len(rule.cells) for rule in rules], out=start[1:])
        return cls(
            np.full(position.shape[1], UNDECIDED, dtype=np.int8),
            start,
            _build_index(number[name] for rule in rules for name in rule.cells),
            # Bounds that say nothing, or too much, all alike: they may be of any size.
            _build_index(min(max(rule.low, 0), len(rule.cells) + 1) for rule in rules),
            _build_index(min(max(rule.high, -1), len(rule.cells)) for rule in rules),
            np.arange(len(rules), dtype=np.int32),
            mines,
        )

    def with_clues(self, clues: Sequence[int], total: bool = True) -> "Constraints":
        """Return the same cells under some of the clues, with or without the total.

        Args:
            clues: numbers of the clues that stay, in their new order.
            total: whether the total stays.
        """
        lengths = np.diff(self.start)
        chosen = np.asarray(clues, dtype=np.int32)
        if np.array_equal(chosen, np.arange(lengths.size)):
            return self if total else self.without_total
        start = np.zeros(chosen.size + 1, dtype=np.int32)
        np.cumsum(lengths[chosen], out=start[1:])
        indices = np.arange(start[-1]) + np.repeat(self.start[chosen] - start[:-1], lengths[chosen])
        return Constraints(
            self.known,
            start,
            self.members[indices],
            self.low[chosen],
            self.high[chosen],
            self.origin[chosen],
            self.total if total else None,
        )

    def with_assumption(self, cell: int, value: int) -> "Constraints":
        """Return the constraints with one clue more: an undecided cell is a mine or safe.

        Args:
            cell: its number.
            value: 1 for a mine, 0 for a safe cell.
        """
        return Constraints(
            self.known,
            np.append(self.start, self.start[-1] + np.int32(1)),
            np.append(self.members, np.int32(cell)),
            np.append(self.low, np.int32(value)),
            np.append(self.high, np.int32(value)),
            np.append(self.origin, np.int32(NONE)),
            self.total,
        )


@dataclass(frozen=True, slots=True, eq=False)
class Reduction:
    """The part of `Constraints` that trivial propagation leaves open.

    ``state`` is each cell's value (int8, (cells,)), ``reason`` the clue that
    decided it (NONE if it was given or is undecided, TOTAL for the total of
    mines). ``conflict`` is the clue that propagation found violated, TOTAL, or
    NONE; with a conflict the fields below say nothing.

    Box b holds the cells ``box_cells[box_start[b]:box_start[b + 1]]``. Open
    clue k asks for ``low[k]..high[k]`` mines in the boxes
    ``clue_boxes[clue_start[k]:clue_start[k + 1]]`` and is clue ``clue[k]`` of
    the constraints. Boxes and clues are sorted by component: component c has
    the boxes ``component_boxes[c]..component_boxes[c + 1]`` and likewise its
    clues. ``loose`` are the undecided cells without an open clue.
    ``mines_left`` is what the total leaves to the undecided cells, or None.
    """

    constraints: Constraints
    state: NDArray[np.int8]
    reason: Index
    conflict: int
    box_start: Index
    box_cells: Index
    clue_start: Index
    clue_boxes: Index
    low: Index
    high: Index
    clue: Index
    component_boxes: Index
    component_clues: Index
    loose: Index
    mines_left: int | None

    @property
    def components(self) -> int:
        """Number of components."""
        return self.component_boxes.size - 1

    @property
    def mines_decided(self) -> int:
        """Mines that are given or follow trivially."""
        return int(np.count_nonzero(self.state == IS_MINE))

    def cells_of(self, box: int) -> Index:
        """Return the cells of a box, ascending."""
        return self.box_cells[self.box_start[box] : self.box_start[box + 1]]

    def boxes_of(self, clue: int) -> Index:
        """Return the boxes of an open clue."""
        return self.clue_boxes[self.clue_start[clue] : self.clue_start[clue + 1]]

    def place_mines(self, mines: Index, first_box: int = 0) -> NDArray[np.bool_]:
        """Return a mask of mines, (cells,): the first cells of each box, as many as it holds.

        Other undecided cells are safe.

        Args:
            mines: numbers of mines by box, from ``first_box`` on, each at most the size of the box.
            first_box: the first of these boxes.
        """
        start = self.box_start[first_box : first_box + mines.size + 1]
        sizes = np.diff(start)
        rank = np.arange(start[0], start[-1]) - np.repeat(start[:-1], sizes)
        placed = np.asarray(self.state == IS_MINE)
        placed[self.box_cells[start[0] : start[-1]]] = rank < np.repeat(mines, sizes)
        return placed

    def trace_clues(self, clues: Sequence[int], total: bool = False) -> tuple[list[int], bool]:
        """Return the clues that propagation used to leave some clues as they are.

        Args:
            clues: numbers of the clues to explain, which are included.
            total: whether to explain what is left of the total, too.

        Returns:
            The clues, ascending, and whether the total is used.
        """
        used, with_total = propagation.trace(
            self.constraints.start,
            self.constraints.members,
            self.state,
            self.reason,
            np.asarray(clues, dtype=np.int32),
            total,
        )
        return np.flatnonzero(used).tolist(), bool(with_total)

    def trace_conflict(self) -> tuple[list[int], bool]:
        """Return the clues that propagation used to reach its conflict, and if it used the total.

        Together they cannot hold; they need not be minimal.
        """
        if self.conflict == TOTAL:
            return self.trace_clues([], total=True)
        return self.trace_clues([self.conflict])


def reduce(constraints: Constraints) -> Reduction:
    """Propagate what is trivial and split what is left into boxes and components."""
    # Totals out of reach are all alike; as they come they may not fit the machine's integers.
    requested = constraints.total
    total = NO_TOTAL if requested is None else min(max(requested, -1), constraints.cells + 1)
    parts = kernels.reduce(
        constraints.known,
        constraints.start,
        constraints.members,
        constraints.low,
        constraints.high,
        total,
    )
    state, reason, conflict, left, *split = parts
    mines_left = None if requested is None else int(left)
    return Reduction(constraints, state, reason, conflict, *split, mines_left=mines_left)  # type: ignore[misc]


def _build_index(values: Iterable[int]) -> Index:
    return np.fromiter(values, dtype=np.int32)
