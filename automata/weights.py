"""Compiled loops over the columns of narrow strips: how likely each pair of mine counts is.

``tables`` are `automata.narrow.Tables`. A vector of weights, or of chances, has
an entry for each pair, a zero, and for each number of mines a sum of pairs: all
that is ever asked of it is one of its entries. Compilation knows the length of
``tables.counts``, and makes loops for one row and for two.
"""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from minefield.board import CODES, Cells
from minefield.compiled import compiled

#: Columns between two kept vectors of weights.
_BLOCK: Final = 512
#: Columns after which weights are scaled.
_SCALED: Final = 8
#: Weights further apart than this soon run out of the range of floats.
_SPREAD: Final = 1e-150


@compiled
def deal_out(
    top: Cells,
    bottom: Cells,
    before: NDArray[np.uint8],
    after: NDArray[np.uint8],
    tables: Any,
    factors: NDArray[np.float64],
    extreme: bool,
    chances: NDArray[np.float64],
) -> None:
    """Fill ``chances``, (1 or 2, columns), with NaN if there is no layout.

    ``before`` and ``after`` are the onward and the back sets. Where only one
    pair is possible between two columns, the parts of the board on both sides
    do not depend on each other: each part is summed up by itself. ``factors``
    are the weights of a column, for each kind and pair before it, and their
    logarithms, (2, kinds, pairs); if ``extreme``, only the logarithms.
    """
    live, single, verdicts = tables.live, tables.single, tables.verdicts
    kinds, sources, origins = tables.kinds, tables.sources, tables.origins
    shares = tables.shares
    if not live[before[0], after[0]]:
        chances[:] = np.nan
        return
    counts = tables.counts
    size = len(counts)
    entries = size * size + 1 + size
    weights, given = np.empty((_BLOCK + 1, entries)), np.empty((2, entries))
    start = 0
    while start < top.size:
        first = single[before[start], after[start]]
        stop = start + 1
        while stop < top.size and single[before[stop], after[stop]] < 0:
            stop += 1
        last = single[before[stop], after[stop]]
        if first >= 0 and stop == start + 1:
            number = top[start] * CODES + bottom[start]
            for row in range(len(chances)):
                chances[row, start] = shares[number, first % size, row]
        else:
            _part(
                top,
                bottom,
                start,
                stop,
                first,
                last,
                counts,
                kinds,
                sources,
                origins,
                factors,
                shares,
                extreme,
                weights,
                given,
                chances,
            )
            for column in range(start, stop):
                number = top[column] * CODES + bottom[column]
                verdict = verdicts[number, live[before[column], after[column]]]
                for row in range(len(chances)):
                    if verdict >> row & 1:
                        chances[row, column] = 1.0
                    elif verdict >> row + 2 & 1:
                        chances[row, column] = 0.0
        start = stop


# Slices of arrays cost more than columns do: the loops take whole arrays, and places in them.


@compiled
def _part(
    top: Cells,
    bottom: Cells,
    start: int,
    stop: int,
    first: int,
    last: int,
    counts: tuple[int, ...],
    kinds: NDArray[np.uint8],
    sources: NDArray[np.uint8],
    origins: NDArray[np.uint8],
    factors: NDArray[np.float64],
    shares: NDArray[np.float64],
    extreme: bool,
    weights: NDArray[np.float64],
    given: NDArray[np.float64],
    chances: NDArray[np.float64],
) -> None:
    """Fill ``chances`` of columns ``start`` to ``stop - 1``, with the pairs before and after them.

    A pair is -1 at an end of the board, where it is not known. The weights of
    what follows a column are summed from the last column to the first. Of
    these vectors one in each block is kept; a block is filled in again when
    chances are dealt out from the first column to the last. Where weights run
    out of the range of floats, their logarithms take their place.
    """
    blocks = (stop - start - 1) // _BLOCK
    kept = np.empty((blocks, weights.shape[1])) if blocks else weights
    for logs in (False, True):
        in_range = logs or not extreme
        for block in range(blocks, -1, -1):
            begin = start + block * _BLOCK
            end = min(stop, begin + _BLOCK)
            if block == blocks:
                _end(last, logs, counts, weights, end - begin)
            else:
                kept[block] = weights[0]
                weights[_BLOCK] = weights[0]
            if logs:
                _weigh_logs(top, bottom, begin, end, counts, kinds, sources, factors, weights)
            elif not _weigh(top, bottom, begin, end, counts, kinds, sources, factors, weights):
                in_range = False
        if in_range:
            break
    _start(first, logs, counts, weights, given)
    for block in range(blocks + 1):
        begin = start + block * _BLOCK
        end = min(stop, begin + _BLOCK)
        if block:
            if block == blocks:
                _end(last, logs, counts, weights, end - begin)
            else:
                weights[_BLOCK] = kept[block]
            if logs:
                _weigh_logs(top, bottom, begin, end, counts, kinds, sources, factors, weights)
            else:
                _weigh(top, bottom, begin, end, counts, kinds, sources, factors, weights)
        if logs:
            _deal_logs(
                top, bottom, begin, end, counts, kinds, origins, shares, weights, given, chances
            )
        else:
            _deal(top, bottom, begin, end, counts, kinds, origins, shares, weights, given, chances)


