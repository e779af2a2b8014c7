"""The reduction keeps all layouts, and what it decides or refuses is right."""

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import chain, pairwise, product
from math import comb, prod
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from minecheck.minefield.board import UNKNOWN, Board
from minecheck.minefield.layout import Layout
from minecheck.minefield.notation import parse
from minecheck.minefield.reduction.constraints import (
    IS_MINE,
    IS_SAFE,
    NONE,
    TOTAL,
    UNDECIDED,
    Constraints,
    Reduction,
    reduce,
)
from minecheck.minefield.rules import Rule, RuleError
from minecheck.minefield.variant import Variant
from tests import oracle
from tests.boards import SMALL_CASES, Case, boards_with_totals, rule_sets, small_boards
from tests.rule_constraints import build_constraints, reduce_board

Solution = frozenset[int]


def clue_cells(constraints: Constraints, clue: int) -> list[int]:
    first, last = constraints.start[clue : clue + 2].tolist()
    return list(map(int, constraints.members[first:last]))


def solutions(constraints: Constraints) -> list[Solution]:
    """The undecided cells that are mines, for every way to obey all clues and the total."""
    total = constraints.total
    rules = [
        (clue_cells(constraints, clue), int(low), int(high))
        for clue, (low, high) in enumerate(zip(constraints.low, constraints.high, strict=True))
    ]
    given_mines = int(np.count_nonzero(constraints.known == IS_MINE))
    undecided = np.flatnonzero(constraints.known == UNDECIDED).tolist()
    return oracle.sets_of(rules, undecided, None if total is None else total - given_mines)


def boxes_of(reduction: Reduction) -> list[list[int]]:
    cells, start = reduction.box_cells.tolist(), reduction.box_start.tolist()
    return [cells[first:last] for first, last in pairwise(start)]


def clues_of(reduction: Reduction) -> list[list[int]]:
    """The boxes of each open clue."""
    boxes, start = reduction.clue_boxes.tolist(), reduction.clue_start.tolist()
    return [boxes[first:last] for first, last in pairwise(start)]


def list_covered_cells(reduction: Reduction) -> list[frozenset[int]]:
    """The undecided cells of each open clue, from the constraints."""
    return [
        frozenset(
            cell
            for cell in clue_cells(reduction.constraints, clue)
            if reduction.state[cell] == UNDECIDED
        )
        for clue in reduction.clue.tolist()
    ]


def by_mines(reduction: Reduction) -> dict[int, int]:
    """Layouts by their mines in all: what boxes may hold, weighed with binomials."""
    sizes = [len(box) for box in boxes_of(reduction)]
    clues = list(zip(clues_of(reduction), reduction.low, reduction.high, strict=True))
    loose = reduction.loose.size
    counts: Counter[int] = Counter()
    for held in product(*(range(size + 1) for size in sizes)):
        if not all(low <= sum(held[box] for box in boxes) <= high for boxes, low, high in clues):
            continue
        weight = prod(map(comb, sizes, held))
        for more in range(loose + 1):
            if reduction.mines_left in (None, sum(held) + more):
                counts[reduction.mines_decided + sum(held) + more] += weight * comb(loose, more)
    return dict(sorted(counts.items()))


def from_rules(case: tuple[list[Rule], int, int | None]) -> Constraints:
    rules, cells, mines = case
    return build_constraints(rules, cells, mines)[0]


any_constraints = st.one_of(
    boards_with_totals().map(lambda case: Constraints.from_board(*case)),
    rule_sets().map(from_rules),
)


@st.composite
def open_reductions(draw: st.DrawFn) -> Reduction:
    """Reductions in which propagation found no conflict."""
    return draw(any_constraints.map(reduce).filter(lambda reduction: reduction.conflict == NONE))


# From boards to clues


def test_clues_of_a_board_count_mines_among_unknown_neighbours() -> None:
    constraints = Constraints.from_board(parse(["2B?", "?F1"]))
    assert constraints.known.tolist() == [
        *(IS_SAFE, IS_MINE, UNDECIDED),
        *(UNDECIDED, UNDECIDED, IS_SAFE),
    ]
    assert constraints.origin.tolist() == [0, 5]
    assert [clue_cells(constraints, clue) for clue in (0, 1)] == [[3, 4], [2, 4]]
    assert (constraints.low.tolist(), constraints.high.tolist()) == ([1, 0], [1, 0])


