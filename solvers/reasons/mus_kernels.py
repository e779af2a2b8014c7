"""The compiled extraction of cores: clues that have no layout, or none with a box as supposed.

Clues are searched with `solvers.search.engine`, in one net where all are switched
off but those that are looked at.
"""

from typing import Final, NamedTuple

import numpy as np

from minefield.compiled import Vector, compiled, inlined, inner
from minefield.reduction.constraints import Index
from solvers.search.engine import (
    BUDGET,
    CONSISTENT,
    INCONSISTENT,
    SMALL,
    TRAIL,
    Net,
    Work,
    find_layout,
    go_back,
    look_at,
    narrow,
    suspect_none,
    undo,
)

#: Bounds of a clue that is switched off.
OFF: Final = 1 << 30
#: Of more clues that a layout misses, none is tried to be missed no longer.
_MANY: Final = 64
#: So many searches that give up may be made to shrink a core.
_PATIENCE: Final = 3
#: After so many rounds of growing, every round doubles the clues.
_ROUNDS: Final = 8
#: Clues looked at between two looks at the clock.
_SLICE: Final = 100_000

# Values of `Mus.role`.
_OUTSIDE: Final = 0
_INSIDE: Final = 1
_EXCLUDED: Final = 2


class Mus(NamedTuple):
    """What the extraction of a minimal core (MUS) goes by.

    ``low``, ``high``: what the clues ask for (in the net they are switched off);
    ``order``: clues looked at, ``role`` whether a clue is among them, or
    excluded; ``necessary`` whether one is known to be in every core. ``bad`` are
    the clues that the guess misses. The places of ``state`` are named below.
    """

    low: Vector[np.int32]
    high: Vector[np.int32]
    order: Vector[np.int32]
    role: Vector[np.int8]
    necessary: Vector[np.bool_]
    bad: Vector[np.int32]
    state: Vector[np.int64]


#: Places of `Mus.state`: how many clues are bad, how many are looked at, what is being done, with
#: which result; how many are not yet tried to do without, how many at once; how many are tested;
#: whether the core is minimal, how many clues are too many to find out, and whether other clues
#: than those at the start may be looked at; what all searches together may spend, as in a budget,
#: and how many gave up.
BAD: Final = 0
COUNT: Final = 1
PHASE: Final = 2
VERDICT: Final = 3
UNTRIED: Final = 4
CHUNK: Final = 5
TESTED: Final = 6
MINIMAL: Final = 7
ENOUGH: Final = 8
GROWS: Final = 9
ALLOWANCE: Final = 10
GIVEN_UP: Final = 11
PLACES: Final = 12

#: Values of ``state[PHASE]``.
GROW: Final = 0
SHRINK: Final = 1
TEST: Final = 2
OVER: Final = 3


@inlined
def _misses(work: Work, mus: Mus, clue: int) -> bool:
    return bool(work.sums[2, clue] < mus.low[clue] or work.sums[2, clue] > mus.high[clue])


@compiled
def note_missed(work: Work, mus: Mus) -> None:
    """Note the clues that the guess misses."""
    mus.state[BAD] = 0
    for clue in range(mus.low.size):
        if _misses(work, mus, clue):
            mus.bad[mus.state[BAD]] = clue
            mus.state[BAD] += 1


