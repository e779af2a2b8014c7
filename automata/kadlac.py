"""Kadlac's machine for boards of one row, and its repair for answers beyond yes and no.

Source: M. Kadlac, Explorations of the Minesweeper Consistency Problem (2003),
section 7. Table 1 decides every board of one row. The output map of Table 2
does not give a layout for every consistent board (``?0`` comes out as ``B0``),
and no other map over the same states can: after ``?`` the machine has not
decided. `guessing` decides there and then, both ways.
"""

from functools import cache
from typing import Final

from automata.machine import Machine

#: Table 1: a row for each state, a column for each symbol and for the end of the board (e).
TABLE: Final = """
      0   1   2   B   ?   e
so    0   1o  Er  B   ??  Er
0     0   1o  Er  Er  ?o  0
1o    Er  Er  Er  B   ?b  Er
1b    0   1o  Er  Er  ?o  1b
1?    0   1o  Er  B   ??  1?
2     Er  Er  Er  B   ?b  Er
B     Er  1b  2   B   ??  B
?o    0   1o  Er  B   ??  ?o
?b    Er  1b  2   B   ??  ?b
??    0   1?  2   B   ??  ??
Er    Er  Er  Er  Er  Er  Er
"""

_START: Final = "so"
_ERROR: Final = "Er"
_END: Final = "e"
_UNDECIDED: Final = "??"
_GUESSES: Final = ("?o", "?b")
_MINES: Final = ("B", "?b")

#: No cell of a single row has more than two neighbours.
_CLUES_TOO_LARGE: Final = tuple("345678")


@cache
def deciding() -> Machine:
    """The deterministic machine of Table 1; it says whether a row is consistent."""
    table = _table()
    symbols = tuple(symbol for symbol in table[_START] if symbol != _END) + _CLUES_TOO_LARGE
    return Machine(
        name="kadlac",
        rows=1,
        states=tuple(table),
        symbols=symbols,
        start=_START,
        accepting=frozenset(state for state, row in table.items() if row[_END] != _ERROR),
        moves={
            state: {symbol: (row.get(symbol, _ERROR),) for symbol in symbols}
            for state, row in table.items()
        },
        columns={},
    )


@cache
def guessing() -> Machine:
    """The machine of Table 1 with each undecided unknown guessed: safe (?o) or a mine (?b).

    Each of its accepting runs is exactly one layout.
    """
    table = deciding()
    # A machine that guesses is never in ??, and 1? is only ever entered from there.
    states = tuple(state for state in table.states if state not in (_UNDECIDED, "1?"))
    return Machine(
        name="kadlac-guessing",
        rows=1,
        states=states,
        symbols=table.symbols,
        start=table.start,
        accepting=table.accepting.intersection(states),
        moves={
            state: {
                symbol: _GUESSES if targets == (_UNDECIDED,) else targets
                for symbol, targets in table.moves[state].items()
            }
            for state in states
        },
        columns={state: ((state in _MINES,),) for state in states},
    )


def _table() -> dict[str, dict[str, str]]:
    """Table 1 as state -> symbol or end -> state."""
    header, *rows = (line.split() for line in TABLE.strip().splitlines())
    return {state: dict(zip(header, targets, strict=True)) for state, *targets in rows}
