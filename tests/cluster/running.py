"""Tests run nodes of a Ray cluster and the command line in processes of their own."""

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Final, NoReturn

import pytest

from tests.processes import prepare

ROOT = Path(__file__).parents[2]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT)}
#: Attempts to start Ray: it takes free ports, and another program may be quicker.
STARTS: Final = 3
#: What Ray says, before it runs any code of others, when a slow machine keeps it from starting.
_TIMED_OUT: Final = "The current node timed out during startup."


class Nodes:
    """Running nodes: the address of the first one, and their process."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self.address = self._read()

    def kill(self, node: int) -> None:
        """End a node as if its machine were switched off."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{node}\n")
        self._process.stdin.flush()
        assert self._read() == "killed"

    def _read(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline().strip()


@contextmanager
def running_nodes(*processors: int) -> Iterator[Nodes]:
    """Run nodes with these numbers of processors, and yield them."""
    if find_spec("ray") is None:
        pytest.skip("needs the extra cluster: pip install minecheck[cluster]")
    program = Path(__file__).with_name("nodes.py")
    log = ""
    for _ in range(STARTS):
        with TemporaryFile("w+") as errors:
            with running_until_closed([program, *map(str, processors)], errors) as process:
                found = Nodes(process)
                if found.address:
                    yield found
                    return
            errors.seek(0)
            log = errors.read()
    give_up(log)


@contextmanager
def running_until_closed(
    arguments: Sequence[str | Path], errors: IO[str], **environment: str
) -> Iterator[subprocess.Popen[str]]:
    """Run a Python program, which ends with its input; its errors go to a file."""
    with subprocess.Popen(
        [sys.executable, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=errors,
        text=True,
        preexec_fn=prepare,
        env=ENVIRONMENT | environment,
    ) as process:
        try:
            yield process
        finally:
            assert process.stdin is not None
            process.stdin.close()
            process.wait(60)


def give_up(log: str) -> NoReturn:
    """Skip a test if Ray says of itself that it does not start on this machine, else fail it."""
    if _TIMED_OUT in log:
        pytest.skip("needs a machine on which Ray starts within the time that it allows itself")
    pytest.fail(f"Ray did not start:\n{log[-4000:]}")


def minecheck(*arguments: object, before: str = "") -> subprocess.CompletedProcess[str]:
    """Run the command line until it ends, after the statements ``before`` in its process."""
    program = f"{before}\nfrom minecheck.app.cli.program import Program\nProgram()()"
    command = [sys.executable, "-c", program, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, env=ENVIRONMENT)
