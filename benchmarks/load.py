"""The rate and duration of requests on connections that stay open, each sent after an answer."""

import asyncio
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import cycle, islice
from time import perf_counter
from typing import cast

import uvloop


@dataclass(slots=True)
class Load:
    """What came of it: answers a second, how long each took, in seconds, ascending, statuses."""

    rate: float
    seconds: list[float]
    statuses: Counter[bytes]

    @property
    def rejected(self) -> int:
        """The number of responses with a status other than 200."""
        return self.statuses.total() - self.statuses[b"200"]

    def quantile(self, part: float) -> float:
        """Return the seconds within which a part of the answers arrived, such as 0.5 for half."""
        return self.seconds[min(len(self.seconds) - 1, int(part * len(self.seconds)))]


def request(path: str, body: bytes, kind: str = "application/json") -> bytes:
    """Return the bytes of a POST request."""
    head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: {kind}\r\n"
    return f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body


class Connection(asyncio.Protocol):
    """A connection that sends requests one after the other, until it has none or is stopped."""

    def __init__(self, requests: Iterator[bytes], pause: float) -> None:
        self.requests = requests
        self.pause = pause
        self.seconds: list[float] = []
        self.statuses = Counter[bytes]()
        self.buffer = b""
        self.left = 0
        self.sent = 0.0
        self.stopped = False
        self.ended = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin."""
        self.transport = cast(asyncio.Transport, transport)
        self.ask()

    def ask(self) -> None:
        """Send the next request."""
        message = next(self.requests, None)
        if self.stopped or message is None:
            self.stopped = True
            self.transport.close()
        else:
            self.sent = perf_counter()
            self.transport.write(message)

    def data_received(self, data: bytes) -> None:
        """Take in an answer, a piece at a time."""
        if self.left:
            self.left -= len(data)
        else:
            self.buffer += data
            end = self.buffer.find(b"\r\n\r\n")
            if end < 0:
                return
            head = self.buffer[:end].lower()
            at = head.index(b"content-length:") + 15
            length = int(head[at : at + 12].split(b"\r\n")[0])
            self.statuses[head[9:12]] += 1
            self.left = length - (len(self.buffer) - end - 4)
            self.buffer = b""
        if self.left <= 0:
            self.left = 0
            self.seconds.append(perf_counter() - self.sent)
            if self.pause and not self.stopped:
                due = max(0.0, self.sent + self.pause - perf_counter())
                asyncio.get_running_loop().call_later(due, self.ask)
            else:
                self.ask()

    def connection_lost(self, error: Exception | None) -> None:
        """Note whether all is answered."""
        if not self.stopped:
            error = error or ConnectionError("a connection was closed before the answer")
            self.ended.set_exception(error)
        elif not self.ended.done():
            self.ended.set_result(None)


async def _connected(
    port: int, requests: Sequence[Iterator[bytes]], pause: float
) -> list[Connection]:
    loop = asyncio.get_running_loop()
    return [
        (await loop.create_connection(partial(Connection, own, pause), "127.0.0.1", port))[1]
        for own in requests
    ]


def _load(made: Sequence[Connection], rate: float) -> Load:
    times = sorted(second for one in made for second in one.seconds)
    return Load(rate, times, sum((one.statuses for one in made), Counter()))


async def _run(
    port: int, requests: Sequence[bytes], connections: int, seconds: float, rate: float | None
) -> Load:
    offsets = (number * 7919 % len(requests) for number in range(connections))
    endless = [islice(cycle(requests), offset, None) for offset in offsets]
    made = await _connected(port, endless, connections / rate if rate else 0.0)
    started = perf_counter()
    await asyncio.sleep(seconds)
    taken = perf_counter() - started
    count = sum(len(one.seconds) for one in made)
    for one in made:
        one.stopped = True
    await asyncio.sleep(0.2)
    for one in made:
        one.transport.abort()
    return _load(made, count / taken)


async def _all(port: int, requests: Iterator[bytes], connections: int) -> Load:
    started = perf_counter()
    made = await _connected(port, [requests] * connections, 0.0)
    await asyncio.gather(*(one.ended for one in made))
    count = sum(len(one.seconds) for one in made)
    return _load(made, count / (perf_counter() - started))


def load(
    port: int,
    requests: Sequence[bytes],
    connections: int = 8,
    seconds: float = 2.0,
    rate: float | None = None,
) -> Load:
    """Load 127.0.0.1 at ``rate`` requests a second, or as fast as it answers without a rate."""
    return uvloop.run(_run(port, requests, connections, seconds, rate))


async def count_answers(reader: asyncio.StreamReader) -> int:
    """Return how many answers of a batch come in until the connection ends."""
    found, rest, mark = 0, b"", b'{"consistent":'
    while piece := await reader.read(1 << 20):
        found += (rest + piece).count(mark)
        # Too short to hold a whole one.
        rest = piece[1 - len(mark) :]
    return found


def all_answered(port: int, requests: Iterator[bytes], connections: int = 8) -> Load:
    """Send each request to 127.0.0.1 once, and return the load that they made.

    Raises:
        OSError: a connection was lost.
    """
    return uvloop.run(_all(port, requests, connections))
