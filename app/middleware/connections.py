"""How large, how slow and how many: what clients may do to a connection.

`Bounded` is the protocol that uvicorn is to use, for what it has no options
for. It builds on parts of uvicorn that are not public, beside those that
`app.middleware.slices` lists: ``_start_asgi_task`` begins every request, the first as well as those
that waited; what ends a connection calls ``transport.close``; of a cycle, ``more_body``,
``response_started``, ``response_complete``, ``disconnected`` and ``message_event``; and of the
server state ``default_headers``. The test that is named there holds these, too.
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
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, RequestResponseCycle
from uvicorn.server import ServerState

from minecheck.app.middleware.chunks import ChunkSizes
from minecheck.app.middleware.flow import CountingTransport, Outgoing, Watch
from minecheck.app.middleware.heads import find_fault, make_malformed_problem
from minecheck.app.middleware.slices import Sliced
from minecheck.app.problems import ProblemError, make_temporary_problem
from minecheck.app.requests.budget import (
    BUDGET,
    CONNECTION_BYTES,
    NOBODY,
    MemoryBudget,
    MemoryShare,
    OutOfMemoryBudget,
)
from minecheck.app.requests.scope import AHEAD, ARRIVED, BOUND, LEFT, read_network
from minecheck.app.settings import Settings

#: The seconds in which a rejected client may stop sending. Closing a connection with unread bytes
#: resets it, and a reset takes back an answer that is on its way.
_LINGER: Final = 2.0
#: The approximate size of a waiting request besides its body, in bytes.
_REQUEST_BYTES: Final = 4096
#: A name in the state of the app's lifespan: the callback for the status of each rejected
#: connection.
REFUSED: Final = "minecheck.refused"
#: Seconds between two looks whether a client is there.
_LOOK_SECONDS: Final = 1.0
#: TCP_CLOSE and TCP_CLOSE_WAIT, as Linux numbers states.
_CLOSED: Final = (7, 8)
#: Open files left for all else: pipes to workers, eight files for each of them, logs, Redis.
_OWN_FILES: Final = 4096


class Bounded(Sliced):
    """uvicorn's protocol in slices, which gives up on clients that take too much.

    A request head above max_header_bytes is answered with 431; of one that does
    not end, no more than that and one read are ever held. A head that does not
    end within upload_seconds closes the connection, and so does one that never
    begins, or the rest of a request that has its answer. A chunk of 4 GiB or
    more is answered with 413 as soon as its size is there. Fields after a
    chunked body (its trailer) are ignored, and answered with 431 if they are
    larger than a head may be. Connections beyond
    what the limit of open files, or memory, has room for are answered with 503
    and closed, and those whose client takes nothing of an answer, and sends nothing more of its
    request, for download_seconds are closed. A connection that ends with an answer while
    the body of the request still comes in stays open for its client to read it.

    The settings are those of the environment: ``uvicorn minecheck.app.main:app --http
    minecheck.app.middleware.connections:Bounded``.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._most_bytes, self._seconds, self._download_seconds, self._most_connections = (
            _read_bounds()
        )
        #: Bytes since the last that was of use: the end of a head, a piece of a body.
        self._fed = 0
        #: Checked first, since adding up the sizes takes longer: enough fields for a head that is
        #: too large.
        self._may_be_large = False
        self._in_head = True
        self._chunks: ChunkSizes | None = None
        self._fault: ProblemError | None = None
        self._coming = _ensure_cycles(self.server_state)
        #: Bytes that were parsed, and at the last look at all connections.
        self._taken_in = self._taken_in_before = 0
        #: The request that is being answered, or that was answered last.
        self._last_cycle: RequestResponseCycle | None = None
        self._left = asyncio.Event()
        self._due: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Count the connection and its memory, and reject it if there are too many."""
        counting = CountingTransport(transport, self._close_connection)
        super().connection_made(counting)  # type: ignore[arg-type]
        budget = self.app_state.get(BUDGET) or MemoryBudget(sys.maxsize)
        self._share = MemoryShare(budget, NOBODY)
        self._outgoing = Outgoing(counting)
        _ensure_watch(self.server_state, budget, self._download_seconds).begin()
        self._share.set(CONNECTION_BYTES)
        most = min(self._most_connections, budget.most_connections)
        if len(self.connections) > most:
            self._send_problem_in_turn(_make_connections_problem())
            counting.end_now()
        else:
            self._wait_for_bytes(self._seconds)

    def connection_lost(self, exc: Exception | None) -> None:
        """Signal to the request in progress that its client has left, and give back the memory."""
        self._left.set()
        if self._last_cycle is not None and not self._last_cycle.response_complete:
            # uvicorn notifies only the latest request, which may wait behind this one.
            self._last_cycle.disconnected = True
            self._last_cycle.message_event.set()
        self._share.close()
        self._coming.discard(self.cycle)
        self._stop_waiting()
        super().connection_lost(exc)

    def _take_in(self, data: bytes) -> None:
        if not self._is_deaf:
            self._fed += len(data)
            self._taken_in += len(data)
            self._may_be_large = self._fed > self._most_bytes
            self._parse_slice(data)
            self._judge_read(data)

    def _note_held(self) -> None:
        if self._is_crowded() or self._share.held > CONNECTION_BYTES:
            self._count_bytes()

    def _count_bytes(self) -> int:
        """Have all that waits here count; return the bytes of what has come in."""
        body = len(self.cycle.body) if self.cycle is not None else 0  # type: ignore[redundant-expr]
        coming = len(self._unread) + body + _REQUEST_BYTES * len(self.pipeline)
        self._share.set(CONNECTION_BYTES + coming + self._outgoing.transport.waiting)
        return coming

    def on_headers_complete(self) -> None:
        """Check a head, and prepare for its body.

        Raises:
            ValueError: the head is rejected, which stops the parser.
        """
        if self._is_parsed_again():
            return
        if self._may_be_large and self._head_bytes() > self._most_bytes:
            self._fault = _make_large_head_problem(self._most_bytes)
        version = self.parser.get_http_version()
        self._fault = self._fault or find_fault(self.parser.get_method(), version, self.headers)
        if self._fault is not None:
            # Stops the parser, which has uvicorn call `send_400_response`.
            raise ValueError(self._fault)
        # Raises where the target cannot be read: then the head is what is rejected.
        super().on_headers_complete()
        self._fed = 0
        self._in_head = False
        for name, _ in self.headers:
            if name == b"transfer-encoding":
                self._chunks = ChunkSizes()
                self._ignore_trailer()
                break

    def on_chunk_header(self) -> None:
        """Note that a chunk begins."""
        super().on_chunk_header()
        if self._chunks is not None:
            self._chunks.begin_chunk()

    def on_body(self, body: bytes) -> None:
        """Count the bytes of a body."""
        self._fed = 0
        if self._chunks is not None:
            self._chunks.take_bytes(len(body))
        super().on_body(body)

    def on_chunk_complete(self) -> None:
        """Note that a chunk has ended; the last one ends with the trailer.

        Raises:
            ValueError: the trailer is too large, which stops the parser.
        """
        if self._chunks is not None:
            self._chunks.end_chunk()
            if _count_bytes(self.headers) > self._most_bytes:
                self._fault = _make_large_trailer_problem(self._most_bytes)
                # Stops the parser, which has uvicorn call `send_400_response`.
                raise ValueError(self._fault)

    def on_message_complete(self) -> None:
        """Note that a request has come in whole."""
        if self._without_wish is not None:
            return
        self._fed = 0
        self._in_head = True
        self._chunks = None
        self._coming.discard(self.cycle)
        super().on_message_complete()

    def on_response_complete(self) -> None:
        """Note that a request has its answer, and send a problem that had to wait for its turn."""
        # The rest of a rejected request need not arrive.
        self._coming.discard(self.cycle)
        super().on_response_complete()
        if self._fault is not None and not self._is_answering():
            self._send_problem(self._fault)

    def send_400_response(self, msg: str) -> None:
        """Reject what cannot be parsed, or should not be."""
        self._send_problem_in_turn(self._fault or make_malformed_problem())

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: Any) -> None:
        self._last_cycle = cycle
        scope: dict[str, Any] = cycle.scope  # type: ignore[assignment]
        # Requests that are still arriving use no time.
        scope[AHEAD] = len(self.tasks) - len(self._coming)
        scope[ARRIVED] = monotonic()
        scope[BOUND] = self.config.host
        scope[LEFT] = self.wait_until_left
        if cycle.more_body:
            self._coming.add(cycle)
        super()._start_asgi_task(cycle, app)

    def pause_writing(self) -> None:
        """Count the bytes that the client has not taken for the client."""
        super().pause_writing()
        # Bytes that the client has not taken outlive the request that they answer.
        if self.cycle is not None:
            self._share.move_to(read_network(self.cycle.scope))
        self._count_bytes()

    def resume_writing(self) -> None:
        """Count the connection for nobody again."""
        super().resume_writing()
        self._share.move_to(NOBODY)
        self._count_bytes()

    def end_if_stuck(self, now: float, seconds: float, *, memory_is_scarce: bool) -> None:
        """Close the connection if its client does not take what was written to it.

        What an app streams waits for its client, so it may take its time; what an app has ended
        is held until it is taken, and has to be taken faster if memory is scarce. Then nobody may
        leave much here either that is not its turn.

        Args:
            now: the time on the monotonic clock.
            seconds: how long a client may take nothing.
            memory_is_scarce: whether more than half of the memory is taken.
        """
        coming = self._count_bytes()
        ended = not self._is_answering()
        stands_still = self._taken_in == self._taken_in_before
        self._taken_in_before = self._taken_in
        is_sending = not stands_still and self.cycle in self._coming
        slow_is_stuck = memory_is_scarce and ended
        if self._outgoing.is_stuck(
            now, seconds, slow_is_stuck=slow_is_stuck, is_sending=is_sending
        ):
            self.logger.warning("Connection closed: the client did not read the answer in time")
            self.transport.abort()
        elif coming > CONNECTION_BYTES and stands_still and memory_is_scarce and not self._is_deaf:
            self._send_problem_in_turn(OutOfMemoryBudget())
            self._unread, self._parsed = b"", 0

    async def wait_until_left(self) -> None:
        """Wait until the client has left, also where reading has paused."""
        while not self._left.is_set() and not _closed_by_client(self.transport):
            with suppress(TimeoutError):
                await asyncio.wait_for(self._left.wait(), _LOOK_SECONDS)
        if not self._left.is_set():
            # Otherwise an app that gives up on its answer would count as one that fails.
            self.transport.abort()
            await self._left.wait()

    def _judge_read(self, read: bytes) -> None:
        """Judge a read: is it too much, and whose turn is it?"""
        if self._is_deaf or self.transport.is_closing():
            return
        if self._fed > self._most_bytes:
            large = _make_large_head_problem if self._in_head else _make_large_trailer_problem
            self._send_problem_in_turn(large(self._most_bytes))
        elif self._chunks is not None and self._chunks.exceeds_chunk_limit(read):
            self._send_problem_in_turn(_make_large_chunk_problem())
        elif self._is_answering():
            self._stop_waiting()
        elif self._due is None:
            self._wait_for_bytes(self._seconds)

    def _is_answering(self) -> bool:
        """Return True if the client waits for the app."""
        # There is none before the first request, whatever its type says.
        return self.cycle is not None and not self.cycle.response_complete  # type: ignore[redundant-expr]

    def _head_bytes(self) -> int:
        """Return the bytes of the head that has just ended, as it is usually written."""
        line = len(self.parser.get_method()) + len(self.url) + len("  HTTP/1.1\r\n")
        return line + _count_bytes(self.headers) + 2

    def _ignore_trailer(self) -> None:
        """Let the fields after the body change neither the request nor the connection.

        RFC 9110, section 6.5.1: only fields that are defined as trailers may be merged into the
        head, and the service knows none.
        """
        # The parser hands them over as it does those of the head, which the request has by now.
        self.headers = []
        # Else `Connection: close` among them would have it drop the requests that follow.
        keeps = self.parser.should_keep_alive()
        self.parser.set_dangerous_leniencies(lenient_keep_alive=keeps)

    def _send_problem_in_turn(self, problem: ProblemError) -> None:
        """Answer when it is its turn, and read no further."""
        self._fault = problem
        self._is_deaf = True
        self.logger.warning("Connection rejected: %s", problem)
        if (count_rejection := self.app_state.get(REFUSED)) is not None:
            count_rejection(problem.document["status"])
        if not self._in_head and self.pipeline:
            # The app has not begun with the request whose body is at fault: it is withdrawn, and
            # the answers to those before it go first.
            self.pipeline.popleft()
            self.cycle = self.pipeline[0][0] if self.pipeline else self._last_cycle  # type: ignore[assignment]
            self._in_head = True
        if not self._in_head and not self.cycle.response_started:
            # The app, which waits for the rest of the body, need not answer.
            self.cycle.disconnected = True
            self.cycle.message_event.set()
            self._send_problem(problem)
        elif not self._in_head:
            self.transport.close()
        elif not self._is_answering():
            self._send_problem(problem)
        # Otherwise its turn comes after the answers to the requests before it.

    def _send_problem(self, problem: ProblemError) -> None:
        """Answer with a problem, as the last that is said on this connection."""
        self.transport.write(_render_problem(problem, self.server_state.default_headers))
        self._close_later()

    def _close_connection(self) -> None:
        """Close the connection, which may be an answer's end while the request still comes in."""
        if self._in_head or self._is_deaf or self._is_answering() or self.transport.is_closing():
            self._outgoing.transport.end_now()
        else:
            self._is_deaf = True
            self._close_later()

    def _close_later(self) -> None:
        """Say no more, and close when the client had time to read what was said."""
        if self.transport.can_write_eof():
            self.transport.write_eof()
        else:
            self._outgoing.transport.end_now()
        self._stop_waiting()
        self._wait_for_bytes(_LINGER)

    def _wait_for_bytes(self, seconds: float) -> None:
        self._due = self.loop.call_later(seconds, self.transport.close)

    def _stop_waiting(self) -> None:
        if self._due is not None:
            self._due.cancel()
            self._due = None