def test_safe_cell_without_a_number_is_known_and_not_a_clue() -> None:
    constraints = Constraints.from_board(parse("?S?"))
    assert constraints.known.tolist() == [UNDECIDED, IS_SAFE, UNDECIDED]
    assert constraints.low.size == 0


@pytest.mark.parametrize("rows", ["?", "1", "B", "S", "???", "?\n1\n?", "0\n?\nB"])
def test_constraints_of_one_row_or_column_keep_inside_the_board(rows: str) -> None:
    board = parse(rows)
    assert len(solutions(Constraints.from_board(board))) == oracle.answer(board).count


@given(boards_with_totals())
def test_constraints_of_a_board_have_the_layouts_of_the_board(
    case: tuple[Board, int | None],
) -> None:
    board, mines = case
    unknown = {
        (row, col)
        for row in range(board.height)
        for col in range(board.width)
        if board.unknown[row, col]
    }
    found = {
        frozenset(divmod(cell, board.width) for cell in chosen)
        for chosen in solutions(Constraints.from_board(board, mines))
    }
    assert found == {layout & unknown for layout in oracle.answer(board, mines).layouts}


# What is decided


@given(any_constraints)
def test_reduction_decides_cells_that_all_solutions_share(constraints: Constraints) -> None:
    state = reduce(constraints).state
    undecided = constraints.known == UNDECIDED
    mines = set(np.flatnonzero(undecided & (state == IS_MINE)).tolist())
    safe = set(np.flatnonzero(undecided & (state == IS_SAFE)).tolist())
    assert all(mines <= chosen and not safe & chosen for chosen in solutions(constraints))


@given(any_constraints)
def test_reduction_keeps_the_values_of_known_cells(constraints: Constraints) -> None:
    given_cells = constraints.known != UNDECIDED
    state = reduce(constraints).state
    assert np.array_equal(state[given_cells], constraints.known[given_cells])


@given(any_constraints)
def test_reduction_does_not_change_the_constraints(constraints: Constraints) -> None:
    fields = ("known", "start", "members", "low", "high", "origin")
    before = [getattr(constraints, field).copy() for field in fields]
    reduce(constraints)
    for field, array in zip(fields, before, strict=True):
        assert np.array_equal(getattr(constraints, field), array)


@given(any_constraints)
def test_reduction_reason_of_a_decided_cell_is_its_clue_or_the_total(
    constraints: Constraints,
) -> None:
    reduction = reduce(constraints)
    for cell in range(constraints.cells):
        reason = int(reduction.reason[cell])
        if constraints.known[cell] != UNDECIDED or reduction.state[cell] == UNDECIDED:
            assert reason == NONE
        elif constraints.total is None or reason != TOTAL:
            assert cell in clue_cells(constraints, reason)


@given(open_reductions())
def test_reduction_leaves_no_trivial_open_clue(reduction: Reduction) -> None:
    for cells, low, high in zip(
        list_covered_cells(reduction), reduction.low, reduction.high, strict=True
    ):
        assert 0 <= low <= high <= len(cells)
        assert (low, high) != (0, len(cells))
        assert low < len(cells)
        assert high > 0


@given(open_reductions())
def test_reduction_leaves_a_total_with_room_both_ways_or_no_cell(reduction: Reduction) -> None:
    undecided = int(np.count_nonzero(reduction.state == UNDECIDED))
    total = reduction.constraints.total
    if total is None:
        assert reduction.mines_left is None
    else:
        assert reduction.mines_left == total - reduction.mines_decided
        assert 0 < reduction.mines_left < undecided or (reduction.mines_left, undecided) == (0, 0)


@given(any_constraints)
def test_reduction_counts_the_cells_that_are_mines(constraints: Constraints) -> None:
    reduction = reduce(constraints)
    assert reduction.mines_decided == reduction.state.tolist().count(IS_MINE)


# Conflicts


@given(any_constraints)
def test_reduction_conflict_means_no_solution(constraints: Constraints) -> None:
    if reduce(constraints).conflict != NONE:
        assert not solutions(constraints)


