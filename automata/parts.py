"""Compiled loops over the independent parts of a strip of one row or two: what their layouts weigh.

A strip falls apart where what is on one side says nothing of the other: between two columns
without clues, for instance, or where only one pair of mine counts is possible. Each part is summed
up by itself. A vector has an entry for each pair (mines in the column on the left, on the right):
the weight of all ways to go on from it, or to get to it. Of the pairs only those are looked at
that some layout has.

Most parts are so short that all sums are integers below 2**53, exact in doubles: then a chance is
one division, correctly rounded. The others are summed by `automata.long_parts`, and where even that
leaves a doubt, that is said.

Tested in tests/automata/test_weighing.py.
"""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from minecheck.automata.two_rows import (
    ANY_PAIR,
    COUNTS,
    CUT,
    ENTERING,
    HELD,
    LEAVING,
    LOWEST,
    PAIRS,
    START,
)
from minecheck.minefield.board import CODES, MINE
from minecheck.minefield.compiled import (
    Cube,
    FixedVector,
    Matrix,
    Vector,
    compile_kernel,
    compile_without_references,
    inline_kernel,
)

#: Doubles below this are exact integers, and so are their sums.
EXACT: Final = 2.0**53
#: Columns of a part that is summed up at once, and between two kept vectors of a longer one.
LONGEST: Final = 512


class Word(NamedTuple):
    """A strip and what its columns mean.

    Attributes:
        top, bottom: codes of the cells, (columns,).
        back: the back set before each column, and after the last, (columns + 1,).
        kinds, onward, both, after, sets, shares: as in `automata.two_rows.ColumnTables`.
        weights: kind, mines -> the weight of the ways to place them, as doubles; infinite where
            they are not exact, (kinds, 3).
    """

    top: FixedVector[np.int8]
    bottom: FixedVector[np.int8]
    back: Vector[np.uint8]
    kinds: Vector[np.uint8]
    onward: Matrix[np.uint8]
    both: Matrix[np.uint16]
    after: Matrix[np.uint8]
    sets: Matrix[np.uint16]
    weights: Matrix[np.float64]


class Room(NamedTuple):
    """The buffers that the loops write to, for one part.

    Attributes:
        kinds: the kind of each of its columns.
        pairs: the pairs before each column, and after the last, as bits. At either end only those
            that differ in what matters to the part.
        ahead: the weight of the ways to go on from each pair, (columns + 1, 9).
        given: the weight of the ways to get to each pair, before and after a column, (2, 9).
        sums: weights by the mines of a column, (3,).
    """

    kinds: Vector[np.uint8]
    pairs: Vector[np.uint16]
    ahead: Matrix[np.float64]
    given: Matrix[np.float64]
    sums: Vector[np.float64]


@inline_kernel
def make_room() -> Room:
    """Make buffers for a part of `LONGEST` columns."""
    return Room(
        np.empty(LONGEST, np.uint8),
        np.empty(LONGEST + 1, np.uint16),
        np.empty((LONGEST + 1, PAIRS)),
        np.empty((2, PAIRS)),
        np.empty(COUNTS),
    )


