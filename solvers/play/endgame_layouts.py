"""All layouts of the end of a game, as what each cell would show, for `solvers.play.endgame`.

Tested in tests/solvers/play/test_moves.py.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from minecheck.minefield.board import MINE
from minecheck.minefield.compiled import FixedMatrix, Matrix, Vector, compile_kernel, inline_kernel

#: The value of a mine where a number would stand.
HIT: Final = 9
#: The most dead ends for each layout; no ordinary end of a game has more.
_STEPS: Final = 400
#: The most steps to find the fewest and the most mines of one component.
_PART_STEPS: Final = 5_000
#: The demand of a cell without a clue, which no mine contradicts.
_NO_NEED: Final = 50
_NO_CELLS: Final = 100
# Rows of the grid, whose columns are the cells with a ring around: whether there is a mine; of each
# clue the mines it needs and the undecided cells.
_MINED: Final = 0
_NEED: Final = 1
_CELLS: Final = 2


@compile_kernel
def list_endgame_numbers(
    cells: FixedMatrix[np.int8], chances: FixedMatrix[np.float64], mines: int, most: int
) -> tuple[bool, NDArray[np.uint8], NDArray[np.int32]]:
    """List the layouts, if at most ``most``, by the number that each cell shows in them.

    Args:
        cells: cell codes: (height, width).
        chances: the chances of a mine, NaN in known cells: (height, width).
        mines: the total of mines.
        most: the most layouts to list.

    Returns:
        Whether all were listed; what the cells show, (layouts, cells), a number or `HIT`; and the
        cells, numbered in reading order, that are not shown and not forced to be mines.
    """
    height, width = cells.shape
    stride = width + 2
    grid = np.zeros((3, (height + 2) * stride), np.int8)
    grid[_NEED] = _NO_NEED
    grid[_CELLS] = _NO_CELLS
    closed = np.empty(cells.size, np.int32)
    undecided = np.empty(cells.size, np.int32)
    waits = np.zeros(grid.shape[1], np.bool_)
    closed_count = free = 0
    for row in range(height):
        for col in range(width):
            cell = (row + 1) * stride + col + 1
            chance = chances[row, col]
            if cells[row, col] == MINE or chance == 1.0:
                grid[_MINED, cell] = 1
                mines -= 1
            elif cells[row, col] > 8:
                closed[closed_count] = cell
                closed_count += 1
                waits[cell] = chance > 0.0
                free += waits[cell]
    _count_needs(cells, grid, waits)
    parts = np.empty(free + 1, np.int32)
    components = _order_cells(grid, closed[:closed_count], waits, undecided[:free], parts, stride)
    rest = _bound_rest(grid, undecided[:free], parts[: components + 1], stride)
    layout_count, numbers = _list_layouts(
        grid, undecided[:free], rest, closed[:closed_count], mines, most, stride
    )
    for turn in range(closed_count):
        row, col = closed[turn] // stride - 1, closed[turn] % stride - 1
        closed[turn] = row * width + col
    return layout_count >= 0, numbers[: max(layout_count, 0)], closed[:closed_count]


@inline_kernel
def _count_needs(
    cells: FixedMatrix[np.int8], grid: Matrix[np.int8], waits: Vector[np.bool_]
) -> None:
    """Fill in the clues.

    The grid has a ring around the board, so that all cells around a cell are in it. Numbers are
    from -8 to 9, which int8 holds.
    """
    height, width = cells.shape
    stride = width + 2
    for row in range(height):
        for col in range(width):
            if cells[row, col] > 8:
                continue
            cell = (row + 1) * stride + col + 1
            grid[_NEED, cell] = cells[row, col]
            grid[_CELLS, cell] = 0
            for down in (-stride, 0, stride):
                for near in range(cell + down - 1, cell + down + 2):
                    grid[_NEED, cell] -= grid[_MINED, near]
                    grid[_CELLS, cell] += waits[near]


@inline_kernel
def _order_cells(
    grid: Matrix[np.int8],
    closed: Vector[np.int32],
    waits: Vector[np.bool_],
    undecided: Vector[np.int32],
    parts: Vector[np.int32],
    stride: int,
) -> int:
    """Order the undecided cells so that clues are complete soon; those without a clue come last.

    A cell is ordered once, when it stops waiting, so that ``undecided`` has an entry for each.

    Returns:
        The number of components; ``parts`` receives where each begins, and the end of the last.
    """
    done = ordered = components = 0
    parts[0] = 0
    for loose in (False, True):
        for seed in closed:
            clues = 0
            for down in (-stride, 0, stride):
                for near in range(seed + down - 1, seed + down + 2):
                    clues += grid[_NEED, near] <= 8
            if not waits[seed] or (clues == 0) != loose:
                continue
            waits[seed] = False
            undecided[ordered] = seed
            ordered += 1
            while done < ordered:
                cell = undecided[done]
                done += 1
                for down in (-stride, 0, stride):
                    for clue in range(cell + down - 1, cell + down + 2):
                        if grid[_NEED, clue] > 8:
                            continue
                        for further in (-stride, 0, stride):
                            for near in range(clue + further - 1, clue + further + 2):
                                if waits[near]:
                                    waits[near] = False
                                    undecided[ordered] = near
                                    ordered += 1
            components += 1
            parts[components] = ordered
    return components


@inline_kernel
def _bound_rest(
    grid: Matrix[np.int8], undecided: Vector[np.int32], parts: Vector[np.int32], stride: int
) -> Matrix[np.int32]:
    """Return the fewest and the most mines of the undecided cells from each one on.

    Args:
        grid: the clues, with no undecided cell decided.
        undecided: the cells, one component after another.
        parts: where each component begins, and the end of the last.
        stride: the width of the grid.

    Returns:
        Bounds of shape (undecided cells + 1, 2). Within a component, whose cells may hold any
        number of its mines by then, they are those of the components after it and its own cells.
    """
    rest = np.zeros((undecided.size + 1, 2), np.int32)
    for part in range(parts.size - 2, -1, -1):
        first, end = parts[part], parts[part + 1]
        for index in range(end - 1, first, -1):
            rest[index, 0] = rest[end, 0]
            rest[index, 1] = rest[index + 1, 1] + 1
        least, most = _bound_part(grid, undecided[first:end], stride)
        rest[first, 0] = rest[end, 0] + least
        rest[first, 1] = rest[end, 1] + most
    return rest


@inline_kernel
def _bound_part(grid: Matrix[np.int8], cells: Vector[np.int32], stride: int) -> tuple[int, int]:
    """Return the fewest and the most mines of a component, or 0 and its cells after many steps."""
    values = np.full(cells.size + 1, 2, np.int8)
    least, most = cells.size, 0
    depth = held = steps = 0
    while depth >= 0:
        if depth == cells.size:
            least, most = min(least, held), max(most, held)
            depth -= 1
            continue
        steps += 1
        cell = cells[depth]
        value = values[depth]
        if value < 2:
            _decide_cell(grid, cell, value, -1, stride)
            held -= value
        # After too many steps all that is left is to take back what was decided.
        if value == 1 or steps > _PART_STEPS:
            values[depth] = 2
            depth -= 1
            continue
        value = values[depth] = 0 if value == 2 else 1
        held += value
        if _decide_cell(grid, cell, value, 1, stride) and (
            held < least or held + cells.size - depth - 1 > most
        ):
            depth += 1
    return (0, cells.size) if steps > _PART_STEPS else (least, most)


@inline_kernel
def _list_layouts(
    grid: Matrix[np.int8],
    undecided: Vector[np.int32],
    rest: Matrix[np.int32],
    closed: Vector[np.int32],
    mines: int,
    most: int,
    stride: int,
) -> tuple[int, NDArray[np.uint8]]:
    """Return the number of layouts, -1 if above ``most``, and what cells show in each.

    ``rest`` has the fewest and the most mines of the undecided cells from each one on.
    """
    numbers = np.empty((64, closed.size), np.uint8)
    # 2: not tried yet.
    values = np.full(undecided.size + 1, 2, np.int8)
    layout_count = depth = 0
    steps = _STEPS * (most + 64)
    while depth >= 0:
        if depth == undecided.size:
            if layout_count == most:
                return -1, numbers
            if layout_count == numbers.shape[0]:
                larger = np.empty((2 * layout_count, closed.size), np.uint8)
                larger[:layout_count] = numbers
                numbers = larger
            _fill_numbers(grid, closed, stride, numbers[layout_count])
            layout_count += 1
            depth -= 1
            continue
        steps -= 1
        if steps < 0:
            return -1, numbers
        cell = undecided[depth]
        value = values[depth]
        if value < 2:
            _decide_cell(grid, cell, value, -1, stride)
            mines += value
        if value == 1:
            values[depth] = 2
            depth -= 1
            continue
        value = values[depth] = 0 if value == 2 else 1
        mines -= value
        holds = _decide_cell(grid, cell, value, 1, stride)
        if holds and rest[depth + 1, 0] <= mines <= rest[depth + 1, 1]:
            depth += 1
    return layout_count, numbers


@inline_kernel
def _decide_cell(grid: Matrix[np.int8], cell: int, value: int, change: int, stride: int) -> bool:
    """Decide a cell (``change`` 1), or take that back (-1); return if the clues around can hold."""
    grid[_MINED, cell] += change * value
    holds = True
    for down in (-stride, 0, stride):
        for near in range(cell + down - 1, cell + down + 2):
            grid[_CELLS, near] -= change
            grid[_NEED, near] -= change * value
            holds &= 0 <= grid[_NEED, near] <= grid[_CELLS, near]
    return holds


@inline_kernel
def _fill_numbers(
    grid: Matrix[np.int8], closed: Vector[np.int32], stride: int, numbers: Vector[np.uint8]
) -> None:
    """Fill in what each cell shows: ``numbers`` is a row, (cells,), `HIT` for a mine."""
    for turn in range(closed.size):
        cell = closed[turn]
        around = 0
        for down in (-stride, 0, stride):
            for near in range(cell + down - 1, cell + down + 2):
                around += grid[_MINED, near]
        numbers[turn] = HIT if grid[_MINED, cell] else around
