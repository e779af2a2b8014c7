"""Parquet in and out of `minecheck batch`: rows become the lines that it reads, answers rows.

A Parquet file cannot be added to: it is only readable once its end is written. So the answers go
into a journal, line by line as into any other output, and become the Parquet file when all of them
are there. What is written is a matter of the journal alone, and takes its name when it is whole.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NoReturn, TypeAlias

import orjson

from minecheck.app.batch.naming import name_file
from minecheck.app.catalogue import OPERATIONS
from minecheck.app.operation import Operation
from minecheck.app.questions.fields import alternatives_of
from minecheck.app.requests.json_reader import LINE, read_json, read_object

if TYPE_CHECKING:
    import pyarrow

#: Is given what is being done, how far it is, and how far it goes if that is known.
ReportProgress: TypeAlias = Callable[[str, int, int | None], None]

SUFFIX: Final = ".parquet"

#: Rows that are read at once, and bytes of a column that are read from the file at once.
_READ_ROWS: Final = 64
_READ_BYTES: Final = 1 << 18
#: A row group is written once it has this many rows, or this many bytes of answers.
_GROUP_ROWS: Final = 1 << 16
_GROUP_BYTES: Final = 1 << 25

#: The columns of answers, and their types in Arrow.
_ANSWER: Final = {
    "consistent": "bool",
    "count": "string",
    "complete": "bool",
    "elapsed_ms": "double",
    "method": "string",
    "problem": "string",
    "detail": "string",
    "answer": "string",
}
#: The columns with few different values.
_REPEATED: Final = ["method", "problem"]

_TEXT: Final = "strings"
_ROWS: Final = "lists of strings"
_INTEGERS: Final = "integers"
_TRUTHS: Final = "booleans"
_EXACT: Final = "doubles or decimals"
#: The column type of a field of a request, by its type in JSON.
_BY_TYPE: Final = {
    "string": _TEXT,
    "integer": _INTEGERS,
    "boolean": _TRUTHS,
    "number": _EXACT,
}


class ParquetError(ValueError):
    """A file that cannot be read or written, and why."""


def is_parquet(path: Path | None) -> bool:
    """Return True if a file is, or will be, a Parquet file."""
    return path is not None and path.suffix.lower() == SUFFIX


def journal_path(path: Path) -> Path:
    """Return the file that keeps answers until all of them are there."""
    return path.with_name(path.name + ".journal")


def read_lines(path: Path, skip: int, report: ReportProgress) -> Iterator[bytes]:
    """Read rows as JSON lines.

    A row has a ``board``, and options in the columns named as they are; null is not given. Or it
    has the whole ``line``. Takes memory for some rows, however many there are.

    Args:
        path: the Parquet file.
        skip: how many rows are passed over first.
        report: a function that is told of the progress.

    Raises:
        ParquetError: at once if it is no such file; later if it cannot be read to the end.
    """
    file = _open_file(path)
    _check_columns(path, file.schema_arrow)
    return _read_rows(path, file, skip, report)


def measure_file(path: Path) -> tuple[int, float]:
    """Return the number of rows of a file, and the approximate size of one, in bytes unpacked.

    Raises:
        ParquetError: as `lines`, at once.
    """
    file = _open_file(path)
    _check_columns(path, file.schema_arrow)
    told = file.metadata
    size = sum(told.row_group(group).total_byte_size for group in range(told.num_row_groups))
    return told.num_rows, max(1.0, size / max(1, told.num_rows))


def pack_answers(
    answers: Path,
    output: Path,
    report: ReportProgress,
    group_rows: int = _GROUP_ROWS,
    group_bytes: int = _GROUP_BYTES,
) -> None:
    """Make a Parquet file from lines of answers; it appears when it is whole.

    Args:
        answers: the file with the lines.
        output: the Parquet file.
        report: a function that is told of the progress.
        group_rows: how many rows a row group has at most.
        group_bytes: the bytes of answers at which a row group ends.

    Raises:
        OSError: it cannot be written.
    """
    parquet, schema = _import_pyarrow().parquet, _build_schema()
    partial = _partial_path(output)
    with name_file(partial), answers.open("rb") as source, partial.open("wb") as file:
        with parquet.ParquetWriter(
            file, schema, compression="zstd", use_dictionary=_REPEATED
        ) as writer:
            done, size = 0, answers.stat().st_size
            for group, held in _group_rows(source, group_rows, group_bytes):
                writer.write_table(_import_pyarrow().Table.from_pylist(group, schema))
                done += held
                report("writing Parquet", done, size)
        file.flush()
        os.fsync(file.fileno())
    partial.replace(output)


def unpack_answers(output: Path, answers: Path) -> None:
    """Make the lines again of which a Parquet file was made.

    Args:
        output: the Parquet file.
        answers: the file for the lines.

    Raises:
        ParquetError: it was made of none.
    """
    file = _open_file(output)
    if not file.schema_arrow.equals(_build_schema()):
        raise ParquetError(f"{output}: it holds no answers. Leave out --resume.")
    partial = _partial_path(answers)
    with name_file(partial), partial.open("wb") as into:
        for batch in _read_batches(output, file, ["answer"], 0):
            try:
                rows = batch.to_pylist()
            except UnicodeDecodeError as error:
                _reject_file(output, error)
            for row in rows:
                into.write(row["answer"].encode() + b"\n")
    partial.replace(answers)


def check_installed() -> None:
    """Check that the extra is installed.

    Raises:
        ParquetError: it is missing.
    """
    _import_pyarrow()


def list_columns(records: Iterable[Operation]) -> dict[str, list[str]]:
    """Return the options of what a batch may ask, and the types that columns may have."""
    found = {"line": [_TEXT]}
    for record in records:
        fields = record.request.model_json_schema()["properties"] if record.batched else {}
        for name, field in fields.items():
            kinds = map(_column_type, alternatives_of(field))
            if known := [one for one in dict.fromkeys(kinds) if one is not None]:
                found[name] = known
    return found


@cache
def _own_columns() -> dict[str, list[str]]:
    return list_columns(OPERATIONS)


def _column_type(schema: Mapping[str, Any]) -> str | None:
    """Return the type of column for what a field may be; None if a column cannot hold it."""
    if schema.get("type") == "array":
        return _ROWS if schema.get("items", {}).get("type") == "string" else None
    return _BY_TYPE.get(schema.get("type", ""))


@cache
def _import_pyarrow() -> Any:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise ParquetError(
            "Parquet needs the extra parquet: run pip install pyarrow in this environment."
        ) from None
    return pyarrow


def _build_schema() -> "pyarrow.Schema":
    return _import_pyarrow().schema(list(_ANSWER.items()))


def _partial_path(path: Path) -> Path:
    return path.with_name(path.name + ".partial")


def _open_file(path: Path) -> "pyarrow.parquet.ParquetFile":
    arrow = _import_pyarrow()
    try:
        # Buffers are used because a row group may be as large as the file.
        return arrow.parquet.ParquetFile(path, pre_buffer=False, buffer_size=_READ_BYTES)
    except (arrow.ArrowException, OSError) as error:
        _reject_file(path, error)


def _check_columns(path: Path, schema: "pyarrow.Schema") -> None:
    """Reject a file whose columns are not those of boards, or of lines."""
    for name in schema.names:
        if name not in _own_columns():
            raise ParquetError(
                f"{path}: unknown option {name[:80]!a}. "
                f"Leave that column out; the known ones are {', '.join(_own_columns())}."
            )
        if schema.names.count(name) > 1:
            raise ParquetError(f"{path}: the column {name} appears twice. Keep one of the two.")
        _check_type(path, name, schema.field(name).type)
    if "line" in schema.names and len(schema.names) > 1:
        raise ParquetError(f"{path}: beside the column line there are others. Leave them out.")
    if not {"board", "line"} & set(schema.names):
        raise ParquetError(f"{path}: there is no column board, and no column line. Add one.")


def _check_type(path: Path, name: str, kind: "pyarrow.DataType") -> None:
    types = _import_pyarrow().types

    def is_text(kind: "pyarrow.DataType") -> bool:
        if types.is_dictionary(kind):
            kind = kind.value_type
        return bool(
            types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind)
        )

    def is_list(kind: "pyarrow.DataType") -> bool:
        return bool(types.is_list(kind) or types.is_large_list(kind) or types.is_list_view(kind))

    tests: dict[str, Callable[[Any], bool]] = {
        _TEXT: is_text,
        _ROWS: lambda kind: is_list(kind) and is_text(kind.value_type),
        _INTEGERS: types.is_integer,
        _TRUTHS: types.is_boolean,
        _EXACT: lambda kind: types.is_float64(kind) or types.is_decimal(kind),
    }
    if not types.is_null(kind) and not any(
        tests[expected](kind) for expected in _own_columns()[name]
    ):
        raise ParquetError(
            f"{path}: the column {name} is of type {str(kind)[:80]}. "
            f"Make it {', or '.join(_own_columns()[name])}."
        )


def _read_rows(
    path: Path, file: "pyarrow.parquet.ParquetFile", skip: int, report: ReportProgress
) -> Iterator[bytes]:
    total = file.metadata.num_rows
    report("rows", skip, total)
    names = file.schema_arrow.names
    read = chain.from_iterable(map(_batch_to_lines, _read_batches(path, file, names, skip)))
    for number, line in enumerate(read, skip + 1):
        yield line
        report("rows", number, total)


def _read_batches(
    path: Path, file: "pyarrow.parquet.ParquetFile", names: list[str], skip: int
) -> "Iterator[pyarrow.RecordBatch]":
    """Yield the rows after the first ``skip``; row groups that are skipped whole are not read."""
    arrow, group = _import_pyarrow(), 0
    while group < file.num_row_groups and skip >= file.metadata.row_group(group).num_rows:
        skip -= file.metadata.row_group(group).num_rows
        group += 1
    groups = list(range(group, file.num_row_groups))
    try:
        for batch in file.iter_batches(_READ_ROWS, groups, names, use_threads=False):
            yield batch.slice(min(skip, batch.num_rows))
            skip -= min(skip, batch.num_rows)
    except (arrow.ArrowException, OSError) as error:
        _reject_file(path, error)


def _batch_to_lines(batch: "pyarrow.RecordBatch") -> Iterator[bytes]:
    """Yield the rows of a batch as JSON; a text that is not UTF-8 costs its row alone."""
    try:
        rows = batch.to_pylist()
    except UnicodeDecodeError:
        for number in range(batch.num_rows):
            yield _only_line(batch.slice(number, 1))
    else:
        yield from map(_row_to_line, rows)


def _only_line(batch: "pyarrow.RecordBatch") -> bytes:
    """Return a single row as JSON, or as bytes that are not UTF-8, for the problem to say so."""
    for name in batch.schema.names:
        try:
            batch.column(name).to_pylist()
        except UnicodeDecodeError:
            return b'{"%s": "\xff"}' % name.encode()
    (row,) = batch.to_pylist()
    return _row_to_line(row)


def _row_to_line(row: dict[str, Any]) -> bytes:
    """Return a row as JSON; a density has the digits that it has there."""
    if "line" in row:
        return b"null" if row["line"] is None else bytes(row["line"], "utf-8")
    given = {name: value for name, value in row.items() if value is not None}
    number = given.get("density")
    if number is not None and not isinstance(number, str):
        # A value that is no number is no JSON either, and is rejected as such.
        given["density"] = orjson.Fragment(str(number) if number == number else "NaN")
    return orjson.dumps(given)


def _group_rows(
    source: Iterator[bytes], most_rows: int, most_bytes: int
) -> Iterator[tuple[list[dict[str, Any]], int]]:
    """Yield rows of answers, as many as make a row group, and the bytes of their lines."""
    group: list[dict[str, Any]] = []
    held = 0
    for line in chain(source, [b""]):
        if len(group) == most_rows or held >= most_bytes or (group and not line):
            yield group, held
            group, held = [], 0
        if line:
            group.append(_line_to_row(line))
            held += len(line)


def _line_to_row(line: bytes) -> dict[str, Any]:
    """Return the columns of an answer."""
    document = read_object(read_json(line, LINE), LINE)
    solver = document.get("solver", {})
    elapsed = solver.get("elapsed_ms")
    return {
        "consistent": document.get("consistent"),
        "count": document.get("count"),
        "complete": solver.get("complete"),
        "elapsed_ms": None if elapsed is None else float(elapsed),
        "method": solver.get("name"),
        "problem": document.get("type"),
        "detail": document.get("detail"),
        "answer": line.removesuffix(b"\n").decode(),
    }


def _reject_file(path: Path, error: Exception) -> NoReturn:
    said = str(error).strip().partition("\n")[0]
    raise ParquetError(f"{path}: {said[:300]}") from None
