"""The reader of replays in a process of its own: ms_toollib aborts its process on damaged files.

    python -P reader_process.py PARENT SECONDS MEGABYTES CLICKS FORMAT < FILE > JSON

This file runs by its path and imports nothing of the project. What it prints is read by
`solvers.replays.reading`, which has the meaning of the fields.

Tested in tests/solvers/replays/test_reading.py.
"""

import json
import os
import resource
import signal
import sys
from typing import Any, Final

#: Linux: which signal to get when the parent has died, from <sys/prctl.h>.
_PR_SET_PDEATHSIG: Final = 1
#: Codes of cells in ms_toollib: the largest number of an open one, and a flag.
_LAST_NUMBER: Final = 8
_FLAG: Final = 11


def read_video(format: str, content: bytes, most_clicks: int) -> dict[str, Any]:
    """Return what a replay holds, in types that JSON has.

    Args:
        format: ``avf``, ``evf``, ``mvf`` or ``rmv``.
        content: the file.
        most_clicks: the most clicks that are read.
    """
    import ms_toollib

    classes = {
        "avf": ms_toollib.AvfVideo,
        "evf": ms_toollib.EvfVideo,
        "mvf": ms_toollib.MvfVideo,
        "rmv": ms_toollib.RmvVideo,
    }
    # The type hints of the library want numbers, and it takes bytes as well.
    video: Any = classes[format](raw_data=content)  # type: ignore[arg-type]
    video.parse()
    video.analyse()
    return {
        "player": str(video.player_identifier),
        "program": str(video.software),
        "country": str(video.country),
        "level": int(video.level),
        "board": video.board,
        "seconds": float(video.rtime),
        "started": int(video.start_time),
        "ended": int(video.end_time),
        "clicks": _list_clicks(video, most_clicks),
    }


def _list_clicks(video: Any, most_clicks: int) -> list[dict[str, Any]]:
    """List the clicks, and what each of them changed."""
    clicks: list[dict[str, Any]] = []
    size = int(video.pix_size)
    counted = (0, 0, 0)
    before: list[list[int]] | None = None
    for event in video.events:
        if not event.event.is_mouse():
            continue
        mouse = event.event.unwrap_mouse()
        if mouse.mouse == "mv":
            continue
        if len(clicks) > most_clicks:
            raise ValueError("there are too many clicks")
        if before is None:
            before = event.prior_game_board.game_board
        after = event.next_game_board.game_board
        changes = _list_changes(before, after)
        totals = event.key_dynamic_params
        current = (totals.left, totals.right, totals.double)
        row, col = int(mouse.y) // size, int(mouse.x) // size
        if changes or current != counted:
            clicks.append(
                {
                    "time": float(event.time),
                    "cell": [row, col],
                    "counted": [new - old for new, old in zip(current, counted, strict=True)],
                    "opened": [[r, c] for r, c, _, new in changes if new <= _LAST_NUMBER],
                    "flagged": [[r, c] for r, c, _, new in changes if new == _FLAG],
                    "unflagged": [[r, c] for r, c, old, _ in changes if old == _FLAG],
                    "lost": any(new > _FLAG and old <= _FLAG for _, _, old, new in changes),
                }
            )
        counted, before = current, after
    return clicks


def _list_changes(
    before: list[list[int]], after: list[list[int]]
) -> list[tuple[int, int, int, int]]:
    """List row, column, old and new code of the cells that differ."""
    return [
        (row, col, old, new)
        for row, (olds, news) in enumerate(zip(before, after, strict=True))
        if olds != news
        for col, (old, new) in enumerate(zip(olds, news, strict=True))
        if old != new
    ]


def _limit_process(parent: int, seconds: float, megabytes: int) -> None:
    """Bound time and memory of this process, and end it with its parent."""
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if sys.platform == "linux":
        from ctypes import CDLL

        resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20, megabytes << 20))
        CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        sys.exit("the parent has ended")


def _main(parent: str, seconds: str, megabytes: str, clicks: str, format: str) -> None:
    _limit_process(int(parent), float(seconds), int(megabytes))
    # Nothing that the library prints may be taken for the answer.
    answer = os.dup(sys.stdout.fileno())
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    video = read_video(format, sys.stdin.buffer.read(), int(clicks))
    with open(answer, "wb") as output:
        output.write(json.dumps(video).encode())


if __name__ == "__main__":
    _main(*sys.argv[1:])
