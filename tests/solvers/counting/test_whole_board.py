"""Exact counts, forced cells, chances and ranked layouts of whole boards."""

from collections import Counter
from fractions import Fraction
from math import comb, inf, isnan
from random import Random

import numpy as np
import pytest
from hypothesis import assume, given, reject
from hypothesis import strategies as st

from minecheck.minefield.board import MINE, UNKNOWN, Board
from minecheck.minefield.layout import Layout
from minecheck.minefield.notation import parse
from minecheck.minefield.reduction.constraints import (
    IS_MINE,
    IS_SAFE,
    NONE,
    UNDECIDED,
    reduce,
)
from minecheck.minefield.rules import Rule
from minecheck.solvers.backends import cpsat
from minecheck.solvers.budget import Budget, TooWide
from minecheck.solvers.counting import component_products
from minecheck.solvers.counting.chances import Chances
from minecheck.solvers.counting.ratio import Ratio
from minecheck.solvers.counting.whole_board import BoardTally
from minecheck.solvers.deadline import Deadline, DeadlinePassed
from minecheck.solvers.search.problem import BoxProblem
from tests import oracle
from tests.boards import SMALL_CASES, Case, boards_with_totals, lattice, layout_boards, rule_sets
from tests.examples import examples
from tests.rule_constraints import build_constraints, reduce_board

BoardCase = tuple[Board, int | None]


def tally_of(
    board: Board, mines: int | None = None, transitions: int = 3_000_000_000
) -> BoardTally:
    """The counts of a board; drawn again where propagation finds a conflict."""
    reduction = reduce_board(board, mines)
    if reduction.conflict != NONE:
        reject()
    return BoardTally(reduction, Budget(transitions, Deadline()))


