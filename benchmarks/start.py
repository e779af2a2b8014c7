"""The first answer of fresh processes, caches on disk: of the library, and of the command."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.positions import random_board
from benchmarks.timing import alternate, report, seconds
from minecheck.minefield import draw, parse
from minecheck.solvers import check

_OURS = """
from minecheck.minefield import parse
from minecheck.solvers import analyze
assert analyze(parse("?1?"), 1).count == 2
"""
_PEER = "import numpy, numba"
_SMALL = "?1?\n?2?\n???\n"


def run() -> None:
    """Whole processes, in turn; the first pair only fills the caches."""
    _python(_OURS)
    pairs = alternate(lambda: _python(_OURS), lambda: _python(_PEER), 15)
    idle = min(seconds(lambda: _python("")) for _ in range(10))
    net = [(ours - idle, theirs - idle) for ours, theirs in pairs]
    report("first answer, the interpreter's own start taken off", net, "numpy and numba", 1.2)
    with TemporaryDirectory() as folder:
        file = Path(folder, "board.txt")
        file.write_text(_SMALL, encoding="utf-8")
        typed = _typed("check", str(file))
        typed()
        pairs = alternate(typed, lambda: _python(_PEER), 15)
        report("minecheck check of 3x3", pairs, "numpy and numba", 1.2)
        for option in ("--version", "--help"):
            pairs = alternate(_typed(option), lambda: _python(_PEER), 5)
            report(f"minecheck {option}", pairs, "numpy and numba", 0.2)
        _large(file, typed)


def _large(file: Path, typed: Callable[[], None]) -> None:
    """A board for which the start is short, against reading and checking it in this process."""
    board = random_board(1000, 1000, density=0.2, shown=0.5, seed=1000)
    file.write_text("\n".join(draw(board)), encoding="utf-8")

    def warm() -> None:
        assert check(parse(file.read_text(encoding="utf-8"))).consistent

    warm()
    # A board that is just too large for the interpreter, so that machine code is loaded for it.
    small = file.with_name("small.txt")
    small.write_text("???????\n" * 7, encoding="utf-8")
    start = min(seconds(_typed("check", str(small))) for _ in range(3))
    pairs = [(ours - start, theirs) for ours, theirs in alternate(typed, warm, 3)]
    report("minecheck check of 1000x1000, its start taken off", pairs, "parse and check", 1.25)


def _python(code: str) -> None:
    subprocess.run([sys.executable, "-c", code], check=True)


def _typed(*arguments: str) -> Callable[[], None]:
    """Return a call of the command of this environment, whose output goes to /dev/null."""
    command = [str(Path(sys.executable).with_name("minecheck")), *arguments]

    def run() -> None:
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)

    return run