@given(any_constraints)
def test_conflict_trace_has_no_common_solution(constraints: Constraints) -> None:
    reduction = reduce(constraints)
    if reduction.conflict != NONE:
        clues, with_total = reduction.trace_conflict()
        assert clues == sorted(set(clues))
        assert not solutions(constraints.with_clues(clues, with_total))


@given(any_constraints)
def test_conflict_trace_contains_the_violated_clue(constraints: Constraints) -> None:
    reduction = reduce(constraints)
    if reduction.conflict != NONE:
        clues, with_total = reduction.trace_conflict()
        assert with_total if reduction.conflict == TOTAL else reduction.conflict in clues


@given(any_constraints)
def test_conflict_trace_alone_reduces_to_a_conflict(constraints: Constraints) -> None:
    reduction = reduce(constraints)
    if reduction.conflict != NONE:
        again = reduce(constraints.with_clues(*reduction.trace_conflict()))
        assert again.conflict != NONE


@given(any_constraints)
def test_reduction_with_a_conflict_has_no_components(constraints: Constraints) -> None:
    reduction = reduce(constraints)
    if reduction.conflict != NONE:
        assert (reduction.components, reduction.box_cells.size, reduction.clue.size) == (0, 0, 0)


@pytest.mark.parametrize(
    ("rows", "mines", "clues", "with_total"),
    [
        ("1", None, [0], False),
        ("0B??", None, [0], False),
        ("11?0", None, [0], False),
        ("1?0", None, [0, 1], False),
        ("1?0?1", None, [0, 1], False),
        ("B?", 3, [], True),
        ("B?", 0, [], True),
        ("1??", 0, [0], True),
        ("?0??", 2, [0], True),
        ("0???", 3, [0], True),
    ],
)
def test_conflict_trace_of_small_boards_is_as_expected(
    rows: str, mines: int | None, clues: list[int], with_total: bool
) -> None:
    assert reduce_board(parse(rows), mines).trace_conflict() == (clues, with_total)


@given(open_reductions())
def test_open_clue_follows_from_its_trace(reduction: Reduction) -> None:
    for index, cells in enumerate(list_covered_cells(reduction)):
        clues, with_total = reduction.trace_clues([int(reduction.clue[index])])
        part = reduction.constraints.with_clues(clues, with_total)
        low, high = reduction.low[index], reduction.high[index]
        assert all(low <= len(cells & chosen) <= high for chosen in solutions(part))


@pytest.mark.parametrize(
    ("rows", "mines", "clue", "clues", "with_total"),
    [
        ("?1????1?", None, 0, [0], False),
        (["????", "S12S", "????"], None, 1, [1], False),
        (["0?2?", "SS??"], None, 1, [0, 1], False),
        (["0?2?", "SS??", "SSSS", "0?SS"], None, 1, [0, 1], False),
    ],
)
def test_clue_trace_of_small_boards_is_as_expected(
    rows: object, mines: int | None, clue: int, clues: list[int], with_total: bool
) -> None:
    assert reduce_board(parse(rows), mines).trace_clues([clue]) == (clues, with_total)


def test_conflict_trace_omits_unrelated_clues() -> None:
    reduction = reduce_board(parse(["1?0", "SSS", "SSS", "?1S"]))
    assert reduction.trace_conflict() == ([0, 1], False)


# Boxes, clues and components


@given(open_reductions())
def test_reduction_boxes_hold_the_cells_with_the_same_open_clues(reduction: Reduction) -> None:
    undecided = np.flatnonzero(reduction.state == UNDECIDED).tolist()
    boxes = boxes_of(reduction)
    assert sum(map(len, boxes)) == reduction.box_cells.size
    assert {frozenset(box) for box in boxes} == oracle.same_clues(
        list_covered_cells(reduction), undecided
    )


@given(open_reductions())
def test_boxes_and_loose_cells_are_all_undecided_cells(reduction: Reduction) -> None:
    cells = [*reduction.box_cells.tolist(), *reduction.loose.tolist()]
    assert sorted(cells) == np.flatnonzero(reduction.state == UNDECIDED).tolist()


@given(open_reductions())
def test_cells_ascend_in_each_box_and_among_the_loose_cells(reduction: Reduction) -> None:
    for cells in [*boxes_of(reduction), reduction.loose.tolist()]:
        assert cells == sorted(cells)


