"""The cells where a mine is least likely."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from minecheck.minefield.compiled import Vector, compile_kernel
from minecheck.solvers.annotations import Safest

#: The number of cells that answers name as the safest.
SAFEST: Final = 10


def rank_safest(chances: NDArray[np.float64], cells: int) -> Safest:
    """Rank the safest of the first ``cells`` cells by chance, (height, width)."""
    width, flat = chances.shape[1], chances.ravel()[:cells]
    first = find_safest(flat, SAFEST)
    return [
        (divmod(cell, width), chance)
        for cell, chance in zip(first.tolist(), flat[first].tolist(), strict=True)
    ]


@compile_kernel
def find_safest(chances: Vector[np.float64], most: int) -> NDArray[np.int64]:
    """Return the ``most`` cells with the least chances, ascending; ties go to the first.

    ``chances`` is (cells,); what is not a number stands for a known cell and is left out.
    """
    cells = np.empty(most, np.int64)
    found = 0
    for cell in range(chances.size):
        chance = chances[cell]
        if np.isnan(chance) or (found == most and chance >= chances[cells[most - 1]]):
            continue
        place = min(found, most - 1)
        while place > 0 and chances[cells[place - 1]] > chance:
            cells[place] = cells[place - 1]
            place -= 1
        cells[place] = cell
        found = min(found + 1, most)
    return cells[:found]
