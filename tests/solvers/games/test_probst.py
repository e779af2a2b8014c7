"""Probst's algorithm: what it proves is true, and it proves what his README says."""

import pytest
from hypothesis import given

from minecheck.minefield.board import Board
from minecheck.minefield.notation import parse
from minecheck.solvers.games.probst import ProbstPlayer, bound_sets
from tests import oracle
from tests.boards import layout_boards, random_boards


def read_sets(board: Board) -> dict[frozenset[tuple[int, int]], tuple[int, int]]:
    cells, sets = bound_sets(board)
    return {
        frozenset(cell for bit, cell in enumerate(cells) if one >> bit & 1): bounds
        for one, bounds in sets.items()
    }


@given(board=layout_boards(4))
def test_probst_bounds_hold_in_every_layout(board: Board) -> None:
    layouts = oracle.answer(board).layouts
    for cells, (low, high) in read_sets(board).items():
        assert all(low <= len(cells & layout) <= high for layout in layouts)


@given(board=random_boards(4))
def test_probst_bounds_of_an_inconsistent_board_terminate(board: Board) -> None:
    bound_sets(board)


def test_probst_bounds_find_the_mine_of_the_readme() -> None:
    found = read_sets(parse(["B33B", "???B"]))
    assert found[frozenset({(1, 0), (1, 1), (1, 2)})] == (2, 2)
    assert found[frozenset({(1, 1), (1, 2)})] == (1, 1)
    assert found[frozenset({(1, 0)})] == (1, 1)


def test_probst_player_opens_all_proved_cells_first() -> None:
    board = parse(["11?", "???"])
    player = ProbstPlayer()
    assert {player.choose_cell(board, 1), player.choose_cell(board, 1)} == {(0, 2), (1, 2)}


def test_probst_player_forgets_proved_cells_of_the_last_game() -> None:
    player = ProbstPlayer()
    player.choose_cell(parse(["11?", "???"]), 1)
    player.begin_game()
    assert player.choose_cell(parse(["?1?", "?10"]), 1) == (0, 2)


@pytest.mark.parametrize(
    ("rows", "mines", "cell"),
    [
        # Beside the clue one cell in three, elsewhere one in four.
        (["1???", "????"], 2, (0, 2)),
        # Nothing is known: the first cell.
        (["??"], 1, (0, 0)),
    ],
)
def test_probst_player_guesses_the_least_likely_mine_by_bounds(
    rows: list[str], mines: int, cell: tuple[int, int]
) -> None:
    assert ProbstPlayer().choose_cell(parse(rows), mines) == cell
