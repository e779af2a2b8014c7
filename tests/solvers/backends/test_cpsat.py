"""CP-SAT as a second opinion: nothing lost, nothing twice."""

from math import inf

import numpy as np
import pytest
from hypothesis import assume, given

from minecheck.minefield.board import UNKNOWN, Board
from minecheck.minefield.layout import Layout
from minecheck.minefield.notation import parse
from minecheck.minefield.reduction.constraints import IS_MINE, NONE, Reduction
from minecheck.solvers.backends import cpsat
from minecheck.solvers.budget import Budget
from minecheck.solvers.counting.component import Component
from minecheck.solvers.deadline import Deadline, DeadlinePassed
from minecheck.solvers.search.problem import BoxProblem
from tests import oracle
from tests.boards import boards_with_totals, small_boards
from tests.examples import examples
from tests.rule_constraints import reduce_board

BoardCase = tuple[Board, int | None]

PAST = Deadline(-inf)


def reduce_consistent(board: Board, mines: int | None = None) -> Reduction:
    """The board reduced; drawn again where propagation finds a conflict."""
    reduction = reduce_board(board, mines)
    assume(reduction.conflict == NONE)
    return reduction


def all_layouts(problem: BoxProblem, board: Board) -> list[frozenset[oracle.Cell]]:
    found = cpsat.iterate_layouts(problem, Deadline(), 1 << board.cells.size)
    return [
        frozenset(
            (number // board.width, number % board.width)
            for number in np.flatnonzero(mines).tolist()
        )
        for mines in found
    ]


@examples(300)
@given(boards_with_totals())
def test_cpsat_enumeration_lists_each_layout_once(case: BoardCase) -> None:
    board, mines = case
    found = all_layouts(BoxProblem.from_reduction(reduce_consistent(board, mines)), board)
    assert len(set(found)) == len(found)
    assert set(found) == set(oracle.answer(board, mines).layouts)


@given(boards_with_totals())
def test_cpsat_witness_is_a_layout(case: BoardCase) -> None:
    board, mines = case
    problem = BoxProblem.from_reduction(reduce_consistent(board, mines))
    found = cpsat.find_witness(problem, Deadline())
    assert (found is not None) == oracle.answer(board, mines).consistent
    assert found is None or Layout(problem.place_mines(found).reshape(board.shape)).fits_board(
        board, mines
    )


@given(small_boards())
def test_cpsat_counts_a_component_as_dynamic_programming_does(board: Board) -> None:
    reduction = reduce_consistent(board)
    problem = BoxProblem.from_reduction(reduction)
    for component in range(reduction.components):
        part = Component(reduction, component, Budget(10**6, Deadline()))
        assert cpsat.count_layouts(problem.take_component(component), Deadline()) == part.by_mines


@given(boards_with_totals())
def test_cpsat_counts_the_boxes_by_mines(case: BoardCase) -> None:
    board, mines = case
    reduction = reduce_consistent(board, mines)
    expected = oracle.answer(board, mines).by_mines
    loose = 0 if mines is not None else reduction.loose.size
    counted = cpsat.count_layouts(BoxProblem.from_reduction(reduction), Deadline())
    assert sum(counted.values()) << loose == sum(expected.values())


@given(boards_with_totals())
def test_cpsat_proves_all_forced_boxes(case: BoardCase) -> None:
    board, mines = case
    expected = oracle.answer(board, mines)
    assume(expected.consistent)
    reduction = reduce_consistent(board, mines)
    problem = BoxProblem.from_reduction(reduction)
    held = cpsat.find_witness(problem, Deadline())
    assert held is not None
    values, complete = cpsat.find_forced(problem, held, Deadline())
    state = reduction.state.copy()
    for box in np.flatnonzero(values >= 0).tolist():
        state[problem.cells_of(box)] = values[box]
    state = state.reshape(board.shape)
    unknown = [cell for cell in np.ndindex(board.shape) if board.unknown[cell]]
    assert complete
    assert {cell for cell in unknown if state[cell] == IS_MINE} == expected.forced_mines
    assert {cell for cell in unknown if state[cell] == 0} == expected.forced_safe


def test_cpsat_lists_all_layouts_of_nine_free_cells() -> None:
    board = parse("???\n???\n???")
    assert len(set(all_layouts(BoxProblem.from_reduction(reduce_board(board)), board))) == 512


@pytest.mark.parametrize("limit", [1, 2, 3, 60])
def test_cpsat_enumeration_stops_after_enough_layouts(limit: int) -> None:
    problem = BoxProblem.from_reduction(reduce_board(parse("????\n?22?\n?22?\n????")))
    found = {mines.tobytes() for mines in cpsat.iterate_layouts(problem, Deadline(), limit)}
    assert limit <= len(found) <= 66


def test_cpsat_enumeration_draws_a_large_box_without_listing_its_choices() -> None:
    # Half of 40 cells: listing the choices first would not end.
    problem = BoxProblem.from_reduction(
        reduce_board(Board(np.full((5, 8), UNKNOWN, dtype=np.int8)), 20)
    )
    assert next(cpsat.iterate_layouts(problem, Deadline(), 1)).sum() == 20


def test_cpsat_witness_past_the_deadline_raises() -> None:
    with pytest.raises(DeadlinePassed):
        cpsat.find_witness(BoxProblem.from_reduction(reduce_board(parse("?1?"))), PAST)


def test_cpsat_enumeration_past_the_deadline_raises() -> None:
    with pytest.raises(DeadlinePassed):
        next(cpsat.iterate_layouts(BoxProblem.from_reduction(reduce_board(parse("?1?"))), PAST, 1))


def test_cpsat_count_past_the_deadline_raises() -> None:
    with pytest.raises(DeadlinePassed):
        cpsat.count_layouts(BoxProblem.from_reduction(reduce_board(parse("?1?"))), PAST)


def test_cpsat_forced_cells_past_the_deadline_raise() -> None:
    problem = BoxProblem.from_reduction(reduce_board(parse("????\nS12S\n????")))
    held = cpsat.find_witness(problem, Deadline())
    assert held is not None
    with pytest.raises(DeadlinePassed):
        cpsat.find_forced(problem, held, PAST)
