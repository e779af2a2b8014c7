"""The components of a position: each alone, or together if there is a total of mines.

Both ways tell of each box the chance of a mine and its mines in one of the layouts, and the layouts
by mines beyond the fewest. By themselves components take the same little memory, one after another,
and those that take more, or are wider than a key, are left out: then the rest is still solved.

Tested in tests/solvers/positions/test_solve.py.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from minecheck.minefield.compiled import Matrix, Vector, compile_without_references, inline_kernel
from minecheck.minefield.double_double import Twofold, add_twofold
from minecheck.minefield.reduction.propagation import NONE
from minecheck.solvers.positions.boxes import DONE, NEAR
from minecheck.solvers.positions.chances import (
    EXACT,
    divide_chance,
    fill_chances,
    fill_choices,
    fill_powers,
    loose_chance,
    mine_span,
    weigh_sum,
)
from minecheck.solvers.positions.states import (
    AT,
    EDGE,
    FEWEST,
    LEFT,
    NO_ROOM,
    NUMBERS,
    REST_AT,
    REST_FEWEST,
    REST_MOST,
    STEPS,
    SURE,
    TOO_WIDE,
    UNSURE,
    count_backward,
    count_forward,
    leave_out,
)

#: The value for the chance of a cell whose component is omitted.
LEFT_OUT: Final = -1.0
#: Room for states, transitions and coefficients. Little memory stays in the caches between calls;
#: positions that need more get a second try, and what needs even more is left to others.
_STATES: Final = 256
_EDGES: Final = 1024
_NUMBERS: Final = 4096
MORE_ROOM: Final = 32
# The table, which is as large as the room for states, is entered by the low bits of a hash.
assert all(size & (size - 1) == 0 for size in (_STATES, _STATES * MORE_ROOM))


@inline_kernel
def count_apart(
    boxes: Matrix[np.int32],
    clues: Matrix[np.int32],
    count: int,
    odds: Twofold,
    room: int,
    chances: Vector[np.float64],
    held: Vector[np.int64],
) -> tuple[int, int, int, NDArray[np.float64], NDArray[np.int64]]:
    """Count each component alone.

    Components that take more memory, or are wider than a key, are left out.

    Args:
        boxes: the boxes of the position.
        clues: its clues.
        count: the number of boxes.
        odds: the weight of one mine.
        room: how many times the least memory to use.
        chances: filled in: the chance of a mine in each box, the loose cells' last.
        held: filled in: the mines of each box in one of the layouts, the loose cells' last.

    Returns:
        SURE or another outcome, components left out, the fewest mines, layouts by mines beyond them
        of each component counted, one after another, and where each starts.
    """
    states, keys, table, edges, numbers = _make_room(room)
    steps = np.empty((count, 3), np.int32)
    part = np.empty(3, np.int32)
    candidates = np.empty(count, np.int32)
    bits = np.empty((NEAR, 2), np.int64)
    used = np.empty(4, np.int64)
    # A component has no more of them than cells, eight to a box at most, and one.
    spreads = np.empty(9 * count)
    starts = np.zeros(count + 1, np.int64)
    fewest = components = left_out = 0
    for seed in range(count):
        if boxes[seed, DONE] > 0:
            continue
        table[:] = NONE
        used[:] = 0
        found = count_forward(
            boxes,
            clues,
            seed,
            states,
            keys,
            table,
            edges,
            numbers,
            steps,
            part,
            candidates,
            used,
            bits,
        )
        if found == SURE:
            found = _chances_apart(
                boxes, states, edges, numbers, steps, part, used, odds, chances, held
            )
        if found == UNSURE or (found == NO_ROOM and room < MORE_ROOM):
            return found, 0, 0, spreads[:0], starts[:1]
        if found != SURE:
            left_out += 1
            leave_out(boxes, clues, seed, candidates)
            continue
        root = part[2]
        fewest += states[root, FEWEST]
        begin = starts[components]
        components += 1
        starts[components] = end = begin + mine_span(states, part) + 1
        spreads[begin:end] = numbers[states[root, AT] : states[root, AT] + end - begin]
    for box in range(count):
        if boxes[box, DONE] == LEFT:
            chances[box] = LEFT_OUT
            held[box] = 0
    chances[count], certain = divide_chance(odds, add_twofold(odds, (1.0, 0.0)), False)
    held[count] = 0
    outcome = SURE if certain else UNSURE
    spreads = spreads[: starts[components]]
    return outcome, left_out, fewest, spreads, starts[: components + 1]


@inline_kernel
def count_together(
    boxes: Matrix[np.int32],
    clues: Matrix[np.int32],
    count: int,
    loose: int,
    mines: int,
    room: int,
    chances: Vector[np.float64],
    held: Vector[np.int64],
) -> tuple[int, int, NDArray[np.float64], NDArray[np.int64]]:
    """Count layouts with a total of mines, all components together.

    Args:
        boxes: the boxes of the position.
        clues: its clues.
        count: the number of boxes.
        loose: the number of loose cells.
        mines: the mines in boxes and loose cells together.
        room: how many times the least memory to use.
        chances: filled in: the chance of a mine in each box, the loose cells' last.
        held: filled in: the mines of each box in one of the layouts, the loose cells' last.

    Returns:
        SURE or another outcome, the fewest mines of the boxes, layouts by mines beyond them of all
        components together, and where those start.
    """
    states, keys, table, edges, numbers = _make_room(room)
    steps = np.empty((count, 3), np.int32)
    parts = np.empty((count + 1, 3), np.int32)
    candidates = np.empty(count, np.int32)
    bits = np.empty((NEAR, 2), np.int64)
    used = np.zeros(4, np.int64)
    starts = np.zeros(2, np.int64)
    table[:] = NONE
    components = fewest = 0
    for seed in range(count):
        if boxes[seed, DONE] > 0:
            continue
        part = parts[components]
        found = count_forward(
            boxes,
            clues,
            seed,
            states,
            keys,
            table,
            edges,
            numbers,
            steps,
            part,
            candidates,
            used,
            bits,
        )
        if found != SURE:
            return found, 0, numbers[:0], starts
        fewest += states[part[2], FEWEST]
        components += 1
    parts[components, 0] = used[STEPS]
    filled = used[NUMBERS]
    for component in range(components):
        last = parts[component + 1, 0]
        filled = count_backward(
            boxes, states, edges, numbers, steps, parts[component], last, filled
        )
        if filled < 0:
            return NO_ROOM, 0, numbers[:0], starts
    left = mines - fewest
    if left < 0 or not _are_exact(numbers, filled):
        return UNSURE, 0, numbers[:0], starts
    before, after = _multiply_components(states, numbers, parts, components)
    spread = before[components]
    if not _chances_together(
        boxes, states, numbers, steps, parts, before, after, loose, left, chances
    ):
        return UNSURE, 0, numbers[:0], starts
    _choose_together(states, edges, numbers, steps, parts, before, loose, left, held)
    starts[1] = spread.size
    return SURE, fewest, spread, starts


@inline_kernel
def _make_room(
    room: int,
) -> tuple[
    Matrix[np.int32], Vector[np.int64], Vector[np.int32], Matrix[np.int32], Vector[np.float64]
]:
    """Make buffers: states, their keys, a table of them, edges, and numbers (the first is 1)."""
    states = np.empty((room * _STATES + 1, 7), np.int32)
    keys = np.empty(room * _STATES, np.int64)
    # At most half full: states between two boxes are at most as many as half of all.
    table = np.empty(keys.size, np.int32)
    edges = np.empty((room * _EDGES, 2), np.int32)
    numbers = np.empty(room * _NUMBERS)
    return states, keys, table, edges, numbers


@inline_kernel
def _are_exact(numbers: Vector[np.float64], filled: int) -> bool:
    """Return True if the first ``filled`` numbers are small enough to be exact."""
    largest = 0.0
    for index in range(filled):
        largest = max(largest, numbers[index])
    return largest < EXACT


@inline_kernel
def _chances_apart(
    boxes: Matrix[np.int32],
    states: Matrix[np.int32],
    edges: Matrix[np.int32],
    numbers: Vector[np.float64],
    steps: Matrix[np.int32],
    part: Vector[np.int32],
    used: Vector[np.int64],
    odds: Twofold,
    chances: Vector[np.float64],
    held: Vector[np.int64],
) -> int:
    """Fill in chances and mines of a component's boxes, counted forward; return an outcome."""
    last = used[STEPS]
    filled = count_backward(boxes, states, edges, numbers, steps, part, last, used[NUMBERS])
    if filled < 0:
        return NO_ROOM
    weights = np.empty((mine_span(states, part) + 1, 2))
    if not (_are_exact(numbers, filled) and fill_powers(weights, odds)):
        return TOO_WIDE
    whole = weigh_sum(numbers, states[part[2], AT], weights.shape[0] - 1, weights, 0)
    if not fill_chances(boxes, states, numbers, steps, part, last, weights, whole, chances):
        return TOO_WIDE
    _choose_mines(states, edges, numbers, steps, part, last, 0, held)
    return SURE


