"""Worker processes for what may take long; a deadline kills them.

Whatever happens to a worker, by a question or from outside, costs that one
question its answer and nobody else anything.
"""

import asyncio
import gc
import multiprocessing
import os
import pickle
import resource
import signal
import tempfile
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from functools import cache
from itertools import count
from math import inf
from multiprocessing import forkserver, resource_tracker
from multiprocessing.context import ForkServerContext
from pathlib import Path
from time import monotonic
from typing import Any, TypeVar

from pebble import ProcessExpired, ProcessFuture, ProcessPool

from solvers import (
    BOUNDED,
    FULL,
    INLINE,
    Answer,
    Backend,
    Deadline,
    Effort,
    NeedsWorker,
    Question,
    Task,
    answer,
)

Found = TypeVar("Found")

#: A worker stops by itself so much of its time before the deadline, at most so many seconds...
_MARGIN = 0.1
_MAX_MARGIN = 0.3
#: ...and is killed so many seconds after it.
_GRACE = 0.1
#: On shutdown, questions under way get so many seconds more.
_LAST_SECONDS = 1.5

#: Between two looks whether there are workers.
_WATCH_SECONDS = 0.1

#: How far workers step back that answer what can wait.
_NICE = 10

#: Larger boards, and pages of more cells, are not looked at in the serving process.
_INLINE_CELLS = 2_000
_INLINE_PAGE = 10_000
#: Larger boards go to the unbounded workers at once: what would be tried in vain costs too much.
_BOUNDED_CELLS = 50_000

#: Where Linux tells the pages that a process maps; elsewhere, as on macOS, memory is not limited.
_MAPPED = Path("/proc/self/statm")


class Unanswered(Exception):
    """No answer for now; nothing is wrong with how the question is put."""


class Overloaded(Unanswered):
    """As many questions as may wait for workers already do."""


class WorkerLost(Unanswered):
    """The worker died of this question, or was killed while it worked on it."""


class OutOfMemory(Unanswered):
    """The question needs more memory than a worker may have."""


