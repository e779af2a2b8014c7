"""The total of mines: in how many ways the rest of a board completes it, for each component.

Components are independent but for the total. By mines they are multiplied, two at a time, and the
loose cells take what is left of the total. Back from there, the completions of one of two are those
of both, times the layouts of the other. All numbers are rounded (`solvers.counting.rounded`).

Tested in tests/solvers/counting/test_whole_board.py.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from heapq import heapify, heappop, heappush
from math import comb

import numpy as np

from minecheck.minefield.compiled import compile_kernel
from minecheck.solvers.counting import nearest
from minecheck.solvers.counting.rounded import (
    Rounded,
    add_products,
    make_zeros,
    round_naturals,
    scale_numbers,
)


class Total:
    """Components, and what completes each of them.

    Args:
        layouts_by_component: of each component its layouts by mines; none is empty.
        loose: number of loose cells.
        mines_left: mines in components and loose cells together; there must be such a layout.
        spend: called with the products that come next.
    """

    def __init__(
        self,
        layouts_by_component: Sequence[Mapping[int, int]],
        loose: int,
        mines_left: int,
        spend: Callable[[int], None],
    ) -> None:
        spans = [range(min(layouts), max(layouts) + 1) for layouts in layouts_by_component]
        nodes = [
            _Node(round_naturals([layouts.get(mines, 0) for mines in span]))
            for layouts, span in zip(layouts_by_component, spans, strict=True)
        ]
        all_nodes = list(nodes)
        root = _multiply_nodes(all_nodes, spend)
        self._loose, self._left = loose, mines_left - sum(span.start for span in spans)
        loose_mines = range(self._left, self._left - root.length, -1)
        root.completions = round_naturals(_list_choices(loose, loose_mines))
        for node in reversed(all_nodes):
            node.pass_down()
        self._root = root
        #: The layouts of the rest for each component, by its mines, ascending.
        self.completions = [node.completions for node in nodes]
        #: The number of roundings in each of them.
        self.roundings = [node.roundings for node in nodes]

    def round_loose_chance(self) -> tuple[float, bool]:
        """Return the chance of a mine in a loose cell, and whether it is sure."""
        root = self._root
        # The more mines the components have, the fewer have the loose cells.
        loose_layouts, component_layouts = (
            _reverse_numbers(root.completions),
            _reverse_numbers(root.layouts),
        )
        return nearest.round_chance(
            loose_layouts,
            self._left - root.length + 1,
            self._loose,
            component_layouts,
            root.roundings,
        )


@dataclass(eq=False)
class _Node:
    """Some components together: their layouts by mines, and what completes them.

    ``roundings`` is the number of operations by whose losses the last result may be off. The
    ``factors`` are two nodes.
    """

    layouts: Rounded
    roundings: float = 1.0
    factors: "tuple[_Node, _Node] | None" = None
    completions: Rounded = field(init=False)

    @property
    def length(self) -> int:
        return self.layouts.exponent.size

    def pass_down(self) -> None:
        """Pass the completions on to the factors."""
        if self.factors:
            left, right = self.factors
            left.completions = _divide_completions(self.completions, right.layouts)
            right.completions = _divide_completions(self.completions, left.layouts)
            left.roundings, right.roundings = (
                self.roundings + sibling.roundings + sibling.length for sibling in (right, left)
            )


def _multiply_nodes(nodes: list[_Node], spend: Callable[[int], None]) -> _Node:
    """Multiply all nodes, and list the products behind them; the last one."""
    # The shortest two come next.
    waiting = [(node.length, index) for index, node in enumerate(nodes)]
    heapify(waiting)
    while len(waiting) > 1:
        (length, shortest), (other_length, next_shortest) = heappop(waiting), heappop(waiting)
        spend(length * other_length)
        factors = nodes[shortest], nodes[next_shortest]
        roundings = factors[0].roundings + factors[1].roundings + length
        heappush(waiting, (length + other_length - 1, len(nodes)))
        nodes.append(
            _Node(_multiply_rounded(*(node.layouts for node in factors)), roundings, factors)
        )
    return nodes[-1] if nodes else _Node(round_naturals([1]))


def _reverse_numbers(numbers: Rounded) -> Rounded:
    return Rounded(numbers.parts[::-1].copy(), numbers.exponent[::-1].copy())


@compile_kernel
def _multiply_rounded(left: Rounded, right: Rounded) -> Rounded:
    """Return the product of two polynomials."""
    product = make_zeros(left.exponent.size + right.exponent.size - 1)
    powers = np.arange(right.exponent.size).astype(np.int32)
    for row in range(left.exponent.size):
        add_products(
            left, right, np.full_like(powers, row), powers, powers + np.int32(row), product
        )
    scale_numbers(product)
    return product


@compile_kernel
def _divide_completions(joint: Rounded, sibling: Rounded) -> Rounded:
    """Return the completions of one of two, from those of both and the layouts of the other."""
    quotient = make_zeros(joint.exponent.size - sibling.exponent.size + 1)
    powers = np.arange(sibling.exponent.size).astype(np.int32)
    for row in range(quotient.exponent.size):
        add_products(
            joint, sibling, powers + np.int32(row), powers, np.full_like(powers, row), quotient
        )
    scale_numbers(quotient)
    return quotient


def _list_choices(cells: int, mine_numbers: range) -> list[int]:
    """Return the binomials of ``cells`` for each number of mines, descending."""
    binomials: list[int] = []
    binomial = 0
    for mines in mine_numbers:
        if not 0 <= mines <= cells:
            binomial = 0
        elif binomial:
            # Each binomial follows from the previous one; computing it anew costs hundreds of times
            # more.
            binomial = binomial * (mines + 1) // (cells - mines)
        else:
            binomial = comb(cells, mines)
        binomials.append(binomial)
    return binomials
