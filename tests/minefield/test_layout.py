"""Layouts are drawn as in Kadlac's appendix and held to boards without any solver."""

import pickle
from collections.abc import Set
from dataclasses import FrozenInstanceError

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from minecheck.minefield.board import Board, list_coordinates
from minecheck.minefield.layout import Layout
from minecheck.minefield.notation import parse
from tests import oracle
from tests.boards import BOARD_1_LAYOUTS, CASE, layout_boards, small_boards
from tests.oracle import Cell


def layout_of(mines: Set[Cell], shape: tuple[int, int]) -> Layout:
    grid = np.zeros(shape, dtype=bool)
    for cell in mines:
        grid[cell] = True
    return Layout(grid)


def layouts_of(rows: tuple[str, ...]) -> list[Layout]:
    board = parse(rows)
    return [layout_of(mines, board.shape) for mines in oracle.answer(board).layouts]


masks = st.tuples(st.integers(1, 5), st.integers(1, 5)).flatmap(
    lambda shape: st.lists(
        st.booleans(), min_size=shape[0] * shape[1], max_size=shape[0] * shape[1]
    ).map(lambda mines: np.array(mines).reshape(shape))
)


def test_layout_rows_of_kadlacs_fourth_board_are_those_of_the_thesis() -> None:
    (layout,) = layouts_of(CASE["kadlac-board-4"].rows)
    assert layout.rows() == ["2B2B2", "B222B", "22022", "B222B", "2B2B2"]


def test_layout_rows_of_kadlacs_first_board_are_those_of_the_thesis() -> None:
    drawn = [tuple(layout.rows()) for layout in layouts_of(CASE["kadlac-board-1"].rows)]
    assert sorted(drawn) == sorted(BOARD_1_LAYOUTS)


def test_layout_rows_of_a_solved_board_are_the_board() -> None:
    (layout,) = layouts_of(CASE["hu-lin-fig-1a"].rows)
    assert tuple(layout.rows()) == CASE["hu-lin-fig-1b"].rows


@pytest.mark.parametrize(
    ("mines", "rows"),
    [
        ([[0]], ["0"]),
        ([[1]], ["B"]),
        ([[0, 1, 0]], ["1B1"]),
        ([[1], [0], [1]], ["B", "2", "B"]),
        ([[1, 1, 1], [1, 0, 1], [1, 1, 1]], ["BBB", "B8B", "BBB"]),
    ],
)
def test_layout_rows_of_small_layouts_are_as_expected(
    mines: list[list[int]], rows: list[str]
) -> None:
    assert Layout(np.array(mines)).rows() == rows


def test_layout_str_joins_the_rows() -> None:
    assert str(Layout(np.array([[1, 0], [0, 0]]))) == "B1\n11"


@given(masks)
def test_count_neighbours_counts_the_mines_around_every_cell(mines: np.ndarray) -> None:
    numbers = Layout(mines).count_neighbours()
    assert numbers.dtype == np.int8
    assert numbers.tolist() == [
        [
            sum(bool(mines[near]) for near in oracle.neighbours((row, col), *mines.shape))
            for col in range(mines.shape[1])
        ]
        for row in range(mines.shape[0])
    ]


@given(masks)
def test_layout_rows_are_a_board_with_that_layout_only(mines: np.ndarray) -> None:
    board = parse(Layout(mines).rows())
    assert oracle.answer(board).layouts == [frozenset(list_coordinates(mines))]


@given(masks)
def test_layout_total_counts_the_mines(mines: np.ndarray) -> None:
    assert Layout(mines).total == sum(map(sum, mines.tolist()))


@given(masks)
def test_layout_in_column_order_equals_the_layout_in_row_order(mines: np.ndarray) -> None:
    layout, turned = Layout(mines), Layout(np.asfortranarray(mines))
    assert turned == layout
    assert hash(turned) == hash(layout)
    assert turned.rows() == layout.rows()


def test_layout_mines_cannot_be_written() -> None:
    with pytest.raises(ValueError, match="read-only"):
        Layout(np.zeros((1, 1), dtype=bool)).mines[0, 0] = True


