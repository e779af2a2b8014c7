"""Hard questions end at their deadline and cost nobody else anything."""

import os
import random
import signal
import time
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import pairwise
from typing import Any

import httpx2
import pytest

from tests.app.serving import Server, hard, serving
from tests.processes import gone


def timed(server: Server, body: dict[str, Any], path: str = "/v1/count") -> tuple[float, Any]:
    """When the answer came (on the monotonic clock), and the answer."""
    answer = server.post(path, body, timeout=60)
    assert answer.status_code == 200, answer.text
    return time.monotonic(), answer.json()


def sparse(side: int, shown: float) -> tuple[list[str], int]:
    """A random board of which few clues are shown, and its mines."""
    chance = random.Random(1)
    mines = {(r, c) for r in range(side) for c in range(side) if chance.random() < 0.2}

    def symbol(row: int, col: int) -> str:
        if (row, col) in mines or chance.random() > shown:
            return "?"
        near = ((row + down, col + right) for down in (-1, 0, 1) for right in (-1, 0, 1))
        return str(sum(cell in mines for cell in near))

    return ["".join(symbol(r, c) for c in range(side)) for r in range(side)], len(mines)


def test_past_its_deadline_an_answer_says_what_is_known(server: Server) -> None:
    # Both workers are there, whatever was asked before.
    assert server.at_rest()
    with ThreadPoolExecutor() as pool:
        asked = [pool.submit(timed, server, hard(deadline_ms)) for deadline_ms in (5000, 300)]
        (late, _), (soon, found) = [answer.result() for answer in asked]
    assert soon < late
    assert found["solver"]["elapsed_ms"] > 200
    assert (found["consistent"], found["count"], found["by_mines"]) == (True, None, None)
    assert found["solver"]["complete"] is False


def test_an_easy_question_does_not_wait_for_a_hard_one(server: Server) -> None:
    with ThreadPoolExecutor() as pool:
        slow = pool.submit(timed, server, hard(3000))
        inline = pool.submit(timed, server, {"board": ["1?", "??"]})
        worker = pool.submit(timed, server, {"board": ["1?", "??"], "backend": "sat"})
        assert inline.result()[0] < slow.result()[0]
        assert worker.result()[0] < slow.result()[0]
        assert inline.result()[1]["count"] == worker.result()[1]["count"] == "3"


def test_waiting_for_a_worker_counts_against_the_deadline(server: Server) -> None:
    # One after another on two workers, they would take longer than the last one has.
    with ThreadPoolExecutor(20) as pool:
        late = pool.submit(timed, server, hard(5000))
        slow = [pool.submit(timed, server, hard(800)) for _ in range(15)]
        easy = pool.submit(timed, server, {"board": ["1?", "??"]})
        ends = [answer.result() for answer in slow]
    assert max(came for came, _ in ends) < late.result()[0]
    assert all(found["solver"]["complete"] is False for _, found in ends)
    assert easy.result()[0] < min(came for came, _ in ends)
    assert server.healthy()


def test_a_million_cells_are_checked_while_others_are_answered(server: Server) -> None:
    board, _ = sparse(1000, 0.7)
    headers = {"Content-Type": "text/plain"}
    with ThreadPoolExecutor() as pool:
        large: Future[httpx2.Response] = pool.submit(
            httpx2.post, f"{server.url}/v1/check", content="\n".join(board), headers=headers
        )
        small = 0
        while not large.done() and small < 1000:
            assert httpx2.get(f"{server.url}/healthz").status_code == 200
            small += 1
    found = large.result().json()
    assert (found["consistent"], found["solver"]["complete"]) == (True, True)
    assert small > 1


def test_a_large_page_of_layouts_does_not_hold_up_others(server: Server) -> None:
    body = {"board": ["?" * 50] * 40, "limit": 10_000}
    answered = [time.monotonic()]
    with ThreadPoolExecutor() as pool:
        page = pool.submit(server.post, "/v1/layouts", body)
        while not page.done() and len(answered) < 1000:
            httpx2.get(f"{server.url}/healthz", timeout=30)
            answered.append(time.monotonic())
    assert len(page.result().json()["layouts"]) == 10_000
    # On the event loop, making the page would be one wait as long as nearly all of it.
    waits = [later - earlier for earlier, later in pairwise(answered)]
    assert max(waits) < sum(waits) / 2


def test_hard_questions_do_not_keep_bounded_ones_waiting(server: Server) -> None:
    larger = {"board": ["?" * 60] * 60, "deadline_ms": 4000}
    with ThreadPoolExecutor() as pool:
        slow = [pool.submit(timed, server, hard(5000)) for _ in range(4)]
        assert server.asked(4)
        came, found = timed(server, larger, "/v1/check")
        assert (found["consistent"], found["solver"]["complete"]) == (True, True)
        assert came < min(answer.result()[0] for answer in slow)


def test_a_client_that_leaves_frees_its_worker(server: Server) -> None:
    for _ in range(2):
        with pytest.raises(httpx2.ReadTimeout):
            server.post("/v1/count", hard(60_000), timeout=0.3)
    easy = {"board": ["1?", "??"], "backend": "sat", "deadline_ms": 30_000}
    assert timed(server, easy)[1]["count"] == "3"


@pytest.mark.slow
class TestKilledWorkers:
    """A worker that dies costs the question it was working on, and nothing else."""

    def test_while_it_works(self) -> None:
        with serving() as server, ThreadPoolExecutor() as pool:
            slow = pool.submit(server.post, "/v1/count", hard(30_000))
            busy = server.at_work()
            assert len(busy) == 1
            os.kill(busy[0], signal.SIGKILL)
            answer = slow.result()
            assert answer.status_code == 503
            assert answer.headers["retry-after"] == "1"
            assert answer.json()["type"] == "urn:minecheck:problem:worker-lost"
            assert server.healthy()

    def test_while_it_waits(self) -> None:
        with serving() as server:
            for _ in range(3):
                forkserver = server.family()[1]
                workers = [pid for pid in server.family()[2:] if pid != forkserver]
                for worker in workers:
                    os.kill(worker, signal.SIGKILL)
                assert gone(workers)
                answer = server.post("/v1/count", {"board": ["1?", "??"], "backend": "sat"})
                assert answer.status_code == 200
            assert server.healthy()
