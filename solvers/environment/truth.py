"""The exact chance of a mine in every cell of many games.

Positions of ordinary boards are solved in one compiled call; other boards, and the few positions
that it leaves, go to the general methods one by one.
"""

import numpy as np
from numpy.typing import NDArray

from minecheck.minefield.board import UNKNOWN, Board
from minecheck.minefield.variant import Variant
from minecheck.solvers.environment.dealing import MOST_CELLS, DealtBoards
from minecheck.solvers.library.questions import analyze
from minecheck.solvers.positions.many import fill_cell_chances, solve_many, spread_chances
from minecheck.solvers.positions.solve import STRIP
from minecheck.solvers.positions.write import CELLS_END, SOLVED, STATE
from minecheck.solvers.tasks.analyze import AnalyzeAnswer


def update_chances(
    kind: DealtBoards,
    cells: NDArray[np.int8],
    which: NDArray[np.bool_],
    chances: NDArray[np.float64],
    least: NDArray[np.float64],
    deadline: float | None = None,
) -> None:
    """Update the chance of a mine in each cell of some games, from what is shown and the total.

    Args:
        kind: the kind of the boards.
        cells: what is shown: (games, cells).
        which: the games: (games,).
        chances: filled in for these: exactly 0 or 1 only where that is proved, 0 in cells that are
            shown, NaN in hidden cells whose chance was not known in time: (games, cells).
        least: filled in for these: the least chance of a hidden cell: (games,).
        deadline: seconds for a position that is solved alone; None for no limit.
    """
    solved = np.zeros(len(cells), np.bool_)
    if kind.plane and min(kind.rows, kind.cols) > STRIP:
        fill_cell_chances(cells, which, kind.cols, kind.mines, chances, least, solved)
    for game in np.flatnonzero(which & ~solved).tolist():
        by_cell = _analyze_game(kind, cells[game], deadline).probabilities
        chances[game] = np.nan if by_cell is None else by_cell.reshape(-1)
        hidden = cells[game] == UNKNOWN
        chances[game, ~hidden] = 0.0
        least[game] = chances[game, hidden].min(initial=1.0)


def solve_games(
    kind: DealtBoards, cells: NDArray[np.int8]
) -> tuple[NDArray[np.float64], list[int]]:
    """Return the chances as `update_chances` has them, and the number of layouts of each game.

    Args:
        kind: the kind of the boards, which are ordinary ones.
        cells: what is shown: (games, cells).
    """
    shapes = np.tile(np.array((kind.rows, kind.cols), np.int64), (len(cells), 1))
    totals = np.full(len(cells), kind.mines, np.int64)
    batch = solve_many(np.ascontiguousarray(cells).reshape(-1), shapes, totals, MOST_CELLS)
    chances = np.zeros(cells.shape)
    has_chances = np.diff(batch.records[:, CELLS_END], prepend=0) > 0
    chances[has_chances] = spread_chances(batch).reshape(-1, cells.shape[1])
    layout_counts: list[int] = []
    states = batch.records[:, STATE].tolist()
    for game, (state, counts) in enumerate(zip(states, batch.counts, strict=True)):
        if counts is not None and state == SOLVED:
            layout_counts.append(counts.count)
            continue
        answer = _analyze_game(kind, cells[game])
        assert answer.probabilities is not None, "without a deadline they are known"
        assert answer.count is not None, "without a deadline it is counted"
        chances[game] = answer.probabilities.reshape(-1)
        layout_counts.append(answer.count)
    chances[cells != UNKNOWN] = 0.0
    return chances, layout_counts


def _analyze_game(
    kind: DealtBoards, cells: NDArray[np.int8], deadline: float | None = None
) -> AnalyzeAnswer:
    """Solve a position by the general methods."""
    board = Board(cells.reshape(kind.rows, kind.cols))
    puzzle = board if kind.plane else Variant(board, kind.topology)
    return analyze(puzzle, kind.mines, deadline=deadline)
