"""The ladder from the cheapest way to an answer to the most expensive one, for all questions.

| rung | where | what | ends |
|---|---|---|---|
| at once | where the question was read | positions up to 4096 cells | by itself, in microseconds |
| kept | memory, then Redis | what was worked on before | by itself |
| inline | where the question was read | up to 2000 cells | when its turn is over |
| bounded | a worker of its kind | up to 50,000 cells, by methods with a budget | in a second |
| full | a worker | everything | killed at the deadline, with what it had found |

A packed job begins with the first worker: it is large, it may have ended a replica, or kernels are
still being compiled.

What one rung finds out the next one takes over: the first one leaves what it has read and seen, and
`NeedsMoreEffort` carries the progress. Single requests start at the top. Lines of a batch, over
HTTP, from the command line or on a cluster, are read in a worker, which goes down as far as
*bounded* by itself; what is left goes on in *full*, one by one. A command works alone: it begins
with the first rung and ends with the last, where it is.
"""

from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import aclosing
from dataclasses import replace
from typing import Final, TypeVar

from anyio import to_thread
from fastapi import Request

from minecheck.app.execution import at_once
from minecheck.app.execution.cache import Cache
from minecheck.app.execution.ndjson import Findings
from minecheck.app.execution.rungs import (
    INLINE_PAGE,
    answer_in_process,
    render_body,
    render_with_facts,
    translate_backend_errors,
)
from minecheck.app.execution.workers import Workers
from minecheck.app.games.stores import Games
from minecheck.app.operation import JSON_ANSWER, FunctionOperation, Operation
from minecheck.app.requests.body import Body, read_job, starts_in_worker
from minecheck.app.requests.jobs import Job
from minecheck.app.telemetry.tracing import Tell, discard_report
from minecheck.solvers import BOUNDED, FULL, INLINE, Answer, NeedsMoreEffort, Progress, Turn
from minecheck.solvers.positions.solve import NAME

Made = TypeVar("Made")

#: Seconds of the event loop for one question. Between two looks at the time some 30 ms may pass.
_TURN: Final = 0.01


