"""A server whose memory or batches are in use rejects some requests and answers others."""

import gzip
import json
import re
import socket
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from tests.app.serving import Server, serving
from tests.processes import holds_soon

#: The size of the largest body; there is room for four, and one address may have two.
BODY = 1 << 20
BATCHES = 2
EASY = b'{"board": ["?1"]}'
LARGE = EASY + b" " * (BODY - len(EASY))
LINE = EASY + b"\n"


@pytest.fixture(scope="module")
def small() -> Iterator[Server]:
    env = {
        "MINECHECK_MAX_BODY_BYTES": str(BODY),
        "MINECHECK_REQUESTS_MB": "4",
        "MINECHECK_BATCHES": str(BATCHES),
    }
    with serving(env, cli=True) as server:
        yield server


def connect_to(server: Server, address: str = "127.0.0.1") -> socket.socket:
    return socket.create_connection(("127.0.0.1", server.port), 60.0, (address, 0))


def head_of(path: str, kind: str, *fields: str) -> bytes:
    lines = (f"POST {path} HTTP/1.1", "Host: localhost", f"Content-Type: {kind}", *fields)
    return "\r\n".join((*lines, "", "")).encode()


CHECK = head_of("/v1/check", "application/json", f"Content-Length: {BODY}")
BATCH = head_of("/v1/batch?task=check", "application/x-ndjson", "Transfer-Encoding: chunked")
GZIPPED = BATCH[:-2] + b"Content-Encoding: gzip\r\n\r\n"


def chunk(data: bytes) -> bytes:
    return b"%x\r\n" % len(data) + data + b"\r\n"


def read_until(client: socket.socket, end: bytes) -> bytes:
    """Return all that the server sends up to `end`, or until it closes the connection."""
    answer = b""
    while end not in answer and (piece := client.recv(1 << 16)):
        answer += piece
    return answer


def is_told_to_come_back(answer: bytes) -> bool:
    head, _, body = answer.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 503 ")
    assert b"\r\nretry-after: 1" in head.lower()
    return bool(json.loads(body)["type"] == "urn:minecheck:problem:overloaded")


def is_available(server: Server) -> bool:
    return server.post("/v1/check", {"board": ["?1"]}).status_code == 200


def read_held_bytes(server: Server) -> float:
    text = server.get("/metrics").text
    found = re.search(r"^minecheck_requests_bytes (.+)$", text, re.MULTILINE)
    assert found
    return float(found[1])


@pytest.mark.slow
def test_full_server_answers_large_bodies_that_fit_and_rejects_more_at_once(
    small: Server,
) -> None:
    with ExitStack() as opened:
        admitted = [opened.enter_context(connect_to(small)) for _ in range(2)]
        for client in admitted:
            client.sendall(CHECK + LARGE[:-1])
        assert holds_soon(lambda: read_held_bytes(small) >= 2 * BODY)
        # The head is enough to reject a body that does not fit.
        rejected = [opened.enter_context(connect_to(small)) for _ in range(5)]
        for client in rejected:
            client.sendall(CHECK)
            assert is_told_to_come_back(read_until(client, b"}"))
        elsewhere = opened.enter_context(connect_to(small, "127.0.0.5"))
        elsewhere.sendall(CHECK + LARGE)
        assert read_until(elsewhere, b"}").startswith(b"HTTP/1.1 200 ")
        assert is_available(small)
        for client in admitted:
            client.sendall(LARGE[-1:])
            assert read_until(client, b"}").startswith(b"HTTP/1.1 200 ")
        # A rejected body may still arrive, and its connection remains usable.
        for client in rejected[:2]:
            client.sendall(LARGE + CHECK + LARGE)
            assert read_until(client, b"}").startswith(b"HTTP/1.1 200 ")
    assert holds_soon(lambda: read_held_bytes(small) < BODY / 8)


@pytest.mark.slow
def test_full_server_lets_client_send_rejected_body_to_its_end(
    small: Server,
) -> None:
    with ExitStack() as opened:
        for _ in range(2):
            opened.enter_context(connect_to(small)).sendall(CHECK + LARGE[:-1])
        assert holds_soon(lambda: read_held_bytes(small) >= 2 * BODY)
        client = opened.enter_context(connect_to(small))
        client.sendall(CHECK[:-2] + b"Connection: close\r\n\r\n" + LARGE)
        assert is_told_to_come_back(read_until(client, b"}"))
        assert is_available(small)


@pytest.mark.slow
def test_full_server_begins_limited_number_of_batches_and_rejects_more(small: Server) -> None:
    with ExitStack() as opened:
        begun = [opened.enter_context(connect_to(small)) for _ in range(BATCHES)]
        for client in begun:
            client.sendall(BATCH + chunk(LINE * 2))
            assert read_until(client, b"}\n").startswith(b"HTTP/1.1 200 ")
        client = opened.enter_context(connect_to(small))
        client.sendall(BATCH)
        assert is_told_to_come_back(read_until(client, b"}"))
        assert is_available(small)
        begun[0].sendall(chunk(b""))
        assert read_until(begun[0], b"0\r\n\r\n").endswith(b"0\r\n\r\n")
        # It makes room, a moment after its last byte.
        assert holds_soon(lambda: _is_batch_answered(small))
    # Batches of disconnected clients make room as well.
    for _ in range(BATCHES):
        assert holds_soon(lambda: _is_batch_answered(small))


def _is_batch_answered(server: Server) -> bool:
    with connect_to(server) as client:
        client.sendall(BATCH + chunk(LINE) + chunk(b""))
        return read_until(client, b"}").startswith(b"HTTP/1.1 200 ")


@pytest.mark.slow
@pytest.mark.parametrize("first", [b"", LINE])
def test_batch_that_inflates_too_much_ends_and_server_stays_available(
    small: Server, first: bytes
) -> None:
    bomb = gzip.compress(b" " * (32 * BODY))
    with connect_to(small) as client:
        client.sendall(GZIPPED)
        answer = b""
        if first:
            client.sendall(chunk(gzip.compress(first)))
            assert is_available(small)
        client.sendall(chunk(bomb[:1000]))
        assert is_available(small)
        client.sendall(chunk(bomb[1000:]) + chunk(b""))
        answer = read_until(client, b"inflates-too-much")
    assert answer.startswith(b"HTTP/1.1 200 " if first else b"HTTP/1.1 413 ")
    assert answer.count(b'"consistent":true') == bool(first)
    assert holds_soon(lambda: read_held_bytes(small) < BODY / 8)
