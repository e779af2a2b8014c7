"""A layout, count, chances and forced cells of an ordinary position, in one compiled call.

Positions of games fall into small components, of which a line of boxes is
the quickest to count: the state between two boxes is what each open clue
still needs, three bits a clue; its value is the number of layouts by mines
used. All of them are integers below 2**53, exact in doubles, which is checked;
what is larger, or wider, is left to `solvers.counting.component`. The weights of the
rest of the board, ratios of binomials, are `solvers.counting.double_double`, so that every
chance is rounded correctly; where that is in doubt, nothing is answered.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import comb, nextafter
from typing import Final

import numpy as np
from numpy.typing import NDArray

from minefield.board import FLAG, MINE, UNKNOWN, Board
from minefield.compiled import compiled
from minefield.reduction.kernels import NONE
from solvers.counting.double_double import Twofold, quotient, rounded, total
from solvers.counting.double_double import product as times
from solvers.counting.polynomial import completed, free, product

#: Doubles below this are exact integers, and so are their sums.
_EXACT: Final = 2.0**53
# What came of a call: an answer; a board that is inconsistent, or no ordinary position; one that
# takes more room.
_SURE: Final = 0
_UNSURE: Final = -1
_NO_ROOM: Final = -2

#: In place of a total of mines.
_ANY: Final = -1
#: Weights outside of these might lose digits.
_LEAST_WEIGHT: Final = 1e-200
_MOST_WEIGHT: Final = 1e200
_LEAST_CHANCE: Final = 1e-250

#: Numbers of boxes and clues, no more than of cells, are of 16 bits.
_TOO_LARGE: Final = 2**15
#: Room for states, transitions and coefficients. Little memory stays in the caches between calls;
#: positions that need more get a second try, and those that need even more are left to others.
_STATES: Final = 256
_EDGES: Final = 1024
_NUMBERS: Final = 4096
_MORE_ROOM: Final = 16
#: Open clues at a time: three bits each in a key of 63.
_OPEN: Final = 21
#: Boxes of a clue and clues of a box, at most.
_NEAR: Final = 8

# Columns of the boxes: size, number of clues, the clues' places relative to the first one, the next
# box of the same first clue, whether it is a candidate (1) or counted (2); then its clues.
_SIZE: Final = 0
_DEGREE: Final = 1
_KEY: Final = 2
_NEXT: Final = 3
_DONE: Final = 4
_LIST: Final = 6
# Columns of the clues: need, number of boxes, cells in boxes to come, the first box of those whose
# first clue it is, its bits in the key, when it was opened; then its boxes.
_NEED: Final = 0
_CELLS: Final = 2
_CHAIN: Final = 3
_SLOT: Final = 4
_AGE: Final = 5
# Columns of the states: fewest and most mines up to there, where their numbers of layouts are, the
# first transition from there; the same three for what follows.
_FEWEST: Final = 0
_MOST: Final = 1
_AT: Final = 2
_EDGE: Final = 3
_REST_FEWEST: Final = 4
_REST_MOST: Final = 5
_REST_AT: Final = 6

#: Where the eight neighbours of a cell are, in reading order.
_DOWN: Final = (-1, -1, -1, 0, 0, 1, 1, 1)
_ASIDE: Final = (-1, 0, 1, -1, 1, -1, 0, 1)
_BELOW_ONE: Final = nextafter(1.0, 0.0)
#: Spreads keys over the hash table.
_HASH: Final = 0x1E3779B97F4A7C15
_CHOICES: Final = np.array([[comb(n, k) for k in range(9)] for n in range(9)], np.float64)

# Rows of the grid, whose columns are the cells with a ring around: what a cell adds to the clues
# around it (an undecided one 16, a mine 1); of each clue the undecided cells and the mines it still
# needs; clues to propagate; numbers of clues and of boxes.
_MASS: Final = 0
_CLUE_CELLS: Final = 1
_NEEDS: Final = 2
_QUEUE: Final = 3
_CLUE: Final = 4
_BOX: Final = 5
_GRIDS: Final = 6
_UNKNOWN_BITS: Final = 4
_UNKNOWN_MASS: Final = 1 << _UNKNOWN_BITS
#: Where there is no clue; no number of decided neighbours makes it look like one.
_NO_NEED: Final = 50
_NO_CELLS: Final = 100


@dataclass(eq=False)
class Position:
    """What there is to say about a position, at once.

    Cells of one kind have the same chance: ``kind_chances`` is by kind, float64,
    ``kinds`` is int16 (height, width). ``layout`` is one of the layouts, bool
    (height, width). ``spread[d]`` layouts of the constrained cells have
    ``mines + d`` mines, the decided ones included; ``loose`` cells are free
    besides.
    """

    kind_chances: NDArray[np.float64]
    kinds: NDArray[np.int16]
    layout: NDArray[np.bool_]
    spread: list[int]
    mines: int
    loose: int
    total: int | None

    @cached_property
    def chances(self) -> NDArray[np.float64]:
        """The chance of a mine in each unknown cell and NaN elsewhere, float64 (height, width).

        It is exactly 0 or 1 where the cell is forced, and only there.
        """
        return self.kind_chances[self.kinds]

    @cached_property
    def count(self) -> int:
        """Number of layouts."""
        if self.total is None:
            return sum(self.spread) << self.loose
        return completed(enumerate(self.spread), self.loose, self.total - self.mines)

    @property
    def by_mines(self) -> dict[int, int]:
        """Layouts by number of mines, ascending."""
        if self.total is not None:
            return {self.total: self.count}
        boxed = dict(enumerate(self.spread, self.mines))
        return product([boxed, free(self.loose)], self.count.bit_length())


def position(
    board: Board, mines: int | None = None, density: Fraction | None = None
) -> Position | None:
    """What there is to say about a position; None if it is inconsistent, or not an ordinary one.

    ``mines`` is the exact total. Without it each unknown cell is a mine with
    the chance ``density``, by default one half: then all layouts weigh the same.
    """
    odds, odds_low = 1.0, 0.0
    if density is not None:
        exact = density / (1 - density)
        odds = float(exact)
        odds_low = float(exact - Fraction(odds))
        if not _LEAST_WEIGHT < odds < _MOST_WEIGHT:
            return None
    left = _ANY if mines is None else mines
    found = _position(board.cells, left, odds, odds_low, 1)
    if found[0] == _NO_ROOM:
        found = _position(board.cells, left, odds, odds_low, _MORE_ROOM)
    outcome, chances, kinds, layout, spread, fewest, loose = found
    if outcome != _SURE:
        return None
    return Position(chances, kinds, layout, list(map(int, spread.tolist())), fewest, loose, mines)


@compiled
def _position(
    cells: NDArray[np.int8], mines: int, odds: float, odds_low: float, room: int
) -> tuple[
    int,
    NDArray[np.float64],
    NDArray[np.int16],
    NDArray[np.bool_],
    NDArray[np.float64],
    int,
    int,
]:
    """An outcome, and kinds, layout, spread, fewest mines and loose cells (see `Position`)."""
    height, width = cells.shape
    near = _near(width + 2)
    size = (height + 2) * (width + 2)
    kinds = np.empty((height, width), np.int16)
    layout = np.empty((height, width), np.bool_)
    nothing = np.empty(0)
    if size >= _TOO_LARGE:
        return _UNSURE, nothing, kinds, layout, nothing, 0, 0
    grid = np.empty((_GRIDS, size), np.int16)
    waiting = _read(cells, grid)
    if waiting < 0 or not _propagate(grid, waiting, near):
        return _UNSURE, nothing, kinds, layout, nothing, 0, 0
    undecided = 0
    for place in range(size):
        undecided += grid[_MASS, place] == _UNKNOWN_MASS
    boxes = np.empty((undecided, _LIST + _NEAR), np.int16)
    clues = np.empty((size if undecided > 0 else 0, _LIST + _NEAR), np.int16)
    count, loose, fewest = _boxes(grid, width + 2, near, boxes, clues)
    states = np.empty((room * _STATES + 1, 7), np.int32)
    edges = np.empty((room * _EDGES, 2), np.int32)
    numbers = np.empty(room * _NUMBERS)
    # Rows: box, first state and where the sums are, of each step; first step, first and last state
    # of each component. One more marks the end.
    steps = np.empty((count + 1, 3), np.int32)
    parts = np.empty((count + 1, 3), np.int32)
    components, filled = _forward(boxes, clues, count, states, edges, numbers, steps, parts)
    if components < 0:
        return components, nothing, kinds, layout, nothing, 0, 0
    filled = _backward(boxes, states, edges, numbers, steps, parts, components, filled)
    if filled < 0:
        return _NO_ROOM, nothing, kinds, layout, nothing, 0, 0
    for place in range(filled):
        if numbers[place] >= _EXACT:
            return _UNSURE, nothing, kinds, layout, nothing, 0, 0
    for part in range(components):
        fewest += states[parts[part, 2], _FEWEST]
    left = mines - fewest if mines != _ANY else _ANY
    if mines != _ANY and left < 0:
        return _UNSURE, nothing, kinds, layout, nothing, 0, 0
    before, after = _products(states, numbers, parts, components)
    box_chances = np.empty(count + 1)
    if not _combined(
        boxes,
        states,
        numbers,
        steps,
        parts,
        before,
        after,
        loose,
        left,
        (odds, odds_low),
        box_chances,
    ):
        return _UNSURE, nothing, kinds, layout, nothing, 0, 0
    held = np.empty(count + 1, np.int64)
    _choose(states, edges, numbers, steps, parts, before, loose, left, held)
    chances = _tell(cells, grid, box_chances, held, kinds, layout)
    return _SURE, chances, kinds, layout, before[components], fewest, loose


@compiled
def _tell(
    cells: NDArray[np.int8],
    grid: NDArray[np.int16],
    box_chances: NDArray[np.float64],
    held: NDArray[np.int64],
    kinds: NDArray[np.int16],
    layout: NDArray[np.bool_],
) -> NDArray[np.float64]:
    """Fill in each cell's kind and whether it holds a mine; the chance of each kind.

    The boxes come first; ``held`` is used up. A branch for each cell would
    be guessed wrong too often: there is none.
    """
    height, width = cells.shape
    loose = box_chances.size - 1
    chances = np.empty(loose + 4)
    chances[: loose + 1] = box_chances
    chances[loose + 1 : loose + 3] = (0.0, 1.0)
    chances[loose + 3] = np.nan
    left = np.zeros(chances.size, np.int64)
    left[: loose + 1] = held
    for row in range(height):
        place = (row + 1) * (width + 2) + 1
        for col in range(width):
            code = cells[row, col]
            mass = np.int64(grid[_MASS, place + col])
            box = np.int64(grid[_BOX, place + col])
            kind = loose if box < 0 else box
            kind = kind if mass == _UNKNOWN_MASS else loose + 1 + mass
            kind = kind if (code == UNKNOWN) | (code == FLAG) else loose + 3
            kinds[row, col] = kind
            layout[row, col] = (mass == 1) | (left[kind] > 0)
            left[kind] -= 1
    return chances


@compiled
def _near(stride: int) -> tuple[int, ...]:
    """From a cell to its neighbours, in reading order."""
    return (-stride - 1, -stride, 1 - stride, -1, 1, stride - 1, stride, stride + 1)


@compiled
def _read(cells: NDArray[np.int8], grid: NDArray[np.int16]) -> int:
    """Fill the grid; how many clues wait to be propagated, or -1 if one cannot hold."""
    height, width = cells.shape
    stride = width + 2
    # A ring of safe cells around the board: no neighbour is outside.
    grid[_MASS] = 0
    grid[_CLUE_CELLS] = _NO_CELLS
    grid[_NEEDS] = _NO_NEED
    for row in range(height):
        place = (row + 1) * stride + 1
        for col in range(width):
            code = cells[row, col]
            if code in (UNKNOWN, FLAG):
                grid[_MASS, place + col] = _UNKNOWN_MASS
            elif code == MINE:
                grid[_MASS, place + col] = 1
    # The sums of three cells side by side stand where the boxes will.
    for place in range(1, grid.shape[1] - 1):
        grid[_BOX, place] = grid[_MASS, place - 1] + grid[_MASS, place] + grid[_MASS, place + 1]
    waiting = 0
    for row in range(height):
        for col in range(width):
            code = cells[row, col]
            if code > 8:
                continue
            place = (row + 1) * stride + col + 1
            around = grid[_BOX, place - stride] + grid[_BOX, place] + grid[_BOX, place + stride]
            undecided = around >> _UNKNOWN_BITS
            need = code - (around & (_UNKNOWN_MASS - 1))
            if need < 0 or need > undecided:
                return -1
            if undecided > 0:
                grid[_NEEDS, place] = need
                grid[_CLUE_CELLS, place] = undecided
                if need == 0 or need == undecided:
                    grid[_QUEUE, waiting] = place
                    waiting += 1
    grid[_CLUE] = NONE
    grid[_BOX] = NONE
    return waiting


@compiled
def _propagate(grid: NDArray[np.int16], waiting: int, near: tuple[int, ...]) -> bool:
    """Decide what single clues decide; False if one of them cannot hold."""
    while waiting > 0:
        waiting -= 1
        clue = grid[_QUEUE, waiting]
        value = 1 if grid[_NEEDS, clue] > 0 else 0
        for step in near:
            cell = clue + step
            if grid[_MASS, cell] != _UNKNOWN_MASS:
                continue
            grid[_MASS, cell] = value
            for further in near:
                other = cell + further
                undecided = grid[_CLUE_CELLS, other]
                need = grid[_NEEDS, other]
                # A clue waits as soon as it decides its cells, once.
                waits = need == 0 or need == undecided
                undecided -= 1
                need -= value
                if need < 0 or need > undecided:
                    return False
                grid[_CLUE_CELLS, other] = undecided
                grid[_NEEDS, other] = need
                if not waits and (need == 0 or need == undecided):
                    grid[_QUEUE, waiting] = other
                    waiting += 1
    return True


@compiled
def _boxes(
    grid: NDArray[np.int16],
    stride: int,
    near: tuple[int, ...],
    boxes: NDArray[np.int16],
    clues: NDArray[np.int16],
) -> tuple[int, int, int]:
    """Fill in boxes and clues; (boxes, loose cells, decided mines).

    Cells share a box when they have the same first clue, and the others lie
    the same way from it: at most two rows below and two columns aside.
    """
    found = known = loose = mines = 0
    for cell in range(stride, grid.shape[1] - stride):
        mass = grid[_MASS, cell]
        if mass != _UNKNOWN_MASS:
            mines += mass
            continue
        key = 0
        first = -1
        for turn in range(_NEAR):
            if grid[_NEEDS, cell + near[turn]] <= 8:
                if first < 0:
                    first = turn
                key |= 1 << (5 * (_DOWN[turn] - _DOWN[first]) + _ASIDE[turn] - _ASIDE[first] + 2)
        if first < 0:
            loose += 1
            continue
        corner = cell + near[first]
        known = _number(grid, clues, corner, known)
        leader = clues[grid[_CLUE, corner], _CHAIN]
        box = leader
        while box != NONE and boxes[box, _KEY] != key:
            box = boxes[box, _NEXT]
        if box == NONE:
            box = found
            found += 1
            boxes[box, _SIZE] = boxes[box, _DEGREE] = boxes[box, _DONE] = 0
            boxes[box, _KEY] = key
            boxes[box, _NEXT] = leader
            clues[grid[_CLUE, corner], _CHAIN] = box
            for turn in range(first, _NEAR):
                place = cell + near[turn]
                if grid[_NEEDS, place] <= 8:
                    known = _number(grid, clues, place, known)
                    _link(boxes, clues, box, grid[_CLUE, place])
        boxes[box, _SIZE] += 1
        grid[_BOX, cell] = box
    return found, loose, mines


@compiled
def _number(grid: NDArray[np.int16], clues: NDArray[np.int16], place: int, known: int) -> int:
    """Give the clue at a place a number unless it has one; how many clues have one then."""
    if grid[_CLUE, place] != NONE:
        return known
    grid[_CLUE, place] = known
    clues[known, _NEED] = grid[_NEEDS, place]
    clues[known, _CELLS] = grid[_CLUE_CELLS, place]
    clues[known, _DEGREE] = 0
    clues[known, _CHAIN] = clues[known, _SLOT] = NONE
    return known + 1


@compiled
def _link(boxes: NDArray[np.int16], clues: NDArray[np.int16], box: int, clue: int) -> None:
    """Note that a clue counts the cells of a box."""
    boxes[box, _LIST + boxes[box, _DEGREE]] = clue
    boxes[box, _DEGREE] += 1
    clues[clue, _LIST + clues[clue, _DEGREE]] = box
    clues[clue, _DEGREE] += 1


@compiled
def _forward(
    boxes: NDArray[np.int16],
    clues: NDArray[np.int16],
    count: int,
    states: NDArray[np.int32],
    edges: NDArray[np.int32],
    numbers: NDArray[np.float64],
    steps: NDArray[np.int32],
    parts: NDArray[np.int32],
) -> tuple[int, int]:
    """Count the layouts up to each state; (components or an outcome, numbers used)."""
    keys = np.empty(states.shape[0] - 1, np.int64)
    # At most half full: states between two boxes are at most as many as half of all.
    table = np.full(keys.size, NONE, np.int32)
    candidates = np.empty(count, np.int16)
    bits = np.empty((_NEAR, 2), np.int64)
    step = made = drawn = components = 0
    numbers[0] = 1.0
    filled = 1
    for seed in range(count):
        if boxes[seed, _DONE] > 0:
            continue
        candidates[0] = seed
        boxes[seed, _DONE] = 1
        waiting = 1
        free = (1 << _OPEN) - 1
        if made == keys.size or filled == numbers.size:
            return _NO_ROOM, 0
        keys[made] = 0
        states[made, _FEWEST] = states[made, _MOST] = 0
        states[made, _AT] = filled
        numbers[filled] = 1.0
        filled += 1
        parts[components, 0] = step
        parts[components, 1] = begin = made
        made += 1
        while waiting > 0:
            chosen = _next(boxes, clues, candidates, waiting)
            box = candidates[chosen]
            waiting -= 1
            candidates[chosen] = candidates[waiting]
            steps[step, 0] = box
            steps[step, 1] = begin
            free, fresh, waiting = _open(boxes, clues, box, step, candidates, waiting, free, bits)
            step += 1
            if free < 0:
                return _UNSURE, 0
            end = made
            made, drawn = _move(
                states, keys, table, edges, begin, end, drawn, boxes[box], fresh, bits
            )
            if made <= end:
                return (_UNSURE if made == end else _NO_ROOM), 0
            filled = _count(states, edges, numbers, begin, end, made, boxes[box, _SIZE], filled)
            if filled < 0:
                return _NO_ROOM, 0
            begin = end
        parts[components, 2] = begin
        components += 1
    parts[components, 0] = step
    return components, filled


@compiled
def _open(
    boxes: NDArray[np.int16],
    clues: NDArray[np.int16],
    box: int,
    step: int,
    candidates: NDArray[np.int16],
    waiting: int,
    free: int,
    bits: NDArray[np.int64],
) -> tuple[int, int, int]:
    """Give the clues of a box their places in the key, and list the boxes they share.

    ``free`` has a bit for each place that is not taken. ``bits`` receives for
    each clue of the box the place and the cells it has in later boxes. Returns
    (what is still free or -1 when there is none, the needs of the clues that
    are new to the key, boxes waiting).
    """
    size = boxes[box, _SIZE]
    fresh = np.int64(0)
    closed = 0
    for turn in range(boxes[box, _DEGREE]):
        clue = boxes[box, _LIST + turn]
        if clues[clue, _SLOT] == NONE:
            if free == 0:
                return -1, 0, 0
            slot = 0
            while free >> slot & 1 == 0:
                slot += 1
            free ^= 1 << slot
            clues[clue, _SLOT] = 3 * slot
            clues[clue, _AGE] = step
            fresh += np.int64(clues[clue, _NEED]) << (3 * slot)
            for place in range(clues[clue, _DEGREE]):
                other = clues[clue, _LIST + place]
                if boxes[other, _DONE] == 0:
                    boxes[other, _DONE] = 1
                    candidates[waiting] = other
                    waiting += 1
        clues[clue, _CELLS] -= size
        bits[turn, 0] = clues[clue, _SLOT]
        bits[turn, 1] = clues[clue, _CELLS]
        if clues[clue, _CELLS] == 0:
            closed |= 1 << (clues[clue, _SLOT] // 3)
    # Not before: what closes here and what opens here must not share a place.
    return free | closed, int(fresh), waiting


@compiled
def _move(
    states: NDArray[np.int32],
    keys: NDArray[np.int64],
    table: NDArray[np.int32],
    edges: NDArray[np.int32],
    begin: int,
    end: int,
    drawn: int,
    box: NDArray[np.int16],
    fresh: int,
    bits: NDArray[np.int64],
) -> tuple[int, int]:
    """Draw the transitions that a box adds; (states made or -1 if too many, edges drawn).

    States are found by an open hash table, whose older entries count as empty.
    """
    made = end
    degree = box[_DEGREE]
    unit = np.int64(0)
    for turn in range(degree):
        unit += np.int64(1) << bits[turn, 0]
    for state in range(begin, end):
        states[state, _EDGE] = drawn
        key = keys[state] + fresh
        fewest = np.int64(0)
        most = np.int64(box[_SIZE])
        for turn in range(degree):
            rest = key >> bits[turn, 0] & 7
            most = min(most, rest)
            fewest = max(fewest, rest - bits[turn, 1])
        if drawn + most - fewest >= edges.shape[0]:
            return -1, 0
        for mines in range(fewest, most + 1):
            after = key - mines * unit
            slot = (after * _HASH >> 40) & (keys.size - 1)
            while table[slot] >= end and keys[table[slot]] != after:
                slot = (slot + 1) & (keys.size - 1)
            target = table[slot]
            fewest_there = states[state, _FEWEST] + mines
            most_there = states[state, _MOST] + mines
            if target < end:
                if made - end == keys.size // 2 or made == keys.size:
                    return -1, 0
                target = table[slot] = made
                made += 1
                keys[target] = after
                states[target, _FEWEST] = fewest_there
                states[target, _MOST] = most_there
            states[target, _FEWEST] = min(states[target, _FEWEST], fewest_there)
            states[target, _MOST] = max(states[target, _MOST], most_there)
            edges[drawn, 0] = target
            edges[drawn, 1] = mines
            drawn += 1
    states[end, _EDGE] = drawn
    return made, drawn


@compiled
def _count(
    states: NDArray[np.int32],
    edges: NDArray[np.int32],
    numbers: NDArray[np.float64],
    begin: int,
    end: int,
    made: int,
    size: int,
    filled: int,
) -> int:
    """Sum the layouts up to each new state; numbers used, or -1 if there is no room."""
    first = filled
    for state in range(end, made):
        states[state, _AT] = filled
        filled += states[state, _MOST] - states[state, _FEWEST] + 1
    if filled > numbers.size:
        return -1
    numbers[first:filled] = 0.0
    for state in range(begin, end):
        length = states[state, _MOST] - states[state, _FEWEST] + 1
        source = states[state, _AT]
        for edge in range(states[state, _EDGE], states[state + 1, _EDGE]):
            target = edges[edge, 0]
            mines = edges[edge, 1]
            weight = _CHOICES[size, mines]
            ahead = states[state, _FEWEST] + mines - states[target, _FEWEST]
            goal = states[target, _AT] + ahead
            for place in range(length):
                numbers[goal + place] += weight * numbers[source + place]
    return filled


@compiled
def _next(
    boxes: NDArray[np.int16], clues: NDArray[np.int16], candidates: NDArray[np.int16], waiting: int
) -> int:
    """The candidate that leaves the fewest clues open; ties go to the one of the oldest clue."""
    best = 0
    least = np.int64(1 << 40)
    for place in range(waiting):
        box = candidates[place]
        change = 0
        oldest = np.int64(1 << 20)
        for turn in range(boxes[box, _DEGREE]):
            clue = boxes[box, _LIST + turn]
            closes = clues[clue, _CELLS] == boxes[box, _SIZE]
            if clues[clue, _SLOT] == NONE:
                change += not closes
            else:
                change -= closes
                oldest = min(oldest, np.int64(clues[clue, _AGE]))
        value = (change + 16 << 20) + oldest
        if value < least:
            least = value
            best = place
    return best


@compiled
def _backward(
    boxes: NDArray[np.int16],
    states: NDArray[np.int32],
    edges: NDArray[np.int32],
    numbers: NDArray[np.float64],
    steps: NDArray[np.int32],
    parts: NDArray[np.int32],
    components: int,
    filled: int,
) -> int:
    """Count the layouts from each state on, and sum the mines of each box; numbers used, or -1."""
    for part in range(components):
        root = parts[part, 2]
        states[root, _REST_FEWEST] = states[root, _REST_MOST] = 0
        states[root, _REST_AT] = filled
        numbers[filled] = 1.0
        filled += 1
        length = states[root, _MOST] - states[root, _FEWEST] + 1
        end = root
        for step in range(parts[part + 1, 0] - 1, parts[part, 0] - 1, -1):
            size = boxes[steps[step, 0], _SIZE]
            if filled + length > numbers.size:
                return -1
            steps[step, 2] = filled
            sums = filled - states[root, _FEWEST]
            numbers[filled : filled + length] = 0.0
            filled += length
            for state in range(steps[step, 1], end):
                filled = _finish(states, edges, numbers, state, size, sums, filled)
                if filled < 0:
                    return -1
            end = steps[step, 1]
    return filled


@compiled
def _finish(
    states: NDArray[np.int32],
    edges: NDArray[np.int32],
    numbers: NDArray[np.float64],
    state: int,
    size: int,
    sums: int,
    filled: int,
) -> int:
    """Count the layouts from a state on, and add the mines of its box; numbers used, or -1."""
    first, last = states[state, _EDGE], states[state + 1, _EDGE]
    fewest = 1 << 20
    most = -1
    for edge in range(first, last):
        target = edges[edge, 0]
        if states[target, _REST_AT] >= 0:
            fewest = min(fewest, states[target, _REST_FEWEST] + edges[edge, 1])
            most = max(most, states[target, _REST_MOST] + edges[edge, 1])
    states[state, _REST_AT] = NONE
    if most < 0:
        return filled
    end = filled + most - fewest + 1
    if end > numbers.size:
        return -1
    states[state, _REST_FEWEST] = fewest
    states[state, _REST_MOST] = most
    states[state, _REST_AT] = filled
    numbers[filled:end] = 0.0
    source = states[state, _AT]
    span = states[state, _MOST] - states[state, _FEWEST] + 1
    for edge in range(first, last):
        target = edges[edge, 0]
        rest = states[target, _REST_AT]
        if rest < 0:
            continue
        mines = edges[edge, 1]
        weight = _CHOICES[size, mines]
        width = states[target, _REST_MOST] - states[target, _REST_FEWEST] + 1
        ahead = mines + states[target, _REST_FEWEST]
        for place in range(width):
            numbers[filled + ahead - fewest + place] += weight * numbers[rest + place]
        if mines == 0:
            continue
        goal = sums + states[state, _FEWEST] + ahead
        for place in range(span):
            layouts = mines * weight * numbers[source + place]
            for other in range(width):
                numbers[goal + place + other] += layouts * numbers[rest + other]
    return end


@compiled
def _products(
    states: NDArray[np.int32],
    numbers: NDArray[np.float64],
    parts: NDArray[np.int32],
    components: int,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Layouts by mines beyond the fewest, as two (components + 1, most + 1).

    Row c of the first: of the components before c; of the second: of those from c on.
    """
    degree = 0
    for part in range(components):
        degree += _span(states, parts, part)
    before, after = np.zeros((2, components + 1, degree + 1))
    before[0, 0] = after[components, 0] = 1.0
    done = 0
    for part in range(components):
        span = _span(states, parts, part)
        _convolve(before[part], done, numbers, states[parts[part, 2], _AT], span, before[part + 1])
        done += span
    done = 0
    for part in range(components - 1, -1, -1):
        span = _span(states, parts, part)
        _convolve(after[part + 1], done, numbers, states[parts[part, 2], _AT], span, after[part])
        done += span
    return before, after


