"""Replays: files in which programs for players keep a whole game, with every click.

Formats of text have modules of their own. ms_toollib reads the others, in a process of its own
(`solvers.replays.reader_process`). What a file shows is checked here, since a damaged one may be
read as a game that cannot be.
"""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.util import find_spec
from math import isfinite
from tempfile import TemporaryDirectory
from typing import Any, Final

import numpy as np

from minecheck.minefield.layout import Layout
from minecheck.solvers.annotations import Coordinates
from minecheck.solvers.deadline import Deadline, DeadlinePassed
from minecheck.solvers.replays import reader_process
from minecheck.solvers.replays.bounds import MOST_CLICKS
from minecheck.solvers.replays.msor import has_msor_sign, read_msor
from minecheck.solvers.replays.rawvf import has_rawvf_sign, read_rawvf

#: The formats, by the names that requests have, with the programs that write them.
FORMATS: Final = {
    "avf": "Minesweeper Arbiter",
    "evf": "Metasweeper",
    "msor": "games on the web, as JSMinesweeper opens them",
    "mvf": "Minesweeper Clone",
    "rawvf": "the text that converters write for all of them",
    "rmv": "Vienna Minesweeper",
}
#: The formats that are read without the extra package.
TEXT_FORMATS: Final = ("msor", "rawvf")
#: The name that stands for whatever format a file shows signs of.
AUTO: Final = "auto"
#: Bounds of the process that reads: all files of the programs take less than a second.
_SECONDS: Final = 10.0
_MEGABYTES: Final = 2048
_LEVELS: Final = {3: "beginner", 4: "intermediate", 5: "expert"}
#: Levels by rows, columns and mines, for formats that do not say them.
_SIZES: Final = {(8, 8, 10): 3, (9, 9, 10): 3, (16, 16, 40): 4, (16, 30, 99): 5}
_LAST_EVF_VERSION: Final = 4
#: Offset of the program's name in EVF files, by their version.
_EVF_PROGRAM: Final = {0: 14, 3: 15}
_MOST_SECONDS: Final = 1e6
#: Longest text that is kept: the programs set no limit.
_LONGEST_TEXT: Final = 100


class ReplayError(ValueError):
    """A file is not a replay that can be read."""


class ReaderMissing(ImportError):
    """The package that reads replays is not installed."""

    def __init__(self) -> None:
        super().__init__("ms_toollib is not installed.")


@dataclass(frozen=True, slots=True)
class ReplayClick:
    """A click of a player, and its effect.

    Attributes:
        time: seconds since the game began.
        kind: ``open``, ``chord``, ``flag`` or ``unflag``.
        cell: the cell under the mouse.
        opened: the safe cells that it opened, in reading order.
        lost: whether it opened a mine.
    """

    time: float
    kind: str
    cell: Coordinates
    opened: tuple[Coordinates, ...]
    lost: bool


@dataclass(frozen=True, slots=True)
class Replay:
    """A game as a player played it.

    Attributes:
        format: a name in `FORMATS`.
        program: the name of the program that wrote it.
        player: the name of the player, as the file has it.
        country: the country of the player, empty if the file does not say it.
        level: ``beginner``, ``intermediate``, ``expert`` or ``custom``.
        started: when the game began, by the clock of the player; None if that is not known.
        ended: when it ended.
        seconds: the time of the game.
        layout: where the mines are.
        clicks: the clicks in order.
        result: ``won``, ``lost`` or ``unfinished``.
    """

    format: str
    program: str
    player: str
    country: str
    level: str
    started: datetime | None
    ended: datetime | None
    seconds: float
    layout: Layout
    clicks: tuple[ReplayClick, ...]
    result: str


def find_format(content: bytes) -> str | None:
    """Return the format that a file shows signs of, or None.

    Args:
        content: the file.
    """
    if has_rawvf_sign(content):
        return "rawvf"
    if has_msor_sign(content):
        return "msor"
    if content.startswith(b"*rmv"):
        return "rmv"
    if content.startswith(b"\x11M"):
        return "mvf"
    if len(content) > 5 and content[0] <= _LAST_EVF_VERSION:
        return "evf"
    # The sixth byte is the level; the first is part of the version.
    if len(content) > 5 and 3 <= content[5] <= 6:
        return "avf"
    return None


def read_replay(
    content: bytes, format: str, deadline: Deadline | None = None, most_seconds: float = _SECONDS
) -> Replay:
    """Read a replay.

    Args:
        content: the file.
        format: a name in `FORMATS`.
        deadline: when to give up.
        most_seconds: how long a file may take that is not damaged, whatever the deadline is.

    Raises:
        ReplayError: the file is damaged, or has another format.
        ReaderMissing: the package that reads is not installed.
        DeadlinePassed: there was no time for it.
    """
    deadline = deadline or Deadline()
    try:
        if format == "rawvf":
            shown = read_rawvf(content, deadline)
        elif format == "msor":
            shown = read_msor(content)
        else:
            shown = _read_binary(content, format, deadline, most_seconds)
        return _read_replay(format, shown)
    except (KeyError, TypeError, ValueError, IndexError) as error:
        raise ReplayError(str(error) or "its contents make no sense") from None


