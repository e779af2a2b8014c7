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
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from minefield.board import FLAG, UNKNOWN, Board
from minefield.compiled import FixedMatrix, Matrix, Vector, compiled, inlined
from minefield.reduction.kernels import UNDECIDED
from solvers.answer import Safest
from solvers.counting.polynomial import SOON_CELLS, completed, free, product
from solvers.counting.position_chances import (
    ANY,
    EXACT,
    LEAST_WEIGHT,
    MOST_WEIGHT,
    choose_layout,
    fill_chances,
    products,
)
from solvers.counting.position_grid import (
    BOX,
    GRIDS,
    LIST,
    MASS,
    NEAR,
    UNKNOWN_MASS,
    find_boxes,
    neighbours,
    propagate,
    read,
)
from solvers.counting.position_line import FEWEST, NO_ROOM, UNSURE, count_backward, count_forward
from solvers.counting.safest import ranked

#: Said of an answer; otherwise UNSURE, which an inconsistent board is too, or NO_ROOM.
_SURE: Final = 0
#: Numbers of boxes and clues, no more than of cells, are of 16 bits.
_TOO_LARGE: Final = 2**15
#: Room for states, transitions and coefficients. Little memory stays in the caches between calls;
#: positions that need more get a second try, and those that need even more are left to others.
_STATES: Final = 256
_EDGES: Final = 1024
_NUMBERS: Final = 4096
_MORE_ROOM: Final = 16


@dataclass(eq=False)
class Position:
    """What there is to say about a position, at once.

    Cells of one kind have the same chance: ``kind_chances`` is by kind, float64,
    ``kinds`` is int16 (height, width). ``chances`` is that of a mine in each unknown cell and NaN
    elsewhere, float64 (height, width): exactly 0 or 1 where the cell is forced, and only there.
    ``values`` are those of forced cells, as `solvers.answer.Forced` has them, and ``layout`` is one
    of the layouts, bool (height, width). ``spread[d]`` layouts of the constrained cells have
    ``mines + d`` mines, the decided ones included; ``loose`` cells are free
    besides.
    """

    kind_chances: NDArray[np.float64]
    kinds: NDArray[np.int16]
    chances: NDArray[np.float64]
    values: NDArray[np.int8]
    layout: NDArray[np.bool_]
    spread: NDArray[np.float64]
    mines: int
    loose: int
    total: int | None

    @cached_property
    def count(self) -> int:
        """Number of layouts."""
        spread = self._spread
        if self.total is None:
            return sum(spread) << self.loose
        return completed(enumerate(spread), self.loose, self.total - self.mines)

    @property
    def _spread(self) -> list[int]:
        return list(map(int, self.spread.tolist()))

    def safest(self) -> Safest:
        """The cells least likely to be mines."""
        return ranked(self.chances, self.chances.size)

    @property
    def soon_by_mines(self) -> bool:
        """Whether `by_mines` takes next to nothing."""
        return self.total is not None or self.loose <= SOON_CELLS

    def by_mines(self) -> dict[int, int]:
        """Layouts by number of mines, ascending."""
        if self.total is not None:
            return {self.total: self.count}
        boxed = dict(enumerate(self._spread, self.mines))
        return product([boxed, free(self.loose)], self.count.bit_length())


def position(
    board: Board, mines: int | None = None, density: Fraction | None = None
) -> Position | None:
    """What there is to say about a position; None if it is inconsistent, or not an ordinary one.

    ``mines`` is the exact total. Without it each unknown cell is a mine with
    the chance ``density``, by default one half: then all layouts weigh the same.
    """
    odds, odds_low = 1.0, 0.0
    if density is not None:
        exact = density / (1 - density)
        odds = float(exact)
        odds_low = float(exact - Fraction(odds))
        if not LEAST_WEIGHT < odds < MOST_WEIGHT:
            return None
    left = ANY if mines is None else mines
    found = _position(board.cells, left, odds, odds_low, 1)
    if found[0] == NO_ROOM:
        found = _position(board.cells, left, odds, odds_low, _MORE_ROOM)
    return Position(*found[1:], mines) if found[0] == _SURE else None


