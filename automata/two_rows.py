"""Strips of one row and of two, ten million columns at a time.

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
from typing import Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from minecheck.minefield.board import CODES, FLAG, MINE, SAFE, UNKNOWN, Cells
from minecheck.minefield.compiled import FixedVector, Matrix, Vector, compile_kernel

#: The pairs (mines on the left, mines on the right) that a strip may be in between two columns.
_Pairs: TypeAlias = frozenset[tuple[int, int]]

#: A column holds fewer mines than this; the pair (left, right) is number COUNTS * left + right.
COUNTS: Final = 3
PAIRS: Final = COUNTS**2
#: The number of a pair that never is, and of what is no pair: see `ColumnTables.after`.
NO_PAIR: Final = PAIRS
ANY_PAIR: Final = PAIRS + 1
#: The set of pairs at either end of a board, onwards and backwards.
START: Final = 1
#: Rows of `ColumnTables.sets`.
HELD: Final = 0
LOWEST: Final = 1
ENTERING: Final = 2
LEAVING: Final = 3
CUT: Final = 4
#: The value of a missing demand of a clue.
_NO_CLUE: Final = -1


@dataclass(frozen=True, slots=True)
class _Kind:
    """The demands of a column on the mines in it and next to it; equal demands are one kind.

    Attributes:
        total: mines in the column and the two beside it, or `_NO_CLUE`.
        ways: for each number of mines in the column, how many ways there are to place them.
        known: how many mines in it are known.
        unknown: how many of its cells are unknown.
    """

    total: int
    ways: tuple[int, ...]
    known: int
    unknown: int

    def allows_mines(self, mines_before: int, mines: int, mines_after: int) -> bool:
        """Return True if the mines in the previous, this and the next column meet the demands."""
        return self.ways[mines] > 0 and self.total in (_NO_CLUE, mines_before + mines + mines_after)


class ColumnTables(NamedTuple):
    """The lookup tables of the loops. A column is the number ``CODES * top + bottom``.

    Sets of pairs are numbered, 0 is the empty set, and so are pairs. As bits, a
    set has bit n for pair n. Sets onwards and sets back are numbered apart. Numbers of kinds, sets
    and pairs are bytes; `build_tables` asserts that there are not more.

    The empty set leads to itself: a strip that is inconsistent stays so. A column with a code that
    no board has would be of kind 0, and is never looked up.

    Attributes:
        kinds: column -> its kind, (256,).
        totals: kind -> its total, (kinds,).
        ways: kind, mines -> ways to place them, (kinds, 3).
        cells: kind -> its known mines, and its unknown cells, (kinds, 2).
        after: kind, pair before a column -> the pair after it: `NO_PAIR` where the clue cannot
            be met, `ANY_PAIR` where there is none, so that any pair may follow that has the
            column's mines on the left.
        onward: kind, set before a column -> set after it; the board starts in `START`.
        back: kind, set after a column -> the pairs before it that can go on; it ends in `START`.
        accepting: onward set -> whether a board may end there.
        ahead: back set -> its pairs, bits.
        both: onward set, back set -> the pairs in both, bits.
        live: onward set, back set -> the mines that pairs in both have on the right, three bits.
        sets: what there is to know of a set, given as bits, (rows, 512). `HELD`: the mines that
            its pairs have on the right, three bits. `LOWEST`: its first pair. `ENTERING` and
            `LEAVING`: its pairs with the fewest mines on the left, and on the right, bits. `CUT`:
            whether what is on either side of it is independent, if the column on the left has a
            clue (bit 0), has none (bit 1), and the same with none on the right (bits 2 and 3).
        verdicts: column, its possible mines -> forced cells, four bits: a mine above, a mine
            below, safe above, safe below.
        shares: column, mines -> chance of a mine above and below, (256, 3, 2).
        first: column, mines -> the first way to place them, bits for above and below.
    """

    kinds: NDArray[np.uint8]
    totals: NDArray[np.int64]
    ways: NDArray[np.int64]
    cells: NDArray[np.int64]
    after: NDArray[np.uint8]
    onward: NDArray[np.uint8]
    back: NDArray[np.uint8]
    accepting: NDArray[np.bool_]
    ahead: NDArray[np.int64]
    both: NDArray[np.uint16]
    live: NDArray[np.uint8]
    sets: NDArray[np.uint16]
    verdicts: NDArray[np.uint8]
    shares: NDArray[np.float64]
    first: NDArray[np.uint8]


def find_forced(cells: Cells) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return the unknown cells with a mine in every layout, and in none, shaped as ``cells``.

    ``cells`` are the codes of a board of one or two rows. All false when it is
    inconsistent.
    """
    table, (top, bottom) = build_tables(), two_rows(cells)
    forced = np.zeros((4, top.size), np.bool_)
    back_sets = compute_back_sets(top, bottom, table.kinds, table.back)
    _fill_forced(
        *(top, bottom, back_sets, table.kinds, table.onward),
        *(table.live, table.verdicts, forced),
    )
    return forced[: len(cells)], forced[2 : 2 + len(cells)]


