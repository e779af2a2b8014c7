"""Compiled loops over the parts of a strip whose weights are too large for doubles.

Weights are numbers of `automata.numbers`; otherwise the loops sum as those of `automata.parts` do.

Tested in tests/automata/test_weighing.py.
"""

from typing import NamedTuple

import numpy as np

from minecheck.automata.numbers import (
    LOSS,
    Number,
    add_number,
    add_numbers,
    multiply_numbers,
    read_number,
    round_ratio,
)
from minecheck.automata.parts import LONGEST, Word, read_part
from minecheck.automata.two_rows import ANY_PAIR, COUNTS, HELD, LOWEST, PAIRS
from minecheck.minefield.board import CODES
from minecheck.minefield.compiled import (
    Cube,
    Matrix,
    Vector,
    compile_inner,
    compile_kernel,
    inline_kernel,
)


class _Part(NamedTuple):
    """A part of a strip.

    Attributes:
        word: the strip and its tables.
        start: the column of the strip where the part begins.
        kinds: the kind of each of its columns, (columns,).
        pairs: the pairs before each column and after the last, a bit each: (columns + 1,).
        weights: the weights of a column by its kind and mines, as numbers: (kinds, 3, 3).
        shares: as for `fill_part_chances`.
    """

    word: Word
    start: int
    kinds: Vector[np.uint8]
    pairs: Vector[np.uint16]
    weights: Cube[np.float64]
    shares: Cube[np.float64]


@compile_kernel
def fill_long_part(
    word: Word,
    span: Vector[np.int64],
    weights: Cube[np.float64],
    shares: Cube[np.float64],
    chances: Matrix[np.float64],
) -> None:
    """Fill in the chances of a part that `fill_part_chances` left out; NaN where in doubt.

    Of the vectors of what is ahead one in each block is kept; a block is filled in again when
    chances are dealt out from the first column to the last.

    Args:
        word: the strip and its tables.
        span: where the part begins, where it ends, and the onward set before it.
        weights: the weights of a column by its kind and mines, as numbers: (kinds, 3, 3).
        shares: as for `fill_part_chances`.
        chances: the chance of each cell, which is filled in: (1 or 2, columns).
    """
    length = span[1] - span[0]
    kinds, pairs = np.empty(length, np.uint8), np.empty(length + 1, np.uint16)
    read_part(word, span, kinds, pairs)
    part = _Part(word, span[0], kinds, pairs, weights, shares)
    blocks = (length - 1) // LONGEST
    ahead = np.zeros((LONGEST + 1, PAIRS, 3))
    kept_vectors = np.zeros((blocks + 1, PAIRS, 3))
    _begin_vector(word, pairs[length], kept_vectors[blocks])
    for block in range(blocks, -1, -1):
        begin, end = block * LONGEST, min(length, block * LONGEST + LONGEST)
        ahead[end - begin] = kept_vectors[block]
        _look_ahead(part, begin, end, ahead)
        if block:
            kept_vectors[block - 1] = ahead[0]
    total_weight = (0.0, 0.0, 0.0)
    unread_pairs = pairs[0]
    while unread_pairs:
        total_weight = add_numbers(
            total_weight, read_number(ahead[0], word.sets[LOWEST, unread_pairs])
        )
        unread_pairs &= unread_pairs - 1
    behind = np.zeros((2, PAIRS, 3))
    _begin_vector(word, pairs[0], behind[0])
    for block in range(blocks + 1):
        begin, end = block * LONGEST, min(length, block * LONGEST + LONGEST)
        if block:
            ahead[end - begin] = kept_vectors[block]
            _look_ahead(part, begin, end, ahead)
        _fill_block_chances(part, begin, end, ahead, behind, total_weight, chances)


@inline_kernel
def _begin_vector(word: Word, pairs: int, vector: Matrix[np.float64]) -> None:
    """Put 1 into a vector of numbers, (pairs, 3), for each of some pairs, given as bits."""
    while pairs:
        vector[word.sets[LOWEST, pairs]] = (1.0, 0.0, 0.0)
        pairs &= pairs - 1


