"""Exact counts, box by box: a dynamic program over what the open clues have seen so far.

A state is what each open clue has seen, and how many clues are wrong. A clue whose verdict is
settled, because all that it can still come to see is allowed, or none of it, is no longer
distinguished by its number. Polynomials in the number of spare mines are kept in one integer, each
coefficient in its own bits.

This is for clues that may lie, and clues that see so much that tables are too wide. Tables
(`solvers.counting`) have an entry for each combination of numbers that clues may have seen; where
clues may lie these are all numbers: on half-open boards of 16x16 cells 2^27 to 2^30 products, on
expert boards 2^39 and more. Here few states are reached, and only those are kept.

Tested in tests/solvers/backends/test_variants.py.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, islice
from typing import Final, TypeAlias

from minecheck.minefield.polynomials import unpack_polynomial
from minecheck.minefield.variant import Clue
from minecheck.solvers.budget import TooWide
from minecheck.solvers.deadline import Deadline
from minecheck.solvers.variants.problem import Box, VariantProblem

#: The mines that open clues have seen, or their verdicts; then the number of wrong clues.
State: TypeAlias = tuple[int, ...]
#: Spare mines of a box, and the state that follows.
Move: TypeAlias = tuple[int, State]

RIGHT: Final = -1
WRONG: Final = -2
#: Open clues of a state that take as much memory as a move.
_CLUES_A_MOVE: Final = 8
#: The share of the time that may pass until the states are known.
_SHARE: Final = 0.4
#: Open clues whose boxes may be next.
_OLDEST: Final = 8


@dataclass(frozen=True, slots=True)
class SweepStep:
    """One box: ``kept`` are the indices in the state before it of clues that stay as they are.

    ``seen`` are the clues that see the box: the index of each in the state before it, or None if
    it opens here with what is sure; the most spare mines that it may still see afterwards; and
    whether it stays open.
    """

    box: Box
    kept: tuple[int, ...]
    seen: tuple[tuple[int, int | None, int, bool], ...]


@dataclass(eq=False)
class Sweep:
    """The counts of a problem; ``tracked`` if layouts are distinguished by their mines.

    Everything is computed on first use. ``most_moves`` are those of all states together,
    ``most_bytes`` the bytes of all polynomials.

    Raises:
        TooWide: there are too many states.
        DeadlinePassed: it took too long.
    """

    problem: VariantProblem
    tracked: bool
    deadline: Deadline
    most_moves: int
    most_bytes: int
    _wide: bool = False

    @cached_property
    def steps(self) -> list[SweepStep]:
        """The boxes in the order in which they are decided."""
        order = _order_boxes(self.problem)
        last = {clue: index for index, box in enumerate(order) for clue in box.clues}
        most = dict.fromkeys(last, 0)
        for box in order:
            for clue in box.clues:
                most[clue] += box.capacity
        steps = []
        opened: list[int] = []
        for index, box in enumerate(order):
            at = {clue: slot for slot, clue in enumerate(opened)}
            seen = []
            for clue in box.clues:
                most[clue] -= box.capacity
                seen.append((clue, at.get(clue), most[clue], last[clue] > index))
            kept = tuple(slot for slot, clue in enumerate(opened) if clue not in box.clues)
            steps.append(SweepStep(box, kept, tuple(seen)))
            opened = [opened[slot] for slot in kept] + [entry[0] for entry in seen if entry[3]]
        return steps

    @cached_property
    def start_state(self) -> State | None:
        """The state before the first box; None if there are too many lies already."""
        problem = self.problem
        touched = {clue for box in problem.boxes for clue in box.clues}
        wrong = sum(
            not allowed.allows_mines(problem.sure[clue])
            for clue, allowed in enumerate(problem.clues)
            if clue not in touched
        )
        return (wrong,) if wrong <= problem.lies[1] else None

    @cached_property
    def moves(self) -> list[dict[State, list[Move]]]:
        """The moves from each reachable state, step by step.

        Raises:
            TooWide: there are too many of them.
            DeadlinePassed: they were not found in time.
        """
        if self._wide:
            raise TooWide
        # The error is raised again on the next call; time is left for other methods.
        self._wide, until = True, self.deadline.take_share(_SHARE)
        states = [] if self.start_state is None else [self.start_state]
        moves_of_steps, spent = [], 0
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
                    for spare, after in self._list_moves(step, state, settled)
                ]
                spent += len(moves[state]) + len(state) // _CLUES_A_MOVE
                if spent > self.most_moves:
                    raise TooWide
            moves_of_steps.append(moves)
            states = list(reached)
        self._wide = False
        return moves_of_steps

    def _list_moves(
        self, step: SweepStep, state: State, settled: dict[tuple[int, int], int]
    ) -> list[Move]:
        """List all moves from a state; ``settled`` are verdicts that were found at this step."""
        problem = self.problem
        kept = tuple(state[slot] for slot in step.kept)
        moves = []
        for spare in range(step.box.capacity + 1):
            wrong, after = state[-1], []
            for clue, slot, most, stays in step.seen:
                before = problem.sure[clue] if slot is None else state[slot]
                if before >= 0:
                    number = before + spare
                    verdict = settled.get((clue, number))
                    if verdict is None:
                        verdict = _settle_clue(problem.clues[clue], number, most)
                        settled[clue, number] = verdict
                    wrong += verdict == WRONG
                    before = verdict
                if stays:
                    after.append(before)
            if wrong <= problem.lies[1]:
                moves.append((spare, (*kept, *after, wrong)))
        return moves

    def restart(self, *, tracked: bool) -> "Sweep":
        """Return the sweep over the same states, with layouts distinguished by mines or not."""
        sweep = Sweep(self.problem, tracked, self.deadline, self.most_moves, self.most_bytes)
        vars(sweep).update(steps=self.steps, moves=self.moves)
        return sweep

    @cached_property
    def bits(self) -> int:
        """The bits of a coefficient, in whole bytes; 0 if only their sum is requested.

        Raises:
            TooWide: the coefficients take too much memory.
        """
        if not self.tracked:
            return 0
        # No coefficient is larger than the sum of all, which is soon known.
        plain = self.restart(tracked=False)
        tables = [*plain.forward, *plain.backward]
        largest = max(chain.from_iterable(table.values() for table in tables), default=1)
        bits = (max(largest, plain.core[0]).bit_length() // 8 + 1) * 8
        # The longer the way to a state, the shorter the way after it.
        size = sum(map(len, plain.forward)) * bits // 8
        capacity = sum(step.box.capacity for step in self.steps)
        # Free moves come first.
        most = self.most_bytes
        if size * (1 + capacity) > most and size * (1 + self._most_spare) > most:
            raise TooWide
        return bits

    @property
    def _most_spare(self) -> int:
        """The most spare mines that lead to any state."""
        held = {} if self.start_state is None else {self.start_state: 0}
        for moves in self.moves:
            self.deadline.check()
            most: dict[State, int] = {}
            for state, before in held.items():
                for spare, after in moves[state]:
                    most[after] = max(most.get(after, 0), before + spare)
            held = most
        return max(held.values(), default=0)

    @cached_property
    def forward(self) -> list[dict[State, int]]:
        """Ways to reach each state, before each step and after the last."""
        bits = self.bits
        tables: list[dict[State, int]] = [{} if self.start_state is None else {self.start_state: 1}]
        for step, moves in zip(self.steps, self.moves, strict=True):
            self.deadline.check()
            ways = step.box.ways
            reached: dict[State, int] = {}
            for state, number in tables[-1].items():
                for spare, after in moves[state]:
                    increase = number * ways[spare] << bits * spare
                    reached[after] = reached.get(after, 0) + increase
            tables.append(reached)
        return tables

    @cached_property
    def backward(self) -> list[dict[State, int]]:
        """Ways to go on from each state, before each step and after the last."""
        bits, (least, most) = self.bits, self.problem.lies
        ends = set(self.forward[-1])
        tables = [{state: int(least <= state[-1] <= most) for state in ends}]
        for step, moves in zip(reversed(self.steps), reversed(self.moves), strict=True):
            self.deadline.check()
            ways, later = step.box.ways, tables[-1]
            tables.append(
                {
                    state: sum(ways[spare] * later[after] << bits * spare for spare, after in going)
                    for state, going in moves.items()
                }
            )
        return tables[::-1]

    @cached_property
    def core(self) -> list[int]:
        """Ways to lay out the boxes with clues, by their spare mines if these are tracked."""
        (least, most), ends = self.problem.lies, self.forward[-1]
        return self.unpack_polynomial(
            sum(number for state, number in ends.items() if least <= state[-1] <= most)
        )

    def unpack_polynomial(self, packed: int) -> list[int]:
        """Return the coefficients of a polynomial; of what is not tracked, the number itself."""
        return unpack_polynomial(packed, self.bits // 8) if self.bits else [packed]

    def list_ways(self, step: int) -> list[list[int]]:
        """Return the ways with each number of spare mines in a step's box, as if laid in one way.

        By spare mines of the box, then by those of all others with clues, if these are tracked.
        """
        self.deadline.check()
        before, later = self.forward[step], self.backward[step + 1]
        sums = [0] * (self.steps[step].box.capacity + 1)
        for state, moves in self.moves[step].items():
            for spare, after in moves:
                sums[spare] += before[state] * later[after]
        return [self.unpack_polynomial(packed) for packed in sums]


def _settle_clue(clue: Clue, number: int, most: int) -> int:
    """Return the number a clue has seen, or its verdict if nothing can change that any more."""
    right = sum(map(clue.allows_mines, range(number, number + most + 1)))
    return RIGHT if right == most + 1 else number if right else WRONG


def _order_boxes(problem: VariantProblem) -> list[Box]:
    """Order the boxes so that few clues are open at once."""
    among: dict[int, list[int]] = {}
    for index, box in enumerate(problem.boxes):
        for clue in box.clues:
            among.setdefault(clue, []).append(index)
    waiting: Mapping[int, set[int]] = {clue: set(indices) for clue, indices in among.items()}
    unplaced = dict.fromkeys(range(len(problem.boxes)))
    opened: dict[int, None] = {}
    order: list[Box] = []
    while unplaced:
        oldest = islice(opened, _OLDEST)
        near = [index for clue in oldest for index in waiting[clue]] or [next(iter(unplaced))]
        chosen = min(
            near, key=lambda index: _count_opened(problem.boxes[index], opened, waiting, index)
        )
        box = problem.boxes[chosen]
        order.append(box)
        del unplaced[chosen]
        for clue in box.clues:
            waiting[clue].discard(chosen)
            if waiting[clue]:
                opened[clue] = None
            else:
                opened.pop(clue, None)
    return order


def _count_opened(
    box: Box, opened: Mapping[int, None], waiting: Mapping[int, set[int]], index: int
) -> tuple[int, int]:
    """Return how many clues stay open after a box; ties go to the first box."""
    opens = sum(clue not in opened and len(waiting[clue]) > 1 for clue in box.clues)
    closes = sum(clue in opened and len(waiting[clue]) == 1 for clue in box.clues)
    return opens - closes, index
