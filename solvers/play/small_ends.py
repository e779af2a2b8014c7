"""The value of sets of at most 64 layouts, each a word of bits, for `solvers.play.endgame_search`.

The rules are those of the larger sets. What is remembered holds for one set of 64 and its subsets.

Tested in tests/solvers/play/test_moves.py.
"""

from typing import Final, NamedTuple

import numpy as np

from minecheck.minefield.bits import ONE, ZERO, count_bits, find_lowest_bit
from minecheck.minefield.compiled import Matrix, Vector, compile_without_references, inline_kernel
from minecheck.solvers.play.endgame_layouts import HIT

#: The most layouts of a set that is a word.
WORD: Final = 64
#: The bits of a key of the subsets that are remembered.
SMALL_BITS: Final = 13


class SmallEnd(NamedTuple):
    """A set of up to 64 layouts, bit i of a word being the i-th one.

    ``masks[c, k]`` are the layouts in which cell c shows k; ``spans`` the least and the most number
    that it shows. ``live[d]`` are cells that may tell something after d clicks, ``picks[d]`` those
    that are worth opening first. ``rivals[i]`` are the layouts that nobody wins who wins the
    i-th one: no cell that is safe in both shows another number. ``state`` is the turn of the
    memory, and the effort that is left.
    """

    masks: Matrix[np.uint64]  # (c, 10)
    spans: Matrix[np.int32]  # (c, 2)
    live: Matrix[np.int32]  # (depths, c)
    picks: Matrix[np.int32]  # (depths, c)
    rooms: Matrix[np.int32]  # (depths, 10)
    rivals: Vector[np.uint64]  # (64,)
    keys: Vector[np.uint64]  # (2 ** SMALL_BITS,)
    turns: Vector[np.int64]  # (2 ** SMALL_BITS,)
    bounds: Matrix[np.int32]  # (2 ** SMALL_BITS, 2)
    state: Vector[np.int64]  # (2,)


@compile_without_references
def bound_small_set(
    end: SmallEnd, chosen: np.uint64, depth: int, live_count: int, enough: int
) -> tuple[int, int]:
    """Return bounds of the value of a set of layouts; they are equal unless it is not needed.

    Args:
        end: the layouts.
        chosen: the set, not empty.
        depth: the clicks so far.
        live_count: how many of ``live[depth]`` are cells that may tell something.
        enough: a value that is not above this need not be known.
    """
    size = int(np.int64(count_bits(chosen)))
    if size == 1 or live_count == 0:
        return 1, 1
    slot = int(chosen * np.uint64(0x9E3779B97F4A7C15) >> np.uint64(64 - SMALL_BITS))
    low = 1
    high = size
    if end.keys[slot] == chosen and end.turns[slot] == end.state[0]:
        low = int(end.bounds[slot, 0])
        high = int(end.bounds[slot, 1])
        if low == high or high <= enough:
            return low, high
    high = min(high, count_cliques(end, chosen))
    if low == high or high <= enough:
        return low, high
    end.state[1] -= live_count
    kept, sure, kinds, most = _keep_live_cells(end, chosen, depth, live_count, size)
    low = max(low, kinds)
    high = min(high, most)
    depth += 1
    if sure >= 0:
        if low < high and high > enough:
            least, most = _bound_small_after(end, chosen, depth, kept, enough, sure)
            low = max(low, least)
            high = min(high, most)
    elif low < high and high > enough and end.state[1] >= 0:
        bound = kinds
        picks = _pick_cells(end, chosen, depth, kept)
        for turn in range(picks):
            cell = _take_safest(end, chosen, depth, picks - turn)
            most = count_cliques(end, chosen & ~end.masks[cell, HIT])
            if most <= max(low, enough):
                bound = max(bound, most)
                continue
            least, most = _bound_small_after(end, chosen, depth, kept, max(low, enough), cell)
            low = max(low, least)
            bound = max(bound, most)
        high = min(high, max(low, bound))
    end.keys[slot] = chosen
    end.turns[slot] = end.state[0]
    end.bounds[slot, 0] = low
    end.bounds[slot, 1] = high
    return low, high


@inline_kernel
def find_rivals(end: SmallEnd, size: int, live_count: int) -> None:
    """Fill in ``rivals`` of the first ``size`` layouts, by ``live_count`` cells of ``live[0]``."""
    everything = ~ZERO >> np.uint64(WORD - size)
    for layout in range(size):
        bit = ONE << np.uint64(layout)
        distinct = bit
        for index in range(live_count):
            cell = end.live[0, index]
            for number in range(end.spans[cell, 0], end.spans[cell, 1] + 1):
                if end.masks[cell, number] & bit != ZERO:
                    distinct |= ~(end.masks[cell, HIT] | end.masks[cell, number])
                    break
        end.rivals[layout] = everything & ~distinct


