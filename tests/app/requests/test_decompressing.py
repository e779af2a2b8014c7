"""Bodies in gzip and Zstandard are read up to a limit, and rejected if damaged."""

import gzip
import json
from collections.abc import Callable, Iterator
from typing import Any, Final

import pytest
from fastapi.testclient import TestClient

from minecheck.app.compression import INFLATERS, zstd
from minecheck.app.main import create_app
from minecheck.app.requests.decompressing import read_encoding
from minecheck.app.settings import Settings
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


def compress_body(encoding: str, content: bytes) -> tuple[bytes, dict[str, str]]:
    """Return a compressed body, and the header that says how it is compressed."""
    return COMPRESS[encoding](content), {"Content-Encoding": encoding}


@pytest.mark.parametrize(
    ("header", "encoding"),
    [(b"", "identity"), (b"Identity", "identity"), (b" GZip ", "gzip"), (b"x-gzip", "gzip")],
)
def test_read_encoding_accepts_each_name_of_an_encoding(header: bytes, encoding: str) -> None:
    assert read_encoding(header) == encoding


@pytest.mark.parametrize("encoding", COMPRESS)
def test_every_route_accepts_compressed_body(client: TestClient, encoding: str) -> None:
    requests = {
        "/v1/check": {"board": ["1?"]},
        "/v1/boards": {"rows": 5, "cols": 5, "mines": 1, "seed": 1},
        "/v1/automata/kadlac/run": {"board": ["?1?"]},
        "/v1/formats/board/write": {"board": ["1?"], "mines": 1},
        "/v1/games": {"rows": 5, "cols": 5, "mines": 1},
    }
    for path, fields in requests.items():
        content, headers = compress_body(encoding, json.dumps(fields).encode())
        headers["Content-Type"] = "application/json"
        answer = client.post(path, content=content, headers=headers)
        assert answer.status_code == 200, (path, answer.text)


@pytest.mark.parametrize("encoding", COMPRESS)
def test_board_as_text_and_file_may_be_compressed(client: TestClient, encoding: str) -> None:
    content, headers = compress_body(encoding, b"1?\n??")
    answer = client.post("/v1/count", content=content, headers=TEXT | headers)
    assert answer.json()["count"] == "3"
    read = client.post("/v1/formats/auto", content=content, headers=TEXT | headers)
    assert read.json()["board"] == ["1?", "??"]


@pytest.mark.parametrize("encoding", COMPRESS)
def test_large_compressed_body_is_read_whole(client: TestClient, encoding: str) -> None:
    content, headers = compress_body(encoding, b"\n".join([b"?" * 1000] * 1000))
    answer = client.post("/v1/check", content=content, headers=TEXT | headers)
    assert (answer.json()["rows"], answer.json()["cols"]) == (1000, 1000)


@pytest.mark.parametrize("encoding", COMPRESS)
@pytest.mark.parametrize("damage", ["cut", "other", "changed"])
def test_damaged_compressed_body_is_rejected(
    client: TestClient, encoding: str, damage: str
) -> None:
    whole, headers = compress_body(encoding, b"1?\n??")
    content = {"cut": whole[:-3], "other": b"1?\n??", "changed": b"\0" + whole[1:]}[damage]
    answer = client.post("/v1/check", content=content, headers=TEXT | headers)
    assert_problem(answer, 400, f"invalid-{encoding}")


@pytest.mark.parametrize("encoding", COMPRESS)
def test_body_limit_applies_to_expanded_size(strict: TestClient, encoding: str) -> None:
    content, headers = compress_body(encoding, b"?" * LIMIT)
    assert strict.post("/v1/check", content=content, headers=TEXT | headers).status_code == 200
    content, headers = compress_body(encoding, b"?" * (LIMIT + 1))
    answer = strict.post("/v1/check", content=content, headers=TEXT | headers)
    assert_problem(answer, 413, "body-too-large")
    assert "expands to" in parse_problem(answer).detail


@pytest.mark.parametrize("encoding", COMPRESS)
def test_body_is_expanded_only_up_to_limit(
    strict: TestClient, encoding: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    expanded = 0
    plain = INFLATERS[encoding].inflate

    def counting(self: Any, data: bytes) -> Iterator[bytes]:
        nonlocal expanded
        for piece in plain(self, data):
            expanded += len(piece)
            yield piece

    monkeypatch.setattr(INFLATERS[encoding], "inflate", counting)
    content, headers = compress_body(encoding, bytes(10**8))
    answer = strict.post("/v1/check", content=content, headers=TEXT | headers)
    assert_problem(answer, 413, "body-too-large")
    assert expanded <= LIMIT + (1 << 16)


@pytest.mark.parametrize("encoding", COMPRESS)
def test_body_limit_applies_to_compressed_size(strict: TestClient, encoding: str) -> None:
    nothing, headers = compress_body(encoding, b"")
    content = nothing * (LIMIT // len(nothing) + 1)
    answer = strict.post("/v1/check", content=content, headers=TEXT | headers)
    assert_problem(answer, 413, "body-too-large")
