"""Every backend gives the same right answers, and says where it gives none."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from fractions import Fraction
from importlib.util import find_spec
from math import comb, inf
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from minecheck.automata import Window
from minecheck.automata.diagram import WIDEST
from minecheck.minefield.board import MINE, SAFE, UNKNOWN, Board
from minecheck.minefield.layout import Layout
from minecheck.minefield.notation import parse
from minecheck.minefield.rules import Rule, Rules
from minecheck.solvers import (
    SEEDS,
    analyze,
    check,
    count,
    forced,
    layouts,
    position_answers,
    sample,
)
from minecheck.solvers.answer import BackendError
from minecheck.solvers.backend import Backend
from minecheck.solvers.backends import auto, clauses, model_counters
from minecheck.solvers.backends.position_and_rest import PositionAndRest
from minecheck.solvers.counting import component
from minecheck.solvers.counting.witness import find_box_mines
from minecheck.solvers.deadline import Deadline, DeadlinePassed
from minecheck.solvers.effort import BOUNDED, FULL, INLINE, Effort, NeedsMoreEffort
from minecheck.solvers.findings import Flags, Forced
from minecheck.solvers.progress import Progress
from minecheck.solvers.question import QuestionError
from minecheck.solvers.reasons import guarded
from minecheck.solvers.router import answer_question, choose_method
from minecheck.solvers.tasks.analyze import Analyze
from minecheck.solvers.tasks.check import Check
from minecheck.solvers.tasks.count import Count
from minecheck.solvers.tasks.forced import ForcedCells
from minecheck.solvers.tasks.layouts import Layouts
from minecheck.solvers.tasks.sample import Sample
from minecheck.solvers.tasks.strips import Strips
from tests import oracle
from tests.boards import (
    CASE,
    CASES,
    Case,
    boards_with_totals,
    hidden_layout,
    lattice,
    layout_boards,
    rule_sets,
    small_boards,
    strip_boards,
)
from tests.examples import examples
from tests.oracle import Cell
from tests.tasks import REASONED, WHOLE, Said, Task, question_of

BoardCase = tuple[Board, int | None]

#: Those that know chances.
WEIGHING = [Backend.AUTO, Backend.AUTOMATA, Backend.FRONTIER]

#: Not even what search allows each clue fits into it: the automatic choice falls back on SAT.
NO_SEARCH = Effort(search=-1_000_000, transitions=0, unbounded=True)


#: A lattice of threes.
LATTICE = parse("?????\n?3?3?\n" * 2 + "?????")
LATTICE_LAYOUTS = 9630

needs_counters = pytest.mark.skipif(
    find_spec("pyganak") is None or find_spec("pyapproxmc") is None, reason="needs both counters"
)

#: Search is as usual, but nothing is counted by tables.
NO_TABLES = Effort(search=FULL.search, transitions=0, unbounded=True)


@contextmanager
def nothing_ordinary() -> Iterator[None]:
    """No board is an ordinary position: search, the frontier and what follows them answer."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(auto, "solve_position", lambda *_: None)
        patch.setattr(position_answers, "solve_narrow_components", lambda *_: None)
        yield


def ask(task: Task, board: Board, mines: int | None = None, backend: Backend = Backend.AUTO) -> Any:
    return answer_question(question_of(task, board, mines, backend=backend, limit=5000))


def mines_of(layout: Layout) -> frozenset[Cell]:
    return frozenset(zip(*(axis.tolist() for axis in np.nonzero(layout.mines)), strict=True))


def sets_of(found: Any) -> set[frozenset[Cell]]:
    """The layouts of an answer, after checking that each is there once."""
    assert found.layouts is not None
    sets = [mines_of(layout) for layout in found.layouts]
    assert len(set(sets)) == len(sets)
    return set(sets)


def in_order(forced: Forced | None) -> tuple[list[Cell], list[Cell]]:
    assert forced is not None
    return forced.mines, forced.safe


def split_forced(expected: oracle.Answer) -> tuple[list[Cell], list[Cell]]:
    return sorted(expected.forced_mines), sorted(expected.forced_safe)


def shares(board: Board, expected: oracle.Answer, density: Fraction) -> list[list[Fraction | None]]:
    """The exact chance of a mine for each unknown cell."""
    unknown, known = int(board.unknown.sum()), int((board.cells == MINE).sum())
    weights = {
        layout: density ** (len(layout) - known) * (1 - density) ** (unknown + known - len(layout))
        for layout in expected.layouts
    }
    whole = sum(weights.values(), Fraction())
    return [
        [
            sum((w for layout, w in weights.items() if (row, col) in layout), Fraction()) / whole
            if board.unknown[row, col]
            else None
            for col in range(board.width)
        ]
        for row in range(board.height)
    ]


def without_safe(board: Board) -> Board:
    return Board(np.where(board.cells == SAFE, np.int8(UNKNOWN), board.cells))


def claims(found: Any) -> tuple[object, ...]:
    """All that an answer says, comparable."""
    found = Said(found)
    chances = found.probabilities
    return (
        found.consistent,
        found.witness,
        found.conflict,
        found.count,
        found.by_mines,
        found.forced,
        found.flags,
        None if chances is None else np.nan_to_num(chances, nan=-1).tolist(),
        found.layouts,
        found.next_offset,
        found.complete,
    )


#: Tasks of every backend that need no window.
TASKS = [task for task in Task if task not in (Task.STRIPS, Task.SAMPLE, *REASONED)]
#: Those that know an order of the layouts.
ORDERED = [Backend.AUTO, Backend.AUTOMATA, Backend.FRONTIER]

