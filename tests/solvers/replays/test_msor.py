"""Replays of JSMinesweeper's format are read as they were played; damaged ones are rejected."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minecheck.solvers.replays.reading import Replay, ReplayError, find_format, read_replay
from tests.examples import examples

#: The layout B1., 11. with its numbers: B10 / 110.
OPENED = [[0, 1, 1], [0, 2, 0], [1, 1, 1], [1, 2, 0], [1, 0, 1]]


def click(kind: int, row: int, col: int, time: float, *changes: list[int]) -> dict[str, Any]:
    """A step of the file; changes are row, column and what is shown."""
    touched = [number for at, to, shown in changes for number in (to, at, shown, 0, 0)]
    return {"type": kind, "x": col, "y": row, "time": time, "touchCells": touched}


def write_msor(*steps: Any, **header: Any) -> bytes:
    shape = {"width": 3, "height": 2, "mines": 1, **header}
    return json.dumps({"header": shape, "replay": steps}).encode()


WON = write_msor(
    click(0, 0, 2, 0, *OPENED[:4]),
    click(1, 0, 0, 400),
    click(3, 1, 1, 1250, OPENED[4]),
)


def read(content: bytes) -> Replay:
    assert find_format(content) == "msor"
    return read_replay(content, "msor")


def test_msor_of_a_won_game_has_the_mines_on_its_closed_cells() -> None:
    replay = read(WON)
    assert (replay.result, replay.seconds, replay.level) == ("won", 1.25, "custom")
    assert replay.layout.rows() == ["B10", "110"]
    assert [(one.kind, one.cell, one.time) for one in replay.clicks] == [
        ("open", (0, 2), 0.0),
        ("flag", (0, 0), 0.4),
        ("chord", (1, 1), 1.25),
    ]
    assert [len(one.opened) for one in replay.clicks] == [4, 0, 1]


def test_msor_of_a_lost_game_has_the_mines_that_its_end_shows() -> None:
    # B2B over a row of which the middle is open: one mine was opened, the other is shown.
    replay = read(
        write_msor(
            click(0, 1, 1, 0, [1, 1, 2]),
            click(0, 0, 0, 900, [0, 0, 11], [0, 2, 10]),
            mines=2,
        )
    )
    assert (replay.result, replay.layout.rows()) == ("lost", ["B2B", "121"])
    assert [one.lost for one in replay.clicks] == [False, True]


def test_msor_of_a_lost_game_has_right_flags_as_mines_and_wrong_ones_not() -> None:
    replay = read(
        write_msor(
            click(0, 1, 1, 0, [1, 1, 2]),
            click(1, 0, 2, 100),
            click(1, 1, 2, 200),
            click(1, 0, 1, 210),
            click(1, 0, 1, 220),
            click(0, 0, 0, 900, [0, 0, 11], [1, 2, 12]),
            mines=2,
        )
    )
    assert replay.layout.rows() == ["B2B", "121"]
    assert [one.kind for one in replay.clicks] == ["open", "flag", "flag", "flag", "unflag", "open"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b'{"replay"', "not JSON"),
        (b'{"replay": []}', "it has no header"),
        (b'{"replay": {}, "header": {}}', "it has no replay"),
        (write_msor(width=True), "it has no width"),
        (write_msor(width=10**7), "too large"),
        (write_msor(mines=10**30), "no mines|not JSON"),
        (write_msor(mines=-5), "did not end"),
        (write_msor(mines=6), "did not end|cells of its board are mines"),
        (write_msor(click(0, 0, 2, 0, *OPENED[:3])), "did not end"),
        (write_msor(click(2, 0, 2, 0)), "unknown type 2"),
        (write_msor(click(0, 0, 3, 0)), "off the board"),
        (write_msor(click(0, 0, 2, 0, [-1, 0, 1])), "off the board"),
        (write_msor(click(0, 0, 2, 0, [0, 0, 9])), "unknown number 9"),
        (write_msor({"type": 0, "x": 0, "y": 0, "time": 0, "touchCells": [1, 2]}), "five numbers"),
        (write_msor({"type": 0, "x": 0, "y": 0, "time": "0"}), "it has no time"),
        (write_msor(5), "it has no type"),
        (write_msor(*[click(1, 0, 0, 0)] * 20_001), "too many clicks"),
        (write_msor(click(0, 0, 2, 0, *OPENED[1:], [0, 1, 2])), "numbers that do not fit"),
        (write_msor(click(0, 0, 2, 0, *OPENED, *OPENED)), "cannot be opened"),
        (write_msor(click(0, 0, 2, -5, *OPENED)), "a time that no game can have"),
        (write_msor(click(0, 0, 2, 1e300, *OPENED)), "a time that no game can have"),
    ],
)
def test_msor_that_is_damaged_is_rejected_with_a_reason(content: bytes, message: str) -> None:
    with pytest.raises(ReplayError, match=message):
        read(content)


@examples(200)
@given(
    damage=st.lists(st.tuples(st.integers(0, 600), st.binary(max_size=3)), max_size=4),
    end=st.integers(0, 1000),
)
def test_msor_that_is_damaged_anywhere_is_read_or_rejected(
    damage: list[tuple[int, bytes]], end: int
) -> None:
    content = WON
    for at, text in damage:
        content = content[:at] + text + content[at + 1 :]
    try:
        replay = read_replay(content[:end] if end < 300 else content, "msor")
    except ReplayError:
        return
    opened = [cell for one in replay.clicks for cell in one.opened]
    assert not any(replay.layout.mines[cell] for cell in opened)
