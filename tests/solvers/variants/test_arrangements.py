"""Ways to lay mines in cells that hold several each, against all of them."""

from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from minecheck.solvers.variants.arrangements import (
    count_arrangements,
    divide_out_cell,
    iterate_arrangement,
    rank_arrangement,
)

SPANS = st.lists(st.integers(0, 3), min_size=1, max_size=5)


def count_ways(spans: list[int]) -> list[int]:
    """Count the ways to lay each number of mines one by one."""
    totals = [sum(held) for held in product(*(range(span + 1) for span in spans))]
    return [totals.count(mines) for mines in range(sum(spans) + 1)]


@given(st.integers(0, 5), st.integers(0, 3))
def test_count_arrangements_counts_all_ways(cells: int, span: int) -> None:
    assert list(count_arrangements(cells, span)) == count_ways([span] * cells)


@given(SPANS)
def test_without_cell_leaves_the_ways_of_the_others(spans: list[int]) -> None:
    rest = count_ways(spans[1:])
    found = divide_out_cell(count_ways(spans), spans[0])
    assert found == rest + [0] * spans[0]


@given(SPANS, st.data())
def test_arrange_numbers_all_ways_in_lexicographic_order(
    spans: list[int], data: st.DataObject
) -> None:
    mines = data.draw(st.integers(0, sum(spans)))
    all_ways = [
        held for held in product(*(range(span + 1) for span in spans)) if sum(held) == mines
    ]
    ways = count_ways(spans)
    assert [
        tuple(iterate_arrangement(ways, spans, mines, number)) for number in range(len(all_ways))
    ] == all_ways
    for number, held in enumerate(all_ways):
        assert rank_arrangement(ways, zip(spans, held, strict=True), mines) == number
