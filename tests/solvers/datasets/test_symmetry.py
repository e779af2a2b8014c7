"""Keys and splits of boards, which turning and mirroring must not change."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from minecheck.solvers.datasets.symmetry import DataSplit, choose_split, list_symmetric, make_key
from tests.examples import examples

SHAPES = st.tuples(st.integers(1, 4), st.integers(1, 4))
BOARDS = arrays.arrays(np.int8, SHAPES, elements=st.integers(0, 9))


@given(BOARDS, st.integers(0, 3), st.booleans())
@examples(100)
def test_symmetric_boards_have_one_key(board: np.ndarray, turns: int, mirrored: bool) -> None:
    other = np.rot90(board, turns if board.shape[0] == board.shape[1] else 2 * turns)
    other = np.ascontiguousarray(other[::-1] if mirrored else other)
    assert make_key(other, 3) == make_key(board, 3)
    assert make_key(other, 3) != make_key(board, 2)


@given(BOARDS, BOARDS)
@examples(100)
def test_boards_that_are_not_symmetric_have_different_keys(
    one: np.ndarray, other: np.ndarray
) -> None:
    same = any(np.array_equal(other, turned) for turned in list_symmetric(one))
    assert (make_key(one, 1) == make_key(other, 1)) == same


def test_square_boards_have_eight_symmetries_and_other_boards_four() -> None:
    square = np.arange(9, dtype=np.int8).reshape(3, 3)
    assert len({board.tobytes() for board in list_symmetric(square)}) == 8
    flat = np.arange(6, dtype=np.int8).reshape(2, 3)
    assert len({board.tobytes() for board in list_symmetric(flat)}) == 4


@pytest.mark.parametrize(("split", "share"), list(zip(DataSplit, (0.8, 0.1, 0.1), strict=True)))
def test_choose_split_gives_each_split_its_share(split: DataSplit, share: float) -> None:
    draws = np.random.default_rng(0)
    found = [choose_split(draws.random((6, 6)) < 0.2) for _ in range(2000)]
    assert found.count(split) / 2000 == pytest.approx(share, abs=0.03)
