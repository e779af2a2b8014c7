"""The compiled engine of searches: depth first over boxes, with bounds propagation, from a guess.

Each box has an interval of mines it may hold, each clue sums intervals. A
guess holds one number of mines a box, clamped into its interval; a clue is
suspect when the clamped guess does not satisfy it. Only suspect clues are
branched on, towards satisfying them, so a search that starts from a layout
and asks for one box to change touches the neighbourhood of that box only.

Tested in tests/solvers/search/test_search.py.
"""

from enum import IntEnum
from typing import Final, NamedTuple

import numpy as np

from minecheck.minefield.compiled import (
    Matrix,
    Vector,
    compile_inner,
    compile_kernel,
    compile_without_references,
    inline_kernel,
)
from minecheck.solvers.search.problem import BoxProblem

#: Every search gets a budget as if it had this many more clues or boxes.
SMALL: Final = 10


class Verdict(IntEnum):
    """The result of a search for a component."""

    GAVE_UP = -1
    INCONSISTENT = 0
    CONSISTENT = 1


GAVE_UP: Final = -1
INCONSISTENT: Final = 0
CONSISTENT: Final = 1


class Net(NamedTuple):
    """The problem: which boxes each clue sums and which clues each box is in."""

    size: Vector[np.int32]
    clue_start: Vector[np.int32]
    clue_boxes: Vector[np.int32]
    low: Vector[np.int32]
    high: Vector[np.int32]
    box_start: Vector[np.int32]
    box_clues: Vector[np.int32]


class Work(NamedTuple):
    """The state that a search changes.

    ``bounds`` rows: least and most mines of each box; ``guess``: one number a
    box; ``sums`` rows: least, most and clamped guess of each clue. ``queue``
    and ``flags`` rows: clues to propagate, suspect clues; ``used`` holds the
    lengths of the two queues, the length of the trail, and the budget left.
    ``trail`` rows: box, least and most before a change; the guess before
    the last layout was found.
    """

    bounds: Matrix[np.int32]
    guess: Vector[np.int32]
    sums: Matrix[np.int32]
    queue: Matrix[np.int32]
    flags: Matrix[np.bool_]
    used: Vector[np.int64]
    trail: Matrix[np.int32]


# Places in `Work.used`; the first two are rows of its queues as well.
PROPAGATE: Final = 0
SUSPECT: Final = 1
TRAIL: Final = 2
BUDGET: Final = 3


def build_net(problem: BoxProblem) -> Net:
    """Return the boxes and clues of a problem as the compiled engine has them."""
    return Net(
        problem.size,
        problem.clue_start,
        problem.clue_boxes,
        problem.low,
        problem.high,
        *problem.clues_of_box,
    )


@compile_kernel
def work_on(net: Net, guess: Vector[np.int32]) -> Work:
    """Return the state of a search before it begins: all boxes open, no clue queued.

    Args:
        net: the boxes and clues.
        guess: the mines of each box to start from, which the search changes: (boxes,).
    """
    clues = net.low.size
    bounds = np.zeros((2, net.size.size), np.int32)
    bounds[1] = net.size
    sums = np.zeros((3, clues), np.int32)
    for clue in range(clues):
        for index in range(net.clue_start[clue], net.clue_start[clue + 1]):
            sums[1, clue] += net.size[net.clue_boxes[index]]
            sums[2, clue] += guess[net.clue_boxes[index]]
    return Work(
        bounds,
        guess,
        sums,
        np.empty((2, clues), np.int32),
        np.zeros((2, clues), np.bool_),
        np.zeros(4, np.int64),
        np.empty((net.size.sum() + 1, 4), np.int32),
    )


@compile_without_references
def queue_clue(work: Work, kind: int, clue: int) -> None:
    """Put a clue on a queue, unless it is there already.

    So a queue never holds a clue twice, and room for all clues is enough.

    Args:
        work: the state of the search.
        kind: PROPAGATE or SUSPECT.
        clue: its number.
    """
    if not work.flags[kind, clue]:
        work.flags[kind, clue] = True
        work.queue[kind, work.used[kind]] = clue
        work.used[kind] += 1


@inline_kernel
def pop_clue(work: Work, kind: int) -> int:
    """Take the last clue off a queue, which must not be empty.

    Args:
        work: the state of the search.
        kind: PROPAGATE or SUSPECT.
    """
    work.used[kind] -= 1
    clue = work.queue[kind, work.used[kind]]
    work.flags[kind, clue] = False
    return int(clue)


@inline_kernel
def look_at(work: Work, clue: int) -> None:
    """Have a clue propagated, and its guess looked at.

    Args:
        work: the state of the search.
        clue: its number.
    """
    queue_clue(work, PROPAGATE, clue)
    queue_clue(work, SUSPECT, clue)


@inline_kernel
def clear_suspects(work: Work) -> None:
    """Forget which clues are suspect."""
    while work.used[SUSPECT] > 0:
        pop_clue(work, SUSPECT)


@inline_kernel
def read_guess(work: Work, box: int) -> int:
    """Return the guess for a box, clamped into its interval.

    Args:
        work: the state of the search.
        box: its number.
    """
    return int(min(max(work.guess[box], work.bounds[0, box]), work.bounds[1, box]))


