"""Strips one or two cells wide, ten million columns at a time.

Both cells of a column see the same cells, so all that a column means to
another is how many mines it holds: 0, 1 or 2. A board of one row is one of two
rows whose second row is safe. The state between two columns is the pair (mines
on the left, mines on the right), nine in all; the sets of pairs that occur are
few, so that going through a strip with them is one table look-up a column.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from minefield.board import FLAG, MINE, SAFE, UNKNOWN
from minefield.compiled import compiled

Cells: TypeAlias = NDArray[np.int8]
#: The pairs (mines on the left, mines on the right) that a strip may be in between two columns.
_Pairs: TypeAlias = frozenset[tuple[int, int]]

_COUNTS: Final = range(3)
_PAIRS: Final = tuple(product(_COUNTS, _COUNTS))
#: Cell codes are below this: a column of two is the number ``top * CODES + bottom``.
CODES: Final = 16
#: Columns between two kept vectors of weights.
_BLOCK: Final = 512
#: Columns after which weights are scaled.
_SCALED: Final = 8
#: Weights further apart than this soon run out of the range of floats.
_SPREAD: Final = 1e-150
#: In place of the total that a clue asks for.
_NO_CLUE: Final = -1


@dataclass(frozen=True, slots=True)
class _Kind:
    """What a column asks of the mines in it and beside it; columns that ask the same are alike.

    Attributes:
        total: mines in the column and the two beside it, or `_NO_CLUE`.
        ways: for 0, 1 and 2 mines in the column, how many ways there are to place them.
    """

    total: int
    ways: tuple[int, ...]

    def allows(self, before: int, here: int, after: int) -> bool:
        """Whether these mines in the column before, in this one and in the next one fit."""
        return self.ways[here] > 0 and self.total in (_NO_CLUE, before + here + after)


@dataclass(frozen=True, slots=True, eq=False)
class Tables:
    """What the loops look up. Sets of pairs are numbered, 0 is the empty set.

    Attributes:
        kinds: column -> its kind, (256,).
        totals: kind -> its total, (kinds,).
        ways: kind, mines -> ways to place them, (kinds, 3).
        sources: kind, pair before a column -> where its weight comes from in the vector of
            weights after it (see `_weigh`).
        origins: kind, pair after a column -> where its chance comes from, likewise.
        onward: kind, set before a column -> set after it; the board starts in 1.
        back: kind, set after a column -> the pairs before it that can go on; it ends in 1.
        accepting: onward set -> whether a board may end there.
        live: onward set, back set -> counts of mines that the next column may have, three bits.
        ahead: back set -> its pairs, bit 3 * left + right.
        verdicts: column, its possible counts -> forced cells, four bits: a mine above, a mine
            below, safe above, safe below.
        shares: column, mines -> chance of a mine above and below, (256, 3, 2).
        first: column, mines -> the first way to place them, bits for above and below.
    """

    kinds: NDArray[np.uint8]
    totals: NDArray[np.int64]
    ways: NDArray[np.float64]
    sources: NDArray[np.uint8]
    origins: NDArray[np.uint8]
    onward: NDArray[np.uint8]
    back: NDArray[np.uint8]
    accepting: NDArray[np.bool_]
    live: NDArray[np.uint8]
    ahead: NDArray[np.int64]
    verdicts: NDArray[np.uint8]
    shares: NDArray[np.float64]
    first: NDArray[np.uint8]


def forced(cells: Cells) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Unknown cells with a mine in every layout, and in none: bool, shaped as ``cells``.

    ``cells`` are the codes of a board of one or two rows. All false when it is
    inconsistent.
    """
    looked_up, (top, bottom) = tables(), _rows(cells)
    found = np.zeros((4, top.size), np.bool_)
    states = _states_back(top, bottom, looked_up.kinds, looked_up.back)
    _forced(
        *(
            top,
            bottom,
            states,
            looked_up.kinds,
            looked_up.onward,
            looked_up.live,
            looked_up.verdicts,
        ),
        found,
    )
    return found[: len(cells)], found[2 : 2 + len(cells)]


