"""Kernels that another process compiles for a service: the process, and how far it is.

Tested in tests/app/execution/test_compilation.py.
"""

import asyncio
import os
import re
import signal
import sys
from asyncio.subprocess import PIPE
from collections.abc import Callable
from contextlib import suppress
from math import ceil
from time import monotonic
from typing import Final, TypeAlias

#: A callback with the number of compiled kernels and the number of all.
Report: TypeAlias = Callable[[int, int], None]
#: The line in which the process reports its progress.
_REPORTED: Final = re.compile(rb"Compiling (\d+) of (\d+)")
#: Before any is compiled, that many kernels are taken to have been compiled in these seconds.
_ASSUMED: Final = 10
_ASSUMED_SECONDS: Final = 8.0


class Compilation:
    """How far compiling is: ``done`` of ``whole`` kernels.

    Args:
        done: how many are compiled at the beginning.
        whole: how many there are.
    """

    def __init__(self, done: int, whole: int) -> None:
        self.done = self._first = done
        self.whole = whole
        self._began = monotonic()

    def report(self, done: int, whole: int) -> None:
        """Take note of the progress."""
        self.done, self.whole = done, whole

    def seconds_left(self) -> int:
        """Estimate how long the rest takes, from how long the kernels before took."""
        seconds = monotonic() - self._began + _ASSUMED_SECONDS
        seconds_each = seconds / (self.done - self._first + _ASSUMED)
        return max(1, ceil((self.whole - self.done) * seconds_each))


async def compile_apart(report: Report = lambda done, whole: None) -> int:
    """Compile what is missing, in a process that ends with this call, and return its status.

    It leaves the processors to all others: clients may be waiting for answers.
    """
    command = (sys.executable, "-m", "minecheck", "warm", "--apart")
    process = await asyncio.create_subprocess_exec(
        *command, stdin=asyncio.subprocess.DEVNULL, stdout=PIPE, start_new_session=True
    )
    assert process.stdout is not None, "as asked for"
    try:
        async for line in process.stdout:
            if match := _REPORTED.match(line):
                report(int(match[1]), int(match[2]))
        return await process.wait()
    finally:
        # The process is killed together with its children.
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
