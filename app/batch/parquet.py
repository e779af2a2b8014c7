"""Parquet in and out of `minecheck batch`: rows become the lines that it reads, answers rows.

A Parquet file cannot be added to: it is only readable once its end is written. So the answers go
into a journal, line by line as into any other output, and become the Parquet file when all of them
are there. What is written is a matter of the journal alone, and takes its name when it is whole.
"""

import os
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NoReturn, TypeAlias

import orjson

from app.batch.naming import naming
from app.errands.catalogue import ERRANDS
from app.questions.catalogue import QUESTIONS
from app.questions.fields import ways
from app.requests.json_reader import LINE, read_json, read_object

if TYPE_CHECKING:
    import pyarrow  # type: ignore[import-untyped]

#: Is given what is being done, how far it is, and how far it goes if that is known.
Told: TypeAlias = Callable[[str, int, int | None], None]

SUFFIX: Final = ".parquet"

#: Rows that are read at once, and bytes of a column that are read from the file at once.
_READ_ROWS: Final = 64
_READ_BYTES: Final = 1 << 18
#: A row group is written once it has so many rows, or so many bytes of answers.
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
#: What of them is the same again and again.
_REPEATED: Final = ["method", "problem"]

_TEXT: Final = "strings"
_ROWS: Final = "lists of strings"
_INTEGERS: Final = "integers"
_TRUTHS: Final = "booleans"
_EXACT: Final = "doubles or decimals"
#: What a field of a request may be as a column, by its type in JSON.
_BY_TYPE: Final = {
    "string": _TEXT,
    "integer": _INTEGERS,
    "boolean": _TRUTHS,
    "number": _EXACT,
}


class ParquetError(ValueError):
    """A file that cannot be read or written, and why."""


def named(path: Path | None) -> bool:
    """Whether a file is, or is to be, one of these."""
    return path is not None and path.suffix.lower() == SUFFIX


def journal(path: Path) -> Path:
    """Where answers are kept until all of them are there."""
    return path.with_name(path.name + ".journal")


def lines(path: Path, skip: int, told: Told) -> Iterator[bytes]:
    """The rows after the first ``skip``, as JSON lines.

    A row has a ``board``, and options in the columns named as they are; null is not given. Or it
    has the whole ``line``. Takes memory for some rows, however many there are.

    Raises:
        ParquetError: at once if it is no such file; later if it cannot be read to the end.
    """
    file = _opened(path)
    _check(path, file.schema_arrow)
    return _read(path, file, skip, told)


def measured(path: Path) -> tuple[int, float]:
    """How many rows a file has, and the bytes of one, about, unpacked.

    Raises:
        ParquetError: as `lines`, at once.
    """
    file = _opened(path)
    _check(path, file.schema_arrow)
    told = file.metadata
    size = sum(told.row_group(group).total_byte_size for group in range(told.num_row_groups))
    return told.num_rows, max(1.0, size / max(1, told.num_rows))


def pack(answers: Path, output: Path, told: Told) -> None:
    """Make a Parquet file from lines of answers; it appears when it is whole.

    Raises:
        OSError: it cannot be written.
    """
    parquet, schema = _pyarrow().parquet, _schema()
    partial = _partial(output)
    with naming(partial), answers.open("rb") as source, partial.open("wb") as file:
        with parquet.ParquetWriter(
            file, schema, compression="zstd", use_dictionary=_REPEATED
        ) as writer:
            for group in _groups(source, answers.stat().st_size, told):
                writer.write_table(_pyarrow().Table.from_pylist(group, schema))
        file.flush()
        os.fsync(file.fileno())
    partial.replace(output)


def unpack(output: Path, answers: Path) -> None:
    """Make the lines of which a file was made.

    Raises:
        ParquetError: it was made of none.
    """
    file = _opened(output)
    if not file.schema_arrow.equals(_schema()):
        raise ParquetError(f"{output}: it holds no answers. Leave out --resume.")
    partial = _partial(answers)
    with naming(partial), partial.open("wb") as into:
        for row in _rows(output, file, ["answer"], 0):
            into.write(row["answer"].encode() + b"\n")
    partial.replace(answers)


def check_installed() -> None:
    """Raise `ParquetError` where the extra is missing."""
    _pyarrow()


@cache
def _columns() -> dict[str, list[str]]:
    """The options of questions that a batch may ask, and the types that columns may have."""
    found = {"line": [_TEXT]}
    for record in (*QUESTIONS, *ERRANDS):
        fields = record.asked.model_json_schema()["properties"] if record.batched else {}
        for name, field in fields.items():
            types = map(_type, ways(field))
            if known := [one for one in dict.fromkeys(types) if one is not None]:
                found[name] = known
    return found


def _type(schema: Mapping[str, Any]) -> str | None:
    """The type of column for what a field may be; None if a column cannot hold it."""
    if schema.get("type") == "array":
        return _ROWS if schema.get("items", {}).get("type") == "string" else None
    return _BY_TYPE.get(schema.get("type", ""))


