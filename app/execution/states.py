"""How other processes are, as Linux tells it; elsewhere, as on macOS, nothing is known of them."""

from contextlib import suppress
from pathlib import Path
from typing import Final

_PROCESSES: Final = Path("/proc")
#: Stopped by a signal, or by a debugger.
_STOPPED: Final = ("T", "t")
#: Ended, whether or not anybody has asked how.
_ENDED: Final = ("Z", "X", "")


def children(pid: int) -> list[int]:
    """The processes that a process has started, and that have not been waited for."""
    with suppress(OSError):
        told = _PROCESSES / str(pid) / "task" / str(pid) / "children"
        return list(map(int, told.read_text(encoding="ascii").split()))
    return []


def stopped(pid: int) -> bool:
    """Whether it stands still until somebody lets it go on."""
    return _state(pid) in _STOPPED


def ended(pid: int) -> bool:
    """Whether it will not do anything any more."""
    return _PROCESSES.exists() and _state(pid) in _ENDED


def _state(pid: int) -> str:
    with suppress(OSError, IndexError):
        # What comes before is the name, which may be anything.
        told = (_PROCESSES / str(pid) / "stat").read_text(encoding="utf-8", errors="replace")
        return told.rpartition(")")[2].split()[0]
    return ""
