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

from minefield.board import FLAG, UNKNOWN, Board
from minefield.compiled import FixedMatrix, Matrix, Vector, compiled, inlined, inner
from minefield.reduction.kernels import UNDECIDED
from solvers.answer import Safest
from solvers.counting.polynomial import SOON_CELLS, completed, free, product
from solvers.counting.position_chances import LEAST_WEIGHT, MOST_WEIGHT
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
from solvers.counting.position_line import NO_ROOM, SURE, UNSURE
from solvers.counting.position_parts import MORE_ROOM, count_apart, count_together
from solvers.counting.safest import ranked

#: In place of a total of mines.
ANY: Final = -1
#: In a board of more cells some component is likely to need more room.
_SMALL: Final = 4096

#: Spreads, starts, mines, loose cells and components left out, as `Position` has them.
_Told: TypeAlias = tuple[NDArray[np.float64], NDArray[np.int64], int, int, int]


@dataclass(eq=False)
class Counts:
    """How many layouts there are.

    Layouts of the constrained cells by mines beyond their fewest are, as float64,
    ``spreads[starts[c]:starts[c + 1]]`` of component c, with a total of all together; the fewest of
    all, with those decided, are ``mines``. ``loose`` cells are free besides.
    """

    spreads: NDArray[np.float64]
    starts: NDArray[np.int64]
    mines: int
    loose: int
    total: int | None

    # Read once, and quicker found than kept.
    @property
    def count(self) -> int:
        """Number of layouts."""
        if self.total is None:
            return prod(map(sum, self._spreads)) << self.loose
        together = map(int, self.spreads.tolist())
        return completed(enumerate(together), self.loose, self.total - self.mines)

    @property
    def _spreads(self) -> list[list[int]]:
        numbers = list(map(int, self.spreads.tolist()))
        return [numbers[first:end] for first, end in pairwise(self.starts.tolist())]

    @property
    def soon_by_mines(self) -> bool:
        """Whether `by_mines` takes next to nothing."""
        return self.total is not None or self.loose + self.spreads.size <= SOON_CELLS

    def by_mines(self) -> dict[int, int]:
        """Layouts by number of mines, ascending."""
        if self.total is not None:
            return {self.total: self.count}
        spreads = [dict(enumerate(spread)) for spread in self._spreads]
        found = product([*spreads, free(self.loose)], self.count.bit_length())
        return {mines + self.mines: layouts for mines, layouts in found.items()}


@dataclass(eq=False)
class Position(Counts):
    """What there is to say about a position, at once.

    Cells of one kind have the same chance: ``kind_chances`` is by kind, float64,
    ``kinds`` is int32 (height, width). ``chances`` is that of a mine in each unknown cell and NaN
    elsewhere, float64 (height, width): exactly 0 or 1 where the cell is forced, and only there.
    ``values`` are those of forced cells, as `solvers.answer.Forced` has them, and ``layout`` is one
    of the layouts, bool (height, width). So many components were ``left_out``: nothing is said of
    them, and the chances are LEFT_OUT there.
    """

    left_out: int
    kind_chances: NDArray[np.float64]
    kinds: NDArray[np.int32]
    layout: NDArray[np.bool_]
    chances: NDArray[np.float64]
    values: NDArray[np.int8]

    def safest(self) -> Safest:
        """The cells least likely to be mines."""
        return ranked(self.chances, self.chances.size)


def position(
    board: Board, mines: int | None = None, density: Fraction | None = None
) -> Position | None:
    """What there is to say about a position; None if it is inconsistent, or not an ordinary one.

    ``mines`` is the exact total. Without it each unknown cell is a mine with
    the chance ``density``, by default one half: then all layouts weigh the same.
    """
    found = most_of(board, mines, density)
    return None if found is None or found.left_out else found


def most_of(
    board: Board, mines: int | None = None, density: Fraction | None = None
) -> Position | None:
    """The same of all components that are narrow enough; the others are left out of it."""
    odds, odds_low = 1.0, 0.0
    if density is not None:
        exact = density / (1 - density)
        odds = float(exact)
        odds_low = float(exact - Fraction(odds))
        if not LEAST_WEIGHT < odds < MOST_WEIGHT:
            return None
    height, width = board.cells.shape
    kinds = np.empty((height, width), np.int32)
    layout = np.empty((height, width), np.bool_)
    left = ANY if mines is None else mines
    outcome, told, by_kind, chances, values = _position(
        board.cells, left, odds, odds_low, kinds, layout
    )
    if outcome != SURE:
        return None
    spreads, starts, fewest, loose, left_out = told
    return Position(
        spreads, starts, fewest, loose, mines, left_out, by_kind, kinds, layout, chances, values
    )


