"""Openings: the 0s that one click shows, and how many clicks a board takes."""

import numpy as np
from numpy.typing import NDArray

from minecheck.minefield.board import UNKNOWN
from minecheck.minefield.compiled import FixedMatrix, Matrix, Vector, compile_kernel, inline_kernel
from minecheck.minefield.layout import Layout

#: The number of cells that belong to no opening, because they are not 0.
NONE = -1


def find_openings(layout: Layout) -> NDArray[np.int32]:
    """Return the opening that each 0 belongs to, numbered from 0; `NONE` elsewhere.

    Returns:
        int32 of shape (height, width).
    """
    codes = layout.to_codes()
    opening_of = np.full(codes.shape, NONE, np.int32)
    _label_openings(codes, opening_of)
    return opening_of


def count_least_clicks(layout: Layout) -> int:
    """Return the 3BV: the fewest clicks that open all safe cells without flags and chords.

    It is one for each opening, and for each number that no 0 shows.
    """
    opening_of = find_openings(layout)
    shown = dilate_cells(opening_of != NONE) | layout.mines
    return int(opening_of.max(initial=NONE)) + 1 + int(np.count_nonzero(~shown))


def dilate_cells(cells: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return a mask, (height, width), of some cells and all of their neighbours."""
    height, width = cells.shape
    padded = np.zeros((height + 2, width + 2), np.bool_)
    padded[1:-1, 1:-1] = cells
    rows = padded[:-2] | padded[1:-1] | padded[2:]
    return np.asarray(rows[:, :-2] | rows[:, 1:-1] | rows[:, 2:])


@compile_kernel
def _label_openings(codes: FixedMatrix[np.int8], opening_of: Matrix[np.int32]) -> None:
    """Label the openings with numbers, in reading order of their first cells.

    Both arrays have the shape (height, width); ``opening_of`` is `NONE` everywhere at first. A cell
    is numbered as it is put on the stack ``waiting``, so it is there at most once, and the stack
    needs no more than ``codes.size`` entries.
    """
    height, width = codes.shape
    waiting = np.empty(codes.size, np.int64)
    opening = 0
    for first in range(codes.size):
        if (
            codes[first // width, first % width] != 0
            or opening_of[first // width, first % width] >= 0
        ):
            continue
        opening_of[first // width, first % width] = opening
        waiting[0] = first
        count = 1
        while count > 0:
            count -= 1
            row, col = waiting[count] // width, waiting[count] % width
            for near_row in range(max(0, row - 1), min(height, row + 2)):
                for near_col in range(max(0, col - 1), min(width, col + 2)):
                    if codes[near_row, near_col] == 0 and opening_of[near_row, near_col] < 0:
                        opening_of[near_row, near_col] = opening
                        waiting[count] = near_row * width + near_col
                        count += 1
        opening += 1


@inline_kernel
def open_around_zeros(
    codes: FixedMatrix[np.int8], cells: Matrix[np.int8], waiting: Vector[np.int64], count: int
) -> int:
    """Open in ``cells`` all that zeros open, and return how many cells that are.

    ``waiting[:count]`` are cells that were opened just now, as numbers in reading order. Each cell
    is put behind them when it is opened, so once at most, and ``codes.size`` entries suffice.
    """
    height, width = codes.shape
    end = count
    done = 0
    while done < end:
        row, col = waiting[done] // width, waiting[done] % width
        done += 1
        if codes[row, col] != 0:
            continue
        for near_row in range(max(0, row - 1), min(height, row + 2)):
            for near_col in range(max(0, col - 1), min(width, col + 2)):
                if cells[near_row, near_col] == UNKNOWN:
                    cells[near_row, near_col] = codes[near_row, near_col]
                    waiting[end] = near_row * width + near_col
                    end += 1
    return int(end - count)
