"""Orbits: cells that a symmetry of the board carries to each other.

Tested in tests/solvers/reasons/test_fewest_clues.py.
"""

from collections.abc import Collection

import numpy as np
from numpy.typing import NDArray

from minecheck.solvers.composition import Symmetry


def list_orbits(
    shape: tuple[int, int], cells: Collection[int], symmetry: Symmetry
) -> list[list[int]]:
    """List the orbits that lie within some cells, each ascending, by their first cells.

    Cells that a symmetry carries out of the set are in none of them.

    Args:
        shape: (height, width) of the board.
        cells: the cells, as row * width + col.
        symmetry: the symmetry.
    """
    chosen = set(cells)
    images = np.stack([image.ravel() for image in _list_images(shape, symmetry)], axis=1)
    orbits = {tuple(sorted(set(images[cell].tolist()))) for cell in cells}
    return [list(orbit) for orbit in sorted(orbits) if chosen.issuperset(orbit)]


def _list_images(shape: tuple[int, int], symmetry: Symmetry) -> list[NDArray[np.int64]]:
    """Return the image of each cell, (height, width), under each member of the group."""
    cells = np.arange(shape[0] * shape[1]).reshape(shape)
    match symmetry:
        case Symmetry.NONE:
            return [cells]
        case Symmetry.HALF_TURN:
            return [cells, cells[::-1, ::-1]]
        case Symmetry.QUARTER_TURN:
            return [np.rot90(cells, turns) for turns in range(4)]
        case Symmetry.LEFT_RIGHT:
            return [cells, cells[:, ::-1]]
        case Symmetry.TOP_BOTTOM:
            return [cells, cells[::-1]]
