"""Compiled inner loops of `minefield.reduction.constraints`.

Lists of lists are kept as two int32 arrays: the items of list k are
``items[start[k]:start[k + 1]]``.

Tested in tests/minefield/reduction/test_constraints.py.
"""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from minecheck.minefield.board import FLAG, MINE, UNKNOWN
from minecheck.minefield.compiled import (
    FixedMatrix,
    Vector,
    compile_inner,
    compile_kernel,
    compile_without_references,
    inline_kernel,
)

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
def board_clues(cells: FixedMatrix[np.int8]) -> tuple[Any, ...]:
    """Return known values, clue members, needs and origins of a board (see `Constraints`).

    ``cells`` has the shape (height, width). A clue has at most 8 members, which bounds ``members``
    before it is cut to length.
    """
    height, width = cells.shape
    known = np.empty(height * width, np.int8)
    clues = 0
    for row in range(height):
        for col in range(width):
            code = cells[row, col]
            if code <= 8:
                clues += 1
            if code in (UNKNOWN, FLAG):
                known[row * width + col] = UNDECIDED
            else:
                known[row * width + col] = IS_MINE if code == MINE else IS_SAFE
    start = np.empty(clues + 1, np.int32)
    needs = np.empty(clues, np.int32)
    origin = np.empty(clues, np.int32)
    members = np.empty(8 * clues, np.int32)
    clue = 0
    filled = 0
    for row in range(height):
        for col in range(width):
            if cells[row, col] > 8:
                continue
            start[clue] = filled
            origin[clue] = row * width + col
            need = np.int32(cells[row, col])
            for near_row in range(max(0, row - 1), min(height, row + 2)):
                for near_col in range(max(0, col - 1), min(width, col + 2)):
                    near = near_row * width + near_col
                    if known[near] == UNDECIDED:
                        members[filled] = near
                        filled += 1
                    elif known[near] == IS_MINE:
                        need -= 1
            needs[clue] = need
            clue += 1
    start[clues] = filled
    return known, start, members[:filled].copy(), needs, origin


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
    for place in range(items.size):
        where[items[place] + 1] += 1
    for item in range(width):
        where[item + 1] += where[item]
    fill = where[:-1].copy()
    lists = np.empty(items.size, np.int32)
    for index in range(start.size - 1):
        for place in range(start[index], start[index + 1]):
            item = items[place]
            lists[fill[item]] = index
            fill[item] += 1
    return where, lists


@compile_without_references
def _notify_clues(
    clues: Vector[np.int32],
    value: int,
    open_cells: Vector[np.int32],
    low: Vector[np.int32],
    high: Vector[np.int32],
    queue: Vector[np.int32],
    queued: Vector[np.bool_],
    head: int,
    waiting: int,
) -> int:
    """Notify the clues of a decided cell and queue them; return the length of the queue.

    ``clues`` are those of the cell. The queue is a ring with a place for each clue and one more; a
    clue is there once at most, so it never overflows.
    """
    for clue in clues:
        open_cells[clue] -= 1
        low[clue] -= value
        high[clue] -= value
        if not queued[clue]:
            queued[clue] = True
            tail = head + waiting
            queue[tail if tail < queue.size else tail - queue.size] = clue
            waiting += 1
    return waiting


