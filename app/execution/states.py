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
#: Bytes of the fields of a process, of which a few are needed.
_LONGEST_STATE: Final = 1024


def list_children(pid: int) -> list[int]:
    """List the processes that a process has started, and that have not been waited for."""
    with suppress(OSError):
        text = _PROCESSES / str(pid) / "task" / str(pid) / "children"
        return list(map(int, text.read_text(encoding="ascii").split()))
    return []


def is_stopped(pid: int) -> bool:
    """Return True if the process is suspended."""
    return _read_state(pid) in _STOPPED


def has_ended(pid: int) -> bool:
    """Return True if the process has ended."""
    state = _read_state(pid)
    return state in _ENDED and (state != "" or _PROCESSES.exists())


def _read_state(pid: int) -> str:
    # Each chunk of a batch asks for it: a text file takes several times as long to open.
    with suppress(OSError, IndexError):
        file = os.open(f"{_PROCESSES}/{pid}/stat", os.O_RDONLY)
        try:
            text = os.read(file, _LONGEST_STATE)
        finally:
            os.close(file)
        # The field before is the name, which may contain anything.
        return text.rpartition(b")")[2].split()[0].decode()
    return ""
