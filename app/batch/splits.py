"""Files of boards cut into spans of lines, which are answered independently, on any machine.

A file of lines is cut by its size alone, wherever a cut may fall: a line belongs to the span in
which it begins. What the first line of a span is called among all lines is known once the lines of
the spans before are counted. A Parquet file, with rows in place of lines, is cut by rows.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from glob import glob, has_magic
from itertools import islice
from pathlib import Path
from typing import Final

from minecheck.app.batch import parquet

#: What is read of a directory: files with these endings.
SUFFIXES: Final = (".ndjson", ".jsonl", parquet.SUFFIX)
#: Spans for each processor, so that none waits long for the last one.
_SPANS: Final = 12
#: Bytes of a span, at least. The most is up to who collects the answers.
_LEAST_BYTES: Final = 1 << 14
#: Rows of a span, at most: columns may be packed to next to nothing.
_MOST_ROWS: Final = 1 << 16
#: Bytes that are looked through at once for ends of lines.
_PIECE: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class Span:
    """Lines of a file: those that begin in the bytes from ``start`` to ``end``, or these rows.

    The first ``skip`` of them are left out; ``lines`` follow, of which the first is number
    ``first`` among the lines of all files.
    """

    path: Path
    start: int
    end: int
    skip: int = 0
    first: int = 0
    lines: int = 0


def list_files(path: Path) -> list[Path]:
    """List what is to be read: a file, or those below a directory or that fit a pattern.

    Raises:
        FileNotFoundError: there is none.
    """
    if path.is_dir():
        found = [one for one in path.rglob("*") if one.suffix.lower() in SUFFIXES]
    elif path.exists() or not has_magic(str(path)):
        return [path]
    else:
        found = [Path(one) for one in glob(str(path), recursive=True)]
    # Hidden files are unfinished work of another writer.
    found = sorted(one for one in found if one.is_file() and not one.name.startswith((".", "_")))
    if not found:
        raise FileNotFoundError(2, "there are no files of boards", str(path))
    return found


def cut_files(paths: Sequence[Path], processors: int, most_bytes: int) -> list[Span]:
    """Cut files into spans of about one size, not counted yet.

    Args:
        paths: the files.
        processors: how many processors there are to answer.
        most_bytes: the most bytes of a span.

    Raises:
        OSError: a file cannot be read.
        ParquetError: a Parquet file cannot be read.
    """
    sizes = [path.stat().st_size for path in paths]
    length = sum(sizes) // (_SPANS * max(1, processors))
    length = min(max(length, _LEAST_BYTES), most_bytes)
    found = []
    for path, size in zip(paths, sizes, strict=True):
        end, step = size, length
        if parquet.is_parquet(path):
            end, bytes_of_row = parquet.measure_file(path)
            step = min(max(1, int(length / bytes_of_row)), _MOST_ROWS)
        found += [Span(path, start, min(start + step, end)) for start in range(0, end, step)]
    return found


def count_lines(span: Span) -> int:
    """Return the number of lines of a span, without those to be skipped."""
    if parquet.is_parquet(span.path):
        return span.end - span.start - span.skip
    # A line begins behind each line break, and the first one at the beginning.
    lines = int(span.start == 0)
    with span.path.open("rb") as file:
        at = file.seek(max(0, span.start - 1))
        while piece := file.read(min(_PIECE, span.end - 1 - at)):
            lines += piece.count(b"\n")
            at += len(piece)
    return lines - span.skip


def number_spans(spans: Iterable[Span], counts: Iterable[int]) -> Iterator[Span]:
    """Yield spans that know their lines; those that have none are left out.

    Args:
        spans: the spans in order.
        counts: the number of lines of each.
    """
    first = 0
    for span, lines in zip(spans, counts, strict=True):
        if lines:
            yield replace(span, first=first, lines=lines)
        first += lines


def skip_done(spans: Iterable[Span], done: Sequence[range]) -> Iterator[Span]:
    """Yield the rest of spans after some lines are done.

    Args:
        spans: the spans in order.
        done: ranges of line numbers, ascending.
    """
    for span in spans:
        at, end = span.first, span.first + span.lines
        for lines in [*done, range(end, end)]:
            until = min(max(lines.start, at), end)
            if until > at:
                skip = span.skip + at - span.first
                yield replace(span, skip=skip, first=at, lines=until - at)
            at = max(at, min(lines.stop, end))


def read_span(span: Span) -> Iterator[bytes]:
    """Read the lines of a span.

    Raises:
        OSError: the file cannot be read, or has changed.
        ParquetError: a Parquet file cannot be read.
    """
    lines = _read_rows(span) if parquet.is_parquet(span.path) else _read_lines(span)
    read = 0
    for line in islice(lines, span.lines):
        yield line
        read += 1
    if read < span.lines:
        raise OSError(None, "the file changed while it was read", str(span.path))


def _read_rows(span: Span) -> Iterator[bytes]:
    return parquet.read_lines(span.path, span.start + span.skip, lambda what, done, total: None)


def _read_lines(span: Span) -> Iterator[bytes]:
    with span.path.open("rb") as file:
        at = file.seek(max(0, span.start - 1))
        if span.start:
            # The rest of a line of the span before, or its line break.
            at += len(file.readline())
        skip = span.skip
        while at < span.end and (line := file.readline()):
            at += len(line)
            if skip:
                skip -= 1
            else:
                yield line
