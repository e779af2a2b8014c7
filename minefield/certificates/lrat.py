"""An independent checker of LRAT proofs: that a formula in CNF has no model.

The clauses of the formula are numbered from 1. A line of the proof adds one more, a *lemma*:

``NUMBER LITERALS 0 HINTS 0``
    The hints name clauses before it, in this order. Suppose that all literals of the lemma are
    false. Then all literals of each hint but one are false, too, so that this one is true and its
    contrary false; of the last hint all are false, which cannot be.

``NUMBER d NUMBERS 0``
    Clauses that no later line names; NUMBER means nothing.

A formula from which the empty clause follows has no model. A line takes as long as its hints are,
and nothing is searched for. Lemmas that are not consequences (RAT, hints below 0) are rejected.

Source: L. Cruz-Filipe, M. Heule, W. Hunt, M. Kaufmann, P. Schneider-Kamp, *Efficient certified RAT
verification*, CADE 2017.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from minecheck.minefield.certificates.dimacs import (
    DimacsFormula,
    ProofError,
    is_comment,
    split_lines,
)

_NUMBER: Final = "[1-9][0-9]{0,9}"
_LEMMA: Final = re.compile(rf"({_NUMBER}) ((?:-?{_NUMBER} )*)0 ((?:{_NUMBER} )*)0", re.ASCII)
_DELETION: Final = re.compile(rf"{_NUMBER} d ((?:{_NUMBER} )*)0", re.ASCII)


def check_proof(
    formula: DimacsFormula, proof: str, pause: Callable[[], None] = lambda: None
) -> None:
    """Check a proof that a formula has no model.

    Args:
        formula: the clauses, numbered from 1.
        proof: text in LRAT.
        pause: a function called for each line; an exception from it ends the check.

    Raises:
        ProofError: it does not prove that, or cannot be read.
    """
    clauses: dict[int, Sequence[int]] = dict(enumerate(formula.clauses, 1))
    last, lines = len(clauses), split_lines(proof)
    for line_number, line in enumerate(lines, 1):
        pause()
        if not line or is_comment(line):
            continue
        if deletion := _DELETION.fullmatch(line):
            for number in map(int, deletion[1].split()):
                if clauses.pop(number, None) is None:
                    raise ProofError(line_number, f"There is no clause {number} to delete.")
            continue
        match = _LEMMA.fullmatch(line)
        if match is None:
            detail = (
                "It is not LRAT, `NUMBER LITERALS 0 HINTS 0` or `NUMBER d NUMBERS 0`; "
                "DRAT, which older certificates have, is no longer read."
            )
            raise ProofError(line_number, detail)
        number, lemma = int(match[1]), list(map(int, match[2].split()))
        if number <= last:
            raise ProofError(line_number, f"The number of the clause has to be above {last}.")
        if fault := _explain_fault(clauses, lemma, list(map(int, match[3].split()))):
            raise ProofError(line_number, fault)
        if not lemma:
            return
        clauses[number], last = lemma, number
    raise ProofError(len(lines), "The proof ends without the empty clause.")


def _explain_fault(
    clauses: Mapping[int, Sequence[int]], lemma: Sequence[int], hints: Sequence[int]
) -> str:
    """Return why a lemma does not follow from its hints; empty if it does."""
    false = set(lemma)
    for hint in hints:
        clause = clauses.get(hint)
        if clause is None:
            return f"There is no clause {hint}."
        open_literals = {literal for literal in clause if literal not in false}
        if not open_literals:
            return ""
        if len(open_literals) > 1:
            return f"Clause {hint} leaves more than one literal open."
        false.add(-open_literals.pop())
    return "The lemma does not follow from its hints."
