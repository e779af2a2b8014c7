"""Boards to measure on."""

import numpy as np

from minecheck.minefield import UNKNOWN, Board, Layout
from minecheck.minefield.game import Game
from minecheck.solvers import forced


def random_board(height: int, width: int, density: float, shown: float, seed: int) -> Board:
    """A random layout of which a random part of the safe cells is revealed."""
    return board_and_layout(height, width, density, shown, seed)[0]


def board_and_layout(
    height: int, width: int, density: float, shown: float, seed: int
) -> tuple[Board, Layout]:
    """A `random_board`, and the layout of which it is a part."""
    rng = np.random.default_rng(seed)
    layout = Layout(rng.random((height, width)) < density)
    seen = (rng.random((height, width)) < shown) & ~layout.mines
    return Board(np.where(seen, layout.count_neighbours(), np.int8(UNKNOWN))), layout


def stuck(height: int, width: int, mines: int, count: int) -> list[Board]:
    """Positions of ordinary games in which no cell is forced and something is unknown.

    Games start at an opening near the middle and go on as long as a safe cell
    is certain.
    """
    rng = np.random.default_rng(1)
    middle = height // 2, width // 2
    found: list[Board] = []
    while len(found) < count:
        flat = np.zeros(height * width, dtype=np.bool_)
        flat[rng.choice(height * width, mines, replace=False)] = True
        layout = Layout(flat.reshape(height, width))
        if layout.mines[middle] or layout.count_neighbours()[middle] > 0:
            continue
        game = Game(layout, middle)
        board = game.opened
        while safe := _safe(board, mines):
            board = game.open_cells(board, safe)
        if not game.is_won(board):
            found.append(board)
    return found


def _safe(board: Board, mines: int) -> list[tuple[int, int]]:
    """The cells that are certain to be safe."""
    found = forced(board, mines).forced
    assert found is not None
    return found.safe
