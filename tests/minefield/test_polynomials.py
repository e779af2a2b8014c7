"""Layouts by mines, packed into integers and back."""

from collections import Counter
from math import comb

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from minecheck.minefield.polynomials import (
    convolve,
    count_by_mines,
    list_binomials,
    multiply_polynomials,
    pack_from_fewest,
    pack_polynomial,
    unpack_from_fewest,
    unpack_polynomial,
)

SIZE = 3

polynomials = st.dictionaries(st.integers(0, 200), st.integers(1, (1 << 8 * SIZE) - 1), max_size=40)
small = st.dictionaries(st.integers(0, 6), st.integers(1, 20), max_size=5)


def multiply_terms(factors: list[dict[int, int]]) -> dict[int, int]:
    """The product, term by term."""
    found = Counter({0: 1})
    for factor in factors:
        after: Counter[int] = Counter()
        for mines, layouts in found.items():
            for more, ways in factor.items():
                after[mines + more] += layouts * ways
        found = after
    return dict(sorted(found.items()))


@given(polynomials)
def test_unpack_from_fewest_is_the_inverse_of_pack_from_fewest(layouts: dict[int, int]) -> None:
    packed, fewest = pack_from_fewest(layouts, SIZE)
    assert unpack_from_fewest(packed, SIZE, fewest) == layouts


@given(polynomials)
def test_unpack_from_fewest_returns_ascending_mines(layouts: dict[int, int]) -> None:
    packed, fewest = pack_from_fewest(layouts, SIZE)
    assert list(unpack_from_fewest(packed, SIZE, fewest)) == sorted(layouts)


@pytest.mark.parametrize("degree", [1, 30, 31, 32, 33, 63, 64, 65, 1000])
def test_packed_polynomial_keeps_the_highest_number_of_mines(degree: int) -> None:
    layouts = [1] + [0] * (degree - 1) + [(1 << 8 * SIZE) - 1]
    assert unpack_polynomial(pack_polynomial(layouts, SIZE), SIZE) == layouts


def test_pack_polynomial_packs_no_layouts_to_zero() -> None:
    assert pack_polynomial([], 5) == 0
    assert unpack_polynomial(0, 5) == []
    assert pack_from_fewest({}, 5) == (0, 0)


@given(st.lists(small, max_size=5))
def test_multiply_polynomials_multiplies_layouts_and_adds_mines(
    factors: list[dict[int, int]],
) -> None:
    # 20 layouts for each of 7 numbers of mines, five times, stay below 2 ** 40.
    assert multiply_polynomials(factors, 40) == multiply_terms(factors)


def test_multiply_polynomials_of_no_factors_is_one_empty_layout() -> None:
    assert multiply_polynomials([], 1) == {0: 1}


def test_multiply_polynomials_with_an_inconsistent_factor_is_empty() -> None:
    assert multiply_polynomials([{1: 3}, {}, {0: 1}], 9) == {}


@given(st.lists(small, max_size=4), st.integers(0, 9), st.integers(-2, 5))
def test_count_by_mines_adds_free_cells_and_decided_mines(
    parts: list[dict[int, int]], free: int, decided: int
) -> None:
    parts = [dict(sorted(part.items())) for part in parts]
    expected = multiply_terms([*parts, list_binomials(free)])
    found = count_by_mines(parts, free, decided)
    assert found == {mines + decided: layouts for mines, layouts in expected.items()}
    assert list(found) == sorted(found)


def test_count_by_mines_leaves_out_what_a_single_part_has_no_layouts_for() -> None:
    assert count_by_mines([{0: 0, 1: 3, 2: 0}], 0, 4) == {5: 3}


@pytest.mark.parametrize(("parts", "free"), [([{3: 1000}, {}], 0), ([{}], 20), ([{}], 0)])
def test_count_by_mines_of_a_part_without_layouts_is_empty(
    parts: list[dict[int, int]], free: int
) -> None:
    assert count_by_mines(parts, free, 2) == {}


@given(*[st.lists(st.integers(0, 20), max_size=40)] * 2)
@example([1, 2, 1], list(list_binomials(50).values()))
@example([], [1] * 11)
def test_convolve_multiplies_term_by_term(left: list[int], right: list[int]) -> None:
    found = convolve(left, right)
    expected = multiply_terms([dict(enumerate(left)), dict(enumerate(right))])
    assert dict(enumerate(found)) == {mines: expected.get(mines, 0) for mines in range(len(found))}
    assert sum(found) == sum(left) * sum(right)


@pytest.mark.parametrize("cells", [0, 1, 2, 7, 60])
def test_list_binomials_counts_the_layouts_of_free_cells(cells: int) -> None:
    assert list_binomials(cells) == {mines: comb(cells, mines) for mines in range(cells + 1)}


@given(st.lists(st.integers(0, 12), max_size=5))
def test_binomials_of_parts_multiply_to_those_of_the_whole(parts: list[int]) -> None:
    assert multiply_polynomials(map(list_binomials, parts), sum(parts) + 1) == list_binomials(
        sum(parts)
    )
