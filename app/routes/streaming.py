"""Answers as lines of JSON: layouts and samples in pages, conflicts as they are found."""

import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import aclosing
from dataclasses import replace
from typing import Final

import orjson
from anyio import to_thread
from fastapi.responses import StreamingResponse

from app.answers import render
from app.answers.cells import OnBoard, drawing
from app.execution.ladder import Ladder
from app.execution.rungs import check_offset
from app.execution.workers import never
from app.problems import Unanswered
from app.requests.jobs import Job, Sealed
from minefield import Layout
from solvers import Task

NDJSON: Final = ("application/x-ndjson", "application/jsonl")

#: The header that tells the seed of streamed samples.
SEED: Final = "Minecheck-Seed"

# Pages grow, so that the first lines come soon and the last ones cheaply.
_FIRST_PAGE: Final = 256
_LAST_PAGE: Final = 8192
#: Cells of all layouts in a page, at most.
_PAGE_CELLS: Final = 2_000_000


async def lines(
    ladder: Ladder, sealed: Job | Sealed, gone: Callable[[], Awaitable[object]]
) -> StreamingResponse:
    """The answer to a question that may be streamed.

    Raises ProblemError before anything is sent.
    """
    job = await to_thread.run_sync(sealed.opened)
    assert job.record.stream is not None, "the route has looked"
    answered = _paged if job.record.stream.found is None else _as_found
    return await answered(ladder, job, gone)


async def _as_found(
    ladder: Ladder, job: Job, gone: Callable[[], Awaitable[object]]
) -> StreamingResponse:
    """What is found, a line each, and a last line that says how it ended.

    The first lines are waited for, so that a problem is one still.
    """
    if not job.limited:
        job = replace(job, question=replace(job.question, limit=sys.maxsize))
    found = ladder.lines(job, gone)
    first = await anext(found)

    async def all_lines() -> AsyncIterator[bytes]:
        async with aclosing(found):
            yield first
            async for more in found:
                yield more

    return StreamingResponse(all_lines(), media_type=NDJSON[0])


async def _paged(
    ladder: Ladder, job: Job, gone: Callable[[], Awaitable[object]]
) -> StreamingResponse:
    """One layout a line, as it is drawn in answers.

    A stream that the deadline, or the loss of a worker, cuts short ends with an
    object that says so and where to go on. The seed of samples is in a header.
    """
    question = job.question
    wanted = question.limit if job.limited else None
    most = max(1, _PAGE_CELLS // max(1, question.cells))
    page = replace(question, limit=min(_FIRST_PAGE, most, wanted or _FIRST_PAGE))
    answer = await ladder.answer(replace(job, question=page), gone)
    check_offset(page, answer)
    consistent = answer.consistent
    draw = drawing(page)

    async def lines() -> AsyncIterator[bytes]:
        nonlocal page, answer
        sent = 0
        while consistent is not False:
            found = answer.layouts or []
            yield await to_thread.run_sync(_lines, draw, found)
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
            try:
                answer = await ladder.answer(replace(job, question=page), never)
            except Unanswered:
                yield _last_word(consistent, page.offset)
                return

    headers = {SEED: str(page.seed)} if page.task is Task.SAMPLE else None
    return StreamingResponse(lines(), media_type=NDJSON[0], headers=headers)


def _lines(draw: OnBoard, layouts: list[Layout]) -> bytes:
    return b"".join(render.line(draw, layout) for layout in layouts)


def _last_word(consistent: bool | None, offset: int) -> bytes:
    said = {"complete": False, "consistent": consistent, "next_offset": str(offset)}
    return orjson.dumps(said) + b"\n"
