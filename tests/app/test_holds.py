"""Nothing holds the event loop for long, whatever is asked: each step of it, in processor time.

Others on the machine take no part in that; the bound is that of a slow machine all the same.
"""

import asyncio
from asyncio.events import Handle
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from itertools import product
from time import thread_time
from typing import Any, Final

import httpx2
import numpy as np
import orjson
import pytest

from app.main import create
from app.questions.catalogue import QUESTIONS
from app.settings import Settings
from minefield import UNKNOWN, Board, draw
from minefield.layout import Layout
from tests.app.serving import lattice

#: Seconds of the thread; docs/operations.md promises half of it.
MOST: Final = 0.1
#: What keeps the loop from going on may be the collector, for once.
TRIES: Final = 3


def laid(height: int, width: int, density: float, seed: int = 1) -> Layout:
    mines = np.random.default_rng(seed).random((height, width)) < density
    mines[0, 0] = False
    return Layout(mines)


def shown(height: int, width: int, density: float, part: float, seed: int = 1) -> list[str]:
    """A random board of which a part of the safe cells is open."""
    layout = laid(height, width, density, seed)
    seen = (np.random.default_rng(seed + 1).random((height, width)) < part) & ~layout.mines
    return draw(Board(np.where(seen, layout.numbers(), np.int8(UNKNOWN))))


def contradictory(rows: list[str]) -> list[str]:
    """The same with one number that cannot be."""
    row = next(place for place, row in enumerate(rows) if "1" in row)
    return [*rows[:row], rows[row].replace("1", "8", 1), *rows[row + 1 :]]


#: Of many boards that a service tries by itself, those that took it longest.
BOARDS: Final = {
    "sparse": shown(44, 44, 0.2, 0.3),
    "dense": shown(30, 30, 0.35, 0.3),
    "long": shown(8, 250, 0.35, 0.3),
    "strip": shown(2, 900, 0.35, 0.6),
    "wrong": contradictory(shown(30, 30, 0.35, 0.3)),
    "lattice": lattice(43),
    "closed": ["?" * 44] * 44,
}
OPTIONS: Final = {
    "moves": {"mines": 500, "limit": 50},
    "sample": {"limit": 5, "seed": "1"},
    "layouts": {"limit": 5},
    "strips": {"window": "0,0,2,20"},
    "compose": {"keep": "forced", "reveals": 3},
}
FEW_MS: Final = {"deadline_ms": 300}
BY_LINES: Final = "application/x-ndjson"


def requests() -> Iterator[tuple[str, str, Any]]:
    """Names, paths and bodies: each question about each board, and what else takes a while."""
    for record in QUESTIONS:
        for name, board in BOARDS.items():
            ask = {"board": board, "deadline_ms": 300} | OPTIONS.get(record.name, {})
            yield f"{record.name} {name}", f"/v1/{record.name}", ask
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
    large = laid(700, 700, 0.15)
    asked = {"height": 700, "width": 700, "mines": 70_000, "deadline_ms": 300}
    rows = large.rows()
    yield "check, large", "/v1/check", {"board": shown(700, 700, 0.15, 0.5)}
    yield "forced, large", "/v1/forced", {"board": shown(200, 240, 0.15, 0.6)}
    yield "boards", "/v1/boards", asked
    yield "games", "/v1/games", {**asked, "kind": "random"}
    yield "grade", "/v1/grade", {"layout": rows, "first": [0, 0], "deadline_ms": 300}
    yield "formats", "/v1/formats/board/write", {"layout": rows, "first": [0, 0]}
    board = shown(200, 240, 0.15, 0.6)
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


@pytest.fixture
def longest(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """How long each step of the loop has taken since this list was cleared."""
    taken: list[float] = []
    run: Callable[[Handle], None] = Handle._run  # type: ignore[attr-defined]

    def timed(handle: Handle) -> None:
        started = thread_time()
        run(handle)
        taken.append(thread_time() - started)

    monkeypatch.setattr(Handle, "_run", timed)
    return taken


@asynccontextmanager
async def asking() -> AsyncIterator[httpx2.AsyncClient]:
    app = create(Settings(workers=1, cache_mb=0))
    transport = httpx2.ASGITransport(app)
    async with (
        app.router.lifespan_context(app),
        httpx2.AsyncClient(transport=transport, base_url="http://x", timeout=60.0) as client,
    ):
        yield client


async def ask(client: httpx2.AsyncClient, path: str, body: Any) -> None:
    if isinstance(body, dict):
        answer = await client.post(path, json=body)
    else:
        kind = BY_LINES if "batch" in path else "text/plain"
        answer = await client.post(path, content=body, headers={"Content-Type": kind})
    assert answer.status_code in (200, 503), answer.text[:300]


def test_no_question_holds_the_loop(longest: list[float]) -> None:
    held: dict[str, float] = {}

    async def scene() -> None:
        async with asking() as client:
            for name, path, body in requests():
                for _ in range(TRIES):
                    longest.clear()
                    # A step is timed when it has ended.
                    await asyncio.create_task(ask(client, path, body))
                    held[name] = min(held.get(name, 1e9), max(longest))
                    if held[name] <= MOST:
                        break

    asyncio.run(scene())
    assert {name: held[name] for name in held if held[name] > MOST} == {}
