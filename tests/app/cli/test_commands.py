"""The command line prints answers, exit statuses, and errors in one line."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import typer
from fastapi.testclient import TestClient

from minecheck.app.cli import board_files
from minecheck.app.cli.commands import COMMANDS
from minecheck.app.cli.ending import combine_statuses
from tests.app.cli.running import drop_source, load_command, one_line, run
from tests.app.jobs import BATCHED, QUESTIONS_BY_NAME
from tests.app.questions.responses import drop_elapsed
from tests.app.serving import lattice, serving
from tests.processes import ROOT, running_program

COMMAND = [sys.executable, "-m", "minecheck"]
#: Tasks that need no more options, and whose answers have an order of fields.
TASKS = [name for name in QUESTIONS_BY_NAME if name not in ("strips", "sample", "moves")]


def run_process(
    *arguments: str,
    stdin: bytes = b"",
    stdout: int = subprocess.PIPE,
    stderr: int = subprocess.PIPE,
) -> "subprocess.CompletedProcess[bytes]":
    """Run the command in a process of its own."""
    command = [*COMMAND, *arguments]
    return subprocess.run(command, cwd=ROOT, input=stdin, stdout=stdout, stderr=stderr, check=False)


@pytest.fixture
def board(tmp_path: Path) -> str:
    path = tmp_path / "board.txt"
    path.write_text("1?\n??\n", encoding="utf-8")
    return str(path)


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("rows", ["1?\n??\n", "2?\n", "F?1\n", "???\n222\n???\n"])
def test_command_with_json_prints_answer_of_service(
    client: TestClient, task: str, rows: str
) -> None:
    answer = client.post(f"/v1/{task}", content=rows, headers={"Content-Type": "text/plain"})
    found = run(task, "-", "--json", stdin=rows.encode())
    assert drop_elapsed(json.loads(found.stdout)) == drop_elapsed(answer.json())
    assert found.stdout.count("\n") == 1


@pytest.mark.parametrize("name", QUESTIONS_BY_NAME)
def test_command_has_option_for_every_field_of_request(name: str) -> None:
    options = {option for one in load_command(name).params for option in one.opts}
    elsewhere = {"board", "rules", "total_cells", "layout", "flags", "deadline_ms"}
    fields = QUESTIONS_BY_NAME[name].request.model_fields.keys() - elsewhere
    assert {f"--{field.replace('_', '-')}" for field in fields} <= options
    assert {"--trust-flags", "--format", "--deadline", "--json"} <= options
    assert ("--engine" in options) == (name == "count")


@pytest.mark.parametrize(
    ("task", "options", "fields"),
    [
        ("analyze", ["--mines", "3", "--fractions"], {"mines": 3, "fractions": True}),
        ("count", ["-m", "3"], {"mines": 3}),
        ("analyze", ["--density", "1/5"], {"density": "1/5"}),
        ("count", ["--density", "0.2", "--fractions"], {"density": "0.2", "fractions": True}),
        ("check", ["--certificate"], {"certificate": True}),
        ("strips", ["--window", "0,0,1,4"], {"window": "0,0,1,4"}),
        ("layouts", ["--window", "0,0,1,4", "--limit", "2"], {"window": "0,0,1,4", "limit": 2}),
        ("layouts", ["--offset", "1", "--backend", "sat"], {"offset": 1, "backend": "sat"}),
        ("sample", ["--seed", "9", "--offset", "2"], {"seed": 9, "offset": 2}),
        ("explain", ["--cell", "0,0"], {"cell": "0,0"}),
        ("repair", ["--mines", "0", "--limit", "1"], {"mines": 0, "limit": 1}),
        ("forced", ["--trust-flags"], {"flags": "trust"}),
    ],
)
def test_command_options_act_as_fields_of_requests(
    client: TestClient, task: str, options: list[str], fields: dict[str, Any]
) -> None:
    rows = ["?2??", "??1F"]
    answer = client.post(f"/v1/{task}", json={"board": rows, **fields})
    assert answer.status_code == 200, answer.text
    found = run(task, "-", "--json", *options, stdin="\n".join(rows).encode())
    assert drop_elapsed(json.loads(found.stdout)) == drop_elapsed(answer.json())


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("options", [[], ["--json"]])
def test_command_reads_file_and_standard_input_alike(
    task: str, options: list[str], board: str
) -> None:
    from_file, from_stdin = run(task, board, *options), run(task, "-", *options, stdin=b"1?\n??")
    assert from_file.exit_code == from_stdin.exit_code == 0
    if not options:
        assert from_file.stdout == from_stdin.stdout != ""


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("options", [[], ["--json"]])
def test_command_exits_with_1_for_inconsistent_board(task: str, options: list[str]) -> None:
    found = run(task, "-", *options, stdin=b"2?\n")
    assert (found.exit_code, found.stderr) == (1, "")
    assert "inconsistent" in found.stdout or json.loads(found.stdout)["consistent"] is False


def test_check_command_names_clues_of_conflict() -> None:
    assert "row 0 column 0" in run("check", "-", stdin=b"2?\n").stdout
    assert "total of mines" in run("check", "-", "--mines", "2", stdin=b"1?\n??").stdout


def test_layouts_command_numbers_and_pages_layouts(board: str) -> None:
    found = run("layouts", board, "--offset", "1", "--limit", "1").stdout
    assert "layout 1\n  1B\n  11\n" in found
    assert "3 layouts in all" in found
    assert "--offset 2" in found
    assert "1 layout in all\n" in run("layouts", "-", stdin=b"1?\n").stdout


def test_strips_command_cuts_out_window() -> None:
    found = run("strips", "-", "--window", "0,0,1,4", stdin=b"?2??\n??1?\n")
    assert "for example\n  S2SS\n" in found.stdout
    assert "8 layouts in all\n" in found.stdout
    assert drop_source(found.stdout).endswith("chance of a mine, in percent\n   50   .  50  50\n")
    one_line(
        run("strips", "-", "--window", "0,0,9,4", stdin=b"?2??\n??1?\n"),
        "minecheck: --window: The window has 9 rows, but from row 0 on the board has only",
    )
    assert run("strips", "-", stdin=b"?1?\n").exit_code == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["explain", "--cell", "9,9"], "--cell: The cell at row 9, column 9 is not on the board."),
        (["repair", "--limit", "0"], "--limit: 0 is less than 1, the minimum."),
        (["layouts", "--window", "0,0"], "--window: "),
        (["sample", "--seed", "-1"], "--seed: "),
        (["check", "--mines", "4"], "--mines: A board of 3 cells has 0 to 3 mines"),
    ],
    ids=lambda given: given[0] if isinstance(given, list) else "",
)
def test_command_names_option_with_invalid_value_and_fix(
    arguments: list[str], message: str
) -> None:
    task, *options = arguments
    found = run(task, "-", *options, stdin=b"?1?\n")
    one_line(found, f"minecheck: {message}")
    assert found.stderr.endswith(".\n")


def test_count_command_prints_likelihood_for_density() -> None:
    found = run("count", "-", "--density", "1/5", stdin=b"?1?\n")
    assert found.exit_code == 0
    assert drop_source(found.stdout) == "consistent\n2 layouts in all\nlikelihood 0.32\n"
    assert run("count", "-", "--density", "0.2", stdin=b"?1?\n").stdout == found.stdout


@pytest.mark.parametrize(
    "density", ["0", "1", "1.5", "-0.2", "1/0", "5/4", "x", "0.", "nan", "\u0660.5"]
)
def test_count_command_rejects_invalid_density(density: str) -> None:
    found = run("count", "-", f"--density={density}", stdin=b"?1?\n")
    assert (found.exit_code, found.stdout) == (2, "")
    assert found.stderr.startswith("minecheck: --density: ")


def test_sample_command_prints_samples_of_service(client: TestClient) -> None:
    body = {"board": ["?1?", "???"], "seed": 9, "limit": 3}
    samples = client.post("/v1/sample", json=body).json()["samples"]
    arguments = ["--seed", "9", "--limit", "3"]
    found = run("sample", "-", *arguments, stdin=b"?1?\n???\n")
    assert drop_source(found.stdout) == "consistent\n5 layouts in all\n" + "".join(
        f"sample {number} of seed 9\n" + "".join(f"  {row}\n" for row in rows)
        for number, rows in enumerate(samples)
    )
    printed = run("sample", "-", "--json", *arguments, stdin=b"?1?\n???\n").stdout
    assert json.loads(printed)["samples"] == samples


def test_command_distinguishes_option_0_from_missing_option() -> None:
    found = run("sample", "-", "--seed", "0", stdin=b"?1?\n")
    assert "of seed 0\n" in found.stdout
    assert json.loads(run("layouts", "-", "--offset", "0", "--json", stdin=b"?1?\n").stdout)
    one_line(run("layouts", "-", "--limit", "0", stdin=b"?1?\n"), "--limit: ")


def test_check_command_names_feasible_totals_of_mines() -> None:
    found = run("check", "-", "--mines", "0", stdin=b"?1?\n???\n")
    assert "layouts have 1 mine\n" in found.stdout
    found = run("check", "-", "--mines", "0", stdin=b"1???\n")
    assert "layouts have from 1 to 3 mines\n" in found.stdout


def test_forced_command_draws_forced_cells_into_board() -> None:
    found = run("forced", "-", stdin=b"3?\n??\n")
    assert (found.exit_code, found.stderr) == (0, "")
    assert (
        drop_source(found.stdout) == "consistent\n3 mines and 0 safe cells are forced\n  3B\n  BB\n"
    )
    assert run("forced", "-", stdin=b"1??\n").stdout.startswith("consistent\n1 mine and")
    assert "flags wrong: row 0 column 0\n" in run("forced", "-", stdin=b"F0\n").stdout
    assert "flags right: none\n" in run("forced", "-", stdin=b"F0\n").stdout


@pytest.mark.parametrize(
    ("notation", "rows"), [("probst", "1-\n--"), ("minesweepr", "1x\nxx"), ("standard", "1?\n??")]
)
def test_layouts_command_reads_each_notation(notation: str, rows: str) -> None:
    found = run("layouts", "-", "--notation", notation, stdin=rows.encode())
    assert "3 layouts in all" in found.stdout


@pytest.mark.parametrize(
    "content",
    [b"", b"\n\n", b"1?\n?", b"9", b"\xff\xfe?", bytes(range(256))],
    ids=["empty", "blank", "ragged", "symbol", "not utf-8", "binary"],
)
@pytest.mark.parametrize("task", TASKS)
def test_command_reports_bad_file_in_one_line_on_standard_error(
    tmp_path: Path, task: str, content: bytes
) -> None:
    path = tmp_path / "board"
    path.write_bytes(content)
    one_line(run(task, str(path)), str(path))
    one_line(run(task, "-", stdin=content), "-")


@pytest.mark.parametrize("content", [b'{"board": ["1?"]}', b'[\n  "1?"\n]\n'])
def test_check_command_reads_json_with_board(content: bytes) -> None:
    assert run("check", "-", stdin=content).stdout == run("check", "-", stdin=b"1?").stdout


def test_check_command_refers_json_lines_to_batch() -> None:
    one_line(run("check", "-", stdin=b'{"board": "1?"}\n{"board": "?"}'), "minecheck batch")


def test_notes_on_reading_of_board_go_to_standard_error() -> None:
    found = run("count", "-", "--symbols", ".=unknown", stdin=b"Mines: 1\n1.\n..\n")
    assert 'Read "." as unknown.' in found.stderr


@pytest.mark.parametrize("text", ["9x9:4,4,mb071b49fbd1cb6a0d5868", "/#analyse?b=1_.__&amp;m=1"])
def test_check_command_reads_links_and_game_ids_in_place_of_files(text: str) -> None:
    assert run("check", text).stdout.startswith("consistent")


def test_command_lists_options_that_choose_between_readings_of_text() -> None:
    found = run("count", "-", stdin=b"1.1\n...")
    assert found.exit_code == 2
    assert "--symbols .=unknown\n    1?1\n    ???\n" in found.stderr
    assert "--symbols .=0\n" in found.stderr


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("boards.csv", b"id,board\n1,?1?\n"),
        ("boards.csv.gz", b"\x1f\x8b\x08"),
        ("boards.parquet", b"PAR1\xff"),
        ("boards.txt", b'{"board": "?1?"}\n{"board": "?1?"}\n'),
    ],
)
def test_check_command_names_batch_for_files_of_many_boards(
    tmp_path: Path, name: str, content: bytes
) -> None:
    (tmp_path / name).write_bytes(content)
    one_line(run("check", str(tmp_path / name)), "A file of many boards is for minecheck batch.")


def test_check_command_rejects_missing_file_and_directory(tmp_path: Path) -> None:
    one_line(run("check", str(tmp_path / "missing")), "No such file")
    one_line(run("check", str(tmp_path)), "minecheck batch reads folders")


def test_check_command_names_the_command_for_several_boards() -> None:
    ended = run("check", "-", stdin=b"1?\n??\n\n2?\n??\n1?")
    one_line(ended, "A file of many boards is for minecheck batch.")
    assert "/v1/batch" not in ended.stderr


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--mines", "9"], "--mines"),
        (["--mines", "-1"], "--mines"),
        (["--notation", "probst"], "standard"),
    ],
)
def test_check_command_rejects_option_that_does_not_suit_board(
    board: str, options: list[str], message: str
) -> None:
    one_line(run("check", board, *options), message)


def test_check_command_names_backend_that_cannot_take_board() -> None:
    one_line(run("check", "-", "--backend", "automata", stdin=(b"?" * 13 + b"\n") * 13), "automata")


@pytest.mark.parametrize(
    "options",
    [
        ["--notation", "kaye"],
        ["--backend", "z3"],
        ["--mines", "many"],
        ["--limit", "0"],
        ["--offset", "-1"],
        ["--offset", "9" * 5000],
        ["--deadline", "soon"],
        ["--deadline", "nan"],
        ["--deadline", "-1"],
        ["--what"],
    ],
    ids=lambda options: " ".join(options)[:20],
)
def test_wrong_option_is_usage_error(board: str, options: list[str]) -> None:
    found = run("layouts", board, *options)
    assert found.exit_code == 2
    assert found.stdout == ""
    assert "Traceback" not in found.stderr


@pytest.mark.parametrize("backend", ["auto", "frontier", "sat", "cpsat", "exhaustive"])
@pytest.mark.parametrize("options", [[], ["--json"]])
def test_layouts_command_rejects_offset_beyond_last_layout(
    board: str, backend: str, options: list[str]
) -> None:
    for offset in ("4", str(2**64)):
        found = run("layouts", board, "--backend", backend, "--offset", offset, *options)
        one_line(
            found,
            f"--offset: The offset {offset} is above the number of layouts, which is 3. Send",
        )
    assert run("layouts", board, "--backend", backend, "--offset", "3", *options).exit_code == 0
    inconsistent = run("layouts", "-", "--offset", "2", *options, stdin=b"2?\n")
    assert (inconsistent.exit_code, inconsistent.stderr) == (1, "")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["check", "-", "--certificate"], "--certificate: only JSON shows it"),
        (["forced", "-", "--certificate"], "--certificate: only JSON shows it"),
        (["count", "-", "--address", "auto"], "--address: only with --engine ray"),
        (["batch", "-", "--address", "auto"], "--address: only with --engine ray"),
        (["board", "--solution", "--json"], "--solution"),
        (["key", "foo bar"], 'NAME: "foo bar" is not'),
    ],
    ids=lambda given: " ".join(given) if isinstance(given, list) else "",
)
def test_command_rejects_options_and_values_without_effect(
    arguments: list[str], message: str
) -> None:
    one_line(run(*arguments, stdin=b"1?\n"), f"minecheck: {message}")


def test_batch_command_accepts_exactly_the_tasks_of_batches() -> None:
    for task in QUESTIONS_BY_NAME:
        found = run("batch", "-", "--task", task, "--mines", "1", stdin=b'"?1?"\n')
        assert (found.exit_code == 0) == (task in BATCHED), found.stderr
        assert (found.stdout != "") == (task in BATCHED)


GAME = ["--height", "5", "--width", "6", "--mines", "6", "--seed", "1"]


def test_board_command_shows_board_or_solution() -> None:
    made = json.loads(run("board", *GAME, "--json").stdout)
    for options, rows in (([], made["board"]), (["--solution"], made["layout"])):
        found = run("board", *GAME, *options)
        assert (found.exit_code, found.stderr) == (0, "")
        assert drop_source(found.stdout).splitlines()[1:] == [f"  {row}" for row in rows]


def test_board_command_accepts_no_mines() -> None:
    made = run("board", "--rows", "2", "--cols", "3", "--mines", "0")
    assert drop_source(made.stdout).splitlines()[1:] == ["  000", "  000"]
    one_line(run("board", "--rows", "0"), "--rows: ")
    assert "missing" not in run("board", "--rows", "0").stderr


def test_board_command_shows_proofs_of_drill_only_with_solution() -> None:
    options = ("board", *GAME, "--technique", "1-1", "--seed", "3")
    drill = json.loads(run(*options, "--json").stdout)["drill"]
    hidden, shown = run(*options).stdout, run(*options, "--solution").stdout
    assert ", 1-1\n" in hidden
    for step in drill["steps"]:
        assert step["text"] in shown
        assert step["text"] not in hidden


@pytest.mark.parametrize("options", [[], ["--json"], ["--kind", "random"]])
def test_board_command_rejects_board_above_cell_limit(
    options: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MINECHECK_MAX_CELLS", "29")
    one_line(run("board", *GAME, *options), "at most 5 columns of 5 cells")
    monkeypatch.setenv("MINECHECK_MAX_CELLS", "30")
    assert run("board", *GAME, *options).exit_code == 0


def test_check_command_exits_with_3_at_deadline_without_answer() -> None:
    text = "\n".join(lattice(45)).encode()
    found = run("check", "-", "--backend", "exhaustive", "--deadline", "0.01", stdin=text)
    assert found.exit_code == 3
    assert "deadline" in found.stderr


@pytest.mark.slow
def test_layouts_command_without_deadline_blames_no_deadline() -> None:
    text = "\n".join(lattice(17)).encode()
    found = run("layouts", "-", "--limit", "1", stdin=text)
    assert found.exit_code == 0
    assert "deadline" not in found.stderr


def test_command_exits_with_3_when_standard_output_is_full(board: str) -> None:
    command = [sys.executable, "-m", "minecheck", "check", board, "--json"]
    with Path("/dev/full").open("wb") as full:
        found = subprocess.run(command, cwd=ROOT, stdout=full, stderr=subprocess.PIPE, check=False)
    assert found.returncode == 3
    assert b"Traceback" not in found.stderr


COMMANDS_WITHOUT_READER = [
    ["check", "-"],
    ["check", "-", "--json"],
    ["batch", "-", "--processes", "1"],
    ["--help"],
]


@pytest.mark.slow
@pytest.mark.parametrize("arguments", COMMANDS_WITHOUT_READER, ids=" ".join)
def test_command_exits_with_3_when_reader_of_output_has_left(arguments: list[str]) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    found = run_process(
        *arguments, stdin=b'["1?"]' if "batch" in arguments else b"1?", stdout=writer
    )
    os.close(writer)
    assert (found.returncode, found.stderr) == (3, b"")


@pytest.mark.slow
def test_command_exits_with_3_when_reader_leaves_early() -> None:
    board = "\n".join(lattice(11)).encode()
    command = [*COMMAND, "layouts", "-", "--limit", "3000", "--json"]
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    with running_program(command, **pipes) as process:
        assert process.stdin
        assert process.stdout
        assert process.stderr
        process.stdin.write(board)
        process.stdin.close()
        assert os.read(process.stdout.fileno(), 20) == b'{"consistent":true,"'
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 3


@pytest.mark.slow
@pytest.mark.parametrize("arguments", [["check", "missing"], ["check", "--mines", "x"]])
def test_command_exits_with_3_when_reader_of_standard_error_has_left(arguments: list[str]) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    found = run_process(*arguments, stderr=writer)
    os.close(writer)
    assert (found.returncode, found.stdout) == (3, b"")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("closing", "status", "message"),
    [
        ("check board >&-", 3, b"minecheck: standard output is closed"),
        ("check - <&-", 2, b"minecheck: -: standard input is closed\n"),
        ("batch - <&-", 2, b"minecheck: -: standard input is closed\n"),
        ("check missing 2>&-", 2, b""),
    ],
)
def test_command_names_closed_standard_stream(closing: str, status: int, message: bytes) -> None:
    found = subprocess.run(
        ["sh", "-c", f'"$@" {closing}', "sh", *COMMAND], cwd=ROOT, capture_output=True, check=False
    )
    assert (found.returncode, found.stdout) == (status, b"")
    assert found.stderr.startswith(message)
    assert found.stderr.count(b"\n") == bool(message)


def test_command_gives_verdict_with_closed_standard_error(board: str) -> None:
    command = ["sh", "-c", '"$@" 2>&-', "sh", *COMMAND, "check", board]
    found = subprocess.run(command, cwd=ROOT, capture_output=True, check=False)
    assert (found.returncode, found.stdout[:11]) == (0, b"consistent\n")


#: A program that runs the command line, and prints a line when a solver begins to work.
ANNOUNCING = """
import sys
from ortools.sat.python.cp_model_helper import SolveWrapper
from pysat.card import pycard
from minecheck.app.cli import board_files
from minecheck.app.cli.commands import COMMANDS
from minecheck.app.cli.ending import combine_statuses
from minecheck.app.cli.main import main

