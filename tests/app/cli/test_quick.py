"""Small boards are answered before Numba is loaded, with the same answers."""

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from minecheck.app.cli import quick
from minecheck.app.cli.commands import COMMANDS
from minecheck.minefield.kernel_mode import VARIABLE, Mode
from tests.app.questions.responses import drop_elapsed
from tests.processes import ROOT

SMALL = "?1?\n?2?\n???\n"
LARGE = "???????\n" * 7


def choose(monkeypatch: pytest.MonkeyPatch, arguments: list[str], stdin: str = SMALL) -> str | None:
    """Return what the choice for a command writes into the environment."""
    monkeypatch.setenv(VARIABLE, "")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin.encode())))
    quick.choose_kernels(arguments)
    return os.environ.get(VARIABLE) or None


@pytest.mark.parametrize(
    "arguments",
    [
        ["check"],
        ["check", "-"],
        ["count", "--mines", "3", "-"],
        ["count", "--mines=3", "--json"],
        ["count", "-m", "3", "-"],
        ["explain", "--help"],
        ["-h"],
    ],
    ids=" ".join,
)
def test_quick_command_runs_kernels_of_small_boards_and_help_in_interpreter(
    monkeypatch: pytest.MonkeyPatch, arguments: list[str]
) -> None:
    assert choose(monkeypatch, arguments) == Mode.PYTHON


@pytest.mark.parametrize(
    ("arguments", "stdin"),
    [
        (["check"], LARGE),
        (["explain"], SMALL),
        (["check", "--lies", "1"], SMALL),
        (["check", "--backend", "sat"], SMALL),
        (["check", "missing"], SMALL),
        (["serve"], ""),
        ([], ""),
    ],
    ids=str,
)
def test_quick_command_leaves_long_questions_to_machine_code(
    monkeypatch: pytest.MonkeyPatch, arguments: list[str], stdin: str
) -> None:
    assert choose(monkeypatch, arguments, stdin) is None


def test_quick_command_adds_up_boards_of_several_files(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    files = [tmp_path / f"{number}.txt" for number in range(3)]
    for file in files:
        file.write_text("????\n????\n????\n")
    names = list(map(str, files))
    assert choose(monkeypatch, ["check", *names[:2]]) == Mode.PYTHON
    assert choose(monkeypatch, ["check", *names]) is None


def test_quick_command_leaves_measured_standard_input_readable(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert choose(monkeypatch, ["check"], LARGE) is None
    assert sys.stdin.read() == LARGE


def test_quick_command_keeps_kernel_mode_of_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, Mode.COMPILED)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(SMALL.encode())))
    quick.choose_kernels(["check"])
    assert os.environ[VARIABLE] == Mode.COMPILED


def test_quick_questions_are_commands() -> None:
    assert COMMANDS.keys() >= quick._QUESTIONS


#: A program that runs a command, and prints at its end which of some modules were loaded.
LOADING = """
import atexit, sys
from minecheck.app.cli.main import main
watched = set(sys.argv.pop(1).split(","))
atexit.register(lambda: print(sorted(watched & sys.modules.keys()), file=sys.stderr))
main()
"""


def run_watching(
    watched: str, *arguments: str, mode: str = "", stdin: str = SMALL
) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-c", LOADING, watched, *arguments],
        cwd=ROOT,
        env=os.environ | {VARIABLE: mode},
        input=stdin,
        capture_output=True,
        text=True,
        check=True,
    )


@pytest.mark.parametrize(
    ("arguments", "watched"),
    [
        (("--version",), "typer,numpy,minecheck.minefield"),
        (("--help",), "rich,numpy,minecheck.minefield,pydantic"),
        (("check",), "numba,rich"),
        (("check", "--help"), "numba,rich"),
    ],
    ids=str,
)
def test_command_does_not_load_unneeded_modules(arguments: tuple[str, ...], watched: str) -> None:
    assert run_watching(watched, *arguments).stderr == "[]\n"


@pytest.mark.slow
@pytest.mark.parametrize("task", sorted(quick._QUESTIONS))
@pytest.mark.parametrize("rows", [SMALL, "11?\n???\n3??\n"])
def test_kernels_in_interpreter_and_machine_code_give_equal_answers(task: str, rows: str) -> None:
    answers = []
    seed = ("--seed", "1") if task == "sample" else ()
    for mode in ("", "compiled"):
        ran = subprocess.run(
            [sys.executable, "-m", "minecheck", task, "--json", *seed],
            cwd=ROOT,
            env=os.environ | {VARIABLE: mode},
            input=rows,
            capture_output=True,
            text=True,
            check=False,
        )
        answers.append((ran.returncode, drop_elapsed(json.loads(ran.stdout))))
    assert answers[0] == answers[1]
