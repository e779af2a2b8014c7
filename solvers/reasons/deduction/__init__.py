"""Deductions as people make them: sets of cells and how many mines they hold at least and at most.

This is the method of Probst's minedetector. Every clue is a set of cells with
bounds; intersections and differences of overlapping sets are new sets, with
bounds that follow; a set that turns out empty or full decides its cells. Where
that is not enough, he proposes to look ahead: suppose that a cell is a mine,
or that it is safe, and when that leads to a contradiction the other is true.
Suppositions may be nested, which makes the method complete, and the total of
mines is one large set more. Each deduction is kept as a step that follows
from the steps it names, so that anyone can check it.

M. Probst, *minedetector* (README).
"""

from minecheck.solvers.findings import LEVELS, Inference, Level
from minecheck.solvers.reasons.deduction.closure import Closure
from minecheck.solvers.reasons.deduction.premises import Deduction, Premise, Premises, Proof
from minecheck.solvers.reasons.deduction.prover import Prover

__all__ = [
    "LEVELS",
    "Closure",
    "Deduction",
    "Inference",
    "Level",
    "Premise",
    "Premises",
    "Proof",
    "Prover",
]
