"""Answers of one way to run kernels, to compare with another: ``python -m tests.kernel_answers``.

Each line of the standard input is a request, ``["question", {fields}]``; each line of the output is
its answer, or its problem, without what differs from run to run. Kernels run as
``MINECHECK_KERNELS`` says (`minefield.kernel_mode`).
"""

import json
import os
import subprocess
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any, Final, TypeAlias

import numpy as np
from hypothesis import strategies as st

from minecheck.app.batch import lines
from minecheck.app.batch.lines import LineTemplate
from minecheck.app.catalogue import OPERATIONS, QUESTIONS
from minecheck.app.settings import Settings
from minecheck.app.telemetry.faults import Fault
from minecheck.minefield import draw
from minecheck.minefield.board import UNKNOWN, Board
from minecheck.minefield.layout import Layout
from minecheck.solvers import FULL
from minecheck.solvers.backend import Backend
from tests.batch_lines import number_lines
from tests.boards import mines_totals, small_boards, strip_boards
from tests.processes import running_program

#: An operation by name, and the fields of the request.
Request: TypeAlias = tuple[str, dict[str, Any]]
#: What a kernel raised stands in the answer under this key.
RAISED: Final = "raised"

_SECONDS: Final = 100
_BACKENDS: Final = [None, None, None, *Backend]


@cache
def _make_template(name: str) -> LineTemplate:
    (operation,) = (one for one in OPERATIONS if one.name == name)
    settings = Settings(deadline_ms=1000 * _SECONDS, max_deadline_ms=1000 * _SECONDS)
    return LineTemplate(operation, {}, settings)


def _fail(fault: Fault) -> None:
    """Raise what would cost one line elsewhere: here it is what is looked for."""
    raise RuntimeError(str(fault))


def answer(request: Request) -> dict[str, Any]:
    """Answer a request with the kernels of this process."""
    name, fields = request
    try:
        (content,) = lines.answer_unbounded(
            _make_template(name), number_lines([json.dumps(fields).encode()]), FULL, _fail
        )
    except Exception as error:  # noqa: BLE001 - whatever it is, it is what is looked for
        return {RAISED: "".join(traceback.format_exception(error)[-4:])}
    found: dict[str, Any] = json.loads(content)
    if isinstance(found.get("solver"), dict):
        found["solver"].pop("elapsed_ms", None)
    return found


@contextmanager
def answering_apart(mode: str) -> Iterator[Callable[[Request], dict[str, Any]]]:
    """Start a process whose kernels run in a mode; what is given answers requests there."""
    command = [sys.executable, "-m", "tests.kernel_answers"]
    environment = os.environ | {"MINECHECK_KERNELS": mode}
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with running_program(command, env=environment, **pipes) as process:
        assert process.stdin is not None, "as asked for"
        assert process.stdout is not None, "as asked for"
        given, output = process.stdin, process.stdout

        def ask(request: Request) -> dict[str, Any]:
            given.write(json.dumps(request) + "\n")
            given.flush()
            line = output.readline()
            found: dict[str, Any] = json.loads(line) if line else {RAISED: "the process ended"}
            return found

        yield ask


def examples_of_requests() -> list[Request]:
    """The examples of all operations, as documentation has them."""
    found = [
        (operation.name, dict(example.request))
        for operation in OPERATIONS
        if operation.batched
        for example in operation.examples.values()
    ]
    copied: list[Request] = json.loads(json.dumps(found))
    return copied


@st.composite
def requests(draw_from: st.DrawFn) -> Request:
    """Questions of all kinds about boards that kernels in Python answer within a second."""
    board = draw_from(st.one_of(small_boards(), strip_boards(cells=24), _positions()))
    name = draw_from(st.sampled_from([operation.name for operation in QUESTIONS]))
    fields: dict[str, Any] = {"board": draw(board)}
    mines = draw_from(st.none() | mines_totals(board))
    if mines is not None or name == "moves":
        fields["mines"] = mines or 1
    if name in ("check", "count", "forced", "analyze", "layouts", "sample"):
        backend = draw_from(st.sampled_from(_BACKENDS))
        if backend is not None:
            fields["backend"] = str(backend)
    if (
        name in ("count", "analyze", "sample")
        and "mines" not in fields
        and draw_from(st.booleans())
    ):
        fields["density"] = draw_from(st.sampled_from(["1/5", "1/3", "1/1000000000000000000"]))
    if name == "sample":
        fields |= {"seed": draw_from(st.integers(0, 100)), "limit": 2}
    if name == "layouts":
        fields["limit"] = 5
    return name, fields


@st.composite
def _positions(draw_from: st.DrawFn) -> Board:
    """Positions of games, a little more than half open."""
    height, width = draw_from(st.integers(3, 8)), draw_from(st.integers(3, 8))
    random = np.random.default_rng(draw_from(st.integers(0, 2**32 - 1)))
    layout = Layout(random.random((height, width)) < 0.2)
    shown = ~layout.mines & (random.random((height, width)) < draw_from(st.floats(0.6, 1)))
    return Board(np.where(shown, layout.count_neighbours(), np.int8(UNKNOWN)))


def main() -> None:
    """Answer line by line, so that the reader has each answer at once."""
    for line in sys.stdin:
        name, fields = json.loads(line)
        print(json.dumps(answer((name, fields))), flush=True)


if __name__ == "__main__":
    main()