def announce(kind, name):
    work = getattr(kind, name)
    def announced(*given, **named):
        print("at work", flush=True)
        return work(*given, **named)
    setattr(kind, name, announced)

announce(pycard, "encode_atmost")
announce(SolveWrapper, "solve")
main()
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    "question",
    [["check", "--mines", "500", "--backend", "sat"], ["layouts", "--backend", "cpsat"]],
    ids=" ".join,
)
def test_command_interrupted_in_any_solver_exits_with_130(
    question: list[str], tmp_path: Path
) -> None:
    path = tmp_path / "board.txt"
    path.write_text("\n".join(lattice(61)), encoding="utf-8")
    command = [sys.executable, "-c", ANNOUNCING, question[0], str(path), *question[1:]]
    with running_program(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout
        assert process.stderr
        assert process.stdout.readline() == b"at work\n"
        process.send_signal(signal.SIGINT)
        assert process.stderr.read() == b""
    assert process.returncode == 130


@pytest.mark.slow
def test_serve_command_prints_curl_command_that_works() -> None:
    with serving(cli=True) as server:
        assert server.process.stdout is not None
        lines = [server.process.stdout.readline() for _ in range(3)]
        (command,) = [line.strip() for line in lines if line.strip().startswith("curl ")]
        found = subprocess.run(
            ["sh", "-c", f"{command} --silent"], capture_output=True, timeout=30, check=True
        )
        assert json.loads(found.stdout)["consistent"] is True
        family = server.family()
        server.stop()
    assert len(family) >= 3


#: Modules that a quick answer on the command line does not need.
HEAVY = (
    *("anyio", "fastapi", "graphviz", "multiprocessing", "opentelemetry", "ortools", "pandas"),
    *("prometheus_client", "pydantic_settings", "pygraphviz", "pysat", "ray", "redis", "rich"),
    *("starlette", "uvicorn", "minecheck.minefield.reader.any_text"),
)


@pytest.mark.parametrize("more", [[], ["--json"]])
def test_check_command_loads_no_heavy_modules_for_small_board(more: list[str]) -> None:
    code = f"""
import atexit, sys
# Numba loads coverage, and that multiprocessing, where it is installed: a tool of this project.
sys.modules["coverage"] = None
from minecheck.app.cli import board_files
from minecheck.app.cli.commands import COMMANDS
from minecheck.app.cli.ending import combine_statuses
from minecheck.app.cli.main import main
atexit.register(lambda: print(sorted({set(HEAVY)!r} & sys.modules.keys()), file=sys.stderr))
sys.argv = ["minecheck", "check", "-", *{more!r}]
main()
"""
    # A measurement of coverage would load multiprocessing as well.
    unmeasured = {k: v for k, v in os.environ.items() if not k.startswith("COVERAGE_")}
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env=unmeasured,
        input=b"?1?\n?2?\n???\n",
        capture_output=True,
        check=True,
    )
    assert done.stderr.split() == [b"[]"]


