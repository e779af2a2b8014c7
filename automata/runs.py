"""The runs of a machine over a word: whether any accepts, how many, each of them, and a trace.

A set of states is an integer bitset, and a single state is the set of itself
alone. Steps between sets are memoised, so that a long word costs a few
dictionary look-ups a column: the sets that occur are few. Only a trace takes
sets of names: it knows no more states than it has asked the machine for.
"""

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from itertools import accumulate
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from automata.machine import Column, Machine, Reader

#: One way to go on: the mines of the column, and the state after it.
_Choice: TypeAlias = tuple[Column, int]

_REMEMBERED: Final = 1 << 14


def accepts(machine: Machine, word: Sequence[str]) -> bool:
    """Whether the machine has an accepting run over ``word``, in O(len(word))."""
    reached = machine.bitset([machine.start])
    for symbol in word:
        reached = _after(machine, reached, symbol)
    return bool(reached & machine.bitset(machine.accepting))


@dataclass(frozen=True, slots=True)
class Step:
    """One column of a trace.

    Attributes:
        symbol: the column.
        reached: the states that some run is in after it.
        live: those of them that lie on accepting runs.
    """

    symbol: str
    reached: frozenset[str]
    live: frozenset[str]


@dataclass(frozen=True, slots=True)
class Trace:
    """What a machine does with a word, column by column.

    Attributes:
        start: the state before the first column.
        steps: one for each column.
        accepted: whether some run accepts.
        dies: the index of the first column after which no state is left, or
            the number of columns when runs get to the end but none may end
            there; None when the word is accepted.
    """

    start: str
    steps: tuple[Step, ...]
    accepted: bool
    dies: int | None


def trace(machine: Reader, word: Sequence[str]) -> Trace:
    """Read ``word`` in all ways at once, as Hu and Lin's worked examples do (figures 3 to 6).

    Takes O(len(word)) steps between sets of states, each worked out once
    however often it occurs. A state is asked once for its moves on a symbol.
    """
    following = cache(machine.next)

    @cache
    def after(states: frozenset[str], symbol: str) -> frozenset[str]:
        return frozenset(target for state in states for target in following(state, symbol))

    @cache
    def leading(states: frozenset[str], symbol: str, on: frozenset[str]) -> frozenset[str]:
        return frozenset(s for s in states if not on.isdisjoint(following(s, symbol)))

    reached = list(accumulate(word, after, initial=frozenset([machine.start])))
    live = [frozenset(filter(machine.accepts, reached[-1]))]
    # A reader has no moves backwards, but every state on an accepting run was reached.
    for states, symbol in zip(reached[-2::-1], reversed(word), strict=True):
        live.append(leading(states, symbol, live[-1]))
    live.reverse()
    end = next((place for place, states in enumerate(reached[1:]) if not states), len(word))
    return Trace(
        start=machine.start,
        steps=tuple(map(Step, word, reached[1:], live[1:])),
        accepted=bool(live[0]),
        dies=None if live[0] else end,
    )


