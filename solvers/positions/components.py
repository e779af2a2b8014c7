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
    compute_loose_chance,
    compute_mine_span,
    divide_chance,
    fill_chances,
    fill_choices,
    fill_powers,
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
    Buffers,
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
    box_mines: Vector[np.int64],
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
        box_mines: filled in: the mines of each box in one of the layouts, the loose cells' last.

    Returns:
        SURE or another outcome, components left out, the fewest mines, layouts by mines beyond them
        of each component counted, one after another, and where each starts.
    """
    buffers = _make_buffers(count, room)
    states, counts = buffers.states, buffers.counts
    component = np.empty(3, np.int32)
    # A component has no more of them than cells, eight to a box at most, and one.
    spreads = np.empty(9 * count)
    starts = np.zeros(count + 1, np.int64)
    fewest = components = left_out = 0
    for seed in range(count):
        if boxes[seed, DONE] > 0:
            continue
        _clear_buffers(buffers)
        outcome = count_forward(boxes, clues, seed, buffers, component)
        if outcome == SURE:
            outcome = _fill_chances_apart(boxes, buffers, component, odds, chances, box_mines)
        if outcome == UNSURE or (outcome == NO_ROOM and room < MORE_ROOM):
            return outcome, 0, 0, spreads[:0], starts[:1]
        if outcome != SURE:
            left_out += 1
            leave_out(boxes, clues, seed, buffers.candidates)
            continue
        root = component[2]
        fewest += states[root, FEWEST]
        begin = starts[components]
        components += 1
        starts[components] = end = begin + compute_mine_span(states, component) + 1
        spreads[begin:end] = counts[states[root, AT] : states[root, AT] + end - begin]
    _fill_left_out(boxes, chances, box_mines)
    chances[count], certain = divide_chance(odds, add_twofold(odds, (1.0, 0.0)), False)
    box_mines[count] = 0
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
    box_mines: Vector[np.int64],
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
        box_mines: filled in: the mines of each box in one of the layouts, the loose cells' last.

    Returns:
        SURE or another outcome, the fewest mines of the boxes, layouts by mines beyond them of all
        components together, and where those start.
    """
    buffers = _make_buffers(count, room)
    states, counts = buffers.states, buffers.counts
    records = np.empty((count + 1, 3), np.int32)
    starts = np.zeros(2, np.int64)
    _clear_buffers(buffers)
    components = fewest = 0
    for seed in range(count):
        if boxes[seed, DONE] > 0:
            continue
        record = records[components]
        outcome = count_forward(boxes, clues, seed, buffers, record)
        if outcome != SURE:
            return outcome, 0, counts[:0], starts
        fewest += states[record[2], FEWEST]
        components += 1
    records[components, 0] = buffers.filled_rows[STEPS]
    filled = buffers.filled_rows[NUMBERS]
    for component in range(components):
        last_step = records[component + 1, 0]
        filled = count_backward(boxes, buffers, records[component], last_step, filled)
        if filled < 0:
            return NO_ROOM, 0, counts[:0], starts
    mines_left = mines - fewest
    if mines_left < 0 or not _are_exact(counts, filled):
        return UNSURE, 0, counts[:0], starts
    layouts_before, layouts_from = _multiply_components(states, counts, records, components)
    spread = layouts_before[components]
    if not _fill_chances_together(
        boxes, buffers, records, layouts_before, layouts_from, loose, mines_left, chances
    ):
        return UNSURE, 0, counts[:0], starts
    _choose_together(buffers, records, layouts_before, loose, mines_left, box_mines)
    starts[1] = spread.size
    return SURE, fewest, spread, starts


@inline_kernel
def _make_buffers(count: int, room: int) -> Buffers:
    """Make buffers for ``count`` boxes, of ``room`` times the least size."""
    return Buffers(
        np.empty((room * _STATES + 1, 7), np.int32),
        np.empty(room * _STATES, np.int64),
        # At most half full: states between two boxes are at most as many as half of all.
        np.empty(room * _STATES, np.int32),
        np.empty((room * _EDGES, 2), np.int32),
        np.empty(room * _NUMBERS),
        np.empty((count, 3), np.int32),
        np.empty(4, np.int64),
        np.empty(count, np.int32),
        np.empty((NEAR, 2), np.int64),
    )


