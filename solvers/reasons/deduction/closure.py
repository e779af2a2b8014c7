"""All that follows from premises by differences and intersections: Probst's sets, to the end.

Tested in tests/solvers/reasons/test_deduction.py.
"""

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from minecheck.minefield.reduction.constraints import TOTAL
from minecheck.solvers.deadline import Deadline
from minecheck.solvers.findings import Inference, Level
from minecheck.solvers.reasons.deduction.premises import Deduction, Premise


class Node:
    """A step as a bit set over positions, and the nodes it comes from."""

    __slots__ = ("cells", "clue", "high", "low", "rule", "sources", "under")

    def __init__(
        self,
        rule: Inference,
        cells: int,
        low: int,
        high: int,
        sources: tuple["Node", ...] = (),
        clue: int | None = None,
    ) -> None:
        self.rule = rule
        self.cells = cells
        self.low = low
        self.high = high
        self.sources = sources
        self.clue = clue
        self.under: frozenset[Node] = frozenset()
        if rule is Inference.ASSUME:
            self.under = frozenset((self,))
        for source in sources:
            if source.under:
                self.under |= source.under
        if rule is Inference.LOOK_AHEAD:
            self.under -= sources[0].under


class Closure:
    """All that follows from premises by the rules up to some level; the total is left out.

    Sets are known by their cells, as bit sets over positions. Of each set the
    best bounds are kept, each with the node that gave it.
    """

    def __init__(self, premises: Iterable[Premise], deadline: Deadline | None = None) -> None:
        premises = list(premises)
        self._deadline = deadline or Deadline()
        self._cells = sorted({cell for premise in premises for cell in premise.cells})
        self._position = {cell: bit for bit, cell in enumerate(self._cells)}
        self._low: dict[int, int] = {}
        self._high: dict[int, int] = {}
        self._low_by: dict[int, Node] = {}
        self._high_by: dict[int, Node] = {}
        self._meeting: list[set[int]] = [set() for _ in self._position]
        self._waiting: deque[int] = deque()
        self._values: dict[int, tuple[int, Level, Node]] = {}
        self._level = Level.TRIVIAL
        self.contradiction: Node | None = None
        for premise in premises:
            if premise.clue != TOTAL:
                # Sets are as long as the board is large.
                self._deadline.check()
                self.learn_node(self.node_of_premise(premise))

    @property
    def decided(self) -> dict[int, tuple[int, Level]]:
        """Value (1 mine, 0 safe) of each decided cell, and the level at which it was decided."""
        return {
            cell: self._values[bit][:2]
            for cell, bit in self._position.items()
            if bit in self._values
        }

    def node_of(self, cell: int) -> Node | None:
        """Return the node that decided a cell, None if it is open."""
        entry = self._values.get(self._position.get(cell, -1))
        return entry and entry[2]

    def learn_node(self, node: Node) -> None:
        """Take in what a node says."""
        if node.low > node.high:
            self.contradiction = self.contradiction or node
            return
        cells = node.cells
        size = cells.bit_count()
        fresh = cells not in self._low
        if fresh:
            if not cells or (node.low == 0 and node.high == size):
                return
            self._low[cells], self._high[cells] = 0, size
            for bit in iterate_bits(cells):
                self._meeting[bit].add(cells)
        better = False
        if fresh or node.low > self._low[cells]:
            self._low[cells], self._low_by[cells] = node.low, node
            better = True
        if fresh or node.high < self._high[cells]:
            self._high[cells], self._high_by[cells] = node.high, node
            better = True
        if not better:
            return
        low, high = self._low[cells], self._high[cells]
        if low > high:
            sources = (self._low_by[cells], self._high_by[cells])
            self.contradiction = self.contradiction or Node(
                Inference.INTERSECTION, cells, low, high, sources
            )
        elif high == 0 or low == size:
            source = self._high_by[cells] if high == 0 else self._low_by[cells]
            for bit in iterate_bits(cells):
                self._values.setdefault(bit, (int(low > 0), self._level, source))
            # Decided cells are removed from all other sets first.
            self._waiting.appendleft(cells)
        else:
            self._waiting.append(cells)

    def close_at_level(self, level: Level, most_sets: int = 100_000) -> bool:
        """Draw all conclusions up to a level, at most BOUNDS; False if there are more sets.

        Cells are said to be decided at this level: to grade them go level by level. A contradiction
        ends the search.

        Args:
            level: the hardest rules to use.
            most_sets: the most sets to keep.

        Raises:
            DeadlinePassed: not all was concluded in time.
        """
        if level > self._level:
            self._level = level
            self._waiting = deque(self._low)
        while self._waiting and self.contradiction is None:
            self._deadline.check()
            if len(self._low) > most_sets:
                return False
            cells = self._waiting.popleft()
            if cells in self._low:
                self._combine_set(cells)
        return True

    def with_assumption(self, cell: int, value: int) -> "Closure":
        """Return the same closure where a cell is supposed to be a mine or safe.

        Args:
            cell: its number.
            value: 1 for a mine, 0 for a safe cell.
        """
        return self.with_node(Node(Inference.ASSUME, self.bit_of_cell(cell), value, value))

    def with_node(self, node: Node) -> "Closure":
        """Return the same closure and one node more."""
        closure = self.copy()
        closure.learn_node(node)
        return closure

    def copy(self) -> "Closure":
        """Return the same closure, to go on with alone."""
        closure = object.__new__(Closure)
        closure._deadline = self._deadline
        closure._cells, closure._position = self._cells, self._position
        closure._low, closure._high = dict(self._low), dict(self._high)
        closure._low_by, closure._high_by = dict(self._low_by), dict(self._high_by)
        closure._meeting = [set(sets) for sets in self._meeting]
        closure._waiting = deque(self._waiting)
        closure._values = dict(self._values)
        closure._level = self._level
        closure.contradiction = self.contradiction
        return closure

    def open_cells(self) -> list[int]:
        """Return the cells that are not decided, those in most sets first."""
        cells = [cell for cell, bit in self._position.items() if bit not in self._values]
        return sorted(cells, key=lambda cell: -len(self._meeting[self._position[cell]]))

    def bit_of_cell(self, cell: int) -> int:
        """Return the set of one cell."""
        return 1 << self._position[cell]

    def node_of_premise(self, premise: Premise) -> Node:
        """Return a premise as a node, its bounds cut to what its cells can hold."""
        cells = sum(map(self.bit_of_cell, premise.cells))
        low, high = max(premise.low, 0), min(premise.high, len(premise.cells))
        if premise.clue == TOTAL:
            return Node(Inference.TOTAL, cells, low, high)
        return Node(Inference.CLUE, cells, low, high, clue=premise.clue)

    def list_steps(self, goal: Node) -> tuple[Deduction, ...]:
        """List the steps that lead to a node, in order; what says the same is one step."""
        index_of: dict[Node, int] = {}
        steps: dict[Deduction, int] = {}
        stack = [goal]
        while stack:
            node = stack[-1]
            missing = [source for source in node.sources if source not in index_of]
            if missing:
                stack += reversed(missing)
                continue
            stack.pop()
            if node not in index_of:
                step = self._make_step(node, index_of)
                index_of[node] = steps.setdefault(step, len(steps))
        return tuple(
            replace(step, under=(assumption,)) if step.rule is Inference.ASSUME else step
            for step, assumption in steps.items()
        )

    def _make_step(self, node: Node, index_of: Mapping[Node, int]) -> Deduction:
        """Return a node as a step; one that supposes something does not yet rest on itself."""
        supposed = node.under - {node}
        return Deduction(
            node.rule,
            tuple(self._cells[bit] for bit in iterate_bits(node.cells)),
            node.low,
            node.high,
            tuple(index_of[source] for source in node.sources),
            tuple(sorted({index_of[node_supposed] for node_supposed in supposed})),
            node.clue,
        )

    def iterate_bounds(self) -> Iterator[tuple[int, int, Node, int, Node]]:
        """Yield (cells, low, its node, high, its node) of each set."""
        for cells, low in self._low.items():
            yield cells, low, self._low_by[cells], self._high[cells], self._high_by[cells]

    def _combine_set(self, one: int) -> None:
        """Draw conclusions from a set and those that it meets."""
        meeting: set[int] = set().union(*[self._meeting[bit] for bit in iterate_bits(one)])
        meeting.discard(one)
        decided = self._is_decided(one)
        for other in meeting:
            if other not in self._low:
                continue
            if decided:
                self._conclude_difference(other, one)
                self._drop_set(other)
            elif self._is_decided(other):
                self._conclude_difference(one, other)
                self._drop_set(one)
            elif self._level is Level.BOUNDS:
                self._conclude_overlap(one, other)
            elif self._level is Level.SUBSET:
                if one & other == other:
                    self._conclude_difference(one, other)
                elif one & other == one:
                    self._conclude_difference(other, one)
            if self.contradiction is not None or one not in self._low:
                return

    def _is_decided(self, cells: int) -> bool:
        return self._high[cells] == 0 or self._low[cells] == cells.bit_count()

    def _drop_set(self, cells: int) -> None:
        """Forget a set that is said as well by its parts."""
        for bit in iterate_bits(cells):
            self._meeting[bit].discard(cells)
        del self._low[cells], self._high[cells], self._low_by[cells], self._high_by[cells]

    def _conclude_overlap(self, one: int, other: int) -> None:
        """Conclude bounds of the common part of two sets that meet, and of the other parts."""
        shared = one & other
        size = shared.bit_count()
        by_one = self._low[one] - (one ^ shared).bit_count()
        by_other = self._low[other] - (other ^ shared).bit_count()
        low, low_by = max(by_one, by_other), one if by_one >= by_other else other
        high, high_by = self._high[one], one
        if self._high[other] < high:
            high, high_by = self._high[other], other
        if low > 0 or high < size:
            by = ((self._low_by[low_by],), (self._high_by[high_by],))
            self._offer_bounds(Inference.INTERSECTION, shared, low, high, *by)
        self._conclude_difference(one, other)
        self._conclude_difference(other, one)

    def _conclude_difference(self, one: int, other: int) -> None:
        """Conclude bounds of the part of one set outside another."""
        shared = one & other
        outside = one ^ shared
        most = min(self._high[other], shared.bit_count())
        least = max(0, self._low[other] - (other ^ shared).bit_count())
        low, high = self._low[one] - most, self._high[one] - least
        if low <= 0 and high >= outside.bit_count():
            return
        # Only what matters is named as a source.
        low_by: tuple[Node, ...] = (self._low_by[one],)
        high_by: tuple[Node, ...] = (self._high_by[one],)
        if most < shared.bit_count():
            low_by += (self._high_by[other],)
        if least > 0:
            high_by += (self._low_by[other],)
        self._offer_bounds(Inference.DIFFERENCE, outside, low, high, low_by, high_by)

    def _offer_bounds(
        self,
        rule: Inference,
        cells: int,
        low: int,
        high: int,
        low_by: tuple[Node, ...],
        high_by: tuple[Node, ...],
    ) -> None:
        """Take in those of two bounds that are better than what is known."""
        size = cells.bit_count()
        low_helps = low > self._low.get(cells, 0)
        high_helps = high < self._high.get(cells, size)
        if low_helps or high_helps:
            sources = (low_by if low_helps else ()) + (high_by if high_helps else ())
            low, high = (low if low_helps else 0), (high if high_helps else size)
            self.learn_node(Node(rule, cells, low, high, tuple(dict.fromkeys(sources))))


def iterate_bits(cells: int) -> Iterator[int]:
    """Yield the indices of the bits that are set, ascending."""
    while cells:
        bit = cells & -cells
        yield bit.bit_length() - 1
        cells ^= bit
