"""Small boards are answered before Numba is loaded, with the same answers."""

import json
import os
import subprocess
import sys
from typing import Any

import pytest

import minecheck
from minecheck.minefield import parse
from minecheck.minefield.kernel_mode import MODE, Mode
from minecheck.solvers.library import first_answers
from minecheck.solvers.library.first_answers import FIRST_ANSWERS, FirstAnswers
from minecheck.solvers.tasks.analyze import Analyze
from minecheck.solvers.tasks.explain import Explain
from tests.app.questions.responses import drop_elapsed
from tests.clocks import LONG
from tests.processes import ROOT

QUICK = ("check", "count", "forced", "analyze", "layouts", "sample", "conflicts")
BOARDS = ("?1?", "?1?\n?2?\n???", "11?\n???\n3??", "?????\n?2?3?\n?????\n1???F\n?????", "?F1\n???")

#: Asks questions in a process of its own, and tells what was loaded before and after a large board.
ASKING = """
import json, sys
import minecheck
from minecheck.solvers.library.first_answers import FIRST_ANSWERS
FIRST_ANSWERS.seconds_left = float("inf")
questions = json.load(sys.stdin)
answers = [
    getattr(minecheck, name)(board, **options).to_dict() for name, board, options in questions
]
before = "numba" in sys.modules
minecheck.count(["?" * 9] * 9, 10)
print(json.dumps([answers, before, "numba" in sys.modules]))
"""


def ask_fresh_process(questions: list[Any]) -> Any:
    """Return the answers of a process without Numba, and if that was loaded before and after."""
    ran = subprocess.run(
        [sys.executable, "-c", ASKING],
        input=json.dumps(questions),
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout)


@pytest.mark.slow
@pytest.mark.parametrize("board", BOARDS)
def test_first_answers_come_without_numba_and_equal_those_of_machine_code(
    monkeypatch: pytest.MonkeyPatch, board: str
) -> None:
    questions = [(name, board, {"seed": 1} if name == "sample" else {}) for name in QUICK]
    answers, before, after = ask_fresh_process(questions)
    assert (before, after) == (False, MODE is not Mode.PYTHON)
    monkeypatch.setattr(FIRST_ANSWERS, "seconds_left", 0.0)
    for (name, board, options), answer in zip(questions, answers, strict=True):
        expected = getattr(minecheck, name)(board, **options).to_dict()
        assert drop_elapsed(answer) == drop_elapsed(json.loads(json.dumps(expected)))


@pytest.mark.slow
@pytest.mark.parametrize(("mode", "is_numba_loaded"), [("", False), ("compiled", True)])
def test_first_answers_run_kernels_as_the_variable_says(mode: str, is_numba_loaded: bool) -> None:
    code = 'import sys, minecheck; minecheck.check("?1?"); print("numba" in sys.modules)'
    ran = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env=os.environ | {"MINECHECK_KERNELS": mode},
        capture_output=True,
        text=True,
    )
    assert ran.stdout.strip() == str(is_numba_loaded), ran.stderr


@pytest.mark.parametrize(
    ("kind", "rows", "options", "seconds", "taken"),
    [
        (Analyze, "?1?", {"mines"}, 1.0, True),
        (Analyze, "?" * 31, {"mines"}, 1.0, False),
        (Analyze, "?1?", {"certificate"}, 1.0, False),
        (Analyze, "?1?", {"mines"}, 0.0, False),
        (Explain, "?1?", {"mines"}, 1.0, False),
    ],
    ids=["small", "large board", "certificate", "no time left", "long question"],
)
def test_interpreter_takes_small_questions_while_it_has_time(
    monkeypatch: pytest.MonkeyPatch,
    kind: Any,
    rows: str,
    options: set[str],
    seconds: float,
    taken: bool,
) -> None:
    monkeypatch.setattr(first_answers, "is_numba_loaded", lambda: False)
    assert FirstAnswers(seconds).has_time_for(kind, parse(rows), options) is taken
    monkeypatch.setattr(first_answers, "is_numba_loaded", lambda: True)
    assert not FirstAnswers(seconds).has_time_for(kind, parse(rows), options)


def test_interpreted_answers_use_up_their_time() -> None:
    first = FirstAnswers(LONG)
    with first.interpret():
        minecheck.count("?1?")
    assert first.seconds_left < LONG


@pytest.mark.parametrize(
    ("question", "taken"),
    [
        (Analyze(parse("?1?")), True),
        (Analyze(parse("?1?"), mines=1), True),
        (Analyze(parse("?1?"), certificate=True), False),
        (Explain(parse("?1?")), False),
    ],
    ids=["small", "with a total", "certificate", "long question"],
)
def test_interpret_small_takes_time_only_for_small_questions(
    monkeypatch: pytest.MonkeyPatch, question: Any, taken: bool
) -> None:
    monkeypatch.setattr(first_answers, "is_numba_loaded", lambda: False)
    first = FirstAnswers(LONG)
    with first.interpret_small(question):
        parse("?1?")
    assert (first.seconds_left < LONG) is taken
