"""Consequences of the clues in a window for the cells outside that they see.

Of all ways to fill the window and these cells that make the clues in the window right, a cell
outside may be a mine in each, or in none; and around each clue there are a fewest and a most mines
outside. Both are exact: they hold in every board that the window may be cut out of, and are
reached in some of them, as far as the clues in the window can say.

Source: the case that the student project on Hu and Lin's automaton gives in its figure 4, where a
clue needs a mine outside.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from minecheck.automata.kernels import NOWHERE
from minecheck.minefield.compiled import Matrix, Vector, compile_kernel


@dataclass(frozen=True, slots=True)
class Beyond:
    """The unknown cells outside the window that one of its clues sees.

    Attributes:
        row, col: where the clue stands on the board.
        cells: these cells, in reading order.
        low, high: fewest and most mines among them.
    """

    row: int
    col: int
    cells: tuple[tuple[int, int], ...]
    low: int
    high: int


@dataclass(frozen=True, slots=True)
class Outside:
    """Conditions on the cells outside a window; cells are in reading order, on the board.

    Attributes:
        mines: cells outside that are mines, whatever the rest is.
        safe: those that are none.
        clues: for each clue that sees unknown cells outside, how many of them are mines.
    """

    mines: tuple[tuple[int, int], ...]
    safe: tuple[tuple[int, int], ...]
    clues: tuple[Beyond, ...]


@compile_kernel
def bound_mines_among(
    edges: Matrix[np.int32],
    starts: Vector[np.int64],
    cells: Vector[np.int64],
    ends: Vector[np.int64],
) -> NDArray[np.int64]:
    """Return the fewest and the most mines that layouts have in groups of cells, (groups, 2).

    Every node lies on a layout, so only the layers from the first cell of a group to its last one
    are visited. Bit k of a node is set if some way to it has k mines in the group.

    Args:
        edges: the edges of a diagram with layouts that `automata.kernels.trim_diagram` has left.
        starts: the first node of each layer, and the end of the last: (layers + 1,).
        cells: the cells of all groups, up to eight in each, which is not empty, ascending.
        ends: where groups end in ``cells``, from 0: int64 of length groups + 1.
    """
    bounds = np.empty((ends.size - 1, 2), np.int64)
    widest = 1
    for layer in range(starts.size - 1):
        widest = max(widest, starts[layer + 1] - starts[layer])
    sums = np.zeros(widest, np.int64)
    next_sums = np.zeros(widest, np.int64)
    for group in range(ends.size - 1):
        index = ends[group]
        first_cell, last_cell = cells[index], cells[ends[group + 1] - 1]
        for node in range(starts[first_cell + 1] - starts[first_cell]):
            sums[node] = 1
        for layer in range(first_cell, last_cell + 1):
            is_in_group = 0
            if cells[index] == layer:
                is_in_group = 1
                index += 1
            for node in range(starts[layer + 2] - starts[layer + 1]):
                next_sums[node] = 0
            for node in range(starts[layer], starts[layer + 1]):
                mine_set = sums[node - starts[layer]]
                if edges[node, 0] != NOWHERE:
                    next_sums[edges[node, 0]] |= mine_set
                if edges[node, 1] != NOWHERE:
                    next_sums[edges[node, 1]] |= mine_set << is_in_group
            sums, next_sums = next_sums, sums
        mine_set = 0
        for node in range(starts[last_cell + 2] - starts[last_cell + 1]):
            mine_set |= sums[node]
        low = 0
        while mine_set >> low & 1 == 0:
            low += 1
        high = low
        for mines in range(low, 9):
            if mine_set >> mines & 1:
                high = mines
        bounds[group, 0], bounds[group, 1] = low, high
    return bounds
