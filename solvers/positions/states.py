"""Layouts along the boxes of a component: up to each state, from each on, with mines in each box.

The state between two boxes is what each open clue still needs, three bits a clue; its value is the
number of layouts by mines used. Kernels that are called for each box take the arrays of `Buffers`
one by one: with the NamedTuple they take a tenth longer.

Tested in tests/solvers/positions/test_solve.py.
"""

from math import comb
from typing import Final, NamedTuple

import numpy as np

from minecheck.minefield.compiled import Matrix, Vector, compile_without_references, inline_kernel
from minecheck.minefield.reduction.propagation import NONE
from minecheck.solvers.positions.boxes import AGE, CELLS, DEGREE, DONE, LIST, NEED, SIZE, SLOT

#: Outcomes: all is well; there may be no layout; it takes more room; more clues are open than a key
#: can hold.
SURE: Final = 0
UNSURE: Final = -1
NO_ROOM: Final = -2
TOO_WIDE: Final = -3
# What is in use: steps, states, edges, numbers.
STEPS: Final = 0
STATES: Final = 1
EDGES: Final = 2
NUMBERS: Final = 3
# What boxes are: candidates or counted; left to others.
WAITING: Final = 1
LEFT: Final = 2

#: Open clues at a time: three bits each in a key of 63.
_OPEN: Final = 21
assert 3 * _OPEN < 64
# Columns of the states: fewest and most mines up to there, where their numbers of layouts are, the
# first transition from there; the same three for what follows.
FEWEST: Final = 0
MOST: Final = 1
AT: Final = 2
EDGE: Final = 3
REST_FEWEST: Final = 4
REST_MOST: Final = 5
REST_AT: Final = 6

#: Spreads keys over the hash table.
_HASH: Final = 0x1E3779B97F4A7C15
_CHOICES: Final = np.array([[comb(n, k) for k in range(9)] for n in range(9)], np.float64)


class Buffers(NamedTuple):
    """Room for the states of one component, or of several one after another.

    Attributes:
        states: columns as above, for one state more than there is room for: (states + 1, 7).
        keys: the key of each state: (states,).
        table: a hash table of states, as large, full of NONE or of states before the next ones.
        edges: the edges between states: the state each leads to, its mines.
        counts: the layouts by mines that states refer to.
        steps: for each step its box, its first state and the sums of its mines: (boxes, 3).
        filled_rows: how many steps, states, edges and counts are in use.
        candidates: room for all boxes.
        bits: room for the bits of a box's clues.
    """

    states: Matrix[np.int32]
    keys: Vector[np.int64]
    table: Vector[np.int32]
    edges: Matrix[np.int32]
    counts: Vector[np.float64]
    steps: Matrix[np.int32]
    filled_rows: Vector[np.int64]
    candidates: Vector[np.int32]
    bits: Matrix[np.int64]


@compile_without_references
def count_forward(
    boxes: Matrix[np.int32],
    clues: Matrix[np.int32],
    seed: int,
    buffers: Buffers,
    component: Vector[np.int32],
) -> int:
    """Count the layouts of a box's component up to each state; return SURE or another outcome.

    A key has three bits for each of up to `_OPEN` clues that are open at a time, which fit into 63.

    Args:
        boxes: the boxes of the position.
        clues: its clues.
        seed: one box of the component.
        buffers: what is in use of them is brought up to date.
        component: filled in: the first step, the first and the last state.
    """
    states, keys, table, edges, counts, steps, filled_rows, candidates, bits = buffers
    if not _begin_component(buffers, component):
        return NO_ROOM
    begin = component[1]
    candidates[0] = seed
    boxes[seed, DONE] = WAITING
    waiting = 1
    free_slots = (1 << _OPEN) - 1
    step = filled_rows[STEPS]
    state_count = filled_rows[STATES]
    edge_count = filled_rows[EDGES]
    filled = filled_rows[NUMBERS]
    while waiting > 0:
        candidate = _choose_box(boxes, clues, candidates, waiting)
        box = candidates[candidate]
        waiting -= 1
        candidates[candidate] = candidates[waiting]
        steps[step, 0] = box
        steps[step, 1] = begin
        free_slots, fresh, waiting = _open_clues(
            boxes, clues, box, step, candidates, waiting, free_slots, bits
        )
        step += 1
        if free_slots < 0:
            return TOO_WIDE
        end = state_count
        state_count, edge_count = _extend_states(
            states, keys, table, edges, begin, end, edge_count, boxes[box], fresh, bits
        )
        if state_count <= end:
            return UNSURE if state_count == end else NO_ROOM
        filled = _sum_up(states, edges, counts, begin, end, state_count, boxes[box, SIZE], filled)
        if filled < 0:
            return NO_ROOM
        begin = end
    component[2] = begin
    filled_rows[STEPS] = step
    filled_rows[STATES] = state_count
    filled_rows[EDGES] = edge_count
    filled_rows[NUMBERS] = filled
    return SURE


