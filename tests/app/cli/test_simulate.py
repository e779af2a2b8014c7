"""`minecheck simulate` plays many games with a strategy."""

import json

import pytest

from tests.app.cli.running import one_line, run


@pytest.mark.slow
def test_simulate_command_gives_equal_results_on_all_cores_and_one() -> None:
    found = run("simulate", "--games", "45", "--board", "beginner", "--seed", "5", "--json")
    assert found.exit_code == 0, found.output
    report = json.loads(found.stdout)
    assert report["games"] == 45
    assert report["rate"] == report["won"] / 45
    interval = report["interval"]
    assert 0 < interval["low"] < report["rate"] <= interval["high"] <= 1
    assert report["guess_ms"]["median"] <= report["guess_ms"]["percentile_99"]
    alone = run(
        *("simulate", "--games", "45", "--board", "9x9/10", "--seed", "5", "--json"),
        *("--processes", "1"),
    )
    again = json.loads(alone.stdout)
    assert (again["won"], again["guesses"]) == (report["won"], report["guesses"])


def test_simulate_command_prints_result_in_words() -> None:
    found = run("simulate", "--games", "3", "--board", "3x3/0")
    assert found.stdout.startswith(
        "won 3 of 3 games: 100.00% (between 43.85% and 100.00% with 95% confidence)\n0.00 guesses"
    )


@pytest.mark.parametrize("strategy", ["best", "safest", "random"])
def test_simulate_command_shows_one_game_step_by_step(strategy: str) -> None:
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
    ("options", "message"),
    [
        (("--board", "huge"), '--board: "huge" is not a valid board. Use one of: '),
        (("--board", "9x9/99"), "--board"),
        (("--board", "0x9/0"), "--board"),
        (("--board", "9999x9999/9"), "--board: a board has at most"),
        (("--first", "x"), "--first"),
        (("--first", "16,0"), "--first: The first click is outside"),
        (("--address", "auto"), "--address"),
        (("--random", "3", "3", "9"), "--board"),
    ],
)
def test_simulate_command_names_wrong_options(options: tuple[str, ...], message: str) -> None:
    one_line(run("simulate", *options), message)
