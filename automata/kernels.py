"""Compiled loops that grow and trim the decision diagram of a strip.

Cells are numbered as they are read: on a plane board down the columns, one column after the other.
All that the cells before ``t`` mean for the rest fits into a 64-bit key, of four bits for each of
those cells that later ones depend on. They hold

* of a clue, the mines it has seen so far;
* of any other cell, whether it is a mine;
* zero, where no cell has them.

Above them stands the number of mines so far, where a total is required. A
node of the diagram is a set of keys: one key, unless cells are hidden.

Tested in tests/automata/test_diagram.py.
"""

from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from minecheck.minefield.compiled import Matrix, Vector, compile_kernel, inline_kernel

#: The possible contents of a cell, as bits.
MAY_BE_SAFE: Final = 1
MAY_BE_MINE: Final = 2
#: The end of an edge that leads to no layout.
NOWHERE: Final = -1
#: Bits of a key for each cell that is kept, and the most mines that they can say.
SLOT: Final = 4
FULL_SLOT: Final = (1 << SLOT) - 1
#: Bits of a key.
KEY: Final = 63

_DEAD: Final = -1


class Cells(NamedTuple):
    """The cells of a word, in the order in which they are read.

    Attributes:
        may, low, high, hidden: as in `automata.columns.Columns`.
        earlier: the neighbours of each cell that are read before it, negative for none; (cells,
            any). Neighbours are mutual.
        clue: whether a cell is a clue that some layout could get wrong.
        uses: the last cell that depends on each cell; itself, if none does.
        shifts: where in the key a cell has its slot.
        slots: how many of them there are in the key.
    """

    may: Vector[np.uint8]
    low: Vector[np.int8]
    high: Vector[np.int8]
    hidden: Vector[np.bool_]
    earlier: Matrix[np.int32]
    clue: Vector[np.bool_]
    uses: Vector[np.int64]
    shifts: Vector[np.int64]
    slots: int


class Layer(NamedTuple):
    """The keys of all nodes of a layer, and where those of each node end."""

    keys: Vector[np.int64]
    ends: Vector[np.int64]


