"""Strips one or two cells wide, ten million columns at a time.

Both cells of a column see the same cells, so all that a column means to
another is how many mines it holds: 0, 1 or, in two rows, 2. A board of one row
is one of two rows whose second row is safe. The state between two columns is
the pair (mines on the left, mines on the right), four or nine in all; the sets
of pairs that occur are few, so that going through a strip with them is one
table look-up a column.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from automata.weights import deal_out
from minefield.board import CODES, FLAG, MINE, SAFE, UNKNOWN, Cells
from minefield.compiled import compiled

#: The pairs (mines on the left, mines on the right) that a strip may be in between two columns.
_Pairs: TypeAlias = frozenset[tuple[int, int]]

#: Logarithms of odds so far from 0 take weights out of the range of floats at once.
_EXTREME: Final = 20.0
#: In place of the total that a clue asks for.
_NO_CLUE: Final = -1


@dataclass(frozen=True, slots=True)
class _Kind:
    """What a column asks of the mines in it and beside it; columns that ask the same are alike.

    Attributes:
        total: mines in the column and the two beside it, or `_NO_CLUE`.
        ways: for each number of mines in the column, how many ways there are to place them.
    """

    total: int
    ways: tuple[int, ...]

    @property
    def counts(self) -> range:
        """How many mines a column may hold."""
        return range(len(self.ways))

    def allows(self, before: int, here: int, after: int) -> bool:
        """Whether these mines in the column before, in this one and in the next one fit."""
        return self.ways[here] > 0 and self.total in (_NO_CLUE, before + here + after)


class Tables(NamedTuple):
    """What the loops look up. A column is the number ``CODES * top + bottom``.

    Sets of pairs are numbered, 0 is the empty set; so are pairs, (left, right)
    is ``len(counts) * left + right``.

    Attributes:
        counts: how many mines a column may hold: (0, 1) or (0, 1, 2).
        kinds: column -> its kind, (256,).
        totals: kind -> its total, (kinds,).
        ways: kind, mines -> ways to place them, (kinds, counts).
        sources: kind, pair before a column -> where its weight comes from in the vector of
            weights after it (see `automata.weights`).
        origins: kind, pair after a column -> where its chance comes from, likewise.
        onward: kind, set before a column -> set after it; the board starts in 1.
        back: kind, set after a column -> the pairs before it that can go on; it ends in 1.
        accepting: onward set -> whether a board may end there.
        live: onward set, back set -> counts of mines that the next column may have, three bits.
        single: onward set, back set -> the only pair in both, or -1.
        ahead: back set -> its pairs, bits.
        verdicts: column, its possible counts -> forced cells, four bits: a mine above, a mine
            below, safe above, safe below.
        shares: column, mines -> chance of a mine above and below, (256, 3, 2).
        first: column, mines -> the first way to place them, bits for above and below.
    """

    counts: tuple[int, ...]
    kinds: NDArray[np.uint8]
    totals: NDArray[np.int64]
    ways: NDArray[np.float64]
    sources: NDArray[np.uint8]
    origins: NDArray[np.uint8]
    onward: NDArray[np.uint8]
    back: NDArray[np.uint8]
    accepting: NDArray[np.bool_]
    live: NDArray[np.uint8]
    single: NDArray[np.int8]
    ahead: NDArray[np.int64]
    verdicts: NDArray[np.uint8]
    shares: NDArray[np.float64]
    first: NDArray[np.uint8]


def forced(cells: Cells) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Unknown cells with a mine in every layout, and in none: bool, shaped as ``cells``.

    ``cells`` are the codes of a board of one or two rows. All false when it is
    inconsistent.
    """
    table, (top, bottom) = tables(len(cells)), _rows(cells)
    found = np.zeros((4, top.size), np.bool_)
    states = _states_back(top, bottom, table.kinds, table.back)
    _forced(top, bottom, states, table.kinds, table.onward, table.live, table.verdicts, found)
    return found[: len(cells)], found[2 : 2 + len(cells)]


def witness(cells: Cells) -> NDArray[np.bool_] | None:
    """The first layout of a board of one or two rows: bool, shaped as ``cells``; None for none."""
    table, (top, bottom) = tables(len(cells)), _rows(cells)
    mines = np.zeros((2, top.size), np.bool_)
    states = _states_back(top, bottom, table.kinds, table.back)
    fits = _witness(
        top,
        bottom,
        states,
        table.kinds,
        table.totals,
        table.ahead,
        table.first,
        len(table.counts),
        mines,
    )
    return mines[: len(cells)] if fits else None


def probabilities(cells: Cells, log_odds: float = 0.0) -> NDArray[np.float64]:
    """The chance of a mine in each cell of a board of one or two rows, shaped as ``cells``.

    Floats, but forced cells are exactly 0 or 1. A layout of k mines weighs
    exp(``log_odds`` * k). NaN everywhere when there is no layout.
    """
    table, (top, bottom) = tables(len(cells)), _rows(cells)
    with np.errstate(divide="ignore"):
        logs = np.log(table.ways) + log_odds * np.array(table.counts)
    extreme = abs(log_odds) > _EXTREME
    chances = np.empty(cells.shape)
    before = _states_onward(top, bottom, table.kinds, table.onward)
    after = _states_back(top, bottom, table.kinds, table.back)
    factors = np.tile(np.stack([logs if extreme else np.exp(logs), logs]), len(table.counts))
    deal_out(top, bottom, before, after, table, factors, extreme, chances)
    return chances


