"""Sets of numbers as bits, against Python's sets."""

from hypothesis import example, given
from hypothesis import strategies as st

from minecheck.solvers.counting.mine_sets import add_sets


def members(numbers: int) -> set[int]:
    return {number for number in range(numbers.bit_length()) if numbers >> number & 1}


@given(st.integers(0, 2**20 - 1), st.integers(0, 2**20 - 1))
@example(0b1110011, 0b101)
@example(0, 0b111)
def test_add_sets_returns_the_sums_of_any_two_members(left: int, right: int) -> None:
    sums = {one + other for one in members(left) for other in members(right)}
    assert members(add_sets(left, right)) == sums
