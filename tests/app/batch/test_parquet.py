"""`minecheck batch` with Parquet on either side: round trips, kills at any time, wrong columns."""

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
from minecheck.app.batch.files import answer_files
from minecheck.app.batch.inputs import InputOptions
from minecheck.app.batch.lines import LineTemplate
from minecheck.app.batch.outputs import find_output
from minecheck.app.batch.parquet import ParquetError
from minecheck.app.cli.main import build_program
from minecheck.app.settings import Settings
from tests.app.jobs import RECORDS
from tests.processes import are_gone_soon, holds_soon, running, running_program

pa = pytest.importorskip("pyarrow", reason="the extra parquet is not installed")
pq = pytest.importorskip("pyarrow.parquet")

Row = dict[str, Any]
COUNT = LineTemplate(RECORDS["count"], {}, Settings())
COUNTS = [str(2 ** (1 + number % 7)) for number in range(300)]
ROWS = [["?" * (1 + number % 7)] for number in range(300)]


def run(*arguments: object) -> Result:
    return CliRunner().invoke(build_program(), ["batch", *map(str, arguments), "--processes", "1"])


def write_columns(path: Path, columns: dict[str, Any], **options: Any) -> Path:
    """A Parquet file of these columns: Arrow arrays, or lists."""
    pq.write_table(pa.table(columns), path, **options)
    return path


def read_rows_of(path: Path) -> list[Row]:
    rows: list[Row] = pq.read_table(path).to_pylist()
    return rows


def lines(path: Path, skip: int = 0) -> list[Any]:
    """What the rows of a file are read as."""
    return [json.loads(line) for line in parquet.read_rows(path, COUNT.record, skip)]


def answers(count: int) -> list[bytes]:
    """Lines such as answers are, and some problems."""
    found = []
    for number in range(count):
        solver = {"name": "search", "complete": True, "elapsed_ms": number / 8}
        told: Row = {"consistent": True, "count": "7" * (1 + number % 50), "solver": solver}
        if number % 5 == 4:
            told = {"type": "urn:x", "title": "T", "detail": "D é", "line": number}
        found.append(json.dumps(told, ensure_ascii=False).encode() + b"\n")
    return found


def pack_lines(path: Path, found: list[bytes], **limits: int) -> Path:
    journal = find_output(path).journal
    journal.write_bytes(b"".join(found))
    parquet.pack_answers(journal, path, COUNT.record, lambda *_: None, **limits)
    return path


def resume_count(boards: Path, output: Path) -> int:
    """Go on with a batch; how many lines were left."""
    into = find_output(output)
    many, _ = answer_files([boards], into, InputOptions(COUNT), resume=True, processes=1)
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
def test_boards_are_text_or_lists_of_rows(board: Any, tmp_path: Path) -> None:
    first, second, third = lines(write_columns(tmp_path / "b.parquet", {"board": board}))
    assert first["board"] in ("?1\n??", ["?1", "??"])
    assert second["board"] in ("9", ["9"])
    assert third == {}


def test_what_is_null_is_not_given(tmp_path: Path) -> None:
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
    found = map(json.loads, parquet.read_rows(path, RECORDS["layouts"]))
    assert list(found) == [
        {"board": "?", "window": "0,0,1,1"},
        {"board": "?", "mines": 1, "layout": ["B"]},
    ]


def test_a_density_has_the_digits_that_it_has_in_the_file(tmp_path: Path) -> None:
    exact = pa.array([Decimal("0.10000000000000000001"), Decimal("0.5")])
    path = write_columns(tmp_path / "b.parquet", {"board": ["?", "?"], "density": exact})
    found = list(parquet.read_rows(path, COUNT.record))
    assert found[0] == b'{"board":"?","density":0.10000000000000000001}'
    path = write_columns(tmp_path / "c.parquet", {"board": ["?"], "density": [float("nan")]})
    assert b"NaN" in next(parquet.read_rows(path, COUNT.record, 0))
    path = write_columns(tmp_path / "d.parquet", {"board": ["?"], "density": ["1/3"]})
    assert lines(path) == [{"board": "?", "density": "1/3"}]


