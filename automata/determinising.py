"""Sets of states: machines made deterministic, and made minimal.

Source: the subset construction and the partition refinement of E. F. Moore,
as in any textbook. Hu and Lin, section 4, name the first and leave it undone.
"""

from collections import deque
from collections.abc import Callable, Hashable, Iterable, Set
from typing import TypeVar

from automata.machine import Machine

_Node = TypeVar("_Node", bound=Hashable)


def determinised(machine: Machine) -> Machine:
    """The machine whose states are the sets of states that ``machine`` can be in.

    It is deterministic and complete, and has only the sets that some word
    leads to, breadth first. A state is named by the members of its set, in
    the order of ``machine.states``: ``{q1,q3}``, or ``{}`` when no run is left.
    """

    def name(states: Set[str]) -> str:
        return "{" + ",".join(state for state in machine.states if state in states) + "}"

    sets = _reachable(
        frozenset([machine.start]),
        machine.symbols,
        lambda states, symbol: _step(machine, states, symbol),
    )
    return Machine(
        name=f"{machine.name}-determinised",
        rows=machine.rows,
        states=tuple(map(name, sets)),
        symbols=machine.symbols,
        start=name({machine.start}),
        accepting=frozenset(name(states) for states in sets if states & machine.accepting),
        moves={
            name(states): {symbol: (name(target),) for symbol, target in moves.items()}
            for states, moves in sets.items()
        },
        columns={},
    )


def minimised(machine: Machine) -> Machine:
    """The smallest complete deterministic machine that accepts the same words.

    Its states are numbered ``0``, ``1``, ... as a breadth-first walk over the
    symbols first reaches them. So machines that accept the same words over the
    same symbols, in the same order, give the same moves.

    Raises:
        ValueError: a state of ``machine`` has no move on some symbol, or several.
    """
    moves = _reachable(
        machine.start, machine.symbols, lambda state, symbol: _only(machine, state, symbol)
    )
    classes = _classes(moves, machine.accepting)
    return Machine(
        name=f"{machine.name}-minimised",
        rows=machine.rows,
        states=tuple(dict.fromkeys(classes.values())),
        symbols=machine.symbols,
        start=classes[machine.start],
        accepting=frozenset(classes[state] for state in moves if state in machine.accepting),
        moves={
            classes[state]: {symbol: (classes[target],) for symbol, target in ends.items()}
            for state, ends in moves.items()
        },
        columns={},
    )


def _step(machine: Machine, states: frozenset[str], symbol: str) -> frozenset[str]:
    """The states that ``symbol`` leads to from any of ``states``."""
    return frozenset(target for state in states for target in machine.next(state, symbol))


def _reachable(
    start: _Node, symbols: Iterable[str], target: Callable[[_Node, str], _Node]
) -> dict[_Node, dict[str, _Node]]:
    """Whatever can be reached from ``start``, breadth first, each with its moves by symbol."""
    moves: dict[_Node, dict[str, _Node]] = {}
    waiting = deque([start])
    while waiting:
        node = waiting.popleft()
        if node not in moves:
            moves[node] = {symbol: target(node, symbol) for symbol in symbols}
            waiting.extend(end for end in moves[node].values() if end not in moves)
    return moves


def _only(machine: Machine, state: str, symbol: str) -> str:
    targets = machine.next(state, symbol)
    if len(targets) != 1:
        raise ValueError(
            f"state {state} of {machine.name} has {len(targets)} moves on {symbol}: "
            "only a deterministic and complete machine can be minimised"
        )
    return targets[0]


def _classes(moves: dict[str, dict[str, str]], accepting: Set[str]) -> dict[str, str]:
    """State -> the number of its class: no word tells two states of a class apart.

    Classes are numbered by their first state in ``moves``.
    """
    classes = {state: str(state in accepting) for state in moves}
    while True:
        # States stay together as long as every symbol leads them to the same class.
        numbers: dict[tuple[str, ...], str] = {}
        refined = {
            state: numbers.setdefault(
                (classes[state], *(classes[target] for target in ends.values())), str(len(numbers))
            )
            for state, ends in moves.items()
        }
        if len(numbers) == len(set(classes.values())):
            return refined
        classes = refined
