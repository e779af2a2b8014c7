"""Values of all tables of a tree of joins: inside, from the leaves up, and outside, from the root.

The value inside an entry of a table sums, over all layouts of the table's cells
with these mines at each open clue, the products of the leaves' values. The
value outside is the same for all other cells: the derivative of the root.
Inside times outside, added up over a table, is the root: these are the passes
of arithmetic circuits (Darwiche 2003). Values are natural numbers
(`solvers.counting.naturals`), or sets of numbers as bits; there, adding unites sets and
multiplying adds their members. Where layouts are distinguished by their mines, an entry has a row
for each number of mines (`solvers.counting.mine_rows`); else it is a row.

Tested in tests/solvers/counting/test_component.py.
"""

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np

from minecheck.minefield.bits import ZERO, find_highest_bit, find_lowest_bit
from minecheck.minefield.compiled import (
    Matrix,
    Vector,
    compile_kernel,
    compile_without_references,
    inline_kernel,
)
from minecheck.solvers.counting.join_tree import JoinTree
from minecheck.solvers.counting.mine_rows import (
    ENTRIES,
    ENTRY,
    JOIN,
    EdgeRoom,
    Rows,
    find_live_entries,
    make_edge_room,
    write_row_edges,
)
from minecheck.solvers.counting.naturals import (
    Naturals,
    add_products,
    close_up,
    sum_width,
    to_naturals,
)
from minecheck.solvers.counting.set_products import add_differences, add_sums
from minecheck.solvers.counting.table_values import (
    LIMITS,
    TableLimits,
    TableValues,
    close_gaps,
    count_missing_limbs,
    drop_table,
    finish_table,
    grow_limbs,
    open_table,
    view_rows,
)

#: The operation on the values that an edge joins.
PRODUCTS: Final = 0
SUMS: Final = 1
_DIFFERENCES: Final = 2


def compute_inside(
    plan: JoinTree,
    leaves: TableValues,
    check: Callable[[], None],
    kind: int = PRODUCTS,
    rows: Rows = ENTRIES,
    keep: bool = True,
    *,
    limits: TableLimits,
) -> TableValues:
    """Compute the values inside all tables, or only that inside the root.

    Args:
        plan: the joins.
        leaves: the values of the boxes, from `build_leaves`.
        check: a function called every few hundredths of a second, which may raise.
        kind: `PRODUCTS`, `SUMS` or another operation of this module.
        rows: the rows of all tables if mines are distinguished.
        keep: whether all tables are kept, not just the root.
        limits: how much may be kept, and how often ``check`` is called.

    Raises:
        TooWide: more limbs than allowed would have to be kept.
    """
    tables = grow_limbs(leaves, min(int(leaves.rows.sum()), 2**24), limits.most_limbs)
    room = count_edge_room(plan, rows, limits.chunk_edges)
    while tables.cursor[JOIN] < plan.left.size:
        check()
        missing = _continue_inside(plan, rows, tables, kind, keep, room, limits.slice_work)
        if missing:
            tables = grow_limbs(tables, missing, limits.most_limbs)
    return tables


def compute_outside(
    plan: JoinTree,
    inside: TableValues,
    root: Sequence[int],
    check: Callable[[], None],
    kind: int = PRODUCTS,
    rows: Rows = ENTRIES,
    *,
    limits: TableLimits,
) -> TableValues:
    """Compute the values outside all boxes, when those outside the rows of the root are given.

    For `SUMS` the value outside an entry is a set: which of its members complete one of ``root``.

    Args:
        plan: the joins.
        inside: the values inside all tables, from `compute_inside`.
        root: the values outside the rows of the root.
        check: a function called every few hundredths of a second, which may raise.
        kind: as for `compute_inside`.
        rows: the rows of all tables if mines are distinguished.
        limits: as for `compute_inside`.

    Raises:
        TooWide: more limbs than allowed would have to be kept.
    """
    last_join = plan.left.size - 1
    start, width = np.zeros_like(inside.start), np.zeros_like(inside.width)
    root_values = to_naturals(root)
    width[-1] = root_values.shape[1]
    cursor = np.array([last_join, 0, 0, root_values.size, 0])
    tables = TableValues(inside.rows, root_values.reshape(-1), start, width, cursor)
    tables = grow_limbs(tables, min(int(inside.rows.sum()), 2**16), limits.most_limbs)
    room = count_edge_room(plan, rows, limits.chunk_edges)
    kind = _DIFFERENCES if kind == SUMS else kind
    while tables.cursor[JOIN] >= 0:
        check()
        missing = _continue_outside(plan, rows, inside, tables, kind, room, limits.slice_work)
        if missing:
            tables = grow_limbs(tables, missing, limits.most_limbs)
    return tables


