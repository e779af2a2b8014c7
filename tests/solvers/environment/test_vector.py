"""The environment for many games, compared with as many for one game."""

from typing import Any

import gymnasium
import numpy as np
import pytest
from numpy.typing import NDArray

import minecheck.env
from minecheck.minefield.board import UNKNOWN
from minecheck.solvers.environment.vector import MinesweeperVectorEnv


def assert_equal(one: Any, other: Any) -> None:
    if isinstance(one, dict):
        assert set(one) == set(other)
        for name in one:
            assert_equal(one[name], other[name])
    else:
        assert one.tolist() == other.tolist()


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"reward": "chance", "mines": 20},
        {"exact": False, "rows": 5, "cols": 6, "mines": 5},
        {"shape": "hexagonal", "rows": 5, "cols": 5, "mines": 3},
    ],
    ids=str,
)
def test_vector_environment_plays_as_single_environments(arguments: dict[str, Any]) -> None:
    assert minecheck.env.__all__
    games, draws = 3, np.random.default_rng(0)
    many = MinesweeperVectorEnv(games, **arguments)
    single = gymnasium.make_vec(
        "Minesweeper-v0", games, "sync", seed_step=games, disable_env_checker=True, **arguments
    )
    shown: tuple[Any, ...] = many.reset(seed=4)
    expected: tuple[Any, ...] = single.reset(seed=4)
    assert_equal(shown[0], expected[0])
    assert_equal(shown[1], expected[1])
    for step in range(40):
        mask = shown[-1]["action_mask"]
        actions = np.where(mask, draws.random(mask.shape), 0).argmax(axis=1)
        if step % 10 == 9:
            actions[:] = 0
        shown, expected = many.step(actions), single.step(actions)
        for one, other in zip(shown[:4], expected[:4], strict=True):
            assert one.tolist() == other.tolist()
        names = set(expected[-1])
        assert names <= set(shown[-1])
        for name in sorted(names):
            assert_equal(shown[-1][name], expected[-1][name])
    single.close()


def choose_safest(info: dict[str, Any]) -> NDArray[np.int64]:
    chances = info["chances"].reshape(info["action_mask"].shape)
    return np.asarray(np.where(info["action_mask"] == 1, chances, 2).argmin(axis=1))


def test_vector_environment_safest_player_loses_no_chance() -> None:
    many = MinesweeperVectorEnv(8, reward="chance")
    _, info = many.reset(seed=0)
    for _ in range(60):
        _, rewards, _, _, info = many.step(choose_safest(info))
        assert not rewards.any()


def test_vector_environment_deals_no_game_twice() -> None:
    many = MinesweeperVectorEnv(4, exact=False)
    _, info = many.reset(seed=10)
    seeds = info["game_seed"].tolist()
    draws = np.random.default_rng(0)
    over = np.zeros(4, bool)
    for _ in range(40):
        mask = info["action_mask"]
        actions = np.where(mask, draws.random(mask.shape), 0).argmax(axis=1)
        before = over
        _, _, lost_or_won, cut, info = many.step(actions)
        seeds += info["game_seed"][before].tolist()
        over = lost_or_won | cut
    assert len(seeds) > 10
    assert len(set(seeds)) == len(seeds)


def test_vector_environment_does_not_change_returned_arrays_later() -> None:
    many = MinesweeperVectorEnv(2)
    boards, info = many.reset(seed=0)
    before = boards.copy(), info["action_mask"].copy(), info["chances"].copy()
    many.step(choose_safest(info))
    assert all(map(np.array_equal, (boards, info["action_mask"], info["chances"]), before))


def test_vector_environment_reset_begins_all_games_anew() -> None:
    many = MinesweeperVectorEnv(2, render_mode="ansi")
    first, _ = many.reset(seed=3)
    _, info = many.reset()
    assert info["game_seed"].tolist() == [5, 6]
    again, _ = many.reset(seed=3)
    assert np.array_equal(first, again)
    frames = many.render()
    assert frames is not None
    assert sum(text.count("?") for text in frames) == np.count_nonzero(again == UNKNOWN)


def test_vector_environment_rejects_wrong_calls() -> None:
    many = MinesweeperVectorEnv(2)
    with pytest.raises(gymnasium.error.ResetNeeded):
        many.step(np.zeros(2, np.int64))
    many.reset(seed=0)
    for actions in ([0], [0, 81], [-1, 0]):
        with pytest.raises(ValueError, match="Send 2 cells, each from 0 to 80"):
            many.step(np.array(actions))
    with pytest.raises(ValueError, match="num_envs=1"):
        MinesweeperVectorEnv(0)
    assert many.render() is None
