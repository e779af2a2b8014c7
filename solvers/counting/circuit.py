"""Values of all tables of a tree of joins: inside, from the leaves up, and outside, from the root.

The value inside an entry of a table sums, over all layouts of the table's cells
with these mines at each open clue, the products of the leaves' values. The
value outside is the same for all other cells: the derivative of the root.
Inside times outside, added up over a table, is the root: these are the passes
of arithmetic circuits (Darwiche 2003). Values are natural numbers
(`solvers.counting.naturals`), or sets of numbers as bits; there, adding unites sets and
multiplying adds their members. Where layouts are told apart by their mines, an entry has a row for
each number of mines (`solvers.counting.mine_rows`); else it is a row.
"""

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from minefield.bits import ONE, ZERO, highest, lowest
from minefield.compiled import Matrix, Vector, borrowing, compiled, inlined
from solvers.budget import TooWide
from solvers.counting.join_tree import JoinTree
from solvers.counting.mine_rows import (
    ENTRIES,
    ENTRY,
    JOIN,
    EdgeRoom,
    Rows,
    edge_room,
    live_entries,
    row_edges,
)
from solvers.counting.naturals import (
    Naturals,
    add_products,
    close_up,
    integers,
    naturals,
    sum_width,
)

#: What is done with the values that an edge joins.
PRODUCTS: Final = 0
SUMS: Final = 1
_DIFFERENCES: Final = 2

#: No more limbs than this (1 GB) are kept.
MOST_LIMBS: Final = 2**27
#: Work between two looks at the clock: limbs multiplied, some hundredths of a second.
_SLICE: Final = 20_000_000
#: Edges that are written out at a time, unless one entry alone has more.
_CHUNK: Final = 1 << 13

# What is under way beside the edges: the limbs in use, and how many of those never move.
_TOP: Final = 3
_FIXED: Final = 4


class TableValues(NamedTuple):
    """Values of tables: table t has ``rows[t]`` of ``width[t]`` limbs, from ``limbs[start[t]]`` on.

    A width of 0 says that the values are not there, yet or any more. ``place``
    (int64, (5,)) tells what is under way. Boxes of one size share their values.
    """

    rows: Vector[np.int64]
    limbs: Vector[np.uint64]
    start: Vector[np.int64]
    width: Vector[np.int64]
    place: Vector[np.int64]

    def values(self, table: int) -> list[int]:
        """The values of all rows of a table."""
        return integers(self.table(table))

    def table(self, table: int) -> Naturals:
        """The values of a table, (rows, limbs)."""
        first, width = int(self.start[table]), int(self.width[table])
        rows = int(self.rows[table])
        return self.limbs[first : first + rows * width].reshape(rows, width)


def leaves(plan: JoinTree, value: Callable[[int, int], int], rows: Rows = ENTRIES) -> TableValues:
    """The tables of a plan with ``value(size, mines)`` for each entry of a box, and 1 for the unit.

    The others are not there, but have these ``rows``.
    """
    boxes = plan.boxes
    sizes = set(plan.size.tolist())
    # By size: where its values start, and their limbs.
    where = np.zeros((2, max(sizes) + 1), np.int64)
    flat = [np.ones(1, np.uint64)]
    top = 1
    for size in sizes:
        values = naturals([value(size, mines) for mines in range(size + 1)])
        where[:, size] = top, values.shape[1]
        top += values.size
        flat.append(values.reshape(-1))
    start, width = np.zeros((2, plan.entries.size), np.int64)
    start[:boxes], width[:boxes] = where[:, plan.size]
    width[boxes] = 1
    place = np.array([0, 0, 0, top, top])
    return TableValues(row_counts(plan, rows), np.concatenate(flat), start, width, place)


def row_counts(plan: JoinTree, rows: Rows) -> NDArray[np.int64]:
    """The number of rows of each table."""
    if rows.first.size:
        return np.diff(rows.start[rows.first])
    return plan.entries.astype(np.int64)


def inside(
    plan: JoinTree,
    leaves: TableValues,
    check: Callable[[], None],
    kind: int = PRODUCTS,
    rows: Rows = ENTRIES,
    keep: bool = True,
) -> TableValues:
    """The values inside all tables, or only that inside the root unless ``keep``.

    ``check`` is called every few hundredths of a second, and may raise.

    Raises:
        TooWide: more than `MOST_LIMBS` would have to be kept.
    """
    tables = _with_room(leaves, int(min(leaves.rows.sum(), 2**24)))
    room = room_of(plan, rows)
    while tables.place[JOIN] < plan.left.size:
        check()
        missing = _inside(plan, rows, tables, kind, keep, room, _SLICE)
        if missing:
            tables = _with_room(tables, missing)
    return tables


