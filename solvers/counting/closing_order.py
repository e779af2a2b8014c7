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

    The neighbours of a clue are ``adjacent[start:start + degree]`` in its row of
    ``rows`` (start, degree, room); ``adjacent`` is passed separately, as it may grow.
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
def find_closing_order(
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
    tournament_size = 2
    while tournament_size < 2 * clues:
        tournament_size *= 2
    graph = _Graph(
        np.zeros((3, clues + 1), np.int64),
        np.empty(clues, np.int64),
        np.zeros(clues, np.int64),
        np.zeros(clues, np.int64),
        np.full(clues, -1, np.int64),
        np.zeros(clues + 1, np.int32),
        np.zeros(clues, np.bool_),
        np.full(tournament_size, -1, np.int32),
    )
    for clue in range(clues):
        graph.weight[clue] = round(16 * np.log2(1.0 + min(high[clue], cells[clue])))
    adjacent = np.empty(16 * clues + 16, np.int32)
    for box in range(box_start.size - 1):
        clues_of_box = box_clues[box_start[box] : box_start[box + 1]]
        adjacent = _grow_adjacent(graph, adjacent, clues_of_box)
        _connect_all(graph, adjacent, clues_of_box)
    for clue in range(clues):
        graph.winners[tournament_size // 2 + clue] = clue
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
        graph.winners[tournament_size // 2 + clue] = -1
        _mark_touched(graph.touched, graph.listed, clue)
        adjacent = _remove_clue(graph, adjacent, clue, neighbours)
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
        parents = 0
        for index in range(count):
            match = touched[index] // 2
            if parents == 0 or touched[parents - 1] != match:
                touched[parents] = match
                parents += 1
        count = parents
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
        winner, rival = winners[2 * match], winners[2 * match + 1]
        if winner < 0:
            winner = rival
        elif rival >= 0:
            ahead = fill[rival] - fill[winner]
            if ahead < 0 or (ahead == 0 and load[rival] < load[winner]):
                winner = rival
        winners[match] = winner


@inline_kernel
def _grow_adjacent(graph: _Graph, adjacent: Vector[np.int32], clues: Vector[np.int32]) -> Index:
    """Return ``adjacent``, or a larger copy, with room to make some clues neighbours.

    ``start[-1]`` is how much of it is in use. A row moves when it is full, with twice the room,
    which the sum over the clues bounds.
    """
    start, degree, _ = graph.rows
    filled = start[start.size - 1]
    # A row moves when it is full, each time with twice the room.
    room_needed = filled
    for clue in clues:
        room_needed += 4 * (degree[clue] + clues.size + _LEAST_ROOM)
    if room_needed <= adjacent.size:
        return adjacent
    larger = np.empty(2 * room_needed, np.int32)
    larger[:filled] = adjacent[:filled]
    return larger


@compile_without_references
def _connect_all(graph: _Graph, adjacent: Vector[np.int32], clues: Vector[np.int32]) -> None:
    """Make some clues neighbours of each other."""
    for index in range(clues.size):
        for later in range(index + 1, clues.size):
            _connect_clues(graph, adjacent, clues[index], clues[later])


@inline_kernel
def _connect_clues(graph: _Graph, adjacent: Vector[np.int32], clue: int, neighbour: int) -> None:
    """Make two clues neighbours."""
    start, degree, _ = graph.rows
    touched, listed = graph.touched, graph.listed
    are_neighbours = False
    for index in range(start[clue], start[clue] + degree[clue]):
        are_neighbours |= adjacent[index] == neighbour
        graph.mark[adjacent[index]] = clue
    if not are_neighbours:
        product = graph.weight[clue] * graph.weight[neighbour]
        common = 0
        for index in range(start[neighbour], start[neighbour] + degree[neighbour]):
            common_neighbour = adjacent[index]
            if graph.mark[common_neighbour] == clue:
                common += graph.weight[common_neighbour]
                graph.fill[common_neighbour] -= product
                _mark_touched(touched, listed, common_neighbour)
        graph.fill[clue] += graph.weight[neighbour] * (graph.load[clue] - common)
        graph.fill[neighbour] += graph.weight[clue] * (graph.load[neighbour] - common)
        _mark_touched(touched, listed, clue)
        _mark_touched(touched, listed, neighbour)
    for index in range(start[clue], start[clue] + degree[clue]):
        graph.mark[adjacent[index]] = -1
    if not are_neighbours:
        _append_neighbour(graph, adjacent, clue, neighbour)
        _append_neighbour(graph, adjacent, neighbour, clue)


@compile_without_references
def _append_neighbour(graph: _Graph, adjacent: Vector[np.int32], clue: int, neighbour: int) -> None:
    """Add a neighbour to a clue's row, which moves to the end when it is full.

    ``adjacent`` has room for that, which `_grow_adjacent` has made.
    """
    start, degree, room = graph.rows
    graph.load[clue] += graph.weight[neighbour]
    if degree[clue] == room[clue]:
        end = start.size - 1
        filled = start[end]
        room[clue] = max(_LEAST_ROOM, 2 * room[clue])
        start[end] += room[clue]
        for index in range(degree[clue]):
            adjacent[filled + index] = adjacent[start[clue] + index]
        start[clue] = filled
    adjacent[start[clue] + degree[clue]] = neighbour
    degree[clue] += 1


@inline_kernel
def _remove_clue(
    graph: _Graph, adjacent: Vector[np.int32], clue: int, neighbours: Vector[np.int32]
) -> Index:
    """Take a clue out and make its neighbours, which it is the last to join, neighbours."""
    start, degree, _ = graph.rows
    touched, listed = graph.touched, graph.listed
    count = degree[clue]
    for index in range(count):
        neighbours[index] = adjacent[start[clue] + index]
        graph.mark[neighbours[index]] = clue
    for index in range(count):
        neighbour = neighbours[index]
        common = 0
        clue_slot = 0
        for slot in range(start[neighbour], start[neighbour] + degree[neighbour]):
            if adjacent[slot] == clue:
                clue_slot = slot
            elif graph.mark[adjacent[slot]] == clue:
                common += graph.weight[adjacent[slot]]
        degree[neighbour] -= 1
        adjacent[clue_slot] = adjacent[start[neighbour] + degree[neighbour]]
        graph.load[neighbour] -= graph.weight[clue]
        graph.fill[neighbour] -= graph.weight[clue] * (graph.load[neighbour] - common)
        _mark_touched(touched, listed, neighbour)
    for index in range(count):
        graph.mark[neighbours[index]] = -1
    if graph.fill[clue] > 0:
        adjacent = _grow_adjacent(graph, adjacent, neighbours[:count])
        _connect_all(graph, adjacent, neighbours[:count])
    return adjacent