@compiled
def _end(
    pair: int, logs: bool, counts: tuple[int, ...], weights: NDArray[np.float64], place: int
) -> None:
    """The weights after a part: one for the pair there, or for all that a board may end with."""
    for here in counts:
        for after in counts:
            number = len(counts) * here + after
            possible = number == pair or (pair < 0 and after == 0)
            weights[place, number] = 1.0 if possible else 0.0
    _sum_weights(counts, weights, place)
    if logs:
        weights[place] = np.log(weights[place])


@compiled
def _start(
    pair: int,
    logs: bool,
    counts: tuple[int, ...],
    weights: NDArray[np.float64],
    given: NDArray[np.float64],
) -> None:
    """The chance of each pair before a part: one, or what the weights tell at a board's start."""
    size = len(counts)
    sums = size * size + 1
    for entry in range(sums + size):
        given[0, entry] = 0.0
    if pair >= 0:
        given[0, pair] = given[0, sums + pair % size] = 1.0
        return
    most = weights[0, :size].max()
    for here in counts:
        weight = weights[0, here]
        given[0, here] = np.exp(weight - most) if logs else weight / most
    given[0] /= given[0].sum()
    given[0, sums:] = given[0, :size]


@compiled
def _sum_weights(counts: tuple[int, ...], weights: NDArray[np.float64], place: int) -> None:
    """The entries of a vector of weights behind those of the pairs."""
    size = len(counts)
    weights[place, size * size] = 0.0
    for left in range(size):
        total = 0.0
        for right in range(size):
            total += weights[place, size * left + right]
        weights[place, size * size + 1 + left] = total


@compiled
def _weigh(
    top: Cells,
    bottom: Cells,
    begin: int,
    end: int,
    counts: tuple[int, ...],
    kinds: NDArray[np.uint8],
    sources: NDArray[np.uint8],
    factors: NDArray[np.float64],
    weights: NDArray[np.float64],
) -> bool:
    """Fill ``weights`` for columns ``begin`` to ``end - 1`` from the last vector, which is given.

    A vector is the weights of the rest of the board for each pair
    before a column, then a zero, then the sums over the pairs with the same
    mines on the left: so each new weight is one entry, times a factor. The
    first column's is ``weights[0]``. False if weights are too far apart.
    """
    in_range = True
    pairs = len(counts) * len(counts)
    for column in range(end - 1, begin - 1, -1):
        kind = kinds[top[column] * CODES + bottom[column]]
        place = column - begin
        for pair in range(pairs):
            weights[place, pair] = weights[place + 1, sources[kind, pair]] * factors[0, kind, pair]
        if place % _SCALED == _SCALED - 1:
            most = 0.0
            for pair in range(pairs):
                most = max(most, weights[place, pair])
            scale = 1.0 / max(most, _SPREAD)
            for pair in range(pairs):
                weight = weights[place, pair] * scale
                weights[place, pair] = weight
                if 0.0 < weight < _SPREAD:
                    in_range = False
        _sum_weights(counts, weights, place)
    return in_range


@compiled
def _weigh_logs(
    top: Cells,
    bottom: Cells,
    begin: int,
    end: int,
    counts: tuple[int, ...],
    kinds: NDArray[np.uint8],
    sources: NDArray[np.uint8],
    factors: NDArray[np.float64],
    weights: NDArray[np.float64],
) -> None:
    """As `_weigh`, with the logarithms of weights, which are never too far apart."""
    pairs = len(counts) * len(counts)
    for column in range(end - 1, begin - 1, -1):
        kind = kinds[top[column] * CODES + bottom[column]]
        place = column - begin
        for pair in range(pairs):
            weight = weights[place + 1, sources[kind, pair]]
            weights[place, pair] = weight + factors[1, kind, pair]
        weights[place, :pairs] -= weights[place, :pairs].max()
        _sum_logs(counts, weights, place)


