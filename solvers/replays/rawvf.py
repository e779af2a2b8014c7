"""RAWVF: replays as text, with the layout and the events of the mouse, which any program may write.

The format is that of "Open, human-readable minesweeper video format", minesweepergame.com, by
Cryslon and others, and its revision 6 by D. Moore. Events of cells are left out when it is read, as
they follow from those of the mouse.

Tested in tests/solvers/replays/test_rawvf.py.
"""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any, Final

import numpy as np

from minecheck.minefield.layout import Layout
from minecheck.solvers.deadline import Deadline
from minecheck.solvers.replays.bounds import require_clicks, require_size
from minecheck.solvers.replays.mouse import MouseEvent, MousePlay

_SIGN: Final = b"rawvf_version"
#: The pixels of a cell, where a file does not say it.
_PIXELS: Final = 16
#: The longest row or column of a board: programs have some ten thousand cells.
_LONGEST: Final = 10_000
#: Events between two looks at the clock.
_EVENTS_AT_ONCE: Final = 1000
_MOUSE_EVENT: Final = re.compile(
    r"(-?[0-9]{1,7}(?:\.[0-9]{1,6})?) +([a-z]{2})\b[^()]*\( *(-?[0-9]{1,6}) +(-?[0-9]{1,6}) *\)",
    re.ASCII,
)
_MOUSE_EVENTS: Final = {event.value: event for event in MouseEvent}
#: Moves, and the switch for question marks, which no program uses within a game.
_OTHER_EVENTS: Final = ("mv", "mt")
#: Modes in which the mouse opens cells while a button is held.
_HELD_MODES: Final = ("elmar", "nono")
_RESULTS: Final = {"won": "won", "win": "won", "lost": "lost", "loss": "lost"}


def has_rawvf_sign(content: bytes) -> bool:
    """Return True if a file begins as files of this format do."""
    return content.removeprefix(b"\xef\xbb\xbf").lstrip()[: len(_SIGN)].lower() == _SIGN


def read_rawvf(content: bytes, deadline: Deadline) -> dict[str, Any]:
    """Return what a replay holds, in the fields that `solvers.replays.reading` takes.

    Args:
        content: the file.
        deadline: when to give up.

    Raises:
        ValueError: it cannot be read, and why.
        DeadlinePassed: there was no time for it.
    """
    lines = content.decode("utf-8-sig", errors="replace").splitlines()
    options, board_line = _read_options(lines)
    mines, events_line = _read_board(lines, board_line, options)
    for mode in _HELD_MODES:
        if _is_on(options, mode):
            raise ValueError(f"games with {mode} are not supported")
    layout = Layout(mines)
    play = MousePlay(layout, _is_on(options, "marks"), _is_on(options, "superclick"))
    pixels = _read_number(options, "squaresize", _PIXELS)
    clicks = list(_list_clicks(lines[events_line:], play, pixels, deadline))
    _check_result(options.get("status", ""), clicks, layout)
    return {
        "player": options.get("player", ""),
        "program": " ".join((options.get("program", ""), options.get("version", ""))).strip(),
        "country": options.get("country", ""),
        "board": np.where(mines, -1, 0).tolist(),
        "seconds": _read_time(options, clicks),
        "started": _read_moment(options.get("timestamp", "")),
        "ended": 0,
        "clicks": clicks,
    }


def _read_options(lines: list[str]) -> tuple[dict[str, str], int]:
    """Return the options by their names in lower case, and the number of the first row."""
    options: dict[str, str] = {}
    for number, line in enumerate(lines):
        name, colon, value = line.partition(":")
        name = name.strip().lower()
        if name == "board":
            return options, number + 1
        if colon:
            options.setdefault(name, value.strip())
    raise ValueError("it has no line Board:")


def _read_board(
    lines: list[str], first: int, options: dict[str, str]
) -> tuple[np.ndarray[tuple[int, int], np.dtype[np.bool_]], int]:
    """Return where the mines are, and the number of the first event."""
    rows: list[str] = []
    for number in range(first, len(lines)):
        row = lines[number].strip()
        if row.lower() == "events:":
            break
        rows.append(row)
    else:
        raise ValueError("it has no line Events:")
    rows = [row for row in rows if row]
    cols = len(rows[0]) if rows else 0
    if not cols or any(len(row) != cols or not set(row) <= {"*", "0"} for row in rows):
        raise ValueError("the rows of its board are not of the same length, of * and 0")
    require_size(len(rows), cols)
    if max(len(rows), cols) > _LONGEST:
        raise ValueError("its board is too large")
    mines = np.array([[cell == "*" for cell in row] for row in rows])
    actual = [("height", len(rows)), ("width", cols), ("mines", int(mines.sum()))]
    for name, size in actual:
        if _read_number(options, name, size) != size:
            raise ValueError(f"its board does not have the {name} that it names")
    return mines, number + 1


def _list_clicks(
    lines: list[str], play: MousePlay, pixels: int, deadline: Deadline
) -> Iterator[dict[str, Any]]:
    """Yield the clicks that the events of the mouse make."""
    clicks = 0
    for number, line in enumerate(lines):
        if number % _EVENTS_AT_ONCE == 0:
            deadline.check()
        match = _MOUSE_EVENT.match(line.strip())
        if match is None:
            # Only events of the mouse have pixels in parentheses.
            if "(" in line:
                raise ValueError(f"line {number + 1} of its events cannot be read")
            continue
        time, name, across, down = match.groups()
        event = _MOUSE_EVENTS.get(name)
        if event is None:
            if name not in _OTHER_EVENTS:
                raise ValueError(f"line {number + 1} of its events has an unknown event")
            continue
        click = play.handle(event, (int(down) // pixels, int(across) // pixels))
        if click is not None:
            clicks += 1
            require_clicks(clicks)
            # Events before the first click of a game have negative times.
            yield {"time": max(0.0, float(time)), **click}


def _check_result(status: str, clicks: list[dict[str, Any]], layout: Layout) -> None:
    """Check that clicks lead to the result that a file names, if it names one.

    Raises:
        ValueError: they do not, so that they mean something else.
    """
    named = _RESULTS.get(status.lower())
    opened = sum(len(click["opened"]) for click in clicks)
    lost = any(click["lost"] for click in clicks)
    won = not lost and opened == layout.mines.size - layout.total
    if named is not None and named != ("lost" if lost else "won" if won else "unfinished"):
        raise ValueError(f"it says that the game was {named}, and its clicks do not lead to that")


def _is_on(options: dict[str, str], name: str) -> bool:
    return options.get(name, "").lower() == "on"


def _read_number(options: dict[str, str], name: str, default: int) -> int:
    text = options.get(name, "")
    if not text:
        return default
    if not re.fullmatch(r"[0-9]{1,7}", text, re.ASCII) or (number := int(text)) == 0:
        raise ValueError(f"its {name} is not a number")
    return number


def _read_time(options: dict[str, str], clicks: list[dict[str, Any]]) -> float:
    """Return the seconds of the game; those of the last click where a file does not say it."""
    text = options.get("time", "")
    if not text:
        return float(clicks[-1]["time"]) if clicks else 0.0
    if not re.fullmatch(r"[0-9]{1,7}(\.[0-9]{1,6})?", text, re.ASCII):
        raise ValueError("its time is not a number of seconds")
    return float(text)


def _read_moment(text: str) -> int:
    """Return the microseconds of a clock, 0 for one that cannot be read."""
    try:
        moment = datetime.fromisoformat(text)
        return int((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp() * 1e6)
    except (ValueError, OverflowError):
        return 0
