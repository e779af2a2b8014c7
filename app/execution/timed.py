"""Calls of workers that end in time: killed at the deadline, or when the client leaves.

Tested in tests/app/execution/test_workers.py.
"""

import asyncio
import pickle
import tempfile
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine
from contextlib import AbstractContextManager, nullcontext, suppress
from itertools import count
from pathlib import Path
from time import monotonic
from typing import Any, Final, TypeVar

from minecheck.app.execution.ndjson import Findings, render_end_of_cut_findings
from minecheck.app.execution.pool import spare_memory
from minecheck.app.operation import FunctionOperation
from minecheck.app.problems import Unanswered
from minecheck.app.requests.jobs import Job
from minecheck.solvers import FULL, Answer, Deadline, Effort, Progress, answer_question

Found = TypeVar("Found")

#: The share of its time, and the most seconds, by which a worker stops before the deadline...
_MARGIN: Final = 0.1
_MAX_MARGIN: Final = 0.3
#: ...and the seconds after it when the worker is killed.
_GRACE: Final = 0.1
#: More bytes that a killed worker had found are read, and written, by another one.
_MUCH: Final = 64 * 1024
#: The extra seconds for questions in progress at shutdown.
_LAST_SECONDS: Final = 1.5
#: The interval of reading the lines of a worker, in seconds, at first and later, and the bytes that
#: are read at once.
_LINES_SECONDS: Final = (0.002, 0.05)
_PIECE: Final = 1 << 20


async def wait_forever() -> None:
    """Wait forever: the future of a client that does not leave."""
    await asyncio.Event().wait()


class Timed:
    """Calls of workers that end in time, and what questions had found out when they were cut.

    ``brief`` runs what does not take long, but would keep all others waiting. Close it in the end,
    after the workers.
    """

    def __init__(self, brief: Callable[..., Awaitable[Any]] = asyncio.to_thread) -> None:
        self._brief = brief
        self._folder = tempfile.TemporaryDirectory(prefix="minecheck-")
        self._numbers = count()
        self._hurried = False
        #: Limits of the calls in progress.
        self._limits: set[asyncio.Timeout] = set()

    def hurry_up(self) -> None:
        """Give up soon on what is in progress: the service is about to end."""
        self._hurried = True
        for limit in self._limits:
            self._shorten(limit, _LAST_SECONDS)

    def close(self) -> None:
        """Remove what workers have left."""
        self._folder.cleanup()

    async def work_on_answer(
        self,
        run: Callable[..., Coroutine[Any, Any, Found]],
        job: Job,
        effort: Effort,
        progress: Progress | None,
        use: Callable[[Job, Answer], Found],
        client_left: Callable[[], Awaitable[object]] = wait_forever,
    ) -> Found:
        """Have a worker answer a job, completely or as far as it gets in time.

        The worker is killed at the deadline, or when the client has left.

        Args:
            run: `Pool.run`, or a method like it.
            job: the job.
            effort: how much may be spent.
            progress: how far it got before, where it goes on.
            use: a function of the job and its answer, which the worker calls.
            client_left: a function that returns when the client has left.

        Returns:
            The result of ``use``.

        Raises:
            NeedsMoreEffort: the effort was too small.
            WorkerLost: as `Pool.run`.
            OutOfMemory: as `Pool.run`.
        """
        started = monotonic()
        file = self._make_file()
        try:
            called = run(_work_on_answer, job, effort, progress, use, file)
            return await self.run_within(called, job.deadline.left + _GRACE, client_left)
        except TimeoutError:
            elapsed = monotonic() - started
            much = file.exists() and file.stat().st_size > _MUCH
            brief = self._brief if much or job.packed else asyncio.to_thread
            return await brief(_use_partial_answer, job, progress, use, file, elapsed)
        finally:
            for path in (file, file.with_suffix(".new")):
                path.unlink(missing_ok=True)

    async def call_function(
        self,
        run: Callable[..., Coroutine[Any, Any, bytes]],
        job: Job,
        client_left: Callable[[], Awaitable[object]] = wait_forever,
    ) -> bytes:
        """Return the answer of the function of an operation, which a worker calls.

        It stops by itself before the deadline. Where it does not, the worker is killed, and the
        answer is the partial one that needs no worker.

        Raises:
            ProblemError: there is no answer.
            WorkerLost: as `Pool.run`.
            OutOfMemory: as `Pool.run`.
        """
        started = monotonic()
        try:
            return await self.run_within(run(_call_function, job), job.deadline.left, client_left)
        except TimeoutError:
            elapsed = monotonic() - started
            brief = self._brief if job.packed else asyncio.to_thread
            return await brief(_call_partial_answer, job, elapsed)

    async def stream_lines(
        self,
        run: Callable[..., Coroutine[Any, Any, bytes]],
        job: Job,
        progress: Progress | None,
        client_left: Callable[[], Awaitable[object]] = wait_forever,
    ) -> AsyncGenerator[bytes]:
        """Yield the lines (`Findings`) that a worker finds; it is killed as in `work_on_answer`.

        Raises:
            WorkerLost: as `Pool.run`, before the first line.
            OutOfMemory: as `Pool.run`, before the first line.
        """
        known_answer = progress.answer if progress else None
        file, rest = self._make_file(), b""
        called = run(_find_lines, job, progress, file)
        working = asyncio.ensure_future(
            self.run_within(called, job.deadline.left + _GRACE, client_left)
        )
        pause, longest = _LINES_SECONDS
        begun = ended = False
        try:
            with file.open("rb") as written:
                while not ended:
                    await asyncio.wait((working,), timeout=pause)
                    ended = working.done()
                    pause = min(2 * pause, longest)
                    while piece := written.read(_PIECE):
                        # A killed writer may leave half a line.
                        whole, feed, rest = (rest + piece).rpartition(b"\n")
                        if feed:
                            begun = True
                            yield whole + feed
            yield rest + working.result()
        except (TimeoutError, Unanswered) as error:
            if isinstance(error, Unanswered) and not begun:
                raise
            yield render_end_of_cut_findings(
                False if begun else known_answer.consistent if known_answer else None
            )
        finally:
            working.cancel()
            file.unlink(missing_ok=True)

    def _make_file(self) -> Path:
        """Make a file for a worker: as long as it is there it may be written to."""
        file = Path(self._folder.name, str(next(self._numbers)))
        with suppress(OSError):
            file.touch()
        return file

    async def run_within(
        self,
        called: Coroutine[Any, Any, Found],
        seconds: float,
        client_left: Callable[[], Awaitable[object]] = wait_forever,
    ) -> Found:
        """Return the result of a call to a worker.

        Raises:
            TimeoutError: it is not worth waiting any longer; the worker is killed.
        """
        if seconds <= 0:
            # Once begun, it would cost a worker.
            called.close()
            raise TimeoutError
        seconds = min(seconds, _LAST_SECONDS) if self._hurried else seconds
        async with asyncio.timeout(seconds) as limit:
            self._limits.add(limit)
            leaving = None
            if client_left is not wait_forever:
                leaving = asyncio.ensure_future(client_left())
                leaving.add_done_callback(lambda _: self._shorten(limit, 0.0))
            try:
                return await called
            finally:
                self._limits.discard(limit)
                if leaving is not None:
                    leaving.cancel()

    def _shorten(self, limit: asyncio.Timeout, seconds: float) -> None:
        """Let the limit of a call that is still in progress come in so many seconds at most."""
        at, soon = limit.when(), asyncio.get_running_loop().time() + seconds
        if limit in self._limits and not limit.expired() and at is not None and soon < at:
            limit.reschedule(soon)