@compile_kernel
def fall_apart(
    word: Word, lone: Cube[np.float64], chances: Matrix[np.float64], lone_of: Matrix[np.int64]
) -> NDArray[np.int64]:
    """Return the parts of a consistent strip, except single columns that are known in advance.

    Args:
        word: the strip and its tables.
        lone: for each column that is a part and its possible mines, as bits, the chances of its
            cells, NaN where they are not known: (256, 8, 2).
        chances: filled in for these columns: (0, 1 or 2, columns).
        lone_of: counts of these columns, by kind and possible mines, which are added to: (kinds,
            8).

    Returns:
        Where each other part begins, where it ends, and the onward set before it: (parts, 3).
    """
    top, bottom, back, kinds, both = word.top, word.bottom, word.back, word.kinds, word.both
    onward, sets, after = word.onward, word.sets, word.after
    rows, last = len(chances), top.size - 1
    found = np.empty((16, 3), np.int64)
    count = 0
    start, first_state, state = 0, START, START
    number = top[0] * CODES + bottom[0]
    kind = kinds[number]
    pairs = both[state, back[0]]
    for column in range(top.size):
        following = onward[kind, state]
        next_pairs = both[following, back[column + 1]]
        next_number, next_kind, cut = number, kind, True
        if column < last:
            next_number = top[column + 1] * CODES + bottom[column + 1]
            next_kind = kinds[next_number]
            sides = int(after[kind, 0] == ANY_PAIR) + 2 * int(after[next_kind, 0] == ANY_PAIR)
            cut = sets[CUT, next_pairs] >> sides & 1 > 0
        if cut:
            possible = sets[HELD, pairs]
            if column == start and not np.isnan(lone[number, possible, 0]):
                lone_of[kind, possible] += 1
                for row in range(rows):
                    chances[row, column] = lone[number, possible, row]
            else:
                if count == len(found):
                    found = np.concatenate((found, np.empty_like(found)))
                found[count, 0] = start
                found[count, 1] = column + 1
                found[count, 2] = first_state
                count += 1
            start, first_state = column + 1, following
        state, pairs, number, kind = following, next_pairs, next_number, next_kind
    return found[:count]


@inline_kernel
def _read_part(word: Word, start: int, stop: int, state: int, space: Room) -> None:
    """Put a part of up to `LONGEST` columns, from ``start`` to ``stop - 1``, into ``space``.

    A set of the nine pairs takes nine bits of a uint16.
    """
    for column in range(start, stop):
        kind = word.kinds[word.top[column] * CODES + word.bottom[column]]
        space.kinds[column - start] = kind
        space.pairs[column - start] = word.both[state, word.back[column]]
        state = word.onward[kind, state]
    space.pairs[stop - start] = word.sets[LEAVING, word.both[state, word.back[stop]]]
    space.pairs[0] = word.sets[ENTERING, space.pairs[0]]