class Runs:
    """The accepting runs of ``machine`` over ``word``, and the layouts they stand for.

    The machine must have ``columns``.
    """

    def __init__(self, machine: Machine, word: Sequence[str]) -> None:
        self._machine = machine
        self._word = word
        self._start = machine.bitset([machine.start])

    @cached_property
    def _live(self) -> list[int]:
        """The states on accepting runs, before the first column and after each: n + 1 sets."""
        machine, word = self._machine, self._word
        ahead = [machine.bitset(machine.accepting)]
        for symbol in reversed(word):
            ahead.append(_before(machine, ahead[-1], symbol))
        ahead.reverse()
        live = [self._start & ahead[0]]
        for symbol, finishing in zip(word, ahead[1:], strict=True):
            live.append(_after(machine, live[-1], symbol) & finishing)
        return live

    def forced(self) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Cells with a mine in every layout, and in none: bool, (columns, rows) each.

        All false when there is no layout. A state lives only on an accepting
        run, so the columns of the live states are all there is to compare.
        """
        agreed = np.array([_agreed(self._machine, live) for live in self._live[1:]], dtype=np.bool_)
        return agreed[:, 0], agreed[:, 1]

    def count(self) -> int:
        """Number of layouts, exact."""
        (ways,) = deque(self._ways(), maxlen=1)
        return ways.get(self._start, 0)

    def layouts(self, offset: int = 0) -> Iterator[NDArray[np.bool_]]:
        """Every layout once, from rank ``offset`` on: bool, (columns, rows) each.

        The order is lexicographic in the columns, a safe cell before a mine.
        Each takes O(columns), the first one O(columns * digits of offset); no
        branch is entered that ends without a layout.
        """
        cells = np.zeros((len(self._word), self._machine.rows), dtype=np.bool_)
        path = self._path_to(offset, cells)
        while path:
            if len(path) == len(cells):
                yield cells.copy()
            choice = next(path[-1], None)
            if choice is None:
                path.pop()
            else:
                cells[len(path) - 1], state = choice
                self._descend(path, cells, state)

    def _path_to(self, rank: int, cells: NDArray[np.bool_]) -> list[Iterator[_Choice]]:
        """Put the layout of this rank in ``cells``; return the choices left in each column.

        The path is empty when there are not so many layouts.
        """
        path: list[Iterator[_Choice]] = []
        state = self._start
        if rank:
            # Counts above the rank need no exact value: capped, they stay as short as it is.
            ways = list(self._ways(cap=rank + 1))[::-1]
        else:
            ways = [dict.fromkeys(_singles(self._live[0]), 1)]
        if rank >= ways[0].get(state, 0):
            return path
        while rank:
            place = len(path)
            path.append(iter(self._choices(place, state)))
            cells[place], state = next(path[-1])
            while rank >= ways[place + 1][state]:
                rank -= ways[place + 1][state]
                cells[place], state = next(path[-1])
        self._descend(path, cells, state)
        return path

    def _descend(self, path: list[Iterator[_Choice]], cells: NDArray[np.bool_], state: int) -> None:
        """Go on from ``state`` to the last column, by the first choice in each."""
        for place in range(len(path), len(cells)):
            choices = iter(self._choices(place, state))
            cells[place], state = next(choices)
            path.append(choices)

    def _ways(self, cap: int | None = None) -> Iterator[dict[int, int]]:
        """Live state -> number of ways to go on to the end, from the last column to the first.

        Numbers above ``cap`` are given as ``cap``.
        """
        ways = dict.fromkeys(_singles(self._live[-1]), 1)
        yield ways
        for place in reversed(range(len(self._word))):
            targets = {state: self._next(place, state) for state in _singles(self._live[place])}
            # States with the same ways on share one sum: its numbers may be long.
            sums = {}
            for live in set(targets.values()):
                total = sum(ways[state] for _, state in _entries(self._machine, live))
                sums[live] = total if cap is None else min(total, cap)
            ways = {state: sums[live] for state, live in targets.items()}
            yield ways

    def _choices(self, place: int, state: int) -> tuple[_Choice, ...]:
        """The ways to go on from a live state, in order."""
        return _entries(self._machine, self._next(place, state))

    def _next(self, place: int, state: int) -> int:
        """The live states that the column at ``place`` leads to."""
        return _after(self._machine, state, self._word[place]) & self._live[place + 1]


@lru_cache(maxsize=_REMEMBERED)
def _after(machine: Machine, states: int, symbol: str) -> int:
    """The states that ``symbol`` leads to from any of ``states``."""
    reached = 0
    for state in machine.members(states):
        reached |= machine.bitset(machine.moves[state].get(symbol, ()))
    return reached


@lru_cache(maxsize=_REMEMBERED)
def _before(machine: Machine, states: int, symbol: str) -> int:
    """The states from which ``symbol`` leads to any of ``states``."""
    return machine.bitset(
        state
        for state, moves in machine.moves.items()
        if machine.bitset(moves.get(symbol, ())) & states
    )


@lru_cache(maxsize=_REMEMBERED)
def _entries(machine: Machine, states: int) -> tuple[_Choice, ...]:
    """The columns that may be held on entering one of ``states``, in order, each with its state."""
    return tuple(
        sorted(
            (column, machine.bitset([state]))
            for state in machine.members(states)
            for column in machine.columns[state]
        )
    )


@lru_cache(maxsize=_REMEMBERED)
def _singles(states: int) -> tuple[int, ...]:
    """The single states in a set."""
    return tuple(1 << place for place in range(states.bit_length()) if states >> place & 1)


@lru_cache(maxsize=_REMEMBERED)
def _agreed(machine: Machine, states: int) -> tuple[Column, Column]:
    """Where every column of ``states`` has a mine, and where none has; nowhere for no states."""
    columns = [column for column, _ in _entries(machine, states)]
    cells = list(zip(*columns, strict=True)) or [(True, False)] * machine.rows
    return tuple(all(cell) for cell in cells), tuple(not any(cell) for cell in cells)
