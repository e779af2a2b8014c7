"""How large, how slow and how many: what clients may do to a connection.

`Bounded` is the protocol that uvicorn is to use, for what it has no options
for.
"""

import asyncio
import resource
import socket
import sys
from contextlib import suppress
from functools import cache
from http import HTTPStatus
from time import monotonic
from typing import Any, Final

import orjson
from httptools import HttpRequestParser
from uvicorn.protocols.http.httptools_impl import (
    STATUS_LINE,
    HttpToolsProtocol,
    RequestResponseCycle,
)
from uvicorn.server import ServerState

from app.middleware.chunks import ChunkSizes
from app.middleware.heads import faulty, malformed
from app.problems import ProblemError, for_now
from app.requests.scope import AHEAD, ARRIVED, LEFT
from app.settings import Settings

#: Seconds in which a client may stop sending, once it is refused. A connection that is closed
#: on bytes that nobody read is reset, and a reset takes back an answer that is on its way.
_LINGER: Final = 2.0
#: Requests that may wait for the answer to another on their connection: more than one read holds.
_PIPELINED: Final = 2000
#: Name in the state of the app's lifespan: what is told the status of each refused connection.
REFUSED: Final = "minecheck.refused"
#: Seconds between two looks whether a client is there.
_LOOK_SECONDS: Final = 1.0
#: TCP_CLOSE and TCP_CLOSE_WAIT, as Linux numbers states.
_CLOSED: Final = (7, 8)
#: Open files left for all else: pipes to workers, eight files for each of them, logs, Redis.
_OWN_FILES: Final = 4096


