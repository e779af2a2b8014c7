"""Lines answered over all cores of this machine, by processes that end with this one."""

import os
from collections import deque
from collections.abc import Generator, Iterable
from concurrent.futures import Future

from anyio.from_thread import start_blocking_portal

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
        # Here, lines are waited for, and written; the event loop has a thread of its own.
        with start_blocking_portal() as portal:
            for chunk in engine.pace.cut_chunks(source):
                under_way.append(portal.start_task_soon(engine.answer_chunk, chunk))
                if len(under_way) >= engine.room:
                    yield under_way.popleft().result()
            while under_way:
                yield under_way.popleft().result()
    finally:
        workers.close()