def contract_boxes(plan: JoinTree, weights: TableValues, outside: TableValues) -> Naturals:
    """Sum for each box its weights times the values outside, over its rows.

    Args:
        plan: the joins.
        weights: a table for each box.
        outside: the values outside the boxes.

    Returns:
        One number a box, (boxes, limbs).
    """
    sums = np.zeros((plan.boxes, _bound_contracted_limbs(plan, weights, outside)), np.uint64)
    sums.resize((plan.boxes, _contract_rows(plan, weights, outside, sums)), refcheck=False)
    return sums


def count_edge_room(
    plan: JoinTree, rows: Rows = ENTRIES, chunk_edges: int = LIMITS.chunk_edges
) -> int:
    """Return how many edges to write out at a time.

    Args:
        plan: the joins.
        rows: the rows of all tables if mines are distinguished.
        chunk_edges: how many they are unless one entry alone has more.
    """
    return max(chunk_edges, int(plan.entries[plan.right].max()), int(rows.longest.max(initial=0)))


def build_mine_rows(members: TableValues) -> Rows:
    """Return the rows of each entry from the sets of its possible numbers of mines.

    Args:
        members: for each entry the set of its numbers of mines, as bits.
    """
    first_entry = np.concatenate(([0], np.cumsum(members.rows)))
    start, least = np.zeros(first_entry[-1] + 1, np.int64), np.zeros(first_entry[-1], np.int64)
    longest = np.zeros(members.rows.size, np.int64)
    rows = Rows(first_entry, start, least, longest)
    _fill_rows(members, rows)
    np.cumsum(start, out=start)
    return rows


@compile_kernel
def _fill_rows(members: TableValues, rows: Rows) -> None:
    """Fill in the fewest mines of each entry, the number of its rows, and the most rows of a table.

    A member of a set is a bit: bit m of limb m // 64. The number of rows stands one index after its
    entry in ``rows.start``, for sums to turn it into where rows end.
    """
    for table in range(members.rows.size):
        sets = view_rows(members, table)
        for entry in range(sets.shape[0]):
            entry_number = rows.first[table] + entry
            least, most = 64 * sets.shape[1], -1
            for limb in range(sets.shape[1]):
                if sets[entry, limb] != ZERO:
                    least = min(least, 64 * limb + find_lowest_bit(sets[entry, limb]))
                    most = 64 * limb + find_highest_bit(sets[entry, limb])
            if most >= 0:
                rows.least[entry_number] = least
                rows.start[entry_number + 1] = most - least + 1
                rows.longest[table] = max(rows.longest[table], most - least + 1)


@compile_kernel
def _continue_inside(
    plan: JoinTree,
    rows: Rows,
    tables: TableValues,
    kind: int,
    keep: bool,
    chunk_edges: int,
    work: int,
) -> int:
    """Go on with the values inside until ``work`` is done; return the limbs missing, or 0."""
    room = make_edge_room(plan, rows, chunk_edges)
    missing = _advance_inside(plan, rows, tables, kind, keep, room, work)
    while missing and close_gaps(tables, missing):
        missing = _advance_inside(plan, rows, tables, kind, keep, room, work)
    return missing


