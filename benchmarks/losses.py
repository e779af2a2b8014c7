"""Questions at a steady rate through the proxy, while replicas, workers and Redis are lost.

Two replicas behind docker/haproxy.cfg, sharing a Redis; what is lost is started again, as compose
does. Each question has an answer that is known: none may fail, none may be wrong, and 99 of 100
take less than a second. ``SECONDS`` (60) is for how long each loss is tried.
"""

import asyncio
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from typing import Any

import httpx2

from benchmarks.positions import stuck
from minecheck.app.execution.states import list_children
from minecheck.minefield import draw
from tests.app.serving import free_port
from tests.processes import holds_soon
from tests.proxying import running_proxy, status

_RATE = 200
_SECONDS = float(os.environ.get("SECONDS", "60"))
_ADDRESSES = ("127.0.0.2", "127.0.0.3")
#: Paths and options, sent in turn: most are answered by the serving process, some by workers.
_QUESTIONS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("/v1/check", {}),
    ("/v1/analyze", {"mines": 40}),
    ("/v1/forced", {"mines": 40}),
    ("/v1/count", {"backend": "sat", "deadline_ms": 5000}),
)


def run() -> None:
    """All kinds of losses, one after the other."""
    if shutil.which("haproxy") is None or shutil.which("redis-server") is None:
        print("  needs haproxy and redis-server", flush=True)
        return
    cache = free_port()
    settings = {
        "MINECHECK_WORKERS": "1",
        "MINECHECK_REDIS_URL": f"redis://127.0.0.1:{cache}/0",
        "FORWARDED_ALLOW_IPS": "*",
    }
    with tempfile.TemporaryDirectory() as folder:
        redis = Thing(["redis-server", "--port", str(cache), "--save", "", "--dir", folder], {})
        with replicas(Path(folder), settings, redis) as (url, (one, other)):
            asyncio.run(_all(url, redis, one, other))


@dataclass
class Thing:
    """A program that can be lost, and started again."""

    command: list[str]
    environment: Mapping[str, str]
    #: The URL at which it reports that it is ready; "" if it has none.
    url: str = ""
    process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it."""
        self.process = subprocess.Popen(
            self.command,
            env={**os.environ, **self.environment},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to the process, and to nothing that it started."""
        assert self.process
        self.process.send_signal(number)

    async def again(self) -> None:
        """Wait until the process has ended, start it again, and wait until it is ready."""
        assert self.process
        await asyncio.to_thread(self.process.wait)
        self.end()
        self.start()
        assert not self.url or await asyncio.to_thread(self.ready)

    def ready(self) -> bool:
        """Wait until it is ready; return False if it takes longer than four minutes."""
        return holds_soon(lambda: status(self.url, "/readyz") == 200, 240)

    def end(self) -> None:
        """End the process, if there is one."""
        if self.process:
            with suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()


@contextmanager
def replicas(
    folder: Path, settings: Mapping[str, str], *others: Thing
) -> Iterator[tuple[str, list[Thing]]]:
    """Run two replicas behind the proxy, and other programs: the URL, and the replicas."""
    port = free_port()
    serve = [sys.executable, "-m", "minecheck", "serve", "--port", str(port), "--host"]
    made = [
        Thing([*serve, address], settings, f"http://{address}:{port}") for address in _ADDRESSES
    ]
    try:
        for thing in (*others, *made):
            thing.start()
        assert all(replica.ready() for replica in made)
        with running_proxy(folder, port, *_ADDRESSES) as (url, _):
            yield url, made
    finally:
        for thing in (*others, *made):
            thing.end()


@dataclass
class Outcome:
    """The outcome of the requests during one loss."""

    statuses: Counter[str] = field(default_factory=Counter)
    seconds: list[float] = field(default_factory=list)
    wrong: int = 0