@given(open_reductions())
def test_boxes_of_a_clue_hold_its_undecided_cells_once(reduction: Reduction) -> None:
    boxes = boxes_of(reduction)
    for clue, cells in zip(clues_of(reduction), list_covered_cells(reduction), strict=True):
        assert sorted(cell for box in clue for cell in boxes[box]) == sorted(cells)


@given(open_reductions())
def test_open_clue_needs_the_mines_that_are_not_decided(reduction: Reduction) -> None:
    constraints = reduction.constraints
    for index, (clue, cells) in enumerate(
        zip(reduction.clue.tolist(), list_covered_cells(reduction), strict=True)
    ):
        decided = sum(reduction.state[cell] == IS_MINE for cell in clue_cells(constraints, clue))
        assert reduction.low[index] == max(constraints.low[clue] - decided, 0)
        assert reduction.high[index] == min(constraints.high[clue] - decided, len(cells))


@given(open_reductions())
def test_reduction_components_are_the_connected_clues(reduction: Reduction) -> None:
    boxes = boxes_of(reduction)
    bounds = reduction.component_boxes.tolist()
    components = [
        frozenset(cell for box in boxes[first:last] for cell in box)
        for first, last in pairwise(bounds)
    ]
    assert (bounds[0], bounds[-1]) == (0, len(boxes))
    assert len(components) == reduction.components
    assert set(components) == oracle.merge_overlapping(set(list_covered_cells(reduction)))


@given(open_reductions())
def test_components_and_their_boxes_are_numbered_by_their_first_cells(
    reduction: Reduction,
) -> None:
    firsts = [box[0] for box in boxes_of(reduction)]
    bounds = reduction.component_boxes.tolist()
    groups = [firsts[first:last] for first, last in pairwise(bounds)]
    assert all(group == sorted(group) for group in groups)
    assert [group[0] for group in groups] == sorted(group[0] for group in groups)


@given(open_reductions())
def test_component_clues_are_over_the_boxes_of_the_component(reduction: Reduction) -> None:
    clues = clues_of(reduction)
    assert reduction.component_clues[0] == 0
    assert reduction.component_clues[-1] == len(clues)
    for component in range(reduction.components):
        own = range(*reduction.component_boxes[component : component + 2].tolist())
        first, last = reduction.component_clues[component : component + 2].tolist()
        assert first < last
        assert all(box in own for clue in clues[first:last] for box in clue)


def test_two_clues_make_three_boxes() -> None:
    reduction = reduce_board(parse(["????", "S12S", "????"]))
    assert boxes_of(reduction) == [[0, 8], [1, 2, 9, 10], [3, 11]]
    assert clues_of(reduction) == [[0, 1], [1, 2]]
    assert (reduction.low.tolist(), reduction.high.tolist()) == ([1, 2], [1, 2])


def test_reduction_separates_components_and_loose_cells() -> None:
    reduction = reduce_board(parse("?1???1?"))
    assert boxes_of(reduction) == [[0, 2], [4, 6]]
    assert reduction.component_boxes.tolist() == [0, 1, 2]
    assert reduction.component_clues.tolist() == [0, 1, 2]
    assert reduction.loose.tolist() == [3]


def test_two_clues_over_the_same_cells_share_one_box() -> None:
    reduction = reduce_board(parse(["1?", "?1"]))
    assert boxes_of(reduction) == [[1, 2]]
    assert clues_of(reduction) == [[0], [0]]


# No layout is lost and none is made up


@given(open_reductions())
def test_solutions_obey_the_reduced_clues(reduction: Reduction) -> None:
    clues = list(zip(list_covered_cells(reduction), reduction.low, reduction.high, strict=True))
    for chosen in solutions(reduction.constraints):
        assert all(low <= len(cells & chosen) <= high for cells, low, high in clues)


@given(open_reductions())
def test_reduction_has_as_many_layouts_as_the_constraints(reduction: Reduction) -> None:
    constraints = reduction.constraints
    given_mines = int(np.count_nonzero(constraints.known == IS_MINE))
    counts = Counter(given_mines + len(chosen) for chosen in solutions(constraints))
    assert by_mines(reduction) == dict(sorted(counts.items()))