def witness(cells: Cells) -> NDArray[np.bool_] | None:
    """The first layout of a board of one or two rows: bool, shaped as ``cells``; None for none."""
    looked_up, (top, bottom) = tables(), _rows(cells)
    mines = np.zeros((2, top.size), np.bool_)
    states = _states_back(top, bottom, looked_up.kinds, looked_up.back)
    fits = _witness(
        *(
            top,
            bottom,
            states,
            looked_up.kinds,
            looked_up.totals,
            looked_up.ahead,
            looked_up.first,
            mines,
        ),
    )
    return mines[: len(cells)] if fits else None


def probabilities(cells: Cells, odds: float = 1.0) -> NDArray[np.float64] | None:
    """The chance of a mine in each cell of a board of one or two rows, shaped as ``cells``.

    Floats: which cells are forced is told by `forced`. A layout of k mines
    weighs ``odds`` ** k. NaN everywhere when there is no layout; None where
    weights run out of the range of floats.
    """
    looked_up, (top, bottom) = tables(), _rows(cells)
    chances = np.empty(cells.shape)
    in_range = _chances(
        *(top, bottom, looked_up.kinds, looked_up.sources, looked_up.origins),
        *(np.tile(looked_up.ways * odds ** np.arange(3), 3), looked_up.shares, chances),
    )
    return chances if in_range else None


def _rows(cells: Cells) -> tuple[Cells, Cells]:
    """The two rows of a board of one or two; beside a single row stand safe cells."""
    top = np.ascontiguousarray(cells[0])
    return top, np.full_like(top, SAFE) if len(cells) == 1 else np.ascontiguousarray(cells[1])


@cache
def tables() -> Tables:
    """The tables, made once."""
    columns = {
        top * CODES + bottom: (top, bottom) for top, bottom in product(range(FLAG + 1), repeat=2)
    }
    kind_of = {number: _kind(column) for number, column in columns.items()}
    kinds = list(dict.fromkeys(kind_of.values()))
    onward, before = _closure(kinds, frozenset((0, count) for count in _COUNTS), _onward)
    back, after = _closure(kinds, frozenset((count, 0) for count in _COUNTS), _back)
    found = Tables(
        kinds=np.zeros(CODES**2, np.uint8),
        totals=np.array([kind.total for kind in kinds]),
        ways=np.array([kind.ways for kind in kinds], np.float64),
        sources=np.array([_sources(kind) for kind in kinds], np.uint8),
        origins=np.array([_origins(kind) for kind in kinds], np.uint8),
        onward=onward,
        back=back,
        accepting=np.array([any(after == 0 for _, after in pairs) for pairs in before]),
        live=np.array(
            [[_bits(here for _, here in a & b) for b in after] for a in before], np.uint8
        ),
        ahead=np.array([_bits(3 * left + right for left, right in pairs) for pairs in after]),
        verdicts=np.zeros((CODES**2, 8), np.uint8),
        shares=np.zeros((CODES**2, 3, 2)),
        first=np.zeros((CODES**2, 3), np.uint8),
    )
    for number, column in columns.items():
        found.kinds[number] = kinds.index(kind_of[number])
        for counts in range(8):
            found.verdicts[number, counts] = _verdict(column, counts)
        for count in _COUNTS:
            fitting = [mines for mines in _contents(column) if sum(mines) == count]
            if fitting:
                found.shares[number, count] = np.mean(fitting, axis=0)
                found.first[number, count] = fitting[0][0] | fitting[0][1] << 1
    return found


def _contents(column: tuple[int, int]) -> list[tuple[int, int]]:
    """The ways to fill a column, 1 for a mine, in order."""
    above, below = ((0, 1) if code in (UNKNOWN, FLAG) else (int(code == MINE),) for code in column)
    return list(product(above, below))


def _kind(column: tuple[int, int]) -> _Kind:
    mines = [sum(contents) for contents in _contents(column)]
    # Clues in one column see the same cells, so two different ones leave no way.
    clues = {code for code in column if code < UNKNOWN}
    ways = map(mines.count, _COUNTS) if len(clues) <= 1 else (0, 0, 0)
    return _Kind(min(clues, default=_NO_CLUE), tuple(ways))


def _sources(kind: _Kind) -> list[int]:
    """For each pair (before, here), the entry of the pair (here, after); see `_weigh`."""
    if kind.total == _NO_CLUE:
        return [10 + here for _, here in _PAIRS]
    rests = [(here, kind.total - before - here) for before, here in _PAIRS]
    return [3 * here + after if 0 <= after < 3 else 9 for here, after in rests]


