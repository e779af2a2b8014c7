"""Stuck positions: count, chances and forced cells from one call, against ms_toollib's chances.

The two take turns on each position, some calls at a time (warm), and one call
at a time (cold: each finds the caches full of the other's code and data).
"""

import ms_toollib

from benchmarks.positions import stuck
from benchmarks.timing import alternate, report
from minefield import UNKNOWN, Board, draw, parse
from solvers.counting.position import position

#: What ms_toollib calls an unknown cell.
_THEIR_UNKNOWN = 10

_CALLS = 10

#: Games, and what part of the peer's time they may take.
_LIMITS = {(9, 9, 10): 1 / 8, (16, 16, 40): 1 / 10, (16, 30, 99): 1 / 20, (20, 30, 130): 1 / 20}


def run() -> None:
    """The same positions for both, each in its own notation; reading the board counts."""
    for (height, width, mines), limit in _LIMITS.items():
        boards = stuck(height, width, mines, 100)
        for calls, name in ((_CALLS, "warm"), (1, "cold")):
            pairs = [_measured(board, mines, calls) for board in boards]
            what = f"{height}x{width}/{mines}, {len(boards)} positions, {name}"
            report(what, pairs, "ms_toollib", limit if name == "warm" else None)


def _measured(board: Board, mines: int, calls: int) -> tuple[float, float]:
    """Seconds a call of ours and of theirs, the best of some rounds."""
    rows, theirs = draw(board), _theirs(board)

    def ours() -> None:
        for _ in range(calls):
            found = position(parse(rows), mines)
            assert found is not None
            _ = found.count

    def peer() -> None:
        for _ in range(calls):
            ms_toollib.cal_probability_onboard(theirs, mines)

    pairs = alternate(ours, peer, 5)
    return min(one for one, _ in pairs) / calls, min(other for _, other in pairs) / calls


def _theirs(board: Board) -> list[list[int]]:
    return [
        [_THEIR_UNKNOWN if code == UNKNOWN else code for code in row]
        for row in board.cells.tolist()
    ]
