"""Exact counting by dynamic programming over the boxes of a component.

Boxes are eliminated one after another. Between two boxes the only thing that
matters is how many mines each open clue has seen: that is the state. A state's
value is the number of layouts by mines used, a packed polynomial
(`solvers.polynomial`), or only the set of possible numbers of mines, as bits.
Bounded-width counting in the sense of Golan; the order decides the width.
"""

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from math import comb
from operator import add, or_
from typing import NamedTuple

from minefield.constraints import Reduction
from solvers.deadline import Deadline
from solvers.polynomial import coefficient, unpack


class TooWide(Exception):
    """A component needs more states than its budget allows."""


@dataclass(slots=True)
class Budget:
    """How much a count may cost: transitions between states, and a deadline.

    A transition costs one unit and one more for each 4096 bits of its value.
    """

    transitions: int
    deadline: Deadline

    def spend(self, states: int, bits: int) -> None:
        """Account for a layer of ``states`` transitions on values of up to ``bits`` bits."""
        self.transitions -= states * (1 + bits // 4096)
        if self.transitions < 0:
            raise TooWide
        self.deadline.check()


class _Clue(NamedTuple):
    """A clue while it is open: its bits in the state, what it asks, and room to come."""

    shift: int
    mask: int
    low: int
    high: int


class _Step(NamedTuple):
    """Elimination of one box.

    ``clues`` pairs each clue of the box with the cells it has in later boxes;
    ``unit`` is what one mine adds to a state; ``keep`` masks away the clues
    that close here.
    """

    box: int
    size: int
    clues: list[tuple[_Clue, int]]
    unit: int
    keep: int

    def range(self, state: int) -> range:
        """Numbers of mines the box may hold in ``state``."""
        least, most = 0, self.size
        for (shift, mask, low, high), later in self.clues:
            seen = (state >> shift) & mask
            least = max(least, low - later - seen)
            most = min(most, high - seen)
        return range(least, most + 1)


class Frontier:
    """One component of a reduction, ready to be counted.

    Args:
        reduction: a reduction without conflict.
        component: which of its components.
        budget: spent by each pass; a pass past it raises `TooWide`, or
            `DeadlinePassed` past its deadline.
    """

    def __init__(self, reduction: Reduction, component: int, budget: Budget) -> None:
        first, last = reduction.component_boxes[component : component + 2].tolist()
        self.first_box = first
        self.budget = budget
        starts = reduction.box_start[first : last + 1].tolist()
        self.sizes = [after - before for before, after in pairwise(starts)]
        self.cells = sum(self.sizes)
        clues = slice(*reduction.component_clues[component : component + 2].tolist())
        clue_start = reduction.clue_start[clues.start : clues.stop + 1].tolist()
        boxes = (reduction.clue_boxes[clue_start[0] : clue_start[-1]] - first).tolist()
        self.clue_boxes = [
            boxes[before - clue_start[0] : after - clue_start[0]]
            for before, after in pairwise(clue_start)
        ]
        self.bounds = list(
            zip(reduction.low[clues].tolist(), reduction.high[clues].tolist(), strict=True)
        )
        #: Bits of a packed coefficient: enough for the mines of a box over all layouts.
        self.width = self.cells + self.cells.bit_length()

    @cached_property
    def steps(self) -> list[_Step]:
        """The elimination, box by box."""
        self.budget.spend(len(self.sizes), 0)
        order = elimination_order(self.sizes, self.clue_boxes)
        clues_of: list[list[int]] = [[] for _ in self.sizes]
        for clue, boxes in enumerate(self.clue_boxes):
            for box in boxes:
                clues_of[box].append(clue)
        later = [sum(self.sizes[box] for box in boxes) for boxes in self.clue_boxes]
        shift = 0
        opened: dict[int, _Clue] = {}
        steps = []
        for box in order:
            for clue in clues_of[box]:
                later[clue] -= self.sizes[box]
                if clue not in opened:
                    low, high = self.bounds[clue]
                    bits = high.bit_length()
                    opened[clue] = _Clue(shift, (1 << bits) - 1, low, high)
                    shift += bits
            mine = [opened[clue] for clue in clues_of[box]]
            closed = sum(opened[c].mask << opened[c].shift for c in clues_of[box] if not later[c])
            steps.append(
                _Step(
                    box,
                    self.sizes[box],
                    [(opened[clue], later[clue]) for clue in clues_of[box]],
                    sum(1 << clue.shift for clue in mine),
                    ~closed,
                )
            )
        return steps

    @cached_property
    def counts(self) -> list[dict[int, int]]:
        """Before each step and after the last: {state: packed layouts so far by mines}."""
        return self._forward(self.width, weighted=True)

    @cached_property
    def completions(self) -> list[dict[int, int]]:
        """Before each step and after the last: {state: packed layouts still to come by mines}.

        States that cannot be completed are left out.
        """
        values: list[dict[int, int]] = [{0: 1}]
        for step, states in zip(reversed(self.steps), reversed(self.counts[:-1]), strict=True):
            after = values[-1]
            self.budget.spend(len(states) * (step.size + 1), self.cells * self.width)
            weights = [comb(step.size, mines) for mines in range(step.size + 1)]
            here = {}
            for state in states:
                value = 0
                for mines in step.range(state):
                    rest = after.get(state + mines * step.unit & step.keep)
                    if rest:
                        value += rest * weights[mines] << mines * self.width
                if value:
                    here[state] = value
            values.append(here)
        return values[::-1]

    @cached_property
    def by_mines(self) -> dict[int, int]:
        """Layouts of the component by number of mines; empty when it is inconsistent."""
        return unpack(self.counts[-1].get(0, 0), self.width)

    @cached_property
    def totals(self) -> int:
        """Which numbers of mines are possible: bit m for m mines."""
        return self._reachable[-1].get(0, 0)

    @cached_property
    def _reachable(self) -> list[dict[int, int]]:
        """As `counts`, but only which numbers of mines are possible, as bits."""
        return self._forward(1, weighted=False)

    def forced(self, allowed: int = -1) -> dict[int, bool]:
        """Boxes that are all mines (True) or all safe (False) in every layout.

        Keys are box numbers of the reduction. Only layouts whose number of
        mines m has bit m set in ``allowed`` count; there must be one.
        """
        layers = self._reachable
        bits = (1 << self.cells + 1) - 1
        suffix = {0: allowed & bits}
        found = {}
        for step, states in zip(reversed(self.steps), reversed(layers[:-1]), strict=True):
            self.budget.spend(len(states) * (step.size + 1), self.cells)
            seen = set()
            here = {}
            for state, used in states.items():
                possible = 0
                for mines in step.range(state):
                    # Bit m of the rest: m mines so far, these included, can be completed.
                    rest = suffix.get(state + mines * step.unit & step.keep, 0) >> mines
                    possible |= rest
                    if rest & used:
                        seen.add(mines)
                here[state] = possible
            suffix = here
            if seen in ({0}, {step.size}):
                found[self.first_box + step.box] = seen != {0}
        return found

    def mine_sums(self) -> dict[int, dict[int, int]]:
        """For each box the mines it holds, summed over all layouts, by mines of the component.

        Keys are box numbers of the reduction; the chance of a cell is the sum
        divided by the box's size and the number of layouts.
        """
        sums = {}
        for place, step in enumerate(self.steps):
            states, after = self.counts[place], self.completions[place + 1]
            self.budget.spend(len(states) * step.size, self.cells * self.width * 4)
            weights = [mines * comb(step.size, mines) for mines in range(step.size + 1)]
            packed = 0
            for state, value in states.items():
                for mines in step.range(state):
                    rest = after.get(state + mines * step.unit & step.keep)
                    if rest and mines:
                        packed += value * rest * weights[mines] << mines * self.width
            sums[self.first_box + step.box] = unpack(packed, self.width)
        return sums

    def layout(self, mines: int, rank: int) -> list[tuple[int, list[int]]]:
        """The layout number ``rank`` among those with ``mines`` mines.

        Returns (box of the reduction, places of its mines within the box) for
        each box. ``rank`` must be below ``by_mines[mines]``.
        """
        state = 0
        chosen = []
        for place, step in enumerate(self.steps):
            after = self.completions[place + 1]
            for here in step.range(state):
                next_state = state + here * step.unit & step.keep
                rest = coefficient(after.get(next_state, 0), self.width, mines - here)
                ways = comb(step.size, here) * rest
                if rank < ways:
                    subset, rank = divmod(rank, rest)
                    chosen.append((self.first_box + step.box, combination(step.size, here, subset)))
                    state = next_state
                    mines -= here
                    break
                rank -= ways
        return chosen

    def _forward(self, width: int, weighted: bool) -> list[dict[int, int]]:
        """Values of the reachable states before each step and after the last."""
        merge = add if weighted else or_
        layers = [{0: 1}]
        for step in self.steps:
            weights = [comb(step.size, m) if weighted else 1 for m in range(step.size + 1)]
            after: dict[int, int] = {}
            self.budget.spend(len(layers[-1]) * (step.size + 1), self.cells * width)
            for state, value in layers[-1].items():
                for mines in step.range(state):
                    target = state + mines * step.unit & step.keep
                    moved = value * weights[mines] << mines * width
                    after[target] = merge(after[target], moved) if target in after else moved
            layers.append(after)
        return layers


def elimination_order(sizes: list[int], clue_boxes: list[list[int]]) -> list[int]:
    """An order of the boxes that keeps few clues open, found greedily.

    Next comes the box, among those of open clues, that opens the fewest and
    closes the most clues; ties go to the box whose open clues are oldest.
    """
    clues_of: list[list[int]] = [[] for _ in sizes]
    for clue, boxes in enumerate(clue_boxes):
        for box in boxes:
            clues_of[box].append(clue)
    waiting = [len(boxes) for boxes in clue_boxes]
    opened = [-1] * len(clue_boxes)
    candidates = {0: None}
    done = [False] * len(sizes)
    order: list[int] = []

    def cost(box: int) -> tuple[int, int]:
        change = 0
        oldest = len(sizes)
        for clue in clues_of[box]:
            if opened[clue] < 0:
                change += waiting[clue] > 1
            else:
                change -= waiting[clue] == 1
                oldest = min(oldest, opened[clue])
        return change, oldest

    while candidates:
        box = min(candidates, key=cost)
        del candidates[box]
        done[box] = True
        for clue in clues_of[box]:
            if opened[clue] < 0:
                opened[clue] = len(order)
                candidates.update((near, None) for near in clue_boxes[clue] if not done[near])
            waiting[clue] -= 1
        order.append(box)
    return order


def combination(items: int, chosen: int, rank: int) -> list[int]:
    """Subset number ``rank``, in lexicographic order, of ``chosen`` out of ``range(items)``."""
    found: list[int] = []
    # Subsets of the items after this one that complete a choice of this one.
    ways = comb(items - 1, chosen - 1) if chosen else 0
    for item in range(items):
        if chosen == 0:
            break
        after = items - item - 1
        if rank < ways:
            found.append(item)
            chosen -= 1
            ways = ways * chosen // after if after else 0
        else:
            rank -= ways
            ways = ways * (after - chosen + 1) // after if after else 0
    return found