def _origins(kind: _Kind) -> list[int]:
    """For each pair (here, after), the entry of the pair (before, here); see `_deal`."""
    if kind.total == _NO_CLUE:
        return [10 + here for here, _ in _PAIRS]
    rests = [(kind.total - here - after, here) for here, after in _PAIRS]
    return [3 * before + here if 0 <= before < 3 else 9 for before, here in rests]


def _onward(kind: _Kind, pairs: _Pairs) -> _Pairs:
    return frozenset(
        (here, after)
        for before, here in pairs
        for after in _COUNTS
        if kind.allows(before, here, after)
    )


def _back(kind: _Kind, pairs: _Pairs) -> _Pairs:
    return frozenset(
        (before, here)
        for here, after in pairs
        for before in _COUNTS
        if kind.allows(before, here, after)
    )


def _closure(
    kinds: list[_Kind], start: _Pairs, step: Callable[[_Kind, _Pairs], _Pairs]
) -> tuple[NDArray[np.uint8], list[_Pairs]]:
    """All sets reached from ``start``, set 1, and kind, set -> set."""
    sets = [frozenset(), start]
    moves = []
    for pairs in sets:
        row = [step(kind, pairs) for kind in kinds]
        sets += [found for found in dict.fromkeys(row) if found not in sets]
        moves.append([sets.index(found) for found in row])
    return np.array(moves, np.uint8).T.copy(), sets


def _bits(numbers: Iterable[int]) -> int:
    return sum(1 << number for number in set(numbers))


def _verdict(column: tuple[int, int], counts: int) -> int:
    fitting = [mines for mines in _contents(column) if counts >> sum(mines) & 1]
    verdict = 0
    for place, code in enumerate(column):
        if fitting and code in (UNKNOWN, FLAG):
            verdict |= all(mines[place] for mines in fitting) << place
            verdict |= (not any(mines[place] for mines in fitting)) << place + 2
    return verdict


@compiled
def _states_back(
    top: Cells, bottom: Cells, kinds: NDArray[np.uint8], back: NDArray[np.uint8]
) -> NDArray[np.uint8]:
    """The back set before each column, and after the last: (columns + 1,)."""
    states = np.empty(top.size + 1, np.uint8)
    state = np.uint8(1)
    states[top.size] = state
    for column in range(top.size - 1, -1, -1):
        state = back[kinds[top[column] * CODES + bottom[column]], state]
        states[column] = state
    return states


@compiled
def _forced(
    top: Cells,
    bottom: Cells,
    states: NDArray[np.uint8],
    kinds: NDArray[np.uint8],
    onward: NDArray[np.uint8],
    live: NDArray[np.uint8],
    verdicts: NDArray[np.uint8],
    found: NDArray[np.bool_],
) -> None:
    """Fill ``found``, (4, columns): rows as the bits of `Tables.verdicts`."""
    state = np.uint8(1)
    for column in range(top.size):
        number = top[column] * CODES + bottom[column]
        verdict = verdicts[number, live[state, states[column]]]
        for row in range(4):
            found[row, column] = verdict >> row & 1
        state = onward[kinds[number], state]


@compiled
def _witness(
    top: Cells,
    bottom: Cells,
    states: NDArray[np.uint8],
    kinds: NDArray[np.uint8],
    totals: NDArray[np.int64],
    ahead: NDArray[np.int64],
    first: NDArray[np.uint8],
    mines: NDArray[np.bool_],
) -> bool:
    """Fill ``mines``, (2, columns), with the first layout; False if there is none."""
    here = 0
    while here < 3 and not ahead[states[0]] >> here & 1:
        here += 1
    if here == 3:
        return False
    before = 0
    for column in range(top.size):
        number = top[column] * CODES + bottom[column]
        mines[0, column] = first[number, here] & 1
        mines[1, column] = first[number, here] >> 1
        after = max(0, totals[kinds[number]] - before - here)
        while not ahead[states[column + 1]] >> (3 * here + after) & 1:
            after += 1
        before, here = here, after
    return True