class Bounded(HttpToolsProtocol):
    """uvicorn's protocol, which gives up on clients that take too much.

    A request head above max_header_bytes is answered with 431; of one that does
    not end, no more than that and one read are ever held. A head that does not
    end within upload_seconds closes the connection, and so does one that never
    begins, or the rest of a request that has its answer. A chunk of 4 GiB or
    more is answered with 413 as soon as its size is there. Connections beyond
    what the limit of open files has room for are answered with 503 and closed.

    The settings are those of the environment: ``uvicorn app.main:app --http
    app.middleware.connections:Bounded``.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._most_bytes, self._seconds, self._most_connections = _bounds()
        #: Bytes since the last that was of use: the end of a head, a piece of a body.
        self._fed = 0
        #: Whether there were enough for a head that is too large; adding one up takes longer.
        self._may_be_large = False
        self._in_head = True
        self._chunks: ChunkSizes | None = None
        #: How much of what it was fed the parser has taken, and the head to feed it again.
        self._stopped_at = 0
        self._without_wish: bytes | None = None
        self._refusal: ProblemError | None = None
        self._left = asyncio.Event()
        self._due: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        if len(self.connections) > self._most_connections:
            self._refuse(_too_many_connections())
            self.transport.close()
        else:
            self._wait(self._seconds)

    def connection_lost(self, exc: Exception | None) -> None:
        self._left.set()
        _coming(self.server_state).discard(self.cycle)
        self._stop_waiting()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self._refusal is None:
            self._fed += len(data)
            self._may_be_large = self._fed > self._most_bytes
            self._parse(data)
            self._judge(data)

    def _parse(self, data: bytes) -> None:
        """Feed the parser, which stops behind a head that wishes to go on in another protocol.

        RFC 9110, section 7.8: a server may ignore it. So a new one is fed the same head, without
        the wish, and goes on.
        """
        unread = memoryview(data)
        while unread and self._refusal is None:
            self._stopped_at = len(unread)
            super().data_received(unread)  # type: ignore[arg-type]
            unread = unread[self._stopped_at :]
            if self._without_wish is not None:
                head, self._without_wish = self._without_wish, None
                self.parser = HttpRequestParser(self)
                # As uvicorn has it, for the answer to be sent first.
                self.parser.set_dangerous_leniencies(lenient_data_after_close=True)
                super().data_received(head)

    def _should_upgrade(self) -> bool:
        return False

    def _unsupported_upgrade_warning(self) -> None:
        """Note where the parser has stopped."""
        (self._stopped_at,) = sys.exc_info()[1].args  # type: ignore[union-attr]

    def on_headers_complete(self) -> None:
        if self.parser.should_upgrade() and self.parser.get_method() != b"CONNECT":
            self._without_wish = self._written_again()
            return
        if self._may_be_large and self._head() > self._most_bytes:
            self._refusal = _large_head(self._most_bytes)
        if len(self.pipeline) >= _PIPELINED:
            self._refusal = _too_many_at_once()
        version = self.parser.get_http_version()
        self._refusal = self._refusal or faulty(self.parser.get_method(), version, self.headers)
        if self._refusal is not None:
            # Stops the parser, which has uvicorn call `send_400_response`.
            raise ValueError(self._refusal)
        # Raises where the target cannot be read: then the head is what is rejected.
        super().on_headers_complete()
        self._fed = 0
        self._in_head = False
        if any(name == b"transfer-encoding" for name, _ in self.headers):
            self._chunks = ChunkSizes()

    def on_chunk_header(self) -> None:
        """Note that a chunk begins."""
        if self._chunks is not None:
            self._chunks.begun()

    def on_body(self, body: bytes) -> None:
        self._fed = 0
        if self._chunks is not None:
            self._chunks.taken(len(body))
        super().on_body(body)

    def on_chunk_complete(self) -> None:
        """Note that a chunk has ended."""
        if self._chunks is not None:
            self._chunks.ended()

    def on_message_complete(self) -> None:
        if self._without_wish is not None:
            return
        self._fed = 0
        self._in_head = True
        self._chunks = None
        _coming(self.server_state).discard(self.cycle)
        super().on_message_complete()

    def on_response_complete(self) -> None:
        # What is refused need not come in to the end.
        _coming(self.server_state).discard(self.cycle)
        super().on_response_complete()
        if self._refusal is not None and not self._answering():
            self._tell(self._refusal)

    def send_400_response(self, msg: str) -> None:
        """Reject what cannot be parsed, or should not be."""
        self._refuse(self._refusal or malformed())

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: Any) -> None:
        coming = _coming(self.server_state)
        # What is still coming in takes nobody's time.
        told = {AHEAD: len(self.tasks) - len(coming), ARRIVED: monotonic(), LEFT: self.left}
        cycle.scope.update(told)  # type: ignore[typeddict-item]
        if cycle.more_body:
            coming.add(cycle)
        super()._start_asgi_task(cycle, app)

    async def left(self) -> None:
        """Wait until the client has left, also where reading has paused."""
        while not self._left.is_set() and not _closed_by_client(self.transport):
            with suppress(TimeoutError):
                await asyncio.wait_for(self._left.wait(), _LOOK_SECONDS)

    def _judge(self, read: bytes) -> None:
        """After a read: is it too much, and whose turn is it?"""
        if self._refusal is not None or self.transport.is_closing():
            return
        if self._fed > self._most_bytes:
            self._refuse(_large_head(self._most_bytes))
        elif self._chunks is not None and self._chunks.too_large(read):
            self._refuse(_large_chunk())
        elif self._answering():
            self._stop_waiting()
        elif self._due is None:
            self._wait(self._seconds)

    def _answering(self) -> bool:
        """Whether the client waits for the app."""
        # There is none before the first request, whatever its type says.
        return self.cycle is not None and not self.cycle.response_complete  # type: ignore[redundant-expr]

    def _head(self) -> int:
        """Bytes of the head that has just ended, as it is usually written."""
        line = len(self.parser.get_method()) + len(self.url) + len("  HTTP/1.1\r\n")
        return line + sum(len(name) + len(value) + 4 for name, value in self.headers) + 2

    def _written_again(self) -> bytes:
        """The head that has just ended, without the wish for another protocol."""
        version = self.parser.get_http_version().encode()
        fields = (field for field in self.headers if field[0] != b"upgrade")
        lines = (b"%b: %b\r\n" % field for field in fields)
        first = b"%b %b HTTP/%b\r\n" % (self.parser.get_method(), self.url, version)
        return first + b"".join(lines) + b"\r\n"

    def _refuse(self, problem: ProblemError) -> None:
        """Answer when it is its turn, and read no further."""
        self._refusal = problem
        self.logger.warning("Connection rejected: %s", problem)
        if (told := self.app_state.get(REFUSED)) is not None:
            told(problem.document["status"])
        if not self._in_head and not self.pipeline and not self.cycle.response_started:
            # The app, which waits for the rest of the body, need not answer.
            self.cycle.disconnected = True
            self.cycle.message_event.set()
            self._tell(problem)
        elif not self._in_head:
            self.transport.close()
        elif not self._answering():
            self._tell(problem)
        # Else it has its turn after the answers to the requests before it.

    def _tell(self, problem: ProblemError) -> None:
        """Answer with a problem, as the last that is said on this connection."""
        self.transport.write(_written(problem, self.server_state.default_headers))
        if self.transport.can_write_eof():
            self.transport.write_eof()
        else:
            self.transport.close()
        self._stop_waiting()
        self._wait(_LINGER)

    def _wait(self, seconds: float) -> None:
        self._due = self.loop.call_later(seconds, self.transport.close)

    def _stop_waiting(self) -> None:
        if self._due is not None:
            self._due.cancel()
            self._due = None


def _closed_by_client(transport: asyncio.Transport) -> bool:
    """Whether the client has closed its end, as far as the system tells.

    Behind what it has sent and nobody has read, nothing else would say so.
    """
    connection = transport.get_extra_info("socket")
    if connection is None or not hasattr(socket, "TCP_INFO"):
        return False
    with suppress(OSError):
        state: int = connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 1)[0]
        return state in _CLOSED
    return False


def _coming(state: ServerState) -> set[RequestResponseCycle | None]:
    """Requests of a server whose bodies are still coming in."""
    coming: set[RequestResponseCycle | None] = vars(state).setdefault("minecheck_coming", set())
    return coming


@cache
def _bounds() -> tuple[int, float, int]:
    """Bytes of a head, seconds for it, and connections at once."""
    settings = Settings()
    files = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    most = files - min(_OWN_FILES, files // 4) if files != resource.RLIM_INFINITY else 1 << 20
    return settings.max_header_bytes, settings.upload_seconds, most


def raise_open_files() -> None:
    """Let this process have as many files open as it may: each connection is one."""
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    # Some systems call the hard limit infinite and allow less.
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def _written(problem: ProblemError, headers: list[tuple[bytes, bytes]]) -> bytes:
    """A problem as HTTP/1.1, after which the connection ends."""
    body = orjson.dumps(problem.document)
    fields = [
        *headers,
        *((name.encode(), value.encode()) for name, value in (problem.headers or {}).items()),
        (b"content-type", b"application/problem+json"),
        (b"content-length", b"%d" % len(body)),
        (b"connection", b"close"),
    ]
    lines = [b"%b: %b\r\n" % field for field in fields]
    return b"".join((STATUS_LINE[problem.document["status"]], *lines, b"\r\n", body))


def _large_head(most: int) -> ProblemError:
    return ProblemError(
        HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE,
        "head-too-large",
        f"The head of the request is larger than {most} bytes.",
        "Send fewer or shorter headers, or raise MINECHECK_MAX_HEADER_BYTES; boards go into "
        "the body.",
    )


def _large_chunk() -> ProblemError:
    return ProblemError(
        HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
        "body-too-large",
        "A chunk of the body is announced with 4 GiB or more.",
        "Send smaller chunks: the size of a chunk has at most eight hexadecimal digits.",
    )


def _too_many_at_once() -> ProblemError:
    return ProblemError(
        HTTPStatus.TOO_MANY_REQUESTS,
        "too-many-requests",
        f"More than {_PIPELINED} requests wait on this connection.",
        "Wait for answers.",
    )


def _too_many_connections() -> ProblemError:
    return for_now("too-many-connections", "Too many connections are open already.")