def open_board(side: int) -> Board:
    """All unknown but for a 1 in the corner and an 8 in the middle."""
    cells = np.full((side, side), UNKNOWN, dtype=np.int8)
    cells[0, 0] = 1
    cells[side // 2, side // 2] = 8
    return Board(cells)


def mines_of(layout: Layout) -> frozenset[tuple[int, int]]:
    return frozenset(zip(*(axis.tolist() for axis in np.nonzero(layout.mines)), strict=True))


@st.composite
def rows_of_parts(draw: st.DrawFn) -> BoardCase:
    """Several components with different numbers of mines, loose cells, and a total that fits."""
    parts = st.sampled_from(["?1?", "?1?1?", "S1?1?1?"])
    row = "S".join(draw(st.lists(parts, min_size=1, max_size=3)))
    board = parse([row + draw(st.sampled_from(["", "S?", "S??"]))])
    return board, draw(st.sampled_from(sorted(oracle.answer(board).by_mines)))


def weights(
    layouts: list[frozenset[oracle.Cell]], board: Board, density: Fraction
) -> list[Fraction]:
    """The chance of each layout when mines are laid at random in the unknown cells."""
    unknown = int(np.count_nonzero(board.unknown))
    known = int(np.count_nonzero(board.cells == MINE))
    return [
        density ** (len(layout) - known) * (1 - density) ** (unknown - len(layout) + known)
        for layout in layouts
    ]


def exact_chances(
    layouts: list[frozenset[oracle.Cell]], board: Board, density: Fraction
) -> list[Fraction | None]:
    """The exact chance of a mine for each cell in reading order, None where it is known."""
    found = weights(layouts, board, density)
    return [
        sum((w for w, layout in zip(found, layouts, strict=True) if cell in layout), Fraction(0))
        / sum(found)
        if board.unknown[cell]
        else None
        for cell in np.ndindex(board.shape)
    ]


def chances(layouts: list[frozenset[oracle.Cell]], board: Board, density: Fraction) -> list[float]:
    """The chance of a mine for each cell in reading order, NaN where it is known."""
    exact = exact_chances(layouts, board, density)
    return [float("nan") if chance is None else float(chance) for chance in exact]


@given(boards_with_totals())
def test_board_tally_counts_the_layouts_of_the_oracle(case: BoardCase) -> None:
    assert tally_of(*case).count == oracle.answer(*case).count


@given(boards_with_totals() | rows_of_parts())
def test_board_tally_counts_layouts_by_mines(case: BoardCase) -> None:
    assert tally_of(*case).by_mines == oracle.answer(*case).by_mines


@given(rule_sets())
def test_board_tally_counts_the_layouts_of_rules(case: tuple[list[Rule], int, int | None]) -> None:
    rules, cells, mines = case
    constraints, number = build_constraints(rules, cells, mines)
    reduction = reduce(constraints)
    assume(reduction.conflict == NONE)
    numbered_rules = [
        ([number[name] for name in rule.cells], rule.low, rule.high) for rule in rules
    ]
    expected = oracle.sets_of(numbered_rules, range(cells), mines)
    assert BoardTally(reduction, Budget(10**9, Deadline())).count == len(expected)


@given(boards_with_totals() | rows_of_parts())
def test_board_tally_forced_cells_are_those_that_all_layouts_share(case: BoardCase) -> None:
    expected = oracle.answer(*case)
    assume(expected.consistent)
    board, _ = case
    values = tally_of(*case).find_forced().reshape(board.shape)
    unknown = board.unknown
    assert {
        cell for cell in np.ndindex(board.shape) if unknown[cell] and values[cell] == IS_MINE
    } == (expected.forced_mines)
    assert {
        cell for cell in np.ndindex(board.shape) if unknown[cell] and values[cell] == IS_SAFE
    } == (expected.forced_safe)


@given(boards_with_totals() | rows_of_parts())
def test_board_tally_ranks_and_layouts_correspond_one_to_one(case: BoardCase) -> None:
    board, mines = case
    expected = oracle.answer(board, mines)
    assume(expected.count <= 300)
    tally = tally_of(board, mines)
    found = [
        mines_of(Layout(tally.unrank(rank).reshape(board.shape))) for rank in range(tally.count)
    ]
    assert len(set(found)) == len(found)
    assert set(found) == set(expected.layouts)


@given(boards_with_totals() | rows_of_parts())
def test_board_tally_chances_are_the_shares_of_layouts(case: BoardCase) -> None:
    board, _ = case
    expected = oracle.answer(*case)
    assume(expected.consistent)
    found = tally_of(*case).compute_probabilities()
    shares = chances(expected.layouts, board, Fraction(1, 2))
    assert found.tolist() == pytest.approx(shares, rel=0, abs=1e-12, nan_ok=True)


@given(layout_boards(), st.fractions(Fraction(1, 100), Fraction(99, 100), max_denominator=100))
def test_board_tally_weighs_layouts_by_the_density(board: Board, density: Fraction) -> None:
    expected = chances(oracle.answer(board).layouts, board, density)
    found = tally_of(board).compute_probabilities(density)
    assert found.tolist() == pytest.approx(expected, rel=0, abs=1e-12, nan_ok=True)


@given(boards_with_totals())
def test_board_tally_chance_is_0_or_1_only_for_forced_cells(case: BoardCase) -> None:
    board, _ = case
    expected = oracle.answer(*case)
    assume(expected.consistent)
    found = tally_of(*case).compute_probabilities().reshape(board.shape)
    assert {cell for cell in np.ndindex(board.shape) if found[cell] == 1} == expected.forced_mines
    assert {cell for cell in np.ndindex(board.shape) if found[cell] == 0} == expected.forced_safe


@pytest.mark.parametrize("density", [Fraction(1, 10**400), 1 - Fraction(1, 10**400)])
@pytest.mark.parametrize(
    "rows", ["?1?", "?1?1?", "?", "?1???"], ids=["box", "chain", "loose", "all"]
)
def test_board_tally_chance_is_not_certain_for_extreme_densities(
    rows: str, density: Fraction
) -> None:
    found = tally_of(parse(rows)).compute_probabilities(density)
    assert all(0 < chance < 1 for chance in found.tolist() if not isnan(chance))


@pytest.mark.parametrize(("side", "layouts"), [(3, 56), (11, 1424136198859620)])
def test_board_tally_counts_a_lattice_of_threes(side: int, layouts: int) -> None:
    assert tally_of(lattice(side)).count == layouts


def test_board_tally_counts_a_lattice_by_mines_as_enumeration_does() -> None:
    tally = tally_of(lattice(5))
    component = BoxProblem.from_reduction(tally.reduction).take_component(0)
    assert tally.by_mines == cpsat.count_layouts(component, Deadline())


def test_board_tally_with_a_total_is_one_entry_of_the_counts_by_mines() -> None:
    by_mines = tally_of(lattice(7)).by_mines
    assert by_mines is not None
    found = {mines: tally_of(lattice(7), mines).count for mines in by_mines}
    assert found == by_mines


def test_board_tally_counts_beyond_floats_are_exact() -> None:
    count = tally_of(open_board(40)).count
    assert count == 3 * 2 ** (1600 - 2 - 3 - 8)
    assert count > 10**300


@pytest.mark.parametrize("mines", [9, 500, 800, 1596])
def test_board_tally_counts_beyond_floats_with_a_total_are_exact(mines: int) -> None:
    assert tally_of(open_board(40), mines).count == 3 * comb(1587, mines - 9)


def test_board_tally_counts_by_mines_beyond_floats_are_exact() -> None:
    expected = {mines: 3 * comb(1587, mines - 9) for mines in range(9, 1597)}
    assert tally_of(open_board(40)).by_mines == expected


def test_board_tally_unranks_the_last_layout_of_a_large_board() -> None:
    board = open_board(40)
    tally = tally_of(board, 800)
    assert Layout(tally.unrank(tally.count - 1).reshape(board.shape)).fits_board(board, 800)


def test_board_tally_of_a_large_board_with_a_total_has_one_number_of_mines() -> None:
    board = Board(np.full((1, 2001), UNKNOWN, dtype=np.int8))
    assert tally_of(board, 1).by_mines == {1: 2001}


@pytest.mark.parametrize("case", SMALL_CASES, ids=str)
def test_board_tally_counts_the_reference_boards(case: Case) -> None:
    reduction = reduce_board(parse(case.rows))
    if reduction.conflict == NONE:
        assert BoardTally(reduction, Budget(10**9, Deadline())).count == case.layouts


def test_inconsistent_component_leaves_the_board_no_layout() -> None:
    reduction = reduce_board(parse("??\n??"))
    assert component_products.multiply_components(reduction, [{}]) == 0
    assert component_products.by_mines(reduction, [{}]) == {}


def test_board_tally_with_a_total_too_small_for_its_components_is_zero() -> None:
    reduction = reduce_board(parse("?1?S?1?S?"), 1)
    assert reduction.conflict == NONE
    tally = BoardTally(reduction, Budget(10**9, Deadline()))
    assert tally.count == 0
    assert tally.by_mines == {}


def test_board_tally_of_many_small_components_with_a_total_takes_a_small_budget() -> None:
    # Each of 500 components has one mine, in one of five cells.
    tally = tally_of(parse(["?1?S" * 500, "???S" * 500]), 500, transitions=10_000_000)
    assert tally.count == 5**500
    number = 5**400 + 7
    assert tally.rank(tally.unrank(number)) == number


@pytest.mark.parametrize("ask", ["count", "by_mines"])
def test_board_tally_with_a_tiny_budget_is_too_wide(ask: str) -> None:
    with pytest.raises(TooWide):
        getattr(tally_of(lattice(7), transitions=20), ask)


def test_board_tally_with_a_tiny_budget_is_too_wide_for_forced_cells() -> None:
    with pytest.raises(TooWide):
        tally_of(lattice(7), transitions=20).find_forced()


def test_board_tally_past_the_deadline_raises() -> None:
    tally = BoardTally(reduce_board(lattice(7)), Budget(10**9, Deadline(-inf)))
    with pytest.raises(DeadlinePassed):
        _ = tally.count


@examples(50)
@given(st.integers(1, 12), st.data())
def test_board_tally_ranks_layouts_of_loose_cells_alone(cells: int, data: st.DataObject) -> None:
    mines = data.draw(st.none() | st.integers(1, max(1, cells - 1)))
    tally = tally_of(Board(np.full((1, cells), UNKNOWN, dtype=np.int8)), mines)
    found = {tuple(tally.unrank(rank).tolist()) for rank in range(tally.count)}
    assert len(found) == (1 << cells if mines is None else comb(cells, mines))
    assert mines is None or {sum(layout) for layout in found} == {mines}


def test_board_tally_leaves_undecided_cells_undecided() -> None:
    assert tally_of(parse("?1?")).find_forced().tolist() == [UNDECIDED, IS_SAFE, UNDECIDED]


densities = st.fractions(Fraction(1, 100), Fraction(99, 100), max_denominator=100)


def enough() -> Budget:
    return Budget(10**9, Deadline())


@given(boards_with_totals() | rows_of_parts(), st.none() | densities)
def test_board_tally_chances_as_fractions_are_exact(
    case: BoardCase, density: Fraction | None
) -> None:
    board, mines = case
    assume(mines is None or density is None)
    expected = oracle.answer(board, mines)
    assume(expected.consistent)
    found = tally_of(board, mines).compute_chances(density).to_fractions(enough())
    assert found.tolist() == exact_chances(expected.layouts, board, density or Fraction(1, 2))


@given(boards_with_totals() | rows_of_parts())
def test_board_tally_chances_are_rounded_once(case: BoardCase) -> None:
    board, _ = case
    expected = oracle.answer(*case)
    assume(expected.consistent)
    shares = chances(expected.layouts, board, Fraction(1, 2))
    found = tally_of(*case).compute_probabilities()
    assert np.array_equal(found, shares, equal_nan=True)


@given(boards_with_totals() | rows_of_parts(), st.integers(1, 12), st.data())
def test_find_safest_sorts_by_exact_chance_and_then_by_cell(
    case: BoardCase, limit: int, data: st.DataObject
) -> None:
    board, mines = case
    expected = oracle.answer(board, mines)
    assume(expected.consistent)
    among = data.draw(st.integers(0, board.cells.size))
    exact = exact_chances(expected.layouts, board, Fraction(1, 2))
    ranking = sorted(
        (chance, cell) for cell, chance in enumerate(exact[:among]) if chance is not None
    )
    found = tally_of(board, mines).compute_chances().find_safest(limit, among)
    assert [(chance.to_fraction(enough()), cell) for cell, chance in found] == ranking[:limit]


def test_find_safest_distinguishes_chances_that_round_to_one_double() -> None:
    huge = 10**40
    cells = [np.array([cell], dtype=np.int32) for cell in range(4)]
    parts = [huge + 1, huge, huge + 1, huge - 1]
    groups = [(cell, Ratio(part, 3 * huge)) for cell, part in zip(cells, parts, strict=True)]
    assert len({chance.nearest for _, chance in groups}) == 1
    found = Chances(4, groups).find_safest(4, 4)
    assert [cell for cell, _ in found] == [3, 1, 0, 2]


@given(layout_boards(), densities)
def test_board_tally_likelihood_is_that_of_all_layouts(board: Board, density: Fraction) -> None:
    expected = sum(weights(oracle.answer(board).layouts, board, density))
    assert tally_of(board).compute_likelihood(density).to_fraction(enough()) == expected


def test_board_tally_likelihood_is_not_rounded_to_0_or_1() -> None:
    tiny = Fraction(1, 10**300)
    assert tally_of(parse("???\n?8?\n???")).compute_likelihood(tiny).nearest == 5e-324
    assert 0.5 < tally_of(parse("0?")).compute_likelihood(tiny).nearest < 1
    assert tally_of(parse("??")).compute_likelihood(tiny).nearest == 1


@given(boards_with_totals() | rows_of_parts())
def test_board_tally_feasible_mines_are_the_least_and_the_most(case: BoardCase) -> None:
    by_mines = oracle.answer(case[0]).by_mines
    found = tally_of(case[0]).feasible
    assert found == ((min(by_mines), max(by_mines)) if by_mines else None)


@given(boards_with_totals() | rows_of_parts(), st.data())
def test_board_tally_rank_is_the_inverse_of_unrank(case: BoardCase, data: st.DataObject) -> None:
    tally = tally_of(*case)
    assume(tally.count)
    rank = data.draw(st.integers(0, tally.count - 1))
    assert tally.rank(tally.unrank(rank)) == rank


@pytest.mark.parametrize("mines", [None, 800])
def test_board_tally_rank_is_the_inverse_of_unrank_for_huge_ranks(mines: int | None) -> None:
    tally = tally_of(open_board(40), mines)
    for rank in (0, 1, tally.count // 3, tally.count - 1):
        assert tally.rank(tally.unrank(rank)) == rank


#: A component with layouts of different mines, a decided cell, a known mine, three loose cells.
SAMPLED = "?1?1?SB1?SS???"


@pytest.mark.parametrize(
    ("mines", "density"), [(None, None), (4, None), (None, Fraction(1, 3)), (None, Fraction(9, 10))]
)
def test_board_tally_samples_follow_the_weights_of_layouts(
    mines: int | None, density: Fraction | None
) -> None:
    board = parse(SAMPLED)
    expected = oracle.answer(board, mines)
    tally = tally_of(board, mines)
    random, draws = Random(1), 6000
    found = Counter(
        mines_of(Layout(tally.sample(random, density).reshape(board.shape))) for _ in range(draws)
    )
    chance = weights(expected.layouts, board, density or Fraction(1, 2))
    expected_draws = [float(draws * one / sum(chance)) for one in chance]
    assert set(found) <= set(expected.layouts)
    seen = [found[layout] for layout in expected.layouts]
    chi_squared = sum((s - w) ** 2 / w for s, w in zip(seen, expected_draws, strict=True))
    freedom = len(expected_draws) - 1
    # Five standard deviations of the chi-squared distribution above its mean.
    assert freedom >= 3
    assert chi_squared < freedom + 5 * (2 * freedom) ** 0.5


def test_board_tally_samples_of_huge_boards_fit_the_board() -> None:
    board = open_board(40)
    for mines, density in ((None, None), (800, None), (None, Fraction(1, 5))):
        placed = tally_of(board, mines).sample(Random(2), density)
        assert Layout(placed.reshape(board.shape)).fits_board(board, mines)
