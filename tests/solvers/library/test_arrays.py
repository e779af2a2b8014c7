"""Arrays and frames of cells are read exactly, or rejected with the cell and a fix that works."""

import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

import minecheck
from minecheck.minefield import Board, BoardError, draw
from minecheck.solvers.library.arrays import read_cells
from minecheck.solvers.library.boards import parse
from tests.boards import boards_with_totals


class Missing:
    """A null that is not equal to itself, and has no truth value, as that of pandas."""

    def __bool__(self) -> bool:
        raise TypeError("boolean value of NA is ambiguous")


NAType = type("NAType", (Missing,), {})


@given(boards_with_totals(), st.sampled_from(["U1", "S1", "O", "U3"]))
def test_read_cells_reads_symbols_of_any_string_type(
    case: tuple[Board, int | None], dtype: str
) -> None:
    board, _ = case
    symbols = np.array([list(row) for row in draw(board)]).astype(dtype)
    assert np.array_equal(read_cells(symbols), board.cells)


@pytest.mark.parametrize("missing", [None, float("nan"), NAType(), np.float64("nan")])
def test_read_cells_reads_missing_values_as_unknown(missing: Any) -> None:
    frame = np.array([[missing, 1, "B"]], object)
    assert read_cells(frame).tolist() == [[9, 1, 10]]


def test_read_cells_takes_whole_floats_for_clues() -> None:
    assert read_cells(np.array([[np.nan, 1.0, 8.0]])).tolist() == [[9, 1, 8]]


@pytest.mark.parametrize(
    ("array", "where"),
    [
        (np.array([[1, -1]]), "row 0, column 1 is -1"),
        (np.array([[1.5, 1.0]]), "row 0, column 0 is 1.5"),
        (np.array([["1", "x"]]), "row 0, column 1 is 'x'"),
        (np.array([[b"1", b"x"]]), "row 0, column 1 is 'x'"),
        (np.array([["1"], ["\u2713"]]), "row 1, column 0 is '\u2713'"),
        (np.array([["1", "10"]]), "row 0, column 1 is '10'"),
        (np.array([[True]]), "row 0, column 0 is True"),
        (np.array([[9]]), "row 0, column 0 is 9"),
        (np.full((2, 3, 4), 12), "row 0, column 0 of board 0 is 12"),
    ],
)
def test_read_cells_names_an_invalid_cell(array: NDArray[Any], where: str) -> None:
    with pytest.raises(BoardError) as raised:
        read_cells(array)
    assert where in str(raised.value)


@pytest.mark.parametrize(
    "array",
    [
        np.array([[1, -1]]),
        np.array([["1", "x"]]),
        np.array([[b"1", b"x"]]),
        np.array([["1", "\u2713"]]),
        np.array([["1", "10"]]),
        np.array([[1, 9]]),
        np.array([[1.0, 0.5]]),
    ],
)
def test_array_cell_fix_reads_the_board_when_followed(array: NDArray[Any]) -> None:
    with pytest.raises(BoardError) as raised:
        parse(array)
    call = re.search(r"minecheck\.parse\(.*\)", raised.value.fix)
    assert call is not None
    fixed = eval(call[0], {"minecheck": minecheck, "board": array}).cells
    assert fixed.tolist() == [[1, 9]]


@pytest.mark.parametrize("shape", [(3,), (2, 2, 2), (0,), (0, 3)])
def test_parse_rejects_arrays_that_are_not_a_board(shape: tuple[int, ...]) -> None:
    if shape == (3,):
        assert parse(np.array(["1?", "??"])).shape == (2, 2)
        return
    with pytest.raises(BoardError):
        parse(np.ones(shape, np.int64))


def test_parse_reads_lists_with_missing_cells() -> None:
    assert str(parse([[None, 1.0], [2, "?"]])) == "?1\n2?"


def test_read_cells_returns_read_only_cells() -> None:
    assert not read_cells(np.array([["1"]])).flags.writeable
