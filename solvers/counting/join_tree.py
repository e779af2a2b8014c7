"""The joins that count a component: which tables there are, and which entries each join sums.

A table has an entry for each way in which the clues that are still open may have mines among the
cells joined so far. The edges of a join say which two entries go into which entry of the result;
they are never kept for all joins, but written out a few at a time.

Tested in tests/solvers/counting/test_elimination.py.
"""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from minecheck.minefield.compiled import (
    Matrix,
    Vector,
    compile_kernel,
    compile_without_references,
    inline_kernel,
)
from minecheck.minefield.reduction.constraints import Index

#: Columns of `JoinTree.dims`: the clue, fewest and number of its mines, and its cells so far.
CLUE: Final = 0
LEAST: Final = 1
RANGE: Final = 2
SEEN: Final = 3
# Rows that `write_edges` needs to work out what it needs of a join.
_SCRATCH: Final = 10


class JoinTree(NamedTuple):
    """A forest of joins over the boxes of some components.

    Table t < boxes is box t, with one entry for each number of mines in it;
    table ``boxes`` is the unit, one entry for nothing; table ``boxes + 1 + j``
    is the result of join j, of the tables ``left[j]`` and ``right[j]``. Every
    table but the unit goes into one join at most; ``left`` is never a box. The
    tables that go into none are the roots, one a component, with one entry
    each.

    Table t has the dimensions ``dims[dim_start[t]:dim_start[t + 1]]`` (int32,
    (…, 4): clue, least and number of values, cells seen), the last one varies
    fastest; those of a box give its clues and its size, and all have the same
    value. ``entries`` is the size of each table and ``products`` of each join
    how many products of entries it sums, at most (float64: they may be huge).
    """

    size: Vector[np.int32]
    low: Vector[np.int32]
    high: Vector[np.int32]
    cells: Vector[np.int32]
    left: Vector[np.int32]
    right: Vector[np.int32]
    dim_start: Vector[np.int32]
    dims: Matrix[np.int32]
    entries: Vector[np.float64]
    products: Vector[np.float64]

    @property
    def boxes(self) -> int:
        """Number of boxes."""
        return self.size.size

    @property
    def cost(self) -> float:
        """Products of entries that all joins sum, at most."""
        return float(self.products.sum())

    @property
    def width(self) -> float:
        """Binary logarithm of the size of the largest table."""
        return float(np.log2(self.entries.max()))


def list_edges(tree: JoinTree, join: int) -> tuple[Index, Index, Index]:
    """List the edges of a join: entries of left, right and result, three arrays of one length.

    The result's entry is the sum, over the edges that lead to it, of the
    products of the two others. Sorted by the entry of the left table.

    Args:
        tree: the joins.
        join: the number of the join.
    """
    room = tree.products[join] + tree.entries[tree.right[join]]
    found = np.empty((3, int(room)), np.int32)
    count, _ = join_edges(tree, join, 0, np.empty(0, np.bool_), found)
    return found[0, :count], found[1, :count], found[2, :count]


@inline_kernel
def scratch_of(tree: JoinTree) -> NDArray[np.int64]:
    """Return a buffer for what `write_edges` works out of any join: int64, (_SCRATCH, deepest)."""
    deepest = 1
    for table in range(tree.dim_start.size - 1):
        deepest = max(deepest, tree.dim_start[table + 1] - tree.dim_start[table])
    return np.empty((_SCRATCH, deepest), np.int64)


@compile_kernel
def join_edges(
    tree: JoinTree, join: int, entry: int, live: Vector[np.bool_], found: Matrix[np.int32]
) -> tuple[int, int]:
    """Write the edges of a join, like `write_edges`, with a buffer of its own.

    Args:
        tree: the joins.
        join: the number of the join.
        entry: the entry of the left table to begin with.
        live: which entries of left have edges; empty if all have.
        found: where edges are written: (3, room).

    Returns:
        The number of edges and the next entry.
    """
    return write_edges(tree, join, entry, live, found, scratch_of(tree))