def test_lines_are_taken_as_they_are(tmp_path: Path) -> None:
    given = ['{"board":\n["?"]}', "", "no JSON", None]
    path = write_columns(tmp_path / "b.parquet", {"line": text(given)})
    found = list(parquet.read_rows(path, COUNT.record))
    assert found == [b'{"board":\n["?"]}', b"", b"no JSON", b"null"]


@pytest.mark.parametrize("skip", [0, 1, 9, 10, 11, 99, 100, 101])
@pytest.mark.parametrize("group", [1, 10, 1000])
def test_rows_are_skipped_with_their_groups(skip: int, group: int, tmp_path: Path) -> None:
    values = [str(number) for number in range(100)]
    path = write_columns(tmp_path / "b.parquet", {"line": values}, row_group_size=group)
    found = list(parquet.read_rows(path, COUNT.record, skip))
    assert [line.decode() for line in found] == values[skip:]


def test_an_answer_is_a_row(tmp_path: Path) -> None:
    found = answers(20)
    rows = read_rows_of(pack_lines(tmp_path / "a.parquet", found))
    assert [row["answer"] for row in rows] == [line.decode().rstrip("\n") for line in found]
    for number, row in enumerate(rows):
        told = json.loads(found[number])
        solver = told.get("solver", {})
        assert (row["consistent"], row["count"]) == (told.get("consistent"), told.get("count"))
        assert row["complete"] == solver.get("complete")
        assert (row["elapsed_ms"], row["method"]) == (solver.get("elapsed_ms"), solver.get("name"))
        assert (row["problem"], row["detail"]) == (told.get("type"), told.get("detail"))


@pytest.mark.parametrize("limits", [{"group_rows": 100}, {"group_bytes": 10_000}], ids=str)
def test_row_groups_are_bounded(limits: dict[str, int], tmp_path: Path) -> None:
    found = answers(1000)
    path = pack_lines(tmp_path / "a.parquet", found, **limits)
    shape = pq.ParquetFile(path).metadata
    sizes = [shape.row_group(group).num_rows for group in range(shape.num_row_groups)]
    assert sum(sizes) == 1000
    assert len(sizes) >= 10
    assert max(sizes) <= 100
    assert [row["answer"].encode() + b"\n" for row in read_rows_of(path)] == found


def test_what_is_packed_and_unpacked_is_the_same(tmp_path: Path) -> None:
    found = answers(100)
    path = pack_lines(tmp_path / "a.parquet", found)
    again = tmp_path / "again"
    parquet.unpack_answers(path, again)
    assert again.read_bytes() == b"".join(found)
    assert pack_lines(tmp_path / "b.parquet", found).read_bytes() == path.read_bytes()


def test_both_sides_may_be_parquet(tmp_path: Path) -> None:
    mines = pa.array([1] + [None] * 299, pa.int64())
    boards = write_columns(tmp_path / "b.parquet", {"board": ROWS, "mines": mines})
    found = run(boards, "--task", "count", "--output", tmp_path / "a.PARQUET")
    assert (found.exit_code, found.stdout) == (0, "")
    assert "300 lines answered, 0 of them" in found.stderr
    assert [row["count"] for row in read_rows_of(tmp_path / "a.PARQUET")] == ["1", *COUNTS[1:]]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.PARQUET", "b.parquet"]


def test_either_side_may_be_parquet(tmp_path: Path) -> None:
    boards = write_columns(tmp_path / "b.parquet", {"board": [*ROWS[:9], ["x"]]})
    run(boards, "--task", "count", "--output", tmp_path / "a.ndjson")
    told = [json.loads(line) for line in (tmp_path / "a.ndjson").read_text().splitlines()]
    assert [one.get("count") for one in told] == [*COUNTS[:9], None]
    (tmp_path / "b.ndjson").write_text("".join(json.dumps(rows) + "\n" for rows in ["?", "x"]))
    run(tmp_path / "b.ndjson", "--task", "count", "--output", tmp_path / "a.parquet")
    first, second = read_rows_of(tmp_path / "a.parquet")
    assert (first["count"], second["problem"]) == ("2", "urn:minecheck:problem:unknown-symbol")
    assert json.loads(second["answer"])["line"] == 1


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[bytes], bytes]:
    """Boards, their answers, and the file of these."""
    folder = tmp_path_factory.mktemp("whole")
    boards = write_columns(folder / "b.parquet", {"board": ROWS}, row_group_size=70)
    answer_files([boards], find_output(folder / "a.ndjson"), InputOptions(COUNT), processes=1)
    found = (folder / "a.ndjson").read_bytes().splitlines(keepends=True)
    return boards, found, pack_lines(folder / "a.parquet", found).read_bytes()


