"""What `minecheck serve` runs: bound before it gets ready, and announced when it answers."""

import logging
import socket
from collections.abc import Callable
from typing import Any, Final

import uvicorn

from minecheck.app.middleware import connections
from minecheck.app.settings import Settings
from minecheck.app.telemetry import logs

_LOG: Final = logging.getLogger("minecheck.server")
#: The event loop takes in one new connection of each listening socket at a time. Where many
#: clients are served in between, others would wait for long at the door of a single one.
_ACCEPTED: Final = 32


def bind_socket(host: str, port: int) -> socket.socket:
    """Bind a TCP socket to an address; it lets nobody in yet.

    Args:
        host: the name or the address of this machine.
        port: the port; 0 becomes a free one.

    Raises:
        OSError: the address is in use, not one of this machine, or not allowed.
    """
    listener = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
    except UnicodeError:
        listener.close()
        raise OSError(None, "That is not the name of a host") from None
    except OSError:
        listener.close()
        raise
    return listener


def run_server(listening: socket.socket, settings: Settings, announce: Callable[[], None]) -> None:
    """Serve on a bound socket, until a signal."""
    AnnouncedServer(build_config(listening, settings), announce).run(list_sockets(listening))


def build_config(listening: socket.socket, settings: Settings, **options: Any) -> uvicorn.Config:
    """Build the configuration of a server, with further options of uvicorn."""
    defaults = {
        "host": listening.getsockname()[0],
        "http": connections.Bounded,
        "ws": "none",
        "timeout_graceful_shutdown": 10,
        "log_config": logs.logging_config(
            settings.log_level, logs.choose_form(settings.log_format)
        ),
    }
    return uvicorn.Config("minecheck.app.main:app", **defaults | options)


def list_sockets(listening: socket.socket) -> list[socket.socket]:
    """List the sockets to serve on, which share the address of one."""
    # A copy of a blocking socket would block all, those of other processes too.
    listening.setblocking(False)
    return [listening, *(listening.dup() for _ in range(_ACCEPTED - 1))]


def announce_address(address: str) -> None:
    """Say on stdout how to ask."""
    _LOG.info("Listening on http://%s (Ctrl+C ends it)", address)
    print(
        "Try:\n"
        f"  curl {address}/v1/analyze "
        """--json '{"board": ["?????", "?222?", "?202?", "?222?", "?????"]}'\n"""
        f"Documentation: http://{address}/docs",
        flush=True,
    )


class AnnouncedServer(uvicorn.Server):
    """A server that calls a function as soon as it answers."""

    def __init__(self, config: uvicorn.Config, announce: Callable[[], None]) -> None:
        super().__init__(config)
        self._announce = announce

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, and call the function unless that failed."""
        await super().startup(sockets)
        if not self.should_exit:
            self._announce()
