"""Connections parse their input in slices, and end if the client does not read its answers.

The protocol is driven by hand: reads, turns of the loop, and a clock are those of the test.
"""

import asyncio
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from starlette.types import Receive, Scope, Send
from uvicorn import Config
from uvicorn.server import ServerState

from minecheck.app.middleware.connections import Bounded
from minecheck.app.requests.budget import BUDGET, CONNECTION_BYTES, MemoryBudget
from minecheck.app.requests.scope import LEFT

GET = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"
CHUNKED = b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
MOST = 4 << 20


class Client(asyncio.Transport):
    """A transport whose client takes all that is written, or nothing."""

    def __init__(self, *, takes: bool) -> None:
        super().__init__()
        self.takes = takes
        self.answer = bytearray()
        self.waiting = 0
        self.reading = True
        self.closed = self.aborted = False
        self.socket: object = None
        #: True if the writing end is closed; None if the transport cannot close it.
        self.eof: bool | None = None
        self.protocol: Any = None

    def write(self, data: Any) -> None:
        if self.closed:
            raise RuntimeError("as uvloop says it")
        self.answer += data
        if not self.takes:
            self.waiting += len(data)
            if self.waiting > 65536:
                self.protocol.pause_writing()

    def take(self, size: int) -> None:
        self.waiting -= size

    def get_write_buffer_size(self) -> int:
        return self.waiting

    def pause_reading(self) -> None:
        self.reading = False

    def resume_reading(self) -> None:
        self.reading = True

    def is_closing(self) -> bool:
        return self.closed

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        return self.socket if name == "socket" else default

    def can_write_eof(self) -> bool:
        return self.eof is not None

    def write_eof(self) -> None:
        self.eof = True

    def close(self) -> None:
        self.closed = True

    def abort(self) -> None:
        self.closed = self.aborted = True
        asyncio.get_running_loop().call_soon(self.protocol.connection_lost, None)


