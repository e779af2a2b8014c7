"""The compiled hunt for cores: clues that have no layout, or none with a box as supposed.

Clues are searched with `solvers.search.engine`, in one net where all are switched
off but those that are looked at.
"""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from minefield.compiled import compiled
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
_SPELL: Final = 100_000

# Values of `Hunt.role`.
_OUTSIDE: Final = 0
_INSIDE: Final = 1
_EXCLUDED: Final = 2


class Hunt(NamedTuple):
    """What a search for cores goes by.

    ``low``, ``high``: what the clues ask for (in the net they are switched off);
    ``order``: clues looked at, ``role`` whether a clue is among them, or
    excluded; ``necessary`` whether one is known to be in every core. ``bad`` are
    the clues that the guess misses. The places of ``state`` are named below.
    """

    low: Index
    high: Index
    order: Index
    role: NDArray[np.int8]
    necessary: NDArray[np.bool_]
    bad: Index
    state: NDArray[np.int64]


#: Places of `Hunt.state`: how many clues are bad, how many are looked at, what is being done, with
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
PURSE: Final = 10
GIVEN_UP: Final = 11
PLACES: Final = 12

#: Values of ``state[PHASE]``.
GROW: Final = 0
SHRINK: Final = 1
TEST: Final = 2
OVER: Final = 3


@compiled
def _misses(work: Work, hunt: Hunt, clue: int) -> bool:
    return bool(work.sums[2, clue] < hunt.low[clue] or work.sums[2, clue] > hunt.high[clue])


@compiled
def note_missed(work: Work, hunt: Hunt) -> None:
    """Note the clues that the guess misses."""
    hunt.state[BAD] = 0
    for clue in range(hunt.low.size):
        if _misses(work, hunt, clue):
            hunt.bad[hunt.state[BAD]] = clue
            hunt.state[BAD] += 1


