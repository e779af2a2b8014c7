"""Worker processes for what may take long; a deadline kills them."""

import asyncio
import multiprocessing
import signal
from concurrent.futures import CancelledError
from concurrent.futures import TimeoutError as PoolTimeout

from pebble import ProcessExpired, ProcessPool

from app.warm import warm
from solvers import INLINE, Answer, Backend, Deadline, NeedsWorker, Question, answer

#: Seconds that a worker gets to hand over what it knows after the deadline.
_GRACE = 0.15
#: Boards of more cells are never looked at in the serving process.
_INLINE_CELLS = 2_000


class Workers:
    """A pool of worker processes that answers questions; `close` it in the end."""

    def __init__(self, processes: int) -> None:
        context = multiprocessing.get_context("forkserver")
        # Workers are forked from a process that has imported all this already.
        context.set_forkserver_preload(["app.workers", "ortools.sat.python.cp_model"])
        self._pool = ProcessPool(processes, initializer=_start, context=context)

    async def answer(self, question: Question, deadline: Deadline) -> Answer:
        """The answer, complete or as far as it got by the deadline.

        Small questions are answered here and now, with bounded effort; the
        rest goes to a worker, which is killed when the deadline or the
        caller's patience ends.

        Raises:
            BackendRefusal: the backend that was asked for cannot take the board.
        """
        if question.board.cells.size <= _INLINE_CELLS:
            try:
                return answer(question, deadline, INLINE)
            except NeedsWorker:
                pass
        future = self._pool.schedule(answer, [question, deadline])
        try:
            return await asyncio.wait_for(
                asyncio.wrap_future(future), max(0.0, deadline.left) + _GRACE
            )
        except (TimeoutError, PoolTimeout, CancelledError, ProcessExpired):
            return Answer(method=str(question.backend), complete=False)

    async def ready(self) -> None:
        """Wait until a worker answers."""
        await asyncio.wrap_future(self._pool.schedule(_nothing))

    def close(self) -> None:
        """End the workers, busy or not."""
        self._pool.stop()  # type: ignore[no-untyped-call]
        self._pool.join()


def _start() -> None:
    """In a new worker: leave Ctrl+C to the serving process, and load the compiled code."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    warm((Backend.AUTO, Backend.SAT, Backend.CPSAT))


def _nothing() -> None:
    """What a worker does when it is asked whether it is there."""