async def count_body(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer with the number of bytes of the body."""
    size, more = 0, True
    while more:
        message = await receive()
        size += len(message.get("body", b""))
        more = message.get("more_body", False)
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"<%d>" % size})


async def send_megabyte(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer with a megabyte."""
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": bytes(1 << 20)})


@contextmanager
def protocol_of(
    app: Any, loop: asyncio.AbstractEventLoop, *, takes: bool = True
) -> Iterator[tuple[Any, Client, MemoryBudget]]:
    config = Config(app, http=Bounded, lifespan="off", log_config=None, access_log=False)
    config.load()
    config.loaded_app = app
    budget = MemoryBudget(MOST)
    protocol: Any = Bounded(config, ServerState(), {BUDGET: budget}, loop)
    client = Client(takes=takes)
    client.protocol = protocol
    protocol.connection_made(client)
    yield protocol, client, budget
    protocol.connection_lost(None)
    assert budget.held == 0


def run(test: Callable[[], Any]) -> None:
    asyncio.run(test())


async def count_turns(until: Callable[[], bool], most: int = 100_000) -> int:
    """Return how many turns of the loop pass until a condition holds."""
    for number in range(most):
        if until():
            return number
        await asyncio.sleep(0)
    raise AssertionError


def test_many_small_chunks_are_parsed_in_many_turns_of_loop() -> None:
    async def test() -> None:
        with protocol_of(count_body, asyncio.get_running_loop()) as (protocol, client, _):
            count = 40_000
            body = CHUNKED + b"1\r\nx\r\n" * count + b"0\r\n\r\n"
            protocol.data_received(body)
            # Only a small part is parsed when the read returns, and reading is paused.
            assert protocol._parsed < len(body) / 4
            assert not client.reading
            assert await count_turns(lambda: b"\r\n\r\n" in client.answer) > 10
            assert b"<%d>" % count in client.answer
            assert client.reading

    run(test)


def test_few_of_many_pipelined_requests_are_parsed_ahead() -> None:
    async def test() -> None:
        with protocol_of(count_body, asyncio.get_running_loop()) as (protocol, client, _):
            protocol.data_received(GET * 5000)
            waiting = [len(protocol.pipeline)]

            def all_answered() -> bool:
                waiting.append(len(protocol.pipeline))
                return client.answer.count(b"HTTP/1.1 200 ") == 5000

            await count_turns(all_answered)
            assert max(waiting) < 250
            assert client.reading

    run(test)


@pytest.mark.parametrize("size", [1, 7, 4095, 4096, 4097, 100_000])
def test_bodies_are_whole_however_reads_are_cut(size: int) -> None:
    async def test() -> None:
        with protocol_of(count_body, asyncio.get_running_loop()) as (protocol, client, _):
            one = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 30000\r\n\r\n" + b"y" * 30_000
            both = one + CHUNKED + b"3\r\nabc\r\n" * 500 + b"0\r\n\r\n" + GET
            for start in range(0, len(both), size):
                await count_turns(lambda: client.reading)
                protocol.data_received(both[start : start + size])
            await count_turns(lambda: client.answer.count(b"HTTP/1.1 200 ") == 3)
            assert re.findall(rb"<(\d+)>", bytes(client.answer)) == [b"30000", b"1500", b"0"]

    run(test)


def test_body_of_known_length_is_parsed_at_once_and_what_follows_is_not() -> None:
    async def test() -> None:
        with protocol_of(count_body, asyncio.get_running_loop()) as (protocol, client, _):
            size = 50_000
            head = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n" % size
            protocol.data_received(head + b"y" * size + GET * 1000)
            # A slice with the head, one with the body, and one with some of the requests.
            assert protocol._steps % 100 == 2
            assert len(head) + size < protocol._parsed < len(head) + size + 3 * 4096
            assert len(protocol.pipeline) < 500
            await count_turns(lambda: client.answer.count(b"HTTP/1.1 200 ") == 1001)
            assert b"<%d>" % size in client.answer

    run(test)


async def reject_request(scope: Scope, receive: Receive, send: Send) -> None:
    """Reject a request without reading its body."""
    headers = [(b"content-length", b"0")]
    await send({"type": "http.response.start", "status": 503, "headers": headers})
    await send({"type": "http.response.body", "body": b""})


REJECTED = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 300000\r\n"


@pytest.mark.parametrize("size", [1000, 70_000, 300_000])
def test_rest_of_answered_request_body_is_discarded(size: int) -> None:
    async def test() -> None:
        with protocol_of(reject_request, asyncio.get_running_loop()) as (protocol, client, budget):
            whole = REJECTED + b"\r\n" + b"y" * 300_000 + GET
            protocol.data_received(whole[:size])
            await count_turns(lambda: client.answer.count(b"HTTP/1.1 503 ") == 1 and client.reading)
            assert budget.held == CONNECTION_BYTES
            protocol.data_received(whole[size:])
            await count_turns(lambda: client.answer.count(b"HTTP/1.1 503 ") == 2)
            assert not client.closed

    run(test)


def test_client_has_time_to_read_answer_before_connection_closes() -> None:
    async def test() -> None:
        with protocol_of(reject_request, asyncio.get_running_loop()) as (protocol, client, _):
            client.eof = False
            protocol.data_received(REJECTED + b"Connection: close\r\n\r\n" + b"y" * 100_000)
            await count_turns(lambda: bool(client.eof))
            assert client.answer.startswith(b"HTTP/1.1 503 ")
            # The client may go on sending, and nothing of that is answered.
            protocol.data_received(b"y" * 200_000 + GET)
            await count_turns(lambda: client.reading)
            assert not client.closed
            assert client.answer.count(b"HTTP/1.1 ") == 1
            # The second call closes the connection.
            protocol.transport.close()
            assert client.closed

    run(test)


class Socket:
    """A socket whose client has closed its end, as the option of the socket says."""

    def getsockopt(self, *_: int) -> bytes:
        return bytes([8])


async def wait_for_client(scope: Scope, receive: Receive, send: Send) -> None:
    """Begin an answer, and end without it once the client has disconnected."""
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await scope[LEFT]()


def test_app_that_ends_after_client_disconnected_is_not_logged_as_error(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def test() -> None:
        loop = asyncio.get_running_loop()
        with protocol_of(wait_for_client, loop) as (protocol, client, _):
            client.socket = Socket()
            protocol.data_received(GET)
            await count_turns(lambda: client.aborted)
            await asyncio.gather(*protocol.tasks)

    run(test)
    assert not [record for record in caplog.records if record.levelname == "ERROR"]


def test_response_is_dropped_when_client_of_pipelined_requests_disconnected(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def test() -> None:
        go_on = asyncio.Event()

        async def answer_later(scope: Scope, receive: Receive, send: Send) -> None:
            await go_on.wait()
            await reject_request(scope, receive, send)

        with protocol_of(answer_later, asyncio.get_running_loop()) as (protocol, client, _):
            protocol.data_received(GET * 3)
            await count_turns(lambda: bool(protocol.tasks))
            client.abort()
            await count_turns(lambda: protocol not in protocol.connections)
            go_on.set()
            await asyncio.gather(*protocol.tasks)
            assert not client.answer

    run(test)
    assert not [record for record in caplog.records if record.levelname == "ERROR"]


def test_response_that_client_does_not_read_counts_and_ends_connection() -> None:
    async def test() -> None:
        loop = asyncio.get_running_loop()
        with protocol_of(send_megabyte, loop, takes=False) as (protocol, client, budget):
            protocol.data_received(GET)
            await count_turns(lambda: len(client.answer) > 1 << 20)
            assert budget.held > CONNECTION_BYTES + (1 << 20)
            for second in range(30):
                protocol.end_if_stuck(100.0 + second, 30.0, memory_is_scarce=False)
            assert not client.aborted
            # A client that reads a byte has the whole time again.
            client.take(1)
            protocol.end_if_stuck(129.0, 30.0, memory_is_scarce=False)
            protocol.end_if_stuck(158.0, 30.0, memory_is_scarce=False)
            assert not client.aborted
            protocol.end_if_stuck(159.0, 30.0, memory_is_scarce=False)
            assert client.aborted

    run(test)


async def send_before_reading(scope: Scope, receive: Receive, send: Send) -> None:
    """Begin a long answer, and take in a body without an end."""
    await send({"type": "http.response.start", "status": 200, "headers": []})
    reading = asyncio.ensure_future(count_body(scope, receive, send))
    await send({"type": "http.response.body", "body": bytes(1 << 20), "more_body": True})
    await reading


def test_client_that_still_sends_need_not_read_yet() -> None:
    async def test() -> None:
        loop = asyncio.get_running_loop()
        with protocol_of(send_before_reading, loop, takes=False) as (protocol, client, _):
            protocol.data_received(CHUNKED)
            await count_turns(lambda: len(client.answer) > 1 << 20)
            for second in range(60):
                protocol.data_received(b"1\r\nx\r\n")
                protocol.end_if_stuck(100.0 + second, 30.0, memory_is_scarce=False)
            for second in range(60, 90):
                assert not client.aborted
                protocol.end_if_stuck(100.0 + second, 30.0, memory_is_scarce=False)
            assert client.aborted

    run(test)


@pytest.mark.parametrize("scarce", [False, True])
def test_client_that_reads_slowly_has_time_unless_memory_is_scarce(scarce: bool) -> None:
    async def test() -> None:
        loop = asyncio.get_running_loop()
        with protocol_of(send_megabyte, loop, takes=False) as (protocol, client, _):
            protocol.data_received(GET)
            await count_turns(lambda: len(client.answer) > 1 << 20)
            for second in range(60):
                client.take(1)
                protocol.end_if_stuck(100.0 + second, 30.0, memory_is_scarce=scarce)
            assert client.aborted == scarce

    run(test)
