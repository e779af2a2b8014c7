"""Stuck positions: count, chances and forced cells from one call, against ms_toollib's chances."""

import ms_toollib

from benchmarks.positions import stuck
from benchmarks.timing import alternate, report
from minefield import UNKNOWN, Board, draw, parse
from solvers.position import position

#: What ms_toollib calls an unknown cell.
_THEIR_UNKNOWN = 10

#: Games, and what part of the peer's time they may take.
_LIMITS = {(9, 9, 10): 1 / 8, (16, 16, 40): 1 / 10, (16, 30, 99): 1 / 20, (20, 30, 130): 1 / 20}


def run() -> None:
    """The same positions for both, each in its own notation; reading the board counts."""
    for (height, width, mines), limit in _LIMITS.items():
        boards = stuck(height, width, mines, 100)
        pairs = []
        for board in boards:
            rows, theirs = draw(board), _theirs(board)
            found = alternate(
                lambda r=rows, m=mines: _ours(r, m),
                lambda b=theirs, m=mines: ms_toollib.cal_probability_onboard(b, m),
                5,
            )
            pairs.append(min(found))
        report(f"{height}x{width}/{mines}, {len(boards)} positions", pairs, "ms_toollib", limit)


def _ours(rows: list[str], mines: int) -> int:
    found = position(parse(rows), mines)
    assert found is not None
    return found.count


def _theirs(board: Board) -> list[list[int]]:
    return [
        [_THEIR_UNKNOWN if code == UNKNOWN else code for code in row]
        for row in board.cells.tolist()
    ]
