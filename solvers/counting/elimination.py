"""The plan to count a component: which tables are joined, clue by clue, and what that will cost.

Closing a clue joins all that touches it into one table: an entry of a table
says how many mines each clue that is still open has among the cells joined so
far. The order is that of `solvers.counting.closing_order`, or, as lattices want it, the one
in which clues are read.
"""

from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from minecheck.minefield.compiled import (
    Matrix,
    Vector,
    compile_inner,
    compile_kernel,
    inline_kernel,
)
from minecheck.minefield.reduction.constraints import Index
from minecheck.minefield.reduction.propagation import transpose_lists
from minecheck.solvers.counting.closing_order import MOST_PRODUCTS, find_closing_order
from minecheck.solvers.counting.join_tree import CLUE, LEAST, RANGE, SEEN, JoinTree

#: Plans of fewer products are good enough.
_FEW_PRODUCTS: Final = 2.0**14


def plan_joins(
    size: Index, clue_start: Index, clue_boxes: Index, low: Index, high: Index
) -> JoinTree:
    """Plan the joins that close all clues.

    Box b has ``size[b]`` cells; clue k asks for ``low[k]`` to ``high[k]`` mines
    in the boxes ``clue_boxes[clue_start[k]:clue_start[k + 1]]``.

    Where no order is found with at most `MOST_PRODUCTS`, the cost is infinite and the joins end
    where they became too dear.

    Args:
        size: the number of cells of each box: (boxes,).
        clue_start: where the boxes of each clue begin, and the end of the last: (clues + 1,).
        clue_boxes: boxes of the clues, each from 0 to ``boxes - 1``.
        low: the least mines of each clue: (clues,).
        high: the most mines: (clues,).
    """
    component = size, clue_start, clue_boxes, low, high
    plan = JoinTree(*_plan_joins(*component, False, MOST_PRODUCTS))
    if plan.cost <= _FEW_PRODUCTS:
        return plan
    plan_as_read = JoinTree(*_plan_joins(*component, True, min(plan.cost, MOST_PRODUCTS)))
    return plan_as_read if plan_as_read.cost < plan.cost else plan


class _Component(NamedTuple):
    """The boxes and clues of a component.

    Attributes:
        size: the number of cells of each box.
        low: the least mines of each clue.
        high: the most mines of each clue.
        cells: the number of cells of each clue.
        position: the place of each clue in the order in which they are closed.
    """

    size: Vector[np.int32]
    low: Vector[np.int32]
    high: Vector[np.int32]
    cells: Vector[np.int32]
    position: Vector[np.int32]


class _Buckets(NamedTuple):
    """Tables that wait to be joined, each in the bucket of the clue that is closed first.

    A bucket is a linked list: ``head[kind, clue]`` is its first table (kind 0) or box (1),
    ``next[table]`` the one after a table, -1 the end.
    """

    head: Matrix[np.int32]
    next: Vector[np.int32]


@compile_kernel
def _plan_joins(
    size: Vector[np.int32],
    clue_start: Vector[np.int32],
    clue_boxes: Vector[np.int32],
    low: Vector[np.int32],
    high: Vector[np.int32],
    as_read: bool,
    most_products: float,
) -> tuple[Any, ...]:
    """Return the fields of `JoinTree`, by min-fill or by closing clues in the order given.

    The last product is infinite where there are more than ``most_products``. Arguments are as for
    `plan_joins`.
    """
    box_start, box_clues = transpose_lists(clue_start, clue_boxes, size.size)
    cells = np.zeros(low.size, np.int32)
    for clue in range(low.size):
        for index in range(clue_start[clue], clue_start[clue + 1]):
            cells[clue] += size[clue_boxes[index]]
    if as_read:
        position = np.arange(low.size).astype(np.int32)
    else:
        position = find_closing_order(box_start, box_clues, cells, high)
    component = _Component(size, low, high, cells, position)
    return size, low, high, cells, *_build_joins(component, box_start, box_clues, most_products)


