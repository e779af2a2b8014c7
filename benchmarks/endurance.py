"""Mixed load for hours, compressed: does the memory of any process of the service grow?

At ``SCALE=1`` a million single requests of all kinds, ten million lines of batches and ten thousand
hard boards (0.01 by default: a hundredth of each), in rounds, against the service as `make serve`
starts it, but with a small cache, which is soon full. After each round, at rest, the memory of
every process is noted: anonymous PSS, which divides pages that processes share, and leaves out
those of files, which the kernel drops as it likes. ``PICTURE`` names the SVG of what was measured.
A small part of the load shows that all works, no more: processes still warm up through all of it.
"""

import asyncio
import json
import os
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import islice
from pathlib import Path
from statistics import median
from threading import Event, Thread
from time import perf_counter, sleep
from typing import Any

import httpx2
import matplotlib
import numpy as np
from matplotlib import pyplot

from benchmarks.load import all_answered, count_answers, request
from benchmarks.timing import kept
from minecheck.app.execution.states import list_children
from minecheck.minefield import UNKNOWN, Board, Layout, draw
from tests.app.serving import Server, lattice, serving

_SCALE = float(os.environ.get("SCALE", "0.01"))
_PICTURE = os.environ.get("PICTURE", str(Path(tempfile.gettempdir(), "endurance.svg")))
_ROUNDS = 20
_SINGLES, _LINES, _HARD = (max(1, int(n * _SCALE / _ROUNDS)) for n in (10**6, 10**7, 10**4))
#: Parts of the lines of a round by task, and how large the boards of each are.
_TASKS = {"check": (0.4, 16), "count": (0.3, 16), "forced": (0.2, 16), "analyze": (0.1, 9)}
#: Different lines of a task in a round.
_LINES_MADE = 2_000
#: The largest allowed ratio of the memory after the last rounds to that after earlier ones.
_MOST_GROWTH = 1.05
_MB = 1 << 20


def run() -> None:
    """Run all rounds, or those before Ctrl+C; print the memory after each, and its growth."""
    rests: list[dict[str, int]] = []
    statuses = Counter[bytes]()
    # The cache is full after a round or two, and grows no more.
    with serving({"MINECHECK_CACHE_MB": "2"}, cli=True) as server, _sampled(server) as samples:
        with suppress(KeyboardInterrupt):
            for number in range(_ROUNDS):
                started = perf_counter()
                summary, found = _round(server, np.random.default_rng(number))
                statuses += found
                rests.append(_at_rest(server))
                sizes = ", ".join(f"{role} {size / _MB:.0f} MB" for role, size in rests[-1].items())
                seconds = perf_counter() - started
                print(f"  round {number + 1}, {seconds:.0f} s: {summary}: {sizes}", flush=True)
                _draw(samples)
        restarts = _counted(server, "minecheck_workers_restarts_total")
        files = len(list(Path(f"/proc/{server.process.pid}/fd").iterdir()))
    answers = ", ".join(f"{many} of {status.decode()}" for status, many in sorted(statuses.items()))
    print(f"  answers: {answers}; {restarts:.0f} workers replaced; {files} files open in the end")
    _judge(rests)
    print(f"  drawn: {_PICTURE}")


def _round(server: Server, rng: np.random.Generator) -> tuple[str, Counter[bytes]]:
    """Send the requests of one round; return a summary of them, and the statuses of the answers."""
    games = [_dealt(server, rng) for _ in range(20)]
    single = all_answered(server.port, islice(_singles(rng, games), _SINGLES))
    lines = sum(_batch(server.port, task, rng) for task in _TASKS)
    hard = asyncio.run(_hard(server.port, rng))
    summary = (
        f"{len(single.seconds)} requests ({single.rate:.0f}/s), {lines} lines, {_HARD} hard boards"
    )
    return summary, single.statuses + hard


def _judge(rests: list[dict[str, int]]) -> None:
    """Print by how much the memory at rest has grown from the second quarter to the last."""
    quarter = len(rests) // 4
    for role in rests[-1] if quarter else ():
        sizes = [rest[role] for rest in rests]
        before, after = median(sizes[quarter : 2 * quarter]), median(sizes[-quarter:])
        print(
            f"  {role}: {before / _MB:.1f} MB in the second quarter, {after / _MB:.1f} in the last,"
            f" ratio {after / before:.3f}{kept(after / before, _MOST_GROWTH)}",
            flush=True,
        )