@inline_kernel
def _set_interval(net: Net, work: Work, box: int, least: int, most: int) -> None:
    """Give a box an interval, bring the sums of its clues up to date, and queue these clues."""
    before = read_guess(work, box)
    down = least - work.bounds[0, box]
    up = most - work.bounds[1, box]
    work.bounds[0, box] = least
    work.bounds[1, box] = most
    moved = read_guess(work, box) - before
    for index in range(net.box_start[box], net.box_start[box + 1]):
        clue = net.box_clues[index]
        work.sums[0, clue] += down
        work.sums[1, clue] += up
        work.sums[2, clue] += moved
        look_at(work, clue)


@compile_without_references
def narrow_box(net: Net, work: Work, box: int, least: int, most: int) -> None:
    """Narrow the interval of a box, and remember the old one on the trail.

    Args:
        net: the boxes and clues.
        work: the state of the search.
        box: its number.
        least: the fewest mines that it may hold from now on.
        most: the most mines.
    """
    row = work.trail[work.used[TRAIL]]
    row[0] = box
    row[1] = work.bounds[0, box]
    row[2] = work.bounds[1, box]
    work.used[TRAIL] += 1
    _set_interval(net, work, box, least, most)


@compile_without_references
def undo_changes(net: Net, work: Work, mark: int) -> None:
    """Take back all changes after the trail had ``mark`` rows, and empty the queue to propagate.

    Args:
        net: the boxes and clues.
        work: the state of the search.
        mark: the rows of the trail that stay.
    """
    while work.used[TRAIL] > mark:
        work.used[TRAIL] -= 1
        row = work.trail[work.used[TRAIL]]
        _set_interval(net, work, row[0], row[1], row[2])
    while work.used[PROPAGATE] > 0:
        pop_clue(work, PROPAGATE)


@compile_without_references
def propagate_queue(net: Net, work: Work) -> bool:
    """Propagate the queued clues until nothing changes; False on a contradiction.

    Args:
        net: the boxes and clues.
        work: the state of the search, whose budget is spent.
    """
    while work.used[PROPAGATE] > 0:
        clue = pop_clue(work, PROPAGATE)
        work.used[BUDGET] -= net.clue_start[clue + 1] - net.clue_start[clue]
        room = net.high[clue] - work.sums[0, clue]
        spare = work.sums[1, clue] - net.low[clue]
        if room < 0 or spare < 0:
            return False
        for index in range(net.clue_start[clue], net.clue_start[clue + 1]):
            box = net.clue_boxes[index]
            least = work.bounds[0, box]
            most = work.bounds[1, box]
            if most - least > room or most - least > spare:
                narrow_box(net, work, box, max(least, most - spare), min(most, least + room))
    return True


@inline_kernel
def find_violated(net: Net, work: Work) -> int:
    """Return a clue that the clamped guess does not satisfy (left suspect), or -1.

    Args:
        net: the boxes and clues.
        work: the state of the search.
    """
    while work.used[SUSPECT] > 0:
        clue = pop_clue(work, SUSPECT)
        if work.sums[2, clue] < net.low[clue] or work.sums[2, clue] > net.high[clue]:
            queue_clue(work, SUSPECT, clue)
            return int(clue)
    return -1


@compile_inner
def find_layout(net: Net, work: Work) -> int:
    """Find a layout within the bounds as they are, and return a `Verdict`.

    On success the guess is the layout and the trail is left as it is, with the guess before in its
    last column. Otherwise the whole trail is undone.

    Args:
        net: the boxes and clues.
        work: the state of the search.
    """
    depth = 0
    marks = [np.int64(0)]
    others = [(0, 0, 0)]
    while True:
        if not propagate_queue(net, work):
            if depth == 0:
                undo_changes(net, work, 0)
                return INCONSISTENT
            undo_changes(net, work, int(marks[depth]))
            box, least, most = others[depth]
            marks.pop()
            others.pop()
            depth -= 1
            narrow_box(net, work, box, least, most)
            continue
        if work.used[BUDGET] < 0:
            undo_changes(net, work, 0)
            return GAVE_UP
        clue = find_violated(net, work)
        if clue < 0:
            for row in range(work.used[TRAIL]):
                box = work.trail[row, 0]
                work.trail[row, 3] = work.guess[box]
                work.guess[box] = read_guess(work, box)
            return CONSISTENT
        lack = net.low[clue] - work.sums[2, clue]
        excess = work.sums[2, clue] - net.high[clue]
        for index in range(net.clue_start[clue], net.clue_start[clue + 1]):
            work.used[BUDGET] -= 1
            box = net.clue_boxes[index]
            value = read_guess(work, box)
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
            marks.append(work.used[TRAIL])
            depth += 1
            narrow_box(net, work, box, least, most)
            break


@inline_kernel
def change_guess(net: Net, work: Work, box: int, guess: int) -> None:
    """Change the guess for a box, and the sums of its clues.

    Args:
        net: the boxes and clues.
        work: the state of the search.
        box: its number.
        guess: its mines.
    """
    before = read_guess(work, box)
    work.guess[box] = guess
    moved = read_guess(work, box) - before
    for index in range(net.box_start[box], net.box_start[box + 1]):
        work.sums[2, net.box_clues[index]] += moved


@inline_kernel
def go_back(net: Net, work: Work, rows: int) -> None:
    """Restore the guess before the layout, whose trail is undone.

    Args:
        net: the boxes and clues.
        work: the state of the search.
        rows: the rows that the trail had.
    """
    # A box may be listed twice: its first row has the old guess.
    for row in range(rows - 1, -1, -1):
        change_guess(net, work, work.trail[row, 0], work.trail[row, 3])
