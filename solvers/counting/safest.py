"""The cells where a mine is least likely."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from minefield.compiled import Vector, compiled
from solvers.answer import Safest

#: So many cells are named as the safest.
SAFEST: Final = 10


def ranked(chances: NDArray[np.float64], cells: int) -> Safest:
    """The safest of so many first cells with their chances, from those of all, (height, width)."""
    width, flat = chances.shape[1], chances.ravel()[:cells]
    first = safest(flat, SAFEST)
    return [
        (divmod(cell, width), chance)
        for cell, chance in zip(first.tolist(), flat[first].tolist(), strict=True)
    ]


@compiled
def safest(chances: Vector[np.float64], most: int) -> NDArray[np.int64]:
    """At most so many cells with the least chances, ascending; of equals those that come first.

    ``chances`` is (cells,); what is not a number stands for a known cell and is left out.
    """
    cells = np.empty(most, np.int64)
    found = 0
    for cell in range(chances.size):
        chance = chances[cell]
        if np.isnan(chance) or (found == most and chance >= chances[cells[-1]]):
            continue
        place = min(found, most - 1)
        while place > 0 and chances[cells[place - 1]] > chance:
            cells[place] = cells[place - 1]
            place -= 1
        cells[place] = cell
        found = min(found + 1, most)
    return cells[:found]
