"""`minecheck batch` answers files of boards on all cores, in order, and resumes."""

import fcntl
import json
import os
import resource
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from minecheck.app.cli.program import Program
from minecheck.minefield.numerals import format_count
from tests.app.jobs import TASKS
from tests.processes import ROOT, holds_soon, running_program

LINES = [json.dumps({"board": ["?" * (1 + number % 7)]}) for number in range(300)]
#: CP-SAT takes longer than anybody waits to count the layouts of this lattice.
LATTICE = ["".join("3" if r % 2 and c % 2 else "?" for c in range(21)) for r in range(21)]
COUNTS = [str(2 ** (1 + number % 7)) for number in range(300)]


@pytest.fixture
def boards(tmp_path: Path) -> Path:
    path = tmp_path / "boards.ndjson"
    path.write_text("\n".join(LINES) + "\n")
    return path


def run(*arguments: object, stdin: bytes | None = None) -> Result:
    return CliRunner().invoke(Program(), ["batch", *map(str, arguments)], input=stdin)


def answers(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_text().splitlines()]


@pytest.mark.slow
def test_batch_command_answers_lines_in_order(boards: Path, tmp_path: Path) -> None:
    output = tmp_path / "answers.ndjson"
    found = run(boards, "--task", "count", "--output", output)
    assert (found.exit_code, found.stdout) == (0, "")
    assert "300 lines answered, 0 of them with a problem" in found.stderr
    assert [one["count"] for one in answers(output)] == COUNTS


@pytest.mark.parametrize("kept", [0, 1, 77, 299, 300])
@pytest.mark.parametrize("torn", [b"", b'{"consistent":tr'])
def test_batch_command_resumes_after_last_whole_line_of_output(
    boards: Path, tmp_path: Path, kept: int, torn: bytes
) -> None:
    output = tmp_path / "answers.ndjson"
    run(boards, "--task", "count", "--output", output)
    whole = output.read_bytes().splitlines(keepends=True)
    output.write_bytes(b"".join(whole[:kept]) + torn)
    found = run(boards, "--task", "count", "--output", output, "--resume")
    assert f"{format_count(300 - kept, 'line')} answered" in found.stderr
    assert [one["count"] for one in answers(output)] == COUNTS
    assert output.read_bytes().splitlines(keepends=True)[:kept] == whole[:kept]


def test_batch_command_names_file_and_line_of_problem(tmp_path: Path) -> None:
    boards = tmp_path / "boards.ndjson"
    boards.write_bytes(b'"?1"\r\n"9"\n')
    output = tmp_path / "answers.ndjson"
    found = run(boards, "--output", output)
    assert "2 lines answered, 1 of them with a problem" in found.stderr
    assert [(one["file"], one["line"]) for one in answers(output)] == [
        (str(boards), 0),
        (str(boards), 1),
    ]


def test_batch_command_reads_and_writes_standard_streams() -> None:
    found = run("-", "--task", "count", "--mines", 1, stdin=b'["????"]\n"????"\n')
    answers_shown = [json.loads(line) for line in found.stdout.splitlines()]
    assert [one.get("count") for one in answers_shown] == ["4", "4"]
    assert not any({"file", "line"} & one.keys() for one in answers_shown)


def test_batch_command_answers_rules_among_boards() -> None:
    rules = {"rules": [{"cells": ["a", "b", "c"], "mines": 2}]}
    stdin = f'{json.dumps(rules)}\n"?1?"\n'.encode()
    found = run("-", "--task", "count", stdin=stdin)
    assert [json.loads(line)["count"] for line in found.stdout.splitlines()] == ["3", "2"]


def test_batch_command_takes_deadlines_beyond_those_of_the_service(tmp_path: Path) -> None:
    boards, output = tmp_path / "boards.ndjson", tmp_path / "answers.ndjson"
    boards.write_text('"?1?"\n')
    run(boards, "--task", "count", "--deadline", "2m", "--output", output)
    assert json.loads(output.read_text())["count"] == "2"


def test_batch_command_ends_hard_lines_at_their_deadline(tmp_path: Path) -> None:
    boards = tmp_path / "boards.ndjson"
    boards.write_text(json.dumps({"board": LATTICE, "backend": "cpsat"}) + '\n"?1"\n')
    output = tmp_path / "answers.ndjson"
    run(boards, "--task", "count", "--deadline", 0.3, "--output", output)
    assert [one["solver"]["complete"] for one in answers(output)] == [False, True]


