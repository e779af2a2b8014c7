"""Counting a whole board: its components, its loose cells and its total of mines together."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import accumulate
from math import comb, nextafter, prod
from operator import mul

import numpy as np
from numpy.typing import NDArray

from minefield.constraints import IS_MINE, UNDECIDED, Reduction
from solvers.frontier import Budget, Frontier, combination
from solvers.polynomial import free, pack, product, unpack

#: Up to this many undecided cells, counts are also given by number of mines.
BY_MINES_CELLS = 2000


def count(reduction: Reduction, components: Sequence[Mapping[int, int]]) -> int:
    """Number of layouts, from the layouts by mines of each component."""
    loose, left = reduction.loose.size, reduction.mines_left
    if left is None:
        return prod(sum(layouts.values()) for layouts in components) << loose
    return completed(product(components, reduction.box_cells.size), loose, left)


def completed(layouts: Mapping[int, int], loose: int, left: int) -> int:
    """Layouts with ``left`` mines, of parts (by mines, ascending) and ``loose`` cells beside."""
    wanted = {mines: n for mines, n in layouts.items() if left - loose <= mines <= left}
    chosen = left - min(wanted, default=left)
    # From one binomial to the next is one step; each by itself is hundreds of times dearer.
    ways = comb(loose, chosen)
    total = 0
    for mines, n in wanted.items():
        while chosen > left - mines:
            ways = ways * chosen // (loose - chosen + 1)
            chosen -= 1
        total += n * ways
    return total


def by_mines(
    reduction: Reduction, components: Sequence[Mapping[int, int]]
) -> dict[int, int] | None:
    """Layouts by mines on the whole board, ascending, or None past `BY_MINES_CELLS`."""
    decided, loose = reduction.mines_decided, reduction.loose.size
    if reduction.mines_left is not None:
        layouts = count(reduction, components)
        return {decided + reduction.mines_left: layouts} if layouts else {}
    undecided = loose + reduction.box_cells.size
    if undecided > BY_MINES_CELLS:
        return None
    found = product([*components, free(loose)], undecided)
    return {mines + decided: layouts for mines, layouts in found.items()}


@dataclass(eq=False)
class Tally:
    """Exact counts of the layouts of a reduction without conflict.

    Everything is computed on first use and spends ``budget``; past it the
    properties raise `solvers.frontier.TooWide` or
    `solvers.deadline.DeadlinePassed`.
    """

    reduction: Reduction
    budget: Budget

    @cached_property
    def parts(self) -> list[Frontier]:
        """The components."""
        return [
            Frontier(self.reduction, component, self.budget)
            for component in range(self.reduction.components)
        ]

    @property
    def loose(self) -> int:
        """Number of loose cells."""
        return self.reduction.loose.size

    @cached_property
    def count(self) -> int:
        """Number of layouts."""
        components = [part.by_mines for part in self.parts]
        self.budget.spend(len(self.parts), self._width**2)
        return count(self.reduction, components)

    @cached_property
    def by_mines(self) -> dict[int, int] | None:
        """As the function `by_mines`."""
        if self.reduction.mines_left is not None:
            total = self.reduction.mines_decided + self.reduction.mines_left
            return {total: self.count} if self.count else {}
        return by_mines(self.reduction, [part.by_mines for part in self.parts])

    @cached_property
    def possible(self) -> bool:
        """Whether there is a layout, decided by which numbers of mines are possible."""
        together = (1 << self.loose + 1) - 1
        for part in self.parts:
            together = _sumset(together, part.totals)
        left = self.reduction.mines_left
        return bool(together if left is None else left >= 0 and together >> left & 1)

    def forced(self) -> NDArray[np.int8]:
        """Each cell's value where all layouts agree, else UNDECIDED; (cells,). There must be one.

        Decided by which numbers of mines are possible, not by counts.
        """
        values = self.reduction.state.copy()
        left = self.reduction.mines_left
        possible = [part.totals for part in self.parts]
        # Bit m: the first (last) parts can hold m mines together.
        before = list(accumulate(possible, _sumset, initial=1))
        after = list(accumulate(reversed(possible), _sumset, initial=1))[::-1]
        loose = (1 << self.loose + 1) - 1
        for place, part in enumerate(self.parts):
            allowed = -1
            if left is not None:
                others = _sumset(_sumset(before[place], after[place + 1]), loose)
                allowed = _mirrored(others, left)
            for box, mines in part.forced(allowed).items():
                first, last = self.reduction.box_start[box : box + 2]
                values[self.reduction.box_cells[first:last]] = mines
        if left is not None and self.loose:
            spare = _mirrored(after[0], left) & loose
            if spare in (1, 1 << self.loose):
                values[self.reduction.loose] = spare != 1
        return values

    def probabilities(self, density: Fraction | None = None) -> NDArray[np.float64]:
        """Chance of a mine for each undecided cell, NaN for the others; (cells,).

        Each layout weighs the same, or with ``density`` p, mines m of n
        undecided cells weigh p^m (1 - p)^(n - m). The exact ratio is rounded
        to the nearest double, but never to 0 or 1 unless the cell is forced.
        """
        reduction = self.reduction
        chances = np.full(reduction.state.size, np.nan)
        for place, part in enumerate(self.parts):
            weights = self._weights(place, part, density)
            whole = sum(layouts * weights[mines] for mines, layouts in part.by_mines.items())
            for box, sums in part.mine_sums().items():
                first, last = reduction.box_start[box : box + 2].tolist()
                held = sum(total * weights[mines] for mines, total in sums.items())
                chances[reduction.box_cells[first:last]] = _ratio(held, whole * (last - first))
        if self.loose:
            chances[reduction.loose] = self._loose_chance(density)
        given = self.reduction.constraints.known == UNDECIDED
        decided = given & (reduction.state != UNDECIDED)
        chances[decided] = reduction.state[decided]
        return chances

    def layout(self, rank: int) -> NDArray[np.bool_]:
        """Mines of layout number ``rank``, (cells,); ranks run from 0 to ``count - 1``.

        Layouts are ordered part by part: by the mines in the first component,
        then its layouts, then the same of the next; the loose cells vary fastest.
        """
        reduction = self.reduction
        placed = np.asarray(reduction.state == IS_MINE)
        left = reduction.mines_left
        for place, part in enumerate(self.parts):
            for mines, layouts in part.by_mines.items():
                rest = self._ways(place + 1, None if left is None else left - mines)
                if rank >= layouts * rest:
                    rank -= layouts * rest
                    continue
                inner, rank = divmod(rank, rest)
                for box, places in part.layout(mines, inner):
                    first = reduction.box_start[box]
                    placed[reduction.box_cells[first + np.array(places, dtype=np.int64)]] = True
                left = None if left is None else left - mines
                break
        if left is None:
            digits = rank.to_bytes((self.loose + 7) // 8, "big")
            bits = np.unpackbits(np.frombuffer(digits, dtype=np.uint8))
            placed[reduction.loose] = bits[bits.size - self.loose :]
        else:
            placed[reduction.loose[combination(self.loose, left, rank)]] = True
        return placed

    @cached_property
    def _width(self) -> int:
        """Bits of a packed coefficient for all components together."""
        return self.reduction.box_cells.size + 1

    @cached_property
    def _boxed_after(self) -> list[int]:
        """Packed layouts by mines of the components from each one on."""
        self.budget.spend(len(self.parts), self._width**2)
        packed = [pack(part.by_mines, self._width) for part in reversed(self.parts)]
        return list(accumulate(packed, mul, initial=1))[::-1]

    def _unpacked_after(self, place: int) -> dict[int, int]:
        """Layouts by mines of the components from ``place`` on."""
        if place not in self._unpacked:
            self._unpacked[place] = unpack(self._boxed_after[place], self._width)
        return self._unpacked[place]

    @cached_property
    def _unpacked(self) -> dict[int, dict[int, int]]:
        """What `_unpacked_after` has unpacked."""
        return {}

    @cached_property
    def _boxed_before(self) -> list[int]:
        """Packed layouts by mines of the components before each one."""
        self.budget.spend(len(self.parts), self._width**2)
        return list(accumulate((pack(p.by_mines, self._width) for p in self.parts), mul, initial=1))

    @cached_property
    def _ways_after(self) -> list[int]:
        """Layouts of the components from each one on and the loose cells, any mines."""
        sums = (sum(part.by_mines.values()) for part in reversed(self.parts))
        return list(accumulate(sums, mul, initial=1 << self.loose))[::-1]

    def _ways(self, place: int, left: int | None) -> int:
        """Layouts of the parts from ``place`` on that use ``left`` mines (None: any number)."""
        if left is None:
            return self._ways_after[place]
        if left < 0:
            return 0
        return completed(self._unpacked_after(place), self.loose, left)

    def _weights(self, place: int, part: Frontier, density: Fraction | None) -> dict[int, int]:
        """Weight of the rest of the board, by mines of this component."""
        left = self.reduction.mines_left
        if left is not None:
            others = self._boxed_before[place] * self._boxed_after[place + 1]
            rest = unpack(others, self._width)
            return {mines: completed(rest, self.loose, left - mines) for mines in part.by_mines}
        if density is None:
            return dict.fromkeys(part.by_mines, 1)
        mine, safe = density.numerator, density.denominator - density.numerator
        return {mines: mine**mines * safe ** (part.cells - mines) for mines in part.by_mines}

    def _loose_chance(self, density: Fraction | None) -> float:
        left = self.reduction.mines_left
        if left is None:
            chance = Fraction(1, 2) if density is None else density
            return _ratio(chance.numerator, chance.denominator)
        # One loose cell is a mine, and the others complete the rest.
        held = completed(self._unpacked_after(0), self.loose - 1, left - 1)
        return _ratio(held, self.count)


def _ratio(part: int, whole: int) -> float:
    """``part / whole`` to the nearest double, kept off 0 and 1 unless it is exactly that."""
    if part in (0, whole):
        return float(part != 0)
    return min(max(part / whole, nextafter(0.0, 1.0)), nextafter(1.0, 0.0))


def _sumset(left: int, right: int) -> int:
    """Bit m: m is the sum of a bit set in ``left`` and one set in ``right``."""
    if left.bit_count() > right.bit_count():
        left, right = right, left
    found = 0
    while left:
        lowest = left & -left
        found |= right * lowest
        left ^= lowest
    return found


def _mirrored(numbers: int, total: int) -> int:
    """Bit m: bit ``total - m`` is set in ``numbers``."""
    digits = f"{numbers & ((1 << total + 1) - 1):0{total + 1}b}"
    return int(digits[::-1], 2)
