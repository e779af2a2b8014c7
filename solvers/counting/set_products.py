"""Sets of numbers as bits, in compiled loops: all sums, or all differences, of members of two sets.

Member m is bit m of limb m // 64. Rows are sets, and edges say which rows are joined.

Tested in tests/solvers/counting/test_component.py.
"""

import numpy as np

from minecheck.minefield.bits import ONE, ZERO, find_lowest_bit
from minecheck.minefield.compiled import (
    Matrix,
    Vector,
    inline_kernel,
)


@inline_kernel
def add_sums(
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
def add_differences(
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
