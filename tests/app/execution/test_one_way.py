"""A request is read once, looked at once and reduced once, with traces or without."""

import json
import pickle
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import inf
from types import SimpleNamespace
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from minecheck.app import main
from minecheck.app.execution import at_once
from minecheck.app.execution.cache import Cache
from minecheck.app.execution.ladder import Ladder
from minecheck.app.execution.work_slots import WorkSlots
from minecheck.app.games.stores import MemoryGames
from minecheck.app.questions import puzzles
from minecheck.app.requests import body, jobs
from minecheck.app.requests.jobs import Job
from minecheck.app.settings import Settings
from minecheck.app.telemetry import tracing
from minecheck.minefield.reduction import kernels
from minecheck.solvers import Answer, Effort, Progress, answer_question, position_answers
from minecheck.solvers.backends import auto
from tests.app.serving import lattice

ELAPSED = re.compile(rb'(?<="elapsed_ms":)[0-9.e-]+')
#: A position of 60 rows and columns: a wall of twos along a hidden row of mines.
POSITION = [*["0" * 60] * 58, "2" + "3" * 58 + "2", "?" * 60]
INCONSISTENT = [*["0" * 60] * 57, "0" + "1" * 58 + "0", "2" + "3" * 58 + "2", "?" * 60]
#: A board with a component that is too wide for a position, and too hard for little effort.
WIDE = [row + "?" * 39 for row in lattice(21)] + ["?" * 60] * 39


class WorkersInProcess:
    """A stand-in for workers, which works in this process with pickled progress."""

    def __init__(self) -> None:
        self.timed = self
        self.slots = WorkSlots(inf)
        self.bounded = self.unbounded = SimpleNamespace(run=None)
        self.efforts: list[Effort] = []

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
    """Return a service without worker processes."""
    app = main.create_app(Settings(tracing=tracing))
    app.state.ready = True
    app.state.workers = WorkersInProcess()
    app.state.ladder = Ladder(app.state.workers, Cache(0), MemoryGames(1, 1))
    return app


def post(app: FastAPI, path: str, request: Any) -> bytes:
    response = TestClient(app).post(path, json=request)
    assert response.status_code == 200, response.text
    return ELAPSED.sub(b"0", response.content)


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> Counter[Any]:
    """The numbers of times that a body is read, its board looked at, and clues reduced."""
    found: Counter[Any] = Counter()

    def count(owner: Any, name: str, label: str) -> None:
        work: Callable[..., Any] = getattr(owner, name)

        def counting(*given: Any, **named: Any) -> Any:
            found[label] += 1
            return work(*given, **named)

        monkeypatch.setattr(owner, name, counting)

    count(at_once, "answer_position_lines", "read")
    count(body, "read_json", "read as JSON")
    count(jobs, "read_json", "read as JSON")
    count(puzzles, "parse", "read as a board")
    for owner, name in ((position_answers, "solve_narrow_components"), (auto, "solve_position")):
        count(owner, name, "looked")
    reduce = kernels.reduce

    def reducing(*given: Any) -> Any:
        # Each problem is counted by itself: parts of a conflict are other problems.
        found["reduced", *(part.tobytes() for part in given[:-1]), given[-1]] += 1
        return reduce(*given)

    monkeypatch.setattr(kernels, "reduce", reducing)
    return found


def reductions(calls: Counter[Any]) -> list[int]:
    """Return how often each problem was reduced."""
    return [times for what, times in calls.items() if isinstance(what, tuple)]


@pytest.mark.parametrize("path", ["/v1/check", "/v1/analyze"])
def test_large_position_is_read_once_and_needs_no_worker(path: str, calls: Counter[Any]) -> None:
    app = service()
    assert b'"consistent":true' in post(app, path, {"board": POSITION})
    assert calls == {"read": 1}
    assert app.state.workers.efforts == []


def test_large_inconsistent_board_is_read_and_reduced_once(
    calls: Counter[Any],
) -> None:
    found = json.loads(post(service(), "/v1/analyze", {"board": INCONSISTENT}))
    assert found["consistent"] is False
    # The board was looked at while it was read.
    assert {what for what in calls if isinstance(what, str)} == {"read"}
    assert calls["read"] == 1
    assert set(reductions(calls)) == {1}


@pytest.mark.slow
def test_efforts_do_not_read_look_at_or_reduce_board_again(
    calls: Counter[Any],
) -> None:
    app = service()
    post(app, "/v1/count", {"board": WIDE, "deadline_ms": 30_000})
    assert len(app.state.workers.efforts) == 2
    assert calls["read as JSON"] == calls["read as a board"] == calls["looked"] == 1
    assert set(reductions(calls)) == {1}


def test_only_wide_component_of_large_position_is_reduced(
    calls: Counter[Any],
) -> None:
    assert b'"complete":true' in post(service(), "/v1/forced", {"board": WIDE})
    assert {what for what in calls if isinstance(what, str)} == {"read"}
    assert calls["read"] == 1
    assert reductions(calls) == [1]


@contextmanager
def modules_entered() -> Iterator[set[str]]:
    """Yield the modules of the project whose functions are called meanwhile."""
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


#: Modules that every request passes.
AROUND = ("minecheck.app.middleware.", "minecheck.app.telemetry.", "minecheck.app.routes.page")


def post_and_list_modules(app: FastAPI, path: str, request: Any) -> tuple[bytes, set[str]]:
    """Return the answer, and the modules that the request enters besides those of all requests."""
    content = json.dumps(request).encode()
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
    # The first request loads modules, which does not count.
    client.post(path, content=content, headers=kind)
    entered.clear()
    response = client.post(path, content=content, headers=kind)
    assert response.status_code == 200, response.text
    return ELAPSED.sub(b"0", response.content), entered


@pytest.mark.parametrize("board", [POSITION, INCONSISTENT, ["1?1", "???", "1?1"], ["?1?"]])
def test_request_enters_equal_modules_with_and_without_traces(
    board: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = pytest.importorskip(
        "opentelemetry.sdk.trace.export.in_memory_span_exporter"
    ).InMemorySpanExporter()
    monkeypatch.setattr(tracing, "_build_exporter", lambda: memory)
    request = {"board": board}
    assert post_and_list_modules(service(True), "/v1/analyze", request) == post_and_list_modules(
        service(), "/v1/analyze", request
    )


def test_request_about_position_enters_at_most_15_modules() -> None:
    _, entered = post_and_list_modules(service(), "/v1/analyze", {"board": POSITION})
    assert len(entered) <= 15, sorted(entered)
