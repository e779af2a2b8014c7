"""The compiled extraction of cores: clues that have no layout, or none with a box as supposed.

Clues are searched with `solvers.search.engine`, in one net where all are switched
off but those that are looked at.

Tested in tests/solvers/reasons/test_mus.py.
"""

from typing import Final, NamedTuple

import numpy as np

from minecheck.minefield.compiled import Vector, compile_inner, compile_kernel, inline_kernel
from minecheck.minefield.reduction.constraints import Index
from minecheck.solvers.search.engine import (
    BUDGET,
    CONSISTENT,
    INCONSISTENT,
    SMALL,
    TRAIL,
    Net,
    Work,
    clear_suspects,
    find_layout,
    go_back,
    look_at,
    narrow_box,
    undo_changes,
)

#: Bounds of a clue that is switched off.
OFF: Final = 1 << 30
#: Beyond this many missed clues, none is examined further: such a layout is far from one of all.
MOST_MISSED: Final = 64
#: The number of failed searches that shrinking a core may take.
_PATIENCE: Final = 3
#: After this many rounds of growing, every round doubles the clues.
_ROUNDS: Final = 8
#: Clues looked at between two looks at the clock.
_SLICE: Final = 100_000

# Values of `Mus.role`.
_OUTSIDE: Final = 0
_INSIDE: Final = 1
_EXCLUDED: Final = 2


class Mus(NamedTuple):
    """The state of the extraction of a minimal core (MUS).

    ``low``, ``high``: the bounds of the clues (in the net they are switched off);
    ``order``: clues looked at, ``role`` whether a clue is among them, or
    excluded; ``necessary`` whether one is known to be in every core. ``bad`` are
    the clues that the guess misses. ``state`` has `STATE_SIZE` entries, which are named below.

    No clue is twice in ``order``, as ``role`` tells which are there: so each of the arrays has an
    entry for each clue, and none is ever full. Between two calls all clues are switched off in the
    net, and the guess is what `_retract_layout` left.
    """

    low: Vector[np.int32]
    high: Vector[np.int32]
    order: Vector[np.int32]
    role: Vector[np.int8]
    necessary: Vector[np.bool_]
    bad: Vector[np.int32]
    state: Vector[np.int64]


# Indices into `Mus.state`.
#: How many clues are bad: ``bad[:state[BAD]]``.
BAD: Final = 0
#: How many clues are looked at: ``order[:state[COUNT]]``.
COUNT: Final = 1
#: What is being done: `GROW`, `SHRINK`, `TEST` or `OVER`.
PHASE: Final = 2
#: The `Verdict` of the clues that are looked at.
VERDICT: Final = 3
#: While shrinking: ``order[:state[UNTRIED]]`` are the clues not yet tried to do without.
UNTRIED: Final = 4
#: While shrinking: how many clues are tried to do without at once.
CHUNK: Final = 5
#: While testing: ``order[:state[TESTED]]`` are known to be necessary or not.
TESTED: Final = 6
#: Whether the core is minimal, 0 or 1: 1 until a search gives up, or there are too many clues.
MINIMAL: Final = 7
#: Beyond this many necessary clues, the minimality of the core is not decided.
ENOUGH: Final = 8
#: 0 if only the clues at the start may be looked at, else 1 and how often there were more.
GROWS: Final = 9
#: The budget that is left for all searches together.
ALLOWANCE: Final = 10
#: The number of searches that gave up.
GIVEN_UP: Final = 11
STATE_SIZE: Final = 12

#: Values of ``state[PHASE]``.
GROW: Final = 0
SHRINK: Final = 1
TEST: Final = 2
OVER: Final = 3


@inline_kernel
def _is_missed(work: Work, mus: Mus, clue: int) -> bool:
    """Return True if the guess does not satisfy a clue."""
    return bool(work.sums[2, clue] < mus.low[clue] or work.sums[2, clue] > mus.high[clue])


