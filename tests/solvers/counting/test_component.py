"""Exact counts of components, against all layouts written out and a count box by box."""

from collections import Counter
from collections.abc import Iterable
from itertools import product
from math import comb, inf, prod

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from minecheck.minefield.notation import parse
from minecheck.minefield.reduction.constraints import NONE, Reduction, reduce
from minecheck.minefield.rules import Rule
from minecheck.solvers.budget import Budget, TooWide
from minecheck.solvers.counting.component import Component
from minecheck.solvers.counting.table_values import LIMITS, TableLimits
from minecheck.solvers.deadline import Deadline, DeadlinePassed
from minecheck.solvers.search.problem import BoxProblem
from tests import boards, dp
from tests.examples import examples
from tests.rule_constraints import build_constraints, reduce_board

PASSES = ["count", "by_mines", "totals"]
METHODS = ["find_forced", "sum_mines"]


def budget(transitions: int = 100_000_000, at: float = inf) -> Budget:
    return Budget(transitions, Deadline(at))


def from_rules(rules: Iterable[Rule]) -> Component:
    return Component(reduce(build_constraints(list(rules))[0]), 0, budget(10**13))


def lattice(side: int, limits: TableLimits = LIMITS) -> Component:
    return Component(reduce_board(boards.lattice(side)), 0, budget(10**10), limits)


def mine_sums(part: Component) -> dict[int, dict[int, int]]:
    """For each box the mines it holds, summed over all layouts, by mines of the component."""
    found: dict[int, dict[int, int]] = {box + part.first_box: {} for box in range(len(part.sizes))}
    for mines in part.by_mines:
        for box, held in part.sum_completed_mines({mines: 1}).items():
            if held:
                found[box][mines] = held
    return found


@st.composite
def open_rules(draw: st.DrawFn) -> Reduction:
    """Rules around a set of mines, now and then missed by one; at least one rule stays open."""
    count = draw(st.integers(2, 9))
    mines = draw(st.sets(st.integers(0, count - 1)))
    rules = []
    for _ in range(draw(st.integers(1, 5))):
        cells = draw(st.lists(st.integers(0, count - 1), unique=True, min_size=2, max_size=9))
        held = len(mines.intersection(cells)) + draw(st.sampled_from([0, 0, 0, 0, 0, 1]))
        low = held - draw(st.integers(0, 2))
        rules.append(Rule(tuple(cells), low, held + draw(st.integers(0, 1))))
    reduction = reduce(build_constraints(rules, count)[0])
    assume(reduction.conflict == NONE)
    assume(reduction.components > 0)
    return reduction


@st.composite
def wide_rules(draw: st.DrawFn) -> Reduction:
    """Rules over boxes of up to 40 cells: their counts have up to two limbs."""
    boxes = draw(st.lists(st.integers(1, 40), min_size=1, max_size=3))
    names = [[f"{box} {cell}" for cell in range(size)] for box, size in enumerate(boxes)]
    mines = [draw(st.integers(0, size)) for size in boxes]
    rules = []
    for _ in range(draw(st.integers(1, 2))):
        chosen = draw(st.sets(st.integers(0, len(boxes) - 1), min_size=1))
        held = sum(mines[box] for box in chosen)
        low, high = held - draw(st.integers(0, 3)), held + draw(st.integers(0, 3))
        rules.append(Rule(tuple(cell for box in chosen for cell in names[box]), low, high))
    reduction = reduce(build_constraints(rules)[0])
    assume(reduction.components > 0)
    return reduction


def clues_of(reduction: Reduction, component: int = 0) -> list[dp.Clue]:
    alone = BoxProblem.from_reduction(reduction, total=False).take_component(component)
    start, boxes = alone.clue_start.tolist(), alone.clue_boxes.tolist()
    return [
        (boxes[start[clue] : start[clue + 1]], low, high)
        for clue, (low, high) in enumerate(
            zip(alone.low.tolist(), alone.high.tolist(), strict=True)
        )
    ]


def box_layouts(reduction: Reduction, component: int, sizes: list[int]) -> list[tuple[int, ...]]:
    """Mines of each box of a component, by trying all numbers."""
    clues = clues_of(reduction, component)
    return [
        mines
        for mines in product(*(range(size + 1) for size in sizes))
        if all(low <= sum(mines[box] for box in members) <= high for members, low, high in clues)
    ]


def weight(part: Component, mines: tuple[int, ...]) -> int:
    """Layouts of the cells for these mines of the boxes."""
    return prod(map(comb, part.sizes, mines))