cases = boards_with_totals().filter(lambda case: case[1] is None or case[1] <= case[0].cells.size)
strips = small_boards().map(without_safe).filter(lambda board: min(board.shape) <= 2)
efforts = st.builds(
    Effort, st.integers(-3000, 300), st.integers(0, 300), st.booleans(), st.integers(0, 300)
)


@st.composite
def questions(draw: st.DrawFn) -> tuple[Board, int | None, Backend]:
    """Any small board with any backend."""
    return *draw(cases), draw(st.sampled_from(WHOLE))


REFERENCE = [
    pytest.param(case, backend, id=f"{case}-{backend}")
    for case in CASES
    for backend in WHOLE
    if backend is not Backend.AUTOMATA or min(len(case.rows), len(case.rows[0])) <= WIDEST
]


@pytest.mark.parametrize(("case", "backend"), REFERENCE)
def test_backends_give_the_verdicts_of_the_reference_boards(case: Case, backend: Backend) -> None:
    board = parse(case.rows)
    found = ask(Task.CHECK, board, backend=backend)
    assert found.consistent == case.consistent
    assert found.witness is None or found.witness.fits_board(board)
    assert (found.witness is None) == (found.conflict is not None) == (not case.consistent)


@pytest.mark.parametrize(("case", "backend"), REFERENCE)
def test_backends_give_the_counts_of_the_reference_boards(case: Case, backend: Backend) -> None:
    found = ask(Task.COUNT, parse(case.rows), backend=backend)
    assert found.count == case.layouts
    assert found.by_mines == (case.by_mines if case.consistent else None)


@pytest.mark.parametrize(("case", "backend"), REFERENCE)
def test_backends_give_the_forced_cells_of_the_reference_boards(
    case: Case, backend: Backend
) -> None:
    found = ask(Task.FORCED, parse(case.rows), backend=backend).forced
    if case.consistent:
        assert in_order(found) == (sorted(case.forced_mines), sorted(case.forced_safe))
    else:
        assert found is None


@pytest.mark.parametrize(("case", "backend"), REFERENCE)
def test_backends_list_the_layouts_of_the_reference_boards(case: Case, backend: Backend) -> None:
    board = parse(case.rows)
    found = ask(Task.LAYOUTS, board, backend=backend)
    if case.consistent:
        assert len(sets_of(found)) == case.layouts
        assert all(layout.fits_board(board) for layout in found.layouts or [])
    else:
        assert found.layouts == []


@pytest.mark.parametrize("mines", CASE["kadlac-board-3"].by_mines)
@pytest.mark.parametrize("backend", WHOLE)
def test_backends_list_the_layouts_of_a_reference_board_with_a_total(
    backend: Backend, mines: int
) -> None:
    case = CASE["kadlac-board-3"]
    board = parse(case.rows)
    found = ask(Task.LAYOUTS, board, mines, backend)
    assert len(sets_of(found)) == case.by_mines[mines]
    assert all(layout.fits_board(board, mines) for layout in found.layouts or [])


@examples(300)
@given(questions())
def test_check_agrees_with_the_oracle_in_every_backend(
    question: tuple[Board, int | None, Backend],
) -> None:
    board, mines, backend = question
    found = ask(Task.CHECK, board, mines, backend)
    assert found.complete
    assert found.consistent == oracle.answer(board, mines).consistent


@examples(300)
@given(questions())
def test_check_returns_a_witness_that_fits_exactly_for_consistent_boards(
    question: tuple[Board, int | None, Backend],
) -> None:
    board, mines, backend = question
    found = ask(Task.CHECK, board, mines, backend)
    assert (found.witness is not None) == found.consistent
    assert found.witness is None or found.witness.fits_board(board, mines)


@examples(300)
@given(cases)
def test_check_finds_a_witness_by_search_where_counting_is_unavailable(case: BoardCase) -> None:
    with nothing_ordinary():
        found = answer_question(Check(*case))
    assert found.consistent == oracle.answer(*case).consistent
    assert found.witness is None or found.witness.fits_board(*case)


@examples(300)
@given(questions())
def test_count_agrees_with_the_oracle_in_every_backend(
    question: tuple[Board, int | None, Backend],
) -> None:
    board, mines, backend = question
    expected = oracle.answer(board, mines)
    found = ask(Task.COUNT, board, mines, backend)
    assert found.count == expected.count
    assert found.by_mines == (expected.by_mines if expected.consistent else None)


@examples(300)
@given(questions())
def test_forced_cells_agree_with_the_oracle_in_every_backend(
    question: tuple[Board, int | None, Backend],
) -> None:
    board, mines, backend = question
    expected = oracle.answer(board, mines)
    found = ask(Task.FORCED, board, mines, backend)
    if expected.consistent:
        assert in_order(found.forced) == split_forced(expected)
    else:
        assert found.forced is None


@examples(300)
@given(questions())
def test_layouts_lists_each_layout_once_in_every_backend(
    question: tuple[Board, int | None, Backend],
) -> None:
    board, mines, backend = question
    expected = oracle.answer(board, mines)
    assume(expected.count <= 1000)
    found = ask(Task.LAYOUTS, board, mines, backend)
    if expected.consistent:
        assert sets_of(found) == set(expected.layouts)
        assert (found.count, found.next_offset) == (expected.count, None)
    else:
        assert (found.layouts, found.count) == ([], 0)


