"""A board with hidden clues, and the information that shown clues have to give.

Tested in tests/solvers/reasons/test_fewest_clues.py.
"""

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from minecheck.minefield.board import MINE, SAFE, UNKNOWN, Board
from minecheck.minefield.layout import Layout
from minecheck.minefield.reduction.constraints import IS_MINE, IS_SAFE, UNDECIDED
from minecheck.solvers.composition import Composition, Keep
from minecheck.solvers.findings import Forced


@dataclass(frozen=True, eq=False)
class HiddenClues:
    """A board without its clues.

    ``base`` has no numbers, ``numbers`` are those of its clues by cell (row * width + col).
    ``targets``, int8 (cells,), are the values that the clues have to decide: IS_MINE, IS_SAFE, or
    UNDECIDED for none; with ``contradiction`` the clues have to show that no layout fits.
    ``mines`` is the total.
    """

    base: Board
    numbers: dict[int, int]
    targets: NDArray[np.int8]
    contradiction: bool
    mines: int | None

    @classmethod
    def from_board(
        cls, board: Board, mines: int | None, composition: Composition, forced: Forced | None
    ) -> "HiddenClues":
        """Return the hidden clues of a board.

        Args:
            board: the board with its clues.
            mines: the total of mines, None for any.
            composition: what the clues have to keep.
            forced: the forced cells of the board, None if no layout fits.
        """
        hidden = np.int8(UNKNOWN if composition.leave == "unknown" else SAFE)
        codes = board.cells
        targets = np.full(codes.shape, UNDECIDED, np.int8)
        if composition.keep is Keep.FORCED:
            base = np.where(codes <= 8, hidden, codes)
            numbers = codes
            if forced is not None:
                targets = np.where(board.unknown, forced.values, targets)
                targets[(codes <= 8) | (codes == SAFE)] = IS_SAFE
                targets[codes == MINE] = IS_MINE
        else:
            layout = Layout(codes == MINE)
            base = np.where(layout.mines, np.int8(UNKNOWN), hidden)
            numbers = layout.to_codes()
            targets = np.where(layout.mines, np.int8(IS_MINE), np.int8(IS_SAFE))
        clues = np.flatnonzero(numbers <= 8)
        return cls(
            Board(base),
            dict(zip(clues.tolist(), numbers.ravel()[clues].tolist(), strict=True)),
            targets.ravel(),
            composition.keep is Keep.FORCED and forced is None,
            mines,
        )

    def show_clues(self, cells: Collection[int]) -> Board:
        """Return the board with the clues at some cells."""
        codes = self.base.cells.copy()
        shown = list(cells)
        codes.ravel()[shown] = [self.numbers[cell] for cell in shown]
        return Board.read_only(codes)
