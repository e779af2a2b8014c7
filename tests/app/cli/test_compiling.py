"""People see progress while a command compiles."""

import json
import logging
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from minecheck.app.cli.compiling import show_compilation
from minecheck.minefield import kernel_files
from minecheck.minefield.kernel_files import log_compilation
from tests.processes import ROOT


@pytest.fixture
def log() -> Iterator[logging.Logger]:
    """The logger of compiled code, which is restored after the test."""
    logger = logging.getLogger("minecheck.compiled")
    handlers, level, propagate = logger.handlers[:], logger.level, logger.propagate
    yield logger
    logger.handlers[:], logger.propagate = handlers, propagate
    logger.setLevel(level)


def test_show_compilation_prints_and_counts_kernels_on_standard_error(
    log: logging.Logger, capsys: pytest.CaptureFixture[str]
) -> None:
    show_compilation()
    # Compilation is announced once in a process, which may have been before this test.
    kernel_files._announce_compilation.cache_clear()
    log_compilation("spread", is_kept=True)
    log_compilation("safest", is_kept=False)
    log.warning("It cannot be kept.")
    assert capsys.readouterr().err.splitlines() == [
        "Compiling for this machine, for up to some minutes. `minecheck warm` does it ahead.",
        "Compiling spread, once on this machine (1 so far)",
        "Compiling safest, at each start (2 so far)",
        "It cannot be kept.",
    ]


@pytest.mark.slow
def test_first_command_on_machine_prints_compilation_and_second_does_not(
    tmp_path: Path,
) -> None:
    for lines in (True, False):
        ended = subprocess.run(
            [sys.executable, "-m", "minecheck", "check", "-", "--json"],
            cwd=ROOT,
            env=os.environ | {"NUMBA_CACHE_DIR": str(tmp_path), "MINECHECK_KERNELS": "compiled"},
            input="?1??\n",
            capture_output=True,
            text=True,
            check=True,
            timeout=120,
        )
        assert json.loads(ended.stdout)["consistent"] is True
        printed = ended.stderr.splitlines()
        assert bool(printed) is lines
        assert all(line.startswith("Compiling ") for line in printed)
