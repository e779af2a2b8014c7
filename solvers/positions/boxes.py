"""The boxes of a position, cells that the same clues see, and its clues, as records of integers.

Tested in tests/solvers/positions/test_solve.py.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from minecheck.minefield.bits import ONE, ZERO, count_all_bits, find_lowest_bit
from minecheck.minefield.compiled import (
    FixedMatrix,
    FixedVector,
    Matrix,
    compile_inner,
    inline_kernel,
)
from minecheck.minefield.reduction.propagation import NONE
from minecheck.solvers.positions.planes import (
    CLUES,
    FRONTIER,
    NEEDS,
    OPEN,
    WORD,
    from_left,
    from_right,
    number_at,
)

#: Boxes of a clue and clues of a box, at most.
NEAR: Final = 8
# Columns of the boxes: size, number of clues, how the clues lie to the first one, the next
# box of the same first clue, what `states` says of it; then its clues.
SIZE: Final = 0
DEGREE: Final = 1
_KEY: Final = 2
_NEXT: Final = 3
DONE: Final = 4
LIST: Final = 6
# Columns of the clues: need, number of boxes, cells in boxes to come, the first box of those whose
# first clue it is, its bits in the key, when it was opened; then its boxes.
NEED: Final = 0
CELLS: Final = 2
_CHAIN: Final = 3
SLOT: Final = 4
AGE: Final = 5

# Of the cells around one, a bit each: three in a byte for each of the three rows.
_BYTE: Final = 3
_IN_BYTE: Final = 7


@compile_inner
def find_boxes(
    planes: FixedMatrix[np.uint64], stride: int
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32], int]:
    """Find boxes, clues, the box of each frontier cell in reading order, and their number.

    Cells share a box when they have the same first clue, and the others lie the same way from it. A
    cell has at most `NEAR` clues, a clue at most `NEAR` boxes, which bounds their records.

    Args:
        planes: the planes of the board: (planes, words).
        stride: words a row.
    """
    boxes = np.empty((count_all_bits(planes[FRONTIER]), LIST + NEAR), np.int32)
    clues = np.empty((count_all_bits(planes[CLUES]), LIST + NEAR), np.int32)
    box_of = np.empty(boxes.shape[0], np.int32)
    clue_at = _number_clues(planes, clues)
    box_count = cell = 0
    for word in range(planes.shape[1]):
        unread_bits = planes[FRONTIER, word]
        while unread_bits != ZERO:
            bit = find_lowest_bit(unread_bits)
            unread_bits &= unread_bits - ONE
            seen_by = _read_clues_around(planes[CLUES], word, np.uint64(bit), stride)
            plane_bit = word << WORD | bit
            first_direction = find_lowest_bit(seen_by)
            leader = clue_at[plane_bit + _step_to(first_direction, stride)]
            key = np.int32(seen_by >> np.uint64(first_direction))
            box = clues[leader, _CHAIN]
            while box != NONE and boxes[box, _KEY] != key:
                box = boxes[box, _NEXT]
            if box == NONE:
                box = box_count
                box_count += 1
                boxes[box, SIZE] = boxes[box, DEGREE] = boxes[box, DONE] = 0
                boxes[box, _KEY] = key
                boxes[box, _NEXT] = clues[leader, _CHAIN]
                clues[leader, _CHAIN] = box
                while seen_by != ZERO:
                    clue = clue_at[plane_bit + _step_to(find_lowest_bit(seen_by), stride)]
                    seen_by &= seen_by - ONE
                    _link_box(boxes, clues, box, clue)
            boxes[box, SIZE] += 1
            box_of[cell] = box
            cell += 1
    return boxes, clues, box_of, box_count


@inline_kernel
def _number_clues(planes: FixedMatrix[np.uint64], clues: Matrix[np.int32]) -> NDArray[np.int32]:
    """Fill in the clues except their boxes; return the number of the clue at each bit of the plane.

    ``clues`` has a row for each bit of the plane. Bits without a clue are left as they are.
    """
    clue_at = np.empty(planes.shape[1] << WORD, np.int32)
    clue = 0
    for word in range(planes.shape[1]):
        unread_bits = planes[CLUES, word]
        while unread_bits != ZERO:
            bit = find_lowest_bit(unread_bits)
            unread_bits &= unread_bits - ONE
            clues[clue, NEED] = number_at(planes, NEEDS, word, np.uint64(bit))
            clues[clue, CELLS] = number_at(planes, OPEN, word, np.uint64(bit))
            clues[clue, DEGREE] = 0
            clues[clue, _CHAIN] = clues[clue, SLOT] = NONE
            clue_at[word << WORD | bit] = clue
            clue += 1
    return clue_at


@inline_kernel
def _read_clues_around(
    plane: FixedVector[np.uint64], word: int, bit: np.uint64, stride: int
) -> np.uint64:
    """Return the bits of a plane around a cell.

    There are three for each of the rows below, here and above, each triple in a byte of its own.
    """
    around = ZERO
    for row_word in (word + stride, word, word - stride):
        around <<= np.uint64(1 << _BYTE)
        around |= from_left(plane, row_word) >> bit & ONE
        around |= (plane[row_word] >> bit & ONE) << ONE
        around |= (from_right(plane, row_word) >> bit & ONE) << np.uint64(2)
    return around


@inline_kernel
def _step_to(around: int, stride: int) -> int:
    """Return the offset from a cell to the neighbour that this bit stands for."""
    return int((((around >> _BYTE) - 1) * stride << WORD) + (around & _IN_BYTE) - 1)


@inline_kernel
def _link_box(boxes: Matrix[np.int32], clues: Matrix[np.int32], box: int, clue: int) -> None:
    """Note that a clue counts the cells of a box; both lists have room for `NEAR`."""
    boxes[box, LIST + boxes[box, DEGREE]] = clue
    boxes[box, DEGREE] += 1
    clues[clue, LIST + clues[clue, DEGREE]] = box
    clues[clue, DEGREE] += 1
