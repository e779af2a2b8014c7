"""Depth-first search over boxes with bounds propagation, started from a guess.

Each box has an interval of mines it may hold, each clue sums intervals. A
guess holds one number of mines a box, clamped into its interval; a clue is
suspect when the clamped guess does not satisfy it. Only suspect clues are
branched on, towards satisfying them, so a search that starts from a layout
and asks for one cell to change touches the neighbourhood of that cell only:
this is what makes proving forced cells cheap. The search is complete; it
gives up when its budget, in boxes looked at, is spent, and says so.
"""

from enum import IntEnum
from itertools import pairwise
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from minefield.compiled import compiled
from minefield.constraints import Index
from solvers.boxes import BoxProblem
from solvers.deadline import Deadline


class Verdict(IntEnum):
    """What a search found about a component."""

    GAVE_UP = -1
    INCONSISTENT = 0
    CONSISTENT = 1


_GAVE_UP: Final = -1
_INCONSISTENT: Final = 0
_CONSISTENT: Final = 1


#: Every component may spend as much as if it had so many more clues or boxes.
_SMALL: Final = 10
#: More mines than a board can have.
_ANY_MINES: Final = 2**40
#: Boxes of the components searched between two looks at the deadline.
_CHUNK: Final = 5000


def witness(problem: BoxProblem, budget: int, deadline: Deadline) -> tuple[NDArray[np.int8], Index]:
    """A `Verdict` for each component, and mines of each box in the layout found.

    ``budget`` bounds the work on each component, in boxes looked at for each
    of its clues. Raises `DeadlinePassed`.
    """
    net = _net(problem)
    mines = np.zeros(problem.size.size, dtype=np.int32)
    work = _work(net, mines)
    verdicts = np.full(problem.components, _GAVE_UP, dtype=np.int8)
    for first, last in _chunks(problem):
        deadline.check()
        _witness(net, work, problem.component_clues[first : last + 1], verdicts[first:last], budget)
    return verdicts, mines


def forced(
    problem: BoxProblem, mines: Index, budget: int, deadline: Deadline
) -> tuple[NDArray[np.int8], NDArray[np.bool_]]:
    """Boxes that are all mines or all safe in every layout, from one layout ``mines``.

    Returns the boxes' values (1 mines, 0 safe, -1 neither or not known) and,
    for each component, whether its values are all known. What is reported is
    proved either way. ``budget`` is in boxes looked at for each box of a
    component; past the deadline the components still to come stay unknown.
    """
    return forced_within(problem, mines, None, budget, deadline)[:2]


def forced_within(
    problem: BoxProblem, mines: Index, allowed: range | None, budget: int, deadline: Deadline
) -> tuple[NDArray[np.int8], NDArray[np.bool_], range]:
    """As `forced`, counting only layouts whose mines in all boxes together are ``allowed``.

    None allows any number. ``mines`` must be such a layout. A box that could be
    otherwise only with a number of mines that is not allowed is left unknown and
    its component incomplete. The third value spans the numbers that were seen.
    """
    net = _net(problem)
    work = _work(net, mines.copy())
    values = np.full(problem.size.size, -1, dtype=np.int8)
    complete = np.zeros(problem.components, dtype=np.bool_)
    allowed = range(_ANY_MINES) if allowed is None else allowed
    held = int(mines.sum(dtype=np.int64))
    totals = np.array([held, allowed.start, allowed.stop - 1, held, held], dtype=np.int64)
    for first, last in _chunks(problem):
        if deadline.left <= 0:
            break
        boxes = problem.component_boxes[first : last + 1]
        _forced(net, work, boxes, values, complete[first:last], totals, budget)
    return values, complete, range(int(totals[_FEWEST]), int(totals[_MOST]) + 1)


def _chunks(problem: BoxProblem) -> list[tuple[int, int]]:
    """Ranges of components, of about `_CHUNK` boxes each."""
    part = problem.component_boxes // _CHUNK
    starts = np.flatnonzero(np.diff(part, prepend=-1)[: problem.components]).tolist()
    return list(pairwise([*starts, problem.components]))