@compile_without_references
def _advance_inside(
    plan: JoinTree,
    rows: Rows,
    tables: TableValues,
    kind: int,
    keep: bool,
    room: EdgeRoom,
    work: int,
) -> int:
    """Continue like `_continue_inside`, until gaps would have to be closed.

    ``left_values``, ``right_values`` and ``sums`` are views of ``tables.limbs``, made after the
    table of a join is opened, and no longer used once a table may move.
    """
    cursor = tables.cursor
    boxes = plan.size.size
    edges = room.edges
    while cursor[JOIN] < plan.left.size and work > 0:
        join = cursor[JOIN]
        left, right = plan.left[join], plan.right[join]
        result = boxes + 1 + join
        edge_bound = _bound_edges(plan, rows, join)
        if tables.width[result] == 0:
            width = _bound_limbs(
                view_rows(tables, left), view_rows(tables, right), kind, edge_bound
            )
            missing = count_missing_limbs(tables, tables.rows[result] * width)
            if missing:
                return missing
            open_table(tables, result, width)
        left_values, right_values, sums = (
            view_rows(tables, left),
            view_rows(tables, right),
            view_rows(tables, result),
        )
        live = find_live_entries(plan, rows, join, left_values, room)
        while cursor[ENTRY] < plan.entries[left] and work > 0:
            count = write_row_edges(plan, rows, cursor, live, room)
            left_rows, right_rows, sum_rows = edges[0, :count], edges[1, :count], edges[2, :count]
            _add_products(left_values, right_values, left_rows, right_rows, sum_rows, sums, kind)
            work -= 50 + count * left_values.shape[1] * right_values.shape[1]
        if cursor[ENTRY] == plan.entries[left]:
            finish_table(tables, result, sums)
            if not keep:
                drop_table(tables, left, boxes)
                drop_table(tables, right, boxes)
            cursor[JOIN] += 1
            cursor[ENTRY] = 0
    return 0


@compile_kernel
def _continue_outside(
    plan: JoinTree,
    rows: Rows,
    inside: TableValues,
    tables: TableValues,
    kind: int,
    chunk_edges: int,
    work: int,
) -> int:
    """Go on with the values outside until ``work`` is done; return the limbs missing, or 0."""
    room = make_edge_room(plan, rows, chunk_edges)
    missing = _advance_outside(plan, rows, inside, tables, kind, room, work)
    while missing and close_gaps(tables, missing):
        missing = _advance_outside(plan, rows, inside, tables, kind, room, work)
    return missing


@compile_without_references
def _advance_outside(
    plan: JoinTree,
    rows: Rows,
    inside: TableValues,
    tables: TableValues,
    kind: int,
    room: EdgeRoom,
    work: int,
) -> int:
    """Continue like `_continue_outside`, until gaps would have to be closed.

    ``result_outside``, ``left_outside`` and ``right_outside`` are views of ``tables.limbs``, made
    after the tables of a join are opened; ``left_inside`` and ``right_inside`` are views of
    ``inside.limbs``, which do not change.
    """
    cursor = tables.cursor
    boxes = plan.size.size
    edges = room.edges
    while cursor[JOIN] >= 0 and work > 0:
        join = cursor[JOIN]
        left, right = plan.left[join], plan.right[join]
        result = boxes + 1 + join
        left_inside, right_inside = view_rows(inside, left), view_rows(inside, right)
        live = find_live_entries(plan, rows, join, left_inside, room)
        if tables.width[right] == 0:
            missing = _open_outside(plan, rows, inside, tables, kind, join)
            if missing:
                return missing
        result_outside, left_outside, right_outside = (
            view_rows(tables, result),
            view_rows(tables, left),
            view_rows(tables, right),
        )
        while cursor[ENTRY] < plan.entries[left] and work > 0:
            count = write_row_edges(plan, rows, cursor, live, room)
            left_rows, right_rows, sum_rows = edges[0, :count], edges[1, :count], edges[2, :count]
            _add_products(
                result_outside, left_inside, sum_rows, left_rows, right_rows, right_outside, kind
            )
            work -= 50 + count * result_outside.shape[1] * left_inside.shape[1]
            if left != boxes:
                _add_products(
                    result_outside,
                    right_inside,
                    sum_rows,
                    right_rows,
                    left_rows,
                    left_outside,
                    kind,
                )
                work -= count * result_outside.shape[1] * right_inside.shape[1]
        if cursor[ENTRY] == plan.entries[left]:
            finish_table(tables, right, right_outside)
            tables.width[left] = close_up(left_outside)
            tables.width[result] = 0
            cursor[JOIN] -= 1
            cursor[ENTRY] = 0
    return 0


