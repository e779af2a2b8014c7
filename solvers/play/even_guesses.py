"""Even guesses that a position may come to: what is lost in them anyway need not be feared now.

In a *pair*, one of two cells side by side is a mine, in a *box*, the ones or the others of the two
diagonals of four cells. Where all other cells that see only a part of them are mines as well,
nothing will ever tell which: half of these layouts are lost, whatever is done. A click on a cell
of them that turns out safe has got the guess over with.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from minecheck.minefield.board import MINE, SAFE, UNKNOWN, Board
from minecheck.solvers.annotations import Coordinates
from minecheck.solvers.deadline import Deadline
from minecheck.solvers.positions.solve import Position, solve_position


class _Shape(NamedTuple):
    """Cells by (row, col) from the first: mines and safe cells one way, and those outside."""

    mines: tuple[Coordinates, ...]
    safe: tuple[Coordinates, ...]
    outside: tuple[Coordinates, ...]
    #: All guesses are considered if at most this many cells outside are not known to be mines.
    unsure: int

    @property
    def cells(self) -> tuple[Coordinates, ...]:
        """The cells of the guess itself."""
        return self.mines + self.safe


_ACROSS: Final = _Shape(
    ((0, 0),), ((0, 1),), ((-1, -1), (0, -1), (1, -1), (-1, 2), (0, 2), (1, 2)), 1
)
_DOWN: Final = _Shape(
    ((0, 0),), ((1, 0),), ((-1, -1), (-1, 0), (-1, 1), (2, -1), (2, 0), (2, 1)), 1
)
_BOX: Final = _Shape(((0, 0), (1, 1)), ((0, 1), (1, 0)), ((-1, -1), (2, -1), (-1, 2), (2, 2)), 2)
_PAIRS: Final = (_ACROSS, _DOWN)
#: The most cells outside, not known to be mines, in guesses that contain a given cell.
_UNSURE: Final = 3
#: The value for no guess.
_NO_GUESS: Final = 99
#: The largest distance of a shape's cells from its first one.
_RIM: Final = 2
#: Guesses that are less likely than this do not make the mines outside of them worth a click.
_LEAST: Final = 0.025


class EvenGuesses:
    """The even guesses of what is ``known`` of a board; no more are found after the deadline."""

    def __init__(self, board: Board, mines: int, position: Position, deadline: Deadline) -> None:
        self._board = board
        self._cells = board.cells
        self._mines = mines
        self._known = position
        self._deadline = deadline
        self._chances = position.chances
        self._counted: dict[tuple[_Shape, Coordinates], int] = {}

    def compute_lost_share(self, cell: Coordinates) -> float:
        """Return the share of layouts where a cell is a mine, and would be lost in a guess anyway.

        It is an estimate: guesses that overlap are counted twice, and rare ones left out.
        """
        pairs = sum(
            self._count_ways(shape, first)
            for shape in _PAIRS
            for first in _iterate_firsts(shape, cell)
        )
        box = max(self._count_ways(_BOX, first) for first in _iterate_firsts(_BOX, cell))
        chance = float(self._chances[cell])
        lost = (pairs + box + self._outside[cell]) / self._layouts
        return min(lost, chance, 1.0 - chance)

    @cached_property
    def _layouts(self) -> int:
        """Layouts of the position, which take long to count on a large board."""
        return self._known.count

    @cached_property
    def cells(self) -> set[Coordinates]:
        """The cells of likely guesses, and those that must be mines for them."""
        return set(self._outside).union(
            *(_shift_shape(shape.cells, first) for shape, first, _ in self._likely)
        )

    @cached_property
    def free(self) -> set[Coordinates]:
        """Cells that are mines in even guesses only: to open one now seldom costs anything.

        With every layout in which such a cell is a mine goes another one in which it is safe, and
        nothing tells the two apart but a click on the guess itself. That click may come later, but
        another cell of the guess may tell more of layouts in which it is none.
        """
        cells = set()
        for shape, first, ways in self._all:
            for cell in _shift_shape(shape.cells, first):
                # The count may exceed all floats; its share does not.
                if ways / self._layouts >= self._chances[cell] * (1 - 1e-9):
                    held = self._solve_position([cell], [])
                    if held is not None and held.count == ways:
                        cells.add(cell)
        return cells

    @cached_property
    def _all(self) -> list[tuple[_Shape, Coordinates, int]]:
        """The guesses with few unsure cells outside, and in how many layouts one way holds."""
        placements = []
        for shape, unsure in self._unsure.items():
            for row, col in np.argwhere(unsure <= shape.unsure).tolist():
                ways = self._count_ways(shape, (row, col))
                if ways:
                    placements.append((shape, (row, col), ways))
        return placements

    @cached_property
    def _likely(self) -> list[tuple[_Shape, Coordinates, int]]:
        return [guess for guess in self._all if guess[2] / self._layouts > _LEAST]

    @cached_property
    def _outside(self) -> defaultdict[Coordinates, int]:
        """For each cell that must be a mine for likely guesses: layouts that are lost in them."""
        ways_outside: defaultdict[Coordinates, int] = defaultdict(int)
        for shape, first, ways in self._likely:
            for cell in self._list_undecided(shape.outside, first):
                ways_outside[cell] += ways
        return ways_outside

    def _count_ways(self, shape: _Shape, first: Coordinates) -> int:
        """Return the layouts in which a shape is a guess and its mines lie one way."""
        height, width = self._cells.shape
        inside = 0 <= first[0] < height and 0 <= first[1] < width
        if not inside or self._unsure[shape][first] > _UNSURE:
            return 0
        if (shape, first) not in self._counted:
            if self._deadline.left <= 0:
                return 0
            mines = [*_shift_shape(shape.mines, first), *self._list_undecided(shape.outside, first)]
            solved = self._solve_position(mines, _shift_shape(shape.safe, first))
            self._counted[shape, first] = 0 if solved is None else solved.count
        return self._counted[shape, first]

    @cached_property
    def _unsure(self) -> dict[_Shape, NDArray[np.int8]]:
        """The cells outside a shape that may be safe, or `_NO_GUESS`, by its first cell."""
        height, width = self._cells.shape
        # The rim is off the board: nothing is hidden there, and no one can look on from there.
        hidden, opened = np.zeros((2, height + 2 * _RIM, width + 2 * _RIM), np.bool_)
        inside = np.s_[_RIM:-_RIM, _RIM:-_RIM]
        hidden[inside] = (self._chances > 0.0) & (self._chances < 1.0)
        opened[inside] = (self._cells < UNKNOWN) | (self._cells == SAFE) | (self._chances == 0.0)

        def cells_seen(cells: NDArray[np.bool_], cell: Coordinates) -> NDArray[np.bool_]:
            row, col = _RIM + cell[0], _RIM + cell[1]
            return cells[row : row + height, col : col + width]

        by_shape = {}
        for shape in (*_PAIRS, _BOX):
            guess = np.all([cells_seen(hidden, cell) for cell in shape.cells], axis=0)
            guess &= ~np.any([cells_seen(opened, cell) for cell in shape.outside], axis=0)
            unsure = np.sum([cells_seen(hidden, cell) for cell in shape.outside], axis=0)
            by_shape[shape] = np.where(guess, unsure, _NO_GUESS).astype(np.int8)
        return by_shape

    def _list_undecided(
        self, cells: Iterable[Coordinates], first: Coordinates
    ) -> list[Coordinates]:
        """Return the cells among these that may be mines or safe."""
        height, width = self._cells.shape
        return [
            (row, col)
            for row, col in _shift_shape(cells, first)
            if 0 <= row < height and 0 <= col < width and 0.0 < self._chances[row, col] < 1.0
        ]

    def _solve_position(
        self, mines: Iterable[Coordinates], safe: Iterable[Coordinates]
    ) -> Position | None:
        """Return the solved position with more mines and safe cells."""
        codes = dict.fromkeys(mines, MINE) | dict.fromkeys(safe, SAFE)
        return solve_position(self._board.with_codes(codes), self._mines)


def _shift_shape(cells: Iterable[Coordinates], first: Coordinates) -> list[Coordinates]:
    """Return the cells of a shape whose first one lies there."""
    return [(first[0] + row, first[1] + col) for row, col in cells]


def _iterate_firsts(shape: _Shape, cell: Coordinates) -> Iterator[Coordinates]:
    """Yield the first cells of a shape whose guess contains the cell."""
    for row, col in shape.cells:
        yield cell[0] - row, cell[1] - col