@compile_inner
def _build_joins(
    component: _Component,
    box_start: Vector[np.int32],
    box_clues: Vector[np.int32],
    most_products: float,
) -> tuple[Any, ...]:
    """Return the fields of `JoinTree` from ``left`` on.

    There are at most two joins a box, so that with the leaves and the unit 3 * boxes + 1 tables
    suffice. ``dims`` grows where it is full. Numbers of entries and products are doubles, which do
    not overflow.
    """
    boxes = component.size.size
    unit = boxes
    pairs = np.empty((2, 2 * boxes), np.int32)
    entries = np.ones(3 * boxes + 1)
    products = np.empty(2 * boxes)
    dim_start = np.zeros(entries.size + 1, np.int32)
    dims = np.empty((4 * box_clues.size + 64, 4), np.int32)
    left_dim_of = np.full(component.low.size, -1, np.int32)
    _begin_with_boxes(component.size, box_start, box_clues, entries, dim_start, dims)
    buckets = _fill_buckets(component, dim_start, dims)
    joins = 0
    total = 0.0
    for clue in _list_order(component.position):
        if buckets.head[0, clue] < 0 and buckets.head[1, clue] < 0:
            continue
        table = _take_largest_table(buckets, clue, entries)
        table = unit if table < 0 else table
        while buckets.head[0, clue] >= 0 or buckets.head[1, clue] >= 0:
            partner = _take_largest_table(buckets, clue, entries)
            if partner < 0:
                partner = _take_nearest(buckets, clue, table, dim_start, dims)
            left, right = table, partner
            pairs[0, joins], pairs[1, joins] = left, right
            table = unit + 1 + joins
            dims = _make_room_for_join(left, right, dim_start, table, dims)
            entries[table], products[joins] = _combine_dimensions(
                left, right, table, component, dim_start, dims, left_dim_of, entries
            )
            joins += 1
            total += products[joins - 1]
            if total > most_products:
                products[joins - 1] = np.inf
                break
        if total > most_products:
            break
        if table > unit and dim_start[table + 1] > dim_start[table]:
            table_dims = dims[dim_start[table] : dim_start[table + 1]]
            _put_into_bucket(buckets, 0, table, table_dims, component.position)
    table_count = unit + 1 + joins
    return (
        pairs[0, :joins].copy(),
        pairs[1, :joins].copy(),
        dim_start[: table_count + 1].copy(),
        dims[: dim_start[table_count]].copy(),
        entries[:table_count].copy(),
        products[:joins].copy(),
    )


@inline_kernel
def _list_order(position: Vector[np.int32]) -> NDArray[np.int32]:
    """Return the clues in the order in which they are closed."""
    order = np.empty(position.size, np.int32)
    for clue in range(position.size):
        order[position[clue]] = clue
    return order


@inline_kernel
def _fill_buckets(
    component: _Component, dim_start: Vector[np.int32], dims: Matrix[np.int32]
) -> _Buckets:
    """Make buckets for up to 3 * boxes + 1 tables, and put all boxes there."""
    boxes = component.size.size
    head = np.full((2, component.low.size), -1, np.int32)
    buckets = _Buckets(head, np.full(3 * boxes + 1, -1, np.int32))
    for box in range(boxes):
        box_dims = dims[dim_start[box] : dim_start[box + 1]]
        _put_into_bucket(buckets, 1, box, box_dims, component.position)
    return buckets


@inline_kernel
def _begin_with_boxes(
    size: Vector[np.int32],
    box_start: Vector[np.int32],
    box_clues: Vector[np.int32],
    entries: Vector[np.float64],
    dim_start: Vector[np.int32],
    dims: Matrix[np.int32],
) -> None:
    """Fill in the first tables: one for each box, with a dimension for each clue, and the unit."""
    boxes = size.size
    for box in range(boxes):
        entries[box] = size[box] + 1
        end = dim_start[box]
        for clue in box_clues[box_start[box] : box_start[box + 1]]:
            _write_dimension(dims, end, clue, 0, size[box] + 1, size[box])
            end += 1
        dim_start[box + 1] = end
    dim_start[boxes + 1] = dim_start[boxes]


@inline_kernel
def _put_into_bucket(
    buckets: _Buckets, kind: int, table: int, dims: Matrix[np.int32], position: Vector[np.int32]
) -> None:
    """Put a table (kind 0) or box (1) into a bucket; ``dims`` are its dimensions, at least one."""
    clue = dims[0, CLUE]
    for dim in range(1, dims.shape[0]):
        if position[dims[dim, CLUE]] < position[clue]:
            clue = dims[dim, CLUE]
    buckets.next[table] = buckets.head[kind, clue]
    buckets.head[kind, clue] = table


@inline_kernel
def _take_from_bucket(buckets: _Buckets, kind: int, clue: int, previous: int) -> int:
    """Take the table after ``previous`` (-1: the first one) out of a bucket, and return it."""
    if previous < 0:
        table = buckets.head[kind, clue]
        buckets.head[kind, clue] = buckets.next[table]
    else:
        table = buckets.next[previous]
        buckets.next[previous] = buckets.next[table]
    return int(table)


@inline_kernel
def _take_largest_table(buckets: _Buckets, clue: int, entries: Vector[np.float64]) -> int:
    """Take the table of most entries out of a bucket; -1 if it is empty."""
    table = buckets.head[0, clue]
    if table < 0:
        return -1
    before_largest = previous = -1
    most_entries = 0.0
    while table >= 0:
        if entries[table] > most_entries:
            most_entries = entries[table]
            before_largest = previous
        previous = table
        table = buckets.next[table]
    return _take_from_bucket(buckets, 0, clue, before_largest)


