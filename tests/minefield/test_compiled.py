"""Compiled code is stored as long as its source is unchanged, wherever a folder can be written."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.minefield.file_damages import DAMAGES

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
def test_kernels_are_compiled_anew_where_no_folder_can_be_written(tmp_path: Path) -> None:
    board = tmp_path / "board.txt"
    board.write_text("1?\n??\n")
    # Of the places where Numba looks for a folder, only those in archives are left.
    without = {"NUMBA_CACHE_LOCATOR_CLASSES": "ZipCacheLocator", "PYTHONPATH": str(ROOT)}
    # Else a board as small as this one is answered without machine code.
    without["MINECHECK_KERNELS"] = "compiled"
    ran = subprocess.run(
        [sys.executable, "-m", "minecheck", "check", str(board)],
        cwd=ROOT,
        env=os.environ | without,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0
    assert ran.stdout.startswith("consistent")
    assert ran.stderr.count("NUMBA_CACHE_DIR") == 1
    warning, *progress = ran.stderr.splitlines()
    assert "NUMBA_CACHE_DIR" in warning
    assert all(line.startswith("Compiling ") for line in progress)


#: A package whose kernel calls another one, in another file, and takes constants from a third.
PACKAGE = {
    "__init__.py": "",
    "caller.py": """
from kernels.callee import inner
from kernels.constants import WEIGHTS, Pair
from minecheck.minefield.compiled import compile_kernel

@compile_kernel
def outer(pair: Pair) -> int:
    return below(pair) + WEIGHTS[0]

@compile_kernel
def below(pair: Pair) -> int:
    return inner(pair.first)
""",
    "callee.py": """
from kernels.constants import FACTOR
from minecheck.minefield.compiled import compile_kernel

@compile_kernel
def inner(number: int) -> int:
    return FACTOR * number
""",
    "constants.py": """
from typing import NamedTuple

import numpy as np

FACTOR = 10
WEIGHTS = np.array([5, 7])

class Pair(NamedTuple):
    first: int
    second: int
""",
}
#: Calls it in a process of its own; tells what it returned, and whether that was compiled before.
CALL = """
import json
from kernels.caller import outer
from kernels.constants import Pair
found = outer(Pair(first=1, second=2))
print(json.dumps([int(found), sum(outer.machine_code.stats.cache_hits.values())]))
"""


@pytest.fixture
def package(tmp_path: Path) -> Path:
    folder = tmp_path / "kernels"
    folder.mkdir()
    for name, text in PACKAGE.items():
        (folder / name).write_text(text)
    return folder


def call_kernel(package: Path, **environment: str) -> Any:
    """Return the kernel's result, and how often its code was found."""
    path = os.pathsep.join((str(package.parent), str(ROOT)))
    # The order of a set is another in each process.
    given = {"PYTHONPATH": path, "PYTHONHASHSEED": "random", "NUMBA_CACHE_DIR": "", **environment}
    ran = subprocess.run(
        [sys.executable, "-c", CALL], env=os.environ | given, capture_output=True, text=True
    )
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("file", "before", "after", "returned"),
    [
        ("callee.py", "FACTOR * number", "FACTOR + number", 16),
        ("callee.py", "FACTOR * number", "3 * number", 8),
        ("constants.py", "FACTOR = 10", "FACTOR = 20", 25),
        ("constants.py", "[5, 7]", "[6, 7]", 16),
        ("constants.py", "first: int\n    second: int", "second: int\n    first: int", 15),
    ],
    ids=["code", "literal", "constant", "array", "fields"],
)
def test_kernel_is_compiled_again_after_an_edit_of_another_file(
    package: Path, file: str, before: str, after: str, returned: int
) -> None:
    assert call_kernel(package) == [15, 0]
    edited = package / file
    text = edited.read_text()
    assert before in text
    edited.write_text(text.replace(before, after))
    assert call_kernel(package) == [returned, 0]
    assert call_kernel(package) == [returned, 1]


