"""Clients that would take all memory: bodies that do not end, large ones, answers nobody reads.

Two replicas with the settings of docker-compose.yml behind docker/haproxy.cfg. Meanwhile others ask
small questions. No process may take more than 600 MB, and nobody else may wait for a second.
"""

import asyncio
import json
import re
import shutil
import socket
import tempfile
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from time import perf_counter

import yaml

from benchmarks.losses import Thing, replicas
from minecheck.app.execution.states import list_children
from tests.processes import ROOT

#: The proxy lets each address have 64 requests under way.
_OF_AN_ADDRESS = 60
_BODY = 16 << 20
#: Ends of a connection that would take all memory: a status, or the service holds or closes it.
_EXPECTED = {"200", "503", "held", "closed"}
_MOST_MB = 600
_MOST_SECONDS = 1.0
#: Seconds for which bodies stay unfinished, and answers unread.
_SECONDS = 8.0
_UNFINISHED, _COMPLETE, _UNREAD = 240, 180, 100
#: Its answer has 17 MB.
_LARGE = {"board": ["1?" * 500, "?" * 1000] * 500, "mines": 300_000}


def run() -> None:
    """All kinds of them, one after the other."""
    if shutil.which("haproxy") is None:
        print("  needs haproxy", flush=True)
        return
    whole = _request("/v1/check", b'{"board": ["?1"]}' + b" " * (_BODY - 17))
    large = _request("/v1/analyze", json.dumps(_LARGE).encode())
    attacks = {
        f"{_UNFINISHED} unfinished bodies": (_UNFINISHED, whole[:-1000], False),
        f"{_COMPLETE} complete bodies": (_COMPLETE, whole, True),
        f"{_UNREAD} answers that nobody reads": (_UNREAD, large, False),
    }
    with (
        tempfile.TemporaryDirectory() as folder,
        replicas(Path(folder), _settings()) as (url, things),
    ):
        port = int(url.rpartition(":")[2])
        for name, (count, message, reads) in attacks.items():
            with ProcessPoolExecutor(1, get_context("spawn")) as apart:
                attack = partial(_attack, port, count, message, reads)
                found = asyncio.run(_tried(port, things, apart, attack))
            as_expected = set(found.others) == {"200"} and set(found.attackers) <= _EXPECTED
            small = max(found.peaks.values()) <= _MOST_MB
            kept = as_expected and small and found.slowest <= _MOST_SECONDS
            peaks = sorted(map(round, found.peaks.values()), reverse=True)
            print(
                f"  {name} {dict(found.attackers) or ''}: at most {peaks[0]} MB in the serving "
                f"process or a worker ({peaks[1:4]} in the next), {sum(found.others.values())} "
                f"other questions answered {dict(found.others)}, the slowest in "
                f"{found.slowest * 1e3:.0f} ms: {'met' if kept else 'MISSED'}",
                flush=True,
            )


@dataclass
class _Outcome:
    """What came of one kind: statuses, the slowest of the others, the peak of each process."""

    attackers: Counter[str] = field(default_factory=Counter)
    others: Counter[str] = field(default_factory=Counter)
    slowest: float = 0.0
    peaks: dict[int, float] = field(default_factory=dict)


def _settings() -> dict[str, str]:
    """Return the settings of a replica in docker-compose.yml, without its Redis."""
    compose = yaml.safe_load((ROOT / "docker-compose.yml").read_text(encoding="utf-8"))
    given = compose["services"]["minecheck"]["environment"]
    values = {name: re.sub(r"\$\{\w+:-(.*)\}", r"\1", value or "") for name, value in given.items()}
    return values | {"MINECHECK_REDIS_URL": ""}


async def _tried(
    port: int, things: list[Thing], apart: ProcessPoolExecutor, attack: Callable[[], Counter[str]]
) -> _Outcome:
    found = _Outcome()
    attacking = asyncio.get_running_loop().run_in_executor(apart, attack)
    while not attacking.done():
        for replica in things:
            _note_peaks(replica, found.peaks)
        begun = perf_counter()
        status = await _ask_check(port)
        found.slowest = max(found.slowest, perf_counter() - begun)
        found.others[status] += 1
        await asyncio.sleep(0.05)
    found.attackers = await attacking
    return found


def _note_peaks(replica: Thing, peaks: dict[int, float]) -> None:
    """Note what each process takes, where that is more than before; in MB."""
    assert replica.process
    below = [
        pid
        for child in list_children(replica.process.pid)
        for pid in (child, *list_children(child))
    ]
    for pid in (replica.process.pid, *below):
        with suppress(OSError, IndexError):
            status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
            resident = int(status.partition("VmRSS:")[2].split()[0]) / 1024
            peaks[pid] = max(peaks.get(pid, 0.0), resident)


def _attack(port: int, count: int, message: bytes, reads: bool) -> Counter[str]:
    """Send a message on many connections, from as many addresses as it takes, in this process."""

    async def all_of_them() -> Counter[str]:
        ones = (_one(port, number, message, reads=reads) for number in range(count))
        return Counter(await asyncio.gather(*ones))

    return asyncio.run(all_of_them())


async def _one(port: int, number: int, message: bytes, *, reads: bool) -> str:
    """What one of them is answered: a status, or how it ended without one."""
    loop = asyncio.get_running_loop()
    with socket.socket() as client:
        client.setblocking(False)
        client.bind((f"127.0.1.{1 + number // _OF_AN_ADDRESS}", 0))
        try:
            async with asyncio.timeout(_SECONDS * (6 if reads else 1)):
                await loop.sock_connect(client, ("127.0.0.1", port))
                with suppress(ConnectionError):
                    await loop.sock_sendall(client, message)
                if not reads:
                    await asyncio.Event().wait()
                return (await loop.sock_recv(client, 64)).decode().split(" ")[1]
        except TimeoutError:
            return "held"
        except (OSError, IndexError):
            return "closed"


async def _ask_check(port: int) -> str:
    """Send a small request from another address; return the status of its answer."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=("127.0.2.1", 0))
    try:
        writer.write(_request("/v1/check", b'{"board": ["?1", "1?"]}'))
        return (await reader.readline()).decode().split(" ")[1]
    finally:
        writer.close()


def _request(path: str, body: bytes) -> bytes:
    head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    return f"{head}Connection: close\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body
