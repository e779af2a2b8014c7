"""Is there a layout, and which boxes are forced: depth-first search, component by component.

A search that starts from a layout and asks for one box to change stays near it: this is what
makes proving forced cells cheap. The search is complete; it gives up when its budget, in boxes
looked at, is spent, and says so.
"""

from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from minecheck.minefield.compiled import Matrix, Vector, compile_kernel, inline_kernel
from minecheck.minefield.reduction.constraints import Index
from minecheck.solvers.deadline import Deadline
from minecheck.solvers.search.engine import (
    BUDGET,
    GAVE_UP,
    INCONSISTENT,
    SMALL,
    TRAIL,
    Net,
    Work,
    build_net,
    clear_suspects,
    find_layout,
    go_back,
    look_at,
    narrow_box,
    propagate_queue,
    undo_changes,
    work_on,
)
from minecheck.solvers.search.problem import BoxProblem

#: More mines than a board can have.
_ANY_MINES: Final = 2**40
#: Boxes of the components that are usually searched between two looks at the deadline.
_CHUNK: Final = 5000


def find_witness(
    problem: BoxProblem, budget: int, deadline: Deadline, chunk: int = _CHUNK
) -> tuple[NDArray[np.int8], Index]:
    """Find a layout of each component.

    Args:
        problem: the boxes and clues.
        budget: bounds the work on each component, in boxes looked at for each of its clues.
        deadline: when to give up.
        chunk: about how many boxes are searched between two looks at it.

    Returns:
        A `Verdict` for each component, and the mines of each box in the layout found.

    Raises:
        DeadlinePassed: not all components were searched in time.
    """
    net = build_net(problem)
    mines = np.zeros(problem.size.size, dtype=np.int32)
    work = work_on(net, mines)
    verdicts = np.full(problem.components, GAVE_UP, dtype=np.int8)
    for first, last in _list_chunks(problem, chunk):
        deadline.check()
        _search_witness(
            net, work, problem.component_clues[first : last + 1], verdicts[first:last], budget
        )
    return verdicts, mines


def find_forced(
    problem: BoxProblem,
    mines: Index,
    budget: int,
    deadline: Deadline,
    allowed: range | None = None,
    chunk: int = _CHUNK,
) -> tuple[NDArray[np.int8], NDArray[np.bool_], range]:
    """Find boxes that are all mines or all safe in every layout.

    What is reported is proved either way. A box that could be otherwise only with a number of
    mines that is not allowed is left unknown and its component incomplete.

    Args:
        problem: the boxes and clues.
        mines: the mines of each box in one layout.
        budget: bounds the work, in boxes looked at for each box of a component.
        deadline: past it the components still to come stay unknown.
        allowed: the numbers of mines that layouts may have in all boxes together, None for any.
        chunk: as for `find_witness`.

    Returns:
        The boxes' values (1 mines, 0 safe, -1 neither or not known), for each component whether
        its values are all known, and the range of the numbers of mines that were seen.
    """
    net = build_net(problem)
    work = work_on(net, mines.copy())
    values = np.full(problem.size.size, -1, dtype=np.int8)
    complete = np.zeros(problem.components, dtype=np.bool_)
    allowed = range(_ANY_MINES) if allowed is None else allowed
    held = int(mines.sum(dtype=np.int64))
    totals = np.array([held, allowed.start, allowed.stop - 1, held, held], dtype=np.int64)
    for first, last in _list_chunks(problem, chunk):
        if deadline.left <= 0:
            break
        boxes = problem.component_boxes[first : last + 1]
        _search_forced(net, work, boxes, values, complete[first:last], totals, budget)
    return values, complete, range(int(totals[_FEWEST]), int(totals[_MOST]) + 1)


def _list_chunks(problem: BoxProblem, chunk: int) -> list[tuple[int, int]]:
    """List ranges of components, of about ``chunk`` boxes each."""
    part = problem.component_boxes // chunk
    starts = np.flatnonzero(np.diff(part, prepend=-1)[: problem.components]).tolist()
    return list(pairwise([*starts, problem.components]))