def test_check_command_answers_several_files_each_under_its_name(
    tmp_path: Path, board: str
) -> None:
    other = tmp_path / "other.txt"
    other.write_text("2?\n", encoding="utf-8")
    found = run("check", board, str(other))
    assert found.exit_code == 1
    assert found.stdout.startswith(f"{board}:\nconsistent\n")
    assert f"\n{other}:\ninconsistent\n" in found.stdout
    lines = run("check", board, str(other), "--json").stdout.splitlines()
    assert [json.loads(line)["consistent"] for line in lines] == [True, False]


def test_count_command_answers_good_files_beside_bad_file(board: str) -> None:
    found = run("count", "missing", board)
    assert found.exit_code == 2
    assert found.stderr == "minecheck: missing: No such file or directory.\n"
    assert f"{board}:\nconsistent\n" in found.stdout


@pytest.mark.parametrize("rows", ["1?/?1", r"1?\n?1"])
def test_count_command_says_how_to_send_rows_that_are_no_name_of_a_file(rows: str) -> None:
    assert f"For rows: printf '{rows}\\n' | minecheck check -" in run("count", rows).stderr


def test_run_command_takes_several_files(tmp_path: Path) -> None:
    for name, row in (("one", "?1?"), ("two", "?13?")):
        (tmp_path / name).write_text(f"{row}\n")
    found = run("run", "kadlac", str(tmp_path / "one"), str(tmp_path / "two"))
    assert found.exit_code == 1
    assert (found.stdout.count("\naccepted\n"), found.stdout.count("\nrejected\n")) == (1, 1)


