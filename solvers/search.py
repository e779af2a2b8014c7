"""Depth-first search over boxes with bounds propagation, started from a guess.

Each box has an interval of mines it may hold, each clue sums intervals. A
guess holds one number of mines a box, clamped into its interval; a clue is
suspect when the clamped guess does not satisfy it. Only suspect clues are
branched on, towards satisfying them, so a search that starts from a layout
and asks for one cell to change touches the neighbourhood of that cell only:
this is what makes proving forced cells cheap. The search is complete; it
gives up when its budget of clue visits is spent, and says so.
"""

from enum import IntEnum
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from minefield.compiled import compiled
from minefield.constraints import Index
from solvers.boxes import BoxProblem


class Verdict(IntEnum):
    """What a search found about a component."""

    GAVE_UP = -1
    INCONSISTENT = 0
    CONSISTENT = 1


_GAVE_UP: Final = -1
_INCONSISTENT: Final = 0
_CONSISTENT: Final = 1


def witness(problem: BoxProblem, budget: int) -> tuple[NDArray[np.int8], Index]:
    """A `Verdict` for each component, and mines of each box in the layout found.

    ``budget`` bounds the work on each component, in boxes looked at.
    """
    net = _net(problem)
    mines = np.zeros(problem.size.size, dtype=np.int32)
    return _witness(net, problem.component_clues, mines, budget), mines


