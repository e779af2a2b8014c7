"""The expected cost of passes over the tables of a component, computed from its plan.

Tested in tests/solvers/counting/test_component.py.
"""

import math
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from minecheck.minefield.compiled import compile_kernel, inline_kernel
from minecheck.solvers.counting.join_tree import CLUE, SEEN, JoinTree

#: A number for each table: the limbs of its values, their bits, or its cells.
Limbs: TypeAlias = NDArray[np.float64]

# The cost of an edge besides the limbs it multiplies, and of a join besides its edges, in units of
# `solvers.budget.Budget`.
_EDGE: Final = 3
_JOIN: Final = 500
#: The cost of planning and joining a box.
BOX: Final = 2000
#: The cost of a product of rounded numbers.
ROUNDED: Final = 20


def estimate_inside_work(plan: JoinTree, limbs: Limbs) -> float:
    """Return the cost of a pass up, in units of `solvers.budget.Budget`.

    Args:
        plan: the joins.
        limbs: the limbs of each table: (tables,).
    """
    left, right = plan.left, plan.right
    return float(_JOIN * left.size + plan.products @ (_EDGE + limbs[left] * limbs[right]))


def estimate_outside_work(plan: JoinTree, inside: Limbs, root: float) -> float:
    """Return the cost of a pass down, in units of `solvers.budget.Budget`.

    Args:
        plan: the joins.
        inside: the limbs inside each table: (tables,).
        root: the limbs outside the root.
    """
    limbs = inside[plan.left] + inside[plan.right]
    return float(2 * _JOIN * plan.left.size + plan.products @ (2 * _EDGE + root * limbs))


@compile_kernel
def estimate_bits(plan: JoinTree) -> tuple[Limbs, Limbs]:
    """Return for each table the bits that its counts are expected to have, and its cells.

    As if clues were independent: a closed one leaves the share of layouts that
    it would leave alone, an open one the share of its likeliest number of mines.
    """
    boxes = plan.size.size
    cells = np.ones(plan.entries.size)
    cells[:boxes] = plan.size
    cells[boxes] = 0
    freedom = cells.copy()
    bits = np.zeros(plan.entries.size)
    still_open = np.full(plan.low.size, -1, np.int32)
    for table in range(plan.entries.size):
        dims = plan.dims[plan.dim_start[table] : plan.dim_start[table + 1]]
        for dim in range(dims.shape[0]):
            still_open[dims[dim, CLUE]] = table
        if table > boxes:
            join = table - boxes - 1
            left, right = plan.left[join], plan.right[join]
            cells[table] = cells[left] + cells[right]
            freedom[table] = freedom[left] + freedom[right]
            for child in (right, left):
                for dim in range(plan.dim_start[child], plan.dim_start[child + 1]):
                    clue = plan.dims[dim, CLUE]
                    if still_open[clue] != table:
                        still_open[clue] = table
                        freedom[table] -= _count_lost_bits(plan, clue)
        bits[table] = freedom[table]
        # All dimensions of a box are its size.
        for dim in range(1 if table < boxes else dims.shape[0]):
            bits[table] -= 0.5 * np.log2(1 + 1.57 * dims[dim, SEEN])
        bits[table] = max(0.0, bits[table])
    return bits, cells


@inline_kernel
def _count_lost_bits(plan: JoinTree, clue: int) -> float:
    """Return the bits by which a clue alone cuts down the layouts of its cells."""
    cells = plan.cells[clue]
    relative_ways = 1.0
    kept_ways = 0.0
    most_mines = plan.high[clue]
    # Relative to the ways to lay the most mines it allows, so that nothing overflows.
    for mines in range(most_mines, max(0, plan.low[clue]) - 1, -1):
        kept_ways += relative_ways
        relative_ways = relative_ways * mines / (cells - mines + 1)
    largest = (
        math.lgamma(cells + 1.0)
        - math.lgamma(most_mines + 1.0)
        - math.lgamma(cells - most_mines + 1.0)
    )
    return float(cells - largest / math.log(2.0) - np.log2(kept_ways))
