"""The chances of the boxes of a large component, as the nearest doubles.

What is outside of a box has as many digits as the number of all layouts, and there is one such
number for each mine it may hold. Rounded to twice the digits of a double
(`minefield.double_double`) they tell the same nearest doubles, nearly always, and which of them are
exactly 0 or 1, always: nothing is subtracted, and nothing gets lost by being small. Where a chance
lies so close to the middle of two doubles that it may be rounded wrongly, that is said.
"""

from collections.abc import Callable
from math import frexp, ldexp, nextafter
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from minefield.compiled import Matrix, Vector, compiled, inlined, inner
from minefield.double_double import product as times
from minefield.double_double import quotient, rounded, total
from solvers.counting.circuit import TableValues, room_of, rows_of
from solvers.counting.join_tree import JoinTree, join_edges

#: Numbers are scaled, table by table: one this far below the largest might lose digits.
_LEAST: Final = 2.0**-450
#: An operation loses no more of a number, relatively.
_LOST: Final = 2.0**-102
#: Products of numbers between two looks at the clock, some hundredths of a second.
_SLICE: Final = 2_000_000
_BELOW_ONE: Final = nextafter(1.0, 0.0)

# What is under way: the join, and the next entry of its left table.
_JOIN: Final = 0
_ENTRY: Final = 1


class _Outside(NamedTuple):
    """Rounded values outside of tables: those of table t are ``numbers[start[t]:start[t + 1]]``.

    Each is the sum of a row of ``numbers`` times 2 to the ``exponent`` of its table, and off by no
    more than ``lost`` operations lose. ``place`` (int64, (2,)) tells what is under way.
    """

    numbers: Matrix[np.float64]
    start: Vector[np.int64]
    exponent: Vector[np.int64]
    lost: Vector[np.float64]
    place: Vector[np.int64]


def chances(
    plan: JoinTree, inside: TableValues, check: Callable[[], None]
) -> NDArray[np.float64] | None:
    """The chance of a mine in a cell of each box, (boxes,), exactly 0 or 1 where that is certain.

    ``inside`` are weights inside all tables, as from `solvers.counting.circuit.inside`, of which
    the root's is not 0. ``check`` is called every few hundredths of a second, and may raise. None
    if there is doubt about a chance.
    """
    tables = plan.entries.size
    start = np.concatenate(([0], np.cumsum(inside.entries)))
    outside = _Outside(
        np.zeros((int(start[-1]), 2)),
        start,
        np.zeros(tables, np.int64),
        np.zeros(tables),
        np.array([plan.left.size - 1, 0]),
    )
    outside.numbers[-1, 0] = 1.0
    room = room_of(plan)
    while outside.place[_JOIN] >= 0:
        check()
        if not _go_on(plan, inside, outside, room, _SLICE):
            return None
    found = np.empty(plan.boxes)
    return found if _fill(plan, inside, outside, found) else None


@compiled
def _go_on(plan: JoinTree, inside: TableValues, outside: _Outside, room: int, work: int) -> bool:
    """Go on with the values outside until ``work`` is done; False if one may lose digits."""
    place = outside.place
    found = np.empty((3, room), np.int32)
    while place[_JOIN] >= 0 and work > 0:
        join = place[_JOIN]
        left, right = plan.left[join], plan.right[join]
        result = plan.size.size + 1 + join
        ours, our_exponent, kept = _twofold(rows_of(inside, left))
        theirs, their_exponent, kept_too = _twofold(rows_of(inside, right))
        above, one, other = _of(outside, result), _of(outside, left), _of(outside, right)
        sure = kept and kept_too
        while sure and place[_ENTRY] < ours.shape[0] and work > 0:
            count, place[_ENTRY] = join_edges(plan, join, place[_ENTRY], found)
            a, b, d = found[0, :count], found[1, :count], found[2, :count]
            sure = _add(above, ours, d, a, b, other) and _add(above, theirs, d, b, a, one)
            work -= 50 + count
        if not sure:
            return False
        if place[_ENTRY] == ours.shape[0]:
            # As many numbers go into a sum as the table beside has, at most.
            outside.lost[left] = outside.lost[result] + theirs.shape[0] + 4
            outside.lost[right] = outside.lost[result] + ours.shape[0] + 4
            outside.exponent[left] = outside.exponent[result] + their_exponent + _scale(one)
            outside.exponent[right] = outside.exponent[result] + our_exponent + _scale(other)
            place[_JOIN] -= 1
            place[_ENTRY] = 0
    return True


