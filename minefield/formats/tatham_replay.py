"""The game of a saved file, replayed step by step, in compiled loops.

Tested in tests/minefield/formats/test_tatham_save.py.
"""

from typing import Final

import numpy as np

from minecheck.minefield.board import FLAG, MINE, SAFE, UNKNOWN
from minecheck.minefield.compiled import FixedMatrix, Matrix, Vector, compile_kernel, inline_kernel
from minecheck.minefield.openings import open_around_zeros

#: The kinds of steps, for the kernel.
OPEN: Final = 0
MARK: Final = 1
CHORD: Final = 2
SOLVE: Final = 3


@inline_kernel
def _correct_flags(codes: FixedMatrix[np.int8], cells: Matrix[np.int8]) -> None:
    """Show the mines of a lost game that have no flag, and the flags that are wrong."""
    for row in range(codes.shape[0]):
        for col in range(codes.shape[1]):
            if codes[row, col] == MINE and cells[row, col] == UNKNOWN:
                cells[row, col] = MINE
            elif codes[row, col] != MINE and cells[row, col] == FLAG:
                cells[row, col] = SAFE


@inline_kernel
def _show_solution(codes: FixedMatrix[np.int8], cells: Matrix[np.int8]) -> None:
    """Open all safe cells, and flag all mines."""
    for row in range(codes.shape[0]):
        for col in range(codes.shape[1]):
            cells[row, col] = FLAG if codes[row, col] == MINE else codes[row, col]


@inline_kernel
def _open_cells(
    codes: FixedMatrix[np.int8],
    cells: Matrix[np.int8],
    waiting: Vector[np.int64],
    row: int,
    col: int,
    is_chord: bool,
    covered: int,
    mines: int,
    dead: bool,
) -> tuple[int, bool, bool]:
    """Open a cell, or those around it; return how many are covered, and if it is lost, or won."""
    height, width = codes.shape
    reach = 1 if is_chord else 0
    won = False
    for near_row in range(max(0, row - reach), min(height, row + reach + 1)):
        for near_col in range(max(0, col - reach), min(width, col + reach + 1)):
            seen = cells[near_row, near_col]
            # A game that has just been won has no squares left for a chord.
            if is_chord and (seen != UNKNOWN or won):
                continue
            if codes[near_row, near_col] == MINE:
                dead = True
                cells[near_row, near_col] = MINE
                continue
            if seen > 8:
                covered -= 1
            cells[near_row, near_col] = codes[near_row, near_col]
            waiting[0] = near_row * width + near_col
            covered -= open_around_zeros(codes, cells, waiting, 1)
            # A game that is lost cannot be won as well.
            won = not dead and covered == mines
    return covered, dead, won


@compile_kernel
def replay_steps(
    codes: FixedMatrix[np.int8], steps: FixedMatrix[np.int64], cells: Matrix[np.int8]
) -> int:
    """Make the steps of a game in ``cells``, and return how many were possible.

    It takes time linear in the cells and the steps: a cell is opened once, and the whole board is
    passed over at most twice, when the game is won or the solution shown, and for the solution of
    a lost game. After the first pass all safe cells are open, and the only cells that can lack a
    flag are those in ``touched``, at most one for each step.

    Args:
        codes: the number of each cell, or `MINE`; (height, width).
        steps: kind, row, column, and 1 if the step begins a move; (steps, 4).
        cells: what the player sees, all `UNKNOWN` at first; (height, width).
    """
    width = codes.shape[1]
    waiting = np.empty(codes.size, np.int64)
    touched = np.empty(len(steps), np.int64)
    touches = 0
    dead = False
    solved = False
    corrected = False
    covered = codes.size
    mines = int(np.count_nonzero(codes == MINE))
    for number in range(len(steps)):
        kind, row, col = steps[number, 0], steps[number, 1], steps[number, 2]
        # The steps after the loss of the game still count, if they are of the same move.
        if dead and steps[number, 3] == 1 and kind != SOLVE:
            return number
        if kind == SOLVE and dead:
            if not corrected:
                _correct_flags(codes, cells)
            corrected = True
            continue
        show = kind == SOLVE
        if kind == MARK:
            if cells[row, col] == UNKNOWN:
                cells[row, col] = FLAG
            elif cells[row, col] == FLAG:
                cells[row, col] = UNKNOWN
            else:
                return number
            touched[touches] = row * width + col
            touches += 1
        elif kind != SOLVE:
            covered, dead, show = _open_cells(
                codes, cells, waiting, row, col, kind == CHORD, covered, mines, dead
            )
        if show and not solved:
            _show_solution(codes, cells)
            covered = mines
            solved = True
            touches = 0
        elif show:
            for mark in range(touches):
                at_row, at_col = touched[mark] // width, touched[mark] % width
                cells[at_row, at_col] = FLAG
            touches = 0
    return len(steps)