@examples(100)
@given(questions())
def test_analyze_agrees_with_check_count_and_forced_cells(
    question: tuple[Board, int | None, Backend],
) -> None:
    board, mines, backend = question
    found = ask(Task.ANALYZE, board, mines, backend)
    assert found.consistent == ask(Task.CHECK, board, mines, backend).consistent
    assert found.count == ask(Task.COUNT, board, mines, backend).count
    assert found.forced == ask(Task.FORCED, board, mines, backend).forced


@pytest.mark.parametrize("backend", WEIGHING)
@examples(100)
@given(case=cases)
def test_analyze_chances_are_the_shares_of_layouts(case: BoardCase, backend: Backend) -> None:
    board, mines = case
    expected = oracle.answer(board, mines)
    found = ask(Task.ANALYZE, board, mines, backend).probabilities
    assert (found is not None) == expected.consistent
    if found is not None:
        exact = shares(board, expected, Fraction(1, 2))
        rows = [[np.nan if share is None else float(share) for share in row] for row in exact]
        np.testing.assert_allclose(found, rows, rtol=0, atol=1e-12)


@examples(100)
@given(small_boards(), st.fractions(Fraction(1, 50), Fraction(49, 50), max_denominator=50))
def test_analyze_weighs_layouts_by_the_density(board: Board, density: Fraction) -> None:
    expected = oracle.answer(board)
    assume(expected.consistent)
    found = analyze(board, density=density).probabilities
    exact = shares(board, expected, density)
    rows = np.array([[np.nan if share is None else float(share) for share in row] for row in exact])
    assert found is not None
    np.testing.assert_allclose(found, rows, rtol=0, atol=1e-12)


@examples(100)
@given(cases)
def test_analyze_chance_is_certain_exactly_for_forced_cells(case: BoardCase) -> None:
    board, mines = case
    found = ask(Task.ANALYZE, board, mines)
    assume(found.consistent)
    assert found.probabilities is not None
    certain = [
        [cell for cell in np.ndindex(board.shape) if found.probabilities[cell] == chance]
        for chance in (1, 0)
    ]
    assert tuple(certain) == in_order(found.forced)


@examples(100)
@given(cases)
def test_analyze_chance_is_missing_exactly_for_known_cells(case: BoardCase) -> None:
    found = ask(Task.ANALYZE, *case).probabilities
    assume(found is not None)
    assert found is not None
    assert np.array_equal(np.isnan(found), ~case[0].unknown)


@pytest.mark.parametrize("backend", [Backend.SAT, Backend.CPSAT, Backend.EXHAUSTIVE])
def test_backends_without_chances_report_incomplete_analyses(backend: Backend) -> None:
    found = ask(Task.ANALYZE, parse("?1?"), backend=backend)
    assert found.probabilities is None
    assert (found.complete, found.note) == (False, f"{backend} knows no chances")


@examples(100)
@given(questions(), st.integers(0, 60), st.integers(1, 20))
def test_layouts_offset_skips_that_many_layouts(
    question: tuple[Board, int | None, Backend], offset: int, limit: int
) -> None:
    board, mines, backend = question
    whole = ask(Task.LAYOUTS, board, mines, backend)
    assume(whole.layouts is not None)
    assert whole.layouts is not None
    page = answer_question(Layouts(board, mines, backend=backend, offset=offset, limit=limit))
    assert page.layouts == whole.layouts[offset : offset + limit]


@examples(100)
@given(questions(), st.integers(0, 60), st.integers(1, 20))
def test_layouts_next_offset_is_present_until_the_last_page(
    question: tuple[Board, int | None, Backend], offset: int, limit: int
) -> None:
    board, mines, backend = question
    page = answer_question(Layouts(board, mines, backend=backend, offset=offset, limit=limit))
    assume(page.count)
    assert page.count is not None
    assert page.next_offset == (offset + limit if offset + limit < page.count else None)


@pytest.mark.parametrize("offset", [512, 513, 10**6, 2**63, 10**30])
@pytest.mark.parametrize("backend", WHOLE)
def test_layouts_offset_beyond_the_last_layout_gives_an_empty_page(
    backend: Backend, offset: int
) -> None:
    question = Layouts(parse(["???"] * 3), backend=backend, offset=offset)
    found = answer_question(question)
    assert (found.layouts, found.next_offset, found.count) == ([], None, 512)


@pytest.mark.parametrize("offset", [2, 2**63, 10**30])
def test_layouts_offset_beyond_the_end_of_a_strip_gives_an_empty_page(offset: int) -> None:
    question = Layouts(parse("?1?"), backend=Backend.AUTOMATA, offset=offset)
    found = answer_question(question)
    assert (found.layouts, found.next_offset) == ([], None)


def test_layouts_lists_the_last_page_of_a_large_board() -> None:
    found = layouts(Board(np.full((12, 12), UNKNOWN, dtype=np.int8)), offset=2**144 - 2, limit=5)
    assert found.layouts is not None
    assert [layout.total for layout in found.layouts] == [143, 144]
    assert found.next_offset is None


@pytest.mark.parametrize("backend", WHOLE)
def test_check_sorts_flags_into_right_wrong_and_unproved(backend: Backend) -> None:
    found = ask(Task.CHECK, parse("1F100F?F1F"), backend=backend)
    assert found.flags == Flags([(0, 1)], [(0, 5)], [(0, 7), (0, 9)])


