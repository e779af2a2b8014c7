"""Files of boards, answered here over all cores: a line a board, a line an answer, in order."""

import os
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from typing import IO, Any, Final

from app import lines
from app.settings import Settings
from solvers import Task

_CHUNK_LINES: Final = 64
#: Chunks under way for each process.
_WINDOW: Final = 4


def answered(
    source: Iterator[bytes],
    first: int,
    defaults: dict[str, Any],
    task: Task,
    processes: int | None = None,
) -> Iterator[list[bytes]]:
    """Answers to lines, in chunks, in order; ``first`` is the number of the first line."""
    processes = processes or os.cpu_count() or 1
    under_way: deque[Future[list[bytes]]] = deque()
    settings = Settings()
    with ProcessPoolExecutor(processes, get_context("forkserver")) as pool:
        while True:
            chunk = [line.rstrip(b"\r\n") for line in islice(source, _CHUNK_LINES)]
            if chunk:
                asked = (chunk, first, defaults, task, settings)
                under_way.append(pool.submit(lines.thoroughly, *asked))
                first += len(chunk)
            if len(under_way) >= _WINDOW * processes or (under_way and not chunk):
                yield under_way.popleft().result()
            elif not chunk:
                return


def resumed(output: Path) -> int:
    """How many whole lines a file has; what follows the last of them is cut off."""
    if not output.exists():
        return 0
    whole = end = 0
    with output.open("r+b") as file:
        for line in file:
            if not line.endswith(b"\n"):
                break
            whole += 1
            end += len(line)
        file.truncate(end)
    return whole


def answer_file(
    source: IO[bytes],
    output: IO[bytes],
    task: Task,
    defaults: dict[str, Any],
    skip: int,
    told: Callable[[int], None],
    processes: int | None = None,
) -> tuple[int, int]:
    """Answer the lines of a file behind the first ``skip``; (lines, problems).

    ``told`` is given the bytes of input taken up so far, now and then.
    """
    many = problems = 0
    for _ in islice(source, skip):
        pass
    taken = _counted(source, told)
    for chunk in answered(taken, skip, defaults, task, processes):
        output.write(b"".join(chunk))
        output.flush()
        many += len(chunk)
        problems += sum(line.startswith(lines.PROBLEM) for line in chunk)
    return many, problems


def _counted(source: IO[bytes], told: Callable[[int], None]) -> Iterator[bytes]:
    taken = 0
    for line in source:
        taken += len(line)
        told(taken)
        yield line
