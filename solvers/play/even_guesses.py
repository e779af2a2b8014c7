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

from minefield.board import MINE, SAFE, UNKNOWN, Board
from solvers.counting.position import Position, position
from solvers.deadline import Deadline
from solvers.question import Place


class _Shape(NamedTuple):
    """Cells by (row, col) from the first: mines and safe cells one way, and those outside."""

    mines: tuple[Place, ...]
    safe: tuple[Place, ...]
    outside: tuple[Place, ...]
    #: So many cells outside, at most, are not known to be mines where all guesses are looked for.
    unsure: int

    @property
    def cells(self) -> tuple[Place, ...]:
        """Those of the guess itself."""
        return self.mines + self.safe


_ACROSS: Final = _Shape(
    ((0, 0),), ((0, 1),), ((-1, -1), (0, -1), (1, -1), (-1, 2), (0, 2), (1, 2)), 1
)
_DOWN: Final = _Shape(
    ((0, 0),), ((1, 0),), ((-1, -1), (-1, 0), (-1, 1), (2, -1), (2, 0), (2, 1)), 1
)
_BOX: Final = _Shape(((0, 0), (1, 1)), ((0, 1), (1, 0)), ((-1, -1), (2, -1), (-1, 2), (2, 2)), 2)
_PAIRS: Final = (_ACROSS, _DOWN)
#: So many cells outside are not known to be mines, at most, in guesses that a cell is part of.
_UNSURE: Final = 3
#: In place of a number of cells, where there is no guess.
_NO_GUESS: Final = 99
#: How far cells of a shape lie from its first one, at most.
_RIM: Final = 2
#: Guesses that are less likely than this do not make the mines outside of them worth a click.
_LEAST: Final = 0.025


class EvenGuesses:
    """The even guesses of what is ``known`` of a board; no more are found after the deadline."""

    def __init__(self, board: Board, mines: int, known: Position, deadline: Deadline) -> None:
        self._board = board
        self._cells = board.cells
        self._mines = mines
        self._known = known
        self._deadline = deadline
        self._chances = known.chances
        self._counted: dict[tuple[_Shape, Place], int] = {}

    def share(self, cell: Place) -> float:
        """The share of layouts in which a cell is a mine, and would be lost in a guess anyway.

        An estimate: guesses that overlap are counted twice, and rare ones left out.
        """
        pairs = sum(self._ways(shape, first) for shape in _PAIRS for first in _firsts(shape, cell))
        box = max(self._ways(_BOX, first) for first in _firsts(_BOX, cell))
        chance = float(self._chances[cell])
        lost = (pairs + box + self._outside[cell]) / self._known.count
        return min(lost, chance, 1.0 - chance)

    @cached_property
    def cells(self) -> set[Place]:
        """The cells of likely guesses, and those that must be mines for them."""
        return set(self._outside).union(
            *(_moved(shape.cells, first) for shape, first, _ in self._likely)
        )

    @cached_property
    def free(self) -> set[Place]:
        """Cells that are mines in even guesses only: to open one now costs nothing.

        With every layout in which such a cell is a mine goes another one in which it is safe, and
        nothing tells the two apart but a click on the guess itself.
        """
        found = set()
        for shape, first, ways in self._all:
            for cell in _moved(shape.cells, first):
                # What is counted may be beyond all floats; its share is not.
                if ways / self._known.count >= self._chances[cell] * (1 - 1e-9):
                    held = self._position([cell], [])
                    if held is not None and held.count == ways:
                        found.add(cell)
        return found

    @cached_property
    def _all(self) -> list[tuple[_Shape, Place, int]]:
        """The guesses with few unsure cells outside, and in how many layouts one way holds."""
        found = []
        for shape, unsure in self._unsure.items():
            for row, col in np.argwhere(unsure <= shape.unsure).tolist():
                ways = self._ways(shape, (row, col))
                if ways:
                    found.append((shape, (row, col), ways))
        return found

    @cached_property
    def _likely(self) -> list[tuple[_Shape, Place, int]]:
        return [guess for guess in self._all if guess[2] / self._known.count > _LEAST]

    @cached_property
    def _outside(self) -> defaultdict[Place, int]:
        """For each cell that must be a mine for likely guesses: layouts that are lost in them."""
        found: defaultdict[Place, int] = defaultdict(int)
        for shape, first, ways in self._likely:
            for cell in self._undecided(shape.outside, first):
                found[cell] += ways
        return found

    def _ways(self, shape: _Shape, first: Place) -> int:
        """In how many layouts a shape is a guess, and its mines lie the one way."""
        height, width = self._cells.shape
        inside = 0 <= first[0] < height and 0 <= first[1] < width
        if not inside or self._unsure[shape][first] > _UNSURE:
            return 0
        if (shape, first) not in self._counted:
            if self._deadline.left <= 0:
                return 0
            mines = [*_moved(shape.mines, first), *self._undecided(shape.outside, first)]
            found = self._position(mines, _moved(shape.safe, first))
            self._counted[shape, first] = 0 if found is None else found.count
        return self._counted[shape, first]

    @cached_property
    def _unsure(self) -> dict[_Shape, NDArray[np.int8]]:
        """For each first cell of a shape, how many cells outside may be safe, or `_NO_GUESS`."""
        height, width = self._cells.shape
        # The rim is off the board: nothing is hidden there, and no one can look on from there.
        hidden, opened = np.zeros((2, height + 2 * _RIM, width + 2 * _RIM), np.bool_)
        inside = np.s_[_RIM:-_RIM, _RIM:-_RIM]
        hidden[inside] = (self._chances > 0.0) & (self._chances < 1.0)
        opened[inside] = (self._cells < UNKNOWN) | (self._cells == SAFE) | (self._chances == 0.0)

        def seen(cells: NDArray[np.bool_], place: Place) -> NDArray[np.bool_]:
            row, col = _RIM + place[0], _RIM + place[1]
            return cells[row : row + height, col : col + width]

        found = {}
        for shape in (*_PAIRS, _BOX):
            guess = np.all([seen(hidden, place) for place in shape.cells], axis=0)
            guess &= ~np.any([seen(opened, place) for place in shape.outside], axis=0)
            unsure = np.sum([seen(hidden, place) for place in shape.outside], axis=0)
            found[shape] = np.where(guess, unsure, _NO_GUESS).astype(np.int8)
        return found

    def _undecided(self, cells: Iterable[Place], first: Place) -> list[Place]:
        """Those of the cells that may be mines or safe."""
        height, width = self._cells.shape
        return [
            (row, col)
            for row, col in _moved(cells, first)
            if 0 <= row < height and 0 <= col < width and 0.0 < self._chances[row, col] < 1.0
        ]

    def _position(self, mines: Iterable[Place], safe: Iterable[Place]) -> Position | None:
        """What is known of the position with more mines and safe cells."""
        codes = dict.fromkeys(mines, MINE) | dict.fromkeys(safe, SAFE)
        return position(self._board.changed(codes), self._mines)


def _moved(cells: Iterable[Place], first: Place) -> list[Place]:
    """Cells of a shape whose first one lies there."""
    return [(first[0] + row, first[1] + col) for row, col in cells]


def _firsts(shape: _Shape, cell: Place) -> Iterator[Place]:
    """Where a shape may begin for a cell to be part of its guess."""
    for row, col in shape.cells:
        yield cell[0] - row, cell[1] - col
