"""Exact counts on long boards of few rows, by transfer matrices of Python integers.

Slow and obvious, as `tests.oracle` is for small boards: a state is the mines
of two columns side by side, and each column sums over all of them.
"""

from functools import cache, cached_property
from itertools import pairwise
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from minecheck.minefield.board import FLAG, MINE, UNKNOWN, Board
from minecheck.minefield.layout import Layout

#: Mines of a column as a number, the top cell in the highest bit.
Mask: TypeAlias = int


class Transfer:
    """The layouts of a board of up to four rows, taken column by column."""

    def __init__(self, board: Board) -> None:
        self.columns = [tuple(column) for column in board.cells.T.tolist()]
        self.rows = board.height

    @cached_property
    def rests(self) -> list[NDArray[np.object_]]:
        """For each column: ways to fill all after it, by the mines before it and in it."""
        size = 1 << self.rows
        rest: NDArray[np.object_] = np.zeros((size, size), object)
        rest[:, 0] = 1  # beyond the last column there are no mines
        rests: list[NDArray[np.object_]] = []
        for column in reversed(self.columns):
            rest = (_fits(column) * rest).sum(axis=2)
            rests.append(rest)
        return rests[::-1]

    def count(self) -> int:
        """The number of layouts."""
        return int(self.rests[0][0].sum())

    def rank(self, layout: Layout) -> int:
        """Count the layouts before a layout, column by column, the top cell first."""
        masks: list[Mask] = [0]
        for cells in layout.mines.T.tolist():
            masks.append(int("".join("01"[mine] for mine in cells), 2))
        rank = int(self.rests[0][0, : masks[1]].sum())
        for col, (before, here) in enumerate(pairwise(masks[:-1])):
            after = masks[col + 2]
            fits = _fits(self.columns[col])[before, here, :after]
            rank += int((fits * self.rests[col + 1][here, :after]).sum())
        return rank


@cache
def _fits(column: tuple[int, ...]) -> NDArray[np.bool_]:
    """True if the mines before a column, in it and after it suit its cells: three masks."""
    size = 1 << len(column)
    fits = np.zeros((size, size, size), np.bool_)
    for before, here, after in np.ndindex(size, size, size):
        fits[before, here, after] = all(
            _suits(code, len(column) - 1 - row, before, here, after)
            for row, code in enumerate(column)
        )
    return fits


def _suits(code: int, row: int, before: Mask, here: Mask, after: Mask) -> bool:
    """True if the cell at bit ``row`` of the column in the middle may be ``code``."""
    if code in (UNKNOWN, FLAG):
        return True
    mine = here >> row & 1
    if code > UNKNOWN:
        return mine == (code == MINE)
    near = 0b111 << row >> 1
    return not mine and sum((mask & near).bit_count() for mask in (before, here, after)) == code