def find_witness(cells: Cells) -> NDArray[np.bool_] | None:
    """Return the first layout of a board of one or two rows, None if there is none.

    It is bool, shaped as ``cells``.
    """
    table, (top, bottom) = build_tables(), two_rows(cells)
    mines = np.zeros((2, top.size), np.bool_)
    back_sets = compute_back_sets(top, bottom, table.kinds, table.back)
    is_consistent = _fill_witness(
        top, bottom, back_sets, table.kinds, table.totals, table.ahead, table.first, mines
    )
    return mines[: len(cells)] if is_consistent else None


def two_rows(cells: Cells) -> tuple[Cells, Cells]:
    """Return both rows of a board of one or two rows. A single row gets a row of safe cells."""
    top = np.ascontiguousarray(cells[0])
    bottom = np.full_like(top, SAFE) if len(cells) == 1 else np.ascontiguousarray(cells[1])
    for row in (top, bottom):
        row.flags.writeable = False
    return top, bottom


@cache
def build_tables() -> ColumnTables:
    """Build the tables, once."""
    columns = {
        top * CODES + bottom: (top, bottom) for top, bottom in product(range(FLAG + 1), repeat=2)
    }
    kind_of = {column_code: _find_kind(column) for column_code, column in columns.items()}
    kinds = list(dict.fromkeys(kind_of.values()))
    onward_moves, onward_sets = _close_sets(
        kinds, frozenset((0, mines) for mines in range(COUNTS)), _step_forward
    )
    back_moves, back_sets = _close_sets(
        kinds, frozenset((mines, 0) for mines in range(COUNTS)), _step_back
    )
    pairs_in_both = np.array(
        [
            [_pack_pairs(onward_pairs & back_pairs) for back_pairs in back_sets]
            for onward_pairs in onward_sets
        ],
        np.uint16,
    )
    sets = np.array([_describe_set(pairs) for pairs in range(1 << PAIRS)], np.uint16).T.copy()
    tables = ColumnTables(
        kinds=np.zeros(CODES**2, np.uint8),
        totals=np.array([kind.total for kind in kinds]),
        ways=np.array([kind.ways for kind in kinds]),
        cells=np.array([(kind.known, kind.unknown) for kind in kinds]),
        after=np.array([_list_successors(kind) for kind in kinds], np.uint8),
        onward=onward_moves,
        back=back_moves,
        accepting=np.array([any(right == 0 for _, right in pairs) for pairs in onward_sets]),
        ahead=np.array([_pack_pairs(pairs) for pairs in back_sets]),
        both=pairs_in_both,
        live=sets[HELD, pairs_in_both].astype(np.uint8),
        sets=sets,
        verdicts=np.zeros((CODES**2, 1 << COUNTS), np.uint8),
        shares=np.zeros((CODES**2, COUNTS, 2)),
        first=np.zeros((CODES**2, COUNTS), np.uint8),
    )
    assert max(len(kinds), len(onward_sets), len(back_sets)) <= 1 << 8, "their numbers are bytes"
    assert not tables.onward[:, 0].any(), "the empty set leads to itself"
    assert not tables.back[:, 0].any(), "the empty set leads to itself"
    for column_code, column in columns.items():
        tables.kinds[column_code] = kinds.index(kind_of[column_code])
        for possible in range(1 << COUNTS):
            tables.verdicts[column_code, possible] = _decide_column(column, possible)
        for count in range(COUNTS):
            ways_to_fill = [mines for mines in _list_contents(column) if sum(mines) == count]
            if ways_to_fill:
                tables.shares[column_code, count] = np.mean(ways_to_fill, axis=0)
                tables.first[column_code, count] = ways_to_fill[0][0] | ways_to_fill[0][1] << 1
    return tables


