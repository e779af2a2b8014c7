"""How an answer is reached, from the cheapest way to the most expensive one, for all questions.

| rung | where | what | ends |
|---|---|---|---|
| at once | where the question was read | positions of games | by itself, in microseconds |
| kept | memory, then Redis | what was worked on before | by itself |
| inline | where the question was read | up to 2000 cells | when its turn is over |
| bounded | a worker of its kind | up to 50,000 cells, by methods with a budget | in a second |
| full | a worker | everything | killed at the deadline, with what it had found |

What is sealed, as it is large, or may have ended a replica, begins in the first worker.

What one rung finds out the next one takes over: `NeedsWorker` carries the progress. Single requests
start at the top. Lines of a batch, over HTTP, from the command line or on a cluster, are read in a
worker, which goes down as far as *bounded* by itself; what is left goes on in *full*, one by one.
A command works alone: it begins with the first rung and ends with the last, where it is.
"""

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from dataclasses import replace
from typing import Final, TypeVar

from anyio import to_thread

from app.execution import fast_path
from app.execution.cache import Cache
from app.execution.findings import Findings
from app.execution.rungs import (
    INLINE_PAGE,
    here,
    may_be_bounded,
    refusals,
    told,
    written,
)
from app.execution.workers import Background, Workers
from app.requests.jobs import Commission, Job, Sealed
from solvers import BOUNDED, FULL, INLINE, Answer, NeedsWorker, Progress, Turn, at_once

Made = TypeVar("Made")

#: Seconds of the event loop for one question. Between two looks at the time some 30 ms may pass.
_TURN: Final = 0.01


class Ladder:
    """The rungs of a service; for use on its event loop."""

    def __init__(self, workers: Workers, cache: Cache) -> None:
        self.workers = workers
        self._cache = cache

    async def body(
        self,
        job: Job | Sealed,
        gone: Callable[[], Awaitable[object]],
        tell: Callable[[str, bool], None] = lambda method, complete: None,
        no_position: bool = False,
    ) -> bytes:
        """The answer to a single request, as JSON; ``tell`` is told who answered, and if in full.

        The board is ``no_position`` where that was found out before.

        Raises:
            ProblemError: no backend can take the board, there is no layout of this number, or
                `Unanswered`: too many wait, or the worker was lost or out of memory.
        """
        body, progress = (
            (None, None) if isinstance(job, Sealed) else fast_path.answered(job, tried=no_position)
        )
        if body is not None:
            tell(at_once.NAME, True)
            return body
        entry = self._cache.entry(job)
        if (body := self._cache.known(entry)) is not None:
            return body
        found, progress = in_turn(job, progress)
        if found is not None:
            known, made = found, await write(job.opened(), found)
        elif (body := await self._cache.fetched(entry, job.deadline)) is not None:
            return body
        else:
            known, made = await self.worked(job, progress, told, gone)
        tell(known.method, known.complete)
        self._cache.keep(entry, known, made, job.deadline)
        return made

    async def answer(
        self,
        job: Job | Sealed,
        use: Callable[[Job, Answer], Made],
        gone: Callable[[], Awaitable[object]],
    ) -> Made:
        """What is made of the answer to a job of which nothing is kept, as a page of a stream.

        Raises:
            ProblemError: as `body`, or ``use`` does.
        """
        found, progress = in_turn(job)
        if found is not None:
            return use(job.opened(), found)
        return await self.worked(job, progress, use, gone)

    async def lines(
        self, job: Job | Sealed, gone: Callable[[], Awaitable[object]]
    ) -> AsyncGenerator[bytes]:
        """What answers a job, of which nothing is kept, line by line as it is found.

        Raises:
            ProblemError: as `body`, before the first line.
        """
        found, progress = in_turn(job)
        if found is not None:
            findings = Findings(job.opened())
            yield findings.more(found) + findings.last(found)
            return
        workers = self.workers
        with workers.place(), refusals():
            lines = workers.timed.lines(workers.unbounded.run, job, progress, gone)
            async with aclosing(lines):
                async for more in lines:
                    yield more

    async def worked(
        self,
        job: Job | Sealed,
        progress: Progress | None,
        use: Callable[[Job, Answer], Made],
        gone: Callable[[], Awaitable[object]],
    ) -> Made:
        """What workers make of their answer, from the rung *bounded* on."""
        workers, work = self.workers, self.workers.timed.work
        with workers.place(), refusals():
            if isinstance(job, Sealed) or may_be_bounded(job.question):
                try:
                    return await work(workers.bounded.run, job, BOUNDED, progress, use, gone)
                except NeedsWorker as needs:
                    progress = needs.progress
            return await work(workers.unbounded.run, job, FULL, progress, use, gone)


def in_turn(
    job: Job | Sealed, progress: Progress | None = None
) -> tuple[Answer | None, Progress | None]:
    """What is found on the event loop before others have their turn; else the progress."""
    if isinstance(job, Sealed):
        return None, progress
    turn = Turn.of(job.deadline, _TURN)
    return here(replace(job, deadline=turn), (INLINE,), progress)


async def finish(background: Background, job: Job | Commission, progress: Progress | None) -> bytes:
    """The answer to a line of a batch that its worker has left, on the last rung, as JSON.

    Raises:
        ProblemError: as `Ladder.body`.
    """
    if isinstance(job, Commission):
        return await background.done(job)
    with refusals():
        return await background.work(job, FULL, progress, written)


async def write(job: Job, found: Answer) -> bytes:
    """As `written`, on an event loop: a large answer is written in a thread."""
    if job.question.cells * (1 + len(found.layouts or ())) <= INLINE_PAGE:
        return written(job, found)
    return await to_thread.run_sync(written, job, found)
