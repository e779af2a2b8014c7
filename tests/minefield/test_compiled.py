"""Compiled code is kept as long as it is what the source says, wherever there is a place for it."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

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


#: A package whose kernel calls another one, in another file, and takes constants from a third.
PACKAGE = {
    "__init__.py": "",
    "caller.py": """
from kernels import callee
from kernels.constants import WEIGHTS, Pair
from minefield.compiled import compiled

@compiled
def outer(pair: Pair) -> int:
    return below(pair) + WEIGHTS[0]

@compiled
def below(pair: Pair) -> int:
    return callee.inner(pair.first)
""",
    "callee.py": """
from kernels.constants import FACTOR
from minefield.compiled import compiled

@compiled
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
print(json.dumps([int(found), sum(outer.stats.cache_hits.values())]))
"""


@pytest.fixture
def package(tmp_path: Path) -> Path:
    folder = tmp_path / "kernels"
    folder.mkdir()
    for name, text in PACKAGE.items():
        (folder / name).write_text(text)
    return folder


def called(package: Path, **environment: str) -> Any:
    """What the kernel returns, and how often its code was found."""
    path = os.pathsep.join((str(package.parent), str(ROOT)))
    # The order of a set is another in each process.
    given = {"PYTHONPATH": path, "PYTHONHASHSEED": "random", "NUMBA_CACHE_DIR": "", **environment}
    ran = subprocess.run(
        [sys.executable, "-c", CALL], env=os.environ | given, capture_output=True, text=True
    )
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout)


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
def test_what_was_compiled_before_an_edit_of_another_file_is_not_run_after_it(
    package: Path, file: str, before: str, after: str, returned: int
) -> None:
    assert called(package) == [15, 0]
    edited = package / file
    text = edited.read_text()
    assert before in text
    edited.write_text(text.replace(before, after))
    assert called(package) == [returned, 0]
    assert called(package) == [returned, 1]


def test_what_was_compiled_is_found_again_in_the_folder_that_is_named(
    package: Path, tmp_path: Path
) -> None:
    named = {"NUMBA_CACHE_DIR": str(tmp_path / "kept")}
    assert called(package, **named) == [15, 0]
    # A copy of the same has other times, and other functions may change as they like.
    with (package / "callee.py").open("a") as callee:
        callee.write("\n@compiled\ndef unused() -> int:\n    return 1\n")
    assert called(package, **named) == [15, 1]
    assert not list(package.rglob("*.nbi"))
