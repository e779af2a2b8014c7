"""`minecheck serve` says where it listens, once it listens."""

import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx2
import pytest
from typer.testing import CliRunner, Result

from minecheck.app.cli import server
from minecheck.app.cli.program import Program
from tests.app.serving import Server
from tests.processes import ROOT, holds_soon, running_program


class ServerStartedError(Exception):
    """The server started before it was known whether it may listen."""


@pytest.fixture
def no_start(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make it an error that the server starts."""

    def run(*_: object) -> None:
        raise ServerStartedError

    monkeypatch.setattr(server, "run_server", run)


def serve(*options: str) -> Result:
    return CliRunner().invoke(Program(), ["serve", *options])


@contextmanager
def running_server() -> Iterator[subprocess.Popen[str]]:
    """Run the command on a port that it finds by itself."""
    with running_program(
        [sys.executable, "-m", "minecheck", "serve", "--port", "0"],
        env=os.environ | {"PYTHONPATH": str(ROOT), "MINECHECK_WORKERS": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        yield process


@pytest.mark.usefixtures("no_start")
def test_serve_command_rejects_port_in_use_at_once() -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        found = serve("--port", str(port))
    assert found.exit_code == 2
    assert f"127.0.0.1:{port}: Address already in use" in found.stderr
    assert found.stderr.count("\n") == 1
    assert found.stdout == ""


@pytest.mark.usefixtures("no_start")
@pytest.mark.parametrize("host", ["192.0.2.1", "nowhere.invalid", "a" * 300, "fe80::1:2:3%none"])
def test_serve_command_rejects_address_of_another_machine_at_once(host: str) -> None:
    found = serve("--host", host)
    assert found.exit_code == 2
    assert f"{host}:8000: " in found.stderr.replace("[", "").replace("]", "")
    assert "--host" in found.stderr
    assert found.stderr.count("\n") == 1
    assert found.stdout == ""


@pytest.mark.usefixtures("no_start")
@pytest.mark.parametrize("port", ["-1", "65536", "70000"])
def test_serve_command_rejects_invalid_port(port: str) -> None:
    assert serve("--port", port).exit_code == 2


@pytest.mark.slow
def test_serve_command_prints_free_port_when_service_answers() -> None:
    with running_server() as process:
        assert process.stdout is not None
        lines = [process.stdout.readline() for _ in range(3)]
        found = re.search(r"http://127\.0\.0\.1:([1-9]\d*)/docs", lines[2])
        assert found
        assert f"curl 127.0.0.1:{found[1]}/v1/analyze" in lines[1]
        assert httpx2.get(found[0].replace("/docs", "/readyz")).status_code == 200
        os.killpg(process.pid, signal.SIGINT)
        process.communicate(timeout=60)
        assert process.returncode == 130


@pytest.mark.slow
def test_serve_command_interrupted_while_starting_logs_no_error() -> None:
    with running_server() as process:
        family = Server(0, process).family
        assert holds_soon(lambda: any(b"forkserver" in command(pid) for pid in family()))
        os.killpg(process.pid, signal.SIGINT)
        printed, logged = process.communicate(timeout=60)
        assert process.returncode == 130
        assert printed == ""
        assert "Traceback" not in logged
        assert '"level":"error"' not in logged


def command(pid: int) -> bytes:
    """Return the command line of a process, empty if the process has ended."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""
