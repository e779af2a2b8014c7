"""What a machine that reads a board column by column is: states, moves, and what they mean.

Tested in tests/automata/test_profiles.py.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol, TypeAlias

#: The mines of one column, top to bottom.
Column: TypeAlias = tuple[bool, ...]


class Reader(Protocol):
    """A machine as reading a word needs it; states may be built on demand."""

    @property
    def start(self) -> str:
        """The state before the first column."""

    def follow(self, state: str, symbol: str) -> tuple[str, ...]:
        """Return the states that a symbol leads to; none where the run ends.

        Args:
            state: the name of the state before.
            symbol: the symbol that is read.
        """

    def is_accepting(self, state: str) -> bool:
        """Return True if a run may end in ``state``."""


@dataclass(frozen=True, eq=False)
class Machine:
    """A finite automaton over the columns of a board, deterministic or not.

    A symbol is the cells of one column: Hu and Lin's are sorted (clues, then
    ``?``, then ``B``), those of profiles stand from top to bottom.
    A symbol that a state has no moves for, or that is in no alphabet at all,
    ends the run there: the board is inconsistent.

    Attributes:
        name: what the machine is called.
        rows: the number of cells in a column.
        states: the names of the states, in order.
        symbols: the alphabet.
        start: the state before the first column.
        accepting: the states that a run may end in.
        moves: state -> symbol -> next states.
        columns: state -> the mines that the column just read may hold there.
            No two next states share a column, so an accepting run and one
            column for each of its states make one layout, and every layout
            comes about once. Empty for a machine that only recognises.
    """

    name: str
    rows: int
    states: tuple[str, ...]
    symbols: tuple[str, ...]
    start: str
    accepting: frozenset[str]
    moves: Mapping[str, Mapping[str, tuple[str, ...]]]
    columns: Mapping[str, tuple[Column, ...]]

    def follow(self, state: str, symbol: str) -> tuple[str, ...]:
        """Return the states that a symbol leads to; none where the run ends.

        Args:
            state: the name of the state before.
            symbol: the symbol that is read.
        """
        return self.moves[state].get(symbol, ())

    def is_accepting(self, state: str) -> bool:
        """Return True if a run may end in ``state``."""
        return state in self.accepting
