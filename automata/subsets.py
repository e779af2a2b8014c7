"""Machines of many states made deterministic and minimal, as arrays of numbers.

The same constructions as in `automata.determinising`, for machines of which only the verdict
matters: a set of states is a row of bits, and all sets that are new take all symbols at once.
"""

from collections.abc import Callable
from itertools import islice
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from automata.machine import Machine

_BYTE: Final = 8
_VALUES: Final = 1 << _BYTE

#: Sets of states, one bit each, (sets, bytes).
_Sets = NDArray[np.uint8]


class Deterministic(NamedTuple):
    """The smallest complete deterministic machine; symbols that act alike are one kind.

    Attributes:
        kinds: symbol, by its place in the alphabet -> its kind, (symbols,).
        moves: state, kind -> state, (states, kinds); the board starts in state 0.
        accepting: whether a board may end in a state, (states,).
    """

    kinds: NDArray[np.intp]
    moves: NDArray[np.intp]
    accepting: NDArray[np.bool_]


def minimal(machine: Machine) -> Deterministic:
    """The smallest deterministic machine that accepts what ``machine`` does."""
    place = {state: number for number, state in enumerate(machine.states)}
    kinds: dict[tuple[tuple[int, ...], ...], int] = {}
    kind_of = np.empty(len(machine.symbols), np.intp)
    for number, symbol in enumerate(machine.symbols):
        targets = tuple(
            tuple(place[target] for target in machine.next(state, symbol))
            for state in machine.states
        )
        kind_of[number] = kinds.setdefault(targets, len(kinds))
    accepting = np.array([machine.accepts(state) for state in machine.states])
    sets, moves = _sets(list(kinds), place[machine.start], len(place))
    held = np.unpackbits(sets, axis=1, count=len(place)).astype(np.bool_)
    return _merged(kind_of, moves, (held & accepting).any(axis=1))


def _sets(
    kinds: list[tuple[tuple[int, ...], ...]], start: int, states: int
) -> tuple[_Sets, NDArray[np.intp]]:
    """All sets of states that can be reached, from that of the start, and their moves by kind."""
    tables = _tables(kinds, states)
    new = np.packbits(np.arange(states) == start)[np.newaxis]
    numbers = {new.tobytes(): 0}
    sets, moves = [], []
    while len(new):
        made = np.zeros((len(new), len(kinds), new.shape[1]), np.uint8)
        for byte in range(new.shape[1]):
            made |= tables[byte, new[:, byte]]
        reached = made.view(f"V{new.shape[1]}").ravel().tolist()
        before = len(numbers)
        moves.append(np.array([numbers.setdefault(one, len(numbers)) for one in reached]))
        sets.append(new)
        fresh = b"".join(islice(numbers, before, None))
        new = np.frombuffer(fresh, np.uint8).reshape(-1, new.shape[1])
    return np.concatenate(sets), np.concatenate(moves).reshape(-1, len(kinds))


def _tables(kinds: list[tuple[tuple[int, ...], ...]], states: int) -> NDArray[np.uint8]:
    """Byte of a set, its value, kind -> the set that it leads to, (bytes, 256, kinds, bytes)."""
    size = -(-states // _BYTE)
    single = np.zeros((size * _BYTE, len(kinds), size * _BYTE), np.bool_)
    for kind, row in enumerate(kinds):
        for state, targets in enumerate(row):
            single[state, kind, list(targets)] = True
    bits = np.packbits(single, axis=2).reshape(size, _BYTE, len(kinds), size)
    tables = np.zeros((size, _VALUES, len(kinds), size), np.uint8)
    # The first state of a byte is its highest bit.
    for bit in range(_BYTE):
        half = 1 << bit
        tables[:, half : 2 * half] = tables[:, :half] | bits[:, _BYTE - 1 - bit, np.newaxis]
    return tables


def _merged(
    kinds: NDArray[np.intp], moves: NDArray[np.intp], accepting: NDArray[np.bool_]
) -> Deterministic:
    """The machine with states put together that no word tells apart; state 0 stays the first."""
    classes = refined(accepting.astype(np.intp), lambda known: known[moves])
    numbers, first = np.unique(classes, return_index=True)
    # In the order in which a walk from the start comes to them.
    order = np.argsort(first)
    renamed = np.empty(len(numbers), np.intp)
    renamed[order] = np.arange(len(numbers))
    one = first[order]
    return Deterministic(kinds, renamed[classes[moves[one]]], accepting[one])


def refined(
    classes: NDArray[np.intp], look: Callable[[NDArray[np.intp]], NDArray[np.intp]]
) -> NDArray[np.intp]:
    """The coarsest refinement of classes, numbered from 0, that ``look`` does not split further.

    ``look`` tells what each state, a row, sees of given classes (E. F. Moore's algorithm).
    """
    count = 0
    while count <= classes.max():
        count = int(classes.max()) + 1
        seen = np.column_stack([classes, look(classes)])
        classes = np.unique(seen, axis=0, return_inverse=True)[1].reshape(-1)
    return classes
