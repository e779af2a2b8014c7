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
from minecheck.solvers.counting.arithmetic_circuit import count_edge_room
from minecheck.solvers.counting.join_tree import JoinTree
from minecheck.solvers.counting.mine_rows import (
    ENTRY,
    JOIN,
    Rows,
    find_live_entries,
    make_edge_room,
    write_row_edges,
)
from minecheck.solvers.counting.rounded import (
    LOST,
    Rounded,
    add_products,
    make_zeros,
    read_mantissa,
    round_rows,
    scale_numbers,
)
from minecheck.solvers.counting.table_values import TableValues, view_rows

#: Below this a double has not all its digits, and further up its rest has not.
_LEAST: Final = 2.0**-900
#: Products of numbers between two looks at the clock, some hundredths of a second.
_SLICE: Final = 2_000_000
_BELOW_ONE: Final = nextafter(1.0, 0.0)


class _Outside(NamedTuple):
    """Rounded values outside of tables: those of table t are ``start[t]`` to ``start[t + 1]``.

    They are off by no more than ``roundings[t]`` operations lose. ``cursor`` (int64, (3,)) says
    how far the joins are.
    """

    numbers: Rounded
    start: Vector[np.int64]
    roundings: Vector[np.float64]
    cursor: Vector[np.int64]


def round_all_chances(
    plan: JoinTree,
    rows: Rows,
    inside: TableValues,
    root: Rounded,
    roundings: float,
    check: Callable[[], None],
) -> NDArray[np.float64] | None:
    """Round the chance of a mine in a cell of each box; it is 0 or 1 only where that is certain.

    Some layout has to have a weight.

    Args:
        plan: the joins.
        rows: the rows of all tables if mines are distinguished.
        inside: weights inside all tables, from `arithmetic_circuit.compute_inside`.
        root: the values outside the rows of the root.
        roundings: how many operations' losses ``root`` may be off by.
        check: a function called every few hundredths of a second, which may raise.

    Returns:
        The chances, (boxes,), None if one of them is in doubt.
    """
    start = np.concatenate(([0], np.cumsum(inside.rows)))
    parts, exponent = np.zeros((int(start[-1]), 2)), np.zeros(int(start[-1]), np.int64)
    parts[start[-2] :], exponent[start[-2] :] = root
    cursor = np.array([plan.left.size - 1, 0, 0])
    outside = _Outside(Rounded(parts, exponent), start, np.zeros(plan.entries.size), cursor)
    outside.roundings[-1] = roundings
    room = count_edge_room(plan, rows)
    while outside.cursor[JOIN] >= 0:
        check()
        _advance_outside_rounded(plan, rows, inside, outside, room, _SLICE)
    chances = np.empty(plan.boxes)
    return chances if _fill_chances(plan, inside, outside, chances) else None


@compile_kernel
def _advance_outside_rounded(
    plan: JoinTree, rows: Rows, inside: TableValues, outside: _Outside, chunk_edges: int, work: int
) -> None:
    """Go on with the values outside until ``work`` is done."""
    cursor = outside.cursor
    room = make_edge_room(plan, rows, chunk_edges)
    edges = room.edges
    while cursor[JOIN] >= 0 and work > 0:
        join = cursor[JOIN]
        left, right = plan.left[join], plan.right[join]
        result = plan.size.size + 1 + join
        live = find_live_entries(plan, rows, join, view_rows(inside, left), room)
        left_inside = round_rows(view_rows(inside, left))
        right_inside = round_rows(view_rows(inside, right))
        result_outside, left_outside, right_outside = (
            _view_outside(outside, result),
            _view_outside(outside, left),
            _view_outside(outside, right),
        )
        while cursor[ENTRY] < plan.entries[left] and work > 0:
            count = write_row_edges(plan, rows, cursor, live, room)
            left_rows, right_rows, sum_rows = edges[0, :count], edges[1, :count], edges[2, :count]
            add_products(
                result_outside, left_inside, sum_rows, left_rows, right_rows, right_outside
            )
            add_products(
                result_outside, right_inside, sum_rows, right_rows, left_rows, left_outside
            )
            work -= 50 + count
        if cursor[ENTRY] == plan.entries[left]:
            # A sum has at most as many terms as the table next to it has entries.
            outside.roundings[left] = outside.roundings[result] + right_inside.exponent.size + 4
            outside.roundings[right] = outside.roundings[result] + left_inside.exponent.size + 4
            scale_numbers(left_outside)
            scale_numbers(right_outside)
            cursor[JOIN] -= 1
            cursor[ENTRY] = 0


