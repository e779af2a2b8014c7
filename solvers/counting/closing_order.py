"""The order in which the clues of a component are closed.

Which order is chosen decides how large tables get. This one is the
weighted min-fill heuristic of bucket elimination (Dechter 1999; Kjaerulff
1990): next comes the clue whose neighbours are nearest to being all connected
already. The result is a tree of joins, not a line: random boards have line
widths that grow with their side, and tree widths that hardly do. Lattices are
the other way round: there the clues are better closed as they are read.

Tested in tests/solvers/counting/test_elimination.py.
"""

from typing import Final, NamedTuple

import numpy as np

from minecheck.minefield.compiled import Matrix, Vector, compile_without_references, inline_kernel
from minecheck.minefield.reduction.constraints import Index

#: No more products than this (2^40, about an hour) are planned for.
MOST_PRODUCTS: Final = 2.0**40
#: Neighbours that a clue has room for, once it has any.
_LEAST_ROOM: Final = 8


class _Graph(NamedTuple):
    """The open clues that share a table, and the cost of closing each.

    The neighbours of a clue are ``near[start:start + degree]`` in its row of
    ``rows`` (start, degree, room); ``near`` is kept beside, for it may grow.
    ``weight`` is a clue's range as a logarithm (sixteenths of a bit: integers
    do not drift), ``load`` the weight of its neighbours, ``fill`` the weight
    products of those pairs of them that are not neighbours yet. ``touched``
    lists the clues of which a load or fill has changed (their number comes last),
    and ``listed`` marks them. ``winners`` is a tournament among the open clues:
    clue k starts at index ``size / 2 + k``, those of 2i and 2i + 1 meet at i, and
    the winner is at 1; -1 is no clue.
    """

    rows: Matrix[np.int64]
    weight: Vector[np.int64]
    load: Vector[np.int64]
    fill: Vector[np.int64]
    mark: Vector[np.int64]
    touched: Vector[np.int32]
    listed: Vector[np.bool_]
    winners: Vector[np.int32]