@compile_kernel
def note_missed(work: Work, mus: Mus) -> None:
    """Note the clues that the guess misses.

    Args:
        work: the state of the search.
        mus: the clues; its list ``bad`` is replaced.
    """
    mus.state[BAD] = 0
    for clue in range(mus.low.size):
        if _is_missed(work, mus, clue):
            mus.bad[mus.state[BAD]] = clue
            mus.state[BAD] += 1


@compile_inner
def _attempt_layout(
    net: Net,
    work: Work,
    mus: Mus,
    skipped: tuple[int, int],
    count: int,
    box: int,
    least: int,
    most: int,
    budget: int,
) -> int:
    """Search a layout of ``order[:count]`` without the skipped indices; return a `Verdict`.

    A layout that is found stands in the guess, the way to it on the trail: `_retract_layout` it, or
    keep it.
    """
    clear_suspects(work)
    for index in range(count):
        if skipped[0] <= index < skipped[1]:
            continue
        clue = mus.order[index]
        net.low[clue] = mus.low[clue]
        net.high[clue] = mus.high[clue]
        look_at(work, clue)
    allowed = min(budget * (SMALL + count), mus.state[ALLOWANCE])
    work.used[BUDGET] = allowed
    if box >= 0:
        narrow_box(net, work, box, least, most)
    verdict = find_layout(net, work)
    mus.state[ALLOWANCE] -= allowed - work.used[BUDGET]
    for index in range(count):
        clue = mus.order[index]
        net.low[clue] = -OFF
        net.high[clue] = OFF
    return verdict


@inline_kernel
def _retract_layout(net: Net, work: Work) -> None:
    """Go back to the guess before the layout just found."""
    rows = work.used[TRAIL]
    undo_changes(net, work, 0)
    go_back(net, work, rows)


@compile_kernel
def add_clue(mus: Mus, count: int, clue: int) -> int:
    """Take one more clue into the search.

    Args:
        mus: the clues.
        count: how many are searched already; the new one goes to ``order[count]``.
        clue: its number.

    Returns:
        How many clues are searched then.
    """
    mus.order[count] = clue
    mus.role[clue] = _INSIDE
    return count + 1


@compile_kernel
def forget_clues(mus: Mus, first: int, count: int) -> None:
    """Take the clues in ``order[first:count]`` out of the search.

    Args:
        mus: the clues.
        first: the index of the first of them.
        count: how many clues are searched.
    """
    for index in range(first, count):
        mus.role[mus.order[index]] = _OUTSIDE


@inline_kernel
def _add_missed(net: Net, work: Work, mus: Mus, count: int) -> int:
    """Add the clues outside that the layout just found misses; return how many there are then.

    A clue is added once, as its role changes, so that ``order`` has an entry for each.
    """
    for index in range(mus.state[BAD]):
        clue = mus.bad[index]
        if mus.role[clue] == _OUTSIDE and _is_missed(work, mus, clue):
            count = add_clue(mus, count, clue)
    for row in range(work.used[TRAIL]):
        box = work.trail[row, 0]
        for index in range(net.box_start[box], net.box_start[box + 1]):
            clue = net.box_clues[index]
            if mus.role[clue] == _OUTSIDE and _is_missed(work, mus, clue):
                count = add_clue(mus, count, clue)
    return count


@inline_kernel
def _add_near_clues(net: Net, mus: Mus, first: int, count: int, most: int) -> int:
    """Add clues near ``order[first:count]``, about ``most`` in all; return how many there are."""
    index = first
    while index < count < most:
        clue = mus.order[index]
        index += 1
        for own in range(net.clue_start[clue], net.clue_start[clue + 1]):
            box = net.clue_boxes[own]
            for other in range(net.box_start[box], net.box_start[box + 1]):
                if mus.role[net.box_clues[other]] == _OUTSIDE:
                    count = add_clue(mus, count, net.box_clues[other])
    return count


@inline_kernel
def _add_missed_clues(net: Net, work: Work, mus: Mus, count: int, rounds: int) -> int:
    """Add the clues outside that the layout just found misses, after some rounds many at once.

    Returns how many there are then.
    """
    more = _add_missed(net, work, mus, count)
    if more > count and rounds > _ROUNDS:
        more = _add_near_clues(net, mus, count, more, 2 * count)
    return more


