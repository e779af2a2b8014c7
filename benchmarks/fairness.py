"""Ten easy lines of one client while batches of 200 hard lines of another one run, and alone.

The service has two workers for hard questions, as on two cores. Every hard line takes its whole
deadline of five seconds: half of them by a method without bounds, half of them after bounded
effort, too. The easy lines are positions of games, and boards that take bounded effort. Single
requests are asked meanwhile as well.
"""

import json
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from statistics import median
from time import perf_counter, sleep
from typing import Any

import httpx2

from benchmarks.timing import kept
from minecheck.minefield import draw
from tests.app.serving import Server, hard_question, lattice, serving
from tests.boards import hidden_layout

_HARD = 200
_ROUNDS = 5
#: Seconds that the easy lines may take.
_LIMIT = 2.0
_DEADLINE_MS = 5_000


def run() -> None:
    """Measure the easy lines alone, and next to one and four hard batches of the same client."""
    easy = _easy_lines()
    with serving({"MINECHECK_WORKERS": "2"}) as server:
        for batches in (0, 1, 4):
            with _hard_batches(server, batches):
                figures = [
                    (_batch_seconds(server, easy), _single_seconds(server)) for _ in range(_ROUNDS)
                ]
            lines, singles = zip(*figures, strict=True)
            limit = kept(max(lines), _LIMIT)
            print(
                f"  beside {batches} batches of {_HARD} hard lines: ten easy lines "
                f"{median(lines):.3f} s, at most {max(lines):.3f} s{limit}; "
                f"a single request {median(singles) * 1e3:.1f} ms",
                flush=True,
            )


def _easy_lines() -> list[str]:
    boards = [draw(hidden_layout(16, 30, 0.5, seed)) for seed in range(5)]
    positions: list[dict[str, Any]] = [{"board": rows} for rows in boards]
    return [json.dumps(one) for one in positions + [{**one, "density": 0.2} for one in positions]]


def _hard_lines() -> str:
    unbounded = hard_question(_DEADLINE_MS)
    bounded = {"board": lattice(21), "deadline_ms": _DEADLINE_MS}
    return "".join(json.dumps(one) + "\n" for one in [unbounded, bounded] * (_HARD // 2))


@contextmanager
def _hard_batches(server: Server, batches: int) -> Iterator[None]:
    """Batches that have been at work for a while, and whose client leaves in the end."""
    body = _hard_lines().encode()
    head = (
        "POST /v1/batch?task=count HTTP/1.1\r\nHost: localhost\r\n"
        f"Content-Type: application/x-ndjson\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    made = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(batches)]
    for connection in made:
        connection.sendall(head.encode() + body)
    sleep(8 if batches else 0)
    try:
        yield
    finally:
        for connection in made:
            connection.close()


def _batch_seconds(server: Server, lines: list[str]) -> float:
    started = perf_counter()
    answer = httpx2.post(
        f"{server.url}/v1/batch?task=count",
        content="\n".join(lines).encode(),
        headers={"Content-Type": "application/x-ndjson"},
        timeout=600.0,
    )
    seconds = perf_counter() - started
    assert answer.text.count('"complete":true') == len(lines), answer.text
    return seconds


def _single_seconds(server: Server) -> float:
    started = perf_counter()
    answer = server.post("/v1/count", {"board": ["1?", "??"], "backend": "sat"})
    assert answer.json()["count"] == "3"
    return perf_counter() - started