@inline_kernel
def _view_outside(outside: _Outside, table: int) -> Rounded:
    """Return the values outside of a table, as views."""
    begin, end = outside.start[table], outside.start[table + 1]
    return Rounded(outside.numbers.parts[begin:end], outside.numbers.exponent[begin:end])


@compile_kernel
def _fill_chances(
    plan: JoinTree, inside: TableValues, outside: _Outside, chances: Vector[np.float64]
) -> bool:
    """Fill in the chance of each box; False if there is doubt about one."""
    root_table = plan.entries.size - 1
    roots, completions = (
        round_rows(view_rows(inside, root_table)),
        _view_outside(outside, root_table),
    )
    total = _sum_products(roots, completions)
    roundings = outside.roundings[root_table] + roots.exponent.size
    sure = True
    for box in range(plan.size.size):
        box_layouts, box_completions = (
            round_rows(view_rows(inside, box)),
            _view_outside(outside, box),
        )
        cells = plan.size[box]
        chances[box], is_sure = _round_whole_chance(
            box_layouts, 0, cells, box_completions, total, outside.roundings[box] + roundings
        )
        sure = sure and is_sure
    return bool(sure)


@compile_kernel
def round_chance(
    layouts_by_mines: Rounded, fewest: int, cells: int, completions: Rounded, roundings: float
) -> tuple[float, bool]:
    """Round the chance of a mine in one of some cells that the same clues count.

    Args:
        layouts_by_mines: the layouts of these cells by their mines, from the fewest on.
        fewest: the fewest mines of these cells.
        cells: the number of these cells.
        completions: the layouts of the rest of the board, by mines of these cells.
        roundings: how many operations' losses ``completions`` may be off by.

    Returns:
        The chance, and whether it is surely the nearest double.
    """
    total = _sum_products(layouts_by_mines, completions)
    return _round_whole_chance(
        layouts_by_mines,
        fewest,
        cells,
        completions,
        total,
        2 * roundings + layouts_by_mines.exponent.size,
    )


@inline_kernel
def _sum_products(left: Rounded, right: Rounded) -> Rounded:
    """Return the sum of the products of numbers at the same index."""
    rows = np.arange(left.exponent.size).astype(np.int32)
    total = make_zeros(1)
    add_products(left, right, rows, rows, np.zeros(rows.size, np.int32), total)
    return total


@compile_inner
def _round_whole_chance(
    layouts_by_mines: Rounded,
    fewest: int,
    cells: int,
    completions: Rounded,
    total: Rounded,
    roundings: float,
) -> tuple[float, bool]:
    """Round like `round_chance`, given the number ``total`` of all layouts."""
    count = layouts_by_mines.exponent.size
    mine_sums = Rounded(np.empty((count, 2)), layouts_by_mines.exponent.copy())
    can_hold = can_lack = False
    for row in range(count):
        mines = fewest + row
        if layouts_by_mines.parts[row, 0] > 0.0 and completions.parts[row, 0] > 0.0:
            can_hold = can_hold or mines > 0
            can_lack = can_lack or mines < cells
        mine_sums.parts[row, 0], mine_sums.parts[row, 1] = times(
            read_mantissa(layouts_by_mines, row), (float(mines), 0.0)
        )
    if not (can_hold and can_lack):
        return 0.0 if can_lack else 1.0, True
    scale_numbers(mine_sums)
    mines_held = _sum_products(mine_sums, completions)
    share = divide_twofold(
        read_mantissa(mines_held, 0), times((float(cells), 0.0), read_mantissa(total, 0))
    )
    shift = mines_held.exponent[0] - total.exponent[0]
    scaled = (ldexp(share[0], shift), ldexp(share[1], shift))
    chance, sure = to_nearest(scaled, LOST * (roundings + count + 8))
    return min(chance, _BELOW_ONE), sure and chance > _LEAST
