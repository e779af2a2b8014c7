"""Games of an environment, refereed by other code: ordinary games, and plain Python."""

from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from minecheck.minefield.board import MINE, UNKNOWN
from minecheck.minefield.game import Game
from minecheck.minefield.topology import Shape, Topology
from minecheck.solvers.environment.dealing import DealtBoards
from minecheck.solvers.environment.games import GameBatch, Reward
from minecheck.solvers.games.generator import Guarantee, generate_board
from minecheck.solvers.games.series import Series, play_games
from minecheck.solvers.games.strategy import Strategy
from tests.examples import examples
from tests.variants import Touch, touching

EVERY = np.ones(1, np.bool_)


def deal(kind: DealtBoards, seed: int) -> Game:
    game = generate_board(kind.make_options(seed)).game
    assert game is not None
    return game


def click(games: GameBatch, cell: int) -> tuple[float, bool, bool]:
    moves = games.make_moves(np.array([cell]), EVERY)
    return float(moves.rewards[0]), bool(moves.lost[0]), bool(moves.won[0])


@given(st.integers(0, 10**6), st.randoms(use_true_random=False))
@examples(50)
def test_game_batch_plays_as_ordinary_games(seed: int, draws: Random) -> None:
    kind = DealtBoards(6, 7, 6)
    games, game = GameBatch(kind, 1, False, Reward.OUTCOME), deal(kind, seed)
    games.begin_all(seed)
    board, over = game.opened, game.is_won(game.opened)
    assert games.cells[0].tolist() == board.cells.ravel().tolist()
    while not over:
        cell = draws.choice(np.flatnonzero(games.legal[0]).tolist())
        coordinates = divmod(cell, kind.cols)
        reward, lost, won = click(games, cell)
        assert lost == game.layout.mines[coordinates]
        if lost:
            assert games.cells[0, cell] == MINE
        else:
            board = game.open_cells(board, [coordinates])
            assert games.cells[0].tolist() == board.cells.ravel().tolist()
            assert won == game.is_won(board)
        assert reward == won - lost
        over = lost or won


def spread(codes: list[list[int]], cell: tuple[int, int], touch: Touch) -> set[tuple[int, int]]:
    """Return the cells that a click opens, in plain Python."""
    cells = [(row, col) for row in range(len(codes)) for col in range(len(codes[0]))]
    opened, waiting = {cell}, [cell]
    while waiting:
        row, col = waiting.pop()
        if codes[row][col] == 0:
            near = {other for other in cells if touch((row, col), other)} - opened
            opened |= near
            waiting += near
    return opened


@given(st.sampled_from(Shape), st.integers(0, 10**6), st.integers(5, 7), st.integers(5, 7))
@examples(50)
def test_game_batch_opening_spreads_to_all_touching_cells(
    shape: Shape, seed: int, rows: int, cols: int
) -> None:
    kind = DealtBoards(rows, cols, 6, shape=shape)
    games = GameBatch(kind, 1, False, Reward.OUTCOME)
    games.begin_all(seed)
    codes = kind.deal(np.array([seed])).reshape(rows, cols).tolist()
    opened = spread(codes, kind.opened_first, touching(Topology(shape), rows, cols))
    shown = games.cells[0].reshape(rows, cols)
    assert {(row, col) for row, col in np.argwhere(shown != UNKNOWN).tolist()} == opened
    assert all(shown[cell] == codes[cell[0]][cell[1]] for cell in opened)


def choose_safest(chances: np.ndarray, legal: np.ndarray, draws: Random) -> int:
    return int(np.where(legal, chances, 1.0).argmin())


def choose_any(chances: np.ndarray, legal: np.ndarray, draws: Random) -> int:
    return int(draws.choice(np.flatnonzero(legal & (chances < 1)).tolist()))


@pytest.mark.parametrize("guarantee", [Guarantee.OPENING, Guarantee.RANDOM])
@pytest.mark.parametrize(
    ("strategy", "choose"), [(Strategy.SAFEST, choose_safest), (Strategy.RANDOM, choose_any)]
)
def test_game_batch_players_win_the_games_that_they_win_in_simulations(
    strategy: Strategy, choose: object, guarantee: Guarantee
) -> None:
    assert callable(choose)
    kind = DealtBoards(9, 9, 12, guarantee)
    series = Series(9, 9, 12, guarantee, kind.opened_first)
    games = GameBatch(kind, 1, True, Reward.OUTCOME)
    assert games.chances is not None
    won = []
    for seed in range(60):
        games.begin_all(seed)
        draws, over = Random(seed), not games.legal.sum() > 12
        won.append(over)
        while not over:
            legal, chances = games.legal[0], games.chances[0]
            proved = np.flatnonzero(legal & (chances == 0))
            cells = proved.tolist() or [choose(chances, legal, draws)]
            for cell in cells:
                if games.cells[0, cell] == UNKNOWN and not over:
                    _, lost, won[-1] = click(games, cell)
                    over = lost or won[-1]
    expected = [play_games(series, strategy, [number]).won == 1 for number in range(60)]
    assert won == expected
    assert 0 < sum(won) < 60


def test_game_batch_click_on_a_shown_cell_is_illegal_and_changes_nothing() -> None:
    games = GameBatch(DealtBoards(5, 5, 3), 1, True, Reward.CHANCE)
    games.begin_all(1)
    assert games.chances is not None
    before, chances = games.cells.copy(), games.chances.copy()
    moves = games.make_moves(np.array([3 * 5 + 3]), EVERY)
    assert moves.illegal[0]
    assert moves.rewards[0] == -1
    assert np.array_equal(games.cells, before)
    assert np.array_equal(games.chances, chances)


def test_game_batch_truncates_a_game_after_many_illegal_moves() -> None:
    games = GameBatch(DealtBoards(5, 5, 3), 1, False, Reward.OUTCOME)
    games.begin_all(1)
    cut = [bool(games.make_moves(np.array([18]), EVERY).truncated[0]) for _ in range(25)]
    assert cut == [False] * 24 + [True]


def test_game_batch_game_that_the_first_click_wins_is_won_by_any_move() -> None:
    games = GameBatch(DealtBoards(5, 5, 0), 1, True, Reward.OUTCOME)
    games.begin_all(0)
    assert not games.legal.any()
    assert click(games, 7) == (1, False, True)


def test_game_batch_rewards_moves_by_the_chances_before_the_move() -> None:
    games = GameBatch(DealtBoards(9, 9, 10), 1, True, Reward.CHANCE)
    games.begin_all(3)
    assert games.chances is not None
    chances, legal = games.chances[0].copy(), games.legal[0].copy()
    worst = int(np.where(legal, chances, -1).argmax())
    moves = games.make_moves(np.array([worst]), EVERY)
    assert moves.mine_chance is not None
    assert moves.chance_lost is not None
    assert moves.had_proved_cell is not None
    assert moves.mine_chance[0] == chances[worst]
    assert moves.chance_lost[0] == chances[worst] - chances[legal].min()
    assert moves.rewards[0] == -moves.chance_lost[0]
    assert moves.had_proved_cell[0] == (chances[legal].min() == 0)


def test_game_batch_rejects_the_chance_reward_without_chances() -> None:
    with pytest.raises(ValueError, match="needs exact chances"):
        GameBatch(DealtBoards(5, 5, 3), 1, False, Reward.CHANCE)
