"""JSON answers end with a newline, and long texts are compressed on demand."""

import gzip
import json
from collections.abc import Callable, Mapping
from http.client import HTTPConnection, HTTPMessage
from typing import Any, Final

import pytest
from fastapi.testclient import TestClient
from starlette.responses import Response, StreamingResponse

from minecheck.app.compression import zstd
from minecheck.app.middleware import connections
from minecheck.app.middleware.encoding import Encoding, choose_encoding
from minecheck.app.middleware.heads import make_malformed_problem
from tests.app.serving import HOST, Server

LONG: Final = {"board": ["?" * 60] * 30}
SHORT: Final = {"board": ["1?"]}
DECOMPRESS: Final[Mapping[str, Callable[[bytes], bytes]]] = {
    "gzip": gzip.decompress,
    "zstd": zstd.decompress,
}


def exchange(
    server: Server, path: str, fields: Any = None, method: str = "", **headers: str
) -> tuple[int, HTTPMessage, bytes]:
    """Return status, headers and bytes of an answer, as they are on the wire."""
    connection = HTTPConnection(HOST, server.port, timeout=30)
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    body = None
    if fields is not None:
        body, named["Content-Type"] = json.dumps(fields).encode(), "application/json"
    try:
        connection.request(method or ("POST" if body else "GET"), path, body, named)
        answer = connection.getresponse()
        return answer.status, answer.headers, answer.read()
    finally:
        connection.close()


@pytest.mark.parametrize(
    ("path", "fields"),
    [
        ("/v1/check", SHORT),
        ("/v1/check", LONG),
        ("/v1/analyze", SHORT),
        ("/v1/count", {**SHORT, "backend": "sat"}),
        ("/v1/boards", {"rows": 5, "cols": 5, "mines": 1}),
        ("/v1/games", {"rows": 5, "cols": 5, "mines": 1}),
        ("/v1/check", {"board": ["9"]}),
        ("/v1/nothing", None),
        ("/v1/formats", None),
        ("/v1/automata/kadlac", None),
        ("/openapi.json", None),
        ("/healthz", None),
    ],
)
def test_json_response_ends_with_one_newline(server: Server, path: str, fields: Any) -> None:
    _, headers, body = exchange(server, path, fields)
    assert headers["Content-Length"] == str(len(body))
    assert body.endswith((b"}\n", b"]\n"))
    assert body.count(b"\n") == 1
    assert "json" in headers["Content-Type"]


def test_problem_of_connection_ends_with_newline() -> None:
    written = connections._render_problem(make_malformed_problem(), [])
    head, _, body = written.partition(b"\r\n\r\n")
    assert b"content-length: %d" % len(body) in head
    assert body.endswith(b"}\n")


@pytest.mark.parametrize("encoding", DECOMPRESS)
@pytest.mark.parametrize(
    ("path", "fields"),
    [
        ("/v1/check", LONG),
        ("/openapi.json", None),
        ("/v1/automata/hu-lin?format=svg", None),
        ("/v1/automata/hu-lin?format=dot", None),
        ("/v1/export", {"board": ["1?1?1?1?"] * 4, "into": "dimacs"}),
        ("/page/main.js", None),
        ("/metrics", None),
    ],
)
def test_long_text_is_compressed_on_demand(
    server: Server, path: str, fields: Any, encoding: str
) -> None:
    status, plain, content = exchange(server, path, fields)
    assert status == 200
    assert "Content-Encoding" not in plain
    _, headers, body = exchange(server, path, fields, Accept_Encoding=encoding)
    assert headers["Content-Encoding"] == encoding
    assert headers["Content-Length"] == str(len(body))
    assert "accept-encoding" in headers["Vary"].lower()
    assert plain["Vary"] == headers["Vary"]
    expanded = DECOMPRESS[encoding](body)
    assert len(body) < len(expanded)
    if path not in ("/metrics", "/v1/check"):
        assert expanded == content


