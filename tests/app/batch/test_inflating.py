"""Gzip of a batch: how far it is inflated."""

import asyncio
import gzip
import zlib
from collections.abc import AsyncIterator

import pytest

from minecheck.app.batch.inflating import inflate_gzip
from minecheck.app.problems import ProblemError

FREE = 100_000


def count_inflated(packed: bytes, size: int = 1000) -> int:
    """How many bytes come of it, if it comes in pieces of such a size."""

    async def source() -> AsyncIterator[bytes]:
        for start in range(0, len(packed), size):
            yield packed[start : start + size]

    async def count() -> int:
        return sum([len(piece) async for piece in inflate_gzip(source(), FREE)])

    return asyncio.run(count())


def test_gzip_of_likely_lines_is_inflated_however_large() -> None:
    lines = b"".join(b'{"board": ["1?%d"], "mines": %d}\n' % (n, n * n) for n in range(100_000))
    packed = gzip.compress(lines)
    assert len(lines) > 10 * FREE
    assert count_inflated(packed) == len(lines)


def test_little_gzip_may_inflate_to_the_free_bytes() -> None:
    assert count_inflated(gzip.compress(b" " * FREE)) == FREE


@pytest.mark.parametrize("members", [1, 50])
def test_a_bomb_is_rejected_in_one_member_or_many(members: int) -> None:
    bomb = gzip.compress(b" " * (20_000_000 // members)) * members
    with pytest.raises(ProblemError) as caught:
        count_inflated(bomb)
    assert caught.value.document["status"] == 413
    assert caught.value.document["type"].endswith(":inflates-too-much")


def test_gzip_that_ends_early_is_told() -> None:
    with pytest.raises(zlib.error):
        count_inflated(gzip.compress(b"x" * 100)[:-9])
