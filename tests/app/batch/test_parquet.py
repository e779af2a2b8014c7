"""`minecheck batch` reads and writes Parquet, survives kills, and rejects wrong columns."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from minecheck.app.batch import parquet
from minecheck.app.batch.files import answer_files, make_local_engine
from minecheck.app.batch.inputs import InputOptions
from minecheck.app.batch.lines import LineTemplate
from minecheck.app.batch.naming import FileError
from minecheck.app.batch.outputs import find_output
from minecheck.app.cli.program import Program
from minecheck.app.settings import Settings
from tests.app.jobs import QUESTIONS_BY_NAME
from tests.processes import are_gone_soon, holds_soon, running, running_program

pa = pytest.importorskip("pyarrow", reason="the extra parquet is not installed")
pq = pytest.importorskip("pyarrow.parquet")

Row = dict[str, Any]
COUNT = LineTemplate(QUESTIONS_BY_NAME["count"], {}, Settings())
COUNTS = [str(2 ** (1 + number % 7)) for number in range(300)]
ROWS = [["?" * (1 + number % 7)] for number in range(300)]


def run(*arguments: object) -> Result:
    return CliRunner().invoke(Program(), ["batch", *map(str, arguments), "--processes", "1"])


def write_columns(path: Path, columns: dict[str, Any], **options: Any) -> Path:
    """Write these columns, Arrow arrays or lists, to a Parquet file."""
    pq.write_table(pa.table(columns), path, **options)
    return path


def read_rows_of(path: Path) -> list[Row]:
    rows: list[Row] = pq.read_table(path).to_pylist()
    return rows


def lines(path: Path, skip: int = 0) -> list[Any]:
    """Return the lines that the rows of a file are read as."""
    return [json.loads(line) for line in parquet.read_rows(path, COUNT.operation, skip)]


def answers(count: int) -> list[bytes]:
    """Return lines of made-up answers, one in five of them a problem."""
    found = []
    for number in range(count):
        solver = {"name": "search", "complete": True, "elapsed_ms": number / 8}
        answer: Row = {"consistent": True, "count": "7" * (1 + number % 50), "solver": solver}
        if number % 5 == 4:
            answer = {"type": "urn:x", "title": "T", "detail": "D é", "line": number}
        found.append(json.dumps(answer, ensure_ascii=False).encode() + b"\n")
    return found


def pack_lines(path: Path, found: list[bytes], **limits: int) -> Path:
    journal = find_output(path).journal
    journal.write_bytes(b"".join(found))
    parquet.pack_answers(journal, path, COUNT.operation, lambda *_: None, **limits)
    return path


def resume_count(boards: Path, output: Path) -> int:
    """Resume a batch, and return how many lines it answered."""
    into = find_output(output)
    many, _ = answer_files(
        [boards], into, InputOptions(COUNT), resume=True, engine=make_local_engine(1)
    )
    return many


def text(values: Sequence[str | None]) -> Any:
    return pa.array(values, pa.string())


@pytest.mark.parametrize(
    "board",
    [
        pa.array(["?1\n??", "9", None]),
        pa.array(["?1\n??", "9", None], pa.large_string()),
        pa.array(["?1\n??", "9", None]).dictionary_encode(),
        pa.array([["?1", "??"], ["9"], None]),
        pa.array([["?1", "??"], ["9"], None], pa.large_list(pa.large_string())),
    ],
    ids=lambda board: str(board.type),
)
def test_parquet_boards_are_strings_or_lists_of_rows(board: Any, tmp_path: Path) -> None:
    first, second, third = lines(write_columns(tmp_path / "b.parquet", {"board": board}))
    assert first["board"] in ("?1\n??", ["?1", "??"])
    assert second["board"] in ("9", ["9"])
    assert third == {}


def test_parquet_nulls_are_missing_fields(tmp_path: Path) -> None:
    path = write_columns(
        tmp_path / "b.parquet",
        {
            "board": ["?", "?"],
            "mines": pa.array([None, 1], pa.int8()),
            "notation": pa.array([None, None]),
            "layout": pa.array([None, ["B"]]),
            "window": pa.array(["0,0,1,1", None]),
        },
    )
    found = map(json.loads, parquet.read_rows(path, QUESTIONS_BY_NAME["layouts"]))
    assert list(found) == [
        {"board": "?", "window": "0,0,1,1"},
        {"board": "?", "mines": 1, "layout": ["B"]},
    ]


def test_parquet_density_keeps_all_its_digits(tmp_path: Path) -> None:
    exact = pa.array([Decimal("0.10000000000000000001"), Decimal("0.5")])
    path = write_columns(tmp_path / "b.parquet", {"board": ["?", "?"], "density": exact})
    found = list(parquet.read_rows(path, COUNT.operation))
    assert found[0] == b'{"board":"?","density":0.10000000000000000001}'
    path = write_columns(tmp_path / "c.parquet", {"board": ["?"], "density": [float("nan")]})
    assert b"NaN" in next(parquet.read_rows(path, COUNT.operation, 0))
    path = write_columns(tmp_path / "d.parquet", {"board": ["?"], "density": ["1/3"]})
    assert lines(path) == [{"board": "?", "density": "1/3"}]


def test_parquet_lines_are_read_unchanged(tmp_path: Path) -> None:
    given = ['{"board":\n["?"]}', "", "no JSON", None]
    path = write_columns(tmp_path / "b.parquet", {"line": text(given)})
    found = list(parquet.read_rows(path, COUNT.operation))
    assert found == [b'{"board":\n["?"]}', b"", b"no JSON", b"null"]


@pytest.mark.parametrize("skip", [0, 1, 9, 10, 11, 99, 100, 101])
@pytest.mark.parametrize("group", [1, 10, 1000])
def test_parquet_reader_skips_rows_across_row_groups(skip: int, group: int, tmp_path: Path) -> None:
    values = [str(number) for number in range(100)]
    path = write_columns(tmp_path / "b.parquet", {"line": values}, row_group_size=group)
    found = list(parquet.read_rows(path, COUNT.operation, skip))
    assert [line.decode() for line in found] == values[skip:]


def test_parquet_output_has_row_for_each_answer(tmp_path: Path) -> None:
    found = answers(20)
    rows = read_rows_of(pack_lines(tmp_path / "a.parquet", found))
    assert [row["answer"] for row in rows] == [line.decode().rstrip("\n") for line in found]
    for number, row in enumerate(rows):
        answer = json.loads(found[number])
        solver = answer.get("solver", {})
        assert (row["consistent"], row["count"]) == (answer.get("consistent"), answer.get("count"))
        assert row["complete"] == solver.get("complete")
        assert (row["elapsed_ms"], row["method"]) == (solver.get("elapsed_ms"), solver.get("name"))
        assert (row["problem"], row["detail"]) == (answer.get("type"), answer.get("detail"))


@pytest.mark.parametrize("limits", [{"group_rows": 100}, {"group_bytes": 10_000}], ids=str)
def test_parquet_row_groups_are_bounded(limits: dict[str, int], tmp_path: Path) -> None:
    found = answers(1000)
    path = pack_lines(tmp_path / "a.parquet", found, **limits)
    shape = pq.ParquetFile(path).metadata
    sizes = [shape.row_group(group).num_rows for group in range(shape.num_row_groups)]
    assert sum(sizes) == 1000
    assert len(sizes) >= 10
    assert max(sizes) <= 100
    assert [row["answer"].encode() + b"\n" for row in read_rows_of(path)] == found


def test_parquet_unpacks_to_packed_answers(tmp_path: Path) -> None:
    found = answers(100)
    path = pack_lines(tmp_path / "a.parquet", found)
    again = tmp_path / "again"
    parquet.unpack_answers(path, again)
    assert again.read_bytes() == b"".join(found)
    assert pack_lines(tmp_path / "b.parquet", found).read_bytes() == path.read_bytes()


def test_batch_command_reads_and_writes_parquet(tmp_path: Path) -> None:
    mines = pa.array([1] + [None] * 299, pa.int64())
    boards = write_columns(tmp_path / "b.parquet", {"board": ROWS, "mines": mines})
    found = run(boards, "--task", "count", "--output", tmp_path / "a.PARQUET")
    assert (found.exit_code, found.stdout) == (0, "")
    assert "300 lines answered, 0 of them" in found.stderr
    assert [row["count"] for row in read_rows_of(tmp_path / "a.PARQUET")] == ["1", *COUNTS[1:]]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.PARQUET", "b.parquet"]


def test_batch_command_converts_between_parquet_and_ndjson(tmp_path: Path) -> None:
    boards = write_columns(tmp_path / "b.parquet", {"board": [*ROWS[:9], ["x"]]})
    run(boards, "--task", "count", "--output", tmp_path / "a.ndjson")
    answers_found = [json.loads(line) for line in (tmp_path / "a.ndjson").read_text().splitlines()]
    assert [one.get("count") for one in answers_found] == [*COUNTS[:9], None]
    (tmp_path / "b.ndjson").write_text("".join(json.dumps(rows) + "\n" for rows in ["?", "x"]))
    run(tmp_path / "b.ndjson", "--task", "count", "--output", tmp_path / "a.parquet")
    first, second = read_rows_of(tmp_path / "a.parquet")
    assert (first["count"], second["problem"]) == ("2", "urn:minecheck:problem:unknown-symbol")
    assert json.loads(second["answer"])["line"] == 1


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[bytes], bytes]:
    """Boards, their answers, and the Parquet file of the answers."""
    folder = tmp_path_factory.mktemp("whole")
    boards = write_columns(folder / "b.parquet", {"board": ROWS}, row_group_size=70)
    answer_files(
        [boards], find_output(folder / "a.ndjson"), InputOptions(COUNT), engine=make_local_engine(1)
    )
    found = (folder / "a.ndjson").read_bytes().splitlines(keepends=True)
    return boards, found, pack_lines(folder / "a.parquet", found).read_bytes()


@pytest.mark.parametrize("kept", [0, 77, 140, 299])
def test_killed_parquet_batch_resumes_after_last_answer(
    kept: int, whole: tuple[Path, list[bytes], bytes], tmp_path: Path
) -> None:
    boards, found, _ = whole
    output = tmp_path / "a.parquet"
    find_output(output).journal.write_bytes(b"".join(found[:kept]) + found[kept][:20])
    many, _ = answer_files(
        [boards], find_output(output), InputOptions(COUNT), resume=True, engine=make_local_engine(1)
    )
    rows = read_rows_of(output)
    assert many == 300 - kept
    assert [row["answer"].encode() + b"\n" for row in rows[:kept]] == found[:kept]
    assert [row["count"] for row in rows] == COUNTS
    assert [path.name for path in tmp_path.iterdir()] == ["a.parquet"]


@pytest.mark.parametrize(
    "leftovers",
    [
        ("journal",),
        ("journal", "journal.partial"),
        ("journal", "partial"),
        ("journal", "output"),
        ("journal", "old output", "partial"),
        ("output",),
        ("output", "journal.partial"),
    ],
    ids="+".join,
)
def test_parquet_batch_killed_while_packing_resumes_to_equal_file(
    leftovers: tuple[str, ...], whole: tuple[Path, list[bytes], bytes], tmp_path: Path
) -> None:
    boards, found, expected = whole
    output = tmp_path / "a.parquet"
    contents = {
        "journal": ("a.parquet.journal", b"".join(found)),
        "journal.partial": ("a.parquet.journal.partial", found[0][:9]),
        "partial": ("a.parquet.partial", expected[:99]),
        "output": ("a.parquet", expected),
        "old output": ("a.parquet", b"old"),
    }
    for leftover in leftovers:
        name, content = contents[leftover]
        (tmp_path / name).write_bytes(content)
    many, _ = answer_files(
        [boards], find_output(output), InputOptions(COUNT), resume=True, engine=make_local_engine(1)
    )
    assert many == 0
    assert output.read_bytes() == expected
    assert not find_output(output).journal.exists()


@pytest.mark.slow
def test_parquet_batch_resumes_after_sigkill_and_leaves_no_workers(tmp_path: Path) -> None:
    boards = write_columns(tmp_path / "b.parquet", {"board": ROWS * 40})
    output = tmp_path / "a.parquet"
    journal = find_output(output).journal
    command = [sys.executable, "-m", "minecheck", "batch", str(boards), "--task", "count"]
    command += ["--output", str(output), "--resume", "--processes", "1"]
    kept = b""
    for _ in range(2):
        with running_program(command, stderr=subprocess.DEVNULL) as process:
            assert holds_soon(partial(is_larger, journal, len(kept)), 100)
            family = members(process.pid)
            os.kill(process.pid, signal.SIGKILL)
            assert are_gone_soon(family), running(family)
        assert journal.read_bytes().startswith(kept), "what was there is still there"
        kept = journal.read_bytes().rpartition(b"\n")[0]
    assert run(*command[4:]).exit_code == 0
    rows = read_rows_of(output)
    assert [row["count"] for row in rows] == COUNTS * 40
    assert "\n".join(row["answer"] for row in rows).encode().startswith(kept)


def is_larger(path: Path, size: int) -> bool:
    """Return whether a file has more than `size` bytes."""
    return path.stat().st_size > size


def members(session: int) -> list[int]:
    """Return the process ids of a session."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[3]) == session:
            found.append(int(folder.name))
    return found


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"board": [1]}, "the column board is of type int64. Make it strings, or lists of"),
        ({"board": [[1]]}, "the column board is of type list<"),
        ({"board": [[["?"]]]}, "the column board is of type list<"),
        ({"board": ["?"], "mines": [1.0]}, "the column mines is of type double. Make it integers."),
        ({"board": ["?"], "mines": ["1"]}, "the column mines is of type string"),
        ({"board": ["?"], "fractions": [1]}, "the column fractions is of type int64. Make it bool"),
        ({"board": ["?"], "density": [True]}, "Make it doubles or decimals, or strings."),
        ({"board": ["?"], "density": pa.array([0.5], pa.float32())}, "density is of type float"),
        ({"board": ["?"], "minse": [1]}, "Did you mean mines?"),
        ({"board": ["?"], "line": ["?"]}, "column line may have no others"),
        ({"line": [b"?"]}, "the column line is of type binary. Make it strings."),
        ({"mines": [1]}, "there is no column board, and no column line"),
    ],
)
def test_parquet_with_wrong_columns_is_rejected_before_output_is_written(
    columns: dict[str, Any], message: str, tmp_path: Path
) -> None:
    boards = write_columns(tmp_path / "b.parquet", columns)
    output = tmp_path / "a.ndjson"
    output.write_text("kept\n")
    found = run(boards, "--task", "count", "--output", output)
    assert (found.exit_code, found.stdout) == (2, "")
    assert found.stderr.startswith(f"minecheck: {boards}: ")
    assert message in found.stderr
    assert output.read_text() == "kept\n"


