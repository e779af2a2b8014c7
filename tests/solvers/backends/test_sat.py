"""Cardinality clauses, and what a SAT solver answers with them."""

from collections.abc import Hashable
from itertools import combinations
from math import comb, inf

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from pysat.solvers import Solver

from minecheck.minefield.board import UNKNOWN, Board
from minecheck.minefield.layout import Layout
from minecheck.minefield.notation import parse
from minecheck.minefield.reduction.constraints import (
    IS_MINE,
    NONE,
    UNDECIDED,
    Constraints,
    Reduction,
    reduce,
)
from minecheck.minefield.rules import Rule
from minecheck.solvers.backends import sat
from minecheck.solvers.backends.clauses import (
    Clauses,
    build_templates,
    check_total_time,
    encode_cardinality,
    encode_reduction,
)
from minecheck.solvers.budget import Budget
from minecheck.solvers.counting.component import Component
from minecheck.solvers.deadline import Deadline, DeadlinePassed
from minecheck.solvers.reasons.cores import SatRefuter
from tests import oracle
from tests.boards import boards_with_totals, rule_sets
from tests.examples import examples
from tests.rule_constraints import build_constraints, reduce_board

BoardCase = tuple[Board, int | None]
RuleSet = tuple[list[Rule], int, int | None]

PAST = Deadline(-inf)


#: (cells, low, high) with low <= high, one step beyond what is possible included.
SMALL = [
    (cells, low, high)
    for cells in range(7)
    for low in range(-1, cells + 2)
    for high in range(low, cells + 2)
]


def encode_bounds(cells: int, low: int, high: int, guard: int | None = None) -> Clauses:
    """Clauses for low..high true ones among the variables 1..cells."""
    clauses, top = encode_cardinality(
        np.array([0, cells]),
        np.arange(1, cells + 1),
        np.array([low], dtype=np.int32),
        np.array([high], dtype=np.int32),
        Deadline(),
        None if guard is None else np.array([guard]),
    )
    assert top == max([cells, guard or 0, *(abs(one) for clause in clauses for one in clause)])
    return clauses


def count_accepted(clauses: Clauses, cells: int, *assumed: int) -> list[int]:
    """Count the sets of each size among the variables 1..cells that extend to a model."""
    sizes = [0] * (cells + 1)
    with Solver("glucose4", bootstrap_with=clauses) as solver:
        for size in range(cells + 1):
            for chosen in combinations(range(1, cells + 1), size):
                literals = [v if v in chosen else -v for v in range(1, cells + 1)]
                sizes[size] += bool(solver.solve([*literals, *assumed]))
    return sizes


def exactly(cells: int, low: int, high: int) -> list[int]:
    """All sets of the right sizes and none of the others."""
    return [comb(cells, size) if low <= size <= high else 0 for size in range(cells + 1)]


def reduce_consistent(case: BoardCase) -> Reduction:
    """The board reduced; drawn again where propagation finds a conflict."""
    reduction = reduce_board(*case)
    assume(reduction.conflict == NONE)
    return reduction


def list_all_mines(reduction: Reduction, cells: np.ndarray, mines: np.ndarray) -> frozenset[int]:
    """All mines of a layout."""
    state = reduction.state == IS_MINE
    state[cells] = mines
    return frozenset(np.flatnonzero(state).tolist())


def enumerate_sets(case: RuleSet) -> list[frozenset[Hashable]]:
    """All layouts of a rule set over the cells 0, 1, ..."""
    rules, cells, mines = case
    return oracle.sets_of(
        [(rule.cells, rule.low, rule.high) for rule in rules], range(cells), mines
    )


def reduced_rules(case: RuleSet) -> tuple[Reduction, dict[int, Hashable]]:
    """The rules reduced, and the name of each of the reduction's cells."""
    rules, cells, mines = case
    constraints, number = build_constraints(rules, cells, mines)
    reduction = reduce(constraints)
    assume(reduction.conflict == NONE)
    named = [*number, *sorted(set(range(cells)) - set(number))]
    return reduction, dict(enumerate(named))


@st.composite
def wide_rules(draw: st.DrawFn) -> RuleSet:
    """A few rules over nine cells or more among at most twelve, around a set of mines."""
    count = draw(st.integers(9, 12))
    mines = draw(st.sets(st.integers(0, count - 1)))
    rules = []
    for _ in range(draw(st.integers(1, 2))):
        cells = draw(st.lists(st.integers(0, count - 1), unique=True, min_size=9))
        held = len(mines.intersection(cells))
        rules.append(Rule(tuple(cells), held - draw(st.integers(0, 2)), held))
    return rules, count, draw(st.sampled_from([None, len(mines)]))


