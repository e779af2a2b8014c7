"""Questions worked on by other processes, killed at the deadline or when the client leaves."""

import asyncio
import os
import pickle
import signal
import tempfile
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from itertools import count
from math import inf
from pathlib import Path
from time import monotonic
from typing import Any, Final, TypeVar

from app.execution import states
from app.execution.findings import Findings, cut_short
from app.execution.pool import Pool, sparing
from app.execution.rungs import may_be_bounded
from app.problems import Overloaded, Unanswered
from app.requests.jobs import Commission, Job, Sealed
from solvers import FULL, Answer, Deadline, Effort, NeedsWorker, Progress, answer

Found = TypeVar("Found")
Subject = TypeVar("Subject")

#: A worker stops by itself so much of its time before the deadline, at most so many seconds...
_MARGIN: Final = 0.1
_MAX_MARGIN: Final = 0.3
#: ...and is killed so many seconds after it.
_GRACE: Final = 0.1
#: More bytes that a killed worker had found are read, and written, by another one.
_MUCH: Final = 64 * 1024
#: On shutdown, questions under way get so many seconds more.
_LAST_SECONDS: Final = 1.5
#: Between two looks whether there are workers, and whether any of them stands still.
_WATCH_SECONDS: Final = 0.1
_STATES_SECONDS: Final = 1.0
#: Seconds between two looks at the lines that a worker writes, at first and in the end; and so many
#: bytes of them are read at once.
_LINES_SECONDS: Final = (0.002, 0.05)
_PIECE: Final = 1 << 20
#: How far workers step back that answer what can wait.
_NICE: Final = 10


async def never() -> None:
    """What to await for a client that does not leave."""
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
        self._hurried = asyncio.Event()

    def hurry(self) -> None:
        """The service is about to end: give up soon on what is in progress."""
        self._hurried.set()

    def close(self) -> None:
        """Remove what workers have left."""
        self._folder.cleanup()

    async def work(
        self,
        run: Callable[..., Coroutine[Any, Any, Found]],
        job: Job | Sealed,
        effort: Effort,
        progress: Progress | None,
        use: Callable[[Job, Answer], Found],
        gone: Callable[[], Awaitable[object]] = never,
    ) -> Found:
        """What a worker makes, by ``use``, of its answer: complete or as far as it got in time.

        It goes on where ``progress`` ends, and is killed at the deadline, or when ``gone()``.

        Raises:
            NeedsWorker: the effort was too small.
            WorkerLost, OutOfMemory: as `Pool.run`.
        """
        started = monotonic()
        kept = self._file()
        try:
            called = run(_work, job, effort, progress, use, kept)
            return await self.call(called, job.deadline.left + _GRACE, gone)
        except TimeoutError:
            elapsed = monotonic() - started
            much = kept.exists() and kept.stat().st_size > _MUCH
            apart = much or isinstance(job, Sealed)
            brief = self._brief if apart else asyncio.to_thread
            return await brief(_cut_short, job, progress, use, kept, elapsed)
        finally:
            for path in (kept, kept.with_suffix(".new")):
                path.unlink(missing_ok=True)

    async def done(
        self,
        run: Callable[..., Coroutine[Any, Any, bytes]],
        asked: Commission,
        gone: Callable[[], Awaitable[object]] = never,
    ) -> bytes:
        """The answer to an errand by a worker, which stops by itself before the deadline.

        Where it does not, it is killed, and the answer is what can be said without it.

        Raises:
            ProblemError: there is no answer.
            WorkerLost, OutOfMemory: as `Pool.run`.
        """
        started = monotonic()
        try:
            return await self.call(run(_done, asked), asked.deadline.left, gone)
        except TimeoutError:
            elapsed = monotonic() - started
            brief = self._brief if asked.packed else asyncio.to_thread
            return await brief(_undone, asked, elapsed)

    async def lines(
        self,
        run: Callable[..., Coroutine[Any, Any, bytes]],
        job: Job | Sealed,
        progress: Progress | None,
        gone: Callable[[], Awaitable[object]] = never,
    ) -> AsyncGenerator[bytes]:
        """What a worker finds, in lines (`Findings`) as it finds them; it is killed as in `work`.

        Raises:
            WorkerLost, OutOfMemory: as `Pool.run`, before the first line.
        """
        known = progress.answer if progress else None
        kept, rest = self._file(), b""
        called = run(_find, job, progress, kept)
        working = asyncio.ensure_future(self.call(called, job.deadline.left + _GRACE, gone))
        pause, longest = _LINES_SECONDS
        begun = ended = False
        try:
            with kept.open("rb") as written:
                while not ended:
                    await asyncio.wait((working,), timeout=pause)
                    ended = working.done()
                    pause = min(2 * pause, longest)
                    while piece := written.read(_PIECE):
                        # What is killed may leave half a line.
                        whole, feed, rest = (rest + piece).rpartition(b"\n")
                        if feed:
                            begun = True
                            yield whole + feed
            yield rest + working.result()
        except (TimeoutError, Unanswered) as error:
            if isinstance(error, Unanswered) and not begun:
                raise
            yield cut_short(False if begun else known.consistent if known else None)
        finally:
            working.cancel()
            kept.unlink(missing_ok=True)

    def _file(self) -> Path:
        """A file for a worker: as long as it is there it may be written to."""
        kept = Path(self._folder.name, str(next(self._numbers)))
        with suppress(OSError):
            kept.touch()
        return kept

    async def call(
        self,
        called: Coroutine[Any, Any, Found],
        seconds: float,
        gone: Callable[[], Awaitable[object]] = never,
    ) -> Found:
        """What a worker was called for.

        Raises:
            TimeoutError: it is not worth waiting any longer; the worker is killed.
        """
        result = asyncio.ensure_future(called)
        leaving = asyncio.ensure_future(gone())
        hurried = asyncio.ensure_future(self._last_seconds())
        try:
            await asyncio.wait(
                (result, leaving, hurried),
                timeout=max(0.0, seconds),
                return_when=asyncio.FIRST_COMPLETED,
            )
            if not result.done():
                raise TimeoutError
            return result.result()
        finally:
            # Cancelling the result makes the pool kill the worker.
            for waiting in (result, leaving, hurried):
                waiting.cancel()

    async def _last_seconds(self) -> None:
        await self._hurried.wait()
        await asyncio.sleep(_LAST_SECONDS)


