"""Machines made deterministic, and made minimal.

Source: the subset construction and the partition refinement of E. F. Moore, as in any textbook.
Hu and Lin, section 4, name the first and leave it undone. A set of states is a row of bits, and
all sets that are new take all symbols at once, so that machines of a million states are in reach.
"""

from collections.abc import Callable, Iterable
from itertools import islice
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from minecheck.automata.machine import Machine

_BYTE: Final = 8
_VALUES: Final = 1 << _BYTE


class Deterministic(NamedTuple):
    """The smallest complete deterministic machine; symbols that act alike are one kind.

    Attributes:
        kinds: symbol, by its index in the alphabet -> its kind, (symbols,).
        moves: state, kind -> state, (states, kinds); the board starts in state 0.
        accepting: whether a board may end in a state, (states,).
    """

    kinds: NDArray[np.intp]
    moves: NDArray[np.intp]
    accepting: NDArray[np.bool_]


class _Subsets(NamedTuple):
    """The sets of states that some word leads to, breadth first, from that of the start.

    Attributes:
        kinds: symbol, by its index in the alphabet -> its kind, (symbols,).
        members: whether a set has a state, by its index in the machine, (sets, states).
        moves: set, kind -> set, (sets, kinds).
        accepting: whether a set has an accepting state, (sets,).
    """

    kinds: NDArray[np.intp]
    members: NDArray[np.bool_]
    moves: NDArray[np.intp]
    accepting: NDArray[np.bool_]


def determinise(machine: Machine) -> Machine:
    """Return the machine whose states are the sets of states that ``machine`` can be in.

    It is deterministic and complete, and has only the sets that some word
    leads to, breadth first. A state is named by the members of its set, in
    the order of ``machine.states``: ``{q1,q3}``, or ``{}`` when no run is left.
    """
    kinds, members, moves, accepting = _reach_subsets(machine)
    states = np.array(machine.states, object)
    names = ["{" + ",".join(states[member]) + "}" for member in members]
    return _name_states(machine, "determinised", names, Deterministic(kinds, moves, accepting))


def minimise(machine: Machine) -> Machine:
    """Return the smallest complete deterministic machine that accepts the same words.

    Its states are numbered ``0``, ``1``, ... as a breadth-first walk over the
    symbols first reaches them. So machines that accept the same words over the
    same symbols, in the same order, give the same moves.

    Raises:
        ValueError: a state of ``machine`` has no move on some symbol, or several.
    """
    subsets = _reach_subsets(machine)
    _check_deterministic(machine, subsets)
    smallest = _merge_states(subsets.kinds, subsets.moves, subsets.accepting)
    names = list(map(str, range(len(smallest.moves))))
    return _name_states(machine, "minimised", names, smallest)


def minimise_unnamed(machine: Machine) -> Deterministic:
    """Return the smallest deterministic machine that accepts what ``machine`` does, unnamed."""
    kinds, _, moves, accepting = _reach_subsets(machine)
    return _merge_states(kinds, moves, accepting)


def refine_classes(
    classes: NDArray[np.intp], look: Callable[[NDArray[np.intp]], NDArray[np.intp]]
) -> NDArray[np.intp]:
    """Return the coarsest refinement of classes that ``look`` does not split further.

    Source: E. F. Moore's algorithm.

    Args:
        classes: the class of each state, from 0: (states,).
        look: a function that returns what each state, a row, sees of given classes.
    """
    count = 0
    while count <= classes.max():
        count = int(classes.max()) + 1
        signatures = np.column_stack([classes, look(classes)])
        classes = np.unique(signatures, axis=0, return_inverse=True)[1].reshape(-1)
    return classes


def _name_states(
    machine: Machine, how: str, names: list[str], deterministic: Deterministic
) -> Machine:
    """Return a deterministic machine over the symbols of ``machine``, its states named."""
    kinds, moves, accepting = deterministic
    return Machine(
        name=f"{machine.name}-{how}",
        rows=machine.rows,
        states=tuple(names),
        symbols=machine.symbols,
        start=names[0],
        accepting=frozenset(name for name, ends in zip(names, accepting, strict=True) if ends),
        moves={
            name: {
                symbol: (names[target],)
                for symbol, target in zip(machine.symbols, row[kinds], strict=True)
            }
            for name, row in zip(names, moves, strict=True)
        },
        columns={},
    )