@inline_kernel
def _begin_component(buffers: Buffers, component: Vector[np.int32]) -> bool:
    """Add the state before the first box of a component; return True if there is room for it."""
    states, counts, filled_rows = buffers.states, buffers.counts, buffers.filled_rows
    state = filled_rows[STATES]
    at = filled_rows[NUMBERS]
    if state == buffers.keys.size or at == counts.size:
        return False
    buffers.keys[state] = 0
    states[state, FEWEST] = states[state, MOST] = 0
    states[state, AT] = at
    counts[at] = 1.0
    component[0] = filled_rows[STEPS]
    component[1] = state
    filled_rows[STATES] += 1
    filled_rows[NUMBERS] += 1
    return True


@inline_kernel
def leave_out(
    boxes: Matrix[np.int32], clues: Matrix[np.int32], seed: int, stack: Vector[np.int32]
) -> None:
    """Mark the boxes of a box's component as left to others; ``stack`` has room for all boxes.

    Args:
        boxes: the boxes of the position, whose `DONE` is set to `LEFT`.
        clues: its clues.
        seed: one box of the component.
        stack: a buffer with room for all boxes; each box is put there once.
    """
    stack[0] = seed
    boxes[seed, DONE] = LEFT
    count = 1
    while count > 0:
        count -= 1
        box = stack[count]
        for turn in range(boxes[box, DEGREE]):
            clue = boxes[box, LIST + turn]
            for index in range(clues[clue, DEGREE]):
                neighbour = clues[clue, LIST + index]
                if boxes[neighbour, DONE] != LEFT:
                    boxes[neighbour, DONE] = LEFT
                    stack[count] = neighbour
                    count += 1


