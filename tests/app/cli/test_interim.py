"""`minecheck serve` while kernels are compiled: who answers what, and that nothing is lost."""

import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import httpx2
import pytest

from minecheck.minefield.kernel_mode import VARIABLE
from tests.app.serving import Server
from tests.processes import ROOT, are_gone_soon, holds_soon, running_program

#: Seconds for the service to load, on a machine that has much else to do.
START = 240.0
CHECK = b'{"board": ["?1?"], "deadline_ms": 60000}'


@contextmanager
def starting_service() -> Iterator[tuple[Server, httpx2.Client]]:
    """A service that compiles until a line is written to it, and a client of its interim server."""
    environment = {name: value for name, value in os.environ.items() if name != VARIABLE}
    with running_program(
        [sys.executable, "-m", "tests.app.cli.late_kernels", "serve", "--port", "0"],
        # A request of a test may arrive slowly.
        env=environment
        | {"PYTHONPATH": str(ROOT), "MINECHECK_WORKERS": "1", "MINECHECK_UPLOAD_SECONDS": "600"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        assert process.stdout is not None
        said = [process.stdout.readline() for _ in range(3)]
        found = re.search(r"http://127\.0\.0\.1:(\d+)/docs", said[2])
        assert found, said
        server = Server(int(found[1]), process)
        with httpx2.Client(base_url=server.url, timeout=START) as client:
            yield server, client


def finish_compiling(server: Server) -> None:
    assert server.process.stdin is not None
    server.process.stdin.write("\n")
    server.process.stdin.flush()


@pytest.mark.slow
def test_small_boards_are_answered_at_once_and_all_others_after_compiling() -> None:
    with starting_service() as (server, client):
        ready = client.get("/readyz").json()
        assert ready["status"] == "ok"
        assert ready["kernels"] == "python"
        assert ready["seconds_left"] >= 1
        small = client.post(
            "/v1/check", content=CHECK, headers={"Content-Type": "application/json"}
        )
        assert small.json()["consistent"] is True
        game = {"rows": 5, "cols": 5, "mines": 3}
        generated = client.post("/v1/boards", json=game | {"deadline_ms": 60_000})
        assert generated.status_code == 200
        large = {"board": ["?" * 100] * 50}
        rejected = [
            client.post("/v1/check", json=large),
            client.post("/v1/check", content=iter([CHECK])),
            client.post("/v1/batch/check", content=CHECK),
            client.post("/v1/games", json=game),
            client.post("/mcp", json={}),
        ]
        for answer in rejected:
            assert answer.status_code == 503
            assert "5 of 9" in answer.json()["detail"]
            assert answer.headers["Retry-After"] in answer.json()["fix"]
        with socket.create_connection(("127.0.0.1", server.port)) as begun:
            begun.settimeout(START)
            begun.sendall(b"POST /v1/check HTTP/1.1\r\nHost: localhost\r\n")
            # The interim server has it: another one, later in the queue, was answered.
            client.get("/healthz")
            finish_compiling(server)
            # From here on, every request is answered, by one server or the other.
            assert is_compiled_soon(client)
            assert client.post("/v1/check", json=large).status_code == 200
            begun.sendall(
                b"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(CHECK) + CHECK
            )
            with begun.makefile("rb") as received:
                assert received.read().startswith(b"HTTP/1.1 200")
        assert client.get("/readyz").json() == {
            "status": "ok",
            "kernels": "compiled",
            "seconds_left": None,
        }
        # Only the service and its own workers are left.
        assert holds_soon(lambda: not list_interim(server))


@pytest.mark.slow
def test_service_ended_while_it_compiles_leaves_no_process() -> None:
    for number, status in (
        (signal.SIGINT, 130),
        (signal.SIGTERM, -signal.SIGTERM),
        (signal.SIGKILL, -signal.SIGKILL),
    ):
        with starting_service() as (server, _):
            family = server.family()
            assert list_interim(server)
            server.process.send_signal(number)
            # What would read the line that never comes is a thread of the test's own program.
            assert server.process.stdin is not None
            server.process.stdin.close()
            assert server.process.wait(START) == status
            assert are_gone_soon(family)


@pytest.mark.slow
def test_a_service_whose_interim_server_ends_starts_by_itself() -> None:
    with starting_service() as (server, client):
        for pid in list_interim(server):
            os.kill(pid, signal.SIGKILL)
        finish_compiling(server)
        assert is_compiled_soon(client)


def is_compiled_soon(client: httpx2.Client) -> bool:
    """Return True once the service itself answers; every request until then has an answer."""
    return holds_soon(lambda: client.get("/readyz").json().get("kernels") == "compiled", START)


def list_interim(server: Server) -> list[int]:
    """List the processes of the interim server, without its workers."""
    return [pid for pid in server.family() if b"run_interim_server" in command(pid)]


def command(pid: int) -> bytes:
    """Return the command line of a process; nothing if it has ended."""
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            return file.read()
    except OSError:
        return b""