def test_parquet_with_duplicate_column_is_rejected(tmp_path: Path) -> None:
    table = pa.Table.from_arrays([pa.array(["?"]), pa.array(["1"])], ["board", "board"])
    pq.write_table(table, tmp_path / "b.parquet")
    with pytest.raises(FileError, match="board appears twice"):
        parquet.read_rows(tmp_path / "b.parquet", COUNT.operation, 0)


@pytest.mark.parametrize("content", [b"", b"?1\n??\n", b"PAR1 and not PAR1"])
def test_batch_command_rejects_invalid_parquet_file(content: bytes, tmp_path: Path) -> None:
    boards = tmp_path / "b.parquet"
    boards.write_bytes(content)
    found = run(boards)
    assert found.exit_code == 2
    assert str(boards) in found.stderr


def test_parquet_damaged_in_the_middle_is_read_up_to_the_damage(tmp_path: Path) -> None:
    values = [f"{number:0100}" for number in range(10_000)]
    whole = write_columns(tmp_path / "b.parquet", {"line": values}, row_group_size=100)
    content = bytearray(whole.read_bytes())
    middle = len(content) // 2
    content[middle : middle + 5000] = b"\xff" * 5000
    whole.write_bytes(content)
    found = parquet.read_rows(whole, COUNT.operation, 0)
    assert next(found) == values[0].encode()
    with pytest.raises(FileError, match=r"b\.parquet: "):
        list(found)


