"""Requests over connections that stay open, each answered before the next: how many, how long."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import cast

import uvloop


@dataclass(slots=True)
class Load:
    """What came of it: answers a second, and how long each took, in seconds, ascending."""

    rate: float
    seconds: list[float]
    refused: int

    def quantile(self, part: float) -> float:
        """How long the quickest part of the answers took at most."""
        return self.seconds[min(len(self.seconds) - 1, int(part * len(self.seconds)))]


def request(path: str, body: bytes, kind: str = "application/json") -> bytes:
    """A POST as it goes over the wire."""
    head = f"POST {path} HTTP/1.1\r\nHost: bench\r\nContent-Type: {kind}\r\n"
    return f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body


class Connection(asyncio.Protocol):
    """Sends one request after the other, as soon as it may, until told to stop."""

    def __init__(self, requests: Sequence[bytes], offset: int, pause: float) -> None:
        self.requests = requests
        self.next = offset
        self.pause = pause
        self.seconds: list[float] = []
        self.refused = 0
        self.buffer = b""
        self.left = 0
        self.sent = 0.0
        self.stopped = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin."""
        self.transport = cast(asyncio.Transport, transport)
        self.ask()

    def ask(self) -> None:
        """Send the next request."""
        self.sent = perf_counter()
        self.transport.write(self.requests[self.next % len(self.requests)])
        self.next += 1

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
            self.refused += not self.buffer.startswith(b"HTTP/1.1 200")
            self.left = length - (len(self.buffer) - end - 4)
            self.buffer = b""
        if self.left <= 0:
            self.left = 0
            self.seconds.append(perf_counter() - self.sent)
            if self.stopped:
                self.transport.close()
            elif self.pause:
                due = max(0.0, self.sent + self.pause - perf_counter())
                asyncio.get_running_loop().call_later(due, self.ask)
            else:
                self.ask()


async def _run(
    port: int, requests: Sequence[bytes], connections: int, seconds: float, rate: float | None
) -> Load:
    loop = asyncio.get_running_loop()
    pause = connections / rate if rate else 0.0
    made = [
        (
            await loop.create_connection(
                lambda number=number: Connection(requests, number * 7919, pause), "127.0.0.1", port
            )
        )[1]
        for number in range(connections)
    ]
    started = perf_counter()
    await asyncio.sleep(seconds)
    taken = perf_counter() - started
    answered = sum(len(one.seconds) for one in made)
    for one in made:
        one.stopped = True
    await asyncio.sleep(0.2)
    for one in made:
        one.transport.abort()
    times = sorted(second for one in made for second in one.seconds)
    return Load(answered / taken, times, sum(one.refused for one in made))


def load(
    port: int,
    requests: Sequence[bytes],
    connections: int = 8,
    seconds: float = 2.0,
    rate: float | None = None,
) -> Load:
    """Load on 127.0.0.1, as much as it takes, or so many requests a second."""
    return uvloop.run(_run(port, requests, connections, seconds, rate))
