"""In which order the clues of a component are closed, and what that will cost.

Closing a clue joins all that touches it into one table: an entry of a table
says how many mines each clue that is still open has among the cells joined so
far. Which order is chosen decides how large tables get. This one is the
weighted min-fill heuristic of bucket elimination (Dechter 1999; Kjaerulff
1990): next comes the clue whose neighbours are nearest to being all connected
already. The result is a tree of joins, not a line: random boards have line
widths that grow with their side, and tree widths that hardly do. Lattices are
the other way round: there the clues are better closed as they are read.
"""

from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from minefield.compiled import Matrix, Vector, borrowing, compiled, inlined, inner
from minefield.reduction.constraints import Index
from minefield.reduction.kernels import transpose
from solvers.counting.join_tree import CLUE, LEAST, RANGE, SEEN, JoinTree

#: No more products than this (2^40, about an hour) are planned for.
MOST_PRODUCTS: Final = 2.0**40
#: Plans of fewer products are good enough.
_FEW_PRODUCTS: Final = 2.0**14
#: Neighbours that a clue has room for, once it has any.
_LEAST_ROOM: Final = 8


def eliminate(
    size: Index, clue_start: Index, clue_boxes: Index, low: Index, high: Index
) -> JoinTree:
    """The joins that close all clues.

    Box b has ``size[b]`` cells; clue k asks for ``low[k]`` to ``high[k]`` mines
    in the boxes ``clue_boxes[clue_start[k]:clue_start[k + 1]]``. Where no order
    is found with at most `MOST_PRODUCTS`, the cost is infinite and the joins
    end where they became too dear.
    """
    component = size, clue_start, clue_boxes, low, high
    plan = JoinTree(*_eliminate(*component, False, MOST_PRODUCTS))
    if plan.cost <= _FEW_PRODUCTS:
        return plan
    other = JoinTree(*_eliminate(*component, True, min(plan.cost, MOST_PRODUCTS)))
    return other if other.cost < plan.cost else plan


@compiled
def _eliminate(
    size: Vector[np.int32],
    clue_start: Vector[np.int32],
    clue_boxes: Vector[np.int32],
    low: Vector[np.int32],
    high: Vector[np.int32],
    as_read: bool,
    most: float,
) -> tuple[Any, ...]:
    """The fields of `JoinTree`, by min-fill or by closing clues in the order given.

    The last product is infinite where there are more than ``most``.
    """
    box_start, box_clues = transpose(clue_start, clue_boxes, size.size)
    cells = np.zeros(low.size, np.int32)
    for clue in range(low.size):
        for place in range(clue_start[clue], clue_start[clue + 1]):
            cells[clue] += size[clue_boxes[place]]
    if as_read:
        position = np.arange(low.size).astype(np.int32)
    else:
        position = _closing_order(box_start, box_clues, cells, high)
    parts = _joins(size, box_start, box_clues, low, high, cells, position, most)
    return size, low, high, cells, *parts


