"""Boards in CSV: a column of boards, columns named as options, and others that pass through."""

import csv
import re
from collections.abc import Iterator
from typing import Final, NoReturn

import orjson

from minecheck.app.batch.batch_line import BatchLine
from minecheck.app.batch.columns import INTEGERS, TRUTHS, find_types
from minecheck.app.batch.json_lines import LineCutter
from minecheck.app.batch.lines import LineTemplate, make_long_line_problem
from minecheck.app.problems import ProblemError, reject_field
from minecheck.app.quoting import quote_text
from minecheck.app.requests.jobs import find_line_field
from minecheck.app.requests.json_reader import LINE, decode_utf8
from minecheck.minefield.numerals import format_count

#: What separates fields: the first of them by which the header has the column of boards.
_DELIMITERS: Final = (",", ";", "\t")
#: Whole numbers, also as programs write those of a column with gaps.
_WHOLE: Final = re.compile(r"(-?[0-9]{1,18})(?:\.0*)?")
#: Rows of a board in the standard notation, with slashes between them.
_SLASHED: Final = re.compile(r"[0-8?BSF*]+(?:/[0-8?BSF*]+)+")
#: The name of a first column without one: programs write the numbers of rows there.
_FIRST_NAME: Final = "index"
_BOM: Final = b"\xef\xbb\xbf"


class CsvParser:
    """Makes requests of the rows of a CSV file; see `app.batch.json_lines.InputParser`.

    Args:
        template: the operation, its defaults and the settings.
        file: the name of the file, None for a stream.
        first: the number of the first line.
    """

    def __init__(self, template: LineTemplate, file: str | None, first: int = 0) -> None:
        self._operation = template.operation
        self._most = template.settings.max_body_bytes
        self._cutter = LineCutter(self._most)
        self._file = file
        self._number = first
        self._delimiter = ""
        self._names: list[str] = []
        self._types: dict[str, list[str]] = {}
        #: The lines of the row that has begun, and whether a quoted field is open at their end.
        self._lines: list[bytes] = []
        self._size = 0
        self._is_open = False
        # The limit of the module is one for the whole process.
        csv.field_size_limit(max(csv.field_size_limit(), self._most + 1))

    @property
    def buffered_bytes(self) -> int:
        """The bytes of the row that has begun."""
        return self._cutter.buffered_bytes + self._size

    def feed(self, data: bytes) -> Iterator[BatchLine]:
        """Yield the rows that end in further bytes.

        Raises:
            ProblemError: the header has no column of boards, or one that cannot be meant.
        """
        for line in self._cutter.feed(data):
            yield from self._take_line(line)

    def finish(self) -> Iterator[BatchLine]:
        """Yield the last row.

        Raises:
            ProblemError: there is no header, or as `feed`.
        """
        for line in self._cutter.finish():
            yield from self._take_line(line)
        if self._lines:
            yield from self._end_row()
        if not self._names:
            self._read_header("")

    def _take_line(self, line: bytes) -> Iterator[BatchLine]:
        self._lines.append(line[: max(0, self._most + 1 - self._size)])
        self._size += len(self._lines[-1]) + 1
        self._is_open = _leaves_quote_open(line, self._delimiter or ",;\t", self._is_open)
        if not self._is_open:
            yield from self._end_row()

    def _end_row(self) -> Iterator[BatchLine]:
        content, row_number, is_open = b"\n".join(self._lines), self._number, self._is_open
        self._number += len(self._lines)
        self._lines, self._size, self._is_open = [], 0, False
        if not content.strip():
            return
        try:
            if len(content) > self._most:
                raise make_long_line_problem(self._most, row_number)
            text = decode_utf8(content, LINE)
            if is_open:
                _reject_column(
                    "A quotation mark of the row is not closed before the file ends.",
                    "Close it at the end of its field; if the file was cut off, send all of it.",
                )
            if self._names:
                yield BatchLine(self._read_row(text), row_number, self._file, "row")
                return
        except ProblemError as error:
            if not self._names:
                raise
            yield BatchLine.from_problem(error, row_number, self._file)
            return
        self._read_header(text)

    def _read_header(self, text: str) -> None:
        """Take the names of the columns.

        Raises:
            ProblemError: a name is missing, appears twice, or cannot be meant.
        """
        bare = find_line_field(self._operation)
        for delimiter in _DELIMITERS:
            names = [name.strip() for name in _split_row(text, delimiter)]
            if bare is None or bare in names:
                break
        else:
            reject_field(
                "missing-field",
                f"The CSV has no header row with a column {bare}.",
                f"Write the names of the columns into the first row, such as id,{bare},mines, with "
                "commas, semicolons or tabs between them.",
                f"/{bare}",
            )
        names[0] = names[0] or _FIRST_NAME
        for name in names:
            if not name:
                _reject_column("A column of the CSV has no name.", "Write it into the first row.")
            if names.count(name) > 1:
                _reject_column(
                    f"The CSV has the column {quote_text(name)} {names.count(name)} times.",
                    "Keep one of them.",
                )
            self._types[name] = find_types(self._operation, name)
        self._delimiter, self._names = delimiter, names

    def _read_row(self, text: str) -> bytes:
        """Return a row as JSON.

        Raises:
            ProblemError: it has other fields than the header.
        """
        values = _split_row(text, self._delimiter)
        if len(values) != len(self._names):
            _reject_column(
                f"The row has {format_count(len(values), 'field')}, and the header "
                f"{len(self._names)}.",
                "Put quotation marks around a field that has line breaks or separators in it.",
            )
        fields: dict[str, object] = {}
        for name, value in zip(self._names, values, strict=True):
            types = self._types[name]
            if not types:
                fields[name] = value
            elif value.strip():
                fields[name] = _convert_value(value.strip(), types, name)
        return orjson.dumps(fields)


def _split_row(text: str, delimiter: str) -> list[str]:
    """Return the fields of a row.

    Raises:
        ProblemError: it is not CSV.
    """
    try:
        return next(csv.reader([text], delimiter=delimiter), [""])
    except csv.Error as error:
        _reject_column(f"The row is not CSV: {error}.", "Correct its quotation marks.")


def _reject_column(detail: str, fix: str) -> NoReturn:
    reject_field("bad-value", detail, fix, "")


def _convert_value(value: str, types: list[str], name: str) -> object:
    """Return a value as JSON has it; what is of no type that fits is left for the request."""
    if name == "board":
        return value.replace("/", "\n") if _SLASHED.fullmatch(value) else value
    if INTEGERS in types and (whole := _WHOLE.fullmatch(value)):
        return int(whole[1])
    if TRUTHS in types and value.lower() in ("true", "false"):
        return value.lower() == "true"
    return value


def _leaves_quote_open(line: bytes, delimiters: str, is_open: bool) -> bool:
    """Return True if a quoted field is open at the end of a line.

    Args:
        line: the line.
        delimiters: what may separate fields.
        is_open: whether one is open at its beginning.
    """
    starts = delimiters.encode()
    offset = 0
    while True:
        if is_open:
            offset = line.find(b'"', offset)
            if offset < 0:
                return True
            is_open = line[offset + 1 : offset + 2] == b'"'
            offset += 1 + is_open
        else:
            # Only at its beginning does a quotation mark open a field.
            offset = line.find(b'"', offset)
            if offset < 0:
                return False
            is_open = offset == 0 or line[offset - 1] in starts or line[:offset] == _BOM
            offset += 1
