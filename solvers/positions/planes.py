"""The cells of a position as planes of bits, and what single clues decide, for 64 cells at a time.

A cell is the same bit of each plane. What stands around it is counted by shifting the neighbours'
bits onto its own and adding them up bit by bit. A row of the board takes whole words, of which the
first bit and the last one belong to no cell, and neither do the row above the board and the one
below: what is shifted over an edge is 0.

Tested in tests/solvers/positions/test_solve.py.
"""

from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from minecheck.minefield.bits import ONE, ZERO
from minecheck.minefield.board import FLAG, MINE, UNKNOWN
from minecheck.minefield.compiled import (
    FixedMatrix,
    FixedVector,
    Matrix,
    Vector,
    compile_inner,
    inline_kernel,
)

#: Bits of a word, as a power of two.
WORD: Final = 6
LAST: Final = np.uint64((1 << WORD) - 1)

# Planes: undecided cells, and those of them next to clues; mines, known or decided; clues. For each
# clue, in four bits: its number, the mines that it still needs, and the undecided cells around it.
UNSETTLED: Final = 0
FRONTIER: Final = 1
MINES: Final = 2
CLUES: Final = 3
_NUMBER: Final = 4
NEEDS: Final = 8
OPEN: Final = 12
_PLANES: Final = 16

#: A number below 16 of each cell of a word: the lowest bits first.
_Numbers: TypeAlias = tuple[np.uint64, np.uint64, np.uint64, np.uint64]


@inline_kernel
def count_row_words(width: int) -> int:
    """Return the number of words in a row: one bit belongs to no cell on either side."""
    return (width + 1 >> WORD) + 1


@inline_kernel
def find_first_word(row: int, stride: int) -> int:
    """Return the first word of a row of ``stride`` words; the row above the board is row -1.

    Args:
        row: from -1 to the number of rows, the row below the board.
        stride: words a row.
    """
    return 1 + (row + 1) * stride


@inline_kernel
def find_column_range(word_in_row: int, width: int) -> tuple[int, int]:
    """Return the first column in a word of a row, and the one after the last.

    Column c is bit c + 1 of the row.

    Args:
        word_in_row: the number of the word in its row, from 0.
        width: columns of the board.
    """
    return max(1, word_in_row << WORD) - 1, min(width, (word_in_row + 1 << WORD) - 1)


@compile_inner
def read_planes(cells: FixedMatrix[np.int8]) -> NDArray[np.uint64]:
    """Read the planes of a board, where nothing is decided yet; flags are undecided.

    The result is uint64 of shape (planes, words), with a row of words above the board and one
    below.
    """
    height, width = cells.shape
    stride = count_row_words(width)
    planes = np.zeros((_PLANES, find_first_word(height + 1, stride) + 1), np.uint64)
    for row in range(height):
        for word_in_row in range(stride):
            undecided = mines = clues = ones = twos = fours = eights = ZERO
            first_col, end_col = find_column_range(word_in_row, width)
            for col in range(first_col, end_col):
                code = np.uint64(cells[row, col])
                bit = np.uint64(col + 1) & LAST
                undecided |= np.uint64((code == UNKNOWN) | (code == FLAG)) << bit
                mines |= np.uint64(code == MINE) << bit
                clues |= np.uint64(code <= 8) << bit
                ones |= (code & ONE) << bit
                twos |= (code >> ONE & ONE) << bit
                fours |= (code >> np.uint64(2) & ONE) << bit
                eights |= (code >> np.uint64(3) & ONE) << bit
            word = find_first_word(row, stride) + word_in_row
            planes[UNSETTLED, word] = undecided
            planes[MINES, word] = mines
            planes[CLUES, word] = clues
            planes[_NUMBER, word] = ones
            planes[_NUMBER + 1, word] = twos
            planes[_NUMBER + 2, word] = fours
            planes[_NUMBER + 3, word] = eights
    return planes


