"""Processes that work for this one: replaced when they die, killed when nobody waits for them.

Whatever happens to one of them affects the one call it worked on, and no other: each has an
executor to itself, whose pipes and locks end with it.
"""

import asyncio
import fcntl
import gc
import os
import pickle
import resource
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from ctypes import c_bool
from functools import cache
from multiprocessing import parent_process
from multiprocessing.context import ForkServerContext
from pathlib import Path
from threading import Thread
from typing import Final, TypeVar

from minecheck.app.execution import states
from minecheck.app.execution.fork_server import start_fork_server
from minecheck.app.execution.memory import Keeper
from minecheck.app.problems import OutOfMemory, ProblemError, WorkerLost
from minecheck.solvers import NeedsMoreEffort

Found = TypeVar("Found")

#: The file in which Linux lists mapped pages; elsewhere, as on macOS, memory is not limited.
_MAPPED: Final = Path("/proc/self/statm")
#: The capacity of the pipe for results in bytes, as large as Linux lets everybody have it: most
#: results fit in whole, so that their worker need not wait for this process to read them.
_PIPE_BYTES: Final = 1 << 20
#: Between two looks of a worker whether it still has a parent.
_LOOK_SECONDS: Final = 0.5
#: In a worker, what it sets as soon as it begins a call; it shares that with the process that asks.
_begun: Final[ContextVar[c_bool]] = ContextVar("begun")


class UnsendableError(Exception):
    """An exception that cannot go from one process to another; its cause is in the traceback."""


class Worker:
    """A process that is being started, and then takes one call after the other."""

    def __init__(self, context: ForkServerContext, nice: int) -> None:
        self._begun = context.RawValue(c_bool, False)
        self._executor = ProcessPoolExecutor(1, context, _start_worker, (nice, self._begun))
        _widen_result_pipe(self._executor)
        self._starting = asyncio.ensure_future(self._find_pid())

    async def _find_pid(self) -> int:
        try:
            # The first call starts the process, which takes too long for an event loop.
            return await asyncio.wrap_future(
                await asyncio.to_thread(self._executor.submit, os.getpid)
            )
        except (OSError, EOFError) as error:
            # There are too many processes or open files, or nothing to fork from just now.
            raise BrokenProcessPool from error

    async def wait_until_started(self) -> None:
        """Wait until it takes calls.

        Raises:
            BrokenProcessPool: it never will.
        """
        await asyncio.shield(self._starting)

    async def submit_call(
        self, function: Callable[..., Found], *arguments: object
    ) -> Future[Found]:
        """Return the future result of the function, once the process has started.

        Raises:
            BrokenProcessPool: it is lost already.
        """
        await self.wait_until_started()
        self._begun.value = False
        return self._executor.submit(function, *arguments)

    @property
    def has_begun(self) -> bool:
        """True if it has begun the call that was submitted last."""
        return self._begun.value

    @property
    def lost(self) -> bool:
        """True if it has ended, or could not be started."""
        return self._starting.done() and (self._pid is None or not states.exists(self._pid))

    def kill(self, *, wait: bool = False) -> None:
        """End it, busy or not, and perhaps wait until it has ended."""
        if self._pid is not None:
            with suppress(ProcessLookupError):
                os.kill(self._pid, signal.SIGKILL)
        self._executor.shutdown(wait, cancel_futures=True)

    @property
    def _pid(self) -> int | None:
        """None before it has started, and where it could not."""
        starting = self._starting
        if not starting.done() or starting.cancelled() or starting.exception():
            return None
        return starting.result()