# Indices of the totals of `_search_forced`: mines of the guess, least and most that are allowed,
# fewest and most that were seen.
_HELD: Final = 0
_LEAST_ALLOWED: Final = 1
_MOST_ALLOWED: Final = 2
_FEWEST: Final = 3
_MOST: Final = 4


@compile_kernel
def _search_witness(
    net: Net, work: Work, component_clues: Vector[np.int32], verdicts: Vector[np.int8], budget: int
) -> None:
    """Find the verdict of each component; the guess becomes a layout of the consistent ones."""
    for component in range(verdicts.size):
        clear_suspects(work)
        first, last = component_clues[component], component_clues[component + 1]
        for clue in range(first, last):
            look_at(work, clue)
        work.used[BUDGET] = budget * (SMALL + last - first)
        verdicts[component] = find_layout(net, work)
        undo_changes(net, work, 0)


@compile_kernel
def _search_forced(
    net: Net,
    work: Work,
    component_boxes: Vector[np.int32],
    values: Vector[np.int8],
    complete: Vector[np.bool_],
    totals: Vector[np.int64],
    budget: int,
) -> None:
    """Fill in the values of the components' boxes, and completeness; the guess is a layout.

    ``values`` has an entry for each box, ``complete`` one for each component, and
    ``component_boxes`` one more.
    """
    # True if a box was full (row 1), or empty (row 0), in every layout so far.
    always = np.empty((2, net.size.size), np.bool_)
    always[0] = work.guess == 0
    always[1] = work.guess == net.size
    for component in range(complete.size):
        first, last = component_boxes[component], component_boxes[component + 1]
        work.used[BUDGET] = budget * (SMALL + last - first)
        complete[component] = True
        for box in range(first, last):
            for value in range(2):
                # A box of no cells (no loose ones) would be both full and empty.
                if not always[value, box] or net.size[box] == 0:
                    continue
                if work.used[BUDGET] < 0:
                    complete[component] = False
                    break
                verdict = _try_other_value(net, work, box, value)
                if verdict == GAVE_UP:
                    complete[component] = False
                elif verdict == INCONSISTENT:
                    values[box] = value
                    held = value * net.size[box]
                    narrow_box(net, work, box, held, held)
                    propagate_queue(net, work)
                    work.used[TRAIL] = 0
                elif not _is_allowed(net, work, always, totals):
                    complete[component] = False


@inline_kernel
def _is_allowed(net: Net, work: Work, always: Matrix[np.bool_], totals: Vector[np.int64]) -> bool:
    """Return True if the layout found has an allowed number of mines, and take it in.

    The trail is undone. The guess stays at whichever of the two layouts is
    nearer to the middle of what is allowed, so that the next ones have room.
    """
    rows = work.used[TRAIL]
    held = totals[_HELD]
    for row in range(rows):
        # If a box is listed twice, its second row has the new guess already.
        held += work.guess[work.trail[row, 0]] - work.trail[row, 3]
    allowed = totals[_LEAST_ALLOWED] <= held <= totals[_MOST_ALLOWED]
    if allowed:
        totals[_FEWEST] = min(totals[_FEWEST], held)
        totals[_MOST] = max(totals[_MOST], held)
        for row in range(rows):
            seen = work.trail[row, 0]
            always[0, seen] &= work.guess[seen] == 0
            always[1, seen] &= work.guess[seen] == net.size[seen]
    undo_changes(net, work, 0)
    middle = totals[_LEAST_ALLOWED] + totals[_MOST_ALLOWED]
    if abs(2 * held - middle) <= abs(2 * totals[_HELD] - middle):
        totals[_HELD] = held
    else:
        go_back(net, work, rows)
    return bool(allowed)


@inline_kernel
def _try_other_value(net: Net, work: Work, box: int, value: int) -> int:
    """Return the `Verdict` on a box that is empty (0) or full (1) in the guess being otherwise.

    If it can, the guess is such a layout and the trail is left as it is.
    """
    least = work.bounds[0, box]
    most = work.bounds[1, box]
    if value == 0:
        least = max(least, 1)
    else:
        most = min(most, net.size[box] - 1)
    if least > most:
        return INCONSISTENT
    narrow_box(net, work, box, least, most)
    return find_layout(net, work)