async def _all(url: str, redis: Thing, one: Thing, other: Thing) -> None:
    losses: dict[str, Callable[[], Awaitable[None]]] = {
        "nothing": lambda: asyncio.sleep(0),
        "kill -9 of a replica": lambda: _lost(one, signal.SIGKILL),
        "SIGTERM of a replica": lambda: _lost(other, signal.SIGTERM),
        "a rolling restart": lambda: _rolling(one, other),
        "kill -9 of Redis": lambda: _lost(redis, signal.SIGKILL),
        "a worker each second": lambda: _workers(one, other),
    }
    async with httpx2.AsyncClient(
        base_url=url,
        timeout=30,
        headers={"Content-Type": "application/json"},
        # Shorter than the 4 s after which the proxy closes what nobody uses.
        limits=httpx2.Limits(max_connections=48, keepalive_expiry=2),
    ) as client:
        questions = await _questions(client)
        for name, lose in losses.items():
            outcome = await _tried(client, questions, lose)
            tail = sorted(outcome.seconds)[int(0.99 * len(outcome.seconds))]
            failed = {status: n for status, n in outcome.statuses.items() if status != "200"}
            kept = not failed and not outcome.wrong and tail < 1
            print(
                f"  {name}: {len(outcome.seconds)} questions, {sum(failed.values())} failed "
                f"{failed or ''}, {outcome.wrong} wrong, 99 % within {tail * 1e3:.0f} ms: "
                f"{'met' if kept else 'MISSED'}",
                flush=True,
            )
            # The proxy needs some seconds to see that all replicas are back.
            await asyncio.sleep(5)


async def _questions(client: httpx2.AsyncClient) -> list[tuple[str, bytes, Any]]:
    """Return (path, body, expected answer) of each request."""
    found = []
    for number, board in enumerate(stuck(16, 16, 40, 40)):
        path, options = _QUESTIONS[number % len(_QUESTIONS)]
        body = json.dumps({"board": draw(board), **options}).encode()
        answer = await client.post(path, content=body)
        found.append((path, body, _said(answer)))
    return found


def _said(answer: httpx2.Response) -> Any:
    """An answer without what differs from time to time."""
    said = answer.json()
    said.pop("solver", None)
    said.pop("witness", None)
    return said


async def _tried(
    client: httpx2.AsyncClient,
    questions: list[tuple[str, bytes, Any]],
    lose: Callable[[], Awaitable[None]],
) -> Outcome:
    outcome = Outcome()

    async def ask(number: int) -> None:
        path, body, expected = questions[number % len(questions)]
        begun = perf_counter()
        try:
            answer = await client.post(path, content=body)
        except httpx2.HTTPError as error:
            outcome.statuses[type(error).__name__] += 1
        else:
            outcome.statuses[str(answer.status_code)] += 1
            outcome.wrong += answer.status_code == 200 and _said(answer) != expected
        outcome.seconds.append(perf_counter() - begun)

    losing = asyncio.create_task(_after(_SECONDS / 6, lose))
    begun = perf_counter()
    number = 0
    async with asyncio.TaskGroup() as tasks:
        # Until what was lost is there again.
        while number < _RATE * _SECONDS or not losing.done():
            tasks.create_task(ask(number))
            number += 1
            await asyncio.sleep(max(0, begun + number / _RATE - perf_counter()))
    await losing
    return outcome


async def _after(seconds: float, lose: Callable[[], Awaitable[None]]) -> None:
    await asyncio.sleep(seconds)
    await lose()


async def _lost(thing: Thing, number: signal.Signals) -> None:
    thing.signal(number)
    await thing.again()


async def _rolling(*replicas: Thing) -> None:
    """One after the other, each once the proxy has seen that the one before is ready again."""
    for replica in replicas:
        await _lost(replica, signal.SIGTERM)
        await asyncio.sleep(5)


async def _workers(*replicas: Thing) -> None:
    """A process below a replica each second."""
    until = perf_counter() + _SECONDS / 2
    while perf_counter() < until:
        for replica in replicas:
            assert replica.process
            # Workers are children of the process that they are forked from.
            below = [
                pid for child in list_children(replica.process.pid) for pid in list_children(child)
            ]
            if below:
                os.kill(below[-1], signal.SIGKILL)
        await asyncio.sleep(1)
