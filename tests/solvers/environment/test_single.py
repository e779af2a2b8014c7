"""The environment for one game."""

from typing import Any

import gymnasium
import numpy as np
import pytest

from minecheck.minefield.board import UNKNOWN
from minecheck.solvers import QuestionError
from minecheck.solvers.environment.single import MinesweeperEnv
from minecheck.solvers.environment.vector import MinesweeperVectorEnv


def replay(environment: MinesweeperEnv, seed: int) -> list[Any]:
    """Return all that is shown in three games of first legal cells."""
    found: list[Any] = []
    for game in range(3):
        board, info = environment.reset(seed=seed if game == 0 else None)
        over = False
        while not over:
            found += [board.tolist(), info["game_seed"], info["chances"].tolist()]
            cell = np.flatnonzero(info["action_mask"])[0]
            board, reward, lost_or_won, cut, info = environment.step(cell)
            found += [reward, lost_or_won, cut, info["won"]]
            over = lost_or_won or cut
    return found


def test_environment_gives_equal_games_for_equal_seeds() -> None:
    first = replay(MinesweeperEnv(), 5)
    assert replay(MinesweeperEnv(), 5) == first
    assert replay(MinesweeperEnv(), 6) != first


def test_environment_reset_without_a_seed_begins_the_game_of_the_next_seed() -> None:
    environment = MinesweeperEnv()
    environment.reset(seed=8)
    second, info = environment.reset()
    assert info["game_seed"] == 9
    assert np.array_equal(second, environment.reset(seed=9)[0])


def test_environment_mask_allows_exactly_the_hidden_cells() -> None:
    environment = MinesweeperEnv()
    board, info = environment.reset(seed=2)
    assert info["action_mask"].tolist() == (board == UNKNOWN).ravel().tolist()
    environment.action_space.seed(0)
    for _ in range(20):
        action = environment.action_space.sample(info["action_mask"])
        assert board.ravel()[action] == UNKNOWN


def test_environment_can_omit_chances() -> None:
    environment = MinesweeperEnv(exact=False)
    _, info = environment.reset(seed=2)
    assert set(info) == {"action_mask", "game_seed"}
    *_, info = environment.step(np.flatnonzero(info["action_mask"])[0])
    assert set(info) == {"action_mask", "game_seed", "won", "illegal"}


def test_environment_rejects_a_step_after_the_end() -> None:
    environment = MinesweeperEnv(mines=1)
    with pytest.raises(gymnasium.error.ResetNeeded):
        environment.step(np.int64(0))
    _, info = environment.reset(seed=0)
    over = False
    while not over:
        safest = np.where(info["action_mask"], info["chances"].ravel(), 2).argmin()
        _, _, over, _, info = environment.step(safest)
    assert info["won"]
    with pytest.raises(gymnasium.error.ResetNeeded):
        environment.step(np.int64(0))


@pytest.mark.parametrize("action", [-1, 81, 1.5])
def test_environment_rejects_an_action_that_is_not_a_cell(action: Any) -> None:
    environment = MinesweeperEnv()
    environment.reset(seed=0)
    with pytest.raises(ValueError, match="send 0 to 80"):
        environment.step(action)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"render_mode": "human"}, "Use one of: ansi, rgb_array"),
        ({"shape": "sphere"}, "'sphere' is not a valid shape. Use one of: rectangle, torus, "),
        ({"reward": "speed"}, "'speed' is not a valid reward. Use one of: outcome, chance."),
        (
            {"guarantee": "luck"},
            "'luck' is not a valid guarantee. Use one of: random, opening, guess-free",
        ),
    ],
)
def test_environment_rejects_invalid_arguments(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        MinesweeperEnv(**arguments)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"rows": "9"}, "rows has to be a whole number, not '9'"),
        ({"cols": 2.5}, "cols has to be a whole number, not 2.5"),
        ({"mines": True}, "mines has to be a whole number, not True"),
        ({"first": 5}, r"first has to be \(row, col\), both from 0, or None, not 5"),
        ({"first": "3,3"}, r"first has to be \(row, col\)"),
    ],
)
def test_environment_names_argument_of_wrong_type(arguments: dict[str, Any], message: str) -> None:
    for kind in (MinesweeperEnv, MinesweeperVectorEnv):
        with pytest.raises(TypeError, match=message):
            kind(**arguments)


def test_environment_rejects_more_mines_than_there_is_room_for() -> None:
    with pytest.raises(QuestionError, match="There is room for 0 to 72 mines"):
        MinesweeperEnv(mines=80)


def test_environment_frames_show_the_board() -> None:
    environment = MinesweeperEnv(render_mode="ansi")
    board, _ = environment.reset(seed=0)
    text = environment.render()
    assert text.count("?") == np.count_nonzero(board == UNKNOWN)
    assert MinesweeperEnv().render() is None