@given(boards_with_totals())
def test_reduction_has_as_many_layouts_as_the_board(case: tuple[Board, int | None]) -> None:
    reduction = reduce_board(*case)
    counts = {} if reduction.conflict != NONE else by_mines(reduction)
    assert counts == oracle.answer(*case).by_mines


@pytest.mark.parametrize("case", SMALL_CASES, ids=str)
def test_reduction_keeps_the_layouts_of_the_papers_boards(case: Case) -> None:
    reduction = reduce_board(parse(case.rows))
    counts = {} if reduction.conflict != NONE else by_mines(reduction)
    assert counts == case.by_mines


# Totals


@pytest.mark.parametrize(
    ("rows", "mines", "state"),
    [
        ("??", 0, "00"),
        ("??", 1, "??"),
        ("??", 2, "BB"),
        ("B???", 1, "B000"),
        ("B???", 4, "BBBB"),
        ("F?", 0, "00"),
        ("?1B??", 1, "00B00"),
        ("?1B??", 2, "00B??"),
        ("?1B??", 3, "00BBB"),
        ("?2??", 2, "B0B0"),
        ("?2??", 3, "B0BB"),
        ("?1??", 1, "?0??"),
        ("?1??", 3, None),
        ("B", 1, "B"),
        ("0", 0, "0"),
        ("S", 0, "0"),
        ("S", 1, None),
        ("B", 0, None),
        ("B", 2, None),
        ("??", 3, None),
        ("?1?", 0, None),
        ("?1?", 2, None),
        ("?0??", 2, None),
        ("???", -1, None),
        ("???", -2, None),
        ("B??", -1, None),
        ("???", 10**12, None),
        ("???", 10**30, None),
    ],
)
def test_total_decides_all_undecided_cells_or_none(
    rows: str, mines: int, state: str | None
) -> None:
    reduction = reduce_board(parse(rows), mines)
    assert (reduction.conflict == NONE) == (state is not None)
    if state is not None:
        assert "".join("0B?"[value] for value in reduction.state) == state


@pytest.mark.parametrize(
    ("rows", "mines"), [("??", 3), ("B?", 0), ("B?", 3), ("??", -2), ("0???", 3), ("B", 0)]
)
def test_total_that_cannot_be_met_is_the_conflict(rows: str, mines: int) -> None:
    assert reduce_board(parse(rows), mines).conflict == TOTAL


def test_cell_that_the_total_decides_has_the_total_as_reason() -> None:
    reduction = reduce_board(parse("?1B?"), 1)
    assert reduction.reason.tolist() == [0, NONE, NONE, TOTAL]


def test_cells_that_the_total_decides_can_violate_a_clue() -> None:
    reduction = reduce_board(parse("?1??"), 0)
    assert reduction.conflict == 0


# Bare rules


def rules_state(rules: list[Rule], cells: int | None = None, mines: int | None = None) -> Reduction:
    return reduce(build_constraints(rules, cells, mines)[0])


def test_constraints_number_the_cells_of_rules_in_order() -> None:
    constraints, number = build_constraints(
        [Rule(("b", "a"), 0, 1), Rule(("a", (0, 1)), 1, 1)], cells=5, mines=2
    )
    assert dict(number) == {"b": 0, "a": 1, (0, 1): 2}
    assert [clue_cells(constraints, clue) for clue in (0, 1)] == [[0, 1], [1, 2]]
    assert (constraints.low.tolist(), constraints.high.tolist()) == ([0, 1], [1, 1])
    assert constraints.origin.tolist() == [0, 1]
    assert (constraints.cells, constraints.total) == (5, 2)


def test_constraints_of_rules_have_the_named_cells_by_default() -> None:
    assert build_constraints([Rule("ab", 1, 1), Rule("bc", 1, 1)])[0].cells == 3  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("rules", "cells", "rule"),
    [
        ([Rule(("a", "a"), 0, 1)], None, 0),
        ([Rule(("a", "b"), 0, 1), Rule(("c", "a", "c"), 0, 1)], None, 1),
        ([Rule(("a",), 1, 0)], None, 0),
        ([Rule(("a",), 0, 1), Rule((), 0, -1)], None, 1),
        ([Rule(("a", "b"), 0, 1)], 1, None),
        ([Rule(("a",), 0, 1), Rule(("b",), 0, 1)], 1, None),
        ([Rule(("a",), 0, 1)], 0, None),
        ([], -1, None),
    ],
)
def test_constraints_reject_rules_of_invalid_form(
    rules: list[Rule], cells: int | None, rule: int | None
) -> None:
    with pytest.raises(RuleError) as caught:
        build_constraints(rules, cells)
    assert caught.value.rule == rule


