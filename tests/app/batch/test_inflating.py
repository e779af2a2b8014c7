"""Compressed bodies of a batch: how far they are inflated."""

import asyncio
import gzip
import sys
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from minecheck.app.batch.inflating import inflate_body
from minecheck.app.compression import CompressionError
from minecheck.app.problems import ProblemError

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

FREE = 100_000
COMPRESS: dict[str, Callable[[bytes], bytes]] = {"gzip": gzip.compress, "zstd": zstd.compress}


def count_inflated(packed: bytes, compression: str, size: int = 1000) -> int:
    """How many bytes come of it, if it comes in pieces of such a size."""

    async def source() -> AsyncIterator[bytes]:
        for start in range(0, len(packed), size):
            yield packed[start : start + size]

    async def count() -> int:
        return sum([len(piece) async for piece in inflate_body(source(), compression, FREE)])

    return asyncio.run(count())


@pytest.mark.parametrize("name", COMPRESS)
def test_likely_lines_are_inflated_however_large(name: str) -> None:
    lines = b"".join(b'{"board": ["1?%d"], "mines": %d}\n' % (n, n * n) for n in range(100_000))
    packed = COMPRESS[name](lines)
    assert len(lines) > 10 * FREE
    assert count_inflated(packed, name) == len(lines)


@pytest.mark.parametrize("name", COMPRESS)
def test_a_few_bytes_may_inflate_to_the_free_bytes(name: str) -> None:
    assert count_inflated(COMPRESS[name](b" " * FREE), name) == FREE


@pytest.mark.parametrize("name", COMPRESS)
@pytest.mark.parametrize("members", [1, 50])
def test_a_bomb_is_rejected_in_one_member_or_many(name: str, members: int) -> None:
    bomb = COMPRESS[name](b" " * (20_000_000 // members)) * members
    with pytest.raises(ProblemError) as caught:
        count_inflated(bomb, name)
    assert caught.value.document["status"] == 413
    assert caught.value.document["type"].endswith(":inflates-too-much")


@pytest.mark.parametrize("name", COMPRESS)
def test_members_one_after_the_other_are_one_text(name: str) -> None:
    packed = COMPRESS[name](b"abc") + COMPRESS[name](b"") + COMPRESS[name](b"de")
    for size in (1, 3, 1000):
        assert count_inflated(packed, name, size) == 5


@pytest.mark.parametrize("name", COMPRESS)
def test_what_ends_early_or_is_something_else_is_rejected(name: str) -> None:
    for packed in (COMPRESS[name](b"x" * 100)[:-9], b"no compression"):
        with pytest.raises(CompressionError):
            count_inflated(packed, name)


def test_zstandard_with_a_large_window_is_rejected() -> None:
    options: Any = {zstd.CompressionParameter.window_log: 27}
    compressor = zstd.ZstdCompressor(options=options)
    packed = compressor.compress(b"x" * 1000) + compressor.flush()
    with pytest.raises(CompressionError):
        count_inflated(packed, "zstd")
