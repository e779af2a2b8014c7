"""Bits of words of 64."""

from typing import Final

import numpy as np

from minefield.compiled import FixedVector, inlined

ZERO: Final = np.uint64(0)
ONE: Final = np.uint64(1)


@inlined
def how_many(word: np.uint64) -> int:
    """How many bits are set."""
    halves = np.uint64(0x5555555555555555)
    pairs = np.uint64(0x3333333333333333)
    fours = np.uint64(0x0F0F0F0F0F0F0F0F)
    word -= word >> ONE & halves
    word = (word & pairs) + (word >> np.uint64(2) & pairs)
    word = word + (word >> np.uint64(4)) & fours
    return int(word * np.uint64(0x0101010101010101) >> np.uint64(56))


@inlined
def how_many_of(words: FixedVector[np.uint64]) -> int:
    """How many bits of all these are set."""
    found = 0
    for place in range(words.size):
        found += how_many(words[place])
    return found


@inlined
def lowest(word: np.uint64) -> int:
    """The place of the lowest bit that is set; there must be one."""
    return how_many((word - ONE) & ~word)


@inlined
def highest(word: np.uint64) -> int:
    """The place of the highest bit that is set; there must be one."""
    for shift in (1, 2, 4, 8, 16, 32):
        word |= word >> np.uint64(shift)
    return how_many(word) - 1