@pytest.mark.parametrize(("cells", "low", "high"), SMALL)
def test_sat_clauses_accept_exactly_the_sets_of_the_right_sizes(
    cells: int, low: int, high: int
) -> None:
    assert count_accepted(encode_bounds(cells, low, high), cells) == exactly(cells, low, high)


@pytest.mark.parametrize(("cells", "low", "high"), SMALL)
def test_sat_guard_switches_the_clauses_on(cells: int, low: int, high: int) -> None:
    clauses = encode_bounds(cells, low, high, guard=cells + 1)
    assert count_accepted(clauses, cells, cells + 1) == exactly(cells, low, high)


@pytest.mark.parametrize(("cells", "low", "high"), SMALL)
def test_sat_guard_switches_the_clauses_off(cells: int, low: int, high: int) -> None:
    clauses = encode_bounds(cells, low, high, guard=cells + 1)
    assert count_accepted(clauses, cells, -cells - 1) == exactly(cells, 0, cells)


WIDE = [(8, 3, 5), (9, 0, 8), (9, 1, 9), (9, 4, 4), (9, 9, 9), (9, 0, 0), (9, -1, 12), (9, 10, 11)]
WIDER = [(10, 0, 1), (10, 2, 7), (10, 5, 5), (10, 9, 10), (10, 0, 10), (10, 10, 10), (10, -3, -1)]


@pytest.mark.parametrize(("cells", "low", "high"), WIDE + WIDER)
def test_sat_encodings_with_more_variables_accept_the_same_sets(
    cells: int, low: int, high: int
) -> None:
    assert count_accepted(encode_bounds(cells, low, high), cells) == exactly(cells, low, high)


@pytest.mark.parametrize(("cells", "low", "high"), WIDE + WIDER)
def test_sat_encodings_with_more_variables_can_be_guarded(cells: int, low: int, high: int) -> None:
    clauses = encode_bounds(cells, low, high, guard=cells + 1)
    assert count_accepted(clauses, cells, cells + 1) == exactly(cells, low, high)
    assert count_accepted(clauses, cells, -cells - 1) == exactly(cells, 0, cells)


def test_sat_templates_are_built_once_for_clues_of_the_same_form() -> None:
    assert build_templates(2, 3, 5) is build_templates(2, 3, 5)


@given(boards_with_totals())
def test_sat_witness_is_a_layout(case: BoardCase) -> None:
    board, mines = case
    reduction = reduce_consistent(case)
    found = sat.find_witness(reduction, Deadline())
    assert (found is not None) == oracle.answer(*case).consistent
    if found is not None:
        state = reduction.state == IS_MINE
        state[found[0]] = found[1]
        assert Layout(state.reshape(board.shape)).fits_board(board, mines)


@given(boards_with_totals())
def test_sat_enumeration_lists_each_layout_once(case: BoardCase) -> None:
    board, _ = case
    expected = oracle.answer(*case)
    assume(expected.count <= 200)
    reduction = reduce_consistent(case)
    found = [
        list_all_mines(reduction, *layout) for layout in sat.iterate_layouts(reduction, Deadline())
    ]
    assert len(set(found)) == len(found)
    numbers = {frozenset(r * board.width + c for r, c in layout) for layout in expected.layouts}
    assert set(found) == numbers


@given(boards_with_totals())
def test_sat_proves_all_forced_cells(case: BoardCase) -> None:
    board, _ = case
    expected = oracle.answer(*case)
    assume(expected.consistent)
    reduction = reduce_consistent(case)
    layout = np.zeros(board.shape, dtype=np.bool_)
    for cell in expected.layouts[-1]:
        layout[cell] = True
    values, complete = sat.find_forced(reduction, layout.ravel(), Deadline())
    merged = np.where(values == UNDECIDED, reduction.state, values).reshape(board.shape)
    unknown = [cell for cell in np.ndindex(board.shape) if board.unknown[cell]]
    assert complete
    assert {cell for cell in unknown if merged[cell] == 1} == expected.forced_mines
    assert {cell for cell in unknown if merged[cell] == 0} == expected.forced_safe


@given(boards_with_totals())
def test_sat_counts_a_component_as_dynamic_programming_does(case: BoardCase) -> None:
    reduction = reduce_consistent(case)
    for component in range(reduction.components):
        part = Component(reduction, component, Budget(10**6, Deadline()))
        assert sat.count_layouts(reduction, component, Deadline()) == part.by_mines


@given(rule_sets())
def test_sat_enumeration_of_rules_agrees_with_the_oracle(case: RuleSet) -> None:
    reduction, name = reduced_rules(case)
    found = [
        list_all_mines(reduction, *layout) for layout in sat.iterate_layouts(reduction, Deadline())
    ]
    assert len(set(found)) == len(found)
    assert {frozenset(name[cell] for cell in cells) for cells in found} == set(enumerate_sets(case))


