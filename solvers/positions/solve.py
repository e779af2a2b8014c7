"""A layout, count, chances and forced cells of an ordinary position, in one compiled call.

Positions of games fall into small components, of which a line of boxes is
the quickest to count: the state between two boxes is what each open clue
still needs, three bits a clue; its value is the number of layouts by mines
used. All of them are integers below 2**53, exact in doubles, which is checked;
what is larger, or wider, is left to `solvers.counting.component`. The weights of the
rest of the board, ratios of binomials, are `minefield.double_double`, so that every
chance is rounded correctly; where that is in doubt, nothing is answered.
"""

from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import prod
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from minecheck.minefield.bits import ONE, ZERO, count_all_bits, find_lowest_bit
from minecheck.minefield.board import FLAG, UNKNOWN, Board
from minecheck.minefield.compiled import (
    Cube,
    FixedMatrix,
    Matrix,
    Vector,
    compile_inner,
    compile_kernel,
    inline_kernel,
)
from minecheck.minefield.layout import Layout
from minecheck.minefield.polynomials import (
    SOON_CELLS,
    count_by_mines,
    count_completed,
)
from minecheck.minefield.reduction.propagation import UNDECIDED
from minecheck.solvers.annotations import Safest
from minecheck.solvers.backend import Backend
from minecheck.solvers.counting.safest import rank_safest
from minecheck.solvers.positions.boxes import find_boxes
from minecheck.solvers.positions.chances import LEAST_WEIGHT, MOST_WEIGHT
from minecheck.solvers.positions.components import MORE_ROOM, count_apart, count_together
from minecheck.solvers.positions.planes import (
    FRONTIER,
    LAST,
    MINES,
    UNSETTLED,
    WORD,
    count_row_words,
    find_column_range,
    find_first_word,
    propagate_planes,
    read_planes,
)
from minecheck.solvers.positions.states import NO_ROOM, SURE, UNSURE

#: The name of the method in answers.
NAME: Final = Backend.POSITIONS.value
#: A board that is no wider is a strip, which automata read.
STRIP: Final = 2
#: The value for a missing total.
ANY: Final = -1
#: Kinds of cells besides the boxes: loose ones, known or decided to be safe or mines, and clues.
KNOWN_KINDS: Final = 4
# The results for cells, as planes of bytes: their kinds take four, then come values and mines.
_VALUES: Final = 4
_LAYOUT: Final = 5
_BYTES: Final = 6
# The numbers before the starts, and the largest number of starts and spreads for each cell: a
# component has a start, and one number of layouts more than cells. One start ends the list.
_HEAD: Final = 5
_A_CELL: Final = 3
#: A component of a board with more cells is likely to need more room.
_SMALL: Final = 4096

#: Spreads, starts, mines, loose cells and components left out, as `Position` has them.
_Outcome: TypeAlias = tuple[NDArray[np.float64], NDArray[np.int64], int, int, int]


@dataclass(eq=False)
class LayoutCounts:
    """The number of layouts.

    Layouts of the constrained cells by mines beyond their fewest are
    ``spreads[starts[c]:starts[c + 1]]`` of component c, with a total of all together; the fewest of
    all, with those decided, are ``mines``. ``loose`` cells are free besides.
    """

    spreads: list[int]
    starts: list[int]
    mines: int
    loose: int
    total: int | None

    # Read once, and quicker found than kept.
    @property
    def count(self) -> int:
        """Number of layouts."""
        if self.total is None:
            return prod(map(sum, self._spreads)) << self.loose
        return count_completed(enumerate(self.spreads), self.loose, self.total - self.mines)

    @property
    def _spreads(self) -> list[list[int]]:
        return [self.spreads[begin:end] for begin, end in pairwise(self.starts)]

    @property
    def soon_by_mines(self) -> bool:
        """True if `by_mines` costs next to nothing."""
        return self.total is not None or self.loose + len(self.spreads) <= SOON_CELLS

    def by_mines(self) -> dict[int, int]:
        """Return the layouts by number of mines, ascending."""
        if self.total is not None:
            return {self.total: self.count}
        spreads = [dict(enumerate(spread)) for spread in self._spreads]
        return count_by_mines(spreads, self.loose, self.mines)


