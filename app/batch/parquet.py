"""Parquet in and out of `minecheck batch`: rows become the lines that it reads, answers rows."""

from collections.abc import Callable, Iterator
from decimal import Decimal
from functools import cache
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NoReturn

import orjson

from minecheck.app.batch.columns import (
    EXACT,
    INTEGERS,
    ROWS,
    TEXT,
    TRUTHS,
    ReportProgress,
    find_passed_fields,
    find_types,
    make_rows,
)
from minecheck.app.batch.naming import FileError, replace_file
from minecheck.app.batch.passed_fields import TABLE_COLUMNS
from minecheck.app.operation import Operation
from minecheck.app.problems import ProblemError
from minecheck.app.requests.jobs import find_line_field

if TYPE_CHECKING:
    import pyarrow

SUFFIX: Final = ".parquet"

#: Rows that are read at once, and bytes of a column that are read from the file at once.
_READ_ROWS: Final = 64
_READ_BYTES: Final = 1 << 18
#: A row group is written once it has this many rows, or this many bytes of answers.
_GROUP_ROWS: Final = 1 << 16
_GROUP_BYTES: Final = 1 << 25

#: The columns with few different values.
_REPEATED: Final = ["method", "problem", "file"]
#: The types in Arrow of columns that are passed through, by the types of all of their values.
_PASSED: Final = (
    ({bool}, "bool"),
    ({int}, "int64"),
    ({int, float}, "double"),
    ({str}, "string"),
)
#: The column with whole requests in JSON.
_LINE: Final = "line"


def is_parquet(path: Path) -> bool:
    """Return True if a file is, or will be, a Parquet file."""
    return path.suffix.lower() == SUFFIX


def read_rows(path: Path, operation: Operation, skip: int = 0) -> Iterator[bytes]:
    """Read rows as JSON lines.

    A row has a ``board``, and options in the columns named as they are; null is not given. Other
    columns are passed through. Or it has the whole ``line``. Takes memory for some rows, however
    many there are.

    Args:
        path: the Parquet file.
        operation: the operation that is requested.
        skip: how many rows are passed over first.

    Raises:
        FileError: at once if it is no such file; later if it cannot be read to the end.
    """
    file = _open_file(path)
    _check_columns(path, operation, file.schema_arrow)
    read = _read_batches(path, file, file.schema_arrow.names, skip)
    return chain.from_iterable(map(_batch_to_lines, read))


def measure_file(path: Path, operation: Operation) -> tuple[int, float]:
    """Return the number of rows of a file, and the approximate size of one, in bytes unpacked.

    Raises:
        FileError: as `read_rows`, at once.
    """
    file = _open_file(path)
    _check_columns(path, operation, file.schema_arrow)
    metadata = file.metadata
    groups = map(metadata.row_group, range(metadata.num_row_groups))
    size = sum(group.total_byte_size for group in groups)
    return metadata.num_rows, max(1.0, size / max(1, metadata.num_rows))


def pack_answers(
    answers: Path,
    output: Path,
    operation: Operation,
    report: ReportProgress,
    group_rows: int = _GROUP_ROWS,
    group_bytes: int = _GROUP_BYTES,
) -> None:
    """Make a Parquet file from lines of answers; it appears when it is whole.

    Args:
        answers: the file with the lines.
        output: the Parquet file.
        operation: the operation that they are of.
        report: a function that is called with the progress.
        group_rows: how many rows a row group has at most.
        group_bytes: the bytes of answers at which a row group ends.

    Raises:
        OSError: it cannot be written.
    """
    arrow = import_pyarrow()
    passed = {
        name: _type_of_values(types)
        for name, types in find_passed_fields(answers, operation).items()
    }
    schema = arrow.schema(
        [*((name, kind or "string") for name, kind in passed.items()), *TABLE_COLUMNS.items()]
    )
    are_json = {name: kind is None for name, kind in passed.items()}
    repeated = [name for name in _REPEATED if name in schema.names]
    with (
        replace_file(output) as file,
        answers.open("rb") as source,
        arrow.parquet.ParquetWriter(
            file, schema, compression="zstd", use_dictionary=repeated
        ) as writer,
    ):
        bytes_read, size = 0, answers.stat().st_size
        for group, held in _group_rows(make_rows(source, are_json), group_rows, group_bytes):
            writer.write_table(arrow.Table.from_pylist(group, schema))
            bytes_read += held
            report("writing Parquet", bytes_read, size)


def _type_of_values(types: set[type]) -> str | None:
    """Return the type in Arrow of a column with values of these types; None for JSON as text."""
    kinds = types - {type(None)}
    return next((name for python_types, name in _PASSED if kinds and kinds <= python_types), None)


