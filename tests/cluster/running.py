"""Tests run nodes of a Ray cluster and the command line in processes of their own."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.processes import prepare

ROOT = Path(__file__).parents[2]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT)}


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
    process = subprocess.Popen(
        [sys.executable, Path(__file__).with_name("nodes.py"), *map(str, processors)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        preexec_fn=prepare,
        env=ENVIRONMENT,
    )
    with process:
        try:
            yield Nodes(process)
        finally:
            assert process.stdin is not None
            process.stdin.close()
            process.wait(60)


def minecheck(*arguments: object, before: str = "") -> subprocess.CompletedProcess[str]:
    """Run the command line until it ends, after the statements ``before`` in its process."""
    program = f"{before}\nfrom minecheck.app.cli.main import build_program\nbuild_program()()"
    command = [sys.executable, "-c", program, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, env=ENVIRONMENT)
