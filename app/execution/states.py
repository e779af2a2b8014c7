"""The state of other processes on Linux; elsewhere, as on macOS, it is unknown."""

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


def has_ended(pid: int) -> bool:
    """Return True if the process has ended."""
    return _PROCESSES.exists() and _read_state(pid) in _ENDED


def _read_state(pid: int) -> str:
    with suppress(OSError, IndexError):
        # The field before is the name, which may contain anything.
        text = (_PROCESSES / str(pid) / "stat").read_text(encoding="utf-8", errors="replace")
        return text.rpartition(")")[2].split()[0]
    return ""