class Background:
    """Workers that yield to all others: waiting for them keeps nobody else waiting."""

    def __init__(self, processes: int, memory_mb: int = 0, timed: Timed | None = None) -> None:
        self.pool = Pool(processes, memory_mb, _NICE)
        self.timed = timed or Timed()

    async def run(
        self, function: Callable[..., Found], *arguments: object, seconds: float = inf
    ) -> Found:
        """What a worker returns for ``function(*arguments)``, when it is its turn.

        Raises:
            TimeoutError: it took more seconds.
            WorkerLost, OutOfMemory: as `Pool.run`.
        """
        return await self.timed.call(self.pool.run(function, *arguments), seconds)

    async def work(
        self,
        job: Job,
        effort: Effort,
        progress: Progress | None,
        use: Callable[[Job, Answer], Found],
    ) -> Found:
        """As `Timed.work`; only when it is its turn, its time begins."""
        async with self.pool.turns:
            return await self.timed.work(self.pool.call, job.beginning(), effort, progress, use)

    async def done(self, asked: Commission) -> bytes:
        """As `Timed.done`; only when it is its turn, its time begins."""
        async with self.pool.turns:
            return await self.timed.done(self.pool.call, asked.beginning())

    def close(self) -> None:
        """End the workers, busy or not."""
        self.pool.close()
        self.timed.close()