@examples(100)
@given(questions())
def test_check_sorts_flags_by_the_forced_cells(question: tuple[Board, int | None, Backend]) -> None:
    board, mines, backend = question
    expected = oracle.answer(board, mines)
    found = ask(Task.CHECK, board, mines, backend).flags
    if not board.flags or not expected.consistent:
        assert found is None
        return
    sorted_flags = [expected.forced_mines, expected.forced_safe]
    right, wrong = ([flag for flag in board.flags if flag in cells] for cells in sorted_flags)
    rest = [flag for flag in board.flags if flag not in right and flag not in wrong]
    assert found == Flags(right, wrong, rest)


def test_automata_backend_rejects_boards_too_wide_both_ways() -> None:
    with pytest.raises(BackendError, match="12"):
        ask(Task.CHECK, parse(["?" * 13] * 13), backend=Backend.AUTOMATA)


@pytest.mark.slow
@pytest.mark.parametrize("task", TASKS)
def test_exhaustive_backend_rejects_boards_that_outgrow_its_frontier(task: Task) -> None:
    with pytest.raises(BackendError):
        ask(task, parse(["?" * 6] * 6), backend=Backend.EXHAUSTIVE)


def test_exhaustive_backend_rejects_large_boards() -> None:
    with pytest.raises(BackendError):
        ask(Task.CHECK, parse(["0" * 51] * 51), backend=Backend.EXHAUSTIVE)


@pytest.mark.parametrize("mines", [None, 84])
@pytest.mark.parametrize("backend", WHOLE)
def test_count_finds_that_84_unknown_cells_around_eights_are_mines(
    backend: Backend, mines: int | None
) -> None:
    found = ask(Task.COUNT, parse(CASE["probst-eights"].rows), mines, backend)
    assert (found.count, found.by_mines) == (1, {84: 1})


@pytest.mark.parametrize(
    ("field", "values"),
    [
        ("mines", {"mines": -1}),
        ("mines", {"mines": 5}),
        ("density", {"density": Fraction(0)}),
        ("density", {"density": Fraction(1)}),
        ("density", {"density": Fraction(-1, 2)}),
        ("density", {"density": Fraction(1, 2), "mines": 1}),
        ("offset", {"offset": -1}),
        ("limit", {"limit": 0}),
        ("seed", {"seed": -1}),
        ("seed", {"seed": SEEDS}),
    ],
)
def test_questions_with_invalid_values_are_rejected_and_name_the_field(
    field: str, values: dict[str, Any]
) -> None:
    task = {"mines": Task.CHECK, "density": Task.COUNT, "seed": Task.SAMPLE}.get(
        field, Task.LAYOUTS
    )
    with pytest.raises(QuestionError) as error:
        question_of(task, parse("??\n??"), **values)
    assert error.value.field == field


@pytest.mark.parametrize(
    ("values", "detail"),
    [
        ({"mines": 2}, "A board of 1 cell has 0 to 1 mine, known ones included; not 2."),
        (
            {"cell": (1, 0), "task": Task.EXPLAIN},
            "The cell at row 1, column 0 is not on the board.",
        ),
        (
            {"layout": Layout(np.zeros((2, 2), np.bool_))},
            "The layout does not have the shape of the board, which is 1 row and 1 column.",
        ),
        (
            {"layout": Layout(np.ones((1, 1), np.bool_)), "mines": 0},
            "The layout has 1 mine, not 0.",
        ),
    ],
)
def test_question_errors_use_the_singular_for_one(values: dict[str, object], detail: str) -> None:
    with pytest.raises(QuestionError) as error:
        question_of(**{"task": Task.LAYOUTS, "board": parse("?")} | values)  # type: ignore[arg-type]
    assert error.value.detail == detail


@pytest.mark.parametrize("mines", [0, 4])
def test_count_accepts_totals_of_no_mine_and_of_all_cells(mines: int) -> None:
    assert count(parse("??\n??"), mines).count == 1


@given(questions(), st.sampled_from(TASKS))
def test_inline_effort_gives_the_full_answer_or_needs_a_worker(
    question: tuple[Board, int | None, Backend], task: Task
) -> None:
    board, mines, backend = question
    limited = question_of(task, board, mines, backend=backend)
    try:
        found = answer_question(limited, effort=INLINE)
    except NeedsMoreEffort:
        assume(False)
    assert claims(found) == claims(answer_question(limited))


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("backend", [Backend.SAT, Backend.CPSAT, Backend.EXHAUSTIVE])
def test_unbounded_backends_need_a_worker(backend: Backend, task: Task) -> None:
    with pytest.raises(NeedsMoreEffort):
        answer_question(question_of(task, parse("?1?"), backend=backend), effort=INLINE)


def assert_no_wrong_claim(found: Any, board: Board, mines: int | None) -> None:
    """All that an answer says is true, whether or not it says all."""
    found = Said(found)
    expected = oracle.answer(board, mines)
    assert found.consistent in (None, expected.consistent)
    assert found.witness is None or found.witness.fits_board(board, mines)
    assert found.count in (None, expected.count)
    assert found.by_mines in (None, expected.by_mines)
    if found.forced is not None:
        assert set(found.forced.mines) <= expected.forced_mines
        assert set(found.forced.safe) <= expected.forced_safe
    if found.layouts is not None:
        assert sets_of(found) <= set(expected.layouts)