@pytest.mark.parametrize(
    ("low", "high", "state"),
    [
        (0, 3, "???"),
        (-7, 9, "???"),
        (0, 0, "000"),
        (-3, 0, "000"),
        (3, 3, "BBB"),
        (3, 8, "BBB"),
        (1, 2, "???"),
        (0, 2, "???"),
        (1, 3, "???"),
        (-(2**31), 2**31 - 1, "???"),
        (0, 10**12, "???"),
        (-(10**12), 2, "???"),
        (4, 4, None),
        (4, 9, None),
        (-2, -1, None),
        (10**12, 10**12, None),
    ],
)
def test_reduction_decides_the_cells_of_one_rule(low: int, high: int, state: str | None) -> None:
    reduction = rules_state([Rule((0, 1, 2), low, high)])
    assert (reduction.conflict == NONE) == (state is not None)
    if state is not None:
        assert "".join("0B?"[value] for value in reduction.state) == state


@pytest.mark.parametrize(("low", "high"), [(0, 3), (-1, 3), (0, 4), (-7, 9)])
def test_rule_without_information_leaves_its_cells_loose(low: int, high: int) -> None:
    reduction = rules_state([Rule((0, 1, 2), low, high)])
    assert (reduction.clue.size, reduction.components) == (0, 0)
    assert reduction.loose.tolist() == [0, 1, 2]


@pytest.mark.parametrize(("low", "high"), [(-(2**31), 2), (0, 2**31 - 1)])
def test_widest_bounds_of_a_rule_do_not_wrap_round(low: int, high: int) -> None:
    reduction = rules_state([Rule((0, 1, 2), low, high), Rule((0,), 1, 1)])
    assert reduction.conflict == NONE


def test_bounds_of_a_rule_are_cut_to_the_possible_numbers() -> None:
    reduction = rules_state([Rule((0, 1, 2), -5, 2), Rule((3, 4, 5), 1, 50)])
    assert (reduction.low.tolist(), reduction.high.tolist()) == ([0, 1], [2, 3])


@pytest.mark.parametrize(
    ("low", "high", "conflict"), [(0, 0, NONE), (-1, 1, NONE), (1, 1, 0), (-2, -1, 0)]
)
def test_rule_without_cells_is_a_conflict_or_always_holds(
    low: int, high: int, conflict: int
) -> None:
    reduction = rules_state([Rule((), low, high)], cells=2)
    assert reduction.conflict == conflict


def test_rule_without_cells_keeps_the_numbers_of_other_rules() -> None:
    reduction = rules_state([Rule((), 0, 0), Rule((0, 1), 1, 1), Rule((), 0, 3)])
    assert reduction.clue.tolist() == [1]
    assert boxes_of(reduction) == [[0, 1]]


@pytest.mark.parametrize(
    ("cells", "mines", "conflict"),
    [(0, None, NONE), (0, 0, NONE), (0, 1, TOTAL), (3, None, NONE), (3, 2, NONE), (3, 4, TOTAL)],
)
def test_reduction_without_rules_checks_the_total(
    cells: int, mines: int | None, conflict: int
) -> None:
    assert rules_state([], cells, mines).conflict == conflict


def test_total_counts_cells_that_no_rule_names() -> None:
    reduction = rules_state([Rule(("a", "b"), 0, 1)], cells=4, mines=4)
    assert reduction.conflict != NONE


def test_reduction_combines_intervals_of_several_rules() -> None:
    reduction = rules_state([Rule("ab", 1, 2), Rule("bc", 0, 1), Rule("b", 1, 1)])  # type: ignore[arg-type]
    assert reduction.state.tolist() == [UNDECIDED, IS_MINE, IS_SAFE]


# Some of the clues


