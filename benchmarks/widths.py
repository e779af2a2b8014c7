"""Widths of the tables of boards, for lines and for trees of joins, and the time of counting."""

from functools import partial
from math import log2
from typing import NamedTuple

import numpy as np

from benchmarks.positions import random_board
from benchmarks.timing import seconds
from minecheck.minefield import UNKNOWN, Board, Constraints
from minecheck.minefield.reduction.constraints import Reduction
from minecheck.solvers import Deadline, DeadlinePassed
from minecheck.solvers.backends import model_counters
from minecheck.solvers.budget import Budget
from minecheck.solvers.counting.whole_board import BoardTally

#: Seconds after which Ganak is stopped.
_PATIENCE = 20.0


class Measured(NamedTuple):
    """A board: bits of the largest table for a line and for a tree, seconds for ours and Ganak."""

    kind: str
    side: int
    line: float
    tree: float
    ours: float
    ganak: float | None


def run() -> None:
    """Print the measurements."""
    for row in measured():
        ganak = "-" if row.ganak is None else f"{row.ganak:.3g} s"
        print(
            f"  {row.kind} {row.side}x{row.side}: line {row.line:.1f} bits, tree {row.tree:.1f} "
            f"bits, count {row.ours * 1e3:.3g} ms, Ganak {ganak}",
            flush=True,
        )


def measured() -> list[Measured]:
    """Measure random boards, 40 % of whose safe cells are shown, and lattices of threes."""
    boards = [
        ("random", random_board(side, side, 0.2, 0.4, 1)) for side in (10, *range(20, 160, 10))
    ]
    boards += [("lattice", lattice(side)) for side in range(5, 21, 2)]
    return [_measured(kind, board) for kind, board in boards]


def lattice(side: int) -> Board:
    """A three on every odd row and column, all else unknown."""
    cells = np.full((side, side), UNKNOWN, np.int8)
    cells[1::2, 1::2] = 3
    return Board(cells)


def _measured(kind: str, board: Board) -> Measured:
    reduction = Constraints.from_position(board).reduction

    def counted() -> BoardTally:
        tally = BoardTally(Constraints.from_position(board).reduction, Budget(10**15, Deadline()))
        _ = tally.count
        return tally

    tree = max(part.plan.width for part in counted().parts)
    ours = min(seconds(counted) for _ in range(3))
    return Measured(kind, board.height, _line(reduction), tree, ours, _ganak(reduction))


def _ganak(reduction: Reduction) -> float | None:
    """Seconds that Ganak takes for all components of more than a few boxes, None if too many."""
    deadline = Deadline.in_seconds(_PATIENCE)
    wide = np.flatnonzero(np.diff(reduction.component_boxes) > 8).tolist()
    try:
        return sum(
            seconds(partial(model_counters.count_exactly, reduction, component, deadline))
            for component in wide
        )
    except DeadlinePassed:
        return None


def _line(reduction: Reduction) -> float:
    """Bits of the largest table if boxes are taken one by one, in reading order."""
    size = np.diff(reduction.box_start)
    starts, boxes = reduction.clue_start.tolist(), reduction.clue_boxes.tolist()
    change = np.zeros(size.size + 1)
    for clue, most in enumerate(reduction.high.tolist()):
        mine = boxes[starts[clue] : starts[clue + 1]]
        # A clue is open from its first box to its last.
        change[min(mine)] += log2(most + 1)
        change[max(mine)] -= log2(most + 1)
    return float(np.cumsum(change).max())