def forced(
    problem: BoxProblem, mines: Index, budget: int
) -> tuple[NDArray[np.int8], NDArray[np.bool_]]:
    """Boxes that are all mines or all safe in every layout, from one layout ``mines``.

    Returns the boxes' values (1 mines, 0 safe, -1 neither or not known) and,
    for each component, whether its values are all known. What is reported is
    proved either way. ``budget`` is as for `witness`.
    """
    return _forced(_net(problem), problem.component_boxes, mines.copy(), budget)


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
    and ``flags`` rows: clues to propagate, suspect clues; ``count`` holds the
    lengths of the two queues, the length of the trail, and the budget left.
    ``trail`` rows: box, least and most before a change.
    """

    bounds: Index
    guess: Index
    sums: Index
    queue: Index
    flags: NDArray[np.bool_]
    count: NDArray[np.int64]
    trail: Index


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
        np.empty((net.size.sum() + 1, 3), np.int32),
    )


@compiled
def _queue(work: _Work, kind: int, clue: int) -> None:
    if not work.flags[kind, clue]:
        work.flags[kind, clue] = True
        work.queue[kind, work.count[kind]] = clue
        work.count[kind] += 1


@compiled
def _pop(work: _Work, kind: int) -> int:
    work.count[kind] -= 1
    clue = work.queue[kind, work.count[kind]]
    work.flags[kind, clue] = False
    return int(clue)


@compiled
def _value(work: _Work, box: int) -> int:
    """The guess for a box, clamped into its interval."""
    return min(max(work.guess[box], work.bounds[0, box]), work.bounds[1, box])


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
    row = work.trail[work.count[_TRAIL]]
    row[0] = box
    row[1] = work.bounds[0, box]
    row[2] = work.bounds[1, box]
    work.count[_TRAIL] += 1
    _set(net, work, box, least, most)


@compiled
def _undo(net: _Net, work: _Work, mark: int) -> None:
    """Take back all changes after the trail had ``mark`` rows."""
    while work.count[_TRAIL] > mark:
        work.count[_TRAIL] -= 1
        row = work.trail[work.count[_TRAIL]]
        _set(net, work, row[0], row[1], row[2])
    while work.count[_PROPAGATE] > 0:
        _pop(work, _PROPAGATE)


@compiled
def _settle(net: _Net, work: _Work) -> bool:
    """Propagate the queued clues until nothing changes; False on a contradiction."""
    while work.count[_PROPAGATE] > 0:
        clue = _pop(work, _PROPAGATE)
        work.count[_BUDGET] -= net.clue_start[clue + 1] - net.clue_start[clue]
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
    while work.count[_SUSPECT] > 0:
        clue = _pop(work, _SUSPECT)
        if work.sums[2, clue] < net.low[clue] or work.sums[2, clue] > net.high[clue]:
            _queue(work, _SUSPECT, clue)
            return clue
    return -1


@compiled
def _complete(net: _Net, work: _Work, mark: int) -> int:
    """Find a layout within the bounds as they are; `Verdict`.

    On success the guess is the layout. The bounds come back as they were when
    the trail had ``mark`` rows; the rows from there to here are undone too.
    """
    depth = 0
    marks = [np.int64(0)]
    others = [(0, 0, 0)]
    while True:
        if not _settle(net, work):
            if depth == 0:
                _undo(net, work, mark)
                return _INCONSISTENT
            _undo(net, work, marks[depth])
            box, least, most = others[depth]
            marks.pop()
            others.pop()
            depth -= 1
            _narrow(net, work, box, least, most)
            continue
        if work.count[_BUDGET] < 0:
            _undo(net, work, mark)
            return _GAVE_UP
        clue = _violated(net, work)
        if clue < 0:
            for row in range(mark, work.count[_TRAIL]):
                box = work.trail[row, 0]
                work.guess[box] = _value(work, box)
            return _CONSISTENT
        lack = net.low[clue] - work.sums[2, clue]
        excess = work.sums[2, clue] - net.high[clue]
        for place in range(net.clue_start[clue], net.clue_start[clue + 1]):
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
            marks.append(work.count[_TRAIL])
            depth += 1
            _narrow(net, work, box, least, most)
            break


@compiled
def _witness(net: _Net, component_clues: Index, mines: Index, budget: int) -> NDArray[np.int8]:
    """Verdict of each component; ``mines`` becomes a layout of the consistent ones."""
    work = _work(net, mines)
    verdicts = np.empty(component_clues.size - 1, np.int8)
    for component in range(verdicts.size):
        while work.count[_SUSPECT] > 0:
            _pop(work, _SUSPECT)
        for clue in range(component_clues[component], component_clues[component + 1]):
            _queue(work, _PROPAGATE, clue)
            _queue(work, _SUSPECT, clue)
        work.count[_BUDGET] = budget
        verdicts[component] = _complete(net, work, 0)
        _undo(net, work, 0)
    return verdicts


@compiled
def _forced(
    net: _Net, component_boxes: Index, mines: Index, budget: int
) -> tuple[NDArray[np.int8], NDArray[np.bool_]]:
    """Values of boxes and completeness of components, as `forced` returns them."""
    work = _work(net, mines)
    values = np.full(net.size.size, -1, np.int8)
    complete = np.ones(component_boxes.size - 1, np.bool_)
    # Bit 0: never yet seen with a mine less than full; bit 1: never yet seen with a mine.
    candidates = np.empty(net.size.size, np.int8)
    for box in range(net.size.size):
        candidates[box] = (mines[box] == net.size[box]) + 2 * (mines[box] == 0)
    for component in range(complete.size):
        work.count[_BUDGET] = budget
        for box in range(component_boxes[component], component_boxes[component + 1]):
            for value in range(2):
                # Size 0 (no loose cells) is both; it says nothing.
                if net.size[box] == 0 or candidates[box] & (2 - value) == 0:
                    continue
                if work.count[_BUDGET] < 0:
                    complete[component] = False
                    continue
                verdict = _INCONSISTENT
                mark = work.count[_TRAIL]
                least = work.bounds[0, box]
                most = work.bounds[1, box]
                if value == 0 and most > 0:
                    _narrow(net, work, box, max(least, 1), most)
                    verdict = _complete(net, work, mark)
                elif value == 1 and least < net.size[box]:
                    _narrow(net, work, box, least, min(most, net.size[box] - 1))
                    verdict = _complete(net, work, mark)
                if verdict == _GAVE_UP:
                    complete[component] = False
                elif verdict == _INCONSISTENT:
                    values[box] = value
                    work.count[_TRAIL] = 0
                    if value == 0:
                        _narrow(net, work, box, 0, 0)
                    else:
                        _narrow(net, work, box, net.size[box], net.size[box])
                    _settle(net, work)
                    work.count[_TRAIL] = 0
                else:
                    for row in range(mark, work.count[_TRAIL]):
                        seen = work.trail[row, 0]
                        if work.guess[seen] != 0:
                            candidates[seen] &= 1
                        if work.guess[seen] != net.size[seen]:
                            candidates[seen] &= 2
                    _undo(net, work, mark)
    return values, complete
