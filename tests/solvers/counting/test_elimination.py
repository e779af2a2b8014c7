"""The joins of a component: each layout has exactly one way through them."""

from itertools import product
from math import inf, prod
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from minecheck.solvers.counting.closing_order import MOST_PRODUCTS
from minecheck.solvers.counting.elimination import _plan_joins, plan_joins
from minecheck.solvers.counting.join_tree import (
    CLUE,
    LEAST,
    RANGE,
    JoinTree,
    join_edges,
    list_edges,
)
from tests import dp
from tests.examples import examples


class Clues(NamedTuple):
    """Boxes by their sizes, and the clues over them."""

    sizes: list[int]
    clues: list[dp.Clue]


@st.composite
def components(draw: st.DrawFn) -> Clues:
    """Boxes, each in a clue at least, and clues that need not be consistent."""
    sizes = draw(st.lists(st.integers(1, 3), min_size=1, max_size=6))
    boxes = st.sets(st.integers(0, len(sizes) - 1), min_size=1)
    boxes_of_clues = draw(st.lists(boxes, min_size=1, max_size=5))
    boxes_of_clues.append(set(range(len(sizes))).difference(*boxes_of_clues) or {0})
    clues: list[dp.Clue] = []
    for members in boxes_of_clues:
        low = draw(st.integers(0, sum(sizes[box] for box in members)))
        clues.append((sorted(members), low, low + draw(st.integers(0, 2))))
    return Clues(sizes, clues)


def build_join_tree(component: Clues) -> JoinTree:
    sizes, clues = component
    start = np.cumsum([0, *(len(boxes) for boxes, _, _ in clues)]).astype(np.int32)
    boxes = np.array([box for boxes, _, _ in clues for box in boxes], np.int32)
    low, high = np.array([bounds for _, *bounds in clues], np.int32).T
    return plan_joins(
        np.array(sizes, np.int32),
        start,
        boxes,
        np.ascontiguousarray(low),
        np.ascontiguousarray(high),
    )


def grid(height: int, width: int) -> Clues:
    """Clues over each two by two boxes of a grid, row by row."""
    boxes = np.arange(height * width).reshape(height, width)
    squares = np.lib.stride_tricks.sliding_window_view(boxes, (2, 2)).reshape(-1, 4)
    return Clues([1] * boxes.size, [(square, 1, 2) for square in squares.tolist()])


def list_table_boxes(plan: JoinTree) -> list[set[int]]:
    """The boxes of each table."""
    found = [{box} for box in range(plan.boxes)] + [set()]
    for left, right in zip(plan.left.tolist(), plan.right.tolist(), strict=True):
        assert not found[left] & found[right]
        found.append(found[left] | found[right])
    return found


@given(components())
def test_join_tree_uses_every_table_except_unit_and_roots_once(component: Clues) -> None:
    plan = build_join_tree(component)
    used = [table for table in [*plan.left.tolist(), *plan.right.tolist()] if table != plan.boxes]
    assert len(used) == len(set(used))
    roots = set(range(len(plan.entries))) - set(used) - {plan.boxes}
    assert set().union(*(list_table_boxes(plan)[root] for root in roots)) == set(range(plan.boxes))
    assert all(plan.entries[root] == 1 for root in roots)
    assert all(left >= plan.boxes for left in plan.left.tolist())


@given(components())
def test_join_tree_entry_holds_the_mines_of_each_open_clue(component: Clues) -> None:
    plan = build_join_tree(component)
    tables = list_table_boxes(plan)
    for mines in product(*(range(size + 1) for size in component.sizes)):
        entry = _entries(plan, mines)
        right = all(
            low <= sum(mines[box] for box in boxes) <= high for boxes, low, high in component.clues
        )
        roots = set(range(len(tables))) - set(plan.left.tolist()) - set(plan.right.tolist())
        assert right == all(entry[root] is not None for root in roots)
        for table in range(plan.boxes + 1, len(tables)):
            dims = plan.dims[plan.dim_start[table] : plan.dim_start[table + 1]].tolist()
            if entry[table] is not None:
                assert entry[table] == _find_entry(dims, component.clues, tables[table], mines)


