"""Gzip that clients send, inflated a little at a time, and no further than is plausible."""

import asyncio
import zlib
from collections.abc import AsyncIterator
from http import HTTPStatus
from typing import Final

from minecheck.app.problems import ProblemError
from minecheck.minefield.amounts import format_count

GZIP: Final = 16 + zlib.MAX_WBITS
#: Bytes that are inflated at once.
_INFLATED: Final = 1 << 16
#: Lines of boards rarely inflate to more than 50 times what they are packed in; gzip can do 1032.
_MOST_TIMES: Final = 100


async def inflate_gzip(source: AsyncIterator[bytes], free: int) -> AsyncIterator[bytes]:
    """Inflate gzip, in small pieces: memory is bounded however much it inflates to.

    The time is bounded, too: by ``free`` bytes, and 100 times the bytes that came in.

    Args:
        source: the pieces of the gzip.
        free: bytes that it may inflate to in any case.

    Raises:
        ProblemError: 413, it inflates to more.
        zlib.error: it is not gzip, or ends early.
    """
    packed = inflated = 0
    decompressor = zlib.decompressobj(GZIP)
    fresh = True
    async for body in source:
        packed += len(body)
        while body:
            if decompressor.eof:
                # Another member of the same file.
                decompressor = zlib.decompressobj(GZIP)
            fresh = False
            piece = decompressor.decompress(body, _INFLATED)
            inflated += len(piece)
            if inflated > free + _MOST_TIMES * packed:
                raise _inflates_too_much(free)
            yield piece
            # However much it inflates to, others have their turn in between.
            await asyncio.sleep(0)
            body = decompressor.unused_data if decompressor.eof else decompressor.unconsumed_tail
    if not fresh and not decompressor.eof:
        raise zlib.error


def _inflates_too_much(free: int) -> ProblemError:
    return ProblemError(
        HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
        "inflates-too-much",
        f"The body inflates to more than {_MOST_TIMES} times its size and "
        f"{format_count(free, 'byte')} beside.",
        "Send the lines without Content-Encoding, or in several batches.",
        headers={"Connection": "close"},
    )
