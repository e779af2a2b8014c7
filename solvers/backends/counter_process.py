"""A model counter in a process of its own, which can be killed: the libraries cannot be stopped.

    python -P counter_process.py PARENT SECONDS ganak < DIMACS
    python -P counter_process.py PARENT SECONDS approxmc EPSILON DELTA SEED < DIMACS

The count, in hexadecimal, is of the values of the ``c p show`` variables, which
come first. This file runs by its path and imports nothing of the project, which
would take longer than most counts.

Tested in tests/solvers/backends/test_model_counters.py.
"""

import os
import signal
import sys
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Final, TypeAlias

Clauses: TypeAlias = list[list[int]]

#: Linux: which signal to get when the parent has died, from <sys/prctl.h>.
_PR_SET_PDEATHSIG: Final = 1
#: Clauses that are written at a time.
_PIECE_CLAUSES: Final = 50_000


def run_ganak(shown: int, clauses: Clauses) -> int:
    """Count exactly over the variables 1..shown, by Ganak.

    Args:
        shown: number of variables to count over.
        clauses: clauses of literals, as in DIMACS.
    """
    from pyganak import Counter

    counter = Counter()
    counter.add_clauses(clauses)
    counter.set_sampling_set(range(1, shown + 1))
    return int(counter.count())


def run_approxmc(shown: int, clauses: Clauses, epsilon: float, delta: float, seed: int) -> int:
    """Estimate the count over the variables 1..shown by ApproxMC, see `Approximation`.

    pyapproxmc 4.3 and 4.4 simplify first and lose a factor of two for every
    shown variable that turns out to be free. So what is counted here is odd,
    2 * count + 1, and no variable of it can be free: a ``free`` one doubles the
    layouts where ``switch`` is off, and with it on everything else is off.

    Args:
        shown: number of variables to count over.
        clauses: clauses of literals, as in DIMACS.
        epsilon: the relative tolerance.
        delta: the chance that the estimate is outside of it.
        seed: the seed of the counter.
    """
    from pyapproxmc import Counter

    switch = max(chain([shown], *(map(abs, clause) for clause in clauses))) + 1
    free = switch + 1
    # Halving a rounded estimate adds at most half a layout, which the shaved twentieth
    # covers: counts below ApproxMC's threshold, 9.84 (1 + e/(1+e)) (1 + 1/e)**2, are exact.
    counter = Counter(seed=seed, epsilon=0.95 * epsilon, delta=delta)
    counter.add_clauses([[*clause, switch] for clause in clauses])
    counter.add_clauses([[-switch, -variable] for variable in [*range(1, shown + 1), free]])
    cell, hashes = counter.count([*range(1, shown + 1), switch, free])
    return int(cell << hashes) // 2


def write_dimacs(
    shown: int, clauses: Clauses, top: int, piece: int = _PIECE_CLAUSES
) -> Iterator[str]:
    """Yield clauses as DIMACS text, in pieces.

    Args:
        shown: number of variables to count over, which are 1..shown.
        clauses: clauses of literals.
        top: number of all variables.
        piece: clauses of a piece.
    """
    yield f"p cnf {top} {len(clauses)}\nc p show {' '.join(map(str, range(1, shown + 1)))} 0\n"
    for first in range(0, len(clauses), piece):
        part = clauses[first : first + piece]
        yield "".join(f"{' '.join(map(str, clause))} 0\n" for clause in part)


def parse_dimacs(lines: Iterable[str]) -> tuple[int, Clauses]:
    """Return the arguments of `write_dimacs`, read back."""
    shown = 0
    clauses = []
    for line in lines:
        if line.startswith("c p show"):
            shown = len(line.split()) - 4
        elif line[0] not in "cp":
            clauses.append([int(literal) for literal in line.split()[:-1]])
    return shown, clauses


def _die_with(parent: int, seconds: float) -> None:
    """Have the kernel end this process: after ``seconds`` (0: never), or on Linux with its parent.

    No thread could do it: pyapproxmc never lets go of the interpreter.
    """
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    if sys.platform == "linux":
        from ctypes import CDLL

        CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        sys.exit("the parent has ended")


def _main(parent: str, seconds: str, name: str, *options: str) -> None:
    _die_with(int(parent), float(seconds))
    # Ganak sometimes writes remarks to standard output, even in quiet mode.
    answer = os.dup(sys.stdout.fileno())
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    shown, clauses = parse_dimacs(sys.stdin)
    if name == "ganak":
        count = run_ganak(shown, clauses)
    else:
        epsilon, delta, seed = options
        count = run_approxmc(shown, clauses, float(epsilon), float(delta), int(seed))
    os.write(answer, f"{count:x}".encode())


if __name__ == "__main__":
    _main(*sys.argv[1:])
