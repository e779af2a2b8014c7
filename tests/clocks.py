"""Clocks that a test moves: what is due comes when the test says so, on any machine."""

import asyncio
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from minecheck.solvers import Deadline
from tests.processes import ROOT

#: Seconds after which whatever waits for a time is due.
LONG: Final = 3600.0
#: How the file of a server's clock holds its seconds.
_SECONDS: Final = struct.Struct("d")


@dataclass(frozen=True, slots=True)
class Looks(Deadline):
    """A deadline that has passed after so many looks, which it counts."""

    most: int = 10**9
    counted: list[None] = field(default_factory=list)

    @property
    def left(self) -> float:
        """The seconds left: many, until the deadline was looked at too often."""
        self.counted.append(None)
        return 1e6 if len(self.counted) <= self.most else -1.0

    def part(self, share: float) -> "Looks":
        """Itself: there are no parts of looks."""
        return self


class Clock:
    """A clock, in seconds, to be called in place of one of the module ``time``."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def pass_time(seconds: float = LONG) -> None:
    """Put the clock of the running event loop forward, so that its timers are due."""
    loop = asyncio.get_running_loop()
    before = loop.time
    loop.time = lambda: before() + seconds  # type: ignore[method-assign]


class ServerClock:
    """The monotonic clock of a server and its workers, which a test puts forward.

    All their processes read from one file how far it is ahead of the real one
    (`tests/moved_clock/sitecustomize.py`).
    """

    def __init__(self, folder: Path) -> None:
        self.file = folder / "clock"
        self.file.write_bytes(_SECONDS.pack(0.0))

    @property
    def environment(self) -> dict[str, str]:
        """The variables that such a server is started with."""
        return {
            "TESTS_CLOCK": str(self.file),
            "PYTHONPATH": f"{ROOT / 'tests' / 'moved_clock'}:{ROOT}",
            "TMPDIR": str(self.file.parent),
        }

    def pass_time(self, seconds: float = LONG) -> None:
        """Put it forward; the server notices by the next of its regular looks."""
        (ahead,) = _SECONDS.unpack(self.file.read_bytes())
        with self.file.open("r+b", buffering=0) as file:
            # All bytes at once: nobody reads half of them.
            file.write(_SECONDS.pack(ahead + seconds))


@contextmanager
def server_clock() -> Iterator[ServerClock]:
    """A clock for a server, and a folder for its temporary files."""
    with TemporaryDirectory(prefix="tests-") as folder:
        yield ServerClock(Path(folder))