def outside(
    plan: JoinTree,
    inside: TableValues,
    root: Sequence[int],
    check: Callable[[], None],
    kind: int = PRODUCTS,
    rows: Rows = ENTRIES,
) -> TableValues:
    """The values outside all boxes, when those outside the rows of the root are ``root``.

    See `inside`.

    For `SUMS` that outside an entry is: which of its members complete one of ``root``.
    """
    last = plan.left.size - 1
    start, width = np.zeros_like(inside.start), np.zeros_like(inside.width)
    values = naturals(root)
    width[-1] = values.shape[1]
    place = np.array([last, 0, 0, values.size, 0])
    tables = TableValues(inside.rows, values.reshape(-1), start, width, place)
    tables = _with_room(tables, int(min(inside.rows.sum(), 2**16)))
    room = room_of(plan, rows)
    kind = _DIFFERENCES if kind == SUMS else kind
    while tables.place[JOIN] >= 0:
        check()
        missing = _outside(plan, rows, inside, tables, kind, room, _SLICE)
        if missing:
            tables = _with_room(tables, missing)
    return tables


def contracted(plan: JoinTree, weights: TableValues, outside: TableValues) -> Naturals:
    """For each box, its weights times what is outside, added up over its entries."""
    sums = np.zeros((plan.boxes, _contracted_width(plan, weights, outside)), np.uint64)
    sums.resize((plan.boxes, _contract(plan, weights, outside, sums)), refcheck=False)
    return sums


def room_of(plan: JoinTree, rows: Rows = ENTRIES) -> int:
    """Edges to write out at a time."""
    return int(max(_CHUNK, plan.entries[plan.right].max(), rows.longest.max(initial=0)))


def rows_by_mines(plan: JoinTree, members: TableValues) -> Rows:
    """The rows of each entry from the sets of its possible numbers of mines."""
    first = np.concatenate(([0], np.cumsum(members.rows)))
    start, least = np.zeros(first[-1] + 1, np.int64), np.zeros(first[-1], np.int64)
    longest = np.zeros(members.rows.size, np.int64)
    rows = Rows(first, start, least, longest)
    _fill_rows(members, rows)
    np.cumsum(start, out=start)
    return rows


@compiled
def _fill_rows(members: TableValues, rows: Rows) -> None:
    """Fill in the least mines of each entry, and its rows in place of the end."""
    for table in range(members.rows.size):
        sets = rows_of(members, table)
        for entry in range(sets.shape[0]):
            number = rows.first[table] + entry
            least, most = 64 * sets.shape[1], -1
            for limb in range(sets.shape[1]):
                if sets[entry, limb] != ZERO:
                    least = min(least, 64 * limb + lowest(sets[entry, limb]))
                    most = 64 * limb + highest(sets[entry, limb])
            if most >= 0:
                rows.least[number] = least
                rows.start[number + 1] = most - least + 1
                rows.longest[table] = max(rows.longest[table], most - least + 1)


def _with_room(tables: TableValues, more: int) -> TableValues:
    """The same tables with room for so many more limbs at least."""
    used = int(tables.place[_TOP])
    if used + more > MOST_LIMBS:
        raise TooWide
    limbs = np.empty(min(MOST_LIMBS, used + max(used, more)), np.uint64)
    limbs[:used] = tables.limbs[:used]
    return tables._replace(limbs=limbs)


@compiled
def _inside(
    plan: JoinTree,
    rows: Rows,
    tables: TableValues,
    kind: int,
    keep: bool,
    edges: int,
    work: int,
) -> int:
    """Go on with the values inside until ``work`` is done; the limbs missing to go on, or 0."""
    room = edge_room(plan, rows, edges)
    missing = _go_up(plan, rows, tables, kind, keep, room, work)
    while missing and _closed_gaps(tables, missing):
        missing = _go_up(plan, rows, tables, kind, keep, room, work)
    return missing


