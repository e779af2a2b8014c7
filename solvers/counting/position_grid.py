"""The grid of an ordinary position, and its boxes and clues, for `solvers.counting.position`."""

from typing import Final

import numpy as np

from minefield.board import FLAG, MINE, UNKNOWN
from minefield.compiled import FixedMatrix, Matrix, inlined, inner
from minefield.reduction.kernels import NONE

#: Boxes of a clue and clues of a box, at most.
NEAR: Final = 8
# Columns of the boxes: size, number of clues, the clues' places relative to the first one, the next
# box of the same first clue, what `position_line` says of it; then its clues.
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

#: Where the eight neighbours of a cell are, in reading order.
_DOWN: Final = (-1, -1, -1, 0, 0, 1, 1, 1)
_ASIDE: Final = (-1, 0, 1, -1, 1, -1, 0, 1)

# Rows of the grid, whose columns are the cells with a ring around: what a cell adds to the clues
# around it (an undecided one 16, a mine 1); of each clue the undecided cells and the mines it still
# needs; clues to propagate; numbers of clues and of boxes.
MASS: Final = 0
_CLUE_CELLS: Final = 1
_NEEDS: Final = 2
_QUEUE: Final = 3
_CLUE: Final = 4
BOX: Final = 5
GRIDS: Final = 6
_UNKNOWN_BITS: Final = 4
UNKNOWN_MASS: Final = 1 << _UNKNOWN_BITS
#: Where there is no clue; no number of decided neighbours makes it look like one.
_NO_NEED: Final = 50
_NO_CELLS: Final = 100


@inlined
def neighbours(stride: int) -> tuple[int, ...]:
    """From a cell to its neighbours, in reading order."""
    return (-stride - 1, -stride, 1 - stride, -1, 1, stride - 1, stride, stride + 1)


@inner
def read(cells: FixedMatrix[np.int8], grid: Matrix[np.int32]) -> int:
    """Fill the grid; how many clues wait to be propagated, or -1 if one cannot hold."""
    height, width = cells.shape
    stride = width + 2
    # A ring of safe cells around the board: no neighbour is outside.
    grid[MASS] = 0
    grid[_CLUE_CELLS] = _NO_CELLS
    grid[_NEEDS] = _NO_NEED
    for row in range(height):
        place = (row + 1) * stride + 1
        for col in range(width):
            code = cells[row, col]
            if code in (UNKNOWN, FLAG):
                grid[MASS, place + col] = UNKNOWN_MASS
            elif code == MINE:
                grid[MASS, place + col] = 1
    # The sums of three cells side by side stand where the boxes will.
    for place in range(1, grid.shape[1] - 1):
        grid[BOX, place] = grid[MASS, place - 1] + grid[MASS, place] + grid[MASS, place + 1]
    waiting = 0
    for row in range(height):
        for col in range(width):
            code = cells[row, col]
            if code > 8:
                continue
            place = (row + 1) * stride + col + 1
            around = grid[BOX, place - stride] + grid[BOX, place] + grid[BOX, place + stride]
            undecided = around >> _UNKNOWN_BITS
            need = code - (around & (UNKNOWN_MASS - 1))
            if need < 0 or need > undecided:
                return -1
            if undecided > 0:
                grid[_NEEDS, place] = need
                grid[_CLUE_CELLS, place] = undecided
                if need == 0 or need == undecided:
                    grid[_QUEUE, waiting] = place
                    waiting += 1
    grid[_CLUE] = NONE
    grid[BOX] = NONE
    return waiting


@inlined
def propagate(grid: Matrix[np.int32], waiting: int, near: tuple[int, ...]) -> bool:
    """Decide what single clues decide; False if one of them cannot hold."""
    while waiting > 0:
        waiting -= 1
        clue = grid[_QUEUE, waiting]
        value = 1 if grid[_NEEDS, clue] > 0 else 0
        for step in near:
            cell = clue + step
            if grid[MASS, cell] != UNKNOWN_MASS:
                continue
            grid[MASS, cell] = value
            for further in near:
                other = cell + further
                undecided = grid[_CLUE_CELLS, other]
                need = grid[_NEEDS, other]
                # A clue waits as soon as it decides its cells, once.
                waits = need == 0 or need == undecided
                undecided -= 1
                need -= value
                if need < 0 or need > undecided:
                    return False
                grid[_CLUE_CELLS, other] = undecided
                grid[_NEEDS, other] = need
                if not waits and (need == 0 or need == undecided):
                    grid[_QUEUE, waiting] = other
                    waiting += 1
    return True


@inlined
def find_boxes(
    grid: Matrix[np.int32],
    stride: int,
    near: tuple[int, ...],
    boxes: Matrix[np.int32],
    clues: Matrix[np.int32],
) -> tuple[int, int, int]:
    """Fill in boxes and clues; (boxes, loose cells, decided mines).

    Cells share a box when they have the same first clue, and the others lie
    the same way from it: at most two rows below and two columns aside.
    """
    found = known = loose = mines = 0
    for cell in range(stride, grid.shape[1] - stride):
        mass = grid[MASS, cell]
        if mass != UNKNOWN_MASS:
            mines += mass
            continue
        key = 0
        first = -1
        for turn in range(NEAR):
            if grid[_NEEDS, cell + near[turn]] <= 8:
                if first < 0:
                    first = turn
                key |= 1 << (5 * (_DOWN[turn] - _DOWN[first]) + _ASIDE[turn] - _ASIDE[first] + 2)
        if first < 0:
            loose += 1
            continue
        corner = cell + near[first]
        known = _number_clue(grid, clues, corner, known)
        leader = clues[grid[_CLUE, corner], _CHAIN]
        box = leader
        while box != NONE and boxes[box, _KEY] != key:
            box = boxes[box, _NEXT]
        if box == NONE:
            box = found
            found += 1
            boxes[box, SIZE] = boxes[box, DEGREE] = boxes[box, DONE] = 0
            boxes[box, _KEY] = key
            boxes[box, _NEXT] = leader
            clues[grid[_CLUE, corner], _CHAIN] = box
            for turn in range(first, NEAR):
                place = cell + near[turn]
                if grid[_NEEDS, place] <= 8:
                    known = _number_clue(grid, clues, place, known)
                    _link(boxes, clues, box, grid[_CLUE, place])
        boxes[box, SIZE] += 1
        grid[BOX, cell] = box
    return found, loose, mines


@inlined
def _number_clue(grid: Matrix[np.int32], clues: Matrix[np.int32], place: int, known: int) -> int:
    """Give the clue at a place a number unless it has one; how many clues have one then."""
    if grid[_CLUE, place] != NONE:
        return known
    grid[_CLUE, place] = known
    clues[known, NEED] = grid[_NEEDS, place]
    clues[known, CELLS] = grid[_CLUE_CELLS, place]
    clues[known, DEGREE] = 0
    clues[known, _CHAIN] = clues[known, SLOT] = NONE
    return known + 1


@inlined
def _link(boxes: Matrix[np.int32], clues: Matrix[np.int32], box: int, clue: int) -> None:
    """Note that a clue counts the cells of a box."""
    boxes[box, LIST + boxes[box, DEGREE]] = clue
    boxes[box, DEGREE] += 1
    clues[clue, LIST + clues[clue, DEGREE]] = box
    clues[clue, DEGREE] += 1
