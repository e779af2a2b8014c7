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
        parts: of each component its layouts by mines; none is empty.
        loose: number of loose cells.
        left: mines in components and loose cells together; there must be such a layout.
        spend: called with the products that come next.
    """

    def __init__(
        self,
        parts: Sequence[Mapping[int, int]],
        loose: int,
        left: int,
        spend: Callable[[int], None],
    ) -> None:
        spans = [range(min(part), max(part) + 1) for part in parts]
        nodes = [
            _Node(round_naturals([part.get(mines, 0) for mines in span]))
            for part, span in zip(parts, spans, strict=True)
        ]
        joined = list(nodes)
        root = _multiply_nodes(joined, spend)
        self._loose, self._left = loose, left - sum(span.start for span in spans)
        rest = range(self._left, self._left - root.length, -1)
        root.completions = round_naturals(_list_choices(loose, rest))
        for node in reversed(joined):
            node.pass_down()
        self._root = root
        #: The layouts of the rest for each component, by its mines, ascending.
        self.completions = [node.completions for node in nodes]
        #: The number of roundings in each of them.
        self.lost = [node.lost for node in nodes]

    def loose_chance(self) -> tuple[float, bool]:
        """Return the chance of a mine in a loose cell, and whether it is sure."""
        root = self._root
        # The more mines the components have, the fewer have the loose cells.
        ways, others = _reverse_numbers(root.completions), _reverse_numbers(root.layouts)
        return nearest.round_chance(
            ways, self._left - root.length + 1, self._loose, others, root.lost
        )


@dataclass(eq=False)
class _Node:
    """Some components together: their layouts by mines, and what completes them.

    ``lost`` is by how many operations what was computed last is off; the ``factors`` are two nodes.
    """

    layouts: Rounded
    lost: float = 1.0
    factors: "tuple[_Node, _Node] | None" = None
    completions: Rounded = field(init=False)

    @property
    def length(self) -> int:
        return self.layouts.exponent.size

    def pass_down(self) -> None:
        """Pass the completions on to the factors."""
        if self.factors:
            one, other = self.factors
            one.completions = _divide_completions(self.completions, other.layouts)
            other.completions = _divide_completions(self.completions, one.layouts)
            one.lost, other.lost = (
                self.lost + sibling.lost + sibling.length for sibling in (other, one)
            )


def _multiply_nodes(nodes: list[_Node], spend: Callable[[int], None]) -> _Node:
    """Multiply all nodes, and list the products behind them; the last one."""
    # The shortest two come next.
    waiting = [(node.length, index) for index, node in enumerate(nodes)]
    heapify(waiting)
    while len(waiting) > 1:
        (length, one), (other_length, other) = heappop(waiting), heappop(waiting)
        spend(length * other_length)
        factors = nodes[one], nodes[other]
        lost = factors[0].lost + factors[1].lost + length
        heappush(waiting, (length + other_length - 1, len(nodes)))
        nodes.append(_Node(_multiply_rounded(*(node.layouts for node in factors)), lost, factors))
    return nodes[-1] if nodes else _Node(round_naturals([1]))


def _reverse_numbers(numbers: Rounded) -> Rounded:
    return Rounded(numbers.parts[::-1].copy(), numbers.exponent[::-1].copy())


@compile_kernel
def _multiply_rounded(one: Rounded, other: Rounded) -> Rounded:
    """Return the product of two polynomials."""
    found = make_zeros(one.exponent.size + other.exponent.size - 1)
    powers = np.arange(other.exponent.size).astype(np.int32)
    for row in range(one.exponent.size):
        add_products(one, other, np.full_like(powers, row), powers, powers + np.int32(row), found)
    scale_numbers(found)
    return found


@compile_kernel
def _divide_completions(both: Rounded, other: Rounded) -> Rounded:
    """Return the completions of one of two, from those of both and the layouts of the other."""
    found = make_zeros(both.exponent.size - other.exponent.size + 1)
    powers = np.arange(other.exponent.size).astype(np.int32)
    for row in range(found.exponent.size):
        add_products(both, other, powers + np.int32(row), powers, np.full_like(powers, row), found)
    scale_numbers(found)
    return found


def _list_choices(cells: int, chosen: range) -> list[int]:
    """Return the binomials of ``cells`` for each number of mines, descending."""
    found: list[int] = []
    ways = 0
    for mines in chosen:
        if not 0 <= mines <= cells:
            ways = 0
        elif ways:
            # Each binomial follows from the previous one; computing it anew costs hundreds of times
            # more.
            ways = ways * (mines + 1) // (cells - mines)
        else:
            ways = comb(cells, mines)
        found.append(ways)
    return found