def _entries(plan: JoinTree, mines: tuple[int, ...]) -> list[int | None]:
    """The entry of each table, by following edges; None where there is none."""
    entry: list[int | None] = [*mines, 0]
    for join, (left, right) in enumerate(zip(plan.left.tolist(), plan.right.tolist(), strict=True)):
        a, b, d = (side.tolist() for side in list_edges(plan, join))
        ways = [z for x, y, z in zip(a, b, d, strict=True) if (x, y) == (entry[left], entry[right])]
        assert len(ways) <= 1
        entry.append(ways[0] if ways else None)
    return entry


def _find_entry(
    dims: list[list[int]], clues: list[dp.Clue], boxes: set[int], mines: tuple[int, ...]
) -> int:
    """The entry that has as many mines at each clue as these boxes, the last clue fastest."""
    entry = 0
    for dim in dims:
        seen = sum(mines[box] for box in boxes.intersection(clues[dim[CLUE]][0]))
        assert 0 <= seen - dim[LEAST] < dim[RANGE]
        entry = entry * dim[RANGE] + seen - dim[LEAST]
    return entry


@given(components())
def test_join_tree_entries_and_products_follow_from_the_dimensions(component: Clues) -> None:
    plan = build_join_tree(component)
    assert plan.entries[: plan.boxes].tolist() == [size + 1 for size in component.sizes]
    for join in range(plan.left.size):
        table = plan.boxes + 1 + join
        dims = plan.dims[plan.dim_start[table] : plan.dim_start[table + 1]]
        assert plan.entries[table] == prod(dims[:, RANGE].tolist())
        a, _, d = list_edges(plan, join)
        assert a.size <= round(plan.products[join])
        assert np.all((d >= 0) & (d < plan.entries[table]))
        assert np.all(np.diff(a) >= 0)
    assert plan.cost == plan.products.sum()


@examples(50)
@given(components(), st.integers(0, 40))
def test_join_edges_in_pieces_equal_those_in_one_call(component: Clues, spare: int) -> None:
    plan = build_join_tree(component)
    for join, (left, right) in enumerate(zip(plan.left, plan.right, strict=True)):
        room = np.empty((3, int(plan.entries[right]) + spare), np.int32)
        pieces, entry = [], 0
        while entry < plan.entries[left]:
            count, entry = join_edges(plan, join, entry, np.empty(0, np.bool_), room)
            pieces.append(room[:, :count].copy())
        whole = np.concatenate([np.empty((3, 0), np.int32), *pieces], axis=1)
        assert np.array_equal(whole, np.array(list_edges(plan, join)))


@examples(50)
@given(components(), st.integers(0, 2**32))
def test_join_edges_exist_only_for_live_entries(component: Clues, seed: int) -> None:
    plan = build_join_tree(component)
    random = np.random.default_rng(seed)
    for join, (left, right) in enumerate(zip(plan.left, plan.right, strict=True)):
        live = random.random(int(plan.entries[left])) < random.random()
        whole = np.array(list_edges(plan, join))
        room = np.empty((3, whole.shape[1] + int(plan.entries[right])), np.int32)
        count, entry = join_edges(plan, join, 0, live, room)
        assert entry == live.size
        assert np.array_equal(room[:, :count], whole[:, live[whole[0]]])


def test_join_tree_of_a_long_strip_has_small_tables() -> None:
    assert build_join_tree(grid(3, 1000)).width <= 5


def test_join_tree_of_a_large_lattice_follows_the_reading_order() -> None:
    component = grid(18, 18)
    plan = build_join_tree(component)
    as_read, by_fill = (
        JoinTree(
            *_plan_joins(plan.size, *_lists(component), plan.low, plan.high, order, MOST_PRODUCTS)
        )
        for order in (True, False)
    )
    assert plan.cost == as_read.cost < by_fill.cost


def _lists(component: Clues) -> tuple[np.ndarray, np.ndarray]:
    counts = [len(boxes) for boxes, _, _ in component.clues]
    boxes = [box for boxes, _, _ in component.clues for box in boxes]
    return np.cumsum([0, *counts]).astype(np.int32), np.array(boxes, np.int32)


@pytest.mark.parametrize("side", [60, 200])
def test_join_tree_of_a_huge_lattice_has_infinite_cost(side: int) -> None:
    assert build_join_tree(grid(side, side)).cost == inf
