"""Files cut into spans: every line in one of them, whatever is cut, and nothing else."""

from io import BytesIO
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from minecheck.app.batch import splits
from minecheck.app.batch.splits import Span

CONTENTS = st.lists(st.sampled_from([b"\n", b"\r\n", b"a", b"bc", b"\n\n"]), max_size=30).map(
    b"".join
)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where each example writes its file."""
    return tmp_path_factory.mktemp("spans") / "boards.ndjson"


def cut_spans(path: Path, step: int) -> list[Span]:
    """Spans of so many bytes each, which may be fewer than a line has."""
    size = path.stat().st_size
    found = [Span(path, start, min(start + step, size)) for start in range(0, size, step)]
    return list(splits.number_spans(found, map(splits.count_lines, found)))


@given(CONTENTS, st.integers(1, 9))
def test_spans_have_each_line_once_and_know_its_number(
    path: Path, content: bytes, step: int
) -> None:
    path.write_bytes(content)
    whole = BytesIO(content).readlines()
    found = [(span.first, list(splits.read_span(span))) for span in cut_spans(path, step)]
    assert [line for _, lines in found for line in lines] == whole
    assert [first for first, _ in found] == [
        sum(len(lines) for _, lines in found[:place]) for place in range(len(found))
    ]
    assert all(lines for _, lines in found)


@given(CONTENTS, st.integers(1, 9), st.sets(st.integers(0, 40)))
def test_what_is_done_is_left_out_and_the_rest_keeps_its_numbers(
    path: Path, content: bytes, step: int, done: set[int]
) -> None:
    path.write_bytes(content)
    whole = BytesIO(content).readlines()
    left = splits.skip_done(cut_spans(path, step), [range(line, line + 1) for line in sorted(done)])
    found = [
        (number, line)
        for span in left
        for number, line in enumerate(splits.read_span(span), span.first)
    ]
    assert found == [(k, line) for k, line in enumerate(whole) if k not in done]


@pytest.mark.parametrize("skip", [0, 1, 7, 100])
def test_rows_of_parquet_are_lines(tmp_path: Path, skip: int) -> None:
    path = tmp_path / "boards.parquet"
    rows = [f'"{"?" * (1 + number % 5)}"' for number in range(100)]
    pq.write_table(pa.table({"line": rows}), path, row_group_size=7)
    whole = [Span(path, start, min(start + 9, 100)) for start in range(0, 100, 9)]
    numbered = splits.number_spans(whole, map(splits.count_lines, whole))
    left = splits.skip_done(numbered, [range(skip)])
    assert [line.decode() for span in left for line in splits.read_span(span)] == rows[skip:]


def test_files_are_cut_for_all_processors_and_not_too_small(tmp_path: Path) -> None:
    path = tmp_path / "boards.ndjson"
    path.write_bytes(b'"?1"\n' * 100_000)
    many = splits.cut_files([path], 4, 1 << 22)
    assert 16 <= len(many) <= 64
    assert len(splits.cut_files([path], 1, 1 << 15)) == -(-500_000 // (1 << 15))
    assert len(splits.cut_files([path], 1_000, 1 << 22)) == -(-500_000 // (1 << 14))


def test_a_file_that_became_shorter_is_told(tmp_path: Path) -> None:
    path = tmp_path / "boards.ndjson"
    path.write_bytes(b"1\n2\n3\n")
    (span,) = cut_spans(path, 10)
    path.write_bytes(b"1\n2\n")
    with pytest.raises(OSError, match="changed while"):
        list(splits.read_span(span))


def test_directories_and_patterns_are_read_in_the_order_of_names(tmp_path: Path) -> None:
    for name in (
        "b.ndjson",
        "a.parquet",
        "deep/c.jsonl",
        "README.md",
        ".part-1.ndjson",
        "_x.ndjson",
    ):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    assert [path.name for path in splits.list_files(tmp_path)] == [
        "a.parquet",
        "b.ndjson",
        "c.jsonl",
    ]
    assert [path.name for path in splits.list_files(tmp_path / "*.ndjson")] == ["b.ndjson"]
    assert splits.list_files(tmp_path / "README.md") == [tmp_path / "README.md"]
    with pytest.raises(FileNotFoundError):
        splits.list_files(tmp_path / "*.jsonl")


def test_a_name_that_looks_like_a_pattern_is_a_file_first(tmp_path: Path) -> None:
    path = tmp_path / "boards[1].ndjson"
    path.touch()
    assert splits.list_files(path) == [path]