def _rows(cells: Cells) -> tuple[Cells, Cells]:
    """The two rows of a board of one or two; beside a single row stand safe cells."""
    top = np.ascontiguousarray(cells[0])
    return top, np.full_like(top, SAFE) if len(cells) == 1 else np.ascontiguousarray(cells[1])


@cache
def tables(rows: int) -> Tables:
    """The tables for boards of one or of two rows, made once."""
    codes = range(FLAG + 1)
    counts = tuple(range(rows + 1))
    columns = {
        top * CODES + bottom: (top, bottom)
        for top, bottom in product(codes, codes if rows == 2 else (SAFE,))
    }
    kind_of = {number: _kind(column, counts) for number, column in columns.items()}
    kinds = list(dict.fromkeys(kind_of.values()))
    onward, before = _closure(kinds, frozenset((0, count) for count in counts), _onward)
    back, after = _closure(kinds, frozenset((count, 0) for count in counts), _back)
    found = Tables(
        counts=counts,
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
        single=np.array([[_only(a & b, counts) for b in after] for a in before], np.int8),
        ahead=np.array(
            [_bits(len(counts) * left + right for left, right in pairs) for pairs in after]
        ),
        verdicts=np.zeros((CODES**2, 8), np.uint8),
        shares=np.zeros((CODES**2, 3, 2)),
        first=np.zeros((CODES**2, 3), np.uint8),
    )
    for number, column in columns.items():
        found.kinds[number] = kinds.index(kind_of[number])
        for possible in range(8):
            found.verdicts[number, possible] = _verdict(column, possible)
        for count in counts:
            fitting = [mines for mines in _contents(column) if sum(mines) == count]
            if fitting:
                found.shares[number, count] = np.mean(fitting, axis=0)
                found.first[number, count] = fitting[0][0] | fitting[0][1] << 1
    return found


def _contents(column: tuple[int, int]) -> list[tuple[int, int]]:
    """The ways to fill a column, 1 for a mine, in order."""
    above, below = ((0, 1) if code in (UNKNOWN, FLAG) else (int(code == MINE),) for code in column)
    return list(product(above, below))


def _kind(column: tuple[int, int], counts: tuple[int, ...]) -> _Kind:
    mines = [sum(contents) for contents in _contents(column)]
    # Clues in one column see the same cells, so two different ones leave no way.
    clues = {code for code in column if code < UNKNOWN}
    ways = tuple(mines.count(count) if len(clues) <= 1 else 0 for count in counts)
    return _Kind(min(clues, default=_NO_CLUE), ways)


def _sources(kind: _Kind) -> list[int]:
    """For each pair (before, here), the entry of the pair (here, after); see `automata.weights`."""
    size = len(kind.ways)
    pairs = list(product(kind.counts, repeat=2))
    if kind.total == _NO_CLUE:
        return [len(pairs) + 1 + here for _, here in pairs]
    rests = [(here, kind.total - before - here) for before, here in pairs]
    return [size * here + after if after in kind.counts else len(pairs) for here, after in rests]


def _origins(kind: _Kind) -> list[int]:
    """For each pair (here, after), the entry of the pair (before, here), likewise."""
    size = len(kind.ways)
    pairs = list(product(kind.counts, repeat=2))
    if kind.total == _NO_CLUE:
        return [len(pairs) + 1 + here for here, _ in pairs]
    rests = [(kind.total - here - after, here) for here, after in pairs]
    return [size * before + here if before in kind.counts else len(pairs) for before, here in rests]


def _onward(kind: _Kind, pairs: _Pairs) -> _Pairs:
    return frozenset(
        (here, after)
        for before, here in pairs
        for after in kind.counts
        if kind.allows(before, here, after)
    )


def _back(kind: _Kind, pairs: _Pairs) -> _Pairs:
    return frozenset(
        (before, here)
        for here, after in pairs
        for before in kind.counts
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


def _only(pairs: _Pairs, counts: tuple[int, ...]) -> int:
    """The number of a pair if it is alone, else -1."""
    if len(pairs) != 1:
        return -1
    ((left, right),) = pairs
    return len(counts) * left + right


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
    counts: int,
    mines: NDArray[np.bool_],
) -> bool:
    """Fill ``mines``, (2, columns), with the first layout; False if there is none."""
    here = 0
    while here < counts and not ahead[states[0]] >> here & 1:
        here += 1
    if here == counts:
        return False
    before = 0
    for column in range(top.size):
        number = top[column] * CODES + bottom[column]
        mines[0, column] = first[number, here] & 1
        mines[1, column] = first[number, here] >> 1
        after = max(0, totals[kinds[number]] - before - here)
        while not ahead[states[column + 1]] >> (counts * here + after) & 1:
            after += 1
        before, here = here, after
    return True


@compiled
def _states_onward(
    top: Cells, bottom: Cells, kinds: NDArray[np.uint8], onward: NDArray[np.uint8]
) -> NDArray[np.uint8]:
    """The onward set before each column, and after the last: (columns + 1,)."""
    states = np.empty(top.size + 1, np.uint8)
    state = np.uint8(1)
    for column in range(top.size):
        states[column] = state
        state = onward[kinds[top[column] * CODES + bottom[column]], state]
    states[top.size] = state
    return states
