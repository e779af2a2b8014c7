"""The values of ends against an expectimax over sets of layouts in plain Python, unpruned."""

from math import comb

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from minecheck.minefield import Board
from minecheck.minefield.board import UNKNOWN
from minecheck.solvers import Deadline
from minecheck.solvers.play.endgame import Endgame
from minecheck.solvers.positions.solve import solve_position
from tests.examples import examples
from tests.solvers.play.plain_end import PlainEnd

#: The most layouts of an end that is played out in plain Python.
MOST = 150
#: The most ways to place the mines that are tried for that.
MOST_PLACINGS = 20_000


def read_rows(rows: list[str]) -> Board:
    codes = [[UNKNOWN if one == "?" else int(one) for one in row] for row in rows]
    return Board(np.array(codes, np.int8))


def make_end(rows: list[str], mines: int) -> Endgame:
    board = read_rows(rows)
    found = solve_position(board, mines)
    assert found is not None
    end = Endgame.from_position(board, mines, found, 10**6, 10**12)
    assert end is not None
    return end


@st.composite
def ends(draw: st.DrawFn) -> tuple[list[str], int]:
    """A board of up to 5x5 cells of which some safe ones are shown, and its mines."""
    height, width = draw(st.integers(2, 5)), draw(st.integers(2, 5))
    seed = draw(st.integers(0, 2**32))
    share = draw(st.sampled_from([0.2, 0.3, 0.4, 0.5]))
    draws = np.random.default_rng(seed)
    mines = draws.random((height, width)) < share
    padded = np.pad(mines, 1).astype(int)
    shown = draws.random((height, width)) < draw(st.sampled_from([0.3, 0.5, 0.6]))
    rows = []
    for row in range(height):
        numbers = [int(padded[row : row + 3, col : col + 3].sum()) for col in range(width)]
        open_to = shown[row] & ~mines[row]
        rows.append("".join(str(numbers[col]) if open_to[col] else "?" for col in range(width)))
    return rows, int(mines.sum())


@given(ends())
@examples(300)
def test_endgame_value_is_that_of_plain_expectimax(case: tuple[list[str], int]) -> None:
    rows, mines = case
    closed = "".join(rows).count("?")
    assume(closed > 0 and comb(closed, mines) <= MOST_PLACINGS)
    known = solve_position(read_rows(rows), mines)
    assume(known is not None and known.count <= MOST)
    end = make_end(rows, mines)
    plain = PlainEnd(rows, mines)
    assert len(plain.layouts) == end.layouts
    value = plain.value(frozenset(range(end.layouts)))
    assert end.bound_value(Deadline()) == (value, value)


@pytest.mark.parametrize(
    ("rows", "mines", "won", "layouts"),
    [
        # The known value of 4x4 cells with 4 mines.
        (["????"] * 4, 4, 961, 1820),
        (["????"] * 4, 5, 1461, 4368),
    ],
)
def test_endgame_value_of_whole_boards_is_the_known_one(
    rows: list[str], mines: int, won: int, layouts: int
) -> None:
    end = make_end(rows, mines)
    assert (end.bound_value(Deadline()), end.layouts) == ((won, won), layouts)


def test_endgame_bounds_contain_the_value_and_narrow_with_effort() -> None:
    previous = (0, 4368)
    for effort in (20_000, 40_000, 100_000, 400_000, 10**9):
        end = make_end(["????"] * 4, 5)
        end.effort, end.slice_effort = effort, 20_000
        low, high = end.bound_value(Deadline())
        assert previous[0] <= low <= 1461 <= high <= previous[1]
        previous = (low, high)
    assert previous == (1461, 1461)