def _list_contents(column: tuple[int, int]) -> list[tuple[int, int]]:
    """List the ways to fill a column, 1 for a mine, in order."""
    above, below = ((0, 1) if code in (UNKNOWN, FLAG) else (int(code == MINE),) for code in column)
    return list(product(above, below))


def _find_kind(column: tuple[int, int]) -> _Kind:
    mines = [sum(contents) for contents in _list_contents(column)]
    # Clues in one column see the same cells, so two different ones leave no way.
    clues = {code for code in column if code < UNKNOWN}
    ways_by_mines = tuple(mines.count(count) if len(clues) <= 1 else 0 for count in range(COUNTS))
    unknown = sum(code in (UNKNOWN, FLAG) for code in column)
    return _Kind(min(clues, default=_NO_CLUE), ways_by_mines, column.count(MINE), unknown)


def _list_successors(kind: _Kind) -> list[int]:
    """Return for each pair before a column the pair after it, as in `ColumnTables.after`."""
    if kind.total == _NO_CLUE:
        return [ANY_PAIR] * PAIRS
    pairs_after = [
        (mines, kind.total - mines_before - mines)
        for mines_before, mines in product(range(COUNTS), repeat=2)
    ]
    return [
        COUNTS * mines + mines_after if mines_after in range(COUNTS) else NO_PAIR
        for mines, mines_after in pairs_after
    ]


def _step_forward(kind: _Kind, pairs: _Pairs) -> _Pairs:
    return frozenset(
        (mines, mines_after)
        for mines_before, mines in pairs
        for mines_after in range(COUNTS)
        if kind.allows_mines(mines_before, mines, mines_after)
    )


def _step_back(kind: _Kind, pairs: _Pairs) -> _Pairs:
    return frozenset(
        (mines_before, mines)
        for mines, mines_after in pairs
        for mines_before in range(COUNTS)
        if kind.allows_mines(mines_before, mines, mines_after)
    )


def _close_sets(
    kinds: list[_Kind], start: _Pairs, step: Callable[[_Kind, _Pairs], _Pairs]
) -> tuple[NDArray[np.uint8], list[_Pairs]]:
    """Return all sets reached from ``start``, set 1, and kind, set -> set."""
    sets = [frozenset(), start]
    moves = []
    for pairs in sets:
        row = [step(kind, pairs) for kind in kinds]
        sets += [successor for successor in dict.fromkeys(row) if successor not in sets]
        moves.append([sets.index(successor) for successor in row])
    return np.array(moves, np.uint8).T.copy(), sets


def _pack_pairs(pairs: Iterable[tuple[int, int]]) -> int:
    return sum(
        1 << COUNTS * mines_left_of + mines_right_of for mines_left_of, mines_right_of in pairs
    )


def _describe_set(bits: int) -> tuple[int, ...]:
    """Return a column of `ColumnTables.sets`."""
    pairs = [divmod(pair, COUNTS) for pair in range(PAIRS) if bits >> pair & 1]
    lefts, rights = (
        {mines_left_of for mines_left_of, _ in pairs},
        {mines_right_of for _, mines_right_of in pairs},
    )
    # After a column without a clue, the weight of what was before says nothing of the right, and
    # before one the weight of what follows nothing of the left.
    cuts = (len(pairs) == 1, len(lefts) == 1, len(rights) == 1, bool(pairs))
    return (
        sum(1 << mines_right_of for mines_right_of in rights),
        min(
            (COUNTS * mines_left_of + mines_right_of for mines_left_of, mines_right_of in pairs),
            default=0,
        ),
        _pack_pairs(pair for pair in pairs if pair[0] == min(lefts)),
        _pack_pairs(pair for pair in pairs if pair[1] == min(rights)),
        sum(is_cut << bit for bit, is_cut in enumerate(cuts)),
    )