class _Graph(NamedTuple):
    """Which open clues share a table, and what closing each would add.

    The neighbours of a clue are ``near[start:start + degree]`` in its row of
    ``rows`` (start, degree, room); ``near`` is kept beside, for it may grow.
    ``weight`` is a clue's range as a logarithm (sixteenths of a bit: integers
    do not drift), ``load`` the weight of its neighbours, ``fill`` the weight
    products of those pairs of them that are not neighbours yet. ``touched``
    lists the clues of which a load or fill has changed (their number comes last),
    and ``listed`` marks them. ``winners`` is a tournament among the open clues:
    clue k starts at place ``size / 2 + k``, those of 2i and 2i + 1 meet at i, and
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


@inlined
def _closing_order(
    box_start: Vector[np.int32],
    box_clues: Vector[np.int32],
    cells: Vector[np.int32],
    high: Vector[np.int32],
) -> Index:
    """When each clue is closed, (clues,): 0 is first.

    Once that takes too large a table, the rest comes as it is read.
    """
    clues = cells.size
    places = 2
    while places < 2 * clues:
        places *= 2
    graph = _Graph(
        np.zeros((3, clues + 1), np.int64),
        np.empty(clues, np.int64),
        np.zeros(clues, np.int64),
        np.zeros(clues, np.int64),
        np.full(clues, -1, np.int64),
        np.zeros(clues + 1, np.int32),
        np.zeros(clues, np.bool_),
        np.full(places, -1, np.int32),
    )
    for clue in range(clues):
        graph.weight[clue] = round(16 * np.log2(1.0 + min(high[clue], cells[clue])))
    near = np.empty(16 * clues + 16, np.int32)
    for box in range(box_start.size - 1):
        together = box_clues[box_start[box] : box_start[box + 1]]
        near = _with_room(graph, near, together)
        _connect_all(graph, near, together)
    for clue in range(clues):
        graph.winners[places // 2 + clue] = clue
        _touch(graph.touched, graph.listed, clue)
    position = np.full(clues, -1, np.int32)
    beside = np.empty(clues, np.int32)
    for step in range(clues):
        _settle(graph)
        clue = graph.winners[1]
        if graph.weight[clue] + graph.load[clue] > 16 * np.log2(MOST_PRODUCTS):
            # The joins will stop here: the rest is not worth the search.
            position[position < 0] = np.arange(step, clues)
            break
        position[clue] = step
        graph.winners[places // 2 + clue] = -1
        _touch(graph.touched, graph.listed, clue)
        near = _close(graph, near, clue, beside)
    return position


@borrowing
def _touch(touched: Vector[np.int32], listed: Vector[np.bool_], clue: int) -> None:
    """Note that a clue has to compete again."""
    if not listed[clue]:
        listed[clue] = True
        touched[touched[-1]] = clue
        touched[-1] += 1


@inlined
def _settle(graph: _Graph) -> None:
    """Hold the matches of all clues that were touched again, from the leaves to the root."""
    touched, listed, winners = graph.touched, graph.listed, graph.winners
    half = winners.size // 2
    count = touched[-1]
    # Matches stand in ``touched`` in place of the clues, once each.
    for place in range(count):
        listed[touched[place]] = False
        touched[place] = half + touched[place]
    while touched[0] > 1 and count:
        kept = 0
        for place in range(count):
            match = touched[place] // 2
            if kept == 0 or touched[kept - 1] != match:
                touched[kept] = match
                kept += 1
        count = kept
        _hold(winners, graph.fill, graph.load, touched[:count])
    touched[-1] = 0


@inlined
def _hold(
    winners: Vector[np.int32],
    fill: Vector[np.int64],
    load: Vector[np.int64],
    matches: Vector[np.int32],
) -> None:
    """Let the clue of less fill win each match, then that of less load, then the first."""
    for match in matches:
        one, other = winners[2 * match], winners[2 * match + 1]
        if one < 0:
            one = other
        elif other >= 0:
            ahead = fill[other] - fill[one]
            if ahead < 0 or (ahead == 0 and load[other] < load[one]):
                one = other
        winners[match] = one


@inlined
def _with_room(graph: _Graph, near: Vector[np.int32], clues: Vector[np.int32]) -> Index:
    """``near``, or a larger one in its place, with room to make some clues neighbours."""
    start, degree, _ = graph.rows
    filled = start[-1]
    # A row moves when it is full, each time with twice the room.
    most = filled
    for clue in clues:
        most += 4 * (degree[clue] + clues.size + _LEAST_ROOM)
    if most <= near.size:
        return near
    larger = np.empty(2 * most, np.int32)
    larger[:filled] = near[:filled]
    return larger


@borrowing
def _connect_all(graph: _Graph, near: Vector[np.int32], clues: Vector[np.int32]) -> None:
    """Make some clues neighbours of each other."""
    for place in range(clues.size):
        for further in range(place + 1, clues.size):
            _connect(graph, near, clues[place], clues[further])


@inlined
def _connect(graph: _Graph, near: Vector[np.int32], clue: int, other: int) -> None:
    """Make two clues neighbours."""
    start, degree, _ = graph.rows
    touched, listed = graph.touched, graph.listed
    known = False
    for place in range(start[clue], start[clue] + degree[clue]):
        known |= near[place] == other
        graph.mark[near[place]] = clue
    if not known:
        product = graph.weight[clue] * graph.weight[other]
        common = 0
        for place in range(start[other], start[other] + degree[other]):
            beside = near[place]
            if graph.mark[beside] == clue:
                common += graph.weight[beside]
                graph.fill[beside] -= product
                _touch(touched, listed, beside)
        graph.fill[clue] += graph.weight[other] * (graph.load[clue] - common)
        graph.fill[other] += graph.weight[clue] * (graph.load[other] - common)
        _touch(touched, listed, clue)
        _touch(touched, listed, other)
    for place in range(start[clue], start[clue] + degree[clue]):
        graph.mark[near[place]] = -1
    if not known:
        _append(graph, near, clue, other)
        _append(graph, near, other, clue)


@borrowing
def _append(graph: _Graph, near: Vector[np.int32], clue: int, other: int) -> None:
    """Add a neighbour to a clue's row, which moves to the end when it is full."""
    start, degree, room = graph.rows
    graph.load[clue] += graph.weight[other]
    if degree[clue] == room[clue]:
        filled = start[-1]
        room[clue] = max(_LEAST_ROOM, 2 * room[clue])
        start[-1] += room[clue]
        for place in range(degree[clue]):
            near[filled + place] = near[start[clue] + place]
        start[clue] = filled
    near[start[clue] + degree[clue]] = other
    degree[clue] += 1