@inline_kernel
def count_cliques(end: SmallEnd, chosen: np.uint64) -> int:
    """Cover a set by sets of rivals, and count them: nobody wins more than one layout of each."""
    cliques = 0
    left = chosen
    while left != ZERO:
        cliques += 1
        layout = find_lowest_bit(left)
        left &= left - ONE
        near = left & end.rivals[layout]
        while near != ZERO:
            layout = find_lowest_bit(near)
            left ^= ONE << np.uint64(layout)
            near &= end.rivals[layout]
    return cliques


@inline_kernel
def _keep_live_cells(
    end: SmallEnd, chosen: np.uint64, depth: int, live_count: int, size: int
) -> tuple[int, int, int, int]:
    """List the cells that distinguish layouts one level deeper.

    Returns how many there are, the safe one that shows most numbers or -1, the most numbers of any,
    and the most layouts in which one of them is safe.
    """
    kept = kinds = most = most_sure = 0
    sure = -1
    for index in range(live_count):
        cell = end.live[depth, index]
        safe = chosen & ~end.masks[cell, HIT]
        shown = 0
        for number in range(end.spans[cell, 0], end.spans[cell, 1] + 1):
            shown += (safe & end.masks[cell, number]) != ZERO
        if shown < 2:
            continue
        survived = int(np.int64(count_bits(safe)))
        if survived == size and shown > most_sure:
            sure = cell
            most_sure = shown
        kinds = max(kinds, shown)
        most = max(most, survived)
        end.live[depth + 1, kept] = cell
        kept += 1
    return kept, sure, kinds, most


@inline_kernel
def _pick_cells(end: SmallEnd, chosen: np.uint64, depth: int, live_count: int) -> int:
    """Pick the cells that are worth opening first; return how many there are.

    A cell that is a mine wherever another one is can wait: the other one is safe whenever it is.
    """
    picks = 0
    for index in range(live_count):
        cell = end.live[depth, index]
        mined = chosen & end.masks[cell, HIT]
        waits = False
        for other in range(live_count):
            rival = chosen & end.masks[end.live[depth, other], HIT]
            if other != index and rival & ~mined == ZERO and (rival != mined or other < index):
                waits = True
                break
        if not waits:
            end.picks[depth, picks] = cell
            picks += 1
    return picks


@inline_kernel
def _take_safest(end: SmallEnd, chosen: np.uint64, depth: int, picks: int) -> int:
    """Take the cell that is a mine in the fewest layouts from the first ``picks``, at least one."""
    best = 0
    least = WORD + 1
    for index in range(picks):
        hits = int(np.int64(count_bits(chosen & end.masks[end.picks[depth, index], HIT])))
        if hits < least:
            least = hits
            best = index
    cell = end.picks[depth, best]
    end.picks[depth, best] = end.picks[depth, picks - 1]
    return int(cell)


@inline_kernel
def _bound_small_after(
    end: SmallEnd, chosen: np.uint64, depth: int, live_count: int, enough: int, cell: int
) -> tuple[int, int]:
    """Return bounds of the value after opening a cell, with the arguments of `bound_small_set`."""
    low = high = room = 0
    first, last = end.spans[cell, 0], end.spans[cell, 1] + 1
    for number in range(first, last):
        end.rooms[depth, number] = _count_most_survived(
            end, chosen & end.masks[cell, number], depth, live_count
        )
        room += end.rooms[depth, number]
    for number in range(first, last):
        if room + high <= enough:
            break
        left = chosen & end.masks[cell, number]
        if left == ZERO:
            continue
        room -= end.rooms[depth, number]
        least, most = bound_small_set(end, left, depth, live_count, enough - high - room)
        low += least
        high += most
    return low, high + room


@inline_kernel
def _count_most_survived(end: SmallEnd, chosen: np.uint64, depth: int, live_count: int) -> int:
    """Return in how many layouts of a set one more click may be survived."""
    size = count_cliques(end, chosen)
    if size < 2:
        return size
    best = 1
    for index in range(live_count):
        cell = end.live[depth, index]
        safe = chosen & ~end.masks[cell, HIT]
        survived = int(np.int64(count_bits(safe)))
        if survived <= best:
            continue
        first = safe & (ZERO - safe)
        for number in range(end.spans[cell, 0], end.spans[cell, 1] + 1):
            same = safe & end.masks[cell, number]
            if same & first != ZERO:
                if same != safe:
                    best = survived
                break
        if best >= size:
            break
    return min(best, size)