# --- the requests ---------------------------------------------------------------------------------


def _position(rng: np.random.Generator, side: int) -> tuple[Board, Layout]:
    """Return a random board of which a part is revealed, and the layout of its mines."""
    layout = Layout(rng.random((side, side)) < 0.18)
    seen = (rng.random((side, side)) < rng.uniform(0.3, 0.7)) & ~layout.mines
    return Board(np.where(seen, layout.count_neighbours(), np.int8(UNKNOWN))), layout


def _singles(rng: np.random.Generator, games: list[str]) -> Iterator[bytes]:
    """Requests of all kinds without end; most are what a game asks, about boards of their own."""
    while True:
        for _ in range(25):
            yield from _quick(rng)
        yield from _others(rng)
        cell = rng.integers(9, size=2).tolist()
        yield _request(f"games/{games[rng.integers(len(games))]}/open", cell=cell)


def _quick(rng: np.random.Generator) -> Iterator[bytes]:
    """Yield requests that the serving process answers itself."""
    board, layout = _position(rng, 16)
    rows, mines = draw(board), int(layout.total)
    for task in ("check", "count", "forced", "analyze"):
        yield _request(task, board=rows, mines=mines)
    yield request("/v1/analyze", "\n".join(rows).encode(), "text/plain")
    board, layout = _position(rng, 6)
    rows = draw(board)
    yield _request("count", board=rows, density=float(rng.uniform(0.1, 0.3)))
    yield _request("strips", board=rows, window={"row": 0, "col": 1, "height": 6, "width": 3})
    yield _request("formats/mine/write", board=rows, mines=int(layout.total))
    yield _request("check", board=[rows[0], "9" * 6])
    yield _request("nowhere")
    for path in ("/healthz", "/readyz", "/v1/formats"):
        yield f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()


def _others(rng: np.random.Generator) -> Iterator[bytes]:
    """Yield requests that take longer, or a worker."""
    board, layout = _position(rng, 16)
    rows = draw(board)
    yield _request("sample", board=rows, limit=2, seed=int(rng.integers(1 << 40)))
    yield _request("layouts", board=rows, limit=3)
    yield _request("check", board=[[*row] for row in rows], certificate=True)
    board, layout = _position(rng, 6)
    rows, mines = draw(board), int(layout.total)
    yield _request("moves", board=rows, mines=mines, limit=3)
    yield _request("explain", board=rows)
    wrong = rows[0][:-1] + "8", *rows[1:]
    for task in ("check", "conflicts", "repair"):
        yield _request(task, board=wrong, deadline_ms=500)
    yield _request("count", board=rows, backend="sat", deadline_ms=500)
    yield _request("automata/hu-lin/run", board=["?2", "B?"])
    yield _request("formats/auto", "6x6x1\n" + "111HHH\n" * 6)
    for path in ("/metrics", "/", "/openapi.json"):
        yield f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()
    first = np.argwhere(~layout.mines)[0].tolist()
    yield _request("grade", layout=layout.rows(), first=first, deadline_ms=100)
    seed = int(rng.integers(1 << 40))
    yield _request("boards", height=9, width=9, mines=10, seed=seed, deadline_ms=500)


def _request(path: str, text: str | None = None, **fields: Any) -> bytes:
    if text is not None:
        return request(f"/v1/{path}", text.encode(), "text/plain")
    return request(f"/v1/{path}", json.dumps(fields).encode())


def _dealt(server: Server, rng: np.random.Generator) -> str:
    """The id of a new game."""
    options = {"height": 9, "width": 9, "mines": 10, "kind": "opening", "deadline_ms": 30_000}
    found = server.post("/v1/games", options | {"seed": int(rng.integers(1 << 40))})
    return str(found.json()["id"])


