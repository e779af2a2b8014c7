"""Commands load only what they need: small boards are answered before Numba is loaded."""

import json
import os
import subprocess
import sys

import pytest

from minecheck.minefield.kernel_mode import VARIABLE
from tests.app.questions.responses import drop_elapsed
from tests.processes import ROOT

SMALL = "?1?\n?2?\n???\n"
LARGE = "???????\n" * 7
QUICK = ("check", "count", "forced", "analyze", "layouts", "sample", "conflicts")


#: A program that runs a command, and prints at its end which of some modules were loaded.
LOADING = """
import atexit, sys
from minecheck.app.cli.main import main
watched = set(sys.argv.pop(1).split(","))
atexit.register(lambda: print(sorted(watched & sys.modules.keys()), file=sys.stderr))
main()
"""


def run_python(
    *arguments: str, mode: str = "", stdin: str = SMALL
) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=ROOT,
        env=os.environ | {VARIABLE: mode},
        input=stdin,
        capture_output=True,
        text=True,
        check=False,
    )


def list_loaded(watched: str, *arguments: str, stdin: str = SMALL) -> str:
    """Run a command, and return what it prints as errors: last, which modules it loaded."""
    ran = run_python("-c", LOADING, watched, *arguments, stdin=stdin)
    ran.check_returncode()
    return ran.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "watched"),
    [
        (("--version",), "typer,numpy,minecheck.minefield"),
        (("--help",), "rich,numpy,minecheck.minefield,pydantic"),
        (("check",), "numba,rich"),
        (("count", "--mines", "2", "--json", "-"), "numba,rich"),
        (("check", "--help"), "numba,rich"),
        (("explain", "--help"), "numba,rich"),
    ],
    ids=str,
)
def test_command_does_not_load_unneeded_modules(arguments: tuple[str, ...], watched: str) -> None:
    assert list_loaded(watched, *arguments) == "[]\n"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "stdin"),
    [
        (("check",), LARGE),
        (("explain",), SMALL),
        (("check", "--lies", "1"), SMALL),
        (("check", "--backend", "automata"), SMALL),
    ],
    ids=str,
)
def test_command_answers_long_questions_in_machine_code(
    arguments: tuple[str, ...], stdin: str
) -> None:
    assert list_loaded("numba", *arguments, stdin=stdin).endswith("['numba']\n")


@pytest.mark.slow
@pytest.mark.parametrize("task", QUICK)
@pytest.mark.parametrize("rows", [SMALL, "11?\n???\n3??\n"])
def test_kernels_in_interpreter_and_machine_code_give_equal_answers(task: str, rows: str) -> None:
    answers = []
    seed = ("--seed", "1") if task == "sample" else ()
    for mode in ("", "compiled"):
        ran = run_python("-m", "minecheck", task, "--json", *seed, mode=mode, stdin=rows)
        answers.append((ran.returncode, drop_elapsed(json.loads(ran.stdout))))
    assert answers[0] == answers[1]