@compile_without_references
def _open_clues(
    boxes: Matrix[np.int32],
    clues: Matrix[np.int32],
    box: int,
    step: int,
    candidates: Vector[np.int32],
    waiting: int,
    free_slots: int,
    bits: Matrix[np.int64],
) -> tuple[int, int, int]:
    """Give the clues of a box their slots in the key, and list the boxes they share.

    ``free_slots`` has a bit for each slot that is not taken. ``bits`` receives for
    each clue of the box the slot and the cells it has in later boxes. Returns
    (what is still free or -1 when there is none, the needs of the clues that
    are new to the key, boxes waiting).
    """
    cells = boxes[box, SIZE]
    fresh = np.int64(0)
    closed_slots = 0
    for turn in range(boxes[box, DEGREE]):
        clue = boxes[box, LIST + turn]
        if clues[clue, SLOT] == NONE:
            if free_slots == 0:
                return -1, 0, 0
            slot = 0
            while free_slots >> slot & 1 == 0:
                slot += 1
            free_slots ^= 1 << slot
            clues[clue, SLOT] = 3 * slot
            clues[clue, AGE] = step
            fresh += np.int64(clues[clue, NEED]) << (3 * slot)
            for index in range(clues[clue, DEGREE]):
                neighbour = clues[clue, LIST + index]
                if boxes[neighbour, DONE] == 0:
                    boxes[neighbour, DONE] = WAITING
                    candidates[waiting] = neighbour
                    waiting += 1
        clues[clue, CELLS] -= cells
        bits[turn, 0] = clues[clue, SLOT]
        bits[turn, 1] = clues[clue, CELLS]
        if clues[clue, CELLS] == 0:
            closed_slots |= 1 << (clues[clue, SLOT] // 3)
    # Not before: what closes here and what opens here must not share a slot.
    return free_slots | closed_slots, int(fresh), waiting


@compile_without_references
def _extend_states(
    states: Matrix[np.int32],
    keys: Vector[np.int64],
    table: Vector[np.int32],
    edges: Matrix[np.int32],
    begin: int,
    end: int,
    edge_count: int,
    box: Vector[np.int32],
    fresh: int,
    bits: Matrix[np.int64],
) -> tuple[int, int]:
    """Draw the transitions that a box adds; count the states, -1 if too many, and the edges.

    States are found by an open hash table, whose older entries count as empty. A key has three bits
    for what each open clue still needs.
    """
    state_count = end
    degree = box[DEGREE]
    unit = np.int64(0)
    for turn in range(degree):
        unit += np.int64(1) << bits[turn, 0]
    for state in range(begin, end):
        states[state, EDGE] = edge_count
        key = keys[state] + fresh
        fewest = np.int64(0)
        most = np.int64(box[SIZE])
        for turn in range(degree):
            need = key >> bits[turn, 0] & 7
            most = min(most, need)
            fewest = max(fewest, need - bits[turn, 1])
        if edge_count + most - fewest >= edges.shape[0]:
            return -1, 0
        for mines in range(fewest, most + 1):
            next_key = key - mines * unit
            slot = (next_key * _HASH >> 40) & (keys.size - 1)
            while table[slot] >= end and keys[table[slot]] != next_key:
                slot = (slot + 1) & (keys.size - 1)
            target = table[slot]
            fewest_there = states[state, FEWEST] + mines
            most_there = states[state, MOST] + mines
            if target < end:
                if state_count - end == keys.size // 2 or state_count == keys.size:
                    return -1, 0
                target = table[slot] = state_count
                state_count += 1
                keys[target] = next_key
                states[target, FEWEST] = fewest_there
                states[target, MOST] = most_there
            states[target, FEWEST] = min(states[target, FEWEST], fewest_there)
            states[target, MOST] = max(states[target, MOST], most_there)
            edges[edge_count, 0] = target
            edges[edge_count, 1] = mines
            edge_count += 1
    states[end, EDGE] = edge_count
    return state_count, edge_count


@inline_kernel
def _sum_up(
    states: Matrix[np.int32],
    edges: Matrix[np.int32],
    counts: Vector[np.float64],
    begin: int,
    end: int,
    state_count: int,
    cells: int,
    filled: int,
) -> int:
    """Sum the layouts up to each new state; return the numbers used, or -1 if there is no room."""
    first_new = filled
    for state in range(end, state_count):
        states[state, AT] = filled
        filled += states[state, MOST] - states[state, FEWEST] + 1
    if filled > counts.size:
        return -1
    counts[first_new:filled] = 0.0
    for state in range(begin, end):
        length = states[state, MOST] - states[state, FEWEST] + 1
        source = states[state, AT]
        for edge in range(states[state, EDGE], states[state + 1, EDGE]):
            target = edges[edge, 0]
            mines = edges[edge, 1]
            weight = _CHOICES[cells, mines]
            ahead = states[state, FEWEST] + mines - states[target, FEWEST]
            target_at = states[target, AT] + ahead
            for index in range(length):
                counts[target_at + index] += weight * counts[source + index]
    return filled


@inline_kernel
def _choose_box(
    boxes: Matrix[np.int32], clues: Matrix[np.int32], candidates: Vector[np.int32], waiting: int
) -> int:
    """Return the candidate that leaves the fewest clues open; ties go to the oldest clue's."""
    best_candidate = 0
    least_cost = np.int64(1 << 40)
    for index in range(waiting):
        box = candidates[index]
        change = 0
        oldest = np.int64(1 << 20)
        for turn in range(boxes[box, DEGREE]):
            clue = boxes[box, LIST + turn]
            closes = clues[clue, CELLS] == boxes[box, SIZE]
            if clues[clue, SLOT] == NONE:
                change += not closes
            else:
                change -= closes
                oldest = min(oldest, np.int64(clues[clue, AGE]))
        cost = (change + 16 << 20) + oldest
        if cost < least_cost:
            least_cost = cost
            best_candidate = index
    return best_candidate


@compile_without_references
def count_backward(
    boxes: Matrix[np.int32],
    buffers: Buffers,
    component: Vector[np.int32],
    last_step: int,
    filled: int,
) -> int:
    """Count the layouts of a component from each state on, and sum the mines of each box.

    Its steps are those from ``component[0]`` to ``last_step``.

    Args:
        boxes: the boxes of the position.
        buffers: the states of all components; counts are added.
        component: the record of the component.
        last_step: its last step.
        filled: how many numbers are in use.

    Returns:
        How many numbers are in use then, or NO_ROOM.
    """
    states, edges, counts, steps = buffers.states, buffers.edges, buffers.counts, buffers.steps
    root = component[2]
    if filled == counts.size:
        return NO_ROOM
    states[root, REST_FEWEST] = states[root, REST_MOST] = 0
    states[root, REST_AT] = filled
    counts[filled] = 1.0
    filled += 1
    length = states[root, MOST] - states[root, FEWEST] + 1
    end = root
    for step in range(last_step - 1, component[0] - 1, -1):
        cells = boxes[steps[step, 0], SIZE]
        if filled + length > counts.size:
            return NO_ROOM
        steps[step, 2] = filled
        sums = filled - states[root, FEWEST]
        counts[filled : filled + length] = 0.0
        filled += length
        for state in range(steps[step, 1], end):
            filled = _sum_rest(states, edges, counts, state, cells, sums, filled)
            if filled < 0:
                return NO_ROOM
        end = steps[step, 1]
    return filled


@compile_without_references
def _sum_rest(
    states: Matrix[np.int32],
    edges: Matrix[np.int32],
    counts: Vector[np.float64],
    state: int,
    cells: int,
    sums: int,
    filled: int,
) -> int:
    """Count layouts from a state on, and add the mines of its box; return numbers used, or -1."""
    first_edge, end_edge = states[state, EDGE], states[state + 1, EDGE]
    fewest = 1 << 20
    most = -1
    for edge in range(first_edge, end_edge):
        target = edges[edge, 0]
        if states[target, REST_AT] >= 0:
            fewest = min(fewest, states[target, REST_FEWEST] + edges[edge, 1])
            most = max(most, states[target, REST_MOST] + edges[edge, 1])
    states[state, REST_AT] = NONE
    if most < 0:
        return filled
    end = filled + most - fewest + 1
    if end > counts.size:
        return -1
    states[state, REST_FEWEST] = fewest
    states[state, REST_MOST] = most
    states[state, REST_AT] = filled
    counts[filled:end] = 0.0
    source = states[state, AT]
    span = states[state, MOST] - states[state, FEWEST] + 1
    for edge in range(first_edge, end_edge):
        target = edges[edge, 0]
        rest_at = states[target, REST_AT]
        if rest_at < 0:
            continue
        mines = edges[edge, 1]
        weight = _CHOICES[cells, mines]
        width = states[target, REST_MOST] - states[target, REST_FEWEST] + 1
        ahead = mines + states[target, REST_FEWEST]
        for index in range(width):
            counts[filled + ahead - fewest + index] += weight * counts[rest_at + index]
        if mines == 0:
            continue
        target_at = sums + states[state, FEWEST] + ahead
        for index in range(span):
            layouts = mines * weight * counts[source + index]
            for rest_index in range(width):
                counts[target_at + index + rest_index] += layouts * counts[rest_at + rest_index]
    return end
