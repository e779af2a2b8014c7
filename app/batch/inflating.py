"""Compressed bodies, inflated a little at a time, and no further than is plausible."""

import asyncio
from collections.abc import AsyncIterator
from http import HTTPStatus
from typing import Final

from minecheck.app.compression import INFLATERS, Inflater
from minecheck.app.problems import ProblemError
from minecheck.minefield.numerals import format_count

#: Lines of boards rarely inflate to more than 50 times what they are packed in; gzip can do 1032.
_MOST_TIMES: Final = 100


async def inflate_body(
    source: AsyncIterator[bytes], compression: str, free: int
) -> AsyncIterator[bytes]:
    """Inflate a body, in small pieces: memory is bounded however much it inflates to.

    The time is bounded, too: by ``free`` bytes, and 100 times the bytes that came in.

    Args:
        source: the pieces of the body.
        compression: ``gzip`` or ``zstd``.
        free: bytes that it may inflate to in any case.

    Raises:
        ProblemError: 413, it inflates to more.
        CompressionError: it is not compressed in this way, or ends early.
    """
    packed = inflated = 0
    inflater: Inflater = INFLATERS[compression]()
    async for body in source:
        packed += len(body)
        for piece in inflater.inflate(body):
            inflated += len(piece)
            if inflated > free + _MOST_TIMES * packed:
                raise _make_inflation_problem(free)
            yield piece
            # However much it inflates to, others have their turn in between.
            await asyncio.sleep(0)
    inflater.check_end()


def _make_inflation_problem(free: int) -> ProblemError:
    return ProblemError(
        HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
        "inflates-too-much",
        f"The body inflates to more than {_MOST_TIMES} times its size plus "
        f"{format_count(free, 'byte')}.",
        "Send the lines without Content-Encoding, or in several batches.",
        headers={"Connection": "close"},
    )