@inlined
def _close(graph: _Graph, near: Vector[np.int32], clue: int, beside: Vector[np.int32]) -> Index:
    """Take a clue out and make its neighbours, which it is the last to join, neighbours."""
    start, degree, _ = graph.rows
    touched, listed = graph.touched, graph.listed
    count = degree[clue]
    for place in range(count):
        beside[place] = near[start[clue] + place]
        graph.mark[beside[place]] = clue
    for place in range(count):
        other = beside[place]
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
        _touch(touched, listed, other)
    for place in range(count):
        graph.mark[beside[place]] = -1
    if graph.fill[clue] > 0:
        near = _with_room(graph, near, beside[:count])
        _connect_all(graph, near, beside[:count])
    return near


@inner
def _joins(
    size: Vector[np.int32],
    box_start: Vector[np.int32],
    box_clues: Vector[np.int32],
    low: Vector[np.int32],
    high: Vector[np.int32],
    cells: Vector[np.int32],
    position: Vector[np.int32],
    most: float,
) -> tuple[Any, ...]:
    """The fields of `JoinTree` from ``left`` on."""
    boxes = size.size
    tables = 3 * boxes + 1
    left = np.empty(2 * boxes, np.int32)
    right = np.empty(2 * boxes, np.int32)
    entries = np.ones(tables)
    products = np.empty(2 * boxes)
    dim_start = np.zeros(tables + 1, np.int32)
    dims = np.empty((4 * box_clues.size + 64, 4), np.int32)
    # Tables wait in the bucket of the clue that is closed first: the tables, then the boxes.
    first = np.full((2, low.size), -1, np.int32)
    then = np.full(tables, -1, np.int32)
    for box in range(boxes):
        entries[box] = size[box] + 1
        dim_start[box + 1] = dim_start[box]
        for place in range(box_start[box], box_start[box + 1]):
            _write(dims, dim_start[box + 1], box_clues[place], 0, size[box] + 1, size[box])
            dim_start[box + 1] += 1
        _wait(box, 1, dims[dim_start[box] : dim_start[box + 1]], position, first, then)
    dim_start[boxes + 1] = dim_start[boxes]
    order = np.empty(low.size, np.int32)
    for place in range(low.size):
        order[position[place]] = place
    found = np.full(low.size, -1, np.int32)
    joins = 0
    total = 0.0
    for step in range(low.size):
        clue = int(order[step])
        table = -1
        while first[0, clue] >= 0 or first[1, clue] >= 0:
            if table < 0:
                table = _largest(first[0], then, clue, entries)
                table = boxes if table < 0 else table
                continue
            other = _largest(first[0], then, clue, entries)
            if other < 0:
                other = _nearest(first[1], then, clue, table, dim_start, dims)
            left[joins] = table
            right[joins] = other
            table = boxes + 1 + joins
            dims, entries[table], products[joins] = _combine(
                left[joins], other, table, boxes, low, high, cells, dim_start, dims, found, entries
            )
            joins += 1
            total += products[joins - 1]
            if total > most:
                products[joins - 1] = np.inf
                break
        if total > most:
            break
        if table > boxes and dim_start[table + 1] > dim_start[table]:
            _wait(table, 0, dims[dim_start[table] : dim_start[table + 1]], position, first, then)
    last = boxes + 1 + joins
    return (
        left[:joins].copy(),
        right[:joins].copy(),
        dim_start[: last + 1].copy(),
        dims[: dim_start[last]].copy(),
        entries[:last].copy(),
        products[:joins].copy(),
    )


@inlined
def _wait(
    table: int,
    kind: int,
    dims: Matrix[np.int32],
    position: Vector[np.int32],
    first: Matrix[np.int32],
    then: Vector[np.int32],
) -> None:
    """Put a table (kind 0) or box (1) into the bucket of the clue that is closed first."""
    clue = dims[0, CLUE]
    for place in range(1, dims.shape[0]):
        if position[dims[place, CLUE]] < position[clue]:
            clue = dims[place, CLUE]
    then[table] = first[kind, clue]
    first[kind, clue] = table


