"""`minecheck batch --engine ray` on two nodes gives the answers of one machine, each once."""

import json
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from minecheck.app.batch.files import answer_files, make_local_engine
from minecheck.app.batch.inputs import InputOptions, list_files
from minecheck.app.batch.lines import LineTemplate
from minecheck.app.batch.outputs import find_output
from minecheck.app.cli.ending import SOME_FAILED
from minecheck.app.settings import Settings
from tests import faulty
from tests.app.jobs import QUESTIONS_BY_NAME
from tests.cluster.running import ENVIRONMENT, Nodes, minecheck
from tests.processes import holds_soon, running_program

pytestmark = pytest.mark.slow

COUNT = LineTemplate(QUESTIONS_BY_NAME["count"], {}, Settings())

LINES = [
    json.dumps({"board": ["?" * (1 + k % 7), "?1?1?1?"[: 1 + k % 7]], "mines": k % 9})
    for k in range(6000)
]
# Lines with a problem are answered in their order, too.
LINES[100:103] = ['{"board": ["9"]}', "", "null"]


@pytest.fixture(scope="module")
def boards(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of files that are read as one."""
    folder = tmp_path_factory.mktemp("boards")
    (folder / "1.ndjson").write_text("\n".join(LINES[:1000]))
    (folder / "2.jsonl").write_bytes(b"\r\n".join(line.encode() for line in LINES[1000:5000]))
    pq.write_table(pa.table({"line": LINES[5000:]}), folder / "3.parquet", row_group_size=300)
    return folder


@pytest.fixture(scope="module")
def expected(boards: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Any]:
    """The answers of one machine."""
    output = tmp_path_factory.mktemp("expected") / "answers.ndjson"
    answer_files(
        list_files([str(boards)]),
        find_output(output),
        InputOptions(COUNT),
        engine=make_local_engine(1),
    )
    return parse_answers(output.read_text())


def parse_answers(text: str) -> list[Any]:
    """Return answers without their elapsed times."""
    found = [json.loads(line) for line in text.splitlines()]
    for one in found:
        one.get("solver", {}).pop("elapsed_ms", None)
    return found


def table(path: Path) -> list[Any]:
    """Return the answers in a Parquet file, or in a folder of them."""
    rows = pq.read_table(path).to_pylist()
    found = parse_answers("\n".join(row["answer"] for row in rows))
    assert [row["count"] for row in rows] == [one.get("count") for one in found]
    assert [row["problem"] for row in rows] == [one.get("type") for one in found]
    return found


def engine_options(nodes: Nodes) -> list[str]:
    return ["--task", "count", "--engine", "ray", "--address", nodes.address]


def test_cluster_answers_files_as_one_machine(
    nodes: Nodes, boards: Path, expected: list[Any], tmp_path: Path
) -> None:
    output = tmp_path / "answers.ndjson"
    found = minecheck("batch", boards, *engine_options(nodes), "--output", output)
    assert found.returncode == SOME_FAILED, found.stderr
    assert found.stdout == ""
    # Lines are numbered in each file.
    problems = {(Path(one["file"]).name, one["line"]) for one in expected if "type" in one}
    assert {("1.ndjson", line) for line in (100, 101, 102)} <= problems
    assert f"6000 lines answered, {len(problems)} of them with a problem" in found.stderr
    assert parse_answers(output.read_text()) == expected


@pytest.mark.parametrize("output", ["answers.ndjson", "parts/"])
def test_defect_on_cluster_node_costs_one_line_and_prints_its_traceback(
    nodes: Nodes, tmp_path: Path, output: str
) -> None:
    boards = tmp_path / "boards.ndjson"
    requests = [faulty.request("count", faulty.WRITING if k == 19 else None) for k in range(40)]
    boards.write_text("\n".join(map(json.dumps, requests)))
    before = "from tests import faulty; from minecheck.app import catalogue; "
    before += "catalogue.OPERATIONS = faulty.OPERATIONS"
    found = minecheck(
        "batch", boards, *engine_options(nodes), "--output", f"{tmp_path}/{output}", before=before
    )
    assert found.returncode == SOME_FAILED, found.stderr
    assert "40 lines answered, 1 of them with a problem" in found.stderr
    assert found.stderr.count("Unexpected exception in line 19") == 1
    assert found.stderr.count("PlantedError: planted") == 1
    written = sorted((tmp_path / output).glob("*")) or [tmp_path / output]
    answers = parse_answers("".join(path.read_text() for path in written))
    assert [one["line"] for one in answers if "type" in one] == [19]
    assert sum(one.get("count") == "2" for one in answers) == 39


def test_cluster_nodes_count_lines_of_large_files(
    nodes: Nodes, boards: Path, expected: list[Any], tmp_path: Path
) -> None:
    output = tmp_path / "answers.ndjson"
    all_are_large = "from minecheck.app.batch import ray_engine; ray_engine._COUNTED_BYTES = 0"
    found = minecheck(
        "batch", boards, *engine_options(nodes), "--output", output, before=all_are_large
    )
    assert found.returncode == SOME_FAILED, found.stderr
    assert parse_answers(output.read_text()) == expected


def test_cluster_batch_resumes_after_last_whole_answer(
    nodes: Nodes, boards: Path, expected: list[Any], tmp_path: Path
) -> None:
    output = tmp_path / "answers.parquet"
    journal = tmp_path / "answers.parquet.journal"
    kept = "".join(json.dumps(one) + "\n" for one in expected[:2345])
    journal.write_text(kept + '{"consistent":tr')
    found = minecheck("batch", boards / "*", *engine_options(nodes), "--output", output, "--resume")
    assert found.returncode == SOME_FAILED, found.stderr
    assert f"{6000 - 2345} lines answered" in found.stderr
    assert table(output) == expected
    assert not journal.exists()


@pytest.mark.parametrize("name", ["answers", "answers.parquet"])
def test_cluster_nodes_write_folder_and_resume_only_missing_parts(
    nodes: Nodes, boards: Path, expected: list[Any], tmp_path: Path, name: str
) -> None:
    output = tmp_path / name
    command = ("batch", boards, *engine_options(nodes), "--output", f"{output}/")
    found = minecheck(*command)
    assert found.returncode == SOME_FAILED, found.stderr
    parts = sorted(output.iterdir())
    assert len(parts) > 2
    parts[1].unlink()
    (output / f".{parts[1].name}-begun").write_text("half")
    kept = {part: part.stat().st_mtime_ns for part in parts if part.exists()}
    assert minecheck(*command, "--resume").returncode == SOME_FAILED
    assert sorted(output.iterdir()) == parts
    assert kept == {part: part.stat().st_mtime_ns for part in kept}
    if name.endswith(".parquet"):
        assert table(output) == expected
    else:
        assert "there are answers" in minecheck(*command).stderr
        assert parse_answers("".join(part.read_text() for part in parts)) == expected


def test_lost_cluster_node_loses_and_repeats_no_line(mortal: Nodes, tmp_path: Path) -> None:
    # Each board takes some tenths of a second, so that the node is killed at work.
    hard = [{"board": lattice(11), "mines": 30 + k % 20} for k in range(40)]
    boards = tmp_path / "boards.ndjson"
    boards.write_text("\n".join(json.dumps(one) for one in hard))
    output = tmp_path / "answers.ndjson"
    command: list[str | Path] = [
        sys.executable,
        "-m",
        "minecheck",
        "batch",
        boards,
        *engine_options(mortal),
        "--output",
        output,
    ]
    command += ["--deadline", "60"]
    with running_program(command, stderr=subprocess.PIPE, env=ENVIRONMENT) as process:
        assert holds_soon(lambda: output.stat().st_size > 0, 100)
        mortal.kill(1)
        errors = process.communicate(timeout=300)[1]
    assert process.returncode == 0, errors
    alone = tmp_path / "alone.ndjson"
    options = InputOptions(replace(COUNT, defaults={"deadline_ms": 60_000}))
    answer_files([boards], find_output(alone), options, engine=make_local_engine(2))
    assert parse_answers(output.read_text()) == parse_answers(alone.read_text())


def lattice(side: int) -> list[str]:
    """Return a board with a 3 on every odd row and column: easy to satisfy, hard to count."""
    return [
        "".join("3" if row % 2 and col % 2 else "?" for col in range(side)) for row in range(side)
    ]


def test_cluster_counts_components_of_hard_board(nodes: Nodes, tmp_path: Path) -> None:
    # Two lattices with a wall of mines between them are two components, of some seconds each.
    one = lattice(13)
    board = tmp_path / "board.txt"
    board.write_text("\n".join(f"{row}BBB{row}" for row in one))
    single = tmp_path / "single.txt"
    single.write_text("\n".join(one))
    alone = json.loads(minecheck("count", single, "--by-mines", "--json").stdout)
    command = (
        "count",
        board,
        "--by-mines",
        "--json",
        "--engine",
        "ray",
        "--address",
        nodes.address,
    )
    found = minecheck(*command)
    assert found.returncode == 0, found.stderr
    counted = json.loads(found.stdout)
    assert int(counted["count"]) == int(alone["count"]) ** 2
    assert counted["by_mines"] == double_by_mines(alone["by_mines"], beside=3 * len(one))


def double_by_mines(by_mines: dict[str, str], beside: int) -> dict[str, str]:
    """Return the layouts by mines of a board twice, with `beside` mines between."""
    found: Counter[int] = Counter()
    for (some, ways), (more, others) in product(by_mines.items(), repeat=2):
        found[int(some) + int(more) + beside] += int(ways) * int(others)
    return {str(mines): str(found[mines]) for mines in sorted(found)}


def test_cluster_plays_games_as_one_machine(nodes: Nodes) -> None:
    command = ("play", "--games", 12, "--board", "beginner", "--json")
    found = minecheck(*command, "--engine", "ray", "--address", nodes.address)
    assert found.returncode == 0, found.stderr
    here, there = json.loads(minecheck(*command).stdout), json.loads(found.stdout)
    assert (there["games"], there["won"], there["guesses"]) == (12, here["won"], here["guesses"])


def test_cluster_batch_rejects_standard_input(nodes: Nodes) -> None:
    found = minecheck("batch", "-", *engine_options(nodes))
    assert (found.returncode, found.stdout) == (2, "")
    assert "standard input" in found.stderr


def test_command_names_address_of_missing_cluster(boards: Path) -> None:
    pytest.importorskip("ray", reason="needs the extra cluster")
    found = minecheck("batch", boards, "--engine", "ray", "--address", "127.0.0.1:1")
    assert (found.returncode, found.stdout) == (3, "")
    assert "--address 127.0.0.1:1" in found.stderr


@pytest.mark.parametrize(
    "command", [["batch", "boards"], ["count", "boards"], ["dataset", "--out", "a.parquet"]]
)
def test_command_with_engine_ray_says_how_to_install_missing_ray(
    tmp_path: Path, command: list[str]
) -> None:
    (tmp_path / "boards").write_text("?1?\n")
    code = "import sys; sys.modules['ray'] = None; from minecheck.app.cli.main import main; main()"
    found = subprocess.run(
        [sys.executable, "-c", code, *command, "--engine", "ray"],
        capture_output=True,
        text=True,
        env=ENVIRONMENT,
        cwd=tmp_path,
    )
    assert (found.returncode, found.stdout) == (3, "")
    assert "pip install" in found.stderr
    assert "minecheck[cluster]" in found.stderr
