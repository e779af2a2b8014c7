"""The first answer in a fresh process, caches on disk, against importing numpy and numba."""

import subprocess
import sys

from benchmarks.timing import alternate, report

_OURS = """
from minefield import parse
from solvers import analyze
assert analyze(parse("?1?"), 1).count == 2
"""
_PEER = "import numpy, numba"


def run() -> None:
    """Whole processes, in turn; the first pair only fills the caches."""
    _process(_OURS)
    pairs = alternate(lambda: _process(_OURS), lambda: _process(_PEER), 15)
    bare = alternate(lambda: _process(""), lambda: _process(""), 5)
    idle = min(one for one, _ in bare)
    net = [(ours - idle, theirs - idle) for ours, theirs in pairs]
    report("first answer, the interpreter's own start taken off", net, "numpy and numba", 1.5)


def _process(code: str) -> None:
    subprocess.run([sys.executable, "-c", code], check=True)
