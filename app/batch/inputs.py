"""Where boards come from: files of every form, compressed or not, and streams."""

import errno
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from glob import glob, has_magic
from itertools import chain, islice
from pathlib import Path
from typing import IO, Final

import jiter

from minecheck.app import compression
from minecheck.app.batch import parquet
from minecheck.app.batch.batch_line import BatchLine
from minecheck.app.batch.csv_rows import CsvParser
from minecheck.app.batch.json_documents import JsonDocumentParser
from minecheck.app.batch.json_lines import InputParser, JsonLineParser
from minecheck.app.batch.lines import LineTemplate
from minecheck.app.batch.naming import FileError
from minecheck.app.batch.text_boards import TextParser
from minecheck.app.compression import CompressionError
from minecheck.app.problems import ProblemError
from minecheck.app.requests.jobs import find_line_field


class InputFormat(StrEnum):
    """The form in which boards come."""

    NDJSON = "ndjson"
    JSON = "json"
    TEXT = "text"
    CSV = "csv"
    PARQUET = "parquet"


#: The form of a file by the ending of its name. Files called .txt may hold JSON as well.
_BY_SUFFIX: Final = {
    ".ndjson": InputFormat.NDJSON,
    ".jsonl": InputFormat.NDJSON,
    ".json": InputFormat.JSON,
    ".csv": InputFormat.CSV,
    ".tsv": InputFormat.CSV,
    parquet.SUFFIX: InputFormat.PARQUET,
}
_TEXT_SUFFIX: Final = ".txt"
#: What is read of a directory: files with these endings, compressed or not.
SUFFIXES: Final = (*_BY_SUFFIX, _TEXT_SUFFIX)
#: Bytes that are read at once, and bytes in which the first line is looked for.
_PIECE: Final = 1 << 16
_FIRST_BYTES: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class InputOptions:
    """Options for reading boards.

    Attributes:
        template: the operation, its defaults and the settings.
        format: the form of all files; None to go by their names and contents.
        split: whether blank lines separate boards in a text; None if the text has to show it.
    """

    template: LineTemplate
    format: InputFormat | None = None
    split: bool | None = None


def list_files(names: Sequence[str]) -> list[Path]:
    """List what is to be read: files, those below directories, and those that fit patterns.

    Args:
        names: the names in the order in which they are read. The files of a directory, or of a
            pattern, are in the order of their names; hidden ones are left out.

    Raises:
        FileNotFoundError: there is none of that name.
    """
    return [path for name in names for path in _list_files_of(name)]


def _list_files_of(name: str) -> list[Path]:
    path = Path(name)
    if path.is_dir():
        files = [file for file in path.rglob("*") if suffix_of(file) in SUFFIXES]
        missing = f"there are no files of boards: none ends in {', '.join(SUFFIXES)}"
    elif path.exists() or not has_magic(name):
        return [path]
    else:
        files = [Path(file) for file in glob(name, recursive=True)]
        missing = "no file has such a name"
    # Hidden files are unfinished work of another writer.
    files = sorted(
        file for file in files if file.is_file() and not file.name.startswith((".", "_"))
    )
    if not files:
        raise FileNotFoundError(errno.ENOENT, missing, name)
    return files


def suffix_of(path: Path) -> str:
    """Return the ending of a file's name, without the one of its compression."""
    is_packed = path.suffix.lower() in compression.SUFFIXES
    return (path.with_suffix("") if is_packed else path).suffix.lower()


def decode_name(path: Path) -> str:
    """Return a file's name for answers, which are Unicode."""
    return os.fsencode(path).decode(errors="replace")


def reads_as_parquet(path: Path, options: InputOptions) -> bool:
    """Return True if a file is read as Parquet."""
    if options.format is None:
        return parquet.is_parquet(path)
    return options.format is InputFormat.PARQUET


def is_cut_by_bytes(path: Path, options: InputOptions) -> bool:
    """Return True if any part of a file can be read alone: lines of JSON, not compressed."""
    by_name = options.format or _BY_SUFFIX.get(path.suffix.lower())
    return by_name is InputFormat.NDJSON and path.suffix.lower() not in compression.SUFFIXES


def check_file(path: Path, options: InputOptions) -> None:
    """Check that a file can be read, as far as its beginning shows it.

    Raises:
        OSError: it cannot be opened.
        FileError: it is not what it should be.
    """
    if reads_as_parquet(path, options):
        parquet.measure_file(path, options.template.operation)
    elif suffix_of(path) in (".ndjson", ".jsonl", ".txt") and path.suffix == suffix_of(path):
        path.open("rb").close()
    else:
        next(read_file(path, options), None)


