"""Counts over slots: against every layout of small boards, and against the sweep."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from minecheck import solvers
from minecheck.minefield import Clue, Variant, parse
from minecheck.minefield.reduction.constraints import NONE
from minecheck.solvers.deadline import Deadline
from minecheck.solvers.effort import VariantLimits
from minecheck.solvers.variants.slot_counts import SlotCounts
from minecheck.solvers.variants.slots import Slots
from tests.variants import analyze_within, judge, variants

SETS_AND_PILES = st.sampled_from(
    [{"sets": True}, {"piles": True}, {"sets": True, "piles": True}]
).flatmap(lambda kinds: variants(most_unknown=8, kinds=kinds))
TOTALS = st.sampled_from([None, None, 0, 1, 2, 3])


def counts_of(variant: Variant, mines: int | None) -> SlotCounts:
    slots = Slots.from_variant(variant)
    return SlotCounts(slots, slots.build_reduction(mines), None, Deadline(), 10**9)


@given(SETS_AND_PILES, TOTALS)
def test_slot_counts_are_those_of_all_layouts(variant: Variant, total: int | None) -> None:
    total = None if total is None else min(total, variant.capacity)
    judged, found = judge(variant, total), counts_of(variant, total)
    assert found.count == len(judged.layouts)
    assert found.by_mines == judged.by_mines
    if not judged.layouts:
        return
    width = variant.shape[1]
    chances = {
        divmod(cell, width): Fraction(chance.part, chance.whole)
        for cells, chance in found.compute_chances(variant.cells.size).groups
        for cell in cells.tolist()
    }
    assert chances == judged.chances
    layouts = [found.unrank(rank) for rank in range(found.count)]
    assert sorted(
        tuple(map(tuple, layout.reshape(variant.shape).tolist())) for layout in layouts
    ) == sorted(judged.layouts)
    assert [found.rank(layout) for layout in layouts] == list(range(found.count))


@given(variant=SETS_AND_PILES, total=TOTALS)
def test_slot_counts_of_tables_and_sweep_agree(variant: Variant, total: int | None) -> None:
    total = None if total is None else min(total, variant.capacity)
    tables = solvers.analyze(variant, total, fractions=True)
    sweep = analyze_within(VariantLimits(-1, -1), variant, total)
    assert (tables.count, tables.by_mines) == (sweep.count, sweep.by_mines)
    assert tables.forced == sweep.forced
    if tables.probabilities is not None and sweep.probabilities is not None:
        assert tables.probabilities.tolist() == sweep.probabilities.tolist()


@given(SETS_AND_PILES)
def test_slots_are_filled_from_cells_and_counted_back(variant: Variant) -> None:
    slots = Slots.from_variant(variant)
    for layout in judge(variant).layouts[:5]:
        mine_counts = np.array(layout, np.int8).ravel()
        filled = slots.fill_slots(mine_counts)
        assert slots.count_mines(filled).tolist() == mine_counts.tolist()
        constraints = slots.constraints
        for clue in range(constraints.low.size):
            members = constraints.members[slice(*constraints.start[clue : clue + 2])]
            held = np.count_nonzero(filled[members])
            assert constraints.low[clue] <= held <= constraints.high[clue]


def test_slot_slack_is_in_a_separate_box() -> None:
    variant = Variant(parse(["S??"]), differences={(0, 0): Clue.one_of([0, 2])}, most=2)
    slots = Slots.from_variant(variant)
    reduction = slots.build_reduction(None)
    assert reduction.conflict == NONE
    assert np.diff(reduction.box_start).tolist() == [2, 2, 2]
    assert counts_of(variant, None).count == 2 * 3


@pytest.mark.parametrize("values", [[0, 1, 10**9], [0, 10**9], [0, 1, 2]])
def test_slot_counts_ignore_clue_values_out_of_reach(values: list[int]) -> None:
    variant = Variant(parse(["S?"]), differences={(0, 0): Clue.one_of(values)})
    assert counts_of(variant, None).count == sum(value <= 1 for value in values)
    assert not Slots.from_variant(variant).allowed


def test_slot_counts_without_a_clue_value_within_reach_are_zero() -> None:
    variant = Variant(parse(["S?"]), differences={(0, 0): Clue.one_of([5, 9])}, most=3)
    assert counts_of(variant, None).count == 0
    assert solvers.check(variant).consistent is False