@compile_inner
def propagate_planes(planes: Matrix[np.uint64], stride: int) -> bool:
    """Decide what single clues decide; False if one of them cannot hold.

    In the end `CLUES` are those that leave something open, and the `FRONTIER` is known. A word is
    in the queue once at most, so that it has room for all.

    Args:
        planes: the planes of the board, which are changed: (planes, words).
        stride: words a row.
    """
    words = planes.shape[1]
    queue = np.empty(words, np.int32)
    waits = np.zeros(words, np.bool_)
    waiting = 0
    for word in range(words):
        if planes[CLUES, word] != ZERO:
            waits[word] = True
            queue[waiting] = word
            waiting += 1
    while waiting > 0:
        waiting -= 1
        word = queue[waiting]
        waits[word] = False
        possible, safe, mines = _settle_clues(planes, word, stride)
        if not possible:
            return False
        if safe | mines == ZERO:
            continue
        for above in (-stride, 0, stride):
            for aside in (-1, 0, 1):
                neighbour = word + above + aside
                undecided = planes[UNSETTLED, neighbour]
                now_safe = undecided & _shift_bits(safe, aside)
                now_mines = undecided & _shift_bits(mines, aside)
                if now_safe & now_mines != ZERO:
                    return False
                if now_safe | now_mines != ZERO:
                    planes[UNSETTLED, neighbour] ^= now_safe | now_mines
                    planes[MINES, neighbour] |= now_mines
                    waiting = _wake_clues(planes, neighbour, stride, queue, waits, waiting)
    for word in range(words):
        planes[CLUES, word] &= _is_nonzero(_read_numbers(planes, OPEN, word))
    for word in range(stride + 1, words - stride - 1):
        planes[FRONTIER, word] = planes[UNSETTLED, word] & _mark_near(planes[CLUES], word, stride)
    return True


@inline_kernel
def _wake_clues(
    planes: Matrix[np.uint64],
    centre: int,
    stride: int,
    queue: Vector[np.int32],
    waits: Vector[np.bool_],
    waiting: int,
) -> int:
    """Queue the words of the clues that see a word; return how many are waiting then.

    A word waits once at a time, so that the queue has an entry for each. Words of the board have
    rows above and below, so all words around them are in the plane.
    """
    for above in (-stride, 0, stride):
        for aside in (-1, 0, 1):
            word = centre + above + aside
            if not waits[word] and planes[CLUES, word] != ZERO:
                waits[word] = True
                queue[waiting] = word
                waiting += 1
    return waiting


@inline_kernel
def _settle_clues(
    planes: Matrix[np.uint64], word: int, stride: int
) -> tuple[bool, np.uint64, np.uint64]:
    """Return if the clues of a word can hold, and those that decide all cells around them."""
    mines = _count_around(planes[MINES], word, stride)
    cells = _count_around(planes[UNSETTLED], word, stride)
    clues = planes[CLUES, word]
    needs, too_few = _subtract_numbers(_read_numbers(planes, _NUMBER, word), mines)
    free_cells, too_many = _subtract_numbers(cells, needs)
    for bit in range(4):
        planes[NEEDS + bit, word] = needs[bit]
        planes[OPEN + bit, word] = cells[bit]
    clues &= _is_nonzero(cells)
    return (
        (too_few | too_many) & planes[CLUES, word] == ZERO,
        clues & ~_is_nonzero(needs),
        clues & ~_is_nonzero(free_cells),
    )


@inline_kernel
def _read_numbers(planes: Matrix[np.uint64], first_plane: int, word: int) -> _Numbers:
    """Return the numbers of the cells of a word from four planes, ``first_plane`` and the next."""
    return (
        planes[first_plane, word],
        planes[first_plane + 1, word],
        planes[first_plane + 2, word],
        planes[first_plane + 3, word],
    )


