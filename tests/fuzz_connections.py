"""Bytes as they come over a connection, read by the protocol that the service uses.

The app behind it reads each body and tells its length, so what is tried is heads, bodies, chunks,
pipelines and how they are rejected.
"""

import asyncio
import logging
from collections.abc import Mapping
from functools import cache
from random import Random
from typing import Any, Final
from zlib import crc32

from uvicorn.config import Config
from uvicorn.server import ServerState

from minecheck.app.middleware.connections import Bounded
from minecheck.app.settings import Settings

_HOST: Final = b" HTTP/1.1\r\nHost: x\r\n"
_POST: Final = b"POST /v1/check" + _HOST
VALID: Final = (
    b"GET /healthz" + _HOST + b"\r\n",
    _POST + b"Content-Type: application/json\r\nContent-Length: 16\r\n\r\n" + b'{"board":["1?"]}',
    _POST
    + b"Transfer-Encoding: chunked\r\n\r\n5\r\n12345\r\n00a;x=y\r\n1234567890\r\n0\r\nA: b\r\n\r\n",
    (b"GET /" + _HOST + b"\r\n") * 3,
    b"HEAD /a?b=%20&c#d" + _HOST + b"Connection: close\r\n\r\n",
    _POST + b"Expect: 100-continue\r\nContent-Length: 2\r\n\r\n{}" + b"GET /" + _HOST + b"\r\n",
    _POST + b"Connection: Upgrade\r\nUpgrade: h2c\r\nContent-Length: 2\r\n\r\n{}",
    b"GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
    b"OPTIONS *" + _HOST + b"X: " + b"y" * 300 + b"\r\n\r\n",
)
#: What is put in among the bytes.
TOKENS: Final = (
    *(b"\r\n", b"\r\n\r\n", b"\n", b"\r", b":", b": ", b" ", b"\t", b"\0", b",", b";", b"x" * 70),
    *(b"Host: y\r\n", b"Host:\r\n", b"Connection: close\r\n", b"Upgrade: websocket\r\n"),
    *(b"Connection: Upgrade\r\nUpgrade: h2c\r\n", b"Transfer-Encoding: chunked\r\n", b"0\r\n\r\n"),
    *(b"Transfer-Encoding: gzip\r\n", b"Content-Length: 0\r\n", b"Content-Length: 9\r\n", b"f" * 9),
    *(b"Content-Length: 99999999999999999999\r\n", b"100000000\r\n", b"ffffffff\r\n", b"-1\r\n"),
    *(b"CONNECT x:1", b"HTTP/2.0", b"HTTP/1.0", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", b"GET", b"//"),
    *(b"Expect: 100-continue\r\n", b"http://[", b"%", b"%00", b"GET /" + _HOST + b"\r\n"),
)


class _Transport(asyncio.Transport):
    """Keeps what is written until it is closed."""

    def __init__(self) -> None:
        super().__init__()
        self.written = b""
        self.closed = False
        self.ended = False

    def write(self, data: Any) -> None:
        assert not self.ended, data
        self.written += data * (not self.closed)

    def can_write_eof(self) -> bool:
        return True

    def write_eof(self) -> None:
        self.ended = True

    def is_closing(self) -> bool:
        return self.closed

    def close(self) -> None:
        self.closed = True

    def pause_reading(self) -> None:
        pass

    def resume_reading(self) -> None:
        pass


async def _app(scope: Mapping[str, Any], receive: Any, send: Any) -> None:
    length, more = 0, True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            return
        length += len(message["body"])
        more = message["more_body"]
    body = b"%d" % length
    headers = [(b"content-length", b"%d" % len(body))]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def connection(given: bytes) -> str:
    """Check that the answers do not depend on how the bytes are cut; return the last outcome."""
    whole = _runner().run(_collect_answers([given]))
    chance = Random(crc32(given))
    cuts = sorted(chance.randint(0, len(given)) for _ in range(3))
    pieces = [given[a:b] for a, b in zip([0, *cuts], [*cuts, len(given)], strict=True)]
    cut = _runner().run(_collect_answers([piece for piece in pieces if piece]))
    answers = _read(whole, given)
    # How much there is of a head that is too large, and malformed as well, depends on the cuts.
    assert answers == _read(cut, given) or len(given) > Settings().max_header_bytes, (whole, cut)
    return "nothing" if not answers else "read" if answers[-1] == 200 else str(answers[-1])


async def _collect_answers(pieces: list[bytes]) -> bytes:
    """Return the bytes that the service writes."""
    transport = _Transport()
    protocol = Bounded(_config(), ServerState(), {})
    protocol.connection_made(transport)
    for piece in pieces:
        if not (transport.closed or transport.ended):
            protocol.data_received(piece)
        await _run_turns(protocol)
    protocol.connection_lost(None)
    await _run_turns(protocol)
    return transport.written


async def _run_turns(protocol: Bounded) -> None:
    """Let the app answer what is there: each request takes a few turns of the loop."""
    for _ in range(4 + 6 * (1 + len(protocol.pipeline))):
        await asyncio.sleep(0)


def _read(written: bytes, given: bytes) -> list[int]:
    """The statuses of well-formed answers, of which only the last may end the connection."""
    statuses = []
    while written:
        head, _, rest = written.partition(b"\r\n\r\n")
        lines = head.lower().split(b"\r\n")
        status = int(lines[0].split()[1])
        if status == 100:
            written = rest
            continue
        assert lines[0].startswith(b"http/1.1 "), lines
        fields = dict(line.split(b": ", 1) for line in lines[1:])
        length = int(fields[b"content-length"])
        body = rest[:length]
        # An answer to HEAD has none.
        written = rest if rest.startswith(b"HTTP/1.1 ") else rest[len(body) :]
        statuses.append(status)
        assert status == 200 or (400 <= status < 500 and not written), (given, statuses)
    return statuses


@cache
def _config() -> Config:
    logging.getLogger("uvicorn").setLevel(logging.CRITICAL)
    config = Config(_app, http=Bounded, ws="none", lifespan="off", log_config=None)
    config.load()
    return config


@cache
def _runner() -> asyncio.Runner:
    return asyncio.Runner()
