"""Compiled passes over the edges of a decision diagram: counts, chances, and layouts in order.

An edge leads from a node of one layer to a node of the next, by its index there, or `NOWHERE`.
Layer t is before cell t, and the last one is the end of all layouts.

Tested in tests/automata/test_diagram.py.
"""

import numpy as np
from numpy.typing import NDArray

from minecheck.automata.kernels import NOWHERE
from minecheck.automata.numbers import (
    LOSS,
    Number,
    add_number,
    add_numbers,
    multiply_numbers,
    read_number,
    round_ratio,
)
from minecheck.minefield.compiled import Matrix, Vector, compile_kernel


@compile_kernel
def find_cuts(edges: Matrix[np.int32], starts: Vector[np.int64], bits: int) -> NDArray[np.int64]:
    """Choose layers, first to last, with at most ``bits`` open cells between one and the next.

    A cell is open where some node has both edges, so there are at most 2**bits paths between two
    nodes of neighbouring cuts. Narrow layers are preferred.

    Args:
        edges: the edges of the diagram: (nodes, 2).
        starts: the first node of each layer, and the end of the last: (layers + 1,).
        bits: at most 63, for paths to be counted in 64 bits.
    """
    layers = starts.size - 1
    cuts = np.zeros(layers, np.int64)
    count = 1
    while cuts[count - 1] < layers - 1:
        open_cells = 0
        layer = cuts[count - 1]
        best_layer = layer + 1
        while layer < layers - 1:
            for node in range(starts[layer], starts[layer + 1]):
                if edges[node, 0] != NOWHERE and edges[node, 1] != NOWHERE:
                    open_cells += 1
                    break
            if open_cells > bits:
                break
            layer += 1
            width = starts[layer + 1] - starts[layer]
            # Short pieces are only worth their while where the diagram is much narrower.
            if open_cells <= bits // 2 or width <= starts[best_layer + 1] - starts[best_layer]:
                best_layer = layer
        cuts[count] = layer if layer == layers - 1 else best_layer
        count += 1
    return cuts[:count]


@compile_kernel
def count_paths(
    edges: Matrix[np.int32], starts: Vector[np.int64], first_layer: int, last_layer: int
) -> NDArray[np.uint64]:
    """Count the paths from each node of one layer to each node of another.

    There must be fewer than 2**64, see `find_cuts`.

    Args:
        edges: the edges of the diagram: (nodes, 2).
        starts: the first node of each layer, and the end of the last: (layers + 1,).
        first_layer: the number of the one layer.
        last_layer: the number of the other, which is not before it.
    """
    sources = starts[first_layer + 1] - starts[first_layer]
    paths = np.eye(sources, dtype=np.uint64)
    for layer in range(first_layer, last_layer):
        begin = starts[layer]
        next_paths = np.zeros((sources, starts[layer + 2] - starts[layer + 1]), np.uint64)
        for node in range(begin, starts[layer + 1]):
            for mine in range(2):
                child = edges[node, mine]
                if child != NOWHERE:
                    for source in range(sources):
                        next_paths[source, child] += paths[source, node - begin]
        paths = next_paths
    return paths


@compile_kernel
def compute_chances(
    edges: Matrix[np.int32], starts: Vector[np.int64], mine: Number, safe: Number
) -> NDArray[np.float64]:
    """Return the chance of each cell to be a mine, NaN where it is in doubt, or 0 or 1.

    A layout weighs the product of ``mine`` and ``safe`` over all cells. Weights are summed from
    the last cell to the first, and then from the first to the last.

    Args:
        edges: the edges of the diagram: (nodes, 2).
        starts: the first node of each layer, and the end of the last: (layers + 1,).
        mine: the weight of a mine.
        safe: the weight of a safe cell.
    """
    layers = starts.size - 1
    ahead = np.zeros((starts[layers], 3))
    ahead[starts[layers - 1] :, 0] = 1.0
    for layer in range(layers - 2, -1, -1):
        next_start = starts[layer + 1]
        for node in range(starts[layer], next_start):
            if edges[node, 0] != NOWHERE:
                ahead[node] = multiply_numbers(
                    read_number(ahead, next_start + edges[node, 0]), safe
                )
            if edges[node, 1] != NOWHERE:
                add_number(
                    ahead,
                    node,
                    multiply_numbers(read_number(ahead, next_start + edges[node, 1]), mine),
                )
    total_weight = read_number(ahead, 0)
    chances = np.full(layers - 1, np.nan)
    behind = np.zeros((starts[layers], 3))
    behind[0, 0] = 1.0
    error = 8.0 * len(edges) * LOSS
    for layer in range(layers - 1):
        next_start = starts[layer + 1]
        mine_weight = (0.0, 0.0, 0.0)
        uncertain = False
        for node in range(starts[layer], next_start):
            if edges[node, 0] != NOWHERE:
                uncertain = True
                add_number(
                    behind,
                    next_start + edges[node, 0],
                    multiply_numbers(read_number(behind, node), safe),
                )
            if edges[node, 1] != NOWHERE:
                mined = multiply_numbers(read_number(behind, node), mine)
                add_number(behind, next_start + edges[node, 1], mined)
                mine_weight = add_numbers(
                    mine_weight,
                    multiply_numbers(mined, read_number(ahead, next_start + edges[node, 1])),
                )
        if uncertain and mine_weight[0] > 0:
            chances[layer] = round_ratio(mine_weight, total_weight, error)
    return chances


@compile_kernel
def descend(
    edges: Matrix[np.int32],
    starts: Vector[np.int64],
    nodes: Vector[np.int32],
    mines: Vector[np.bool_],
    layer: int,
) -> None:
    """Go on from ``nodes[layer]`` to the last layer, by safe cells wherever there is a choice.

    Args:
        edges: the edges of a trimmed diagram: (nodes, 2).
        starts: the first node of each layer, and the end of the last: (layers + 1,).
        nodes: the node of each layer within it, filled in after ``layer``: (cells + 1,).
        mines: the mines of the layout, filled in from ``layer`` on: (cells,).
        layer: where to go on.
    """
    for cell in range(layer, mines.size):
        node = starts[cell] + nodes[cell]
        mines[cell] = edges[node, 0] == NOWHERE
        nodes[cell + 1] = edges[node, int(mines[cell])]


@compile_kernel
def advance_layout(
    edges: Matrix[np.int32],
    starts: Vector[np.int64],
    nodes: Vector[np.int32],
    mines: Vector[np.bool_],
) -> bool:
    """Change the layout to the next one, in place; False if it is the last.

    Args:
        edges: the edges of a trimmed diagram: (nodes, 2).
        starts: the first node of each layer, and the end of the last: (layers + 1,).
        nodes: the node of each layer within it: (cells + 1,).
        mines: the mines of the layout: (cells,).
    """
    for cell in range(mines.size - 1, -1, -1):
        node = starts[cell] + nodes[cell]
        if not mines[cell] and edges[node, 1] != NOWHERE:
            mines[cell] = True
            nodes[cell + 1] = edges[node, 1]
            descend(edges, starts, nodes, mines, cell + 1)
            return True
    return False
