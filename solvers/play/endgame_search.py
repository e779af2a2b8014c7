"""The number of layouts that best play wins, for `solvers.play.endgame`.

What is known in a game is the set of layouts that are left, a slice of ``order``. Opening a cell
parts it by what the cell shows, and loses the layouts where it is a mine. The value of a set is
how many of its layouts best play wins; it is searched for with bounds (low, high).

- One layout left is won.
- A cell that is safe in all of them and tells something is opened first: that loses nothing.
- A dead cell shows the same in all layouts where it is safe. Whatever follows it may as well
  come before it, so it is opened last; where all cells are dead, one layout is won.
- Where a set is a product of sets of parts that touch nowhere, its value is the product of theirs.
- A cell that is a mine wherever another one is, which tells something, is not opened before that
  one: the other one is safe whenever it is, and may as well come first.
- Of layouts that no cell that is safe in both tells apart, at most one is won. In sets of at most
  64 layouts, covers by such rivals bound the value (`solvers.play.small_ends`).
- Sets that were met are remembered by the sum of random words of their layouts. Where the board is
  symmetric, the least of the sums of all images stands for all of them.

Two sets are taken for one only if both of their 64-bit sums agree. A slot of the memory whose upper
bound is 0 is free, also while a set that claims it is being searched: sets met deeper down may take
the slot for themselves. So nothing relies on a claim, and key and bounds are always written
together, when the search of a set is over.

Tested in tests/solvers/play/test_moves.py.
"""

from typing import Final, NamedTuple

import numpy as np

from minecheck.minefield.bits import ONE, ZERO, find_lowest_bit
from minecheck.minefield.compiled import (
    Cube,
    Matrix,
    Vector,
    compile_inner,
    compile_kernel,
    inline_kernel,
)
from minecheck.solvers.play.endgame_layouts import HIT
from minecheck.solvers.play.small_ends import WORD, SmallEnd, bound_small_set, find_rivals

#: What a cell may turn out to be: 0 to 8, and `HIT`.
_KINDS: Final = HIT + 1
#: Smaller sets are not looked at for independent parts.
_LEAST_PRODUCT: Final = 4
#: The slots in which a set may be remembered.
_PROBES: Final = 4


class Search(NamedTuple):
    """What a search works on: l layouts and c cells, and what it remembers.

    ``words[l, i]`` are the random words of the image of layout l under the i-th symmetry, the
    first one being itself. ``near`` tells which cells touch. ``effort`` is what is left of it, and
    how many guesses are tried in each set, the safest first: others only count for the upper bound.
    """

    numbers: Matrix[np.uint8]  # (l, c)
    mines: Matrix[np.uint64]  # (l, c in words of bits)
    near: Matrix[np.uint64]  # (c, c in words of bits)
    words: Cube[np.uint64]  # (l, symmetries, 2)
    order: Vector[np.int32]  # (l,)
    buffer: Vector[np.int32]  # (l,)
    live: Matrix[np.int32]  # (depths, c)
    keys: Matrix[np.uint64]  # (memory, 2), memory a power of two and not below _PROBES
    bounds: Matrix[np.int32]  # (memory, 2)
    effort: Vector[np.int64]  # (2,)
    small: SmallEnd


@compile_kernel
def bound_endgame_value(search: Search, cell: int, effort: int, enough: int) -> tuple[int, int]:
    """Return bounds of the layouts won by best play; they are equal if the effort was enough.

    Args:
        search: the layouts and the memory of the search.
        cell: the index of the cell that is opened first, -1 for the best one.
        effort: layouts times cells that may be looked at.
        enough: a value that is not above this need not be known.
    """
    search.effort[0] = effort
    layouts, cells = search.numbers.shape
    for index in range(cells):
        search.live[0, index] = index
    if cell < 0:
        return _bound_value(search, 0, layouts, 0, cells, enough)
    return _bound_after_opening(search, 0, layouts, 0, cells, enough, cell)


