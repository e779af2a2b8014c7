"""Values of tables in one array of limbs, which grows, and whose gaps are closed.

Tested in tests/solvers/counting/test_component.py.
"""

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from minecheck.minefield.compiled import Matrix, Vector, inline_kernel
from minecheck.solvers.budget import TooWide
from minecheck.solvers.counting.join_tree import JoinTree
from minecheck.solvers.counting.mine_rows import Rows
from minecheck.solvers.counting.naturals import Naturals, close_up, to_integers, to_naturals

# The state of a pass: the limbs in use, and the number of those that never move.
TOP: Final = 3
FIXED: Final = 4


class TableLimits(NamedTuple):
    """Limits of the memory of tables, and of the work between two looks at the clock.

    Attributes:
        most_limbs: the most limbs of all tables together, 1 GB.
        kept_limbs: the limbs (256 MB) above which a count keeps only the tables it still needs.
        chunk_edges: edges that are written out at a time, unless one entry alone has more.
        slice_work: limbs that are multiplied between two looks at the clock, some hundredths of a
            second.
    """

    most_limbs: int = 2**27
    kept_limbs: int = 2**25
    chunk_edges: int = 1 << 13
    slice_work: int = 20_000_000


LIMITS: Final = TableLimits()


class TableValues(NamedTuple):
    """Values of tables: table t has ``rows[t]`` of ``width[t]`` limbs, from ``limbs[start[t]]`` on.

    A width of 0 says that the values are not there, yet or any more. Boxes of one kind share their
    values. ``cursor`` (int64, (5,)) tells what is under way: at `JOIN`, `ENTRY` and `ROW` of
    `solvers.counting.mine_rows` how far the joins are; at `TOP` how many limbs are in use, at
    `FIXED` how many of those are leaves, which never move.

    `view_rows` gives views of ``limbs``. They hold until gaps are closed (`close_gaps` moves all
    tables beyond the leaves) or the limbs are replaced by more (`grow_limbs`). Both happen only
    between two calls of `_advance_inside` or `_advance_outside`, which return for it before they
    open a table, and make their views anew: no view outlives a table's move.
    """

    rows: Vector[np.int64]
    limbs: Vector[np.uint64]
    start: Vector[np.int64]
    width: Vector[np.int64]
    cursor: Vector[np.int64]

    def list_values(self, table: int) -> list[int]:
        """Return the values of all rows of a table."""
        return to_integers(self.read_table(table))

    def read_table(self, table: int) -> Naturals:
        """Return the values of a table, (rows, limbs), as a view of ``limbs``."""
        begin, width = int(self.start[table]), int(self.width[table])
        rows = int(self.rows[table])
        return self.limbs[begin : begin + rows * width].reshape(rows, width)


def build_leaves(
    plan: JoinTree,
    kinds: Vector[np.int32],
    values_of_kind: Callable[[int], Sequence[int]],
    rows: Rows,
) -> TableValues:
    """Build the tables of a plan with the values of the kind of each box, and 1 for the unit.

    The other tables are not there, but have these ``rows``.

    Args:
        plan: the joins.
        kinds: the kind of each box, natural numbers: (boxes,).
        values_of_kind: a function that returns, for a kind, one value for each row of a box of that
            kind, at least one.
        rows: the rows of all tables if mines are distinguished.
    """
    boxes = plan.boxes
    different = set(kinds.tolist())
    # By kind: where its values start, and their limbs.
    layout_of_kind = np.zeros((2, max(different) + 1), np.int64)
    flat = [np.ones(1, np.uint64)]
    top = 1
    for kind in different:
        table = to_naturals(values_of_kind(kind))
        layout_of_kind[:, kind] = top, table.shape[1]
        top += table.size
        flat.append(table.reshape(-1))
    start, width = np.zeros((2, plan.entries.size), np.int64)
    start[:boxes], width[:boxes] = layout_of_kind[:, kinds]
    width[boxes] = 1
    cursor = np.array([0, 0, 0, top, top])
    return TableValues(count_rows(plan, rows), np.concatenate(flat), start, width, cursor)


def count_rows(plan: JoinTree, rows: Rows) -> NDArray[np.int64]:
    """Return the number of rows of each table: int64, (tables,).

    Args:
        plan: the joins.
        rows: the rows of all tables if mines are distinguished; else every entry is a row.
    """
    if rows.first.size:
        return np.diff(rows.start[rows.first])
    return plan.entries.astype(np.int64)


def grow_limbs(tables: TableValues, extra_limbs: int, most_limbs: int) -> TableValues:
    """Return the same tables with room for at least ``extra_limbs`` more of them."""
    used_limbs = int(tables.cursor[TOP])
    if used_limbs + extra_limbs > most_limbs:
        raise TooWide
    limbs = np.empty(min(most_limbs, used_limbs + max(used_limbs, extra_limbs)), np.uint64)
    limbs[:used_limbs] = tables.limbs[:used_limbs]
    return tables._replace(limbs=limbs)


@inline_kernel
def view_rows(tables: TableValues, table: int) -> Naturals:
    """Return the values of a table, (rows, limbs), as a view of ``tables.limbs``.

    Args:
        tables: the values of all tables.
        table: the number of a table that is there.
    """
    begin, width, rows = tables.start[table], tables.width[table], tables.rows[table]
    return tables.limbs[begin : begin + rows * width].reshape(rows, width)


@inline_kernel
def count_missing_limbs(tables: TableValues, limbs: int) -> int:
    """Return ``limbs`` if that many are not free, else 0."""
    return 0 if tables.cursor[TOP] + limbs <= tables.limbs.size else int(limbs)


@inline_kernel
def close_gaps(tables: TableValues, limbs: int) -> bool:
    """Close the gaps that dropped tables have left; return True if ``limbs`` limbs are free.

    Tables move towards the front in the order in which they stand, so that none overwrites another
    that is still to move. All views of them are invalid afterwards.
    """
    top = tables.cursor[FIXED]
    for table in np.argsort(tables.start):
        begin = tables.start[table]
        if tables.width[table] and begin >= top:
            limb_count = tables.rows[table] * tables.width[table]
            if begin > top:
                for limb in range(limb_count):
                    tables.limbs[top + limb] = tables.limbs[begin + limb]
                tables.start[table] = top
            top += limb_count
    tables.cursor[TOP] = top
    return bool(top + limbs <= tables.limbs.size)


@inline_kernel
def open_table(tables: TableValues, table: int, width: int) -> None:
    """Begin a table with zeros, at the end of what is in use; there must be room for it."""
    begin = tables.cursor[TOP]
    tables.start[table] = begin
    tables.width[table] = width
    tables.cursor[TOP] += tables.rows[table] * width
    tables.limbs[begin : tables.cursor[TOP]] = 0


@inline_kernel
def finish_table(tables: TableValues, table: int, rows: Matrix[np.uint64]) -> None:
    """Give back the limbs that the last table opened does not need; ``rows`` is the view of it."""
    tables.width[table] = close_up(rows)
    tables.cursor[TOP] = tables.start[table] + tables.rows[table] * tables.width[table]


@inline_kernel
def drop_table(tables: TableValues, table: int, boxes: int) -> None:
    """Forget the values of a table, unless it is a leaf."""
    if table > boxes:
        tables.width[table] = 0
