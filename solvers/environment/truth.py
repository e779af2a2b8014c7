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
from minecheck.solvers.positions.many import fill_cell_chances, solve_many
from minecheck.solvers.positions.solve import STRIP, LayoutCounts
from minecheck.solvers.positions.write import CELLS_END, KINDS_END, SOLVED, STATE
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
) -> tuple[NDArray[np.float64], list[LayoutCounts | AnalyzeAnswer]]:
    """Return the chances as `update_chances` has them, and what counts the layouts of each game.

    Args:
        kind: the kind of the boards.
        cells: what is shown: (games, cells).
    """
    chances = np.zeros(cells.shape)
    counts: list[LayoutCounts | AnalyzeAnswer | None] = [None] * len(cells)
    if kind.plane:
        counts[:] = _solve_positions(kind, cells, chances)
    answers: list[LayoutCounts | AnalyzeAnswer] = []
    for game, answer in enumerate(counts):
        if answer is None:
            answer = _analyze_game(kind, cells[game])
            assert answer.probabilities is not None, "without a deadline they are known"
            chances[game] = answer.probabilities.reshape(-1)
        answers.append(answer)
    chances[cells != UNKNOWN] = 0.0
    return chances, answers


def _analyze_game(
    kind: DealtBoards, cells: NDArray[np.int8], deadline: float | None = None
) -> AnalyzeAnswer:
    """Solve a position by the general methods."""
    board = Board(cells.reshape(kind.rows, kind.cols))
    puzzle = board if kind.plane else Variant(board, kind.topology)
    return analyze(puzzle, kind.mines, deadline=deadline)


def _solve_positions(
    kind: DealtBoards, cells: NDArray[np.int8], chances: NDArray[np.float64]
) -> list[LayoutCounts | None]:
    """Fill in the chances of ordinary positions; return their counts, None where it was left."""
    games = len(cells)
    shapes = np.tile(np.array((kind.rows, kind.cols), np.int64), (games, 1))
    totals = np.full(games, kind.mines, np.int64)
    batch = solve_many(np.ascontiguousarray(cells).reshape(-1), shapes, totals, MOST_CELLS)
    solved = batch.records[:, STATE] == SOLVED
    # The kinds of each board are numbered from 0; those of all stand one after the other.
    ends, kinds = batch.records[:, CELLS_END], batch.records[:, KINDS_END]
    before = np.repeat(np.append(0, kinds[:-1]), np.diff(ends, prepend=0))
    by_cell = batch.chances[batch.kinds + before].reshape(-1, cells.shape[1])
    chances[solved] = by_cell[solved[np.diff(ends, prepend=0) > 0]]
    pairs = zip(batch.counts, solved.tolist(), strict=True)
    return [count if is_solved else None for count, is_solved in pairs]
