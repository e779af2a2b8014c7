"""Exact counts of random boards against pyganak, and what chances and totals add.

What is timed is `solvers.count` from the text of a board to the number, as anybody calls it; beside
it the counting alone. The peer counts ready clauses.
"""

from functools import partial
from statistics import median

import pyganak

from benchmarks.positions import random_board
from benchmarks.timing import kept, report, seconds
from minecheck.minefield import Board, Constraints, draw, parse
from minecheck.solvers import Deadline, analyze, count
from minecheck.solvers.backends.clauses import encode_reduction
from minecheck.solvers.budget import Budget
from minecheck.solvers.counting.whole_board import BoardTally

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
    _totals()


def _chances() -> None:
    """Measure the time for the count and all chances, as a multiple of that for the count alone."""
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


def _totals() -> None:
    """Measure the time that a total of mines adds to an analysis whose chances are read."""
    for side, shown in ((60, 0.3), (100, 0.3), (100, 0.5), (150, 0.3), (150, 0.4)):
        text = draw(random_board(side, side, 0.2, shown, 1))

        def analysed(mines: int | None, text: list[str] = text) -> None:
            assert analyze(parse(text), mines).probabilities is not None

        with_total, without = (
            min(seconds(partial(analysed, mines)) for _ in range(3))
            for mines in (side * side // 5, None)
        )
        print(
            f"  analyze {side}x{side}, {shown:.0%} shown, with its total: {with_total:.2f} s, "
            f"{with_total / without:.1f} times that without",
            flush=True,
        )


def _tally(board: Board) -> BoardTally:
    return BoardTally(Constraints.from_position(board).reduction, Budget(10**15, Deadline()))


def _against_ganak(board: Board) -> tuple[float, float, float]:
    """Seconds of the public call, of counting alone, and of the peer on its clauses."""
    text = draw(board)
    cells, clauses, _ = encode_reduction(Constraints.from_position(board).reduction, Deadline())
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
        _ = tally.count, tally.compute_probabilities()

    count = min(seconds(lambda: _tally(board).count) for _ in range(5))
    return min(seconds(chances) for _ in range(5)) / count