@inline_kernel
def _clear_buffers(buffers: Buffers) -> None:
    """Make buffers ready for the first component that they are to hold."""
    buffers.table[:] = NONE
    buffers.filled_rows[:] = 0


@inline_kernel
def _fill_left_out(
    boxes: Matrix[np.int32], chances: Vector[np.float64], box_mines: Vector[np.int64]
) -> None:
    """Fill in chances and mines of the boxes of components that are left out."""
    for box in range(chances.size - 1):
        if boxes[box, DONE] == LEFT:
            chances[box] = LEFT_OUT
            box_mines[box] = 0


@inline_kernel
def _are_exact(counts: Vector[np.float64], filled: int) -> bool:
    """Return True if the first ``filled`` numbers are small enough to be exact."""
    largest = 0.0
    for index in range(filled):
        largest = max(largest, counts[index])
    return largest < EXACT


@inline_kernel
def _fill_chances_apart(
    boxes: Matrix[np.int32],
    buffers: Buffers,
    component: Vector[np.int32],
    odds: Twofold,
    chances: Vector[np.float64],
    box_mines: Vector[np.int64],
) -> int:
    """Fill in chances and mines of a component's boxes, counted forward; return an outcome."""
    states, counts = buffers.states, buffers.counts
    last_step = buffers.filled_rows[STEPS]
    filled = count_backward(boxes, buffers, component, last_step, buffers.filled_rows[NUMBERS])
    if filled < 0:
        return NO_ROOM
    weights = np.empty((compute_mine_span(states, component) + 1, 2))
    if not (_are_exact(counts, filled) and fill_powers(weights, odds)):
        return TOO_WIDE
    total_weight = weigh_sum(counts, states[component[2], AT], weights.shape[0] - 1, weights, 0)
    if not fill_chances(boxes, buffers, component, last_step, weights, total_weight, chances):
        return TOO_WIDE
    _choose_mines(buffers, component, last_step, 0, box_mines)
    return SURE


@inline_kernel
def _fill_chances_together(
    boxes: Matrix[np.int32],
    buffers: Buffers,
    records: Matrix[np.int32],
    layouts_before: Matrix[np.float64],
    layouts_from: Matrix[np.float64],
    loose: int,
    mines_left: int,
    chances: Vector[np.float64],
) -> bool:
    """Fill in the chance of each box, the loose cells' last; return if there are any, all sure."""
    components = layouts_before.shape[0] - 1
    degree = layouts_before.shape[1] - 1
    spread = layouts_before[components]
    weights = np.zeros((degree + 1, 2))
    sure = spread.max() < EXACT and fill_choices(weights, loose, mines_left)
    total_weight = weigh_sum(spread, 0, degree, weights, 0)
    if not sure or total_weight[0] == 0.0:
        return False
    rest_weights = np.empty((degree + 1, 2))
    layouts_of_others = np.empty(degree + 1)
    span_before = 0
    for component in range(components):
        record = records[component]
        span = compute_mine_span(buffers.states, record)
        layouts_of_others[:] = 0.0
        # Their degrees add up to what this component leaves.
        _convolve(
            layouts_before[component],
            span_before,
            layouts_from[component + 1],
            0,
            degree - span_before - span,
            layouts_of_others,
        )
        span_before += span
        for extra_mines in range(span + 1):
            rest_weights[extra_mines, 0], rest_weights[extra_mines, 1] = weigh_sum(
                layouts_of_others, 0, degree - span, weights, extra_mines
            )
        last_step = records[component + 1, 0]
        sure &= fill_chances(boxes, buffers, record, last_step, rest_weights, total_weight, chances)
    chances[chances.size - 1], certain = compute_loose_chance(
        spread, weights, total_weight, loose, mines_left
    )
    return bool(sure and certain)