@inline_kernel
def _open_outside(
    plan: JoinTree, rows: Rows, inside: TableValues, tables: TableValues, kind: int, join: int
) -> int:
    """Open the tables outside left and right of a join; return the limbs missing, or 0."""
    left, right = plan.left[join], plan.right[join]
    result_outside = view_rows(tables, plan.size.size + 1 + join)
    edge_bound = _bound_edges(plan, rows, join)
    left_width = _bound_limbs(result_outside, view_rows(inside, right), kind, edge_bound)
    right_width = _bound_limbs(result_outside, view_rows(inside, left), kind, edge_bound)
    missing = count_missing_limbs(
        tables, tables.rows[left] * left_width + tables.rows[right] * right_width
    )
    if not missing:
        # The right table is finished first, so that limbs it does not need are given back.
        open_table(tables, left, left_width)
        open_table(tables, right, right_width)
    return missing


@inline_kernel
def _bound_edges(plan: JoinTree, rows: Rows, join: int) -> float:
    """Return a bound on the edges that lead to a row of a join."""
    if rows.first.size:
        longest = min(rows.longest[plan.left[join]], rows.longest[plan.right[join]])
        return float(plan.products[join] * longest)
    return float(plan.products[join])


@inline_kernel
def _bound_limbs(
    left_values: Matrix[np.uint64], right_values: Matrix[np.uint64], kind: int, edges: float
) -> int:
    """Return a number of limbs that suffices for what up to ``edges`` edges add to a row."""
    if kind == _DIFFERENCES:
        return int(left_values.shape[1])
    return sum_width(left_values, right_values, int(edges) if kind == PRODUCTS else 1)


@compile_without_references
def _add_products(
    left_values: Matrix[np.uint64],
    right_values: Matrix[np.uint64],
    left_rows: Vector[np.int32],
    right_rows: Vector[np.int32],
    sum_rows: Vector[np.int32],
    sums: Matrix[np.uint64],
    kind: int,
) -> None:
    """Combine two rows of values edge by edge, and add each result to its row of ``sums``."""
    if kind == _DIFFERENCES:
        add_differences(left_values, right_values, left_rows, right_rows, sum_rows, sums)
    elif kind == SUMS:
        add_sums(left_values, right_values, left_rows, right_rows, sum_rows, sums)
    else:
        add_products(left_values, right_values, left_rows, right_rows, sum_rows, sums)


@compile_kernel
def _bound_contracted_limbs(plan: JoinTree, weights: TableValues, outside: TableValues) -> int:
    """Return the limbs that are enough for what `_contract_rows` adds up."""
    limbs = 1
    for box in range(plan.size.size):
        ours, theirs = view_rows(weights, box), view_rows(outside, box)
        width = sum_width(ours, theirs, ours.shape[0])
        limbs = max(limbs, width)
    return limbs


@compile_kernel
def _contract_rows(
    plan: JoinTree, weights: TableValues, outside: TableValues, sums: Matrix[np.uint64]
) -> int:
    """Sum up into ``sums``, trim its rows to the limbs they need, and return their number.

    ``sums`` is (boxes, limbs), with the limbs of `_bound_contracted_limbs`.
    """
    for box in range(plan.size.size):
        ours = view_rows(weights, box)
        rows = np.arange(ours.shape[0]).astype(np.int32)
        target = np.full(rows.size, box, np.int32)
        _add_products(ours, view_rows(outside, box), rows, rows, target, sums, PRODUCTS)
    return close_up(sums)