class Pool:
    """Worker processes.

    They run with this ``nice`` value, and may take ``memory_mb`` megabytes (2**20 bytes) beyond
    what an idle one maps; 0 is no limit. A caller with one of the ``turns`` may have a worker.
    ``busy`` of them work; ``restarts`` counts the workers that were replaced, ``lost`` the calls
    that a worker took with it.
    """

    def __init__(self, processes: int, memory_mb: int, nice: int = 0) -> None:
        self.processes = processes
        self._nice = nice
        self._memory_mb = memory_mb
        # A call waits here, and not for one of the workers, which would have to be killed.
        self.turns = asyncio.Semaphore(processes)
        self._context = start_fork_server()
        self._workers: list[Worker | None] = [None] * processes
        # Slots of that list: those of workers that nobody has.
        self._idle = list(range(processes))
        self.busy = self.restarts = self.lost = 0

    async def wait_until_ready(self) -> int:
        """Wait until the workers that nobody has take calls; what they are forked from.

        Raises:
            WorkerLost: they die of it.
        """
        self.replace_lost()
        idle = [self._worker_at(slot).wait_until_started() for slot in self._idle]
        await asyncio.gather(*idle, return_exceptions=True)
        return await self.run(os.getppid)

    async def run(self, function: Callable[..., Found], *arguments: object) -> Found:
        """Return the result of ``function(*arguments)`` from a worker, which cancellation kills.

        Raises:
            WorkerLost: the worker died.
            OutOfMemory: the worker did not, but had no memory left.
        """
        async with self.turns:
            return await self.call(function, *arguments)

    async def call(self, function: Callable[..., Found], *arguments: object) -> Found:
        """Run a function like `run`, for a caller that has a turn.

        Raises:
            WorkerLost: the worker ended before it answered.
            CancelledError: nobody waits any longer; the worker is killed.
        """
        self.busy += 1
        slot = self._idle.pop()
        try:
            with suppress(BrokenProcessPool):
                return await self._call_worker(slot, function, *arguments)
            # That worker was lost before it began, which costs nobody an answer.
            return await self._call_worker(slot, function, *arguments)
        except (BrokenProcessPool, WorkerLost):
            self.lost += 1
            raise WorkerLost from None
        finally:
            self._idle.append(slot)
            self.busy -= 1

    def replace_lost(self) -> None:
        """Start workers where there are none, or none any more, and nobody calls them."""
        for slot in self._idle:
            if self._worker_at(slot).lost:
                self._replace_worker(slot)
                self._worker_at(slot)

    def close(self) -> None:
        """End the workers, busy or not."""
        for worker in self._workers:
            if worker is not None:
                worker.kill(wait=True)

    async def _call_worker(
        self, slot: int, function: Callable[..., Found], *arguments: object
    ) -> Found:
        """Return the result of a function from the worker in a slot, which is replaced if it dies.

        Raises:
            BrokenProcessPool: it was lost before it began.
            WorkerLost: it was lost later.
        """
        worker = self._worker_at(slot)
        try:
            outcome = await worker.submit_call(
                _run_sparingly, self._memory_mb, function, *arguments
            )
            try:
                return await asyncio.wrap_future(outcome)
            except asyncio.CancelledError:
                if not outcome.cancelled():
                    self._replace_worker(slot)
                raise
        except BrokenProcessPool:
            self._replace_worker(slot)
            if worker.has_begun:
                raise WorkerLost from None
            raise

    def _worker_at(self, slot: int) -> Worker:
        """Return the worker in a slot, which is started where there is none."""
        worker = self._workers[slot]
        if worker is None:
            worker = self._workers[slot] = Worker(self._context, self._nice)
        return worker

    def _replace_worker(self, slot: int) -> None:
        """Kill the worker in a slot: who needs one next starts another."""
        if (worker := self._workers[slot]) is not None:
            self._workers[slot] = None
            self.restarts += 1
            worker.kill()


def _widen_result_pipe(executor: ProcessPoolExecutor) -> None:
    """Let a worker put more into the pipe for its results, where the system allows that.

    Batches of positions take a twentieth less time. The queue is a private part of the executor.
    """
    with suppress(AttributeError, OSError):
        pipe = executor._result_queue._writer.fileno()  # type: ignore[attr-defined]
        fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, _PIPE_BYTES)


def _start_worker(nice: int, begun: c_bool) -> None:
    """Prepare a new worker: it ends with the process that asks, and Ctrl+C is for that one."""
    os.nice(nice)
    _begun.set(begun)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    Thread(target=_end_with_parents, daemon=True).start()
    _mapped_idle()


def _end_with_parents() -> None:
    """End with the process that asks, and with the one that this was forked from.

    When that one has ended, all workers are taken for dead. Until then, what questions have freed
    goes back to the system.
    """
    asking, forked, keeper = parent_process(), os.getppid(), Keeper()
    while asking is not None and asking.is_alive() and os.getppid() == forked:
        asking.join(_LOOK_SECONDS)
        # A question may have taken all the memory that there is.
        with suppress(MemoryError, OSError):
            keeper.trim_if_due()
    if asking is not None:
        os._exit(1)


@cache
def _mapped_idle() -> int:
    """Return the bytes of address space that a worker had when it was new."""
    pages = int(_MAPPED.read_text(encoding="ascii").split()[0]) if _MAPPED.exists() else 0
    return pages * resource.getpagesize()


@contextmanager
def _limit_memory(memory_mb: int) -> Iterator[None]:
    """Limit the memory of a worker, within a context.

    Outside, it is not limited: a worker without room to read a question, or to write an answer,
    would leave half of it in the pipe for the next one.
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
def spare_memory() -> Iterator[None]:
    """Limit a worker to half of the memory that it may take, within a context.

    Where there is no limit, that is 2 GiB.
    """
    soft, _ = resource.getrlimit(resource.RLIMIT_AS)
    allowed = 4096 if soft == resource.RLIM_INFINITY else (soft - _mapped_idle()) >> 20
    with _limit_memory(allowed // 2):
        yield


def _run_sparingly(memory_mb: int, function: Callable[..., Found], *arguments: object) -> Found:
    """Return what a function returns, in a worker; running out of memory spares the worker."""
    _begun.get().value = True
    try:
        with suppress(MemoryError), _limit_memory(memory_mb):
            return function(*arguments)
    except (ProblemError, NeedsMoreEffort):
        raise
    except Exception as error:
        _check_sendable(error)
        raise
    # Only now, with the error forgotten, can what it held on to be free again.
    gc.collect()
    raise OutOfMemory


def _check_sendable(error: Exception) -> None:
    """Make sure that the caller can read an unexpected exception.

    If it cannot, it takes the worker for dead, and nobody learns what went wrong.

    Raises:
        UnsendableError: it cannot; this one goes in its place.
    """
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:  # noqa: BLE001 - whatever it is, the exception stays here
        raise UnsendableError(f"{type(error).__name__}: {error}") from error