@examples(60)
@given(wide_rules())
def test_sat_enumeration_of_wide_rules_agrees_with_the_oracle(case: RuleSet) -> None:
    reduction, name = reduced_rules(case)
    found = [
        list_all_mines(reduction, *layout) for layout in sat.iterate_layouts(reduction, Deadline())
    ]
    assert len(set(found)) == len(found)
    assert {frozenset(name[cell] for cell in cells) for cells in found} == set(enumerate_sets(case))


def test_sat_enumeration_with_a_wide_rule_keeps_loose_cells_free() -> None:
    constraints, _ = build_constraints([Rule(tuple(range(9)), 4, 4)], cells=11)
    found = list(sat.iterate_layouts(reduce(constraints), Deadline()))
    assert len(found) == comb(9, 4) * 4


@examples(60)
@given(wide_rules() | rule_sets(), st.data())
def test_sat_refuter_refutes_exactly_contradictory_rules(
    case: RuleSet, data: st.DataObject
) -> None:
    rules, cells, mines = case
    assume(rules)
    chosen = data.draw(st.sets(st.integers(0, len(rules) - 1)).map(sorted))
    total = mines is not None and data.draw(st.booleans())
    constraints, _ = build_constraints(rules, cells, mines)
    everything = list(range(len(rules)))
    with SatRefuter(constraints, everything, mines is not None, Deadline()) as refute:
        refuted = refute(chosen, total)
    possible = enumerate_sets(([rules[k] for k in chosen], cells, mines if total else None))
    assert (refuted is None) == bool(possible)


def test_sat_refuter_core_lies_within_the_given_clues() -> None:
    constraints = Constraints.from_board(parse("?1?S?1?S?1?"), 2)
    with SatRefuter(constraints, [0, 1, 2], True, Deadline()) as refute:
        core = refute([0, 1, 2], True)
    assert core is not None
    assert (sorted(core.clues), core.total) == ([0, 1, 2], True)


def test_clauses_of_a_total_are_not_begun_where_they_would_be_late() -> None:
    check_total_time(100_000, 10_000, Deadline())
    check_total_time(100, 10, Deadline.in_seconds(60))
    with pytest.raises(DeadlinePassed):
        check_total_time(100_000, 10_000, Deadline.in_seconds(60))


def test_sat_encoding_of_a_component_has_only_its_cells() -> None:
    reduction = reduce_board(parse("?1?S?2????1?"))
    cells, clauses, _ = encode_reduction(reduction, Deadline(), [0])
    first, last = reduction.component_boxes[:2].tolist()
    starts = reduction.box_start[[first, last]]
    assert cells.tolist() == reduction.box_cells[starts[0] : starts[1]].tolist()
    assert {abs(literal) for clause in clauses for literal in clause} <= set(
        range(1, cells.size + 1)
    )


def test_sat_encoding_numbers_loose_cells_after_the_boxes() -> None:
    reduction = reduce_board(parse("?1???"))
    assert encode_reduction(reduction, Deadline())[0].tolist() == [0, 2, 3, 4]


def test_sat_witness_past_the_deadline_raises() -> None:
    with pytest.raises(DeadlinePassed):
        sat.find_witness(reduce_board(parse("?1?")), PAST)


def test_sat_enumeration_past_the_deadline_raises() -> None:
    with pytest.raises(DeadlinePassed):
        next(sat.iterate_layouts(reduce_board(parse("?1?")), PAST))


def test_sat_count_past_the_deadline_raises() -> None:
    with pytest.raises(DeadlinePassed):
        sat.count_layouts(reduce_board(parse("?1?")), 0, PAST)


def test_sat_forced_cells_past_the_deadline_are_incomplete() -> None:
    reduction = reduce_board(parse("?1??\nSSS1"))
    values, complete = sat.find_forced(reduction, np.zeros(8, dtype=np.bool_), PAST)
    assert not complete
    assert (values == UNDECIDED).all()


def test_sat_enumeration_checks_the_deadline_between_layouts() -> None:
    class Stoppable(Deadline):
        left = 1.0

    deadline = Stoppable()
    found = sat.iterate_layouts(reduce_board(parse("?1?")), deadline)
    next(found)
    Stoppable.left = 0.0
    with pytest.raises(DeadlinePassed):
        next(found)


def test_sat_encoding_rejects_a_total_that_would_miss_the_deadline() -> None:
    reduction = reduce_board(Board(np.full((200, 200), UNKNOWN)), 20_000)
    with pytest.raises(DeadlinePassed):
        encode_reduction(reduction, Deadline.in_seconds(5))
