"""What comes in is parsed in slices, and what a client does not take ends its connection.

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
        #: Whether no more is written, where that can be said.
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


async def reads_all(scope: Scope, receive: Receive, send: Send) -> None:
    """An app that answers with the number of bytes of the body."""
    size, more = 0, True
    while more:
        message = await receive()
        size += len(message.get("body", b""))
        more = message.get("more_body", False)
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"<%d>" % size})


async def says_much(scope: Scope, receive: Receive, send: Send) -> None:
    """An app whose answer has a megabyte."""
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


async def turns(until: Callable[[], bool], most: int = 100_000) -> int:
    """How many turns of the loop pass until something holds."""
    for number in range(most):
        if until():
            return number
        await asyncio.sleep(0)
    raise AssertionError


def test_many_small_chunks_are_read_in_many_turns() -> None:
    async def test() -> None:
        with protocol_of(reads_all, asyncio.get_running_loop()) as (protocol, client, _):
            count = 40_000
            body = CHUNKED + b"1\r\nx\r\n" * count + b"0\r\n\r\n"
            protocol.data_received(body)
            # Far less than all is parsed when the read returns, and nothing else is read.
            assert protocol._parsed < len(body) / 4
            assert not client.reading
            assert await turns(lambda: b"\r\n\r\n" in client.answer) > 10
            assert b"<%d>" % count in client.answer
            assert client.reading

    run(test)


def test_of_many_requests_few_are_parsed_ahead_and_all_are_answered() -> None:
    async def test() -> None:
        with protocol_of(reads_all, asyncio.get_running_loop()) as (protocol, client, _):
            protocol.data_received(GET * 5000)
            waiting = [len(protocol.pipeline)]

            def all_answered() -> bool:
                waiting.append(len(protocol.pipeline))
                return client.answer.count(b"HTTP/1.1 200 ") == 5000

            await turns(all_answered)
            assert max(waiting) < 250
            assert client.reading

    run(test)


@pytest.mark.parametrize("size", [1, 7, 4095, 4096, 4097, 100_000])
def test_bodies_are_whole_however_they_are_cut(size: int) -> None:
    async def test() -> None:
        with protocol_of(reads_all, asyncio.get_running_loop()) as (protocol, client, _):
            one = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 30000\r\n\r\n" + b"y" * 30_000
            both = one + CHUNKED + b"3\r\nabc\r\n" * 500 + b"0\r\n\r\n" + GET
            for start in range(0, len(both), size):
                await turns(lambda: client.reading)
                protocol.data_received(both[start : start + size])
            await turns(lambda: client.answer.count(b"HTTP/1.1 200 ") == 3)
            assert re.findall(rb"<(\d+)>", bytes(client.answer)) == [b"30000", b"1500", b"0"]

    run(test)


async def rejects(scope: Scope, receive: Receive, send: Send) -> None:
    """An app that answers without asking for the body, and closes for who wants that."""
    headers = [(b"content-length", b"0")]
    await send({"type": "http.response.start", "status": 503, "headers": headers})
    await send({"type": "http.response.body", "body": b""})


REJECTED = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 300000\r\n"


@pytest.mark.parametrize("size", [1000, 70_000, 300_000])
def test_the_rest_of_a_body_that_has_its_answer_is_thrown_away(size: int) -> None:
    async def test() -> None:
        with protocol_of(rejects, asyncio.get_running_loop()) as (protocol, client, budget):
            whole = REJECTED + b"\r\n" + b"y" * 300_000 + GET
            protocol.data_received(whole[:size])
            await turns(lambda: client.answer.count(b"HTTP/1.1 503 ") == 1 and client.reading)
            assert budget.held == CONNECTION_BYTES
            protocol.data_received(whole[size:])
            await turns(lambda: client.answer.count(b"HTTP/1.1 503 ") == 2)
            assert not client.closed

    run(test)


def test_who_closes_behind_a_body_has_time_to_read_the_answer() -> None:
    async def test() -> None:
        with protocol_of(rejects, asyncio.get_running_loop()) as (protocol, client, _):
            client.eof = False
            protocol.data_received(REJECTED + b"Connection: close\r\n\r\n" + b"y" * 100_000)
            await turns(lambda: bool(client.eof))
            assert client.answer.startswith(b"HTTP/1.1 503 ")
            # It may go on sending, and nothing of it is answered.
            protocol.data_received(b"y" * 200_000 + GET)
            await turns(lambda: client.reading)
            assert not client.closed
            assert client.answer.count(b"HTTP/1.1 ") == 1
            # Whoever says so again means it.
            protocol.transport.close()
            assert client.closed

    run(test)


class Socket:
    """A socket whose client has closed its end, as the system tells."""

    def getsockopt(self, *_: int) -> bytes:
        return bytes([8])


async def waits_for_the_client(scope: Scope, receive: Receive, send: Send) -> None:
    """An app that begins an answer, and ends without it once its client has left."""
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await scope[LEFT]()


def test_an_app_that_ends_as_its_client_has_left_is_not_said_to_fail(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def test() -> None:
        loop = asyncio.get_running_loop()
        with protocol_of(waits_for_the_client, loop) as (protocol, client, _):
            client.socket = Socket()
            protocol.data_received(GET)
            await turns(lambda: client.aborted)
            await asyncio.gather(*protocol.tasks)

    run(test)
    assert not [record for record in caplog.records if record.levelname == "ERROR"]


def test_an_answer_is_left_out_when_its_client_has_left_with_others_behind_it(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def test() -> None:
        go_on = asyncio.Event()

        async def answers_later(scope: Scope, receive: Receive, send: Send) -> None:
            await go_on.wait()
            await rejects(scope, receive, send)

        with protocol_of(answers_later, asyncio.get_running_loop()) as (protocol, client, _):
            protocol.data_received(GET * 3)
            await turns(lambda: bool(protocol.tasks))
            client.abort()
            await turns(lambda: protocol not in protocol.connections)
            go_on.set()
            await asyncio.gather(*protocol.tasks)
            assert not client.answer

    run(test)
    assert not [record for record in caplog.records if record.levelname == "ERROR"]


def test_what_nobody_takes_counts_and_ends_the_connection() -> None:
    async def test() -> None:
        loop = asyncio.get_running_loop()
        with protocol_of(says_much, loop, takes=False) as (protocol, client, budget):
            protocol.data_received(GET)
            await turns(lambda: len(client.answer) > 1 << 20)
            assert budget.held > CONNECTION_BYTES + (1 << 20)
            for second in range(30):
                protocol.end_if_stuck(100.0 + second, 30.0, memory_is_scarce=False)
            assert not client.aborted
            # What takes some of it has its time again.
            client.take(1)
            protocol.end_if_stuck(129.0, 30.0, memory_is_scarce=False)
            protocol.end_if_stuck(158.0, 30.0, memory_is_scarce=False)
            assert not client.aborted
            protocol.end_if_stuck(159.0, 30.0, memory_is_scarce=False)
            assert client.aborted

    run(test)


@pytest.mark.parametrize("scarce", [False, True])
def test_who_takes_little_has_time_unless_memory_is_scarce(scarce: bool) -> None:
    async def test() -> None:
        loop = asyncio.get_running_loop()
        with protocol_of(says_much, loop, takes=False) as (protocol, client, _):
            protocol.data_received(GET)
            await turns(lambda: len(client.answer) > 1 << 20)
            for second in range(60):
                client.take(1)
                protocol.end_if_stuck(100.0 + second, 30.0, memory_is_scarce=scarce)
            assert client.aborted == scarce

    run(test)
