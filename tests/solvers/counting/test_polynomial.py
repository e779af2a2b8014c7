"""Layouts by mines, packed into integers and back."""

from collections import Counter
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minecheck.solvers.counting.polynomial import (
    list_binomials,
    multiply_polynomials,
    pack_polynomial,
    read_coefficient,
    unpack_polynomial,
)

WIDTH = 20

polynomials = st.dictionaries(st.integers(0, 200), st.integers(1, (1 << WIDTH) - 1), max_size=40)
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
def test_unpacking_is_the_inverse_of_packing(layouts: dict[int, int]) -> None:
    assert unpack_polynomial(pack_polynomial(layouts, WIDTH), WIDTH) == layouts


@given(polynomials)
def test_unpacked_mines_ascend(layouts: dict[int, int]) -> None:
    assert list(unpack_polynomial(pack_polynomial(layouts, WIDTH), WIDTH)) == sorted(layouts)


@pytest.mark.parametrize("degree", [0, 1, 30, 31, 32, 33, 63, 64, 65, 1000])
def test_the_highest_number_of_mines_survives(degree: int) -> None:
    layouts = {0: 1, degree: (1 << WIDTH) - 1}
    assert unpack_polynomial(pack_polynomial(layouts, WIDTH), WIDTH) == layouts


def test_nothing_packs_to_nothing() -> None:
    assert pack_polynomial({}, 5) == 0
    assert unpack_polynomial(0, 5) == {}


@given(polynomials, st.integers(-3, 210))
def test_a_coefficient_is_read_without_unpacking(layouts: dict[int, int], mines: int) -> None:
    assert read_coefficient(pack_polynomial(layouts, WIDTH), WIDTH, mines) == layouts.get(mines, 0)


@given(st.lists(small, max_size=5))
def test_a_product_multiplies_layouts_and_adds_mines(factors: list[dict[int, int]]) -> None:
    # 20 layouts for each of 7 numbers of mines, five times, stay below 2 ** 40.
    assert multiply_polynomials(factors, 40) == multiply_terms(factors)


def test_a_product_of_nothing_is_the_one_empty_layout() -> None:
    assert multiply_polynomials([], 1) == {0: 1}


def test_a_product_with_an_inconsistent_part_is_empty() -> None:
    assert multiply_polynomials([{1: 3}, {}, {0: 1}], 9) == {}


@pytest.mark.parametrize("cells", [0, 1, 2, 7, 60])
def test_free_cells_have_binomials(cells: int) -> None:
    assert list_binomials(cells) == {mines: comb(cells, mines) for mines in range(cells + 1)}


@given(st.lists(st.integers(0, 12), max_size=5))
def test_free_cells_in_parts_are_free_cells_together(parts: list[int]) -> None:
    assert multiply_polynomials(map(list_binomials, parts), sum(parts) + 1) == list_binomials(
        sum(parts)
    )
