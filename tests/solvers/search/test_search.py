"""The search over boxes says what the oracle says, or that it gave up."""

from collections.abc import Set
from itertools import product
from math import inf

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.typing import NDArray

from minecheck.minefield.board import UNKNOWN, Board
from minecheck.minefield.layout import Layout
from minecheck.minefield.notation import parse
from minecheck.minefield.reduction.constraints import IS_MINE, IS_SAFE, NONE, Index, reduce
from minecheck.minefield.rules import Rule
from minecheck.solvers.deadline import Deadline, DeadlinePassed
from minecheck.solvers.search import search
from minecheck.solvers.search.engine import Verdict
from minecheck.solvers.search.problem import BoxProblem
from tests import oracle
from tests.boards import CASES, Case, boards_with_totals, rule_sets
from tests.oracle import Cell
from tests.rule_constraints import build_constraints, reduce_board

PLENTY = 1_000_000

BoardCase = tuple[Board, int | None]


def find_layout(problem: BoxProblem, budget: int = PLENTY) -> tuple[NDArray[np.int8], Index]:
    return search.find_witness(problem, budget, Deadline())


def find_forced_boxes(
    problem: BoxProblem, mines: Index, budget: int = PLENTY
) -> tuple[NDArray[np.int8], NDArray[np.bool_]]:
    return search.find_forced(problem, mines, budget, Deadline())[:2]


def problem_of(board: Board, mines: int | None = None) -> BoxProblem | None:
    """The boxes of a board, or None if propagation alone finds a conflict."""
    reduction = reduce_board(board, mines)
    return BoxProblem.from_reduction(reduction) if reduction.conflict == NONE else None


def layout_of(problem: BoxProblem, mines: Index, board: Board) -> Layout:
    return Layout(problem.place_mines(mines).reshape(board.shape))


def forced_cells(
    problem: BoxProblem, values: np.ndarray, board: Board
) -> tuple[Set[Cell], Set[Cell]]:
    """Unknown cells that propagation or the search found to be mines, and to be safe."""
    state = problem.reduction.state.copy()
    for box, value in enumerate(values.tolist()):
        if value >= 0:
            state[problem.cells_of(box)] = (IS_SAFE, IS_MINE)[value]
    unknown = board.unknown.ravel()
    mines, safe = (
        {divmod(cell, board.width) for cell in np.flatnonzero(unknown & (state == kind)).tolist()}
        for kind in (IS_MINE, IS_SAFE)
    )
    return mines, safe


def component_mines(problem: BoxProblem, component: int) -> list[dict[int, int]]:
    """All ways to fill the boxes of a component, by trying everything."""
    boxes = range(*problem.component_boxes[component : component + 2].tolist())
    clues = range(*problem.component_clues[component : component + 2].tolist())
    constraints = [
        (
            problem.clue_boxes[problem.clue_start[clue] : problem.clue_start[clue + 1]].tolist(),
            problem.low[clue],
            problem.high[clue],
        )
        for clue in clues
    ]
    ways = (
        dict(zip(boxes, held, strict=True))
        for held in product(*(range(problem.size[box] + 1) for box in boxes))
    )
    return [
        way
        for way in ways
        if all(low <= sum(way[box] for box in cells) <= high for cells, low, high in constraints)
    ]


def box_values(problem: BoxProblem, ways: list[list[dict[int, int]]]) -> list[int]:
    """1 for boxes that are full in every way, 0 for those that are empty, -1 for the others."""
    values = [-1] * problem.size.size
    for component in ways:
        for box in component[0]:
            held = {way[box] for way in component}
            if problem.size[box] and held == {0}:
                values[box] = 0
            elif problem.size[box] and held == {problem.size[box]}:
                values[box] = 1
    return values


@st.composite
def problems(draw: st.DrawFn) -> BoxProblem:
    """Problems from boards and from bare rules, with and without totals."""
    board_problems = boards_with_totals().map(lambda case: reduce_board(*case))
    rule_problems = rule_sets().map(lambda case: reduce(build_constraints(*case)[0]))
    reductions = st.one_of(board_problems, rule_problems)
    return BoxProblem.from_reduction(
        draw(reductions.filter(lambda reduction: reduction.conflict == NONE))
    )


@st.composite
def solved_problems(draw: st.DrawFn) -> tuple[BoxProblem, list[list[dict[int, int]]], Index]:
    """(problem, all ways to fill each component, one of the ways as an array)."""
    problem = draw(problems())
    ways = [component_mines(problem, component) for component in range(problem.components)]
    assume(all(ways))
    mines = np.zeros(problem.size.size, dtype=np.int32)
    for component in ways:
        for box, held in draw(st.sampled_from(component)).items():
            mines[box] = held
    return problem, ways, mines


# Witnesses