@cache
def _pyarrow() -> Any:
    try:
        import pyarrow
        import pyarrow.parquet  # type: ignore[import-untyped]
    except ImportError:
        raise ParquetError(
            "Parquet needs the extra parquet: run pip install pyarrow in this environment."
        ) from None
    return pyarrow


def _schema() -> "pyarrow.Schema":
    return _pyarrow().schema(list(_ANSWER.items()))


def _partial(path: Path) -> Path:
    return path.with_name(path.name + ".partial")


def _opened(path: Path) -> "pyarrow.parquet.ParquetFile":
    arrow = _pyarrow()
    try:
        # Buffers in place of whole columns: a row group may be as large as the file.
        return arrow.parquet.ParquetFile(path, pre_buffer=False, buffer_size=_READ_BYTES)
    except (arrow.ArrowException, OSError) as error:
        _refuse(path, error)


def _check(path: Path, schema: "pyarrow.Schema") -> None:
    """Reject a file whose columns are not those of boards, or of lines."""
    for name in schema.names:
        if name not in _columns():
            raise ParquetError(
                f"{path}: unknown option {name[:80]!a}. "
                f"Leave that column out; the known ones are {', '.join(_columns())}."
            )
        if schema.names.count(name) > 1:
            raise ParquetError(f"{path}: the column {name} appears twice. Keep one of the two.")
        _check_type(path, name, schema.field(name).type)
    if "line" in schema.names and len(schema.names) > 1:
        raise ParquetError(f"{path}: beside the column line there are others. Leave them out.")
    if not {"board", "line"} & set(schema.names):
        raise ParquetError(f"{path}: there is no column board, and no column line. Add one.")


def _check_type(path: Path, name: str, kind: "pyarrow.DataType") -> None:
    types = _pyarrow().types

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
    if not types.is_null(kind) and not any(tests[wanted](kind) for wanted in _columns()[name]):
        raise ParquetError(
            f"{path}: the column {name} is of type {str(kind)[:80]}. "
            f"Make it {', or '.join(_columns()[name])}."
        )


def _read(
    path: Path, file: "pyarrow.parquet.ParquetFile", skip: int, told: Told
) -> Iterator[bytes]:
    total = file.metadata.num_rows
    told("rows", skip, total)
    names = file.schema_arrow.names
    for number, row in enumerate(_rows(path, file, names, skip), skip + 1):
        yield _line(row)
        told("rows", number, total)


def _rows(
    path: Path, file: "pyarrow.parquet.ParquetFile", columns: list[str], skip: int
) -> Iterator[dict[str, Any]]:
    """The rows after the first ``skip``; row groups that are skipped whole are not read."""
    arrow, group = _pyarrow(), 0
    while group < file.num_row_groups and skip >= file.metadata.row_group(group).num_rows:
        skip -= file.metadata.row_group(group).num_rows
        group += 1
    groups = list(range(group, file.num_row_groups))
    try:
        for batch in file.iter_batches(_READ_ROWS, groups, columns, use_threads=False):
            yield from batch.slice(min(skip, batch.num_rows)).to_pylist()
            skip -= min(skip, batch.num_rows)
    except (arrow.ArrowException, OSError, UnicodeDecodeError) as error:
        _refuse(path, error)


def _line(row: dict[str, Any]) -> bytes:
    """A row as JSON; a density has the digits that it has there."""
    if "line" in row:
        return b"null" if row["line"] is None else bytes(row["line"], "utf-8")
    given = {name: value for name, value in row.items() if value is not None}
    number = given.get("density")
    if number is not None and not isinstance(number, str):
        # What is no number is no JSON either, and is refused as such.
        given["density"] = orjson.Fragment(str(number) if number == number else "NaN")
    return orjson.dumps(given)


def _groups(source: Iterator[bytes], size: int, told: Told) -> Iterator[list[dict[str, Any]]]:
    """Rows of answers, as many as make a row group."""
    group: list[dict[str, Any]] = []
    held = done = 0
    for line in chain(source, [b""]):
        if len(group) == _GROUP_ROWS or held >= _GROUP_BYTES or (group and not line):
            yield group
            done += held
            told("writing Parquet", done, size)
            group, held = [], 0
        if line:
            group.append(_row(line))
            held += len(line)


def _row(line: bytes) -> dict[str, Any]:
    """The columns of an answer."""
    told = read_object(read_json(line, LINE), LINE)
    solver = told.get("solver", {})
    elapsed = solver.get("elapsed_ms")
    return {
        "consistent": told.get("consistent"),
        "count": told.get("count"),
        "complete": solver.get("complete"),
        "elapsed_ms": None if elapsed is None else float(elapsed),
        "method": solver.get("name"),
        "problem": told.get("type"),
        "detail": told.get("detail"),
        "answer": line.removesuffix(b"\n").decode(),
    }


def _refuse(path: Path, error: Exception) -> NoReturn:
    said = str(error).strip().partition("\n")[0]
    raise ParquetError(f"{path}: {said[:300]}") from None
