"""A batch is read on while its client takes no answers, as far as there is memory for it."""

import asyncio
import json
import socket
from collections.abc import Iterator

import pytest
from starlette.types import Message

from minecheck.app.batch.memory import BatchMemory
from minecheck.app.batch.read_ahead import ClientLeft, ReadAhead
from minecheck.app.problems import TooManyBatches
from minecheck.app.requests.budget import MemoryBudget, MemoryShare
from tests.app.serving import serving

PIECE = 1 << 16
BUDGET = 64 * PIECE


class Sender:
    """A client that sends pieces as quickly as they are received."""

    def __init__(self, pieces: int) -> None:
        self.left = pieces

    async def receive(self) -> Message:
        await asyncio.sleep(0)
        if not self.left:
            return {"type": "http.disconnect"}
        self.left -= 1
        return {"type": "http.request", "body": bytes(PIECE), "more_body": self.left > 0}


async def turn_loop() -> None:
    for _ in range(500):
        await asyncio.sleep(0)


@pytest.mark.parametrize(
    ("most", "taken", "left"),
    [(1000 * PIECE, 0, 0), (10 * PIECE, 0, 90), (1000 * PIECE, BUDGET, 100)],
    ids=["room for all", "limit of a body", "no memory"],
)
def test_body_is_read_ahead_while_answers_wait_as_far_as_there_is_room(
    most: int, taken: int, left: int
) -> None:
    async def test() -> None:
        budget = MemoryBudget(1000 * PIECE if not taken else BUDGET)
        sender = Sender(100)
        memory = BatchMemory(MemoryShare(budget, "a"), 60.0)
        MemoryShare(budget, "b").set(taken)
        ahead = ReadAhead(sender.receive, memory, most, patience=0.0)
        receiving = asyncio.create_task(ahead.receive_pieces())
        await turn_loop()
        # Nobody wants it yet, and no answer waits.
        assert sender.left == 100
        with ahead.watch_sending():
            await turn_loop()
            assert sender.left == left
            assert budget.held == taken + (100 - left) * PIECE
        sizes = [len(piece) async for piece in ahead.iterate_pieces()]
        assert sizes == [PIECE] * 100
        assert budget.held == taken
        await receiving

    asyncio.run(test())


def test_body_is_not_read_ahead_of_client_that_takes_answers() -> None:
    async def test() -> None:
        sender = Sender(100)
        memory = BatchMemory(MemoryShare(MemoryBudget(1000 * PIECE), "a"), 60.0)
        ahead = ReadAhead(sender.receive, memory, 1000 * PIECE, patience=3600.0)
        receiving = asyncio.create_task(ahead.receive_pieces())
        pieces = ahead.iterate_pieces()
        await anext(pieces)
        with ahead.watch_sending():
            await turn_loop()
        await turn_loop()
        assert sender.left == 99
        receiving.cancel()

    asyncio.run(test())


@pytest.mark.parametrize("error", [ClientLeft(), TooManyBatches()])
def test_why_nothing_more_is_received_is_raised_behind_what_has_come(error: Exception) -> None:
    messages: Iterator[Message] = iter(
        [{"type": "http.request", "body": b"1", "more_body": True}, {"type": "http.disconnect"}]
    )

    async def receive() -> Message:
        message = next(messages)
        if message["type"] == "http.disconnect" and not isinstance(error, ClientLeft):
            raise error
        return message

    async def test() -> None:
        memory = BatchMemory(MemoryShare(MemoryBudget(1 << 20), "a"), 60.0)
        ahead = ReadAhead(receive, memory, 1 << 20, patience=0.0)
        with ahead.watch_sending():
            await turn_loop()
            receiving = asyncio.create_task(ahead.receive_pieces())
            pieces = ahead.iterate_pieces()
            assert await anext(pieces) == b"1"
            with pytest.raises(type(error)):
                await anext(pieces)
            await receiving

    asyncio.run(test())


@pytest.mark.slow
def test_client_that_sends_whole_batch_before_it_reads_gets_all_answers() -> None:
    # Answers of some 57 kB each to a body that no buffers of the system hold.
    question = json.dumps({"board": ["?" * 30] * 16, "pad": "x" * 20_000}).encode() + b"\n"
    body = question * 1000
    options = {"MINECHECK_MAX_BODY_BYTES": str(32 << 20), "MINECHECK_REQUESTS_MB": "256"}
    with serving(options, cli=True) as server:
        answer = server.send(
            "POST",
            "/v1/batch?task=analyze",
            content=body,
            headers={"Content-Type": "application/x-ndjson"},
            timeout=60.0,
        )
    assert answer.status_code == 200
    assert answer.content.count(b'"consistent":true') == 1000
    assert answer.content.endswith(b"}\n")


@pytest.mark.slow
def test_client_that_never_reads_is_cut_off_with_a_body_beyond_what_is_read_ahead() -> None:
    question = json.dumps({"board": ["?" * 30] * 16, "pad": "x" * 20_000}).encode() + b"\n"
    options = {"MINECHECK_MAX_BODY_BYTES": str(1 << 20), "MINECHECK_DOWNLOAD_SECONDS": "2"}
    head = (
        b"POST /v1/batch?task=analyze HTTP/1.1\r\nHost: x\r\n"
        b"Content-Type: application/x-ndjson\r\nContent-Length: %d\r\n\r\n"
    )
    with (
        serving(options, cli=True) as server,
        socket.create_connection(("127.0.0.1", server.port), timeout=60) as client,
    ):
        client.sendall(head % (5000 * len(question)))
        with pytest.raises(ConnectionError):
            client.sendall(5000 * question)
        assert server.at_rest()
