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
    product_of,
    read_number,
    round_ratio,
    sum_of,
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
    chosen = np.zeros(layers, np.int64)
    count = 1
    while chosen[count - 1] < layers - 1:
        opened = 0
        layer = chosen[count - 1]
        best = layer + 1
        while layer < layers - 1:
            for node in range(starts[layer], starts[layer + 1]):
                if edges[node, 0] != NOWHERE and edges[node, 1] != NOWHERE:
                    opened += 1
                    break
            if opened > bits:
                break
            layer += 1
            width = starts[layer + 1] - starts[layer]
            # Short pieces are only worth their while where the diagram is much narrower.
            if opened <= bits // 2 or width <= starts[best + 1] - starts[best]:
                best = layer
        chosen[count] = layer if layer == layers - 1 else best
        count += 1
    return chosen[:count]


@compile_kernel
def count_paths(
    edges: Matrix[np.int32], starts: Vector[np.int64], first: int, last: int
) -> NDArray[np.uint64]:
    """Count the paths from each node of one layer to each node of another.

    There must be fewer than 2**64, see `find_cuts`.

    Args:
        edges: the edges of the diagram: (nodes, 2).
        starts: the first node of each layer, and the end of the last: (layers + 1,).
        first: the number of the one layer.
        last: the number of the other, which is not before it.
    """
    size = starts[first + 1] - starts[first]
    ways = np.eye(size, dtype=np.uint64)
    for layer in range(first, last):
        begin = starts[layer]
        after = np.zeros((size, starts[layer + 2] - starts[layer + 1]), np.uint64)
        for node in range(begin, starts[layer + 1]):
            for mine in range(2):
                child = edges[node, mine]
                if child != NOWHERE:
                    for source in range(size):
                        after[source, child] += ways[source, node - begin]
        ways = after
    return ways


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
        after = starts[layer + 1]
        for node in range(starts[layer], after):
            if edges[node, 0] != NOWHERE:
                ahead[node] = product_of(read_number(ahead, after + edges[node, 0]), safe)
            if edges[node, 1] != NOWHERE:
                add_number(
                    ahead, node, product_of(read_number(ahead, after + edges[node, 1]), mine)
                )
    whole = read_number(ahead, 0)
    result = np.full(layers - 1, np.nan)
    given = np.zeros((starts[layers], 3))
    given[0, 0] = 1.0
    error = 8.0 * len(edges) * LOSS
    for layer in range(layers - 1):
        after = starts[layer + 1]
        held = (0.0, 0.0, 0.0)
        uncertain = False
        for node in range(starts[layer], after):
            if edges[node, 0] != NOWHERE:
                uncertain = True
                add_number(
                    given, after + edges[node, 0], product_of(read_number(given, node), safe)
                )
            if edges[node, 1] != NOWHERE:
                mined = product_of(read_number(given, node), mine)
                add_number(given, after + edges[node, 1], mined)
                held = sum_of(held, product_of(mined, read_number(ahead, after + edges[node, 1])))
        if uncertain and held[0] > 0:
            result[layer] = round_ratio(held, whole, error)
    return result


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
def next_layout(
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
