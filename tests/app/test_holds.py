"""No request holds the event loop for long.

It beats each millisecond: what the process has computed between two beats, on the loop or in
threads that let nothing else run, held it. Processor time tells, so others on the machine take no
part in that, and a machine that is slow at the moment is given more of it.
"""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from itertools import product
from math import inf
from time import process_time
from typing import Any, Final

import httpx2
import numpy as np
import orjson
import pytest

from minecheck.app.catalogue import QUESTIONS
from minecheck.app.main import create_app
from minecheck.app.settings import Settings
from minecheck.minefield import UNKNOWN, Board, draw
from minecheck.minefield.formats import AUTO, FORMATS
from minecheck.minefield.layout import Layout
from tests.app.serving import lattice
from tests.openapi_document import DOCUMENT

#: Seconds; docs/operations.md promises half of it.
MOST: Final = 0.1
BEAT: Final = 0.001
#: The garbage collector may hold the loop once.
TRIES: Final = 3


def lay_mines(height: int, width: int, density: float, seed: int = 1) -> Layout:
    mines = np.random.default_rng(seed).random((height, width)) < density
    mines[0, 0] = False
    return Layout(mines)


def draw_random_board(
    height: int, width: int, density: float, part: float, seed: int = 1
) -> list[str]:
    """Draw a random board of which a part of the safe cells is open."""
    layout = lay_mines(height, width, density, seed)
    seen = (np.random.default_rng(seed + 1).random((height, width)) < part) & ~layout.mines
    return draw(Board(np.where(seen, layout.count_neighbours(), np.int8(UNKNOWN))))


def contradictory(rows: list[str]) -> list[str]:
    """Return the board with one impossible number."""
    row = next(index for index, row in enumerate(rows) if "1" in row)
    return [*rows[:row], rows[row].replace("1", "8", 1), *rows[row + 1 :]]


#: Boards that take the service longest among many that it tries on the loop.
BOARDS: Final = {
    "sparse": draw_random_board(44, 44, 0.2, 0.3),
    "dense": draw_random_board(30, 30, 0.35, 0.3),
    "long": draw_random_board(8, 250, 0.35, 0.3),
    "strip": draw_random_board(2, 900, 0.35, 0.6),
    "wrong": contradictory(draw_random_board(30, 30, 0.35, 0.3)),
    "lattice": lattice(43),
    "closed": ["?" * 44] * 44,
}
OPTIONS: Final[dict[str, dict[str, Any]]] = {
    "moves": {"mines": 500, "limit": 50},
    "sample": {"limit": 5, "seed": "1"},
    "layouts": {"limit": 5},
    "strips": {"window": "0,0,2,20"},
    "compose": {"keep": "forced", "reveals": 3},
}
FEW_MS: Final = {"deadline_ms": 300}
BY_LINES: Final = "application/x-ndjson"
#: A word in the names of requests for lines.
STREAMED: Final = "streamed"


