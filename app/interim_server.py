"""The process of an interim server, which `app.cli.interim` starts and describes.

Tested in tests/app/cli/test_interim.py.
"""

import asyncio
import logging
import socket
import sys
from functools import partial
from typing import Final

from minecheck.app.cli.server import AnnouncedServer, announce_address, build_config, list_sockets
from minecheck.app.execution.compilation import Compilation
from minecheck.app.main import app
from minecheck.app.middleware import connections
from minecheck.app.settings import Settings

_LOG: Final = logging.getLogger("minecheck.server")
#: Seconds between two looks whether connections have ended.
_LOOK_SECONDS: Final = 0.1


def run_interim_server(descriptor: str, address: str, done: str, whole: str) -> None:
    """Serve on an open socket until standard input ends, in a process of its own.

    Args:
        descriptor: the file descriptor of the socket.
        address: the address by which people know it.
        done: how many kernels are compiled.
        whole: how many kernels there are.
    """
    connections.raise_open_files()
    listening = socket.socket(fileno=int(descriptor))
    compiling = Compilation(int(done), int(whole))
    _LeavingServer(listening, address, compiling).run(list_sockets(listening))


class _LeavingServer(AnnouncedServer):
    """The interim server as its own process sees it."""

    def __init__(self, listening: socket.socket, address: str, compiling: Compilation) -> None:
        # Another request on the same connection would be lost if it came as this server leaves.
        config = build_config(listening, Settings(), headers=[("Connection", "close")])
        super().__init__(config, partial(self._announce_interim, address))
        self._compiling = compiling
        self._following: asyncio.Task[None] | None = None

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start with what the app has to know."""
        app.state.compiling = self._compiling
        await super().startup(sockets)
        self._following = asyncio.create_task(self._follow_service())

    def _announce_interim(self, address: str) -> None:
        announce_address(address)
        _LOG.info(
            "Kernels are being compiled, once on this machine: for about %d s, small boards are "
            "answered slowly, and large ones wait",
            self._compiling.seconds_left(),
        )

    async def _follow_service(self) -> None:
        """Read the progress of compiling, and leave when it ends."""
        lines = asyncio.StreamReader()
        await asyncio.get_running_loop().connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(lines), sys.stdin
        )
        async for line in lines:
            self._compiling.report(*map(int, line.split()))
            _LOG.info("Compiled %d of %d kernels", self._compiling.done, self._compiling.whole)
        for server in self.servers:
            server.close()
        while True:
            # Connections that were accepted before may still be on their way.
            await asyncio.sleep(_LOOK_SECONDS)
            if not self.server_state.connections:
                break
        self.should_exit = True
