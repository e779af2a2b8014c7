"""Every question about boards of other topologies, against every layout of small boards."""

from collections import Counter
from fractions import Fraction
from itertools import islice
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from minecheck import solvers
from minecheck.automata.windows import Window
from minecheck.minefield import Board, Clue, Shape, Topology, Variant, parse
from minecheck.minefield.layout import Layout
from minecheck.solvers import INLINE, Backend, BackendError, NeedsMoreEffort, QuestionError
from minecheck.solvers.effort import VariantLimits
from minecheck.solvers.tasks.check import Check
from minecheck.solvers.tasks.explain import Explain
from minecheck.solvers.tasks.repair import Repair
from tests.boards import small_boards
from tests.tasks import Task, question_of
from tests.variants import Judged, analyze_within, judge, variants

TOTALS = st.sampled_from([None, None, None, 0, 1, 2, 3])


def mine_counts(layout: Layout) -> tuple[tuple[int, ...], ...]:
    return tuple(map(tuple, layout.mine_counts.tolist()))


def agrees(found: Any, judged: Judged, variant: Variant) -> None:
    """Whatever an answer says is so."""
    assert found.consistent is bool(judged.layouts)
    if found.witness is not None:
        assert mine_counts(found.witness) in judged.layouts
        assert not variant.list_contradictions(found.witness.mine_counts)
    count = getattr(found, "count", None)
    by_mines, chances = (getattr(found, name, None) for name in ("by_mines", "probabilities"))
    if count is not None:
        assert count == len(judged.layouts)
    if by_mines is not None and judged.layouts:
        assert by_mines == judged.by_mines
    if found.forced is not None:
        assert set(found.forced.mines) == judged.forced_mines
        assert set(found.forced.safe) == judged.forced_safe
    if chances is not None:
        chances_by_cell = {
            cell: chance
            for cell, chance in np.ndenumerate(chances)
            if chance is not None and chance == chance
        }
        assert chances_by_cell == judged.chances


def limit_total(variant: Variant, total: int | None) -> int | None:
    """A total that the board can hold."""
    return None if total is None else min(total, variant.capacity)


@given(variants(), TOTALS)
def test_analyze_of_variants_agrees_with_all_layouts(variant: Variant, total: int | None) -> None:
    total = limit_total(variant, total)
    judged = judge(variant, total)
    found = solvers.analyze(variant, total, fractions=True)
    agrees(found, judged, variant)
    if judged.layouts:
        assert found.probabilities is not None
        assert found.forced is not None
        assert found.complete
    flags = found.flags
    if flags is not None:
        assert set(flags.right) == set(variant.flags) & judged.forced_mines
        assert set(flags.wrong) == set(variant.flags) & judged.forced_safe


BACKENDS = st.sampled_from([Backend.AUTOMATA, Backend.FRONTIER, Backend.SAT, Backend.CPSAT])


@given(variants(most_unknown=6), BACKENDS)
def test_backends_agree_with_all_layouts_about_variants(variant: Variant, backend: Backend) -> None:
    judged = judge(variant)
    if backend is Backend.AUTOMATA and not variant.topology.mutual:
        with pytest.raises(BackendError, match="neighbour of its neighbours"):
            solvers.answer_question(Check(variant, backend=backend))
        return
    for task in (Task.CHECK, Task.COUNT, Task.FORCED, Task.LAYOUTS):
        found = solvers.answer_question(question_of(task, variant, backend=backend))
        agrees(found, judged, variant)
        if task is Task.LAYOUTS and judged.layouts:
            assert sorted(map(mine_counts, found.layouts or [])) == sorted(judged.layouts)


@given(variants(most_unknown=6), TOTALS)
def test_layouts_of_variants_are_ranked_in_listing_order(
    variant: Variant, total: int | None
) -> None:
    total = limit_total(variant, total)
    judged = judge(variant, total)
    found = solvers.layouts(variant, total, limit=1000).layouts
    assert sorted(map(mine_counts, found or [])) == sorted(judged.layouts)
    for rank, layout in islice(enumerate(found or []), 3):
        assert solvers.layouts(variant, total, offset=rank, limit=1, layout=layout).rank == rank


