"""Counts of a whole board from the layouts by mines of its components.

Tested in tests/solvers/counting/test_whole_board.py.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import log2, prod
from typing import Final

from minecheck.minefield.polynomials import count_by_mines, count_completed, multiply_polynomials
from minecheck.minefield.reduction.constraints import Reduction
from minecheck.solvers.counting.ratio import Ratio

#: Units of `solvers.budget.Budget` for a product of two numbers of one limb by Karatsuba's method,
#: times the levels of a balanced tree.
_KARATSUBA: Final = 8


def multiply_components(reduction: Reduction, components: Sequence[Mapping[int, int]]) -> int:
    """Return the number of layouts of a board from those of its components.

    Args:
        reduction: the reduced board.
        components: for each component its layouts by mines.
    """
    loose, mines_left = reduction.loose.size, reduction.mines_left
    joint_layouts = prod(sum(layouts.values()) for layouts in components)
    if mines_left is None or not joint_layouts:
        return joint_layouts << loose
    return count_completed(
        multiply_polynomials(components, joint_layouts.bit_length()).items(), loose, mines_left
    )


def estimate_product(components: Sequence[Mapping[int, int]], cells: int) -> int:
    """Return the cost of `multiply_components`, in units of `solvers.budget.Budget`, at most.

    Args:
        components: for each component its layouts by mines.
        cells: undecided cells in all of them.
    """
    spans = sum(max(layouts) - min(layouts) for layouts in components if layouts)
    bits = sum(sum(layouts.values()).bit_length() for layouts in components)
    # Karatsuba's method, two numbers at a time; one after the other, each is short.
    balanced = _KARATSUBA * ((spans + 1) * bits / 64) ** log2(3)
    return int(min(balanced, len(components) * cells**2 / 64))


def by_mines(reduction: Reduction, components: Sequence[Mapping[int, int]]) -> dict[int, int]:
    """Return the layouts by mines on the whole board, ascending.

    Args:
        reduction: the reduced board.
        components: for each component its layouts by mines.
    """
    decided, mines_left = reduction.mines_decided, reduction.mines_left
    if mines_left is None:
        return count_by_mines(components, reduction.loose.size, decided)
    layouts = multiply_components(reduction, components)
    return {decided + mines_left: layouts} if layouts else {}


def compute_likelihood(by_mines: Mapping[int, int], cells: int, density: Fraction) -> Ratio:
    """Return the chance that mines laid with a density make one of the layouts.

    Args:
        by_mines: the layouts by their mines in these cells.
        cells: the number of cells in which mines are laid.
        density: the chance of a mine in each of them.
    """
    mine, safe = to_odds(density)
    weight = sum(
        layouts * mine**mines * safe ** (cells - mines) for mines, layouts in by_mines.items()
    )
    return Ratio(weight, density.denominator**cells)


def to_odds(density: Fraction | None) -> tuple[int, int]:
    """Return the weights of a mine and a safe cell: whole numbers, nothing in common."""
    if density is None:
        return 1, 1
    return density.numerator, density.denominator - density.numerator
