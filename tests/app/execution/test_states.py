"""Workers that stop, or lose their forkserver, are replaced, and harm no other question."""

import os
import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http import HTTPStatus

import pytest

from minecheck.app.execution import states
from tests.app.serving import Server, hard_question, serving
from tests.processes import holds_soon


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with serving(cli=True) as server:
        yield server


def origin(server: Server) -> int:
    """Return the process that workers are forked from."""
    return max(server.family(), key=lambda pid: len(states.list_children(pid)))


def ready(server: Server) -> bool:
    return server.get("/readyz").status_code == HTTPStatus.OK


@pytest.mark.slow
def test_stopped_workers_are_all_replaced(server: Server) -> None:
    before = states.list_children(origin(server))
    assert len(before) == 6
    for pid in before:
        os.kill(pid, signal.SIGSTOP)
    assert holds_soon(lambda: not ready(server))
    assert holds_soon(lambda: ready(server))
    assert server.healthy()
    assert not set(before) & set(states.list_children(origin(server)))


@pytest.mark.slow
def test_stopped_worker_costs_only_its_question(server: Server) -> None:
    with ThreadPoolExecutor() as pool:
        question = pool.submit(server.post, "/v1/count", hard_question(60_000))
        (held,) = server.at_work()
        os.kill(held, signal.SIGSTOP)
        answer = question.result()
    assert answer.status_code == HTTPStatus.SERVICE_UNAVAILABLE
    assert answer.json()["type"].endswith(":worker-lost")
    assert holds_soon(lambda: ready(server))
    assert server.healthy()


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP])
def test_killed_or_stopped_forkserver_is_replaced_with_its_workers(
    server: Server, number: signal.Signals
) -> None:
    before = origin(server)
    workers = states.list_children(before)
    os.kill(before, number)
    assert holds_soon(lambda: not ready(server))
    assert holds_soon(lambda: ready(server))
    assert server.healthy()
    assert origin(server) != before
    # Questions sent to the old workers would never be answered.
    assert holds_soon(
        lambda: not set(workers) & set(server.family()) and all(map(states.has_ended, workers))
    )


def test_process_that_does_not_exist_has_ended() -> None:
    assert not states.is_stopped(1 << 30)
    assert states.has_ended(1 << 30)
    assert states.list_children(1 << 30) == []
    assert not states.has_ended(os.getpid())