@pytest.mark.parametrize("kept", [0, 77, 140, 299])
def test_what_was_killed_goes_on_behind_its_last_answer(
    kept: int, whole: tuple[Path, list[bytes], bytes], tmp_path: Path
) -> None:
    boards, found, _ = whole
    output = tmp_path / "a.parquet"
    find_output(output).journal.write_bytes(b"".join(found[:kept]) + found[kept][:20])
    many, _ = answer_files(
        [boards], find_output(output), InputOptions(COUNT), resume=True, processes=1
    )
    rows = read_rows_of(output)
    assert many == 300 - kept
    assert [row["answer"].encode() + b"\n" for row in rows[:kept]] == found[:kept]
    assert [row["count"] for row in rows] == COUNTS
    assert [path.name for path in tmp_path.iterdir()] == ["a.parquet"]


@pytest.mark.parametrize(
    "left",
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
def test_killed_when_all_answers_are_there_it_makes_the_same_file(
    left: tuple[str, ...], whole: tuple[Path, list[bytes], bytes], tmp_path: Path
) -> None:
    boards, found, wanted = whole
    output = tmp_path / "a.parquet"
    contents = {
        "journal": ("a.parquet.journal", b"".join(found)),
        "journal.partial": ("a.parquet.journal.partial", found[0][:9]),
        "partial": ("a.parquet.partial", wanted[:99]),
        "output": ("a.parquet", wanted),
        "old output": ("a.parquet", b"old"),
    }
    for one in left:
        name, content = contents[one]
        (tmp_path / name).write_bytes(content)
    many, _ = answer_files(
        [boards], find_output(output), InputOptions(COUNT), resume=True, processes=1
    )
    assert many == 0
    assert output.read_bytes() == wanted
    assert not find_output(output).journal.exists()


@pytest.mark.slow
def test_it_survives_being_killed_for_good_and_so_do_no_workers(tmp_path: Path) -> None:
    boards = write_columns(tmp_path / "b.parquet", {"board": ROWS * 40})
    output = tmp_path / "a.parquet"
    journal = find_output(output).journal
    command = [sys.executable, "-m", "minecheck", "batch", str(boards), "--task", "count"]
    command += ["--output", str(output), "--resume", "--processes", "1"]
    kept = b""
    for _ in range(2):
        with running_program(command, stderr=subprocess.DEVNULL) as process:
            assert holds_soon(partial(grown, journal, len(kept)), 100)
            family = members(process.pid)
            os.kill(process.pid, signal.SIGKILL)
            assert are_gone_soon(family), running(family)
        assert journal.read_bytes().startswith(kept), "what was there is still there"
        kept = journal.read_bytes().rpartition(b"\n")[0]
    assert run(*command[4:]).exit_code == 0
    rows = read_rows_of(output)
    assert [row["count"] for row in rows] == COUNTS * 40
    assert "\n".join(row["answer"] for row in rows).encode().startswith(kept)


def grown(path: Path, size: int) -> bool:
    """Whether a file is larger than that."""
    return path.stat().st_size > size


def members(session: int) -> list[int]:
    """The processes of a session."""
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
    ("columns", "said"),
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
        ({"board": ["?"], "line": ["?"]}, "beside the column line"),
        ({"line": [b"?"]}, "the column line is of type binary. Make it strings."),
        ({"mines": [1]}, "there is no column board, and no column line"),
    ],
)
def test_wrong_columns_are_refused_before_anything_is_written(
    columns: dict[str, Any], said: str, tmp_path: Path
) -> None:
    boards = write_columns(tmp_path / "b.parquet", columns)
    output = tmp_path / "a.ndjson"
    output.write_text("kept\n")
    found = run(boards, "--task", "count", "--output", output)
    assert (found.exit_code, found.stdout) == (2, "")
    assert found.stderr.startswith(f"minecheck: {boards}: ")
    assert said in found.stderr
    assert output.read_text() == "kept\n"


