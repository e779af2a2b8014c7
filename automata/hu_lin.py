"""Hu and Lin's nondeterministic machine for boards of two rows.

Source: S.-C. Hu and S.-S. Lin, 2xn Minesweeper Consistency Problem is in P,
section 3 and Table 4. The 342 transitions of the table follow from what the
names of the states say, so they are generated here.
"""

from collections.abc import Iterator
from functools import cache
from itertools import product, repeat
from typing import Final, NamedTuple

from automata.machine import Column, Machine

#: The alphabet: the columns that can stand in a consistent board, up to the order of the cells.
SYMBOLS: Final = (
    *("00", "11", "22", "33", "44"),
    *("1B", "2B", "3B", "4B", "5B", "BB", "?B"),
    *("0?", "1?", "2?", "3?", "4?", "5?", "??"),
)

_START: Final = "s0"


class _State(NamedTuple):
    """What a state remembers: the mines of its column, and those its clues need from the next.

    ``needs`` is None for a column without a clue: anything may follow.
    """

    mines: int
    needs: int | None


@cache
def machine() -> Machine:
    """The 43 states by name, 19 symbols and 342 transitions of Table 4.

    A name is the symbol read with a subscript after each cell: for a clue the
    mines seen so far (in this column and the one to its left), for an unknown
    0 or B, for a mine B. ``?0?B`` stands for either order, so for two columns.
    """
    states = {_START: _State(mines=0, needs=None)}
    columns: dict[str, list[Column]] = {_START: []}
    for left, symbol in product(range(3), SYMBOLS):
        for name, column, state in _readings(symbol, left):
            states[name] = state
            if column not in columns.setdefault(name, []):
                columns[name].append(column)
    return Machine(
        name="hu-lin",
        rows=2,
        states=tuple(states),
        symbols=SYMBOLS,
        start=_START,
        accepting=frozenset(name for name, state in states.items() if state.needs in (None, 0)),
        moves={name: _moves(state) for name, state in states.items()},
        columns={name: tuple(held) for name, held in columns.items()},
    )


def _moves(state: _State) -> dict[str, tuple[str, ...]]:
    """Symbol -> next states, for the symbols that have any: one row of Table 4."""
    targets = {
        symbol: dict.fromkeys(
            name
            for name, _, target in _readings(symbol, state.mines)
            if state.needs in (None, target.mines)
        )
        for symbol in SYMBOLS
    }
    return {symbol: tuple(names) for symbol, names in targets.items() if names}


def _readings(symbol: str, left: int) -> Iterator[tuple[str, Column, _State]]:
    """Every way to read a column with ``left`` mines in the column before it."""
    for column in product(*map(_contents, symbol)):
        mines = sum(column)
        seen = left + mines
        needs = {int(cell) - seen for cell in symbol if cell.isdigit()}
        # Two clues in a column see the same cells, so they need the same from the next one.
        if len(needs) <= 1 and needs <= {0, 1, 2}:
            name = "".join(sorted(map(_subscripted, symbol, column, repeat(seen))))
            yield name, column, _State(mines, next(iter(needs), None))


def _contents(cell: str) -> tuple[bool, ...]:
    """What a cell may hold, safe before mine."""
    return (False, True) if cell == "?" else (cell == "B",)


def _subscripted(cell: str, mine: bool, seen: int) -> str:
    if cell.isdigit():
        return f"{cell}{seen}"
    return cell + ("B" if mine else "0")