@compiled
def _position(
    cells: FixedMatrix[np.int8], mines: int, odds: float, odds_low: float, room: int
) -> tuple[
    int,
    NDArray[np.float64],
    NDArray[np.int16],
    NDArray[np.float64],
    NDArray[np.int8],
    NDArray[np.bool_],
    NDArray[np.float64],
    int,
    int,
]:
    """An outcome, and the fields of `Position` but for the total."""
    height, width = cells.shape
    near = neighbours(width + 2)
    size = (height + 2) * (width + 2)
    kinds = np.empty((height, width), np.int16)
    cell_chances = np.empty((height, width))
    values = np.empty((height, width), np.int8)
    layout = np.empty((height, width), np.bool_)
    nothing = np.empty(0)
    if size >= _TOO_LARGE:
        return UNSURE, nothing, kinds, cell_chances, values, layout, nothing, 0, 0
    grid = np.empty((GRIDS, size), np.int16)
    waiting = read(cells, grid)
    if waiting < 0 or not propagate(grid, waiting, near):
        return UNSURE, nothing, kinds, cell_chances, values, layout, nothing, 0, 0
    undecided = 0
    for place in range(size):
        undecided += grid[MASS, place] == UNKNOWN_MASS
    boxes = np.empty((undecided, LIST + NEAR), np.int16)
    clues = np.empty((size if undecided > 0 else 0, LIST + NEAR), np.int16)
    count, loose, fewest = find_boxes(grid, width + 2, near, boxes, clues)
    states = np.empty((room * _STATES + 1, 7), np.int32)
    edges = np.empty((room * _EDGES, 2), np.int32)
    numbers = np.empty(room * _NUMBERS)
    # Rows: box, first state and where the sums are, of each step; first step, first and last state
    # of each component. One more marks the end.
    steps = np.empty((count + 1, 3), np.int32)
    parts = np.empty((count + 1, 3), np.int32)
    components, filled = count_forward(boxes, clues, count, states, edges, numbers, steps, parts)
    if components < 0:
        return components, nothing, kinds, cell_chances, values, layout, nothing, 0, 0
    filled = count_backward(boxes, states, edges, numbers, steps, parts, components, filled)
    if filled < 0:
        return NO_ROOM, nothing, kinds, cell_chances, values, layout, nothing, 0, 0
    for place in range(filled):
        if numbers[place] >= EXACT:
            return UNSURE, nothing, kinds, cell_chances, values, layout, nothing, 0, 0
    for part in range(components):
        fewest += states[parts[part, 2], FEWEST]
    left = mines - fewest if mines != ANY else ANY
    if mines != ANY and left < 0:
        return UNSURE, nothing, kinds, cell_chances, values, layout, nothing, 0, 0
    before, after = products(states, numbers, parts, components)
    box_chances = np.empty(count + 1)
    if not fill_chances(
        boxes,
        states,
        numbers,
        steps,
        parts,
        before,
        after,
        loose,
        left,
        (odds, odds_low),
        box_chances,
    ):
        return UNSURE, nothing, kinds, cell_chances, values, layout, nothing, 0, 0
    held = np.empty(count + 1, np.int64)
    choose_layout(states, edges, numbers, steps, parts, before, loose, left, held)
    chances = _fill_cells(cells, grid, box_chances, held, kinds, cell_chances, values, layout)
    spread = before[components]
    return _SURE, chances, kinds, cell_chances, values, layout, spread, fewest, loose


@inlined
def _fill_cells(
    cells: FixedMatrix[np.int8],
    grid: Matrix[np.int16],
    box_chances: Vector[np.float64],
    held: Vector[np.int64],
    kinds: Matrix[np.int16],
    cell_chances: Matrix[np.float64],
    values: Matrix[np.int8],
    layout: Matrix[np.bool_],
) -> NDArray[np.float64]:
    """Fill in what `Position` tells of each cell; the chance of each kind.

    The boxes come first; ``held`` is used up. A branch for each cell would
    be guessed wrong too often: there is none.
    """
    height, width = cells.shape
    loose = box_chances.size - 1
    chances = np.empty(loose + 4)
    chances[: loose + 1] = box_chances
    chances[loose + 1 : loose + 3] = (0.0, 1.0)
    chances[loose + 3] = np.nan
    certain = np.full(chances.size, UNDECIDED, np.int8)
    for value in (0, 1):
        certain[chances == value] = value
    left = np.zeros(chances.size, np.int64)
    left[: loose + 1] = held
    for row in range(height):
        place = (row + 1) * (width + 2) + 1
        for col in range(width):
            code = cells[row, col]
            mass = np.int64(grid[MASS, place + col])
            box = np.int64(grid[BOX, place + col])
            kind = loose if box < 0 else box
            kind = kind if mass == UNKNOWN_MASS else loose + 1 + mass
            kind = kind if (code == UNKNOWN) | (code == FLAG) else loose + 3
            kinds[row, col] = kind
            layout[row, col] = (mass == 1) | (left[kind] > 0)
            left[kind] -= 1
    # Loops of their own: within the one above they would take ten times as long.
    for row in range(height):
        for col in range(width):
            cell_chances[row, col] = chances[kinds[row, col]]
    for row in range(height):
        for col in range(width):
            values[row, col] = certain[kinds[row, col]]
    return chances