def _count_bytes(fields: list[tuple[bytes, bytes]]) -> int:
    """Return the size of header fields as they are usually written."""
    return sum(len(name) + len(value) + 4 for name, value in fields)


def _closed_by_client(transport: asyncio.Transport) -> bool:
    """Return True if the client has closed its end, as far as the system reports.

    Behind what it has sent and nobody has read, nothing else would say so.
    """
    connection = transport.get_extra_info("socket")
    if connection is None or not hasattr(socket, "TCP_INFO"):
        return False
    with suppress(OSError):
        state: int = connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 1)[0]
        return state in _CLOSED
    return False


def _ensure_cycles(state: ServerState) -> set[RequestResponseCycle | None]:
    """Return the requests of a server whose bodies are still coming in."""
    coming: set[RequestResponseCycle | None] = vars(state).setdefault("minecheck_coming", set())
    return coming


def _ensure_watch(state: ServerState, budget: MemoryBudget, seconds: float) -> Watch:
    """Return the watch over the connections of a server."""
    watch: Watch | None = vars(state).get("minecheck_watch")
    if watch is None:
        watch = vars(state)["minecheck_watch"] = Watch(state.connections, budget, seconds)
    return watch


@cache
def _read_bounds() -> tuple[int, float, float, int]:
    """Return bytes of a head, seconds for it, seconds without a byte taken, and connections."""
    settings = Settings()
    files = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    most = files - min(_OWN_FILES, files // 4) if files != resource.RLIM_INFINITY else 1 << 20
    return settings.max_header_bytes, settings.upload_seconds, settings.download_seconds, most


def raise_open_files() -> None:
    """Let this process have as many files open as it may: each connection is one."""
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    # Some systems call the hard limit infinite and allow less.
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def _render_problem(problem: ProblemError, headers: list[tuple[bytes, bytes]]) -> bytes:
    """Render a problem as HTTP/1.1, after which the connection ends."""
    body = orjson.dumps(problem.document) + b"\n"
    fields = [
        *headers,
        *((name.encode(), value.encode()) for name, value in (problem.headers or {}).items()),
        (b"content-type", b"application/problem+json"),
        (b"content-length", b"%d" % len(body)),
        (b"connection", b"close"),
    ]
    lines = [b"%b: %b\r\n" % field for field in fields]
    return b"".join((STATUS_LINE[problem.document["status"]], *lines, b"\r\n", body))


def _make_large_head_problem(most: int) -> ProblemError:
    return ProblemError(
        HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE,
        "head-too-large",
        f"The request line and the headers take more than {most} bytes.",
        "Send fewer or shorter headers, and the board in the body; or raise "
        "MINECHECK_MAX_HEADER_BYTES.",
    )


def _make_large_trailer_problem(most: int) -> ProblemError:
    return ProblemError(
        HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE,
        "trailer-too-large",
        f"The trailer fields after the body, or the extensions of a chunk, take more than {most} "
        "bytes.",
        "Leave out trailer fields and chunk extensions: the service ignores both.",
    )


def _make_large_chunk_problem() -> ProblemError:
    return ProblemError(
        HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
        "body-too-large",
        "The size of a chunk of the body is 4 GiB or more.",
        "Send smaller chunks: the size of a chunk has at most eight hexadecimal digits.",
    )


def _make_connections_problem() -> ProblemError:
    return make_temporary_problem(
        "too-many-connections", "As many connections are open as the service allows."
    )