class _Net(NamedTuple):
    """The problem: which boxes each clue sums and which clues each box is in."""

    size: Index
    clue_start: Index
    clue_boxes: Index
    low: Index
    high: Index
    box_start: Index
    box_clues: Index


class _Work(NamedTuple):
    """What a search changes.

    ``bounds`` rows: least and most mines of each box; ``guess``: one number a
    box; ``sums`` rows: least, most and clamped guess of each clue. ``queue``
    and ``flags`` rows: clues to propagate, suspect clues; ``used`` holds the
    lengths of the two queues, the length of the trail, and the budget left.
    ``trail`` rows: box, least and most before a change; the guess before
    the last layout was found.
    """

    bounds: Index
    guess: Index
    sums: Index
    queue: Index
    flags: NDArray[np.bool_]
    used: NDArray[np.int64]
    trail: Index


# Places in the totals of `_forced`: mines of the guess, least and most that are allowed, fewest
# and most that were seen.
_HELD: Final = 0
_LEAST_ALLOWED: Final = 1
_MOST_ALLOWED: Final = 2
_FEWEST: Final = 3
_MOST: Final = 4

# Places in `_Work.used`; the first two are rows of its queues as well.
_PROPAGATE: Final = 0
_SUSPECT: Final = 1
_TRAIL: Final = 2
_BUDGET: Final = 3


def _net(problem: BoxProblem) -> _Net:
    return _Net(
        problem.size,
        problem.clue_start,
        problem.clue_boxes,
        problem.low,
        problem.high,
        *problem.clues_of_box,
    )


@compiled
def _work(net: _Net, guess: Index) -> _Work:
    """All boxes open, no clue queued."""
    clues = net.low.size
    bounds = np.zeros((2, net.size.size), np.int32)
    bounds[1] = net.size
    sums = np.zeros((3, clues), np.int32)
    for clue in range(clues):
        for place in range(net.clue_start[clue], net.clue_start[clue + 1]):
            sums[1, clue] += net.size[net.clue_boxes[place]]
            sums[2, clue] += guess[net.clue_boxes[place]]
    return _Work(
        bounds,
        guess,
        sums,
        np.empty((2, clues), np.int32),
        np.zeros((2, clues), np.bool_),
        np.zeros(4, np.int64),
        np.empty((net.size.sum() + 1, 4), np.int32),
    )


@compiled
def _queue(work: _Work, kind: int, clue: int) -> None:
    if not work.flags[kind, clue]:
        work.flags[kind, clue] = True
        work.queue[kind, work.used[kind]] = clue
        work.used[kind] += 1


@compiled
def _pop(work: _Work, kind: int) -> int:
    work.used[kind] -= 1
    clue = work.queue[kind, work.used[kind]]
    work.flags[kind, clue] = False
    return int(clue)


@compiled
def _value(work: _Work, box: int) -> int:
    """The guess for a box, clamped into its interval."""
    return int(min(max(work.guess[box], work.bounds[0, box]), work.bounds[1, box]))


@compiled
def _set(net: _Net, work: _Work, box: int, least: int, most: int) -> None:
    """Give a box an interval and queue its clues."""
    before = _value(work, box)
    down = least - work.bounds[0, box]
    up = most - work.bounds[1, box]
    work.bounds[0, box] = least
    work.bounds[1, box] = most
    moved = _value(work, box) - before
    for place in range(net.box_start[box], net.box_start[box + 1]):
        clue = net.box_clues[place]
        work.sums[0, clue] += down
        work.sums[1, clue] += up
        work.sums[2, clue] += moved
        _queue(work, _PROPAGATE, clue)
        _queue(work, _SUSPECT, clue)


@compiled
def _narrow(net: _Net, work: _Work, box: int, least: int, most: int) -> None:
    """`_set`, remembered on the trail."""
    row = work.trail[work.used[_TRAIL]]
    row[0] = box
    row[1] = work.bounds[0, box]
    row[2] = work.bounds[1, box]
    work.used[_TRAIL] += 1
    _set(net, work, box, least, most)


