"""The chance of a mine in each box, and mines that make a layout, from the counts along the lines.

Weights of the rest of the board, ratios of binomials, are `minefield.double_double`.
"""

from math import nextafter
from typing import Final

import numpy as np
from numpy.typing import NDArray

from minefield.compiled import Matrix, Vector, inlined, inner
from minefield.double_double import Twofold, quotient, rounded, total
from minefield.double_double import product as times
from solvers.counting.position_grid import SIZE
from solvers.counting.position_line import (
    AT,
    EDGE,
    FEWEST,
    MOST,
    REST_AT,
    REST_FEWEST,
    REST_MOST,
)

#: Doubles below this are exact integers, and so are their sums.
EXACT: Final = 2.0**53
#: In place of a total of mines.
ANY: Final = -1
#: Weights outside of these might lose digits.
LEAST_WEIGHT: Final = 1e-200
MOST_WEIGHT: Final = 1e200
_LEAST_CHANCE: Final = 1e-250
_BELOW_ONE: Final = nextafter(1.0, 0.0)


@inlined
def products(
    states: Matrix[np.int32],
    numbers: Vector[np.float64],
    parts: Matrix[np.int32],
    components: int,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Layouts by mines beyond the fewest, as two (components + 1, most + 1).

    Row c of the first: of the components before c; of the second: of those from c on.
    """
    degree = 0
    for part in range(components):
        degree += _span(states, parts, part)
    before = np.zeros((components + 1, degree + 1))
    after = np.zeros((components + 1, degree + 1))
    before[0, 0] = after[components, 0] = 1.0
    done = 0
    for part in range(components):
        span = _span(states, parts, part)
        _convolve(before[part], done, numbers, states[parts[part, 2], AT], span, before[part + 1])
        done += span
    done = 0
    for part in range(components - 1, -1, -1):
        span = _span(states, parts, part)
        _convolve(after[part + 1], done, numbers, states[parts[part, 2], AT], span, after[part])
        done += span
    return before, after


@inlined
def _span(states: Matrix[np.int32], parts: Matrix[np.int32], part: int) -> int:
    """Most less fewest mines of a component."""
    root = parts[part, 2]
    return int(states[root, MOST] - states[root, FEWEST])


@inner
def fill_chances(
    boxes: Matrix[np.int16],
    states: Matrix[np.int32],
    numbers: Vector[np.float64],
    steps: Matrix[np.int32],
    parts: Matrix[np.int32],
    before: Matrix[np.float64],
    after: Matrix[np.float64],
    loose: int,
    left: int,
    odds: Twofold,
    chances: Vector[np.float64],
) -> bool:
    """Fill in the chance of each box, the loose cells' last; whether there are any, all sure."""
    components = before.shape[0] - 1
    degree = before.shape[1] - 1
    spread = before[components]
    weights = np.zeros((degree + 1, 2))
    sure = spread.max() < EXACT and _weights(weights, loose, left, odds)
    whole = _weighed(spread, 0, degree, weights, 0)
    if not sure or whole[0] == 0.0:
        return False
    rest = np.empty((degree + 1, 2))
    others = np.empty(degree + 1)
    done = 0
    for part in range(components):
        span = _span(states, parts, part)
        others[:] = 0.0
        # Their degrees add up to what this component leaves.
        _convolve(before[part], done, after[part + 1], 0, degree - done - span, others)
        done += span
        for used in range(span + 1):
            rest[used, 0], rest[used, 1] = _weighed(others, 0, degree - span, weights, used)
        layouts = states[parts[part, 2], AT]
        for step in range(parts[part, 0], parts[part + 1, 0]):
            box = steps[step, 0]
            held = _weighed(numbers, steps[step, 2], span, rest, 0)
            size = float(boxes[box, SIZE])
            full = True
            for used in range(span + 1):
                all_mines = numbers[layouts + used] * size
                full &= rest[used, 0] == 0.0 or numbers[steps[step, 2] + used] == all_mines
            chances[box], certain = _chance(held, times((size, 0.0), whole), full)
            sure &= certain
    chances[-1], certain = _loose_chance(spread, weights, whole, loose, left, odds)
    return bool(sure and certain)


@inlined
def _weights(weights: Matrix[np.float64], loose: int, left: int, odds: Twofold) -> bool:
    """The weight of the loose cells by mines used in the boxes; whether none loses digits."""
    value = (1.0, 0.0)
    started = False
    for used in range(weights.shape[0]):
        chosen = left - used
        if left == ANY:
            if used > 0:
                value = times(value, odds)
        elif chosen < 0 or chosen > loose:
            continue
        elif started:
            # C(loose, chosen) from C(loose, chosen + 1).
            more = times(value, (float(chosen + 1), 0.0))
            value = quotient(more, (float(loose - chosen), 0.0))
        started = True
        if not LEAST_WEIGHT < value[0] < MOST_WEIGHT:
            return False
        weights[used, 0], weights[used, 1] = value
    return True


@inlined
def _weighed(
    numbers: Vector[np.float64], at: int, degree: int, weights: Matrix[np.float64], first: int
) -> Twofold:
    """The sum of ``numbers[at + i] * weights[first + i]`` for i up to ``degree``."""
    found = (0.0, 0.0)
    for place in range(degree + 1):
        if numbers[at + place] > 0.0 and weights[first + place, 0] > 0.0:
            weight = (weights[first + place, 0], weights[first + place, 1])
            found = total(found, times((numbers[at + place], 0.0), weight))
    return found


@inlined
def _chance(held: Twofold, whole: Twofold, full: bool) -> tuple[float, bool]:
    """The quotient, 0 and 1 only where that is exact, and whether it is rounded correctly."""
    if full or held[0] == 0.0:
        return (1.0 if full else 0.0), True
    value, certain = rounded(quotient(held, whole))
    # Further down a double has not all its digits.
    return min(value, _BELOW_ONE), certain and value > _LEAST_CHANCE


@inlined
def _loose_chance(
    spread: Vector[np.float64],
    weights: Matrix[np.float64],
    whole: Twofold,
    loose: int,
    left: int,
    odds: Twofold,
) -> tuple[float, bool]:
    """The chance of a mine in a cell without a clue, and whether it is rounded correctly."""
    if left == ANY:
        return _chance(odds, total(odds, (1.0, 0.0)), False)
    held = (0.0, 0.0)
    full = True
    for used in range(spread.size):
        if spread[used] > 0.0 and weights[used, 0] > 0.0:
            weight = times((weights[used, 0], weights[used, 1]), (float(left - used), 0.0))
            held = total(held, times((spread[used], 0.0), weight))
            full &= left - used == loose
    return _chance(held, times((float(max(loose, 1)), 0.0), whole), full)


@inner
def _convolve(
    one: Vector[np.float64],
    one_degree: int,
    numbers: Vector[np.float64],
    at: int,
    degree: int,
    result: Vector[np.float64],
) -> None:
    """Add the product of two polynomials, the second one ``numbers[at:at + degree + 1]``."""
    for place in range(one_degree + 1):
        for other in range(degree + 1):
            result[place + other] += one[place] * numbers[at + other]


@inlined
def choose_layout(
    states: Matrix[np.int32],
    edges: Matrix[np.int32],
    numbers: Vector[np.float64],
    steps: Matrix[np.int32],
    parts: Matrix[np.int32],
    before: Matrix[np.float64],
    loose: int,
    left: int,
    held: Vector[np.int64],
) -> None:
    """Mines of each box in one of the layouts; there must be one. The loose cells' are last."""
    components = before.shape[0] - 1
    beyond = 0
    while before[components, beyond] == 0.0 or (left != ANY and not 0 <= left - beyond <= loose):
        beyond += 1
    held[-1] = 0 if left == ANY else left - beyond
    for part in range(components - 1, -1, -1):
        root = parts[part, 2]
        own = 0
        while numbers[states[root, AT] + own] == 0.0 or before[part, beyond - own] == 0.0:
            own += 1
        beyond -= own
        mines = states[root, FEWEST] + own
        state = parts[part, 1]
        for step in range(parts[part, 0], parts[part + 1, 0]):
            for edge in range(states[state, EDGE], states[state + 1, EDGE]):
                target = edges[edge, 0]
                rest = mines - edges[edge, 1]
                if _leads(states, numbers, target, rest):
                    held[steps[step, 0]] = edges[edge, 1]
                    mines = rest
                    state = target
                    break


@inlined
def _leads(states: Matrix[np.int32], numbers: Vector[np.float64], state: int, mines: int) -> bool:
    """Whether so many mines can follow this state."""
    at = states[state, REST_AT]
    if at < 0 or not states[state, REST_FEWEST] <= mines <= states[state, REST_MOST]:
        return False
    return bool(numbers[at + mines - states[state, REST_FEWEST]] > 0.0)
