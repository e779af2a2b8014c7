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
    edges = np.empty((3, int(room)), np.int32)
    count, _ = join_edges(tree, join, 0, np.empty(0, np.bool_), edges)
    return edges[0, :count], edges[1, :count], edges[2, :count]


@inline_kernel
def make_scratch(tree: JoinTree) -> NDArray[np.int64]:
    """Return a buffer for what `write_edges` works out of any join: int64, (_SCRATCH, deepest)."""
    deepest = 1
    for table in range(tree.dim_start.size - 1):
        deepest = max(deepest, tree.dim_start[table + 1] - tree.dim_start[table])
    return np.empty((_SCRATCH, deepest), np.int64)


@compile_kernel
def join_edges(
    tree: JoinTree, join: int, entry: int, live: Vector[np.bool_], edges: Matrix[np.int32]
) -> tuple[int, int]:
    """Write the edges of a join, like `write_edges`, with a buffer of its own.

    Args:
        tree: the joins.
        join: the number of the join.
        entry: the entry of the left table to begin with.
        live: which entries of left have edges; empty if all have.
        edges: where edges are written: (3, room).

    Returns:
        The number of edges and the next entry.
    """
    return write_edges(tree, join, entry, live, edges, make_scratch(tree))


@compile_without_references
def write_edges(
    tree: JoinTree,
    join: int,
    entry: int,
    live: Vector[np.bool_],
    edges: Matrix[np.int32],
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
        edges: (3, room): its rows are the entries of left, right and result.
        scratch: a buffer from `make_scratch`; views of its rows are written to.

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
    left_mines = scratch[5]
    entries = int(tree.entries[left])
    entry = _find_next_live(live, entry, entries)
    if entry == entries:
        return 0, entries
    if right < boxes:
        return _write_box_edges(ours, theirs, joint, entry, entries, live, left_mines, edges)
    return _write_table_edges(
        ours, theirs, joint, entry, entries, live, left_mines, edges, scratch[6:]
    )


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
    result_dims: Matrix[np.int32],
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
        for left_dim in range(ours.shape[0]):
            if ours[left_dim, CLUE] == theirs[dim, CLUE]:
                partner[dim] = left_dim
    step = 1
    origin = 0
    for result_dim in range(result_dims.shape[0] - 1, -1, -1):
        for dim in range(ours.shape[0]):
            if ours[dim, CLUE] == result_dims[result_dim, CLUE]:
                stride[0, dim] = step
        for dim in range(theirs.shape[0]):
            if theirs[dim, CLUE] == result_dims[result_dim, CLUE]:
                stride[1, dim] = step
                least[dim] = result_dims[result_dim, LEAST]
                most[dim] = result_dims[result_dim, LEAST] + result_dims[result_dim, RANGE] - 1
        origin -= result_dims[result_dim, LEAST] * step
        step *= result_dims[result_dim, RANGE]
    return _Target(stride, partner, least, most, origin)


@inline_kernel
def _find_next_live(live: Vector[np.bool_], entry: int, entries: int) -> int:
    """Return the first entry of left from this one on that has edges, or ``entries``."""
    while entry < entries and live.size > 0 and not live[entry]:
        entry += 1
    return entry


@inline_kernel
def _locate_entry(
    ours: Matrix[np.int32], target: _Target, entry: int, left_mines: Vector[np.int64]
) -> int:
    """Fill in the mines of an entry of left, and return where it leads without a mine in right.

    ``left_mines`` has an entry for each dimension of left.
    """
    target_entry = target.origin
    for dim in range(ours.shape[0] - 1, -1, -1):
        above = entry // ours[dim, RANGE]
        left_mines[dim] = ours[dim, LEAST] + entry - above * ours[dim, RANGE]
        target_entry += left_mines[dim] * target.stride[0, dim]
        entry = above
    return int(target_entry)


@inline_kernel
def _advance_entry(ours: Matrix[np.int32], target: _Target, left_mines: Vector[np.int64]) -> int:
    """Go on to the mines of the next entry of left; return how far that leads in the result."""
    moved = np.int64(0)
    for dim in range(ours.shape[0] - 1, -1, -1):
        left_mines[dim] += 1
        moved += target.stride[0, dim]
        if left_mines[dim] < ours[dim, LEAST] + ours[dim, RANGE]:
            break
        left_mines[dim] -= ours[dim, RANGE]
        moved -= ours[dim, RANGE] * target.stride[0, dim]
    return int(moved)


@inline_kernel
def _advance_entry_edges(
    ours: Matrix[np.int32],
    target: _Target,
    entry: int,
    entries: int,
    target_entry: int,
    live: Vector[np.bool_],
    left_mines: Vector[np.int64],
) -> tuple[int, int]:
    """Move to the next entry of left that has edges, and return it and where it leads.

    Its mines are filled in in ``left_mines``.
    """
    next_entry = _find_next_live(live, entry + 1, entries)
    if next_entry == entry + 1:
        return next_entry, target_entry + _advance_entry(ours, target, left_mines)
    if next_entry < entries:
        target_entry = _locate_entry(ours, target, next_entry, left_mines)
    return next_entry, target_entry


@inline_kernel
def _write_box_edges(
    ours: Matrix[np.int32],
    theirs: Matrix[np.int32],
    target: _Target,
    entry: int,
    entries: int,
    live: Vector[np.bool_],
    left_mines: Vector[np.int64],
    edges: Matrix[np.int32],
) -> tuple[int, int]:
    """Write edges like `write_edges`, for a join with a box.

    An entry has at most as many edges as the box has entries, and none is begun without room for
    them.
    """
    target_entry = _locate_entry(ours, target, entry, left_mines)
    step = 0
    for dim in range(theirs.shape[0]):
        step += target.stride[1, dim]
    count = 0
    while entry < entries and count + theirs[0, RANGE] <= edges.shape[1]:
        fewest = 0
        most_mines = theirs[0, RANGE] - 1
        for dim in range(theirs.shape[0]):
            mines_in_left = left_mines[target.partner[dim]] if target.partner[dim] >= 0 else 0
            fewest = max(fewest, target.least[dim] - mines_in_left)
            most_mines = min(most_mines, target.most[dim] - mines_in_left)
        for mines in range(fewest, most_mines + 1):
            edges[0, count] = entry
            edges[1, count] = mines
            edges[2, count] = target_entry + mines * step
            count += 1
        entry, target_entry = _advance_entry_edges(
            ours, target, entry, entries, target_entry, live, left_mines
        )
    return count, entry


@inline_kernel
def _fill_strides(dims: Matrix[np.int32], stride: Vector[np.int64]) -> int:
    """Fill in how far apart the next values of each dimension are; return the table's entries."""
    entries = np.int64(1)
    for dim in range(dims.shape[0] - 1, -1, -1):
        stride[dim] = entries
        entries *= dims[dim, RANGE]
    return int(entries)


@inline_kernel
def _write_table_edges(
    ours: Matrix[np.int32],
    theirs: Matrix[np.int32],
    target: _Target,
    entry: int,
    entries: int,
    live: Vector[np.bool_],
    left_mines: Vector[np.int64],
    edges: Matrix[np.int32],
    scratch: Matrix[np.int64],
) -> tuple[int, int]:
    """Write edges like `write_edges`, for a join of two tables.

    An entry has at most as many edges as the right table has entries, and none is begun without
    room for them.
    """
    target_entry = _locate_entry(ours, target, entry, left_mines)
    depth = theirs.shape[0]
    stride, first_value, last_value, right_mines = scratch[0], scratch[1], scratch[2], scratch[3]
    right_entries = _fill_strides(theirs, stride)
    count = 0
    while entry < entries and count + right_entries <= edges.shape[1]:
        # The entries of the right table that may meet this one are a box of their own.
        can_meet = True
        right_entry = 0
        result_entry = target_entry
        for dim in range(depth):
            mines_in_left = left_mines[target.partner[dim]] if target.partner[dim] >= 0 else 0
            first_value[dim] = max(theirs[dim, LEAST], target.least[dim] - mines_in_left)
            last_value[dim] = min(
                theirs[dim, LEAST] + theirs[dim, RANGE] - 1, target.most[dim] - mines_in_left
            )
            can_meet &= first_value[dim] <= last_value[dim]
            right_mines[dim] = first_value[dim]
            right_entry += (first_value[dim] - theirs[dim, LEAST]) * stride[dim]
            result_entry += first_value[dim] * target.stride[1, dim]
        while can_meet:
            edges[0, count] = entry
            edges[1, count] = right_entry
            edges[2, count] = result_entry
            count += 1
            dim = depth - 1
            while dim >= 0:
                right_mines[dim] += 1
                right_entry += stride[dim]
                result_entry += target.stride[1, dim]
                if right_mines[dim] <= last_value[dim]:
                    break
                span = right_mines[dim] - first_value[dim]
                right_mines[dim] = first_value[dim]
                right_entry -= span * stride[dim]
                result_entry -= span * target.stride[1, dim]
                dim -= 1
            can_meet = dim >= 0
        entry, target_entry = _advance_entry_edges(
            ours, target, entry, entries, target_entry, live, left_mines
        )
    return count, entry