@inline_kernel
def _chances_together(
    boxes: Matrix[np.int32],
    states: Matrix[np.int32],
    numbers: Vector[np.float64],
    steps: Matrix[np.int32],
    parts: Matrix[np.int32],
    before: Matrix[np.float64],
    after: Matrix[np.float64],
    loose: int,
    left: int,
    chances: Vector[np.float64],
) -> bool:
    """Fill in the chance of each box, the loose cells' last; return if there are any, all sure."""
    components = before.shape[0] - 1
    degree = before.shape[1] - 1
    spread = before[components]
    weights = np.zeros((degree + 1, 2))
    sure = spread.max() < EXACT and fill_choices(weights, loose, left)
    whole = weigh_sum(spread, 0, degree, weights, 0)
    if not sure or whole[0] == 0.0:
        return False
    rest = np.empty((degree + 1, 2))
    others = np.empty(degree + 1)
    done = 0
    for component in range(components):
        part = parts[component]
        beyond = mine_span(states, part)
        others[:] = 0.0
        # Their degrees add up to what this component leaves.
        _convolve(before[component], done, after[component + 1], 0, degree - done - beyond, others)
        done += beyond
        for used in range(beyond + 1):
            rest[used, 0], rest[used, 1] = weigh_sum(others, 0, degree - beyond, weights, used)
        last = parts[component + 1, 0]
        sure &= fill_chances(boxes, states, numbers, steps, part, last, rest, whole, chances)
    chances[chances.size - 1], certain = loose_chance(spread, weights, whole, loose, left)
    return bool(sure and certain)


