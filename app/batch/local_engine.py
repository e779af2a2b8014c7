"""Lines answered over all cores of this machine, by processes that end with this one."""

import asyncio
import os
from collections import deque
from collections.abc import Generator, Iterable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from threading import Thread

from minecheck.app.batch.batch_line import BatchLine
from minecheck.app.batch.engine import Answers, Engine
from minecheck.app.batch.lines import LineTemplate
from minecheck.app.execution.workers import Background


def answer_lines(
    template: LineTemplate, source: Iterable[BatchLine], processes: int | None = None
) -> Generator[Answers]:
    """Answer lines, some at a time, in order.

    A line that killed its process gets a problem.

    Args:
        template: the operation, its defaults and the settings.
        source: the lines.
        processes: the number of workers; None for one on each core.
    """
    workers = Background(processes or os.cpu_count() or 1)
    engine = Engine(template, workers, workers.turns.new_batch())
    under_way: deque[Future[Answers]] = deque()
    try:
        with _event_loop() as loop:
            for chunk in engine.pace.cut_chunks(source):
                answers = engine.answer_chunk(chunk)
                under_way.append(asyncio.run_coroutine_threadsafe(answers, loop))
                if len(under_way) >= engine.room:
                    yield under_way.popleft().result()
            while under_way:
                yield under_way.popleft().result()
    finally:
        workers.close()


@contextmanager
def _event_loop() -> Iterator[asyncio.AbstractEventLoop]:
    """Run an event loop in a thread of its own; here, lines are waited for, and written."""
    loop = asyncio.new_event_loop()
    thread = Thread(target=loop.run_forever, daemon=True)
    thread.start()
    try:
        yield loop
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        for task in asyncio.all_tasks(loop):
            task.cancel()
        loop.run_until_complete(asyncio.sleep(0))
        loop.close()
