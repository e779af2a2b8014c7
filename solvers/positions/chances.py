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
from minecheck.solvers.positions.states import AT, FEWEST, MOST, Buffers

#: Doubles below this are exact integers, and so are their sums.
EXACT: Final = 2.0**53
#: Weights outside of these might lose digits.
LEAST_WEIGHT: Final = 1e-200
MOST_WEIGHT: Final = 1e200
_LEAST_CHANCE: Final = 1e-250
_BELOW_ONE: Final = nextafter(1.0, 0.0)


@inline_kernel
def compute_mine_span(states: Matrix[np.int32], component: Vector[np.int32]) -> int:
    """Return the most mines of a component less its fewest.

    Args:
        states: the states of all components.
        component: the record of the component, whose third entry is its root state.
    """
    root = component[2]
    return int(states[root, MOST] - states[root, FEWEST])


@compile_without_references
def fill_chances(
    boxes: Matrix[np.int32],
    buffers: Buffers,
    component: Vector[np.int32],
    last_step: int,
    rest_weights: Matrix[np.float64],
    total_weight: Twofold,
    chances: Vector[np.float64],
) -> bool:
    """Fill in the chances of a component's boxes; return whether all are sure.

    Its steps are those from ``component[0]`` to ``last_step``.

    Args:
        boxes: the boxes of the position.
        buffers: the states of all components.
        component: the record of the component.
        last_step: its last step.
        rest_weights: weights of the rest of the board, by the mines of the component beyond its
            fewest: (span + 1, 2).
        total_weight: the weight of all layouts.
        chances: the chance of each box, which is filled in.
    """
    states, counts, steps = buffers.states, buffers.counts, buffers.steps
    sure = True
    span = compute_mine_span(states, component)
    layouts = states[component[2], AT]
    for step in range(component[0], last_step):
        box = steps[step, 0]
        mine_weight = weigh_sum(counts, steps[step, 2], span, rest_weights, 0)
        cells = float(boxes[box, SIZE])
        is_all_mines = True
        for extra_mines in range(span + 1):
            all_mines = counts[layouts + extra_mines] * cells
            is_all_mines &= (
                rest_weights[extra_mines, 0] == 0.0
                or counts[steps[step, 2] + extra_mines] == all_mines
            )
        chances[box], certain = divide_chance(
            mine_weight, times((cells, 0.0), total_weight), is_all_mines
        )
        sure &= certain
    return bool(sure)


@inline_kernel
def fill_powers(weights: Matrix[np.float64], odds: Twofold) -> bool:
    """Fill in the weight of mines in boxes by their number; return whether none loses digits.

    Args:
        weights: high and low parts by number of mines, which are filled in: (numbers, 2).
        odds: the weight of one mine.
    """
    weight = (1.0, 0.0)
    for mines in range(weights.shape[0]):
        if not LEAST_WEIGHT < weight[0] < MOST_WEIGHT:
            return False
        weights[mines, 0], weights[mines, 1] = weight
        weight = times(weight, odds)
    return True


@inline_kernel
def fill_choices(weights: Matrix[np.float64], loose: int, mines_left: int) -> bool:
    """Fill in weights of loose cells by mines in the boxes; return whether none loses digits.

    Args:
        weights: high and low parts by mines in boxes, which are filled in: (numbers, 2).
        loose: the number of loose cells.
        mines_left: the mines left to boxes and loose cells.
    """
    weight = (1.0, 0.0)
    has_started = False
    for box_mines in range(weights.shape[0]):
        loose_mines = mines_left - box_mines
        if loose_mines < 0 or loose_mines > loose:
            continue
        if has_started:
            # C(loose, loose_mines) from C(loose, loose_mines + 1).
            scaled = times(weight, (float(loose_mines + 1), 0.0))
            weight = divide_twofold(scaled, (float(loose - loose_mines), 0.0))
        has_started = True
        if not LEAST_WEIGHT < weight[0] < MOST_WEIGHT:
            return False
        weights[box_mines, 0], weights[box_mines, 1] = weight
    return True


@inline_kernel
def weigh_sum(
    counts: Vector[np.float64], at: int, degree: int, weights: Matrix[np.float64], first_weight: int
) -> Twofold:
    """Return the sum of ``counts[at + i] * weights[first_weight + i]`` for i up to ``degree``.

    Args:
        counts: numbers that are not negative.
        at: the first of them.
        degree: the last i.
        weights: high and low parts: (numbers, 2).
        first_weight: the first of them.
    """
    total = (0.0, 0.0)
    for power in range(degree + 1):
        if counts[at + power] > 0.0 and weights[first_weight + power, 0] > 0.0:
            weight = (weights[first_weight + power, 0], weights[first_weight + power, 1])
            total = add_twofold(total, times((counts[at + power], 0.0), weight))
    return total


@inline_kernel
def divide_chance(
    mine_weight: Twofold, total_weight: Twofold, is_all_mines: bool
) -> tuple[float, bool]:
    """Divide two numbers to a chance; it is 0 or 1 only where that is exact.

    Args:
        mine_weight: the dividend, not negative.
        total_weight: the divisor, above 0.
        is_all_mines: whether the chance is exactly 1.

    Returns:
        The chance, and whether it is rounded correctly.
    """
    if is_all_mines or mine_weight[0] == 0.0:
        return (1.0 if is_all_mines else 0.0), True
    chance, certain = round_twofold(divide_twofold(mine_weight, total_weight))
    # Further down a double has not all its digits.
    return min(chance, _BELOW_ONE), certain and chance > _LEAST_CHANCE


@inline_kernel
def compute_loose_chance(
    spread: Vector[np.float64],
    weights: Matrix[np.float64],
    total_weight: Twofold,
    loose: int,
    mines_left: int,
) -> tuple[float, bool]:
    """Return the chance of a mine in a cell without a clue, and whether it is rounded right.

    Args:
        spread: layouts of the boxes by their mines.
        weights: weights of the loose cells by mines in boxes: (numbers, 2).
        total_weight: the weight of all layouts.
        loose: the number of loose cells.
        mines_left: the mines left to boxes and loose cells.
    """
    mine_weight = (0.0, 0.0)
    is_all_mines = True
    for box_mines in range(spread.size):
        if spread[box_mines] > 0.0 and weights[box_mines, 0] > 0.0:
            weight = times(
                (weights[box_mines, 0], weights[box_mines, 1]), (float(mines_left - box_mines), 0.0)
            )
            mine_weight = add_twofold(mine_weight, times((spread[box_mines], 0.0), weight))
            is_all_mines &= mines_left - box_mines == loose
    return divide_chance(
        mine_weight, times((float(max(loose, 1)), 0.0), total_weight), is_all_mines
    )