@given(questions(), st.sampled_from(TASKS), efforts)
def test_answers_with_any_effort_make_no_wrong_claim(
    question: tuple[Board, int | None, Backend], task: Task, effort: Effort
) -> None:
    board, mines, backend = question
    try:
        found = answer_question(question_of(task, board, mines, backend=backend), effort=effort)
    except NeedsMoreEffort:
        assert not effort.unbounded
        return
    assert_no_wrong_claim(found, board, mines)
    if found.consistent is None:
        assert not found.complete


def test_check_names_sat_where_search_gives_up() -> None:
    with nothing_ordinary():
        found = answer_question(Check(parse("????\nS12S\n????")), effort=NO_SEARCH)
    assert (found.method, found.engines) == ("sat", ("search", "sat"))


@given(cases)
def test_check_by_sat_agrees_with_the_oracle_where_search_gives_up(case: BoardCase) -> None:
    with nothing_ordinary():
        found = answer_question(Check(*case), effort=NO_SEARCH)
    assert found.consistent == oracle.answer(*case).consistent
    assert found.witness is None or found.witness.fits_board(*case)


@given(cases)
def test_forced_cells_by_sat_agree_with_the_oracle_where_search_gives_up(case: BoardCase) -> None:
    expected = oracle.answer(*case)
    assume(expected.consistent)
    with nothing_ordinary():
        found = answer_question(ForcedCells(*case), effort=NO_SEARCH)
    assert in_order(found.forced) == split_forced(expected)


def raise_deadline_passed(*_: object) -> Any:
    raise DeadlinePassed


@given(cases)
@example((parse("???S?\n121SS"), 2))
def test_forced_cells_of_the_search_are_kept_where_sat_has_no_time_for_the_total(
    case: BoardCase,
) -> None:
    expected, alone = oracle.answer(*case), oracle.answer(case[0], None)
    assume(expected.consistent)
    with nothing_ordinary(), pytest.MonkeyPatch.context() as patch:
        for module in (clauses, guarded):
            patch.setattr(module, "check_total_time", raise_deadline_passed)
        effort = replace(NO_TABLES, total_boxes=-1)
        found = answer_question(ForcedCells(*case), Deadline.in_seconds(100), effort)
    if found.forced is None:
        assert not found.complete
        return
    assert alone.forced_mines <= set(found.forced.mines) <= expected.forced_mines
    assert alone.forced_safe <= set(found.forced.safe) <= expected.forced_safe


@examples(100)
@given(cases)
def test_layouts_by_sat_agree_with_the_oracle_where_counting_gives_up(case: BoardCase) -> None:
    expected = oracle.answer(*case)
    assume(0 < expected.count <= 1000)
    with nothing_ordinary():
        found = answer_question(Layouts(*case, limit=5000), effort=NO_SEARCH)
    assert sets_of(found) == set(expected.layouts)


