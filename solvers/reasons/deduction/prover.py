"""Chains of deductions, by rules as easy as can be: closures, the total, suppositions, or trust."""

from collections.abc import Iterable, Iterator, Sequence
from math import inf
from typing import Final

import numpy as np

from minefield.reduction.constraints import IS_MINE, IS_SAFE, TOTAL, UNDECIDED, Constraints
from minefield.rules import Puzzle
from solvers.answer import Forced
from solvers.deadline import Deadline
from solvers.reasons.deduction.closure import Closure, Node
from solvers.reasons.deduction.premises import Inference, Level, Premise, Premises, Proof

#: A chain has at most so many steps, and some for each premise; else a search takes its place.
_MOST_STEPS: Final = 60
_STEPS_A_PREMISE: Final = 4
#: Suppositions that a proof may try.
_MOST_SUPPOSED: Final = 300
#: Suppositions within suppositions.
_DEEPEST: Final = 3
#: Families of disjoint sets that are looked at, for what the total leaves to the rest.
_MOST_FAMILIES: Final = 2000


def prove(
    premises: Sequence[Premise], cell: int, value: int, deadline: Deadline | None = None
) -> Proof:
    """That the premises make one of their cells a mine (1) or safe (0), by the easiest rules.

    That they do is taken on trust where a chain would be too long: then its
    last step is SEARCH. Raises `DeadlinePassed`.
    """
    return Prover(premises, deadline or Deadline()).prove(cell, value)


def refute(premises: Sequence[Premise], deadline: Deadline | None = None) -> Proof:
    """That the premises contradict each other; as `prove`."""
    return Prover(premises, deadline or Deadline()).refute()


def deduce(
    puzzle: Puzzle,
    mines: int | None = None,
    look_ahead: bool = True,
    deadline: Deadline | None = None,
) -> Forced:
    """Decide what the rules can of the unknown cells of a consistent board.

    Raises `DeadlinePassed`.
    """
    constraints = Constraints.of(puzzle, mines)
    asked = Premises(constraints)
    premises = [asked.clue(clue) for clue in range(constraints.low.size)]
    if mines is not None:
        premises.append(asked.total())
    decided = Prover(premises, deadline or Deadline()).decide(look_ahead)
    values = np.full(puzzle.shape, UNDECIDED, np.int8)
    values.ravel()[list(decided)] = list(decided.values())
    return Forced(values)


