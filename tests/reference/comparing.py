"""Machines compared for all lengths."""

from collections import deque

from minecheck.automata.machine import Machine


def distinguishing_word(a: Machine, b: Machine) -> list[str] | None:
    """A shortest word that one machine accepts and the other does not.

    None when there is no such word of any length: the pairs of sets of states
    that both can be in are finitely many, and all of them are looked at. The
    words are over the symbols of either machine.
    """
    symbols = tuple(dict.fromkeys(a.symbols + b.symbols))
    start = frozenset([a.start]), frozenset([b.start])
    words: dict[tuple[frozenset[str], frozenset[str]], tuple[str, ...]] = {start: ()}
    waiting = deque([start])
    while waiting:
        pair = waiting.popleft()
        if a.accepting.isdisjoint(pair[0]) != b.accepting.isdisjoint(pair[1]):
            return list(words[pair])
        for symbol in symbols:
            target = _step(a, pair[0], symbol), _step(b, pair[1], symbol)
            if target not in words:
                words[target] = (*words[pair], symbol)
                waiting.append(target)
    return None


def _step(machine: Machine, states: frozenset[str], symbol: str) -> frozenset[str]:
    """The states that ``symbol`` leads to from any of ``states``."""
    return frozenset(target for state in states for target in machine.follow(state, symbol))
