"""Memory that a process does not need any more goes back to the system.

The allocator of glibc keeps what was freed, for as long as anything behind it is used, in up to
eight heaps for each core. So there is one heap, and what is free in it is given back when the
process has little to do: that takes about half a millisecond a megabyte, in which nobody else can
allocate. Elsewhere (musl, macOS) nothing of this is known, and nothing is done.
"""

import ctypes
import os
import platform
from collections.abc import Callable
from functools import cache
from pathlib import Path
from time import monotonic, process_time
from typing import Final

#: Linux: pages that a process maps, and those of them that are in memory.
_PAGES: Final = Path("/proc/self/statm")
#: From <malloc.h>: how many heaps there may be.
_M_ARENA_MAX: Final = -8
#: A user who sets one of these has decided.
_SET_BY_OTHERS: Final = ("MALLOC_ARENA_MAX", "GLIBC_TUNABLES")
#: Bytes that a process must have grown by since the last time for it to be worth the while.
_WORTH: Final = 16 << 20
#: A process that computes for less than this part of the time has little to do.
_RESTING_SHARE: Final = 0.2
#: Seconds between two looks.
LOOK_SECONDS: Final = 1.0


@cache
def _load_glibc() -> ctypes.CDLL | None:
    return ctypes.CDLL(None) if platform.libc_ver()[0] == "glibc" else None


def use_one_heap() -> None:
    """Let all threads share one heap, unless the environment says otherwise.

    Processes that are forked from this one do the same. Heaps that are there already stay.
    """
    libc = _load_glibc()
    if libc is not None and not any(name in os.environ for name in _SET_BY_OTHERS):
        libc.mallopt(_M_ARENA_MAX, 1)


def read_resident_bytes(pages: Path = _PAGES) -> int:
    """Return the resident memory of this process in bytes; 0 if the system does not report it.

    Args:
        pages: the file in which it does.
    """
    if not pages.exists():
        return 0
    return int(pages.read_text(encoding="ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")


def _trim_heap() -> None:
    libc = _load_glibc()
    if libc is not None:
        libc.malloc_trim(0)


class Keeper:
    """Gives back what is free, when the process has little to do and has grown by much.

    Args:
        resident: tells the bytes of the process.
        computed: the seconds that it has computed.
        clock: the time in seconds.
        trim: gives back what is free.
    """

    def __init__(
        self,
        resident: Callable[[], int] = read_resident_bytes,
        computed: Callable[[], float] = process_time,
        clock: Callable[[], float] = monotonic,
        trim: Callable[[], object] = _trim_heap,
    ) -> None:
        self._resident, self._computed, self._clock = resident, computed, clock
        self._trim = trim
        #: Bytes that are left to the process: as many as were needed when it last had a look.
        self._left = resident()
        self._looked = clock(), computed()

    def is_worthwhile(self) -> bool:
        """Return whether it is time to `trim`; to be asked every `LOOK_SECONDS`."""
        (then, before), now = self._looked, (self._clock(), self._computed())
        self._looked = now
        size = self._resident()
        self._left = min(self._left, size)
        rests = now[1] - before <= _RESTING_SHARE * (now[0] - then)
        return rests and size >= self._left + _WORTH

    def trim(self) -> None:
        """Give back what is free."""
        self._trim()
        self._left = self._resident()

    def trim_if_due(self) -> None:
        """Give back what is free, if it is time to."""
        if self.is_worthwhile():
            self.trim()
