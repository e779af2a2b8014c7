"""Compiled propagation of trivial clues, and the way back from what it decided to its causes.

Lists of lists are kept as two int32 arrays: the items of list k are
``items[start[k]:start[k + 1]]``.

Tested in tests/minefield/reduction/test_constraints.py.
"""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from minecheck.minefield.compiled import Vector, compile_inner, compile_kernel, inline_kernel

#: Values of a cell in `Constraints.known` and `Reduction.state`.
IS_SAFE: Final = 0
IS_MINE: Final = 1
UNDECIDED: Final = 2

#: Values for the number of a clue: no clue, or the total of mines.
NONE: Final = -1
TOTAL: Final = -2
#: The value that stands for a missing total.
NO_TOTAL: Final = -2


@compile_kernel
def transpose_lists(
    start: Vector[np.int32], items: Vector[np.int32], width: int
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return for each of ``width`` items the lists that hold it, ascending, as (start, lists).

    Args:
        start: where each list begins in ``items``, and the end of the last: (lists + 1,).
        items: the items of all lists, each from 0 to ``width - 1``.
        width: the number of items.
    """
    where = np.zeros(width + 1, np.int32)
    for entry in range(items.size):
        where[items[entry] + 1] += 1
    for item in range(width):
        where[item + 1] += where[item]
    fill = where[:-1].copy()
    lists = np.empty(items.size, np.int32)
    for index in range(start.size - 1):
        for entry in range(start[index], start[index + 1]):
            item = items[entry]
            lists[fill[item]] = index
            fill[item] += 1
    return where, lists


class _Work(NamedTuple):
    """Clues, cells, and the clues that wait to be looked at.

    The bounds ``low`` and ``high`` of each clue, and ``open_cells``, its undecided members, count
    what is left; ``state`` and ``reason`` are those of each cell. ``cell_clues[of_cell[c] :
    of_cell[c + 1]]`` are the clues of cell c. ``queue`` is a ring with an entry for each clue and
    one more; a clue is there once at most, as ``queued`` says, so it never overflows.
    """

    low: Vector[np.int32]
    high: Vector[np.int32]
    open_cells: Vector[np.int32]
    state: Vector[np.int8]
    reason: Vector[np.int32]
    of_cell: Vector[np.int32]
    cell_clues: Vector[np.int32]
    queue: Vector[np.int32]
    queued: Vector[np.bool_]


@inline_kernel
def _decide_cells(
    work: _Work, cells: Vector[np.int32], value: int, cause: int, head: int, waiting: int
) -> tuple[int, int]:
    """Decide those of some cells that are undecided, and queue their clues.

    Returns the length of the queue, and how many cells were decided.
    """
    decided = 0
    for cell in cells:
        if work.state[cell] != UNDECIDED:
            continue
        work.state[cell] = value
        work.reason[cell] = cause
        decided += 1
        for clue in work.cell_clues[work.of_cell[cell] : work.of_cell[cell + 1]]:
            work.open_cells[clue] -= 1
            work.low[clue] -= value
            work.high[clue] -= value
            if not work.queued[clue]:
                work.queued[clue] = True
                tail = head + waiting
                work.queue[tail if tail < work.queue.size else tail - work.queue.size] = clue
                waiting += 1
    return waiting, decided


@compile_inner
def propagate_clues(
    start: Vector[np.int32],
    members: Vector[np.int32],
    low: Vector[np.int32],
    high: Vector[np.int32],
    open_cells: Vector[np.int32],
    state: Vector[np.int8],
    reason: Vector[np.int32],
    total: int,
) -> int:
    """Decide cells until nothing trivial is left; return the violated clue, TOTAL or NONE.

    ``low``, ``high`` and ``open_cells`` (undecided members of each clue), ``state`` and ``reason``
    are brought up to date in place.
    """
    clues = low.size
    of_cell, cell_clues = transpose_lists(start, members, state.size)
    queue = np.empty(clues + 1, np.int32)
    queued = np.ones(clues, np.bool_)
    work = _Work(low, high, open_cells, state, reason, of_cell, cell_clues, queue, queued)
    for clue in range(clues):
        queue[clue] = clue
        open_cells[clue] = start[clue + 1] - start[clue]
    head = 0
    waiting = clues
    undecided = np.count_nonzero(state == UNDECIDED)
    mines = np.count_nonzero(state == IS_MINE)
    while True:
        while waiting > 0:
            clue = queue[head]
            head = head + 1 if head < clues else 0
            waiting -= 1
            queued[clue] = False
            if low[clue] > open_cells[clue] or high[clue] < 0:
                return int(clue)
            if open_cells[clue] == 0 or (high[clue] > 0 and low[clue] < open_cells[clue]):
                continue
            value = IS_SAFE if high[clue] == 0 else IS_MINE
            cells = members[start[clue] : start[clue + 1]]
            waiting, decided = _decide_cells(work, cells, value, clue, head, waiting)
            undecided -= decided
            mines += value * decided
        if total == NO_TOTAL:
            return NONE
        left = total - mines
        if left < 0 or left > undecided:
            return TOTAL
        if undecided == 0 or (left > 0 and left < undecided):
            return NONE
        value = IS_SAFE if left == 0 else IS_MINE
        cells = np.arange(state.size, dtype=np.int32)
        waiting, decided = _decide_cells(work, cells, value, TOTAL, head, waiting)
        undecided -= decided
        mines += value * decided


@compile_kernel
def trace(
    start: Vector[np.int32],
    members: Vector[np.int32],
    state: Vector[np.int8],
    reason: Vector[np.int32],
    clues: Vector[np.int32],
    total: bool,
) -> tuple[NDArray[np.bool_], bool]:
    """Return the clues that propagation needed for what it left of some clues or the total.

    The walk goes back: a decided cell has its value because of the clue that decided it, and that
    clue because of its own decided cells. A clue is put on the stack once, so ``clues`` entries
    suffice.

    Args:
        start: where the members of each clue begin, and the end of the last: (clues + 1,).
        members: cells of the clues.
        state: the value of each cell after propagation: (cells,).
        reason: the clue that decided each cell, NONE or TOTAL: (cells,).
        clues: numbers of the clues to explain.
        total: whether to explain what is left of the total.

    Returns:
        A mask of the clues, (clues,), the given ones included, and whether the total is used.
    """
    used = np.zeros(start.size - 1, np.bool_)
    stack = np.empty(start.size, np.int32)
    depth = 0
    for clue in clues:
        if not used[clue]:
            used[clue] = True
            stack[depth] = clue
            depth += 1
    ask_total = total
    while depth > 0 or ask_total:
        if ask_total:
            # The total rests on every cell that a clue decided.
            ask_total = False
            total = True
            for cell in range(state.size):
                depth = _push_clue(reason[cell], used, stack, depth)
            continue
        depth -= 1
        clue = stack[depth]
        for entry in range(start[clue], start[clue + 1]):
            cell = members[entry]
            if reason[cell] == TOTAL and not total:
                ask_total = True
            depth = _push_clue(reason[cell], used, stack, depth)
    return used, total


@inline_kernel
def _push_clue(clue: int, used: Vector[np.bool_], stack: Vector[np.int32], depth: int) -> int:
    """Put a clue on the stack unless it was there, and return the new depth.

    A number below 0 is no clue. Each clue is put there once, so that as many entries as clues
    suffice.
    """
    if clue >= 0 and not used[clue]:
        used[clue] = True
        stack[depth] = clue
        return depth + 1
    return depth