@borrowing
def _go_up(
    plan: JoinTree,
    rows: Rows,
    tables: TableValues,
    kind: int,
    keep: bool,
    room: EdgeRoom,
    work: int,
) -> int:
    """As `_inside`, until it would have to close gaps."""
    place = tables.place
    boxes = plan.size.size
    found = room.found
    while place[JOIN] < plan.left.size and work > 0:
        join = place[JOIN]
        left, right = plan.left[join], plan.right[join]
        result = boxes + 1 + join
        most = _most_edges(plan, rows, join)
        if tables.width[result] == 0:
            width = _limbs(rows_of(tables, left), rows_of(tables, right), kind, most)
            missing = _missing(tables, tables.rows[result] * width)
            if missing:
                return missing
            _open(tables, result, width)
        one, other, sums = rows_of(tables, left), rows_of(tables, right), rows_of(tables, result)
        live = live_entries(plan, rows, join, one, room)
        while place[ENTRY] < plan.entries[left] and work > 0:
            count = row_edges(plan, rows, place, live, room)
            a, b, d = found[0, :count], found[1, :count], found[2, :count]
            _add(one, other, a, b, d, sums, kind)
            work -= 50 + count * one.shape[1] * other.shape[1]
        if place[ENTRY] == plan.entries[left]:
            _finish(tables, result, sums)
            if not keep:
                _drop(tables, left, boxes)
                _drop(tables, right, boxes)
            place[JOIN] += 1
            place[ENTRY] = 0
    return 0


@compiled
def _outside(
    plan: JoinTree,
    rows: Rows,
    inside: TableValues,
    tables: TableValues,
    kind: int,
    edges: int,
    work: int,
) -> int:
    """Go on with the values outside until ``work`` is done; the limbs missing to go on, or 0."""
    room = edge_room(plan, rows, edges)
    missing = _go_down(plan, rows, inside, tables, kind, room, work)
    while missing and _closed_gaps(tables, missing):
        missing = _go_down(plan, rows, inside, tables, kind, room, work)
    return missing


@borrowing
def _go_down(
    plan: JoinTree,
    rows: Rows,
    inside: TableValues,
    tables: TableValues,
    kind: int,
    room: EdgeRoom,
    work: int,
) -> int:
    """As `_outside`, until it would have to close gaps."""
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
            first = _limbs(above, theirs, kind, most)
            second = _limbs(above, ours, kind, most)
            missing = _missing(tables, tables.rows[left] * first + tables.rows[right] * second)
            if missing:
                return missing
            # The second is finished first: what it does not need is given back.
            _open(tables, left, first)
            _open(tables, right, second)
        above, one, other = rows_of(tables, result), rows_of(tables, left), rows_of(tables, right)
        while place[ENTRY] < plan.entries[left] and work > 0:
            count = row_edges(plan, rows, place, live, room)
            a, b, d = found[0, :count], found[1, :count], found[2, :count]
            _add(above, ours, d, a, b, other, kind)
            work -= 50 + count * above.shape[1] * ours.shape[1]
            if left != boxes:
                _add(above, theirs, d, b, a, one, kind)
                work -= count * above.shape[1] * theirs.shape[1]
        if place[ENTRY] == plan.entries[left]:
            _finish(tables, right, other)
            tables.width[left] = close_up(one)
            tables.width[result] = 0
            place[JOIN] -= 1
            place[ENTRY] = 0
    return 0


@inlined
def rows_of(tables: TableValues, table: int) -> Naturals:
    """The values of a table, (rows, limbs)."""
    first, width, rows = tables.start[table], tables.width[table], tables.rows[table]
    return tables.limbs[first : first + rows * width].reshape(rows, width)


@inlined
def _most_edges(plan: JoinTree, rows: Rows, join: int) -> float:
    """Edges that lead to a row at most."""
    if rows.first.size:
        longest = min(rows.longest[plan.left[join]], rows.longest[plan.right[join]])
        return float(plan.products[join] * longest)
    return float(plan.products[join])


@inlined
def _limbs(one: Matrix[np.uint64], other: Matrix[np.uint64], kind: int, edges: float) -> int:
    """Limbs that are enough for what up to so many edges add to a row."""
    if kind == _DIFFERENCES:
        return int(one.shape[1])
    return sum_width(one, other, int(edges) if kind == PRODUCTS else 1)


