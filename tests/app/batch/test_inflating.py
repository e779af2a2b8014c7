"""Compressed bodies of a batch are inflated up to a limit."""

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
    """Return the number of bytes of an inflated body that arrives in pieces of `size`."""

    async def source() -> AsyncIterator[bytes]:
        for start in range(0, len(packed), size):
            yield packed[start : start + size]

    async def count() -> int:
        return sum([len(piece) async for piece in inflate_body(source(), compression, FREE)])

    return asyncio.run(count())


@pytest.mark.parametrize("name", COMPRESS)
def test_likely_lines_of_any_size_are_inflated(name: str) -> None:
    lines = b"".join(b'{"board": ["1?%d"], "mines": %d}\n' % (n, n * n) for n in range(100_000))
    packed = COMPRESS[name](lines)
    assert len(lines) > 10 * FREE
    assert count_inflated(packed, name) == len(lines)


@pytest.mark.parametrize("name", COMPRESS)
def test_few_bytes_may_inflate_to_number_of_free_bytes(name: str) -> None:
    assert count_inflated(COMPRESS[name](b" " * FREE), name) == FREE


@pytest.mark.parametrize("name", COMPRESS)
@pytest.mark.parametrize("members", [1, 50])
def test_decompression_bomb_is_rejected_in_one_member_or_many(name: str, members: int) -> None:
    bomb = COMPRESS[name](b" " * (20_000_000 // members)) * members
    with pytest.raises(ProblemError) as caught:
        count_inflated(bomb, name)
    assert caught.value.document["status"] == 413
    assert caught.value.document["type"].endswith(":inflates-too-much")


@pytest.mark.parametrize("name", COMPRESS)
def test_consecutive_members_inflate_to_one_text(name: str) -> None:
    packed = COMPRESS[name](b"abc") + COMPRESS[name](b"") + COMPRESS[name](b"de")
    for size in (1, 3, 1000):
        assert count_inflated(packed, name, size) == 5


@pytest.mark.parametrize("name", COMPRESS)
def test_truncated_or_uncompressed_body_is_rejected(name: str) -> None:
    for packed in (COMPRESS[name](b"x" * 100)[:-9], b"no compression"):
        with pytest.raises(CompressionError):
            count_inflated(packed, name)


def test_zstandard_body_with_large_window_is_rejected() -> None:
    options: Any = {zstd.CompressionParameter.window_log: 27}
    compressor = zstd.ZstdCompressor(options=options)
    packed = compressor.compress(b"x" * 1000) + compressor.flush()
    with pytest.raises(CompressionError):
        count_inflated(packed, "zstd")
