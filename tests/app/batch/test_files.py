"""`minecheck batch`: files of boards over all cores, in order, and resumed."""

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

from minecheck.app.cli.main import build_program
from minecheck.minefield.amounts import format_count
from tests.app.jobs import TASKS
from tests.processes import ROOT, holds_soon, running_program

LINES = [json.dumps({"board": ["?" * (1 + number % 7)]}) for number in range(300)]
#: To count its layouts takes CP-SAT longer than anybody waits.
LATTICE = ["".join("3" if r % 2 and c % 2 else "?" for c in range(21)) for r in range(21)]
COUNTS = [str(2 ** (1 + number % 7)) for number in range(300)]


@pytest.fixture
def boards(tmp_path: Path) -> Path:
    path = tmp_path / "boards.ndjson"
    path.write_text("\n".join(LINES) + "\n")
    return path


def run(*arguments: object, stdin: bytes | None = None) -> Result:
    return CliRunner().invoke(build_program(), ["batch", *map(str, arguments)], input=stdin)


def answers(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_lines_are_answered_in_order(boards: Path, tmp_path: Path) -> None:
    output = tmp_path / "answers.ndjson"
    found = run(boards, "--task", "count", "--output", output)
    assert (found.exit_code, found.stdout) == (0, "")
    assert "300 lines answered, 0 of them with a problem" in found.stderr
    assert [one["count"] for one in answers(output)] == COUNTS


@pytest.mark.parametrize("kept", [0, 1, 77, 299, 300])
@pytest.mark.parametrize("torn", [b"", b'{"consistent":tr'])
def test_what_was_stopped_goes_on_after_its_last_whole_line(
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


def test_a_problem_tells_its_line(tmp_path: Path) -> None:
    boards = tmp_path / "boards.ndjson"
    boards.write_bytes(b'"?1"\r\n"9"\n')
    output = tmp_path / "answers.ndjson"
    found = run(boards, "--output", output)
    assert "2 lines answered, 1 of them with a problem" in found.stderr
    assert [(one["file"], one["line"]) for one in answers(output)] == [
        (str(boards), 0),
        (str(boards), 1),
    ]


def test_it_reads_and_writes_the_standard_streams() -> None:
    found = run("-", "--task", "count", "--mines", 1, stdin=b'["????"]\n"????"\n')
    told = [json.loads(line) for line in found.stdout.splitlines()]
    assert [one.get("count") for one in told] == ["4", "4"]
    assert not any({"file", "line"} & one.keys() for one in told)


def test_rules_stand_among_boards() -> None:
    rules = {"rules": [{"cells": ["a", "b", "c"], "mines": 2}]}
    stdin = f'{json.dumps(rules)}\n"?1?"\n'.encode()
    found = run("-", "--task", "count", stdin=stdin)
    assert [json.loads(line)["count"] for line in found.stdout.splitlines()] == ["3", "2"]


def test_hard_lines_end_with_their_deadline(tmp_path: Path) -> None:
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
def test_what_makes_no_sense_is_refused(boards: Path, arguments: tuple[str, ...]) -> None:
    found = run(boards, *arguments)
    assert found.exit_code == 2
    assert found.stdout == ""


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    assert run(tmp_path / "none").exit_code == 2


def test_it_ends_when_it_is_interrupted(tmp_path: Path) -> None:
    boards = tmp_path / "boards.ndjson"
    boards.write_text(
        # The easy ones fill the first chunks; the others are at work when it is interrupted.
        '"?1"\n' * 500
        + f"{json.dumps({'board': LATTICE, 'backend': 'cpsat', 'deadline_ms': 60_000})}\n" * 100
    )
    output = tmp_path / "answers.ndjson"
    command = [sys.executable, "-m", "minecheck", "batch", str(boards), "--task", "count"]
    with running_program(
        [*command, "--output", str(output), "--processes", "2"], stderr=subprocess.PIPE
    ) as process:
        assert holds_soon(lambda: output.stat().st_size > 0, 100)
        # As a terminal does it, all its processes are interrupted.
        os.killpg(process.pid, signal.SIGINT)
        _, told = process.communicate(timeout=60)
    assert process.returncode == 130
    assert b"Traceback" not in told
    assert answers(output)[0]["count"] == "1"


def test_there_is_nothing_to_resume_at_first(boards: Path, tmp_path: Path) -> None:
    output = tmp_path / "answers.ndjson"
    assert run(boards, "--task", "count", "--output", output, "--resume").exit_code == 0
    assert [one["count"] for one in answers(output)] == COUNTS


@pytest.mark.parametrize(
    "there", ["a log\nof something\nelse", "else", '{"pieces": "?"}\n', '"?1?"\n', "\n"]
)
def test_what_is_no_answer_is_not_resumed_and_stays(
    boards: Path, tmp_path: Path, there: str
) -> None:
    output = tmp_path / "answers.ndjson"
    output.write_text(there)
    found = run(boards, "--output", output, "--resume")
    assert found.exit_code == 2
    assert "is not an answer" in found.stderr
    assert output.read_text() == there


@pytest.mark.parametrize("task", TASKS)
def test_answers_to_another_question_are_not_resumed(tmp_path: Path, task: str) -> None:
    boards, output = tmp_path / "boards.ndjson", tmp_path / "answers.ndjson"
    boards.write_text('"?1?"\n["11?", "???", "3??"]\n"9"\n')
    run(boards, "--task", task, "--output", output)
    there = output.read_bytes()
    for other in TASKS:
        found = run(boards, "--task", other, "--output", output, "--resume")
        assert found.exit_code == (0 if other == task else 2)
        assert task in found.stderr or other == task
    assert output.read_bytes() == there


def test_answers_to_more_boards_are_not_resumed(boards: Path, tmp_path: Path) -> None:
    output, few = tmp_path / "answers.ndjson", tmp_path / "few.ndjson"
    run(boards, "--task", "count", "--output", output)
    few.write_text(f"{LINES[0]}\n")
    found = run(few, "--task", "count", "--output", output, "--resume")
    assert found.exit_code == 2
    assert "fewer boards" in found.stderr


def test_two_do_not_write_the_same_file(boards: Path, tmp_path: Path) -> None:
    output = tmp_path / "answers.ndjson"
    with output.open("ab") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        found = run(boards, "--task", "count", "--output", output, "--overwrite")
    assert found.exit_code == 2
    assert "another process is writing to it" in found.stderr


@pytest.mark.parametrize("linked", [False, True])
def test_boards_are_not_written_over(boards: Path, tmp_path: Path, linked: bool) -> None:
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


@pytest.mark.parametrize("name", ["answers.ndjson", "answers.parquet"])
def test_a_file_for_which_there_is_no_room_is_named(
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
    # What is there goes on where there is room.
    again = run(boards, "--output", output, "--resume")
    assert again.exit_code == 0
    assert "0 of them with a problem" in again.stderr


def test_five_hundred_files_of_a_folder_are_answered_in_order(tmp_path: Path) -> None:
    folder = tmp_path / "boards"
    folder.mkdir()
    for number in range(500):
        (folder / f"{number:03}.txt").write_text("1?\n??\n" if number % 2 else "?1?\n???\n???\n")
    output = tmp_path / "answers.ndjson"
    found = run(folder, "--task", "count", "--output", output, "--processes", "1")
    assert "500 lines answered, 0 of them with a problem" in found.stderr
    told = answers(output)
    assert [one["file"] for one in told] == [str(folder / f"{n:03}.txt") for n in range(500)]
    assert [one["count"] for one in told] == ["40", "3"] * 250
    # The shell may have expanded a pattern, and several may be named.
    again = run(*sorted(folder.iterdir())[:3], folder / "4*9.txt", "--processes", "1")
    assert len(again.stdout.splitlines()) == 13


def test_fields_and_columns_pass_through_every_form(tmp_path: Path) -> None:
    (tmp_path / "a.ndjson").write_text(
        '{"id": [7], "board": "?1?\\n???\\n???"}\n{"id": 8, "mine": 1}\n'
    )
    (tmp_path / "b.csv").write_text("board,id\n?1?/???/???,x\n1.1/...,y\n")
    found = run(tmp_path / "a.ndjson", tmp_path / "b.csv", "--task", "count")
    told = [json.loads(line) for line in found.stdout.splitlines()]
    assert [one["id"] for one in told] == [[7], 8, "x", "y"]
    assert [one.get("count") for one in told] == ["40", None, "40", None]
    assert told[1]["pointer"] == "/mine"
    assert told[3]["type"].endswith(":ambiguous-board")
    assert [Path(one["file"]).name for one in told] == ["a.ndjson"] * 2 + ["b.csv"] * 2


@pytest.mark.parametrize("name", ["a.ndjson", "a.csv", "a.ndjson.gz", "a.jsonl.zst"])
def test_an_output_that_exists_is_replaced_or_continued_on_demand(
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


def test_a_text_with_two_readings_is_a_problem_of_its_file(tmp_path: Path) -> None:
    path = tmp_path / "b.txt"
    path.write_text("1?\n\n??\n")
    found = run(path)
    assert found.exit_code == 1
    assert "--split" in json.loads(found.stdout)["fix"]
    assert len(run(path, "--split").stdout.splitlines()) == 2
    assert json.loads(run(path, "--one-board").stdout)["rows"] == 2


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("b.csv", b"boards\n1?\n", "has no header row with a column board"),
        ("b.csv", b"board,mnes\n1?,1\n", "Did you mean mines?"),
        ("b.ndjson.gz", b"no gzip", "it is not valid gzip"),
    ],
)
def test_a_file_that_cannot_be_read_is_named_in_one_line(
    tmp_path: Path, name: str, content: bytes, said: str
) -> None:
    (tmp_path / name).write_bytes(content)
    found = run(tmp_path / name)
    assert (found.exit_code, found.stdout, found.stderr.count("\n")) == (2, "", 1)
    assert f"{name}: " in found.stderr
    assert said in found.stderr