@inlined
def _missing(tables: TableValues, limbs: int) -> int:
    """How many limbs are wanted, if so many are not free; else 0."""
    return 0 if tables.place[_TOP] + limbs <= tables.limbs.size else int(limbs)


@inlined
def _closed_gaps(tables: TableValues, limbs: int) -> bool:
    """Close the gaps that dropped tables have left; whether so many limbs are free then."""
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


@inlined
def _open(tables: TableValues, table: int, width: int) -> None:
    """Begin a table with zeros."""
    first = tables.place[_TOP]
    tables.start[table] = first
    tables.width[table] = width
    tables.place[_TOP] += tables.rows[table] * width
    tables.limbs[first : tables.place[_TOP]] = 0


@inlined
def _finish(tables: TableValues, table: int, rows: Matrix[np.uint64]) -> None:
    """Give back the limbs that the last table opened does not need."""
    tables.width[table] = close_up(rows)
    tables.place[_TOP] = tables.start[table] + tables.rows[table] * tables.width[table]


@inlined
def _drop(tables: TableValues, table: int, boxes: int) -> None:
    """Forget the values of a table, unless it is a leaf."""
    if table > boxes:
        tables.width[table] = 0


@borrowing
def _add(
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


@inlined
def _add_sums(
    one: Matrix[np.uint64],
    other: Matrix[np.uint64],
    a: Vector[np.int32],
    b: Vector[np.int32],
    d: Vector[np.int32],
    sums: Matrix[np.uint64],
) -> None:
    """Add to the sets ``sums[d]`` all sums of a member of ``one[a]`` and one of ``other[b]``."""
    for edge in range(a.size):
        for limb in range(one.shape[1]):
            rest = one[a[edge], limb]
            while rest != ZERO:
                _shift_up(other[b[edge]], limb, np.uint64(lowest(rest)), sums[d[edge]])
                rest &= rest - ONE


@inlined
def _shift_up(
    members: Vector[np.uint64], limbs: int, bits: np.uint64, found: Vector[np.uint64]
) -> None:
    """Add ``members << (64 * limbs + bits)`` to a set."""
    for limb in range(members.size):
        value = members[limb]
        # Where nothing goes there may be no limb.
        if value:
            found[limb + limbs] |= value << bits
            if bits and value >> (np.uint64(64) - bits):
                found[limb + limbs + 1] |= value >> (np.uint64(64) - bits)


@inlined
def _add_differences(
    one: Matrix[np.uint64],
    other: Matrix[np.uint64],
    a: Vector[np.int32],
    b: Vector[np.int32],
    d: Vector[np.int32],
    sums: Matrix[np.uint64],
) -> None:
    """Add to the sets ``sums[d]`` all differences >= 0 of ``one[a]`` and ``other[b]``."""
    for edge in range(a.size):
        for limb in range(min(one.shape[1], other.shape[1])):
            rest = other[b[edge], limb]
            while rest != ZERO:
                _shift_down(one[a[edge]], limb, np.uint64(lowest(rest)), sums[d[edge]])
                rest &= rest - ONE


@inlined
def _shift_down(
    members: Vector[np.uint64], limbs: int, bits: np.uint64, found: Vector[np.uint64]
) -> None:
    """Add ``members >> (64 * limbs + bits)`` to a set that has as many limbs."""
    for limb in range(limbs, members.size):
        value = members[limb]
        found[limb - limbs] |= value >> bits
        if bits and limb > limbs:
            found[limb - limbs - 1] |= value << (np.uint64(64) - bits)


@compiled
def _contracted_width(plan: JoinTree, weights: TableValues, outside: TableValues) -> int:
    """Limbs that are enough for what `_contract` adds up."""
    limbs = 1
    for box in range(plan.size.size):
        width = sum_width(rows_of(weights, box), rows_of(outside, box), plan.size[box] + 1)
        limbs = max(limbs, width)
    return limbs


@compiled
def _contract(
    plan: JoinTree, weights: TableValues, outside: TableValues, sums: Matrix[np.uint64]
) -> int:
    """Add up into ``sums``, close its rows up to the limbs they need, and tell how many."""
    for box in range(plan.size.size):
        entries = np.arange(plan.size[box] + 1).astype(np.int32)
        target = np.full(entries.size, box, np.int32)
        _add(rows_of(weights, box), rows_of(outside, box), entries, entries, target, sums, PRODUCTS)
    return close_up(sums)
