"""Natural numbers of any size, rounded to twice the digits of a double.

A number is a pair of doubles times a power of two of its own: nothing is too large or too small.
Only sums and products are there, and nothing is ever negative: what is 0 stays 0 and nothing else
becomes 0, and an operation loses no more than `LOST` of a number, relatively.

Tested in tests/solvers/counting/test_component.py.
"""

from collections.abc import Sequence
from math import frexp, ldexp
from typing import Final, NamedTuple

import numpy as np

from minecheck.minefield.compiled import (
    Matrix,
    Vector,
    compile_inner,
    compile_kernel,
    compile_without_references,
    inline_kernel,
)
from minecheck.minefield.double_double import LOSS, Twofold, add_twofold
from minecheck.minefield.double_double import multiply_twofold as times
from minecheck.solvers.counting.naturals import to_naturals

#: An operation loses no more of a number, relatively.
LOST: Final = LOSS
#: Numbers smaller by this many bits do not change a sum.
_BITS: Final = 128
#: Integers below this are doubles.
_EXACT: Final = np.uint64(1 << 53)
_POWERS: Final = np.ldexp(1.0, -np.arange(_BITS))


class Rounded(NamedTuple):
    """Numbers: ``parts[n, 0] + parts[n, 1]`` times 2 to the ``exponent[n]``."""

    parts: Matrix[np.float64]
    exponent: Vector[np.int64]


def round_naturals(values: Sequence[int]) -> Rounded:
    """Return natural numbers, rounded."""
    return _round_table(to_naturals(values))


@inline_kernel
def make_zeros(count: int) -> Rounded:
    """Return ``count`` zeros."""
    return Rounded(np.zeros((count, 2)), np.zeros(count, np.int64))


@compile_kernel
def _round_table(table: Matrix[np.uint64]) -> Rounded:
    """Round like `rounded_table`, called from Python."""
    return rounded_table(table)


@compile_inner
def rounded_table(table: Matrix[np.uint64]) -> Rounded:
    """Return the numbers of a table of naturals, (rows, limbs), rounded: one a row.

    Three limbs from the highest on have more than 128 digits, and the rest is dropped.
    """
    found = make_zeros(table.shape[0])
    for row in range(table.shape[0]):
        highest = table.shape[1] - 1
        while highest >= 0 and table[row, highest] == 0:
            highest -= 1
        if highest < 0:
            continue
        if highest == 0 and table[row, 0] < _EXACT:
            found.parts[row, 0], found.exponent[row] = frexp(float(table[row, 0]))
            continue
        # Three limbs have more than 128 digits in all.
        number = (0.0, 0.0)
        for limb in range(max(0, highest - 2), highest + 1):
            bits = table[row, limb]
            # Halves are exact.
            for half, shift in ((bits & np.uint64(0xFFFFFFFF), 0), (bits >> np.uint64(32), 32)):
                part = ldexp(float(half), 64 * (limb - highest) + shift)
                number = add_twofold((part, 0.0), number)
        found.parts[row, 0], found.parts[row, 1] = number
        found.exponent[row] = 64 * highest
    scale_numbers(found)
    return found


@inline_kernel
def scale_numbers(numbers: Rounded) -> None:
    """Give all numbers parts below 1, and not below a half unless they are 0."""
    for row in range(numbers.exponent.size):
        if numbers.parts[row, 0] > 0.0 and not 0.5 <= numbers.parts[row, 0] < 1.0:
            _, exponent = frexp(numbers.parts[row, 0])
            numbers.parts[row, 0] = ldexp(numbers.parts[row, 0], -exponent)
            numbers.parts[row, 1] = ldexp(numbers.parts[row, 1], -exponent)
            numbers.exponent[row] += exponent


@inline_kernel
def part_of(numbers: Rounded, row: int) -> Twofold:
    """Return a number without its power of two.

    Args:
        numbers: rounded numbers.
        row: the index of one of them.
    """
    return numbers.parts[row, 0], numbers.parts[row, 1]


@compile_without_references
def add_products(
    one: Rounded,
    other: Rounded,
    a: Vector[np.int32],
    b: Vector[np.int32],
    d: Vector[np.int32],
    sums: Rounded,
) -> None:
    """Add ``one[a] * other[b]`` to ``sums[d]``, edge by edge; parts of both are below 1.

    Afterwards parts of sums may be larger than 1, and are not smaller than a quarter.

    Args:
        one: factors.
        other: other factors.
        a: for each edge an index into ``one``.
        b: for each edge an index into ``other``.
        d: for each edge an index into ``sums``.
        sums: the sums that are added to.
    """
    row = np.int64(-1)
    high, low, scale_of = 0.0, 0.0, np.int64(0)
    for edge in range(a.size):
        x, y = a[edge], b[edge]
        if one.parts[x, 0] == 0.0 or other.parts[y, 0] == 0.0:
            continue
        if d[edge] != row:
            if row >= 0:
                sums.parts[row, 0], sums.parts[row, 1], sums.exponent[row] = high, low, scale_of
            row = np.int64(d[edge])
            high, low, scale_of = sums.parts[row, 0], sums.parts[row, 1], sums.exponent[row]
        exponent = one.exponent[x] + other.exponent[y]
        if high == 0.0:
            scale_of = exponent
        ahead = exponent - scale_of
        if ahead <= -_BITS:
            continue
        more = times(part_of(one, x), part_of(other, y))
        if ahead > 0:
            factor = _POWERS[ahead] if ahead < _BITS else 0.0
            high, low = add_twofold((high * factor, low * factor), more)
            scale_of = exponent
        else:
            factor = _POWERS[-ahead]
            high, low = add_twofold((high, low), (more[0] * factor, more[1] * factor))
    if row >= 0:
        sums.parts[row, 0], sums.parts[row, 1], sums.exponent[row] = high, low, scale_of