class Prover:
    """Goes from easy rules to hard ones.

    ``_bases`` are closures of the clues at the levels TRIVIAL, SUBSET and BOUNDS: what is
    supposed is tried on all of them in turn, so that a chain is as easy as can be. They
    stay, so that the next cell takes less.
    """

    def __init__(self, premises: Sequence[Premise], deadline: Deadline) -> None:
        self._premises = premises
        self._closure = Closure(premises, deadline)
        total = next((premise for premise in premises if premise.clue == TOTAL), None)
        self._total = None if total is None else self._closure.premise(total)
        self._bases: list[Closure] = []
        self._supposed = 0
        self._most_supposed: float = _MOST_SUPPOSED

    def prove(self, cell: int, value: int) -> Proof:
        """That a cell is a mine (1) or safe (0); as the function `prove`."""
        self._supposed = 0
        for level, base in self._levels():
            node = base.node_of(cell)
            if node is not None:
                return self._proof(level, node)
        node = self._rest(self._bases[-1], cell, value)
        if node is not None:
            return self._proof(Level.GLOBAL, node)
        for depth in range(_DEEPEST):
            node = self._otherwise(self._bases, cell, value, depth)
            if node is None and self._explored(self._bases, depth):
                node = self._bases[-1].node_of(cell) or self._otherwise(
                    self._bases, cell, value, depth
                )
            if node is not None:
                return self._proof(Level.LOOK_AHEAD, node)
        return self._trusted(self._closure.bit(cell), value, value)

    def refute(self) -> Proof:
        """That the premises contradict each other; as the function `refute`."""
        for level, base in self._levels():
            if base.contradiction is not None:
                return self._proof(level, base.contradiction)
        for depth in range(_DEEPEST + 1):
            node = self._contradiction(self._bases, depth)
            if node is not None:
                return self._proof(Level.LOOK_AHEAD, node)
        return self._trusted(0, 1, 0)

    def decide(self, look_ahead: bool) -> dict[int, int]:
        """Values of all cells that the rules decide."""
        self._most_supposed = inf
        for _ in self._levels():
            pass
        while self._by_total() or (look_ahead and self._explored(self._bases, 0)):
            pass
        return {cell: value for cell, (value, _) in self._bases[-1].decided.items()}

    def _by_total(self) -> bool:
        """Decide what the total leaves no other value; whether that was any."""
        closure = self._bases[-1]
        before = len(closure.decided)
        for cell in closure.open_cells() if self._total is not None else []:
            for value in (IS_MINE, IS_SAFE):
                node = self._rest(closure, cell, value)
                if node is not None:
                    closure.learn(node)
        closure.close(Level.BOUNDS)
        return len(closure.decided) > before

    def _levels(self) -> Iterator[tuple[Level, Closure]]:
        """The closure at one level after the other."""
        for level in (Level.TRIVIAL, Level.SUBSET, Level.BOUNDS):
            if level == len(self._bases):
                self._bases.append(self._bases[-1].copy() if self._bases else self._closure)
                self._bases[level].close(level)
            yield level, self._bases[level]

    def _otherwise(
        self, bases: Sequence[Closure], cell: int, value: int, depth: int
    ) -> Node | None:
        """That a cell has a value, because the other one leads to a contradiction."""
        if self._supposed >= self._most_supposed:
            return None
        self._supposed += 1
        supposed = Node(Inference.ASSUME, bases[0].bit(cell), 1 - value, 1 - value)
        against = self._contradiction([base.knowing(supposed) for base in bases], depth)
        if against is None:
            return None
        if supposed not in against.under:
            # Whatever is supposed: what the bases know is contradictory.
            bases[-1].contradiction = against
            return None
        return Node(Inference.LOOK_AHEAD, supposed.cells, value, value, (supposed, against))

    def _explored(self, bases: Sequence[Closure], depth: int) -> bool:
        """Suppose the values of one open cell after the other; whether that decided any."""
        progress = False
        for cell in bases[-1].open_cells():
            for value in (IS_MINE, IS_SAFE):
                if bases[-1].node_of(cell) is not None or bases[-1].contradiction is not None:
                    break
                node = self._otherwise(bases, cell, value, depth)
                if node is None:
                    progress |= bases[-1].contradiction is not None
                else:
                    progress = True
                    for level, base in enumerate(bases):
                        base.learn(node)
                        base.close(Level(level))
        return progress

    def _contradiction(self, bases: Sequence[Closure], depth: int) -> Node | None:
        """A contradiction in one of the closures, with suppositions of so great a depth."""
        for level, base in enumerate(bases):
            base.close(Level(level))
            if base.contradiction is not None:
                return base.contradiction
        node = self._overfull(bases[-1])
        while node is None and depth and self._explored(bases, depth - 1):
            node = bases[-1].contradiction or self._overfull(bases[-1])
        return node

    def _rest(self, closure: Closure, cell: int, value: int) -> Node | None:
        """That the total leaves no other value to a cell outside some disjoint sets."""
        return self._left(closure, closure.bit(cell), value)

    def _overfull(self, closure: Closure) -> Node | None:
        """A contradiction with the total."""
        return self._left(closure, 0, IS_SAFE) or self._left(closure, 0, IS_MINE)

    def _left(self, closure: Closure, target: int, value: int) -> Node | None:
        """The total without disjoint sets that hold all mines (0), or all safe cells (1).

        The target is not among them; without a target, they hold even more than all.
        """
        total = self._total
        if total is None:
            return None
        if value == IS_SAFE:
            room = total.high
            gains = [(low, cells, by) for cells, low, by, _, _ in closure.bounds() if low]
        else:
            room = total.cells.bit_count() - total.low
            gains = [
                (cells.bit_count() - high, cells, by)
                for cells, _, _, high, by in closure.bounds()
                if high < cells.bit_count()
            ]
        outside = [gain for gain in gains if not gain[1] & target]
        chosen = _packed(outside, room if target else room + 1)
        if chosen is None:
            return None
        if not chosen:
            return total
        return _difference(total, chosen[0] if len(chosen) == 1 else _union(chosen))

    def _proof(self, level: Level, node: Node) -> Proof:
        """The chain to a node; ``level`` is how hard it is where nothing is supposed."""
        steps = self._closure.chain(node)
        if len(steps) > _MOST_STEPS + _STEPS_A_PREMISE * len(self._premises):
            return self._trusted(node.cells, node.low, node.high)
        depth = max(len(step.under) for step in steps)
        if any(step.rule is Inference.TOTAL for step in steps):
            level = Level.GLOBAL
        elif depth:
            level = Level.LOOK_AHEAD if depth == 1 else Level.SEARCH
        return Proof(level, steps)

    def trusted(self, cells: Iterable[int], value: int) -> Proof:
        """That cells are mines (1) or safe (0), in one step."""
        mask = sum(map(self._closure.bit, cells))
        held = value * mask.bit_count()
        return self._trusted(mask, held, held)

    def _trusted(self, cells: int, low: int, high: int) -> Proof:
        """The premises, and what is known to follow from them."""
        sources = tuple(map(self._closure.premise, self._premises))
        level = Level.SEARCH if self._total is None else Level.GLOBAL
        return Proof(level, self._closure.chain(Node(Inference.SEARCH, cells, low, high, sources)))


def _union(nodes: Sequence[Node]) -> Node:
    """Disjoint sets as one."""
    low, high = sum(node.low for node in nodes), sum(node.high for node in nodes)
    return Node(Inference.UNION, sum(node.cells for node in nodes), low, high, tuple(nodes))


def _difference(whole: Node, part: Node) -> Node:
    """What is left of a set without a part of it."""
    rest = whole.cells ^ part.cells
    low = max(0, whole.low - part.high)
    high = min(rest.bit_count(), whole.high - part.low)
    return Node(Inference.DIFFERENCE, rest, low, high, (whole, part))


def _packed(gains: list[tuple[int, int, Node]], wanted: int) -> list[Node] | None:
    """Disjoint sets that gain as much as is wanted together; None if none were found.

    Each is (gain, cells, node). The best by gain for each cell come first; then
    others are tried, as many as `_MOST_FAMILIES`.
    """
    gains = sorted(gains, key=lambda gain: (-gain[0] / gain[1].bit_count(), -gain[0], gain[1]))
    possible = [0]
    for gain, _, _ in reversed(gains):
        possible.append(possible[-1] + gain)
    possible.reverse()
    tries = 0
    stack: list[tuple[int, int, int, list[Node]]] = [(0, 0, 0, [])]
    while stack:
        place, used, gained, chosen = stack.pop()
        if gained >= wanted:
            return chosen
        tries += 1
        if tries > _MOST_FAMILIES:
            return None
        if gained + possible[place] < wanted:
            continue
        gain, cells, node = gains[place]
        stack.append((place + 1, used, gained, chosen))
        if not used & cells:
            stack.append((place + 1, used | cells, gained + gain, [*chosen, node]))
    return None