@compiled
def _position(
    cells: FixedMatrix[np.int8],
    mines: int,
    odds: float,
    odds_low: float,
    kinds: Matrix[np.int32],
    layout: Matrix[np.bool_],
) -> tuple[int, _Told, NDArray[np.float64], NDArray[np.float64], NDArray[np.int8]]:
    """As `solved`, and of each cell its chance and its value."""
    outcome, told, chances = solved(cells, mines, odds, odds_low, kinds, layout)
    cell_chances = np.empty(cells.shape)
    values = np.empty(cells.shape, np.int8)
    if outcome == SURE:
        _spread(chances, kinds, cell_chances, values)
    return outcome, told, chances, cell_chances, values


@inner
def solved(
    cells: FixedMatrix[np.int8],
    mines: int,
    odds: float,
    odds_low: float,
    kinds: Matrix[np.int32],
    layout: Matrix[np.bool_],
) -> tuple[int, _Told, NDArray[np.float64]]:
    """An outcome; spreads, starts, mines, loose cells and components left out; chances by kind.

    As `Position` has them, where the outcome is SURE; ``kinds`` and ``layout`` are filled in.
    """
    room = 1 if cells.size <= _SMALL else MORE_ROOM
    found = _solved(cells, mines, odds, odds_low, room, kinds, layout)
    if found[0] == NO_ROOM and room < MORE_ROOM:
        found = _solved(cells, mines, odds, odds_low, MORE_ROOM, kinds, layout)
    return found


@inner
def _solved(
    cells: FixedMatrix[np.int8],
    mines: int,
    odds: float,
    odds_low: float,
    room: int,
    kinds: Matrix[np.int32],
    layout: Matrix[np.bool_],
) -> tuple[int, _Told, NDArray[np.float64]]:
    height, width = cells.shape
    near = neighbours(width + 2)
    size = (height + 2) * (width + 2)
    nothing = np.empty(0)
    nowhere = (nothing, np.zeros(1, np.int64), 0, 0, 0)
    grid = np.empty((GRIDS, size), np.int32)
    waiting = read(cells, grid)
    if waiting < 0 or not propagate(grid, waiting, near):
        return UNSURE, nowhere, nothing
    undecided = 0
    for place in range(size):
        undecided += grid[MASS, place] == UNKNOWN_MASS
    boxes = np.empty((undecided, LIST + NEAR), np.int32)
    clues = np.empty((size if undecided > 0 else 0, LIST + NEAR), np.int32)
    count, loose, decided = find_boxes(grid, width + 2, near, boxes, clues)
    box_chances = np.empty(count + 1)
    held = np.empty(count + 1, np.int64)
    if mines == ANY:
        outcome, left_out, fewest, spreads, starts = count_apart(
            boxes, clues, count, (odds, odds_low), room, box_chances, held
        )
    else:
        outcome, fewest, spreads, starts = count_together(
            boxes, clues, count, loose, mines - decided, room, box_chances, held
        )
        left_out = 0
    if outcome != SURE:
        return outcome, nowhere, nothing
    chances = _fill_kinds(cells, grid, box_chances, held, kinds, layout)
    return SURE, (spreads, starts, fewest + decided, loose, left_out), chances


@inlined
def _fill_kinds(
    cells: FixedMatrix[np.int8],
    grid: Matrix[np.int32],
    box_chances: Vector[np.float64],
    held: Vector[np.int64],
    kinds: Matrix[np.int32],
    layout: Matrix[np.bool_],
) -> NDArray[np.float64]:
    """Fill in the kind of each cell, and the layout; the chance of each kind.

    The boxes come first; ``held`` is used up. A branch for each cell would
    be guessed wrong too often: there is none.
    """
    height, width = cells.shape
    loose = box_chances.size - 1
    chances = np.empty(loose + 4)
    chances[: loose + 1] = box_chances
    chances[loose + 1 : loose + 3] = (0.0, 1.0)
    chances[loose + 3] = np.nan
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
    return chances


@inlined
def _spread(
    chances: Vector[np.float64],
    kinds: Matrix[np.int32],
    cell_chances: Matrix[np.float64],
    values: Matrix[np.int8],
) -> None:
    """Fill in the chance of each cell, and its value where it is forced."""
    height, width = kinds.shape
    certain = np.full(chances.size, UNDECIDED, np.int8)
    for value in (0, 1):
        certain[chances == value] = value
    # Loops of their own: within that of the kinds they would take ten times as long.
    for row in range(height):
        for col in range(width):
            cell_chances[row, col] = chances[kinds[row, col]]
    for row in range(height):
        for col in range(width):
            values[row, col] = certain[kinds[row, col]]
