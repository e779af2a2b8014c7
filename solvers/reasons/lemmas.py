"""Why clauses have no model, step by step, as CaDiCaL finds it.

Tested in tests/solvers/reasons/test_proofs.py.
"""

from itertools import count
from tempfile import TemporaryFile
from typing import Final, NamedTuple

from minecheck.solvers.backends.clauses import Clauses
from minecheck.solvers.backends.sat import solve_in_slices
from minecheck.solvers.deadline import Deadline

_SLICE_CONFLICTS: Final = 2000


class Unproved(AssertionError):
    """The claim that was to be certified is false."""


class Lemma(NamedTuple):
    """A clause, as text, that unit propagation finds by these clauses and lemmas in their order.

    The clauses are numbered from 1, the lemmas after them.
    """

    literals: str
    hints: list[int]


def list_refuting_lemmas(
    clauses: Clauses, deadline: Deadline, slice_conflicts: int = _SLICE_CONFLICTS
) -> list[Lemma]:
    """List the lemmas that lead to the last one, the empty clause, and no others.

    Args:
        clauses: clauses of literals, numbered from 1.
        deadline: when to give up.
        slice_conflicts: conflicts between two looks at the deadline.

    Raises:
        DeadlinePassed: they were not found in time.
        Unproved: the clauses have a model.
    """
    if [] in clauses:
        return [Lemma("", [clauses.index([]) + 1])]
    steps = _read_steps(_run_cadical(clauses, deadline, slice_conflicts), deadline)
    empty = next(number for number, (literals, _) in steps.items() if not literals)
    used = {empty}
    for number in reversed(steps):
        if number in used:
            used.update(steps[number].hints)
    # Immediate consequences of the clauses so far come between, with numbers of their own.
    free = (number for number in count(1) if number not in steps)
    named = dict(zip(free, range(1, len(clauses) + 1), strict=False))
    lemmas = []
    for number, (literals, hints) in steps.items():
        if number in used:
            lemmas.append(Lemma(literals, [named[hint] for hint in hints]))
            named[number] = len(clauses) + len(lemmas)
    return lemmas


def _run_cadical(clauses: Clauses, deadline: Deadline, slice_conflicts: int) -> str:
    """Run CaDiCaL, and return its own proof as LRAT text."""
    # Imported when it is needed: most questions are answered before.
    import pysolvers
    from pysat.solvers import Cadical195

    with Cadical195() as solver, TemporaryFile() as file:
        # PySAT has no name for LRAT, and reads no proof but the binary DRAT that it asks for.
        solver.configure({"lrat": 1, "binary": 0})
        trace = pysolvers.cadical195_tracepr(solver.cadical, file)
        for clause in clauses:
            solver.add_clause(clause)
        if solve_in_slices(solver, (), slice_conflicts, deadline):
            raise Unproved("the clauses have a model")
        pysolvers.flushpr(trace)
        file.seek(0)
        return file.read().decode()


def _read_steps(proof: str, deadline: Deadline) -> dict[int, Lemma]:
    """Read the lemmas of a proof by number; their hints are its numbers, too."""
    lemmas = {}
    for line in proof.splitlines():
        deadline.check()
        number, step = line.split(" ", 1)
        if not step.startswith("d "):
            literals, hints, _ = f" {step} ".split(" 0 ")
            lemmas[int(number)] = Lemma(literals.strip(), list(map(int, hints.split())))
    return lemmas
