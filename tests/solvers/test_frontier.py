"""The dynamic programme over boxes, component by component."""

from collections import Counter
from itertools import combinations, product
from math import comb, inf, prod

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from minefield.constraints import NONE, Constraints, Reduction, Rule, reduce, reduce_board
from minefield.notation import parse
from solvers.boxes import BoxProblem
from solvers.deadline import Deadline, DeadlinePassed
from solvers.frontier import Budget, Frontier, TooWide, combination, elimination_order
from solvers.polynomial import unpack


def budget(transitions: int = 1_000_000, at: float = inf) -> Budget:
    return Budget(transitions, Deadline(at))


@st.composite
def open_rules(draw: st.DrawFn) -> Reduction:
    """Rules around a set of mines, now and then missed by one; at least one rule stays open."""
    count = draw(st.integers(2, 9))
    mines = draw(st.sets(st.integers(0, count - 1)))
    rules = []
    for _ in range(draw(st.integers(1, 5))):
        cells = draw(st.lists(st.integers(0, count - 1), unique=True, min_size=2, max_size=6))
        held = len(mines.intersection(cells)) + draw(st.sampled_from([0, 0, 0, 0, 0, 1]))
        low = held - draw(st.integers(0, 2))
        rules.append(Rule(tuple(cells), low, held + draw(st.integers(0, 1))))
    reduction = reduce(Constraints.of_rules(rules, count)[0])
    assume(reduction.conflict == NONE)
    assume(reduction.components > 0)
    return reduction


def box_layouts(reduction: Reduction, component: int) -> list[tuple[int, ...]]:
    """Mines of each box of a component, by trying all numbers."""
    alone = BoxProblem.of(reduction).component(component)
    start, boxes = alone.clue_start.tolist(), alone.clue_boxes.tolist()
    clues = [
        (boxes[start[clue] : start[clue + 1]], low, high)
        for clue, (low, high) in enumerate(
            zip(alone.low.tolist(), alone.high.tolist(), strict=True)
        )
    ]
    return [
        mines
        for mines in product(*(range(size + 1) for size in alone.size.tolist()))
        if all(low <= sum(mines[box] for box in asked) <= high for asked, low, high in clues)
    ]


def weight(part: Frontier, mines: tuple[int, ...]) -> int:
    """Layouts of the cells for these mines of the boxes."""
    return prod(map(comb, part.sizes, mines))


@pytest.mark.parametrize("items", range(8))
def test_combinations_come_in_lexicographic_order(items: int) -> None:
    for chosen in range(items + 1):
        ranks = range(comb(items, chosen))
        found = [tuple(combination(items, chosen, rank)) for rank in ranks]
        assert found == list(combinations(range(items), chosen))


def test_the_last_combination_of_many() -> None:
    assert combination(500, 250, comb(500, 250) - 1) == list(range(250, 500))


@given(open_rules())
def test_the_elimination_order_takes_every_box_once(reduction: Reduction) -> None:
    for component in range(reduction.components):
        part = Frontier(reduction, component, budget())
        order = elimination_order(part.sizes, part.clue_boxes)
        assert sorted(order) == list(range(len(part.sizes)))


def test_a_chain_of_clues_is_eliminated_from_end_to_end() -> None:
    assert elimination_order([1] * 5, [[0, 1], [1, 2], [2, 3], [3, 4]]) == [0, 1, 2, 3, 4]


@given(open_rules())
def test_layouts_are_counted_by_mines(reduction: Reduction) -> None:
    for component in range(reduction.components):
        part = Frontier(reduction, component, budget())
        expected: Counter[int] = Counter()
        for mines in box_layouts(reduction, component):
            expected[sum(mines)] += weight(part, mines)
        assert part.by_mines == dict(sorted(expected.items()))


@given(open_rules())
def test_totals_are_the_possible_numbers_of_mines(reduction: Reduction) -> None:
    part = Frontier(reduction, 0, budget())
    assert part.totals == sum(1 << mines for mines in part.by_mines)


