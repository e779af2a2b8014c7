"""A warm service compiles nothing while clients wait, whatever they ask."""

import json
import subprocess
import sys
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from minecheck.app.execution import warm
from tests.app.jobs import QUESTIONS_BY_NAME

ROOT = Path(__file__).parents[3]
BOARDS = [
    *("?1?", "?", "1", "????????1?", "3?", "F1?", "??????1??????"),
    *("?1?\n???", "?2?4??\n???B2?", "1\n?\n?", "S?\n?1", "3?\n??"),
    *("?1?\n???\n???", "1??\n?2?\n??1", "F1?\n???\n?S?", "11?\n???\n3??"),
    "\n".join(["?" * 12] * 12),
    "\n".join(["?????", "?2?3?", "?????", "?3?2?", "?????"] * 5),
]
TRIANGLE = [{"cells": ["a", "b"], "mines": 1}, {"cells": ["b", "c"], "low": 0, "high": 1}]
OPTIONS: list[dict[str, Any]] = [
    *({}, {"mines": 3}, {"density": "1/5"}, {"fractions": True}, {"certificate": True}),
    *({"backend": "automata"}, {"backend": "frontier"}, {"backend": "exhaustive"}),
    *({"backend": "sat"}, {"backend": "cpsat"}, {"backend": "frontier", "mines": 3}),
    *({"density": "1/1000000000000000000"}, {"offset": 2, "limit": 1}, {"flags": "trust"}),
    *({"row": 0, "col": 0, "height": 1, "width": 2}, {"limit": 3, "seed": 7}, {"cell": [0, 0]}),
    {"window": "0,0,1,2"},
]

#: A program for a process of its own, which has compiled nothing yet.
SCRIPT = """
import json, sys
from numba.core import event
from typer.testing import CliRunner
from tests.batch_lines import number_lines
from minecheck.app.batch import lines
from minecheck.app.batch.lines import LineTemplate
from minecheck.app.cli.program import Program
from minecheck.app.execution import warm
from minecheck.app.catalogue import QUESTIONS
from minecheck.app.settings import Settings
from minecheck.app.telemetry.faults import log_fault
from minecheck.minefield import Layout, parse
from minecheck.minefield.game import Game
from minecheck.solvers import FULL
from minecheck.solvers.games.generator import BoardOptions, Guarantee, generate_board
from minecheck.solvers.reasons.deduction import Level

compiled = []

class Compiled(event.Listener):
    def on_start(self, happened):
        compiled.append(repr(happened.data["dispatcher"].py_func) + str(happened.data["args"]))
    def on_end(self, happened):
        pass

warm.load_kernels()
event.register("numba:compile", Compiled())
requests = json.load(sys.stdin)
answers = 0
for operation in QUESTIONS:
    for one in [*requests, *(example.request for example in operation.examples.values())]:
        line = json.dumps(dict(one)).encode()
        template = LineTemplate(operation, {}, Settings())
        (answer,) = lines.answer_unbounded(template, number_lines([line]), FULL, log_fault)
        answers += b'"solver"' in answer
for kind in Guarantee:
    generate_board(BoardOptions(9, 9, 20, kind, (4, 4), 0))
generate_board(BoardOptions(9, 9, 30, Guarantee.GUESS_FREE, (4, 4), 0, Level.TRIVIAL))
runner = CliRunner()
for command in ("check", "analyze", "layouts", "explain", "show"):
    for text in ("1?\\n??", "?1?", "???\\n?3?\\n???\\n"):
        runner.invoke(Program(), [command, "-"], input=text)
print(json.dumps([answers, compiled]))
"""


def questions() -> Iterator[dict[str, Any]]:
    for board, options in product(BOARDS, OPTIONS):
        yield {"board": board, **options}
    for options in OPTIONS:
        yield {"rules": TRIANGLE, "total_cells": 4, **options}


@pytest.mark.slow
def test_warm_service_compiles_nothing_for_any_question() -> None:
    ran = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        input=json.dumps(list(questions())),
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    answers, compiled = json.loads(ran.stdout)
    assert answers > 20 * len(QUESTIONS_BY_NAME)
    assert compiled == []


def test_every_kernel_has_one_signature_and_kernels_are_few() -> None:
    warm.load_kernels()
    assert all(kernel.loaded for kernel in warm.list_kernels())
    assert all(len(kernel.signatures) <= 1 for kernel in warm.list_declared())
    assert len(warm.list_declared()) < 140


def test_borrowing_kernels_call_only_borrowing_kernels() -> None:
    kernels = {compiled.kernel.py_func: compiled for compiled in warm.list_declared()}
    # They count no references to arrays.
    borrowing = [kernel for kernel in kernels.values() if "_nrt" in kernel.targetoptions]
    assert borrowing
    for kernel in borrowing:
        called = [kernels[one] for one in kernel.source if one in kernels]
        assert all(one in borrowing for one in called), kernel.kernel.py_func.__qualname__


def test_kernel_rejects_argument_of_another_type() -> None:
    (kernel,) = (one for one in warm.list_kernels() if one.py_func.__name__ == "find_safest")
    with pytest.raises(TypeError):
        kernel([1, 2], "three")


def test_compile_missing_leaves_no_kernel_uncompiled() -> None:
    warm.compile_missing()
    assert warm.list_missing() == []
