"""What the layouts of a strip of one row or two weigh, and the chances of its cells: all exact.

A layout weighs a product over its unknown cells, one whole number for a mine and another for a
safe cell; 1 and 1 count the layouts. The sums are done by the loops of `automata.parts` and
`automata.long_parts`, part by part. What is too large for these is done here, with integers of any
length: a part is a product of matrices, in a balanced tree where it is long.
"""

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import cache, cached_property, lru_cache
from itertools import pairwise
from math import inf
from typing import Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from minecheck.automata import long_parts, parts
from minecheck.automata.diagram import MOST_NODES
from minecheck.automata.numbers import number_from_integer
from minecheck.automata.odds import EVEN, MOST_DISTINCT, Odds, round_ratio
from minecheck.automata.parts import EXACT, LONGEST, Word
from minecheck.automata.two_rows import (
    ANY_PAIR,
    COUNTS,
    ENTERING,
    LEAVING,
    PAIRS,
    build_tables,
    compute_back_sets,
    compute_onward_sets,
    two_rows,
)
from minecheck.minefield.board import CODES, MINE, Cells
from minecheck.minefield.polynomials import (
    list_binomials,
    multiply_balanced,
    pack_polynomial,
    unpack_polynomial,
)

#: Boards that are asked about one after the other often have as many free cells.
_list_binomials: Final = lru_cache(maxsize=64)(list_binomials)
#: Pair -> the weight of the ways to get there, or to go on from there.
_Vector: TypeAlias = dict[int, int]
#: Pair before some columns -> pair after them -> the weight of the ways in between.
_Matrix: TypeAlias = dict[int, _Vector]

#: Longer runs of columns are multiplied in halves.
_LEAF: Final = 24
#: Odds whose tables are remembered.
_REMEMBERED: Final = 16


class _Weights(NamedTuple):
    """The weights of columns.

    Attributes:
        exact: kind -> for each number of mines the weight of the ways to place them.
        rounded: the same in doubles, infinite where these are not exact, (kinds, 3).
        numbers: the same as `automata.parts` takes it where parts are long, (kinds, 3, 3).
        lone: the chances of columns that are parts; see `automata.parts.split_parts`.
    """

    exact: list[list[int]]
    rounded: NDArray[np.float64]
    numbers: NDArray[np.float64]
    lone: NDArray[np.float64]


class _Parts(NamedTuple):
    """The parts that a strip decomposes into.

    Attributes:
        spans: see `automata.parts.split_parts`, (parts, 3).
        wholes: what each of them weighs, infinite where doubles are not exact, (parts,).
        lone: columns that are known beforehand, by kind and possible mines: (kinds, 8).
    """

    spans: NDArray[np.int64]
    wholes: NDArray[np.float64]
    lone: NDArray[np.int64]


class TooLong(Exception):
    """A part of a strip whose chances have too many digits to be worth computing."""