def test_library_reads_the_witness_from_the_counts_on_first_access(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    board = hidden_layout(20, 20, 0.7, 1)
    calls = []

    def read(*given: Any) -> Any:
        calls.append(1)
        return find_box_mines(*given)

    monkeypatch.setattr(component, "find_box_mines", read)
    with nothing_ordinary():
        found = analyze(board)
    assert (found.consistent, calls) == (True, [])
    assert found.witness is not None
    assert found.witness.fits_board(board)
    assert calls


def test_count_reads_no_layout_from_the_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(component, "find_box_mines", lambda *_: pytest.fail("a layout is read"))
    board = hidden_layout(20, 20, 0.7, 1)
    with nothing_ordinary():
        found = answer_question(Count(board))
    assert found.consistent
    assert found.count == count(board).count


@given(small_boards(), st.sampled_from([count, analyze]))
def test_witness_on_later_access_fits_the_board(board: Board, ask: Callable[..., Any]) -> None:
    with nothing_ordinary():
        found = ask(board)
    expected = oracle.answer(board)
    assert (found.consistent, found.count or 0) == (expected.consistent, expected.count)
    assert found.witness.fits_board(board) if found.witness else not expected.consistent


def test_count_beyond_its_effort_is_incomplete() -> None:
    effort = Effort(300_000, 20, unbounded=True)
    found = answer_question(Count(LATTICE, backend=Backend.FRONTIER), effort=effort)
    assert (found.consistent, found.count, found.complete) == (None, None, False)
    with nothing_ordinary():
        found = answer_question(Count(LATTICE, mines=10), effort=effort)
    assert (found.consistent, found.count, found.complete) == (True, None, False)


@needs_counters
@examples(20)
@given(st.integers(0, 10**6), st.sampled_from([Task.COUNT, Task.ANALYZE]), st.booleans())
def test_count_is_by_ganak_or_approximate_where_tables_are_too_wide(
    seed: int, task: Task, hurried: bool
) -> None:
    board = hidden_layout(4, 4, 0.7, seed)
    expected = oracle.answer(board)
    effort = replace(NO_TABLES, exact_share=1e-9) if hurried else NO_TABLES
    with nothing_ordinary():
        found = answer_question(question_of(task, board), Deadline.in_seconds(60), effort)
    if found.approximate is not None:
        assert (hurried, found.count, found.complete) == (True, None, False)
        about = found.approximate
        assert 1 / (1 + about.epsilon) <= about.count / expected.count <= 1 + about.epsilon
    else:
        assert found.count == expected.count
        assert "approxmc" not in found.engines


@needs_counters
def test_count_of_a_lattice_too_wide_for_tables_is_by_ganak() -> None:
    with nothing_ordinary():
        found = answer_question(Count(LATTICE), effort=NO_TABLES)
    assert (found.count, found.method) == (LATTICE_LAYOUTS, "ganak")
    assert found.engines == ("frontier", "search", "ganak")
    # Ganak does not count them by mines.
    assert (found.by_mines, found.complete) == (None, True)


@needs_counters
def test_count_is_approximate_where_ganak_takes_too_long() -> None:
    effort = replace(NO_TABLES, exact_share=1e-9)
    with nothing_ordinary():
        found = answer_question(Count(LATTICE), Deadline.in_seconds(60), effort)
    assert (found.count, found.by_mines, found.complete) == (None, None, False)
    about = found.approximate
    assert about is not None
    assert (about.epsilon, about.delta) == (0.8, 0.2)
    assert LATTICE_LAYOUTS / 1.8 <= about.count <= LATTICE_LAYOUTS * 1.8


@needs_counters
@pytest.mark.parametrize("missing", [["pyganak"], ["pyganak", "pyapproxmc"]])
def test_count_notes_a_missing_counter_that_would_have_helped(
    monkeypatch: pytest.MonkeyPatch, missing: list[str]
) -> None:
    monkeypatch.setattr(
        model_counters, "find_spec", lambda name: None if name in missing else find_spec(name)
    )
    assert count(LATTICE).note is None
    with nothing_ordinary():
        found = answer_question(Count(LATTICE), Deadline.in_seconds(60), NO_TABLES)
    assert (found.consistent, found.count, found.complete) == (True, None, False)
    assert (found.approximate is None) == ("pyapproxmc" in missing)
    assert found.note == f"{missing[0]} is not installed: pip install minecheck[counters]"


@examples(150)
@given(questions(), st.sampled_from(TASKS))
def test_answers_past_the_deadline_make_no_wrong_claim(
    question: tuple[Board, int | None, Backend], task: Task
) -> None:
    board, mines, backend = question
    found = answer_question(
        question_of(task, board, mines, backend=backend, limit=5000), Deadline(-inf)
    )
    assert_no_wrong_claim(found, board, mines)
    if found.consistent is None:
        assert not found.complete


@examples(150)
@given(questions(), st.sampled_from(TASKS), st.integers(0, 40))
def test_answers_make_no_wrong_claim_whenever_the_deadline_passes(
    question: tuple[Board, int | None, Backend], task: Task, looks: int
) -> None:
    class Looks(Deadline):
        """Passes after it was looked at so many times."""

        remaining = looks

        @property
        def left(self) -> float:
            Looks.remaining -= 1
            return 1000.0 if Looks.remaining >= 0 else -1.0

    board, mines, backend = question
    found = answer_question(question_of(task, board, mines, backend=backend, limit=5000), Looks())
    assert_no_wrong_claim(found, board, mines)
    if found.complete:
        whole = Said(answer_question(question_of(task, board, mines, backend=backend, limit=5000)))
        assert (Said(found).count, found.forced) == (whole.count, whole.forced)


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("backend", [Backend.FRONTIER, Backend.SAT, Backend.CPSAT])
def test_answers_past_the_deadline_are_incomplete(backend: Backend, task: Task) -> None:
    board = parse("????\nS12S\n????")
    found = answer_question(question_of(task, board, backend=backend), Deadline(-inf))
    assert found.consistent is None
    assert not found.complete


@pytest.mark.parametrize("backend", [Backend.AUTO, Backend.SAT, Backend.CPSAT])
def test_layouts_are_listed_where_counting_takes_too_long(
    backend: Backend, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Used(Deadline):
        """Passes once counting has begun, and lies far ahead before."""

        counting = False

        @property
        def left(self) -> float:
            return -1.0 if Used.counting else 1000.0

    def late(*_: object) -> dict[int, int]:
        Used.counting = True
        raise DeadlinePassed

    monkeypatch.setattr("minecheck.solvers.backends.sat.count_layouts", late)
    monkeypatch.setattr("minecheck.solvers.backends.cpsat.count_layouts", late)
    question = Layouts(parse("????\nS12S\n????"), backend=backend, limit=2)
    found = answer_question(question, Used())
    assert found.layouts is not None
    assert len(found.layouts) == 2
    assert found.next_offset == 2


@examples(100)
@given(strips, st.sampled_from([Backend.AUTO, Backend.AUTOMATA]))
def test_layouts_of_standing_and_lying_strips_agree(board: Board, backend: Backend) -> None:
    lying, standing = (
        ask(Task.LAYOUTS, turned, backend=backend) for turned in (board, board.transpose())
    )
    assert lying.count == standing.count
    if lying.consistent:
        turned = {frozenset((col, row) for row, col in cells) for cells in sets_of(standing)}
        assert sets_of(lying) == turned


@pytest.mark.parametrize(
    ("rows", "mines", "safe"),
    [
        ("1?", [(0, 1)], []),
        ("1\n?", [(1, 0)], []),
        ("00?", [], [(0, 2)]),
        ("0\n0\n?", [], [(2, 0)]),
        ("2?\nS?", [(0, 1), (1, 1)], []),
        ("2S\n??", [(1, 0), (1, 1)], []),
    ],
)
def test_forced_cells_of_strips_are_right_in_either_orientation(
    rows: str, mines: list[Cell], safe: list[Cell]
) -> None:
    assert in_order(forced(parse(rows)).forced) == (mines, safe)


@pytest.mark.parametrize(
    ("rows", "machines"),
    [
        ("??", "kadlac+strip-1"),
        ("?\n?", "kadlac+strip-1"),
        ("???\n???", "hu-lin+strip-2"),
        # Without a layout there is nothing more to say; the paper's alphabet has no S.
        ("?8", "kadlac"),
        ("?8\n??", "hu-lin"),
        ("?S", "strip-1"),
        ("8S", "strip-1"),
        ("??\n?S", "strip-2"),
    ],
)
def test_questions_about_strips_are_answered_by_automata(rows: str, machines: str) -> None:
    board = parse(rows)
    density = Fraction(1, 5)
    tasks = (Task.CHECK, Task.FORCED, Task.COUNT, Task.LAYOUTS, Task.ANALYZE, Task.SAMPLE)
    for question in (
        *(question_of(task, board) for task in tasks),
        Analyze(board, density=density, fractions=True),
        Sample(board, density=density),
    ):
        found = answer_question(question)
        assert (found.method, found.engines) == ("automata", ("automata",))
        assert found.automata == tuple(machines.split("+"))
    for task in (Task.EXPLAIN, Task.REPAIR):
        found = answer_question(question_of(task, board))
        assert (found.method, found.engines) == ("reasons", ("automata", "reasons"))
        assert found.automata == tuple(machines.split("+"))


@given(
    strip_boards(st.integers(1, 2), cells=90, unknown=80),
    st.booleans(),
    st.sampled_from([None, Fraction(1, 5), Fraction(123457, 1000003), Fraction(1, 10**40)]),
    st.booleans(),
    st.sampled_from([Task.COUNT, Task.ANALYZE]),
)
def test_automata_and_frontier_agree_about_strips(
    board: Board, turned: bool, density: Fraction | None, fractions: bool, task: Task
) -> None:
    question: Any = question_of(
        task,
        board.transpose() if turned else board,
        density=density,
        fractions=fractions and task is Task.ANALYZE,
    )
    found = answer_question(question)
    expected = answer_question(replace(question, backend=Backend.FRONTIER))
    assert found.method == "automata"
    assert found.likelihood == expected.likelihood
    # Of chances that are the same to a double, automata put the lower one first.
    one, other = Said(found).safest or [], Said(expected).safest or []
    assert [chance for _, chance in one] == [chance for _, chance in other]
    below = one[-1][1] if one else 0
    assert {cell for cell in one if cell[1] < below} == {cell for cell in other if cell[1] < below}
    assert claims(found)[2:7] == claims(expected)[2:7]
    if found.consistent and task is Task.ANALYZE:
        assert found.probabilities is not None
        assert expected.probabilities is not None
        assert [
            [None if chance != chance else chance for chance in row]
            for row in found.probabilities.tolist()
        ] == [
            [None if chance != chance else chance for chance in row]
            for row in expected.probabilities.tolist()
        ]
    assert found.complete == expected.complete


@pytest.mark.parametrize("backend", [Backend.AUTO, Backend.AUTOMATA])
def test_samples_of_a_strip_follow_the_density(backend: Backend) -> None:
    """Mines are nine times as likely here, so two of them weigh nine times as much as one."""
    question = question_of(
        *(Task.SAMPLE, parse("?1?1?"), None, Fraction(9, 10)), backend=backend, limit=500, seed=1
    )
    drawn = answer_question(question).layouts
    assert drawn is not None
    share = sum(layout.total for layout in drawn) / 500
    assert 1.86 < share < 1.94


def test_check_of_a_board_that_propagation_decides_names_propagation() -> None:
    with nothing_ordinary():
        assert check(parse("111\n1?1\n111")).method == "propagation"


def test_analyze_gives_the_chances_of_a_long_strip() -> None:
    found = analyze(parse(["?1" * 1100]))
    assert found.probabilities is not None
    assert found.complete


@pytest.mark.parametrize("exponent", [1, 20, 400])
def test_analyze_gives_chances_of_a_strip_for_tiny_densities(exponent: int) -> None:
    board, density = parse(["?2", "??", "1?"]), Fraction(1, 10**exponent)
    by_automata, by_frontier = (
        answer_question(Analyze(board, density=density, backend=backend)).probabilities
        for backend in (Backend.AUTOMATA, Backend.FRONTIER)
    )
    assert by_automata is not None
    assert by_frontier is not None
    assert np.array_equal(by_automata, by_frontier, equal_nan=True)


def test_analyze_rounds_no_chance_to_certainty_unless_forced() -> None:
    density = 1 - Fraction(1, 10**18)
    for backend in (Backend.AUTOMATA, Backend.FRONTIER):
        question = Analyze(parse("?1?"), density=density, backend=backend)
        halves = answer_question(question).probabilities
        assert halves is not None
        assert halves.tolist()[0][0] == 0.5
        question = Analyze(parse("?"), density=density, backend=backend)
        nearly_one = answer_question(question).probabilities
        assert nearly_one is not None
        assert 0.9 < nearly_one.item() < 1


@pytest.mark.parametrize("effort", [INLINE, BOUNDED, FULL])
@pytest.mark.parametrize("rows", [["?" * 141], ["?" * 666] * 3, ["?" * 166] * 12])
def test_counts_by_mines_do_not_depend_on_the_effort(rows: list[str], effort: Effort) -> None:
    question = Count(parse(rows), backend=Backend.AUTOMATA, by_mines=True)
    cells = len(rows) * len(rows[0])
    try:
        found = answer_question(question, effort=effort).by_mines
    except NeedsMoreEffort:
        assert effort is not FULL
    else:
        assert found == {mines: comb(cells, mines) for mines in range(cells + 1)}


@pytest.mark.parametrize(
    "options",
    [{"density": Fraction(1, 2)}, {"limit": 1}, {"mines": 1}],
)
def test_strips_question_rejects_options_of_other_questions(options: dict[str, Any]) -> None:
    with pytest.raises(TypeError):
        Strips(parse("??"), **{"window": Window(0, 0, 1, 1), **options})


@examples(150)
@given(cases, st.sampled_from(ORDERED), st.integers(0, SEEDS - 1), efforts)
def test_samples_depend_only_on_the_seed(
    case: BoardCase, backend: Backend, seed: int, effort: Effort
) -> None:
    board, mines = case
    whole = answer_question(Sample(board, mines, backend=backend, limit=9, seed=seed))
    part_question = Sample(board, mines, backend=backend, offset=4, limit=3, seed=seed)
    try:
        part = answer_question(part_question, effort=effort)
    except NeedsMoreEffort:
        return
    expected = oracle.answer(board, mines)
    assert (whole.layouts == []) == (not expected.consistent)
    if part.layouts and part.engines == whole.engines:
        assert part.layouts == (whole.layouts or [])[4 : 4 + len(part.layouts)]
    assert all(mines_of(layout) in expected.layouts for layout in whole.layouts or [])


@pytest.mark.parametrize("backend", ORDERED)
def test_samples_past_the_deadline_are_incomplete(backend: Backend) -> None:
    question = Sample(parse("?1?\n???"), backend=backend)
    found = answer_question(question, Deadline(-inf))
    assert not found.complete
    assert not found.layouts


def test_samples_are_fresh_without_a_seed() -> None:
    board = Board(np.full((9, 9), UNKNOWN, dtype=np.int8))
    first, second = sample(board, mines=10).layouts, sample(board, mines=10).layouts
    assert first is not None
    assert first != second
    assert first[0].total == 10


@examples(100)
@given(layout_boards(), st.fractions(Fraction(1, 100), Fraction(99, 100)), st.sampled_from(WHOLE))
def test_count_likelihood_is_equal_in_every_backend(
    board: Board, density: Fraction, backend: Backend
) -> None:
    found = answer_question(Count(board, density=density, backend=backend, fractions=True))
    known, unknown = int((board.cells == MINE).sum()), int(board.unknown.sum())
    expected = sum(
        density ** (len(layout) - known) * (1 - density) ** (unknown + known - len(layout))
        for layout in oracle.answer(board).layouts
    )
    assert found.likelihood == expected


def test_long_strips_have_likelihoods_and_fractions() -> None:
    board = parse("?1?" * 1100)
    density = Fraction(1, 5)
    assert count(board, density=density).likelihood is not None
    found = analyze(board, fractions=True)
    assert found.probabilities is not None
    assert found.probabilities[0, 0] == Fraction(1, 2)


@examples(100)
@given(questions())
def test_check_gives_feasible_mines_exactly_where_the_total_is_to_blame(
    question: tuple[Board, int | None, Backend],
) -> None:
    board, mines, backend = question
    found = ask(Task.CHECK, board, mines, backend).feasible
    by_mines = oracle.answer(board).by_mines
    blamed = mines is not None and by_mines and mines not in by_mines
    assert found == ((min(by_mines), max(by_mines)) if blamed else None)


def test_check_omits_feasible_mines_that_take_too_much_work() -> None:
    board = parse(["????", "?2??", "??2?", "????"] * 2)
    effort = Effort(500, 20, unbounded=True)
    found = answer_question(Check(board, 0), effort=effort)
    assert (found.consistent, found.feasible, found.complete) == (False, None, False)


@examples(100)
@given(rule_sets(), st.sampled_from([Backend.AUTO, Backend.FRONTIER, Backend.SAT, Backend.CPSAT]))
def test_layouts_of_rules_agree_with_the_oracle(
    case: tuple[list[Rule], int, int | None], backend: Backend
) -> None:
    given_rules, cells, mines = case
    assume(cells and (mines is None or mines <= cells))
    rules = Rules(tuple(given_rules), cells)
    constraints = [
        ([rules.number[n] for n in rule.cells], rule.low, rule.high) for rule in given_rules
    ]
    expected = set(oracle.sets_of(constraints, range(cells), mines))
    found = answer_question(Layouts(rules, mines, backend=backend, limit=600))
    assert {frozenset(col for _, col in mines) for mines in map(mines_of, found.layouts or [])} == (
        expected
    )
    assert found.count == len(expected)
    if found.conflict is not None:
        blamed = [constraints[rule] for _, rule in found.conflict.clues]
        total = mines if found.conflict.mines else None
        assert not oracle.sets_of(blamed, range(cells), total)


def test_choose_method_counts_narrow_components_of_a_wide_board_apart() -> None:
    wide = lattice(11).cells
    cells = np.pad(wide, ((0, 0), (0, 4)), constant_values=SAFE)
    cells[0, -3:] = [UNKNOWN, 1, UNKNOWN]
    progress, question = Progress(), Count(Board(cells))
    position_answers.look_at_position(question, progress)
    method = choose_method(question, Deadline(), FULL, progress)
    assert isinstance(method, PositionAndRest)


@pytest.mark.parametrize("rows", [["1?1", "???"], ["1?"], ["2?", "0?"]])
def test_answers_say_how_long_they_took(rows: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter((10.0, 13.0))
    monkeypatch.setattr("minecheck.solvers.router.perf_counter", lambda: next(clock))
    assert check(parse(rows)).elapsed == 3.0
