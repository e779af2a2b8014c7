"""check on large boards against the plain CNF of the whole board in CaDiCaL through PySAT.

The peer only loads the finished clauses and solves; making them is not counted.
"""

from functools import partial

import numpy as np
from pysat.solvers import Solver

from benchmarks.positions import random_board
from benchmarks.timing import alternate, report
from minecheck.minefield import Board, Constraints
from minecheck.solvers import check
from minecheck.solvers.backends.clauses import Clauses, encode_cardinality
from minecheck.solvers.deadline import Deadline


def run() -> None:
    """20 % mines, half of the safe cells revealed."""
    for side, rounds in ((300, 7), (1000, 3)):
        board = random_board(side, side, density=0.2, shown=0.5, seed=side)
        clauses = plain_cnf(board)
        pairs = alternate(partial(check, board), partial(plain, clauses), rounds)
        report(f"check {side}x{side}", pairs, f"CaDiCaL on {len(clauses)} clauses")


def plain_cnf(board: Board) -> Clauses:
    """Template clauses of every clue of the board, nothing reduced."""
    clues = Constraints.from_board(board)
    variables = clues.members + np.int64(1)
    return encode_cardinality(clues.start, variables, clues.low, clues.high, Deadline())[0]


def plain(clauses: Clauses) -> bool:
    """Load and solve."""
    with Solver("cadical195", bootstrap_with=clauses) as solver:
        return bool(solver.solve())
