"""Files of boards, answered on all cores or elsewhere: one answer for each board, in order.

Boards may be in many files, of several forms, which are read as one.
"""

import errno
import os
import sys
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import ExitStack, closing, nullcontext
from pathlib import Path
from typing import IO, TypeAlias

from anyio.from_thread import start_blocking_portal

from minecheck.app.batch import inputs, journal, naming, parquet
from minecheck.app.batch.batch_line import BatchLine
from minecheck.app.batch.columns import ReportProgress
from minecheck.app.batch.engine import Answers, Engine
from minecheck.app.batch.inputs import InputOptions
from minecheck.app.batch.lines import LineTemplate, Summary
from minecheck.app.batch.naming import FileError
from minecheck.app.batch.outputs import Output
from minecheck.app.execution.workers import Background

#: A function that answers the lines of files, or of standard input if there are none, after the
#: first ones, some at a time, in order.
LineEngine: TypeAlias = Callable[
    [InputOptions, Sequence[Path], int, ReportProgress], Generator[Answers]
]


def answer_files(
    paths: Sequence[Path],
    output: Output | None,
    options: InputOptions,
    *,
    resume: bool = False,
    overwrite: bool = False,
    report: ReportProgress = lambda what, summary, total: None,
    engine: LineEngine,
) -> tuple[int, int]:
    """Answer files into another.

    Whenever it is killed, what it has written by then is resumed.

    Args:
        paths: the files, as `app.batch.inputs.list_files` lists them; none for standard input.
        output: the file to write; None for standard output.
        options: how boards are read, and what is asked.
        resume: whether answers that are there already are kept and counted out.
        overwrite: whether answers that are there already are replaced.
        report: a function that is called with the progress.
        engine: what answers.

    Returns:
        The number of lines, and of problems among them.

    Raises:
        OSError: a file cannot be read or written.
        FileError: it is not what it should be.
    """
    _check_files(paths, output, options)
    if output is not None:
        _check_no_overwrite(output, resume=resume, overwrite=overwrite)
        if resume:
            output.prepare_journal()
    operation = options.template.operation
    summary, skip = Summary(), 0
    with ExitStack() as opened:
        into: IO[bytes] = sys.stdout.buffer
        if output is not None:
            journal_file, skip = journal.open_journal(output.journal, operation, resume=resume)
            into = opened.enter_context(naming.close_file(journal_file, output.journal))
        chunks_of_answers = engine(options, paths, skip, report)
        # Its workers end with it.
        opened.enter_context(closing(chunks_of_answers))
        for answers in chunks_of_answers:
            with naming.name_file(output.journal) if output is not None else nullcontext():
                into.write(answers.text)
                into.flush()
            summary += answers.summary
    if output is not None:
        output.pack_journal(operation, report)
    return summary.lines, summary.problems


def make_local_engine(processes: int | None = None) -> LineEngine:
    """Return the engine that answers lines in processes of this machine.

    Args:
        processes: the number of workers; None for one on each core.
    """

    def answer_here(
        options: InputOptions, paths: Sequence[Path], skip: int, report: ReportProgress
    ) -> Generator[Answers]:
        source = (
            _read_files(paths, options, skip, report)
            if paths
            else inputs.read_stream(sys.stdin.buffer, options)
        )
        return answer_lines(options.template, source, processes)

    return answer_here


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


def _check_files(paths: Sequence[Path], output: Output | None, options: InputOptions) -> None:
    """Make sure that all files can be read, and that none of them is about to be written.

    Raises:
        OSError, FileError: it is not so.
    """
    written = [] if output is None else output.list_existing()
    for path in paths:
        inputs.check_file(path, options)
        for output_file in written:
            if path.samefile(output_file):
                reason = "boards are read from that file: write the answers elsewhere"
                raise OSError(errno.EINVAL, reason, str(output_file))


def _check_no_overwrite(output: Output, *, resume: bool, overwrite: bool) -> None:
    """Make sure that no answers are overwritten by mistake.

    Raises:
        FileError: there are some.
    """
    there = output.list_existing()
    if there and not (resume or overwrite):
        raise FileError(
            f"--output {there[0]}: that file exists. Use --overwrite to replace it, --resume to "
            "continue it, or name another file."
        )


def _read_files(
    paths: Sequence[Path], options: InputOptions, skip: int, report: ReportProgress
) -> Iterator[BatchLine]:
    """Yield the boards of all files after the first ``skip``.

    Raises:
        OSError: a file cannot be read, or there are fewer boards.
        FileError: a file is not what it should be.
    """
    size = sum(path.stat().st_size for path in paths)
    taken = 0
    for path in paths:
        before = taken

        def count_bytes(count: int) -> None:
            nonlocal taken
            taken += count
            report("bytes", taken, size)

        if inputs.reads_as_parquet(path, options):
            rows, _ = parquet.measure_file(path, options.template.operation)
            passed = min(skip, rows)
            yield from inputs.read_file(path, options, passed)
            skip -= passed
        else:
            for line in inputs.read_file(path, options, taken=count_bytes):
                if skip:
                    skip -= 1
                else:
                    yield line
        taken = before
        count_bytes(path.stat().st_size)
    if skip:
        reason = "there are fewer boards than answers already"
        raise OSError(errno.EINVAL, reason, str(paths[-1]))