def requests() -> Iterator[tuple[str, str, Any]]:
    """Yield names, paths and bodies of questions about each board, and of other slow requests."""
    for operation in QUESTIONS:
        for name, board in BOARDS.items():
            ask = {"board": board, "deadline_ms": 300} | OPTIONS.get(operation.name, {})
            yield f"{operation.name} {name}", f"/v1/{operation.name}", ask
    for name, board in BOARDS.items():
        for rules in ({"topology": "torus"}, {"topology": "hexagonal"}, {"most_lies": 1}):
            ask = {"board": board, "deadline_ms": 300, **rules}
            yield f"analyze {name} {rules}", "/v1/analyze", ask
        for task in ("count", "analyze"):
            ask = {"board": board, "deadline_ms": 300, "certificate": True}
            yield f"{task} {name}, certified", f"/v1/{task}", ask
    around = [[row, col] for row in range(-5, 6) for col in range(-5, 6) if row or col]
    for name in ("sparse", "closed", "strip"):
        ask = {"board": BOARDS[name], "deadline_ms": 300, "neighbours": around, "layers": 2}
        yield f"check {name} far", "/v1/check", ask
    large = lay_mines(700, 700, 0.15)
    large_board = {"height": 700, "width": 700, "mines": 70_000, "deadline_ms": 300}
    rows = large.rows()
    yield "check, large", "/v1/check", {"board": draw_random_board(700, 700, 0.15, 0.5)}
    yield "forced, large", "/v1/forced", {"board": draw_random_board(200, 240, 0.15, 0.6)}
    yield "boards", "/v1/boards", large_board
    yield "games", "/v1/games", {**large_board, "kind": "random"}
    yield "grade", "/v1/grade", {"layout": rows, "first": [0, 0], "deadline_ms": 300}
    yield "formats", "/v1/formats/board/write", {"layout": rows, "first": [0, 0]}
    board = draw_random_board(200, 240, 0.15, 0.6)
    yield "export", "/v1/export", {"board": board, "mines": 7000, "into": "dimacs"}
    output = "v " + " ".join(map(str, range(1, 200_000)))
    yield "solution", "/v1/solution", {"board": board, "output": output}
    yield "languages", "/v1/languages", {"rows": 3, "cols": 2000, "deadline_ms": 3000}
    formula = " & ".join(f"(a{number % 9} -> b)" for number in range(19))
    yield "circuits", "/v1/circuits", {"formula": formula}
    yield "run", "/v1/automata/hu-lin/run", {"board": ["?" * 5000] * 2}
    ask = {"board": ["1??" * 1600] * 2, "limit": 5000, "deadline_ms": 3000}
    yield "paths", "/v1/automata/hu-lin/paths", ask
    yield "paths, wide", "/v1/automata/strip-12/paths", {"board": ["?" * 400] * 12} | FEW_MS
    states = ["".join(cells) for cells in product("-B", repeat=12)]
    yield "step", "/v1/automata/strip-12/step", {"column": "?" * 12, "states": states} | FEW_MS
    lines = b"".join(orjson.dumps({"board": board}) + b"\n" for board in BOARDS.values())
    yield "batch", "/v1/batch?task=analyze&deadline_ms=300", lines * 3


#: The size in bytes of bodies that are as much work for their size as possible.
LARGE: Final = 4 << 20