@given(open_rules())
def test_completions_of_the_start_are_all_layouts(reduction: Reduction) -> None:
    part = Frontier(reduction, 0, budget())
    assert unpack(part.completions[0].get(0, 0), part.width) == part.by_mines


@given(open_rules())
def test_counts_times_completions_are_all_layouts_at_every_step(reduction: Reduction) -> None:
    part = Frontier(reduction, 0, budget())
    for counts, completions in zip(part.counts, part.completions, strict=True):
        whole = sum(counts.get(state, 0) * rest for state, rest in completions.items())
        assert unpack(whole, part.width) == part.by_mines


@given(open_rules(), st.integers(-1, 1 << 10))
def test_forced_boxes_agree_in_every_layout_with_an_allowed_number_of_mines(
    reduction: Reduction, allowed: int
) -> None:
    part = Frontier(reduction, 0, budget())
    found = [mines for mines in box_layouts(reduction, 0) if allowed >> sum(mines) & 1]
    assume(found)
    expected = {}
    for box, size in enumerate(part.sizes):
        held = {mines[box] for mines in found}
        if held in ({0}, {size}):
            expected[part.first_box + box] = held == {size}
    assert part.forced(allowed) == expected


@given(open_rules())
def test_mine_sums_add_up_each_box_over_all_layouts(reduction: Reduction) -> None:
    part = Frontier(reduction, 0, budget())
    expected: list[Counter[int]] = [Counter() for _ in part.sizes]
    for mines in box_layouts(reduction, 0):
        for box, held in enumerate(mines):
            expected[box][sum(mines)] += held * weight(part, mines)
    assert part.mine_sums() == {
        part.first_box + box: {mines: total for mines, total in sorted(sums.items()) if total}
        for box, sums in enumerate(expected)
    }


@given(open_rules())
def test_ranks_and_layouts_correspond_one_to_one(reduction: Reduction) -> None:
    part = Frontier(reduction, 0, budget())
    for mines, layouts in part.by_mines.items():
        found = {
            frozenset((box, cell) for box, places in part.layout(mines, rank) for cell in places)
            for rank in range(layouts)
        }
        assert len(found) == layouts
        assert {len(cells) for cells in found} == {mines}


def test_a_clue_may_allow_a_range_of_mines() -> None:
    rules = [Rule(("a", "b", "c"), 1, 2), Rule(("c", "d"), 0, 1)]
    part = Frontier(reduce(Constraints.of_rules(rules)[0]), 0, budget())
    assert part.by_mines == {1: 3, 2: 5, 3: 1}


@pytest.mark.parametrize("ask", ["by_mines", "totals", "completions"])
def test_a_pass_past_its_budget_is_too_wide(ask: str) -> None:
    part = Frontier(reduce_board(parse("????\nS12S\n????")), 0, budget(transitions=3))
    with pytest.raises(TooWide):
        getattr(part, ask)


@pytest.mark.parametrize("ask", ["by_mines", "totals", "completions"])
def test_a_pass_past_its_deadline_stops(ask: str) -> None:
    part = Frontier(reduce_board(parse("????\nS12S\n????")), 0, budget(at=0.0))
    with pytest.raises(DeadlinePassed):
        getattr(part, ask)


def test_passes_share_one_budget() -> None:
    shared = budget()
    part = Frontier(reduce_board(parse("????\nS12S\n????")), 0, shared)
    left = [shared.transitions]
    for ask in ("by_mines", "totals", "completions"):
        getattr(part, ask)
        left.append(shared.transitions)
    assert left == sorted(set(left), reverse=True)


@settings(max_examples=50)
@given(st.integers(0, 10**6), st.integers(0, 100), st.integers(0, 10**5))
def test_wide_values_cost_more(transitions: int, states: int, bits: int) -> None:
    spent = budget(transitions + states * (1 + bits // 4096))
    spent.spend(states, bits)
    assert spent.transitions == transitions