@given(boards_with_totals())
def test_find_layout_agrees_with_the_oracle(case: BoardCase) -> None:
    problem = problem_of(*case)
    verdicts = [] if problem is None else find_layout(problem)[0].tolist()
    found = problem is not None and all(verdict == Verdict.CONSISTENT for verdict in verdicts)
    assert Verdict.GAVE_UP not in verdicts
    assert found == oracle.answer(*case).consistent


@given(boards_with_totals())
def test_find_layout_fits_the_board_and_the_total(case: BoardCase) -> None:
    board, total = case
    assume(oracle.answer(board, total).consistent)
    problem = problem_of(board, total)
    assert problem is not None
    _, mines = find_layout(problem)
    assert layout_of(problem, mines, board).fits_board(board, total)


@given(problems())
def test_find_layout_gives_the_right_verdict_on_each_component(problem: BoxProblem) -> None:
    verdicts, mines = find_layout(problem)
    for component, verdict in enumerate(verdicts.tolist()):
        ways = component_mines(problem, component)
        assert verdict == (Verdict.CONSISTENT if ways else Verdict.INCONSISTENT)
        boxes = range(*problem.component_boxes[component : component + 2].tolist())
        assert not ways or {box: mines[box] for box in boxes} in ways


@given(problems(), st.integers(-1, 40))
def test_find_layout_with_a_small_budget_is_right_or_gives_up(
    problem: BoxProblem, budget: int
) -> None:
    verdicts, mines = find_layout(problem, budget)
    for component, verdict in enumerate(verdicts.tolist()):
        ways = component_mines(problem, component)
        boxes = range(*problem.component_boxes[component : component + 2].tolist())
        if verdict == Verdict.CONSISTENT:
            assert {box: mines[box] for box in boxes} in ways
        else:
            assert verdict == Verdict.GAVE_UP or not ways


@given(problems())
def test_find_layout_is_repeatable(problem: BoxProblem) -> None:
    first, second = find_layout(problem), find_layout(problem)
    assert [array.tolist() for array in first] == [array.tolist() for array in second]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_find_layout_gives_the_verdicts_of_the_papers_boards(case: Case) -> None:
    board = parse(case.rows)
    problem = problem_of(board)
    if problem is None:
        assert not case.consistent
    else:
        verdicts, mines = find_layout(problem)
        assert (verdicts == Verdict.CONSISTENT).all() == case.consistent
        assert layout_of(problem, mines, board).fits_board(board) == case.consistent


@pytest.mark.parametrize(
    ("rows", "mines", "verdicts"),
    [
        ("???", None, []),
        ("???", 2, [Verdict.CONSISTENT]),
        ("?1???1?", None, [Verdict.CONSISTENT, Verdict.CONSISTENT]),
        ("?1???1?", 1, [Verdict.INCONSISTENT]),
        ("?1???1?", 2, [Verdict.CONSISTENT]),
        ("?1???1?", 3, [Verdict.CONSISTENT]),
        ("?1???1?", 4, [Verdict.INCONSISTENT]),
    ],
)
def test_find_layout_searches_the_total_with_the_loose_cells(
    rows: str, mines: int | None, verdicts: list[Verdict]
) -> None:
    problem = problem_of(parse(rows), mines)
    assert problem is not None
    assert find_layout(problem)[0].tolist() == verdicts


# The clues around three cells of which any two, or none, would have to be a mine.
ODD_RING = [Rule(pair, 1, 1) for pair in (("a", "b"), ("b", "c"), ("a", "c"))]


def test_find_layout_calls_only_the_inconsistent_component_inconsistent() -> None:
    rules = [Rule(("x", "y"), 1, 1), *ODD_RING, Rule(("p", "q", "r"), 1, 2)]
    problem = BoxProblem.from_reduction(reduce(build_constraints(rules)[0]))
    verdicts, _ = find_layout(problem)
    assert verdicts.tolist() == [Verdict.CONSISTENT, Verdict.INCONSISTENT, Verdict.CONSISTENT]


def test_find_layout_gives_each_component_a_separate_budget() -> None:
    ring = [Rule((name, (name + 1) % 31), 1, 1) for name in range(31)]
    rules = [*ring, Rule(("x", "y"), 1, 1)]
    problem = BoxProblem.from_reduction(reduce(build_constraints(rules)[0]))
    verdicts, _ = find_layout(problem, 1)
    assert verdicts.tolist() == [Verdict.GAVE_UP, Verdict.CONSISTENT]


# Forced cells


@given(boards_with_totals())
def test_find_forced_boxes_agrees_with_the_oracle(case: BoardCase) -> None:
    board, _ = case
    answer = oracle.answer(*case)
    assume(answer.consistent)
    problem = problem_of(*case)
    assert problem is not None
    _, mines = find_layout(problem)
    values, complete = find_forced_boxes(problem, mines)
    assert complete.all()
    assert forced_cells(problem, values, board) == (answer.forced_mines, answer.forced_safe)


