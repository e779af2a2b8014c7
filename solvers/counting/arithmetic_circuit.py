"""Values of all tables of a tree of joins: inside, from the leaves up, and outside, from the root.

The value inside an entry of a table sums, over all layouts of the table's cells
with these mines at each open clue, the products of the leaves' values. The
value outside is the same for all other cells: the derivative of the root.
Inside times outside, added up over a table, is the root: these are the passes
of arithmetic circuits (Darwiche 2003). Values are natural numbers
(`solvers.counting.naturals`), or sets of numbers as bits; there, adding unites sets and
multiplying adds their members. Where layouts are told apart by their mines, an entry has a row for
each number of mines (`solvers.counting.mine_rows`); else it is a row.

Tested in tests/solvers/counting/test_component.py.
"""

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from minecheck.minefield.bits import ONE, ZERO, find_highest_bit, find_lowest_bit
from minecheck.minefield.compiled import (
    Matrix,
    Vector,
    compile_kernel,
    compile_without_references,
    inline_kernel,
)
from minecheck.solvers.budget import TooWide
from minecheck.solvers.counting.join_tree import JoinTree
from minecheck.solvers.counting.mine_rows import (
    ENTRIES,
    ENTRY,
    JOIN,
    EdgeRoom,
    Rows,
    edge_room,
    live_entries,
    row_edges,
)
from minecheck.solvers.counting.naturals import (
    Naturals,
    add_products,
    close_up,
    sum_width,
    to_integers,
    to_naturals,
)

#: The operation on the values that an edge joins.
PRODUCTS: Final = 0
SUMS: Final = 1
_DIFFERENCES: Final = 2

#: No more limbs than this (1 GB) are kept.
MOST_LIMBS: Final = 2**27
#: Work between two looks at the clock: limbs multiplied, some hundredths of a second.
_SLICE: Final = 20_000_000
#: Edges that are written out at a time, unless one entry alone has more.
_CHUNK: Final = 1 << 13

# The state of a pass: the limbs in use, and the number of those that never move.
_TOP: Final = 3
_FIXED: Final = 4


class TableValues(NamedTuple):
    """Values of tables: table t has ``rows[t]`` of ``width[t]`` limbs, from ``limbs[start[t]]`` on.

    A width of 0 says that the values are not there, yet or any more. Boxes of one kind share their
    values. ``place`` (int64, (5,)) tells what is under way: at `JOIN`, `ENTRY` and `ROW` of
    `solvers.counting.mine_rows` how far the joins are; at `_TOP` how many limbs are in use, at
    `_FIXED` how many of those are leaves, which never move.

    `rows_of` gives views of ``limbs``. They hold until gaps are closed (`_closed_gaps` moves all
    tables beyond the leaves) or the limbs are replaced by more (`_with_room`). Both happen only
    between two calls of `_go_up` or `_go_down`, which return for it before they open a table, and
    make their views anew: no view outlives a table's move.
    """

    rows: Vector[np.int64]
    limbs: Vector[np.uint64]
    start: Vector[np.int64]
    width: Vector[np.int64]
    place: Vector[np.int64]

    def list_values(self, table: int) -> list[int]:
        """Return the values of all rows of a table."""
        return to_integers(self.read_table(table))

    def read_table(self, table: int) -> Naturals:
        """Return the values of a table, (rows, limbs), as a view of ``limbs``."""
        first, width = int(self.start[table]), int(self.width[table])
        rows = int(self.rows[table])
        return self.limbs[first : first + rows * width].reshape(rows, width)


def build_leaves(
    plan: JoinTree,
    kinds: Vector[np.int32],
    values: Callable[[int], Sequence[int]],
    rows: Rows = ENTRIES,
) -> TableValues:
    """Build the tables of a plan with the values of the kind of each box, and 1 for the unit.

    The other tables are not there, but have these ``rows``.

    Args:
        plan: the joins.
        kinds: the kind of each box, natural numbers: (boxes,).
        values: a function that returns, for a kind, one value for each row of a box of that kind,
            at least one.
        rows: the rows of all tables if mines are distinguished.
    """
    boxes = plan.boxes
    different = set(kinds.tolist())
    # By kind: where its values start, and their limbs.
    where = np.zeros((2, max(different) + 1), np.int64)
    flat = [np.ones(1, np.uint64)]
    top = 1
    for kind in different:
        table = to_naturals(values(kind))
        where[:, kind] = top, table.shape[1]
        top += table.size
        flat.append(table.reshape(-1))
    start, width = np.zeros((2, plan.entries.size), np.int64)
    start[:boxes], width[:boxes] = where[:, kinds]
    width[boxes] = 1
    place = np.array([0, 0, 0, top, top])
    return TableValues(row_counts(plan, rows), np.concatenate(flat), start, width, place)


