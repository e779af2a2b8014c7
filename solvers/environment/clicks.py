"""Clicks on the cells of many games at once, compiled.

Tested in tests/solvers/environment/test_games.py.
"""

from typing import Final

import numpy as np

from minecheck.minefield.board import MINE, UNKNOWN
from minecheck.minefield.compiled import FixedMatrix, FixedVector, Matrix, Vector, compile_kernel
from minecheck.minefield.topology import NOBODY

# Outcomes of a click.
NOTHING: Final = 0
ILLEGAL: Final = 1
OPENED: Final = 2
LOST: Final = 3
WON: Final = 4


@compile_kernel
def click_cells(
    codes: FixedMatrix[np.int8],
    neighbours: FixedMatrix[np.int32],
    clicks: FixedVector[np.int64],
    cells: Matrix[np.int8],
    hidden: Vector[np.int64],
    outcomes: Vector[np.int8],
) -> None:
    """Click on one cell of each game; a 0 opens all cells around it.

    A game without hidden safe cells stays won, whatever is clicked on.

    A cell waits once, when it is shown, so that as many entries as cells suffice.

    Args:
        codes: numbers and `MINE`: (games, cells).
        neighbours: the neighbours of each cell, `NOBODY` for none: (cells, most).
        clicks: the cell of each game, or `NOBODY` for none: (games,).
        cells: what is shown, which is brought up to date; hidden cells are `UNKNOWN`.
        hidden: how many safe cells are hidden in each game, brought up to date.
        outcomes: filled in: what each click has led to.
    """
    waiting = np.empty(codes.shape[1], np.int64)
    for game in range(clicks.size):
        click = clicks[game]
        if click == NOBODY:
            outcomes[game] = NOTHING
            continue
        if hidden[game] == 0:
            outcomes[game] = WON
            continue
        assert 0 <= click < codes.shape[1], "a click outside of the board"
        if cells[game, click] != UNKNOWN:
            outcomes[game] = ILLEGAL
            continue
        cells[game, click] = codes[game, click]
        if codes[game, click] == MINE:
            outcomes[game] = LOST
            continue
        waiting[0] = click
        waiting_count = shown = 1
        while waiting_count > 0:
            waiting_count -= 1
            cell = waiting[waiting_count]
            if codes[game, cell] != 0:
                continue
            for step in range(neighbours.shape[1]):
                near = neighbours[cell, step]
                if near != NOBODY and cells[game, near] == UNKNOWN:
                    cells[game, near] = codes[game, near]
                    waiting[waiting_count] = near
                    waiting_count += 1
                    shown += 1
        hidden[game] -= shown
        outcomes[game] = WON if hidden[game] == 0 else OPENED