class Workers:
    """Pools of worker processes that answer questions; `close` them in the end.

    What is bounded has workers of its own: hard boards, however many, never
    keep a question waiting that takes less than a second. So has what can wait. At most ``queue``
    questions wait for workers or occupy them. A question may take ``memory_mb``
    megabytes (2**20 bytes) beyond what an idle worker maps; 0 is no limit.

    ``refused`` counts the questions rejected because the queue was full.
    """

    def __init__(self, processes: int, memory_mb: int = 0, queue: float = inf) -> None:
        self.bounded = Pool(max(1, processes // 2), memory_mb)
        self.timed = Timed(self.bounded.run)
        self.unbounded = Pool(processes, memory_mb)
        self.background = Background(processes, memory_mb, self.timed)
        self._pools = (self.bounded, self.unbounded, self.background.pool)
        self._queue = queue
        self._admitted = 0
        self._watching: list[asyncio.Task[None]] = []
        self.refused = 0
        #: Whether all workers can be counted on.
        self.there = False
        # What they are forked from.
        self._forked_from = 0

    @property
    def busy(self) -> int:
        """Questions that workers work on."""
        return self.bounded.busy + self.unbounded.busy

    @property
    def waiting(self) -> int:
        """Questions that wait for a worker."""
        return self._admitted - self.busy

    @property
    def restarts(self) -> int:
        """Workers that were replaced so far, whoever ended them."""
        return sum(pool.restarts for pool in self._pools)

    @property
    def lost(self) -> int:
        """Questions so far that a worker took with it."""
        return sum(pool.lost for pool in self._pools)

    @contextmanager
    def place(self) -> Iterator[None]:
        """A place among the questions that wait for workers or occupy them.

        Raises:
            Overloaded: there is none.
        """
        if self._admitted >= self._queue:
            self.refused += 1
            raise Overloaded
        self._admitted += 1
        try:
            yield
        finally:
            self._admitted -= 1

    async def run(
        self,
        function: Callable[..., Found],
        *arguments: object,
        deadline: Deadline,
        gone: Callable[[], Awaitable[object]],
        brief: bool = False,
    ) -> Found:
        """What a worker returns for ``function(*arguments)``, which may take long if not ``brief``.

        Raises:
            TimeoutError: the deadline passed, or the client has gone.
            Unanswered: too many questions wait, or the worker was lost or out of memory.
        """
        with self.place():
            called = (self.bounded if brief else self.unbounded).run(function, *arguments)
            return await self.timed.call(called, deadline.left, gone)

    async def found(
        self,
        find: Callable[[Subject, Deadline], Found],
        subject: Subject,
        *,
        deadline: Deadline,
        gone: Callable[[], Awaitable[object]],
        brief: bool = False,
    ) -> Found | None:
        """What a worker finds, which stops by itself before the deadline; None if it does not.

        Raises:
            Unanswered: as `run`.
        """
        until = early(deadline)
        with suppress(TimeoutError):
            return await self.run(find, subject, until, deadline=deadline, gone=gone, brief=brief)
        return None

    async def done(self, asked: Commission, gone: Callable[[], Awaitable[object]]) -> bytes:
        """As `Timed.done`.

        Raises:
            ProblemError: there is no answer, or `Unanswered`, as `run`.
        """
        pool = self.bounded if asked.brief else self.unbounded
        with self.place():
            return await self.timed.done(pool.run, asked, gone)

    async def ready(self) -> None:
        """Wait until workers answer; from then on, replace those that are lost or stand still."""
        for pool in self._pools:
            self._forked_from = await pool.ready()
        self.there = True
        if all(look.done() for look in self._watching):
            looks = (self._replace_lost(), self._replace_stopped())
            self._watching = list(map(asyncio.create_task, looks))

    async def _replace_lost(self) -> None:
        while True:
            await asyncio.sleep(_WATCH_SECONDS)
            for pool in self._pools:
                pool.replace_lost()

    async def _replace_stopped(self) -> None:
        """Kill workers that stand still at two looks: others take their places.

        So they are lost with what they are forked from, which comes back with the next worker.
        """
        before: set[int] = set()
        while True:
            await asyncio.sleep(_STATES_SECONDS)
            lost = states.ended(self._forked_from)
            found = {self._forked_from, *states.children(self._forked_from)}
            stopped = set(filter(states.stopped, found))
            self.there = not (lost or stopped)
            for pid in stopped & before:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            before = stopped
            if lost:
                # If that does not succeed, the next look finds it lost as well.
                with suppress(Unanswered):
                    await self.ready()

    def close(self) -> None:
        """End the workers, busy or not."""
        for look in self._watching:
            look.cancel()
        for pool in self._pools:
            pool.close()
        self.timed.close()


def early(deadline: Deadline) -> Deadline:
    """When a worker has to stop by itself for its answer to be there by the deadline."""
    return Deadline(deadline.at - min(_MAX_MARGIN, _MARGIN * max(0.0, deadline.left)))


def _cut_short(
    job: Job | Sealed,
    progress: Progress | None,
    use: Callable[[Job, Answer], Found],
    kept: Path,
    elapsed: float,
) -> Found:
    """What is made of what a killed worker had found out, or those before it."""
    job = job.opened()
    try:
        known: Answer = pickle.loads(kept.read_bytes())
    except (OSError, EOFError, pickle.UnpicklingError):  # nothing yet, or no room for it
        known = (progress and progress.answer) or Answer(method=str(job.question.backend))
    known.complete = False
    before = progress.answer.elapsed if progress and progress.answer else 0.0
    known.elapsed = before + elapsed
    return use(job, known)


def _done(asked: Commission) -> bytes:
    """In a worker: the answer to an errand."""
    with sparing() if asked.second_try else nullcontext():
        return asked.errand.told(asked.opened(), early(asked.deadline))


def _undone(asked: Commission, elapsed: float) -> bytes:
    """What is said where that took too long."""
    return asked.errand.untold(asked.opened(), elapsed)


def _work(
    job: Job | Sealed,
    effort: Effort,
    progress: Progress | None,
    use: Callable[[Job, Answer], Found],
    kept: Path,
) -> Found:
    """In a worker: what is made of the answer, the parts of it kept in a file meanwhile."""

    def keep(known: Answer) -> None:
        # An answer does not fail because there is no room for its safety copy.
        with suppress(OSError, MemoryError):
            if kept.exists():
                unfinished = kept.with_suffix(".new")
                unfinished.write_bytes(pickle.dumps(known))
                unfinished.replace(kept)

    with _sparing(job):
        job = job.opened()
        # Of what was sealed nobody knew before.
        if not (effort.unbounded or may_be_bounded(job.question)):
            raise NeedsWorker(progress)
        return use(job, answer(job.question, early(job.deadline), effort, keep, progress))


def _find(job: Job | Sealed, progress: Progress | None, kept: Path) -> bytes:
    """In a worker: lines of what is found, in a file; what is left of them, and the last one."""
    with _sparing(job), kept.open("ab", buffering=0) as written:
        job = job.opened()
        findings, left = Findings(job), bytearray()

        def keep(known: Answer) -> None:
            left.extend(findings.more(known))
            # What there is no room for comes in the end.
            with suppress(OSError):
                del left[: written.write(left)]

        found = answer(job.question, early(job.deadline), FULL, keep, progress)
    return bytes(left) + findings.more(found) + findings.last(found)


def _sparing(job: Job | Sealed) -> AbstractContextManager[None]:
    """In a worker: within, a second try has less memory."""
    return sparing() if isinstance(job, Sealed) and job.second_try else nullcontext()
