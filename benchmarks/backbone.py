"""Forced cells: our SAT loop, and what the router does, against PySAT's backbone extractor."""

from collections.abc import Callable
from functools import partial

from pysat.examples.bbscan import BBScan
from pysat.formula import CNF

from benchmarks.positions import random_board, stuck
from benchmarks.timing import alternate, report
from minecheck.minefield import Board, Constraints
from minecheck.minefield.reduction.constraints import IS_MINE, UNDECIDED
from minecheck.solvers import Deadline, forced
from minecheck.solvers.backends import sat
from minecheck.solvers.backends.clauses import encode_reduction


def run() -> None:
    """The same boards for all three."""
    sets = {
        "stuck 16x30/99": stuck(16, 30, 99, 30),
        "random 60x60": [random_board(60, 60, 0.2, 0.5, seed) for seed in range(5)],
        "random 200x200": [random_board(200, 200, 0.2, 0.5, 1)],
    }
    for name, boards in sets.items():
        assert all(by_sat(b) == by_router(b) == by_bbscan(b) for b in boards)
        for ours, method in (("SAT loop", by_sat), ("routed", by_router)):
            pairs = alternate(
                partial(solve_all, method, boards), partial(solve_all, by_bbscan, boards), 5
            )
            report(f"{name}, {ours}", pairs, "BBScan (chunk)")


def solve_all(method: Callable[[Board], set[int]], boards: list[Board]) -> None:
    """Find the forced cells of each board."""
    for board in boards:
        method(board)


def by_router(board: Board) -> set[int]:
    """Forced cells that propagation leaves undecided, as signed cell numbers from 1."""
    found = forced(board).forced
    assert found is not None
    undecided = Constraints.from_position(board).reduction.state.reshape(board.shape) == UNDECIDED
    return {
        sign * (row * board.width + col + 1)
        for sign, cells in ((1, found.mines), (-1, found.safe))
        for row, col in cells
        if undecided[row, col]
    }


def by_sat(board: Board) -> set[int]:
    """The same by our loop over chunks of literals."""
    reduction = Constraints.from_position(board).reduction
    found = sat.find_witness(reduction, Deadline())
    assert found is not None
    cells, mines = found
    layout = reduction.state == IS_MINE
    layout[cells] = mines
    values, _ = sat.find_forced(reduction, layout, Deadline())
    decided = (values != UNDECIDED).nonzero()[0].tolist()
    return {cell + 1 if values[cell] == IS_MINE else -(cell + 1) for cell in decided}


def by_bbscan(board: Board) -> set[int]:
    """The same by PySAT's own extractor."""
    cells, clauses, _ = encode_reduction(Constraints.from_position(board).reduction, Deadline())
    if not clauses:
        return set()
    with BBScan(CNF(from_clauses=clauses), solver="cd195") as scan:
        backbone = scan.compute(algorithm="chunk")
    return {int(cells[abs(x) - 1] + 1) * (1 if x > 0 else -1) for x in backbone}