@pytest.mark.parametrize("command", [["check"], ["run", "kadlac"], ["export", "--into", "dimacs"]])
def test_command_reads_piped_board_without_dash(command: list[str]) -> None:
    found = run(*command, stdin=b"?1?\n")
    assert (found.exit_code, found.stderr) == (0, "")
    assert drop_elapsed_text(found.stdout) == drop_elapsed_text(
        run(*command, "-", stdin=b"?1?\n").stdout
    )


def drop_elapsed_text(printed: str) -> list[str]:
    return [line for line in printed.splitlines() if "elapsed" not in line]


def test_command_without_board_on_terminal_exits_with_2(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    with pytest.raises(typer.Exit) as ended:
        board_files.list_sources([])
    assert ended.value.exit_code == 2


@pytest.mark.parametrize(
    ("statuses", "status"), [([0, 0], 0), ([0, 1], 1), ([3, 1, 0], 3), ([0, 3, 2, 1], 2)]
)
def test_exit_status_of_several_files_is_the_most_severe(statuses: list[int], status: int) -> None:
    assert combine_statuses(statuses) == status


@pytest.mark.parametrize("name", COMMANDS)
def test_list_of_commands_shows_first_paragraph_of_each_help(name: str) -> None:
    paragraph = (load_command(name).help or "").split("\n\n")[0]
    assert " ".join(paragraph.split()) == COMMANDS[name].summary


def test_every_question_of_catalogue_is_a_command() -> None:
    assert COMMANDS.keys() >= QUESTIONS_BY_NAME.keys()


def test_commands_print_tables_and_words_without_python_brackets() -> None:
    for command in (["strips", "--window", "0,0,1,4"], ["count"], ["analyze"], ["moves"]):
        options = ["--mines", "3"] if command == ["moves"] else []
        shown = run(*command, *options, stdin=b"?2??\n??1?\n").stdout
        assert not set("[]{}'") & set(shown), shown
    assert (
        "window: row 0, columns 0 to 3\n"
        in run("strips", "--window", "0,0,1,4", stdin=b"?2??\n??1?\n").stdout
    )
    assert (
        "  mines  layouts\n      2        4\n      3        2\n"
        in run("count", stdin=b"?2??\n??1?\n").stdout
    )


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (b"?12?11?\n", "error of type 2e, subtype 12XX at squares 1 to 2\n"),
        (b"2?\n", "error of type 2e at square 0, at the first square of the board\n"),
        (b"?13?\n", "error at square 2: no clue of a row is above 2\n"),
    ],
)
def test_run_command_names_types_of_kadlac_errors(row: bytes, message: str) -> None:
    assert message in run("run", "kadlac", stdin=row).stdout


@pytest.mark.slow
def test_play_command_is_unlisted_alias_of_simulate() -> None:
    assert run("play", "--games", "1", "--board", "3x3/0").exit_code == 0
    assert "\n  simulate " in run("--help").stdout
    assert "\n  play " not in run("--help").stdout


def test_shell_completion_lists_commands_and_options() -> None:
    def complete(line: str) -> list[str]:
        environment = {"_MINECHECK_COMPLETE": "complete_bash", "COMP_WORDS": line}
        environment["COMP_CWORD"] = str(len(line.split(" ")) - 1)
        done = subprocess.run(
            COMMAND, cwd=ROOT, env=os.environ | environment, capture_output=True, text=True
        )
        return done.stdout.split()

    assert complete("minecheck co") == ["count", "conflicts", "compose"]
    assert complete("minecheck check --mi") == ["--mines-per-cell", "--mines"]