@inlined
def _take(first: Vector[np.int32], then: Vector[np.int32], clue: int, before: int) -> int:
    """Take the table after ``before`` (-1: the first one) out of a bucket."""
    if before < 0:
        table = first[clue]
        first[clue] = then[table]
    else:
        table = then[before]
        then[before] = then[table]
    return int(table)


@inlined
def _largest(
    first: Vector[np.int32], then: Vector[np.int32], clue: int, entries: Vector[np.float64]
) -> int:
    """Take the table of most entries out of a bucket; -1 if it is empty."""
    table = first[clue]
    if table < 0:
        return -1
    best = before = -1
    most = 0.0
    while table >= 0:
        if entries[table] > most:
            most = entries[table]
            best = before
        before = table
        table = then[table]
    return _take(first, then, clue, best)


@inlined
def _nearest(
    first: Vector[np.int32],
    then: Vector[np.int32],
    clue: int,
    table: int,
    dim_start: Vector[np.int32],
    dims: Matrix[np.int32],
) -> int:
    """Take the box that opens the fewest clues beside those of ``table`` out of a bucket."""
    box = first[clue]
    best = before = -1
    fewest = dims.shape[0]
    while box >= 0:
        opened = 0
        for place in range(dim_start[box], dim_start[box + 1]):
            opened += 1
            for where in range(dim_start[table], dim_start[table + 1]):
                if dims[where, CLUE] == dims[place, CLUE]:
                    opened -= 1
                    break
        if opened < fewest:
            fewest = opened
            best = before
        before = box
        box = then[box]
    return _take(first, then, clue, best)


@inlined
def _combine(
    left: int,
    right: int,
    table: int,
    boxes: int,
    low: Vector[np.int32],
    high: Vector[np.int32],
    cells: Vector[np.int32],
    dim_start: Vector[np.int32],
    dims: Matrix[np.int32],
    found: Vector[np.int32],
    entries: Vector[np.float64],
) -> tuple[NDArray[np.int32], float, float]:
    """Write the dimensions of a join's result behind the others.

    Returns (dims or the larger array that takes its place, entries of the
    result, products of the join at most). ``found`` is -1 everywhere.
    """
    begin = dim_start[table]
    most = begin + dim_start[left + 1] - dim_start[left] + dim_start[right + 1] - dim_start[right]
    if most > dims.shape[0]:
        larger = np.empty((2 * most, 4), np.int32)
        larger[:begin] = dims[:begin]
        dims = larger
    # Products of a join of two tables: for each clue, pairs of values that may meet.
    products = 1.0
    for place in range(dim_start[left], dim_start[left + 1]):
        found[dims[place, CLUE]] = place
        products *= dims[place, RANGE]
    if right < boxes:
        products *= entries[right]
    size = 1.0
    end = begin
    for place in range(dim_start[right], dim_start[right + 1]):
        clue = dims[place, CLUE]
        other = found[clue]
        seen = dims[place, SEEN] + (dims[other, SEEN] if other >= 0 else 0)
        least = max(0, low[clue] - (cells[clue] - seen))
        ways = max(0, min(high[clue], seen) - least + 1)
        if right >= boxes:
            if other >= 0:
                products *= _pairs(dims[other], dims[place], least, ways) / dims[other, RANGE]
            else:
                products *= dims[place, RANGE]
        if seen < cells[clue]:
            _write(dims, end, clue, least, ways, seen)
            size *= ways
            end += 1
        found[clue] = -1
    # What stays as it is comes last, and varies fastest: it is copied in runs.
    for place in range(dim_start[left], dim_start[left + 1]):
        if found[dims[place, CLUE]] >= 0:
            dims[end] = dims[place]
            size *= dims[place, RANGE]
            end += 1
            found[dims[place, CLUE]] = -1
    dim_start[table + 1] = end
    return dims, size, products


@inlined
def _write(dims: Matrix[np.int32], place: int, clue: int, least: int, ways: int, seen: int) -> None:
    """One dimension."""
    dims[place, CLUE] = clue
    dims[place, LEAST] = least
    dims[place, RANGE] = ways
    dims[place, SEEN] = seen


@inlined
def _pairs(one: Vector[np.int32], other: Vector[np.int32], least: int, ways: int) -> int:
    """In how many ways values of two dimensions of a clue sum to one of ``ways`` from ``least``."""
    count = 0
    for value in range(one[LEAST], one[LEAST] + one[RANGE]):
        lowest = max(other[LEAST], least - value)
        highest = min(other[LEAST] + other[RANGE], least + ways - value) - 1
        count += max(0, highest - lowest + 1)
    return count
