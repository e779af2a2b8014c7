"""Files of boards are listed, recognised and read; errors name bad files."""

import gzip
import io
import sys
from pathlib import Path
from typing import Any

import pytest

from minecheck.app.batch import inputs
from minecheck.app.batch.inputs import InputFormat, InputOptions
from minecheck.app.batch.lines import LineTemplate
from minecheck.app.batch.naming import FileError
from minecheck.app.functions.languages import LANGUAGES
from minecheck.app.settings import Settings
from tests.app.jobs import QUESTIONS_BY_NAME

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

TEMPLATE = LineTemplate(QUESTIONS_BY_NAME["count"], {}, Settings())
OPTIONS = InputOptions(TEMPLATE)


@pytest.mark.parametrize(
    ("start", "form"),
    [
        (b'{"board": ["?"]}\n', InputFormat.NDJSON),
        (b'\n\n["?1","??"]\n["1?","??"]', InputFormat.NDJSON),
        (b'"?1"\n"1?"', InputFormat.NDJSON),
        (b"", InputFormat.NDJSON),
        (b"id,board\n", InputFormat.CSV),
        (b'\xef\xbb\xbf"id";"board"\n', InputFormat.CSV),
        (b"1?\n??\n", InputFormat.TEXT),
        (b'[["1","?"],\n["?","?"]]', InputFormat.TEXT),
        (b"Mines: 3\n", InputFormat.TEXT),
    ],
)
def test_input_format_is_recognised_from_first_line(start: bytes, form: InputFormat) -> None:
    assert inputs.find_format(start, TEMPLATE) is form
    text = InputFormat.TEXT if start.startswith(b'"?1"') else form
    assert inputs.find_format(start, TEMPLATE, is_text=True) is text


@pytest.mark.parametrize("name", ["b.txt", "b.ndjson", "b.csv", "b"])
@pytest.mark.parametrize("packed", ["", ".gz", ".zst"])
def test_input_files_are_read_in_each_format_compressed_or_not(
    tmp_path: Path, name: str, packed: str
) -> None:
    content = {
        "b.txt": b"1?\n??\n\n?1\n??\n",
        "b.ndjson": b'"1?\\n??"\n\n',
        "b.csv": b"board\n1?/??\n2?/??\n",
        "b": b'["1?"]\n["?1"]\n',
    }[name]
    compress: Any = {"": bytes, ".gz": gzip.compress, ".zst": zstd.compress}[packed]
    path = tmp_path / (name + packed)
    path.write_bytes(compress(content))
    found = list(inputs.read_file(path, OPTIONS))
    assert {line.file for line in found} == {str(path)}
    assert [line.line for line in found] == {"b.txt": [0, 3], "b.csv": [1, 2]}.get(name, [0, 1])
    assert list(inputs.read_file(path, OPTIONS, skip=1)) == found[1:]
    inputs.check_file(path, OPTIONS)


def test_compressed_input_stream_is_recognised() -> None:
    (line,) = inputs.read_stream(io.BytesIO(gzip.compress(b"1?\n??\n")), OPTIONS)
    assert (line.file, line.kind, line.content) == (None, "text", b"1?\n??")


#: A truncated file, packed without the time, so that all processes have the same bytes.
CUT = gzip.compress(b"1?\n??\n" * 99, mtime=0)[:-9]


@pytest.mark.parametrize("content", [b"", b"1?\n??\n", CUT], ids=["empty", "plain", "cut"])
def test_damaged_gzip_file_is_named_in_error(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "b.txt.gz"
    path.write_bytes(content)
    with pytest.raises(FileError, match=r"b\.txt\.gz: it is not valid gzip, or ends early"):
        inputs.check_file(path, OPTIONS)


def test_batch_input_format_can_be_given(tmp_path: Path) -> None:
    path = tmp_path / "b.ndjson"
    path.write_bytes(b"1?\n??\n")
    (line,) = inputs.read_file(path, InputOptions(TEMPLATE, InputFormat.TEXT))
    assert line.content == b"1?\n??"


def test_task_without_boards_rejects_text_files(tmp_path: Path) -> None:
    path = tmp_path / "b.txt"
    path.write_bytes(b"1?\n??\n")
    options = InputOptions(LineTemplate(LANGUAGES, {}, Settings()))
    with pytest.raises(FileError, match="Send JSON"):
        list(inputs.read_file(path, options))


def test_list_files_sorts_files_of_directories_and_patterns_by_name(tmp_path: Path) -> None:
    for name in (
        *("b.ndjson", "a.parquet", "deep/c.jsonl", "README.md", ".part-1.ndjson", "_x.ndjson"),
        *("d.txt", "e.csv.gz", "f.TXT.zst"),
    ):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    expected = ["a.parquet", "b.ndjson", "d.txt", "c.jsonl", "e.csv.gz", "f.TXT.zst"]
    assert [path.name for path in inputs.list_files([str(tmp_path)])] == expected
    names = [str(tmp_path / name) for name in ("README.md", "*.ndjson", "d.txt")]
    found = [path.name for path in inputs.list_files(names)]
    assert found == ["README.md", "b.ndjson", "d.txt"]
    with pytest.raises(FileNotFoundError):
        inputs.list_files([str(tmp_path / "*.jsonl")])


def test_list_files_prefers_existing_file_to_pattern(tmp_path: Path) -> None:
    path = tmp_path / "boards[1].ndjson"
    path.touch()
    assert inputs.list_files([str(path)]) == [path]
