"""Exact counts, box by box: a dynamic program over what the open clues have seen so far.

A state is what each open clue has seen, and how many clues are wrong. A clue whose verdict is
settled, because all that it can still come to see is allowed, or none of it, is no longer told
apart by its number. Polynomials in the number of spare mines are kept in one integer, each
coefficient in its own bits.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, islice
from math import prod
from typing import Final, TypeAlias

from minefield.variant import Clue
from solvers.budget import TooWide
from solvers.deadline import Deadline
from solvers.variants.problem import Box, Problem

#: What the open clues have seen, or how they are settled; then the number of wrong clues.
State: TypeAlias = tuple[int, ...]
#: Spare mines of a box, and the state that follows.
Move: TypeAlias = tuple[int, State]

RIGHT: Final = -1
WRONG: Final = -2
#: Moves of all states together; a million take some seconds and some hundred megabytes at most.
MOST_MOVES: Final = 1_000_000
#: Bytes of all polynomials together.
MOST_BYTES: Final = 200_000_000
#: Open clues of a state that take as much memory as a move.
_CLUES_A_MOVE: Final = 8
#: Of the time there is, what may pass until it is known which states there are.
_SHARE: Final = 0.4
#: Open clues whose boxes may be next.
_OLDEST: Final = 8


@dataclass(frozen=True, slots=True)
class Step:
    """One box: ``kept`` are the places in a state before it of clues that stay as they are.

    ``seen`` are the clues that see the box: the place of each in the state before it, or None if
    it opens here with what is sure; the least and the most spare mines that it may still see
    afterwards; and whether it stays open.
    """

    box: Box
    kept: tuple[int, ...]
    seen: tuple[tuple[int, int | None, int, int, bool], ...]


@dataclass(eq=False)
class Sweep:
    """The counts of a problem; ``tracked`` if layouts are told apart by their number of mines.

    Everything is computed on first use.

    Raises:
        TooWide: there are too many states.
        DeadlinePassed: it took too long.
    """

    problem: Problem
    tracked: bool
    deadline: Deadline
    _wide: bool = False

    @cached_property
    def steps(self) -> list[Step]:
        """The boxes in the order in which they are decided."""
        order = _ordered(self.problem)
        last = {clue: place for place, box in enumerate(order) for clue in box.clues}
        least, most = dict.fromkeys(last, 0), dict.fromkeys(last, 0)
        for box in order:
            for clue in box.clues:
                least[clue] += box.low
                most[clue] += box.high
        found = []
        opened: list[int] = []
        for place, box in enumerate(order):
            at = {clue: slot for slot, clue in enumerate(opened)}
            seen = []
            for clue in box.clues:
                least[clue] -= box.low
                most[clue] -= box.high
                stays = last[clue] > place
                seen.append((clue, at.get(clue), least[clue], most[clue], stays))
            kept = tuple(slot for slot, clue in enumerate(opened) if clue not in box.clues)
            found.append(Step(box, kept, tuple(seen)))
            opened = [opened[slot] for slot in kept] + [one[0] for one in seen if one[4]]
        return found

    @cached_property
    def first(self) -> State | None:
        """The state before the first box; None if there are too many lies already."""
        problem = self.problem
        touched = {clue for box in problem.boxes for clue in box.clues}
        wrong = sum(
            not allowed.allows(problem.sure[clue])
            for clue, allowed in enumerate(problem.clues)
            if clue not in touched
        )
        return (wrong,) if wrong <= problem.lies[1] else None

    @cached_property
    def moves(self) -> list[dict[State, list[Move]]]:
        """What may follow each state that can be reached, step by step."""
        if self._wide:
            raise TooWide
        # Raised again at once when it is asked for again; and there is time for something else.
        self._wide, until = True, self.deadline.part(_SHARE)
        states = [] if self.first is None else [self.first]
        found, spent = [], 0
        for step in self.steps:
            moves: dict[State, list[Move]] = {}
            reached: dict[State, State] = {}
            settled: dict[tuple[int, int], int] = {}
            for number, state in enumerate(states):
                if number % 256 == 0 and until.left <= 0:
                    self.deadline.check()
                    raise TooWide
                moves[state] = [
                    # Equal states are kept once.
                    (spare, reached.setdefault(after, after))
                    for spare, after in self._following(step, state, settled)
                ]
                spent += len(moves[state]) + len(state) // _CLUES_A_MOVE
                if spent > MOST_MOVES:
                    raise TooWide
            found.append(moves)
            states = list(reached)
        self._wide = False
        return found

    def _following(
        self, step: Step, state: State, settled: dict[tuple[int, int], int]
    ) -> list[Move]:
        """All moves from a state; ``settled`` are verdicts that were found at this step."""
        problem = self.problem
        kept = tuple(state[slot] for slot in step.kept)
        moves = []
        for spare in range(step.box.low, step.box.high + 1):
            wrong, after = state[-1], []
            for clue, slot, least, most, stays in step.seen:
                before = problem.sure[clue] if slot is None else state[slot]
                if before >= 0:
                    number = before + spare
                    verdict = settled.get((clue, number))
                    if verdict is None:
                        verdict = _settled(problem.clues[clue], number, least, most)
                        settled[clue, number] = verdict
                    wrong += verdict == WRONG
                    before = verdict
                if stays:
                    after.append(before)
            if wrong <= problem.lies[1]:
                moves.append((spare, (*kept, *after, wrong)))
        return moves

    def again(self, *, tracked: bool) -> "Sweep":
        """The same states, with layouts told apart by their mines or not."""
        other = Sweep(self.problem, tracked, self.deadline)
        vars(other).update(steps=self.steps, moves=self.moves)
        return other

    @cached_property
    def sure_ways(self) -> int:
        """Ways to lay out the boxes that are decided."""
        return prod(box.ways[box.low] for box in self.problem.decided)

    @cached_property
    def bits(self) -> int:
        """Bits of a coefficient, whole bytes; 0 if only their sum is wanted."""
        if not self.tracked:
            return 0
        # No coefficient is larger than the sum of all, which is soon known.
        plain = self.again(tracked=False)
        tables = [*plain.forward, *plain.backward]
        largest = max(chain.from_iterable(table.values() for table in tables), default=1)
        bits = (max(largest, plain.core[0]).bit_length() // 8 + 1) * 8
        longest = 1 + sum(step.box.high for step in self.steps)
        # As long as what led to a state is, so much shorter is what follows.
        if sum(map(len, plain.forward)) * longest * bits // 8 > MOST_BYTES:
            raise TooWide
        return bits

    @cached_property
    def forward(self) -> list[dict[State, int]]:
        """Ways to reach each state, before each step and after the last."""
        bits = self.bits
        found: list[dict[State, int]] = [{} if self.first is None else {self.first: self.sure_ways}]
        for step, moves in zip(self.steps, self.moves, strict=True):
            self.deadline.check()
            ways = step.box.ways
            reached: dict[State, int] = {}
            for state, number in found[-1].items():
                for spare, after in moves[state]:
                    more = number * ways[spare] << bits * spare
                    reached[after] = reached.get(after, 0) + more
            found.append(reached)
        return found

    @cached_property
    def backward(self) -> list[dict[State, int]]:
        """Ways to go on from each state, before each step and after the last."""
        bits, (least, most) = self.bits, self.problem.lies
        ends = set(self.forward[-1])
        found = [{state: int(least <= state[-1] <= most) for state in ends}]
        for step, moves in zip(reversed(self.steps), reversed(self.moves), strict=True):
            self.deadline.check()
            ways, later = step.box.ways, found[-1]
            found.append(
                {
                    state: sum(ways[spare] * later[after] << bits * spare for spare, after in going)
                    for state, going in moves.items()
                }
            )
        return found[::-1]

    @cached_property
    def core(self) -> list[int]:
        """Ways to lay out the boxes with clues, by their spare mines if these are tracked."""
        (least, most), ends = self.problem.lies, self.forward[-1]
        return self.unpacked(
            sum(number for state, number in ends.items() if least <= state[-1] <= most)
        )

    def unpacked(self, packed: int) -> list[int]:
        """The coefficients of a polynomial; of what is not tracked, the number itself."""
        if not self.bits:
            return [packed]
        size = self.bits // 8
        raw = packed.to_bytes(-(-packed.bit_length() // self.bits) * size, "little")
        return [int.from_bytes(raw[at : at + size], "little") for at in range(0, len(raw), size)]

    def through(self, place: int) -> list[list[int]]:
        """Ways with so many spare mines in the box of a step, as if these lay in one way only.

        By spare mines of the box, then by those of all others with clues, if these are tracked.
        """
        self.deadline.check()
        before, later = self.forward[place], self.backward[place + 1]
        found = [0] * (self.steps[place].box.high + 1)
        for state, moves in self.moves[place].items():
            for spare, after in moves:
                found[spare] += before[state] * later[after]
        return [self.unpacked(packed) for packed in found]


def _settled(clue: Clue, number: int, least: int, most: int) -> int:
    """The number a clue has seen, or its verdict if what it may still see cannot change it."""
    right = sum(map(clue.allows, range(number + least, number + most + 1)))
    return RIGHT if right == most - least + 1 else number if right else WRONG


def _ordered(problem: Problem) -> list[Box]:
    """The boxes, one after the other so that few clues are open at once."""
    among: dict[int, list[int]] = {}
    for place, box in enumerate(problem.boxes):
        for clue in box.clues:
            among.setdefault(clue, []).append(place)
    waiting: Mapping[int, set[int]] = {clue: set(places) for clue, places in among.items()}
    left = dict.fromkeys(range(len(problem.boxes)))
    opened: dict[int, None] = {}
    order: list[Box] = []
    while left:
        oldest = islice(opened, _OLDEST)
        near = [place for clue in oldest for place in waiting[clue]] or [next(iter(left))]
        chosen = min(near, key=lambda place: _growth(problem.boxes[place], opened, waiting, place))
        box = problem.boxes[chosen]
        order.append(box)
        del left[chosen]
        for clue in box.clues:
            waiting[clue].discard(chosen)
            if waiting[clue]:
                opened[clue] = None
            else:
                opened.pop(clue, None)
    return order


def _growth(
    box: Box, opened: Mapping[int, None], waiting: Mapping[int, set[int]], place: int
) -> tuple[int, int]:
    """How many more clues are open once a box is decided; of equals the first box is taken."""
    opens = sum(clue not in opened and len(waiting[clue]) > 1 for clue in box.clues)
    closes = sum(clue in opened and len(waiting[clue]) == 1 for clue in box.clues)
    return opens - closes, place


def convolved(one: Sequence[int], other: Sequence[int]) -> list[int]:
    """The product of two polynomials."""
    if not one or not other:
        return []
    found = [0] * (len(one) + len(other) - 1)
    for place, factor in enumerate(one):
        if factor:
            for shift, number in enumerate(other):
                found[place + shift] += factor * number
    return found