@given(variants(), st.integers(0, 99))
def test_samples_of_variants_are_layouts(variant: Variant, seed: int) -> None:
    judged = judge(variant)
    found = solvers.sample(variant, limit=3, seed=seed)
    assert len(found.layouts or []) == (3 if judged.layouts else 0)
    assert {mine_counts(one) for one in found.layouts or []} <= set(judged.layouts)


@given(variants(), st.sampled_from([Fraction(1, 5), Fraction(2, 3)]))
def test_analyze_of_variants_weighs_layouts_by_the_density(
    variant: Variant, density: Fraction
) -> None:
    judged = judge(variant, density=density)
    found = solvers.analyze(variant, density=density, fractions=True)
    agrees(found, judged, variant)
    known = int(np.count_nonzero(variant.cells == 10))
    unknown = int(np.count_nonzero(variant.unknown))
    likelihood = sum(
        number * density ** (mines - known) * (1 - density) ** (unknown - mines + known)
        for mines, number in judged.by_mines.items()
    )
    assert found.likelihood == likelihood


@given(variants(), TOTALS)
def test_explain_of_variants_gives_conflicts_and_forced_cells(
    variant: Variant, total: int | None
) -> None:
    total = limit_total(variant, total)
    judged = judge(variant, total)
    found = solvers.answer_question(Explain(variant, total))
    agrees(found, judged, variant)
    if judged.layouts:
        explained = {cell: one.mine for one in found.explanations or [] for cell in one.cells}
        assert explained == {
            **dict.fromkeys(judged.forced_mines, True),
            **dict.fromkeys(judged.forced_safe, False),
        }
        return
    assert found.conflict is not None
    kept = only(variant, found.conflict.clues)
    assert not judge(kept, total if found.conflict.mines else None).layouts
    assert found.conflict.minimal
    for clue in found.conflict.clues:
        rest = only(variant, [one for one in found.conflict.clues if one != clue])
        assert judge(rest, total if found.conflict.mines else None).layouts


def only(variant: Variant, clues: list[tuple[int, int]]) -> Variant:
    """The same board with some of its clues."""
    cells = variant.cells.copy()
    for row, col in np.argwhere(cells <= 8).tolist():
        if (row, col) not in clues:
            cells[row, col] = 11
    beside = {cell: clue for cell, clue in variant.differences.items() if cell in clues}
    return Variant(Board(cells), variant.topology, beside)


@given(variants(most_unknown=7))
def test_repairs_of_variants_make_them_consistent(variant: Variant) -> None:
    found = solvers.answer_question(Repair(variant, limit=5)).repairs
    assert found is not None
    for changes in found.sets:
        cells, beside = variant.cells.copy(), dict(variant.differences)
        for change in changes:
            cells[change.clue] = 11
            beside[change.clue] = Clue(change.number, change.number)
            was = variant.clue_at(change.clue)
            assert change.was == (was.low if was.low == was.high else None)
            assert not was.allows_mines(change.number)
        assert judge(Variant(Board(cells), variant.topology, beside)).layouts


@given(small_boards(), TOTALS)
def test_analyze_of_a_rectangle_variant_is_that_of_the_board(
    board: Board, total: int | None
) -> None:
    total = None if total is None else min(total, board.cells.size)
    plane, variant = (
        solvers.analyze(one, total, fractions=True) for one in (board, Variant(board))
    )
    assert (plane.consistent, plane.count) == (variant.consistent, variant.count)
    assert plane.forced == variant.forced
    assert plane.conflict == variant.conflict
    if plane.probabilities is not None and variant.probabilities is not None:
        assert plane.probabilities.tolist() == variant.probabilities.tolist()


KINDS = st.fixed_dictionaries({kind: st.booleans() for kind in ("sets", "piles", "lies")})
#: Most of them; some have no sets, piles or lies after all.
BEYOND = KINDS.filter(lambda kinds: any(kinds.values())).flatmap(
    lambda kinds: variants(most_unknown=8, kinds=kinds)
)


