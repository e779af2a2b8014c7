"""Chains of deductions, by rules as easy as can be: closures, the total, suppositions, or trust.

Tested in tests/solvers/reasons/test_deduction.py.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from minecheck.minefield.reduction.constraints import IS_MINE, IS_SAFE, TOTAL
from minecheck.solvers.deadline import Deadline
from minecheck.solvers.findings import Inference, Level
from minecheck.solvers.reasons.deduction.closure import Closure, Node
from minecheck.solvers.reasons.deduction.premises import Premise, Proof

#: A chain usually has at most this many steps, and some for each premise.
_MOST_STEPS: Final = 60
_STEPS_A_PREMISE: Final = 4
#: Suppositions that a proof may try.
_MOST_SUPPOSED: Final = 300
#: Suppositions within suppositions.
_DEEPEST: Final = 3
#: Families of disjoint sets that are looked at, for what the total leaves to the rest.
_MOST_FAMILIES: Final = 2000


class Prover:
    """Goes from easy rules to hard ones.

    ``_bases`` are closures of the clues at the levels TRIVIAL, SUBSET and BOUNDS: what is
    supposed is tried on all of them in turn, so that a chain is as easy as can be. They
    stay, so that the next cell takes less. A chain of more than ``most_steps``, and some
    for each premise, becomes one search.
    """

    def __init__(
        self,
        premises: Sequence[Premise],
        deadline: Deadline = Deadline(),
        most_steps: int = _MOST_STEPS,
    ) -> None:
        self._premises = premises
        self._most_steps = most_steps + _STEPS_A_PREMISE * len(premises)
        self._closure = Closure(premises, deadline)
        total = next((premise for premise in premises if premise.clue == TOTAL), None)
        self._total = None if total is None else self._closure.node_of_premise(total)
        self._bases: list[Closure] = []
        self._supposed = 0

    def prove_cell(self, cell: int, value: int) -> Proof:
        """Prove by the easiest rules that the premises make a cell a mine or safe.

        That they do is taken on trust where a chain would be too long: then its last step is
        SEARCH.

        Args:
            cell: the number of the cell.
            value: 1 for a mine, 0 for a safe cell.

        Raises:
            DeadlinePassed: no chain was found in time.
        """
        self._supposed = 0
        for level, base in self._iterate_levels():
            node = base.node_of(cell)
            if node is not None:
                return self._build_proof(level, node)
        # By the total, outside of disjoint sets.
        target = self._closure.bit_of_cell(cell)
        node = self._subtract_from_total(self._bases[-1], target, value)
        if node is not None:
            return self._build_proof(Level.GLOBAL, node)
        for depth in range(_DEEPEST):
            node = self._prove_by_contradiction(self._bases, cell, value, depth)
            if node is None and self._explore_cells(self._bases, depth):
                node = self._bases[-1].node_of(cell) or self._prove_by_contradiction(
                    self._bases, cell, value, depth
                )
            if node is not None:
                return self._build_proof(Level.LOOK_AHEAD, node)
        return self._trust_bounds(self._closure.bit_of_cell(cell), value, value)

    def refute_premises(self) -> Proof:
        """Prove, like `prove_cell`, that the premises contradict each other.

        Raises:
            DeadlinePassed: no chain was found in time.
        """
        for level, base in self._iterate_levels():
            if base.contradiction is not None:
                return self._build_proof(level, base.contradiction)
        for depth in range(_DEEPEST + 1):
            node = self._find_contradiction(self._bases, depth)
            if node is not None:
                return self._build_proof(Level.LOOK_AHEAD, node)
        return self._trust_bounds(0, 1, 0)

    def _iterate_levels(self) -> Iterator[tuple[Level, Closure]]:
        """Yield the closure at one level after the other."""
        for level in (Level.TRIVIAL, Level.SUBSET, Level.BOUNDS):
            if level == len(self._bases):
                self._bases.append(self._bases[-1].copy() if self._bases else self._closure)
                self._bases[level].close_at_level(level)
            yield level, self._bases[level]

    def _prove_by_contradiction(
        self, bases: Sequence[Closure], cell: int, value: int, depth: int
    ) -> Node | None:
        """Prove the value of a cell by a contradiction that follows from the other value."""
        if self._supposed >= _MOST_SUPPOSED:
            return None
        self._supposed += 1
        supposed = Node(Inference.ASSUME, bases[0].bit_of_cell(cell), 1 - value, 1 - value)
        against = self._find_contradiction([base.with_node(supposed) for base in bases], depth)
        if against is None:
            return None
        if supposed not in against.under:
            # Whatever is supposed: what the bases know is contradictory.
            bases[-1].contradiction = against
            return None
        return Node(Inference.LOOK_AHEAD, supposed.cells, value, value, (supposed, against))

    def _explore_cells(self, bases: Sequence[Closure], depth: int) -> bool:
        """Suppose the values of one open cell after the other; whether that decided any."""
        progress = False
        for cell in bases[-1].open_cells():
            for value in (IS_MINE, IS_SAFE):
                if bases[-1].node_of(cell) is not None or bases[-1].contradiction is not None:
                    break
                node = self._prove_by_contradiction(bases, cell, value, depth)
                if node is None:
                    progress |= bases[-1].contradiction is not None
                else:
                    progress = True
                    for level, base in enumerate(bases):
                        base.learn_node(node)
                        base.close_at_level(Level(level))
        return progress

    def _find_contradiction(self, bases: Sequence[Closure], depth: int) -> Node | None:
        """Find a contradiction in one of the closures, with suppositions of so great a depth."""
        for level, base in enumerate(bases):
            base.close_at_level(Level(level))
            if base.contradiction is not None:
                return base.contradiction
        node = self._refute_total(bases[-1])
        while node is None and depth and self._explore_cells(bases, depth - 1):
            node = bases[-1].contradiction or self._refute_total(bases[-1])
        return node

    def _refute_total(self, closure: Closure) -> Node | None:
        """Find a contradiction with the total."""
        return self._subtract_from_total(closure, 0, IS_SAFE) or self._subtract_from_total(
            closure, 0, IS_MINE
        )

    def _subtract_from_total(self, closure: Closure, target: int, value: int) -> Node | None:
        """Take disjoint sets from the total that hold all mines (0), or all safe cells (1).

        The target is not among them; without a target, they hold even more than all.
        """
        total = self._total
        if total is None:
            return None
        if value == IS_SAFE:
            room = total.high
            gains = [(low, cells, by) for cells, low, by, _, _ in closure.iterate_bounds() if low]
        else:
            room = total.cells.bit_count() - total.low
            gains = [
                (cells.bit_count() - high, cells, by)
                for cells, _, _, high, by in closure.iterate_bounds()
                if high < cells.bit_count()
            ]
        outside = [gain for gain in gains if not gain[1] & target]
        chosen = _pack_sets(outside, room if target else room + 1)
        if chosen is None:
            return None
        if not chosen:
            return total
        return _subtract_node(total, chosen[0] if len(chosen) == 1 else _unite_nodes(chosen))

    def _build_proof(self, level: Level, node: Node) -> Proof:
        """Return the chain to a node; ``level`` is how hard it is where nothing is supposed."""
        steps = self._closure.list_steps(node)
        if len(steps) > self._most_steps:
            return self._trust_bounds(node.cells, node.low, node.high)
        depth = max(len(step.under) for step in steps)
        if any(step.rule is Inference.TOTAL for step in steps):
            level = Level.GLOBAL
        elif depth:
            level = Level.LOOK_AHEAD if depth == 1 else Level.SEARCH
        return Proof(level, steps)

    def trust_cells(self, cells: Iterable[int], value: int) -> Proof:
        """State in one step that cells are mines or safe.

        Args:
            cells: their numbers.
            value: 1 for mines, 0 for safe cells.
        """
        mask = sum(map(self._closure.bit_of_cell, cells))
        held = value * mask.bit_count()
        return self._trust_bounds(mask, held, held)

    def _trust_bounds(self, cells: int, low: int, high: int) -> Proof:
        """State in one step the premises, and what is known to follow from them."""
        sources = tuple(map(self._closure.node_of_premise, self._premises))
        level = Level.SEARCH if self._total is None else Level.GLOBAL
        return Proof(
            level, self._closure.list_steps(Node(Inference.SEARCH, cells, low, high, sources))
        )


def _unite_nodes(nodes: Sequence[Node]) -> Node:
    """Unite disjoint sets to one."""
    low, high = sum(node.low for node in nodes), sum(node.high for node in nodes)
    return Node(Inference.UNION, sum(node.cells for node in nodes), low, high, tuple(nodes))


def _subtract_node(whole: Node, part: Node) -> Node:
    """Return a set without a part of it."""
    rest = whole.cells ^ part.cells
    low = max(0, whole.low - part.high)
    high = min(rest.bit_count(), whole.high - part.low)
    return Node(Inference.DIFFERENCE, rest, low, high, (whole, part))


def _pack_sets(gains: list[tuple[int, int, Node]], required: int) -> list[Node] | None:
    """Return disjoint sets whose gains sum to the required amount; None if none were found.

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
        index, used, gained, chosen = stack.pop()
        if gained >= required:
            return chosen
        tries += 1
        if tries > _MOST_FAMILIES:
            return None
        if gained + possible[index] < required:
            continue
        gain, cells, node = gains[index]
        stack.append((index + 1, used, gained, chosen))
        if not used & cells:
            stack.append((index + 1, used | cells, gained + gain, [*chosen, node]))
    return None