@pytest.mark.parametrize(
    "arguments",
    [
        ("--task", "sample"),
        ("--resume",),
        ("--deadline", "0"),
        ("--output", "/nowhere/answers"),
        ("--processes", "0"),
    ],
)
def test_batch_command_rejects_invalid_options(boards: Path, arguments: tuple[str, ...]) -> None:
    found = run(boards, *arguments)
    assert found.exit_code == 2
    assert found.stdout == ""


def test_batch_command_rejects_missing_file(tmp_path: Path) -> None:
    assert run(tmp_path / "none").exit_code == 2


@pytest.mark.slow
def test_batch_command_ends_when_interrupted(tmp_path: Path) -> None:
    boards = tmp_path / "boards.ndjson"
    boards.write_text(
        # Easy lines fill the first chunks; hard lines are at work when the command is interrupted.
        '"?1"\n' * 500
        + f"{json.dumps({'board': LATTICE, 'backend': 'cpsat', 'deadline_ms': 60_000})}\n" * 100
    )
    output = tmp_path / "answers.ndjson"
    command = [sys.executable, "-m", "minecheck", "batch", str(boards), "--task", "count"]
    with running_program(
        [*command, "--output", str(output), "--processes", "2"], stderr=subprocess.PIPE
    ) as process:
        assert holds_soon(lambda: output.stat().st_size > 0, 100)
        # All processes of the command are interrupted, as a terminal does it.
        os.killpg(process.pid, signal.SIGINT)
        _, error_output = process.communicate(timeout=60)
    assert process.returncode == 130
    assert b"Traceback" not in error_output
    assert answers(output)[0]["count"] == "1"


def test_batch_command_with_resume_starts_where_no_output_exists(
    boards: Path, tmp_path: Path
) -> None:
    output = tmp_path / "answers.ndjson"
    assert run(boards, "--task", "count", "--output", output, "--resume").exit_code == 0
    assert [one["count"] for one in answers(output)] == COUNTS


@pytest.mark.parametrize(
    "content", ["a log\nof something\nelse", "else", '{"pieces": "?"}\n', '"?1?"\n', "\n"]
)
def test_batch_command_does_not_resume_or_change_output_without_answers(
    boards: Path, tmp_path: Path, content: str
) -> None:
    output = tmp_path / "answers.ndjson"
    output.write_text(content)
    found = run(boards, "--output", output, "--resume")
    assert found.exit_code == 2
    assert "is not an answer" in found.stderr
    assert output.read_text() == content


@pytest.mark.parametrize("task", TASKS)
def test_batch_command_does_not_resume_answers_of_another_task(tmp_path: Path, task: str) -> None:
    boards, output = tmp_path / "boards.ndjson", tmp_path / "answers.ndjson"
    boards.write_text('"?1?"\n["11?", "???", "3??"]\n"9"\n')
    run(boards, "--task", task, "--output", output)
    content = output.read_bytes()
    for other in TASKS:
        found = run(boards, "--task", other, "--output", output, "--resume")
        assert found.exit_code == (0 if other == task else 2)
        assert task in found.stderr or other == task
    assert output.read_bytes() == content


def test_batch_command_does_not_resume_more_answers_than_boards(
    boards: Path, tmp_path: Path
) -> None:
    output, few = tmp_path / "answers.ndjson", tmp_path / "few.ndjson"
    run(boards, "--task", "count", "--output", output)
    few.write_text(f"{LINES[0]}\n")
    found = run(few, "--task", "count", "--output", output, "--resume")
    assert found.exit_code == 2
    assert "fewer boards" in found.stderr


def test_batch_command_rejects_output_that_another_process_writes(
    boards: Path, tmp_path: Path
) -> None:
    output = tmp_path / "answers.ndjson"
    with output.open("ab") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        found = run(boards, "--task", "count", "--output", output, "--overwrite")
    assert found.exit_code == 2
    assert "another process is writing to it" in found.stderr


@pytest.mark.parametrize("linked", [False, True])
def test_batch_command_does_not_overwrite_boards(
    boards: Path, tmp_path: Path, linked: bool
) -> None:
    output = tmp_path / "b.ndjson"
    if linked:
        output.hardlink_to(boards)
    else:
        output.write_text('"?"\n')
    before = output.read_text()
    found = run(boards if linked else tmp_path / "*.ndjson", "--task", "count", "--output", output)
    assert found.exit_code == 2
    assert "boards are read from that file" in found.stderr
    assert output.read_text() == before


