"""Rows of tables: one for each entry, or for each number of mines that an entry may have.

Layouts by mines are a polynomial for each entry. As rows they are more entries, and nothing else: a
join then sums, over the edges between entries, all pairs of their rows. Each entry has rows from
its fewest mines to its most, which differ much less than those of the table, and each table is as
wide as its own numbers are long.

Tested in tests/solvers/counting/test_component.py.
"""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from minecheck.minefield.compiled import Matrix, Vector, compile_without_references, inline_kernel
from minecheck.solvers.counting.join_tree import JoinTree, scratch_of, write_edges

# What is under way: the join, the next entry of its left table, and among the edges from there the
# next row of left.
JOIN: Final = 0
ENTRY: Final = 1
ROW: Final = 2
#: Edges between entries that are written out before those between their rows.
_FEW: Final = 1 << 9


class Rows(NamedTuple):
    """The rows of all tables in sequence if mines are distinguished; else everything is empty.

    Entry e of table t is number k = ``first[t] + e``. Its rows begin with ``start[k]`` and end
    where the next ones begin; they stand for ``least[k]`` mines and one more each. ``longest[t]``
    is the number of rows of the entry that has most of them.
    """

    first: Vector[np.int64]
    start: Vector[np.int64]
    least: Vector[np.int64]
    longest: Vector[np.int64]

    def find_rows(self, table: int, entry: int) -> tuple[int, int, int]:
        """Return the first row of an entry in its table, the end, and the mines of the first.

        Args:
            table: the number of the table.
            entry: an entry of it, from 0.
        """
        first = int(self.first[table])
        base, begin, end = self.start[[first, first + entry, first + entry + 1]].tolist()
        return begin - base, end - base, int(self.least[first + entry])


class EdgeRoom(NamedTuple):
    """Room for the edges of joins.

    Edges between rows (``found``), and those between entries where these are not the same
    (``narrow``), are (3, edges); ``live`` is for all entries of a table, and ``scratch`` is what
    `write_edges` needs.
    """

    found: Matrix[np.int32]
    narrow: Matrix[np.int32]
    live: Vector[np.bool_]
    scratch: Matrix[np.int64]


#: An entry is a row, whatever its mines.
ENTRIES: Final = Rows(*(np.empty(0, np.int64) for _ in Rows._fields))


@inline_kernel
def edge_room(plan: JoinTree, rows: Rows, edges: int) -> EdgeRoom:
    """Return a buffer for ``edges`` edges of any join at a time.

    Args:
        plan: the joins.
        rows: the rows of all tables if mines are distinguished.
        edges: how many edges the buffer takes.
    """
    narrow, most = 0, 0
    for join in range(plan.left.size):
        narrow = max(narrow, int(plan.entries[plan.right[join]]))
        most = max(most, int(plan.entries[plan.left[join]]))
    narrow = max(narrow, _FEW) if rows.first.size else 0
    return EdgeRoom(
        np.empty((3, edges), np.int32),
        np.empty((3, narrow), np.int32),
        np.empty(most, np.bool_),
        scratch_of(plan),
    )


@inline_kernel
def live_entries(
    plan: JoinTree, rows: Rows, join: int, left: Matrix[np.uint64], room: EdgeRoom
) -> NDArray[np.bool_]:
    """Return which entries of the left table of a join are not 0, from the values inside them.

    Of a random board these are one in fifty: numbers of mines that each clue may have seen by
    itself seldom go together. Nothing comes of the others, on the way up; on the way back, what is
    outside of them never gets to a box.

    Args:
        plan: the joins.
        rows: the rows of all tables if mines are distinguished.
        join: the number of the join.
        left: the values inside its left table: (rows, limbs).
        room: a buffer, of which the result is a view.
    """
    table = plan.left[join]
    live = room.live[: int(plan.entries[table])]
    if rows.first.size:
        first = rows.first[table]
        for entry in range(live.size):
            live[entry] = rows.start[first + entry + 1] > rows.start[first + entry]
        return live
    for entry in range(live.size):
        live[entry] = left[entry, 0] != 0
    for limb in range(1, left.shape[1]):
        for entry in range(live.size):
            live[entry] |= left[entry, limb] != 0
    return live


@compile_without_references
def row_edges(
    plan: JoinTree, rows: Rows, cursor: Vector[np.int64], live: Vector[np.bool_], room: EdgeRoom
) -> int:
    """Write the next edges of a join between rows, as many as fit, and go on behind them.

    Args:
        plan: the joins.
        rows: the rows of all tables if mines are distinguished.
        cursor: how far the joins are, which is brought up to date: int64.
        live: the entries of the left table that have edges.
        room: a buffer, whose ``found`` gets the edges.

    Returns:
        The number of edges.
    """
    found, narrow = room.found, room.narrow
    join = cursor[JOIN]
    if rows.first.size == 0:
        count, cursor[ENTRY] = write_edges(plan, join, cursor[ENTRY], live, found, room.scratch)
        return count
    count, after = write_edges(plan, join, cursor[ENTRY], live, narrow, room.scratch)
    start, least = rows.start, rows.least
    left, right = rows.first[plan.left[join]], rows.first[plan.right[join]]
    result = rows.first[plan.size.size + 1 + join]
    written = np.int64(0)
    passed = np.int64(0)
    for edge in range(count):
        a, b, d = left + narrow[0, edge], right + narrow[1, edge], result + narrow[2, edge]
        ours, theirs = start[a + 1] - start[a], start[b + 1] - start[b]
        if ours == 0 or theirs == 0:
            continue
        goal = start[d] - start[result] + least[a] + least[b] - least[d]
        for row in range(max(0, cursor[ROW] - passed), ours):
            if written + theirs > found.shape[1]:
                cursor[ROW] = passed + row
                return int(written)
            for other in range(theirs):
                found[0, written + other] = start[a] - start[left] + row
                found[1, written + other] = start[b] - start[right] + other
                found[2, written + other] = goal + row + other
            written += theirs
        passed += ours
    cursor[ENTRY] = after
    cursor[ROW] = 0
    return int(written)
