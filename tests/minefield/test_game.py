"""Clicks show numbers, zeros open the cells around them, and a game shows nothing else."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from minecheck.minefield.board import FLAG, MINE, UNKNOWN, Board
from minecheck.minefield.game import Game
from minecheck.minefield.layout import Layout
from minecheck.minefield.notation import draw
from tests.oracle import Cell, neighbours


@st.composite
def games(draw: st.DrawFn) -> Game:
    """Small games with few mines, so that there are openings."""
    height, width = draw(st.integers(1, 6)), draw(st.integers(1, 6))
    first = (draw(st.integers(0, height - 1)), draw(st.integers(0, width - 1)))
    mines = np.zeros((height, width), np.bool_)
    for _ in range(draw(st.integers(0, 6))):
        mines[draw(st.integers(0, height - 1)), draw(st.integers(0, width - 1))] = True
    mines[first] = False
    return Game(Layout(mines), first)


def shown_after(game: Game, clicks: list[Cell]) -> dict[Cell, int]:
    """The number of each cell that the clicks show, in plain Python."""
    height, width = game.layout.mines.shape
    shown: dict[Cell, int] = {}
    waiting = list(clicks)
    while waiting:
        cell = waiting.pop()
        if cell in shown:
            continue
        near = neighbours(cell, height, width)
        shown[cell] = sum(bool(game.layout.mines[other]) for other in near)
        if shown[cell] == 0:
            waiting += near
    return shown


def numbers(board: Board) -> dict[Cell, int]:
    rows = board.cells.tolist()
    return {
        (row, col): code
        for row, codes in enumerate(rows)
        for col, code in enumerate(codes)
        if code != UNKNOWN
    }


@given(games())
def test_first_click_of_a_game_shows_the_cells_that_a_flood_reaches(game: Game) -> None:
    assert numbers(game.opened) == shown_after(game, [game.first])


@given(games(), st.data())
def test_later_clicks_of_a_game_add_shown_cells(game: Game, data: st.DataObject) -> None:
    safe = [(row, col) for row, col in np.argwhere(~game.layout.mines).tolist()]
    clicks = data.draw(st.lists(st.sampled_from(safe), max_size=4))
    board = game.open_cells(game.opened, clicks)
    assert numbers(board) == shown_after(game, [game.first, *clicks])
    assert game.layout.fits_board(board)
    assert game.is_won(board) == (len(numbers(board)) == len(safe))
    assert game.is_won(game.open_cells(board, safe))


@given(games(), st.data())
def test_game_is_over_when_all_safe_cells_or_a_mine_are_open(
    game: Game, data: st.DataObject
) -> None:
    mines = game.layout.mines
    clicks = data.draw(st.lists(st.sampled_from([*np.ndindex(mines.shape)]), max_size=20))
    shown, hit = shown_after(game, [game.first]), None
    safe = np.count_nonzero(~mines)
    for cell in clicks:
        if len(shown) < safe and hit is None:
            hit = cell if mines[cell] else None
            shown |= {} if mines[cell] else shown_after(game, [cell])
    played = game.replay_clicks(clicks)
    assert numbers(played.board) == shown
    assert (played.won, played.hit) == (len(shown) == safe, hit)
    assert played.over == (played.won or hit is not None)


@given(games())
def test_game_codes_are_mines_or_numbers_of_adjacent_mines(game: Game) -> None:
    for cell, code in np.ndenumerate(game.codes):
        number = sum(bool(game.layout.mines[near]) for near in neighbours(cell, *game.codes.shape))
        assert code == (MINE if game.layout.mines[cell] else number)


def test_game_on_a_large_board_without_mines_opens_all_cells() -> None:
    game = Game(Layout(np.zeros((300, 200), np.bool_)), (299, 0))
    assert not game.opened.cells.any()
    assert game.is_won(game.opened)


def test_opening_of_a_game_stops_at_flags_and_a_click_opens_a_flag() -> None:
    game = Game(Layout(np.array([[False, False, False, False, True]])), (0, 0))
    flagged = Board(np.array([[UNKNOWN, UNKNOWN, FLAG, UNKNOWN, UNKNOWN]]))
    assert draw(game.open_cells(flagged, [(0, 0)])) == ["00F??"]
    assert draw(game.open_cells(flagged, [(0, 2)])) == ["0001?"]


def test_opening_cells_does_not_change_the_given_board() -> None:
    game = Game(Layout(np.array([[False, False, True]])), (0, 0))
    before = game.unseen
    game.open_cells(before, [(0, 1)])
    assert draw(before) == ["???"]


@pytest.mark.parametrize("first", [(0, 1), (1, 0), (0, -1), (0, 2)])
def test_game_rejects_a_first_click_on_a_mine_or_outside_the_board(first: Cell) -> None:
    with pytest.raises(ValueError, match=r"mine at row 0|outside the board"):
        Game(Layout(np.array([[False, True]])), first)


def test_game_rejects_a_board_of_another_shape() -> None:
    game = Game(Layout(np.array([[False, True]])), (0, 0))
    with pytest.raises(ValueError, match="cannot be played on"):
        game.open_cells(Board(np.array([[UNKNOWN]])), [])


def test_games_can_be_compared_and_pickled() -> None:
    game = Game(Layout(np.array([[False, True]])), (0, 0))
    assert pickle.loads(pickle.dumps(game)) == game
    assert game != Game(Layout(np.array([[False, False]])), (0, 0))