@pytest.mark.slow
@pytest.mark.parametrize("name", ["answers.ndjson", "answers.parquet"])
def test_batch_command_names_output_that_becomes_too_large(
    boards: Path, tmp_path: Path, name: str
) -> None:
    if name.endswith(".parquet"):
        pytest.importorskip("pyarrow")
    output = tmp_path / name
    command = (sys.executable, "-m", "minecheck", "batch", boards, "--output", output)
    room = (20_000, 20_000)
    found = subprocess.run(
        command,
        cwd=ROOT,
        capture_output=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, room),
        check=False,
    )
    assert found.returncode == 2
    written = output if name.endswith(".ndjson") else tmp_path / f"{name}.journal"
    assert found.stderr == f"minecheck: {written}: File too large\n".encode()
    # The command goes on from its partial output once there is room.
    again = run(boards, "--output", output, "--resume")
    assert again.exit_code == 0
    assert "0 of them with a problem" in again.stderr


def test_batch_command_answers_500_files_of_folder_in_order(tmp_path: Path) -> None:
    folder = tmp_path / "boards"
    folder.mkdir()
    for number in range(500):
        (folder / f"{number:03}.txt").write_text("1?\n??\n" if number % 2 else "?1?\n???\n???\n")
    output = tmp_path / "answers.ndjson"
    found = run(folder, "--task", "count", "--output", output, "--processes", "1")
    assert "500 lines answered, 0 of them with a problem" in found.stderr
    found_answers = answers(output)
    assert [one["file"] for one in found_answers] == [
        str(folder / f"{n:03}.txt") for n in range(500)
    ]
    assert [one["count"] for one in found_answers] == ["40", "3"] * 250
    # The shell may have expanded a pattern, and several files may be named.
    again = run(*sorted(folder.iterdir())[:3], folder / "4*9.txt", "--processes", "1")
    assert len(again.stdout.splitlines()) == 13


def test_batch_command_passes_fields_and_columns_through(tmp_path: Path) -> None:
    (tmp_path / "a.ndjson").write_text(
        '{"id": [7], "board": "?1?\\n???\\n???"}\n{"id": 8, "mine": 1}\n'
    )
    (tmp_path / "b.csv").write_text("board,id\n?1?/???/???,x\n1.1/...,y\n")
    found = run(tmp_path / "a.ndjson", tmp_path / "b.csv", "--task", "count")
    found_answers = [json.loads(line) for line in found.stdout.splitlines()]
    assert [one["id"] for one in found_answers] == [[7], 8, "x", "y"]
    assert [one.get("count") for one in found_answers] == ["40", None, "40", None]
    assert found_answers[1]["pointer"] == "/mine"
    assert found_answers[3]["type"].endswith(":ambiguous-board")
    assert [Path(one["file"]).name for one in found_answers] == ["a.ndjson"] * 2 + ["b.csv"] * 2


@pytest.mark.parametrize("name", ["a.ndjson", "a.csv", "a.ndjson.gz", "a.jsonl.zst"])
def test_batch_command_replaces_or_continues_existing_output_on_demand(
    boards: Path, tmp_path: Path, name: str
) -> None:
    output = tmp_path / name
    options = (boards, "--task", "count", "--output", output, "--processes", "1")
    assert run(*options).exit_code == 0
    whole = output.read_bytes()
    found = run(*options)
    assert found.exit_code == 2
    assert "Use --overwrite to replace it, --resume to continue it" in found.stderr
    assert output.read_bytes() == whole
    assert "0 lines answered" in run(*options, "--resume").stderr
    assert "300 lines answered" in run(*options, "--overwrite").stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([boards.name, name])
    both = run(*options, "--resume", "--overwrite")
    assert (both.exit_code, both.stderr.count("\n")) == (2, 1)


def test_batch_command_answers_ambiguous_text_file_with_problem(tmp_path: Path) -> None:
    path = tmp_path / "b.txt"
    path.write_text("1?\n\n??\n")
    found = run(path)
    assert found.exit_code == 1
    assert "--split" in json.loads(found.stdout)["fix"]
    assert len(run(path, "--split").stdout.splitlines()) == 2
    assert json.loads(run(path, "--one-board").stdout)["rows"] == 2


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("b.csv", b"boards\n1?\n", "has no header row with a column board"),
        ("b.csv", b"board,mnes\n1?,1\n", "Did you mean mines?"),
        ("b.ndjson.gz", b"no gzip", "it is not valid gzip"),
    ],
)
def test_batch_command_names_unreadable_file_in_one_line(
    tmp_path: Path, name: str, content: bytes, message: str
) -> None:
    (tmp_path / name).write_bytes(content)
    found = run(tmp_path / name)
    assert (found.exit_code, found.stdout, found.stderr.count("\n")) == (2, "", 1)
    assert f"{name}: " in found.stderr
    assert message in found.stderr
