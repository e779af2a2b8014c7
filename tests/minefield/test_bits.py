"""Bits of words, against Python's integers."""

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from minecheck.minefield.bits import count_all_bits, count_bits, find_highest_bit, find_lowest_bit
from minecheck.minefield.compiled import Vector, compile_kernel


@compile_kernel
def ends(word: np.uint64) -> tuple[int, int]:
    return find_lowest_bit(word), find_highest_bit(word)


@compile_kernel
def counts(words: Vector[np.uint64]) -> tuple[int, int]:
    return count_bits(words[0]), count_all_bits(words)


WORDS = st.integers(1, 2**64 - 1)


@given(WORDS)
@example(1)
@example(2**63)
@example(2**64 - 1)
def test_bit_functions_find_the_lowest_and_the_highest_bit(word: int) -> None:
    assert ends(np.uint64(word)) == ((word & -word).bit_length() - 1, word.bit_length() - 1)


@given(st.lists(st.integers(0, 2**64 - 1), min_size=1, max_size=5))
@example([2**64 - 1, 0])
def test_bit_functions_count_the_bits_of_words(words: list[int]) -> None:
    expected = words[0].bit_count(), sum(word.bit_count() for word in words)
    assert counts(np.array(words, np.uint64)) == expected
