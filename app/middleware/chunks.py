"""Sizes of the chunks of a body, which the parser knows and does not report."""

import re
from typing import Final

#: A size of more than 32 bits, and perhaps an extension (RFC 9112, section 7.1); no trailer.
_LARGE: Final = re.compile(rb"0*[1-9a-f][0-9a-f]{8,}[ \t]*(;.*)?\r?\n", re.IGNORECASE | re.DOTALL)


class ChunkSizes:
    """Follows a chunked body by callbacks of the parser; its first read ends the head."""

    def __init__(self) -> None:
        #: Reads since a chunk has ended, as long as no other has begun.
        self._before = b""
        #: True if a chunk has begun and not ended.
        self._open = False
        #: Bytes that have come of one that has begun since the last read; else None.
        self._taken: int | None = None

    def begin_chunk(self) -> None:
        """Note that a chunk begins: the line with its size has ended."""
        self._open = True
        self._taken = 0

    def take_bytes(self, size: int) -> None:
        """Count ``size`` more bytes of the chunk."""
        if self._taken is not None:
            self._taken += size

    def end_chunk(self) -> None:
        """Note that the chunk is complete."""
        self._before = b""
        self._open = False
        self._taken = None

    def exceeds_chunk_limit(self, read: bytes) -> bool:
        """Return True if an open chunk that begins in this read claims 4 GiB or more.

        No such chunk ends in the read in which it begins, so that its size is
        right before the bytes of it that have come.
        """
        unparsed, self._before = self._before + read, b""
        taken, self._taken = self._taken, None
        if not self._open:
            self._before = unparsed
        # Later bytes belong to the chunk or to a trailer, whatever they look like.
        if taken is None:
            return False
        end = max(0, len(unparsed) - taken)
        start = unparsed.rfind(b"\n", 0, max(0, end - 1)) + 1
        return _LARGE.fullmatch(unparsed, start, end) is not None