def unpack_answers(output: Path, answers: Path) -> None:
    """Make the lines again of which a Parquet file was made.

    Raises:
        FileError: it was made of none.
    """
    file = _open_file(output)
    if "answer" not in file.schema_arrow.names:
        raise FileError(f"{output}: it holds no answers. Leave out --resume.")
    with replace_file(answers) as into:
        for batch in _read_batches(output, file, ["answer"], 0):
            try:
                rows = batch.to_pylist()
            except UnicodeDecodeError as error:
                _reject_file(output, error)
            for row in rows:
                into.write(row["answer"].encode() + b"\n")


@cache
def import_pyarrow() -> Any:
    """Return the extra.

    Raises:
        FileError: it is not installed.
    """
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise FileError(
            "Parquet needs the extra parquet: run pip install pyarrow in this environment."
        ) from None
    return pyarrow


def _open_file(path: Path) -> "pyarrow.parquet.ParquetFile":
    arrow = import_pyarrow()
    try:
        # Buffers are used because a row group may be as large as the file.
        return arrow.parquet.ParquetFile(path, pre_buffer=False, buffer_size=_READ_BYTES)
    except (arrow.ArrowException, OSError) as error:
        _reject_file(path, error)


def _check_columns(path: Path, operation: Operation, schema: "pyarrow.Schema") -> None:
    """Reject a file whose columns are not those of boards, or of lines."""
    bare = find_line_field(operation)
    for name in schema.names:
        if schema.names.count(name) > 1:
            raise FileError(f"{path}: the column {name} appears twice. Keep one of the two.")
        if name == _LINE:
            _check_type(path, name, schema.field(name).type, [TEXT])
            continue
        try:
            expected = find_types(operation, name)
        except ProblemError as error:
            problem = error.document
            raise FileError(
                f"{path}: column {name[:80]}: {problem['detail']} {problem['fix']}"
            ) from None
        _check_type(path, name, schema.field(name).type, expected)
    if _LINE in schema.names and len(schema.names) > 1:
        raise FileError(f"{path}: a file with the column line may have no others. Leave them out.")
    if bare is not None and not {bare, _LINE} & set(schema.names):
        raise FileError(f"{path}: there is no column {bare}, and no column line. Add one.")


def _check_type(path: Path, name: str, kind: "pyarrow.DataType", expected: list[str]) -> None:
    """Reject a column of another type than ``expected``, which is empty if it is passed through."""
    types = import_pyarrow().types

    def is_text(kind: "pyarrow.DataType") -> bool:
        if types.is_dictionary(kind):
            kind = kind.value_type
        return bool(
            types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind)
        )

    def is_list(kind: "pyarrow.DataType") -> bool:
        return bool(types.is_list(kind) or types.is_large_list(kind) or types.is_list_view(kind))

    tests: dict[str, Callable[[Any], bool]] = {
        TEXT: is_text,
        ROWS: lambda kind: is_list(kind) and is_text(kind.value_type),
        INTEGERS: types.is_integer,
        TRUTHS: types.is_boolean,
        EXACT: lambda kind: types.is_float64(kind) or types.is_decimal(kind),
    }
    if expected:
        is_right = types.is_null(kind) or any(tests[test](kind) for test in expected)
    else:
        is_right = "binary" not in str(kind)
    if not is_right:
        raise FileError(
            f"{path}: the column {name} is of type {str(kind)[:80]}. "
            f"Make it {', or '.join(expected or [TEXT])}."
        )


def _read_batches(
    path: Path, file: "pyarrow.parquet.ParquetFile", names: list[str], skip: int
) -> "Iterator[pyarrow.RecordBatch]":
    """Yield the rows after the first ``skip``; row groups that are skipped whole are not read."""
    arrow, group = import_pyarrow(), 0
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
    request = {name: value for name, value in row.items() if value is not None}
    density = request.get("density")
    if density is not None and not isinstance(density, str):
        # A value that is not a number is not JSON either, and is rejected as such.
        request["density"] = orjson.Fragment(str(density) if density == density else "NaN")
    return orjson.dumps(request, default=_write_value)


def _write_value(value: Any) -> Any:
    """Return a value that is passed through, and has no type in JSON, as one that has."""
    return orjson.Fragment(str(value)) if isinstance(value, Decimal) else str(value)


def _group_rows(
    rows: Iterator[tuple[dict[str, Any], int]], most_rows: int, most_bytes: int
) -> Iterator[tuple[list[dict[str, Any]], int]]:
    """Yield rows of answers, as many as make a row group, and the bytes of their lines."""
    group: list[dict[str, Any]] = []
    held = 0
    for row, size in rows:
        group.append(row)
        held += size
        if len(group) == most_rows or held >= most_bytes:
            yield group, held
            group, held = [], 0
    if group:
        yield group, held


def _reject_file(path: Path, error: Exception) -> NoReturn:
    reason = str(error).strip().partition("\n")[0]
    raise FileError(f"{path}: {reason[:300]}") from None