class Ladder:
    """The rungs of a service; for use on its event loop."""

    def __init__(self, workers: Workers, cache: Cache, games: Games) -> None:
        self.workers = workers
        self._cache = cache
        self._games = games

    async def answer_request(
        self, request: Request, body: Body, operation: Operation, report: Tell
    ) -> tuple[bytes, Mapping[str, str]]:
        """Return the answer to a request whose body was received, and its headers.

        Raises:
            ProblemError: the request is wrong, or as `answer_body`.
        """
        settings = request.app.state.settings
        read = None
        if body.is_small_object and not starts_in_worker(request):
            together = at_once.answer_together(operation, (body.content,), {}, settings)
            if not together.unanswered:
                report(cells=together.cells[0], method=NAME, complete=True)
                return together.text[:-1], JSON_ANSWER
            read = together.parsed.get(0)
        job = await read_job(request, body, operation, read)
        # It may be large, and is not needed any more.
        del body
        report(cells=job.cells)
        # After the body, what a client sends next is that it has left.
        progress = at_once.make_progress(read)
        answer = await self.answer_body(job, request.receive, report, progress)
        return job.add_reading(answer), job.response_headers

    async def answer_body(
        self,
        job: Job,
        client_left: Callable[[], Awaitable[object]],
        report: Tell = discard_report,
        progress: Progress | None = None,
    ) -> bytes:
        """Return the answer to a job, as JSON.

        Args:
            job: the job.
            client_left: a function that returns when the client has left.
            report: a function that is called with facts for logs and metrics.
            progress: how far the job got when it was read.

        Raises:
            ProblemError: no backend can take the board, there is no layout of this number, or
                `Unanswered`: too many wait, or the worker was lost or out of memory.
        """
        if isinstance(job.operation, FunctionOperation):
            return await self._call_function(job, client_left)
        progress = progress or Progress()
        body = None if job.packed else at_once.answer_job(job, progress)
        if body is not None:
            report(method=NAME, complete=True)
            return body
        entry = self._cache.find_entry(job)
        if (body := self._cache.get_local(entry)) is not None:
            return body
        answer, further = answer_in_slices(job, progress)
        if answer is not None:
            facts, response = answer, await write_body(job.unpack_input(), answer)
        elif (body := await self._cache.fetch_remote(entry, job.deadline)) is not None:
            return body
        else:
            facts, response = await self.answer_in_workers(
                job, further, render_with_facts, client_left
            )
        report(method=facts.method, complete=facts.complete)
        self._cache.keep_answer(entry, facts, response, job.deadline)
        return response

    async def _call_function(self, job: Job, client_left: Callable[[], Awaitable[object]]) -> bytes:
        """Return the answer of the function of an operation, called here if it is quick."""
        operation, workers = job.operation, self.workers
        assert isinstance(operation, FunctionOperation), "the caller has looked"
        if operation.inline:
            answer = operation.answer(job.unpack_input().input, job.deadline)
        else:
            pool = workers.bounded if job.is_bounded else workers.unbounded
            with workers.slots.take_slot():
                answer = await workers.timed.call_function(pool.run, job, client_left)
        if operation.follow_up is None:
            return answer
        return await operation.follow_up(self._games, job.unpack_input().input, answer)

    async def answer_with(
        self,
        job: Job,
        use: Callable[[Job, Answer], Made],
        client_left: Callable[[], Awaitable[object]],
    ) -> Made:
        """Return ``use`` of the answer to a job that is not cached, such as a page of a stream.

        Args:
            job: the job.
            use: a function of the job and its answer, which a worker calls.
            client_left: a function that returns when the client has left.

        Raises:
            ProblemError: as `answer_body`, or ``use`` does.
        """
        answer, progress = answer_in_slices(job)
        if answer is not None:
            return use(job.unpack_input(), answer)
        return await self.answer_in_workers(job, progress, use, client_left)

    async def stream_lines(
        self, job: Job, client_left: Callable[[], Awaitable[object]]
    ) -> AsyncGenerator[bytes]:
        """Yield the lines that answer a job that is not cached, as they are found.

        Raises:
            ProblemError: as `answer_body`, before the first line.
        """
        answer, progress = answer_in_slices(job)
        if answer is not None:
            findings = Findings(job.unpack_input())
            yield findings.list_new_lines(answer) + findings.last_line(answer)
            return
        workers = self.workers
        with workers.slots.take_slot(), translate_backend_errors():
            lines = workers.timed.stream_lines(workers.unbounded.run, job, progress, client_left)
            async with aclosing(lines):
                async for line in lines:
                    yield line

    async def answer_in_workers(
        self,
        job: Job,
        progress: Progress | None,
        use: Callable[[Job, Answer], Made],
        client_left: Callable[[], Awaitable[object]],
    ) -> Made:
        """Return ``use`` of the answer from workers, from the rung *bounded* on.

        Raises:
            ProblemError: as `answer_body`, or ``use`` does.
        """
        workers, work = self.workers, self.workers.timed.work_on_answer
        with workers.slots.take_slot(), translate_backend_errors():
            if job.is_bounded:
                try:
                    return await work(workers.bounded.run, job, BOUNDED, progress, use, client_left)
                except NeedsMoreEffort as needs:
                    progress = needs.progress
            return await work(workers.unbounded.run, job, FULL, progress, use, client_left)


def answer_in_slices(
    job: Job, progress: Progress | None = None
) -> tuple[Answer | None, Progress | None]:
    """Answer a job on the event loop, in short slices.

    Returns:
        The answer, or else None and the progress.
    """
    if job.packed:
        return None, progress
    turn = Turn.start(job.deadline, _TURN)
    return answer_in_process(replace(job, deadline=turn), (INLINE,), progress)


async def write_body(job: Job, answer: Answer) -> bytes:
    """Return the JSON of an answer, on an event loop: a large one is written in a thread.

    Raises:
        ProblemError: the offset is above the number of layouts.
    """
    if job.question.cells * (1 + answer.listed) <= INLINE_PAGE:
        return render_body(job, answer)
    return await to_thread.run_sync(render_body, job, answer)