@compile_kernel
def build_word(
    may: Vector[np.uint8],
    low: Vector[np.int8],
    high: Vector[np.int8],
    hidden: Vector[np.bool_],
    earlier: Matrix[np.int32],
) -> tuple[Cells, NDArray[np.int16]]:
    """Build the cells, with what depends on each, and how many neighbours may be mines.

    A clue waits for its last neighbour that may be a mine, another cell for the last clue that sees
    it. A slot is free again once its cell is waited for no more. Where the key has no room
    left, `Cells.slots` is more than fit into it, and everything else about slots is meaningless.

    Args:
        may: whether cells may be safe (bit 0) and may be mines (bit 1): (cells,).
        low: the fewest mines around each cell: (cells,).
        high: the most mines around it: (cells,).
        hidden: the cells that are no part of a layout: (cells,).
        earlier: the neighbours of each cell that are read before it, below 0 for none: (cells,
            any).
    """
    around = np.zeros(may.size, np.int16)
    for cell in range(may.size):
        for neighbour in earlier[cell]:
            if neighbour >= 0:
                around[neighbour] += may[cell] & MAY_BE_MINE > 0
                around[cell] += may[neighbour] & MAY_BE_MINE > 0
    clue = np.empty(may.size, np.bool_)
    for cell in range(may.size):
        clue[cell] = low[cell] > 0 or high[cell] < around[cell]
    uses = np.arange(may.size)
    for cell in range(may.size):
        for neighbour in earlier[cell]:
            if neighbour >= 0:
                counted_cell, counting_clue = (
                    (cell, neighbour) if clue[neighbour] else (neighbour, cell)
                )
                if clue[counting_clue] and may[counted_cell] & MAY_BE_MINE:
                    uses[neighbour] = cell
    shifts = np.zeros(may.size, np.int64)
    slots = 0
    used_slots = 0
    for cell in range(may.size):
        for neighbour in earlier[cell]:
            if neighbour >= 0 and uses[neighbour] == cell:
                used_slots &= ~(1 << shifts[neighbour] // SLOT)
        if uses[cell] > cell:
            slot = 0
            while used_slots >> slot & 1:
                slot += 1
            slots = max(slots, slot + 1)
            if slots * SLOT > KEY:
                break
            used_slots |= 1 << slot
            shifts[cell] = SLOT * slot
    return Cells(may, low, high, hidden, earlier, clue, uses, shifts, slots), around


@inline_kernel
def _collect_rules(
    cells: Cells, ahead: Vector[np.int16], cell: int, rules: Matrix[np.int64]
) -> int:
    """Fill ``rules`` with what placing ``cell`` must respect, and return how many rules there are.

    The first is for the cell itself, the others for those neighbours before it whose slots are in
    use: (shift of the slot in the key, whether it is a clue, fewest and most mines that a clue may
    have seen by now, whether the slot is used later). ``ahead`` counts for each cell the neighbours
    after the one last placed that may be mines; it is brought up to date.
    """
    count = 1
    for neighbour in cells.earlier[cell]:
        if neighbour >= 0:
            ahead[cell] -= cells.may[neighbour] & MAY_BE_MINE > 0
            ahead[neighbour] -= cells.may[cell] & MAY_BE_MINE > 0
            if cells.uses[neighbour] >= cell:
                _add_rule(cells, ahead, neighbour, cell, rules[count])
                count += 1
    _add_rule(cells, ahead, cell, cell, rules[0])
    return count


@inline_kernel
def _add_rule(
    cells: Cells, ahead: Vector[np.int16], cell: int, placed_cell: int, rule: Vector[np.int64]
) -> None:
    """Fill in the rule, a row of five numbers, for a cell's slot when ``placed_cell`` is placed."""
    rule[0] = cells.shifts[cell]
    rule[1] = cells.clue[cell]
    rule[2] = cells.low[cell] - ahead[cell]
    rule[3] = cells.high[cell]
    rule[4] = cells.uses[cell] > placed_cell


@inline_kernel
def _place_cell(key: int, mine: bool, rules: Matrix[np.int64], count: int) -> int:
    """Return the key after a cell, safe or a mine, is added; `_DEAD` if it breaks a clue.

    A slot has four bits, which hold up to 8 mines that a clue has seen.
    """
    is_clue = rules[0, 1]
    mines_seen = 0
    for rule in range(1, count):
        shift = rules[rule, 0]
        slot = key >> shift & FULL_SLOT
        if rules[rule, 1]:
            slot += mine
            if slot < rules[rule, 2] or slot > rules[rule, 3]:
                return _DEAD
            key += mine << shift
        elif is_clue:
            mines_seen += slot
        if not rules[rule, 4]:
            key &= ~(FULL_SLOT << shift)
    if is_clue and (mines_seen < rules[0, 2] or mines_seen > rules[0, 3]):
        return _DEAD
    if rules[0, 4]:
        key |= (mines_seen if is_clue else int(mine)) << rules[0, 0]
    return key


@inline_kernel
def _place_counted_cell(
    key: int,
    mine: bool,
    rules: Matrix[np.int64],
    count: int,
    slots: int,
    mine_bounds: Vector[np.int64],
    totals: tuple[int, int],
) -> int:
    """Return the key like `_place_cell`, with the mines so far above the slots if they are counted.

    ``mine_bounds`` are the fewest and most mines that the cells to come may hold.
    """
    key = _place_cell(key, mine, rules, count)
    if key == _DEAD or totals[1] < 0:
        return key
    key += int(mine) << SLOT * slots
    mines = key >> SLOT * slots
    if mines + mine_bounds[0] > totals[1] or mines + mine_bounds[1] < totals[0]:
        return _DEAD
    return key


@inline_kernel
def _sort_set(keys: Vector[np.int64], begin: int, stop: int) -> int:
    """Sort ``keys[begin:stop]`` in place, the different ones first; return how many these are."""
    if stop - begin <= 1:
        return stop - begin
    keys[begin:stop].sort()
    end = begin + 1
    for index in range(begin + 1, stop):
        if keys[index] != keys[end - 1]:
            keys[end] = keys[index]
            end += 1
    return end - begin


@inline_kernel
def _find_node(
    table: Vector[np.int32], keys: Vector[np.int64], ends: Vector[np.int64], new_node: int
) -> int:
    """Return the first node of a layer with the same keys as its last one, node ``new_node``.

    ``table`` is a hash table of the nodes, open addressed, -1 where empty; ``new_node`` is entered
    if no other node has its keys. The size of the table is a power of two, and it must have an
    empty entry for the search to end.
    """
    begin = ends[new_node - 1] if new_node else 0
    key_count = ends[new_node] - begin
    mixed = np.uint64(key_count)
    for index in range(begin, ends[new_node]):
        mixed = (mixed ^ np.uint64(keys[index])) * np.uint64(0x9E3779B97F4A7C15)
        mixed ^= mixed >> np.uint64(29)
    table_slot = np.int64(mixed & np.uint64(table.size - 1))
    while table[table_slot] >= 0:
        node = table[table_slot]
        start = ends[node - 1] if node else 0
        if ends[node] - start == key_count:
            is_same = True
            for offset in range(key_count):
                if keys[start + offset] != keys[begin + offset]:
                    is_same = False
                    break
            if is_same:
                return int(node)
        table_slot = (table_slot + 1) & (table.size - 1)
    table[table_slot] = new_node
    return new_node


@inline_kernel
def _grow_layer(
    cells: Cells,
    cell: int,
    rules: Matrix[np.int64],
    room: Vector[np.int64],
    totals: tuple[int, int],
    layer: Layer,
    table: Vector[np.int32],
    children: Layer,
    edges: Matrix[np.int32],
) -> int:
    """Place a cell in each node of a layer; return how many nodes the next layer has.

    Args:
        cells: the cells.
        cell: the cell to place.
        rules: its rules, from `_collect_rules`.
        room: the fewest and most mines of the cells after it.
        totals: the fewest and most mines of a layout.
        layer: the keys of its nodes.
        table: a hash table of nodes, full of `NOWHERE`.
        children: filled in: the keys of the nodes of the next layer.
        edges: filled in: the nodes that a safe cell and a mine lead to, (nodes, 2).
    """
    keys, ends = layer
    child_keys, child_ends = children
    is_hidden = cells.hidden[cell]
    node_count = 0
    begin = 0
    for node in range(len(edges)):
        child_begin = child_ends[node_count - 1] if node_count else 0
        child_stop = child_begin
        for mine in range(2):
            edges[node, mine] = NOWHERE
            if cells.may[cell] & (MAY_BE_MINE if mine else MAY_BE_SAFE):
                for index in range(begin, ends[node]):
                    key = _place_counted_cell(
                        keys[index], mine == 1, rules, len(rules), cells.slots, room, totals
                    )
                    if key != _DEAD:
                        child_keys[child_stop] = key
                        child_stop += 1
            # Both contents of a hidden cell lead to one node, since they are not distinguished.
            if child_stop > child_begin and (mine or not is_hidden):
                child_ends[node_count] = child_begin + _sort_set(
                    child_keys, child_begin, child_stop
                )
                child = _find_node(table, child_keys, child_ends, node_count)
                edges[node, 0 if is_hidden else mine] = child
                node_count += child == node_count
                child_begin = child_ends[node_count - 1] if node_count else 0
                child_stop = child_begin
        begin = ends[node]
    return node_count


@inline_kernel
def _make_room(
    children: Layer, table: Vector[np.int32], key_count: int, nodes: int
) -> tuple[Layer, NDArray[np.int32]]:
    """Return room for the layer after one of ``key_count`` keys, and an empty table for it."""
    if children.keys.size < 2 * key_count or children.ends.size < 2 * nodes:
        children = Layer(np.empty(4 * key_count, np.int64), np.empty(4 * key_count, np.int64))
    while table.size < 4 * nodes:
        table = np.empty(2 * table.size, np.int32)
    table[:] = NOWHERE
    return children, table


@inline_kernel
def _lengthen_edges(edges: Matrix[np.int32], least_nodes: int) -> NDArray[np.int32]:
    """Return edges with room for ``least_nodes`` nodes: these, or a longer copy."""
    if least_nodes <= len(edges):
        return edges
    return np.concatenate((edges, np.empty((max(least_nodes, len(edges)), 2), np.int32)))


@compile_kernel
def grow_diagram(
    cells: Cells,
    ahead: Vector[np.int16],
    mine_bounds: Matrix[np.int64],
    totals: tuple[int, int],
    start: int,
    stop: int,
    layer: Layer,
    effort: int,
) -> tuple[Any, ...]:
    """Go on with a diagram from cell ``start`` to before cell ``stop``.

    A key has four bits for each slot, and the mines so far above them.

    Args:
        cells: the cells, from `build_word`.
        ahead: for each cell the neighbours after ``start`` that may be mines; brought up to date.
        mine_bounds: the fewest and most mines of the cells from each one on, a row for each cell;
            one row where mines are not counted.
        totals: the fewest and most mines of a layout, (0, -1) where mines are not counted.
        start: the first cell to place.
        stop: the cell after the last one.
        layer: the keys of the nodes before ``start``.
        effort: how many keys to look at before the growth stops early.

    Returns:
        (edges, sizes, layer, widest): for each node of each layer, the nodes that a safe
        cell and a mine lead to, int32 (nodes, 2), that of a hidden cell in the first column; how
        many nodes each layer has; the layer reached; and the most keys of a layer.
    """
    rules = np.empty((cells.earlier.shape[1] + 1, 5), np.int64)
    sizes = np.empty(stop - start, np.int64)
    edges = np.empty((8 * (stop - start) + layer.ends.size, 2), np.int32)
    table = np.empty(16, np.int32)
    nodes = layer.ends.size
    filled = widest = 0
    children = Layer(layer.keys[:0], layer.ends[:0])
    for cell in range(start, stop):
        key_count = layer.ends[nodes - 1] if nodes else 0
        if effort < 0:
            stop = cell
            break
        effort -= key_count
        widest = max(widest, key_count)
        children, table = _make_room(children, table, key_count, nodes)
        edges = _lengthen_edges(edges, filled + nodes)
        cell_rules = rules[: _collect_rules(cells, ahead, cell, rules)]
        room = mine_bounds[min(cell + 1, len(mine_bounds) - 1)]
        layer_edges = edges[filled : filled + nodes]
        sizes[cell - start] = nodes
        filled += nodes
        nodes = _grow_layer(
            cells, cell, cell_rules, room, totals, layer, table, children, layer_edges
        )
        layer, children = children, layer
    key_count = layer.ends[nodes - 1] if nodes else 0
    reached = Layer(layer.keys[:key_count].copy(), layer.ends[:nodes].copy())
    return edges[:filled], sizes[: stop - start], reached, max(widest, key_count)


@compile_kernel
def trim_diagram(
    edges: Matrix[np.int32], starts: Vector[np.int64]
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Remove the nodes that no layout goes through.

    The nodes of the last layer, the ends of layouts, have edges to nowhere.

    Args:
        edges: for each node, the nodes of the next layer that a safe cell and a mine lead to:
            (nodes, 2).
        starts: the first node of each layer, and the end of the last: (layers + 1,).

    Returns:
        The new edges and starts.
    """
    layers = starts.size - 1
    alive = np.zeros(len(edges), np.bool_)
    alive[starts[layers - 1] :] = True
    for layer in range(layers - 2, -1, -1):
        next_start = starts[layer + 1]
        for node in range(starts[layer], next_start):
            for mine in range(2):
                child = edges[node, mine]
                if child != NOWHERE:
                    if alive[next_start + child]:
                        alive[node] = True
                    else:
                        edges[node, mine] = NOWHERE
    new_index = np.empty(len(edges), np.int32)
    trimmed_starts = np.zeros(layers + 1, np.int64)
    for layer in range(layers):
        alive_count = 0
        for node in range(starts[layer], starts[layer + 1]):
            new_index[node] = alive_count
            alive_count += alive[node]
        trimmed_starts[layer + 1] = trimmed_starts[layer] + alive_count
    trimmed = np.empty((trimmed_starts[layers], 2), np.int32)
    filled = 0
    for layer in range(layers):
        next_start = starts[layer + 1]
        for node in range(starts[layer], next_start):
            if alive[node]:
                for mine in range(2):
                    child = edges[node, mine]
                    trimmed[filled, mine] = (
                        child if child == NOWHERE else new_index[next_start + child]
                    )
                filled += 1
    return trimmed, trimmed_starts
