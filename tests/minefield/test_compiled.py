"""Compiled code where it cannot be kept."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_where_nothing_can_be_written_it_is_compiled_anew(tmp_path: Path) -> None:
    board = tmp_path / "board.txt"
    board.write_text("1?\n??\n")
    # Of the places where Numba looks for a folder, only those in archives are left.
    without = {"NUMBA_CACHE_LOCATOR_CLASSES": "ZipCacheLocator", "PYTHONPATH": str(ROOT)}
    ran = subprocess.run(
        [sys.executable, "-m", "app.cli", "check", str(board)],
        cwd=ROOT,
        env=os.environ | without,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0
    assert ran.stdout.startswith("consistent")
    assert ran.stderr.count("NUMBA_CACHE_DIR") == 1
    assert ran.stderr.count("\n") == 1