@inline_kernel
def closing_order(
    box_start: Vector[np.int32],
    box_clues: Vector[np.int32],
    cells: Vector[np.int32],
    high: Vector[np.int32],
) -> Index:
    """Return when each clue is closed, int32 (clues,): 0 is first.

    Once that takes too large a table, the rest comes as it is read.

    Args:
        box_start: where the clues of each box begin, and the end of the last: (boxes + 1,).
        box_clues: clues of the boxes, each from 0 to ``clues - 1``.
        cells: the number of cells of each clue: (clues,).
        high: the most mines of each clue: (clues,).
    """
    clues = cells.size
    size = 2
    while size < 2 * clues:
        size *= 2
    graph = _Graph(
        np.zeros((3, clues + 1), np.int64),
        np.empty(clues, np.int64),
        np.zeros(clues, np.int64),
        np.zeros(clues, np.int64),
        np.full(clues, -1, np.int64),
        np.zeros(clues + 1, np.int32),
        np.zeros(clues, np.bool_),
        np.full(size, -1, np.int32),
    )
    for clue in range(clues):
        graph.weight[clue] = round(16 * np.log2(1.0 + min(high[clue], cells[clue])))
    near = np.empty(16 * clues + 16, np.int32)
    for box in range(box_start.size - 1):
        together = box_clues[box_start[box] : box_start[box + 1]]
        near = _with_room(graph, near, together)
        _connect_all(graph, near, together)
    for clue in range(clues):
        graph.winners[size // 2 + clue] = clue
        _mark_touched(graph.touched, graph.listed, clue)
    position = np.full(clues, -1, np.int32)
    neighbours = np.empty(clues, np.int32)
    for step in range(clues):
        _settle_matches(graph)
        clue = graph.winners[1]
        if graph.weight[clue] + graph.load[clue] > 16 * np.log2(MOST_PRODUCTS):
            # The joins will stop here: the rest is not worth the search.
            position[position < 0] = np.arange(step, clues)
            break
        position[clue] = step
        graph.winners[size // 2 + clue] = -1
        _mark_touched(graph.touched, graph.listed, clue)
        near = _remove_clue(graph, near, clue, neighbours)
    return position


@compile_without_references
def _mark_touched(touched: Vector[np.int32], listed: Vector[np.bool_], clue: int) -> None:
    """Note that a clue has to compete again.

    A clue is listed once, so that one entry for each clue and one for their number suffice.
    """
    if not listed[clue]:
        listed[clue] = True
        # The last item is how many there are.
        end = touched.size - 1
        touched[touched[end]] = clue
        touched[end] += 1


@inline_kernel
def _settle_matches(graph: _Graph) -> None:
    """Hold the matches of all clues that were touched again, from the leaves to the root."""
    touched, listed, winners = graph.touched, graph.listed, graph.winners
    half = winners.size // 2
    count = touched[touched.size - 1]
    # Matches are listed once each in ``touched``, instead of the clues.
    for index in range(count):
        listed[touched[index]] = False
        touched[index] = half + touched[index]
    while touched[0] > 1 and count:
        kept = 0
        for index in range(count):
            match = touched[index] // 2
            if kept == 0 or touched[kept - 1] != match:
                touched[kept] = match
                kept += 1
        count = kept
        _play_matches(winners, graph.fill, graph.load, touched[:count])
    touched[touched.size - 1] = 0


@inline_kernel
def _play_matches(
    winners: Vector[np.int32],
    fill: Vector[np.int64],
    load: Vector[np.int64],
    matches: Vector[np.int32],
) -> None:
    """Let the clue of less fill win each match, then that of less load, then the first.

    Match k is between the winners of 2 * k and 2 * k + 1; below 0 nobody is there.
    """
    for match in matches:
        one, other = winners[2 * match], winners[2 * match + 1]
        if one < 0:
            one = other
        elif other >= 0:
            ahead = fill[other] - fill[one]
            if ahead < 0 or (ahead == 0 and load[other] < load[one]):
                one = other
        winners[match] = one


@inline_kernel
def _with_room(graph: _Graph, near: Vector[np.int32], clues: Vector[np.int32]) -> Index:
    """Return ``near``, or a larger copy, with room to make some clues neighbours.

    ``start[-1]`` is how much of it is in use. A row moves when it is full, with twice the room,
    which the sum over the clues bounds.
    """
    start, degree, _ = graph.rows
    filled = start[start.size - 1]
    # A row moves when it is full, each time with twice the room.
    most = filled
    for clue in clues:
        most += 4 * (degree[clue] + clues.size + _LEAST_ROOM)
    if most <= near.size:
        return near
    larger = np.empty(2 * most, np.int32)
    larger[:filled] = near[:filled]
    return larger


@compile_without_references
def _connect_all(graph: _Graph, near: Vector[np.int32], clues: Vector[np.int32]) -> None:
    """Make some clues neighbours of each other."""
    for index in range(clues.size):
        for further in range(index + 1, clues.size):
            _connect_clues(graph, near, clues[index], clues[further])


@inline_kernel
def _connect_clues(graph: _Graph, near: Vector[np.int32], clue: int, other: int) -> None:
    """Make two clues neighbours."""
    start, degree, _ = graph.rows
    touched, listed = graph.touched, graph.listed
    known = False
    for index in range(start[clue], start[clue] + degree[clue]):
        known |= near[index] == other
        graph.mark[near[index]] = clue
    if not known:
        product = graph.weight[clue] * graph.weight[other]
        common = 0
        for index in range(start[other], start[other] + degree[other]):
            neighbours = near[index]
            if graph.mark[neighbours] == clue:
                common += graph.weight[neighbours]
                graph.fill[neighbours] -= product
                _mark_touched(touched, listed, neighbours)
        graph.fill[clue] += graph.weight[other] * (graph.load[clue] - common)
        graph.fill[other] += graph.weight[clue] * (graph.load[other] - common)
        _mark_touched(touched, listed, clue)
        _mark_touched(touched, listed, other)
    for index in range(start[clue], start[clue] + degree[clue]):
        graph.mark[near[index]] = -1
    if not known:
        _append_neighbour(graph, near, clue, other)
        _append_neighbour(graph, near, other, clue)


@compile_without_references
def _append_neighbour(graph: _Graph, near: Vector[np.int32], clue: int, other: int) -> None:
    """Add a neighbour to a clue's row, which moves to the end when it is full.

    ``near`` has room for that, which `_with_room` has made.
    """
    start, degree, room = graph.rows
    graph.load[clue] += graph.weight[other]
    if degree[clue] == room[clue]:
        end = start.size - 1
        filled = start[end]
        room[clue] = max(_LEAST_ROOM, 2 * room[clue])
        start[end] += room[clue]
        for index in range(degree[clue]):
            near[filled + index] = near[start[clue] + index]
        start[clue] = filled
    near[start[clue] + degree[clue]] = other
    degree[clue] += 1


@inline_kernel
def _remove_clue(
    graph: _Graph, near: Vector[np.int32], clue: int, neighbours: Vector[np.int32]
) -> Index:
    """Take a clue out and make its neighbours, which it is the last to join, neighbours."""
    start, degree, _ = graph.rows
    touched, listed = graph.touched, graph.listed
    count = degree[clue]
    for index in range(count):
        neighbours[index] = near[start[clue] + index]
        graph.mark[neighbours[index]] = clue
    for index in range(count):
        other = neighbours[index]
        common = 0
        found = 0
        for where in range(start[other], start[other] + degree[other]):
            if near[where] == clue:
                found = where
            elif graph.mark[near[where]] == clue:
                common += graph.weight[near[where]]
        degree[other] -= 1
        near[found] = near[start[other] + degree[other]]
        graph.load[other] -= graph.weight[clue]
        graph.fill[other] -= graph.weight[clue] * (graph.load[other] - common)
        _mark_touched(touched, listed, other)
    for index in range(count):
        graph.mark[neighbours[index]] = -1
    if graph.fill[clue] > 0:
        near = _with_room(graph, near, neighbours[:count])
        _connect_all(graph, near, neighbours[:count])
    return near
