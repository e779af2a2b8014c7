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
        kinds, onward, both, after, sets: as in `automata.two_rows.ColumnTables`.
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
        behind: the weight of the ways to get to each pair, before and after a column, (2, 9).
        sums: weights by the mines of a column, (3,).
    """

    kinds: Vector[np.uint8]
    pairs: Vector[np.uint16]
    ahead: Matrix[np.float64]
    behind: Matrix[np.float64]
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
def split_parts(
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
    top, bottom, pairs_back, kinds, pairs_of_sets = (
        word.top,
        word.bottom,
        word.back,
        word.kinds,
        word.both,
    )
    onward, sets, successors = word.onward, word.sets, word.after
    rows, last_column = len(chances), top.size - 1
    spans = np.empty((16, 3), np.int64)
    count = 0
    start, first_state, state = 0, START, START
    column_code = top[0] * CODES + bottom[0]
    kind = kinds[column_code]
    pairs = pairs_of_sets[state, pairs_back[0]]
    for column in range(top.size):
        following = onward[kind, state]
        next_pairs = pairs_of_sets[following, pairs_back[column + 1]]
        next_code, next_kind, is_cut = column_code, kind, True
        if column < last_column:
            next_code = top[column + 1] * CODES + bottom[column + 1]
            next_kind = kinds[next_code]
            sides = int(successors[kind, 0] == ANY_PAIR) + 2 * int(
                successors[next_kind, 0] == ANY_PAIR
            )
            is_cut = sets[CUT, next_pairs] >> sides & 1 > 0
        if is_cut:
            possible = sets[HELD, pairs]
            if column == start and not np.isnan(lone[column_code, possible, 0]):
                lone_of[kind, possible] += 1
                for row in range(rows):
                    chances[row, column] = lone[column_code, possible, row]
            else:
                if count == len(spans):
                    spans = np.concatenate((spans, np.empty_like(spans)))
                spans[count, 0] = start
                spans[count, 1] = column + 1
                spans[count, 2] = first_state
                count += 1
            start, first_state = column + 1, following
        state, pairs, column_code, kind = following, next_pairs, next_code, next_kind
    return spans[:count]


@inline_kernel
def read_part(
    word: Word, span: Vector[np.int64], kinds: Vector[np.uint8], pairs: Vector[np.uint16]
) -> None:
    """Read the part in ``span``, a row of `split_parts`: fill in its ``kinds`` and ``pairs``.

    Both are as in `Room`, for at least as many columns as the part has. A set of the nine pairs
    takes nine bits of a uint16.
    """
    start, stop, state = span
    for column in range(start, stop):
        kind = word.kinds[word.top[column] * CODES + word.bottom[column]]
        kinds[column - start] = kind
        pairs[column - start] = word.both[state, word.back[column]]
        state = word.onward[kind, state]
    pairs[stop - start] = word.sets[LEAVING, word.both[state, word.back[stop]]]
    pairs[0] = word.sets[ENTERING, pairs[0]]


@compile_without_references
def look_ahead(word: Word, length: int, space: Room) -> float:
    """Fill ``space.ahead`` for a part, and return the weight of its layouts.

    Args:
        word: the strip and its tables.
        length: how many columns the part has, at most `LONGEST`.
        space: the buffers, which hold the part.
    """
    pairs, lowest, sums, ahead = space.pairs, word.sets[LOWEST], space.sums, space.ahead
    unread_pairs = pairs[length]
    while unread_pairs:
        ahead[length, lowest[unread_pairs]] = 1.0
        unread_pairs &= unread_pairs - 1
    for column in range(length - 1, -1, -1):
        kind = space.kinds[column]
        if word.after[kind, 0] == ANY_PAIR:
            sums[:] = 0.0
            unread_pairs = pairs[column + 1]
            while unread_pairs:
                pair = lowest[unread_pairs]
                sums[pair // COUNTS] += ahead[column + 1, pair]
                unread_pairs &= unread_pairs - 1
            unread_pairs = pairs[column]
            while unread_pairs:
                pair = lowest[unread_pairs]
                mines = pair % COUNTS
                ahead[column, pair] = sums[mines] * word.weights[kind, mines]
                unread_pairs &= unread_pairs - 1
        else:
            unread_pairs = pairs[column]
            while unread_pairs:
                pair = lowest[unread_pairs]
                weight = word.weights[kind, pair % COUNTS]
                ahead[column, pair] = ahead[column + 1, word.after[kind, pair]] * weight
                unread_pairs &= unread_pairs - 1
    total_weight = 0.0
    unread_pairs = pairs[0]
    while unread_pairs:
        total_weight += ahead[0, lowest[unread_pairs]]
        unread_pairs &= unread_pairs - 1
    return total_weight


@inline_kernel
def _fill_short_part(
    word: Word,
    start: int,
    length: int,
    total_weight: float,
    shares: Cube[np.float64],
    space: Room,
    chances: Matrix[np.float64],
) -> None:
    """Fill ``chances`` for the part at ``start`` in ``space``, which weighs ``total_weight``.

    ``total_weight`` is below 2**53, and so are all sums of parts of it, which doubles hold exactly.
    """
    pairs, lowest, sums = space.pairs, word.sets[LOWEST], space.sums
    ahead, behind = space.ahead, space.behind
    side = 0
    unread_pairs = pairs[0]
    while unread_pairs:
        behind[0, lowest[unread_pairs]] = 1.0
        unread_pairs &= unread_pairs - 1
    for column in range(length):
        kind = space.kinds[column]
        sums[:] = 0.0
        unread_pairs = pairs[column]
        while unread_pairs:
            pair = lowest[unread_pairs]
            sums[pair % COUNTS] += behind[side, pair] * ahead[column, pair]
            unread_pairs &= unread_pairs - 1
        column_code = word.top[start + column] * CODES + word.bottom[start + column]
        for row in range(len(chances)):
            mine_weight = 0.0
            for mines in range(1, COUNTS):
                mine_weight += sums[mines] * shares[column_code, mines, row]
            chances[row, start + column] = mine_weight / total_weight
        if word.after[kind, 0] == ANY_PAIR:
            sums[:] = 0.0
            unread_pairs = pairs[column]
            while unread_pairs:
                pair = lowest[unread_pairs]
                sums[pair % COUNTS] += behind[side, pair]
                unread_pairs &= unread_pairs - 1
            unread_pairs = pairs[column + 1]
            while unread_pairs:
                pair = lowest[unread_pairs]
                mines = pair // COUNTS
                behind[1 - side, pair] = sums[mines] * word.weights[kind, mines]
                unread_pairs &= unread_pairs - 1
        else:
            unread_pairs = pairs[column]
            while unread_pairs:
                pair = lowest[unread_pairs]
                weight = word.weights[kind, pair % COUNTS]
                behind[1 - side, word.after[kind, pair]] = behind[side, pair] * weight
                unread_pairs &= unread_pairs - 1
        side = 1 - side


@compile_kernel
def fill_part_chances(
    word: Word, spans: Matrix[np.int64], shares: Cube[np.float64], chances: Matrix[np.float64]
) -> NDArray[np.float64]:
    """Return the weight of each part, (parts,), infinite if it is not exact, and deal out chances.

    A weight is exact below 2**53, as sums of integers in doubles. Where it is, chances are, too.

    Args:
        word: the strip and its tables.
        spans: the parts, from `split_parts`: (parts, 3).
        shares: the share of mines of each cell of a column, by the column's code and mines.
        chances: the chance of each cell, which is filled in: (1 or 2, columns); without rows,
            parts are only weighed.
    """
    space = make_room()
    total_weights = np.full(len(spans), np.inf)
    for part in range(len(spans)):
        start, stop, _ = spans[part]
        if stop - start <= LONGEST:
            read_part(word, spans[part], space.kinds, space.pairs)
            total_weight = look_ahead(word, stop - start, space)
            if total_weight < EXACT:
                total_weights[part] = total_weight
                if len(chances):
                    _fill_short_part(
                        word, start, stop - start, total_weight, shares, space, chances
                    )
    return total_weights


@inline_kernel
def _pass_column(
    word: Word,
    kind: int,
    known_mines: int,
    pairs: Vector[np.uint16],
    degree: int,
    behind: Matrix[np.float64],
    next_behind: Matrix[np.float64],
    sums: Matrix[np.float64],
) -> None:
    """Bring the ways to get to a column, by mines, to the next one.

    Args:
        word: the strip and its tables.
        kind: the kind of the column.
        known_mines: how many mines are known in it, which are not counted.
        pairs: the pairs of the column and of the next one, as bits.
        degree: the most mines so far; there are two more afterwards at most.
        behind: the ways to each pair by mines, (pairs, mines).
        next_behind: filled in: the same for the next column.
        sums: a buffer, (counts, mines).
    """
    lowest = word.sets[LOWEST]
    is_free = word.after[kind, 0] == ANY_PAIR
    for column_mines in range(COUNTS if is_free else 0):
        sums[column_mines, : degree + 3] = 0.0
    unread_pairs = pairs[0]
    while unread_pairs:
        pair = lowest[unread_pairs]
        column_mines = pair % COUNTS
        target = sums[column_mines] if is_free else next_behind[word.after[kind, pair]]
        if not is_free:
            target[: degree + 3] = 0.0
        for mines in range(degree + 1):
            target[mines + column_mines - known_mines] += (
                behind[pair, mines] * word.weights[kind, column_mines]
            )
        unread_pairs &= unread_pairs - 1
    unread_pairs = pairs[1] if is_free else 0
    while unread_pairs:
        pair = lowest[unread_pairs]
        next_behind[pair, : degree + 3] = sums[pair // COUNTS, : degree + 3]
        unread_pairs &= unread_pairs - 1


@compile_kernel
def spread_by_mines(
    word: Word, spans: Matrix[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return the layouts of each part by mines in unknown cells; weights must be exact.

    Args:
        word: the strip and its tables, whose weights are numbers of ways.
        spans: the parts, from `split_parts`: (parts, 3).

    Returns:
        All coefficients in one array, and where those of each part begin, and the last ones end:
        (parts + 1,).
    """
    longest = 0
    for part in range(len(spans)):
        longest = max(longest, spans[part, 1] - spans[part, 0])
    space = make_room()
    behind = np.zeros((2, PAIRS, 2 * longest + 3))
    sums = np.zeros((COUNTS, 2 * longest + 3))
    coefficients = np.empty(64)
    ends = np.zeros(len(spans) + 1, np.int64)
    for part in range(len(spans)):
        start, stop, _ = spans[part]
        read_part(word, spans[part], space.kinds, space.pairs)
        pairs, lowest = space.pairs, word.sets[LOWEST]
        side = 0
        degree = 0
        unread_pairs = pairs[0]
        while unread_pairs:
            behind[0, lowest[unread_pairs], 0] = 1.0
            unread_pairs &= unread_pairs - 1
        for column in range(stop - start):
            known_mines = (word.top[start + column] == MINE) + (word.bottom[start + column] == MINE)
            column_pairs = pairs[column : column + 2]
            _pass_column(
                word,
                space.kinds[column],
                known_mines,
                column_pairs,
                degree,
                behind[side],
                behind[1 - side],
                sums,
            )
            degree += 2
            side = 1 - side
        begin = ends[part]
        ends[part + 1] = begin + degree + 1
        while ends[part + 1] > len(coefficients):
            coefficients = np.concatenate((coefficients, np.empty_like(coefficients)))
        coefficients[begin : begin + degree + 1] = 0.0
        unread_pairs = pairs[stop - start]
        while unread_pairs:
            coefficients[begin : begin + degree + 1] += behind[
                side, lowest[unread_pairs], : degree + 1
            ]
            unread_pairs &= unread_pairs - 1
    return coefficients[: ends[len(spans)]], ends


