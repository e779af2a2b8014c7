"""Gzip and Zstandard are inflated in small pieces, whole, and within 8 MiB."""

import gzip
from collections.abc import Callable
from random import Random
from typing import Final

import pytest

from minecheck.app.compression import INFLATERS, CompressionError, inflate_pieces, zstd

COMPRESS: Final[dict[str, Callable[[bytes], bytes]]] = {
    "gzip": gzip.compress,
    "zstd": zstd.compress,
}


def inflate(encoding: str, data: bytes, size: int) -> bytes:
    """Return the inflated contents of data that arrives in pieces."""
    pieces = (data[start : start + size] for start in range(0, len(data), size))
    return b"".join(inflate_pieces(pieces, encoding))


@pytest.mark.parametrize("encoding", COMPRESS)
@pytest.mark.parametrize("size", [1, 7, 1000, 1 << 20])
def test_inflate_pieces_gives_equal_contents_for_pieces_of_any_size(
    encoding: str, size: int
) -> None:
    content = Random(1).randbytes(3000) + b"?" * 200_000
    whole = COMPRESS[encoding](content)
    assert inflate(encoding, whole, size) == content
    twice = whole + COMPRESS[encoding](b"more")
    assert inflate(encoding, twice, size) == content + b"more"
    with pytest.raises(CompressionError):
        inflate(encoding, whole[:-1], size)


@pytest.mark.parametrize("encoding", COMPRESS)
def test_inflater_gives_small_pieces(encoding: str) -> None:
    found = INFLATERS[encoding]()
    assert max(map(len, found.inflate(COMPRESS[encoding](bytes(10**7))))) <= 1 << 16


def test_zstandard_window_of_more_than_8_mib_is_rejected() -> None:
    options: dict[int, int] = {zstd.CompressionParameter.window_log: 24}
    wide = zstd.compress(Random(1).randbytes(1 << 24), options=options)
    with pytest.raises(CompressionError):
        list(INFLATERS["zstd"]().inflate(wide))
