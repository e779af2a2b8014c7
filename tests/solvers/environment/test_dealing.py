"""Boards dealt by the compiled call, compared with those of NumPy and of plain Python."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from minecheck.minefield.board import MINE
from minecheck.minefield.topology import Shape, Topology
from minecheck.solvers import SEEDS, QuestionError
from minecheck.solvers.environment.dealing import DealtBoards, wrap_seed
from minecheck.solvers.games.generator import Guarantee, generate_board
from tests.variants import touching

SEED = st.one_of(st.integers(0, 9), st.integers(0, SEEDS - 1))
OUTSIDE_THE_PLANE = [shape for shape in Shape if shape is not Shape.RECTANGLE]


@given(
    st.integers(4, 20),
    st.integers(4, 20),
    st.integers(0, 99),
    st.sampled_from((Guarantee.OPENING, Guarantee.RANDOM)),
    st.lists(SEED, min_size=1, max_size=4),
)
def test_dealt_boards_are_those_of_the_generator(
    rows: int, cols: int, mines: int, guarantee: Guarantee, seeds: list[int]
) -> None:
    kind = DealtBoards(rows, cols, min(mines, rows * cols - 9), guarantee)
    for seed, codes in zip(seeds, kind.deal(np.array(seeds, np.int64)), strict=True):
        game = generate_board(kind.make_options(seed)).game
        assert game is not None
        assert codes.reshape(rows, cols).tolist() == game.codes.tolist()


def test_dealt_guess_free_boards_are_those_of_the_generator() -> None:
    kind = DealtBoards(9, 9, 10, Guarantee.GUESS_FREE)
    game = generate_board(kind.make_options(7)).game
    assert game is not None
    assert kind.deal(np.array([7])).reshape(9, 9).tolist() == game.codes.tolist()


@given(st.sampled_from(OUTSIDE_THE_PLANE), st.integers(5, 9), st.integers(5, 9), SEED)
def test_dealt_numbers_count_the_touching_mines(
    shape: Shape, rows: int, cols: int, seed: int
) -> None:
    kind = DealtBoards(rows, cols, 7, shape=shape)
    codes = kind.deal(np.array([seed], np.int64)).reshape(rows, cols)
    touch = touching(Topology(shape), rows, cols)
    mines = [(row, col) for row, col in np.argwhere(codes == MINE).tolist()]
    assert len(mines) == 7
    assert codes[kind.opened_first] == 0
    for row in range(rows):
        for col in range(cols):
            if (row, col) not in mines:
                around = [mine for mine in mines if touch((row, col), mine)]
                assert codes[row, col] == len(around)


def test_dealt_layouts_are_equally_likely() -> None:
    codes = DealtBoards(2, 3, 2, Guarantee.RANDOM).deal(np.arange(5_000))
    found, times = np.unique(codes == MINE, axis=0, return_counts=True)
    assert len(found) == 10
    assert abs(times - 500).max() < 100


def test_wrap_seed_wraps_around() -> None:
    assert wrap_seed(SEEDS + 3) == 3


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        ({"rows": 0}, "rows"),
        ({"cols": 4097}, "rows"),
        ({"mines": 73}, "mines"),
        ({"mines": 73, "shape": Shape.TORUS}, "mines"),
        ({"mines": -1, "shape": Shape.TORUS}, "mines"),
        ({"first": (9, 0)}, "first"),
        ({"first": (0, -1), "shape": Shape.HEXAGONAL}, "first"),
        ({"guarantee": Guarantee.GUESS_FREE, "shape": Shape.TORUS}, "guarantee"),
    ],
)
def test_dealt_boards_reject_impossible_arguments_and_name_the_field(
    arguments: dict[str, object], field: str
) -> None:
    size: dict[str, object] = {"rows": 9, "cols": 9, "mines": 10}
    with pytest.raises(QuestionError) as rejected:
        DealtBoards(**(size | arguments))  # type: ignore[arg-type]
    assert rejected.value.field == field