@inline_kernel
def _multiply_components(
    states: Matrix[np.int32],
    counts: Vector[np.float64],
    records: Matrix[np.int32],
    components: int,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return layouts by mines beyond the fewest, as two arrays (components + 1, most + 1).

    Row c of the first: of the components before c; of the second: of those from c on.
    """
    degree = 0
    for component in range(components):
        degree += compute_mine_span(states, records[component])
    layouts_before = np.zeros((components + 1, degree + 1))
    layouts_from = np.zeros((components + 1, degree + 1))
    layouts_before[0, 0] = layouts_from[components, 0] = 1.0
    degree_done = 0
    for component in range(components):
        span = compute_mine_span(states, records[component])
        first_count = states[records[component, 2], AT]
        _convolve(
            layouts_before[component],
            degree_done,
            counts,
            first_count,
            span,
            layouts_before[component + 1],
        )
        degree_done += span
    degree_done = 0
    for component in range(components - 1, -1, -1):
        span = compute_mine_span(states, records[component])
        first_count = states[records[component, 2], AT]
        _convolve(
            layouts_from[component + 1],
            degree_done,
            counts,
            first_count,
            span,
            layouts_from[component],
        )
        degree_done += span
    return layouts_before, layouts_from


@compile_without_references
def _convolve(
    factor: Vector[np.float64],
    factor_degree: int,
    counts: Vector[np.float64],
    at: int,
    degree: int,
    product: Vector[np.float64],
) -> None:
    """Add the product of two polynomials, the second one ``counts[at:at + degree + 1]``.

    ``product`` has an entry for each power up to the sum of the degrees.
    """
    for power in range(factor_degree + 1):
        for other_power in range(degree + 1):
            product[power + other_power] += factor[power] * counts[at + other_power]


@inline_kernel
def _choose_together(
    buffers: Buffers,
    records: Matrix[np.int32],
    layouts_before: Matrix[np.float64],
    loose: int,
    mines_left: int,
    box_mines: Vector[np.int64],
) -> None:
    """Choose mines of each box in one of the layouts, the loose cells' last; there must be one."""
    components = layouts_before.shape[0] - 1
    extra_mines = 0
    while (
        layouts_before[components, extra_mines] == 0.0 or not 0 <= mines_left - extra_mines <= loose
    ):
        extra_mines += 1
    box_mines[box_mines.size - 1] = mines_left - extra_mines
    for component in range(components - 1, -1, -1):
        layouts = buffers.states[records[component, 2], AT]
        component_mines = 0
        while (
            buffers.counts[layouts + component_mines] == 0.0
            or layouts_before[component, extra_mines - component_mines] == 0.0
        ):
            component_mines += 1
        extra_mines -= component_mines
        last_step = records[component + 1, 0]
        _choose_mines(buffers, records[component], last_step, component_mines, box_mines)


@compile_without_references
def _choose_mines(
    buffers: Buffers,
    component: Vector[np.int32],
    last_step: int,
    extra_mines: int,
    box_mines: Vector[np.int64],
) -> None:
    """Choose mines of a component's boxes in a layout, ``extra_mines`` more than the fewest."""
    states, edges, counts, steps = buffers.states, buffers.edges, buffers.counts, buffers.steps
    mines = states[component[2], FEWEST] + extra_mines
    state = component[1]
    for step in range(component[0], last_step):
        for edge in range(states[state, EDGE], states[state + 1, EDGE]):
            target = edges[edge, 0]
            mines_after = mines - edges[edge, 1]
            if _can_follow(states, counts, target, mines_after):
                box_mines[steps[step, 0]] = edges[edge, 1]
                mines = mines_after
                state = target
                break


@inline_kernel
def _can_follow(
    states: Matrix[np.int32], counts: Vector[np.float64], state: int, mines: int
) -> bool:
    """Return True if that many mines can follow this state."""
    at = states[state, REST_AT]
    if at < 0 or not states[state, REST_FEWEST] <= mines <= states[state, REST_MOST]:
        return False
    return bool(counts[at + mines - states[state, REST_FEWEST]] > 0.0)
