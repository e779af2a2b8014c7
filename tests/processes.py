"""Processes that tests start: none of them outlives the run, however that ends."""

import asyncio
import ctypes
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
#: Seconds for what takes a fraction of one, on a machine that has much else to do.
PATIENCE = 30.0
#: Seconds between two looks at what is waited for.
_PAUSE = 0.02
#: The option of prctl(2) that names a signal for the death of the parent.
_PR_SET_PDEATHSIG = 1


def end_with_parent() -> None:
    """From now on, this process is killed when the one that started it ends; on Linux only."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def prepare() -> None:
    """In a child, before its program: it ends with its parent, and Ctrl+C ends it.

    A background job of a shell may be set to ignore Ctrl+C, and so would its children.
    """
    end_with_parent()
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@contextmanager
def running_program(
    command: Sequence[str | os.PathLike[str]], **how: Any
) -> Iterator[subprocess.Popen[Any]]:
    """A program in a session of its own, of which nothing is left when the block ends."""
    with subprocess.Popen(
        command, preexec_fn=prepare, start_new_session=True, **{"cwd": ROOT, **how}
    ) as process:
        try:
            yield process
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)


def every() -> dict[int, tuple[int, str]]:
    """Parent and state of every process."""
    found = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        found[int(folder.name)] = (int(fields[1]), fields[0])
    return found


def running(pids: list[int]) -> list[int]:
    """Return the processes that still run."""
    known = every()
    return [pid for pid in pids if pid in known and known[pid][1] != "Z"]


def are_gone_soon(pids: list[int]) -> bool:
    """True if all processes end soon."""
    return holds_soon(lambda: not running(pids))


def holds_soon(holds: Callable[[], bool], patience: float = PATIENCE) -> bool:
    """True if a condition holds before long; it does not while a server cannot be reached."""
    until = time.monotonic() + patience
    while time.monotonic() < until:
        with suppress(OSError):
            if holds():
                return True
        time.sleep(_PAUSE)
    return False


async def until(holds: Callable[[], bool], patience: float = PATIENCE) -> None:
    """Wait in a running event loop until something holds.

    Raises:
        TimeoutError: it does not, after a time that only bounds a test that hangs.
    """
    async with asyncio.timeout(patience):
        while not holds():
            await asyncio.sleep(_PAUSE / 2)
