"""Answers as lines of JSON: layouts and samples in pages, conflicts as they are found."""

import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import aclosing
from typing import Final

from fastapi.responses import StreamingResponse

from minecheck.app.execution import ndjson
from minecheck.app.execution.ladder import Ladder
from minecheck.app.execution.timed import wait_forever
from minecheck.app.problems import Unanswered
from minecheck.app.requests.jobs import Job

NDJSON: Final = ("application/x-ndjson", "application/ndjson", "application/jsonl")

#: The header with the seed of streamed samples.
SEED: Final = "Minecheck-Seed"

# Pages grow, so that the first lines come soon and the last ones cheaply.
_FIRST_PAGE: Final = 256
_LAST_PAGE: Final = 8192
#: Cells of all layouts in a page, at most.
_PAGE_CELLS: Final = 2_000_000


async def stream_answer(
    ladder: Ladder, job: Job, client_left: Callable[[], Awaitable[object]]
) -> StreamingResponse:
    """Return the answer to a question that may be streamed.

    Args:
        ladder: the ways to an answer.
        job: the job.
        client_left: a function that returns when the client has left.

    Raises:
        ProblemError: the request is wrong, before anything is sent.
    """
    assert job.operation.stream is not None, "the route has looked"
    streamed = _stream_page if job.operation.stream.found is None else _as_found
    response = await streamed(ladder, job, client_left)
    response.headers.update(job.note_headers)
    return response


async def _as_found(
    ladder: Ladder, job: Job, client_left: Callable[[], Awaitable[object]]
) -> StreamingResponse:
    """Stream results, a line each, and a last line that says how it ended.

    The first lines are waited for, so that a problem is one still.
    """
    lines = ladder.stream_lines(
        job if job.limited else job.with_page(job.offset, sys.maxsize), client_left
    )
    first_line = await anext(lines)

    async def all_lines() -> AsyncIterator[bytes]:
        async with aclosing(lines):
            yield first_line
            async for line in lines:
                yield line

    return StreamingResponse(all_lines(), media_type=NDJSON[0])


async def _stream_page(
    ladder: Ladder, job: Job, client_left: Callable[[], Awaitable[object]]
) -> StreamingResponse:
    """Stream one layout a line, as it is drawn in answers.

    A stream that the deadline, or the loss of a worker, cuts short ends with an
    object that says so and where to go on. The seed of samples is in a header.
    """
    remaining = job.limit if job.limited else None
    most = max(1, _PAGE_CELLS // max(1, job.cells))
    job = job.with_page(job.offset, min(_FIRST_PAGE, most, remaining or _FIRST_PAGE))
    page = await ladder.answer_with(job, ndjson.render_page, client_left)
    consistent = page.consistent

    async def all_lines() -> AsyncIterator[bytes]:
        nonlocal job, page
        sent = 0
        while consistent is not False:
            yield page.lines
            sent += page.layouts
            # A full page is whole even where the number of all layouts is not known.
            if not page.complete and page.layouts < job.limit:
                yield ndjson.render_end_of_cut_pages(consistent, job.offset + page.layouts)
                return
            if page.next_offset is None or sent == remaining:
                return
            limit = min(job.limit * 2, _LAST_PAGE, most)
            limit = limit if remaining is None else min(limit, remaining - sent)
            job = job.with_page(page.next_offset, limit)
            # The response itself sees a client that leaves, and ends this generator.
            try:
                page = await ladder.answer_with(job, ndjson.render_page, wait_forever)
            except Unanswered:
                yield ndjson.render_end_of_cut_pages(consistent, job.offset)
                return

    stream = job.operation.stream
    headers = {SEED: str(page.seed)} if stream is not None and stream.endless else None
    return StreamingResponse(all_lines(), media_type=NDJSON[0], headers=headers)
