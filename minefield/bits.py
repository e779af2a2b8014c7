"""Bits of words of 64."""

from typing import Final

import numpy as np

from minecheck.minefield.compiled import FixedVector, inline_kernel

ZERO: Final = np.uint64(0)
ONE: Final = np.uint64(1)


@inline_kernel
def count_bits(word: np.uint64) -> int:
    """Return the number of set bits, 0 to 64.

    Counts of pairs, fours and bytes stand side by side in the word; a byte's sum is at most 8, and
    the multiplication adds the bytes up in the highest one, at most 64.
    """
    halves = np.uint64(0x5555555555555555)
    pairs = np.uint64(0x3333333333333333)
    fours = np.uint64(0x0F0F0F0F0F0F0F0F)
    word -= word >> ONE & halves
    word = (word & pairs) + (word >> np.uint64(2) & pairs)
    word = word + (word >> np.uint64(4)) & fours
    return int(word * np.uint64(0x0101010101010101) >> np.uint64(56))


@inline_kernel
def count_all_bits(words: FixedVector[np.uint64]) -> int:
    """Return the number of set bits in all words together."""
    count = 0
    for index in range(words.size):
        count += count_bits(words[index])
    return count


@inline_kernel
def find_lowest_bit(word: np.uint64) -> int:
    """Return the index of the lowest set bit, 0 to 63; ``word`` must not be 0.

    ``(word - 1) & ~word`` has ones exactly at the indices below it.
    """
    return count_bits((word - ONE) & ~word)


@inline_kernel
def find_highest_bit(word: np.uint64) -> int:
    """Return the index of the highest set bit, 0 to 63; ``word`` must not be 0."""
    for shift in (1, 2, 4, 8, 16, 32):
        word |= word >> np.uint64(shift)
    return count_bits(word) - 1