@inlined
def _of(outside: _Outside, table: int) -> Matrix[np.float64]:
    """The values outside of a table, (entries, 2)."""
    return outside.numbers[outside.start[table] : outside.start[table + 1]]


@inner
def _twofold(rows: Matrix[np.uint64]) -> tuple[NDArray[np.float64], int, bool]:
    """Values inside, scaled so that the largest is below 1; the exponent, and whether all fit."""
    top = rows.shape[1] - 1
    exponent = 64 * (top + 1)
    found = np.zeros((rows.shape[0], 2))
    fits = True
    for entry in range(rows.shape[0]):
        highest = top
        while highest > 0 and rows[entry, highest] == 0:
            highest -= 1
        # Three limbs have more than 128 digits in all.
        number = (0.0, 0.0)
        for limb in range(max(0, highest - 2), highest + 1):
            bits = rows[entry, limb]
            # Halves are exact.
            for half, shift in ((bits & np.uint64(0xFFFFFFFF), 0), (bits >> np.uint64(32), 32)):
                part = ldexp(float(half), 64 * limb + shift - exponent)
                number = total((part, 0.0), number)
        fits = fits and (number[0] >= _LEAST or (number[0] == 0.0 and rows[entry, highest] == 0))
        found[entry, 0], found[entry, 1] = number
    return found, exponent, fits


@inner
def _add(
    above: Matrix[np.float64],
    beside: Matrix[np.float64],
    d: Vector[np.int32],
    a: Vector[np.int32],
    b: Vector[np.int32],
    sums: Matrix[np.float64],
) -> bool:
    """Add ``above[d] * beside[a]`` to ``sums[b]``, edge by edge; False if one may lose digits."""
    fits = True
    for edge in range(d.size):
        one = (above[d[edge], 0], above[d[edge], 1])
        other = (beside[a[edge], 0], beside[a[edge], 1])
        if one[0] > 0.0 and other[0] > 0.0:
            more = times(one, other)
            fits = fits and more[0] >= _LEAST * _LEAST
            into = b[edge]
            sums[into, 0], sums[into, 1] = total((sums[into, 0], sums[into, 1]), more)
    return fits


@inlined
def _scale(numbers: Matrix[np.float64]) -> int:
    """Scale a table so that its largest number is below 1; the exponent of what was taken out."""
    _, exponent = frexp(numbers[:, 0].max())
    factor = ldexp(1.0, -exponent)
    for entry in range(numbers.shape[0]):
        numbers[entry, 0] *= factor
        numbers[entry, 1] *= factor
    return int(exponent)


@compiled
def _fill(
    plan: JoinTree, inside: TableValues, outside: _Outside, chances: Vector[np.float64]
) -> bool:
    """Fill in the chance of each box; False if there is doubt about one."""
    roots, root_exponent, sure = _twofold(rows_of(inside, plan.entries.size - 1))
    whole = (roots[0, 0], roots[0, 1])
    for box in range(plan.size.size):
        ways, exponent, fits = _twofold(rows_of(inside, box))
        beyond = _of(outside, box)
        size = plan.size[box]
        held = (0.0, 0.0)
        can_hold = can_lack = False
        for mines in range(size + 1):
            if beyond[mines, 0] > 0.0:
                can_hold = can_hold or mines > 0
                can_lack = can_lack or mines < size
                weight = times((ways[mines, 0], ways[mines, 1]), (float(mines), 0.0))
                held = total(held, times(weight, (beyond[mines, 0], beyond[mines, 1])))
        if not (can_hold and can_lack):
            chances[box] = 0.0 if can_lack else 1.0
            continue
        shift = outside.exponent[box] + exponent - root_exponent
        share = quotient(held, times((float(size), 0.0), whole))
        scaled = (ldexp(share[0], shift), ldexp(share[1], shift))
        nearest, certain = rounded(scaled, _LOST * (outside.lost[box] + size + 8))
        sure = sure and fits and certain and nearest > _LEAST
        chances[box] = min(nearest, _BELOW_ONE)
    return sure
