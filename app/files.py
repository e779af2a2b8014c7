"""Files of boards, answered here over all cores: a line a board, a line an answer, in order.

Either file may be Parquet as well, with a row in place of a line (see `app.parquet`).
"""

import os
import sys
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import ExitStack
from itertools import islice
from multiprocessing import get_context, parent_process
from pathlib import Path
from threading import Thread
from typing import IO, Any, Final

from app import lines, parquet
from app.parquet import Told
from app.settings import Settings
from solvers import Task

_CHUNK_LINES: Final = 64
#: Chunks under way for each process.
_WINDOW: Final = 4


def answer_file(
    file: Path | None,
    output: Path | None,
    task: Task,
    defaults: dict[str, Any],
    *,
    resume: bool = False,
    told: Told = lambda what, done, total: None,
    processes: int | None = None,
) -> tuple[int, int]:
    """Answer a file into another, None being the standard streams; (lines, problems).

    With ``resume``, answers that are there already are kept and counted out. Whenever it is
    killed, what it has written by then is taken up again.

    Raises:
        OSError: a file cannot be read or written.
        ParquetError: the same of Parquet.
    """
    journal = output
    if output is not None and parquet.named(output):
        parquet.check_installed()
        journal = parquet.journal(output)
        if resume and output.exists() and not journal.exists():
            parquet.unpack(output, journal)
    many = problems = 0
    with ExitStack() as opened:
        skip = resumed(journal) if resume and journal is not None else 0
        source = _source(file, skip, told, opened)
        into: IO[bytes] = sys.stdout.buffer
        if journal is not None:
            into = opened.enter_context(journal.open("ab" if resume else "wb"))
        for chunk in answered(source, skip, defaults, task, processes):
            into.write(b"".join(chunk))
            into.flush()
            many += len(chunk)
            problems += sum(line.startswith(lines.PROBLEM) for line in chunk)
    if output is not None and journal is not None and journal != output:
        parquet.pack(journal, output, told)
        journal.unlink()
    return many, problems


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
    context = get_context("forkserver")
    # Imported once for all processes.
    context.set_forkserver_preload(["app.preload", "app.lines"])
    with ProcessPoolExecutor(processes, context, initializer=_end_with_parent) as pool:
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


def _source(file: Path | None, skip: int, told: Told, opened: ExitStack) -> Iterator[bytes]:
    """The lines of a file behind the first ``skip``."""
    if file is None:
        return iter(sys.stdin.buffer)
    if parquet.named(file):
        return parquet.lines(file, skip, told)
    source = opened.enter_context(file.open("rb"))
    return islice(_counted(source, file.stat().st_size, told), skip, None)


def _counted(source: IO[bytes], size: int, told: Told) -> Iterator[bytes]:
    taken = 0
    for line in source:
        taken += len(line)
        told("lines", taken, size or None)
        yield line


def _end_with_parent() -> None:
    """In a new process: end when the one that answers the file is killed."""

    def wait() -> None:
        if (parent := parent_process()) is not None:
            parent.join()
            os._exit(1)

    Thread(target=wait, daemon=True).start()