@compile_without_references
def write_edges(
    tree: JoinTree,
    join: int,
    entry: int,
    live: Vector[np.bool_],
    found: Matrix[np.int32],
    scratch: Matrix[np.int64],
) -> tuple[int, int]:
    """Write the edges of a join from an entry of the left table on, as many as fit.

    The edges of one entry are always written together; room for as many as the right table has
    entries is enough to go on.

    Args:
        tree: the joins.
        join: the number of the join.
        entry: the entry of the left table to begin with.
        live: which entries of left have edges; empty if all have.
        found: (3, room): its rows are the entries of left, right and result.
        scratch: a buffer from `scratch_of`; views of its rows are written to.

    Returns:
        The number of edges and the next entry.
    """
    boxes = tree.size.size
    left, right = tree.left[join], tree.right[join]
    result = boxes + 1 + join
    starts, dims = tree.dim_start, tree.dims
    ours = dims[starts[left] : starts[left + 1]]
    theirs = dims[starts[right] : starts[right + 1]]
    joint = _find_target(tree, ours, theirs, dims[starts[result] : starts[result + 1]], scratch)
    # The mines of left at each clue.
    values = scratch[5]
    entries = int(tree.entries[left])
    entry = _next_live(live, entry, entries)
    if entry == entries:
        return 0, entries
    if right < boxes:
        return _box_edges(ours, theirs, joint, entry, entries, live, values, found)
    return _table_edges(ours, theirs, joint, entry, entries, live, values, found, scratch[6:])


class _Target(NamedTuple):
    """The destination of the sums of a join.

    For each dimension of left (row 0) and right (row 1) ``stride``: how far one
    mine moves the entry of the result; ``partner``: for each of right, the same
    clue's dimension in left or -1; ``least`` and ``most`` mines that the result
    allows for each clue of right. ``origin``: the entry for no mines at all.
    """

    stride: Matrix[np.int64]
    partner: Vector[np.int64]
    least: Vector[np.int64]
    most: Vector[np.int64]
    origin: int


@inline_kernel
def _find_target(
    tree: JoinTree,
    ours: Matrix[np.int32],
    theirs: Matrix[np.int32],
    result: Matrix[np.int32],
    scratch: Matrix[np.int64],
) -> _Target:
    """Return how entries of both tables lead to those of the result.

    The arrays of the target are views of the first five rows of ``scratch``. Entries are numbered
    so that the last dimension varies fastest.
    """
    stride, partner, least, most = scratch[:2], scratch[2], scratch[3], scratch[4]
    stride[:] = 0
    partner[:] = -1
    for dim in range(theirs.shape[0]):
        # Clues that the result does not have are closed here.
        least[dim] = tree.low[theirs[dim, CLUE]]
        most[dim] = tree.high[theirs[dim, CLUE]]
        for other in range(ours.shape[0]):
            if ours[other, CLUE] == theirs[dim, CLUE]:
                partner[dim] = other
    step = 1
    origin = 0
    for where in range(result.shape[0] - 1, -1, -1):
        for dim in range(ours.shape[0]):
            if ours[dim, CLUE] == result[where, CLUE]:
                stride[0, dim] = step
        for dim in range(theirs.shape[0]):
            if theirs[dim, CLUE] == result[where, CLUE]:
                stride[1, dim] = step
                least[dim] = result[where, LEAST]
                most[dim] = result[where, LEAST] + result[where, RANGE] - 1
        origin -= result[where, LEAST] * step
        step *= result[where, RANGE]
    return _Target(stride, partner, least, most, origin)


@inline_kernel
def _next_live(live: Vector[np.bool_], entry: int, entries: int) -> int:
    """Return the first entry of left from this one on that has edges, or ``entries``."""
    while entry < entries and live.size > 0 and not live[entry]:
        entry += 1
    return entry


@inline_kernel
def _go_to(ours: Matrix[np.int32], target: _Target, entry: int, values: Vector[np.int64]) -> int:
    """Fill in the mines of an entry of left, and return where it leads without a mine in right.

    ``values`` has an entry for each dimension of left.
    """
    here = target.origin
    for dim in range(ours.shape[0] - 1, -1, -1):
        above = entry // ours[dim, RANGE]
        values[dim] = ours[dim, LEAST] + entry - above * ours[dim, RANGE]
        here += values[dim] * target.stride[0, dim]
        entry = above
    return int(here)