@compile_inner
def _grow_clues(
    net: Net, work: Work, mus: Mus, count: int, box: int, least: int, most: int, budget: int
) -> tuple[int, int]:
    """Add clues to ``order[:count]`` until they have no layout, or one that misses no clue.

    Clues that are excluded may be missed. Returns the `Verdict` and how many there are then.
    """
    rounds = 0
    while True:
        verdict = _attempt_layout(net, work, mus, (0, 0), count, box, least, most, budget)
        if verdict != CONSISTENT:
            return verdict, count
        rounds += 1
        more = _add_missed_clues(net, work, mus, count, rounds)
        if more == count:
            return CONSISTENT, count
        _retract_layout(net, work)
        count = more


@compile_kernel
def continue_search(
    net: Net, work: Work, mus: Mus, box: int, least: int, most: int, budget: int, allowance: int
) -> bool:
    """Go on looking for a core for a while; False when it is over.

    Phases: GROW clues until there is no layout; SHRINK, from the last clues to the first, in chunks
    that double and halve; TEST which of a minimal core are NECESSARY; OVER, with a `Verdict`.

    Args:
        net: the boxes and clues.
        work: the state of the search.
        mus: the clues, and how far the search for a core is.
        box: the box that is supposed to be otherwise, -1 for none.
        least: the fewest mines that it is supposed to hold.
        most: the most mines.
        budget: the budget of each search, for each clue.
        allowance: what all tests together may spend.
    """
    state = mus.state
    spent = 0
    while spent < _SLICE and state[PHASE] != OVER:
        spent += state[COUNT] + 1
        if state[PHASE] == GROW:
            verdict = _attempt_layout(
                net, work, mus, (0, 0), state[COUNT], box, least, most, budget
            )
            _take_verdict(net, work, mus, verdict)
        elif state[PHASE] == SHRINK and state[UNTRIED] > 0:
            _drop_chunk(net, work, mus, box, least, most, budget)
        elif state[PHASE] == SHRINK:
            # Cores of one or two clues need no test.
            state[PHASE] = TEST if state[MINIMAL] and state[COUNT] > 2 and allowance else OVER
            state[ALLOWANCE] = allowance
        elif state[TESTED] < state[COUNT]:
            _test_clue(net, work, mus, box, least, most, budget)
        else:
            state[PHASE] = OVER
    return bool(state[PHASE] != OVER)