@inline_kernel
def _multiply_components(
    states: Matrix[np.int32],
    numbers: Vector[np.float64],
    parts: Matrix[np.int32],
    components: int,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return layouts by mines beyond the fewest, as two arrays (components + 1, most + 1).

    Row c of the first: of the components before c; of the second: of those from c on.
    """
    degree = 0
    for component in range(components):
        degree += mine_span(states, parts[component])
    before = np.zeros((components + 1, degree + 1))
    after = np.zeros((components + 1, degree + 1))
    before[0, 0] = after[components, 0] = 1.0
    done = 0
    for component in range(components):
        own = mine_span(states, parts[component])
        first = states[parts[component, 2], AT]
        _convolve(before[component], done, numbers, first, own, before[component + 1])
        done += own
    done = 0
    for component in range(components - 1, -1, -1):
        own = mine_span(states, parts[component])
        first = states[parts[component, 2], AT]
        _convolve(after[component + 1], done, numbers, first, own, after[component])
        done += own
    return before, after


@compile_without_references
def _convolve(
    one: Vector[np.float64],
    one_degree: int,
    numbers: Vector[np.float64],
    at: int,
    degree: int,
    result: Vector[np.float64],
) -> None:
    """Add the product of two polynomials, the second one ``numbers[at:at + degree + 1]``.

    ``result`` has an entry for each power up to the sum of the degrees.
    """
    for power in range(one_degree + 1):
        for other in range(degree + 1):
            result[power + other] += one[power] * numbers[at + other]


@inline_kernel
def _choose_together(
    states: Matrix[np.int32],
    edges: Matrix[np.int32],
    numbers: Vector[np.float64],
    steps: Matrix[np.int32],
    parts: Matrix[np.int32],
    before: Matrix[np.float64],
    loose: int,
    left: int,
    held: Vector[np.int64],
) -> None:
    """Choose mines of each box in one of the layouts, the loose cells' last; there must be one."""
    components = before.shape[0] - 1
    beyond = 0
    while before[components, beyond] == 0.0 or not 0 <= left - beyond <= loose:
        beyond += 1
    held[held.size - 1] = left - beyond
    for component in range(components - 1, -1, -1):
        layouts = states[parts[component, 2], AT]
        own = 0
        while numbers[layouts + own] == 0.0 or before[component, beyond - own] == 0.0:
            own += 1
        beyond -= own
        _choose_mines(
            states, edges, numbers, steps, parts[component], parts[component + 1, 0], own, held
        )


@compile_without_references
def _choose_mines(
    states: Matrix[np.int32],
    edges: Matrix[np.int32],
    numbers: Vector[np.float64],
    steps: Matrix[np.int32],
    part: Vector[np.int32],
    last: int,
    beyond: int,
    held: Vector[np.int64],
) -> None:
    """Choose mines of a component's boxes, in a layout with ``beyond`` more than the fewest."""
    mines = states[part[2], FEWEST] + beyond
    state = part[1]
    for step in range(part[0], last):
        for edge in range(states[state, EDGE], states[state + 1, EDGE]):
            target = edges[edge, 0]
            rest = mines - edges[edge, 1]
            if _can_follow(states, numbers, target, rest):
                held[steps[step, 0]] = edges[edge, 1]
                mines = rest
                state = target
                break


@inline_kernel
def _can_follow(
    states: Matrix[np.int32], numbers: Vector[np.float64], state: int, mines: int
) -> bool:
    """Return True if that many mines can follow this state."""
    at = states[state, REST_AT]
    if at < 0 or not states[state, REST_FEWEST] <= mines <= states[state, REST_MOST]:
        return False
    return bool(numbers[at + mines - states[state, REST_FEWEST]] > 0.0)
