"""Why a board is inconsistent: clues that cannot hold together, none of them to spare."""

from collections.abc import Collection, Sequence

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from minecheck.minefield.board import SAFE, Board
from minecheck.minefield.notation import parse
from minecheck.minefield.reduction.constraints import Constraints
from minecheck.solvers.backend import Backend
from minecheck.solvers.deadline import Deadline, DeadlinePassed
from minecheck.solvers.effort import FULL, Effort, NeedsMoreEffort
from minecheck.solvers.findings import Conflict
from minecheck.solvers.router import answer_question
from minecheck.solvers.search.core import (
    Core,
    Undecided,
    find_fewest,
    make_search_refuter,
    minimise_core,
)
from minecheck.solvers.tasks.check import Check, CheckAnswer
from tests import oracle
from tests.boards import CASES, Case, changed_boards, mines_totals, random_boards, wire
from tests.examples import examples
from tests.oracle import Cell
from tests.tasks import WHOLE

BoardCase = tuple[Board, int | None]

BACKENDS = [Backend.AUTO, Backend.SAT]


@st.composite
def inconsistent_boards(draw: st.DrawFn) -> BoardCase:
    """Boards that the oracle finds inconsistent, with a total of mines or without."""
    board = draw(changed_boards() | random_boards())
    mines = draw(st.none() | mines_totals(board).filter(lambda mines: mines <= board.cells.size))
    assume(not oracle.answer(board, mines).consistent)
    return board, mines


def conflict_of(
    board: Board, mines: int | None = None, backend: Backend = Backend.AUTO, effort: Effort = FULL
) -> Conflict:
    found: CheckAnswer = answer_question(Check(board, mines, backend=backend), effort=effort)
    assert found.consistent is False
    assert found.conflict is not None
    return found.conflict


def only(board: Board, clues: Collection[Cell]) -> Board:
    """The board with every other clue replaced by a safe cell without number."""
    cells = board.cells.copy()
    for cell in np.ndindex(cells.shape):
        if cells[cell] <= 8 and cell not in clues:
            cells[cell] = SAFE
    return Board(cells)


def possible(board: Board, clues: Collection[Cell], mines: int | None) -> bool:
    """True if these clues alone, and the total, can hold."""
    return oracle.answer(only(board, clues), mines).consistent


def separate(groups: int) -> Board:
    """Clues of 1 over two unknown cells each, in a row."""
    return parse(["?1?S" * groups])


@pytest.mark.parametrize("backend", BACKENDS)
@examples(60)
@given(case=inconsistent_boards())
def test_conflict_clues_cannot_hold_together(case: BoardCase, backend: Backend) -> None:
    board, mines = case
    conflict = conflict_of(board, mines, backend)
    assert not possible(board, conflict.clues, mines if conflict.mines else None)


@pytest.mark.parametrize("backend", BACKENDS)
@examples(60)
@given(case=inconsistent_boards())
def test_conflict_is_consistent_without_any_one_clue(case: BoardCase, backend: Backend) -> None:
    board, mines = case
    conflict = conflict_of(board, mines, backend)
    total = mines if conflict.mines else None
    assert conflict.minimal
    for clue in conflict.clues:
        assert possible(board, set(conflict.clues) - {clue}, total)


@pytest.mark.parametrize("backend", BACKENDS)
@examples(60)
@given(case=inconsistent_boards())
def test_conflict_contains_the_total_only_where_needed(case: BoardCase, backend: Backend) -> None:
    board, mines = case
    conflict = conflict_of(board, mines, backend)
    assert not conflict.mines or possible(board, conflict.clues, None)


@pytest.mark.parametrize("backend", BACKENDS)
@examples(30)
@given(case=inconsistent_boards())
def test_conflict_names_clues_in_reading_order(case: BoardCase, backend: Backend) -> None:
    board, mines = case
    clues = conflict_of(board, mines, backend).clues
    assert clues == sorted(set(clues))
    assert all(board.cells[clue] <= 8 for clue in clues)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("case", [case for case in CASES if not case.consistent], ids=str)
def test_conflicts_of_reference_boards_are_minimal(case: Case, backend: Backend) -> None:
    board = parse(case.rows)
    conflict = conflict_of(board, backend=backend)
    assert conflict.minimal
    assert not possible(board, conflict.clues, None)
    for clue in conflict.clues:
        assert possible(board, set(conflict.clues) - {clue}, None)


@pytest.mark.parametrize("backend", [b for b in WHOLE if b is not Backend.AUTOMATA])
@pytest.mark.parametrize(("rows", "mines"), [("BB", 1), ("BB", 0), ("SS", 1), ("?B", 0)])
def test_conflict_can_be_the_total_alone(rows: str, mines: int, backend: Backend) -> None:
    assert conflict_of(parse(rows), mines, backend) == Conflict([], True, True, True)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("mines", [7, 9])
def test_conflict_can_be_the_total_with_all_clues(mines: int, backend: Backend) -> None:
    conflict = conflict_of(separate(8), mines, backend)
    assert conflict == Conflict([(0, 4 * group + 1) for group in range(8)], True, True, True)


@pytest.mark.slow
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("mines", [59, 61])
def test_conflict_of_the_total_with_very_many_clues_is_minimal(
    mines: int, backend: Backend
) -> None:
    conflict = conflict_of(separate(60), mines, backend)
    assert conflict.clues == [(0, 4 * group + 1) for group in range(60)]
    assert conflict.mines
    assert conflict.minimal


