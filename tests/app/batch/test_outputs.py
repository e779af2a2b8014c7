"""Lines of answers are packed into each format of output, and unpacked again."""

import csv
import gzip
import json
from pathlib import Path

import pytest

from minecheck.app.batch import parquet
from minecheck.app.batch.naming import FileError
from minecheck.app.batch.outputs import find_output
from tests.app.jobs import QUESTIONS_BY_NAME

COUNT = QUESTIONS_BY_NAME["count"]
SOLVER = {"name": "x", "complete": True, "elapsed_ms": 0.5}
ANSWERS = [
    {"consistent": True, "count": "7", "solver": SOLVER, "file": "a", "line": 0, "id": 7},
    {"type": "urn:x", "detail": "D é", "line": 3, "file": "b", "id": 8, "tags": ["x"]},
    {"consistent": False, "count": "0", "solver": SOLVER, "file": "b", "line": 5},
]
NAMES = ["a.csv", "a.parquet", "a.ndjson.gz", "a.jsonl.gz", "a.ndjson.zst"]


def pack(path: Path) -> bytes:
    output = find_output(path)
    text = "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in ANSWERS).encode()
    output.journal.write_bytes(text)
    output.pack_journal(COUNT, lambda *_: None)
    return text


@pytest.mark.parametrize("name", NAMES)
def test_packed_answers_are_unpacked_to_equal_journal(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    text = pack(path)
    assert [one.name for one in tmp_path.iterdir()] == [name]
    output = find_output(path)
    output.prepare_journal()
    assert output.journal.read_bytes() == text


def test_csv_output_has_columns_for_passed_fields(tmp_path: Path) -> None:
    pack(tmp_path / "a.csv")
    with (tmp_path / "a.csv").open(encoding="utf-8", newline="") as file:
        first, second, third = csv.DictReader(file)
    assert list(first)[:4] == ["file", "line", "id", "tags"]
    assert (first["id"], first["consistent"], first["count"], first["tags"]) == (
        *("7", "true", "7", ""),
    )
    assert (second["line"], second["tags"], second["detail"]) == ("3", '["x"]', "D é")
    assert third["consistent"] == "false"


def test_parquet_output_has_typed_columns_for_passed_fields(tmp_path: Path) -> None:
    pq = pytest.importorskip("pyarrow.parquet")
    pack(tmp_path / "a.parquet")
    table = pq.read_table(tmp_path / "a.parquet")
    assert table.column("id").to_pylist() == [7, 8, None]
    assert table.column("file").to_pylist() == ["a", "b", "b"]
    assert table.column("tags").to_pylist() == [None, '["x"]', None]


@pytest.mark.parametrize("name", ["a", "a.txt", "a.json", "a.csv.gz", "a.gz", "a.parquet.zst"])
def test_output_with_unknown_suffix_is_rejected_with_list_of_suffixes(
    tmp_path: Path, name: str
) -> None:
    with pytest.raises(FileError, match=r"Use one of: \.ndjson, \.jsonl, .*\.csv, \.parquet"):
        find_output(tmp_path / name)


def test_output_to_device_is_written_line_by_line() -> None:
    assert find_output(Path("/dev/null")).form is None


@pytest.mark.parametrize("name", ["a.csv", "a.ndjson.gz", "a.ndjson.zst"])
def test_output_without_answers_is_not_continued(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(b"id,board\n1,?\n")
    with pytest.raises(FileError, match="Leave out --resume"):
        find_output(path).prepare_journal()
    assert [one.name for one in tmp_path.iterdir() if not one.name.endswith("partial")] == [name]


def test_gzip_output_is_read_by_module_gzip(tmp_path: Path) -> None:
    text = pack(tmp_path / "a.ndjson.gz")
    assert gzip.decompress((tmp_path / "a.ndjson.gz").read_bytes()) == text
    assert parquet.is_parquet(tmp_path / "a.PARQUET")