class Weighing:
    """The layouts of a consistent strip, weighed by ``odds``.

    Args:
        cells: the codes of a board of one row or two.
        odds: what mines and safe cells weigh.
        check: called now and then in long work; what it raises ends that.
        most_digits: how many digits of 64 bits may be kept at a time.
        longest: the most columns of a strip that is weighed by one compiled call.
    """

    def __init__(
        self,
        cells: Cells,
        odds: Odds = EVEN,
        check: Callable[[], None] = lambda: None,
        most_digits: int = MOST_NODES,
        longest: int = LONGEST,
    ) -> None:
        self.odds = odds
        self._cells = cells
        self._check = check
        self._most_digits = most_digits
        self._longest = longest
        self._weights = _weigh_columns(odds)
        table, (top, bottom) = build_tables(), two_rows(cells)
        back_sets = compute_back_sets(top, bottom, table.kinds, table.back)
        self._word = Word(
            *(top, bottom, back_sets, table.kinds, table.onward),
            *(table.both, table.after, table.sets),
            self._weights.rounded,
        )

    @cached_property
    def _short(self) -> tuple[_Parts, NDArray[np.float64], list[int]] | None:
        """The parts of a short strip, its chances, and its layouts by mines if these are short."""
        if self._cells.shape[1] > self._longest or self.odds != EVEN:
            return None
        chances, table = np.empty(self._cells.shape), build_tables()
        spans, wholes, lone, row = parts.solve_short_strip(
            self._word, self._weights.lone, table.shares, table.cells, chances
        )
        return _Parts(spans, wholes, lone), chances, row.astype(np.int64).tolist()

    @cached_property
    def _parts(self) -> _Parts:
        if self._short is not None:
            return self._short[0]
        nowhere, shares = np.empty((0, 0)), build_tables().shares
        spans, lone = self._split_parts(nowhere)
        return _Parts(spans, parts.fill_part_chances(self._word, spans, shares, nowhere), lone)

    def _split_parts(
        self, chances: NDArray[np.float64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        lone = np.zeros((len(self._weights.exact), 1 << COUNTS), np.int64)
        return parts.split_parts(self._word, self._weights.lone, chances, lone), lone

    @cached_property
    def whole(self) -> int:
        """The weight of all layouts together."""
        if self._short is not None and self._short[2]:
            return sum(self._short[2])
        spans, total_weights, _ = self._parts
        is_exact = total_weights < inf
        factors = total_weights[is_exact].astype(np.int64).tolist()
        if len(factors) < len(spans):
            factors += [
                self._build_part(span, self._weights.exact).whole for span in spans[~is_exact]
            ]
        decided, free_cells, _ = self._lone
        total_weight: int = multiply_balanced(factors) * decided * sum(self.odds) ** free_cells
        return total_weight

    @cached_property
    def _lone(self) -> tuple[int, int, int]:
        """Totals over the columns that are parts known in advance.

        What those weigh whose mines are decided, the cells of the others, which are free, and the
        mines of the former that are not known.
        """
        table = build_tables()
        decided, free_cells, mines = 1, 0, 0
        for entry in np.flatnonzero(self._parts.lone).tolist():
            kind, possible = divmod(entry, 1 << COUNTS)
            count = int(self._parts.lone[kind, possible])
            if possible.bit_count() > 1:
                free_cells += count * int(table.cells[kind, 1])
            else:
                column_mines = possible.bit_length() - 1
                if self._weights.exact[kind][column_mines] > 1:
                    decided *= self._weights.exact[kind][column_mines] ** count
                mines += count * (column_mines - int(table.cells[kind, 0]))
        return decided, free_cells, mines

    def by_mines(self) -> dict[int, int]:
        """Return the layouts by their mines on the whole board, ascending; odds must be even."""
        mines = int(np.count_nonzero(self._cells == MINE))
        if self._short is not None and self._short[2]:
            return {
                total: layouts for total, layouts in enumerate(self._short[2], mines) if layouts
            }
        return dict(self._iterate_long_by_mines(mines))

    def _iterate_long_by_mines(self, mines: int) -> Iterator[tuple[int, int]]:
        """Yield like `by_mines` where the numbers are long; ``mines`` are known.

        A polynomial of layouts by mines is one integer, with room for the number of all layouts
        in each coefficient, so that a mine shifts it.
        """
        spans, wholes, _ = self._parts
        decided, free_cells, decided_mines = self._lone
        room = self.whole.bit_length() // 8 + 1
        short = wholes < inf
        coefficients, ends = parts.spread_by_mines(self._word, spans[short])
        rows = [
            coefficients[begin:end].astype(np.int64).tolist()
            for begin, end in pairwise(ends.tolist())
        ]
        factors = [pack_polynomial(row, room) for row in rows]
        weights = _compute_exact_weights(Odds(1 << 8 * room, 1))
        factors += [self._build_part(span, weights).whole for span in spans[~short]]
        packed = (
            multiply_balanced(factors)
            * decided
            * pack_polynomial(_list_binomials(free_cells).values(), room)
        )
        for total, layouts in enumerate(unpack_polynomial(packed, room), mines + decided_mines):
            if layouts:
                yield total, layouts

    @cached_property
    def chances(self) -> NDArray[np.float64]:
        """The chance of a mine in each cell, shaped as the board: the nearest doubles.

        Never 0 or 1 unless the cell is known or forced.

        Raises:
            TooLong: see `compute_ratios`.
        """
        shares = build_tables().shares
        if self._short is not None:
            (spans, wholes, _), chances, *_ = self._short
        else:
            chances = np.empty(self._cells.shape)
            spans, lone = self._split_parts(chances)
            wholes = parts.fill_part_chances(self._word, spans, shares, chances)
            self._parts = _Parts(spans, wholes, lone)
        for span in spans[wholes == inf]:
            self._check()
            long_parts.fill_long_part(self._word, span, self._weights.numbers, shares, chances)
            start, stop = int(span[0]), int(span[1])
            doubtful = np.isnan(chances[:, start:stop])
            columns = (start + np.flatnonzero(doubtful.any(axis=0))).tolist()
            if columns:
                for cell, ratio in self._settle_columns(span, columns).items():
                    chances[cell] = round_ratio(*ratio)
        return chances

    @cached_property
    def _large(self) -> NDArray[np.int64]:
        """The parts whose rounded chances do not determine the exact ones."""
        spans, wholes, _ = self._parts
        return spans[wholes > MOST_DISTINCT] if len(spans) else spans

    def find_large(self) -> NDArray[np.bool_] | None:
        """Return the columns where equal chances may still differ, (columns,); None without any."""
        if not len(self._large):
            return None
        steps = np.zeros(self._cells.shape[1] + 1, np.int8)
        steps[self._large[:, 0]] += 1
        steps[self._large[:, 1]] -= 1
        return steps[:-1].cumsum(dtype=np.int8) > 0

    def compute_ratios(self, cells: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
        """Return the exact chances of cells, each as a part and the whole, not in lowest terms.

        Raises:
            TooLong: the numbers would have more digits than allowed.
        """
        chances = self.chances
        if not len(self._large):
            return [self._find_ratio(float(chances[cell])) for cell in cells]
        ratios: dict[tuple[int, int], tuple[int, int]] = {}
        requested: dict[int, set[int]] = {}
        starts = self._large[:, 0]
        for row, column in cells:
            part_number = int(np.searchsorted(starts, column, "right")) - 1
            if part_number >= 0 and column < self._large[part_number, 1]:
                requested.setdefault(part_number, set()).add(column)
            else:
                ratios[row, column] = self._find_ratio(float(chances[row, column]))
        for part_number, columns in requested.items():
            ratios |= self._settle_columns(self._large[part_number], sorted(columns))
        return [ratios[cell] for cell in cells]

    def _settle_columns(
        self, span: NDArray[np.int64], columns: list[int]
    ) -> dict[tuple[int, int], tuple[int, int]]:
        """Return the exact chances of the cells in some columns of a part; columns ascend."""
        self._check()
        part = self._build_part(span, self._weights.exact)
        if len(columns) * part.whole.bit_length() > 64 * self._most_digits:
            raise TooLong("the chances in one part of this strip have too many digits")
        start = int(span[0])
        ratios = {}
        weights_by_column = part.weigh_by_mines([column - start for column in columns])
        for column, weights in zip(columns, weights_by_column, strict=True):
            column_code = int(self._word.top[column]) * CODES + int(self._word.bottom[column])
            # Shares are 0, 1 / 2 and 1, and where one is 1 / 2 the weight is even.
            halves = (2 * build_tables().shares[column_code]).astype(np.int64).T.tolist()
            for row in range(len(self._cells)):
                mined = sum(
                    weight * half // 2 for weight, half in zip(weights, halves[row], strict=True)
                )
                ratios[row, column] = mined, part.whole
        return ratios

    def _find_ratio(self, chance: float) -> tuple[int, int]:
        """Return the ratio that a chance stands for, outside of the large parts."""
        if chance in (0.0, 1.0):
            return int(chance), 1
        free_chance = self.odds.chance
        if free_chance.denominator > MOST_DISTINCT:
            return free_chance.numerator, free_chance.denominator
        return _find_nearest_fraction(chance)

    def _build_part(self, span: NDArray[np.int64], weights: list[list[int]]) -> "_Part":
        start, stop, state = span.tolist()
        table = build_tables()
        inside = slice(start, stop)
        top, bottom = self._word.top[inside], self._word.bottom[inside]
        onward = compute_onward_sets(top, bottom, table.kinds, table.onward, state)
        pairs = table.both[onward, self._word.back[start : stop + 1]].tolist()
        pairs[0] = table.sets[ENTERING, pairs[0]]
        pairs[-1] = table.sets[LEAVING, pairs[-1]]
        kinds = table.kinds[top.astype(np.intp) * CODES + bottom].tolist()
        return _Part(kinds, [_unpack_pairs(int(bits)) for bits in pairs], weights, self._check)


class _Part:
    """An independent part of a strip, in integers of any length.

    Args:
        kinds: of its columns.
        pairs: those before each column, and after the last.
        weights: kind -> for each number of mines the weight of the ways to place them.
        check: called now and then.
    """

    def __init__(
        self,
        kinds: list[int],
        pairs: list[tuple[int, ...]],
        weights: list[list[int]],
        check: Callable[[], None],
    ) -> None:
        self._kinds = kinds
        self._pairs = pairs
        self._weights = weights
        self._check = check

    @cached_property
    def whole(self) -> int:
        """The weight of all layouts of the part together."""
        matrix = self._multiply_columns(0, len(self._kinds))
        return sum(sum(row.values()) for row in matrix.values())

    def weigh_by_mines(self, columns: list[int]) -> list[list[int]]:
        """Return the weight of the layouts with 0, 1 and 2 mines in these columns, ascending."""
        steps = [
            self._multiply_columns(*step) for step in pairwise([0, *columns, len(self._kinds)])
        ]
        vector = dict.fromkeys(self._pairs[0], 1)
        vectors_behind = [vector := self._apply_matrix(vector, step) for step in steps[:-1]]
        ahead = dict.fromkeys(self._pairs[-1], 1)
        weights_by_column = []
        for step, vector_behind in zip(reversed(steps[1:]), reversed(vectors_behind), strict=True):
            self._check()
            ahead = {
                pair: sum(weight * ahead[pair_after] for pair_after, weight in row.items())
                for pair, row in step.items()
            }
            weight_by_mines = [0] * COUNTS
            for pair, weight in vector_behind.items():
                weight_by_mines[pair % COUNTS] += weight * ahead[pair]
            weights_by_column.append(weight_by_mines)
        return weights_by_column[::-1]

    def _multiply_columns(self, first: int, last: int) -> _Matrix:
        """Multiply the columns from ``first`` to before ``last``; long runs in halves."""
        if last - first > _LEAF:
            self._check()
            middle = (first + last) // 2
            before, after = (
                self._multiply_columns(first, middle),
                self._multiply_columns(middle, last),
            )
            return {pair: self._apply_matrix(row, after) for pair, row in before.items()}
        matrix = {}
        for pair in self._pairs[first]:
            vector = {pair: 1}
            for column in range(first, last):
                vector = self._step_vector(vector, column)
            matrix[pair] = vector
        return matrix

    def _step_vector(self, vector: _Vector, column: int) -> _Vector:
        """Return the vector after a column, over pairs, from the vector before it."""
        kind = self._kinds[column]
        weights, weights_after = self._weights[kind], _list_successors(kind)
        if weights_after is not None:
            return {
                weights_after[pair]: count * weights[pair % COUNTS]
                for pair, count in vector.items()
            }
        sums: dict[int, int] = {}
        for pair, count in vector.items():
            column_mines = pair % COUNTS
            sums[column_mines] = sums.get(column_mines, 0) + count
        return {
            pair: sums[pair // COUNTS] * weights[pair // COUNTS]
            for pair in self._pairs[column + 1]
            if pair // COUNTS in sums
        }

    def _apply_matrix(self, vector: _Vector, matrix: _Matrix) -> _Vector:
        product: _Vector = {}
        for pair, entry in vector.items():
            for target, weight in matrix[pair].items():
                product[target] = product.get(target, 0) + entry * weight
        return product


@lru_cache(maxsize=_REMEMBERED)
def _weigh_columns(odds: Odds) -> _Weights:
    """Return the weights of columns for these odds."""
    table = build_tables()
    exact = _compute_exact_weights(odds)
    rounded = np.array(
        [[number if number < EXACT else inf for number in row] for row in exact], np.float64
    )
    numbers = np.array([[number_from_integer(number) for number in row] for row in exact])
    lone = np.full((len(table.kinds), 1 << COUNTS, 2), np.nan)
    for column, kind in enumerate(table.kinds.tolist()):
        every = sum(1 << mines for mines, weight in enumerate(exact[kind]) if weight)
        for possible in range(1, 1 << COUNTS):
            mines = [column_mines for column_mines in range(COUNTS) if possible >> column_mines & 1]
            weights = [exact[kind][column_mines] for column_mines in mines]
            # Shares are 0, 1 / 2 and 1, and where one is 1 / 2 the weight is even.
            shares = (2 * table.shares[column, mines]).astype(np.int64).tolist()
            decided = len(mines) == 1 and (1 not in shares[0] or weights[0] <= MOST_DISTINCT)
            free_kinds = table.after[kind, 0] == ANY_PAIR and possible == every
            if 0 not in weights and (decided or free_kinds):
                for row in range(2):
                    mine_weight = sum(
                        number * share[row] for number, share in zip(weights, shares, strict=True)
                    )
                    lone[column, possible, row] = round_ratio(mine_weight, 2 * sum(weights))
    return _Weights(exact, rounded, numbers, lone)


def _compute_exact_weights(odds: Odds) -> list[list[int]]:
    """Return the numbers of `_Weights.exact`."""
    table = build_tables()
    return [
        [
            n and n * odds.mine ** (mines - known) * odds.safe ** (known + unknown - mines)
            for mines, n in enumerate(ways)
        ]
        for ways, (known, unknown) in zip(table.ways.tolist(), table.cells.tolist(), strict=True)
    ]


@cache
def _list_successors(kind: int) -> list[int] | None:
    """Return a row of `ColumnTables.after`, None for a column without a clue."""
    after: list[int] = build_tables().after[kind].tolist()
    return None if after[0] == ANY_PAIR else after


@cache
def _unpack_pairs(bits: int) -> tuple[int, ...]:
    """Return the pairs of a set."""
    return tuple(pair for pair in range(PAIRS) if bits >> pair & 1)


@lru_cache(maxsize=4096)
def _find_nearest_fraction(chance: float) -> tuple[int, int]:
    """Return the fraction of numbers up to `MOST_DISTINCT` that rounds to ``chance``."""
    return Fraction(chance).limit_denominator(int(MOST_DISTINCT)).as_integer_ratio()