def _batch(port: int, task: str, rng: np.random.Generator) -> int:
    """How many lines of a batch are answered: it is sent while its answers are read."""
    part, side = _TASKS[task]
    boards = (_position(rng, side)[0] for _ in range(_LINES_MADE))
    made = [json.dumps({"board": draw(board)}).encode() + b"\n" for board in boards]
    blocks = max(1, round(part * _LINES / _LINES_MADE))
    made = made[: max(1, min(_LINES_MADE, int(part * _LINES)))]
    block = b"".join(made)

    async def batch() -> int:
        reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 20)
        head = (
            f"POST /v1/batch?task={task} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
            f"Content-Type: application/x-ndjson\r\nContent-Length: {blocks * len(block)}\r\n\r\n"
        )

        async def send() -> None:
            writer.write(head.encode())
            for _ in range(blocks):
                writer.write(block)
                await writer.drain()

        sending = asyncio.create_task(send())
        found = await count_answers(reader)
        await sending
        writer.close()
        return found

    found = asyncio.run(batch())
    assert found == blocks * len(made), (task, found)
    return found


async def _hard(port: int, rng: np.random.Generator) -> Counter[bytes]:
    """The statuses of boards that keep workers busy to their deadline, or until nobody waits."""
    messages = iter([_worst(rng) for _ in range(_HARD)])
    statuses = Counter[bytes]()

    async def ask() -> None:
        for number, message in enumerate(messages):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(message)
            # Some do not wait for the answer.
            with suppress(TimeoutError):
                async with asyncio.timeout(0.05 if number % 10 == 0 else 30):
                    statuses[(await reader.readline())[9:12]] += 1
                    await reader.readuntil(b"\r\n\r\n")
            writer.close()
            with suppress(ConnectionError):
                await writer.wait_closed()

    await asyncio.gather(*(ask() for _ in range(6)))
    return statuses


def _worst(rng: np.random.Generator) -> bytes:
    """A question that takes far longer than it may."""
    rows = lattice(21)
    row = int(rng.integers(21))
    rows[row] = "?" * 21
    choices: list[dict[str, Any]] = [
        {"path": "count", "backend": "cpsat"},
        {"path": "analyze", "backend": "sat"},
        {"path": "layouts", "backend": "cpsat", "limit": 1000},
        {"path": "count"},
        {"path": "repair", "limit": 3},
    ]
    options = choices[rng.integers(len(choices))]
    return _request(board=rows, deadline_ms=int(rng.integers(20, 150)), **options)


# --- what is measured -----------------------------------------------------------------------------


def memory_of(server: Server) -> dict[str, int]:
    """Bytes of the serving process, of what workers are forked from, and of all workers."""
    serving, sizes = server.process.pid, Counter[str]()
    sizes["serving process"] = _pss(serving)
    for child in list_children(serving):
        below = list_children(child)
        sizes["forking process" if below else "tracker"] += _pss(child)
        sizes["workers"] += sum(map(_pss, below))
    return dict(sizes)


def _pss(pid: int) -> int:
    with suppress(OSError):
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss_Anon:"):
                return int(line.split()[1]) * 1024
    return 0


def _at_rest(server: Server) -> dict[str, int]:
    """The memory once nobody computes any more."""
    assert server.at_rest()
    sleep(1)
    return memory_of(server)


def _counted(server: Server, metric: str) -> float:
    lines = httpx2.get(f"{server.url}/metrics").text.splitlines()
    return sum(float(line.split()[-1]) for line in lines if line.startswith(metric))


@contextmanager
def _sampled(server: Server) -> Iterator[list[tuple[float, dict[str, int]]]]:
    """Sample (seconds, memory by role) every other second as long as the block runs."""
    samples: list[tuple[float, dict[str, int]]] = []
    over, started = Event(), perf_counter()

    def sample() -> None:
        while not over.wait(2):
            samples.append((perf_counter() - started, memory_of(server)))

    thread = Thread(target=sample)
    thread.start()
    try:
        yield samples
    finally:
        over.set()
        thread.join()


def _draw(samples: list[tuple[float, dict[str, int]]]) -> None:
    """Memory over time."""
    matplotlib.rcParams["svg.hashsalt"] = "minecheck"
    figure, axes = pyplot.subplots(figsize=(7.2, 3.2))
    for role in ("serving process", "forking process", "workers"):
        times, sizes = zip(*((at / 60, now.get(role, 0) / _MB) for at, now in samples), strict=True)
        axes.plot(times, sizes, linewidth=0.8, label=role)
    axes.set(xlabel="minutes", ylabel="anonymous PSS, MB", ylim=(0, None))
    axes.legend(frameon=False, fontsize=8)
    axes.spines[["top", "right"]].set_visible(False)
    figure.tight_layout()
    figure.savefig(_PICTURE, metadata={"Date": None})
    pyplot.close(figure)