@given(BEYOND, TOTALS)
def test_analyze_of_sets_piles_and_lies_agrees_with_all_layouts(
    variant: Variant, total: int | None
) -> None:
    total = limit_total(variant, total)
    judged = judge(variant, total)
    found = solvers.analyze(variant, total, fractions=True)
    agrees(found, judged, variant)
    assert found.count == len(judged.layouts)
    if judged.layouts:
        assert found.complete
        assert found.by_mines == judged.by_mines
        assert found.forced is not None
        assert found.probabilities is not None


@given(BEYOND, TOTALS)
def test_layouts_of_sets_piles_and_lies_are_ranked(variant: Variant, total: int | None) -> None:
    total = limit_total(variant, total)
    judged = judge(variant, total)
    found = solvers.layouts(variant, total, limit=100_000).layouts or []
    assert sorted(map(mine_counts, found)) == sorted(judged.layouts)
    wrong = dict(zip(judged.layouts, judged.liars, strict=True))
    for rank, layout in islice(enumerate(found), 0, None, 1 + len(found) // 3):
        again = solvers.layouts(variant, total, offset=rank, limit=1, layout=layout)
        assert again.layouts == [layout]
        assert again.rank == rank
        assert set(variant.list_liars(layout.mine_counts)) == wrong[mine_counts(layout)]


@given(BEYOND, TOTALS, st.integers(0, 99))
def test_samples_of_sets_piles_and_lies_are_layouts(
    variant: Variant, total: int | None, seed: int
) -> None:
    total = limit_total(variant, total)
    judged = judge(variant, total)
    found = solvers.sample(variant, total, limit=3, seed=seed).layouts or []
    assert len(found) == (3 if judged.layouts else 0)
    assert set(map(mine_counts, found)) <= set(judged.layouts)


@given(BEYOND.filter(lambda one: one.most == 1), st.sampled_from([Fraction(1, 5), Fraction(2, 3)]))
def test_analyze_of_sets_and_lies_weighs_layouts_by_the_density(
    variant: Variant, density: Fraction
) -> None:
    judged = judge(variant, density=density)
    found = solvers.analyze(variant, density=density, fractions=True)
    agrees(found, judged, variant)
    if judged.layouts:
        known = int(np.count_nonzero(variant.cells == 10))
        unknown = int(np.count_nonzero(variant.unknown))
        assert found.likelihood == sum(
            number * density ** (mines - known) * (1 - density) ** (unknown - mines + known)
            for mines, number in judged.by_mines.items()
        )
        drawn = solvers.sample(variant, density=density, limit=2, seed=1).layouts or []
        assert set(map(mine_counts, drawn)) <= set(judged.layouts)


@given(variant=BEYOND, total=TOTALS)
def test_analyze_decides_variants_that_are_too_wide(variant: Variant, total: int | None) -> None:
    total = limit_total(variant, total)
    judged = judge(variant, total)
    found = analyze_within(VariantLimits(-1, -1, -1, -1), variant, total)
    if variant.beyond is None or found.method in ("frontier", "sweep"):
        # Where no clue sees an unknown cell, there are no moves.
        return
    assert found.method == "cpsat"
    agrees(found, judged, variant)
    assert (found.forced is not None) is bool(judged.layouts)
    if judged.layouts:
        assert found.count is None
        assert not found.complete


@given(variant=BEYOND, total=st.integers(0, 3))
def test_analyze_decides_variants_that_take_too_much_memory(variant: Variant, total: int) -> None:
    total = min(total, variant.capacity)
    judged = judge(variant, total)
    found = analyze_within(VariantLimits(-1, -1, most_bytes=-1), variant, total)
    agrees(found, judged, variant)
    if variant.beyond is not None and judged.layouts:
        assert "cpsat" in found.method
        assert found.forced is not None
        assert (found.count, found.complete) == (None, False)


def test_samples_of_variants_are_drawn_evenly() -> None:
    variant = Variant(parse(["S??", "???"]), differences={(0, 0): Clue.one_of([0, 2])}, most=2)
    layouts = judge(variant, 3).layouts
    found = Counter(map(mine_counts, solvers.sample(variant, 3, limit=4000, seed=1).layouts or []))
    assert set(found) == set(layouts)
    expected = 4000 / len(layouts)
    # Five standard deviations.
    assert all(abs(one - expected) < 5 * expected**0.5 for one in found.values())


def test_counts_with_and_without_a_lie_differ_by_the_layouts_of_intervals() -> None:
    board = parse(["S???", "??S?", "????"])
    intervals = {(0, 0): Clue(1, 2), (1, 2): Clue(2, 4)}
    one = solvers.analyze(Variant(board, differences=intervals), 5, fractions=True)
    lying = Variant(board, differences=intervals, lies=(0, 1))
    exact = Variant(board, differences=intervals, lies=(1, 1))
    counts = [solvers.count(variant, 5).count or 0 for variant in (lying, exact)]
    assert counts[0] - counts[1] == one.count


@pytest.mark.parametrize("task", [Task.EXPLAIN, Task.CONFLICTS, Task.REPAIR])
@pytest.mark.parametrize(
    ("rules", "field"),
    [
        ({"most": 2}, "mines_per_cell"),
        ({"lies": (1, 1)}, "lies"),
        ({"lies": (0, 1)}, "most_lies"),
        ({"differences": {(0, 1): Clue.one_of([0, 2])}}, "clues"),
    ],
)
def test_reasons_reject_variants_beyond_intervals(
    task: Task, rules: dict[str, Any], field: str
) -> None:
    variant = Variant(parse(["1S", "??"]), **rules)
    with pytest.raises(QuestionError) as error:
        question_of(task, variant)
    assert error.value.field == field
    with pytest.raises(BackendError, match="sat does not take") as rejection:
        Check(variant, backend=Backend.SAT)
    liars = () if "lies" in field else (Backend.FRONTIER,)
    assert rejection.value.choices == (Backend.AUTO, *liars, Backend.SWEEP, Backend.CPSAT)


def test_check_of_a_variant_with_little_effort_needs_a_worker() -> None:
    variant = Variant(parse(["1S", "??"]), most=2)
    with pytest.raises(NeedsMoreEffort):
        solvers.answer_question(Check(variant), effort=INLINE)


def test_check_and_count_of_small_tori_count_each_neighbour_once() -> None:
    torus = Topology(Shape.TORUS)
    assert solvers.check(Variant(parse(["0"]), torus)).consistent
    assert not solvers.check(Variant(parse(["1"]), torus)).consistent
    assert solvers.count(Variant(parse(["?"]), torus)).count == 2
    assert solvers.count(Variant(parse(["1?"]), torus)).count == 1
    assert solvers.count(Variant(parse(["2?", "??"]), torus)).count == 3


def test_analyze_accepts_clues_larger_than_eight() -> None:
    board = parse(["???", "???", "???", "???", "?S?", "???", "???", "???", "???"])
    in_space = Variant(board, Topology(layers=3), {(4, 1): Clue(25, 25)})
    found = solvers.analyze(in_space)
    assert found.count == 26
    assert found.probabilities is not None
    assert found.probabilities[0, 0] == 25 / 26


def test_exhaustive_backend_rejects_a_torus() -> None:
    variant = Variant(parse(["1?", "??"]), Topology(Shape.TORUS))
    with pytest.raises(BackendError):
        solvers.answer_question(Check(variant, backend=Backend.EXHAUSTIVE))


@pytest.mark.parametrize(
    ("task", "options", "field"),
    [
        (Task.MOVES, {"mines": 1}, "board"),
        (Task.LAYOUTS, {"window": Window(0, 0, 1, 1)}, "window"),
        (Task.CHECK, {"certificate": True}, "certificate"),
        (Task.COUNT, {"certificate": True}, "certificate"),
        (Task.CHECK, {"mines": 5}, "mines"),
        (Task.LAYOUTS, {"layout": Layout(np.zeros((2, 2), np.bool_))}, "layout"),
        (Task.EXPLAIN, {"cell": (0, 0)}, "cell"),
    ],
)
def test_questions_that_do_not_take_variants_name_the_field(
    task: Task, options: dict[str, Any], field: str
) -> None:
    with pytest.raises(QuestionError) as error:
        question_of(task, Variant(parse(["1?", "??"]), Topology(Shape.TORUS)), **options)
    assert error.value.field == field