class Workers:
    """Pools of worker processes that answer questions; `close` them in the end.

    What is bounded has workers of its own: hard boards, however many, never
    keep a question waiting that takes less than a second. So has what can wait. At most ``queue``
    questions wait for workers or occupy them. A question may take ``memory_mb``
    megabytes (2**20 bytes) beyond what an idle worker maps; 0 is no limit.

    ``refused`` counts the questions that were one too many.
    """

    def __init__(self, processes: int, memory_mb: int = 0, queue: float = inf) -> None:
        self._bounded = Pool(max(1, processes // 2), memory_mb)
        self._unbounded = Pool(processes, memory_mb)
        self._behind = Pool(processes, memory_mb, _NICE)
        self._pools = (self._bounded, self._unbounded, self._behind)
        self._queue = queue
        self._admitted = 0
        self._folder = tempfile.TemporaryDirectory(prefix="minecheck-")
        self._numbers = count()
        self._hurried = asyncio.Event()
        self._watching: asyncio.Task[None] | None = None
        self.refused = 0

    @property
    def busy(self) -> int:
        """Questions that workers work on."""
        return self._bounded.busy + self._unbounded.busy

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

    async def answer(
        self, question: Question, deadline: Deadline, gone: Callable[[], Awaitable[object]]
    ) -> Answer:
        """The answer, complete or as far as it got by the deadline.

        Small questions are answered here and now, with bounded effort; the
        rest goes to a worker, with bounded effort first unless it is large,
        and is killed when the deadline ends or when ``gone()``, whoever asked.

        Raises:
            BackendRefusal: the backend that was asked for cannot take the board.
            Unanswered: too many questions wait, or the worker was lost or out of memory.
        """
        return self.at_once(question, deadline) or await self.worked(question, deadline, gone)

    def at_once(self, question: Question, deadline: Deadline) -> Answer | None:
        """The answer to a small question, with bounded effort; None if it takes more."""
        with suppress(NeedsWorker):
            if _small(question):
                return answer(question, deadline, INLINE)
        return None

    async def worked(
        self, question: Question, deadline: Deadline, gone: Callable[[], Awaitable[object]]
    ) -> Answer:
        """As `answer`, of a question that is not answered at once."""
        with self._place():
            with suppress(NeedsWorker):
                if _may_be_bounded(question):
                    run = self._bounded.run
                    return await self._worked(run, question, deadline, BOUNDED, gone)
            return await self._worked(self._unbounded.run, question, deadline, FULL, gone)

    async def thorough(self, ask: Callable[[], tuple[Question, Deadline]]) -> Answer:
        """The answer, with all the effort that its deadline allows, to a question that can wait.

        It is asked when it is its turn, by workers that step back for all others;
        nobody is refused.

        Raises:
            BackendRefusal: the backend that was asked for cannot take the board.
            WorkerLost, OutOfMemory: as `run`.
        """
        async with self._behind.turns:
            question, deadline = ask()
            return await self._worked(
                self._behind.call, question, deadline, FULL, asyncio.Event().wait
            )

    async def run(
        self,
        function: Callable[..., Found],
        *arguments: object,
        deadline: Deadline,
        gone: Callable[[], Awaitable[object]],
    ) -> Found:
        """What a worker returns for ``function(*arguments)``, which may take long.

        Raises:
            TimeoutError: the deadline passed, or who asked has gone.
            Unanswered: too many questions wait, or the worker was lost or out of memory.
        """
        with self._place():
            called = self._unbounded.run(function, *arguments)
            return await self._in_time(called, deadline.left, gone)

    async def run_behind(
        self, function: Callable[..., Found], *arguments: object, seconds: float
    ) -> Found:
        """As `run`, by workers that step back for all others, whenever it is its turn.

        However many wait for them, nobody else waits longer, and nobody is refused.
        """
        called = self._behind.run(function, *arguments)
        return await self._in_time(called, seconds, asyncio.Event().wait)

    async def ready(self) -> None:
        """Wait until workers answer; from then on, replace those that are killed."""
        for pool in self._pools:
            await pool.run(_nothing)
        if self._watching is None or self._watching.done():
            self._watching = asyncio.create_task(self._watch())

    async def _watch(self) -> None:
        while True:
            await asyncio.sleep(_WATCH_SECONDS)
            for pool in self._pools:
                await pool.replace_lost()

    def hurry(self) -> None:
        """The service is about to end: let go of what is under way soon."""
        self._hurried.set()

    def close(self) -> None:
        """End the workers, busy or not."""
        if self._watching is not None:
            self._watching.cancel()
        for pool in self._pools:
            pool.close()
        self._folder.cleanup()

    @contextmanager
    def _place(self) -> Iterator[None]:
        """A place among the questions that wait for workers or occupy them."""
        if self._admitted >= self._queue:
            self.refused += 1
            raise Overloaded
        self._admitted += 1
        try:
            yield
        finally:
            self._admitted -= 1

    async def _worked(
        self,
        run: Callable[..., Coroutine[Any, Any, Answer]],
        question: Question,
        deadline: Deadline,
        effort: Effort,
        gone: Callable[[], Awaitable[object]],
    ) -> Answer:
        """The answer of a worker; raises NeedsWorker if the effort was too small."""
        started = monotonic()
        kept = Path(self._folder.name, str(next(self._numbers)))
        # As long as it is there the worker may write to it.
        with suppress(OSError):
            kept.touch()
        try:
            called = run(_work, question, early(deadline), effort, kept)
            return await self._in_time(called, deadline.left + _GRACE, gone)
        except TimeoutError:
            return _unfinished(kept, question, monotonic() - started)
        finally:
            for path in (kept, kept.with_suffix(".new")):
                path.unlink(missing_ok=True)

    async def _in_time(
        self,
        called: Coroutine[Any, Any, Found],
        seconds: float,
        gone: Callable[[], Awaitable[object]],
    ) -> Found:
        """What a worker was called for; TimeoutError when it is not worth waiting any longer."""
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


class Pool:
    """Worker processes that are replaced when they die, all at once even.

    Who has one of the ``turns`` may have a worker. ``busy`` of them work;
    ``restarts`` and ``lost`` count as in `Workers`.
    """

    def __init__(self, processes: int, memory_mb: int, nice: int = 0) -> None:
        self._processes = processes
        self._nice = nice
        self._memory_mb = memory_mb
        # A question waits here, not in the pool, which would kill a worker to forget it.
        self.turns = asyncio.Semaphore(processes)
        self._mending = asyncio.Lock()
        # "__main__" is what workers would otherwise import one by one.
        self._context = forked(["__main__", "app.execution.preload"])
        self._pool = self._new()
        self.busy = self.restarts = self.lost = 0

    async def run(self, function: Callable[..., Found], *arguments: object) -> Found:
        """What a worker returns for ``function(*arguments)``; cancelled, the worker is killed.

        Raises:
            WorkerLost: the worker died.
            OutOfMemory: the worker did not, but had no memory left.
        """
        async with self.turns:
            return await self.call(function, *arguments)

    async def call(self, function: Callable[..., Found], *arguments: object) -> Found:
        """As `run`, for who has a turn."""
        self.busy += 1
        try:
            # A pool may lose all its workers at once; a new one gets a second chance.
            for _ in range(2):
                with suppress(BrokenProcessPool):
                    return await self._result(await self._scheduled(function, *arguments))
            self.lost += 1
            raise WorkerLost
        finally:
            self.busy -= 1

    async def replace_lost(self) -> None:
        """See to it that there are workers.

        Idle workers were killed from outside; pebble gives such a pool up. To start
        a new one takes as long as its workers do, so not on the event loop.
        """
        async with self._mending:
            if self._pool.active:
                return
            broken, loop = self._pool, asyncio.get_running_loop()
            self.restarts += self._processes
            self._pool = await loop.run_in_executor(None, self._new)
            loop.run_in_executor(None, end, broken)

    def close(self) -> None:
        """End the workers, busy or not."""
        end(self._pool)

    async def _result(self, future: ProcessFuture[Found]) -> Found:
        """What the worker returns; a worker that ends before is counted."""
        try:
            return await asyncio.wrap_future(future)
        except ProcessExpired:
            self.restarts += 1
            self.lost += 1
            raise WorkerLost from None
        except asyncio.CancelledError:
            self.restarts += future.cancelled()
            raise

    async def _scheduled(
        self, function: Callable[..., Found], *arguments: object
    ) -> ProcessFuture[Found]:
        call = (self._memory_mb, function, *arguments)
        with suppress(RuntimeError):
            return self._pool.schedule(_spared, call)
        await self.replace_lost()
        return self._pool.schedule(_spared, call)

    def _new(self) -> ProcessPool:
        """A pool that has been started."""
        pool = ProcessPool(
            self._processes, initializer=_start, initargs=[self._nice], context=self._context
        )
        pool.schedule(_nothing)
        return pool


def forked(preload: list[str]) -> ForkServerContext:
    """What starts workers: they are forked from a process that has imported these modules.

    It is started here, deaf to Ctrl+C from its first moment on.
    """
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(preload)
    # It needs another one first, and to start that lets signals through again.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        forkserver.ensure_running()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    return context


def early(deadline: Deadline) -> Deadline:
    """When a worker has to stop by itself for its answer to be there by the deadline."""
    return Deadline(deadline.at - min(_MAX_MARGIN, _MARGIN * max(0.0, deadline.left)))


def _small(question: Question) -> bool:
    """Whether the serving process may try itself."""
    paged = question.task in (Task.LAYOUTS, Task.SAMPLE)
    page = question.limit * question.cells if paged else 0
    return question.size <= _INLINE_CELLS and page <= _INLINE_PAGE


def _may_be_bounded(question: Question) -> bool:
    """Whether bounded effort may be enough; SAT and the other backends know no bounds."""
    if question.certificate or question.task is Task.REPAIR:
        return False
    bounded = (Backend.AUTO, Backend.AUTOMATA, Backend.FRONTIER)
    return question.backend in bounded and question.size <= _BOUNDED_CELLS


def _unfinished(kept: Path, question: Question, elapsed: float) -> Answer:
    """What a killed worker had found out."""
    try:
        known: Answer = pickle.loads(kept.read_bytes())
    except (OSError, EOFError, pickle.UnpicklingError):  # nothing yet, or no room for it
        known = Answer(method=str(question.backend))
    known.complete = False
    known.elapsed = elapsed
    return known


def end(pool: ProcessPool) -> None:
    """End the processes of a pool, busy or not."""
    pool.stop()  # type: ignore[no-untyped-call]
    pool.join()


def _start(nice: int) -> None:
    """In a new worker: Ctrl+C and its like are for the serving process."""
    os.nice(nice)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    _mapped_idle()


@cache
def _mapped_idle() -> int:
    """In a worker: the bytes of address space that it had when it was new."""
    pages = int(_MAPPED.read_text(encoding="ascii").split()[0]) if _MAPPED.exists() else 0
    return pages * resource.getpagesize()


@contextmanager
def _limited(memory_mb: int) -> Iterator[None]:
    """In a worker: within, memory is limited.

    Without, it is not: a worker that has no room to read a question, or to
    write an answer, would leave half of it in the pipe for the next one.
    """
    if not (memory_mb and _mapped_idle()):
        yield
        return
    before = soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    limit = _mapped_idle() + memory_mb * 2**20
    if soft != resource.RLIM_INFINITY:
        limit = min(limit, soft)
    resource.setrlimit(resource.RLIMIT_AS, (limit, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


def _spared(memory_mb: int, function: Callable[..., Found], *arguments: object) -> Found:
    """In a worker: what the function returns; one that needs too much memory spares the worker."""
    with suppress(MemoryError), _limited(memory_mb):
        return function(*arguments)
    # Only now, with the error forgotten, can what it held on to be free again.
    gc.collect()
    raise OutOfMemory


def _work(question: Question, deadline: Deadline, effort: Effort, kept: Path) -> Answer:
    """In a worker: the answer, the parts of it kept in a file meanwhile."""

    def keep(known: Answer) -> None:
        # An answer does not fail because there is no room for its safety copy.
        with suppress(OSError, MemoryError):
            if kept.exists():
                unfinished = kept.with_suffix(".new")
                unfinished.write_bytes(pickle.dumps(known))
                unfinished.replace(kept)

    return answer(question, deadline, effort, keep)


def _nothing() -> None:
    """What a worker does when it is asked whether it is there."""
