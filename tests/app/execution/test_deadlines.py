"""Hard questions end at their deadline, and do not delay other questions."""

import json
import os
import random
import signal
import socket
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from typing import Any

import httpx2
import pytest

from tests.app.serving import Server, hard_question, serving
from tests.processes import are_gone_soon


def post_question(server: Server, body: dict[str, Any], path: str = "/v1/count") -> Any:
    answer = server.post(path, body, timeout=60)
    assert answer.status_code == 200, answer.text
    return answer.json()


def sparse(side: int, shown: float) -> tuple[list[str], int]:
    """Return a random board with few clues, and its number of mines."""
    chance = random.Random(1)
    mines = {(r, c) for r in range(side) for c in range(side) if chance.random() < 0.2}

    def symbol(row: int, col: int) -> str:
        if (row, col) in mines or chance.random() > shown:
            return "?"
        near = ((row + down, col + right) for down in (-1, 0, 1) for right in (-1, 0, 1))
        return str(sum(cell in mines for cell in near))

    return ["".join(symbol(r, c) for c in range(side)) for r in range(side)], len(mines)


def test_answer_at_deadline_gives_verdict_without_count(clocked: Server) -> None:
    with ThreadPoolExecutor() as pool:
        question = pool.submit(post_question, clocked, hard_question(60_000))
        assert clocked.has_partial_answer()
        assert not question.done()
        clocked.clock.pass_time()
        found = question.result()
    assert (found["consistent"], found["count"], found["by_mines"]) == (True, None, None)
    assert found["solver"]["complete"] is False


def test_each_question_is_answered_by_its_own_deadline(clocked: Server) -> None:
    with ThreadPoolExecutor() as pool:
        late = pool.submit(post_question, clocked, hard_question(60_000))
        soon = pool.submit(post_question, clocked, hard_question(20_000))
        assert clocked.has_questions(2)
        clocked.clock.pass_time(30)
        assert soon.result()["solver"]["complete"] is False
        assert not late.done()
        clocked.clock.pass_time()
        assert late.result()["solver"]["complete"] is False


def test_easy_question_does_not_wait_for_hard_question(clocked: Server) -> None:
    with ThreadPoolExecutor() as pool:
        slow = pool.submit(post_question, clocked, hard_question(60_000))
        assert clocked.has_questions(1)
        for easy in ({"board": ["1?", "??"]}, {"board": ["1?", "??"], "backend": "sat"}):
            assert post_question(clocked, easy)["count"] == "3"
        assert not slow.done()
        clocked.clock.pass_time()


def test_time_of_waiting_for_worker_counts_against_deadline(clocked: Server) -> None:
    """More questions than there are workers are all due at once, not one after another."""
    with ThreadPoolExecutor(20) as pool:
        slow = [pool.submit(post_question, clocked, hard_question(20_000)) for _ in range(15)]
        assert clocked.has_questions(15)
        late = pool.submit(post_question, clocked, hard_question(60_000))
        assert clocked.has_questions(16)
        assert post_question(clocked, {"board": ["1?", "??"]})["count"] == "3"
        assert not any(question.done() for question in slow)
        clocked.clock.pass_time(30)
        assert all(question.result()["solver"]["complete"] is False for question in slow)
        assert not late.done()
        clocked.clock.pass_time()
    assert clocked.healthy()


@pytest.mark.slow
def test_service_answers_requests_while_checking_a_million_cells(server: Server) -> None:
    board, _ = sparse(1000, 0.7)
    headers = {"Content-Type": "text/plain"}
    with ThreadPoolExecutor() as pool:
        large: Future[httpx2.Response] = pool.submit(
            server.send, "POST", "/v1/check", content="\n".join(board), headers=headers
        )
        small = 0
        while not large.done() and small < 1000:
            assert server.get("/healthz").status_code == 200
            small += 1
    found = large.result().json()
    assert (found["consistent"], found["solver"]["complete"]) == (True, True)
    assert small > 1


@pytest.mark.slow
def test_service_answers_requests_while_listing_large_page_of_layouts(server: Server) -> None:
    body = {"board": ["?" * 50] * 40, "limit": 10_000}
    with ThreadPoolExecutor() as pool:
        page = pool.submit(server.post, "/v1/layouts", body)
        others = 0
        while not page.done() and others < 1000:
            assert server.get("/healthz", timeout=30).status_code == 200
            others += 1
    assert len(page.result().json()["layouts"]) == 10_000
    # If the event loop rendered the page, only one other request would be answered meanwhile.
    assert others > 10


def test_hard_questions_do_not_delay_bounded_questions(clocked: Server) -> None:
    larger = {"board": ["?" * 60] * 60, "deadline_ms": 60_000}
    with ThreadPoolExecutor() as pool:
        slow = [pool.submit(post_question, clocked, hard_question(60_000)) for _ in range(4)]
        assert clocked.has_questions(4)
        found = post_question(clocked, larger, "/v1/check")
        assert (found["consistent"], found["solver"]["complete"]) == (True, True)
        assert not any(question.done() for question in slow)
        clocked.clock.pass_time()


def test_disconnected_client_frees_its_worker(clocked: Server) -> None:
    body = json.dumps(hard_question(60_000)).encode()
    head = b"POST /v1/count HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
    with ExitStack() as opened:
        for _ in range(2):
            client = opened.enter_context(socket.create_connection(("127.0.0.1", clocked.port)))
            client.sendall(head + b"Content-Length: %d\r\n\r\n" % len(body) + body)
        assert clocked.has_questions(2)
    # The clock stands still for the hard questions: only their workers' ends make room.
    easy = {"board": ["1?", "??"], "backend": "sat", "deadline_ms": 60_000}
    assert post_question(clocked, easy)["count"] == "3"


@pytest.mark.slow
class TestKilledWorkers:
    """A worker that dies costs the question it was working on, and nothing else."""

    def test_worker_killed_at_work_costs_its_question(self) -> None:
        with serving() as server, ThreadPoolExecutor() as pool:
            slow = pool.submit(server.post, "/v1/count", hard_question(30_000))
            busy = server.at_work()
            assert len(busy) == 1
            os.kill(busy[0], signal.SIGKILL)
            answer = slow.result()
            assert answer.status_code == 503
            assert answer.headers["retry-after"] == "1"
            assert answer.json()["type"] == "urn:minecheck:problem:worker-lost"
            assert server.healthy()

    def test_worker_killed_while_idle_costs_no_question(self) -> None:
        with serving() as server:
            for _ in range(3):
                forkserver = server.family()[1]
                workers = [pid for pid in server.family()[2:] if pid != forkserver]
                for worker in workers:
                    os.kill(worker, signal.SIGKILL)
                assert are_gone_soon(workers)
                answer = server.post("/v1/count", {"board": ["1?", "??"], "backend": "sat"})
                assert answer.status_code == 200
            assert server.healthy()
