"""Questions worked on by other processes, killed at the deadline or when the client leaves."""

import asyncio
import os
import signal
from collections.abc import Awaitable, Callable
from contextlib import suppress
from math import inf
from typing import Final

from minecheck.app.execution import states
from minecheck.app.execution.pool import Pool
from minecheck.app.execution.rungs import render_body, translate_backend_errors
from minecheck.app.execution.timed import Found, Timed
from minecheck.app.execution.turns import Batch, Turns
from minecheck.app.execution.work_slots import WorkSlots
from minecheck.app.operation import FunctionOperation
from minecheck.app.problems import Unanswered
from minecheck.app.requests.jobs import Job
from minecheck.solvers import FULL, Deadline, Progress

#: The interval of checks for lost and suspended workers, in seconds.
_WATCH_SECONDS: Final = 0.1
_STATES_SECONDS: Final = 1.0
#: The niceness of workers whose answers can wait.
_NICE: Final = 10


class Background:
    """Workers that yield to all others, for batches, which have them in turns (`Turns`).

    So many ``processes`` take chunks, or lines until their deadlines. The ``spare`` ones are there
    where both are waiting: chunks of one batch need not wait for lines of another.
    """

    def __init__(self, processes: int, memory_mb: int = 0, spare: int = 0) -> None:
        self.processes = processes
        self.pool = Pool(processes + spare, memory_mb, _NICE)
        self.turns = Turns(processes + spare, processes)
        self.timed = Timed(self.pool.run)

    async def run_briefly(
        self,
        batch: Batch,
        function: Callable[..., Found],
        *arguments: object,
        seconds: float = inf,
    ) -> Found:
        """Return what a worker returns for ``function(*arguments)`` in a short turn.

        Args:
            batch: the batch whose turn it is.
            function: the function.
            arguments: its arguments.
            seconds: the time that it may take, from the beginning of the turn.

        Raises:
            TimeoutError: it took more seconds.
            WorkerLost: as `Pool.run`.
            OutOfMemory: as `Pool.run`.
        """
        async with self.turns.short_turn(batch):
            return await self.timed.run_within(self.pool.run(function, *arguments), seconds)

    async def finish_job(self, batch: Batch, job: Job, progress: Progress | None) -> bytes:
        """Return the answer to a line that takes more than bounded effort, in a long turn.

        The time of the job begins with the turn.

        Raises:
            ProblemError: there is no answer.
            WorkerLost: as `Pool.run`.
            OutOfMemory: as `Pool.run`.
        """
        async with self.turns.long_turn(batch, job.seconds):
            job, run = job.restart_clock(), self.pool.run
            if isinstance(job.operation, FunctionOperation):
                return await self.timed.call_function(run, job)
            with translate_backend_errors():
                return await self.timed.work_on_answer(run, job, FULL, progress, render_body)

    def close(self) -> None:
        """End the workers, busy or not."""
        self.pool.close()
        self.timed.close()


class Workers:
    """Pools of worker processes that answer questions; `close` them in the end.

    What is bounded has workers of its own: hard boards, however many, never
    keep a question waiting that takes less than a second. So has what can wait. At most ``queue``
    questions wait for workers or occupy them, each in one of the ``slots``. A question may take
    ``memory_mb`` megabytes (2**20 bytes) beyond what an idle worker maps; 0 is no limit.
    """

    def __init__(self, processes: int, memory_mb: int = 0, queue: float = inf) -> None:
        self.bounded = Pool(max(1, processes // 2), memory_mb)
        self.timed = Timed(self.bounded.run)
        self.unbounded = Pool(processes, memory_mb)
        self.background = Background(processes, memory_mb, spare=1)
        self.pools = (self.bounded, self.unbounded, self.background.pool)
        self.slots = WorkSlots(queue)
        self._watching: list[asyncio.Task[None]] = []
        #: True if all workers are healthy.
        self.there = False
        # The process that they are forked from.
        self._forked_from = 0

    @property
    def busy(self) -> int:
        """Questions that workers work on."""
        return self.bounded.busy + self.unbounded.busy

    @property
    def waiting(self) -> int:
        """Questions that wait for a worker."""
        return self.slots.taken - self.busy

    @property
    def restarts(self) -> int:
        """The number of workers that were replaced so far."""
        return sum(pool.restarts for pool in self.pools)

    @property
    def lost(self) -> int:
        """Questions so far that a worker took with it."""
        return sum(pool.lost for pool in self.pools)

    @property
    def refused(self) -> int:
        """Questions so far that were rejected because the queue was full."""
        return self.slots.refused

    def hurry_up(self) -> None:
        """Give up soon on what is in progress, as the service is about to end."""
        self.timed.hurry_up()
        self.background.timed.hurry_up()

    async def run(
        self,
        function: Callable[..., Found],
        *arguments: object,
        deadline: Deadline,
        client_left: Callable[[], Awaitable[object]],
        brief: bool = False,
    ) -> Found:
        """Return the result of ``function(*arguments)`` from a worker.

        Args:
            function: the function.
            arguments: its arguments.
            deadline: when the worker is killed.
            client_left: a function that returns when the client has left.
            brief: whether the call is short.

        Raises:
            TimeoutError: the deadline passed, or the client has left.
            Unanswered: too many questions wait, or the worker was lost or out of memory.
        """
        with self.slots.take_slot():
            called = (self.bounded if brief else self.unbounded).run(function, *arguments)
            return await self.timed.run_within(called, deadline.left, client_left)

    async def wait_until_ready(self) -> None:
        """Wait until workers answer, and from then on replace lost and suspended ones."""
        for pool in self.pools:
            self._forked_from = await pool.wait_until_ready()
        self.there = True
        if all(look.done() for look in self._watching):
            looks = (self._replace_lost(), self._replace_stopped())
            self._watching = list(map(asyncio.create_task, looks))

    async def _replace_lost(self) -> None:
        while True:
            await asyncio.sleep(_WATCH_SECONDS)
            for pool in self.pools:
                pool.replace_lost()

    async def _replace_stopped(self) -> None:
        """Kill workers found suspended twice in a row: others replace them.

        So they are lost with what they are forked from, which comes back with the next worker.
        """
        before: set[int] = set()
        while True:
            await asyncio.sleep(_STATES_SECONDS)
            lost = states.has_ended(self._forked_from)
            processes = {self._forked_from, *states.list_children(self._forked_from)}
            stopped = set(filter(states.is_stopped, processes))
            self.there = not (lost or stopped)
            for pid in stopped & before:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            before = stopped
            if lost:
                # If that does not succeed, the next look finds it lost as well.
                with suppress(Unanswered):
                    await self.wait_until_ready()

    def close(self) -> None:
        """End the workers, busy or not."""
        for look in self._watching:
            look.cancel()
        self.bounded.close()
        self.unbounded.close()
        self.timed.close()
        self.background.close()