def _check_deterministic(machine: Machine, subsets: _Subsets) -> None:
    """Raise ValueError where a move that can be reached does not lead to one state."""
    sizes = np.count_nonzero(subsets.members, axis=1)
    for subset, kind in np.argwhere(sizes[subsets.moves] != 1)[:1]:
        state = machine.states[subsets.members[subset].argmax()]
        symbol = machine.symbols[np.flatnonzero(subsets.kinds == kind)[0]]
        raise ValueError(
            f"state {state} of {machine.name} has {len(machine.follow(state, symbol))} moves on "
            f"{symbol}: only a deterministic and complete machine can be minimised"
        )


def _reach_subsets(machine: Machine) -> _Subsets:
    """Return all sets of states that some word leads to."""
    index_of = {state: number for number, state in enumerate(machine.states)}
    kind_of_targets: dict[tuple[tuple[int, ...], ...], int] = {}
    kinds = np.empty(len(machine.symbols), np.intp)
    for symbol_number, symbol in enumerate(machine.symbols):
        targets = tuple(
            tuple(index_of[target] for target in machine.follow(state, symbol))
            for state in machine.states
        )
        kinds[symbol_number] = kind_of_targets.setdefault(targets, len(kind_of_targets))
    sets, moves = _walk_sets(
        _build_tables(list(kind_of_targets), len(index_of)), index_of[machine.start], len(index_of)
    )
    members = np.unpackbits(sets, axis=1, count=len(index_of)).astype(np.bool_)
    accepting = np.array([machine.is_accepting(state) for state in machine.states])
    return _Subsets(kinds, members, moves, (members & accepting).any(axis=1))


def _walk_sets(
    tables: NDArray[np.uint8], start: int, states: int
) -> tuple[NDArray[np.uint8], NDArray[np.intp]]:
    """Return all sets of states that can be reached, (sets, bytes), and their moves by kind."""
    kinds = tables.shape[2]
    fresh_sets = np.packbits(np.arange(states) == start)[np.newaxis]
    set_numbers = {fresh_sets.tobytes(): 0}
    sets, moves = [], []
    while len(fresh_sets):
        successors = np.zeros((len(fresh_sets), kinds, fresh_sets.shape[1]), np.uint8)
        for byte in range(fresh_sets.shape[1]):
            successors |= tables[byte, fresh_sets[:, byte]]
        successor_bytes: Iterable[bytes] = (
            successors.view(f"V{fresh_sets.shape[1]}").ravel().tolist()
        )
        known_count = len(set_numbers)
        moves.append(
            np.array(
                [
                    set_numbers.setdefault(successor, len(set_numbers))
                    for successor in successor_bytes
                ],
                np.intp,
            )
        )
        sets.append(fresh_sets)
        fresh_bytes = b"".join(islice(set_numbers, known_count, None))
        fresh_sets = np.frombuffer(fresh_bytes, np.uint8).reshape(-1, fresh_sets.shape[1])
    return np.concatenate(sets), np.concatenate(moves).reshape(-1, kinds)


def _build_tables(kinds: list[tuple[tuple[int, ...], ...]], states: int) -> NDArray[np.uint8]:
    """Return byte of a set, its value, kind -> the set that follows, (bytes, 256, kinds, bytes)."""
    bytes_per_set = -(-states // _BYTE)
    single = np.zeros((bytes_per_set * _BYTE, len(kinds), bytes_per_set * _BYTE), np.bool_)
    for kind, row in enumerate(kinds):
        for state, targets in enumerate(row):
            single[state, kind, list(targets)] = True
    bits = np.packbits(single, axis=2).reshape(bytes_per_set, _BYTE, len(kinds), bytes_per_set)
    tables = np.zeros((bytes_per_set, _VALUES, len(kinds), bytes_per_set), np.uint8)
    # The first state of a byte is its highest bit.
    for bit in range(_BYTE):
        half = 1 << bit
        tables[:, half : 2 * half] = tables[:, :half] | bits[:, _BYTE - 1 - bit, np.newaxis]
    return tables


def _merge_states(
    kinds: NDArray[np.intp], moves: NDArray[np.intp], accepting: NDArray[np.bool_]
) -> Deterministic:
    """Return the machine whose equivalent states are merged; state 0 stays the first."""
    classes = refine_classes(accepting.astype(np.intp), lambda state_classes: state_classes[moves])
    class_numbers, first_member = np.unique(classes, return_index=True)
    # States are numbered in the order in which a walk from the start reaches them.
    order = np.argsort(first_member)
    renamed = np.empty(len(class_numbers), np.intp)
    renamed[order] = np.arange(len(class_numbers))
    representatives = first_member[order]
    return Deterministic(
        kinds, renamed[classes[moves[representatives]]], accepting[representatives]
    )
