"""Python loads this at the start of every process of a server whose clock a test puts forward."""

import mmap
import os
import struct
import sys
import time

with open(os.environ["TESTS_CLOCK"], "rb") as _file:
    _ahead = mmap.mmap(_file.fileno(), 0, access=mmap.ACCESS_READ)
_real, _read = time.monotonic, struct.Struct("d").unpack_from


def _moved() -> float:
    """Return the real time and the seconds that the test has added."""
    seconds: float = _read(_ahead)[0]
    return _real() + seconds


time.monotonic = _moved
# Its timers go by a clock of their own; uvicorn takes the loop of asyncio in its place.
sys.modules["uvloop"] = None  # type: ignore[assignment]