@given(open_rules())
def test_component_counts_layouts_by_mines(reduction: Reduction) -> None:
    for number in range(reduction.components):
        part = Component(reduction, number, budget())
        expected: Counter[int] = Counter()
        for mines in box_layouts(reduction, number, part.sizes):
            expected[sum(mines)] += weight(part, mines)
        assert part.by_mines == dict(sorted(expected.items()))
        assert part.count == expected.total()


@examples(25)
@given(wide_rules())
def test_component_counts_large_boxes_as_box_by_box(reduction: Reduction) -> None:
    part = Component(reduction, 0, budget(10**10))
    clues = clues_of(reduction)
    expected = dp.by_mines(part.sizes, clues)
    assert part.by_mines == expected
    assert part.count == sum(expected.values())
    assert part.totals == sum(1 << mines for mines in expected)
    held = [dp.by_mines(part.sizes, clues, box) for box in range(len(part.sizes))]
    assert list(mine_sums(part).values()) == held
    assert list(part.sum_mines().values()) == [sum(sums.values()) for sums in held]


@given(open_rules())
def test_component_totals_are_the_possible_numbers_of_mines(reduction: Reduction) -> None:
    part = Component(reduction, 0, budget())
    assert part.totals == sum(1 << mines for mines in part.by_mines)


@given(open_rules(), st.integers(-1, 1 << 10))
def test_component_forced_boxes_agree_in_all_layouts_with_allowed_mines(
    reduction: Reduction, allowed: int
) -> None:
    part = Component(reduction, 0, budget())
    layouts = box_layouts(reduction, 0, part.sizes)
    found = [mines for mines in layouts if allowed >> sum(mines) & 1]
    assume(found)
    expected = {}
    for box, size in enumerate(part.sizes):
        held = {mines[box] for mines in found}
        if held in ({0}, {size}):
            expected[part.first_box + box] = held == {size}
    assert part.find_forced(allowed) == expected


def forced_by_sums(
    part: Component, sums_by_mines: dict[int, dict[int, int]], mines: int
) -> dict[int, bool]:
    """Return the forced boxes for a number of mines, found by sums."""
    found = {}
    for box, sums in sums_by_mines.items():
        held = sums.get(mines, 0)
        if held in (0, part.by_mines[mines] * part.sizes[box - part.first_box]):
            found[box] = held != 0
    return found


@examples(30)
@given(wide_rules(), st.data())
def test_component_forced_boxes_are_those_of_the_sums(
    reduction: Reduction, data: st.DataObject
) -> None:
    part = Component(reduction, 0, budget(10**10))
    assume(part.count)
    mines = data.draw(st.sampled_from(sorted(part.by_mines)))
    assert part.find_forced(1 << mines) == forced_by_sums(part, mine_sums(part), mines)


def test_component_finds_forced_boxes_of_many_mines() -> None:
    one, other, third = (
        tuple(f"{name}{k}" for k in range(size))
        for name, size in (("a", 150), ("b", 100), ("c", 70))
    )
    part = from_rules([Rule(one + other, 170, 190), Rule(other + third, 120, 120)])
    seen = [part.find_forced(1 << mines) for mines in part.by_mines]
    held = mine_sums(part)
    assert seen == [forced_by_sums(part, held, mines) for mines in part.by_mines]
    assert {1: True} in seen
    assert {2: True} in seen


@given(open_rules())
def test_component_mine_sums_add_up_each_box_over_all_layouts(reduction: Reduction) -> None:
    part = Component(reduction, 0, budget())
    expected: list[Counter[int]] = [Counter() for _ in part.sizes]
    for mines in box_layouts(reduction, 0, part.sizes):
        for box, held in enumerate(mines):
            expected[box][sum(mines)] += held * weight(part, mines)
    assert mine_sums(part) == {
        part.first_box + box: {mines: total for mines, total in sorted(sums.items()) if total}
        for box, sums in enumerate(expected)
    }
    assert part.sum_mines() == {
        part.first_box + box: sums.total() for box, sums in enumerate(expected)
    }


@given(open_rules())
def test_component_ranks_and_layouts_correspond_one_to_one(reduction: Reduction) -> None:
    part = Component(reduction, 0, budget())
    for mines, layouts in (part.by_mines | {None: part.count}).items():
        chosen = [part.unrank(mines, rank) for rank in range(layouts)]
        found = {
            frozenset((box, index) for box, indices in boxes for index in indices)
            for boxes in chosen
        }
        assert len(found) == layouts
        assert mines is None or {len(cells) for cells in found} == {mines}
        assert [part.rank(mines, boxes[::-1]) for boxes in chosen] == list(range(layouts))


def test_component_rejects_ranking_mines_that_are_not_a_layout() -> None:
    part = from_rules([Rule(("a", "b", "c"), 1, 1), Rule(("c", "d"), 1, 1)])
    chosen = [(box, list(range(size))) for box, size in enumerate(part.sizes)]
    for mines in (None, part.cells):
        with pytest.raises(ValueError, match="not a layout"):
            part.rank(mines, chosen)