@compiled
def _undo(net: _Net, work: _Work, mark: int) -> None:
    """Take back all changes after the trail had ``mark`` rows."""
    while work.used[_TRAIL] > mark:
        work.used[_TRAIL] -= 1
        row = work.trail[work.used[_TRAIL]]
        _set(net, work, row[0], row[1], row[2])
    while work.used[_PROPAGATE] > 0:
        _pop(work, _PROPAGATE)


@compiled
def _settle(net: _Net, work: _Work) -> bool:
    """Propagate the queued clues until nothing changes; False on a contradiction."""
    while work.used[_PROPAGATE] > 0:
        clue = _pop(work, _PROPAGATE)
        work.used[_BUDGET] -= net.clue_start[clue + 1] - net.clue_start[clue]
        room = net.high[clue] - work.sums[0, clue]
        spare = work.sums[1, clue] - net.low[clue]
        if room < 0 or spare < 0:
            return False
        for place in range(net.clue_start[clue], net.clue_start[clue + 1]):
            box = net.clue_boxes[place]
            least = work.bounds[0, box]
            most = work.bounds[1, box]
            if most - least > room or most - least > spare:
                _narrow(net, work, box, max(least, most - spare), min(most, least + room))
    return True


@compiled
def _violated(net: _Net, work: _Work) -> int:
    """A clue that the clamped guess does not satisfy (left suspect), or -1."""
    while work.used[_SUSPECT] > 0:
        clue = _pop(work, _SUSPECT)
        if work.sums[2, clue] < net.low[clue] or work.sums[2, clue] > net.high[clue]:
            _queue(work, _SUSPECT, clue)
            return int(clue)
    return -1


@compiled
def _complete(net: _Net, work: _Work) -> int:
    """Find a layout within the bounds as they are; `Verdict`.

    On success the guess is the layout and the trail is left as it is, with
    the guess before in its last column. Otherwise the whole trail is undone.
    """
    depth = 0
    marks = [np.int64(0)]
    others = [(0, 0, 0)]
    while True:
        if not _settle(net, work):
            if depth == 0:
                _undo(net, work, 0)
                return _INCONSISTENT
            _undo(net, work, int(marks[depth]))
            box, least, most = others[depth]
            marks.pop()
            others.pop()
            depth -= 1
            _narrow(net, work, box, least, most)
            continue
        if work.used[_BUDGET] < 0:
            _undo(net, work, 0)
            return _GAVE_UP
        clue = _violated(net, work)
        if clue < 0:
            for row in range(work.used[_TRAIL]):
                box = work.trail[row, 0]
                work.trail[row, 3] = work.guess[box]
                work.guess[box] = _value(work, box)
            return _CONSISTENT
        lack = net.low[clue] - work.sums[2, clue]
        excess = work.sums[2, clue] - net.high[clue]
        for place in range(net.clue_start[clue], net.clue_start[clue + 1]):
            work.used[_BUDGET] -= 1
            box = net.clue_boxes[place]
            value = _value(work, box)
            least = work.bounds[0, box]
            most = work.bounds[1, box]
            if lack > 0 and value < most:
                step = min(value + lack, most)
                others.append((int(box), int(least), int(step - 1)))
                least = step
            elif lack <= 0 and value > least:
                step = max(value - excess, least)
                others.append((int(box), int(step + 1), int(most)))
                most = step
            else:
                continue
            marks.append(work.used[_TRAIL])
            depth += 1
            _narrow(net, work, box, least, most)
            break


@compiled
def _witness(
    net: _Net, work: _Work, component_clues: Index, verdicts: NDArray[np.int8], budget: int
) -> None:
    """Verdict of each component; the guess becomes a layout of the consistent ones."""
    for component in range(verdicts.size):
        while work.used[_SUSPECT] > 0:
            _pop(work, _SUSPECT)
        first, last = component_clues[component], component_clues[component + 1]
        for clue in range(first, last):
            _queue(work, _PROPAGATE, clue)
            _queue(work, _SUSPECT, clue)
        work.used[_BUDGET] = budget * (_SMALL + last - first)
        verdicts[component] = _complete(net, work)
        _undo(net, work, 0)


