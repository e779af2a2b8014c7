"""The cells where a mine is least likely."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from minecheck.minefield.compiled import Vector, compile_kernel
from minecheck.solvers.annotations import Safest

#: The number of cells that answers name as the safest.
SAFEST: Final = 10


def rank_safest(chances: NDArray[np.float64], cells: int) -> Safest:
    """Rank the safest of some cells by chance, (row, col) and chance, safest first.

    Args:
        chances: the chance of a mine in each cell, NaN for known cells: (height, width).
        cells: the number of cells, in reading order, to choose among.
    """
    width, flat = chances.shape[1], chances.ravel()[:cells]
    safest = find_safest(flat, SAFEST)
    return [
        (divmod(cell, width), chance)
        for cell, chance in zip(safest.tolist(), flat[safest].tolist(), strict=True)
    ]


@compile_kernel
def find_safest(chances: Vector[np.float64], most_cells: int) -> NDArray[np.int64]:
    """Return the cells with the least chances, ascending; ties go to the first.

    Args:
        chances: the chance in each cell, (cells,); NaN for a known cell, which is left out.
        most_cells: how many cells to return at most.
    """
    cells = np.empty(most_cells, np.int64)
    count = 0
    for cell in range(chances.size):
        chance = chances[cell]
        if np.isnan(chance) or (count == most_cells and chance >= chances[cells[most_cells - 1]]):
            continue
        index = min(count, most_cells - 1)
        while index > 0 and chances[cells[index - 1]] > chance:
            cells[index] = cells[index - 1]
            index -= 1
        cells[index] = cell
        count = min(count + 1, most_cells)
    return cells[:count]