def row_counts(plan: JoinTree, rows: Rows) -> NDArray[np.int64]:
    """Return the number of rows of each table: int64, (tables,).

    Args:
        plan: the joins.
        rows: the rows of all tables if mines are distinguished; else every entry is a row.
    """
    if rows.first.size:
        return np.diff(rows.start[rows.first])
    return plan.entries.astype(np.int64)


def compute_inside(
    plan: JoinTree,
    leaves: TableValues,
    check: Callable[[], None],
    kind: int = PRODUCTS,
    rows: Rows = ENTRIES,
    keep: bool = True,
) -> TableValues:
    """Compute the values inside all tables, or only that inside the root.

    Args:
        plan: the joins.
        leaves: the values of the boxes, from `build_leaves`.
        check: a function called every few hundredths of a second, which may raise.
        kind: `PRODUCTS`, `SUMS` or another operation of this module.
        rows: the rows of all tables if mines are distinguished.
        keep: whether all tables are kept, not just the root.

    Raises:
        TooWide: more than `MOST_LIMBS` would have to be kept.
    """
    tables = _with_room(leaves, min(int(leaves.rows.sum()), 2**24))
    room = room_of(plan, rows)
    while tables.place[JOIN] < plan.left.size:
        check()
        missing = _continue_inside(plan, rows, tables, kind, keep, room, _SLICE)
        if missing:
            tables = _with_room(tables, missing)
    return tables