def test_layout_attributes_cannot_be_set() -> None:
    layout = Layout(np.zeros((1, 1), dtype=bool))
    with pytest.raises(FrozenInstanceError):
        layout.mines = np.ones((1, 1), dtype=bool)  # type: ignore[misc]


def test_layout_keeps_its_own_copy_of_the_mines() -> None:
    mines = np.zeros((1, 2), dtype=bool)
    layout = Layout(mines)
    mines[0, 0] = True
    assert layout.total == 0


def test_pickled_layout_is_equal_and_immutable() -> None:
    layout = Layout(np.array([[True, False]]))
    again = pickle.loads(pickle.dumps(layout))
    assert again == layout
    assert not again.mines.flags.writeable


def test_layouts_with_the_same_mines_are_equal_and_hash_alike() -> None:
    first, second = Layout(np.array([[1, 0]])), Layout(np.array([[True, False]]))
    assert first == second
    assert len({first, second}) == 1


@pytest.mark.parametrize("other", [Layout(np.array([[0, 1]])), Layout(np.array([[1], [0]])), 1])
def test_layouts_with_other_mines_or_shapes_are_unequal(other: object) -> None:
    assert Layout(np.array([[1, 0]])) != other


@pytest.mark.parametrize(
    ("rows", "mines", "wrong"),
    [
        (["1?"], [[0, 1]], []),
        (["1?"], [[0, 0]], [(0, 0)]),
        (["1?"], [[1, 1]], [(0, 0)]),
        (["0?"], [[1, 0]], [(0, 0)]),
        (["B?"], [[0, 1]], [(0, 0)]),
        (["BS"], [[1, 0]], []),
        (["SB"], [[1, 0]], [(0, 0), (0, 1)]),
        (["F?"], [[0, 1]], []),
        (["F?"], [[1, 0]], []),
        (["1?1", "???", "1?1"], [[0, 0, 0], [0, 1, 0], [0, 0, 0]], []),
        (["1?1", "???", "1?2"], [[0, 0, 0], [0, 1, 0], [0, 0, 0]], [(2, 2)]),
    ],
)
def test_layout_contradictions_are_the_cells_that_it_gets_wrong(
    rows: list[str], mines: list[list[int]], wrong: list[Cell]
) -> None:
    assert Layout(np.array(mines)).list_contradictions(parse(rows)) == wrong


def test_layout_with_a_mine_under_a_clue_contradicts_the_clue() -> None:
    assert Layout(np.array([[1, 1]])).list_contradictions(parse("1?")) == [(0, 0)]


@given(small_boards(side=3), st.data())
def test_fits_board_agrees_with_the_oracle(board: Board, data: st.DataObject) -> None:
    cells = [(row, col) for row in range(board.height) for col in range(board.width)]
    right = oracle.answer(board).layouts
    # Anything at all, or a layout of the board, or one cell beside it.
    mines: Set[Cell] = data.draw(st.sets(st.sampled_from(cells)))
    if right and len(mines) % 2:
        mines = data.draw(st.sampled_from(right)) ^ set(sorted(mines)[:-1][:1])
    layout = layout_of(mines, board.shape)
    assert layout.fits_board(board) == (frozenset(mines) in right)


@given(layout_boards(side=3))
def test_fits_board_compares_the_total_if_given(board: Board) -> None:
    mines = oracle.answer(board).layouts[0]
    layout = layout_of(mines, board.shape)
    assert layout.fits_board(board, len(mines))
    assert not layout.fits_board(board, len(mines) + 1)


def test_fits_board_takes_zero_as_a_total() -> None:
    assert not Layout(np.array([[0, 1]])).fits_board(parse("1?"), 0)


@pytest.mark.parametrize("rows", [["?"], ["??", "??"], ["?", "?"]])
def test_list_contradictions_rejects_a_board_of_another_shape(rows: list[str]) -> None:
    with pytest.raises(ValueError, match="compared with"):
        Layout(np.array([[0, 1]])).list_contradictions(parse(rows))
