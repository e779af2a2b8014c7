"""Layouts along the boxes of a component: up to each state, from each on, with mines in each box.

The state between two boxes is what each open clue still needs, three bits a clue; its value is the
number of layouts by mines used. Arrays are passed one by one: together in a NamedTuple they make a
call take a fifth longer.

Tested in tests/solvers/positions/test_solve.py.
"""

from math import comb
from typing import Final

import numpy as np

from minecheck.minefield.compiled import Matrix, Vector, compile_without_references, inline_kernel
from minecheck.minefield.reduction.propagation import NONE
from minecheck.solvers.positions.boxes import (
    AGE,
    CELLS,
    DEGREE,
    DONE,
    LIST,
    NEED,
    SIZE,
    SLOT,
)

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


@compile_without_references
def count_forward(
    boxes: Matrix[np.int32],
    clues: Matrix[np.int32],
    seed: int,
    states: Matrix[np.int32],
    keys: Vector[np.int64],
    table: Vector[np.int32],
    edges: Matrix[np.int32],
    numbers: Vector[np.float64],
    steps: Matrix[np.int32],
    part: Vector[np.int32],
    candidates: Vector[np.int32],
    used: Vector[np.int64],
    bits: Matrix[np.int64],
) -> int:
    """Count the layouts of a box's component up to each state; return SURE or another outcome.

    A key has three bits for each of up to `_OPEN` clues that are open at a time, which fit into 63.

    Args:
        boxes: the boxes of the position.
        clues: its clues.
        seed: one box of the component.
        states: columns as above, to which states are added: (states, 7).
        keys: the key of each state: (states,).
        table: a hash table of states, as large, full of NONE or of states before these.
        edges: the edges between states, to which more are added.
        numbers: the layouts by mines that states refer to, to which more are added.
        steps: for each step its box and its first state, to which more are added.
        part: filled in: the first step, the first and the last state.
        candidates: a buffer with room for all boxes.
        used: how many steps, states, edges and numbers are in use, which is brought up to date.
        bits: a buffer for the bits of a box's clues.
    """
    candidates[0] = seed
    boxes[seed, DONE] = WAITING
    waiting = 1
    free = (1 << _OPEN) - 1
    step = used[STEPS]
    made = used[STATES]
    drawn = used[EDGES]
    filled = used[NUMBERS]
    if made == keys.size or filled == numbers.size:
        return NO_ROOM
    keys[made] = 0
    states[made, FEWEST] = states[made, MOST] = 0
    states[made, AT] = filled
    numbers[filled] = 1.0
    filled += 1
    part[0] = step
    part[1] = begin = made
    made += 1
    while waiting > 0:
        chosen = _next_box(boxes, clues, candidates, waiting)
        box = candidates[chosen]
        waiting -= 1
        candidates[chosen] = candidates[waiting]
        steps[step, 0] = box
        steps[step, 1] = begin
        free, fresh, waiting = _open_clues(boxes, clues, box, step, candidates, waiting, free, bits)
        step += 1
        if free < 0:
            return TOO_WIDE
        end = made
        made, drawn = _extend_states(
            states, keys, table, edges, begin, end, drawn, boxes[box], fresh, bits
        )
        if made <= end:
            return UNSURE if made == end else NO_ROOM
        filled = _sum_up(states, edges, numbers, begin, end, made, boxes[box, SIZE], filled)
        if filled < 0:
            return NO_ROOM
        begin = end
    part[2] = begin
    used[STEPS] = step
    used[STATES] = made
    used[EDGES] = drawn
    used[NUMBERS] = filled
    return SURE


@inline_kernel
def leave_out(
    boxes: Matrix[np.int32], clues: Matrix[np.int32], seed: int, found: Vector[np.int32]
) -> None:
    """Mark the boxes of a box's component as left to others; ``found`` has room for all boxes.

    Args:
        boxes: the boxes of the position, whose `DONE` is set to `LEFT`.
        clues: its clues.
        seed: one box of the component.
        found: a buffer with room for all boxes; each box is put there once.
    """
    found[0] = seed
    boxes[seed, DONE] = LEFT
    count = 1
    while count > 0:
        count -= 1
        box = found[count]
        for turn in range(boxes[box, DEGREE]):
            clue = boxes[box, LIST + turn]
            for index in range(clues[clue, DEGREE]):
                other = clues[clue, LIST + index]
                if boxes[other, DONE] != LEFT:
                    boxes[other, DONE] = LEFT
                    found[count] = other
                    count += 1


