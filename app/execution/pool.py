"""Processes that work for this one: replaced when they die, killed when nobody waits for them.

Whatever happens to one of them affects the one call it worked on, and no other.
"""

import asyncio
import gc
import multiprocessing
import os
import resource
import signal
from collections.abc import Callable, Iterator
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from functools import cache
from multiprocessing import forkserver, parent_process, resource_tracker
from multiprocessing.context import ForkServerContext
from pathlib import Path
from threading import Thread
from typing import Final, TypeVar

from pebble import ProcessExpired, ProcessFuture, ProcessPool

from app.problems import OutOfMemory, WorkerLost

Found = TypeVar("Found")

#: Where Linux tells the pages that a process maps; elsewhere, as on macOS, memory is not limited.
_MAPPED: Final = Path("/proc/self/statm")
#: Between two looks of a worker whether it still has a parent.
_LOOK_SECONDS: Final = 0.5


class Pool:
    """Worker processes.

    They run with this ``nice`` value, and may take ``memory_mb`` megabytes (2**20 bytes) beyond
    what an idle one maps; 0 is no limit. A caller with one of the ``turns`` may have a worker.
    ``busy`` of them work; ``restarts`` counts the workers that were replaced, ``lost`` the calls
    that a worker took with it.
    """

    def __init__(self, processes: int, memory_mb: int = 0, nice: int = 0) -> None:
        self.processes = processes
        self._nice = nice
        self._memory_mb = memory_mb
        # A call waits here, not in the pool, which would kill a worker to forget it.
        self.turns = asyncio.Semaphore(processes)
        self._replacing = asyncio.Lock()
        # "__main__" is what workers would otherwise import one by one.
        self._context = _forked(["__main__", "app.execution.preload"])
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
        """As `run`, for a caller that has a turn."""
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
        """Make sure that there are workers.

        If idle workers were killed from outside, pebble gives the pool up. Starting
        a new one takes as long as its workers do, so not on the event loop.
        """
        async with self._replacing:
            if self._pool.active:
                return
            broken, loop = self._pool, asyncio.get_running_loop()
            self.restarts += self.processes
            self._pool = await loop.run_in_executor(None, self._new)
            loop.run_in_executor(None, _end, broken)

    def close(self) -> None:
        """End the workers, busy or not."""
        _end(self._pool)

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
            self.processes, initializer=_start, initargs=[self._nice], context=self._context
        )
        pool.schedule(parent)
        return pool


def parent() -> int:
    """In a worker, which shows by it that it is there: the process that it was forked from."""
    return os.getppid()


def _forked(preload: list[str]) -> ForkServerContext:
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


def _end(pool: ProcessPool) -> None:
    """End the processes of a pool, busy or not."""
    pool.stop()  # type: ignore[no-untyped-call]
    pool.join()


def _start(nice: int) -> None:
    """In a new worker: it ends with the process that asks, and Ctrl+C is for that one."""
    os.nice(nice)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    Thread(target=_end_with_parents, daemon=True).start()
    _mapped_idle()


def _end_with_parents() -> None:
    """End with the process that asks, and with the one that this was forked from.

    When that one is gone, a pool takes all its workers for dead.
    """
    asking, forked = parent_process(), parent()
    while asking is not None and asking.is_alive() and parent() == forked:
        asking.join(_LOOK_SECONDS)
    if asking is not None:
        os._exit(1)


@cache
def _mapped_idle() -> int:
    """In a worker: the bytes of address space that it had when it was new."""
    pages = int(_MAPPED.read_text(encoding="ascii").split()[0]) if _MAPPED.exists() else 0
    return pages * resource.getpagesize()


@contextmanager
def _limited(memory_mb: int) -> Iterator[None]:
    """In a worker: within, memory is limited.

    Outside, it is not: a worker without room to read a question, or to write
    an answer, would leave half of it in the pipe for the next one.
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


@contextmanager
def sparing() -> Iterator[None]:
    """In a worker: within, half of the memory that it may take, 2 GiB where there is no limit."""
    soft, _ = resource.getrlimit(resource.RLIMIT_AS)
    allowed = 4096 if soft == resource.RLIM_INFINITY else (soft - _mapped_idle()) >> 20
    with _limited(allowed // 2):
        yield


def _spared(memory_mb: int, function: Callable[..., Found], *arguments: object) -> Found:
    """In a worker: what the function returns; running out of memory spares the worker."""
    with suppress(MemoryError), _limited(memory_mb):
        return function(*arguments)
    # Only now, with the error forgotten, can what it held on to be free again.
    gc.collect()
    raise OutOfMemory