@compiled
def _forced(
    net: _Net,
    work: _Work,
    component_boxes: Index,
    values: NDArray[np.int8],
    complete: NDArray[np.bool_],
    totals: NDArray[np.int64],
    budget: int,
) -> None:
    """Fill in the values of the components' boxes, and completeness; the guess is a layout."""
    # Whether a box was full (row 1), or empty (row 0), in every layout seen so far.
    always = np.empty((2, net.size.size), np.bool_)
    always[0] = work.guess == 0
    always[1] = work.guess == net.size
    for component in range(complete.size):
        first, last = component_boxes[component], component_boxes[component + 1]
        work.used[_BUDGET] = budget * (_SMALL + last - first)
        complete[component] = True
        for box in range(first, last):
            for value in range(2):
                # A box of no cells (no loose ones) would be both full and empty.
                if not always[value, box] or net.size[box] == 0:
                    continue
                if work.used[_BUDGET] < 0:
                    complete[component] = False
                    break
                verdict = _other_value(net, work, box, value)
                if verdict == _GAVE_UP:
                    complete[component] = False
                elif verdict == _INCONSISTENT:
                    values[box] = value
                    held = value * net.size[box]
                    _narrow(net, work, box, held, held)
                    _settle(net, work)
                    work.used[_TRAIL] = 0
                elif not _allowed(net, work, always, totals):
                    complete[component] = False


@compiled
def _allowed(net: _Net, work: _Work, always: NDArray[np.bool_], totals: NDArray[np.int64]) -> bool:
    """Whether the layout just found has an allowed number of mines; if so it is taken in.

    The trail is undone. The guess stays at whichever of the two layouts is
    nearer to the middle of what is allowed, so that the next ones have room.
    """
    rows = work.used[_TRAIL]
    held = totals[_HELD]
    for row in range(rows):
        # Where a box stands twice, its second row has the new guess already.
        held += work.guess[work.trail[row, 0]] - work.trail[row, 3]
    allowed = totals[_LEAST_ALLOWED] <= held <= totals[_MOST_ALLOWED]
    if allowed:
        totals[_FEWEST] = min(totals[_FEWEST], held)
        totals[_MOST] = max(totals[_MOST], held)
        for row in range(rows):
            seen = work.trail[row, 0]
            always[0, seen] &= work.guess[seen] == 0
            always[1, seen] &= work.guess[seen] == net.size[seen]
    _undo(net, work, 0)
    middle = totals[_LEAST_ALLOWED] + totals[_MOST_ALLOWED]
    if abs(2 * held - middle) <= abs(2 * totals[_HELD] - middle):
        totals[_HELD] = held
    else:
        for row in range(rows - 1, -1, -1):
            _reguess(net, work, work.trail[row, 0], work.trail[row, 3])
    return bool(allowed)


@compiled
def _reguess(net: _Net, work: _Work, box: int, guess: int) -> None:
    """Change the guess for a box."""
    before = _value(work, box)
    work.guess[box] = guess
    moved = _value(work, box) - before
    for place in range(net.box_start[box], net.box_start[box + 1]):
        work.sums[2, net.box_clues[place]] += moved


@compiled
def _other_value(net: _Net, work: _Work, box: int, value: int) -> int:
    """Whether a box that is empty (0) or full (1) in the guess can be otherwise; `Verdict`.

    If it can, the guess is such a layout and the trail is left as it is.
    """
    least = work.bounds[0, box]
    most = work.bounds[1, box]
    if value == 0:
        least = max(least, 1)
    else:
        most = min(most, net.size[box] - 1)
    if least > most:
        return _INCONSISTENT
    _narrow(net, work, box, least, most)
    return _complete(net, work)
