"""check on large boards against the plain CNF of the whole board in CaDiCaL through PySAT.

The peer only loads the finished clauses and solves; making them is not counted.
"""

import numpy as np
from pysat.solvers import Solver

from benchmarks.positions import random_board
from benchmarks.timing import alternate, report
from minefield import Board, Constraints
from solvers import check
from solvers.backends.sat import Clauses, cardinality


def run() -> None:
    """20 % mines, half of the safe cells revealed."""
    for side, rounds in ((300, 7), (1000, 3)):
        board = random_board(side, side, density=0.2, shown=0.5, seed=side)
        clauses = plain_cnf(board)
        pairs = alternate(lambda b=board: check(b), lambda c=clauses: plain(c), rounds)
        report(f"check {side}x{side}", pairs, f"CaDiCaL on {len(clauses)} clauses")


def plain_cnf(board: Board) -> Clauses:
    """Template clauses of every clue of the board, nothing reduced."""
    clues = Constraints.of_board(board)
    return cardinality(clues.start, clues.members + np.int64(1), clues.low, clues.high)


def plain(clauses: Clauses) -> bool:
    """Load and solve."""
    with Solver("cadical195", bootstrap_with=clauses) as solver:
        return bool(solver.solve())