@inline_kernel
def convolve(
    coefficients: Vector[np.float64], ends: Vector[np.int64], factor: Vector[np.float64]
) -> NDArray[np.float64]:
    """Multiply ``factor`` by the polynomials from `spread_by_mines`; all are exact.

    Args:
        coefficients: the coefficients of all parts.
        ends: where those of each part begin, and the last ones end: (parts + 1,).
        factor: another polynomial.
    """
    product = factor
    for part in range(len(ends) - 1):
        row = coefficients[ends[part] : ends[part + 1]]
        longer = np.zeros(product.size + row.size - 1)
        for power in range(row.size):
            if row[power] > 0:
                longer[power : power + product.size] += row[power] * product
        product = longer
    return product


@compile_kernel
def solve_short_strip(
    word: Word,
    lone: Cube[np.float64],
    shares: Cube[np.float64],
    cells: Matrix[np.int64],
    chances: Matrix[np.float64],
) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.int64], NDArray[np.float64]]:
    """Take a strip apart, deal out chances, and count layouts by mines if that is short.

    Args:
        word: the strip and its tables.
        lone: as for `split_parts`.
        shares: as for `fill_part_chances`.
        cells: how many cells of a column are known mines and how many unknown: (kinds, 2).
        chances: the chance of each cell, which is filled in: (1 or 2, columns).

    Returns:
        The parts, what they weigh, the single columns by kind and possible mines, and the layouts
        by their mines in unknown cells: none if these numbers are not exact.
    """
    lone_of = np.zeros((len(word.weights), 1 << COUNTS), np.int64)
    spans = split_parts(word, lone, chances, lone_of)
    total_weights = fill_part_chances(word, spans, shares, chances)
    decided = 1.0
    free_cells = decided_mines = 0
    for kind in range(len(lone_of)):
        for possible in range(1 << COUNTS):
            count = lone_of[kind, possible]
            if count == 0:
                continue
            for column_mines in range(COUNTS):
                if possible == 1 << column_mines:
                    for _ in range(count if word.weights[kind, column_mines] != 1 else 0):
                        decided *= word.weights[kind, column_mines]
                    decided_mines += count * (column_mines - cells[kind, 0])
            if possible & possible - 1:
                free_cells += count * cells[kind, 1]
    total_weight = decided * 2.0**free_cells
    for part in range(len(total_weights)):
        total_weight *= total_weights[part]
    if not total_weight < EXACT:
        return spans, total_weights, lone_of, total_weights[:0]
    row = np.zeros(decided_mines + free_cells + 1)
    row[decided_mines] = decided
    for cell in range(free_cells):
        for power in range(decided_mines + cell + 1, decided_mines, -1):
            row[power] += row[power - 1]
    coefficients, ends = spread_by_mines(word, spans)
    return spans, total_weights, lone_of, convolve(coefficients, ends, row)
