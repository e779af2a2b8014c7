"""Rounded chances of boxes, against the exact ones."""

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from minefield.board import Board
from minefield.notation import parse
from minefield.reduction.constraints import NONE, reduce_board
from solvers.budget import Budget
from solvers.counting import nearest
from solvers.counting.board import Tally
from solvers.counting.component import Component
from solvers.counting.nearest import chances
from solvers.counting.ratio import Ratio
from solvers.deadline import Deadline
from tests.boards import hidden_layout, lattice
from tests.examples import examples


def components(board: Board) -> list[Component]:
    reduction = reduce_board(board)
    budget = Budget(10**12, Deadline())
    return [Component(reduction, place, budget) for place in range(reduction.components)]


@examples(60)
@given(
    st.integers(4, 24),
    st.sampled_from([0.5, 0.6, 0.7]),
    st.integers(0, 10**6),
    st.sampled_from([(1, 1), (1, 4), (99, 901), (7, 1)]),
)
def test_they_are_the_nearest_doubles_to_the_exact_ratios(
    side: int, hidden: float, seed: int, odds: tuple[int, int]
) -> None:
    for part in components(hidden_layout(side, side, hidden, seed)):
        assume(part.weighed(*odds))
        whole = part.weighed(*odds)
        exact = [
            held / (whole * size)
            for held, size in zip(part.sums(*odds).values(), part.sizes, strict=True)
        ]
        assert part.nearest(*odds).tolist() == exact


@examples(60)
@given(
    st.integers(4, 24),
    st.sampled_from([0.5, 0.6, 0.7, 0.9]),
    st.integers(0, 10**6),
    st.data(),
)
def test_with_a_total_they_are_the_nearest_doubles_to_the_exact_ratios(
    side: int, hidden: float, seed: int, data: st.DataObject
) -> None:
    board = hidden_layout(side, side, hidden, seed)
    fewest, most = Tally(reduce_board(board), Budget(10**12, Deadline())).feasible or (0, 0)
    reduction = reduce_board(board, data.draw(st.integers(fewest, most)))
    assume(reduction.conflict == NONE)
    tally = Tally(reduction, Budget(10**13, Deadline()))
    assume(tally.count)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Tally, "chances", None)
        found = tally.probabilities()
    exact = tally.chances().nearest()
    assert np.array_equal(found, exact, equal_nan=True)


def test_a_chance_in_doubt_with_a_total_is_told_by_exact_counts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tally = Tally(reduce_board(lattice(9), 30), Budget(10**12, Deadline()))
    exact = tally.chances().nearest()
    monkeypatch.setattr(Component, "nearest_completed", lambda *_: None)
    assert np.array_equal(tally.probabilities(), exact, equal_nan=True)


@pytest.mark.parametrize(("digits", "sure"), [(10, True), (100, True), (400, False)])
def test_chances_too_small_for_doubles_leave_doubt(
    monkeypatch: pytest.MonkeyPatch, digits: int, sure: bool
) -> None:
    (part,) = components(lattice(9))
    told: list[bool] = []

    def noted(*asked: Any) -> Any:
        found = chances(*asked)
        told.append(found is not None)
        return found

    monkeypatch.setattr(nearest, "chances", noted)
    odds = 1, 10**digits
    whole = part.weighed(*odds)
    exact = [
        Ratio(held, whole * size).nearest
        for held, size in zip(part.sums(*odds).values(), part.sizes, strict=True)
    ]
    assert part.nearest(*odds).tolist() == exact
    assert told == [sure]


def test_cells_that_are_forced_have_chances_of_exactly_0_and_1() -> None:
    (part,) = components(parse(["??????", "S2332S", "??????"]))
    exact = part.forced()
    for box, chance in enumerate(part.nearest().tolist(), part.first_box):
        assert (chance in (0, 1)) == (box in exact)
        assert exact.get(box, chance) == chance