@compiled
def _attempt(
    net: Net,
    work: Work,
    hunt: Hunt,
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
        clue = hunt.order[place]
        net.low[clue] = hunt.low[clue]
        net.high[clue] = hunt.high[clue]
        look_at(work, clue)
    allowed = min(budget * (SMALL + count), hunt.state[PURSE])
    work.used[BUDGET] = allowed
    if box >= 0:
        narrow(net, work, box, least, most)
    verdict = find_layout(net, work)
    hunt.state[PURSE] -= allowed - work.used[BUDGET]
    for place in range(count):
        clue = hunt.order[place]
        net.low[clue] = -OFF
        net.high[clue] = OFF
    return verdict


@compiled
def _retract(net: Net, work: Work) -> None:
    """Go back to the guess before the layout just found."""
    rows = work.used[TRAIL]
    undo(net, work, 0)
    go_back(net, work, rows)


@compiled
def add(hunt: Hunt, count: int, clue: int) -> int:
    """Look at one more clue; how many there are then."""
    hunt.order[count] = clue
    hunt.role[clue] = _INSIDE
    return count + 1


@compiled
def forget(hunt: Hunt, first: int, count: int) -> None:
    """No clue in ``order[first:count]`` is looked at any longer."""
    for place in range(first, count):
        hunt.role[hunt.order[place]] = _OUTSIDE


@compiled
def _add_missed(net: Net, work: Work, hunt: Hunt, count: int) -> int:
    """Add the clues outside that the layout just found misses; how many there are then."""
    for place in range(hunt.state[BAD]):
        clue = hunt.bad[place]
        if hunt.role[clue] == _OUTSIDE and _misses(work, hunt, clue):
            count = add(hunt, count, clue)
    for row in range(work.used[TRAIL]):
        box = work.trail[row, 0]
        for place in range(net.box_start[box], net.box_start[box + 1]):
            clue = net.box_clues[place]
            if hunt.role[clue] == _OUTSIDE and _misses(work, hunt, clue):
                count = add(hunt, count, clue)
    return count


@compiled
def _spread(net: Net, hunt: Hunt, first: int, count: int, wanted: int) -> int:
    """Add clues near ``order[first:count]``, up to as many as wanted; how many there are then."""
    place = first
    while place < count < wanted:
        clue = hunt.order[place]
        place += 1
        for own in range(net.clue_start[clue], net.clue_start[clue + 1]):
            box = net.clue_boxes[own]
            for other in range(net.box_start[box], net.box_start[box + 1]):
                if hunt.role[net.box_clues[other]] == _OUTSIDE:
                    count = add(hunt, count, net.box_clues[other])
    return count


@compiled
def _more(net: Net, work: Work, hunt: Hunt, count: int, rounds: int) -> int:
    """Add the clues outside that the layout just found misses, after some rounds many at once."""
    more = _add_missed(net, work, hunt, count)
    if more > count and rounds > _ROUNDS:
        more = _spread(net, hunt, count, more, 2 * count)
    return more


@compiled
def _grow(
    net: Net, work: Work, hunt: Hunt, count: int, box: int, least: int, most: int, budget: int
) -> tuple[int, int]:
    """Add clues to ``order[:count]`` until they have no layout, or one that misses no clue.

    Clues that are excluded may be missed. Returns the `Verdict` and how many there are then.
    """
    rounds = 0
    while True:
        verdict = _attempt(net, work, hunt, (0, 0), count, box, least, most, budget)
        if verdict != CONSISTENT:
            return verdict, count
        rounds += 1
        more = _more(net, work, hunt, count, rounds)
        if more == count:
            return CONSISTENT, count
        _retract(net, work)
        count = more


@compiled
def advance(
    net: Net, work: Work, hunt: Hunt, box: int, least: int, most: int, budget: int, purse: int
) -> bool:
    """Go on with the hunt for a core for a while; False when it is over.

    ``budget`` is for each search, and each clue; all tests together may spend ``purse``.

    Phases: GROW clues until there is no layout; SHRINK, from the last clues to
    the first, in chunks that double and halve; TEST which of a minimal core are
    NECESSARY; OVER, with a `Verdict`.
    """
    state = hunt.state
    spent = 0
    while spent < _SPELL and state[PHASE] != OVER:
        spent += state[COUNT] + 1
        if state[PHASE] == GROW:
            verdict = _attempt(net, work, hunt, (0, 0), state[COUNT], box, least, most, budget)
            _grown(net, work, hunt, verdict)
        elif state[PHASE] == SHRINK and state[UNTRIED] > 0:
            _shrink(net, work, hunt, box, least, most, budget)
        elif state[PHASE] == SHRINK:
            # Of one or two clues it does not matter which are necessary.
            state[PHASE] = TEST if state[MINIMAL] and state[COUNT] > 2 and purse else OVER
            state[PURSE] = purse
        elif state[TESTED] < state[COUNT]:
            _test(net, work, hunt, box, least, most, budget)
        else:
            state[PHASE] = OVER
    return bool(state[PHASE] != OVER)


@compiled
def _grown(net: Net, work: Work, hunt: Hunt, verdict: int) -> None:
    """Take in what the clues so far have given: no layout, or one that misses others."""
    state = hunt.state
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
            state[COUNT] = _more(net, work, hunt, before, state[GROWS])
        _retract(net, work)
        if state[COUNT] > before:
            return
    state[PHASE] = OVER


@compiled
def _shrink(net: Net, work: Work, hunt: Hunt, box: int, least: int, most: int, budget: int) -> None:
    """Try to do without a chunk of clues."""
    state = hunt.state
    last, count = state[UNTRIED], state[COUNT]
    chunk = min(state[CHUNK], last)
    first = last - chunk
    verdict = _attempt(net, work, hunt, (first, last), count, box, least, most, budget)
    if verdict == INCONSISTENT:
        forget(hunt, first, last)
        for place in range(last, count):
            hunt.order[place - chunk] = hunt.order[place]
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


@compiled
def _test(net: Net, work: Work, hunt: Hunt, box: int, least: int, most: int, budget: int) -> None:
    """Is the next clue of a core in every core: can all others hold without it?"""
    state = hunt.state
    count, place = state[COUNT], state[TESTED]
    core = hunt.order[:count].copy()
    hunt.order[place] = core[count - 1]
    hunt.role[core[place]] = _EXCLUDED
    verdict, more = _grow(net, work, hunt, count - 1, box, least, most, budget)
    hunt.necessary[place] = verdict == CONSISTENT
    if verdict == CONSISTENT:
        if hunt.state[BAD] > 0:
            # Nearly a layout: the next searches start from there.
            undo(net, work, 0)
            note_missed(work, hunt)
        else:
            _retract(net, work)
    forget(hunt, count - 1, more)
    hunt.order[:count] = core
    for clue in core:
        hunt.role[clue] = _INSIDE
    state[TESTED] += 1


@compiled
def alone(net: Net, work: Work, hunt: Hunt, box: int, value: int) -> int:
    """A clue that forces a box by itself, or is impossible if there is no box; or -1."""
    if box < 0:
        for clue in range(hunt.low.size):
            if hunt.low[clue] > work.sums[1, clue] or hunt.high[clue] < 0:
                return clue
        return -1
    for place in range(net.box_start[box], net.box_start[box + 1]):
        clue = net.box_clues[place]
        if hunt.high[clue] == 0 if value == 0 else hunt.low[clue] == work.sums[1, clue]:
            return int(clue)
    return -1


@compiled
def correction(
    net: Net, work: Work, hunt: Hunt, clues: Index, box: int, least: int, most: int, budget: int
) -> tuple[int, Index]:
    """(`Verdict` of clues, those that a layout of them misses).

    It need not miss one less, unless there are many.
    """
    count = 0
    for clue in clues:
        count = add(hunt, count, clue)
    verdict = _attempt(net, work, hunt, (0, 0), count, box, least, most, budget)
    if verdict != CONSISTENT:
        forget(hunt, 0, count)
        return verdict, hunt.order[:0].copy()
    more = _add_missed(net, work, hunt, count)
    _retract(net, work)
    missed = hunt.order[count:more].copy()
    if missed.size > _MANY:
        forget(hunt, 0, more)
        return CONSISTENT, missed
    hunt.role[missed] = _EXCLUDED
    for clue in missed:
        # Can it be satisfied as well, with all that were so far?
        held = add(hunt, count, clue)
        verdict, held = _grow(net, work, hunt, held, box, least, most, budget)
        if verdict == CONSISTENT:
            count = held
            _retract(net, work)
        else:
            forget(hunt, count, held)
            hunt.role[clue] = _EXCLUDED
    left = missed[hunt.role[missed] == _EXCLUDED].copy()
    hunt.role[missed] = _OUTSIDE
    forget(hunt, 0, count)
    return CONSISTENT, left
