"""Reasons: forced cells explained against named, conflicts against a verdict; proofs, verified."""

from functools import partial
from statistics import median

import numpy as np

from benchmarks.large_check import plain, plain_cnf
from benchmarks.positions import random_board, stuck
from benchmarks.timing import alternate, kept, report, seconds
from benchmarks.widths import lattice
from minefield import Board
from minefield.certificates.judge import verify
from solvers import Question, Task, answer

_ROUNDS = 5


def run() -> None:
    """Explain against forced; the conflict of boards with one wrong clue against SAT; its proof."""
    ratios = []
    for board in stuck(16, 30, 99, 30):
        asked = [partial(answer, Question(task, board, 99)) for task in (Task.EXPLAIN, Task.FORCED)]
        pairs = alternate(*asked, _ROUNDS)
        ratios.append(median(ours / theirs for ours, theirs in pairs))
    print(
        f"  explain, stuck 16x30/99: ratio to forced, median of {len(ratios)} boards "
        f"{median(ratios):.2f} ({min(ratios):.2f}..{max(ratios):.2f}){kept(median(ratios), 10)}",
        flush=True,
    )
    for shown in (0.3, 0.5, 0.8):
        for seed in range(3):
            board = near_miss(random_board(100, 100, 0.2, shown, seed), seed)
            clauses = plain_cnf(board)
            assert not plain(clauses)
            pairs = alternate(
                partial(answer, Question(Task.CHECK, board)), partial(plain, clauses), _ROUNDS
            )
            what = f"100x100, {shown:.0%} shown, one wrong"
            report(f"conflict, {what}", pairs, "CaDiCaL, verdict", 3)
            proof(what, board)
    threes = lattice(9)
    least, most = answer(Question(Task.CHECK, threes, 0)).feasible or (0, 0)
    proof("9x9, threes, a mine too few", threes, least - 1)
    proof("9x9, threes, a mine too many", threes, most + 1)


def proof(what: str, board: Board, mines: int | None = None) -> None:
    """Print how large a proof is that there is no layout, and how long it takes to verify it."""
    found = answer(Question(Task.CHECK, board, mines, certificate=True))
    (certificate,) = found.certificates or ()
    verifying = median(seconds(partial(verify, certificate)) for _ in range(_ROUNDS))
    print(
        f"  proof, {what}: formula {len(certificate.cnf)} bytes, proof {len(certificate.proof)} "
        f"bytes, verified in {verifying * 1e3:.3g} ms",
        flush=True,
    )


def near_miss(board: Board, seed: int) -> Board:
    """The board with one clue changed by one so that no layout is left."""
    rng = np.random.default_rng(seed)
    clues = np.argwhere((board.cells > 0) & (board.cells < 8))
    while True:
        row, col = rng.choice(clues)
        cells = board.cells.copy()
        cells[row, col] += rng.choice([-1, 1])
        changed = Board(cells)
        if not plain(plain_cnf(changed)):
            return changed