def test_a_column_may_not_stand_twice(tmp_path: Path) -> None:
    table = pa.Table.from_arrays([pa.array(["?"]), pa.array(["1"])], ["board", "board"])
    pq.write_table(table, tmp_path / "b.parquet")
    with pytest.raises(ParquetError, match="board appears twice"):
        parquet.read_rows(tmp_path / "b.parquet", COUNT.record, 0)


@pytest.mark.parametrize("content", [b"", b"?1\n??\n", b"PAR1 and not PAR1"])
def test_what_is_no_parquet_is_refused(content: bytes, tmp_path: Path) -> None:
    boards = tmp_path / "b.parquet"
    boards.write_bytes(content)
    found = run(boards)
    assert found.exit_code == 2
    assert str(boards) in found.stderr


def test_a_file_that_is_damaged_further_on_is_refused_there(tmp_path: Path) -> None:
    values = [f"{number:0100}" for number in range(10_000)]
    whole = write_columns(tmp_path / "b.parquet", {"line": values}, row_group_size=100)
    content = bytearray(whole.read_bytes())
    middle = len(content) // 2
    content[middle : middle + 5000] = b"\xff" * 5000
    whole.write_bytes(content)
    found = parquet.read_rows(whole, COUNT.record, 0)
    assert next(found) == values[0].encode()
    with pytest.raises(ParquetError, match=r"b\.parquet: "):
        list(found)


@pytest.mark.parametrize("column", ["board", "line", "notation"])
def test_a_text_that_is_not_utf_8_costs_its_row_alone(tmp_path: Path, column: str) -> None:
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
    told = [json.loads(line) for line in output.read_text().splitlines()]
    assert (told[1]["type"], told[1]["line"]) == ("urn:minecheck:problem:invalid-utf-8", 1)
    others = {"board": (True, True), "line": (True, True), "notation": (None, None)}[column]
    assert (told[0].get("consistent"), told[2].get("consistent")) == others


def test_only_answers_are_resumed(tmp_path: Path) -> None:
    boards = write_columns(tmp_path / "b.parquet", {"board": ["?"]})
    output = write_columns(tmp_path / "a.parquet", {"board": ["?"]})
    found = run(boards, "--output", output, "--resume")
    assert found.exit_code == 2
    assert "it holds no answers" in found.stderr
    assert read_rows_of(output) == [{"board": "?"}]


def test_boards_are_not_taken_for_a_journal(tmp_path: Path) -> None:
    output = tmp_path / "a.parquet"
    boards = find_output(output).journal
    boards.write_text('"?"\n')
    assert run(boards, "--output", output).exit_code == 2
    assert boards.read_text() == '"?"\n'


@pytest.mark.parametrize("name", ["b.parquet", "b.ndjson"])
def test_the_answers_do_not_go_where_the_boards_are(name: str, tmp_path: Path) -> None:
    boards = tmp_path / name
    boards.write_text('"?"\n')
    assert run(boards, "--output", boards).exit_code == 2
    assert boards.read_text() == '"?"\n'


@pytest.mark.parametrize("side", ["in", "out"])
def test_without_the_extra_it_says_what_to_install(
    side: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    parquet._import_pyarrow.cache_clear()
    (tmp_path / "b.ndjson").write_text('"?"\n')
    (tmp_path / "b.parquet").write_bytes(b"PAR1")
    source, into = ("b.parquet", "a.ndjson") if side == "in" else ("b.ndjson", "a.parquet")
    found = run(tmp_path / source, "--output", tmp_path / into)
    assert found.exit_code == 2
    assert "pip install pyarrow" in found.stderr
    assert not (tmp_path / into).exists()