@compile_without_references
def look_ahead(word: Word, size: int, space: Room) -> float:
    """Fill ``space.ahead`` for a part, and return the weight of its layouts.

    Args:
        word: the strip and its tables.
        size: how many columns the part has, at most `LONGEST`.
        space: the buffers, which hold the part.
    """
    pairs, lowest, sums, ahead = space.pairs, word.sets[LOWEST], space.sums, space.ahead
    left = pairs[size]
    while left:
        ahead[size, lowest[left]] = 1.0
        left &= left - 1
    for column in range(size - 1, -1, -1):
        kind = space.kinds[column]
        if word.after[kind, 0] == ANY_PAIR:
            sums[:] = 0.0
            left = pairs[column + 1]
            while left:
                pair = lowest[left]
                sums[pair // COUNTS] += ahead[column + 1, pair]
                left &= left - 1
            left = pairs[column]
            while left:
                pair = lowest[left]
                here = pair % COUNTS
                ahead[column, pair] = sums[here] * word.weights[kind, here]
                left &= left - 1
        else:
            left = pairs[column]
            while left:
                pair = lowest[left]
                weight = word.weights[kind, pair % COUNTS]
                ahead[column, pair] = ahead[column + 1, word.after[kind, pair]] * weight
                left &= left - 1
    whole = 0.0
    left = pairs[0]
    while left:
        whole += ahead[0, lowest[left]]
        left &= left - 1
    return whole


@inline_kernel
def _deal_short(
    word: Word,
    start: int,
    size: int,
    whole: float,
    shares: Cube[np.float64],
    space: Room,
    chances: Matrix[np.float64],
) -> None:
    """Fill ``chances`` for the part at ``start`` in ``space``, which weighs ``whole``.

    ``whole`` is below 2**53, and so are all sums of parts of it, which doubles hold exactly.
    """
    pairs, lowest, sums = space.pairs, word.sets[LOWEST], space.sums
    ahead, given = space.ahead, space.given
    now = 0
    left = pairs[0]
    while left:
        given[0, lowest[left]] = 1.0
        left &= left - 1
    for column in range(size):
        kind = space.kinds[column]
        sums[:] = 0.0
        left = pairs[column]
        while left:
            pair = lowest[left]
            sums[pair % COUNTS] += given[now, pair] * ahead[column, pair]
            left &= left - 1
        number = word.top[start + column] * CODES + word.bottom[start + column]
        for row in range(len(chances)):
            held = 0.0
            for here in range(1, COUNTS):
                held += sums[here] * shares[number, here, row]
            chances[row, start + column] = held / whole
        if word.after[kind, 0] == ANY_PAIR:
            sums[:] = 0.0
            left = pairs[column]
            while left:
                pair = lowest[left]
                sums[pair % COUNTS] += given[now, pair]
                left &= left - 1
            left = pairs[column + 1]
            while left:
                pair = lowest[left]
                here = pair // COUNTS
                given[1 - now, pair] = sums[here] * word.weights[kind, here]
                left &= left - 1
        else:
            left = pairs[column]
            while left:
                pair = lowest[left]
                weight = word.weights[kind, pair % COUNTS]
                given[1 - now, word.after[kind, pair]] = given[now, pair] * weight
                left &= left - 1
        now = 1 - now


@compile_kernel
def deal_chances(
    word: Word, parts: Matrix[np.int64], shares: Cube[np.float64], chances: Matrix[np.float64]
) -> NDArray[np.float64]:
    """Return the weight of each part, (parts,), infinite if it is not exact, and deal out chances.

    A weight is exact below 2**53, as sums of integers in doubles. Where it is, chances are, too.

    Args:
        word: the strip and its tables.
        parts: the parts, from `fall_apart`: (parts, 3).
        shares: the share of mines of each cell of a column, by the column's code and mines.
        chances: the chance of each cell, which is filled in: (1 or 2, columns); without rows,
            parts are only weighed.
    """
    space = make_room()
    wholes = np.full(len(parts), np.inf)
    for part in range(len(parts)):
        start, stop, state = parts[part]
        if stop - start <= LONGEST:
            _read_part(word, start, stop, state, space)
            whole = look_ahead(word, stop - start, space)
            if whole < EXACT:
                wholes[part] = whole
                if len(chances):
                    _deal_short(word, start, stop - start, whole, shares, space, chances)
    return wholes


@inline_kernel
def _pass_column(
    word: Word,
    kind: int,
    known: int,
    pairs: Vector[np.uint16],
    degree: int,
    given: Matrix[np.float64],
    after: Matrix[np.float64],
    sums: Matrix[np.float64],
) -> None:
    """Bring the ways to get to a column, by mines, to the next one.

    Args:
        word: the strip and its tables.
        kind: the kind of the column.
        known: how many mines are known in it, which are not counted.
        pairs: the pairs of the column and of the next one, as bits.
        degree: the most mines so far; there are two more afterwards at most.
        given: the ways to each pair by mines, (pairs, mines).
        after: filled in: the same for the next column.
        sums: a buffer, (counts, mines).
    """
    lowest = word.sets[LOWEST]
    free = word.after[kind, 0] == ANY_PAIR
    for here in range(COUNTS if free else 0):
        sums[here, : degree + 3] = 0.0
    left = pairs[0]
    while left:
        pair = lowest[left]
        here = pair % COUNTS
        target = sums[here] if free else after[word.after[kind, pair]]
        if not free:
            target[: degree + 3] = 0.0
        for mines in range(degree + 1):
            target[mines + here - known] += given[pair, mines] * word.weights[kind, here]
        left &= left - 1
    left = pairs[1] if free else 0
    while left:
        pair = lowest[left]
        after[pair, : degree + 3] = sums[pair // COUNTS, : degree + 3]
        left &= left - 1


@compile_kernel
def spread_by_mines(
    word: Word, parts: Matrix[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return the layouts of each part by mines in unknown cells; weights must be exact.

    Args:
        word: the strip and its tables, whose weights are numbers of ways.
        parts: the parts, from `fall_apart`: (parts, 3).

    Returns:
        All coefficients in one array, and where those of each part begin, and the last ones end:
        (parts + 1,).
    """
    longest = 0
    for part in range(len(parts)):
        longest = max(longest, parts[part, 1] - parts[part, 0])
    space = make_room()
    given = np.zeros((2, PAIRS, 2 * longest + 3))
    sums = np.zeros((COUNTS, 2 * longest + 3))
    found = np.empty(64)
    ends = np.zeros(len(parts) + 1, np.int64)
    for part in range(len(parts)):
        start, stop, state = parts[part]
        _read_part(word, start, stop, state, space)
        pairs, lowest = space.pairs, word.sets[LOWEST]
        now = 0
        degree = 0
        left = pairs[0]
        while left:
            given[0, lowest[left], 0] = 1.0
            left &= left - 1
        for column in range(stop - start):
            known = (word.top[start + column] == MINE) + (word.bottom[start + column] == MINE)
            two = pairs[column : column + 2]
            _pass_column(
                word, space.kinds[column], known, two, degree, given[now], given[1 - now], sums
            )
            degree += 2
            now = 1 - now
        begin = ends[part]
        ends[part + 1] = begin + degree + 1
        while ends[part + 1] > len(found):
            found = np.concatenate((found, np.empty_like(found)))
        found[begin : begin + degree + 1] = 0.0
        left = pairs[stop - start]
        while left:
            found[begin : begin + degree + 1] += given[now, lowest[left], : degree + 1]
            left &= left - 1
    return found[: ends[len(parts)]], ends


@inline_kernel
def convolve(
    coefficients: Vector[np.float64], ends: Vector[np.int64], first: Vector[np.float64]
) -> NDArray[np.float64]:
    """Multiply ``first`` by the polynomials from `spread_by_mines`; all are exact.

    Args:
        coefficients: the coefficients of all parts.
        ends: where those of each part begin, and the last ones end: (parts + 1,).
        first: another polynomial.
    """
    found = first
    for part in range(len(ends) - 1):
        row = coefficients[ends[part] : ends[part + 1]]
        longer = np.zeros(found.size + row.size - 1)
        for power in range(row.size):
            if row[power] > 0:
                longer[power : power + found.size] += row[power] * found
        found = longer
    return found


@compile_kernel
def at_once(
    word: Word,
    lone: Cube[np.float64],
    shares: Cube[np.float64],
    cells: Matrix[np.int64],
    chances: Matrix[np.float64],
) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.int64], NDArray[np.float64]]:
    """Take a strip apart, deal out chances, and count layouts by mines if that is short.

    Args:
        word: the strip and its tables.
        lone: as for `fall_apart`.
        shares: as for `deal_chances`.
        cells: how many cells of a column are known mines and how many unknown: (kinds, 2).
        chances: the chance of each cell, which is filled in: (1 or 2, columns).

    Returns:
        The parts, what they weigh, the single columns by kind and possible mines, and the layouts
        by their mines in unknown cells: none if these numbers are not exact.
    """
    lone_of = np.zeros((len(word.weights), 1 << COUNTS), np.int64)
    found = fall_apart(word, lone, chances, lone_of)
    wholes = deal_chances(word, found, shares, chances)
    decided = 1.0
    free = mines = 0
    for kind in range(len(lone_of)):
        for possible in range(1 << COUNTS):
            number = lone_of[kind, possible]
            if number == 0:
                continue
            for here in range(COUNTS):
                if possible == 1 << here:
                    for _ in range(number if word.weights[kind, here] != 1 else 0):
                        decided *= word.weights[kind, here]
                    mines += number * (here - cells[kind, 0])
            if possible & possible - 1:
                free += number * cells[kind, 1]
    whole = decided * 2.0**free
    for part in range(len(wholes)):
        whole *= wholes[part]
    if not whole < EXACT:
        return found, wholes, lone_of, wholes[:0]
    row = np.zeros(mines + free + 1)
    row[mines] = decided
    for cell in range(free):
        for power in range(mines + cell + 1, mines, -1):
            row[power] += row[power - 1]
    coefficients, ends = spread_by_mines(word, found)
    return found, wholes, lone_of, convolve(coefficients, ends, row)
