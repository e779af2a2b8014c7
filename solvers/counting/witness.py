"""One layout of a component, read off what its tables hold."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from minecheck.minefield.compiled import (
    Matrix,
    Vector,
    compile_kernel,
    compile_without_references,
    inline_kernel,
)
from minecheck.solvers.counting.arithmetic_circuit import count_edge_room
from minecheck.solvers.counting.join_tree import CLUE, RANGE, JoinTree, write_edges
from minecheck.solvers.counting.mine_rows import ENTRIES, Rows, find_live_entries, make_edge_room
from minecheck.solvers.counting.table_values import TableValues, view_rows

#: The value for an arbitrary number of mines.
ANY: Final = -1
_NONE: Final = -2


def find_box_mines(plan: JoinTree, inside: TableValues, mines: int) -> NDArray[np.int32]:
    """Return the mines of each box, (boxes,), in a layout; there is one.

    Args:
        plan: the joins.
        inside: the possible numbers of mines as sets; numbers of layouts will do for `ANY`.
        mines: the mines of the layout, or `ANY`.
    """
    return _find_box_mines(plan, inside, ENTRIES, mines, count_edge_room(plan))


@compile_kernel
def _find_box_mines(
    plan: JoinTree, inside: TableValues, rows: Rows, mines: int, chunk_edges: int
) -> NDArray[np.int32]:
    """Return like `find_box_mines`; ``chunk_edges`` are written at a time.

    Entries of leaves are their mines. ``ours``, ``theirs`` and ``live`` are views.
    """
    boxes = plan.size.size
    entry = np.zeros(plan.entries.size, np.int32)
    mines_of_table = np.full(plan.entries.size, mines)
    room = make_edge_room(plan, rows, chunk_edges)
    edges = room.edges
    for join in range(plan.left.size - 1, -1, -1):
        left, right, result = plan.left[join], plan.right[join], boxes + 1 + join
        ours, theirs = view_rows(inside, left), view_rows(inside, right)
        live = find_live_entries(plan, rows, join, ours, room)
        _keep_alike(plan, join, int(entry[result]), live)
        share = _NONE
        start = 0
        while share == _NONE and start < ours.shape[0]:
            count, start = write_edges(plan, join, start, live, edges, room.scratch)
            for edge in range(count):
                if edges[2, edge] == entry[result]:
                    left_entry, right_entry = edges[0, edge], edges[1, edge]
                    share = _share_mines(
                        ours[left_entry], theirs[right_entry], mines_of_table[result]
                    )
                    if share != _NONE:
                        entry[left], entry[right] = left_entry, right_entry
                        mines_of_table[left] = share
                        mines_of_table[right] = (
                            ANY if share == ANY else mines_of_table[result] - share
                        )
                        break
    return entry[:boxes]


@compile_without_references
def _keep_alike(plan: JoinTree, join: int, entry: int, live: Vector[np.bool_]) -> None:
    """Let entries of left live only if they may lead to this one of the result.

    They have as many mines as that at each clue that the right table does not see: at most clues.
    """
    left, right, result = plan.left[join], plan.right[join], plan.size.size + 1 + join
    starts, dims = plan.dim_start, plan.dims
    theirs = dims[starts[right] : starts[right + 1]]
    step = 1
    for dim in range(starts[left + 1] - 1, starts[left] - 1, -1):
        clue, value_count = dims[dim, CLUE], dims[dim, RANGE]
        result_step = 1
        for result_dim in range(starts[result + 1] - 1, starts[result] - 1, -1):
            if dims[result_dim, CLUE] == clue and not _has_clue(theirs, clue):
                digit = entry // result_step % value_count
                for block in range(0, live.size, step * value_count):
                    live[block : block + digit * step] = False
                    live[block + (digit + 1) * step : block + value_count * step] = False
            result_step *= dims[result_dim, RANGE]
        step *= value_count


@inline_kernel
def _has_clue(dims: Matrix[np.int32], clue: int) -> bool:
    """Return True if one of the dimensions is a clue's."""
    is_present = False
    for dim in range(dims.shape[0]):
        is_present |= dims[dim, CLUE] == clue
    return bool(is_present)


@inline_kernel
def _share_mines(left_set: Vector[np.uint64], right_set: Vector[np.uint64], mines: int) -> int:
    """Return how many of the mines the left entry may hold, while the right one holds the rest.

    `_NONE` if there is no way. Both entries are sets of mines as bits, or anything not 0 for `ANY`.
    """
    if mines == ANY:
        return ANY if left_set.any() and right_set.any() else _NONE
    for share in range(mines + 1):
        if _is_member(left_set, share) and _is_member(right_set, mines - share):
            return share
    return _NONE


@inline_kernel
def _is_member(members: Vector[np.uint64], member: int) -> bool:
    """Return True if a number is in a set: bit m of limb m // 64, above the last limb nothing."""
    limb = member >> 6
    return limb < members.size and bool(members[limb] >> np.uint64(member & 63) & np.uint64(1))
