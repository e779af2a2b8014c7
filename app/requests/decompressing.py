"""Compressed bodies: which encodings are read, and their contents, a little at a time."""

import zlib
from collections.abc import Callable, Iterator
from http import HTTPStatus
from types import MappingProxyType
from typing import Final, Protocol

from minecheck.app import problems
from minecheck.app.problems import ProblemError
from minecheck.app.zstd import WINDOW_OPTIONS, zstd

#: The encodings of bodies, by the names that Content-Encoding has for them.
_ENCODINGS: Final = MappingProxyType(
    {"": "identity", "identity": "identity", "gzip": "gzip", "x-gzip": "gzip", "zstd": "zstd"}
)
_READ: Final = ("gzip", "zstd", "identity")
#: Bytes that are decompressed at once.
_PIECE: Final = 1 << 16


class Decompressor(Protocol):
    """Takes the pieces of a compressed body, and gives its contents."""

    @property
    def is_complete(self) -> bool:
        """True if the contents may end here."""

    def expand(self, data: bytes) -> Iterator[bytes]:
        """Yield what the next piece expands to, in small pieces.

        Raises:
            ProblemError: 400, the body is damaged.
        """


def read_encoding(header: bytes) -> str:
    """Return the encoding of a body: gzip, zstd or identity.

    Args:
        header: the value of Content-Encoding, empty if there is none.

    Raises:
        ProblemError: 415, it is none of these.
    """
    name = header.decode("latin-1").strip()
    encoding = _ENCODINGS.get(name.lower())
    if encoding is None:
        fix = "Compress the body with gzip or zstd, or send it as it is."
        raise problems.of_encoding(name, fix, *_READ)
    return encoding


def make_decompressor(encoding: str) -> Decompressor:
    """Return what decompresses one body in gzip or zstd."""
    return _DECOMPRESSORS[encoding]()


class GzipDecompressor:
    """Contents of gzip, which may have several members."""

    def __init__(self) -> None:
        self._member = _new_member()
        self.is_complete = True

    def expand(self, data: bytes) -> Iterator[bytes]:
        """Yield what the next piece expands to, in small pieces.

        Raises:
            ProblemError: 400, it is not gzip.
        """
        while data:
            if self._member.eof:
                self._member = _new_member()
            try:
                piece = self._member.decompress(data, _PIECE)
            except zlib.error:
                raise damaged_body("gzip") from None
            self.is_complete = self._member.eof
            data = self._member.unused_data if self._member.eof else self._member.unconsumed_tail
            if piece:
                yield piece


class ZstdDecompressor:
    """Contents of Zstandard, which may have several frames."""

    def __init__(self) -> None:
        self._frame = _new_frame()
        self.is_complete = True

    def expand(self, data: bytes) -> Iterator[bytes]:
        """Yield what the next piece expands to, in small pieces.

        Raises:
            ProblemError: 400, it is not Zstandard, or needs a window of more than 8 MiB.
        """
        while data or not (self._frame.eof or self._frame.needs_input):
            if self._frame.eof:
                self._frame = _new_frame()
            try:
                piece = self._frame.decompress(data, _PIECE)
            except zstd.ZstdError:
                raise damaged_body("zstd") from None
            self.is_complete = self._frame.eof
            # What it has not read yet it keeps by itself, up to the end of a frame.
            data = self._frame.unused_data if self._frame.eof else b""
            if piece:
                yield piece


def damaged_body(encoding: str) -> ProblemError:
    """Return the problem of a body that is not in the encoding that it is declared to be in.

    Args:
        encoding: gzip or zstd.
    """
    code = "invalid-gzip"
    if encoding != "gzip":
        code = "invalid-zstd"
    return ProblemError(
        HTTPStatus.BAD_REQUEST,
        code,
        f"The body is not valid {encoding}, or ends early.",
        "Send it again, or without Content-Encoding.",
    )


def _new_member() -> "zlib._Decompress":
    return zlib.decompressobj(16 + zlib.MAX_WBITS)


def _new_frame() -> zstd.ZstdDecompressor:
    return zstd.ZstdDecompressor(options=WINDOW_OPTIONS)


_DECOMPRESSORS: Final[MappingProxyType[str, Callable[[], Decompressor]]] = MappingProxyType(
    {"gzip": GzipDecompressor, "zstd": ZstdDecompressor}
)