@compiled
def _span(states: NDArray[np.int32], parts: NDArray[np.int32], part: int) -> int:
    """Most less fewest mines of a component."""
    root = parts[part, 2]
    return int(states[root, _MOST] - states[root, _FEWEST])


@compiled
def _combined(
    boxes: NDArray[np.int16],
    states: NDArray[np.int32],
    numbers: NDArray[np.float64],
    steps: NDArray[np.int32],
    parts: NDArray[np.int32],
    before: NDArray[np.float64],
    after: NDArray[np.float64],
    loose: int,
    left: int,
    odds: Twofold,
    chances: NDArray[np.float64],
) -> bool:
    """Fill in the chance of each box, the loose cells' last; whether there are any, all sure."""
    components = before.shape[0] - 1
    degree = before.shape[1] - 1
    spread = before[components]
    weights = np.zeros((degree + 1, 2))
    sure = spread.max() < _EXACT and _weights(weights, loose, left, odds)
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
        layouts = states[parts[part, 2], _AT]
        for step in range(parts[part, 0], parts[part + 1, 0]):
            box = steps[step, 0]
            held = _weighed(numbers, steps[step, 2], span, rest, 0)
            size = float(boxes[box, _SIZE])
            full = True
            for used in range(span + 1):
                all_mines = numbers[layouts + used] * size
                full &= rest[used, 0] == 0.0 or numbers[steps[step, 2] + used] == all_mines
            chances[box], certain = _chance(held, times((size, 0.0), whole), full)
            sure &= certain
    chances[-1], certain = _loose_chance(spread, weights, whole, loose, left, odds)
    return bool(sure and certain)


