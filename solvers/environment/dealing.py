"""Boards dealt by the thousand: those of `solvers.games.generator`, without the interpreter.

A board with a random layout is decided by its seed: NumPy's `PCG64` of the seed gives a word for
each cell that may hold a mine, and the cells of the smallest words are mines. Both are worked out
here once more: making a generator of NumPy takes longer than ten moves. Its stream is fixed by
specification, for every version and platform (M. E. O'Neill, "PCG", 2014; the seed is spread as
`numpy.random.SeedSequence` documents).
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from minecheck.minefield.board import MINE
from minecheck.minefield.compiled import (
    FixedMatrix,
    FixedVector,
    Matrix,
    Vector,
    compile_kernel,
    compile_without_references,
    inline_kernel,
)
from minecheck.minefield.numerals import format_count
from minecheck.minefield.topology import NOBODY, Shape, Topology
from minecheck.solvers.annotations import Coordinates
from minecheck.solvers.games.generator import BoardOptions, Guarantee, choose_first, generate_board
from minecheck.solvers.library.ask import is_cell, is_whole
from minecheck.solvers.question import SEEDS, QuestionError

#: The most cells of a board: a number of an action for each.
MOST_CELLS: Final = 4096

_LOW: Final = np.uint64(0xFFFFFFFF)
_HALF: Final = np.uint64(32)
_ONE: Final = np.uint64(1)
# SeedSequence: it hashes a seed of one or two words of 32 bits into a pool of four.
_POOL: Final = 4
_START_IN: Final = 0x43B0D7E5
_STEP_IN: Final = 0x931E8875
_START_OUT: Final = 0x8B51F9DD
_STEP_OUT: Final = 0x58F38DED
_MIX_LEFT: Final = np.uint64(0xCA01F9DD)
_MIX_RIGHT: Final = np.uint64(0x4973F715)
_FOLD: Final = np.uint64(16)
# PCG64: the multiplier of its 128 bits.
_FACTOR_HIGH: Final = np.uint64(2549297995355413924)
_FACTOR_LOW: Final = np.uint64(4865540595714422341)
#: The state and the increment, each as its high and its low word.
_STATE: Final = 4


@dataclass(frozen=True)
class DealtBoards:
    """The boards that an environment deals: equal kinds and seeds give equal boards.

    ``first`` is the cell that is open when a game begins, (row, col) from 0; None for the one that
    `choose_first` names.

    Raises:
        QuestionError: there are no such boards.
        TypeError: a size or the first click does not consist of whole numbers.
    """

    rows: int
    cols: int
    mines: int
    guarantee: Guarantee = Guarantee.OPENING
    shape: Shape = Shape.RECTANGLE
    first: Coordinates | None = None

    def __post_init__(self) -> None:
        for name in ("rows", "cols", "mines"):
            if not is_whole(getattr(self, name)):
                raise TypeError(f"{name} has to be a whole number, not {getattr(self, name)!r}.")
        if self.first is not None and not is_cell(self.first):
            raise TypeError(
                f"first has to be (row, col), both from 0, or None, not {self.first!r}."
            )
        if not 1 <= self.rows * self.cols <= MOST_CELLS or self.rows < 1:
            raise QuestionError("rows", f"A board has 1 to {MOST_CELLS} cells here.")
        if self.guarantee is Guarantee.GUESS_FREE and not self.plane:
            raise QuestionError(
                "guarantee", "Boards without guesses are made for the shape rectangle only."
            )
        if self.plane:
            self.make_options(0)
            return
        row, col = self.opened_first
        if not (0 <= row < self.rows and 0 <= col < self.cols):
            raise QuestionError("first", "The first click is outside the board.")
        room = self.candidates.size
        if not 0 <= self.mines <= room:
            raise QuestionError(
                "mines",
                f"There is room for 0 to {format_count(room, 'mine')} besides the cells that the "
                "first click opens.",
                fix=f"Send 0 to {room}.",
            )

    @property
    def plane(self) -> bool:
        """True for ordinary boards."""
        return self.shape is Shape.RECTANGLE

    @property
    def topology(self) -> Topology:
        """The topology: which cells touch."""
        return Topology(self.shape)

    @property
    def opened_first(self) -> Coordinates:
        """The cell that is open when a game begins, (row, col)."""
        if self.first is not None:
            return self.first
        return choose_first(self.guarantee, self.rows, self.cols)

    @cached_property
    def neighbours(self) -> NDArray[np.int32]:
        """The neighbours of each cell, `NOBODY` in the first columns; read-only, (cells, most)."""
        neighbours = self.topology.list_neighbours(
            np.arange(self.rows * self.cols), (self.rows, self.cols)
        )
        neighbours.setflags(write=False)
        return neighbours

    @cached_property
    def candidates(self) -> NDArray[np.int64]:
        """The cells that may hold mines, ascending."""
        row, col = self.opened_first
        first = row * self.cols + col
        free = np.ones(self.rows * self.cols, np.bool_)
        free[first] = False
        if self.guarantee is not Guarantee.RANDOM:
            around = self.neighbours[first]
            free[around[around != NOBODY]] = False
        return np.flatnonzero(free)

    def make_options(self, seed: int) -> BoardOptions:
        """Return the options of an ordinary board, as `generate_board` takes them."""
        size = self.rows, self.cols, self.mines
        return BoardOptions(*size, self.guarantee, self.opened_first, seed)

    def deal(self, seeds: NDArray[np.int64]) -> NDArray[np.int8]:
        """Deal the boards of some seeds, each in 0..SEEDS - 1.

        Boards without guesses are looked for one by one, which takes milliseconds each.

        Returns:
            The number of mines around each cell, or `MINE`: int8 (seeds, cells).
        """
        codes = np.empty((seeds.size, self.rows * self.cols), np.int8)
        if self.guarantee is Guarantee.GUESS_FREE:
            for number, seed in enumerate(seeds.tolist()):
                game = generate_board(self.make_options(seed)).game
                assert game is not None, "without a deadline one is found"
                codes[number] = game.codes.reshape(-1)
            return codes
        _deal_boards(seeds, self.candidates, self.mines, self.neighbours, codes)
        return codes


def wrap_seed(seed: int) -> int:
    """Return a seed in the range of boards."""
    return seed % SEEDS


@compile_kernel
def _deal_boards(
    seeds: FixedVector[np.int64],
    candidates: FixedVector[np.int64],
    mines: int,
    neighbours: FixedMatrix[np.int32],
    codes: Matrix[np.int8],
) -> None:
    """Deal a board for each seed.

    Args:
        seeds: not negative: (boards,).
        candidates: the cells that may hold mines, ascending, at least ``mines`` of them.
        mines: the mines of each board.
        neighbours: the neighbours of each cell, `NOBODY` for none: (cells, most).
        codes: filled in: numbers and `MINE`: (boards, cells).
    """
    words = np.empty(candidates.size, np.uint64)
    state = np.empty(_STATE, np.uint64)
    for board in range(seeds.size):
        _seed_generator(np.uint64(seeds[board]), state)
        for index in range(candidates.size):
            words[index] = _draw_word(state)
        codes[board, :] = 0
        if mines > 0:
            # Words of mines are below the last one; of those equal to it, the first in order.
            last = np.partition(words, mines - 1)[mines - 1]
            equal = mines
            for index in range(candidates.size):
                equal -= words[index] < last
            for index in range(candidates.size):
                is_last = words[index] == last
                if words[index] < last or (is_last and equal > 0):
                    codes[board, candidates[index]] = MINE
                    equal -= is_last
        _number_cells(codes[board], neighbours)


@compile_without_references
def _number_cells(codes: Vector[np.int8], neighbours: FixedMatrix[np.int32]) -> None:
    """Add the number of mines around each cell that is none."""
    for cell in range(codes.size):
        if codes[cell] == MINE:
            continue
        around = 0
        for step in range(neighbours.shape[1]):
            near = neighbours[cell, step]
            if near != NOBODY:
                around += codes[near] == MINE
        codes[cell] = around


@compile_without_references
def _seed_generator(seed: np.uint64, state: Vector[np.uint64]) -> None:
    """Seed a generator as ``numpy.random.PCG64(seed)`` does.

    Words of 32 bits are kept in 64: every product of two of them fits. The pool lies in
    ``state`` until that is filled in.
    """
    factor = np.uint64(_START_IN)
    for index in range(_POOL):
        word = seed >> np.uint64(32 * index) & _LOW if index < 2 else np.uint64(0)
        state[index], factor = _hash_word(word, factor, np.uint64(_STEP_IN))
    for source in range(_POOL):
        for target in range(_POOL):
            if source != target:
                word, factor = _hash_word(state[source], factor, np.uint64(_STEP_IN))
                mixed = _MIX_LEFT * state[target] - _MIX_RIGHT * word & _LOW
                state[target] = mixed ^ mixed >> _FOLD
    factor = np.uint64(_START_OUT)
    first, second, third, fourth = state[0], state[1], state[2], state[3]
    for index in range(_STATE):
        low_source = first if index % 2 == 0 else third
        high_source = second if index % 2 == 0 else fourth
        low, factor = _hash_word(low_source, factor, np.uint64(_STEP_OUT))
        high, factor = _hash_word(high_source, factor, np.uint64(_STEP_OUT))
        state[index] = high << _HALF | low
    high, low = state[0], state[1]
    state[2] = state[2] << _ONE | state[3] >> np.uint64(63)
    state[3] = state[3] << _ONE | _ONE
    # One step from 0 leads to the increment.
    state[1] = state[3] + low
    state[0] = state[2] + high + np.uint64(state[1] < low)
    _step_generator(state)


@inline_kernel
def _hash_word(word: np.uint64, factor: np.uint64, step: np.uint64) -> tuple[np.uint64, np.uint64]:
    """Return a word of 32 bits, hashed, and the next factor."""
    after = factor * step & _LOW
    mixed = (word ^ factor) * after & _LOW
    return mixed ^ mixed >> _FOLD, after


@inline_kernel
def _step_generator(state: Vector[np.uint64]) -> None:
    """Multiply the state by the factor, and add the increment, modulo 2**128."""
    high, low = state[0], state[1]
    # The product of the low words has four parts, none of which leaves 64 bits.
    low_low = (low & _LOW) * (_FACTOR_LOW & _LOW)
    low_high = (low & _LOW) * (_FACTOR_LOW >> _HALF)
    high_low = (low >> _HALF) * (_FACTOR_LOW & _LOW)
    middle = (low_low >> _HALF) + (low_high & _LOW) + (high_low & _LOW)
    carried = (low >> _HALF) * (_FACTOR_LOW >> _HALF) + (low_high >> _HALF)
    carried += (high_low >> _HALF) + (middle >> _HALF)
    product = low * _FACTOR_LOW
    state[1] = product + state[3]
    state[0] = carried + high * _FACTOR_LOW + low * _FACTOR_HIGH + state[2]
    state[0] += np.uint64(state[1] < product)


@inline_kernel
def _draw_word(state: Vector[np.uint64]) -> np.uint64:
    """Return the next 64 bits: the halves of the state, combined and rotated by its first bits."""
    _step_generator(state)
    word = state[0] ^ state[1]
    turn = state[0] >> np.uint64(58)
    return np.uint64(word >> turn | word << (np.uint64(64) - turn & np.uint64(63)))