@given(any_constraints, st.data())
def test_constraints_with_some_clues_have_the_solutions_of_these_clues(
    constraints: Constraints, data: st.DataObject
) -> None:
    clues = constraints.low.size
    chosen = data.draw(
        st.lists(st.integers(0, clues - 1), unique=True, max_size=3) if clues else st.just([])
    )
    total = data.draw(st.booleans())
    part = constraints.with_clues(chosen, total)
    assert [clue_cells(part, index) for index in range(len(chosen))] == [
        clue_cells(constraints, clue) for clue in chosen
    ]
    assert part.low.tolist() == [constraints.low[clue] for clue in chosen]
    assert part.high.tolist() == [constraints.high[clue] for clue in chosen]
    assert part.origin.tolist() == [constraints.origin[clue] for clue in chosen]
    assert part.total == (constraints.total if total else None)


@given(any_constraints)
def test_constraints_with_all_clues_and_the_total_are_unchanged(constraints: Constraints) -> None:
    assert solutions(constraints.with_clues(range(constraints.low.size))) == solutions(constraints)


# Symmetry and size


def mirror_board(board: Board) -> Board:
    return Board(board.cells[:, ::-1])


def upside_down(board: Board) -> Board:
    return Board(board.cells[::-1])


def sizes(reduction: Reduction) -> Iterator[object]:
    yield reduction.conflict == NONE
    if reduction.conflict == NONE:
        yield Counter(reduction.state.tolist())
        yield reduction.loose.size
        yield sorted(map(len, boxes_of(reduction)))
        yield sorted(zip(map(len, clues_of(reduction)), reduction.low, reduction.high, strict=True))
        yield sorted(np.diff(reduction.component_boxes).tolist())
        yield reduction.mines_left


@pytest.mark.parametrize("moved", [Board.transpose, mirror_board, upside_down])
@given(case=boards_with_totals())
def test_turned_board_has_a_reduction_of_equal_sizes(
    moved: Callable[[Board], Board], case: tuple[Board, int | None]
) -> None:
    board, mines = case
    assert list(sizes(reduce_board(moved(board), mines))) == list(sizes(reduce_board(board, mines)))


@given(small_boards())
def test_reduction_takes_flags_as_unknown_cells(board: Board) -> None:
    cells = board.cells.copy()
    cells[board.unknown] = UNKNOWN
    flagged, plain = reduce_board(board), reduce_board(Board(cells))
    assert np.array_equal(flagged.state, plain.state)
    assert flagged.conflict == plain.conflict


def test_reduction_handles_a_board_of_a_million_cells() -> None:
    random = np.random.default_rng(1)
    mines = random.random((1000, 1000)) < 0.15
    hidden = mines | (random.random(mines.shape) < 0.4)
    reduction = reduce_board(Board(np.where(hidden, UNKNOWN, Layout(mines).count_neighbours())))
    decided = reduction.state != UNDECIDED
    assert reduction.conflict == NONE
    assert reduction.components > 1
    assert np.array_equal(reduction.state[decided] == IS_MINE, mines.ravel()[decided])
    assert reduction.box_cells.size + reduction.loose.size == np.count_nonzero(~decided)


def test_reduction_leaves_a_million_unknown_cells_loose() -> None:
    reduction = reduce_board(Board(np.full((1000, 1000), UNKNOWN)), mines=500_000)
    assert (reduction.components, reduction.loose.size) == (0, 1_000_000)


# Split as they are, nothing decided


def list_asking_clues(constraints: Constraints) -> list[int]:
    """Clues that have cells."""
    return np.flatnonzero(np.diff(constraints.start)).tolist()


@given(any_constraints)
def test_split_decides_no_cell(constraints: Constraints) -> None:
    parts = constraints.parts
    assert np.array_equal(parts.state, constraints.known)
    assert (parts.reason == NONE).all()
    assert parts.conflict == NONE


@given(any_constraints)
def test_split_keeps_clues_with_cells_unchanged(constraints: Constraints) -> None:
    parts = constraints.parts
    boxes = boxes_of(parts)
    assert sorted(parts.clue.tolist()) == list_asking_clues(constraints)
    assert np.array_equal(parts.low, constraints.low[parts.clue])
    assert np.array_equal(parts.high, constraints.high[parts.clue])
    for clue, own in zip(parts.clue.tolist(), clues_of(parts), strict=True):
        assert sorted(cell for box in own for cell in boxes[box]) == sorted(
            clue_cells(constraints, clue)
        )


