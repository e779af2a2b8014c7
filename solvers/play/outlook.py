"""The outlook of a position before the next click: the safest cells whose numbers tell something.

A *dead* cell shows the same number in all layouts in which it is safe, so that opening it gets
nobody any further. Most of what a position promises is how safe its safest cell is that is not
dead; a second one that is as safe, or nearly so, makes up for what the first may not tell.
JSMinesweeper weighs the two in the same way.

Tested in tests/solvers/play/test_outlook.py.
"""

from itertools import islice
from typing import Final

import numpy as np

from minecheck.minefield.board import FLAG, MINE, SAFE, UNKNOWN, Board
from minecheck.solvers.play.weights import load_weights
from minecheck.solvers.positions.solve import Position, solve_position

#: Sums of chances differ by less than this from a whole number if the number is certain.
_ROUNDING: Final = 1e-7


def compute_outlook(board: Board, mines: int, position: Position) -> float:
    """Return a mean of the chances that the two safest cells are safe, of those not dead.

    It is 1 if nothing is left to open. Where all cells are dead, the safest of them counts alone; a
    second cell that there is not counts as a mine.

    Args:
        board: what is shown.
        mines: the total of mines.
        position: the solved position.
    """
    chances = np.where(board.cells == SAFE, 0.0, position.chances)
    flat = chances.ravel()
    # NaN comes last.
    order = [cell for cell in np.argsort(flat, kind="stable").tolist() if flat[cell] < 1.0]
    if not order:
        return 1.0
    living = (cell for cell in order if not _is_dead(board, mines, position, cell))
    safe = [1.0 - float(flat[cell]) for cell in islice(living, 2)]
    if not safe:
        return 1.0 - float(flat[order[0]])
    second = load_weights().second
    return (1.0 - second) * safe[0] + second * sum(safe[1:])


def _is_dead(board: Board, mines: int, position: Position, number: int) -> bool:
    """Return True if a cell, numbered in reading order, shows the same wherever it is safe."""
    cell = divmod(number, board.width)
    safe = position
    if position.chances[cell] > 0.0:
        solved = solve_position(board.with_codes({cell: SAFE}), mines)
        if solved is None:
            return False
        safe = solved
    row, col = cell
    around = np.s_[max(0, row - 1) : row + 2, max(0, col - 1) : col + 2]
    codes = board.cells[around]
    hidden = np.where((codes == UNKNOWN) | (codes == FLAG), safe.chances[around], 0.0)
    chances = np.nan_to_num(hidden, nan=0.0)
    if not np.any((chances > 0.0) & (chances < 1.0)):
        return True
    mean = float(chances.sum())
    if abs(mean - round(mean)) > _ROUNDING:
        return False
    shown = board.with_codes({cell: round(mean) + int(np.count_nonzero(codes == MINE))})
    solved = solve_position(shown, mines)
    return solved is not None and solved.count == safe.count
