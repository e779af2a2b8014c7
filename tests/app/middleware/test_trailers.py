"""Fields after a chunked body, which are not part of the request."""

import json
import re
import socket
from collections.abc import Iterator

import pytest

from minecheck.app.settings import Settings
from tests.app.echoing import echoing

#: A value that would matter, for each field that something in the service reads.
READ = {
    "Accept": "text/plain",
    "Access-Control-Request-Method": "POST",
    "Authorization": "Bearer stolen",
    "Connection": "close",
    "Content-Encoding": "gzip",
    "Content-Type": "application/json",
    "Expect": "100-continue",
    "Host": "evil.example",
    "If-None-Match": "*",
    "Minecheck-Second-Try": "1",
    "Origin": "https://evil.example",
    "Sec-Fetch-Mode": "navigate",
    "Sec-Fetch-Site": "same-origin",
    "Traceparent": f"00-{'1' * 32}-{'2' * 16}-01",
    "Upgrade": "h2c",
    "X-API-Key": "stolen",
    "X-Forwarded-For": "203.0.113.7",
    "X-Forwarded-Proto": "https",
    "X-Request-ID": "forged",
}
HEAD = b"POST /first HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
NEXT = b"GET /second HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
#: Bytes that the fields of a head, or of a trailer, may have together.
MOST: int = Settings.model_fields["max_header_bytes"].default


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    with echoing() as port:
        yield port


def answers(port: int, *pieces: bytes) -> list[tuple[int, dict[str, object]]]:
    """Statuses and bodies of all answers on a connection."""
    with socket.create_connection(("127.0.0.1", port), 30) as client:
        for piece in pieces:
            client.sendall(piece)
        read = b""
        while more := client.recv(1 << 16):
            read += more
    parts = re.split(rb"HTTP/1\.1 (\d{3}) [^\r]*\r\n", read)[1:]
    return [
        (int(status), json.loads(rest.partition(b"\r\n\r\n")[2]))
        for status, rest in zip(parts[::2], parts[1::2], strict=True)
    ]


def build_chunked_request(*fields: str) -> bytes:
    """A request with so many fields after its body."""
    return HEAD + b"2\r\nab\r\n0\r\n" + "".join(f"{one}\r\n" for one in fields).encode() + b"\r\n"


@pytest.mark.parametrize("name", READ)
@pytest.mark.parametrize("apart", [False, True])
def test_a_trailer_changes_neither_its_request_nor_the_next(
    port: int, name: str, apart: bool
) -> None:
    request = build_chunked_request(f"{name}: {READ[name]}")
    pieces = (request[:-2], request[-2:], NEXT) if apart else (request + NEXT,)
    (first, told), (second, then) = answers(port, *pieces)
    assert (first, told["path"], told["body"]) == (200, "/first", "ab")
    assert told["fields"] == [["host", "x"], ["transfer-encoding", "chunked"]]
    assert (second, then["path"], then["body"]) == (200, "/second", "")
    assert then["fields"] == [["host", "x"], ["connection", "close"]]
    for answer in (told, then):
        assert (answer["client"], answer["scheme"]) == ("127.0.0.1", "http")


def test_all_trailers_together_change_nothing_either(port: int) -> None:
    everything = [f"{name}: {value}" for name, value in READ.items()]
    whole = answers(port, build_chunked_request(*everything) * 3 + NEXT)
    assert [(status, len(told["fields"])) for status, told in whole] == [(200, 2)] * 4  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "trailer",
    [
        b"no colon\r\n",
        b"a b: c\r\n",
        b"a : c\r\n",
        b": c\r\n",
        b" folded\r\n",
        b"a: b\r\n c\r\n",
        b"a: b\n",
        b"a: b\rc\r\n",
        b"a: \0\r\n",
        b"Content-Length: 3\r\n",
        b"Transfer-Encoding: chunked\r\n",
    ],
)
def test_a_malformed_trailer_is_rejected_with_all_behind_it(port: int, trailer: bytes) -> None:
    whole = HEAD + b"2\r\nab\r\n0\r\n" + trailer + b"\r\n" + NEXT
    ((status, told),) = answers(port, whole)
    assert (status, told["type"]) == (400, "urn:minecheck:problem:malformed-request")


@pytest.mark.parametrize("pieces", [1, 4, 40])
@pytest.mark.parametrize(
    "fields", [[f"a: {MOST * 'b'}"], ["ab: cd"] * (MOST // 8 + 1)], ids=["long", "many"]
)
def test_a_trailer_larger_than_a_head_is_rejected(
    port: int, pieces: int, fields: list[str]
) -> None:
    whole = build_chunked_request(*fields)
    size = len(whole) // pieces + 1
    ((status, told),) = answers(
        port, *(whole[start : start + size] for start in range(0, len(whole), size))
    )
    assert (status, told["type"]) == (431, "urn:minecheck:problem:trailer-too-large")


@pytest.mark.parametrize("piece", [b"b" * MOST, b"b\r\na: " * (MOST // 6)], ids=["long", "many"])
def test_a_trailer_that_does_not_end_is_rejected(port: int, piece: bytes) -> None:
    ((status, told),) = answers(port, build_chunked_request("a: b")[:-2] + b"a: ", *[piece] * 20)
    assert (status, told["type"]) == (431, "urn:minecheck:problem:trailer-too-large")


def test_a_trailer_may_be_as_large_as_a_head(port: int) -> None:
    fields = ["ab: cd"] * (MOST // 8 - 10)
    assert [status for status, _ in answers(port, build_chunked_request(*fields) + NEXT)] == [
        200,
        200,
    ]


def test_a_head_that_closes_still_closes(port: int) -> None:
    closing = build_chunked_request("Connection: keep-alive").replace(
        b"Host: x", b"Host: x\r\nConnection: close"
    )
    assert [told["path"] for _, told in answers(port, closing + NEXT)] == ["/first"]
