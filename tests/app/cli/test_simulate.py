"""The command that plays many games with a strategy."""

import json

import pytest

from tests.app.cli.running import one_line, run


def test_games_are_played_on_all_cores() -> None:
    found = run("simulate", "--games", "45", "--board", "beginner", "--seed", "5", "--json")
    assert found.exit_code == 0, found.output
    told = json.loads(found.stdout)
    assert told["games"] == 45
    assert told["rate"] == told["won"] / 45
    interval = told["interval"]
    assert 0 < interval["low"] < told["rate"] <= interval["high"] <= 1
    assert told["guess_ms"]["median"] <= told["guess_ms"]["percentile_99"]
    alone = run(
        *("simulate", "--games", "45", "--board", "9x9/10", "--seed", "5", "--json"),
        *("--processes", "1"),
    )
    again = json.loads(alone.stdout)
    assert (again["won"], again["guesses"]) == (told["won"], told["guesses"])


def test_the_result_is_told_in_words() -> None:
    found = run("simulate", "--games", "3", "--board", "3x3/0")
    assert found.stdout.startswith(
        "won 3 of 3 games: 100.00% (between 43.85% and 100.00% with 95% confidence)\n0.00 guesses"
    )


@pytest.mark.parametrize("strategy", ["best", "safest", "random"])
def test_one_game_is_shown_step_by_step(strategy: str) -> None:
    options = ("--strategy", strategy, "--seed", "3", "--start", "safe")
    found = run("simulate", "--random", "6", "4", "5", *options)
    assert found.exit_code == 0
    lines = found.stdout.splitlines()
    assert lines[:2] == ["seed 3", "the first click: row 2 column 3"]
    assert [len(line) for line in lines[2:6]] == [8] * 4
    assert {"won", "lost"} & set(lines)
    if "lost" in lines:
        assert sum(line.count("B") for line in lines[lines.index("lost") :]) == 5


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--board", "huge"), "--board: 'huge' is none of"),
        (("--board", "9x9/99"), "--board"),
        (("--board", "0x9/0"), "--board"),
        (("--board", "9999x9999/9"), "--board: a board has at most"),
        (("--first", "x"), "--first"),
        (("--first", "16,0"), "--first: The first click is outside"),
        (("--address", "auto"), "--address"),
        (("--random", "3", "3", "9"), "--board"),
    ],
)
def test_bad_options_are_named(options: tuple[str, ...], said: str) -> None:
    one_line(run("simulate", *options), said)
