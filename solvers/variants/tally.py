"""What the counts of a sweep say of the whole board: layouts, chances, the layout of a number.

Tested in tests/solvers/backends/test_variants.py.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import prod
from random import Random
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from minecheck.minefield.polynomials import convolve
from minecheck.solvers.budget import TooWide
from minecheck.solvers.counting.chances import Chances
from minecheck.solvers.counting.component_products import to_odds
from minecheck.solvers.counting.ratio import Ratio
from minecheck.solvers.deadline import Deadline
from minecheck.solvers.variants.arrangements import count_arrangements, divide_out_cell
from minecheck.solvers.variants.problem import Box, VariantProblem
from minecheck.solvers.variants.sweep import Sweep

#: The function that takes one of some values, by its index, given the layouts after each and the
#: spare mines of these cells together.
Choice: TypeAlias = Callable[[Sequence[int], Sequence[int], Sequence[int]], int]
#: The number of products of coefficients that are summed if layouts are distinguished by mines.
MOST_PRODUCTS: Final = 20_000_000


@dataclass(eq=False)
class VariantTally:
    """Exact counts of the layouts of a problem; with a density each layout has a weight.

    Everything is computed on first use.

    Raises:
        TooWide: there are too many states.
        DeadlinePassed: it took too long.
    """

    problem: VariantProblem
    density: Fraction | None
    deadline: Deadline
    most_moves: int
    most_bytes: int

    @cached_property
    def sweep(self) -> Sweep:
        """The counts of the boxes with clues."""
        tracked = self.problem.spare is not None or self.density is not None
        return Sweep(self.problem, tracked, self.deadline, self.most_moves, self.most_bytes)

    def check_feasible(self) -> None:
        """Find out whether the states are few enough, and short, which takes most of the time."""
        assert len(self.sweep.moves) == len(self.sweep.steps)
        assert self.weight >= 0

    @cached_property
    def loose(self) -> list[list[int]]:
        """Ways to lay spare mines in the loose boxes from each on, by their number.

        Raises:
            TooWide: that takes too many products.
        """
        products = [[1]]
        for box in reversed(self.problem.loose):
            if len(products[-1]) * len(box.ways) > MOST_PRODUCTS:
                raise TooWide
            products.append(convolve(products[-1], box.ways))
        return products[::-1]

    @cached_property
    def free(self) -> list[int]:
        """Ways to lay any mines in the loose boxes from each on, weighed by the density."""
        each = 2 if self.density is None else self.density.denominator
        products = [1]
        for box in reversed(self.problem.loose):
            base = box.span + 1 if self.density is None else each
            products.append(products[-1] * base ** len(box.cells))
        return products[::-1]

    @cached_property
    def after(self) -> list[int]:
        """The weight of all that is loose, by spare mines in the boxes with clues."""
        capacity = sum(box.capacity for box in self.problem.boxes)
        if self.problem.spare is not None:
            return [self._count_loose(0, self.problem.spare - used) for used in range(capacity + 1)]
        if self.density is None:
            return [self.free[0]] * (1 if not self.sweep.tracked else capacity + 1)
        mine, safe = to_odds(self.density)
        return [
            mine**used * safe ** (capacity - used) * self.free[0] for used in range(capacity + 1)
        ]

    def _count_loose(self, start: int, spare: int) -> int:
        """Return the ways to lay exactly ``spare`` mines in the loose boxes from ``start`` on."""
        ways = self.loose[start]
        return ways[spare] if 0 <= spare < len(ways) else 0

    @cached_property
    def weight(self) -> int:
        """The weight of all layouts; their number, where none is weighed."""
        return sum(
            number * after for number, after in zip(self.sweep.core, self.after, strict=False)
        )

    @cached_property
    def count(self) -> int:
        """The number of layouts."""
        if self.density is None:
            return self.weight
        loose: int = prod((box.span + 1) ** len(box.cells) for box in self.problem.loose)
        return sum(self.sweep.core) * loose

    @cached_property
    def by_mines(self) -> dict[int, int]:
        """Layouts by their number of mines.

        Raises:
            TooWide: that takes too many products.
        """
        sure, spare = self.problem.sure_mines, self.problem.spare
        if spare is not None:
            return {sure + spare: self.count} if self.count else {}
        sweep = self.sweep if self.sweep.tracked else self.sweep.restart(tracked=True)
        if len(sweep.core) * len(self.loose[0]) > MOST_PRODUCTS:
            raise TooWide
        layouts = convolve(sweep.core, self.loose[0])
        return {sure + mines: number for mines, number in enumerate(layouts) if number}

    def compute_chances(self, cells: int) -> Chances:
        """Return the chance of a mine in each unknown cell, out of ``cells`` cells."""
        groups = [
            *(
                (box.cells, part)
                for index, box in self._iterate_unknown()
                for part in [self._weigh_cell(index, box)]
            ),
            *(
                (box.cells, self._compute_loose_chance(box))
                for box in self.problem.loose
                if not box.least
            ),
        ]
        decided, base = self.problem.decided, self.problem.base
        return Chances(
            cells,
            [
                *((np.array(among, np.int32), Ratio(*chance)) for among, chance in groups),
                *((decided[(base[decided] > 0) == sure], Ratio(sure, 1)) for sure in (0, 1)),
            ],
        )

    def _iterate_unknown(self) -> Iterator[tuple[int, Box]]:
        """Yield the steps whose boxes are unknown cells."""
        for index, step in enumerate(self.sweep.steps):
            if not step.box.least:
                yield index, step.box

    def _weigh_cell(self, index: int, box: Box) -> tuple[int, int]:
        """Return the weight of layouts with a mine in one cell of a box with clues, and of all."""
        ways, without = box.ways, count_arrangements(len(box.cells) - 1, box.span)
        part = 0
        for spare, others in enumerate(self.sweep.list_ways(index)):
            with_mine = ways[spare] - (without[spare] if spare < len(without) else 0)
            if with_mine:
                shift = spare if self.sweep.tracked else 0
                part += with_mine * sum(
                    number * self.after[used] for used, number in enumerate(others, shift)
                )
        return part, self.weight

    def _compute_loose_chance(self, box: Box) -> tuple[int, int]:
        """Return the same two weights for a loose box."""
        if self.density is not None:
            return self.density.numerator, self.density.denominator
        if self.problem.spare is None:
            return box.span, box.span + 1
        others = [loose_box.ways for loose_box in self.problem.loose if loose_box is not box]
        rest: Sequence[int] = count_arrangements(len(box.cells) - 1, box.span)
        for ways in others:
            if len(rest) * len(ways) > MOST_PRODUCTS:
                raise TooWide
            rest = convolve(rest, ways)
        safe = 0
        for used, number in enumerate(self.sweep.core):
            mines_left = self.problem.spare - used
            if 0 <= mines_left < len(rest):
                safe += number * rest[mines_left]
        return self.weight - safe, self.weight

    # The layout of a number, and the number of a layout.

    def find_witness(self) -> NDArray[np.int8]:
        """Return the mines of each cell, (cells,), in the first layout."""
        return self.unrank(0)

    def unrank(self, rank: int) -> NDArray[np.int8]:
        """Return the mines of each cell, (cells,), in the layout of this number."""
        remaining_rank = rank

        def choose_value(
            values: Sequence[int], weights: Sequence[int], cells: Sequence[int]
        ) -> int:
            nonlocal remaining_rank
            index, remaining_rank = _find_by_weight(weights, remaining_rank)
            return index

        return self._descend_boxes(choose_value)

    def sample(self, random: Random) -> NDArray[np.int8]:
        """Return the mines of each cell, (cells,), in a layout drawn at random, by weight."""
        return self._descend_boxes(
            lambda _, weights, __: _find_by_weight(weights, random.randrange(sum(weights)))[0]
        )

    def rank(self, mines: NDArray[np.int8]) -> int:
        """Return the number of a layout of this problem, from the mines of each cell, (cells,)."""
        least = {cell: box.least for box in self._boxes for cell in box.cells}
        rank = 0

        def choose_value(
            values: Sequence[int], weights: Sequence[int], cells: Sequence[int]
        ) -> int:
            nonlocal rank
            index = values.index(sum(int(mines[cell]) - least[cell] for cell in cells))
            rank += sum(weights[:index])
            return index

        self._descend_boxes(choose_value)
        return rank

    @property
    def _boxes(self) -> tuple[Box, ...]:
        return self.problem.boxes + self.problem.loose

    def _descend_boxes(self, choose: Choice) -> NDArray[np.int8]:
        """Return the mines of each cell, (cells,), as they are chosen, box by box."""
        sweep = self.sweep
        assert sweep.start_state is not None, "there is a layout"
        spare_of_cells: dict[int, int] = {}
        state, used = sweep.start_state, 0
        for index, step in enumerate(sweep.steps):
            moves, later = sweep.moves[index][state], sweep.backward[index + 1]
            ways = step.box.ways
            values = [spare for spare, _ in moves]
            rest = [self._count_completions(later[after], used + spare) for spare, after in moves]
            weights = [
                ways[spare] * rest_weight for spare, rest_weight in zip(values, rest, strict=True)
            ]
            chosen = choose(values, weights, step.box.cells)
            spare, state = moves[chosen]
            used += spare
            self._arrange_box(step.box, spare, rest[chosen], choose, spare_of_cells)
        self._fill_loose(used, choose, spare_of_cells)
        return self.problem.layout_from_spare(spare_of_cells)

    def _count_completions(self, packed: int, used: int) -> int:
        """Return the weight of all that may follow, from the polynomial of the boxes with clues."""
        if not self.sweep.tracked:
            return packed * self.after[0]
        numbers = self.sweep.unpack_polynomial(packed)
        return sum(number * self.after[mines] for mines, number in enumerate(numbers, used))

    def _arrange_box(
        self, box: Box, spare: int, below: int, choose: Choice, spare_of_cells: dict[int, int]
    ) -> None:
        """Choose the spare mines of each cell of a box that holds ``spare`` of them."""
        ways = list(box.ways[: spare + 1])
        for cell in box.cells:
            self.deadline.check()
            ways = divide_out_cell(ways, box.span)
            values = range(min(box.span, spare) + 1)
            weights = [ways[spare - value] * below for value in values]
            spare_of_cells[cell] = values[choose(values, weights, (cell,))]
            spare -= spare_of_cells[cell]
            del ways[spare + 1 :]

    def _fill_loose(self, used: int, choose: Choice, spare_of_cells: dict[int, int]) -> None:
        """Choose the spare mines of the loose boxes."""
        mines_left = self.problem.spare
        if mines_left is None:
            self._fill_freely(choose, spare_of_cells)
            return
        mines_left -= used
        for index, box in enumerate(self.problem.loose):
            values = range(min(box.capacity, mines_left) + 1)
            below = [self._count_loose(index + 1, mines_left - value) for value in values]
            weights = [
                box.ways[value] * weight_below
                for value, weight_below in zip(values, below, strict=True)
            ]
            chosen = choose(values, weights, box.cells)
            self._arrange_box(box, values[chosen], below[chosen], choose, spare_of_cells)
            mines_left -= values[chosen]

    def _fill_freely(self, choose: Choice, spare_of_cells: dict[int, int]) -> None:
        mine, safe = to_odds(self.density)
        for index, box in enumerate(self.problem.loose):
            values = range(box.span + 1)
            each = [1] * len(values) if self.density is None else [safe, mine]
            below, base = self.free[index], sum(each)
            for cell in box.cells:
                self.deadline.check()
                below //= base
                spare_of_cells[cell] = choose(values, [ways * below for ways in each], (cell,))


def _find_by_weight(weights: Sequence[int], number: int) -> tuple[int, int]:
    """Return the index whose share of 0, 1, … a number is in, and its place in that share."""
    index = 0
    while number >= weights[index]:
        number -= weights[index]
        index += 1
    return index, number
