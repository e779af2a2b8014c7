"""The service on loopback against an endpoint that only parses, or sends an answer made ready.

Stuck expert positions, one serving process, eight connections that stay open. The peer is FastAPI
and uvicorn as they come; both log their requests. Batches go over one connection.
"""

import asyncio
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from socket import socket
from statistics import median
from time import perf_counter, sleep
from urllib.error import URLError
from urllib.request import Request, urlopen

from benchmarks.load import Load, count_answers, load, request
from benchmarks.positions import stuck
from benchmarks.timing import reached
from minecheck.minefield import draw

_ROUNDS = 7
_CONNECTIONS = (1, 8, 64)
#: Lines by task: one takes some ten microseconds a line, the other some milliseconds.
_LINES = {"analyze": 20_000, "explain": 500}
#: The cache is off, so that every request is computed.
_SERVICE = {"MINECHECK_CACHE_MB": "0"}


def run() -> None:
    """Rates of single requests, of batches, and how long single requests take."""
    bodies = [
        json.dumps({"board": draw(board), "mines": 99}).encode() for board in stuck(16, 30, 99, 50)
    ]
    with service(workers=2) as port, tempfile.TemporaryDirectory() as folder:
        ready = Path(folder, "ready.json")
        ready.write_bytes(_answer(port, "/v1/analyze", bodies[0]))
        with bare(ready) as peer:
            for connections in _CONNECTIONS:
                _singles("/v1/check", port, "/nothing", peer, bodies, connections, 0.9)
            rates = {
                connections: _singles("/v1/analyze", port, "/ready", peer, bodies, connections, 0.8)
                for connections in _CONNECTIONS
            }
        _tails(port, bodies)
        _batches(port, bodies, rates[8])


def _singles(
    path: str,
    port: int,
    peer_path: str,
    peer: int,
    bodies: Sequence[bytes],
    connections: int,
    goal: float,
) -> float:
    """Requests a second of ours, in the middle of several rounds."""
    ours = [request(path, body) for body in bodies]
    theirs = [request(peer_path, body) for body in bodies]
    load(port, ours, seconds=0.5)
    load(peer, theirs, seconds=0.5)
    rounds = [
        (_rate(load(port, ours, connections)), _rate(load(peer, theirs, connections)))
        for _ in range(_ROUNDS)
    ]
    ratios = sorted(one / other for one, other in rounds)
    rate = median(one for one, _ in rounds)
    print(
        f"  {path}, connections {connections}: {rate:.0f} requests/s, {peer_path[1:]} "
        f"{median(other for _, other in rounds):.0f}, ratio {median(ratios):.2f} "
        f"({ratios[0]:.2f}..{ratios[-1]:.2f}, {_ROUNDS} rounds){reached(median(ratios), goal)}",
        flush=True,
    )
    return rate


def _tails(port: int, bodies: Sequence[bytes]) -> None:
    """Measure the median and the 99th percentile of durations at half of the possible rate."""
    messages = [request("/v1/analyze", body) for body in bodies]
    most = _rate(load(port, messages))
    found = load(port, messages, connections=4, seconds=5.0, rate=most / 2)
    half, tail = found.quantile(0.5), found.quantile(0.99)
    print(
        f"  at {found.rate:.0f} requests/s: half within {half * 1e3:.2f} ms, 99 % within "
        f"{tail * 1e3:.2f} ms, ratio {tail / half:.1f}, limit 5 "
        f"{'met' if tail <= 5 * half else 'MISSED'}",
        flush=True,
    )


def _batches(port: int, bodies: Sequence[bytes], single: float) -> None:
    """Boards a second of a batch, against those of single requests to analyze them."""
    for task, count in _LINES.items():
        lines = b"".join(bodies[number % len(bodies)] + b"\n" for number in range(count))
        rate = median(_boards(port, task, lines) for _ in range(_ROUNDS))
        times = rate / single
        compared = f", {times:.1f} times single requests{reached(times, 10)}"
        print(
            f"  /v1/batch?task={task}: {rate:.0f} boards/s{compared if task == 'analyze' else ''}",
            flush=True,
        )


def _boards(port: int, task: str, lines: bytes) -> float:
    """Boards a second of one batch."""

    async def batch() -> int:
        reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 20)
        head = request(f"/v1/batch?task={task}", lines, "application/x-ndjson")
        closing = b"Connection: close\r\n"
        at = head.index(b"\r\n") + 2
        writer.write(head[:at] + closing + head[at:])
        found = await count_answers(reader)
        writer.close()
        return found

    started = perf_counter()
    found = asyncio.run(batch())
    assert found == lines.count(b"\n"), found
    return found / (perf_counter() - started)


def _rate(found: Load) -> float:
    if found.rejected:
        raise SystemExit(f"{found.rejected} questions were rejected: this machine is too busy")
    return found.rate


def _answer(port: int, path: str, body: bytes) -> bytes:
    request = Request(f"http://127.0.0.1:{port}{path}", body, {"Content-Type": "application/json"})
    with urlopen(request) as response:
        found: bytes = response.read()
    return found


@contextmanager
def service(workers: int) -> Iterator[int]:
    """The port of a service that has just been started."""
    environment = _SERVICE | {"MINECHECK_WORKERS": str(workers)}
    command = ["minecheck", "serve", "--port"]
    with _started(command, "/readyz", environment) as port:
        yield port


@contextmanager
def bare(ready: Path) -> Iterator[int]:
    """The port of the peer."""
    command = ["uvicorn", "--factory", "benchmarks.bare:create", "--port"]
    with _started(command, "/openapi.json", {"READY": str(ready)}) as port:
        yield port


@contextmanager
def _started(command: Sequence[str], path: str, environment: Mapping[str, str]) -> Iterator[int]:
    with socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
    process = subprocess.Popen(
        [sys.executable, "-m", *command, str(port)],
        env=os.environ | environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        for _ in range(300):
            try:
                urlopen(f"http://127.0.0.1:{port}{path}").close()
                break
            except (URLError, ConnectionError):
                sleep(0.2)
        yield port
    finally:
        process.terminate()
        process.wait(15)
