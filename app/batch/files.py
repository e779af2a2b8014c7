"""Files of boards, answered on all cores: one board and one answer per line, in order.

Any file may be Parquet as well, with rows instead of lines (see `app.batch.parquet`). Boards may
be in many files, which are read as one, in the order of their names.
"""

import errno
import sys
from collections.abc import Callable, Iterator, Sequence, Set
from contextlib import ExitStack, closing, nullcontext
from pathlib import Path
from typing import IO, TypeAlias

from minecheck.app.batch import journal, naming, parquet, splits
from minecheck.app.batch.engine import Answers
from minecheck.app.batch.lines import LineTemplate, Summary
from minecheck.app.batch.local_engine import answer_lines
from minecheck.app.batch.parquet import ReportProgress

#: A function that answers the lines of files after the first ones, some at a time, in order.
Elsewhere: TypeAlias = Callable[
    [LineTemplate, Sequence[Path], int, ReportProgress], Iterator[Answers]
]


def answer_file(
    file: Path | None,
    output: Path | None,
    template: LineTemplate,
    *,
    resume: bool = False,
    report: ReportProgress = lambda what, done, total: None,
    processes: int | None = None,
    engine: Elsewhere | None = None,
) -> tuple[int, int]:
    """Answer a file into another.

    Whenever it is killed, what it has written by then is resumed.

    Args:
        file: a file, a directory of files or a pattern, as in `app.batch.splits.list_files`; None
            for standard input.
        output: the file to write; None for standard output.
        template: the operation, its defaults and the settings.
        resume: whether answers that are there already are kept and counted out.
        report: a function that is told of the progress.
        processes: the number of workers; None for one on each core.
        engine: answers elsewhere than here.

    Returns:
        The number of lines, and of problems among them.

    Raises:
        OSError: a file cannot be read or written.
        ParquetError: the same of Parquet.
    """
    packed = output if output is not None and parquet.is_parquet(output) else None
    lined = output
    if packed is not None:
        parquet.check_installed()
        lined = parquet.journal_path(packed)
    paths = [] if file is None else splits.list_files(file)
    _check_files(paths, {one for one in (packed, lined) if one is not None and one.exists()})
    if (
        resume
        and packed is not None
        and packed.exists()
        and not parquet.journal_path(packed).exists()
    ):
        parquet.unpack_answers(packed, parquet.journal_path(packed))
    done, skip = Summary(), 0
    with ExitStack() as opened:
        into: IO[bytes] = sys.stdout.buffer
        if lined is not None:
            kept, skip = journal.open_journal(lined, template.record, resume=resume)
            into = opened.enter_context(naming.close_file(kept, lined))
        found: Iterator[Answers]
        if engine is not None:
            found = engine(template, paths, skip, report)
        else:
            source = iter(sys.stdin.buffer) if file is None else _read_lines(paths, skip, report)
            found = opened.enter_context(closing(answer_lines(template, source, skip, processes)))
        for answers in found:
            with naming.name_file(lined) if lined is not None else nullcontext():
                into.write(answers.text)
                into.flush()
            done += answers.summary
    if packed is not None:
        parquet.pack_answers(parquet.journal_path(packed), packed, report)
        parquet.journal_path(packed).unlink()
    return done.lines, done.problems


def _check_files(paths: Sequence[Path], written: Set[Path]) -> None:
    """Make sure that all files can be read, and that none of them is about to be ``written``.

    Raises:
        OSError, ParquetError: it is not so.
    """
    for path in paths:
        if parquet.is_parquet(path):
            parquet.measure_file(path)
        else:
            path.open("rb").close()
        for one in written:
            if path.samefile(one):
                said = "boards are read from that file: write the answers elsewhere"
                raise OSError(errno.EINVAL, said, str(one))


def _read_lines(paths: Sequence[Path], skip: int, report: ReportProgress) -> Iterator[bytes]:
    size = sum(path.stat().st_size for path in paths if not parquet.is_parquet(path))
    taken = 0
    for path in paths:
        if parquet.is_parquet(path):
            rows, _ = parquet.measure_file(path)
            if skip < rows:
                yield from parquet.read_lines(path, skip, report)
            skip = max(0, skip - rows)
            continue
        with path.open("rb") as file:
            for line in file:
                taken += len(line)
                report("lines", taken, size)
                if skip:
                    skip -= 1
                else:
                    yield line
    if skip:
        said = "there are fewer boards than answers already"
        raise OSError(errno.EINVAL, said, str(paths[-1]))
