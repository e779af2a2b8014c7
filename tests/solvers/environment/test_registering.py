"""Environments by name, judged by Gymnasium's own checker, which may not warn."""

import doctest
import subprocess
import sys

import gymnasium
import pytest
from gymnasium.utils.env_checker import check_env

import minecheck.env
from minecheck.solvers.environment.registering import ENVIRONMENTS


@pytest.mark.parametrize("name", ENVIRONMENTS)
@pytest.mark.parametrize("mode", ["ansi", "rgb_array"])
def test_gymnasium_checker_accepts_each_environment_without_a_warning(
    name: str, mode: str, capsys: pytest.CaptureFixture[str]
) -> None:
    environment = gymnasium.make(name, render_mode=mode)
    check_env(environment.unwrapped)
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_gymnasium_makes_each_environment_for_many_games(name: str) -> None:
    environments = gymnasium.make_vec(name, num_envs=2)
    assert isinstance(environments, minecheck.env.MinesweeperVectorEnv)
    boards, _ = environments.reset(seed=0)
    assert boards in environments.observation_space


def test_environment_module_example_runs() -> None:
    results = doctest.testmod(minecheck.env)
    assert (results.failed, results.attempted) == (0, 4)


def test_environment_module_has_each_public_name() -> None:
    for name in minecheck.env.__all__:
        assert getattr(minecheck.env, name).__doc__
    with pytest.raises(AttributeError, match="no attribute 'solve'"):
        _ = minecheck.env.solve


def test_environment_module_without_gymnasium_says_what_to_install() -> None:
    code = """
import importlib.util
found = importlib.util.find_spec
importlib.util.find_spec = lambda name, *rest: None if name == "gymnasium" else found(name, *rest)
import sys, minecheck.env
print(minecheck.env.parse_move("ANSWER: 1,2"), "gymnasium" in sys.modules)
try:
    minecheck.env.MinesweeperEnv
except ModuleNotFoundError as error:
    print(error)
"""
    ended = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert ended.stdout.splitlines() == [
        "(1, 2) False",
        "MinesweeperEnv needs Gymnasium: pip install 'minecheck[env]'",
    ]