@inline_kernel
def _count_around(plane: FixedVector[np.uint64], word: int, stride: int) -> _Numbers:
    """Count the set bits among each bit of a word and those around it: 0 to 9, in four bits."""
    odd_above, twos_above = _count_in_row(plane, word - stride)
    odd_here, twos_here = _count_in_row(plane, word)
    odd_below, twos_below = _count_in_row(plane, word + stride)
    odd, two = odd_above ^ odd_here, twos_above ^ twos_here
    carry = (odd_above & odd_here) | (odd & odd_below)
    twos = two ^ twos_below
    four, eight = (twos_above & twos_here) | (two & twos_below), twos & carry
    return odd ^ odd_below, twos ^ carry, four ^ eight, four & eight


@inline_kernel
def _count_in_row(plane: FixedVector[np.uint64], word: int) -> tuple[np.uint64, np.uint64]:
    """Count the set bits among each bit and its two neighbours: ones and twos."""
    bits = plane[word]
    left, right = from_left(plane, word), from_right(plane, word)
    odd = left ^ right
    return odd ^ bits, (left & right) | (odd & bits)


@inline_kernel
def from_left(plane: FixedVector[np.uint64], word: int) -> np.uint64:
    """Return the bits on the left of those of a word, shifted onto them.

    Args:
        plane: one plane of the board.
        word: a word of it, not the first.
    """
    return np.uint64(plane[word] << ONE | plane[word - 1] >> LAST)


@inline_kernel
def from_right(plane: FixedVector[np.uint64], word: int) -> np.uint64:
    """Return the bits on the right of those of a word, shifted onto them.

    Args:
        plane: one plane of the board.
        word: a word of it, not the last.
    """
    return np.uint64(plane[word] >> ONE | plane[word + 1] << LAST)


@inline_kernel
def _mark_near(plane: FixedVector[np.uint64], word: int, stride: int) -> np.uint64:
    """Return as bits the cells that are set, or next to one that is."""
    marked = ZERO
    for row_word in (word - stride, word, word + stride):
        marked |= from_left(plane, row_word) | plane[row_word] | from_right(plane, row_word)
    return marked


@inline_kernel
def _shift_bits(bits: np.uint64, aside: int) -> np.uint64:
    """Return the bits next to those of a word: in it (0), in the one before (-1) or after (1).

    The bits in the word itself include its own.
    """
    if aside == 0:
        return bits << ONE | bits | bits >> ONE
    return bits << LAST if aside < 0 else bits >> LAST


@inline_kernel
def _subtract_numbers(minuend: _Numbers, subtrahend: _Numbers) -> tuple[_Numbers, np.uint64]:
    """Subtract numbers of four bits for each cell, and return where the result is below 0."""
    ones, borrow = minuend[0] ^ subtrahend[0], ~minuend[0] & subtrahend[0]
    differ = minuend[1] ^ subtrahend[1]
    twos, borrow = differ ^ borrow, (~minuend[1] & subtrahend[1]) | (~differ & borrow)
    differ = minuend[2] ^ subtrahend[2]
    fours, borrow = differ ^ borrow, (~minuend[2] & subtrahend[2]) | (~differ & borrow)
    differ = minuend[3] ^ subtrahend[3]
    eights, borrow = differ ^ borrow, (~minuend[3] & subtrahend[3]) | (~differ & borrow)
    return (ones, twos, fours, eights), borrow


@inline_kernel
def _is_nonzero(numbers: _Numbers) -> np.uint64:
    """Return as bits the cells whose number is not 0."""
    return numbers[0] | numbers[1] | numbers[2] | numbers[3]


@inline_kernel
def number_at(planes: FixedMatrix[np.uint64], first_plane: int, word: int, bit: np.uint64) -> int:
    """Return the number of a cell from four planes, 0 to 15.

    Args:
        planes: the planes of the board.
        first_plane: the plane of the lowest bit, followed by the others.
        word: the word of the cell.
        bit: its bit, 0 to 63.
    """
    number = ZERO
    for power in range(4):
        number |= (planes[first_plane + power, word] >> bit & ONE) << np.uint64(power)
    return int(number)
