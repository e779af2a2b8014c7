"""Files of boards cut into spans of lines, which are answered independently, on any machine.

A file of JSON lines is cut by its size alone, wherever a cut may fall: a line belongs to the span
in which it begins. What the first line of a span is called among all lines is known once the lines
of the spans before are counted. A Parquet file, with rows in place of lines, is cut by rows. Any
other file is read through for each span, as nothing else tells where a board begins.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Final

from minecheck.app.batch import parquet
from minecheck.app.batch.batch_line import BatchLine
from minecheck.app.batch.inputs import (
    InputOptions,
    decode_name,
    is_cut_by_bytes,
    read_file,
    reads_as_parquet,
)
from minecheck.app.compression import SUFFIXES

#: Spans for each processor, so that none waits long for the last one.
_SPANS: Final = 12
#: Bytes of a span, at least. The most is up to who collects the answers.
_LEAST_BYTES: Final = 1 << 14
#: Rows of a span, at most: columns may be packed to next to nothing.
_MOST_ROWS: Final = 1 << 16
#: A rough factor by which compressed files inflate.
_INFLATION: Final = 8
#: Bytes that are looked through at once for ends of lines.
_PIECE: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class Span:
    """Lines of a file: those that begin in the bytes from ``start`` to ``end``, or these rows.

    The first ``skip`` of them are left out; ``lines`` follow, of which the first is number
    ``first`` among the lines of all files. Before the span there are ``before`` lines of its file.
    """

    path: Path
    start: int
    end: int
    skip: int = 0
    first: int = 0
    lines: int = 0
    before: int = 0


def list_spans(
    paths: Sequence[Path],
    options: InputOptions,
    processors: int,
    most_bytes: int,
    count: Callable[[Sequence[Span]], Iterable[int]],
    least_bytes: int = _LEAST_BYTES,
    most_rows: int = _MOST_ROWS,
) -> Iterator[Span]:
    """Yield spans of files, of about one size, that know their lines; none of them is empty.

    Args:
        paths: the files.
        options: how they are read.
        processors: how many processors there are to answer.
        most_bytes: the most bytes of a span.
        count: counts the lines of spans, as `count_lines` does.
        least_bytes: the least bytes of a span, where ``most_bytes`` is not less.
        most_rows: the most rows of a span of Parquet.

    Raises:
        OSError: a file cannot be read.
        FileError: a file is not what it should be.
    """
    sizes = [path.stat().st_size for path in paths]
    length = sum(sizes) // (_SPANS * max(1, processors))
    length = min(max(length, least_bytes), most_bytes)
    spans = [
        span
        for path, size in zip(paths, sizes, strict=True)
        for span in _cut_file(path, size, options, length, most_rows)
    ]
    first = before = 0
    path = None
    for span, lines in zip(spans, count(spans), strict=True):
        before = before if span.path == path and span.start else 0
        path = span.path
        step = _step_through(span, lines, length, options)
        for skip in range(0, lines, step):
            taken = min(step, lines - skip)
            yield replace(span, skip=skip, first=first + skip, lines=taken, before=before)
        first += lines
        before += lines


def _cut_file(
    path: Path, size: int, options: InputOptions, length: int, most_rows: int
) -> list[Span]:
    """Cut a file into spans of about ``length`` bytes, not counted yet."""
    end, step = size, length
    if reads_as_parquet(path, options):
        end, bytes_of_row = parquet.measure_file(path, options.template.operation)
        step = min(max(1, int(length / bytes_of_row)), most_rows)
    elif not is_cut_by_bytes(path, options):
        step = max(1, size)
    return [Span(path, start, min(start + step, end)) for start in range(0, end, step)]


def _step_through(span: Span, lines: int, length: int, options: InputOptions) -> int:
    """Return the number of lines after which a span ends that is read through."""
    if reads_as_parquet(span.path, options) or is_cut_by_bytes(span.path, options):
        return max(1, lines)
    is_packed = span.path.suffix.lower() in SUFFIXES
    size = (span.end - span.start) * (_INFLATION if is_packed else 1)
    return max(1, lines * length // max(1, size))


def count_lines(span: Span, options: InputOptions) -> int:
    """Return the number of lines of a span."""
    if reads_as_parquet(span.path, options):
        return span.end - span.start
    if not is_cut_by_bytes(span.path, options):
        return sum(1 for _ in read_file(span.path, options))
    # A line begins behind each line break, and the first one at the beginning.
    lines = int(span.start == 0)
    with span.path.open("rb") as file:
        offset = file.seek(max(0, span.start - 1))
        while piece := file.read(min(_PIECE, span.end - 1 - offset)):
            lines += piece.count(b"\n")
            offset += len(piece)
    return lines


def skip_done(spans: Iterable[Span], done: Sequence[range]) -> Iterator[Span]:
    """Yield the rest of spans after some lines are done.

    Args:
        spans: the spans in order.
        done: ranges of line numbers, ascending.
    """
    for span in spans:
        next_line, end = span.first, span.first + span.lines
        for lines in [*done, range(end, end)]:
            until = min(max(lines.start, next_line), end)
            if until > next_line:
                skip = span.skip + next_line - span.first
                yield replace(span, skip=skip, first=next_line, lines=until - next_line)
            next_line = max(next_line, min(lines.stop, end))


def read_span(span: Span, options: InputOptions) -> Iterator[BatchLine]:
    """Read the lines of a span.

    Raises:
        OSError: the file cannot be read, or has changed.
        FileError: it is not what it should be.
    """
    if is_cut_by_bytes(span.path, options):
        lines = _read_lines(span)
    elif reads_as_parquet(span.path, options):
        lines = read_file(span.path, options, span.start + span.skip)
    else:
        lines = read_file(span.path, options, span.skip)
    read = 0
    for line in islice(lines, span.lines):
        yield line
        read += 1
    if read < span.lines:
        raise OSError(None, "the file changed while it was read", str(span.path))


def _read_lines(span: Span) -> Iterator[BatchLine]:
    name = decode_name(span.path)
    with span.path.open("rb") as file:
        offset = file.seek(max(0, span.start - 1))
        if span.start:
            # The rest of a line of the span before, or its line break.
            offset += len(file.readline())
        number = 0
        while offset < span.end and (line := file.readline()):
            offset += len(line)
            if number >= span.skip:
                yield BatchLine(line.rstrip(b"\r\n"), span.before + number, name)
            number += 1