@compile_inner
def _bound_value(
    search: Search, begin: int, end: int, depth: int, live_count: int, enough: int
) -> tuple[int, int]:
    """Return bounds of the value of ``order[begin:end]``.

    The first ``live_count`` of ``live[depth]`` are the cells that may tell something. A value that
    is not above ``enough`` need not be known.
    """
    size = end - begin
    if size == 1 or live_count == 0:
        return 1, 1
    slot = _recall_set(search, begin, end)
    known = search.bounds[slot, 0], search.bounds[slot, 1]
    if known[1] > 0 and (known[0] == known[1] or known[1] <= enough):
        return known
    shown = np.zeros((live_count, _KINDS), np.int32)
    _count_outcomes(search, begin, end, depth, live_count, shown)
    search.effort[0] -= size * live_count
    alive, sure, low, high = _keep_live(search, depth, live_count, shown, size)
    depth += 1
    if known[1] > 0:
        low = max(low, known[0])
        high = min(high, known[1])
    if alive == 0:
        return 1, 1
    if low == high or high <= enough or search.effort[0] < 0:
        return low, high
    key, check = search.keys[slot]
    part = np.zeros(search.mines.shape[1], np.uint64)
    if sure < 0 and size >= _LEAST_PRODUCT and _is_product(search, begin, end, part):
        least, most = _bound_product(search, begin, end, depth, alive, part)
    elif size <= WORD:
        least, most = _bound_word(search, begin, end, depth, alive, enough)
    elif sure >= 0:
        cell = search.live[depth, sure]
        least, most = _bound_after_opening(search, begin, end, depth, alive, enough, cell)
    else:
        least, most = _bound_guesses(search, begin, end, depth, alive, max(low, enough), shown)
    low = max(low, least)
    high = min(high, most)
    search.keys[slot] = key, check
    search.bounds[slot] = low, high
    return low, high


@inline_kernel
def _bound_guesses(
    search: Search,
    begin: int,
    end: int,
    depth: int,
    live_count: int,
    enough: int,
    shown: Matrix[np.int32],
) -> tuple[int, int]:
    """Return bounds of the value of a set in which no cell that distinguishes layouts is safe."""
    size = end - begin
    waits = _find_waiting_cells(search, begin, end, depth, live_count)
    low = bound = 1
    tries = search.effort[1]
    # Moves that lose the fewest layouts immediately come first.
    for index in np.argsort(shown[:live_count, HIT]):
        most = size - shown[index, HIT]
        if most <= max(low, enough) or tries == 0:
            bound = max(bound, most)
            break
        if waits[index]:
            continue
        tries -= 1
        cell = search.live[depth, index]
        least, most = _bound_after_opening(
            search, begin, end, depth, live_count, max(low, enough), cell
        )
        low = max(low, least)
        bound = max(bound, most)
    return low, bound


@inline_kernel
def _find_waiting_cells(
    search: Search, begin: int, end: int, depth: int, live_count: int
) -> Vector[np.bool_]:
    """Return which cells are mines wherever another one is: that one is better opened first.

    Of cells that are mines together, the first one need not wait. Cells are bits of words.
    """
    words = search.mines.shape[1]
    cells = search.near.shape[0]
    # The cells that are mines whenever this one is.
    implied = np.zeros((cells, words), np.uint64)
    implied[:] = ~ZERO
    for turn in range(begin, end):
        layout = search.order[turn]
        for word in range(words):
            left = search.mines[layout, word]
            while left != ZERO:
                cell = 64 * word + int(np.int64(find_lowest_bit(left)))
                left &= left - ONE
                for other in range(words):
                    implied[cell, other] &= search.mines[layout, other]
    waits = np.zeros(live_count, np.bool_)
    for index in range(live_count):
        cell = search.live[depth, index]
        for turn in range(live_count):
            other = search.live[depth, turn]
            if turn == index or implied[other, cell >> 6] >> np.uint64(cell & 63) & ONE == ZERO:
                continue
            both = implied[cell, other >> 6] >> np.uint64(other & 63) & ONE != ZERO
            if turn < index or not both:
                waits[index] = True
                break
    return waits


@inline_kernel
def _bound_word(
    search: Search, begin: int, end: int, depth: int, live_count: int, enough: int
) -> tuple[int, int]:
    """Return bounds of the value of a set of at most 64 layouts, as a word of bits."""
    small = search.small
    small.state[0] += 1
    small.state[1] = search.effort[0]
    for index in range(live_count):
        cell = search.live[depth, index]
        small.live[0, index] = cell
        small.masks[cell] = 0
        for turn in range(begin, end):
            number = search.numbers[search.order[turn], cell]
            small.masks[cell, number] |= ONE << np.uint64(turn - begin)
        small.spans[cell, 0] = 0
        small.spans[cell, 1] = -1
        for number in range(HIT - 1, -1, -1):
            if small.masks[cell, number] != ZERO:
                small.spans[cell, 0] = number
                small.spans[cell, 1] = max(small.spans[cell, 1], number)
    find_rivals(small, end - begin, live_count)
    chosen = ~ZERO >> np.uint64(WORD - (end - begin))
    bounds = bound_small_set(small, chosen, 0, live_count, enough)
    search.effort[0] = small.state[1]
    return bounds


