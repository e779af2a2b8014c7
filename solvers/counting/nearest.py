"""The chances of the boxes of a large component, as the nearest doubles.

What is outside of a box has as many digits as the number of all layouts, and there is one such
number for each mine it may hold. Rounded to twice the digits of a double
(`solvers.counting.rounded`) they tell the same nearest doubles, nearly always, and which of them
are exactly 0 or 1, always: nothing is subtracted, and nothing gets lost by being small. Where a
chance lies so close to the middle of two doubles that it may be rounded wrongly, that is said.
"""

from collections.abc import Callable
from math import ldexp, nextafter
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from minecheck.minefield.compiled import Vector, compile_inner, compile_kernel, inline_kernel
from minecheck.minefield.double_double import divide_twofold
from minecheck.minefield.double_double import multiply_twofold as times
from minecheck.minefield.double_double import round_twofold as to_nearest
from minecheck.solvers.counting.arithmetic_circuit import room_of
from minecheck.solvers.counting.join_tree import JoinTree
from minecheck.solvers.counting.mine_rows import (
    ENTRY,
    JOIN,
    Rows,
    edge_room,
    live_entries,
    row_edges,
)
from minecheck.solvers.counting.rounded import (
    LOST,
    Rounded,
    add_products,
    make_zeros,
    part_of,
    rounded_table,
    scale_numbers,
)
from minecheck.solvers.counting.table_values import TableValues, rows_of

#: Below this a double has not all its digits, and further up its rest has not.
_LEAST: Final = 2.0**-900
#: Products of numbers between two looks at the clock, some hundredths of a second.
_SLICE: Final = 2_000_000
_BELOW_ONE: Final = nextafter(1.0, 0.0)


class _Outside(NamedTuple):
    """Rounded values outside of tables: those of table t are ``start[t]`` to ``start[t + 1]``.

    They are off by no more than ``lost[t]`` operations lose. ``cursor`` (int64, (3,)) tells what is
    under way.
    """

    numbers: Rounded
    start: Vector[np.int64]
    lost: Vector[np.float64]
    cursor: Vector[np.int64]


def round_all_chances(
    plan: JoinTree,
    rows: Rows,
    inside: TableValues,
    root: Rounded,
    lost: float,
    check: Callable[[], None],
) -> NDArray[np.float64] | None:
    """Round the chance of a mine in a cell of each box; it is 0 or 1 only where that is certain.

    Some layout has to have a weight.

    Args:
        plan: the joins.
        rows: the rows of all tables if mines are distinguished.
        inside: weights inside all tables, from `arithmetic_circuit.compute_inside`.
        root: the values outside the rows of the root.
        lost: how many operations' losses ``root`` may be off by.
        check: a function called every few hundredths of a second, which may raise.

    Returns:
        The chances, (boxes,), None if one of them is in doubt.
    """
    start = np.concatenate(([0], np.cumsum(inside.rows)))
    parts, exponent = np.zeros((int(start[-1]), 2)), np.zeros(int(start[-1]), np.int64)
    parts[start[-2] :], exponent[start[-2] :] = root
    cursor = np.array([plan.left.size - 1, 0, 0])
    outside = _Outside(Rounded(parts, exponent), start, np.zeros(plan.entries.size), cursor)
    outside.lost[-1] = lost
    room = room_of(plan, rows)
    while outside.cursor[JOIN] >= 0:
        check()
        _go_on(plan, rows, inside, outside, room, _SLICE)
    found = np.empty(plan.boxes)
    return found if _fill_chances(plan, inside, outside, found) else None


