"""Traces: the states of a machine after each column of a word."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import accumulate

from minecheck.automata.machine import Reader


@dataclass(frozen=True, slots=True)
class Transition:
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
    """The states of a machine after each column of a word.

    Attributes:
        start: the state before the first column.
        steps: one for each column.
        accepted: whether some run accepts.
        dies: the index of the first column after which no state is left, or
            the number of columns when runs get to the end but none may end
            there; None when the word is accepted.
    """

    start: str
    steps: tuple[Transition, ...]
    accepted: bool
    dies: int | None


def trace_word(machine: Reader, word: Sequence[str]) -> Trace:
    """Read ``word`` in all ways at once, as Hu and Lin's worked examples do (figures 3 to 6).

    Takes O(len(word)) steps between sets of states, each worked out once
    however often it occurs. The moves of a state on a symbol are computed once.

    Args:
        machine: the machine.
        word: the symbols to read.
    """
    following = cache(machine.follow)

    @cache
    def follow_all(states: frozenset[str], symbol: str) -> frozenset[str]:
        return frozenset(target for state in states for target in following(state, symbol))

    @cache
    def keep_leading_states(
        states: frozenset[str], symbol: str, on: frozenset[str]
    ) -> frozenset[str]:
        return frozenset(state for state in states if not on.isdisjoint(following(state, symbol)))

    reached = list(accumulate(word, follow_all, initial=frozenset([machine.start])))
    live = [frozenset(filter(machine.is_accepting, reached[-1]))]
    # A reader has no moves backwards, but every state on an accepting run was reached.
    for states, symbol in zip(reached[-2::-1], reversed(word), strict=True):
        live.append(keep_leading_states(states, symbol, live[-1]))
    live.reverse()
    end = next((index for index, states in enumerate(reached[1:]) if not states), len(word))
    return Trace(
        start=machine.start,
        steps=tuple(map(Transition, word, reached[1:], live[1:])),
        accepted=bool(live[0]),
        dies=None if live[0] else end,
    )
