"""Deductions as people make them: sets of cells and how many mines they hold at least and at most.

This is the method of Probst's minedetector. Every clue is a set of cells with
bounds; intersections and differences of overlapping sets are new sets, with
bounds that follow; a set that turns out empty or full decides its cells. Where
that is not enough, he proposes to look ahead: suppose that a cell is a mine,
or that it is safe, and when that leads to a contradiction the other is true.
Suppositions may be nested, which makes the method complete, and the total of
mines is one large set more. Each deduction is kept as a step that follows
from the steps it names, so that anyone can check it.

M. Probst, *minedetector* (README).
"""

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum, StrEnum
from math import inf
from types import MappingProxyType
from typing import Final

import numpy as np

from minefield.reduction.constraints import IS_MINE, IS_SAFE, TOTAL, UNDECIDED, Constraints
from minefield.rules import Puzzle
from solvers.deadline import Deadline

#: A chain has at most so many steps, and some for each premise; else a search takes its place.
MOST_STEPS: Final = 60
_STEPS_A_PREMISE: Final = 4
#: Suppositions that a proof may try.
_MOST_SUPPOSED: Final = 300
#: Suppositions within suppositions.
_DEEPEST: Final = 3
#: Families of disjoint sets that are looked at, for what the total leaves to the rest.
_MOST_FAMILIES: Final = 2000


class Rule(StrEnum):
    """Why a step holds."""

    CLUE = "clue"
    TOTAL = "total"
    DIFFERENCE = "difference"
    INTERSECTION = "intersection"
    UNION = "union"
    ASSUME = "assume"
    LOOK_AHEAD = "look-ahead"
    SEARCH = "search"


class Level(IntEnum):
    """How hard a deduction is: the easiest rules that are enough, applied as often as needed.

    TRIVIAL: a clue that has all its mines, or as many as it has cells. SUBSET: a
    set without a set inside it. BOUNDS: differences and intersections of any
    sets. LOOK_AHEAD: suppositions, one at a time. GLOBAL: the total of mines.
    SEARCH: none of these is enough.
    """

    TRIVIAL = 0
    SUBSET = 1
    BOUNDS = 2
    LOOK_AHEAD = 3
    GLOBAL = 4
    SEARCH = 5

    @property
    def label(self) -> str:
        """The name in answers."""
        return self.name.lower().replace("_", "-")


#: The levels by their names, the easiest first.
LEVELS: Final = MappingProxyType({level.label: level for level in Level})


@dataclass(frozen=True, slots=True)
class Premise:
    """What a clue (by its number), or the total (`TOTAL`), says of its undecided cells.

    The bounds may be out of reach.
    """

    clue: int
    cells: tuple[int, ...]
    low: int
    high: int


class Said:
    """What constraints say, as premises."""

    def __init__(self, constraints: Constraints) -> None:
        self._constraints = constraints
        self._start = constraints.start.tolist()
        self._members = constraints.members.tolist()
        self._low = constraints.low.tolist()
        self._high = constraints.high.tolist()

    def clue(self, clue: int) -> Premise:
        """What a clue says."""
        cells = self._members[self._start[clue] : self._start[clue + 1]]
        return Premise(clue, tuple(cells), self._low[clue], self._high[clue])

    def total(self) -> Premise:
        """What the total says, where there is one."""
        left = self._constraints.mines_left
        assert left is not None, "there is no total"
        cells = np.flatnonzero(self._constraints.known == UNDECIDED)
        return Premise(TOTAL, tuple(cells.tolist()), left, left)


@dataclass(frozen=True, slots=True)
class Step:
    """Among ``cells`` (ascending) lie ``low`` to ``high`` mines; low above high is a contradiction.

    ``sources`` are the places in the chain of the steps it follows from, and
    ``under`` those of the ASSUME steps it rests on (an ASSUME step rests on
    itself). A LOOK_AHEAD step follows from an ASSUME step and a contradiction
    under it, and rests on it no longer.
    """

    rule: Rule
    cells: tuple[int, ...]
    low: int
    high: int
    sources: tuple[int, ...] = ()
    under: tuple[int, ...] = ()
    clue: int | None = None

    @property
    def contradictory(self) -> bool:
        """Whether no layout can satisfy it."""
        return self.low > self.high


