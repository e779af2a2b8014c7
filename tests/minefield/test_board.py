"""Boards are immutable values."""

import copy
import pickle
from collections.abc import Callable
from dataclasses import FrozenInstanceError

import numpy as np
import pytest
from hypothesis import given

from minecheck.minefield.board import FLAG, MINE, SAFE, UNKNOWN, Board, BoardError, list_coordinates
from minecheck.minefield.notation import parse
from tests.boards import small_boards


def pickle_and_unpickle(board: Board) -> Board:
    again: Board = pickle.loads(pickle.dumps(board))
    return again


def test_board_cells_cannot_be_written() -> None:
    with pytest.raises(ValueError, match="read-only"):
        parse("1?").cells[0, 0] = 2


def test_board_attributes_cannot_be_set() -> None:
    board = parse("1?")
    with pytest.raises(FrozenInstanceError):
        board.cells = np.zeros((1, 1), dtype=np.int8)  # type: ignore[misc]


def test_board_keeps_its_own_copy_of_the_cells() -> None:
    cells = np.zeros((1, 2), dtype=np.int8)
    board = Board(cells)
    cells[0, 0] = 8
    assert board == parse("00")


def test_board_leaves_the_array_of_the_caller_writable() -> None:
    cells = np.zeros((1, 2), dtype=np.int8)
    Board(cells)
    assert cells.flags.writeable


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, pickle_and_unpickle])
def test_copies_of_a_board_are_equal_and_immutable(copied: Callable[[Board], Board]) -> None:
    board = parse(["1?", "?B"])
    again = copied(board)
    assert again == board
    assert not again.cells.flags.writeable


def test_board_cells_are_int8_in_reading_order() -> None:
    cells = Board(np.asfortranarray(np.arange(6).reshape(2, 3))).cells
    assert cells.dtype == np.int8
    assert cells.flags.c_contiguous
    assert cells.tolist() == [[0, 1, 2], [3, 4, 5]]


def test_boards_with_the_same_cells_are_equal_and_hash_alike() -> None:
    first, second = parse(["1?", "?F"]), parse("1?\n?F")
    assert first == second
    assert len({first, second}) == 1


@pytest.mark.parametrize(
    "other", [parse("1?B"), parse(["1", "?"]), parse("1F"), "1?", None], ids=repr
)
def test_boards_with_other_cells_or_another_shape_are_unequal(other: object) -> None:
    assert parse("1?") != other


@pytest.mark.parametrize("code", [-1, 13, 100, 128, 255, 256, 265, 1.5])
def test_board_rejects_cell_codes_outside_the_range(code: float) -> None:
    with pytest.raises(ValueError, match="cell codes"):
        Board(np.array([[code]]))


@pytest.mark.parametrize("shape", [(0,), (0, 3), (3, 0), (2,), (1, 1, 1), ()])
def test_board_rejects_arrays_that_are_not_a_grid_of_cells(shape: tuple[int, ...]) -> None:
    with pytest.raises(BoardError) as caught:
        Board(np.zeros(shape, dtype=np.int8))
    assert caught.value.code == "empty-board"


def test_board_shape_is_height_and_width() -> None:
    board = parse(["1?0", "???"])
    assert (board.height, board.width, board.shape) == (2, 3, (2, 3))


def test_unknown_cells_of_a_board_include_flags() -> None:
    assert list_coordinates(parse(["0?F", "BS8"]).unknown) == [(0, 1), (0, 2)]


def test_board_lists_flags_in_reading_order() -> None:
    assert parse(["?F?", "F1F"]).flags == [(0, 1), (1, 0), (1, 2)]


def test_trusting_flags_makes_them_mines() -> None:
    assert parse("F?1FB").with_flags_as_mines() == parse("B?1BB")


def test_trusting_flags_does_not_change_the_board() -> None:
    board = parse("F?")
    board.with_flags_as_mines()
    assert board == parse("F?")


def test_transposing_a_board_exchanges_rows_and_columns() -> None:
    assert parse(["12?", "BSF"]).transpose() == parse(["1B", "2S", "?F"])


@given(small_boards())
def test_transposing_a_board_twice_gives_an_equal_board(board: Board) -> None:
    assert board.transpose().transpose() == board


def test_cell_codes_are_distinct_and_above_the_clues() -> None:
    assert sorted({UNKNOWN, MINE, SAFE, FLAG}) == [9, 10, 11, 12]


def test_board_error_says_what_is_wrong_and_how_to_fix_it() -> None:
    error = BoardError("slug", "It is wrong.", "Change it.", row=3, col=4)
    assert str(error) == "It is wrong. Change it."
    assert (error.code, error.row, error.col) == ("slug", 3, 4)
    assert isinstance(error, ValueError)


def test_list_coordinates_returns_plain_ints_in_reading_order() -> None:
    cells = list_coordinates(np.array([[False, True], [True, False]]))
    assert cells == [(0, 1), (1, 0)]
    assert all(type(number) is int for cell in cells for number in cell)


def test_board_error_can_be_pickled() -> None:
    raised = BoardError("slug", "It is wrong.", fix="Change it.", row=3, col=4)
    error = pickle.loads(pickle.dumps(raised))
    assert (error.code, error.fix, error.row, error.col) == ("slug", "Change it.", 3, 4)
