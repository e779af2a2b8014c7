"""Layouts of a row by Kadlac's machine: her output map repaired, and her machine made to guess.

`layout` waits for the end of the row, `guessing` decides there and then, both ways.
"""

from functools import cache
from typing import Final

from minecheck.automata.kadlac import OUTPUTS, build_machine, run_machine
from minecheck.automata.machine import Machine

_UNDECIDED: Final = "??"
_GUESSES: Final = ("?o", "?b")
_MINES: Final = ("B", "?b")


def layout(row: str) -> str | None:
    """A layout of ``row`` in Table 2's letters, 0 no mine and B a mine, in O(n).

    None when there is none. Otherwise all letters of Table 2 are kept but
    some of ``??``, chosen from right to left. Each clue then has its mines,
    for in Table 1

    * 0 follows the start, a state that writes 0, or ``??``, which is made 0,
      and only states that write 0 follow it;
    * 1o follows the start or a state that writes 0, and only B and ?b follow it;
    * 1b follows B or ?b, and only states that write 0, or the end, follow it;
    * 1? follows ``??``, which is made 0 if the square after the 1 is a mine;
    * 2 follows B, ?b or ``??``, which stays B, and only B and ?b follow it.

    Raises:
        ValueError: as for `automata.kadlac.run`.
    """
    states = run_machine(row).states
    if states[-1] == "Er":
        return None
    letters = [OUTPUTS[state] for state in states[1:-1]]
    after_next = "0"  # Beyond the end of the board there is no mine.
    for index in reversed(range(len(row) - 1)):
        if states[index + 1] == _UNDECIDED and (
            row[index + 1] == "0" or (row[index + 1] == "1" and after_next == "B")
        ):
            letters[index] = "0"
        after_next = letters[index + 1]
    return "".join(letters)


@cache
def guessing() -> Machine:
    """The machine of Table 1 with each undecided unknown guessed: safe (?o) or a mine (?b).

    Each of its accepting runs is exactly one layout.
    """
    table = build_machine()
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
