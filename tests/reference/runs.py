"""The runs of a machine over a word: whether any accepts, how many do, and each of them.

A set of states is an integer bitset, and a single state is the set of itself alone. Steps between
sets are memoised, so that a long word costs a few dictionary look-ups a column: the sets that occur
are few.
"""

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property, lru_cache
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from minecheck.automata.machine import Column, Machine

#: One way to go on: the mines of the column, and the state after it.
_Choice: TypeAlias = tuple[Column, int]

_REMEMBERED: Final = 1 << 14


def accepts(machine: Machine, word: Sequence[str]) -> bool:
    """True if the machine has an accepting run over ``word``, in O(len(word))."""
    reached = bitset(machine, [machine.start])
    for symbol in word:
        reached = _step_forward(machine, reached, symbol)
    return bool(reached & bitset(machine, machine.accepting))


class Runs:
    """The accepting runs of ``machine`` over ``word``, and the layouts they stand for.

    The machine must have ``columns``.
    """

    def __init__(self, machine: Machine, word: Sequence[str]) -> None:
        self._machine = machine
        self._word = word
        self._start = bitset(machine, [machine.start])

    @cached_property
    def _live(self) -> list[int]:
        """The states on accepting runs, before the first column and after each: n + 1 sets."""
        machine, word = self._machine, self._word
        ahead = [bitset(machine, machine.accepting)]
        for symbol in reversed(word):
            ahead.append(_step_back(machine, ahead[-1], symbol))
        ahead.reverse()
        live = [self._start & ahead[0]]
        for symbol, finishing in zip(word, ahead[1:], strict=True):
            live.append(_step_forward(machine, live[-1], symbol) & finishing)
        return live

    def forced(self) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Cells with a mine in every layout, and in none: bool, (columns, rows) each.

        All false when there is no layout. A state lives only on an accepting
        run, so the columns of the live states are all there is to compare.
        """
        agreed = np.array(
            [_find_shared_cells(self._machine, live) for live in self._live[1:]], dtype=np.bool_
        )
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
            column = len(path)
            path.append(iter(self._choices(column, state)))
            cells[column], state = next(path[-1])
            while rank >= ways[column + 1][state]:
                rank -= ways[column + 1][state]
                cells[column], state = next(path[-1])
        self._descend(path, cells, state)
        return path

    def _descend(self, path: list[Iterator[_Choice]], cells: NDArray[np.bool_], state: int) -> None:
        """Go on from ``state`` to the last column, by the first choice in each."""
        for column in range(len(path), len(cells)):
            choices = iter(self._choices(column, state))
            cells[column], state = next(choices)
            path.append(choices)

    def _ways(self, cap: int | None = None) -> Iterator[dict[int, int]]:
        """Live state -> number of ways to go on to the end, from the last column to the first.

        Numbers above ``cap`` are given as ``cap``.
        """
        ways = dict.fromkeys(_singles(self._live[-1]), 1)
        yield ways
        for column in reversed(range(len(self._word))):
            targets = {state: self._next(column, state) for state in _singles(self._live[column])}
            # States with the same ways on share one sum: its numbers may be long.
            sums = {}
            for live in set(targets.values()):
                total = sum(ways[state] for _, state in _entries(self._machine, live))
                sums[live] = total if cap is None else min(total, cap)
            ways = {state: sums[live] for state, live in targets.items()}
            yield ways

    def _choices(self, column: int, state: int) -> tuple[_Choice, ...]:
        """The ways to go on from a live state, in order."""
        return _entries(self._machine, self._next(column, state))

    def _next(self, column: int, state: int) -> int:
        """The live states that the column at ``column`` leads to."""
        return _step_forward(self._machine, state, self._word[column]) & self._live[column + 1]


@lru_cache(maxsize=_REMEMBERED)
def _step_forward(machine: Machine, states: int, symbol: str) -> int:
    """The states that ``symbol`` leads to from any of ``states``."""
    reached = 0
    for state in members(machine, states):
        reached |= bitset(machine, machine.moves[state].get(symbol, ()))
    return reached


@lru_cache(maxsize=_REMEMBERED)
def _step_back(machine: Machine, states: int, symbol: str) -> int:
    """The states from which ``symbol`` leads to any of ``states``."""
    before = [
        state
        for state, moves in machine.moves.items()
        if bitset(machine, moves.get(symbol, ())) & states
    ]
    return bitset(machine, before)


@lru_cache(maxsize=_REMEMBERED)
def _entries(machine: Machine, states: int) -> tuple[_Choice, ...]:
    """The columns that may be held on entering one of ``states``, in order, each with its state."""
    return tuple(
        sorted(
            (column, bitset(machine, [state]))
            for state in members(machine, states)
            for column in machine.columns[state]
        )
    )


@lru_cache(maxsize=_REMEMBERED)
def _singles(states: int) -> tuple[int, ...]:
    """The single states in a set."""
    return tuple(1 << index for index in range(states.bit_length()) if states >> index & 1)


@lru_cache(maxsize=_REMEMBERED)
def _find_shared_cells(machine: Machine, states: int) -> tuple[Column, Column]:
    """Return the cells where all columns of ``states`` have a mine, and where none has."""
    columns = [column for column, _ in _entries(machine, states)]
    cells = list(zip(*columns, strict=True)) or [(True, False)] * machine.rows
    return tuple(all(cell) for cell in cells), tuple(not any(cell) for cell in cells)


def bitset(machine: Machine, states: Iterable[str]) -> int:
    """A set of states as an integer: bit i stands for ``machine.states[i]``."""
    bits = _bits(machine)
    return sum(bits[state] for state in set(states))


def members(machine: Machine, states: int) -> tuple[str, ...]:
    """The states in a set, in the order of ``machine.states``."""
    return tuple(state for state, bit in _bits(machine).items() if states & bit)


@lru_cache(maxsize=64)
def _bits(machine: Machine) -> dict[str, int]:
    return {state: 1 << index for index, state in enumerate(machine.states)}
