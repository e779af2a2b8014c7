"""Players are judged by the exact chances, whatever they do."""

from collections.abc import Iterator
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from minecheck.minefield.board import Board
from minecheck.minefield.game import Game
from minecheck.minefield.layout import Layout
from minecheck.solvers.games.evaluation import (
    GameEnd,
    PlayerFaultError,
    evaluate_game,
    evaluate_games,
)
from minecheck.solvers.games.generator import Guarantee
from minecheck.solvers.games.players import PLAYERS, make_player
from minecheck.solvers.games.series import Series, compute_wilson_interval, play_games
from minecheck.solvers.games.strategy import Strategy
from tests import oracle

BEGINNER = Series(9, 9, 10, Guarantee.OPENING, (3, 3))
#: A 1 in the middle of a row of three: one of its neighbours is a mine.
COIN = Game(Layout(np.array([[True, False, False]])), (0, 1))


class Scripted:
    """Opens cells of a list, and then fails."""

    def __init__(self, *cells: tuple[int, int]) -> None:
        self._cells = iter(cells)

    def begin_game(self) -> None:
        pass

    def choose_cell(self, board: Board, mines: int) -> tuple[int, int]:
        for cell in self._cells:
            return cell
        raise PlayerFaultError(GameEnd.LATE)


def test_evaluation_charges_nothing_for_a_guess_among_equal_chances() -> None:
    won = evaluate_game(COIN, Scripted((0, 2)))
    assert (won.outcome, won.moves, won.guesses, won.unproved) == (GameEnd.WON, 1, 1, 0)
    assert won.thrown == pytest.approx(0.0)
    lost = evaluate_game(COIN, Scripted((0, 0)))
    assert (lost.outcome, lost.moves) == (GameEnd.MINE, 1)
    assert lost.thrown == pytest.approx(0.0)


def test_evaluation_charges_an_unproved_guess_beside_a_proved_cell() -> None:
    # ?1??: the mine is at (0, 0) or (0, 2), so (0, 3) is proved safe. It shows whether (0, 2) is.
    mines = np.array([[True, False, False, False]])
    found = evaluate_game(Game(Layout(mines), (0, 1)), Scripted((0, 2), (0, 3)))
    assert (found.outcome, found.guesses, found.unproved) == (GameEnd.WON, 1, 1)
    assert found.thrown == pytest.approx(1 / 2)
    proved = evaluate_game(Game(Layout(mines), (0, 1)), Scripted((0, 3), (0, 2)))
    assert (proved.outcome, proved.guesses) == (GameEnd.WON, 0)


@given(seed=st.integers(0, 500))
def test_evaluation_of_thrown_chances_agrees_with_all_layouts(seed: int) -> None:
    game = Series(4, 4, 4, Guarantee.RANDOM, (0, 0), seed).deal_game(0)
    player = make_player("random", seed)
    board, guesses, unproved, thrown = game.opened, 0, 0, Fraction(0)
    while not game.is_won(board):
        cell = player.choose_cell(board, 4)
        layouts = oracle.answer(board, 4).layouts
        unknown = [(int(row), int(col)) for row, col in np.argwhere(board.unknown)]
        chances = {
            one: Fraction(sum(one in layout for layout in layouts), len(layouts)) for one in unknown
        }
        least = min(chances.values())
        guesses += chances[cell] > 0
        unproved += chances[cell] > least == 0
        thrown += chances[cell] - least
        if game.layout.mines[cell]:
            break
        board = game.open_cells(board, [cell])
    found = evaluate_game(game, make_player("random", seed))
    assert (found.guesses, found.unproved, found.unjudged) == (guesses, unproved, 0)
    assert found.thrown == pytest.approx(float(thrown))


@pytest.mark.parametrize("cell", [(0, 1), (-1, 0), (0, 3), (1, 0), (10**9, 0)])
def test_evaluation_calls_a_click_on_an_open_or_outside_cell_illegal(cell: tuple[int, int]) -> None:
    found = evaluate_game(COIN, Scripted(cell))
    assert (found.outcome, found.moves) == (GameEnd.ILLEGAL, 0)


def test_evaluation_ends_only_the_game_of_a_fault() -> None:
    results = evaluate_games(BEGINNER, range(3), Scripted())
    assert [one.outcome for one in results] == [GameEnd.LATE] * 3


@pytest.mark.parametrize("name", ["safest", "best"])
def test_evaluation_gives_players_of_simulate_equal_wins(name: str) -> None:
    series = Series(9, 9, 10, Guarantee.RANDOM, (0, 0))
    results = evaluate_games(series, range(20), make_player(name))
    tally = play_games(series, Strategy(name), range(20))
    assert sum(one.outcome is GameEnd.WON for one in results) == tally.won
    assert not any(one.unproved for one in results)
    if name == "safest":
        assert sum(one.thrown for one in results) == pytest.approx(0.0)


@pytest.mark.parametrize("name", PLAYERS)
def test_shipped_players_make_legal_and_repeatable_moves(name: str) -> None:
    def play() -> Iterator[tuple[GameEnd, int, bytes]]:
        for one in evaluate_games(BEGINNER, range(5), make_player(name, 7)):
            yield one.outcome, one.moves, one.digest

    found = list(play())
    assert {outcome for outcome, _, _ in found} <= {GameEnd.WON, GameEnd.MINE}
    assert found == list(play())


def test_make_player_rejects_an_unknown_player() -> None:
    with pytest.raises(ValueError, match="no player 'expert'"):
        make_player("expert")


def test_evaluation_boards_of_a_seed_have_a_fixed_digest() -> None:
    (found,) = evaluate_games(BEGINNER, [0], make_player("safest"))
    assert found.digest.hex().startswith("5a12b1c59545627f")


def test_wilson_interval_has_the_known_bounds() -> None:
    # E. B. Wilson's formula with z = 1.96, worked out by hand for 5 of 10.
    low, high = compute_wilson_interval(5, 10)
    assert low == pytest.approx(0.2366, abs=1e-4)
    assert high == pytest.approx(0.7634, abs=1e-4)
    assert compute_wilson_interval(0, 1)[0] == 0.0