@compile_kernel
def _go_on(
    plan: JoinTree, rows: Rows, inside: TableValues, outside: _Outside, edges: int, work: int
) -> None:
    """Go on with the values outside until ``work`` is done."""
    cursor = outside.cursor
    room = edge_room(plan, rows, edges)
    found = room.found
    while cursor[JOIN] >= 0 and work > 0:
        join = cursor[JOIN]
        left, right = plan.left[join], plan.right[join]
        result = plan.size.size + 1 + join
        live = live_entries(plan, rows, join, rows_of(inside, left), room)
        ours = rounded_table(rows_of(inside, left))
        theirs = rounded_table(rows_of(inside, right))
        above, one, other = (
            _outside_of(outside, result),
            _outside_of(outside, left),
            _outside_of(outside, right),
        )
        while cursor[ENTRY] < plan.entries[left] and work > 0:
            count = row_edges(plan, rows, cursor, live, room)
            a, b, d = found[0, :count], found[1, :count], found[2, :count]
            add_products(above, ours, d, a, b, other)
            add_products(above, theirs, d, b, a, one)
            work -= 50 + count
        if cursor[ENTRY] == plan.entries[left]:
            # A sum has at most as many terms as the table next to it has entries.
            outside.lost[left] = outside.lost[result] + theirs.exponent.size + 4
            outside.lost[right] = outside.lost[result] + ours.exponent.size + 4
            scale_numbers(one)
            scale_numbers(other)
            cursor[JOIN] -= 1
            cursor[ENTRY] = 0


@inline_kernel
def _outside_of(outside: _Outside, table: int) -> Rounded:
    """Return the values outside of a table, as views."""
    first, end = outside.start[table], outside.start[table + 1]
    return Rounded(outside.numbers.parts[first:end], outside.numbers.exponent[first:end])


@compile_kernel
def _fill_chances(
    plan: JoinTree, inside: TableValues, outside: _Outside, chances: Vector[np.float64]
) -> bool:
    """Fill in the chance of each box; False if there is doubt about one."""
    last = plan.entries.size - 1
    roots, completions = rounded_table(rows_of(inside, last)), _outside_of(outside, last)
    whole = _sum_products(roots, completions)
    lost = outside.lost[last] + roots.exponent.size
    sure = True
    for box in range(plan.size.size):
        ways, beyond = rounded_table(rows_of(inside, box)), _outside_of(outside, box)
        size = plan.size[box]
        found = _round_whole_chance(ways, 0, size, beyond, whole, outside.lost[box] + lost)
        chances[box] = found[0]
        sure = sure and found[1]
    return bool(sure)


@compile_kernel
def round_chance(
    ways: Rounded, least: int, cells: int, completions: Rounded, lost: float
) -> tuple[float, bool]:
    """Round the chance of a mine in one of some cells that the same clues count.

    Args:
        ways: the layouts of these cells by their mines, from the least on.
        least: the fewest mines of these cells.
        cells: the number of these cells.
        completions: the layouts of the rest of the board, by mines of these cells.
        lost: how many operations' losses ``completions`` may be off by.

    Returns:
        The chance, and whether it is surely the nearest double.
    """
    whole = _sum_products(ways, completions)
    return _round_whole_chance(
        ways, least, cells, completions, whole, 2 * lost + ways.exponent.size
    )


@inline_kernel
def _sum_products(one: Rounded, other: Rounded) -> Rounded:
    """Return the sum of the products of numbers at the same index."""
    rows = np.arange(one.exponent.size).astype(np.int32)
    found = make_zeros(1)
    add_products(one, other, rows, rows, np.zeros(rows.size, np.int32), found)
    return found


@compile_inner
def _round_whole_chance(
    ways: Rounded, least: int, cells: int, completions: Rounded, whole: Rounded, lost: float
) -> tuple[float, bool]:
    """Round like `round_chance`, given the number ``whole`` of all layouts."""
    count = ways.exponent.size
    held = Rounded(np.empty((count, 2)), ways.exponent.copy())
    can_hold = can_lack = False
    for row in range(count):
        mines = least + row
        if ways.parts[row, 0] > 0.0 and completions.parts[row, 0] > 0.0:
            can_hold = can_hold or mines > 0
            can_lack = can_lack or mines < cells
        held.parts[row, 0], held.parts[row, 1] = times(part_of(ways, row), (float(mines), 0.0))
    if not (can_hold and can_lack):
        return 0.0 if can_lack else 1.0, True
    scale_numbers(held)
    mines_held = _sum_products(held, completions)
    share = divide_twofold(part_of(mines_held, 0), times((float(cells), 0.0), part_of(whole, 0)))
    shift = mines_held.exponent[0] - whole.exponent[0]
    scaled = (ldexp(share[0], shift), ldexp(share[1], shift))
    found, sure = to_nearest(scaled, LOST * (lost + count + 8))
    return min(found, _BELOW_ONE), sure and found > _LEAST