@given(any_constraints)
def test_split_boxes_hold_the_cells_with_the_same_clues(constraints: Constraints) -> None:
    parts = constraints.parts
    boxes, undecided = boxes_of(parts), np.flatnonzero(constraints.known == UNDECIDED).tolist()
    assert {frozenset(box) for box in boxes} == oracle.same_clues(
        list_covered_cells(parts), undecided
    )
    assert sorted([*chain(*boxes), *parts.loose.tolist()]) == undecided


@given(any_constraints)
def test_split_components_are_the_connected_clues(constraints: Constraints) -> None:
    parts = constraints.parts
    boxes, clues = boxes_of(parts), clues_of(parts)
    found = set()
    for component in range(parts.components):
        own = range(*parts.component_boxes[component : component + 2].tolist())
        first, last = parts.component_clues[component : component + 2].tolist()
        assert {box for clue in clues[first:last] for box in clue} == set(own)
        found.add(frozenset(chain(*(boxes[box] for box in own))))
    assert found == oracle.merge_overlapping(set(list_covered_cells(parts)))


@given(any_constraints)
def test_split_has_the_layouts_of_the_clues_with_cells(constraints: Constraints) -> None:
    known = int(np.count_nonzero(constraints.known == IS_MINE))
    ways = solutions(constraints.with_clues(list_asking_clues(constraints)))
    assert by_mines(constraints.parts) == dict(
        sorted(Counter(known + len(chosen) for chosen in ways).items())
    )


@pytest.mark.parametrize(
    ("rows", "mines", "left", "bounds"),
    [("1", None, None, []), ("B3?", 4, 3, [2]), ("1?0", None, None, [1, 0]), ("B0?", 0, -1, [-1])],
)
def test_split_keeps_impossible_totals_and_bounds(
    rows: str, mines: int | None, left: int | None, bounds: list[int]
) -> None:
    parts = Constraints.from_board(parse(rows), mines).parts
    assert parts.mines_left == left
    assert parts.low.tolist() == parts.high.tolist() == bounds


# Suppositions


@given(any_constraints, st.data())
def test_assumption_keeps_the_solutions_that_agree(
    constraints: Constraints, data: st.DataObject
) -> None:
    for cell in np.flatnonzero(constraints.known == UNDECIDED).tolist()[:4]:
        value = data.draw(st.sampled_from([IS_SAFE, IS_MINE]))
        agreeing = [way for way in solutions(constraints) if (cell in way) == (value == IS_MINE)]
        assert solutions(constraints.with_assumption(cell, value)) == agreeing


@given(any_constraints)
def test_assumption_is_one_more_clue_at_the_end_without_an_origin(constraints: Constraints) -> None:
    clues = range(constraints.low.size)
    for cell in np.flatnonzero(constraints.known == UNDECIDED).tolist():
        supposed = constraints.with_assumption(cell, IS_MINE)
        assert clue_cells(supposed, len(clues)) == [cell]
        assert supposed.origin.tolist() == [*constraints.origin.tolist(), NONE]
        assert (supposed.known is constraints.known, supposed.total) == (True, constraints.total)
        before = supposed.with_clues(clues)
        for field in ("start", "members", "low", "high", "origin"):
            assert np.array_equal(getattr(before, field), getattr(constraints, field))
            assert getattr(supposed, field).dtype == np.int32


@given(boards_with_totals())
def test_plane_variant_has_the_constraints_of_the_board(
    case: tuple[Board, int | None],
) -> None:
    board, mines = case
    right, found = (Constraints.from_position(puzzle, mines) for puzzle in (board, Variant(board)))
    for name in ("known", "start", "members", "low", "high", "origin"):
        assert getattr(found, name).tolist() == getattr(right, name).tolist(), name
    assert found.total == right.total == mines


@pytest.mark.parametrize("beyond", [{"most": 2}, {"lies": (0, 1)}])
def test_constraints_reject_variants_whose_clues_are_not_intervals(beyond: Any) -> None:
    with pytest.raises(ValueError, match="not intervals"):
        Constraints.from_variant(Variant(parse("?1?"), **beyond))
