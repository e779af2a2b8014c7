"""The chance of a mine in each box, from the counts along the lines.

Weights of the rest of the board, ratios of binomials, are `minefield.double_double`.

Tested in tests/solvers/positions/test_solve.py.
"""

from math import nextafter
from typing import Final

import numpy as np

from minecheck.minefield.compiled import Matrix, Vector, compile_without_references, inline_kernel
from minecheck.minefield.double_double import Twofold, add_twofold, divide_twofold, round_twofold
from minecheck.minefield.double_double import multiply_twofold as times
from minecheck.solvers.positions.boxes import SIZE
from minecheck.solvers.positions.states import AT, FEWEST, MOST

#: Doubles below this are exact integers, and so are their sums.
EXACT: Final = 2.0**53
#: Weights outside of these might lose digits.
LEAST_WEIGHT: Final = 1e-200
MOST_WEIGHT: Final = 1e200
_LEAST_CHANCE: Final = 1e-250
_BELOW_ONE: Final = nextafter(1.0, 0.0)


@inline_kernel
def mine_span(states: Matrix[np.int32], part: Vector[np.int32]) -> int:
    """Return the most mines of a component less its fewest.

    Args:
        states: the states of all components.
        part: the record of the component, whose third entry is its root state.
    """
    root = part[2]
    return int(states[root, MOST] - states[root, FEWEST])


@compile_without_references
def fill_chances(
    boxes: Matrix[np.int32],
    states: Matrix[np.int32],
    numbers: Vector[np.float64],
    steps: Matrix[np.int32],
    part: Vector[np.int32],
    last: int,
    rest: Matrix[np.float64],
    whole: Twofold,
    chances: Vector[np.float64],
) -> bool:
    """Fill in the chances of a component's boxes; return whether all are sure.

    Its steps are those from ``part[0]`` to ``last``.

    Args:
        boxes: the boxes of the position.
        states: the states of all components.
        numbers: the layouts by mines that states refer to.
        steps: the steps of all components.
        part: the record of the component.
        last: its last step.
        rest: weights of what is outside of it, by the mines in it beyond its fewest: (span + 1, 2).
        whole: the weight of all layouts.
        chances: the chance of each box, which is filled in.
    """
    sure = True
    beyond = mine_span(states, part)
    layouts = states[part[2], AT]
    for step in range(part[0], last):
        box = steps[step, 0]
        held = weigh_sum(numbers, steps[step, 2], beyond, rest, 0)
        size = float(boxes[box, SIZE])
        full = True
        for used in range(beyond + 1):
            all_mines = numbers[layouts + used] * size
            full &= rest[used, 0] == 0.0 or numbers[steps[step, 2] + used] == all_mines
        chances[box], certain = divide_chance(held, times((size, 0.0), whole), full)
        sure &= certain
    return bool(sure)


@inline_kernel
def fill_powers(weights: Matrix[np.float64], odds: Twofold) -> bool:
    """Fill in the weight of mines in boxes by their number; return whether none loses digits.

    Args:
        weights: high and low parts by number of mines, which are filled in: (numbers, 2).
        odds: the weight of one mine.
    """
    value = (1.0, 0.0)
    for used in range(weights.shape[0]):
        if not LEAST_WEIGHT < value[0] < MOST_WEIGHT:
            return False
        weights[used, 0], weights[used, 1] = value
        value = times(value, odds)
    return True


@inline_kernel
def fill_choices(weights: Matrix[np.float64], loose: int, left: int) -> bool:
    """Fill in weights of loose cells by mines in the boxes; return whether none loses digits.

    Args:
        weights: high and low parts by mines used in boxes, which are filled in: (numbers, 2).
        loose: the number of loose cells.
        left: the mines left to boxes and loose cells.
    """
    value = (1.0, 0.0)
    started = False
    for used in range(weights.shape[0]):
        chosen = left - used
        if chosen < 0 or chosen > loose:
            continue
        if started:
            # C(loose, chosen) from C(loose, chosen + 1).
            more = times(value, (float(chosen + 1), 0.0))
            value = divide_twofold(more, (float(loose - chosen), 0.0))
        started = True
        if not LEAST_WEIGHT < value[0] < MOST_WEIGHT:
            return False
        weights[used, 0], weights[used, 1] = value
    return True


@inline_kernel
def weigh_sum(
    numbers: Vector[np.float64], at: int, degree: int, weights: Matrix[np.float64], first: int
) -> Twofold:
    """Return the sum of ``numbers[at + i] * weights[first + i]`` for i up to ``degree``.

    Args:
        numbers: numbers that are not negative.
        at: the first of them.
        degree: the last i.
        weights: high and low parts: (numbers, 2).
        first: the first of them.
    """
    found = (0.0, 0.0)
    for power in range(degree + 1):
        if numbers[at + power] > 0.0 and weights[first + power, 0] > 0.0:
            weight = (weights[first + power, 0], weights[first + power, 1])
            found = add_twofold(found, times((numbers[at + power], 0.0), weight))
    return found


@inline_kernel
def divide_chance(held: Twofold, whole: Twofold, full: bool) -> tuple[float, bool]:
    """Divide two numbers to a chance; it is 0 or 1 only where that is exact.

    Args:
        held: the dividend, not negative.
        whole: the divisor, above 0.
        full: whether the chance is exactly 1.

    Returns:
        The chance, and whether it is rounded correctly.
    """
    if full or held[0] == 0.0:
        return (1.0 if full else 0.0), True
    value, certain = round_twofold(divide_twofold(held, whole))
    # Further down a double has not all its digits.
    return min(value, _BELOW_ONE), certain and value > _LEAST_CHANCE


@inline_kernel
def loose_chance(
    spread: Vector[np.float64],
    weights: Matrix[np.float64],
    whole: Twofold,
    loose: int,
    left: int,
) -> tuple[float, bool]:
    """Return the chance of a mine in a cell without a clue, and whether it is rounded right.

    Args:
        spread: layouts of the boxes by mines used.
        weights: weights of the loose cells by mines used: (numbers, 2).
        whole: the weight of all layouts.
        loose: the number of loose cells.
        left: the mines left to boxes and loose cells.
    """
    held = (0.0, 0.0)
    full = True
    for used in range(spread.size):
        if spread[used] > 0.0 and weights[used, 0] > 0.0:
            weight = times((weights[used, 0], weights[used, 1]), (float(left - used), 0.0))
            held = add_twofold(held, times((spread[used], 0.0), weight))
            full &= left - used == loose
    return divide_chance(held, times((float(max(loose, 1)), 0.0), whole), full)
