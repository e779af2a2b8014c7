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


def round_naturals(naturals: Sequence[int]) -> Rounded:
    """Return natural numbers, rounded."""
    return round_rows(to_naturals(naturals))


@inline_kernel
def make_zeros(count: int) -> Rounded:
    """Return ``count`` zeros."""
    return Rounded(np.zeros((count, 2)), np.zeros(count, np.int64))


@compile_kernel
def round_rows(table: Matrix[np.uint64]) -> Rounded:
    """Return the numbers of a table of naturals, (rows, limbs), rounded: one a row.

    Three limbs from the highest on have more than 128 digits, and the rest is dropped.
    """
    rounded = make_zeros(table.shape[0])
    for row in range(table.shape[0]):
        highest = table.shape[1] - 1
        while highest >= 0 and table[row, highest] == 0:
            highest -= 1
        if highest < 0:
            continue
        if highest == 0 and table[row, 0] < _EXACT:
            rounded.parts[row, 0], rounded.exponent[row] = frexp(float(table[row, 0]))
            continue
        # Three limbs have more than 128 digits in all.
        twofold = (0.0, 0.0)
        for limb in range(max(0, highest - 2), highest + 1):
            bits = table[row, limb]
            # Halves are exact.
            for half, shift in ((bits & np.uint64(0xFFFFFFFF), 0), (bits >> np.uint64(32), 32)):
                scaled_half = ldexp(float(half), 64 * (limb - highest) + shift)
                twofold = add_twofold((scaled_half, 0.0), twofold)
        rounded.parts[row, 0], rounded.parts[row, 1] = twofold
        rounded.exponent[row] = 64 * highest
    scale_numbers(rounded)
    return rounded


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
def read_mantissa(numbers: Rounded, row: int) -> Twofold:
    """Return a number without its power of two.

    Args:
        numbers: rounded numbers.
        row: the index of one of them.
    """
    return numbers.parts[row, 0], numbers.parts[row, 1]


@compile_without_references
def add_products(
    left: Rounded,
    right: Rounded,
    left_rows: Vector[np.int32],
    right_rows: Vector[np.int32],
    sum_rows: Vector[np.int32],
    sums: Rounded,
) -> None:
    """Add an item of ``left`` times one of ``right`` to one of ``sums``, edge by edge.

    Parts of the factors are below 1. Afterwards parts of sums may be larger than 1, and are not
    smaller than a quarter.

    Args:
        left: the first factors.
        right: the second factors.
        left_rows: for each edge an index into ``left``.
        right_rows: for each edge an index into ``right``.
        sum_rows: for each edge an index into ``sums``.
        sums: the sums that are added to.
    """
    sum_row = np.int64(-1)
    high, low, scale_of = 0.0, 0.0, np.int64(0)
    for edge in range(left_rows.size):
        left_row, right_row = left_rows[edge], right_rows[edge]
        if left.parts[left_row, 0] == 0.0 or right.parts[right_row, 0] == 0.0:
            continue
        if sum_rows[edge] != sum_row:
            if sum_row >= 0:
                sums.parts[sum_row, 0], sums.parts[sum_row, 1], sums.exponent[sum_row] = (
                    high,
                    low,
                    scale_of,
                )
            sum_row = np.int64(sum_rows[edge])
            high, low, scale_of = (
                sums.parts[sum_row, 0],
                sums.parts[sum_row, 1],
                sums.exponent[sum_row],
            )
        exponent = left.exponent[left_row] + right.exponent[right_row]
        if high == 0.0:
            scale_of = exponent
        ahead = exponent - scale_of
        if ahead <= -_BITS:
            continue
        product = times(read_mantissa(left, left_row), read_mantissa(right, right_row))
        if ahead > 0:
            factor = _POWERS[ahead] if ahead < _BITS else 0.0
            high, low = add_twofold((high * factor, low * factor), product)
            scale_of = exponent
        else:
            factor = _POWERS[-ahead]
            high, low = add_twofold((high, low), (product[0] * factor, product[1] * factor))
    if sum_row >= 0:
        sums.parts[sum_row, 0], sums.parts[sum_row, 1], sums.exponent[sum_row] = high, low, scale_of