@inline_kernel
def _advance_entry(ours: Matrix[np.int32], target: _Target, values: Vector[np.int64]) -> int:
    """Go on to the mines of the next entry of left; return how far that leads in the result."""
    moved = np.int64(0)
    for dim in range(ours.shape[0] - 1, -1, -1):
        values[dim] += 1
        moved += target.stride[0, dim]
        if values[dim] < ours[dim, LEAST] + ours[dim, RANGE]:
            break
        values[dim] -= ours[dim, RANGE]
        moved -= ours[dim, RANGE] * target.stride[0, dim]
    return int(moved)


@inline_kernel
def _go_on(
    ours: Matrix[np.int32],
    target: _Target,
    entry: int,
    entries: int,
    here: int,
    live: Vector[np.bool_],
    values: Vector[np.int64],
) -> tuple[int, int]:
    """Move to the next entry of left that has edges, and return it and where it leads.

    Its mines are filled in in ``values``.
    """
    after = _next_live(live, entry + 1, entries)
    if after == entry + 1:
        return after, here + _advance_entry(ours, target, values)
    if after < entries:
        here = _go_to(ours, target, after, values)
    return after, here


@inline_kernel
def _box_edges(
    ours: Matrix[np.int32],
    theirs: Matrix[np.int32],
    target: _Target,
    entry: int,
    entries: int,
    live: Vector[np.bool_],
    values: Vector[np.int64],
    found: Matrix[np.int32],
) -> tuple[int, int]:
    """Write edges like `write_edges`, for a join with a box.

    An entry has at most as many edges as the box has entries, and none is begun without room for
    them.
    """
    here = _go_to(ours, target, entry, values)
    step = 0
    for dim in range(theirs.shape[0]):
        step += target.stride[1, dim]
    count = 0
    while entry < entries and count + theirs[0, RANGE] <= found.shape[1]:
        fewest = 0
        most = theirs[0, RANGE] - 1
        for dim in range(theirs.shape[0]):
            value = values[target.partner[dim]] if target.partner[dim] >= 0 else 0
            fewest = max(fewest, target.least[dim] - value)
            most = min(most, target.most[dim] - value)
        for mines in range(fewest, most + 1):
            found[0, count] = entry
            found[1, count] = mines
            found[2, count] = here + mines * step
            count += 1
        entry, here = _go_on(ours, target, entry, entries, here, live, values)
    return count, entry


@inline_kernel
def _table_edges(
    ours: Matrix[np.int32],
    theirs: Matrix[np.int32],
    target: _Target,
    entry: int,
    entries: int,
    live: Vector[np.bool_],
    values: Vector[np.int64],
    found: Matrix[np.int32],
    scratch: Matrix[np.int64],
) -> tuple[int, int]:
    """Write edges like `write_edges`, for a join of two tables.

    An entry has at most as many edges as the right table has entries, and none is begun without
    room for them.
    """
    here = _go_to(ours, target, entry, values)
    depth = theirs.shape[0]
    stride, first, last, other = scratch[0], scratch[1], scratch[2], scratch[3]
    most = np.int64(1)
    for dim in range(depth - 1, -1, -1):
        stride[dim] = most
        most *= theirs[dim, RANGE]
    count = 0
    while entry < entries and count + most <= found.shape[1]:
        # The entries of the right table that may meet this one are a box of their own.
        fits = True
        there = 0
        goal = here
        for dim in range(depth):
            value = values[target.partner[dim]] if target.partner[dim] >= 0 else 0
            first[dim] = max(theirs[dim, LEAST], target.least[dim] - value)
            last[dim] = min(theirs[dim, LEAST] + theirs[dim, RANGE] - 1, target.most[dim] - value)
            fits &= first[dim] <= last[dim]
            other[dim] = first[dim]
            there += (first[dim] - theirs[dim, LEAST]) * stride[dim]
            goal += first[dim] * target.stride[1, dim]
        while fits:
            found[0, count] = entry
            found[1, count] = there
            found[2, count] = goal
            count += 1
            dim = depth - 1
            while dim >= 0:
                other[dim] += 1
                there += stride[dim]
                goal += target.stride[1, dim]
                if other[dim] <= last[dim]:
                    break
                back = other[dim] - first[dim]
                other[dim] = first[dim]
                there -= back * stride[dim]
                goal -= back * target.stride[1, dim]
                dim -= 1
            fits = dim >= 0
        entry, here = _go_on(ours, target, entry, entries, here, live, values)
    return count, entry