@given(boards_with_totals(), st.integers(-1, 40))
def test_find_forced_boxes_with_a_small_budget_is_right_or_incomplete(
    case: BoardCase, budget: int
) -> None:
    board, _ = case
    answer = oracle.answer(*case)
    assume(answer.consistent)
    problem = problem_of(*case)
    assert problem is not None
    _, mines = find_layout(problem)
    values, complete = find_forced_boxes(problem, mines, budget)
    forced_mines, forced_safe = forced_cells(problem, values, board)
    assert forced_mines <= answer.forced_mines
    assert forced_safe <= answer.forced_safe
    if complete.all():
        assert (forced_mines, forced_safe) == (answer.forced_mines, answer.forced_safe)


@given(solved_problems())
def test_find_forced_boxes_does_not_depend_on_the_first_layout(
    case: tuple[BoxProblem, list[list[dict[int, int]]], Index],
) -> None:
    problem, ways, mines = case
    values, complete = find_forced_boxes(problem, mines)
    assert complete.all()
    assert values.tolist() == box_values(problem, ways)


@given(solved_problems(), st.integers(-1, 40))
def test_find_forced_boxes_calls_only_complete_components_complete(
    case: tuple[BoxProblem, list[list[dict[int, int]]], Index], budget: int
) -> None:
    problem, ways, mines = case
    values, complete = find_forced_boxes(problem, mines, budget)
    right = box_values(problem, ways)
    for component, done in enumerate(complete.tolist()):
        for box in range(*problem.component_boxes[component : component + 2].tolist()):
            assert values[box] == right[box] or (values[box] == -1 and not done)


# Boards whose forced cells need a search, and boards without any, where much must be ruled out.
HARD = {
    "1-2-1": (["????", "S12S", "S21S", "????"], None),
    "total": (["?1??"], 1),
    "total-elsewhere": (["?1???1??", "????????"], 2),
    "nothing-forced": (["????", "?22?", "?22?", "????"], None),
    "nothing-forced-by-total": (["????", "?22?", "?22?", "????"], 5),
    "least-total": (["????", "?22?", "?22?", "????"], 4),
    "kadlac-board-4": (["?????", "?222?", "?202?", "?222?", "?????"], None),
    "mine-by-total": (["1??", "2??", "?2?"], 3),
    "mines-by-total": (["2??", "??3", "?5?", "???"], 6),
    "mine": (["?B3??", "?4???", "??4??", "12???"], None),
    "mines": (["??2??", "3????", "?24??", "1???B"], None),
    "probst-unsolved": (["BB4?2", "??BB?", "B6??3", "BB22B"], None),
}


@pytest.mark.parametrize("name", HARD)
def test_find_forced_boxes_finds_cells_that_need_a_search(name: str) -> None:
    rows, total = HARD[name]
    board = parse(rows)
    answer = oracle.answer(board, total)
    problem = problem_of(board, total)
    assert problem is not None
    _, mines = find_layout(problem)
    values, _ = find_forced_boxes(problem, mines)
    assert forced_cells(problem, values, board) == (answer.forced_mines, answer.forced_safe)


@pytest.mark.parametrize("budget", [*range(-1, 40), 50, 70, 100, 150, 200])
@pytest.mark.parametrize("name", HARD)
def test_find_forced_boxes_with_any_budget_is_right(name: str, budget: int) -> None:
    rows, total = HARD[name]
    board = parse(rows)
    answer = oracle.answer(board, total)
    problem = problem_of(board, total)
    assert problem is not None
    _, mines = find_layout(problem)
    values, complete = find_forced_boxes(problem, mines, budget)
    found = forced_cells(problem, values, board)
    assert found[0] <= answer.forced_mines
    assert found[1] <= answer.forced_safe
    assert not complete.all() or found == (answer.forced_mines, answer.forced_safe)


def test_find_forced_boxes_without_a_budget_is_incomplete() -> None:
    problem = problem_of(parse("?1??"), 1)
    assert problem is not None
    values, complete = find_forced_boxes(problem, np.array([1, 0], dtype=np.int32), budget=-1)
    assert (values.tolist(), complete.tolist()) == ([-1, -1], [False])


@given(solved_problems())
def test_find_forced_boxes_does_not_change_the_first_layout(
    case: tuple[BoxProblem, list[list[dict[int, int]]], Index],
) -> None:
    problem, _, mines = case
    before = mines.copy()
    find_forced_boxes(problem, mines)
    assert np.array_equal(mines, before)


