"""Sets of numbers as bits, in compiled loops: all sums, or all differences, of members of two sets.

Member m is bit m of limb m // 64. Rows are sets, and edges say which rows are joined.

Tested in tests/solvers/counting/test_component.py.
"""

import numpy as np

from minecheck.minefield.bits import ONE, ZERO, find_lowest_bit
from minecheck.minefield.compiled import Matrix, Vector, inline_kernel


@inline_kernel
def add_sums(
    left: Matrix[np.uint64],
    right: Matrix[np.uint64],
    left_rows: Vector[np.int32],
    right_rows: Vector[np.int32],
    sum_rows: Vector[np.int32],
    sums: Matrix[np.uint64],
) -> None:
    """Add all sums of a member of a left set and one of a right set to a set, edge by edge.

    A member is a bit: bit m of limb m // 64. Rows of ``sums`` are wide enough for the largest sum.
    """
    for edge in range(left_rows.size):
        for limb in range(left.shape[1]):
            remaining = left[left_rows[edge], limb]
            while remaining != ZERO:
                _shift_up(
                    right[right_rows[edge]],
                    limb,
                    np.uint64(find_lowest_bit(remaining)),
                    sums[sum_rows[edge]],
                )
                remaining &= remaining - ONE


@inline_kernel
def _shift_up(
    members: Vector[np.uint64], limbs: int, bits: np.uint64, target: Vector[np.uint64]
) -> None:
    """Add ``members << (64 * limbs + bits)`` to a set; ``bits`` is below 64.

    A limb of ``target`` is touched only if something goes into it, so it need not have more than
    its largest member takes. Both are views of rows.
    """
    for limb in range(members.size):
        word = members[limb]
        # An entry without edges may have no limb.
        if word:
            target[limb + limbs] |= word << bits
            if bits and word >> (np.uint64(64) - bits):
                target[limb + limbs + 1] |= word >> (np.uint64(64) - bits)


@inline_kernel
def add_differences(
    left: Matrix[np.uint64],
    right: Matrix[np.uint64],
    left_rows: Vector[np.int32],
    right_rows: Vector[np.int32],
    sum_rows: Vector[np.int32],
    sums: Matrix[np.uint64],
) -> None:
    """Add all differences >= 0 of a left set and a right set to a set, edge by edge.

    A member is a bit: bit m of limb m // 64. Rows of ``sums`` are as wide as those of ``left``.
    """
    for edge in range(left_rows.size):
        for limb in range(min(left.shape[1], right.shape[1])):
            remaining = right[right_rows[edge], limb]
            while remaining != ZERO:
                _shift_down(
                    left[left_rows[edge]],
                    limb,
                    np.uint64(find_lowest_bit(remaining)),
                    sums[sum_rows[edge]],
                )
                remaining &= remaining - ONE


@inline_kernel
def _shift_down(
    members: Vector[np.uint64], limbs: int, bits: np.uint64, target: Vector[np.uint64]
) -> None:
    """Add ``members >> (64 * limbs + bits)`` to a set that has as many limbs; ``bits`` is below 64.

    What is shifted below 0 is lost. Both are views of rows.
    """
    for limb in range(limbs, members.size):
        word = members[limb]
        target[limb - limbs] |= word >> bits
        if bits and limb > limbs:
            target[limb - limbs - 1] |= word << (np.uint64(64) - bits)