@dataclass(eq=False)
class Position(LayoutCounts):
    """The complete results for a position.

    So many components were ``left_out``: nothing is said of them, and the chances are LEFT_OUT
    there. Cells of one kind have the same chance: ``kinds`` is int32 (height, width), first the
    ``boxes``, then loose cells. ``chances`` is that of a mine in each unknown cell and NaN
    elsewhere, float64 (height, width): exactly 0 or 1 where the cell is forced, and only there.
    """

    left_out: int
    boxes: int
    chances: NDArray[np.float64]
    # One array takes less time to make than three.
    _by_cell: NDArray[np.int8]

    @classmethod
    def from_kinds(
        cls,
        counts: LayoutCounts,
        left_out: int,
        kinds: NDArray[np.int32],
        layout: NDArray[np.bool_],
        kind_chances: NDArray[np.float64],
    ) -> "Position":
        """Return the position that `solve_kinds` has found.

        Args:
            counts: the number of layouts.
            left_out: the number of components left out.
            kinds: the kind of each cell: (height, width).
            layout: the mines of one of the layouts: (height, width).
            kind_chances: the chance of a mine for each kind.
        """
        chances = kind_chances[kinds]
        by_cell = np.empty((_BYTES, *kinds.shape), np.int8)
        by_cell[:_VALUES] = kinds.view(np.int8).reshape(_VALUES, *kinds.shape)
        by_cell[_LAYOUT] = layout
        by_cell[_VALUES] = UNDECIDED
        for value in (0, 1):
            by_cell[_VALUES][chances == value] = value
        outcome_values = counts.spreads, counts.starts, counts.mines, counts.loose, counts.total
        return cls(*outcome_values, left_out, kind_chances.size - KNOWN_KINDS, chances, by_cell)

    @property
    def kinds(self) -> NDArray[np.int32]:
        """The kind of each cell."""
        kinds = self._by_cell[:_VALUES].reshape(-1).view(np.int32)
        return kinds.reshape(self.chances.shape)

    @property
    def values(self) -> NDArray[np.int8]:
        """The values of forced cells, as `solvers.findings.Forced` has them."""
        values: NDArray[np.int8] = self._by_cell[_VALUES]
        return values

    @property
    def layout(self) -> NDArray[np.bool_]:
        """One of the layouts, bool (height, width)."""
        layout: NDArray[np.bool_] = self._by_cell[_LAYOUT].view(np.bool_)
        return layout

    @property
    def kind_chances(self) -> NDArray[np.float64]:
        """The chances of all kinds; NaN is also that of a kind that no cell is of."""
        by_kind = np.full(self.boxes + KNOWN_KINDS, np.nan)
        by_kind[self.kinds] = self.chances
        return by_kind

    def find_witness(self) -> Layout:
        """Return one of the layouts."""
        return Layout.read_only(self.layout)

    def rank_safest(self) -> Safest:
        """Rank the cells least likely to be mines."""
        return rank_safest(self.chances, self.chances.size)


def solve_position(
    board: Board, mines: int | None = None, density: Fraction | None = None
) -> Position | None:
    """Solve a position; None if it is inconsistent, or no ordinary one.

    Args:
        board: the board.
        mines: the exact total, None for any.
        density: the chance of a mine in each unknown cell without a total; None for one half, where
            all layouts weigh the same.
    """
    position = solve_narrow_components(board, mines, density)
    return None if position is None or position.left_out else position


def solve_narrow_components(
    board: Board, mines: int | None = None, density: Fraction | None = None
) -> Position | None:
    """Solve all components of a position that are narrow enough, and leave the others out.

    Args:
        board: the board.
        mines: the exact total, None for any.
        density: as for `solve_position`.

    Returns:
        None if the position is inconsistent, or no ordinary one.
    """
    odds, odds_low = 1.0, 0.0
    if density is not None:
        exact = density / (1 - density)
        odds = float(exact)
        odds_low = float(exact - Fraction(odds))
        if not LEAST_WEIGHT < odds < MOST_WEIGHT:
            return None
    cells = board.cells
    chances, by_cell = np.empty(cells.shape), np.empty((_BYTES, *cells.shape), np.int8)
    header_and_counts = np.empty(_HEAD + 1 + _A_CELL * cells.size, np.int64)
    total = ANY if mines is None else mines
    counts = _solve_and_fill(cells, total, odds, odds_low, chances, by_cell, header_and_counts)
    if not counts:
        return None
    fewest, loose, left_out, boxes, start_count, *starts_and_spreads = header_and_counts[
        :counts
    ].tolist()
    spreads, starts = starts_and_spreads[start_count:], starts_and_spreads[:start_count]
    return Position(spreads, starts, fewest, loose, mines, left_out, boxes, chances, by_cell)


