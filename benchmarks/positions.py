"""Boards to measure on."""

import numpy as np
from numpy.typing import NDArray

from minefield import UNKNOWN, Board, Layout
from solvers import forced


def random_board(height: int, width: int, density: float, shown: float, seed: int) -> Board:
    """A random layout of which a random part of the safe cells is revealed."""
    rng = np.random.default_rng(seed)
    layout = Layout(rng.random((height, width)) < density)
    return _seen(layout, (rng.random((height, width)) < shown) & ~layout.mines)


def stuck(height: int, width: int, mines: int, count: int, seed: int = 1) -> list[Board]:
    """Positions of ordinary games in which no cell is forced and something is unknown.

    Games start at an opening near the middle and go on as long as a safe cell
    is certain.
    """
    rng = np.random.default_rng(seed)
    found: list[Board] = []
    while len(found) < count:
        flat = np.zeros(height * width, dtype=np.bool_)
        flat[rng.choice(height * width, mines, replace=False)] = True
        layout = Layout(flat.reshape(height, width))
        shown = _opened(layout, np.zeros((height, width), dtype=np.bool_), height // 2, width // 2)
        if layout.mines[height // 2, width // 2] or shown.sum() < 2:
            continue
        while True:
            board = _seen(layout, shown)
            answer = forced(board, mines)
            assert answer.forced is not None
            if not answer.forced.safe:
                break
            for row, col in answer.forced.safe:
                shown = _opened(layout, shown, row, col)
        if (~shown & ~layout.mines).any():
            found.append(board)
    return found


def _seen(layout: Layout, shown: NDArray[np.bool_]) -> Board:
    return Board(np.where(shown, layout.numbers(), np.int8(UNKNOWN)))


def _opened(layout: Layout, shown: NDArray[np.bool_], row: int, col: int) -> NDArray[np.bool_]:
    """What is shown after a click: zeros open their neighbours."""
    numbers = layout.numbers()
    shown = shown.copy()
    waiting = [(row, col)]
    while waiting:
        here = waiting.pop()
        if shown[here]:
            continue
        shown[here] = True
        if numbers[here] == 0 and not layout.mines[here]:
            row, col = here
            near = np.argwhere(~shown[max(0, row - 1) : row + 2, max(0, col - 1) : col + 2])
            waiting += [(max(0, row - 1) + r, max(0, col - 1) + c) for r, c in near.tolist()]
    return shown
