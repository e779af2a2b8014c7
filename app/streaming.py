"""All layouts of a board as lines of JSON, in constant memory."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace
from typing import Final

import orjson
from anyio import to_thread
from fastapi.responses import StreamingResponse

from app import rendering
from app.asking import Asked
from app.workers import Workers
from minefield import Layout

NDJSON: Final = ("application/x-ndjson", "application/jsonl")

# Pages grow, so that the first lines come soon and the last ones cheaply.
_FIRST_PAGE: Final = 256
_LAST_PAGE: Final = 8192
#: Cells of all layouts in a page, at most.
_PAGE_CELLS: Final = 2_000_000


async def layouts(
    workers: Workers, ask: Asked, gone: Callable[[], Awaitable[object]]
) -> StreamingResponse:
    """One layout a line, as the list of its rows.

    A stream that the deadline cuts short ends with an object that says so and
    where to go on. Raises BackendRefusal, before anything is sent.
    """
    wanted = ask.question.limit if ask.limited else None
    most = max(1, _PAGE_CELLS // ask.question.board.cells.size)
    page = replace(ask.question, limit=min(_FIRST_PAGE, most, wanted or _FIRST_PAGE))
    answer = await workers.answer(page, ask.deadline, gone)
    consistent = answer.consistent

    async def lines() -> AsyncIterator[bytes]:
        nonlocal page, answer
        sent = 0
        while consistent is not False:
            found = answer.layouts or []
            yield await to_thread.run_sync(_lines, found)
            sent += len(found)
            # A full page is whole even where the number of all layouts is not known.
            if not answer.complete and len(found) < page.limit:
                yield _last_word(consistent, page.offset + len(found))
                return
            if answer.next_offset is None or sent == wanted:
                return
            limit = min(page.limit * 2, _LAST_PAGE, most)
            limit = limit if wanted is None else min(limit, wanted - sent)
            page = replace(page, offset=answer.next_offset, limit=limit)
            # The response itself sees a client that leaves, and ends this generator.
            answer = await workers.answer(page, ask.deadline, asyncio.Event().wait)

    return StreamingResponse(lines(), media_type=NDJSON[0])


def _lines(layouts: list[Layout]) -> bytes:
    return b"".join(map(rendering.line, layouts))


def _last_word(consistent: bool | None, offset: int) -> bytes:
    said = {"complete": False, "consistent": consistent, "next_offset": str(offset)}
    return orjson.dumps(said) + b"\n"
