"""Gzip and Zstandard: recognised by their first bytes, and inflated a little at a time.

Bodies of requests and files of batches are read by the same code.
"""

import gzip
import sys
import zlib
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import IO, Any, Final, Protocol

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

__all__ = [
    "GZIP",
    "INFLATERS",
    "SUFFIXES",
    "CompressionError",
    "Inflater",
    "find_compression",
    "inflate_pieces",
    "open_compressed",
    "zstd",
]

#: The parameter of zlib for gzip.
GZIP: Final = 16 + zlib.MAX_WBITS
#: Bytes that are inflated at once.
_PIECE: Final = 1 << 16
#: The first bytes of compressed files.
_SIGNS: Final[Mapping[str, bytes]] = MappingProxyType(
    {"gzip": b"\x1f\x8b", "zstd": b"\x28\xb5\x2f\xfd"}
)
#: The compression of files, by their suffix.
SUFFIXES: Final[Mapping[str, str]] = MappingProxyType({".gz": "gzip", ".zst": "zstd"})
#: Requests are inflated with a window of up to 8 MiB, as RFC 9659 requires for HTTP. The default
#: would be 128 MiB.
_WINDOW: Final[Mapping[int, int]] = MappingProxyType(
    {zstd.DecompressionParameter.window_log_max: 23}
)


class CompressionError(ValueError):
    """Bytes that are not compressed as they should be, or end early."""


class Inflater(Protocol):
    """The state of inflating something that comes in pieces."""

    def inflate(self, data: bytes) -> Iterator[bytes]:
        """Yield what further bytes inflate to, in pieces of up to 64 KiB.

        Raises:
            CompressionError: they are not compressed in this way.
        """

    def check_end(self) -> None:
        """Make sure that nothing is missing.

        Raises:
            CompressionError: the last member is not complete.
        """


class GzipInflater:
    """Inflates gzip of one or several members; see `Inflater`."""

    def __init__(self) -> None:
        self._member = zlib.decompressobj(GZIP)
        self._is_fresh = True

    def inflate(self, data: bytes) -> Iterator[bytes]:
        """Yield what further bytes inflate to."""
        while data:
            if self._member.eof:
                self._member = zlib.decompressobj(GZIP)
            self._is_fresh = False
            try:
                piece = self._member.decompress(data, _PIECE)
            except zlib.error:
                raise CompressionError from None
            data = self._member.unused_data if self._member.eof else self._member.unconsumed_tail
            if piece:
                yield piece

    def check_end(self) -> None:
        """Make sure that nothing is missing."""
        if not (self._is_fresh or self._member.eof):
            raise CompressionError


class ZstdInflater:
    """Inflates Zstandard of one or several frames; see `Inflater`."""

    def __init__(self) -> None:
        self._frame: Any = None

    def inflate(self, data: bytes) -> Iterator[bytes]:
        """Yield what further bytes inflate to."""
        while data or not (self._frame is None or self._frame.eof or self._frame.needs_input):
            if self._frame is None or self._frame.eof:
                self._frame = zstd.ZstdDecompressor(options=dict(_WINDOW))
            try:
                piece = self._frame.decompress(data, _PIECE)
            except zstd.ZstdError:
                raise CompressionError from None
            # The decompressor keeps what it has not read yet, up to the end of a frame.
            data = self._frame.unused_data if self._frame.eof else b""
            if piece:
                yield piece

    def check_end(self) -> None:
        """Make sure that nothing is missing."""
        if not (self._frame is None or self._frame.eof):
            raise CompressionError


INFLATERS: Final[Mapping[str, type[GzipInflater] | type[ZstdInflater]]] = MappingProxyType(
    {"gzip": GzipInflater, "zstd": ZstdInflater}
)


def find_compression(start: bytes) -> str | None:
    """Return the way in which a file is compressed that begins so, None if it is not."""
    return next((name for name, sign in _SIGNS.items() if start.startswith(sign)), None)


def inflate_pieces(pieces: Iterator[bytes], compression: str) -> Iterator[bytes]:
    """Yield what pieces of a file inflate to.

    Args:
        pieces: the pieces.
        compression: ``gzip`` or ``zstd``.

    Raises:
        CompressionError: they are not compressed in this way, or the last one is missing.
    """
    inflater: Inflater = INFLATERS[compression]()
    for piece in pieces:
        yield from inflater.inflate(piece)
    inflater.check_end()


def open_compressed(file: IO[bytes], compression: str) -> IO[bytes]:
    """Return a file whose writes are compressed into another; to be closed before that one."""
    if compression == "zstd":
        opened: IO[bytes] = zstd.ZstdFile(file, "wb")  # type: ignore[assignment]
        return opened
    return gzip.GzipFile(fileobj=file, mode="wb", mtime=0)  # type: ignore[return-value]