@compile_without_references
def _open_clues(
    boxes: Matrix[np.int32],
    clues: Matrix[np.int32],
    box: int,
    step: int,
    candidates: Vector[np.int32],
    waiting: int,
    free: int,
    bits: Matrix[np.int64],
) -> tuple[int, int, int]:
    """Give the clues of a box their slots in the key, and list the boxes they share.

    ``free`` has a bit for each slot that is not taken. ``bits`` receives for
    each clue of the box the slot and the cells it has in later boxes. Returns
    (what is still free or -1 when there is none, the needs of the clues that
    are new to the key, boxes waiting).
    """
    size = boxes[box, SIZE]
    fresh = np.int64(0)
    closed = 0
    for turn in range(boxes[box, DEGREE]):
        clue = boxes[box, LIST + turn]
        if clues[clue, SLOT] == NONE:
            if free == 0:
                return -1, 0, 0
            slot = 0
            while free >> slot & 1 == 0:
                slot += 1
            free ^= 1 << slot
            clues[clue, SLOT] = 3 * slot
            clues[clue, AGE] = step
            fresh += np.int64(clues[clue, NEED]) << (3 * slot)
            for index in range(clues[clue, DEGREE]):
                other = clues[clue, LIST + index]
                if boxes[other, DONE] == 0:
                    boxes[other, DONE] = WAITING
                    candidates[waiting] = other
                    waiting += 1
        clues[clue, CELLS] -= size
        bits[turn, 0] = clues[clue, SLOT]
        bits[turn, 1] = clues[clue, CELLS]
        if clues[clue, CELLS] == 0:
            closed |= 1 << (clues[clue, SLOT] // 3)
    # Not before: what closes here and what opens here must not share a slot.
    return free | closed, int(fresh), waiting


@compile_without_references
def _extend_states(
    states: Matrix[np.int32],
    keys: Vector[np.int64],
    table: Vector[np.int32],
    edges: Matrix[np.int32],
    begin: int,
    end: int,
    drawn: int,
    box: Vector[np.int32],
    fresh: int,
    bits: Matrix[np.int64],
) -> tuple[int, int]:
    """Draw the transitions that a box adds; return states made, -1 if too many, and edges drawn.

    States are found by an open hash table, whose older entries count as empty. A key has three bits
    for what each open clue still needs.
    """
    made = end
    degree = box[DEGREE]
    unit = np.int64(0)
    for turn in range(degree):
        unit += np.int64(1) << bits[turn, 0]
    for state in range(begin, end):
        states[state, EDGE] = drawn
        key = keys[state] + fresh
        fewest = np.int64(0)
        most = np.int64(box[SIZE])
        for turn in range(degree):
            rest = key >> bits[turn, 0] & 7
            most = min(most, rest)
            fewest = max(fewest, rest - bits[turn, 1])
        if drawn + most - fewest >= edges.shape[0]:
            return -1, 0
        for mines in range(fewest, most + 1):
            after = key - mines * unit
            slot = (after * _HASH >> 40) & (keys.size - 1)
            while table[slot] >= end and keys[table[slot]] != after:
                slot = (slot + 1) & (keys.size - 1)
            target = table[slot]
            fewest_there = states[state, FEWEST] + mines
            most_there = states[state, MOST] + mines
            if target < end:
                if made - end == keys.size // 2 or made == keys.size:
                    return -1, 0
                target = table[slot] = made
                made += 1
                keys[target] = after
                states[target, FEWEST] = fewest_there
                states[target, MOST] = most_there
            states[target, FEWEST] = min(states[target, FEWEST], fewest_there)
            states[target, MOST] = max(states[target, MOST], most_there)
            edges[drawn, 0] = target
            edges[drawn, 1] = mines
            drawn += 1
    states[end, EDGE] = drawn
    return made, drawn


@inline_kernel
def _sum_up(
    states: Matrix[np.int32],
    edges: Matrix[np.int32],
    numbers: Vector[np.float64],
    begin: int,
    end: int,
    made: int,
    size: int,
    filled: int,
) -> int:
    """Sum the layouts up to each new state; return the numbers used, or -1 if there is no room."""
    first = filled
    for state in range(end, made):
        states[state, AT] = filled
        filled += states[state, MOST] - states[state, FEWEST] + 1
    if filled > numbers.size:
        return -1
    numbers[first:filled] = 0.0
    for state in range(begin, end):
        length = states[state, MOST] - states[state, FEWEST] + 1
        source = states[state, AT]
        for edge in range(states[state, EDGE], states[state + 1, EDGE]):
            target = edges[edge, 0]
            mines = edges[edge, 1]
            weight = _CHOICES[size, mines]
            ahead = states[state, FEWEST] + mines - states[target, FEWEST]
            goal = states[target, AT] + ahead
            for index in range(length):
                numbers[goal + index] += weight * numbers[source + index]
    return filled


@inline_kernel
def _next_box(
    boxes: Matrix[np.int32], clues: Matrix[np.int32], candidates: Vector[np.int32], waiting: int
) -> int:
    """Return the candidate that leaves the fewest clues open; ties go to the oldest clue's."""
    best = 0
    least = np.int64(1 << 40)
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
        value = (change + 16 << 20) + oldest
        if value < least:
            least = value
            best = index
    return best


@compile_without_references
def count_backward(
    boxes: Matrix[np.int32],
    states: Matrix[np.int32],
    edges: Matrix[np.int32],
    numbers: Vector[np.float64],
    steps: Matrix[np.int32],
    part: Vector[np.int32],
    last: int,
    filled: int,
) -> int:
    """Count the layouts of a component from each state on, and sum the mines of each box.

    Its steps are those from ``part[0]`` to ``last``.

    Args:
        boxes: the boxes of the position.
        states: the states of all components.
        edges: the edges between states.
        numbers: the layouts by mines that states refer to, to which more are added.
        steps: the steps of all components.
        part: the record of the component.
        last: its last step.
        filled: how many numbers are in use.

    Returns:
        How many numbers are in use then, or NO_ROOM.
    """
    root = part[2]
    if filled == numbers.size:
        return NO_ROOM
    states[root, REST_FEWEST] = states[root, REST_MOST] = 0
    states[root, REST_AT] = filled
    numbers[filled] = 1.0
    filled += 1
    length = states[root, MOST] - states[root, FEWEST] + 1
    end = root
    for step in range(last - 1, part[0] - 1, -1):
        size = boxes[steps[step, 0], SIZE]
        if filled + length > numbers.size:
            return NO_ROOM
        steps[step, 2] = filled
        sums = filled - states[root, FEWEST]
        numbers[filled : filled + length] = 0.0
        filled += length
        for state in range(steps[step, 1], end):
            filled = _sum_rest(states, edges, numbers, state, size, sums, filled)
            if filled < 0:
                return NO_ROOM
        end = steps[step, 1]
    return filled


@compile_without_references
def _sum_rest(
    states: Matrix[np.int32],
    edges: Matrix[np.int32],
    numbers: Vector[np.float64],
    state: int,
    size: int,
    sums: int,
    filled: int,
) -> int:
    """Count layouts from a state on, and add the mines of its box; return numbers used, or -1."""
    first, last = states[state, EDGE], states[state + 1, EDGE]
    fewest = 1 << 20
    most = -1
    for edge in range(first, last):
        target = edges[edge, 0]
        if states[target, REST_AT] >= 0:
            fewest = min(fewest, states[target, REST_FEWEST] + edges[edge, 1])
            most = max(most, states[target, REST_MOST] + edges[edge, 1])
    states[state, REST_AT] = NONE
    if most < 0:
        return filled
    end = filled + most - fewest + 1
    if end > numbers.size:
        return -1
    states[state, REST_FEWEST] = fewest
    states[state, REST_MOST] = most
    states[state, REST_AT] = filled
    numbers[filled:end] = 0.0
    source = states[state, AT]
    span = states[state, MOST] - states[state, FEWEST] + 1
    for edge in range(first, last):
        target = edges[edge, 0]
        rest = states[target, REST_AT]
        if rest < 0:
            continue
        mines = edges[edge, 1]
        weight = _CHOICES[size, mines]
        width = states[target, REST_MOST] - states[target, REST_FEWEST] + 1
        ahead = mines + states[target, REST_FEWEST]
        for index in range(width):
            numbers[filled + ahead - fewest + index] += weight * numbers[rest + index]
        if mines == 0:
            continue
        goal = sums + states[state, FEWEST] + ahead
        for index in range(span):
            layouts = mines * weight * numbers[source + index]
            for other in range(width):
                numbers[goal + index + other] += layouts * numbers[rest + other]
    return end