def _read_binary(
    content: bytes, format: str, deadline: Deadline, most_seconds: float
) -> dict[str, Any]:
    """Return what ms_toollib reads.

    Raises:
        ReplayError: it cannot read the file.
        ReaderMissing: it is not installed.
        DeadlinePassed: there was no time for it.
    """
    if find_spec("ms_toollib") is None:
        raise ReaderMissing
    shown = _run_reader(content, format, deadline, most_seconds)
    program = None
    start = _EVF_PROGRAM.get(content[0]) if format == "evf" and content else None
    if shown is None and start is not None:
        # The library writes files of these versions for any program, and reads only those that
        # do not name some of them: it takes them for older files with other fields.
        program, _, after_program = content[start:].partition(b"\0")
        shown = _run_reader(
            content[:start] + b"-\0" + after_program, format, deadline, most_seconds
        )
    if shown is None:
        raise ReplayError("its contents make no sense")
    if program is not None:
        shown["program"] = program.decode(errors="replace")
    return shown


def _run_reader(
    content: bytes, format: str, deadline: Deadline, most_seconds: float
) -> dict[str, Any] | None:
    """Return what the reader prints, None if it ends in any other way.

    Raises:
        DeadlinePassed: there was no time for it.
    """
    deadline.check()
    seconds = min(most_seconds, deadline.left)
    bounds = (str(os.getpid()), str(seconds + 1), str(_MEGABYTES), str(MOST_CLICKS))
    command = [sys.executable, "-P", reader_process.__file__, *bounds, format]
    try:
        # The library writes a file crash.log where it runs.
        with TemporaryDirectory(prefix="minecheck-") as folder:
            ended = subprocess.run(
                command, input=content, capture_output=True, timeout=seconds, cwd=folder
            )
    except subprocess.TimeoutExpired:
        if seconds < most_seconds:
            raise DeadlinePassed from None
        return None
    if ended.returncode:
        return None
    video: dict[str, Any] = json.loads(ended.stdout)
    return video


def _read_replay(format: str, shown: dict[str, Any]) -> Replay:
    """Return the replay that a reader has shown.

    Raises:
        ValueError: it is not a game.
    """
    board = np.array(shown["board"])
    if board.ndim != 2 or not board.size or board.dtype.kind not in "iu":
        raise ValueError("its board has no cells")
    layout = Layout(board == -1)
    if layout.total == board.size:
        raise ValueError("all cells of its board are mines")
    _check_numbers(shown.get("numbers", []), layout)
    clicks = _read_clicks(shown["clicks"], layout)
    level = shown["level"] if "level" in shown else _find_level(layout)
    seconds = shown["seconds"]
    _require_time(seconds)
    opened = sum(len(click.opened) for click in clicks)
    won = opened == board.size - layout.total
    lost = any(click.lost for click in clicks)
    return Replay(
        format,
        _bound_text(shown["program"]),
        _bound_text(shown["player"]),
        _bound_text(shown["country"]),
        _LEVELS.get(level, "custom"),
        _find_moment(shown["started"]),
        _find_moment(shown["ended"]),
        seconds,
        layout,
        clicks,
        "lost" if lost else "won" if won else "unfinished",
    )


def _find_level(layout: Layout) -> int:
    """Return the level as the binary formats number it, 6 for a custom board."""
    height, width = layout.mines.shape
    return _SIZES.get((height, width, layout.total), 6)


def _bound_text(text: str) -> str:
    """Return a text without what cannot be printed, and cut to a bounded length."""
    return "".join(sign if sign.isprintable() else "\ufffd" for sign in text[:_LONGEST_TEXT])


def _check_numbers(shown: list[list[int]], layout: Layout) -> None:
    """Check the numbers of cells, as row, column, number.

    Raises:
        ValueError: they are not those of the layout.
    """
    numbers = layout.count_neighbours()
    if any(numbers[row, col] != number for row, col, number in shown):
        raise ValueError("it shows numbers that do not fit its mines")


def _require_time(seconds: float) -> None:
    if not (isfinite(seconds) and 0 <= seconds <= _MOST_SECONDS):
        raise ValueError("it has a time that no game can have")


def _find_moment(microseconds: int) -> datetime | None:
    """Return the time of a clock, None for one that was never set."""
    try:
        moment = datetime.fromtimestamp(microseconds / 1e6, UTC)
    except (OverflowError, ValueError, OSError):
        return None
    return moment if microseconds > 0 else None


def _read_clicks(shown: list[dict[str, Any]], layout: Layout) -> tuple[ReplayClick, ...]:
    """Return the clicks that the reader has shown, up to the one that ended the game.

    Raises:
        ValueError: they are not those of a game on this layout.
    """
    height, width = layout.mines.shape
    opened = np.zeros((height, width), np.bool_)
    clicks: list[ReplayClick] = []
    for entry in shown:
        time, (row, col) = entry["time"], entry["cell"]
        _require_time(time)
        cells = tuple((r, c) for r, c in entry["opened"])
        if not (0 <= row < height and 0 <= col < width):
            if cells or entry["lost"]:
                raise ValueError("it opens cells by a click off the board")
            continue
        click = ReplayClick(
            time, _find_kind(entry, bool(opened[row, col])), (row, col), cells, entry["lost"]
        )
        for cell in cells:
            if layout.mines[cell] or opened[cell]:
                raise ValueError("it opens cells that cannot be opened")
            opened[cell] = True
        clicks.append(click)
        if click.lost or np.array_equal(opened, ~layout.mines):
            break
    return tuple(clicks)


def _find_kind(click: dict[str, Any], was_open: bool) -> str:
    """Return the kind of a click, of which one button was counted, or its effect alone is known."""
    left, right, double = click["counted"]
    if click["opened"] or click["lost"]:
        return "chord" if was_open or double else "open"
    if click["flagged"]:
        return "flag"
    if click["unflagged"]:
        return "unflag"
    return "chord" if double else "flag" if right and not left else "open"