@inline_kernel
def _take_verdict(net: Net, work: Work, mus: Mus, verdict: int) -> None:
    """Take in what the clues so far have given: no layout, or one that misses others."""
    state = mus.state
    state[VERDICT] = verdict
    if verdict == INCONSISTENT:
        state[PHASE] = SHRINK
        state[UNTRIED] = state[COUNT]
        state[CHUNK] = max(1, state[COUNT] // 8)
        return
    if verdict == CONSISTENT:
        before = state[COUNT]
        if state[GROWS]:
            state[GROWS] += 1
            state[COUNT] = _add_missed_clues(net, work, mus, before, state[GROWS])
        _retract_layout(net, work)
        if state[COUNT] > before:
            return
    state[PHASE] = OVER


@inline_kernel
def _drop_chunk(
    net: Net, work: Work, mus: Mus, box: int, least: int, most: int, budget: int
) -> None:
    """Try to do without a chunk of clues."""
    state = mus.state
    last, count = state[UNTRIED], state[COUNT]
    chunk = min(state[CHUNK], last)
    first = last - chunk
    verdict = _attempt_layout(net, work, mus, (first, last), count, box, least, most, budget)
    if verdict == INCONSISTENT:
        forget_clues(mus, first, last)
        for index in range(last, count):
            mus.order[index - chunk] = mus.order[index]
        state[COUNT] = count - chunk
        state[UNTRIED] = first
        state[CHUNK] = 2 * chunk
        return
    if verdict == CONSISTENT:
        _retract_layout(net, work)
    else:
        state[GIVEN_UP] += 1
        if state[GIVEN_UP] > _PATIENCE:
            state[MINIMAL] = 0
            state[UNTRIED] = 0
            return
    if chunk == 1:
        state[UNTRIED] = first
        state[MINIMAL] &= verdict == CONSISTENT
        if count - first > state[ENOUGH]:
            state[MINIMAL] = 0
            state[UNTRIED] = 0
    state[CHUNK] = max(1, chunk // 2)


@inline_kernel
def _test_clue(
    net: Net, work: Work, mus: Mus, box: int, least: int, most: int, budget: int
) -> None:
    """Test whether the next clue of a core is in every core: whether all others can hold."""
    state = mus.state
    count, tested = state[COUNT], state[TESTED]
    core = mus.order[:count].copy()
    mus.order[tested] = core[count - 1]
    mus.role[core[tested]] = _EXCLUDED
    verdict, more = _grow_clues(net, work, mus, count - 1, box, least, most, budget)
    mus.necessary[tested] = verdict == CONSISTENT
    if verdict == CONSISTENT:
        if mus.state[BAD] > 0:
            # Nearly a layout: the next searches start from there.
            undo_changes(net, work, 0)
            note_missed(work, mus)
        else:
            _retract_layout(net, work)
    forget_clues(mus, count - 1, more)
    mus.order[:count] = core
    for clue in core:
        mus.role[clue] = _INSIDE
    state[TESTED] += 1


@compile_kernel
def find_forcing_clue(net: Net, work: Work, mus: Mus, box: int, value: int) -> int:
    """Return a clue that forces a box alone, or is impossible if there is no box; or -1.

    Args:
        net: the boxes and clues.
        work: the state of the search.
        mus: the clues.
        box: the number of the box, -1 for none.
        value: 1 if the box is to be all mines, 0 if all safe.
    """
    if box < 0:
        for clue in range(mus.low.size):
            if mus.low[clue] > work.sums[1, clue] or mus.high[clue] < 0:
                return clue
        return -1
    for index in range(net.box_start[box], net.box_start[box + 1]):
        clue = net.box_clues[index]
        if mus.high[clue] == 0 if value == 0 else mus.low[clue] == work.sums[1, clue]:
            return int(clue)
    return -1


@compile_kernel
def find_correction(
    net: Net,
    work: Work,
    mus: Mus,
    clues: Vector[np.int32],
    box: int,
    least: int,
    most: int,
    budget: int,
) -> tuple[int, Index]:
    """Return a `Verdict` of clues, and the clues that a layout of them misses.

    It need not miss one less, unless there are many.

    Args:
        net: the boxes and clues.
        work: the state of the search.
        mus: the clues.
        clues: numbers of the clues that the layout satisfies.
        box: the box that is supposed to be otherwise, -1 for none.
        least: the fewest mines that it is supposed to hold.
        most: the most mines.
        budget: the budget of each search, for each clue.
    """
    count = 0
    for clue in clues:
        count = add_clue(mus, count, clue)
    verdict = _attempt_layout(net, work, mus, (0, 0), count, box, least, most, budget)
    if verdict != CONSISTENT:
        forget_clues(mus, 0, count)
        return verdict, mus.order[:0].copy()
    more = _add_missed(net, work, mus, count)
    _retract_layout(net, work)
    missed = mus.order[count:more].copy()
    if missed.size > MOST_MISSED:
        forget_clues(mus, 0, more)
        return CONSISTENT, missed
    mus.role[missed] = _EXCLUDED
    for clue in missed:
        # Can it be satisfied as well, with all that were so far?
        held = add_clue(mus, count, clue)
        verdict, held = _grow_clues(net, work, mus, held, box, least, most, budget)
        if verdict == CONSISTENT:
            count = held
            _retract_layout(net, work)
        else:
            forget_clues(mus, count, held)
            mus.role[clue] = _EXCLUDED
    left = missed[mus.role[missed] == _EXCLUDED].copy()
    mus.role[missed] = _OUTSIDE
    forget_clues(mus, 0, count)
    return CONSISTENT, left
