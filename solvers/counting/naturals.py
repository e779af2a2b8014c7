"""Exact sums of products of large natural numbers, in compiled loops.

A table of natural numbers is a uint64 array of shape (entries, limbs): each row
holds one number, its lowest 64 bits first. No table is wider than its largest
number needs, and none is narrower than one limb.

All work is one operation, a sum of products along edges. Upwards in a
circuit of joins it gives the values inside, downwards those outside, the
derivatives of the root: over all entries of a table, inside times outside adds
up to the root.
"""

from collections.abc import Sequence
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from minecheck.minefield.compiled import (
    Matrix,
    Vector,
    compile_without_references,
    in_machine_code,
    inline_kernel,
)

Naturals: TypeAlias = NDArray[np.uint64]


def to_naturals(numbers: Sequence[int]) -> Naturals:
    """Return the table of natural numbers, (numbers, limbs), as few limbs as the largest needs.

    Raises:
        OverflowError: a number is negative.
    """
    limbs = max(1, -(-max((number.bit_length() for number in numbers), default=0) // 64))
    limb_bytes = bytearray().join([number.to_bytes(8 * limbs, "little") for number in numbers])
    return np.frombuffer(limb_bytes, np.uint64).reshape(len(numbers), limbs)


def to_integers(table: Naturals) -> list[int]:
    """Return all numbers of a table."""
    if table.shape[1] == 1:
        return [int(number) for number in table[:, 0].tolist()]
    limb_bytes, row = table.tobytes(), 8 * table.shape[1]
    return [
        int.from_bytes(limb_bytes[start : start + row], "little")
        for start in range(0, len(limb_bytes), row)
    ]


def to_integer(table: Naturals, entry: int) -> int:
    """Return one number of a table.

    Args:
        table: natural numbers: (entries, limbs).
        entry: the row of the number.
    """
    return int.from_bytes(table[entry].tobytes(), "little")


def _multiply_add_in_python(
    a: np.uint64, b: np.uint64, c: np.uint64, d: np.uint64
) -> tuple[np.uint64, np.uint64]:
    """Return the low and the high 64 bits of ``a * b + c + d``, which never exceeds 128 bits."""
    total = int(a) * int(b) + int(c) + int(d)
    return np.uint64(total & 0xFFFF_FFFF_FFFF_FFFF), np.uint64(total >> 64)


def _multiply_add_as_ir(typing: Any, a: Any, b: Any, c: Any, d: Any) -> Any:
    """Return the types of `_multiply_add_in_python` and its code generator."""
    from llvmlite import ir  # type: ignore[import-untyped]
    from numba import types

    def generate_code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        limb, wide_type = ir.IntType(64), ir.IntType(128)
        a, b, c, d = (builder.zext(argument, wide_type) for argument in arguments)
        total = builder.add(builder.add(builder.mul(a, b), c), d)
        low = builder.trunc(total, limb)
        high = builder.trunc(builder.lshr(total, wide_type(64)), limb)
        return context.make_tuple(builder, signature.return_type, (low, high))

    limb = types.uint64
    pair_type = types.UniTuple(limb, 2)  # type: ignore[no-untyped-call]
    return pair_type(limb, limb, limb, limb), generate_code


# Numba has no integers of 128 bits, but LLVM has: this becomes one multiplication.
_multiply_add: Final = in_machine_code(_multiply_add_as_ir, unless_compiled=_multiply_add_in_python)


#: Numbers of no more limbs are multiplied limb by limb.
_SHORT: Final = 4


@compile_without_references
def sum_width(left: Matrix[np.uint64], right: Matrix[np.uint64], edges: int) -> int:
    """Return the limbs that are enough for any sum of ``edges`` products.

    The widths of the largest factors and of the number of edges add up, in bits.

    Args:
        left: the table of one factor: (entries, limbs).
        right: the table of the other.
        edges: how many products are added at most.
    """
    bits = 64 * (left.shape[1] + right.shape[1] - 2)
    for table in (left, right):
        highest, top_limb = np.uint64(0), table.shape[1] - 1
        for entry in range(table.shape[0]):
            highest = max(highest, table[entry, top_limb])
        while highest:
            bits += 1
            highest >>= np.uint64(1)
    while edges:
        bits += 1
        edges >>= 1
    return int(max(1, (bits + 63) // 64))


@compile_without_references
def add_products(
    left: Matrix[np.uint64],
    right: Matrix[np.uint64],
    left_rows: Vector[np.int32],
    right_rows: Vector[np.int32],
    sum_rows: Vector[np.int32],
    sums: Matrix[np.uint64],
) -> None:
    """Add a row of ``left`` times a row of ``right`` to a row of ``sums``, edge by edge.

    Args:
        left: a table of natural numbers: (entries, limbs).
        right: another table.
        left_rows: for each edge a row of ``left``.
        right_rows: for each edge a row of ``right``.
        sum_rows: for each edge a row of ``sums``.
        sums: the sums, wide enough for each of them; see `sum_width`.
    """
    if left.shape[1] > right.shape[1]:
        left, right, left_rows, right_rows = right, left, right_rows, left_rows
    if sums.shape[1] == 1:
        for edge in range(left_rows.size):
            sums[sum_rows[edge], 0] += left[left_rows[edge], 0] * right[right_rows[edge], 0]
    elif left.shape[1] <= _SHORT:
        _add_short(left, right, left_rows, right_rows, sum_rows, sums)
    else:
        _add_long(left, right, left_rows, right_rows, sum_rows, sums)


@inline_kernel
def _add_short(
    left: Matrix[np.uint64],
    right: Matrix[np.uint64],
    left_rows: Vector[np.int32],
    right_rows: Vector[np.int32],
    sum_rows: Vector[np.int32],
    sums: Matrix[np.uint64],
) -> None:
    """Add products like `add_products`, if ``left`` has few limbs.

    A limb of ``sums`` is touched only if something goes into it, so its rows need no spare one.
    """
    for edge in range(left_rows.size):
        left_row, right_row, sum_row = left_rows[edge], right_rows[edge], sum_rows[edge]
        end = right.shape[1]
        while end > 0 and right[right_row, end - 1] == 0:
            end -= 1
        for left_limb in range(left.shape[1] if end > 0 else 0):
            limb = left[left_row, left_limb]
            # A limb may be there only if something goes into it.
            if limb:
                carry = np.uint64(0)
                for index in range(end):
                    low, carry = _multiply_add(
                        limb, right[right_row, index], sums[sum_row, left_limb + index], carry
                    )
                    sums[sum_row, left_limb + index] = low
                index = left_limb + end
                while carry:
                    low, carry = _multiply_add(
                        np.uint64(1), carry, sums[sum_row, index], np.uint64(0)
                    )
                    sums[sum_row, index] = low
                    index += 1


@inline_kernel
def _add_long(
    left: Matrix[np.uint64],
    right: Matrix[np.uint64],
    left_rows: Vector[np.int32],
    right_rows: Vector[np.int32],
    sum_rows: Vector[np.int32],
    sums: Matrix[np.uint64],
) -> None:
    """Add products like `add_products`, if ``left`` is no wider than ``right``.

    Slices are views: ``sums[sum_row, index:]`` is where the limb at ``index`` begins to count.
    """
    for edge in range(left_rows.size):
        left_row, right_row, sum_row = left_rows[edge], right_rows[edge], sum_rows[edge]
        end = right.shape[1]
        while end > 0 and right[right_row, end - 1] == 0:
            end -= 1
        index = 0 if end > 0 else left.shape[1]
        while index < left.shape[1]:
            low = left[left_row, index]
            high = left[left_row, index + 1] if index + 1 < left.shape[1] else np.uint64(0)
            if high and low:
                _add_two(low, high, right[right_row, :end], sums[sum_row, index:])
                index += 1
            elif low:
                _add_one(low, right[right_row, :end], sums[sum_row, index:])
            index += 1


@inline_kernel
def _add_one(limb: np.uint64, factor: Vector[np.uint64], total: Vector[np.uint64]) -> None:
    """Add ``limb * factor`` to ``total``, which has room for the result.

    A product of two limbs, a limb and a carry together fit into 128 bits.
    """
    carry = np.uint64(0)
    for index in range(factor.size):
        total[index], carry = _multiply_add(limb, factor[index], total[index], carry)
    _add_carry(carry, total, factor.size)


@inline_kernel
def _add_two(
    low: np.uint64, high: np.uint64, factor: Vector[np.uint64], total: Vector[np.uint64]
) -> None:
    """Add ``(low + (high << 64)) * factor`` to ``total``; neither ``high`` nor ``factor`` is 0.

    The two chains of carries are independent, so the processor overlaps them.
    """
    zero, one = np.uint64(0), np.uint64(1)
    carry, high_carry, previous_limb = zero, zero, zero
    for index in range(factor.size):
        limb = factor[index]
        middle, carry = _multiply_add(low, limb, total[index], carry)
        total[index], high_carry = _multiply_add(high, previous_limb, middle, high_carry)
        previous_limb = limb
    index = factor.size
    middle, high_carry = _multiply_add(high, previous_limb, total[index], high_carry)
    total[index], carry = _multiply_add(one, middle, carry, zero)
    # A limb may be there only if something goes into it.
    if carry | high_carry:
        total[index + 1], carry = _multiply_add(one, carry, high_carry, total[index + 1])
        _add_carry(carry, total, index + 2)


@inline_kernel
def _add_carry(carry: np.uint64, total: Vector[np.uint64], index: int) -> None:
    """Add ``carry`` to limb ``index``; ``total`` has a limb wherever a carry goes."""
    while carry:
        total[index], carry = _multiply_add(np.uint64(1), carry, total[index], np.uint64(0))
        index += 1


@compile_without_references
def close_up(table: Matrix[np.uint64]) -> int:
    """Move all rows forward so that they have only the limbs they need; return their number.

    ``flat`` is a view of the table, whose rows keep their order, so that none is overwritten before
    it moves. The rest of the memory is left as it is.
    """
    limbs = 1
    for row in range(table.shape[0]):
        for index in range(table.shape[1] - 1, limbs - 1, -1):
            if table[row, index]:
                limbs = index + 1
                break
    if limbs < table.shape[1]:
        flat = table.reshape(-1)
        for row in range(1, table.shape[0]):
            for index in range(limbs):
                flat[row * limbs + index] = table[row, index]
    return limbs
