"""Combinations by rank, against those of itertools."""

from itertools import combinations
from math import comb

import pytest

from minecheck.solvers.counting.combinations import rank_combination, unrank_combination


@pytest.mark.parametrize("items", range(8))
def test_combinations_are_ranked_in_lexicographic_order(items: int) -> None:
    for chosen in range(items + 1):
        ranks = range(comb(items, chosen))
        found = [tuple(unrank_combination(items, chosen, rank)) for rank in ranks]
        assert found == list(combinations(range(items), chosen))
        assert [rank_combination(items, cells) for cells in found] == list(ranks)


def test_last_combination_of_very_many_is_ranked() -> None:
    assert unrank_combination(500, 250, comb(500, 250) - 1) == list(range(250, 500))
    assert rank_combination(500, range(250, 500)) == comb(500, 250) - 1