@pytest.mark.slow
def test_compiled_kernel_is_loaded_from_the_named_folder(package: Path, tmp_path: Path) -> None:
    named = {"NUMBA_CACHE_DIR": str(tmp_path / "kept")}
    assert call_kernel(package, **named) == [15, 0]
    # A copy of the same has other times, and other functions may change as they like.
    with (package / "callee.py").open("a") as callee:
        callee.write("\n@compile_kernel\ndef unused() -> int:\n    return 1\n")
    assert call_kernel(package, **named) == [15, 1]
    assert not list(package.rglob("*.nbi"))


@pytest.mark.slow
def test_kernels_that_check_indices_are_stored_apart_from_unchecked_kernels(package: Path) -> None:
    modes: list[dict[str, str]] = [
        {"MINECHECK_KERNELS": "compiled"},
        {"MINECHECK_KERNELS": "checked"},
        {"MINECHECK_KERNELS": "compiled", "NUMBA_BOUNDSCHECK": "1"},
        {"MINECHECK_KERNELS": "checked", "NUMBA_BOUNDSCHECK": "0"},
    ]
    assert [call_kernel(package, **mode) for mode in modes] == [[15, 0]] * 4
    assert [call_kernel(package, **mode) for mode in modes] == [[15, 1]] * 4


@pytest.mark.slow
@pytest.mark.parametrize(
    ("suffix", "damage"),
    [("nbi", "empty"), ("nbi", "folder"), ("nbc", "flipped"), ("nbc", "of another shape")],
)
def test_damaged_kernel_file_counts_as_missing_and_is_rewritten(
    package: Path, tmp_path: Path, damage: str, suffix: str
) -> None:
    named = {"NUMBA_CACHE_DIR": str(tmp_path / "kept")}
    assert call_kernel(package, **named) == [15, 0]
    (path,) = (tmp_path / "kept").rglob(f"caller.outer-*.{suffix}*")
    DAMAGES[damage](path)
    assert call_kernel(package, **named) == [15, 0]
    if damage != "folder":
        assert call_kernel(package, **named) == [15, 1]


@pytest.mark.slow
def test_kernel_without_a_stored_digest_is_not_compiled_again(
    package: Path, tmp_path: Path
) -> None:
    named = {"NUMBA_CACHE_DIR": str(tmp_path / "kept")}
    assert call_kernel(package, **named) == [15, 0]
    (path,) = (tmp_path / "kept").rglob("caller.outer-*.nbc")
    pickled, mark, _ = path.read_bytes().partition(b"minecheck sha256 ")
    assert mark
    path.write_bytes(pickled)
    assert call_kernel(package, **named) == [15, 1]


#: As it is called, where writing fails in some way; tells the warnings as well.
FAILING = """
import errno, os, sys
from types import SimpleNamespace
from numba.core import caching
from minecheck.minefield import kernel_files

def fail(*_, **__):
    raise OSError(getattr(errno, sys.argv[1]), os.strerror(getattr(errno, sys.argv[1])))

if sys.argv[2] == "at once":
    kernel_files.tempfile = SimpleNamespace(TemporaryFile=fail)
caching.IndexDataCacheFile._open_for_write = fail
from kernels.caller import below, outer
print(outer.machine_code.missing, outer.machine_code.kept, below.machine_code.kept)
"""


@pytest.mark.slow
@pytest.mark.parametrize("noticed", ["at once", "late"])
@pytest.mark.parametrize("error", ["ENOSPC", "EACCES"])
def test_kernels_are_compiled_and_warn_once_where_writing_fails(
    package: Path, tmp_path: Path, error: str, noticed: str
) -> None:
    path = os.pathsep.join((str(package.parent), str(ROOT)))
    kept = str(tmp_path / "kept")
    ran = subprocess.run(
        [sys.executable, "-c", FAILING + CALL, error, noticed],
        env=os.environ | {"PYTHONPATH": path, "NUMBA_CACHE_DIR": kept},
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0, ran.stderr
    printed, result = ran.stdout.splitlines()
    assert json.loads(result) == [15, 0]
    # Where it is known that nothing can be written, nothing is missing there.
    assert printed == ("False False False" if noticed == "at once" else "True True True")
    assert ran.stderr.count("Compiled code cannot be kept") == 1
    # The other line says that it compiles.
    assert ran.stderr.count("\n") == 2
