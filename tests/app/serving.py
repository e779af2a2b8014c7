"""A real server runs in a process of its own, for tests that need a socket."""

import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import httpx2
import numpy as np

from minecheck.minefield.board import Board
from minecheck.minefield.notation import draw
from tests.boards import hidden_layout
from tests.clocks import ServerClock, server_clock
from tests.processes import PATIENCE, ROOT, every, holds_soon, prepare

HOST = "127.0.0.1"
#: Seconds for a start, which are many because the first start compiles.
_START = 240.0
#: The number of looks in a row at which all processes sleep before they count as idle.
_RESTING = 10


def lattice(side: int) -> list[str]:
    """Return a board with a 3 on every odd row and column: easy to satisfy, hard to count."""
    return [
        "".join("3" if row % 2 and col % 2 else "?" for col in range(side)) for row in range(side)
    ]


def hard_question(deadline_ms: int) -> dict[str, Any]:
    """Return a question to /v1/count that keeps a worker busy until its deadline."""
    return {"board": lattice(21), "backend": "cpsat", "deadline_ms": deadline_ms}


def contradictory(seed: int = 3) -> list[str]:
    """Return an expert board with twenty wrong clues, and too many conflicts to list in time."""
    cells = hidden_layout(16, 30, 0.6, seed).cells.copy()
    clues = np.argwhere((cells > 0) & (cells <= 7))
    for clue in np.random.default_rng(seed).choice(clues, 20, replace=False).tolist():
        cells[tuple(clue)] += 1
    return draw(Board(cells))


class Server:
    """A running server: its address, its process, and the clock if a test may move it."""

    def __init__(
        self,
        port: int,
        process: subprocess.Popen[str],
        host: str = HOST,
        clock: ServerClock | None = None,
    ) -> None:
        self.port = port
        self.url = f"http://{host}:{port}"
        self.process = process
        self._clock = clock
        # Of all parts of a client, certificates take the longest to load. Connections are new ones.
        self.client = httpx2.Client(
            verify=False, limits=httpx2.Limits(max_keepalive_connections=0), base_url=self.url
        )

    @property
    def clock(self) -> ServerClock:
        """The clock of a server that was started with a movable clock."""
        assert self._clock is not None
        return self._clock

    def post(self, path: str, body: Any, timeout: float = 30.0) -> httpx2.Response:
        """Return the answer to a JSON body."""
        return self.send("POST", path, json=body, timeout=timeout)

    def get(self, path: str, **how: Any) -> httpx2.Response:
        """Return what is at a path."""
        return self.send("GET", path, **how)

    def send(self, method: str, path: str, **how: Any) -> httpx2.Response:
        """Return the answer to a request of any kind."""
        return self.client.request(method, path, **how)

    def stream(self, path: str, **how: Any) -> AbstractContextManager[httpx2.Response]:
        """Return the answer to a POST, of which the body is still to be read."""
        return self.client.stream("POST", path, **how)

    def healthy(self) -> bool:
        """Return whether the server answers, both by itself and by a worker."""
        try:
            inline = self.post("/v1/count", {"board": ["1?", "??"]})
            worker = self.post("/v1/count", {"board": ["1?", "??"], "backend": "sat"})
        except httpx2.TransportError:
            return False
        return bool(inline.json().get("count") == worker.json().get("count") == "3")

    def family(self) -> list[int]:
        """Return the process ids of all running descendants, parents first."""
        found, parents = [], {self.process.pid}
        children: dict[int, list[int]] = {}
        for pid, (parent, _) in every().items():
            children.setdefault(parent, []).append(pid)
        while parents:
            parents = {child for parent in parents for child in children.get(parent, [])}
            found += sorted(parents)
        return found

    def at_work(self) -> list[int]:
        """Return the descendants that soon compute for a tenth of a second, or none."""
        before = {pid: _cpu(pid) for pid in self.family()}
        busy: list[int] = []

        def found() -> bool:
            busy[:] = [pid for pid in self.family() if _cpu(pid) - before.get(pid, 0) >= 10]
            return bool(busy)

        holds_soon(found)
        return busy

    def has_questions(self, questions: int) -> bool:
        """Return whether so many questions soon have a worker or wait for one."""
        sample = re.compile(r"^minecheck_workers_(?:busy|waiting) (.+)$", re.MULTILINE)

        def now() -> float:
            return sum(map(float, sample.findall(self.get("/metrics").text)))

        return holds_soon(lambda: now() >= questions)

    def at_rest(self) -> bool:
        """Return whether all descendants soon stop computing.

        It does not matter which of them worked, as a worker may be between two pieces of work.
        A process that computes is ready to run at every look, even if others have the processors.
        """
        resting = 0

        def found() -> bool:
            nonlocal resting
            resting = 0 if any(map(_computes, self.family())) else resting + 1
            return resting >= _RESTING

        return holds_soon(found)

    def has_partial_answer(self) -> bool:
        """Return whether a worker soon keeps a part of its answer.

        Only a server with a movable clock has a folder of its own for these files.
        """
        folder = self.clock.file.parent
        return holds_soon(lambda: any(one.stat().st_size for one in folder.glob("minecheck-*/*")))

    def stop(self, number: int = signal.SIGTERM, patience: float = PATIENCE) -> None:
        """Send a signal, and wait for the end.

        Raises:
            subprocess.TimeoutExpired: it did not end in time; then it was killed.
        """
        self.process.send_signal(number)
        try:
            self.process.wait(patience)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


