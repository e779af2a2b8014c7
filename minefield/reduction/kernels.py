"""Compiled inner loops of `minefield.reduction.constraints`.

Clues are propagated (`minefield.reduction.propagation`); what stays open is split into boxes and
components. Lists of lists are kept as there.

Tested in tests/minefield/reduction/test_constraints.py.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from minecheck.minefield.board import FLAG, MINE, UNKNOWN
from minecheck.minefield.compiled import (
    FixedMatrix,
    Vector,
    compile_inner,
    compile_kernel,
    inline_kernel,
)
from minecheck.minefield.reduction.propagation import (
    IS_MINE,
    IS_SAFE,
    NONE,
    UNDECIDED,
    propagate_clues,
)


@compile_kernel
def read_board_clues(cells: FixedMatrix[np.int8]) -> tuple[Any, ...]:
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
        for entry in range(start[clue], start[clue + 1]):
            cell = members[entry]
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
def _sort_by_group(
    group: Vector[np.int32], groups: int
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
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
        for entry in range(start[clue], start[clue + 1]):
            if state[members[entry]] != UNDECIDED:
                continue
            here = _find_root(parent, box[members[entry]])
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


@inline_kernel
def _number_boxes(
    box: Vector[np.int32], boxes: int, component: Vector[np.int32], components: int
) -> tuple[NDArray[np.int32], NDArray[np.int32], int]:
    """Assign numbers to provisional boxes, by component and then by their first cells.

    Returns the number of each provisional box, NONE of those without cells; where the boxes of each
    component begin; and how many boxes there are.
    """
    number = np.full(boxes, NONE, np.int32)
    component_of = np.empty(boxes, np.int32)
    live = 0
    for cell in range(box.size):
        here = box[cell]
        if here > 0 and number[here] == NONE:
            number[here] = live
            component_of[live] = component[here]
            live += 1
    component_boxes, order = _sort_by_group(component_of[:live], components)
    renumbered = np.empty(live, np.int32)
    for index in range(live):
        renumbered[order[index]] = index
    for here in range(boxes):
        if number[here] != NONE:
            number[here] = renumbered[number[here]]
    return number, component_boxes, live


@inline_kernel
def _list_clue_boxes(
    start: Vector[np.int32],
    members: Vector[np.int32],
    clue_ids: Vector[np.int32],
    box_of: Vector[np.int32],
    box_start: Vector[np.int32],
    box_cells: Vector[np.int32],
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """List the boxes of each clue, as (start, boxes); ``box_of`` is NONE of cells without one."""
    clue_start = np.zeros(clue_ids.size + 1, np.int32)
    clue_boxes = np.empty(members.size, np.int32)
    filled = 0
    for index in range(clue_ids.size):
        for entry in range(start[clue_ids[index]], start[clue_ids[index] + 1]):
            cell = members[entry]
            here = box_of[cell]
            if here != NONE and box_cells[box_start[here]] == cell:
                clue_boxes[filled] = here
                filled += 1
        clue_start[index + 1] = filled
    return clue_start, clue_boxes[:filled].copy()


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
    number, component_boxes, live = _number_boxes(box, boxes, component, components)
    box_of = np.full(state.size, NONE, np.int32)
    boxed = np.empty(state.size, np.int32)
    loose = np.empty(state.size, np.int32)
    boxed_count = left = 0
    for cell in range(state.size):
        if box[cell] > 0:
            box_of[cell] = number[box[cell]]
            boxed[boxed_count] = cell
            boxed_count += 1
        elif state[cell] == UNDECIDED:
            loose[left] = cell
            left += 1
    box_start, order = _sort_by_group(box_of[boxed[:boxed_count]], live)
    box_cells = boxed[order]
    open_clues = np.flatnonzero(is_open).astype(np.int32)
    component_clues, order = _sort_by_group(of_clue[open_clues], components)
    clue_ids = open_clues[order]
    clue_start, clue_boxes = _list_clue_boxes(
        start, members, clue_ids, box_of, box_start, box_cells
    )
    return (
        box_start,
        box_cells,
        clue_start,
        clue_boxes,
        low[clue_ids],
        high[clue_ids],
        clue_ids,
        component_boxes,
        component_clues,
        loose[:left].copy(),
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
    conflict = propagate_clues(start, members, low, high, open_cells, state, reason, total)
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
