"""Rounded chances of boxes, against the exact ones."""

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from minecheck.minefield.board import Board
from minecheck.minefield.notation import parse
from minecheck.minefield.reduction.constraints import NONE
from minecheck.solvers.budget import Budget
from minecheck.solvers.counting import nearest
from minecheck.solvers.counting.component import Component
from minecheck.solvers.counting.nearest import round_all_chances
from minecheck.solvers.counting.ratio import Ratio
from minecheck.solvers.counting.whole_board import BoardTally
from minecheck.solvers.deadline import Deadline
from tests.boards import hidden_layout, lattice
from tests.examples import examples
from tests.rule_constraints import reduce_board


def components(board: Board) -> list[Component]:
    reduction = reduce_board(board)
    budget = Budget(10**12, Deadline())
    return [Component(reduction, number, budget) for number in range(reduction.components)]


@examples(60)
@given(
    st.integers(4, 24),
    st.sampled_from([0.5, 0.6, 0.7]),
    st.integers(0, 10**6),
    st.sampled_from([(1, 1), (1, 4), (99, 901), (7, 1)]),
)
def test_round_chances_gives_the_nearest_doubles_of_the_exact_ratios(
    side: int, hidden: float, seed: int, odds: tuple[int, int]
) -> None:
    for part in components(hidden_layout(side, side, hidden, seed)):
        assume(part.weigh_layouts(*odds))
        whole = part.weigh_layouts(*odds)
        exact = [
            held / (whole * size)
            for held, size in zip(part.sum_mines(*odds).values(), part.sizes, strict=True)
        ]
        assert part.round_chances(*odds).tolist() == exact


@examples(60)
@given(
    st.integers(4, 24),
    st.sampled_from([0.5, 0.6, 0.7, 0.9]),
    st.integers(0, 10**6),
    st.data(),
)
def test_chances_with_a_total_are_the_nearest_doubles_of_the_exact_ratios(
    side: int, hidden: float, seed: int, data: st.DataObject
) -> None:
    board = hidden_layout(side, side, hidden, seed)
    fewest, most = BoardTally(reduce_board(board), Budget(10**12, Deadline())).feasible or (0, 0)
    reduction = reduce_board(board, data.draw(st.integers(fewest, most)))
    assume(reduction.conflict == NONE)
    tally = BoardTally(reduction, Budget(10**13, Deadline()))
    assume(tally.count)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(BoardTally, "compute_chances", None)
        found = tally.compute_probabilities()
    exact = tally.compute_chances().round_chances()
    assert np.array_equal(found, exact, equal_nan=True)


def test_chance_in_doubt_with_a_total_follows_from_exact_counts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tally = BoardTally(reduce_board(lattice(9), 30), Budget(10**12, Deadline()))
    exact = tally.compute_chances().round_chances()
    monkeypatch.setattr(Component, "round_completed_chances", lambda *_: None)
    assert np.array_equal(tally.compute_probabilities(), exact, equal_nan=True)


@pytest.mark.parametrize(
    ("digits", "sure"), [(10, True), (100, True), pytest.param(400, False, marks=pytest.mark.slow)]
)
def test_round_chances_leaves_doubt_about_chances_too_small_for_doubles(
    monkeypatch: pytest.MonkeyPatch, digits: int, sure: bool
) -> None:
    (part,) = components(lattice(9))
    certain: list[bool] = []

    def round_and_note(*arguments: Any) -> Any:
        found = round_all_chances(*arguments)
        certain.append(found is not None)
        return found

    monkeypatch.setattr(nearest, "round_all_chances", round_and_note)
    odds = 1, 10**digits
    whole = part.weigh_layouts(*odds)
    exact = [
        Ratio(held, whole * size).nearest
        for held, size in zip(part.sum_mines(*odds).values(), part.sizes, strict=True)
    ]
    assert part.round_chances(*odds).tolist() == exact
    assert certain == [sure]


def test_round_chances_gives_forced_cells_exactly_0_or_1() -> None:
    (part,) = components(parse(["??????", "S2332S", "??????"]))
    exact = part.find_forced()
    for box, chance in enumerate(part.round_chances().tolist(), part.first_box):
        assert (chance in (0, 1)) == (box in exact)
        assert exact.get(box, chance) == chance
