"""One way through: a request is read once, looked at once, reduced once, with traces or without."""

import json
import pickle
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from types import SimpleNamespace
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from minecheck.app import main
from minecheck.app.execution import at_once as rung
from minecheck.app.execution.cache import Cache
from minecheck.app.execution.ladder import Ladder
from minecheck.app.questions import puzzles
from minecheck.app.requests import body, jobs
from minecheck.app.requests.jobs import Job
from minecheck.app.settings import Settings
from minecheck.app.telemetry import tracing
from minecheck.minefield.reduction import kernels
from minecheck.solvers import Answer, Effort, Progress, answer_question, at_once
from minecheck.solvers.backends import auto
from tests.app.serving import lattice

ELAPSED = re.compile(rb'(?<="elapsed_ms":)[0-9.e-]+')
#: A position of 60 rows and columns: a wall of twos along a hidden row of mines.
POSITION = [*["0" * 60] * 58, "2" + "3" * 58 + "2", "?" * 60]
INCONSISTENT = [*["0" * 60] * 57, "0" + "1" * 58 + "0", "2" + "3" * 58 + "2", "?" * 60]
#: One component is too wide for a position, and too hard for little effort.
WIDE = [row + "?" * 39 for row in lattice(21)] + ["?" * 60] * 39


class Here:
    """In place of workers: what they do is done in this process, with what they would be sent."""

    def __init__(self) -> None:
        self.timed = self
        self.bounded = self.unbounded = SimpleNamespace(run=None)
        self.efforts: list[Effort] = []

    def hold_place(self) -> Any:
        return nullcontext()

    async def work_on_answer(
        self,
        run: None,
        job: Job,
        effort: Effort,
        progress: Progress | None,
        use: Callable[[Job, Answer], Any],
        client_left: object,
    ) -> Any:
        self.efforts.append(effort)
        sent: Progress | None = pickle.loads(pickle.dumps(progress))
        return use(job, answer_question(job.question, job.deadline, effort, progress=sent))


def service(tracing: bool = False) -> FastAPI:
    """A service without processes of its own."""
    app = main.create_app(Settings(tracing=tracing))
    app.state.ready = True
    app.state.workers = Here()
    app.state.ladder = Ladder(app.state.workers, Cache(0))
    return app


def post(app: FastAPI, path: str, asked: Any) -> bytes:
    response = TestClient(app).post(path, json=asked)
    assert response.status_code == 200, response.text
    return ELAPSED.sub(b"0", response.content)


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> Counter[Any]:
    """How often the body of a request is read, the board looked at, and clues reduced."""
    found: Counter[Any] = Counter()

    def count(owner: Any, name: str, told: str) -> None:
        work: Callable[..., Any] = getattr(owner, name)

        def counting(*given: Any, **named: Any) -> Any:
            found[told] += 1
            return work(*given, **named)

        monkeypatch.setattr(owner, name, counting)

    count(rung, "answer_lines", "read")
    count(body, "read_json", "read as JSON")
    count(jobs, "read_json", "read as JSON")
    count(puzzles, "parse", "read as a board")
    for owner, name in ((at_once, "most_of"), (auto, "solve_position")):
        count(owner, name, "looked")
    reduce = kernels.reduce

    def reducing(*given: Any) -> Any:
        # By what is reduced: parts of a conflict are other problems.
        found["reduced", *(part.tobytes() for part in given[:-1]), given[-1]] += 1
        return reduce(*given)

    monkeypatch.setattr(kernels, "reduce", reducing)
    return found


def reductions(counted: Counter[Any]) -> list[int]:
    """How often each problem was reduced."""
    return [times for what, times in counted.items() if isinstance(what, tuple)]


@pytest.mark.parametrize("path", ["/v1/check", "/v1/analyze"])
def test_a_large_position_is_read_once_and_needs_no_worker(
    path: str, counted: Counter[Any]
) -> None:
    app = service()
    assert b'"consistent":true' in post(app, path, {"board": POSITION})
    assert counted == {"read": 1}
    assert app.state.workers.efforts == []


def test_a_large_inconsistent_board_is_read_looked_at_and_reduced_once(
    counted: Counter[Any],
) -> None:
    found = json.loads(post(service(), "/v1/analyze", {"board": INCONSISTENT}))
    assert found["consistent"] is False
    # It was looked at as it was read.
    assert {what for what in counted if isinstance(what, str)} == {"read"}
    assert counted["read"] == 1
    assert set(reductions(counted)) == {1}


def test_from_effort_to_effort_nothing_is_read_looked_at_or_reduced_again(
    counted: Counter[Any],
) -> None:
    app = service()
    post(app, "/v1/count", {"board": WIDE, "deadline_ms": 30_000})
    assert len(app.state.workers.efforts) == 2
    assert counted["read as JSON"] == counted["read as a board"] == counted["looked"] == 1
    assert set(reductions(counted)) == {1}


def test_of_a_position_but_for_a_wide_component_only_that_one_is_reduced(
    counted: Counter[Any],
) -> None:
    assert b'"complete":true' in post(service(), "/v1/forced", {"board": WIDE})
    assert {what for what in counted if isinstance(what, str)} == {"read"}
    assert counted["read"] == 1
    assert reductions(counted) == [1]


@contextmanager
def modules_entered() -> Iterator[set[str]]:
    """The modules of the project whose functions are called meanwhile."""
    found: set[str] = set()

    def note(frame: Any, event: str, _: object) -> None:
        name = frame.f_globals.get("__name__", "")
        if event == "call" and name.startswith("minecheck."):
            found.add(name)

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        yield found
    finally:
        sys.setprofile(before)


#: What every request passes, whatever it asks.
AROUND = ("minecheck.app.middleware.", "minecheck.app.telemetry.", "minecheck.app.routes.page")


def way(app: FastAPI, path: str, asked: Any) -> tuple[bytes, set[str]]:
    """The answer, and the modules that the request enters behind what is around all of them."""
    content = json.dumps(asked).encode()
    entered: set[str] = set()
    stack = app.middleware_stack
    assert stack is not None

    async def watched(scope: Any, receive: Any, send: Any) -> None:
        with modules_entered() as found:
            await stack(scope, receive, send)
        entered.update(name for name in found if not name.startswith(AROUND))

    app.middleware_stack = watched
    client = TestClient(app)
    kind = {"Content-Type": "application/json"}
    # What is loaded or made at first use is no part of the way.
    client.post(path, content=content, headers=kind)
    entered.clear()
    answered = client.post(path, content=content, headers=kind)
    assert answered.status_code == 200, answered.text
    return ELAPSED.sub(b"0", answered.content), entered


@pytest.mark.parametrize("board", [POSITION, INCONSISTENT, ["1?1", "???", "1?1"], ["?1?"]])
def test_with_traces_a_request_takes_the_same_way(
    board: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = pytest.importorskip(
        "opentelemetry.sdk.trace.export.in_memory_span_exporter"
    ).InMemorySpanExporter()
    monkeypatch.setattr(tracing, "_build_exporter", lambda: memory)
    asked = {"board": board}
    assert way(service(True), "/v1/analyze", asked) == way(service(), "/v1/analyze", asked)


def test_a_position_takes_at_most_fifteen_modules() -> None:
    _, entered = way(service(), "/v1/analyze", {"board": POSITION})
    assert len(entered) <= 15, sorted(entered)