@pytest.mark.parametrize(
    ("path", "fields"),
    [
        ("/v1/check", SHORT),
        ("/v1/formats/mbf/write", {"layout": ["B" * 60] * 60}),
        ("/healthz", None),
    ],
)
def test_short_or_binary_response_is_not_compressed(server: Server, path: str, fields: Any) -> None:
    status, headers, body = exchange(server, path, fields, Accept_Encoding="gzip, zstd")
    assert status == 200
    assert "Content-Encoding" not in headers
    assert headers["Content-Length"] == str(len(body))


def test_stream_of_layouts_is_not_compressed(server: Server) -> None:
    request = {"board": ["????????"] * 2, "limit": 300}
    named = {"Accept": "application/x-ndjson", "Accept_Encoding": "gzip, zstd"}
    _, headers, body = exchange(server, "/v1/layouts", request, **named)
    assert "Content-Encoding" not in headers
    assert len(body.splitlines()) == 300


@pytest.mark.parametrize("encoding", DECOMPRESS)
def test_head_request_gets_headers_of_get(server: Server, encoding: str) -> None:
    path = "/openapi.json"
    _, got, _ = exchange(server, path, Accept_Encoding=encoding)
    status, headers, body = exchange(server, path, method="HEAD", Accept_Encoding=encoding)
    assert (status, body) == (200, b"")
    for name in ("Content-Encoding", "Content-Length", "ETag", "Vary"):
        assert headers[name] == got[name], name


@pytest.mark.parametrize(
    ("accepted", "encoding"),
    [
        ("gzip", "gzip"),
        ("gzip, deflate", "gzip"),
        ("gzip, deflate, br, zstd", "zstd"),
        ("GZIP", "gzip"),
        ("gzip;q=1.0, zstd;q=0.5", "gzip"),
        ("gzip ; q=0.2 , identity;q=0.1", "gzip"),
        ("*", "zstd"),
        ("zstd;q=0, *", "gzip"),
        ("gzip, identity;q=0", "gzip"),
        ("", None),
        ("br", None),
        ("identity", None),
        ("gzip;q=0", None),
        ("gzip;q=0.000, zstd;q=0", None),
        ("*;q=0", None),
        ("identity, gzip;q=0.5", None),
        ("gzip;q=2", None),
        ("gzip;q=, ;;", None),
    ],
)
def test_choose_encoding_takes_encoding_that_client_prefers(
    accepted: str, encoding: str | None
) -> None:
    assert choose_encoding(accepted) == encoding


async def echo(scope: Any, receive: Any, send: Any) -> None:
    """Give answers of kinds that the service does not give."""
    long = "a" * 5000
    answers: dict[str, Response] = {
        "/encoded": Response(long, headers={"Content-Encoding": "br"}, media_type="text/plain"),
        "/varied": Response(long, headers={"Vary": "Accept-Encoding"}, media_type="text/plain"),
        "/empty": Response(b"", media_type="application/json"),
        "/streamed": StreamingResponse(iter(["{}", "\n" * 5000]), media_type="application/json"),
        "/large": Response(long * 100, media_type="text/plain"),
    }
    await answers[scope["path"]](scope, receive, send)


@pytest.fixture(scope="module")
def other() -> TestClient:
    return TestClient(Encoding(echo), headers={"Accept-Encoding": "gzip"})


def test_encoded_response_is_not_encoded_again(other: TestClient) -> None:
    with other.stream("GET", "/encoded") as answer:
        assert answer.headers["content-encoding"] == "br"
        assert answer.headers["content-length"] == "5000"


def test_compressed_response_has_one_vary_header(other: TestClient) -> None:
    answer = other.get("/varied")
    assert answer.headers.get_list("vary") == ["Accept-Encoding"]
    assert answer.headers["content-encoding"] == "gzip"


def test_empty_response_body_stays_empty(other: TestClient) -> None:
    answer = other.get("/empty")
    assert (answer.content, answer.headers["content-length"]) == (b"", "0")


def test_streamed_response_is_not_compressed(other: TestClient) -> None:
    answer = other.get("/streamed")
    assert (len(answer.content), "content-encoding" in answer.headers) == (5002, False)


def test_large_response_is_compressed(other: TestClient) -> None:
    answer = other.get("/large")
    assert answer.text == "a" * 500_000
    assert int(answer.headers["content-length"]) < 5000
