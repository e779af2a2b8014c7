"""Stuck positions: count, chances and forced cells, against ms_toollib's chances.

What is timed is `solvers.analyze` from the text of a board to its numbers, as anybody calls it;
beside it the compiled call inside. Ours and theirs take turns on each position, some calls at a
time (warm), and one call at a time (cold: each finds the caches full of the other's code and data).
"""

from collections.abc import Callable, Sequence

import ms_toollib

from benchmarks.positions import stuck
from benchmarks.timing import alternate, report
from minecheck.minefield import UNKNOWN, Board, draw, parse
from minecheck.solvers import analyze
from minecheck.solvers.positions.solve import solve_position

#: The code of an unknown cell in ms_toollib.
_THEIR_UNKNOWN = 10

_CALLS = 10

#: Games, and what part of the peer's time they may take, warm and cold.
_LIMITS = {
    (9, 9, 10): (0.25, 0.35),
    (16, 16, 40): (0.10, 0.15),
    (16, 30, 99): (0.05, 0.08),
    (20, 30, 130): (0.04, 0.07),
}
_Ask = Callable[[Sequence[str], int], None]


def run() -> None:
    """The same positions for both, each in its own notation; reading the board counts."""
    for (height, width, mines), limits in _LIMITS.items():
        boards = stuck(height, width, mines, 100)
        for calls, name, limit in zip((_CALLS, 1), ("warm", "cold"), limits, strict=True):
            what = f"{height}x{width}/{mines}, {len(boards)} positions, {name}"
            pairs = [_measured(_public, board, mines, calls) for board in boards]
            report(what, pairs, "ms_toollib", limit)
            pairs = [_measured(_inner, board, mines, calls) for board in boards]
            report(f"  {what}, the compiled call alone", pairs, "ms_toollib")


def _public(rows: Sequence[str], mines: int) -> None:
    found = analyze(parse(rows), mines)
    _ = found.count, found.probabilities, found.forced


def _inner(rows: Sequence[str], mines: int) -> None:
    found = solve_position(parse(rows), mines)
    assert found is not None
    _ = found.count, found.chances, found.values


def _measured(ask: _Ask, board: Board, mines: int, calls: int) -> tuple[float, float]:
    """Return the seconds of one call of ours and of theirs, each the best of some rounds."""
    rows, theirs = draw(board), _theirs(board)

    def ours() -> None:
        for _ in range(calls):
            ask(rows, mines)

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
