"""Files of boards, answered here over all cores: a line a board, a line an answer, in order.

Any file may be Parquet as well, with a row in place of a line (see `app.parquet`). Boards may be in
many files, which are read as one, in the order of their names.
"""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing
from pathlib import Path
from typing import IO, Any, TypeAlias

from app import lines, parquet, spans
from app.parquet import Told
from app.processes import answered
from solvers import Task

#: Answers the lines of files behind so many, in chunks, in order; see `answered`.
Engine: TypeAlias = Callable[
    [Sequence[Path], int, dict[str, Any], Task, Told], Iterator[list[bytes]]
]


def answer_file(
    file: Path | None,
    output: Path | None,
    task: Task,
    defaults: dict[str, Any],
    *,
    resume: bool = False,
    told: Told = lambda what, done, total: None,
    processes: int | None = None,
    engine: Engine | None = None,
) -> tuple[int, int]:
    """Answer a file into another, None being the standard streams; (lines, problems).

    The first may be a directory of files or a pattern, as in `app.spans.files`. With ``resume``,
    answers that are there already are kept and counted out. Whenever it is killed, what it has
    written by then is taken up again. An ``engine`` answers elsewhere than here.

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
        paths = [] if file is None else spans.files(file)
        if engine is not None:
            chunks = engine(paths, skip, defaults, task, told)
        else:
            source = iter(sys.stdin.buffer) if file is None else _source(paths, skip, told)
            found = answered(source, skip, defaults, task, processes)
            chunks = opened.enter_context(closing(found))
        into: IO[bytes] = sys.stdout.buffer
        if journal is not None:
            into = opened.enter_context(journal.open("ab" if resume else "wb"))
        for chunk in chunks:
            into.write(b"".join(chunk))
            into.flush()
            many += len(chunk)
            problems += sum(line.startswith(lines.PROBLEM) for line in chunk)
    if output is not None and journal is not None and journal != output:
        parquet.pack(journal, output, told)
        journal.unlink()
    return many, problems


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


def _source(paths: Sequence[Path], skip: int, told: Told) -> Iterator[bytes]:
    """The lines of all files behind the first ``skip``; a file that cannot be read raises at once.

    Raises:
        OSError, ParquetError: there is one.
    """
    for path in paths:
        if parquet.named(path):
            parquet.measured(path)
        else:
            path.open("rb").close()
    return _lines(paths, skip, told)


def _lines(paths: Sequence[Path], skip: int, told: Told) -> Iterator[bytes]:
    size = sum(path.stat().st_size for path in paths if not parquet.named(path))
    taken = 0
    for path in paths:
        if parquet.named(path):
            rows, _ = parquet.measured(path)
            if skip < rows:
                yield from parquet.lines(path, skip, told)
            skip = max(0, skip - rows)
            continue
        with path.open("rb") as file:
            for line in file:
                taken += len(line)
                told("lines", taken, size)
                if skip:
                    skip -= 1
                else:
                    yield line
