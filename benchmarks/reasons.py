"""Reasons: all forced cells of stuck positions against naming them, conflicts against a verdict."""

from functools import partial
from statistics import median

import numpy as np

from benchmarks.large_check import plain, plain_cnf
from benchmarks.positions import random_board, stuck
from benchmarks.timing import alternate, kept, report
from minefield import Board
from solvers import Question, Task, answer

_ROUNDS = 5


def run() -> None:
    """Explain against forced; then the conflict of boards with one wrong clue against SAT."""
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
            report(f"conflict, 100x100, {shown:.0%} shown, one wrong", pairs, "CaDiCaL, verdict", 3)


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
