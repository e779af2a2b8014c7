"""Exact counts of random boards against pyganak, what chances add, and how time grows with size.

What is timed is `solvers.count` from the text of a board to the number, as anybody calls it; beside
it the counting alone. The peer counts ready clauses.
"""

from statistics import median

import numpy as np
import pyganak

from benchmarks.positions import random_board
from benchmarks.timing import kept, report, seconds
from minefield import Board, draw, parse, reduce_board
from solvers import Deadline, analyze, count
from solvers.backends import sat
from solvers.budget import Budget
from solvers.counting.board import Tally

#: Sides and the part of the safe cells that is shown; one mine in five cells.
_SIDES = (20, 30, 40, 60, 80, 100, 150)
_SHOWN = (0.3, 0.4, 0.5)
_SEEDS = 3


def run() -> None:
    """The peer counts the plain clauses of the board, already propagated and encoded for it."""
    public, inner = [], []
    for side in _SIDES:
        for shown in _SHOWN:
            pairs = []
            for seed in range(1, 1 + (_SEEDS if side <= 60 else 1)):
                ours, alone, theirs = _against_ganak(random_board(side, side, 0.2, shown, seed))
                pairs.append((ours, theirs))
                public.append((side, ours / theirs))
                inner.append((side, alone / theirs))
            report(f"count {side}x{side}, {shown:.0%} shown", pairs, "pyganak")
    for name, ratios, limit in (("", public, 0.02), (", counting alone", inner, None)):
        small = [ratio for side, ratio in ratios if side <= 60]
        worst = max(ratio for _, ratio in ratios)
        print(f"  up to 60x60{name}: median ratio {median(small):.4f}{kept(median(small), limit)}")
        print(f"  up to 150x150{name}: worst ratio {worst:.3f}{kept(worst, limit and 1.0)}")
    _chances()
    _with_total()
    _growth()


def _chances() -> None:
    """What count and chances take of the count alone."""
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


def _with_total() -> None:
    """What a total of mines adds to an analysis of a large board."""
    for side, shown in ((100, 0.3), (150, 0.3), (150, 0.4)):
        for seed in range(1, 4):
            board = random_board(side, side, 0.2, shown, seed)
            # The same draw as that of the board: its mines.
            mines = int((np.random.default_rng(seed).random(board.shape) < 0.2).sum())
            text = draw(board)
            alone, told = (
                min(
                    seconds(lambda text=text, total=total: analyze(parse(text), total))
                    for _ in range(2)
                )
                for total in (None, mines)
            )
            print(
                f"  analyze {side}x{side}, {shown:.0%} shown, board {seed}: {alone:.2f} s, "
                f"with the total {told:.2f} s",
                flush=True,
            )


def _growth() -> None:
    """The time a cell of an analysis, against that of 32x32; and the count of a million cells."""
    for shown in _SHOWN:
        least = _a_cell(32, shown)
        for side in (100, 316):
            growth = _a_cell(side, shown) / least
            print(
                f"  analyze {side}x{side}, {shown:.0%} shown: {growth:.1f} times the time a cell "
                f"of 32x32 ({least * 1e6:.1f} us){kept(growth, 4)}",
                flush=True,
            )
    text = draw(random_board(1000, 1000, 0.2, 0.4, 1))
    taken = seconds(lambda: count(parse(text)))
    print(f"  count 1000x1000, 40% shown: {taken:.1f} s{kept(taken, 10)}")


def _a_cell(side: int, shown: float) -> float:
    """Seconds a cell, in the middle of some boards, the best of some rounds each."""
    texts = [draw(random_board(side, side, 0.2, shown, seed)) for seed in range(1, 4)]
    rounds = 5 if side < 300 else 1
    return median(
        min(seconds(lambda text=text: analyze(parse(text))) for _ in range(rounds))
        for text in texts
    ) / (side * side)


def _tally(board: Board) -> Tally:
    return Tally(reduce_board(board), Budget(10**15, Deadline()))


def _against_ganak(board: Board) -> tuple[float, float, float]:
    """Seconds of the public call, of counting alone, and of the peer on its clauses."""
    text = draw(board)
    cells, clauses = sat.encode(reduce_board(board))
    counter = pyganak.Counter()
    counter.new_vars(len(cells))
    counter.add_clauses(clauses)
    found: list[int | None] = []
    theirs = seconds(lambda: found.append(counter.count()))
    ours = min(seconds(lambda: found.append(count(parse(text)).count)) for _ in range(3))
    alone = min(seconds(lambda: found.append(_tally(board).count)) for _ in range(3))
    # The loose cells are among its variables.
    assert set(found) == {found[0]}
    return ours, alone, theirs


def _chances_over_count(board: Board) -> float:
    def chances() -> None:
        tally = _tally(board)
        _ = tally.count, tally.probabilities()

    count = min(seconds(lambda: _tally(board).count) for _ in range(5))
    return min(seconds(chances) for _ in range(5)) / count
