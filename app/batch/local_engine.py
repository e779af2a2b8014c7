"""Lines answered over all cores: by processes that end with this one, however it ends."""

import os
import signal
from collections import deque
from collections.abc import Generator, Iterable, Iterator, Sequence
from multiprocessing import parent_process
from threading import Thread
from time import monotonic
from typing import Any, Final, NamedTuple, TypeAlias

from pebble import ProcessExpired, ProcessFuture, ProcessPool

from app import problems
from app.batch import lines
from app.batch.chunks import Pace
from app.execution.workers import WorkerLost, end, forked
from app.settings import Settings
from solvers import FULL, Effort, Task

#: Chunks under way for each process.
_WINDOW: Final = 4

#: An answer to each line, or None where the effort was not enough, and how many seconds it took.
_Found: TypeAlias = tuple[list[bytes | None], float]


def answered(
    source: Iterable[bytes],
    first: int,
    defaults: dict[str, Any],
    task: Task,
    processes: int | None = None,
) -> Generator[list[bytes], None, None]:
    """Answers to lines, some at a time, in order; ``first`` is the number of the first line.

    Lines are answered in chunks. What takes more than bounded effort goes on alone, so that hard
    lines, too, keep all processes busy. A line that a process died of gets a problem.
    """
    pool = _Pool(processes or os.cpu_count() or 1, defaults, task)
    pace = Pace()
    under_way: deque[_Chunk] = deque()
    try:
        for chunk in pace.cut(lines.whole(source)):
            under_way.append(_Chunk(chunk, first, pool.ask(chunk, first, lines.BOUNDEDLY)))
            first += len(chunk)
            if len(under_way) >= pool.room:
                yield from pool.finished(under_way.popleft(), pace)
        while under_way:
            yield from pool.finished(under_way.popleft(), pace)
    finally:
        pool.end()


class _Chunk(NamedTuple):
    """Lines, the number of the first one, and what comes of them."""

    lines: list[bytes]
    first: int
    found: ProcessFuture[_Found]


class _Pool:
    """Processes that answer lines; chunks under way at a time have ``room``."""

    def __init__(self, processes: int, defaults: dict[str, Any], task: Task) -> None:
        self._asked = (defaults, task, Settings())
        context = forked(["app.execution.preload", "app.batch.local_engine"])
        self._pool = ProcessPool(processes, initializer=_begin, context=context)
        self.room = _WINDOW * processes

    def ask(
        self, chunk: list[bytes], first: int, efforts: Sequence[Effort]
    ) -> ProcessFuture[_Found]:
        """Have lines answered, of which the first has this number."""
        return self._pool.schedule(_answered, (chunk, first, *self._asked, efforts))

    def finished(self, chunk: _Chunk, pace: Pace) -> Iterator[list[bytes]]:
        """The answers to a chunk, as they come."""
        # Where a process died each line gets a chance of its own.
        told, seconds = _result(chunk.found) or ([None] * len(chunk.lines), 0.0)
        pace.learn(len(told), seconds, sum(len(one or b"") for one in told))
        alone = {
            place: self.ask([chunk.lines[place]], chunk.first + place, (FULL,))
            for place, one in enumerate(told)
            if one is None
        }
        begin = 0
        for place, found in alone.items():
            yield [one for one in told[begin:place] if one is not None]
            known, _ = _result(found) or ([None], 0.0)
            yield [known[0] or _lost(chunk.first + place)]
            begin = place + 1
        yield [one for one in told[begin:] if one is not None]

    def end(self) -> None:
        """End the processes, busy or not."""
        end(self._pool)


def _result(found: ProcessFuture[_Found]) -> _Found | None:
    """What a process found; None if it died."""
    try:
        return found.result()
    except ProcessExpired:
        return None


def _lost(number: int) -> bytes:
    return lines.refused(problems.of_unanswered(WorkerLost()), number)


def _answered(
    chunk: list[bytes],
    first: int,
    defaults: dict[str, Any],
    task: Task,
    settings: Settings,
    efforts: Sequence[Effort],
) -> _Found:
    """In a process: what it finds, and how long it took."""
    started = monotonic()
    told = lines.answered(chunk, first, defaults, task, settings, efforts)
    return told, monotonic() - started


def _begin() -> None:
    """In a new process: end when the one that asks is killed."""

    def wait() -> None:
        if (parent := parent_process()) is not None:
            parent.join()
            os._exit(1)

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=wait, daemon=True).start()
