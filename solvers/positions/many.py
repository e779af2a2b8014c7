"""Many boards solved in one compiled call, one after the other.

What is found of each is a slice of arrays that all boards share; ``records`` says where it ends.

Tested in tests/solvers/library/test_many.py and tests/app/execution/test_at_once_lines.py.
"""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from minecheck.minefield.board import FLAG, UNKNOWN
from minecheck.minefield.compiled import (
    FixedMatrix,
    FixedVector,
    Matrix,
    Vector,
    compile_kernel,
    inline_kernel,
)
from minecheck.solvers.positions.solve import ANY, STRIP, LayoutCounts, Position, solve_kinds
from minecheck.solvers.positions.states import SURE
from minecheck.solvers.positions.write import (
    CELLS_END,
    COLS,
    KINDS_END,
    ROWS,
    SOLVED,
    SOLVED_COLUMNS,
    STATE,
    TOTAL,
    SolvedPositions,
)

# The progress of a board: not read, 0; read, but too large, or a strip; solved in vain; solved
# without some components. The last state is SOLVED.
READ: Final = 1
TRIED: Final = 2
PARTLY: Final = 3
# Columns behind those that `write` has: what `LayoutCounts` has, where its spreads and its starts
# end, the components left out, and where the cells of the board begin.
_FEWEST: Final = SOLVED_COLUMNS
_LOOSE: Final = SOLVED_COLUMNS + 1
_SPREADS_END: Final = SOLVED_COLUMNS + 2
_STARTS_END: Final = SOLVED_COLUMNS + 3
_LEFT_OUT: Final = SOLVED_COLUMNS + 4
BOARD: Final = SOLVED_COLUMNS + 5
COLUMNS: Final = SOLVED_COLUMNS + 6

#: Kinds, chances and starts beyond the cells of a board, at most.
_MORE: Final = 4


def solve_many(
    cells: NDArray[np.int8],
    shapes: NDArray[np.int64],
    totals: NDArray[np.int64],
    most_cells: int,
) -> SolvedPositions:
    """Solve boards whose cells stand one after the other.

    Args:
        cells: the codes of all cells: (cells,). Boards with flags, which are claims, are left.
        shapes: rows and columns of each board: (boards, 2).
        totals: the total of each board, ANY for none: (boards,).
        most_cells: larger boards are left.

    Returns:
        What was found; the state in ``records`` of a board that is solved is SOLVED.
    """
    records = np.zeros((len(shapes), COLUMNS), np.int64)
    sizes = shapes.prod(axis=1)
    begins = sizes.cumsum() - sizes
    records[:, STATE] = np.where(np.add.reduceat(cells == FLAG, begins) == 0, READ, 0)
    records[:, TOTAL], records[:, BOARD] = totals, begins
    records[:, ROWS], records[:, COLS] = shapes.T
    layouts, kinds, chances, spreads, starts = solve_read(cells, records, cells.size, most_cells)
    counts = list_counts(records.tolist(), spreads.tolist(), starts.tolist())
    return SolvedPositions(records, layouts, kinds, chances, counts)


def make_position(rows: Sequence[Sequence[int]], line: int, solved: SolvedPositions) -> Position:
    """Return what was found of a board that was solved, perhaps without some components.

    Args:
        rows: the records of all boards, as lists.
        line: the number of the board.
        solved: what was found of all boards.
    """
    row, previous = rows[line], rows[line - 1] if line else [0] * COLUMNS
    shape = row[ROWS], row[COLS]
    counts = solved.counts[line]
    assert counts is not None, "as it was solved"
    of_cells = slice(previous[CELLS_END], row[CELLS_END])
    return Position.from_kinds(
        counts,
        row[_LEFT_OUT],
        solved.kinds[of_cells].reshape(shape),
        solved.layouts[of_cells].reshape(shape),
        solved.chances[previous[KINDS_END] : row[KINDS_END]],
    )


def spread_chances(solved: SolvedPositions) -> NDArray[np.float64]:
    """Return the chance of a mine in each cell of the boards that were solved, (cells,)."""
    cells, kinds = solved.records[:, CELLS_END], solved.records[:, KINDS_END]
    # The kinds of each board are numbered from 0; those of all stand one after the other.
    before = np.repeat(np.append(0, kinds[:-1]), np.diff(cells, prepend=0))
    return np.asarray(solved.chances[solved.kinds + before])


def list_counts(
    rows: Sequence[Sequence[int]], spreads: list[int], starts: list[int]
) -> list[LayoutCounts | None]:
    """Return the counts of each board, None where it is not solved.

    Args:
        rows: the records of the boards.
        spreads: the numbers of layouts of all components, see `LayoutCounts`.
        starts: where those of each component start.
    """
    counts: list[LayoutCounts | None] = []
    spread = start = 0
    for row in rows:
        of_parts, from_parts = spreads[spread : row[_SPREADS_END]], starts[start : row[_STARTS_END]]
        spread, start = row[_SPREADS_END], row[_STARTS_END]
        total = None if row[TOTAL] == ANY else row[TOTAL]
        is_solved = row[STATE] >= PARTLY
        counts.append(
            LayoutCounts(of_parts, from_parts, row[_FEWEST], row[_LOOSE], total)
            if is_solved
            else None
        )
    return counts


