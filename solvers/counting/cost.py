"""What passes over the tables of a component are expected to cost, known from its plan."""

import math
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from minefield.compiled import compiled, inlined
from solvers.counting.join_tree import CLUE, SEEN, JoinTree

#: A number for each table: the limbs of its values, their bits, or its cells.
Limbs: TypeAlias = NDArray[np.float64]

# What an edge costs beside the limbs it multiplies, in units of `solvers.budget.Budget`, and what a
# join costs beside its edges.
_EDGE: Final = 3
_JOIN: Final = 500
#: What a box costs to be planned and joined.
BOX: Final = 2000
#: What a product of rounded numbers costs.
ROUNDED: Final = 20


def work_inside(plan: JoinTree, limbs: Limbs) -> float:
    """Units of `solvers.budget.Budget` that a pass up takes on values of so many limbs."""
    left, right = plan.left, plan.right
    return float(_JOIN * left.size + plan.products @ (_EDGE + limbs[left] * limbs[right]))


def work_outside(plan: JoinTree, inside: Limbs, root: float) -> float:
    """Units of `solvers.budget.Budget` that a pass down takes from a root of so many limbs."""
    limbs = inside[plan.left] + inside[plan.right]
    return float(2 * _JOIN * plan.left.size + plan.products @ (2 * _EDGE + root * limbs))


@compiled
def expected_bits(plan: JoinTree) -> tuple[Limbs, Limbs]:
    """For each table the bits that its counts are expected to have, and its cells.

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
        for place in range(dims.shape[0]):
            still_open[dims[place, CLUE]] = table
        if table > boxes:
            join = table - boxes - 1
            left, right = plan.left[join], plan.right[join]
            cells[table] = cells[left] + cells[right]
            freedom[table] = freedom[left] + freedom[right]
            for part in (right, left):
                for place in range(plan.dim_start[part], plan.dim_start[part + 1]):
                    clue = plan.dims[place, CLUE]
                    if still_open[clue] != table:
                        still_open[clue] = table
                        freedom[table] -= _lost(plan, clue)
        bits[table] = freedom[table]
        # All dimensions of a box are its size.
        for place in range(1 if table < boxes else dims.shape[0]):
            bits[table] -= 0.5 * np.log2(1 + 1.57 * dims[place, SEEN])
        bits[table] = max(0.0, bits[table])
    return bits, cells


@inlined
def _lost(plan: JoinTree, clue: int) -> float:
    """Bits by which a clue alone cuts down the layouts of its cells."""
    cells = plan.cells[clue]
    ways = 1.0
    kept = 0.0
    most = plan.high[clue]
    # Relative to the ways to lay the most mines it allows, so that nothing overflows.
    for mines in range(most, max(0, plan.low[clue]) - 1, -1):
        kept += ways
        ways = ways * mines / (cells - mines + 1)
    largest = math.lgamma(cells + 1.0) - math.lgamma(most + 1.0) - math.lgamma(cells - most + 1.0)
    return float(cells - largest / math.log(2.0) - np.log2(kept))
