"""Games played to their end, refereed by plain Python."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from minecheck.minefield.game import Game
from minecheck.minefield.layout import Layout
from minecheck.solvers.games import strategy
from minecheck.solvers.games.generator import Guarantee
from minecheck.solvers.games.series import Series, compute_wilson_interval, play_games
from minecheck.solvers.games.strategy import Player, Strategy
from tests import oracle
from tests.examples import examples
from tests.solvers.games.strategies import games


@given(games(4), st.sampled_from(Strategy))
@examples(80)
def test_player_opens_proved_cells_and_guesses_only_without_any(
    game: Game, strategy: Strategy
) -> None:
    board, over = game.opened, False
    for turn in Player(strategy).iterate_turns(game):
        assert not over
        assert np.array_equal(turn.board.cells, board.cells)
        known = oracle.answer(board, game.layout.total)
        if known.forced_safe:
            assert not turn.guessed
            assert set(turn.cells) == set(known.forced_safe)
        else:
            (cell,) = turn.cells
            hits = sum(cell in layout for layout in known.layouts)
            assert turn.mine == pytest.approx(hits / len(known.layouts))
            assert 0 < turn.mine < 1
        over = any(game.layout.mines[cell] for cell in turn.cells)
        board = board if over else game.open_cells(board, turn.cells)
    assert over != game.is_won(board)


@given(games(4))
@examples(40)
def test_safest_player_opens_the_cell_least_likely_a_mine(game: Game) -> None:
    for turn in Player(Strategy.SAFEST).iterate_turns(game):
        layouts = oracle.answer(turn.board, game.layout.total).layouts
        closed = map(tuple, np.argwhere(turn.board.cells > 8).tolist())
        hits = [sum(cell in layout for layout in layouts) for cell in closed]
        assert turn.mine == pytest.approx(min(hits) / len(layouts))


def test_player_plays_positions_that_are_not_ordinary(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(strategy, "solve_position", lambda board, mines: None)
    game = Series(5, 5, 4, Guarantee.OPENING, (0, 0), 3).deal_game(0)
    turns = list(Player(Strategy.BEST).iterate_turns(game))
    assert turns
    proved = [cell for turn in turns if not turn.guessed for cell in turn.cells]
    assert not any(game.layout.mines[cell] for cell in proved)


BEGINNERS = Series(9, 9, 10, Guarantee.OPENING, (3, 3), 7)


def test_play_games_gives_equal_results_in_parts() -> None:
    whole = play_games(BEGINNERS, Strategy.RANDOM, range(12))
    first = play_games(BEGINNERS, Strategy.RANDOM, range(5))
    parts = first + play_games(BEGINNERS, Strategy.RANDOM, range(5, 12))
    assert (whole.games, whole.won, whole.guesses) == (parts.games, parts.won, parts.guesses)
    assert whole.games == 12


def test_best_strategy_wins_more_games_than_random() -> None:
    won = {
        strategy: play_games(BEGINNERS, strategy, range(150)).won
        for strategy in (Strategy.RANDOM, Strategy.BEST)
    }
    assert won[Strategy.BEST] > won[Strategy.RANDOM]


def test_play_games_counts_games_that_the_first_click_wins() -> None:
    tally = play_games(Series(3, 3, 0, Guarantee.RANDOM, (0, 0)), Strategy.BEST, range(3))
    assert (tally.games, tally.won, tally.guesses) == (3, 3, 0)


@pytest.mark.parametrize(("games", "won"), [(10, 5), (1000, 543), (40, 40), (7, 0)])
def test_confidence_interval_ends_are_1_96_deviations_from_the_rate(games: int, won: int) -> None:
    low, high = compute_wilson_interval(won, games)
    assert 0 <= low <= won / games <= high <= 1
    for rate in (low, high):
        deviation = (rate * (1 - rate) / games) ** 0.5
        assert abs(rate - won / games) == pytest.approx(1.959964 * deviation, abs=1e-6)


def test_series_gives_each_game_a_different_seed() -> None:
    assert BEGINNERS.deal_game(1).layout != BEGINNERS.deal_game(2).layout
    assert BEGINNERS.deal_game(1).layout == replace(BEGINNERS, seed=8).deal_game(0).layout


def test_player_ends_a_lost_game_with_the_mine() -> None:
    # One of two cells is a mine, and the first one is guessed.
    game = Game(Layout(np.array([[True, False, False], [False, False, False]])), (0, 2))
    (turn,) = Player(Strategy.SAFEST).iterate_turns(game)
    assert (turn.cells, turn.mine) == ([(0, 0)], 0.5)