@pytest.mark.parametrize("column", ["board", "line", "notation"])
def test_parquet_text_that_is_not_utf_8_costs_its_row_alone(tmp_path: Path, column: str) -> None:
    texts = [b'"?"', b"?\xff", b'"?"'] if column == "line" else [b"?", b"\xff", b"?"]
    ends = [len(b"".join(texts[:number])).to_bytes(4, "little") for number in range(4)]
    buffers = [None, pa.py_buffer(b"".join(ends)), pa.py_buffer(b"".join(texts))]
    broken = pa.Array.from_buffers(pa.string(), 3, buffers)
    columns: dict[str, Any] = {column: broken}
    if column == "notation":
        columns = {"board": ["?"] * 3, "notation": broken}
    boards, output = write_columns(tmp_path / "b.parquet", columns), tmp_path / "a.ndjson"
    found = run(boards, "--output", output)
    assert found.exit_code == 1, found.stderr
    answers_found = [json.loads(line) for line in output.read_text().splitlines()]
    assert (answers_found[1]["type"], answers_found[1]["line"]) == (
        "urn:minecheck:problem:invalid-utf-8",
        1,
    )
    verdicts = {"board": (True, True), "line": (True, True), "notation": (None, None)}[column]
    assert (answers_found[0].get("consistent"), answers_found[2].get("consistent")) == verdicts


