"""Fields after a chunked body are not part of the request."""

from collections.abc import Iterator

import pytest

from minecheck.app.settings import Settings
from tests.app.echoing import echoing
from tests.app.middleware.trailers import HEAD, NEXT, READ, build_chunked_request, exchange

#: The most bytes of all fields of a head, or of a trailer.
MOST: int = Settings.model_fields["max_header_bytes"].default


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    with echoing() as port:
        yield port


@pytest.mark.parametrize("name", READ)
@pytest.mark.parametrize("apart", [False, True])
def test_trailer_changes_neither_its_request_nor_next_request(
    port: int, name: str, apart: bool
) -> None:
    request = build_chunked_request(f"{name}: {READ[name]}")
    pieces = (request[:-2], request[-2:], NEXT) if apart else (request + NEXT,)
    (first, echoed), (second, echoed_next) = exchange(port, *pieces)
    assert (first, echoed["path"], echoed["body"]) == (200, "/first", "ab")
    assert echoed["fields"] == [["host", "x"], ["transfer-encoding", "chunked"]]
    assert (second, echoed_next["path"], echoed_next["body"]) == (200, "/second", "")
    assert echoed_next["fields"] == [["host", "x"], ["connection", "close"]]
    for answer in (echoed, echoed_next):
        assert (answer["client"], answer["scheme"]) == ("127.0.0.1", "http")


def test_trailers_of_all_fields_change_no_request(port: int) -> None:
    everything = [f"{name}: {value}" for name, value in READ.items()]
    whole = exchange(port, build_chunked_request(*everything) * 3 + NEXT)
    assert [(status, len(echoed["fields"])) for status, echoed in whole] == [(200, 2)] * 4  # type: ignore[arg-type]


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
def test_malformed_trailer_is_rejected_and_connection_closed(port: int, trailer: bytes) -> None:
    whole = HEAD + b"2\r\nab\r\n0\r\n" + trailer + b"\r\n" + NEXT
    ((status, problem),) = exchange(port, whole)
    assert (status, problem["type"]) == (400, "urn:minecheck:problem:malformed-request")


@pytest.mark.parametrize("pieces", [1, 4, 40])
@pytest.mark.parametrize(
    "fields", [[f"a: {MOST * 'b'}"], ["ab: cd"] * (MOST // 8 + 1)], ids=["long", "many"]
)
def test_trailer_larger_than_head_limit_is_rejected(
    port: int, pieces: int, fields: list[str]
) -> None:
    whole = build_chunked_request(*fields)
    size = len(whole) // pieces + 1
    ((status, problem),) = exchange(
        port, *(whole[start : start + size] for start in range(0, len(whole), size))
    )
    assert (status, problem["type"]) == (431, "urn:minecheck:problem:trailer-too-large")


@pytest.mark.parametrize("piece", [b"b" * MOST, b"b\r\na: " * (MOST // 6)], ids=["long", "many"])
def test_endless_trailer_is_rejected(port: int, piece: bytes) -> None:
    ((status, problem),) = exchange(
        port, build_chunked_request("a: b")[:-2] + b"a: ", *[piece] * 20
    )
    assert (status, problem["type"]) == (431, "urn:minecheck:problem:trailer-too-large")


def test_trailer_may_be_as_large_as_head(port: int) -> None:
    fields = ["ab: cd"] * (MOST // 8 - 10)
    assert [status for status, _ in exchange(port, build_chunked_request(*fields) + NEXT)] == [
        200,
        200,
    ]


def test_connection_close_in_head_holds_against_trailer(port: int) -> None:
    closing = build_chunked_request("Connection: keep-alive").replace(
        b"Host: x", b"Host: x\r\nConnection: close"
    )
    assert [echoed["path"] for _, echoed in exchange(port, closing + NEXT)] == ["/first"]