def compute_outside(
    plan: JoinTree,
    inside: TableValues,
    root: Sequence[int],
    check: Callable[[], None],
    kind: int = PRODUCTS,
    rows: Rows = ENTRIES,
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

    Raises:
        TooWide: more than `MOST_LIMBS` would have to be kept.
    """
    last = plan.left.size - 1
    start, width = np.zeros_like(inside.start), np.zeros_like(inside.width)
    values = to_naturals(root)
    width[-1] = values.shape[1]
    place = np.array([last, 0, 0, values.size, 0])
    tables = TableValues(inside.rows, values.reshape(-1), start, width, place)
    tables = _with_room(tables, min(int(inside.rows.sum()), 2**16))
    room = room_of(plan, rows)
    kind = _DIFFERENCES if kind == SUMS else kind
    while tables.place[JOIN] >= 0:
        check()
        missing = _continue_outside(plan, rows, inside, tables, kind, room, _SLICE)
        if missing:
            tables = _with_room(tables, missing)
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
    sums = np.zeros((plan.boxes, _contracted_width(plan, weights, outside)), np.uint64)
    sums.resize((plan.boxes, _contract_rows(plan, weights, outside, sums)), refcheck=False)
    return sums


def room_of(plan: JoinTree, rows: Rows = ENTRIES) -> int:
    """Return how many edges to write out at a time.

    Args:
        plan: the joins.
        rows: the rows of all tables if mines are distinguished.
    """
    return max(_CHUNK, int(plan.entries[plan.right].max()), int(rows.longest.max(initial=0)))


def rows_by_mines(plan: JoinTree, members: TableValues) -> Rows:
    """Return the rows of each entry from the sets of its possible numbers of mines.

    Args:
        plan: the joins.
        members: for each entry the set of its numbers of mines, as bits.
    """
    first = np.concatenate(([0], np.cumsum(members.rows)))
    start, least = np.zeros(first[-1] + 1, np.int64), np.zeros(first[-1], np.int64)
    longest = np.zeros(members.rows.size, np.int64)
    rows = Rows(first, start, least, longest)
    _fill_rows(members, rows)
    np.cumsum(start, out=start)
    return rows


@compile_kernel
def _fill_rows(members: TableValues, rows: Rows) -> None:
    """Fill in the fewest mines of each entry, the number of its rows, and the most rows of a table.

    A member of a set is a bit: bit m of limb m // 64. The number of rows stands one place after its
    entry in ``rows.start``, for sums to turn it into where rows end.
    """
    for table in range(members.rows.size):
        sets = rows_of(members, table)
        for entry in range(sets.shape[0]):
            number = rows.first[table] + entry
            least, most = 64 * sets.shape[1], -1
            for limb in range(sets.shape[1]):
                if sets[entry, limb] != ZERO:
                    least = min(least, 64 * limb + find_lowest_bit(sets[entry, limb]))
                    most = 64 * limb + find_highest_bit(sets[entry, limb])
            if most >= 0:
                rows.least[number] = least
                rows.start[number + 1] = most - least + 1
                rows.longest[table] = max(rows.longest[table], most - least + 1)


def _with_room(tables: TableValues, more: int) -> TableValues:
    """Return the same tables with room for at least ``more`` more limbs."""
    used = int(tables.place[_TOP])
    if used + more > MOST_LIMBS:
        raise TooWide
    limbs = np.empty(min(MOST_LIMBS, used + max(used, more)), np.uint64)
    limbs[:used] = tables.limbs[:used]
    return tables._replace(limbs=limbs)


@compile_kernel
def _continue_inside(
    plan: JoinTree,
    rows: Rows,
    tables: TableValues,
    kind: int,
    keep: bool,
    edges: int,
    work: int,
) -> int:
    """Go on with the values inside until ``work`` is done; return the limbs missing, or 0."""
    room = edge_room(plan, rows, edges)
    missing = _go_up(plan, rows, tables, kind, keep, room, work)
    while missing and _closed_gaps(tables, missing):
        missing = _go_up(plan, rows, tables, kind, keep, room, work)
    return missing


@compile_without_references
def _go_up(
    plan: JoinTree,
    rows: Rows,
    tables: TableValues,
    kind: int,
    keep: bool,
    room: EdgeRoom,
    work: int,
) -> int:
    """Continue like `_continue_inside`, until gaps would have to be closed.

    ``one``, ``other`` and ``sums`` are views of ``tables.limbs``, made after the table of a join is
    opened, and no longer used once a table may move.
    """
    place = tables.place
    boxes = plan.size.size
    found = room.found
    while place[JOIN] < plan.left.size and work > 0:
        join = place[JOIN]
        left, right = plan.left[join], plan.right[join]
        result = boxes + 1 + join
        most = _most_edges(plan, rows, join)
        if tables.width[result] == 0:
            width = _bound_limbs(rows_of(tables, left), rows_of(tables, right), kind, most)
            missing = _count_missing_limbs(tables, tables.rows[result] * width)
            if missing:
                return missing
            _open_table(tables, result, width)
        one, other, sums = rows_of(tables, left), rows_of(tables, right), rows_of(tables, result)
        live = live_entries(plan, rows, join, one, room)
        while place[ENTRY] < plan.entries[left] and work > 0:
            count = row_edges(plan, rows, place, live, room)
            a, b, d = found[0, :count], found[1, :count], found[2, :count]
            _add_products(one, other, a, b, d, sums, kind)
            work -= 50 + count * one.shape[1] * other.shape[1]
        if place[ENTRY] == plan.entries[left]:
            _finish_table(tables, result, sums)
            if not keep:
                _drop_table(tables, left, boxes)
                _drop_table(tables, right, boxes)
            place[JOIN] += 1
            place[ENTRY] = 0
    return 0


@compile_kernel
def _continue_outside(
    plan: JoinTree,
    rows: Rows,
    inside: TableValues,
    tables: TableValues,
    kind: int,
    edges: int,
    work: int,
) -> int:
    """Go on with the values outside until ``work`` is done; return the limbs missing, or 0."""
    room = edge_room(plan, rows, edges)
    missing = _go_down(plan, rows, inside, tables, kind, room, work)
    while missing and _closed_gaps(tables, missing):
        missing = _go_down(plan, rows, inside, tables, kind, room, work)
    return missing


@compile_without_references
def _go_down(
    plan: JoinTree,
    rows: Rows,
    inside: TableValues,
    tables: TableValues,
    kind: int,
    room: EdgeRoom,
    work: int,
) -> int:
    """Continue like `_continue_outside`, until gaps would have to be closed.

    ``above``, ``one`` and ``other`` are views of ``tables.limbs``, made after the tables of a join
    are opened; ``ours`` and ``theirs`` are views of ``inside.limbs``, which do not change.
    """
    place = tables.place
    boxes = plan.size.size
    found = room.found
    while place[JOIN] >= 0 and work > 0:
        join = place[JOIN]
        left, right = plan.left[join], plan.right[join]
        result = boxes + 1 + join
        most = _most_edges(plan, rows, join)
        ours, theirs = rows_of(inside, left), rows_of(inside, right)
        live = live_entries(plan, rows, join, ours, room)
        if tables.width[right] == 0:
            above = rows_of(tables, result)
            first = _bound_limbs(above, theirs, kind, most)
            second = _bound_limbs(above, ours, kind, most)
            missing = _count_missing_limbs(
                tables, tables.rows[left] * first + tables.rows[right] * second
            )
            if missing:
                return missing
            # The second is finished first: what it does not need is given back.
            _open_table(tables, left, first)
            _open_table(tables, right, second)
        above, one, other = rows_of(tables, result), rows_of(tables, left), rows_of(tables, right)
        while place[ENTRY] < plan.entries[left] and work > 0:
            count = row_edges(plan, rows, place, live, room)
            a, b, d = found[0, :count], found[1, :count], found[2, :count]
            _add_products(above, ours, d, a, b, other, kind)
            work -= 50 + count * above.shape[1] * ours.shape[1]
            if left != boxes:
                _add_products(above, theirs, d, b, a, one, kind)
                work -= count * above.shape[1] * theirs.shape[1]
        if place[ENTRY] == plan.entries[left]:
            _finish_table(tables, right, other)
            tables.width[left] = close_up(one)
            tables.width[result] = 0
            place[JOIN] -= 1
            place[ENTRY] = 0
    return 0


@inline_kernel
def rows_of(tables: TableValues, table: int) -> Naturals:
    """Return the values of a table, (rows, limbs), as a view of ``tables.limbs``.

    Args:
        tables: the values of all tables.
        table: the number of a table that is there.
    """
    first, width, rows = tables.start[table], tables.width[table], tables.rows[table]
    return tables.limbs[first : first + rows * width].reshape(rows, width)


@inline_kernel
def _most_edges(plan: JoinTree, rows: Rows, join: int) -> float:
    """Return a bound on the edges that lead to a row of a join."""
    if rows.first.size:
        longest = min(rows.longest[plan.left[join]], rows.longest[plan.right[join]])
        return float(plan.products[join] * longest)
    return float(plan.products[join])


@inline_kernel
def _bound_limbs(one: Matrix[np.uint64], other: Matrix[np.uint64], kind: int, edges: float) -> int:
    """Return a number of limbs that suffices for what up to ``edges`` edges add to a row."""
    if kind == _DIFFERENCES:
        return int(one.shape[1])
    return sum_width(one, other, int(edges) if kind == PRODUCTS else 1)


@inline_kernel
def _count_missing_limbs(tables: TableValues, limbs: int) -> int:
    """Return ``limbs`` if that many are not free, else 0."""
    return 0 if tables.place[_TOP] + limbs <= tables.limbs.size else int(limbs)


@inline_kernel
def _closed_gaps(tables: TableValues, limbs: int) -> bool:
    """Close the gaps that dropped tables have left; return True if ``limbs`` limbs are free.

    Tables move towards the front in the order of their places, so that none overwrites another that
    is still to move. All views of them are invalid afterwards.
    """
    top = tables.place[_FIXED]
    for table in np.argsort(tables.start):
        first = tables.start[table]
        if tables.width[table] and first >= top:
            size = tables.rows[table] * tables.width[table]
            if first > top:
                for limb in range(size):
                    tables.limbs[top + limb] = tables.limbs[first + limb]
                tables.start[table] = top
            top += size
    tables.place[_TOP] = top
    return bool(top + limbs <= tables.limbs.size)


@inline_kernel
def _open_table(tables: TableValues, table: int, width: int) -> None:
    """Begin a table with zeros, at the end of what is in use; there must be room for it."""
    first = tables.place[_TOP]
    tables.start[table] = first
    tables.width[table] = width
    tables.place[_TOP] += tables.rows[table] * width
    tables.limbs[first : tables.place[_TOP]] = 0


@inline_kernel
def _finish_table(tables: TableValues, table: int, rows: Matrix[np.uint64]) -> None:
    """Give back the limbs that the last table opened does not need; ``rows`` is the view of it."""
    tables.width[table] = close_up(rows)
    tables.place[_TOP] = tables.start[table] + tables.rows[table] * tables.width[table]


@inline_kernel
def _drop_table(tables: TableValues, table: int, boxes: int) -> None:
    """Forget the values of a table, unless it is a leaf."""
    if table > boxes:
        tables.width[table] = 0


@compile_without_references
def _add_products(
    one: Matrix[np.uint64],
    other: Matrix[np.uint64],
    a: Vector[np.int32],
    b: Vector[np.int32],
    d: Vector[np.int32],
    sums: Matrix[np.uint64],
    kind: int,
) -> None:
    """Add to ``sums[d]`` what ``one[a]`` and ``other[b]`` make, edge by edge."""
    if kind == _DIFFERENCES:
        _add_differences(one, other, a, b, d, sums)
    elif kind == SUMS:
        _add_sums(one, other, a, b, d, sums)
    else:
        add_products(one, other, a, b, d, sums)


@inline_kernel
def _add_sums(
    one: Matrix[np.uint64],
    other: Matrix[np.uint64],
    a: Vector[np.int32],
    b: Vector[np.int32],
    d: Vector[np.int32],
    sums: Matrix[np.uint64],
) -> None:
    """Add to the sets ``sums[d]`` all sums of a member of ``one[a]`` and one of ``other[b]``.

    A member is a bit: bit m of limb m // 64. Rows of ``sums`` are wide enough for the largest sum.
    """
    for edge in range(a.size):
        for limb in range(one.shape[1]):
            rest = one[a[edge], limb]
            while rest != ZERO:
                _shift_up(other[b[edge]], limb, np.uint64(find_lowest_bit(rest)), sums[d[edge]])
                rest &= rest - ONE


@inline_kernel
def _shift_up(
    members: Vector[np.uint64], limbs: int, bits: np.uint64, found: Vector[np.uint64]
) -> None:
    """Add ``members << (64 * limbs + bits)`` to a set; ``bits`` is below 64.

    A limb of ``found`` is touched only if something goes into it, so it need not have more than its
    largest member takes. Both are views of rows.
    """
    for limb in range(members.size):
        value = members[limb]
        # An entry without edges may have no limb.
        if value:
            found[limb + limbs] |= value << bits
            if bits and value >> (np.uint64(64) - bits):
                found[limb + limbs + 1] |= value >> (np.uint64(64) - bits)


@inline_kernel
def _add_differences(
    one: Matrix[np.uint64],
    other: Matrix[np.uint64],
    a: Vector[np.int32],
    b: Vector[np.int32],
    d: Vector[np.int32],
    sums: Matrix[np.uint64],
) -> None:
    """Add to the sets ``sums[d]`` all differences >= 0 of ``one[a]`` and ``other[b]``.

    A member is a bit: bit m of limb m // 64. Rows of ``sums`` are as wide as those of ``one``.
    """
    for edge in range(a.size):
        for limb in range(min(one.shape[1], other.shape[1])):
            rest = other[b[edge], limb]
            while rest != ZERO:
                _shift_down(one[a[edge]], limb, np.uint64(find_lowest_bit(rest)), sums[d[edge]])
                rest &= rest - ONE


@inline_kernel
def _shift_down(
    members: Vector[np.uint64], limbs: int, bits: np.uint64, found: Vector[np.uint64]
) -> None:
    """Add ``members >> (64 * limbs + bits)`` to a set that has as many limbs; ``bits`` is below 64.

    What is shifted below 0 is lost. Both are views of rows.
    """
    for limb in range(limbs, members.size):
        value = members[limb]
        found[limb - limbs] |= value >> bits
        if bits and limb > limbs:
            found[limb - limbs - 1] |= value << (np.uint64(64) - bits)


@compile_kernel
def _contracted_width(plan: JoinTree, weights: TableValues, outside: TableValues) -> int:
    """Return the limbs that are enough for what `_contract_rows` adds up."""
    limbs = 1
    for box in range(plan.size.size):
        ours, theirs = rows_of(weights, box), rows_of(outside, box)
        width = sum_width(ours, theirs, ours.shape[0])
        limbs = max(limbs, width)
    return limbs


@compile_kernel
def _contract_rows(
    plan: JoinTree, weights: TableValues, outside: TableValues, sums: Matrix[np.uint64]
) -> int:
    """Sum up into ``sums``, trim its rows to the limbs they need, and return their number.

    ``sums`` is (boxes, limbs), with the limbs of `_contracted_width`.
    """
    for box in range(plan.size.size):
        ours = rows_of(weights, box)
        rows = np.arange(ours.shape[0]).astype(np.int32)
        target = np.full(rows.size, box, np.int32)
        _add_products(ours, rows_of(outside, box), rows, rows, target, sums, PRODUCTS)
    return close_up(sums)