@compile_inner
def _look_ahead(part: _Part, begin: int, end: int, ahead: Cube[np.float64]) -> None:
    """Fill ``ahead`` for columns ``begin`` to ``end - 1`` of a part, from its last vector.

    ``ahead[column - begin]`` is the vector of a column, (pairs, 3), and ``here_ahead`` and
    ``next_ahead`` are views of two of them; that of ``end`` is given.
    """
    word, kinds, pairs, weights = part.word, part.kinds, part.pairs, part.weights
    lowest = word.sets[LOWEST]
    sums = np.zeros((COUNTS, 3))
    for column in range(end - 1, begin - 1, -1):
        kind = kinds[column]
        here_ahead, next_ahead = ahead[column - begin], ahead[column - begin + 1]
        is_free = word.after[kind, 0] == ANY_PAIR
        if is_free:
            sums[:] = 0.0
            unread_pairs = pairs[column + 1]
            while unread_pairs:
                pair = lowest[unread_pairs]
                add_number(sums, pair // COUNTS, read_number(next_ahead, pair))
                unread_pairs &= unread_pairs - 1
        unread_pairs = pairs[column]
        while unread_pairs:
            pair = lowest[unread_pairs]
            mines = pair % COUNTS
            weight_ahead = (
                read_number(sums, mines)
                if is_free
                else read_number(next_ahead, word.after[kind, pair])
            )
            here_ahead[pair] = multiply_numbers(weight_ahead, read_number(weights[kind], mines))
            unread_pairs &= unread_pairs - 1


@inline_kernel
def _find_chance(
    possible: int,
    sums: Matrix[np.float64],
    shares: Vector[np.float64],
    total_weight: Number,
    error: float,
) -> float:
    """Return the chance of a mine in a cell of a column.

    Args:
        possible: a bit for each number of mines that the column may have.
        sums: the ways with each number of mines in the column, (counts, 3).
        shares: the share of these ways in which the cell is a mine, (counts,).
        total_weight: all ways.
        error: the relative error of the ways.
    """
    mine_weight = (0.0, 0.0, 0.0)
    may_be_safe = False
    for mines in range(COUNTS):
        share = shares[mines]
        if possible >> mines & 1:
            may_be_safe |= share < 1
            if share > 0:
                mine_weight = add_numbers(
                    mine_weight, (sums[mines, 0] * share, sums[mines, 1] * share, sums[mines, 2])
                )
    if mine_weight[0] == 0 or not may_be_safe:
        return 0.0 if may_be_safe else 1.0
    return round_ratio(mine_weight, total_weight, error)


@inline_kernel
def _pass_column(
    word: Word,
    kind: int,
    pairs: Vector[np.uint16],
    weights: Cube[np.float64],
    sums: Matrix[np.float64],
    behind: Cube[np.float64],
) -> None:
    """Bring ``behind[0]``, all ways to get to a column, to the next one; ``sums`` is a buffer.

    ``pairs`` are those of the column and of the next one.
    """
    lowest = word.sets[LOWEST]
    is_free = word.after[kind, 0] == ANY_PAIR
    if is_free:
        sums[:] = 0.0
    unread_pairs = pairs[0]
    while unread_pairs:
        pair = lowest[unread_pairs]
        mines = pair % COUNTS
        if is_free:
            add_number(sums, mines, read_number(behind[0], pair))
        else:
            behind[1, word.after[kind, pair]] = multiply_numbers(
                read_number(behind[0], pair), read_number(weights[kind], mines)
            )
        unread_pairs &= unread_pairs - 1
    unread_pairs = pairs[1] if is_free else 0
    while unread_pairs:
        pair = lowest[unread_pairs]
        mines = pair // COUNTS
        behind[1, pair] = multiply_numbers(
            read_number(sums, mines), read_number(weights[kind], mines)
        )
        unread_pairs &= unread_pairs - 1
    behind[0] = behind[1]


@compile_inner
def _fill_block_chances(
    part: _Part,
    begin: int,
    end: int,
    ahead: Cube[np.float64],
    behind: Cube[np.float64],
    total_weight: Number,
    chances: Matrix[np.float64],
) -> None:
    """Fill ``chances`` for columns ``begin`` to ``end - 1`` of a part; ``behind`` goes along.

    ``ahead`` is as `_look_ahead` has filled it; ``behind[0]`` is the vector of all ways to get
    to a column.
    """
    word, start, kinds, pairs, weights, shares = part
    error = (4.0 * (pairs.size - 1) + 16.0) * LOSS
    lowest = word.sets[LOWEST]
    sums = np.zeros((COUNTS, 3))
    for column in range(begin, end):
        column_code = word.top[start + column] * CODES + word.bottom[start + column]
        sums[:] = 0.0
        unread_pairs = pairs[column]
        while unread_pairs:
            pair = lowest[unread_pairs]
            add_number(
                sums,
                pair % COUNTS,
                multiply_numbers(
                    read_number(behind[0], pair), read_number(ahead[column - begin], pair)
                ),
            )
            unread_pairs &= unread_pairs - 1
        possible = word.sets[HELD, pairs[column]]
        for row in range(len(chances)):
            chances[row, start + column] = _find_chance(
                possible, sums, shares[column_code, :, row], total_weight, error
            )
        column_pairs = pairs[column : column + 2]
        _pass_column(word, kinds[column], column_pairs, weights, sums, behind)
