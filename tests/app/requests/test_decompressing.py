"""Bodies in gzip and Zstandard: what they hold, what is damaged, and where they end."""

import gzip
import json
from collections.abc import Callable, Iterator
from random import Random
from typing import Any, Final

import pytest
from fastapi.testclient import TestClient

from minecheck.app.main import create_app
from minecheck.app.problems import ProblemError
from minecheck.app.requests.decompressing import make_decompressor, read_encoding
from minecheck.app.settings import Settings
from minecheck.app.zstd import zstd
from tests.app.content_types import TEXT
from tests.app.problem_responses import assert_problem, parse_problem

Compress = Callable[[bytes], bytes]
COMPRESS: Final[dict[str, Compress]] = {"gzip": gzip.compress, "zstd": zstd.compress}
LIMIT: Final = 100_000


@pytest.fixture(scope="module")
def strict() -> Iterator[TestClient]:
    """A service with a small limit for bodies."""
    with TestClient(create_app(Settings(workers=1, max_body_bytes=LIMIT))) as client:
        yield client


def compressed(encoding: str, content: bytes) -> tuple[bytes, dict[str, str]]:
    """A body, and the header that says how it is compressed."""
    return COMPRESS[encoding](content), {"Content-Encoding": encoding}


def expand(encoding: str, data: bytes, size: int) -> tuple[bytes, bool]:
    """The contents of a body that arrives in pieces, and whether it is complete."""
    found = make_decompressor(encoding)
    pieces = [data[start : start + size] for start in range(0, len(data), size)]
    return b"".join(one for piece in pieces for one in found.expand(piece)), found.is_complete


@pytest.mark.parametrize("encoding", COMPRESS)
@pytest.mark.parametrize("size", [1, 7, 1000, 1 << 20])
def test_contents_are_the_same_however_they_arrive(encoding: str, size: int) -> None:
    content = Random(1).randbytes(3000) + b"?" * 200_000
    whole = COMPRESS[encoding](content)
    assert expand(encoding, whole, size) == (content, True)
    twice = whole + COMPRESS[encoding](b"more")
    assert expand(encoding, twice, size) == (content + b"more", True)
    assert expand(encoding, whole[:-1], size)[1] is False


@pytest.mark.parametrize("encoding", COMPRESS)
def test_pieces_are_small(encoding: str) -> None:
    found = make_decompressor(encoding)
    assert max(map(len, found.expand(COMPRESS[encoding](bytes(10**7))))) <= 1 << 16


def test_a_window_of_more_than_8_mib_is_rejected() -> None:
    options: dict[int, int] = {zstd.CompressionParameter.window_log: 24}
    wide = zstd.compress(Random(1).randbytes(1 << 24), options=options)
    with pytest.raises(ProblemError) as raised:
        list(make_decompressor("zstd").expand(wide))
    assert raised.value.document["type"].endswith(":invalid-zstd")


@pytest.mark.parametrize(
    ("header", "encoding"),
    [(b"", "identity"), (b"Identity", "identity"), (b" GZip ", "gzip"), (b"x-gzip", "gzip")],
)
def test_read_encoding_knows_each_name(header: bytes, encoding: str) -> None:
    assert read_encoding(header) == encoding


@pytest.mark.parametrize("encoding", COMPRESS)
def test_every_route_with_a_body_takes_it_compressed(client: TestClient, encoding: str) -> None:
    asked = {
        "/v1/check": {"board": ["1?"]},
        "/v1/boards": {"rows": 5, "cols": 5, "mines": 1, "seed": 1},
        "/v1/automata/kadlac/run": {"board": ["?1?"]},
        "/v1/formats/board/write": {"board": ["1?"], "mines": 1},
        "/v1/games": {"rows": 5, "cols": 5, "mines": 1},
    }
    for path, fields in asked.items():
        content, headers = compressed(encoding, json.dumps(fields).encode())
        headers["Content-Type"] = "application/json"
        answer = client.post(path, content=content, headers=headers)
        assert answer.status_code == 200, (path, answer.text)


@pytest.mark.parametrize("encoding", COMPRESS)
def test_a_plain_board_and_a_file_may_be_compressed(client: TestClient, encoding: str) -> None:
    content, headers = compressed(encoding, b"1?\n??")
    answer = client.post("/v1/count", content=content, headers=TEXT | headers)
    assert answer.json()["count"] == "3"
    read = client.post("/v1/formats/auto", content=content, headers=TEXT | headers)
    assert read.json()["board"] == ["1?", "??"]


@pytest.mark.parametrize("encoding", COMPRESS)
def test_a_large_compressed_body_is_read_whole(client: TestClient, encoding: str) -> None:
    content, headers = compressed(encoding, b"\n".join([b"?" * 1000] * 1000))
    answer = client.post("/v1/check", content=content, headers=TEXT | headers)
    assert (answer.json()["rows"], answer.json()["cols"]) == (1000, 1000)


@pytest.mark.parametrize("encoding", COMPRESS)
@pytest.mark.parametrize("damage", ["cut", "other", "changed"])
def test_a_damaged_body_is_rejected(client: TestClient, encoding: str, damage: str) -> None:
    whole, headers = compressed(encoding, b"1?\n??")
    content = {"cut": whole[:-3], "other": b"1?\n??", "changed": b"\0" + whole[1:]}[damage]
    answer = client.post("/v1/check", content=content, headers=TEXT | headers)
    assert_problem(answer, 400, f"invalid-{encoding}")


@pytest.mark.parametrize("encoding", COMPRESS)
def test_the_limit_is_for_what_a_body_expands_to(strict: TestClient, encoding: str) -> None:
    content, headers = compressed(encoding, b"?" * LIMIT)
    assert strict.post("/v1/check", content=content, headers=TEXT | headers).status_code == 200
    content, headers = compressed(encoding, b"?" * (LIMIT + 1))
    answer = strict.post("/v1/check", content=content, headers=TEXT | headers)
    assert_problem(answer, 413, "body-too-large")
    assert "expands to" in parse_problem(answer).detail


@pytest.mark.parametrize("encoding", COMPRESS)
def test_no_more_than_the_limit_is_ever_expanded(
    strict: TestClient, encoding: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    expanded = 0
    plain = type(make_decompressor(encoding)).expand

    def counting(self: Any, data: bytes) -> Iterator[bytes]:
        nonlocal expanded
        for piece in plain(self, data):
            expanded += len(piece)
            yield piece

    monkeypatch.setattr(type(make_decompressor(encoding)), "expand", counting)
    content, headers = compressed(encoding, bytes(10**8))
    answer = strict.post("/v1/check", content=content, headers=TEXT | headers)
    assert_problem(answer, 413, "body-too-large")
    assert expanded <= LIMIT + (1 << 16)


@pytest.mark.parametrize("encoding", COMPRESS)
def test_the_limit_is_for_compressed_bytes_as_well(strict: TestClient, encoding: str) -> None:
    nothing, headers = compressed(encoding, b"")
    content = nothing * (LIMIT // len(nothing) + 1)
    answer = strict.post("/v1/check", content=content, headers=TEXT | headers)
    assert_problem(answer, 413, "body-too-large")