@dataclass(frozen=True, slots=True)
class Proof:
    """A chain of steps, the last of which is what was to be shown, and how hard it is."""

    level: Level
    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Deduced:
    """Cells that deduction decides, (row, col) in reading order."""

    mines: list[tuple[int, int]]
    safe: list[tuple[int, int]]


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
) -> Deduced:
    """Decide what the rules can of the unknown cells of a consistent board.

    Raises `DeadlinePassed`.
    """
    constraints = Constraints.of(puzzle, mines)
    said = Said(constraints)
    premises = [said.clue(clue) for clue in range(constraints.low.size)]
    if mines is not None:
        premises.append(said.total())
    decided = Prover(premises, deadline or Deadline()).decide(look_ahead)
    places = {
        value: sorted(divmod(cell, puzzle.shape[1]) for cell in decided if decided[cell] == value)
        for value in (IS_MINE, IS_SAFE)
    }
    return Deduced(places[IS_MINE], places[IS_SAFE])


class _Node:
    """A step as a bit set over positions, and the nodes it comes from."""

    __slots__ = ("cells", "clue", "high", "low", "rule", "sources", "under")

    def __init__(
        self,
        rule: Rule,
        cells: int,
        low: int,
        high: int,
        sources: tuple["_Node", ...] = (),
        clue: int | None = None,
    ) -> None:
        self.rule = rule
        self.cells = cells
        self.low = low
        self.high = high
        self.sources = sources
        self.clue = clue
        self.under: frozenset[_Node] = frozenset()
        if rule is Rule.ASSUME:
            self.under = frozenset((self,))
        for source in sources:
            if source.under:
                self.under |= source.under
        if rule is Rule.LOOK_AHEAD:
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
        self._position = {cell: place for place, cell in enumerate(self._cells)}
        self._low: dict[int, int] = {}
        self._high: dict[int, int] = {}
        self._low_by: dict[int, _Node] = {}
        self._high_by: dict[int, _Node] = {}
        self._meeting: list[set[int]] = [set() for _ in self._position]
        self._waiting: deque[int] = deque()
        self._values: dict[int, tuple[int, Level, _Node]] = {}
        self._level = Level.TRIVIAL
        self.contradiction: _Node | None = None
        for premise in premises:
            if premise.clue != TOTAL:
                self.learn(self.premise(premise))

    @property
    def decided(self) -> dict[int, tuple[int, Level]]:
        """Value (1 mine, 0 safe) of each decided cell, and the level at which it was decided."""
        return {
            cell: self._values[place][:2]
            for cell, place in self._position.items()
            if place in self._values
        }

    def node_of(self, cell: int) -> _Node | None:
        """What decided a cell."""
        found = self._values.get(self._position.get(cell, -1))
        return found and found[2]

    def learn(self, node: _Node) -> None:
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
            for place in _places(cells):
                self._meeting[place].add(cells)
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
            self.contradiction = self.contradiction or _Node(
                Rule.INTERSECTION, cells, low, high, sources
            )
        elif high == 0 or low == size:
            by = self._high_by[cells] if high == 0 else self._low_by[cells]
            for place in _places(cells):
                self._values.setdefault(place, (int(low > 0), self._level, by))
            # What is decided is taken out of all other sets first.
            self._waiting.appendleft(cells)
        else:
            self._waiting.append(cells)

    def close(self, level: Level, most_sets: int = 100_000) -> bool:
        """Draw all conclusions up to a level, at most BOUNDS; False if there are more sets.

        Cells are said to be decided at this level: to grade them go level by level. Stops
        at a contradiction. Raises `DeadlinePassed`.
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
                self._combine(cells)
        return True

    def assuming(self, cell: int, value: int) -> "Closure":
        """The same closure where a cell is supposed to be a mine (1) or safe (0)."""
        return self.knowing(_Node(Rule.ASSUME, self.bit(cell), value, value))

    def knowing(self, node: _Node) -> "Closure":
        """The same closure and one node more."""
        other = self.copy()
        other.learn(node)
        return other

    def copy(self) -> "Closure":
        """The same closure, to go on with alone."""
        other = object.__new__(Closure)
        other._deadline = self._deadline
        other._cells, other._position = self._cells, self._position
        other._low, other._high = dict(self._low), dict(self._high)
        other._low_by, other._high_by = dict(self._low_by), dict(self._high_by)
        other._meeting = [set(sets) for sets in self._meeting]
        other._waiting = deque(self._waiting)
        other._values = dict(self._values)
        other._level = self._level
        other.contradiction = self.contradiction
        return other

    def open_cells(self) -> list[int]:
        """Cells that are not decided, those in most sets first."""
        found = [cell for cell, place in self._position.items() if place not in self._values]
        return sorted(found, key=lambda cell: -len(self._meeting[self._position[cell]]))

    def bit(self, cell: int) -> int:
        """The set of one cell."""
        return 1 << self._position[cell]

    def premise(self, premise: Premise) -> _Node:
        """A premise as a node, its bounds cut to what its cells can hold."""
        cells = sum(map(self.bit, premise.cells))
        low, high = max(premise.low, 0), min(premise.high, len(premise.cells))
        if premise.clue == TOTAL:
            return _Node(Rule.TOTAL, cells, low, high)
        return _Node(Rule.CLUE, cells, low, high, clue=premise.clue)

    def chain(self, last: _Node) -> tuple[Step, ...]:
        """The steps that lead to a node, in order; what says the same is one step."""
        place: dict[_Node, int] = {}
        steps: dict[Step, int] = {}
        stack = [last]
        while stack:
            node = stack[-1]
            missing = [source for source in node.sources if source not in place]
            if missing:
                stack += reversed(missing)
                continue
            stack.pop()
            if node not in place:
                step = self._step(node, place)
                place[node] = steps.setdefault(step, len(steps))
        return tuple(
            replace(step, under=(here,)) if step.rule is Rule.ASSUME else step
            for step, here in steps.items()
        )

    def _step(self, node: _Node, place: Mapping[_Node, int]) -> Step:
        """A node as a step; one that supposes something does not yet rest on itself."""
        supposed = node.under - {node}
        return Step(
            node.rule,
            tuple(self._cells[bit] for bit in _places(node.cells)),
            node.low,
            node.high,
            tuple(place[source] for source in node.sources),
            tuple(sorted({place[one] for one in supposed})),
            node.clue,
        )

    def bounds(self) -> Iterator[tuple[int, int, _Node, int, _Node]]:
        """(cells, low, its node, high, its node) of each set."""
        for cells, low in self._low.items():
            yield cells, low, self._low_by[cells], self._high[cells], self._high_by[cells]

    def _combine(self, one: int) -> None:
        """Draw conclusions from a set and those that it meets."""
        meeting: set[int] = set().union(*[self._meeting[place] for place in _places(one)])
        meeting.discard(one)
        decided = self._is_decided(one)
        for other in meeting:
            if other not in self._low:
                continue
            if decided:
                self._difference(other, one)
                self._drop(other)
            elif self._is_decided(other):
                self._difference(one, other)
                self._drop(one)
            elif self._level is Level.BOUNDS:
                self._overlap(one, other)
            elif self._level is Level.SUBSET:
                if one & other == other:
                    self._difference(one, other)
                elif one & other == one:
                    self._difference(other, one)
            if self.contradiction is not None or one not in self._low:
                return

    def _is_decided(self, cells: int) -> bool:
        return self._high[cells] == 0 or self._low[cells] == cells.bit_count()

    def _drop(self, cells: int) -> None:
        """Forget a set that is said as well by its parts."""
        for place in _places(cells):
            self._meeting[place].discard(cells)
        del self._low[cells], self._high[cells], self._low_by[cells], self._high_by[cells]

    def _overlap(self, one: int, other: int) -> None:
        """What two sets that meet say of the part they share, and of the other parts."""
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
            self._offer(Rule.INTERSECTION, shared, low, high, *by)
        self._difference(one, other)
        self._difference(other, one)

    def _difference(self, one: int, other: int) -> None:
        """What the part of one set outside another holds."""
        shared = one & other
        outside = one ^ shared
        most = min(self._high[other], shared.bit_count())
        least = max(0, self._low[other] - (other ^ shared).bit_count())
        low, high = self._low[one] - most, self._high[one] - least
        if low <= 0 and high >= outside.bit_count():
            return
        # Only what matters is named as a source.
        low_by: tuple[_Node, ...] = (self._low_by[one],)
        high_by: tuple[_Node, ...] = (self._high_by[one],)
        if most < shared.bit_count():
            low_by += (self._high_by[other],)
        if least > 0:
            high_by += (self._low_by[other],)
        self._offer(Rule.DIFFERENCE, outside, low, high, low_by, high_by)

    def _offer(
        self,
        rule: Rule,
        cells: int,
        low: int,
        high: int,
        low_by: tuple[_Node, ...],
        high_by: tuple[_Node, ...],
    ) -> None:
        """Take in those of two bounds that are better than what is known."""
        size = cells.bit_count()
        low_helps = low > self._low.get(cells, 0)
        high_helps = high < self._high.get(cells, size)
        if low_helps or high_helps:
            sources = (low_by if low_helps else ()) + (high_by if high_helps else ())
            low, high = (low if low_helps else 0), (high if high_helps else size)
            self.learn(_Node(rule, cells, low, high, tuple(dict.fromkeys(sources))))


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
    ) -> _Node | None:
        """That a cell has a value, because the other one leads to a contradiction."""
        if self._supposed >= self._most_supposed:
            return None
        self._supposed += 1
        supposed = _Node(Rule.ASSUME, bases[0].bit(cell), 1 - value, 1 - value)
        against = self._contradiction([base.knowing(supposed) for base in bases], depth)
        if against is None:
            return None
        if supposed not in against.under:
            # Whatever is supposed: what the bases know is contradictory.
            bases[-1].contradiction = against
            return None
        return _Node(Rule.LOOK_AHEAD, supposed.cells, value, value, (supposed, against))

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

    def _contradiction(self, bases: Sequence[Closure], depth: int) -> _Node | None:
        """A contradiction in one of the closures, with suppositions of so great a depth."""
        for level, base in enumerate(bases):
            base.close(Level(level))
            if base.contradiction is not None:
                return base.contradiction
        node = self._overfull(bases[-1])
        while node is None and depth and self._explored(bases, depth - 1):
            node = bases[-1].contradiction or self._overfull(bases[-1])
        return node

    def _rest(self, closure: Closure, cell: int, value: int) -> _Node | None:
        """That the total leaves no other value to a cell outside some disjoint sets."""
        return self._left(closure, closure.bit(cell), value)

    def _overfull(self, closure: Closure) -> _Node | None:
        """A contradiction with the total."""
        return self._left(closure, 0, IS_SAFE) or self._left(closure, 0, IS_MINE)

    def _left(self, closure: Closure, target: int, value: int) -> _Node | None:
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

    def _proof(self, level: Level, node: _Node) -> Proof:
        """The chain to a node; ``level`` is how hard it is where nothing is supposed."""
        steps = self._closure.chain(node)
        if len(steps) > MOST_STEPS + _STEPS_A_PREMISE * len(self._premises):
            return self._trusted(node.cells, node.low, node.high)
        depth = max(len(step.under) for step in steps)
        if any(step.rule is Rule.TOTAL for step in steps):
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
        return Proof(level, self._closure.chain(_Node(Rule.SEARCH, cells, low, high, sources)))


def _union(nodes: Sequence[_Node]) -> _Node:
    """Disjoint sets as one."""
    low, high = sum(node.low for node in nodes), sum(node.high for node in nodes)
    return _Node(Rule.UNION, sum(node.cells for node in nodes), low, high, tuple(nodes))


def _difference(whole: _Node, part: _Node) -> _Node:
    """What is left of a set without a part of it."""
    rest = whole.cells ^ part.cells
    low = max(0, whole.low - part.high)
    high = min(rest.bit_count(), whole.high - part.low)
    return _Node(Rule.DIFFERENCE, rest, low, high, (whole, part))


def _packed(gains: list[tuple[int, int, _Node]], wanted: int) -> list[_Node] | None:
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
    stack: list[tuple[int, int, int, list[_Node]]] = [(0, 0, 0, [])]
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


def _places(cells: int) -> Iterator[int]:
    """Places of the bits, ascending."""
    while cells:
        bit = cells & -cells
        yield bit.bit_length() - 1
        cells ^= bit