def read_file(
    path: Path,
    options: InputOptions,
    skip: int = 0,
    taken: Callable[[int], object] = lambda size: None,
) -> Iterator[BatchLine]:
    """Read the boards of a file.

    Args:
        path: the file.
        options: how it is read.
        skip: how many boards are passed over first.
        taken: is given the number of bytes, or of rows of Parquet, that were read.

    Raises:
        OSError: it cannot be read.
        FileError: it is not what it should be.
    """
    name = decode_name(path)
    if reads_as_parquet(path, options):
        rows = parquet.read_rows(path, options.template.operation, skip)
        for number, row in enumerate(rows, skip):
            yield BatchLine(row, number, name, "row")
            taken(1)
        return
    with path.open("rb") as file:
        pieces = _inflate_file(_read_pieces(file, taken), name, path.suffix.lower())
        yield from islice(_parse_pieces(pieces, options, name, suffix_of(path)), skip, None)


def read_stream(file: IO[bytes], options: InputOptions) -> Iterator[BatchLine]:
    """Read the boards of a stream without a name, such as standard input.

    Raises:
        OSError: it cannot be read.
        FileError: it is not what it should be.
    """
    pieces = _inflate_file(_read_pieces(file, lambda size: None), None, "")
    yield from _parse_pieces(pieces, options, None, "")


def make_parser(
    format: InputFormat, options: InputOptions, file: str | None, first: int = 0
) -> InputParser:
    """Return the parser for boards in a form other than Parquet.

    Args:
        format: the form.
        options: how boards are read.
        file: the name of the file, None for a stream.
        first: the number of the first line.

    Raises:
        FileError: the operation is not about boards, and the form holds nothing else.
    """
    template = options.template
    if format is InputFormat.CSV:
        return CsvParser(template, file, first)
    if format is InputFormat.NDJSON:
        return JsonLineParser(template.settings.max_body_bytes, file, first)
    if format is InputFormat.JSON:
        return JsonDocumentParser(template.settings.max_body_bytes, file, first)
    if find_line_field(template.operation) is None:
        raise FileError(
            f"{template.operation.name} is not asked about a text. Send JSON with its fields, one "
            "request a line, or CSV."
        )
    return TextParser(template, file, first, options.split)


def _read_pieces(file: IO[bytes], taken: Callable[[int], object]) -> Iterator[bytes]:
    # `read1` returns the bytes that have arrived, without waiting for a full piece.
    read = getattr(file, "read1", file.read)
    while piece := read(_PIECE):
        yield piece
        taken(len(piece))


def _inflate_file(pieces: Iterator[bytes], name: str | None, suffix: str) -> Iterator[bytes]:
    """Yield the contents of a file, inflated if it is compressed, as its first bytes show.

    Raises:
        FileError: the file is not compressed as its name says, or is damaged.
    """
    start = next(pieces, b"")
    pieces = chain([start], pieces) if start else pieces
    algorithm = compression.find_compression(start)
    named = compression.SUFFIXES.get(suffix)
    try:
        if named not in (None, algorithm):
            raise CompressionError
        yield from (pieces if algorithm is None else compression.inflate_pieces(pieces, algorithm))
    except CompressionError:
        raise FileError(
            f"{name or 'standard input'}: it is not valid {named or algorithm}, or ends early. "
            "Compress it again, or give the file without compression."
        ) from None


def _parse_pieces(
    pieces: Iterator[bytes], options: InputOptions, name: str | None, suffix: str
) -> Iterator[BatchLine]:
    """Yield the boards of what comes in pieces.

    Raises:
        FileError: it is not in the form that it should have.
    """
    format = options.format or _BY_SUFFIX.get(suffix)
    if format is None:
        start = bytearray()
        for piece in pieces:
            start += piece
            if b"\n" in start.strip() or len(start) > _FIRST_BYTES:
                break
        pieces = chain([bytes(start)], pieces)
        format = find_format(bytes(start), options.template, is_text=suffix == _TEXT_SUFFIX)
    try:
        parser = make_parser(format, options, name)
        for piece in pieces:
            yield from parser.feed(piece)
        yield from parser.finish()
    except ProblemError as error:
        # The problem is about the whole input, not about one line.
        problem = error.document
        raise FileError(
            f"{name or 'standard input'}: {problem['detail']} {problem['fix']}"
        ) from None


def find_format(start: bytes, template: LineTemplate, *, is_text: bool = False) -> InputFormat:
    """Return the form that the first line with something in it shows.

    Args:
        start: the beginning of a file or a stream.
        template: the operation, its defaults and the settings.
        is_text: whether quoted lines are rows of a text, not JSON.
    """
    line = start.removeprefix(b"\xef\xbb\xbf").strip().partition(b"\n")[0].strip()
    has_boards = line.startswith(b"{") and b'"boards"' in line
    if has_boards or line in (b"[", b"{") or line.startswith(b"[{"):
        return InputFormat.JSON
    if not line or line.startswith(b'{"') or line == b"{}":
        return InputFormat.NDJSON
    if line.startswith(b"[") or (line.startswith(b'"') and not is_text):
        try:
            jiter.from_json(line)
            return InputFormat.NDJSON
        except ValueError:
            pass
    bare = find_line_field(template.operation) or ""
    names = {name.strip(b'" \t\r') for sep in b",;\t" for name in line.split(bytes([sep]))}
    return InputFormat.CSV if bare.encode() in names else InputFormat.TEXT