@inline_kernel
def _count_outcomes(
    search: Search, begin: int, end: int, depth: int, live_count: int, shown: Matrix[np.int32]
) -> None:
    """Count the layouts of ``order[begin:end]`` by what each of the cells shows: (cells, kinds)."""
    for turn in range(begin, end):
        row = search.order[turn]
        for index in range(live_count):
            shown[index, search.numbers[row, search.live[depth, index]]] += 1


@inline_kernel
def _keep_live(
    search: Search, depth: int, live_count: int, shown: Matrix[np.int32], size: int
) -> tuple[int, int, int, int]:
    """List the cells that distinguish layouts one level deeper, with what they show.

    Returns how many there are, the safe one that tells most or -1, and bounds of the value.
    """
    kept = 0
    sure = -1
    low = high = 1
    largest = size
    for index in range(live_count):
        kinds = 0
        most = np.int32(0)
        for number in range(HIT):
            kinds += shown[index, number] > 0
            most = max(most, shown[index, number])
        if kinds < 2:
            continue
        if shown[index, HIT] == 0 and most < largest:
            sure = kept
            largest = int(most)
        # After it, of those that show the same at least one is won.
        low = max(low, kinds)
        high = max(high, size - shown[index, HIT])
        search.live[depth + 1, kept] = search.live[depth, index]
        shown[kept] = shown[index]
        kept += 1
    return kept, sure, low, high


@inline_kernel
def _recall_set(search: Search, begin: int, end: int) -> int:
    """Return the slot of a set in the memory; its upper bound is 0 if it was not met before.

    The key of a slot that is free may be overwritten at any time (see the top of this module).
    """
    key = check = np.uint64(0)
    sums = np.zeros(search.words.shape[1:], np.uint64)
    for turn in range(begin, end):
        layout = search.order[turn]
        for image in range(search.words.shape[1]):
            sums[image, 0] += search.words[layout, image, 0]
            sums[image, 1] += search.words[layout, image, 1]
    for image in range(search.words.shape[1]):
        if image == 0 or sums[image, 0] < key:
            key = sums[image, 0]
            check = sums[image, 1]
    slot = np.int64(key & np.uint64(search.keys.shape[0] - 1))
    for probe in range(_PROBES):
        near = slot ^ probe
        if search.bounds[near, 1] == 0 or (
            search.keys[near, 0] == key and search.keys[near, 1] == check
        ):
            slot = near
            break
    else:
        slot ^= np.int64(check & np.uint64(_PROBES - 1))
        search.bounds[slot] = 0
    search.keys[slot, 0] = key
    search.keys[slot, 1] = check
    return int(slot)


