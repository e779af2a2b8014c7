"""The state of other processes on Linux; elsewhere, as on macOS, it is unknown."""

import os
from contextlib import suppress
from pathlib import Path
from typing import Final

_PROCESSES: Final = Path("/proc")
#: Stopped by a signal, or by a debugger.
_STOPPED: Final = ("T", "t")
#: Ended, whether or not anybody has asked how.
_ENDED: Final = ("Z", "X", "")


def list_children(pid: int) -> list[int]:
    """List the processes that a process has started, and that have not been waited for."""
    with suppress(OSError):
        text = _PROCESSES / str(pid) / "task" / str(pid) / "children"
        return list(map(int, text.read_text(encoding="ascii").split()))
    return []


def is_stopped(pid: int) -> bool:
    """Return True if the process is suspended."""
    return _read_state(pid) in _STOPPED


def exists(pid: int) -> bool:
    """Return True for a process of this user, until its parent has noticed that it has ended.

    Unlike the other questions, this one keeps hold of the interpreter. A process with many threads
    may ask it often.
    """
    try:
        os.kill(pid, 0)
    except OSError:
        return False
    return True


def has_ended(pid: int) -> bool:
    """Return True if the process has ended, whether or not its parent has noticed."""
    state = _read_state(pid)
    return state in _ENDED and (state != "" or _PROCESSES.exists())


def _read_state(pid: int) -> str:
    with suppress(OSError, IndexError):
        text = (_PROCESSES / str(pid) / "stat").read_bytes()
        # The field before is the name, which may contain anything.
        return text.rpartition(b")")[2].split()[0].decode()
    return ""