def test_component_counts_clues_that_allow_a_range_of_mines() -> None:
    part = from_rules([Rule(("a", "b", "c"), 1, 2), Rule(("c", "d"), 0, 1)])
    assert part.by_mines == {1: 3, 2: 5, 3: 1}


def test_component_counts_a_box_of_a_thousand_cells_exactly() -> None:
    cells = tuple(f"c{cell}" for cell in range(1000))
    part = from_rules([Rule(cells, 500, 500)])
    assert part.count == comb(1000, 500)
    assert part.by_mines == {500: comb(1000, 500)}
    assert part.sum_mines() == {0: 500 * comb(1000, 500)}
    assert part.unrank(None, part.count - 1) == [(0, list(range(500, 1000)))]


def test_component_counts_a_total_as_a_clue_over_all_cells() -> None:
    chain = [Rule((f"c{k}", f"c{k + 1}", f"c{k + 2}"), 1, 1) for k in range(0, 60, 2)]
    cells = tuple(f"c{k}" for k in range(61))
    alone = from_rules(chain)
    for mines, layouts in alone.by_mines.items():
        assert from_rules([*chain, Rule(cells, mines, mines)]).count == layouts


def test_inconsistent_component_has_no_layouts() -> None:
    odd = [Rule(("a", "b"), 1, 1), Rule(("b", "c"), 1, 1), Rule(("c", "a"), 1, 1)]
    part = from_rules(odd)
    assert part.count == part.totals == 0
    assert part.by_mines == {}
    assert set(part.sum_mines().values()) == {0}
    assert mine_sums(part) == {0: {}, 1: {}, 2: {}}


@pytest.mark.parametrize(
    ("side", "layouts"),
    [(5, 9630), (7, 8561728), (9, 46846238450), (11, 1424136198859620)],
)
def test_component_counts_the_layouts_of_lattices(side: int, layouts: int) -> None:
    part = lattice(side)
    assert part.count == layouts
    assert sum(part.by_mines.values()) == layouts
    assert sum(part.sum_mines().values()) == sum(m * n for m, n in part.by_mines.items())


def test_component_count_stays_without_kept_tables() -> None:
    assert lattice(11, TableLimits(kept_limbs=0)).count == 1424136198859620


def test_component_count_stays_with_edges_in_small_pieces() -> None:
    part = lattice(9, TableLimits(chunk_edges=1, slice_work=1))
    assert part.count == 46846238450
    assert sum(part.sum_mines().values()) == sum(m * n for m, n in part.by_mines.items())


def test_component_is_too_wide_when_tables_exceed_the_memory() -> None:
    with pytest.raises(TooWide):
        _ = lattice(9, TableLimits(most_limbs=100)).count


def test_component_of_infinite_cost_is_too_wide_at_once() -> None:
    part = lattice(61)
    assert part.cost == inf
    with pytest.raises(TooWide):
        _ = part.count


def test_component_cost_is_known_before_the_count_spends_it() -> None:
    part = lattice(11)
    _ = part.plan
    before = part.budget.transitions
    cost = part.cost
    assert part.budget.transitions == before
    assert part.count
    assert part.budget.transitions == before - int(cost)


@pytest.mark.parametrize("ask", PASSES)
def test_component_pass_beyond_its_budget_is_too_wide(ask: str) -> None:
    part = Component(reduce_board(parse("????\nS12S\n????")), 0, budget(transitions=3))
    with pytest.raises(TooWide):
        getattr(part, ask)


@pytest.mark.parametrize("ask", PASSES)
def test_component_pass_past_its_deadline_raises(ask: str) -> None:
    part = Component(reduce_board(parse("????\nS12S\n????")), 0, budget(at=0.0))
    with pytest.raises(DeadlinePassed):
        getattr(part, ask)


def test_component_passes_share_one_budget() -> None:
    shared = budget()
    part = Component(reduce_board(parse("????\nS12S\n????")), 0, shared)
    left = [shared.transitions]
    for ask in ("count", "totals", "by_mines"):
        getattr(part, ask)
        left.append(shared.transitions)
    for ask in METHODS:
        getattr(part, ask)()
        left.append(shared.transitions)
    assert left == sorted(set(left), reverse=True)


@examples(50)
@given(st.integers(0, 10**6), st.integers(0, 100), st.integers(0, 10**5))
def test_budget_charges_more_for_wide_values(transitions: int, states: int, bits: int) -> None:
    spent = budget(transitions + states * (1 + bits // 64))
    spent.spend(states, bits)
    assert spent.transitions == transitions
