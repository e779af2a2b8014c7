"""Layouts read off tables fit the board, with any number of mines."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from minecheck.minefield.board import Board
from minecheck.minefield.layout import Layout
from minecheck.minefield.reduction.constraints import NONE
from minecheck.solvers.budget import Budget
from minecheck.solvers.counting.component import Component
from minecheck.solvers.counting.whole_board import BoardTally
from minecheck.solvers.deadline import Deadline
from tests.boards import boards_with_totals, hidden_layout
from tests.examples import examples
from tests.rule_constraints import reduce_board


@given(boards_with_totals())
def test_find_witness_fits_every_board_with_a_layout(case: tuple[Board, int | None]) -> None:
    board, mines = case
    reduction = reduce_board(board, mines)
    if reduction.conflict != NONE:
        return
    tally = BoardTally(reduction, Budget(10**9, Deadline()))
    if tally.count:
        assert Layout(tally.find_witness().reshape(board.shape)).fits_board(board, mines)


@examples(30)
@given(st.integers(5, 20), st.integers(0, 10**6), st.booleans())
def test_component_witness_exists_for_each_possible_number_of_mines(
    side: int, seed: int, counted: bool
) -> None:
    reduction = reduce_board(hidden_layout(side, side, 0.6, seed))
    for number in range(reduction.components):
        part = Component(reduction, number, Budget(10**12, Deadline()))
        if counted:
            assert part.count
        for mines in (None, *part.by_mines):
            held = part.find_witness(mines)
            assert mines in (None, held.sum())
            first = reduction.component_boxes[number]
            for clue in range(*reduction.component_clues[number : number + 2]):
                boxes = reduction.clue_boxes[slice(*reduction.clue_start[clue : clue + 2])]
                here = held[np.asarray(boxes) - first].sum()
                assert reduction.low[clue] <= here <= reduction.high[clue]