@pytest.mark.parametrize("backend", [*BACKENDS, Backend.AUTOMATA, Backend.FRONTIER, Backend.CPSAT])
@pytest.mark.parametrize("clues", [2, 29, 30, 31, 60])
def test_conflict_of_a_long_wire_has_every_clue(clues: int, backend: Backend) -> None:
    conflict = conflict_of(parse(wire(clues)), backend=backend)
    assert conflict == Conflict([(0, 2 * index + 1) for index in range(clues)], False, True, True)


@pytest.mark.parametrize("clues", [29, 30])
def test_conflict_of_a_long_wire_beside_safe_cells_has_every_clue(clues: int) -> None:
    row = wire(clues)
    conflict = conflict_of(parse(["S" * len(row), row]))
    assert conflict == Conflict([(1, 2 * index + 1) for index in range(clues)], False, True, True)


def test_conflict_is_found_near_the_wrong_clue() -> None:
    board = parse(["?" * 60, "1" * 40 + "3" + "1" * 19])
    conflict = conflict_of(board)
    assert (1, 40) in conflict.clues
    assert all(35 < col < 46 for _, col in conflict.clues)


def test_long_conflicts_need_a_worker() -> None:
    with pytest.raises(NeedsMoreEffort):
        conflict_of(parse(wire(60)), effort=Effort(100_000, 4_000, unbounded=False))


@pytest.mark.parametrize("search", [-1_000_000, 0, 3, 1000])
@pytest.mark.parametrize("mines", [3, 5])
def test_conflict_with_the_total_is_found_with_small_effort(mines: int, search: int) -> None:
    conflict = conflict_of(separate(4), mines, effort=Effort(search, 1_000_000, unbounded=True))
    assert conflict.mines
    assert not possible(separate(4), conflict.clues, mines)


@examples(60)
@given(inconsistent_boards(), st.integers(-1000, 30))
def test_conflicts_with_small_effort_are_right(case: BoardCase, search: int) -> None:
    board, mines = case
    conflict = conflict_of(board, mines, effort=Effort(search, abs(search), unbounded=True))
    total = mines if conflict.mines else None
    assert not possible(board, conflict.clues, total)
    if conflict.minimal:
        assert all(possible(board, set(conflict.clues) - {c}, total) for c in conflict.clues)


@given(
    st.sets(st.integers(0, 12), min_size=1),
    st.sets(st.integers(0, 12)),
    st.booleans(),
)
def test_minimise_core_keeps_the_needed_clues(
    needed: set[int], spare: set[int], with_total: bool
) -> None:
    def refute(clues: Sequence[int], total: bool) -> Core | None:
        fails = needed <= set(clues) and (total or not with_total)
        return Core(list(clues), total) if fails else None

    found = minimise_core(Core(sorted(needed | spare), True), refute)
    assert found == Core(sorted(needed), with_total, True)


@given(st.lists(st.sets(st.integers(0, 9), min_size=1), min_size=1, max_size=8), st.booleans())
def test_find_fewest_returns_a_smallest_core(sets: list[set[int]], total: bool) -> None:
    def refute(clues: Sequence[int], with_total: bool) -> Core | None:
        assert with_total == total
        return Core(list(clues), total) if any(one <= set(clues) for one in sets) else None

    first = next(one for one in sets if not any(other < one for other in sets))
    core = Core(sorted(first), total, True)
    found = find_fewest(core, range(10), refute, 1000)
    assert set(found.clues) in sets
    assert found == Core(found.clues, total, True, True)
    assert len(found.clues) == min(map(len, sets))
    assert find_fewest(core, range(10), refute, 0) == core


def test_find_fewest_keeps_the_core_when_the_refuter_gives_up() -> None:
    def refute(clues: Sequence[int], total: bool) -> Core | None:
        raise Undecided

    core = Core([0, 1], True, True)
    assert find_fewest(core, range(9), refute, 1000) == core


@pytest.mark.parametrize("total", [False, True])
def test_minimise_core_keeps_the_core_when_the_refuter_gives_up(total: bool) -> None:
    def refute(clues: Sequence[int], total: bool) -> Core | None:
        raise Undecided

    assert minimise_core(Core([0, 1, 2], total), refute) == Core([0, 1, 2], total, False)


@pytest.mark.parametrize("total", [False, True])
def test_minimise_core_keeps_the_core_past_the_deadline(total: bool) -> None:
    def refute(clues: Sequence[int], total: bool) -> Core | None:
        raise DeadlinePassed

    assert minimise_core(Core([2, 0, 1], total), refute) == Core([0, 1, 2], total, False)


def test_refuter_by_search_gives_up_when_its_budget_is_spent() -> None:
    constraints = Constraints.from_board(parse("????\nS12S\n????"))
    with pytest.raises(Undecided):
        make_search_refuter(constraints, -1_000_000, 1000, Deadline())([0, 1], False)


def test_refuter_by_search_does_not_refute_consistent_clues() -> None:
    constraints = Constraints.from_board(parse("????\nS12S\n????"))
    assert make_search_refuter(constraints, 1000, 1000, Deadline())([0, 1], False) is None