@compile_inner
def _propagate_clues(
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
    for clue in range(clues):
        queue[clue] = clue
        open_cells[clue] = start[clue + 1] - start[clue]
    head = 0
    waiting = clues
    undecided = np.int64(0)
    mines = np.int64(0)
    for cell in range(state.size):
        undecided += state[cell] == UNDECIDED
        mines += state[cell] == IS_MINE
    while True:
        while waiting > 0:
            clue = queue[head]
            head = head + 1 if head < clues else 0
            waiting -= 1
            queued[clue] = False
            if low[clue] > open_cells[clue] or high[clue] < 0:
                return int(clue)
            if open_cells[clue] == 0:
                continue
            if high[clue] == 0:
                value = IS_SAFE
            elif low[clue] == open_cells[clue]:
                value = IS_MINE
            else:
                continue
            for place in range(start[clue], start[clue + 1]):
                cell = members[place]
                if state[cell] != UNDECIDED:
                    continue
                state[cell] = value
                reason[cell] = clue
                undecided -= 1
                mines += value
                near = cell_clues[of_cell[cell] : of_cell[cell + 1]]
                waiting = _notify_clues(
                    near, value, open_cells, low, high, queue, queued, head, waiting
                )
        if total == NO_TOTAL:
            return NONE
        left = total - mines
        if left < 0 or left > undecided:
            return TOTAL
        if undecided == 0 or (left > 0 and left < undecided):
            return NONE
        value = IS_SAFE if left == 0 else IS_MINE
        for cell in range(state.size):
            if state[cell] != UNDECIDED:
                continue
            state[cell] = value
            reason[cell] = TOTAL
            undecided -= 1
            mines += value
            near = cell_clues[of_cell[cell] : of_cell[cell + 1]]
            waiting = _notify_clues(
                near, value, open_cells, low, high, queue, queued, head, waiting
            )


@inline_kernel
def _partition_cells(
    start: Vector[np.int32],
    members: Vector[np.int32],
    is_open: Vector[np.bool_],
    state: Vector[np.int8],
) -> tuple[NDArray[np.int32], int]:
    """Return the provisional box of each cell and how many numbers were given out; 0 is none.

    Partition refinement: each open clue moves what it covers of a box into a
    new box, so two cells end in one box exactly when the same clues cover both.

    The result has the shape (cells,). Each member opens at most one box, so that numbers stay below
    ``members.size + 1``, the size of ``target`` and ``moved_by``.
    """
    box = np.zeros(state.size, np.int32)
    target = np.empty(members.size + 1, np.int32)
    moved_by = np.full(members.size + 1, NONE, np.int32)
    boxes = 1
    for clue in range(is_open.size):
        if not is_open[clue]:
            continue
        for place in range(start[clue], start[clue + 1]):
            cell = members[place]
            if state[cell] != UNDECIDED:
                continue
            old = box[cell]
            if moved_by[old] != clue:
                moved_by[old] = clue
                target[old] = boxes
                boxes += 1
            box[cell] = target[old]
    return box, boxes


@inline_kernel
def _find_root(parent: Vector[np.int32], item: int) -> int:
    """Return the root of an item, and halve the path to it."""
    while parent[item] != item:
        parent[item] = parent[parent[item]]
        item = parent[item]
    return item


@compile_inner
def _by_group(group: Vector[np.int32], groups: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Sort items stably by group, and return where each group starts, (groups + 1,), and the items.

    Every entry of ``group`` is from 0 to ``groups - 1``.
    """
    starts = np.zeros(groups + 1, np.int32)
    for item in range(group.size):
        starts[group[item] + 1] += 1
    for index in range(groups):
        starts[index + 1] += starts[index]
    fill = starts[:-1].copy()
    items = np.empty(group.size, np.int32)
    for item in range(group.size):
        items[fill[group[item]]] = item
        fill[group[item]] += 1
    return starts, items


@inline_kernel
def _label_components(
    start: Vector[np.int32],
    members: Vector[np.int32],
    is_open: Vector[np.bool_],
    state: Vector[np.int8],
    box: Vector[np.int32],
    boxes: int,
) -> tuple[NDArray[np.int32], NDArray[np.int32], int]:
    """Return the component of each provisional box and each clue, and their number.

    Components are numbered in the order of their first cells.

    A clue without undecided cells has NONE.
    """
    parent = np.arange(boxes).astype(np.int32)
    first_box = np.full(is_open.size, NONE, np.int32)
    for clue in range(is_open.size):
        if not is_open[clue]:
            continue
        for place in range(start[clue], start[clue + 1]):
            if state[members[place]] != UNDECIDED:
                continue
            here = _find_root(parent, box[members[place]])
            if first_box[clue] == NONE:
                first_box[clue] = here
            else:
                parent[here] = _find_root(parent, first_box[clue])
    component = np.full(boxes, NONE, np.int32)
    components = 0
    for cell in range(state.size):
        if box[cell] > 0:
            root = _find_root(parent, box[cell])
            if component[root] == NONE:
                component[root] = components
                components += 1
            component[box[cell]] = component[root]
    of_clue = np.full(is_open.size, NONE, np.int32)
    for clue in range(is_open.size):
        if is_open[clue]:
            of_clue[clue] = component[first_box[clue]]
    return component, of_clue, components


@compile_inner
def _split_boxes(
    start: Vector[np.int32],
    members: Vector[np.int32],
    low: Vector[np.int32],
    high: Vector[np.int32],
    is_open: Vector[np.bool_],
    state: Vector[np.int8],
) -> tuple[NDArray[np.int32], ...]:
    """Return boxes and components: the fields of `Reduction` from ``box_start`` to ``loose``."""
    box, boxes = _partition_cells(start, members, is_open, state)
    component, of_clue, components = _label_components(start, members, is_open, state, box, boxes)

    # Provisional boxes in the order of their first cells, then by component.
    number = np.full(boxes, NONE, np.int32)
    found = np.empty(boxes, np.int32)
    live = 0
    loose = 0
    for cell in range(state.size):
        here = box[cell]
        if here > 0 and number[here] == NONE:
            number[here] = live
            found[live] = component[here]
            live += 1
        loose += here == 0 and state[cell] == UNDECIDED
    component_boxes, order = _by_group(found[:live], components)
    place_of = np.empty(live, np.int32)
    for place in range(live):
        place_of[order[place]] = place

    boxed = np.empty(state.size, np.int32)
    box_of = np.empty(state.size, np.int32)
    loose_cells = np.empty(loose, np.int32)
    many = 0
    loose = 0
    for cell in range(state.size):
        if box[cell] > 0:
            boxed[many] = cell
            box_of[many] = place_of[number[box[cell]]]
            many += 1
        elif state[cell] == UNDECIDED:
            loose_cells[loose] = cell
            loose += 1
    box_start, positions = _by_group(box_of[:many], live)
    box_cells = boxed[positions]

    open_clues = np.flatnonzero(is_open).astype(np.int32)
    component_clues, positions = _by_group(of_clue[open_clues], components)
    clue_ids = open_clues[positions]
    clue_start = np.zeros(clue_ids.size + 1, np.int32)
    clue_boxes = np.empty(members.size, np.int32)
    filled = 0
    for index in range(clue_ids.size):
        for place in range(start[clue_ids[index]], start[clue_ids[index] + 1]):
            cell = members[place]
            if state[cell] == UNDECIDED:
                here = place_of[number[box[cell]]]
                if box_cells[box_start[here]] == cell:
                    clue_boxes[filled] = here
                    filled += 1
        clue_start[index + 1] = filled
    return (
        box_start,
        box_cells,
        clue_start,
        clue_boxes[:filled].copy(),
        low[clue_ids],
        high[clue_ids],
        clue_ids,
        component_boxes,
        component_clues,
        loose_cells,
    )


@compile_kernel
def reduce(
    known: Vector[np.int8],
    start: Vector[np.int32],
    members: Vector[np.int32],
    needs_low: Vector[np.int32],
    needs_high: Vector[np.int32],
    total: int,
) -> tuple[Any, ...]:
    """Return the fields of `Reduction` from ``state`` on, but ``mines_left`` after ``conflict``.

    The arrays are copied before they are changed.

    Args:
        known: IS_SAFE, IS_MINE or UNDECIDED of each cell: (cells,).
        start: where the members of each clue begin, and the end of the last: (clues + 1,).
        members: cells of the clues, each from 0 to ``cells - 1``.
        needs_low: the least mines that each clue needs: (clues,).
        needs_high: the most mines: (clues,).
        total: the total of mines over all cells, NO_TOTAL for any.
    """
    state = known.copy()
    reason = np.full(known.size, NONE, np.int32)
    low = needs_low.copy()
    high = needs_high.copy()
    open_cells = np.empty(low.size, np.int32)
    conflict = _propagate_clues(start, members, low, high, open_cells, state, reason, total)
    is_open = np.zeros(low.size, np.bool_)
    if conflict == NONE:
        for clue in range(low.size):
            low[clue] = max(low[clue], 0)
            high[clue] = min(high[clue], open_cells[clue])
            is_open[clue] = low[clue] > 0 or high[clue] < open_cells[clue]
    left = total
    for cell in range(state.size):
        left -= state[cell] == IS_MINE
    parts = _split_boxes(start, members, low, high, is_open, state)
    return (state, reason, conflict, left) + parts  # noqa: RUF005 - numba does not unpack


@compile_kernel
def split(
    known: Vector[np.int8],
    start: Vector[np.int32],
    members: Vector[np.int32],
    low: Vector[np.int32],
    high: Vector[np.int32],
) -> tuple[Any, ...]:
    """Return boxes and components of all clues that have cells, as they are, nothing decided.

    Args:
        known: IS_SAFE, IS_MINE or UNDECIDED of each cell: (cells,).
        start: where the members of each clue begin, and the end of the last: (clues + 1,).
        members: cells of the clues, each from 0 to ``cells - 1``.
        low: the least mines that each clue needs: (clues,).
        high: the most mines: (clues,).
    """
    return _split_boxes(start, members, low, high, start[1:] > start[:-1], known)


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
    clue because of its own decided cells. A clue is put on the stack once, so that ``clues`` places
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
        for place in range(start[clue], start[clue + 1]):
            cell = members[place]
            if reason[cell] == TOTAL and not total:
                ask_total = True
            depth = _push_clue(reason[cell], used, stack, depth)
    return used, total


@inline_kernel
def _push_clue(clue: int, used: Vector[np.bool_], stack: Vector[np.int32], depth: int) -> int:
    """Put a clue on the stack unless it was there, and return the new depth.

    A number below 0 is no clue. Each clue is put there once, so that as many places as clues
    suffice.
    """
    if clue >= 0 and not used[clue]:
        used[clue] = True
        stack[depth] = clue
        return depth + 1
    return depth
