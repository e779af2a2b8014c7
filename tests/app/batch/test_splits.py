"""Files are cut into spans, which have every line exactly once."""

import gzip
from collections.abc import Sequence
from io import BytesIO
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from minecheck.app.batch import splits
from minecheck.app.batch.inputs import InputOptions, read_file
from minecheck.app.batch.lines import LineTemplate
from minecheck.app.batch.splits import Span
from minecheck.app.settings import Settings
from tests.app.jobs import QUESTIONS_BY_NAME

OPTIONS = InputOptions(LineTemplate(QUESTIONS_BY_NAME["count"], {}, Settings()))
CONTENTS = st.lists(st.sampled_from([b"\n", b"\r\n", b"a", b"bc", b"\n\n"]), max_size=30).map(
    b"".join
)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The path to which each example writes its file."""
    return tmp_path_factory.mktemp("spans") / "boards.ndjson"


def cut_spans(path: Path, step: int) -> list[Span]:
    """Return spans of `step` bytes each, which may be fewer than a line has."""
    return list_spans(path, most_bytes=step, least_bytes=step)


def list_spans(
    path: Path, processors: int = 1, most_bytes: int = 1 << 22, **limits: int
) -> list[Span]:
    def count(spans: Sequence[Span]) -> list[int]:
        return [splits.count_lines(span, OPTIONS) for span in spans]

    return list(splits.list_spans([path], OPTIONS, processors, most_bytes, count, **limits))


def contents(span: Span) -> list[bytes]:
    return [line.content for line in splits.read_span(span, OPTIONS)]


@given(CONTENTS, st.integers(1, 9))
def test_spans_have_each_line_once_with_its_number(path: Path, content: bytes, step: int) -> None:
    path.write_bytes(content)
    whole = [line.rstrip(b"\r\n") for line in BytesIO(content)]
    found = [(span.first, contents(span)) for span in cut_spans(path, step)]
    assert [line for _, lines in found for line in lines] == whole
    assert [first for first, _ in found] == [
        sum(len(lines) for _, lines in found[:index]) for index in range(len(found))
    ]
    assert all(lines for _, lines in found)


@given(CONTENTS, st.integers(1, 9), st.sets(st.integers(0, 40)))
def test_skip_done_leaves_out_answered_lines_and_keeps_line_numbers(
    path: Path, content: bytes, step: int, done: set[int]
) -> None:
    path.write_bytes(content)
    whole = [line.rstrip(b"\r\n") for line in BytesIO(content)]
    left = splits.skip_done(cut_spans(path, step), [range(line, line + 1) for line in sorted(done)])
    found = [(line.line, line.content) for span in left for line in splits.read_span(span, OPTIONS)]
    assert found == [(k, line) for k, line in enumerate(whole) if k not in done]


@pytest.mark.parametrize("skip", [0, 1, 7, 100])
def test_spans_of_parquet_have_each_row_as_line(tmp_path: Path, skip: int) -> None:
    path = tmp_path / "boards.parquet"
    rows = [f'"{"?" * (1 + number % 5)}"' for number in range(100)]
    pq.write_table(pa.table({"line": rows}), path, row_group_size=7)
    left = list(splits.skip_done(list_spans(path, most_rows=9), [range(skip)]))
    assert len(left) == -(-(100 - skip) // 9) or skip % 9
    found = [line for span in left for line in splits.read_span(span, OPTIONS)]
    assert [line.content.decode() for line in found] == rows[skip:]
    assert [line.line for line in found] == list(range(skip, 100))


@pytest.mark.parametrize("name", ["boards.txt", "boards.txt.gz", "boards.csv"])
def test_spans_of_text_and_csv_are_cut_between_boards(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    text = "\n\n".join(["?" * 60 + "\n" + "?" * 60] * 2000)
    if name.endswith(".csv"):
        text = "board\n" + "".join('"' + "?" * 60 + "\n" + "?" * 60 + '"\n' for _ in range(2000))
    path.write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())
    whole = list(read_file(path, OPTIONS))
    spans = list_spans(path)
    assert len(whole) == 2000
    assert len(spans) > 1 or name.endswith(".gz")
    assert [line for span in spans for line in splits.read_span(span, OPTIONS)] == whole
    assert [span.first for span in spans[1:]] == [span.first + span.lines for span in spans[:-1]]


def test_spans_occupy_all_processors_and_are_not_too_small(tmp_path: Path) -> None:
    path = tmp_path / "boards.ndjson"
    path.write_bytes(b'"?1"\n' * 100_000)
    assert 16 <= len(list_spans(path, 4)) <= 64
    assert len(list_spans(path, 1, 1 << 15)) == -(-500_000 // (1 << 15))
    assert len(list_spans(path, 1_000)) == -(-500_000 // (1 << 14))


def test_read_span_rejects_file_that_became_shorter(tmp_path: Path) -> None:
    path = tmp_path / "boards.ndjson"
    path.write_bytes(b"1\n2\n3\n")
    (span,) = cut_spans(path, 10)
    path.write_bytes(b"1\n2\n")
    with pytest.raises(OSError, match="changed while"):
        list(splits.read_span(span, OPTIONS))