@compile_kernel
def solve_read(
    boards: FixedVector[np.int8], records: Matrix[np.int64], cells: int, most_cells: int
) -> tuple[
    NDArray[np.bool_],
    NDArray[np.int32],
    NDArray[np.float64],
    NDArray[np.int64],
    NDArray[np.int64],
]:
    """Solve boards whose cells stand one after the other.

    Args:
        boards: the codes of all cells.
        records: filled in: what is known of each board, and where that of it ends:
            (boards, COLUMNS). Boards of a state other than READ are left.
        cells: the cells of all boards.
        most_cells: larger boards are left.

    Returns:
        Of those solved, one after the other: layouts and kinds of all cells, chances of all kinds,
        spreads and starts as `LayoutCounts` has them.
    """
    board_count, most_results = records.shape[0], min(cells, records.shape[0] * most_cells)
    layouts = np.empty(most_results, np.bool_)
    kinds = np.empty(most_results, np.int32)
    chances = np.empty(most_results + _MORE * board_count)
    spreads = np.empty(2 * (most_results + board_count), np.int64)
    starts = np.empty(most_results + _MORE * board_count, np.int64)
    cell = kind = spread = start = 0
    for line in range(board_count):
        record = records[line]
        rows, cols, begin = record[ROWS], record[COLS], record[BOARD]
        if record[STATE] == READ and min(rows, cols) > STRIP and rows * cols <= most_cells:
            end = cell + rows * cols
            assert begin + rows * cols <= boards.size, "a board beyond the cells"
            outcome, outcome_values, by_kind = solve_kinds(
                boards[begin : begin + rows * cols].reshape(rows, cols),
                record[TOTAL],
                1.0,
                0.0,
                kinds[cell:end].reshape(rows, cols),
                layouts[cell:end].reshape(rows, cols),
            )
            record[STATE] = TRIED
            if outcome == SURE:
                of_parts, from_parts, record[_FEWEST], record[_LOOSE], record[_LEFT_OUT] = (
                    outcome_values
                )
                record[STATE] = SOLVED if record[_LEFT_OUT] == 0 else PARTLY
                cell = end
                kind = _append(chances, kind, by_kind)
                spread = _append(spreads, spread, of_parts)
                start = _append(starts, start, from_parts)
        record[CELLS_END], record[KINDS_END] = cell, kind
        record[_SPREADS_END], record[_STARTS_END] = spread, start
    return layouts[:cell], kinds[:cell], chances[:kind], spreads[:spread], starts[:start]


@inline_kernel
def _append(results: NDArray[Any], filled: int, values: NDArray[Any]) -> int:
    """Write values behind the ``filled`` results of the boards before; return where they end."""
    end = filled + values.size
    assert end <= results.size, "more results than there is room for"
    results[filled:end] = values
    return end


@compile_kernel
def fill_cell_chances(
    boards: FixedMatrix[np.int8],
    which: FixedVector[np.bool_],
    cols: int,
    mines: int,
    chances: Matrix[np.float64],
    least: Vector[np.float64],
    solved: Vector[np.bool_],
) -> None:
    """Fill in the chance of a mine in each cell of boards that have the same size and total.

    Args:
        boards: the codes of all cells, without flags: (boards, cells).
        which: the boards to solve: (boards,).
        cols: the columns of each board, more than `STRIP`; there are more rows than that, too.
        mines: the total of each board.
        chances: filled in for each board that is solved: (boards, cells); 0 in cells that are not
            hidden.
        least: filled in for each board that is solved: the least chance of a hidden cell, 1
            without one: (boards,).
        solved: filled in: whether a board is solved: (boards,).
    """
    rows = boards.shape[1] // cols
    kinds = np.empty((rows, cols), np.int32)
    layout = np.empty((rows, cols), np.bool_)
    for board in range(boards.shape[0]):
        solved[board] = False
        if not which[board]:
            continue
        cells = boards[board].reshape(rows, cols)
        outcome, values, by_kind = solve_kinds(cells, mines, 1.0, 0.0, kinds, layout)
        if outcome != SURE or values[4] > 0:
            continue
        solved[board] = True
        lowest = 1.0
        for row in range(rows):
            for col in range(cols):
                chance = 0.0
                if cells[row, col] == UNKNOWN:
                    chance = by_kind[kinds[row, col]]
                    lowest = min(lowest, chance)
                chances[board, row * cols + col] = chance
        least[board] = lowest