@pytest.mark.parametrize("case", [case for case in CASES if case.consistent], ids=str)
def test_find_forced_boxes_gives_the_forced_cells_of_the_papers_boards(case: Case) -> None:
    board = parse(case.rows)
    problem = problem_of(board)
    assert problem is not None
    _, mines = find_layout(problem)
    values, complete = find_forced_boxes(problem, mines)
    assert complete.all()
    assert forced_cells(problem, values, board) == (case.forced_mines, case.forced_safe)


def test_find_forced_boxes_finds_cells_that_only_the_total_forces() -> None:
    board = parse("?1??")
    problem = problem_of(board, 1)
    assert problem is not None
    _, mines = find_layout(problem)
    values, _ = find_forced_boxes(problem, mines)
    assert forced_cells(problem, values, board) == (set(), {(0, 3)})


def test_find_forced_boxes_ignores_a_box_without_cells() -> None:
    problem = problem_of(parse("?1?"), 1)
    assert problem is not None
    assert problem.size.tolist() == [2, 0]
    values, complete = find_forced_boxes(problem, np.array([1, 0], dtype=np.int32))
    assert (values.tolist(), complete.tolist()) == ([-1, -1], [True])


# Deadlines, looked at between chunks of components

PASSED = Deadline(-inf)


def test_search_witness_past_the_deadline_raises() -> None:
    problem = problem_of(parse("?1???1?"))
    assert problem is not None
    with pytest.raises(DeadlinePassed):
        search.find_witness(problem, PLENTY, PASSED)


def test_search_forced_boxes_past_the_deadline_are_incomplete() -> None:
    problem = problem_of(parse("?1??"), 1)
    assert problem is not None
    _, mines = find_layout(problem)
    values, complete, _ = search.find_forced(problem, mines, PLENTY, PASSED)
    assert set(values.tolist()) == {-1}
    assert not complete.any()


@given(solved_problems(), st.integers(1, 4))
def test_search_in_chunks_gives_equal_results(
    case: tuple[BoxProblem, list[list[dict[int, int]]], Index], chunk: int
) -> None:
    problem, ways, mines = case
    verdicts, _ = search.find_witness(problem, PLENTY, Deadline(), chunk)
    values, complete, _ = search.find_forced(problem, mines, PLENTY, Deadline(), chunk=chunk)
    assert verdicts.tolist() == [Verdict.CONSISTENT] * problem.components
    assert complete.all()
    assert values.tolist() == box_values(problem, ways)


@pytest.mark.parametrize("chunk", [1, 2, 3, 5000])
def test_search_in_chunks_finds_the_inconsistent_component(chunk: int) -> None:
    rules = [Rule(("x", "y"), 1, 1), *ODD_RING, Rule(("p", "q", "r"), 1, 2)]
    problem = BoxProblem.from_reduction(reduce(build_constraints(rules)[0]))
    verdicts, _ = search.find_witness(problem, PLENTY, Deadline(), chunk)
    assert verdicts.tolist() == [Verdict.CONSISTENT, Verdict.INCONSISTENT, Verdict.CONSISTENT]


# Larger boards, of which only a layout is known


@pytest.fixture(scope="module", params=[0.1, 0.2, 0.3])
def large(request: pytest.FixtureRequest) -> tuple[Board, Layout]:
    random = np.random.default_rng(7)
    layout = Layout(random.random((60, 80)) < request.param)
    hidden = layout.mines | (random.random(layout.mines.shape) < 0.4)
    return Board(np.where(hidden, UNKNOWN, layout.count_neighbours())), layout


@pytest.mark.slow
@pytest.mark.parametrize("with_total", [False, True])
def test_find_layout_fits_a_large_board(large: tuple[Board, Layout], with_total: bool) -> None:
    board, layout = large
    total = layout.total if with_total else None
    problem = problem_of(board, total)
    assert problem is not None
    verdicts, mines = find_layout(problem)
    assert Verdict.INCONSISTENT not in verdicts
    if (verdicts == Verdict.CONSISTENT).all():
        assert layout_of(problem, mines, board).fits_board(board, total)


@pytest.mark.slow
@pytest.mark.parametrize("with_total", [False, True])
def test_find_forced_boxes_of_a_large_board_agree_with_its_layout(
    large: tuple[Board, Layout], with_total: bool
) -> None:
    board, layout = large
    problem = problem_of(board, layout.total if with_total else None)
    assert problem is not None
    solution = layout.mines.ravel()
    mines = np.array(
        [solution[problem.cells_of(box)].sum() for box in range(problem.size.size)], dtype=np.int32
    )
    values, _ = find_forced_boxes(problem, mines)
    forced_mines, forced_safe = forced_cells(problem, values, board)
    assert forced_mines
    assert all(layout.mines[cell] for cell in forced_mines)
    assert not any(layout.mines[cell] for cell in forced_safe)