@compiled
def _choose(
    states: NDArray[np.int32],
    edges: NDArray[np.int32],
    numbers: NDArray[np.float64],
    steps: NDArray[np.int32],
    parts: NDArray[np.int32],
    before: NDArray[np.float64],
    loose: int,
    left: int,
    held: NDArray[np.int64],
) -> None:
    """Mines of each box in one of the layouts; there must be one. The loose cells' are last."""
    components = before.shape[0] - 1
    beyond = 0
    while before[components, beyond] == 0.0 or (left != _ANY and not 0 <= left - beyond <= loose):
        beyond += 1
    held[-1] = 0 if left == _ANY else left - beyond
    for part in range(components - 1, -1, -1):
        root = parts[part, 2]
        own = 0
        while numbers[states[root, _AT] + own] == 0.0 or before[part, beyond - own] == 0.0:
            own += 1
        beyond -= own
        mines = states[root, _FEWEST] + own
        state = parts[part, 1]
        for step in range(parts[part, 0], parts[part + 1, 0]):
            for edge in range(states[state, _EDGE], states[state + 1, _EDGE]):
                target = edges[edge, 0]
                rest = mines - edges[edge, 1]
                if _leads(states, numbers, target, rest):
                    held[steps[step, 0]] = edges[edge, 1]
                    mines = rest
                    state = target
                    break