@compiled
def _weigh(
    top: Cells,
    bottom: Cells,
    kinds: NDArray[np.uint8],
    sources: NDArray[np.uint8],
    factors: NDArray[np.float64],
    weights: NDArray[np.float64],
) -> bool:
    """Fill ``weights``, (columns + 1, 13), from the last vector, which is given.

    A vector is the weights of the rest of the board for each pair before a
    column, then a zero, then the sums over the pairs with 0, 1 and 2 mines on
    the left: the sources of all that can be asked of it. False if weights are
    too far apart.
    """
    in_range = True
    for column in range(top.size - 1, -1, -1):
        kind = kinds[top[column] * CODES + bottom[column]]
        after, before = weights[column + 1], weights[column]
        for pair in range(9):
            before[pair] = after[sources[kind, pair]] * factors[kind, pair]
        if column % _SCALED == 0:
            most = before[:9].max()
            if most > 0:
                for pair in range(9):
                    before[pair] /= most
                    in_range &= not 0 < before[pair] < _SPREAD
        for left in range(3):
            before[10 + left] = before[3 * left] + before[3 * left + 1] + before[3 * left + 2]
    return in_range


@compiled
def _deal(
    top: Cells,
    bottom: Cells,
    kinds: NDArray[np.uint8],
    origins: NDArray[np.uint8],
    shares: NDArray[np.float64],
    weights: NDArray[np.float64],
    given: NDArray[np.float64],
    chances: NDArray[np.float64],
) -> None:
    """Fill ``chances``, (1 or 2, columns); turn ``given`` into what it is after the last column.

    It is the chance of each pair, (9,), before the first column. A column
    with a clue passes on what it is given, for the clue says what follows;
    any other deals it out as the weights tell.
    """
    parts = np.zeros(13)
    for column in range(top.size):
        number = top[column] * CODES + bottom[column]
        kind = kinds[number]
        after = weights[column + 1]
        for pair in range(9):
            parts[pair] = given[pair]
        one = given[1] + given[4] + given[7]
        two = given[2] + given[5] + given[8]
        for row in range(len(chances)):
            chances[row, column] = one * shares[number, 1, row] + two * shares[number, 2, row]
        if origins[kind, 0] <= 9:
            for pair in range(9):
                given[pair] = parts[origins[kind, pair]]
        else:
            parts[10] = (given[0] + given[3] + given[6]) / max(after[10], _SPREAD)
            parts[11] = one / max(after[11], _SPREAD)
            parts[12] = two / max(after[12], _SPREAD)
            for pair in range(9):
                given[pair] = parts[10 + pair // 3] * after[pair]
        if column % _SCALED == 0:
            given /= given.sum()


@compiled
def _chances(
    top: Cells,
    bottom: Cells,
    kinds: NDArray[np.uint8],
    sources: NDArray[np.uint8],
    origins: NDArray[np.uint8],
    factors: NDArray[np.float64],
    shares: NDArray[np.float64],
    chances: NDArray[np.float64],
) -> bool:
    """Fill ``chances``, (1 or 2, columns), with NaN if there is no layout.

    The weights of what follows a column are summed from the last column to the
    first. Of all these vectors one in each block is kept; a block is filled in
    again when chances are dealt out from the first column to the last. False,
    with nothing filled, where floats do not reach.
    """
    starts = np.arange(0, top.size, _BLOCK)
    kept = np.zeros((starts.size + 1, 13))
    kept[-1, :9:3] = 1.0
    kept[-1, 10:] = 1.0
    weights = np.empty((_BLOCK + 1, 13))
    weights[:, 9] = 0.0
    for block in range(starts.size - 1, -1, -1):
        end = min(top.size, starts[block] + _BLOCK)
        above, below = top[starts[block] : end], bottom[starts[block] : end]
        weights[above.size] = kept[block + 1]
        if not _weigh(above, below, kinds, sources, factors, weights):
            return False
        kept[block] = weights[0]
    given = np.zeros(9)
    given[:3] = kept[0, :3]
    if not given.any():
        chances[:] = np.nan
        return True
    given /= given.sum()
    for block in range(starts.size):
        end = min(top.size, starts[block] + _BLOCK)
        above, below = top[starts[block] : end], bottom[starts[block] : end]
        weights[above.size] = kept[block + 1]
        _weigh(above, below, kinds, sources, factors, weights)
        part = chances[:, starts[block] : end]
        _deal(above, below, kinds, origins, shares, weights, given, part)
    return True
