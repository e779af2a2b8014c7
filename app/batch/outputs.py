"""Where answers go: the ending of the file's name says in which form.

Answers are always written line by line first, into the file itself or into a journal beside it, so
that a command that was stopped can continue. A form that cannot be added to is made of the journal
when all answers are there.
"""

import csv
import io
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from minecheck.app.batch import parquet
from minecheck.app.batch.columns import ReportProgress, find_passed_fields, make_rows
from minecheck.app.batch.naming import FileError, replace_file
from minecheck.app.batch.passed_fields import TABLE_COLUMNS
from minecheck.app.compression import SUFFIXES, CompressionError, inflate_pieces, open_compressed
from minecheck.app.operation import Operation

#: Endings of files with one answer a line.
LINES: Final = (".ndjson", ".jsonl")
_CSV: Final = ".csv"
_PIECE: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class OutputForm:
    """A form in which answers are kept: how it is made of lines, and lines of it.

    Attributes:
        pack: makes the file from a file of answers to an operation, and reports its progress.
        unpack: makes the file of answers again.
    """

    pack: Callable[[Path, Path, Operation, ReportProgress], None]
    unpack: Callable[[Path, Path], None]


@dataclass(frozen=True, slots=True)
class Output:
    """A file for answers.

    Without a ``form`` it has one answer a line, and nothing else is written.
    """

    path: Path
    form: OutputForm | None = None

    @property
    def journal(self) -> Path:
        """The file that answers are written to as they come."""
        return self.path if self.form is None else self.path.with_name(self.path.name + ".journal")

    def list_existing(self) -> list[Path]:
        """List the files that are there, and that answers would replace."""
        return [path for path in dict.fromkeys((self.path, self.journal)) if path.is_file()]

    def prepare_journal(self) -> None:
        """Make the journal of a file that is complete, so that it can be continued.

        Raises:
            FileError: it holds no answers.
            OSError: it cannot be read.
        """
        if self.form is not None and self.path.exists() and not self.journal.exists():
            self.form.unpack(self.path, self.journal)

    def pack_journal(self, operation: Operation, report: ReportProgress) -> None:
        """Make the file of its journal, when all answers are there."""
        if self.form is not None:
            self.form.pack(self.journal, self.path, operation, report)
            self.journal.unlink()


def find_output(path: Path) -> Output:
    """Return a file for answers in the form that its name says.

    Raises:
        FileError: no form has such a name, or Parquet is not installed.
    """
    suffix = path.suffix.lower()
    if path.exists() and not path.is_file():
        # A device or a pipe has no name to go by.
        return Output(path)
    if suffix in LINES:
        return Output(path)
    if suffix == _CSV:
        return Output(path, OutputForm(_pack_csv, _unpack_csv))
    if suffix == parquet.SUFFIX:
        parquet.import_pyarrow()
        return Output(path, OutputForm(parquet.pack_answers, parquet.unpack_answers))
    if suffix in SUFFIXES and path.with_suffix("").suffix.lower() in LINES:
        return Output(path, OutputForm(_pack_compressed, _unpack_compressed))
    endings = [
        *LINES,
        *(line + compressed for line in LINES for compressed in SUFFIXES),
        _CSV,
        parquet.SUFFIX,
    ]
    wrong = (
        f"{suffix} is not an ending of files for answers" if suffix else "the name has no ending"
    )
    raise FileError(
        f"--output {path}: {wrong}. Use one of: {', '.join(endings)}; or - for standard output."
    )


def _pack_csv(answers: Path, output: Path, operation: Operation, report: ReportProgress) -> None:
    passed = dict.fromkeys(find_passed_fields(answers, operation), True)
    with replace_file(output) as file, answers.open("rb") as source:
        text = io.TextIOWrapper(file, "utf-8", newline="")
        writer = csv.DictWriter(text, [*passed, *TABLE_COLUMNS], lineterminator="\n")
        writer.writeheader()
        bytes_read, size = 0, answers.stat().st_size
        for row, held in make_rows(source, passed):
            writer.writerow({name: _write_cell(value) for name, value in row.items()})
            bytes_read += held
            report("writing CSV", bytes_read, size)
        text.detach()


def _write_cell(value: object) -> object:
    """Return a value as CSV has it: true and false as in JSON."""
    return str(value).lower() if isinstance(value, bool) else value


def _unpack_csv(output: Path, answers: Path) -> None:
    # The module's limit is one for the whole process.
    csv.field_size_limit(1 << 30)
    with output.open(encoding="utf-8", newline="") as source, replace_file(answers) as into:
        reader = csv.DictReader(source)
        if "answer" not in (reader.fieldnames or ()):
            raise FileError(f"{output}: it holds no answers. Leave out --resume.")
        for row in reader:
            into.write((row["answer"] or "").encode() + b"\n")


def _pack_compressed(
    answers: Path, output: Path, operation: Operation, report: ReportProgress
) -> None:
    compression = SUFFIXES[output.suffix.lower()]
    with (
        replace_file(output) as file,
        answers.open("rb") as source,
        open_compressed(file, compression) as into,
    ):
        bytes_read, size = 0, answers.stat().st_size
        while piece := source.read(_PIECE):
            into.write(piece)
            bytes_read += len(piece)
            report("compressing", bytes_read, size)


def _unpack_compressed(output: Path, answers: Path) -> None:
    compression = SUFFIXES[output.suffix.lower()]
    try:
        with output.open("rb") as source, replace_file(answers) as into:
            for piece in inflate_pieces(iter(lambda: source.read(_PIECE), b""), compression):
                into.write(piece)
    except CompressionError:
        raise FileError(f"{output}: it is not valid {compression}. Leave out --resume.") from None