def test_parquet_output_without_answers_is_not_resumed(tmp_path: Path) -> None:
    boards = write_columns(tmp_path / "b.parquet", {"board": ["?"]})
    output = write_columns(tmp_path / "a.parquet", {"board": ["?"]})
    found = run(boards, "--output", output, "--resume")
    assert found.exit_code == 2
    assert "it holds no answers" in found.stderr
    assert read_rows_of(output) == [{"board": "?"}]


def test_boards_file_is_not_used_as_parquet_journal(tmp_path: Path) -> None:
    output = tmp_path / "a.parquet"
    boards = find_output(output).journal
    boards.write_text('"?"\n')
    assert run(boards, "--output", output).exit_code == 2
    assert boards.read_text() == '"?"\n'


@pytest.mark.parametrize("name", ["b.parquet", "b.ndjson"])
def test_batch_command_does_not_write_answers_over_boards(name: str, tmp_path: Path) -> None:
    boards = tmp_path / name
    boards.write_text('"?"\n')
    assert run(boards, "--output", boards).exit_code == 2
    assert boards.read_text() == '"?"\n'


@pytest.mark.parametrize("side", ["in", "out"])
def test_batch_command_without_pyarrow_says_what_to_install(
    side: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    parquet.import_pyarrow.cache_clear()
    (tmp_path / "b.ndjson").write_text('"?"\n')
    (tmp_path / "b.parquet").write_bytes(b"PAR1")
    source, into = ("b.parquet", "a.ndjson") if side == "in" else ("b.ndjson", "a.parquet")
    found = run(tmp_path / source, "--output", tmp_path / into)
    assert found.exit_code == 2
    assert "pip install pyarrow" in found.stderr
    assert not (tmp_path / into).exists()
