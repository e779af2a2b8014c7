"""Replays are read as they were played; damaged ones are rejected, even if they end the reader."""

from math import isfinite

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from minecheck.solvers.deadline import Deadline, DeadlinePassed
from minecheck.solvers.replays import reading
from minecheck.solvers.replays.reading import ReaderMissing, ReplayError, find_format, read_replay
from tests.replay_files import write_replay

MINES = ["B...", "....", "B..."]
#: An opening, both flags, and a chord that wins.
WON = [("l", 1, 3), ("r", 0, 0), ("r", 2, 0), ("c", 1, 1)]
FILE = write_replay(MINES, WON)


def test_read_replay_reads_a_game_as_it_was_played() -> None:
    replay = read_replay(FILE, "evf")
    assert (replay.player, replay.program, replay.result) == ("Ann", "minecheck", "won")
    assert replay.layout.rows() == ["B100", "2200", "B100"]
    kinds = [(click.kind, click.cell) for click in replay.clicks]
    assert kinds == [
        ("open", (1, 3)),
        ("flag", (0, 0)),
        ("flag", (2, 0)),
        ("chord", (1, 1)),
    ]
    assert [len(click.opened) for click in replay.clicks] == [9, 0, 0, 1]
    assert replay.clicks[3].opened == ((1, 0),)


@pytest.mark.parametrize("version", [0, 3, 4])
def test_read_replay_reads_all_versions_of_the_format_alike(version: int) -> None:
    replay = read_replay(write_replay(MINES, WON, version=version), "evf")
    assert [click.cell for click in replay.clicks] == [(1, 3), (0, 0), (2, 0), (1, 1)]
    assert (replay.player, replay.result) == ("Ann", "won")


@pytest.mark.parametrize("program", ["Arbiter", "minecheck"])
def test_read_replay_keeps_the_program_of_converted_replays(program: str) -> None:
    replay = read_replay(write_replay(MINES, WON, version=0, program=program), "evf")
    assert (replay.program, replay.result) == (program, "won")


def test_read_replay_marks_the_last_click_on_a_mine_as_lost() -> None:
    replay = read_replay(write_replay(MINES, [("l", 1, 3), ("l", 0, 0)]), "evf")
    assert replay.result == "lost"
    assert [click.lost for click in replay.clicks] == [False, True]


def test_read_replay_reads_removed_flags() -> None:
    clicks = [("l", 1, 3), ("r", 0, 0), ("r", 0, 0), ("l", 1, 0)]
    replay = read_replay(write_replay(MINES, clicks), "evf")
    assert [click.kind for click in replay.clicks] == ["open", "flag", "unflag", "open"]


@pytest.mark.parametrize(
    ("content", "format"),
    [
        (b"*rmv\0\2", "rmv"),
        (b"\x11Minesweeper Clone", "mvf"),
        (bytes([52, 17, 30, 25, 4, 3]), "avf"),
        (FILE, "evf"),
        (b"RawVF_Version: Rev5", "rawvf"),
        (b' {"header": {}, "replay": []}', "msor"),
        (b'{"board": []}', None),
        (b"", None),
    ],
)
def test_find_format_recognises_replays_by_their_first_bytes(
    content: bytes, format: str | None
) -> None:
    assert find_format(content) == format


def test_read_replay_bounds_and_cleans_names_of_players() -> None:
    replay = read_replay(write_replay(MINES, WON, player="A\x1b[31m\u202e" + "x" * 5000), "evf")
    assert len(replay.player) == 100
    assert replay.player.isprintable()


@settings(max_examples=25, deadline=None)
@given(
    flips=st.lists(st.tuples(st.integers(0, len(FILE) - 1), st.integers(1, 255)), max_size=3),
    end=st.one_of(st.just(len(FILE)), st.integers(0, len(FILE))),
    format=st.sampled_from(["evf", "evf", "avf", "mvf", "rmv"]),
)
def test_read_replay_reads_or_rejects_damaged_files(
    flips: list[tuple[int, int]], end: int, format: str
) -> None:
    damaged = bytearray(FILE)
    for offset, change in flips:
        damaged[offset] ^= change
    try:
        replay = read_replay(bytes(damaged[:end]), format)
    except ReplayError:
        return
    assert len(replay.player) <= 100
    opened = [cell for click in replay.clicks for cell in click.opened]
    assert len(set(opened)) == len(opened)
    assert not any(replay.layout.mines[cell] for cell in opened)
    assert all(isfinite(click.time) for click in replay.clicks)


def test_read_replay_rejects_a_file_that_takes_too_long() -> None:
    with pytest.raises(ReplayError):
        read_replay(FILE, "evf", most_seconds=0.001)


def test_read_replay_past_the_deadline_raises() -> None:
    with pytest.raises(DeadlinePassed):
        read_replay(FILE, "evf", Deadline.in_seconds(0.001))


def test_read_replay_names_a_missing_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "find_spec", lambda name: None)
    with pytest.raises(ReaderMissing, match="ms_toollib"):
        read_replay(FILE, "evf")
