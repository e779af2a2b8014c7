"""RAWVF is read as ms_toollib plays the same events; damaged files are rejected."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from random import Random
from typing import Any

import ms_toollib
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from minecheck.minefield.layout import Layout
from minecheck.solvers.deadline import Deadline, DeadlinePassed
from minecheck.solvers.replays.mouse import MouseEvent, MousePlay
from minecheck.solvers.replays.reading import Replay, ReplayError, find_format, read_replay
from tests.examples import examples

ROWS = ["*000", "0000", "*000"]
#: An opening, both flags, and a chord that wins.
WON = (
    "0.00 lc 4 2 (56 24)",
    "0.10 lr 4 2 (56 24)",
    "number0 4 2",
    "0.50 mv 1 1 (8 8)",
    "1.00 rc 1 1 (8 8) (r)",
    "1.10 rr 1 1 (8 8)",
    "flag 1 1",
    "1.20 rc 1 3 (8 40)",
    "1.30 rr 1 3 (8 40)",
    "1.40 lc 2 2 (24 24)",
    "1.50 rc 2 2 (24 24)",
    "1.70 rr 2 2 (24 24)",
    "1.80 lr 2 2 (24 24)",
    "1.80 won",
)


def write_rawvf(
    events: Iterable[str] = WON, rows: Sequence[str] = ROWS, **options: object
) -> bytes:
    """A file with these events; options are lines before the board."""
    given = {"Program": "Any", "Version": "1.2", "Player": "Ann", "Time": "1.70", **options}
    lines = [f"{name}: {value}" for name, value in given.items()]
    return "\n".join(["RawVF_Version: Rev6", *lines, "Board:", *rows, "Events:", *events]).encode()


def read(content: bytes) -> Replay:
    assert find_format(content) == "rawvf"
    return read_replay(content, "rawvf")


def test_rawvf_is_read_as_it_was_played() -> None:
    replay = read(write_rawvf(Status="Won", Timestamp="2020-02-09 10:11:12", Width=4, Mines=2))
    assert (replay.player, replay.program, replay.result) == ("Ann", "Any 1.2", "won")
    assert replay.layout.rows() == ["B100", "2200", "B100"]
    assert (replay.seconds, replay.level) == (1.7, "custom")
    assert replay.started == datetime(2020, 2, 9, 10, 11, 12, tzinfo=UTC)
    assert [(click.kind, click.cell, click.time) for click in replay.clicks] == [
        ("open", (1, 3), 0.1),
        ("flag", (0, 0), 1.0),
        ("flag", (2, 0), 1.2),
        ("chord", (1, 1), 1.7),
    ]
    assert [len(click.opened) for click in replay.clicks] == [9, 0, 0, 1]


@pytest.mark.parametrize("sign", ["\ufeffRawVF_Version: 6\n", "\r\nrawvf_version : Rev5\r\n"])
def test_rawvf_is_recognised_and_read_with_other_ends_of_lines(sign: str) -> None:
    content = write_rawvf().decode().partition("\n")[2].replace("\n", "\r\n")
    replay = read((sign + content).encode())
    assert (replay.player, replay.result, replay.started) == ("Ann", "won", None)


@pytest.mark.parametrize(
    ("options", "events", "kinds"),
    [
        ({}, ["mc", "mr"], ["chord"]),
        ({}, ["sc", "lr"], ["chord"]),
        ({}, ["lc", "lr"], ["open"]),
        ({"SuperClick": "On"}, ["lc", "lr"], ["chord"]),
        # The button that was held on does nothing, and neither do events that no press began.
        ({}, ["rc", "lc", "lr", "rr"], ["flag", "chord"]),
        ({}, ["lr", "rr", "mr"], []),
    ],
)
def test_rawvf_buttons_make_clicks(
    options: dict[str, str], events: list[str], kinds: list[str]
) -> None:
    # The cell in row 1 and column 1 is open, as the first click has opened it.
    lines = [*WON[:2], *(f"2.0 {event} 2 2 (24 24)" for event in events)]
    replay = read(write_rawvf(lines, **options))
    assert [click.kind for click in replay.clicks[1:]] == kinds


def test_rawvf_flags_become_marks_that_can_be_opened() -> None:
    right = [f"1.0 {event} 1 2 (8 24)" for event in ("rc", "rr")]
    left = [f"1.0 {event} 1 2 (8 24)" for event in ("lc", "lr")]
    replay = read(write_rawvf([*WON[:2], *right, *left, *right, *left], Marks="On"))
    assert [click.kind for click in replay.clicks] == ["open", "flag", "open", "unflag", "open"]
    assert [len(click.opened) for click in replay.clicks] == [9, 0, 0, 0, 1]


def test_rawvf_pixels_are_those_of_the_named_size_and_early_times_are_zero() -> None:
    lines = ["-1.50 rc 1 1 (10 10)", "-1.40 rr 1 1 (10 10)"]
    lines += [
        "0.0 lc 3 2 (60 40)",
        "0.1 lr 3 2 (60 40)",
        "0.2 lc 9 9 (-5 900)",
        "0.2 lr 9 9 (-5 900)",
    ]
    replay = read(write_rawvf(lines, SquareSize=24))
    assert [(click.kind, click.cell, click.time) for click in replay.clicks] == [
        ("flag", (0, 0), 0.0),
        ("open", (1, 2), 0.1),
    ]


def test_rawvf_click_on_a_mine_loses() -> None:
    lines = [*WON[:2], "2.0 lc 1 1 (8 8)", "2.1 lr 1 1 (8 8)"]
    replay = read(write_rawvf(lines, Status="loss"))
    assert [click.lost for click in replay.clicks] == [False, True]
    assert replay.result == "lost"


@pytest.mark.parametrize("seed", range(40))
def test_mouse_plays_as_ms_toollib_does(seed: int) -> None:
    """Random presses, releases and moves have the same effect after each of them."""
    draws = Random(seed)
    mines = np.array([[draws.random() < 0.2 for _ in range(5)] for _ in range(4)])
    mines[0, 0] = False
    numbers = ms_toollib.cal_board_numbers(np.where(mines, -1, 0).tolist())
    theirs: Any = ms_toollib.BaseVideo(numbers, 16)
    theirs.mode = 0
    ours = MousePlay(Layout(mines), has_marks=False, left_is_chord=False)
    opened, flags = np.zeros(mines.shape, np.bool_), np.zeros(mines.shape, np.bool_)
    held: set[str] = set()
    row = col = 0
    for turn in range(60):
        button = "l" if turn < 2 else draws.choice("lr")
        if turn > 1 and draws.random() < 0.5:
            row, col = draws.randrange(4), draws.randrange(5)
            theirs.step("mv", (row * 16 + 8, col * 16 + 8))
        held ^= {button}
        event = button + ("c" if button in held else "r")
        theirs.step(event, (row * 16 + 8, col * 16 + 8))
        click = ours.handle(MouseEvent(event), (row, col))
        for field, cells, value in (
            ("opened", opened, True),
            ("flagged", flags, True),
            ("unflagged", flags, False),
        ):
            for cell in click[field] if click else ():
                cells[tuple(cell)] = value
        shown = np.array(theirs.game_board)
        if click and click["lost"]:
            assert (shown > 11).any()
            return
        assert np.array_equal(opened, shown <= 8)
        if opened.sum() == mines.size - mines.sum():
            return
        assert np.array_equal(flags, shown == 11)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"RawVF_Version: Rev5", "no line Board:"),
        (b"RawVF_Version: Rev5\nBoard:\n*0", "no line Events:"),
        (write_rawvf(rows=[]), "rows of its board"),
        (write_rawvf(rows=["*0", "0"]), "rows of its board"),
        (write_rawvf(rows=["*x"]), "rows of its board"),
        (write_rawvf(rows=["0" * 10_001]), "too large"),
        (write_rawvf(rows=["**"]), "all cells of its board are mines"),
        (write_rawvf(Mines=3), "does not have the mines that it names"),
        (write_rawvf(Width="9" * 5000), "its width is not a number"),
        (write_rawvf(SquareSize=0), "its squaresize is not a number"),
        (write_rawvf(Time="1e999"), "its time is not a number of seconds"),
        (write_rawvf(Nono="on"), "games with nono"),
        (write_rawvf(["0.0 lc 1 (8 8"]), "line 1 of its events cannot be read"),
        (write_rawvf(["0.0 xx 1 1 (8 8)"]), "unknown event"),
        (write_rawvf(["0.0 rc 1 1 (8 8)"] * 20_001), "too many clicks"),
        (write_rawvf(Status="lost"), "says that the game was lost"),
        (write_rawvf(WON[:2], Status="Won"), "says that the game was won"),
    ],
)
def test_rawvf_that_is_damaged_is_rejected_with_a_reason(content: bytes, message: str) -> None:
    with pytest.raises(ReplayError, match=message):
        read(content)


def test_rawvf_is_not_read_past_the_deadline() -> None:
    with pytest.raises(DeadlinePassed):
        read_replay(write_rawvf(), "rawvf", Deadline.in_seconds(-1))


@examples(200)
@given(
    damage=st.lists(st.tuples(st.integers(0, 600), st.binary(max_size=3)), max_size=4),
    end=st.integers(0, 600),
)
def test_rawvf_that_is_damaged_anywhere_is_read_or_rejected(
    damage: list[tuple[int, bytes]], end: int
) -> None:
    content = write_rawvf(Status="Won", Timestamp="2020-02-09 10:11:12")
    for at, text in damage:
        content = content[:at] + text + content[at + 1 :]
    try:
        replay = read_replay(content[: end + 300], "rawvf")
    except ReplayError:
        return
    opened = [cell for click in replay.clicks for cell in click.opened]
    assert len(set(opened)) == len(opened)
    assert not any(replay.layout.mines[cell] for cell in opened)
