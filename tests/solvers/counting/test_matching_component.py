"""Boards whose layouts are matchings, against tables, search and known numbers."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from minecheck.minefield import UNKNOWN, Board, Layout
from minecheck.minefield.reduction.constraints import NONE
from minecheck.solvers import analyze, check, count, forced
from minecheck.solvers.answer import Answer
from minecheck.solvers.budget import Budget
from minecheck.solvers.counting.component import Component
from minecheck.solvers.counting.determinants import Sparse
from minecheck.solvers.counting.matching_component import MatchingComponent
from minecheck.solvers.counting.whole_board import BoardTally
from minecheck.solvers.deadline import Deadline
from tests.boards import aztec_diamond, chessboard, dominoes, lattice
from tests.examples import examples
from tests.rule_constraints import reduce_board


def tally(board: Board, mines: int | None = None) -> BoardTally:
    return BoardTally(reduce_board(board, mines), Budget(10**12, Deadline()))


@examples(40)
@given(st.integers(0, 10**6), st.sampled_from([0.0, 0.05, 0.15]), st.booleans())
def test_matching_component_answers_as_tables_do(seed: int, holes: float, with_total: bool) -> None:
    random = np.random.default_rng(seed)
    board = dominoes(random.random(tuple(random.integers(3, 7, 2))) >= holes)
    mines = int(random.integers(2, 18)) if with_total else None
    tables = tally(board, mines)
    reduction, budget = tables.reduction, tables.budget
    if reduction.conflict != NONE:
        return
    components = range(reduction.components)
    tables.parts = [Component(reduction, number, budget) for number in components]
    expected = (tables.count, tables.by_mines)
    chances = tables.compute_probabilities() if tables.count else None
    decided = tables.find_forced() if tables.count else None
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Sparse, "cost", 0.0)
        found = tally(board, mines)
        found.parts = [
            MatchingComponent(reduction, number, found.budget, cheap_work=-1)
            if MatchingComponent.is_matching(reduction, number, few_boxes=2)
            else Component(reduction, number, found.budget)
            for number in components
        ]
        assert (found.count, found.by_mines) == expected
        if chances is not None:
            assert decided is not None
            assert np.array_equal(found.compute_probabilities(), chances, equal_nan=True)
            assert np.array_equal(found.find_forced(), decided)
            assert Layout(found.find_witness().reshape(board.shape)).fits_board(board, mines)


def test_analyze_counts_and_weighs_the_tilings_of_a_large_board() -> None:
    found = analyze(dominoes(chessboard(16)))
    assert found.count == 2444888770250892795802079170816
    assert found.complete
    assert found.witness is not None
    assert found.witness.fits_board(dominoes(chessboard(16)))
    assert found.probabilities is not None
    chances = found.probabilities
    assert chances[0, 1] == chances[1, 0] == 0.5
    assert np.allclose(chances, chances.T, equal_nan=True)
    assert found.by_mines == {128: found.count}


@pytest.mark.slow
def test_matching_component_accepts_only_the_total_of_all_tilings() -> None:
    board = dominoes(aztec_diamond(10))
    assert count(board, 110).count == 2**55
    assert check(board, 109).consistent is False


@pytest.mark.parametrize("question", [check, count, analyze, forced])
def test_mutilated_chessboard_conflict_has_one_more_clue_of_one_colour(
    question: Callable[[Board], Answer],
) -> None:
    board = dominoes(chessboard(12, mutilated=True))
    found = question(board)
    assert (found.consistent, found.complete) == (False, True)
    # Of the squares of one colour those that reach each other, and those beside them.
    assert found.conflict is not None
    clues = found.conflict.clues
    colours = [(row + col) // 2 % 2 for row, col in clues]
    assert abs(2 * sum(colours) - len(colours)) == 1


def test_forced_cells_of_a_tiling_are_those_of_its_chances() -> None:
    squares = chessboard(14)
    # A corridor of one square's width has one tiling only.
    squares[1, :11] = squares[1:, 11] = False
    board = dominoes(squares)
    found = forced(board)
    assert found.forced is not None
    analysis = analyze(board)
    assert analysis.probabilities is not None
    assert found.forced.mines == [
        tuple(cell) for cell in np.argwhere(analysis.probabilities == 1).tolist()
    ]
    assert found.forced.safe == [
        tuple(cell) for cell in np.argwhere(analysis.probabilities == 0).tolist()
    ]


def test_matching_component_rejects_other_components() -> None:
    reduction = reduce_board(lattice(21))
    assert not MatchingComponent.is_matching(reduction, 0)
    cells = dominoes(chessboard(8)).cells.copy()
    cells[1, 1] = UNKNOWN
    assert not MatchingComponent.is_matching(reduce_board(Board(cells)), 0)
    assert MatchingComponent.is_matching(reduce_board(dominoes(chessboard(8))), 0)