@inner
def _attempt(
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
    """Search a layout of ``order[:count]`` without the skipped places; `Verdict`.

    A layout that is found stands in the guess, the way to it on the trail:
    `_retract` it, or keep it.
    """
    suspect_none(work)
    for place in range(count):
        if skipped[0] <= place < skipped[1]:
            continue
        clue = mus.order[place]
        net.low[clue] = mus.low[clue]
        net.high[clue] = mus.high[clue]
        look_at(work, clue)
    allowed = min(budget * (SMALL + count), mus.state[ALLOWANCE])
    work.used[BUDGET] = allowed
    if box >= 0:
        narrow(net, work, box, least, most)
    verdict = find_layout(net, work)
    mus.state[ALLOWANCE] -= allowed - work.used[BUDGET]
    for place in range(count):
        clue = mus.order[place]
        net.low[clue] = -OFF
        net.high[clue] = OFF
    return verdict


@inlined
def _retract(net: Net, work: Work) -> None:
    """Go back to the guess before the layout just found."""
    rows = work.used[TRAIL]
    undo(net, work, 0)
    go_back(net, work, rows)


@compiled
def add(mus: Mus, count: int, clue: int) -> int:
    """Look at one more clue; how many there are then."""
    mus.order[count] = clue
    mus.role[clue] = _INSIDE
    return count + 1


@compiled
def forget(mus: Mus, first: int, count: int) -> None:
    """No clue in ``order[first:count]`` is looked at any longer."""
    for place in range(first, count):
        mus.role[mus.order[place]] = _OUTSIDE


@inner
def _add_missed(net: Net, work: Work, mus: Mus, count: int) -> int:
    """Add the clues outside that the layout just found misses; how many there are then."""
    for place in range(mus.state[BAD]):
        clue = mus.bad[place]
        if mus.role[clue] == _OUTSIDE and _misses(work, mus, clue):
            count = add(mus, count, clue)
    for row in range(work.used[TRAIL]):
        box = work.trail[row, 0]
        for place in range(net.box_start[box], net.box_start[box + 1]):
            clue = net.box_clues[place]
            if mus.role[clue] == _OUTSIDE and _misses(work, mus, clue):
                count = add(mus, count, clue)
    return count


@inlined
def _spread(net: Net, mus: Mus, first: int, count: int, wanted: int) -> int:
    """Add clues near ``order[first:count]``, up to as many as wanted; how many there are then."""
    place = first
    while place < count < wanted:
        clue = mus.order[place]
        place += 1
        for own in range(net.clue_start[clue], net.clue_start[clue + 1]):
            box = net.clue_boxes[own]
            for other in range(net.box_start[box], net.box_start[box + 1]):
                if mus.role[net.box_clues[other]] == _OUTSIDE:
                    count = add(mus, count, net.box_clues[other])
    return count


@inlined
def _more(net: Net, work: Work, mus: Mus, count: int, rounds: int) -> int:
    """Add the clues outside that the layout just found misses, after some rounds many at once."""
    more = _add_missed(net, work, mus, count)
    if more > count and rounds > _ROUNDS:
        more = _spread(net, mus, count, more, 2 * count)
    return more


@inner
def _grow(
    net: Net, work: Work, mus: Mus, count: int, box: int, least: int, most: int, budget: int
) -> tuple[int, int]:
    """Add clues to ``order[:count]`` until they have no layout, or one that misses no clue.

    Clues that are excluded may be missed. Returns the `Verdict` and how many there are then.
    """
    rounds = 0
    while True:
        verdict = _attempt(net, work, mus, (0, 0), count, box, least, most, budget)
        if verdict != CONSISTENT:
            return verdict, count
        rounds += 1
        more = _more(net, work, mus, count, rounds)
        if more == count:
            return CONSISTENT, count
        _retract(net, work)
        count = more


@compiled
def advance(
    net: Net, work: Work, mus: Mus, box: int, least: int, most: int, budget: int, allowance: int
) -> bool:
    """Go on looking for a core for a while; False when it is over.

    ``budget`` is for each search, and each clue; all tests together may spend ``allowance``.

    Phases: GROW clues until there is no layout; SHRINK, from the last clues to
    the first, in chunks that double and halve; TEST which of a minimal core are
    NECESSARY; OVER, with a `Verdict`.
    """
    state = mus.state
    spent = 0
    while spent < _SLICE and state[PHASE] != OVER:
        spent += state[COUNT] + 1
        if state[PHASE] == GROW:
            verdict = _attempt(net, work, mus, (0, 0), state[COUNT], box, least, most, budget)
            _grown(net, work, mus, verdict)
        elif state[PHASE] == SHRINK and state[UNTRIED] > 0:
            _shrink(net, work, mus, box, least, most, budget)
        elif state[PHASE] == SHRINK:
            # Of one or two clues it does not matter which are necessary.
            state[PHASE] = TEST if state[MINIMAL] and state[COUNT] > 2 and allowance else OVER
            state[ALLOWANCE] = allowance
        elif state[TESTED] < state[COUNT]:
            _test(net, work, mus, box, least, most, budget)
        else:
            state[PHASE] = OVER
    return bool(state[PHASE] != OVER)


@inlined
def _grown(net: Net, work: Work, mus: Mus, verdict: int) -> None:
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
            state[COUNT] = _more(net, work, mus, before, state[GROWS])
        _retract(net, work)
        if state[COUNT] > before:
            return
    state[PHASE] = OVER


@inlined
def _shrink(net: Net, work: Work, mus: Mus, box: int, least: int, most: int, budget: int) -> None:
    """Try to do without a chunk of clues."""
    state = mus.state
    last, count = state[UNTRIED], state[COUNT]
    chunk = min(state[CHUNK], last)
    first = last - chunk
    verdict = _attempt(net, work, mus, (first, last), count, box, least, most, budget)
    if verdict == INCONSISTENT:
        forget(mus, first, last)
        for place in range(last, count):
            mus.order[place - chunk] = mus.order[place]
        state[COUNT] = count - chunk
        state[UNTRIED] = first
        state[CHUNK] = 2 * chunk
        return
    if verdict == CONSISTENT:
        _retract(net, work)
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


@inlined
def _test(net: Net, work: Work, mus: Mus, box: int, least: int, most: int, budget: int) -> None:
    """Is the next clue of a core in every core: can all others hold without it?"""
    state = mus.state
    count, place = state[COUNT], state[TESTED]
    core = mus.order[:count].copy()
    mus.order[place] = core[count - 1]
    mus.role[core[place]] = _EXCLUDED
    verdict, more = _grow(net, work, mus, count - 1, box, least, most, budget)
    mus.necessary[place] = verdict == CONSISTENT
    if verdict == CONSISTENT:
        if mus.state[BAD] > 0:
            # Nearly a layout: the next searches start from there.
            undo(net, work, 0)
            note_missed(work, mus)
        else:
            _retract(net, work)
    forget(mus, count - 1, more)
    mus.order[:count] = core
    for clue in core:
        mus.role[clue] = _INSIDE
    state[TESTED] += 1


@compiled
def alone(net: Net, work: Work, mus: Mus, box: int, value: int) -> int:
    """A clue that forces a box by itself, or is impossible if there is no box; or -1."""
    if box < 0:
        for clue in range(mus.low.size):
            if mus.low[clue] > work.sums[1, clue] or mus.high[clue] < 0:
                return clue
        return -1
    for place in range(net.box_start[box], net.box_start[box + 1]):
        clue = net.box_clues[place]
        if mus.high[clue] == 0 if value == 0 else mus.low[clue] == work.sums[1, clue]:
            return int(clue)
    return -1


@compiled
def correction(
    net: Net,
    work: Work,
    mus: Mus,
    clues: Vector[np.int32],
    box: int,
    least: int,
    most: int,
    budget: int,
) -> tuple[int, Index]:
    """(`Verdict` of clues, those that a layout of them misses).

    It need not miss one less, unless there are many.
    """
    count = 0
    for clue in clues:
        count = add(mus, count, clue)
    verdict = _attempt(net, work, mus, (0, 0), count, box, least, most, budget)
    if verdict != CONSISTENT:
        forget(mus, 0, count)
        return verdict, mus.order[:0].copy()
    more = _add_missed(net, work, mus, count)
    _retract(net, work)
    missed = mus.order[count:more].copy()
    if missed.size > _MANY:
        forget(mus, 0, more)
        return CONSISTENT, missed
    mus.role[missed] = _EXCLUDED
    for clue in missed:
        # Can it be satisfied as well, with all that were so far?
        held = add(mus, count, clue)
        verdict, held = _grow(net, work, mus, held, box, least, most, budget)
        if verdict == CONSISTENT:
            count = held
            _retract(net, work)
        else:
            forget(mus, count, held)
            mus.role[clue] = _EXCLUDED
    left = missed[mus.role[missed] == _EXCLUDED].copy()
    mus.role[missed] = _OUTSIDE
    forget(mus, 0, count)
    return CONSISTENT, left