@compiled
def _leads(states: NDArray[np.int32], numbers: NDArray[np.float64], state: int, mines: int) -> bool:
    """Whether so many mines can follow this state."""
    at = states[state, _REST_AT]
    if at < 0 or not states[state, _REST_FEWEST] <= mines <= states[state, _REST_MOST]:
        return False
    return bool(numbers[at + mines - states[state, _REST_FEWEST]] > 0.0)


@compiled
def _convolve(
    one: NDArray[np.float64],
    one_degree: int,
    numbers: NDArray[np.float64],
    at: int,
    degree: int,
    result: NDArray[np.float64],
) -> None:
    """Add the product of two polynomials, the second one ``numbers[at:at + degree + 1]``."""
    for place in range(one_degree + 1):
        for other in range(degree + 1):
            result[place + other] += one[place] * numbers[at + other]


@compiled
def _weights(weights: NDArray[np.float64], loose: int, left: int, odds: Twofold) -> bool:
    """The weight of the loose cells by mines used in the boxes; whether none loses digits."""
    value = (1.0, 0.0)
    started = False
    for used in range(weights.shape[0]):
        chosen = left - used
        if left == _ANY:
            if used > 0:
                value = times(value, odds)
        elif chosen < 0 or chosen > loose:
            continue
        elif started:
            # C(loose, chosen) from C(loose, chosen + 1).
            more = times(value, (float(chosen + 1), 0.0))
            value = quotient(more, (float(loose - chosen), 0.0))
        started = True
        if not _LEAST_WEIGHT < value[0] < _MOST_WEIGHT:
            return False
        weights[used, 0], weights[used, 1] = value
    return True