@inline_kernel
def _mix_bits(number: np.uint64) -> np.uint64:
    """Return a number whose bits depend on all bits of another (the finalizer of SplitMix64).

    Products wrap modulo 2^64.
    """
    number = (number ^ (number >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    number = (number ^ (number >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return number ^ (number >> np.uint64(31))


@inline_kernel
def _bound_after_opening(
    search: Search, begin: int, end: int, depth: int, live_count: int, enough: int, cell: int
) -> tuple[int, int]:
    """Return bounds of the value after opening a cell, with the arguments of `_bound_value`."""
    starts = np.zeros(_KINDS + 1, np.int64)
    _sort_by_outcome(search, begin, end, cell, starts)
    rooms = np.zeros(_KINDS, np.int64)
    shown = np.zeros((live_count, _KINDS), np.int32)
    for number in range(HIT):
        first, last = starts[number], starts[number + 1]
        rooms[number] = _count_most_survived(search, first, last, depth, live_count, shown)
    room = int(rooms.sum())
    low = high = 0
    for number in range(HIT):
        first, last = starts[number], starts[number + 1]
        if first == last:
            continue
        if high + room <= enough:
            break
        room -= int(rooms[number])
        least, most = _bound_value(search, first, last, depth, live_count, enough - high - room)
        low += least
        high += most
    return low, high + room


@inline_kernel
def _count_most_survived(
    search: Search, begin: int, end: int, depth: int, live_count: int, shown: Matrix[np.int32]
) -> int:
    """Return in how many layouts of a set one more click may be survived; ``shown`` is scratch."""
    size = end - begin
    if size < 2:
        return size
    shown[:] = 0
    _count_outcomes(search, begin, end, depth, live_count, shown)
    best = 1
    for index in range(live_count):
        survived = size - shown[index, HIT]
        if survived > best and shown[index, :HIT].max() < survived:
            best = survived
    return int(best)


@inline_kernel
def _is_product(search: Search, begin: int, end: int, part: Vector[np.uint64]) -> bool:
    """Return True if a set is a product of two parts that do not touch; ``part`` is one."""
    words = part.size
    sometimes = np.zeros(words, np.uint64)
    always = ~sometimes
    for turn in range(begin, end):
        for word in range(words):
            sometimes[word] |= search.mines[search.order[turn], word]
            always[word] &= search.mines[search.order[turn], word]
    unsettled = sometimes & ~always
    left = unsettled.copy()
    while _take_part(search, left, part):
        if np.all(part == unsettled):
            return False
        if _combines_freely(search, begin, end, part):
            return True
    return False


@inline_kernel
def _take_part(search: Search, left: Vector[np.uint64], part: Vector[np.uint64]) -> bool:
    """Move cells that touch from ``left`` to ``part``, all that hang together; return if any.

    A bit leaves ``left`` as its cell is put on the stack, so once, and an entry for each cell
    suffices.
    """
    part[:] = 0
    waiting = np.empty(search.near.shape[0], np.int32)
    waiting_count = 0
    for word in range(left.size):
        if left[word] != ZERO:
            bit = find_lowest_bit(left[word])
            left[word] ^= ONE << np.uint64(bit)
            part[word] = ONE << np.uint64(bit)
            waiting[0] = 64 * word + bit
            waiting_count = 1
            break
    has_cells = waiting_count > 0
    while waiting_count > 0:
        waiting_count -= 1
        cell = waiting[waiting_count]
        for word in range(left.size):
            new = search.near[cell, word] & left[word]
            left[word] ^= new
            part[word] |= new
            while new != ZERO:
                waiting[waiting_count] = 64 * word + find_lowest_bit(new)
                new &= new - ONE
                waiting_count += 1
    return has_cells


@inline_kernel
def _combines_freely(search: Search, begin: int, end: int, part: Vector[np.uint64]) -> bool:
    """Return True if every state of a part combines with every state of the rest.

    With a random number for each state, the sum of products is the product of sums. All are modulo
    2^64.
    """
    first = _hash_part(search, search.order[begin], part)
    first_rest = _hash_part(search, search.order[begin], ~part)
    count = count_rest = 0
    total = total_rest = products = np.uint64(0)
    for turn in range(begin, end):
        state = _hash_part(search, search.order[turn], part)
        rest = _hash_part(search, search.order[turn], ~part)
        products += state * rest
        if rest == first_rest:
            count += 1
            total += state
        if state == first:
            count_rest += 1
            total_rest += rest
    return count * count_rest == end - begin and products == total * total_rest


@inline_kernel
def _bound_product(
    search: Search, begin: int, end: int, depth: int, live_count: int, part: Vector[np.uint64]
) -> tuple[int, int]:
    """Return bounds of the value of a product of two sets.

    In one set all but a part is as in one of the layouts, in the other the part is.
    """
    chosen = search.order[begin]
    low = high = 1
    for fixed in (part, ~part):
        middle = begin
        state = _hash_part(search, chosen, fixed)
        for turn in range(begin, end):
            layout = search.order[turn]
            if _hash_part(search, layout, fixed) == state:
                search.order[turn] = search.order[middle]
                search.order[middle] = layout
                middle += 1
        least, most = _bound_value(search, begin, middle, depth, live_count, 0)
        low *= least
        high *= most
    return low, high


@inline_kernel
def _hash_part(search: Search, layout: int, part: Vector[np.uint64]) -> np.uint64:
    """Return a random number that stands for the mines of a layout in a part."""
    state = np.uint64(0)
    for word in range(part.size):
        state = _mix_bits(state + (search.mines[layout, word] & part[word]) + np.uint64(word + 1))
    return state


@inline_kernel
def _sort_by_outcome(
    search: Search, begin: int, end: int, cell: int, starts: Vector[np.int64]
) -> None:
    """Sort a set by what a cell shows; ``starts`` receives where each kind begins, and the end.

    ``starts`` is full of zeros at first, (kinds + 1,). The order within a kind stays.
    """
    for turn in range(begin, end):
        starts[search.numbers[search.order[turn], cell] + 1] += 1
    starts[0] = begin
    for kind in range(_KINDS):
        starts[kind + 1] += starts[kind]
    search.buffer[begin:end] = search.order[begin:end]
    for turn in range(end - 1, begin - 1, -1):
        kind = search.numbers[search.buffer[turn], cell] + 1
        starts[kind] -= 1
        search.order[starts[kind]] = search.buffer[turn]
    # Each start has moved to where its own kind begins, one entry too far up.
    starts[:_KINDS] = starts[1:]
    starts[_KINDS] = end