@compile_kernel
def _solve_and_fill(
    cells: FixedMatrix[np.int8],
    mines: int,
    odds: float,
    odds_low: float,
    chances: Matrix[np.float64],
    by_cell: Cube[np.int8],
    header_and_counts: Vector[np.int64],
) -> int:
    """Solve like `solve_kinds`, and fill in all results; return how many numbers there are.

    These are the mines, loose cells, components left out, boxes, starts by number, the starts, and
    the spreads. To be given an array takes much less time than to return one. ``kinds`` and
    ``layout`` are views of ``by_cell``, (bytes, height, width).
    """
    height, width = cells.shape
    kinds = by_cell[:_VALUES].reshape(-1).view(np.int32).reshape(height, width)
    layout = by_cell[_LAYOUT].view(np.bool_)
    outcome, outcome_values, by_kind = solve_kinds(cells, mines, odds, odds_low, kinds, layout)
    if outcome != SURE:
        return 0
    _spread_chances(by_kind, kinds, chances, by_cell[_VALUES])
    spreads, starts, fewest, loose, left_out = outcome_values
    spreads_at = _HEAD + starts.size
    header_and_counts[0], header_and_counts[1], header_and_counts[2] = fewest, loose, left_out
    header_and_counts[3], header_and_counts[4] = by_kind.size - KNOWN_KINDS, starts.size
    header_and_counts[_HEAD:spreads_at] = starts
    header_and_counts[spreads_at : spreads_at + spreads.size] = spreads
    return int(spreads_at + spreads.size)


@compile_inner
def solve_kinds(
    cells: FixedMatrix[np.int8],
    mines: int,
    odds: float,
    odds_low: float,
    kinds: Matrix[np.int32],
    layout: Matrix[np.bool_],
) -> tuple[int, _Outcome, NDArray[np.float64]]:
    """Solve a position by kinds of cells.

    Spreads are integers, as all of them are below 2**53.

    Args:
        cells: cell codes: (height, width).
        mines: the exact total, or ANY.
        odds: the weight of a mine, the nearest double.
        odds_low: what that weight is off by.
        kinds: filled in: the kind of each cell: (height, width).
        layout: filled in: the mines of one of the layouts: (height, width).

    Returns:
        An outcome; spreads, starts, mines, loose cells and components left out, as `Position` has
        them where the outcome is SURE; chances by kind.
    """
    room = 1 if cells.size <= _SMALL else MORE_ROOM
    results = _solve_in_room(cells, mines, odds, odds_low, room, kinds, layout)
    if results[0] == NO_ROOM and room < MORE_ROOM:
        results = _solve_in_room(cells, mines, odds, odds_low, MORE_ROOM, kinds, layout)
    return results


@compile_inner
def _solve_in_room(
    cells: FixedMatrix[np.int8],
    mines: int,
    odds: float,
    odds_low: float,
    room: int,
    kinds: Matrix[np.int32],
    layout: Matrix[np.bool_],
) -> tuple[int, _Outcome, NDArray[np.float64]]:
    """Solve like `solve_kinds`, with buffers of ``room`` times the least size."""
    stride = count_row_words(cells.shape[1])
    planes = read_planes(cells)
    if not propagate_planes(planes, stride):
        return _answer_nothing(UNSURE)
    boxes, clues, box_of, count = find_boxes(planes, stride)
    loose = count_all_bits(planes[UNSETTLED]) - box_of.size
    decided = count_all_bits(planes[MINES])
    box_chances = np.empty(count + 1)
    box_mines = np.empty(count + 1, np.int64)
    if mines == ANY:
        outcome, left_out, fewest, spreads, starts = count_apart(
            boxes, clues, count, (odds, odds_low), room, box_chances, box_mines
        )
    else:
        outcome, fewest, spreads, starts = count_together(
            boxes, clues, count, loose, mines - decided, room, box_chances, box_mines
        )
        left_out = 0
    if outcome != SURE:
        return _answer_nothing(outcome)
    chances = _fill_kinds(cells, planes, box_of, box_chances, box_mines, kinds, layout)
    return SURE, (spreads, starts, fewest + decided, loose, left_out), chances


