"""Worker processes for what may take long; a deadline kills them."""

import asyncio
import multiprocessing
import pickle
import signal
import tempfile
from collections.abc import Awaitable, Callable
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from itertools import count
from pathlib import Path
from time import monotonic
from typing import TypeVar

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

#: Larger boards, and pages of more cells, are not looked at in the serving process.
_INLINE_CELLS = 2_000
_INLINE_PAGE = 10_000
#: Larger boards go to the unbounded workers at once: what would be tried in vain costs too much.
_BOUNDED_CELLS = 50_000


class Workers:
    """Two pools of worker processes that answer questions; `close` them in the end.

    What is bounded has workers of its own: hard boards, however many, never
    keep a question waiting that takes less than a second.
    """

    def __init__(self, processes: int) -> None:
        self._bounded = Pool(max(1, processes // 2))
        self._unbounded = Pool(processes)
        self._folder = tempfile.TemporaryDirectory(prefix="minecheck-")
        self._numbers = count()
        self._hurried = asyncio.Event()

    async def answer(
        self, question: Question, deadline: Deadline, gone: Callable[[], Awaitable[object]]
    ) -> Answer:
        """The answer, complete or as far as it got by the deadline.

        Small questions are answered here and now, with bounded effort; the
        rest goes to a worker, with bounded effort first unless it is large,
        and is killed when the deadline ends or when ``gone()``, whoever asked.

        Raises:
            BackendRefusal: the backend that was asked for cannot take the board.
        """
        with suppress(NeedsWorker):
            if _small(question):
                return answer(question, deadline, INLINE)
        with suppress(NeedsWorker):
            if _may_be_bounded(question):
                return await self._worked(self._bounded, question, deadline, BOUNDED, gone)
        return await self._worked(self._unbounded, question, deadline, FULL, gone)

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
        """
        try:
            future = self._unbounded.schedule(function, *arguments)
            return await self._result(future, deadline.left, gone)
        except (BrokenProcessPool, ProcessExpired):
            raise TimeoutError from None

    async def ready(self) -> None:
        """Wait until workers answer."""
        for pool in (self._bounded, self._unbounded):
            await asyncio.wrap_future(pool.schedule(_nothing))

    def hurry(self) -> None:
        """The service is about to end: let go of what is under way soon."""
        self._hurried.set()

    def close(self) -> None:
        """End the workers, busy or not."""
        self._bounded.close()
        self._unbounded.close()
        self._folder.cleanup()

    async def _worked(
        self,
        pool: "Pool",
        question: Question,
        deadline: Deadline,
        effort: Effort,
        gone: Callable[[], Awaitable[object]],
    ) -> Answer:
        """The answer of a worker of this pool; raises NeedsWorker if the effort was too small."""
        started = monotonic()
        kept = Path(self._folder.name, str(next(self._numbers)))
        # As long as it is there the worker may write to it.
        with suppress(OSError):
            kept.touch()
        margin = min(_MAX_MARGIN, _MARGIN * max(0.0, deadline.left))
        arguments = (question, Deadline(deadline.at - margin), effort, kept)
        try:
            # A pool may lose all its workers at once; a new one gets a second chance.
            for _ in range(2):
                try:
                    future = pool.schedule(_work, *arguments)
                    return await self._result(future, deadline.left + _GRACE, gone)
                except BrokenProcessPool:
                    continue
                except (TimeoutError, ProcessExpired):
                    break
            return _unfinished(kept, question, monotonic() - started)
        finally:
            for path in (kept, kept.with_suffix(".new")):
                path.unlink(missing_ok=True)

    async def _result(
        self,
        future: ProcessFuture[Found],
        seconds: float,
        gone: Callable[[], Awaitable[object]],
    ) -> Found:
        """The worker's answer; raises TimeoutError when it is not worth waiting any longer."""
        result = asyncio.wrap_future(future)
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
    """Worker processes that are replaced when they die, all at once even."""

    def __init__(self, processes: int) -> None:
        self._processes = processes
        self._context = multiprocessing.get_context("forkserver")
        # "__main__" is what workers would otherwise import one by one.
        self._context.set_forkserver_preload(["__main__", "app.preload"])
        self._pool = self._new()

    def schedule(self, function: Callable[..., Found], *arguments: object) -> ProcessFuture[Found]:
        """Have a worker call ``function``; cancelling the future kills the worker."""
        try:
            return self._pool.schedule(function, arguments)
        except RuntimeError:
            # Idle workers were killed from outside; pebble gives such a pool up.
            broken, self._pool = self._pool, self._new()
            asyncio.get_running_loop().run_in_executor(None, _end, broken)
            return self._pool.schedule(function, arguments)

    def close(self) -> None:
        """End the workers, busy or not."""
        _end(self._pool)

    def _new(self) -> ProcessPool:
        return ProcessPool(self._processes, initializer=_start, context=self._context)


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


def _end(pool: ProcessPool) -> None:
    pool.stop()  # type: ignore[no-untyped-call]
    pool.join()


def _start() -> None:
    """In a new worker: Ctrl+C and its like are for the serving process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _work(question: Question, deadline: Deadline, effort: Effort, kept: Path) -> Answer:
    """In a worker: the answer, the parts of it kept in a file meanwhile."""

    def keep(known: Answer) -> None:
        # An answer does not fail because there is no room for its safety copy.
        with suppress(OSError):
            if kept.exists():
                unfinished = kept.with_suffix(".new")
                unfinished.write_bytes(pickle.dumps(known))
                unfinished.replace(kept)

    return answer(question, deadline, effort, keep)


def _nothing() -> None:
    """What a worker does when it is asked whether it is there."""
