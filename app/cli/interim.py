"""An interim server, which answers while the kernels are compiled, once on a machine.

`minecheck serve` would have nothing to answer with for about a minute. So another process serves
on the same socket meanwhile, where the interpreter runs the kernels, and a third one compiles. Then
the service starts, and only when it answers does the interim server leave: it takes no new
connections, answers all requests that it has, and ends. Its connections take one request each, so
that none is lost between two requests.

The interim server (`app.interim_server`) reads the progress from its standard input, which also
ends if the service does, however that ends. Tested in tests/app/cli/test_interim.py.
"""

import asyncio
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from typing import Final

from minecheck.app.cli.server import announce_address
from minecheck.app.execution import warm
from minecheck.app.execution.compilation import Compilation, compile_apart
from minecheck.minefield.kernel_mode import IS_CHOSEN, VARIABLE, Mode

#: The program of its process. Workers are forked from a process that starts first, so they are
#: ready sooner.
_PROGRAM: Final = """
import sys
from minecheck.app.execution.fork_server import start_fork_server
start_fork_server()
from minecheck.app.interim_server import run_interim_server
run_interim_server(*sys.argv[1:])
"""
#: Connections that wait until a server takes them.
_BACKLOG: Final = 2048
#: Seconds between two looks whether something has ended.
_LOOK_SECONDS: Final = 0.5
#: Seconds for it to end after a signal.
_LAST_SECONDS: Final = 10.0


@contextmanager
def answer_meanwhile(listening: socket.socket, address: str) -> Iterator[Callable[[], None]]:
    """Return once the kernels are compiled; if any is not, an interim server answers meanwhile.

    Nothing is done if ``MINECHECK_KERNELS`` says how kernels run.

    Args:
        listening: the bound socket of the service.
        address: the address by which people know it.

    Yields:
        A function to call when the service answers.
    """
    missing = [] if IS_CHOSEN else warm.list_missing()
    if not missing:
        yield partial(announce_address, address)
        return
    whole = len(warm.list_kernels())
    server = InterimServer(listening, address, Compilation(whole - len(missing), whole))
    try:
        asyncio.run(_compile_beside(server))
        yield server.leave
    finally:
        server.end()


async def _compile_beside(server: "InterimServer") -> None:
    """Compile until all is compiled, or the interim server has ended, or a signal comes."""
    loop = asyncio.get_running_loop()
    compiling = asyncio.ensure_future(compile_apart(server.report))
    signalled = False

    def handle_signal() -> None:
        nonlocal signalled
        signalled = True
        compiling.cancel()

    loop.add_signal_handler(signal.SIGTERM, handle_signal)
    while not compiling.done() and not server.has_ended:
        await asyncio.wait([compiling], timeout=_LOOK_SECONDS)
    compiling.cancel()
    with suppress(asyncio.CancelledError):
        await compiling
    loop.remove_signal_handler(signal.SIGTERM)
    if signalled:
        server.end()
        signal.raise_signal(signal.SIGTERM)


class InterimServer:
    """The process of an interim server.

    Args:
        listening: the socket that it serves on.
        address: the address by which people know it.
        compiled: how far compiling is.
    """

    def __init__(self, listening: socket.socket, address: str, compiled: Compilation) -> None:
        # Connections are accepted, and wait for an answer, from now on.
        listening.listen(_BACKLOG)
        arguments = (listening.fileno(), address, compiled.done, compiled.whole)
        self._process = subprocess.Popen(
            [sys.executable, "-c", _PROGRAM, *map(str, arguments)],
            stdin=subprocess.PIPE,
            env=os.environ | {VARIABLE: Mode.PYTHON},
            pass_fds=[listening.fileno()],
            # Ctrl+C is for the service.
            start_new_session=True,
        )
        assert self._process.stdin is not None, "as asked for"
        self._reports = self._process.stdin

    @property
    def has_ended(self) -> bool:
        """True if the process has ended."""
        return self._process.poll() is not None

    def report(self, done: int, whole: int) -> None:
        """Report how many kernels are compiled, and how many there are."""
        with suppress(OSError):
            self._reports.write(b"%d %d\n" % (done, whole))
            self._reports.flush()

    def leave(self) -> None:
        """Let it answer the requests that it has, and end."""
        with suppress(OSError):
            self._reports.close()

    def end(self) -> None:
        """End it now, with what is left of its work."""
        self.leave()
        self._process.terminate()
        try:
            self._process.wait(_LAST_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