@compiled
def _sum_logs(counts: tuple[int, ...], weights: NDArray[np.float64], place: int) -> None:
    """The entries of a vector of logarithms behind those of the pairs."""
    size = len(counts)
    weights[place, size * size] = -np.inf
    for left in range(size):
        most = weights[place, size * left : size * left + size].max()
        if most > -np.inf:
            total = 0.0
            for right in range(size):
                total += np.exp(weights[place, size * left + right] - most)
            most += np.log(total)
        weights[place, size * size + 1 + left] = most


@compiled
def _deal(
    top: Cells,
    bottom: Cells,
    begin: int,
    end: int,
    counts: tuple[int, ...],
    kinds: NDArray[np.uint8],
    origins: NDArray[np.uint8],
    shares: NDArray[np.float64],
    weights: NDArray[np.float64],
    given: NDArray[np.float64],
    chances: NDArray[np.float64],
) -> None:
    """Fill ``chances`` of columns ``begin`` to ``end - 1``.

    ``given``, (2, entries), holds in its first vector the chance of each pair before
    the first column, and in the end of each pair after the last, then a zero
    and the sums over the pairs with the same mines on the right. A column
    with a clue passes on what it is given, for the clue says what follows; any
    other deals it out as the weights tell.
    """
    size = len(counts)
    zero = size * size
    now = 0
    for column in range(begin, end):
        number = top[column] * CODES + bottom[column]
        kind = kinds[number]
        after = column + 1 - begin
        then = 1 - now
        _write(number, column, counts, shares, given, now, chances)
        if origins[kind, 0] <= zero:
            for pair in range(zero):
                given[then, pair] = given[now, origins[kind, pair]]
        else:
            for here in range(size):
                scale = 1.0 / max(weights[after, zero + 1 + here], _SPREAD)
                share = given[now, zero + 1 + here]
                for pair in range(size * here, size * here + size):
                    given[then, pair] = share * (weights[after, pair] * scale)
        _sum_chances(counts, given, then, after % _SCALED == 0)
        now = then
    if now:
        for entry in range(zero + 1 + size):
            given[0, entry] = given[1, entry]


@compiled
def _deal_logs(
    top: Cells,
    bottom: Cells,
    begin: int,
    end: int,
    counts: tuple[int, ...],
    kinds: NDArray[np.uint8],
    origins: NDArray[np.uint8],
    shares: NDArray[np.float64],
    weights: NDArray[np.float64],
    given: NDArray[np.float64],
    chances: NDArray[np.float64],
) -> None:
    """As `_deal`, with the logarithms of weights."""
    size = len(counts)
    zero = size * size
    for column in range(begin, end):
        number = top[column] * CODES + bottom[column]
        kind = kinds[number]
        after = column + 1 - begin
        _write(number, column, counts, shares, given, 0, chances)
        for pair in range(zero):
            share = given[0, origins[kind, pair]]
            if share > 0 and origins[kind, pair] > zero:
                share *= np.exp(weights[after, pair] - weights[after, zero + 1 + pair // size])
            given[1, pair] = share
        _sum_chances(counts, given, 1, True)
        given[0] = given[1]


@compiled
def _write(
    number: int,
    column: int,
    counts: tuple[int, ...],
    shares: NDArray[np.float64],
    given: NDArray[np.float64],
    now: int,
    chances: NDArray[np.float64],
) -> None:
    """The chances of the cells of a column, from those of its pairs."""
    size = len(counts)
    for row in range(len(chances)):
        chance = 0.0
        for here in range(1, size):
            chance += given[now, size * size + 1 + here] * shares[number, here, row]
        chances[row, column] = chance


@compiled
def _sum_chances(
    counts: tuple[int, ...], given: NDArray[np.float64], place: int, scaled: bool
) -> None:
    """The entries of a vector of chances behind those of the pairs; ``scaled`` to 1 in all."""
    size = len(counts)
    zero = size * size
    given[place, zero] = 0.0
    total = 0.0
    for here in range(size):
        share = 0.0
        for before in range(size):
            share += given[place, size * before + here]
        given[place, zero + 1 + here] = share
        total += share
    if scaled:
        for entry in range(zero + 1 + size):
            given[place, entry] /= total
