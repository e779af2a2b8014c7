"""The time of Kadlac's exhaustive search on boards of growing size, against counting.

She found its time exponential "for some patterns", and observed that a clue in every block of about
nine squares limits what has to be searched (Explorations of the Minesweeper Consistency Problem,
2003, abstract and section 6). Her figures are not in the paper; these are three patterns of ours.
"""

from collections.abc import Callable, Iterator
from statistics import median
from typing import Final, NamedTuple

import numpy as np

from benchmarks.positions import random_board
from benchmarks.timing import alternate
from minecheck.minefield import UNKNOWN, Board
from minecheck.solvers import count
from minecheck.solvers.backends import exhaustive

#: Seconds of a search after which larger boards of its pattern are left out.
_PATIENCE: Final = 1.0
_ROUNDS: Final = 3
_ROWS: Final = 3
_LONGEST: Final = 20


class Measured(NamedTuple):
    """A board: its pattern, squares, layouts, and seconds of the search and of counting."""

    kind: str
    squares: int
    layouts: int
    search: float
    counting: float


def run() -> None:
    """Print the measurements."""
    for row in measured():
        print(
            f"  {row.kind}, {row.squares} squares, {row.layouts} layouts: search "
            f"{row.search * 1e3:.3g} ms, count {row.counting * 1e3:.3g} ms, "
            f"ratio {row.search / row.counting:.3g}",
            flush=True,
        )


def measured() -> Iterator[Measured]:
    """Measure boards of three rows and growing length, until the search exceeds `_PATIENCE`."""
    for kind, board in PATTERNS.items():
        for length in range(1, _LONGEST + 1):
            row = _measured(kind, board(length))
            yield row
            if row.search > _PATIENCE:
                break


def _measured(kind: str, board: Board) -> Measured:
    found = count(board)
    assert found.count is not None
    layouts = found.count

    def search() -> None:
        assert sum(1 for _ in exhaustive.iterate_layouts(board, limit=10**7)) == layouts

    pairs = alternate(search, lambda: count(board), _ROUNDS)
    searching, counting = (median(side) for side in zip(*pairs, strict=True))
    return Measured(kind, board.cells.size, layouts, searching, counting)


def _closed(length: int) -> Board:
    return Board(np.full((_ROWS, length), UNKNOWN, np.int8))


def _blocks(length: int) -> Board:
    """A 3 in the middle of every block of nine squares."""
    cells = np.full((_ROWS, 3 * length), UNKNOWN, np.int8)
    cells[1, 1::3] = 3
    return Board(cells)


def _played(length: int) -> Board:
    """A fifth of the squares mines, two thirds of the others open."""
    return random_board(_ROWS, 3 * length, 0.2, 0.65, 1)


#: Patterns by name: boards by their length.
PATTERNS: Final[dict[str, Callable[[int], Board]]] = {
    "no clue": _closed,
    "a clue in every block of nine": _blocks,
    "two thirds open": _played,
}