@contextmanager
def serving(
    env: Mapping[str, str] | None = None,
    cli: bool = False,
    *,
    host: str = HOST,
    port: int = 0,
    movable: bool = False,
) -> Iterator[Server]:
    """Run a server until the block ends, on a free port unless given, and yield it when ready.

    If its clock is ``movable``, its event loop is that of asyncio.
    """
    port = port or free_port()
    address = ["--host", host, "--port", str(port)]
    uvicorn = ["uvicorn", "minecheck.app.main:app", *address, "--log-level", "warning"]
    command = ["minecheck", "serve", *address] if cli else uvicorn
    ours = {
        "PYTHONPATH": str(ROOT),
        "MINECHECK_WORKERS": "2",
        "MINECHECK_CACHE_MB": "0",
        # Many tests write their requests by hand, to any host.
        "MINECHECK_ALLOWED_HOSTS": "*",
    }
    with ExitStack() as opened:
        clock = opened.enter_context(server_clock()) if movable else None
        environment = os.environ | ours | (clock.environment if clock else {}) | dict(env or {})
        process = subprocess.Popen(
            [sys.executable, "-m", *command],
            cwd=ROOT,
            env=environment,
            stdout=subprocess.PIPE if cli else subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            text=True,
            preexec_fn=prepare,
        )
        server = Server(port, process, host, clock)
        opened.enter_context(server.client)
        opened.callback(_end, server)
        wait_until_ready(server)
        yield server


def _end(server: Server) -> None:
    """End a server, and its remaining workers."""
    family, process = server.family(), server.process
    process.terminate()
    try:
        process.wait(15)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    if process.stdout:
        process.stdout.close()
    for pid in family:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def wait_until_ready(server: Server) -> None:
    # One client serves all looks, as to make a client takes longer than to ask.
    with httpx2.Client(base_url=server.url) as client:

        def is_ready() -> bool:
            if server.process.poll() is not None:
                raise RuntimeError(f"the server ended with {server.process.returncode}")
            with suppress(httpx2.TransportError):
                answer = client.get("/readyz")
                # While kernels are compiled, another server answers small boards only.
                return answer.status_code == 200 and answer.json()["seconds_left"] is None
            return False

        if not holds_soon(is_ready, _START):
            raise RuntimeError("the server did not become ready")


def _computes(pid: int) -> bool:
    """Return whether any thread of a process computes, or would if it had a processor."""
    for file in Path(f"/proc/{pid}/task").glob("*/stat"):
        with suppress(OSError):
            if file.read_text().rpartition(")")[2].split()[0] in "RD":
                return True
    return False


def _cpu(pid: int) -> int:
    """Return the clock ticks that a process has computed."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0
    return int(fields[11]) + int(fields[12])
