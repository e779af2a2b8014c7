"""How the components of a board and its loose cells complete a total of mines.

Layouts by mines are polynomials, of which those of all components from one on, or before one, are
multiplied once and kept.

Tested in tests/solvers/counting/test_whole_board.py.
"""

from functools import cached_property
from itertools import accumulate
from operator import mul

from minecheck.minefield.polynomials import (
    count_completed,
    list_binomials,
    multiply_polynomials,
    pack_from_fewest,
    unpack_from_fewest,
)
from minecheck.solvers.budget import Budget


class Completions:
    """Completions of a total by components and loose cells; all of them spend ``budget``."""

    def __init__(
        self, by_mines: list[dict[int, int]], loose: int, mines_left: int, budget: Budget
    ) -> None:
        """Take what the cells hold.

        Args:
            by_mines: the layouts of each component, by their mines.
            loose: the number of loose cells.
            mines_left: the mines in all these cells together.
            budget: what limits the work.
        """
        self._by_mines = by_mines
        self._loose = loose
        self._mines_left = mines_left
        self._budget = budget

    def count(self, first_component: int, mines: int) -> int:
        """Count the layouts of the components from one on, and loose cells, that hold the mines."""
        if mines < 0:
            return 0
        return count_completed(self._get_by_mines(first_component).items(), self._loose, mines)

    def count_with_loose_mine(self) -> int:
        """Count the layouts in which a certain loose cell is a mine: the others hold the rest."""
        by_mines = self._get_by_mines(0).items()
        return count_completed(by_mines, self._loose - 1, self._mines_left - 1)

    def weigh(self, component: int) -> dict[int, int]:
        """Return layouts of all others that complete the total, by mines of this component."""
        layouts_before = self._before[component].items()
        completions_from = self._from_mines_before[component + 1]
        return {
            mines: sum(
                layouts * completions_from.get(mines + mines_before, 0)
                for mines_before, layouts in layouts_before
            )
            for mines in self._by_mines[component]
        }

    @cached_property
    def _size(self) -> int:
        """Bytes of a packed coefficient, in which the layouts of all components together fit."""
        return sum(sum(by_mines.values()).bit_length() for by_mines in self._by_mines) // 8 + 1

    @property
    def _packed_bits(self) -> int:
        """Bits of the packed layouts by mines of all components, from the fewest mines on."""
        spans = sum(max(by_mines) - min(by_mines) for by_mines in self._by_mines)
        return (spans + 1) * 8 * self._size

    @cached_property
    def _packed_from(self) -> list[tuple[int, int]]:
        """Packed layouts by mines of the components from each one on, and their fewest mines."""
        self._budget.spend(len(self._by_mines), self._packed_bits)
        packed = [pack_from_fewest(by_mines, self._size) for by_mines in reversed(self._by_mines)]
        products = accumulate((factor for factor, _ in packed), mul, initial=1)
        fewest = accumulate((mines for _, mines in packed), initial=0)
        return list(zip(products, fewest, strict=True))[::-1]

    def _get_by_mines(self, first_component: int) -> dict[int, int]:
        """Return the layouts by mines of the components from ``first_component`` on."""
        if first_component not in self._unpacked:
            packed, fewest = self._packed_from[first_component]
            self._unpacked[first_component] = unpack_from_fewest(packed, self._size, fewest)
        return self._unpacked[first_component]

    @cached_property
    def _unpacked(self) -> dict[int, dict[int, int]]:
        """The results of `_get_by_mines` so far."""
        return {}

    @cached_property
    def _before(self) -> list[dict[int, int]]:
        """Layouts by mines of the components before each one."""
        self._budget.spend(len(self._by_mines), self._packed_bits)
        products = [{0: 1}]
        for by_mines in self._by_mines:
            products.append(multiply_polynomials([products[-1], by_mines], 8 * self._size))
        return products

    @cached_property
    def _from_mines_before(self) -> list[dict[int, int]]:
        """Layouts of the components from each one on and the loose cells, by mines before them."""
        binomials = list_binomials(self._loose).items()
        completions = [{self._mines_left - mines: layouts for mines, layouts in binomials}]
        for by_mines, layouts_before in zip(
            reversed(self._by_mines), reversed(self._before[:-1]), strict=True
        ):
            following, layouts = completions[-1], by_mines.items()
            completions.append(
                {
                    mines_before: sum(
                        count * following.get(mines_before + mines, 0) for mines, count in layouts
                    )
                    for mines_before in layouts_before
                }
            )
        return completions[::-1]
