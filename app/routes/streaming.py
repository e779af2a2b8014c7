"""Answers as lines of JSON: layouts and samples in pages, conflicts as they are found."""

import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import aclosing
from typing import Final

from fastapi.responses import StreamingResponse

from app.execution import pages
from app.execution.ladder import Ladder
from app.execution.workers import never
from app.problems import Unanswered
from app.requests.jobs import Job, Sealed

NDJSON: Final = ("application/x-ndjson", "application/jsonl")

#: The header that tells the seed of streamed samples.
SEED: Final = "Minecheck-Seed"

# Pages grow, so that the first lines come soon and the last ones cheaply.
_FIRST_PAGE: Final = 256
_LAST_PAGE: Final = 8192
#: Cells of all layouts in a page, at most.
_PAGE_CELLS: Final = 2_000_000


async def lines(
    ladder: Ladder, job: Job | Sealed, gone: Callable[[], Awaitable[object]]
) -> StreamingResponse:
    """The answer to a question that may be streamed.

    Raises ProblemError before anything is sent.
    """
    assert job.record.stream is not None, "the route has looked"
    answered = _paged if job.record.stream.found is None else _as_found
    return await answered(ladder, job, gone)


async def _as_found(
    ladder: Ladder, job: Job | Sealed, gone: Callable[[], Awaitable[object]]
) -> StreamingResponse:
    """What is found, a line each, and a last line that says how it ended.

    The first lines are waited for, so that a problem is one still.
    """
    found = ladder.lines(job if job.limited else job.page(job.offset, sys.maxsize), gone)
    first = await anext(found)

    async def all_lines() -> AsyncIterator[bytes]:
        async with aclosing(found):
            yield first
            async for more in found:
                yield more

    return StreamingResponse(all_lines(), media_type=NDJSON[0])


async def _paged(
    ladder: Ladder, job: Job | Sealed, gone: Callable[[], Awaitable[object]]
) -> StreamingResponse:
    """One layout a line, as it is drawn in answers.

    A stream that the deadline, or the loss of a worker, cuts short ends with an
    object that says so and where to go on. The seed of samples is in a header.
    """
    wanted = job.limit if job.limited else None
    most = max(1, _PAGE_CELLS // max(1, job.cells))
    job = job.page(job.offset, min(_FIRST_PAGE, most, wanted or _FIRST_PAGE))
    page = await ladder.answer(job, pages.page, gone)
    consistent = page.consistent

    async def all_lines() -> AsyncIterator[bytes]:
        nonlocal job, page
        sent = 0
        while consistent is not False:
            yield page.lines
            sent += page.layouts
            # A full page is whole even where the number of all layouts is not known.
            if not page.complete and page.layouts < job.limit:
                yield pages.cut_short(consistent, job.offset + page.layouts)
                return
            if page.next_offset is None or sent == wanted:
                return
            limit = min(job.limit * 2, _LAST_PAGE, most)
            limit = limit if wanted is None else min(limit, wanted - sent)
            job = job.page(page.next_offset, limit)
            # The response itself sees a client that leaves, and ends this generator.
            try:
                page = await ladder.answer(job, pages.page, never)
            except Unanswered:
                yield pages.cut_short(consistent, job.offset)
                return

    stream = job.record.stream
    headers = {SEED: str(page.seed)} if stream is not None and stream.endless else None
    return StreamingResponse(all_lines(), media_type=NDJSON[0], headers=headers)
