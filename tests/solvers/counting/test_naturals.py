"""Sums of products of large natural numbers, against Python's own integers."""

from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from minecheck.minefield.compiled import Matrix, Vector, compile_kernel
from minecheck.solvers.counting.naturals import (
    Naturals,
    add_products,
    close_up,
    sum_width,
    to_integer,
    to_integers,
    to_naturals,
)

LIMB = 1 << 64

#: Small and large, limbs full of ones, single limbs high up, and packed runs with gaps.
numbers = st.one_of(
    st.integers(0, 9),
    st.integers(0, LIMB),
    st.integers(0, 1 << 2000),
    st.integers(1, 30).map(lambda limbs: LIMB**limbs - 1),
    st.integers(0, 30).map(lambda limbs: LIMB**limbs),
    st.tuples(st.integers(1, 12), st.integers(0, 12)).map(
        lambda run: (LIMB ** run[0] - 1) * LIMB ** run[1]
    ),
    st.lists(st.sampled_from([0, 0, 1, LIMB - 1]), max_size=12).map(
        lambda limbs: sum(limb * LIMB**power for power, limb in enumerate(limbs))
    ),
)
#: Tables of one limb, of a few, and of anything.
tables = st.one_of(
    st.lists(st.integers(0, 9), min_size=1, max_size=5),
    st.lists(st.integers(0, LIMB - 1), min_size=1, max_size=5),
    st.lists(st.integers(0, LIMB**3), min_size=1, max_size=5),
    st.lists(numbers, min_size=1, max_size=5),
)


@compile_kernel
def join(
    left: Matrix[np.uint64],
    right: Matrix[np.uint64],
    a: Vector[np.int32],
    b: Vector[np.int32],
    d: Vector[np.int32],
    entries: int,
) -> NDArray[np.uint64]:
    """A table of so many sums: each edge e adds ``left[a[e]] * right[b[e]]`` to number ``d[e]``."""
    sums = np.zeros((entries, sum_width(left, right, a.size)), np.uint64)
    add_products(left, right, a, b, d, sums)
    limbs = close_up(sums)
    return sums.reshape(-1)[: entries * limbs].reshape(entries, limbs)


def index(values: list[int]) -> NDArray[np.int32]:
    return np.array(values, np.int32)


def edges_between(left: int, right: int, result: int) -> st.SearchStrategy[list[tuple[int, ...]]]:
    ends = (st.integers(0, size - 1) for size in (left, right, result))
    return st.lists(st.tuples(*ends), max_size=20)


def columns(edges: list[tuple[int, ...]]) -> tuple[NDArray[np.int32], ...]:
    return tuple(index([edge[end] for edge in edges]) for end in range(3))


def multiply_plainly(
    left: list[int], right: list[int], edges: list[tuple[int, ...]], entries: int
) -> list[int]:
    sums = [0] * entries
    for a, b, d in edges:
        sums[d] += left[a] * right[b]
    return sums


def limbs(values: list[int]) -> int:
    return max(1, -(-max(values, default=0).bit_length() // 64))


def check(table: Naturals, values: list[int]) -> None:
    """The table holds the values and is no wider than they need."""
    assert to_integers(table) == values
    assert table.shape == (len(values), limbs(values))


@given(st.lists(numbers, max_size=8))
def test_naturals_table_returns_its_numbers(values: list[int]) -> None:
    table = to_naturals(values)
    assert table.dtype == np.uint64
    check(table, values)
    assert [to_integer(table, entry) for entry in range(len(values))] == values


def test_naturals_have_the_lowest_limb_first() -> None:
    assert to_naturals([5, 3 * LIMB + 2]).tolist() == [[5, 0], [2, 3]]


def test_naturals_reject_a_negative_number() -> None:
    with pytest.raises(OverflowError):
        to_naturals([3, -1])


@pytest.mark.slow
@given(st.data(), tables, tables, st.integers(1, 4))
def test_join_of_naturals_is_the_sum_of_products_along_edges(
    data: st.DataObject, left: list[int], right: list[int], entries: int
) -> None:
    edges = data.draw(edges_between(len(left), len(right), entries))
    a, b, d = columns(edges)
    found = join(to_naturals(left), to_naturals(right), a, b, d, entries)
    check(found, multiply_plainly(left, right, edges, entries))


@pytest.mark.slow
@given(numbers, numbers)
def test_join_of_naturals_multiplies_two_numbers(left: int, right: int) -> None:
    zero = index([0])
    check(join(to_naturals([left]), to_naturals([right]), zero, zero, zero, 1), [left * right])


@given(st.integers(1, 9), st.integers(1, 9), st.integers(1, 70))
def test_join_of_naturals_carries_full_limbs_into_the_last_limb(
    left: int, right: int, edges: int
) -> None:
    x, y = LIMB**left - 1, LIMB**right - 1
    zeros = index([0] * edges)
    check(join(to_naturals([x]), to_naturals([y]), zeros, zeros, zeros, 1), [x * y * edges])


@pytest.mark.parametrize("more", [0, 1, LIMB - 1, LIMB**5])
def test_join_of_naturals_carries_through_many_limbs(more: int) -> None:
    full = LIMB**40 - 1
    left, right = to_naturals([full, 1, LIMB]), to_naturals([1, 1 + more])
    a, b, d = index([0, 1, 2]), index([0, 0, 1]), index([0, 0, 0])
    check(join(left, right, a, b, d, 1), [full + 1 + LIMB * (1 + more)])


@given(st.lists(st.integers(0, 40), min_size=1, max_size=6), st.integers(0, 40))
def test_join_of_naturals_adds_the_degrees_of_packed_monomials(
    degrees: list[int], shift: int
) -> None:
    left, right = to_naturals([LIMB**degree for degree in degrees]), to_naturals([LIMB**shift])
    a = index(list(range(len(degrees))))
    found = join(left, right, a, np.zeros_like(a), a, a.size)
    assert to_integers(found) == [LIMB ** (degree + shift) for degree in degrees]


@pytest.mark.parametrize("entries", [0, 1, 3])
def test_join_of_naturals_without_edges_is_zero(entries: int) -> None:
    none = index([])
    check(join(to_naturals([LIMB**3]), to_naturals([7]), none, none, none, entries), [0] * entries)


def test_join_of_naturals_accepts_limbs_that_are_always_zero() -> None:
    wide = np.array([[3, 0, 0, 0], [0, 2, 0, 0]], np.uint64)
    a, b, d = columns([(0, 0, 0), (0, 1, 1), (1, 1, 2)])
    check(join(wide, wide, a, b, d, 3), [9, 6 * LIMB, 4 * LIMB**2])
    check(join(to_naturals([5]), wide, a * 0, b, d, 3), [15, 10 * LIMB, 10 * LIMB])


def test_chain_of_joins_counts_the_ways_to_choose() -> None:
    sizes = [3, 5, 8, 60, 70, 90]
    inside = to_naturals([1])
    for size in sizes:
        leaf = to_naturals([comb(size, mines) for mines in range(size + 1)])
        b, a = (side.ravel().astype(np.int32) for side in np.indices((len(leaf), len(inside))))
        inside = join(inside, leaf, a, b, a + b, len(inside) + size)
    cells = sum(sizes)
    check(inside, [comb(cells, mines) for mines in range(cells + 1)])
