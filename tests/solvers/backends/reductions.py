"""Reductions for model counters."""

import numpy as np

from minecheck.minefield.board import UNKNOWN, Board
from minecheck.minefield.reduction.constraints import Reduction, reduce
from minecheck.minefield.rules import Rule
from tests.rule_constraints import build_constraints, reduce_board


def wide_reduction(cells: int, low: int, high: int) -> Reduction:
    """One clue over many cells: its clauses have variables of their own."""
    rule = Rule(tuple(range(cells)), low, high)
    return reduce(build_constraints([rule])[0])


def hard_reduction() -> Reduction:
    """One component on which every counter takes far longer than a test may."""
    cells = np.full((41, 41), UNKNOWN, dtype=np.int8)
    cells[1::2, 1::2] = 3
    return reduce_board(Board(cells))