def stop_early(deadline: Deadline) -> Deadline:
    """Return when a worker has to stop for its answer to arrive by the deadline."""
    return Deadline(deadline.at - min(_MAX_MARGIN, _MARGIN * max(0.0, deadline.left)))


def _use_partial_answer(
    job: Job,
    progress: Progress | None,
    use: Callable[[Job, Answer], Found],
    file: Path,
    elapsed: float,
) -> Found:
    """Return ``use`` of the results of a killed worker, or of those before it."""
    job = job.unpack_input()
    try:
        answer: Answer = pickle.loads(file.read_bytes())
    except (OSError, EOFError, pickle.UnpicklingError):  # nothing yet, or no room for it
        answer = (progress and progress.answer) or job.question.answer_type(
            method=str(job.question.backend)
        )
    answer.complete = False
    before = progress.answer.elapsed if progress and progress.answer else 0.0
    answer.elapsed = before + elapsed
    return use(job, answer)


def _call_function(job: Job) -> bytes:
    """Return the answer of the function of an operation, in a worker."""
    assert isinstance(job.operation, FunctionOperation), "the caller has looked"
    with _spare_second_try(job):
        return job.operation.answer(job.unpack_input().input, stop_early(job.deadline))


def _call_partial_answer(job: Job, elapsed: float) -> bytes:
    """Return the answer of an operation whose function took too long."""
    assert isinstance(job.operation, FunctionOperation), "the caller has looked"
    assert job.operation.partial_answer is not None, "workers take none that is inline"
    return job.operation.partial_answer(job.unpack_input().input, elapsed)


def _work_on_answer(
    job: Job,
    effort: Effort,
    progress: Progress | None,
    use: Callable[[Job, Answer], Found],
    file: Path,
) -> Found:
    """Return ``use`` of the answer, in a worker; keep its parts in a file meanwhile."""

    def keep_progress(answer: Answer) -> None:
        # An answer does not fail because there is no room for its safety copy.
        with suppress(OSError, MemoryError):
            if file.exists():
                unfinished = file.with_suffix(".new")
                unfinished.write_bytes(pickle.dumps(answer))
                unfinished.replace(file)

    with _spare_second_try(job):
        job = job.unpack_input()
        return use(
            job,
            answer_question(
                job.question, stop_early(job.deadline), effort, keep_progress, progress
            ),
        )


def _find_lines(job: Job, progress: Progress | None, file: Path) -> bytes:
    """Write lines of what is found to a file, in a worker, and return the rest and the last one."""
    with _spare_second_try(job), file.open("ab", buffering=0) as written:
        job = job.unpack_input()
        findings, unwritten = Findings(job), bytearray()

        def keep_found(answer: Answer) -> None:
            unwritten.extend(findings.list_new_lines(answer))
            # The rest follows at the end, for lack of room.
            with suppress(OSError):
                del unwritten[: written.write(unwritten)]

        final = answer_question(job.question, stop_early(job.deadline), FULL, keep_found, progress)
    return bytes(unwritten) + findings.list_new_lines(final) + findings.last_line(final)


def _spare_second_try(job: Job) -> AbstractContextManager[None]:
    """Limit a worker to less memory for a second try, within a context."""
    return spare_memory() if job.second_try else nullcontext()