def _decide_column(column: tuple[int, int], possible: int) -> int:
    ways_to_fill = [mines for mines in _list_contents(column) if possible >> sum(mines) & 1]
    verdict = 0
    for row, code in enumerate(column):
        if ways_to_fill and code in (UNKNOWN, FLAG):
            verdict |= all(mines[row] for mines in ways_to_fill) << row
            verdict |= (not any(mines[row] for mines in ways_to_fill)) << row + 2
    return verdict


@compile_kernel
def compute_back_sets(
    top: FixedVector[np.int8],
    bottom: FixedVector[np.int8],
    kinds: Vector[np.uint8],
    back: Matrix[np.uint8],
) -> NDArray[np.uint8]:
    """Return the back set before each column, and after the last: (columns + 1,).

    Args:
        top: codes of the upper cells: (columns,).
        bottom: codes of the lower cells: (columns,).
        kinds: the kind of each pair of codes, at ``top * CODES + bottom``.
        back: the set before a column, by its kind and the set after it.
    """
    states = np.empty(top.size + 1, np.uint8)
    state = np.uint8(START)
    states[top.size] = state
    for column in range(top.size - 1, -1, -1):
        state = back[kinds[top[column] * CODES + bottom[column]], state]
        states[column] = state
    return states


@compile_kernel
def compute_onward_sets(
    top: FixedVector[np.int8],
    bottom: FixedVector[np.int8],
    kinds: Vector[np.uint8],
    onward: Matrix[np.uint8],
    state: int,
) -> NDArray[np.uint8]:
    """Return the onward set before each column, and after the last: (columns + 1,).

    Args:
        top: codes of the upper cells: (columns,).
        bottom: codes of the lower cells: (columns,).
        kinds: the kind of each pair of codes, at ``top * CODES + bottom``.
        onward: the set after a column, by its kind and the set before it.
        state: the set before the first column.
    """
    states = np.empty(top.size + 1, np.uint8)
    for column in range(top.size):
        states[column] = state
        state = onward[kinds[top[column] * CODES + bottom[column]], state]
    states[top.size] = state
    return states


@compile_kernel
def _fill_forced(
    top: FixedVector[np.int8],
    bottom: FixedVector[np.int8],
    back_sets: Vector[np.uint8],
    kinds: Vector[np.uint8],
    onward: Matrix[np.uint8],
    live: Matrix[np.uint8],
    verdicts: Matrix[np.uint8],
    forced: Matrix[np.bool_],
) -> None:
    """Fill ``forced``, (4, columns): rows as the bits of `ColumnTables.verdicts`.

    ``back_sets`` has the back set before each column and after the last, (columns + 1,).
    """
    state = np.uint8(START)
    for column in range(top.size):
        column_code = top[column] * CODES + bottom[column]
        verdict = verdicts[column_code, live[state, back_sets[column]]]
        for row in range(4):
            forced[row, column] = verdict >> row & 1
        state = onward[kinds[column_code], state]


@compile_kernel
def _fill_witness(
    top: FixedVector[np.int8],
    bottom: FixedVector[np.int8],
    back_sets: Vector[np.uint8],
    kinds: Vector[np.uint8],
    totals: Vector[np.int64],
    ahead: Vector[np.int64],
    first_way: Matrix[np.uint8],
    mines: Matrix[np.bool_],
) -> bool:
    """Fill ``mines``, (2, columns), with the first layout; return False if there is none.

    ``back_sets`` has the back set before each column and after the last, (columns + 1,).
    """
    column_mines = 0
    while column_mines < COUNTS and not ahead[back_sets[0]] >> column_mines & 1:
        column_mines += 1
    if column_mines == COUNTS:
        return False
    mines_before = 0
    # The pair (mines_before, column_mines) is in the back set before each column, so some number
    # of mines in the next column can follow, and the search for it below ends.
    for column in range(top.size):
        column_code = top[column] * CODES + bottom[column]
        mines[0, column] = first_way[column_code, column_mines] & 1
        mines[1, column] = first_way[column_code, column_mines] >> 1
        following = max(0, totals[kinds[column_code]] - mines_before - column_mines)
        while not ahead[back_sets[column + 1]] >> (COUNTS * column_mines + following) & 1:
            following += 1
        mines_before, column_mines = column_mines, following
    return True
