"""Exact counts of random boards against pyganak, and what chances add to a count."""

from statistics import median

import pyganak

from benchmarks.positions import random_board
from benchmarks.timing import kept, report, seconds
from minefield import Board, reduce_board
from solvers import Deadline
from solvers.backends import sat
from solvers.counting.board import Tally
from solvers.counting.budget import Budget

#: Sides and the part of the safe cells that is shown; one mine in five cells.
_SIDES = (20, 30, 40, 60, 80, 100, 150)
_SHOWN = (0.3, 0.4, 0.5)
_SEEDS = 3


def run() -> None:
    """The peer counts the plain clauses of the board, already propagated and encoded for it."""
    up_to_60, worst = [], 0.0
    for side in _SIDES:
        for shown in _SHOWN:
            pairs = []
            for seed in range(1, 1 + (_SEEDS if side <= 60 else 1)):
                board = random_board(side, side, 0.2, shown, seed)
                pairs.append(_against_ganak(board))
            worst = max(worst, *(ours / theirs for ours, theirs in pairs))
            if side <= 60:
                up_to_60 += [ours / theirs for ours, theirs in pairs]
            report(f"count {side}x{side}, {shown:.0%} shown", pairs, "pyganak")
    print(f"  up to 60x60: median ratio {median(up_to_60):.4f}{kept(median(up_to_60), 1 / 20)}")
    print(f"  up to 150x150: worst ratio {worst:.4f}{kept(worst, 1.5)}")
    ratios = [
        _chances_over_count(random_board(side, side, 0.2, shown, seed))
        for side in (20, 30, 40)
        for shown in _SHOWN
        for seed in range(1, 4)
    ]
    print(
        f"  count and chances up to 40x40: median {median(ratios):.2f} of the count alone "
        f"({min(ratios):.2f}..{max(ratios):.2f}){kept(median(ratios), 5)}"
    )


def _tally(board: Board) -> Tally:
    return Tally(reduce_board(board), Budget(10**15, Deadline()))


def _against_ganak(board: Board) -> tuple[float, float]:
    """Seconds of both; ours starts from the board, theirs from its clauses."""
    reduction = reduce_board(board)
    cells, clauses = sat.encode(reduction)
    counter = pyganak.Counter()
    counter.new_vars(len(cells))
    counter.add_clauses(clauses)
    found: list[int] = []
    theirs = seconds(lambda: found.append(counter.count()))
    ours = min(seconds(lambda: found.append(_tally(board).count)) for _ in range(3))
    # The loose cells are among its variables.
    assert set(found) == {found[0]}
    return ours, theirs


def _chances_over_count(board: Board) -> float:
    def chances() -> None:
        tally = _tally(board)
        _ = tally.count, tally.probabilities()

    count = min(seconds(lambda: _tally(board).count) for _ in range(5))
    return min(seconds(chances) for _ in range(5)) / count