def fill_body(head: bytes, piece: bytes, tail: bytes, size: int = LARGE) -> bytes:
    return head + b",".join([piece] * (size // (len(piece) + 1))) + tail


def large_requests() -> Iterator[tuple[str, str, Any]]:
    """Yield names, paths and bodies of some megabytes, and of sizes just below large."""
    tiny = fill_body(b'{"board":[', b"[]", b"]}")
    for path in paths():
        yield f"{path} tiny", path, tiny
        yield f"{path} not large", path, fill_body(b'{"board":[', b"[]", b"]}", 500_000)
    names = [{"cells": [f"c{index}", f"c{index + 1}"], "mines": 1} for index in range(LARGE // 45)]
    rules = {"rules": names} | FEW_MS
    yield "rules", "/v1/check", rules
    yield "rules, exported", "/v1/export", rules | {"into": "dimacs"}
    for task in ("layouts", "sample", "conflicts"):
        yield f"rules, {task} {STREAMED}", f"/v1/{task}", rules
    yield "few rules", "/v1/explain", {"rules": names[:10_000]} | FEW_MS
    nested = [["?"] * 1000] * 1000
    yield "nested", "/v1/analyze", {"board": nested} | FEW_MS
    yield "clues", "/v1/check", {"board": nested, "clues": [{"cell": [0, 0], "mines": 1}] * 50_000}
    reasons = draw_random_board(300, 300, 0.15, 0.5)
    yield "reasons", "/v1/explain", {"board": reasons, "deadline_ms": 3000}
    rows = lay_mines(1000, 1000, 0.15).rows()
    yield "grade", "/v1/grade", {"file": "\n".join(rows), "first": [0, 0]} | FEW_MS
    yield "write", "/v1/formats/mine/write", {"layout": [[*row] for row in rows]}
    for name in (*FORMATS, AUTO):
        yield f"{name} of rows", f"/v1/formats/{name}", "\n".join(rows).encode()
        yield f"{name} of zeros", f"/v1/formats/{name}", bytes(LARGE)
    output = "\n".join(f"x{number} = 0;" for number in range(1, LARGE // 13))
    yield "solution", "/v1/solution", {"board": ["?" * 1000] * 900, "output": output}
    yield "formula", "/v1/circuits", {"formula": "a&" * (LARGE // 2) + "a"}
    states = ["-" * 12] * (LARGE // 15)
    yield "states", "/v1/automata/strip-12/step", {"column": "?" * 12, "states": states}
    after = ["?" * 900_000] * 2
    yield "after", "/v1/languages", {"rows": 2, "cols": 900_000, "after": after} | FEW_MS
    yield "window", "/v1/automata/hu-lin/run", {"board": nested, "window": "0,0,2,20"} | FEW_MS
    yield "lines", "/v1/batch?task=check", b"1\n" * 100_000
    yield "long line", "/v1/batch?task=check", orjson.dumps(nested) + b"\n"


def paths() -> list[str]:
    """Return the paths of all routes that take a body."""
    filled = {"machine": "hu-lin", "format": "board", "id": "oH1wPcG3zD8mJTyzO3kYLA"}
    known = DOCUMENT["paths"]
    return [path.format(**filled) for path, methods in known.items() if "post" in methods]


@asynccontextmanager
async def asking() -> AsyncIterator[httpx2.AsyncClient]:
    app = create_app(Settings(workers=1, cache_mb=1))
    transport = httpx2.ASGITransport(app)
    async with (
        app.router.lifespan_context(app),
        httpx2.AsyncClient(transport=transport, base_url="http://x", timeout=120.0) as client,
    ):
        yield client


def reference() -> float:
    """Return the processor time in seconds of a fixed piece of work on this machine now.

    They are about as many as docs/operations.md promises for what holds the loop.
    """
    started = process_time()
    for _ in range(2_000_000):
        pass
    return process_time() - started


async def ask(client: httpx2.AsyncClient, path: str, body: bytes, headers: dict[str, str]) -> int:
    async def pieces() -> AsyncIterator[bytes]:
        for start in range(0, len(body), 1 << 16):
            yield body[start : start + (1 << 16)]
            await asyncio.sleep(0)

    answer = await client.post(path, content=pieces(), headers=headers)
    return answer.status_code


async def measure_hold(task: asyncio.Task[int]) -> float:
    """Return the longest time between two beats until a task is done."""
    longest, last = 0.0, process_time()
    while not task.done():
        await asyncio.sleep(BEAT)
        now = process_time()
        longest, last = max(longest, now - last), now
    return longest


async def list_holds(
    requests: Iterator[tuple[str, str, Any]], statuses: set[int]
) -> dict[str, float]:
    """Return how long requests held the loop, for those that held it too long."""
    found = {}
    async with asking() as client:
        for name, path, body in requests:
            content = body if isinstance(body, bytes) else orjson.dumps(body)
            kind = "application/json" if content.startswith(b"{") else "text/plain"
            if "batch" in path:
                kind = BY_LINES
            accept = BY_LINES if STREAMED in name else "*/*"
            headers = {"Content-Type": kind, "Accept": accept}
            shortest = inf
            for _ in range(TRIES):
                task = asyncio.create_task(ask(client, path, content, headers))
                shortest = min(shortest, await measure_hold(task))
                assert task.result() in statuses, name
                if shortest <= MOST or shortest <= 4 * reference():
                    break
            else:
                found[name] = shortest
    return found


@pytest.mark.slow
def test_no_question_holds_event_loop() -> None:
    assert asyncio.run(list_holds(requests(), {200, 503})) == {}


@pytest.mark.slow
def test_no_large_body_holds_event_loop() -> None:
    assert asyncio.run(list_holds(large_requests(), {200, 400, 404, 415, 422, 503})) == {}