@inline_kernel
def _take_nearest(
    buckets: _Buckets,
    clue: int,
    table: int,
    dim_start: Vector[np.int32],
    dims: Matrix[np.int32],
) -> int:
    """Take the box that opens the fewest clues next to ``table`` out of a bucket; there is one."""
    box = buckets.head[1, clue]
    before_nearest = previous = -1
    fewest = dims.shape[0]
    while box >= 0:
        new_clues = 0
        for dim in range(dim_start[box], dim_start[box + 1]):
            new_clues += 1
            for table_dim in range(dim_start[table], dim_start[table + 1]):
                if dims[table_dim, CLUE] == dims[dim, CLUE]:
                    new_clues -= 1
                    break
        if new_clues < fewest:
            fewest = new_clues
            before_nearest = previous
        previous = box
        box = buckets.next[box]
    return _take_from_bucket(buckets, 1, clue, before_nearest)


@inline_kernel
def _make_room_for_join(
    left: int, right: int, dim_start: Vector[np.int32], table: int, dims: Matrix[np.int32]
) -> NDArray[np.int32]:
    """Return ``dims``, or a longer copy, with room for the dimensions of a join's result."""
    begin = dim_start[table]
    end_bound = (
        begin + dim_start[left + 1] - dim_start[left] + dim_start[right + 1] - dim_start[right]
    )
    if end_bound <= dims.shape[0]:
        return dims
    larger = np.empty((2 * end_bound, 4), np.int32)
    larger[:begin] = dims[:begin]
    return larger


@inline_kernel
def _combine_dimensions(
    left: int,
    right: int,
    table: int,
    component: _Component,
    dim_start: Vector[np.int32],
    dims: Matrix[np.int32],
    left_dim_of: Vector[np.int32],
    entries: Vector[np.float64],
) -> tuple[float, float]:
    """Write the dimensions of a join's result behind the others, where there is room for them.

    Returns the entries of the result, and the products of the join at most. ``left_dim_of`` is -1
    everywhere.
    """
    low, high, cells = component.low, component.high, component.cells
    boxes = component.size.size
    # Products of a join of two tables: for each clue, pairs of values that may meet.
    products = 1.0
    for dim in range(dim_start[left], dim_start[left + 1]):
        left_dim_of[dims[dim, CLUE]] = dim
        products *= dims[dim, RANGE]
    if right < boxes:
        products *= entries[right]
    result_entries = 1.0
    end = dim_start[table]
    for dim in range(dim_start[right], dim_start[right + 1]):
        clue = dims[dim, CLUE]
        left_dim = left_dim_of[clue]
        cells_seen = dims[dim, SEEN] + (dims[left_dim, SEEN] if left_dim >= 0 else 0)
        least = max(0, low[clue] - (cells[clue] - cells_seen))
        value_count = max(0, min(high[clue], cells_seen) - least + 1)
        if right >= boxes:
            if left_dim >= 0:
                products *= (
                    _count_pairs(dims[left_dim], dims[dim], least, value_count)
                    / dims[left_dim, RANGE]
                )
            else:
                products *= dims[dim, RANGE]
        if cells_seen < cells[clue]:
            _write_dimension(dims, end, clue, least, value_count, cells_seen)
            result_entries *= value_count
            end += 1
        left_dim_of[clue] = -1
    # What stays as it is comes last, and varies fastest: it is copied in runs.
    for dim in range(dim_start[left], dim_start[left + 1]):
        if left_dim_of[dims[dim, CLUE]] >= 0:
            dims[end] = dims[dim]
            result_entries *= dims[dim, RANGE]
            end += 1
            left_dim_of[dims[dim, CLUE]] = -1
    dim_start[table + 1] = end
    return result_entries, products


@inline_kernel
def _write_dimension(
    dims: Matrix[np.int32], dim: int, clue: int, least: int, value_count: int, cells_seen: int
) -> None:
    """Write one dimension, row ``dim`` of ``dims``."""
    dims[dim, CLUE] = clue
    dims[dim, LEAST] = least
    dims[dim, RANGE] = value_count
    dims[dim, SEEN] = cells_seen


@inline_kernel
def _count_pairs(
    left_dim: Vector[np.int32], right_dim: Vector[np.int32], least: int, value_count: int
) -> int:
    """Count pairs of values whose sum is one of the ``value_count`` numbers from ``least``."""
    count = 0
    for left_mines in range(left_dim[LEAST], left_dim[LEAST] + left_dim[RANGE]):
        lowest = max(right_dim[LEAST], least - left_mines)
        highest = min(right_dim[LEAST] + right_dim[RANGE], least + value_count - left_mines) - 1
        count += max(0, highest - lowest + 1)
    return count