@inline_kernel
def _answer_nothing(outcome: int) -> tuple[int, _Outcome, NDArray[np.float64]]:
    """Return the result for an outcome other than SURE."""
    return outcome, (np.empty(0), np.empty(0, np.int64), 0, 0, 0), np.empty(0)


@inline_kernel
def _fill_kinds(
    cells: FixedMatrix[np.int8],
    planes: FixedMatrix[np.uint64],
    box_of: Vector[np.int32],
    box_chances: Vector[np.float64],
    box_mines: Vector[np.int64],
    kinds: Matrix[np.int32],
    layout: Matrix[np.bool_],
) -> NDArray[np.float64]:
    """Fill in the kind of each cell, and the layout; return the chance of each kind.

    The boxes come first; ``box_mines`` is used up.
    """
    height, width = cells.shape
    stride = count_row_words(width)
    loose = box_chances.size - 1
    chances = np.empty(loose + KNOWN_KINDS)
    chances[: loose + 1] = box_chances
    chances[loose + 1 : loose + 3] = (0.0, 1.0)
    chances[loose + 3] = np.nan
    for row in range(height):
        for word_in_row in range(stride):
            word = find_first_word(row, stride) + word_in_row
            undecided, mines = planes[UNSETTLED, word], planes[MINES, word]
            first_col, end_col = find_column_range(word_in_row, width)
            for col in range(first_col, end_col):
                code = cells[row, col]
                bit = np.uint64(col + 1) & LAST
                mine = np.int64(mines >> bit & ONE)
                kind = loose if undecided >> bit & ONE else loose + 1 + mine
                kinds[row, col] = kind if (code == UNKNOWN) | (code == FLAG) else loose + 3
                layout[row, col] = mine > 0
    _fill_undecided(planes, box_of, box_mines, kinds, layout)
    return chances


@inline_kernel
def _fill_undecided(
    planes: FixedMatrix[np.uint64],
    box_of: Vector[np.int32],
    box_mines: Vector[np.int64],
    kinds: Matrix[np.int32],
    layout: Matrix[np.bool_],
) -> None:
    """Fill in the boxes of cells, and the mines that boxes and loose cells hold in the layout."""
    height, width = kinds.shape
    stride = count_row_words(width)
    loose = box_mines.size - 1
    cell = 0
    for row in range(height):
        for word_in_row in range(stride):
            word = find_first_word(row, stride) + word_in_row
            first_col = (word_in_row << WORD) - 1
            unread_bits = planes[FRONTIER, word]
            while unread_bits != ZERO:
                col = first_col + find_lowest_bit(unread_bits)
                unread_bits &= unread_bits - ONE
                box = box_of[cell]
                cell += 1
                kinds[row, col] = box
                layout[row, col] = box_mines[box] > 0
                box_mines[box] -= 1
            unread_bits = planes[UNSETTLED, word] & ~planes[FRONTIER, word]
            while unread_bits != ZERO and box_mines[loose] > 0:
                layout[row, first_col + find_lowest_bit(unread_bits)] = True
                unread_bits &= unread_bits - ONE
                box_mines[loose] -= 1


@inline_kernel
def _spread_chances(
    chances: Vector[np.float64],
    kinds: Matrix[np.int32],
    cell_chances: Matrix[np.float64],
    values: Matrix[np.int8],
) -> None:
    """Fill in the chance of each cell, and its value where it is forced."""
    height, width = kinds.shape
    # Loops of their own: within that of the kinds they would take ten times as long.
    for row in range(height):
        for col in range(width):
            cell_chances[row, col] = chances[kinds[row, col]]
    for row in range(height):
        for col in range(width):
            chance = cell_chances[row, col]
            forced = (chance == 0.0) | (chance == 1.0)
            values[row, col] = np.int8(chance == 1.0) if forced else np.int8(UNDECIDED)
