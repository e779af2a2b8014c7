"""What `minecheck serve` runs: bound before it gets ready, and announced when it answers."""

import logging
import socket
from typing import Final

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
    found = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
    found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        found.bind((host, port))
    except UnicodeError:
        found.close()
        raise OSError(None, "That is not the name of a host") from None
    except OSError:
        found.close()
        raise
    return found


def run_server(listening: socket.socket, address: str, settings: Settings) -> None:
    """Serve on a bound socket, until a signal.

    Args:
        listening: the socket.
        address: the address by which people know it.
        settings: the settings of the service.
    """
    config = uvicorn.Config(
        "minecheck.app.main:app",
        host=listening.getsockname()[0],
        http=connections.Bounded,
        ws="none",
        timeout_graceful_shutdown=10,
        log_config=logs.logging_config(settings.log_level, logs.choose_form(settings.log_format)),
    )
    sockets = [listening, *(listening.dup() for _ in range(_ACCEPTED - 1))]
    _Announced(config, address).run(sockets)


class _Announced(uvicorn.Server):
    """Says on stdout how to ask, as soon as it answers."""

    def __init__(self, config: uvicorn.Config, address: str) -> None:
        super().__init__(config)
        self._address = address

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.should_exit:
            return
        _LOG.info("Listening on http://%s (Ctrl+C ends it)", self._address)
        print(
            "Try:\n"
            f"  curl {self._address}/v1/analyze "
            """--json '{"board": ["?????", "?222?", "?202?", "?222?", "?????"]}'\n"""
            f"Documentation: http://{self._address}/docs",
            flush=True,
        )
