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
from minecheck.solvers.counting.join_tree import JoinTree, make_scratch, write_edges

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
        first_entry = int(self.first[table])
        base, begin, end = self.start[
            [first_entry, first_entry + entry, first_entry + entry + 1]
        ].tolist()
        return begin - base, end - base, int(self.least[first_entry + entry])


class EdgeRoom(NamedTuple):
    """Room for the edges of joins.

    Edges between rows (``edges``), and those between entries where these are not the same
    (``narrow``), are (3, edges); ``live`` is for all entries of a table, and ``scratch`` is what
    `write_edges` needs.
    """

    edges: Matrix[np.int32]
    narrow: Matrix[np.int32]
    live: Vector[np.bool_]
    scratch: Matrix[np.int64]


#: An entry is a row, whatever its mines.
ENTRIES: Final = Rows(*(np.empty(0, np.int64) for _ in Rows._fields))


@inline_kernel
def make_edge_room(plan: JoinTree, rows: Rows, chunk_edges: int) -> EdgeRoom:
    """Return a buffer for ``chunk_edges`` edges of any join at a time.

    Args:
        plan: the joins.
        rows: the rows of all tables if mines are distinguished.
        chunk_edges: how many edges the buffer takes.
    """
    narrow, most_entries = 0, 0
    for join in range(plan.left.size):
        narrow = max(narrow, int(plan.entries[plan.right[join]]))
        most_entries = max(most_entries, int(plan.entries[plan.left[join]]))
    narrow = max(narrow, _FEW) if rows.first.size else 0
    return EdgeRoom(
        np.empty((3, chunk_edges), np.int32),
        np.empty((3, narrow), np.int32),
        np.empty(most_entries, np.bool_),
        make_scratch(plan),
    )


@inline_kernel
def find_live_entries(
    plan: JoinTree, rows: Rows, join: int, left_values: Matrix[np.uint64], room: EdgeRoom
) -> NDArray[np.bool_]:
    """Return which entries of the left table of a join are not 0, from the values inside them.

    Of a random board these are one in fifty: numbers of mines that each clue may have seen by
    itself seldom go together. Nothing comes of the others, on the way up; on the way back, what is
    outside of them never gets to a box.

    Args:
        plan: the joins.
        rows: the rows of all tables if mines are distinguished.
        join: the number of the join.
        left_values: the values inside its left table: (rows, limbs).
        room: a buffer, of which the result is a view.
    """
    table = plan.left[join]
    live = room.live[: int(plan.entries[table])]
    if rows.first.size:
        first_entry = rows.first[table]
        for entry in range(live.size):
            live[entry] = rows.start[first_entry + entry + 1] > rows.start[first_entry + entry]
        return live
    for entry in range(live.size):
        live[entry] = left_values[entry, 0] != 0
    for limb in range(1, left_values.shape[1]):
        for entry in range(live.size):
            live[entry] |= left_values[entry, limb] != 0
    return live


@compile_without_references
def write_row_edges(
    plan: JoinTree, rows: Rows, cursor: Vector[np.int64], live: Vector[np.bool_], room: EdgeRoom
) -> int:
    """Write the next edges of a join between rows, as many as fit, and go on behind them.

    Args:
        plan: the joins.
        rows: the rows of all tables if mines are distinguished.
        cursor: how far the joins are, which is brought up to date: int64.
        live: the entries of the left table that have edges.
        room: a buffer, whose ``edges`` gets the edges.

    Returns:
        The number of edges.
    """
    edges, narrow = room.edges, room.narrow
    join = cursor[JOIN]
    if rows.first.size == 0:
        count, cursor[ENTRY] = write_edges(plan, join, cursor[ENTRY], live, edges, room.scratch)
        return count
    count, next_entry = write_edges(plan, join, cursor[ENTRY], live, narrow, room.scratch)
    start, least = rows.start, rows.least
    left_base, right_base = rows.first[plan.left[join]], rows.first[plan.right[join]]
    result_base = rows.first[plan.size.size + 1 + join]
    edge_count = np.int64(0)
    rows_passed = np.int64(0)
    for edge in range(count):
        left_entry, right_entry, result_entry = (
            left_base + narrow[0, edge],
            right_base + narrow[1, edge],
            result_base + narrow[2, edge],
        )
        ours, theirs = (
            start[left_entry + 1] - start[left_entry],
            start[right_entry + 1] - start[right_entry],
        )
        if ours == 0 or theirs == 0:
            continue
        goal = (
            start[result_entry]
            - start[result_base]
            + least[left_entry]
            + least[right_entry]
            - least[result_entry]
        )
        for left_row in range(max(0, cursor[ROW] - rows_passed), ours):
            if edge_count + theirs > edges.shape[1]:
                cursor[ROW] = rows_passed + left_row
                return int(edge_count)
            for right_row in range(theirs):
                edges[0, edge_count + right_row] = start[left_entry] - start[left_base] + left_row
                edges[1, edge_count + right_row] = (
                    start[right_entry] - start[right_base] + right_row
                )
                edges[2, edge_count + right_row] = goal + left_row + right_row
            edge_count += theirs
        rows_passed += ours
    cursor[ENTRY] = next_entry
    cursor[ROW] = 0
    return int(edge_count)