@compiled
def _weighed(
    numbers: NDArray[np.float64], at: int, degree: int, weights: NDArray[np.float64], first: int
) -> Twofold:
    """The sum of ``numbers[at + i] * weights[first + i]`` for i up to ``degree``."""
    found = (0.0, 0.0)
    for place in range(degree + 1):
        if numbers[at + place] > 0.0 and weights[first + place, 0] > 0.0:
            weight = (weights[first + place, 0], weights[first + place, 1])
            found = total(found, times((numbers[at + place], 0.0), weight))
    return found


@compiled
def _chance(held: Twofold, whole: Twofold, full: bool) -> tuple[float, bool]:
    """The quotient, 0 and 1 only where that is exact, and whether it is rounded correctly."""
    if full or held[0] == 0.0:
        return (1.0 if full else 0.0), True
    value, certain = rounded(quotient(held, whole))
    # Further down a double has not all its digits.
    return min(value, _BELOW_ONE), certain and value > _LEAST_CHANCE


@compiled
def _loose_chance(
    spread: NDArray[np.float64],
    weights: NDArray[np.float64],
    whole: Twofold,
    loose: int,
    left: int,
    odds: Twofold,
) -> tuple[float, bool]:
    """The chance of a mine in a cell without a clue, and whether it is rounded correctly."""
    if left == _ANY:
        return _chance(odds, total(odds, (1.0, 0.0)), False)
    held = (0.0, 0.0)
    full = True
    for used in range(spread.size):
        if spread[used] > 0.0 and weights[used, 0] > 0.0:
            weight = times((weights[used, 0], weights[used, 1]), (float(left - used), 0.0))
            held = total(held, times((spread[used], 0.0), weight))
            full &= left - used == loose
    return _chance(held, times((float(max(loose, 1)), 0.0), whole), full)
