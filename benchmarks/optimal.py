"""The layouts that best play wins, from every first cell of every small board: docs/optimal.json.

Boards up to 5x5 come first, by ascending number of layouts, so that the time suffices for as many
as possible. What is in the file already is kept. docs/optimal.md explains the figures.
"""

import json
from math import comb
from pathlib import Path
from time import monotonic
from typing import Final, NamedTuple

import numpy as np

from minecheck.minefield import UNKNOWN, Board
from minecheck.solvers import Deadline
from minecheck.solvers.play.endgame import Endgame
from minecheck.solvers.positions.solve import solve_position

TABLE: Final = Path(__file__).parents[1] / "docs" / "optimal.json"
#: Seconds for all boards, and for each of them.
_SECONDS: Final = 25 * 60.0
_SECONDS_A_BOARD: Final = 600.0
#: Sides of the boards, and their layouts, at most.
_LONGEST: Final = 6
_MOST_CELLS: Final = 36
#: Boards of up to this many cells come first.
_FIRST_CELLS: Final = 25
_MOST_LAYOUTS: Final = 200_000
_EFFORT: Final = 10**12

#: The layouts won after each first cell, by "rows,cols,mines".
Table = dict[str, list[list[int]]]


class Size(NamedTuple):
    """A board of which nothing is shown; no more rows than columns."""

    rows: int
    cols: int
    mines: int

    @property
    def layouts(self) -> int:
        """The number of all layouts."""
        return comb(self.rows * self.cols, self.mines)

    @property
    def name(self) -> str:
        """The key in the table."""
        return f"{self.rows},{self.cols},{self.mines}"


def run() -> None:
    """Extend the table as far as there is time, and print it."""
    table = load_table()
    deadline = Deadline.in_seconds(_SECONDS)
    for size in list_sizes():
        if size.name in table:
            continue
        if deadline.left <= 0:
            break
        started = monotonic()
        within = Deadline(min(deadline.at, monotonic() + _SECONDS_A_BOARD))
        won = play_first_cells(size, within)
        found = "not in time" if won is None else f"{max(map(max, won))} of {size.layouts}"
        print(f"  {size.name}: {found}, {monotonic() - started:.1f} s", flush=True)
        if won is not None:
            table[size.name] = won
            save_table(table)


def list_sizes() -> list[Size]:
    """List the boards up to 5x5, then larger ones, both by ascending number of layouts."""
    sizes = [
        Size(rows, cols, mines)
        for rows in range(1, _LONGEST + 1)
        for cols in range(rows, _LONGEST + 1)
        for mines in range(rows * cols + 1)
        if rows * cols <= _MOST_CELLS
    ]
    return sorted((size for size in sizes if size.layouts <= _MOST_LAYOUTS), key=_order)


def _order(size: Size) -> tuple[bool, int, Size]:
    return size.rows * size.cols > _FIRST_CELLS, size.layouts, size


def play_first_cells(size: Size, deadline: Deadline) -> list[list[int]] | None:
    """Return the layouts that best play wins after each first cell, (rows, cols); None if cut.

    A layout with a mine in the first cell is lost.

    Args:
        size: the board.
        deadline: when to give up.
    """
    rows, cols, mines = size
    board = Board(np.full((rows, cols), UNKNOWN, np.int8))
    known = solve_position(board, mines)
    assert known is not None, "every board of unknown cells is consistent"
    end = Endgame.from_position(board, mines, known, _MOST_LAYOUTS, _EFFORT)
    assert end is not None, "it has no dead ends"
    won = np.zeros((rows, cols), np.int64)
    index_of = {int(cell): index for index, cell in enumerate(end.cells)}
    for row in range((rows + 1) // 2):
        for col in range((cols + 1) // 2):
            if rows == cols and col < row:
                won[row, col] = won[col, row]
            elif row * cols + col in index_of:
                index = index_of[row * cols + col]
                low, high = end.bound_after_opening(index, deadline)
                if low < high:
                    return None
                won[row, col] = low
    upper = np.concatenate([won[: (rows + 1) // 2], won[: rows // 2][::-1]])
    left = upper[:, : (cols + 1) // 2]
    whole = np.concatenate([left, left[:, : cols // 2][:, ::-1]], axis=1)
    return [[int(one) for one in line] for line in whole]


def load_table() -> Table:
    """Load the table."""
    return dict(json.loads(TABLE.read_text("utf-8"))) if TABLE.exists() else {}


def save_table(table: Table) -> None:
    """Write the table, a line for each board."""
    lines = [f"{json.dumps(name)}: {json.dumps(won)}" for name, won in sorted(table.items())]
    TABLE.write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf-8")
