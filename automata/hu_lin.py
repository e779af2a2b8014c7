"""Hu and Lin's nondeterministic machines for boards of two rows, and their alphabet.

Source: S.-C. Hu and S.-S. Lin, 2xn Minesweeper Consistency Problem is in P,
sections 3 and 4, Tables 4 and 5. The 342 and 105 transitions of the tables
follow from what the names of the states say, so they are generated here.
"""

from collections.abc import Iterator, Mapping
from functools import cache
from itertools import product, repeat
from types import MappingProxyType
from typing import Final, NamedTuple

from minecheck.automata.machine import Column, Machine

#: The alphabet: the columns that can stand in a consistent board, up to the order of the cells.
SYMBOLS: Final = (
    *("00", "11", "22", "33", "44"),
    *("1B", "2B", "3B", "4B", "5B", "BB", "?B"),
    *("0?", "1?", "2?", "3?", "4?", "5?", "??"),
)

_CELLS: Final = tuple("012345678?B")

_MOST_NEIGHBOURS: Final = 5

_START: Final = "s0"
_MERGED_START: Final = "q0"


class _State(NamedTuple):
    """What a state remembers: the mines of its column, and those its clues need from the next.

    ``needs`` is None for a column without a clue: anything may follow.
    """

    mines: int
    needs: int | None


#: Section 4 by meaning. A column that needs two mines leaves the next one no
#: room for a clue, so its own mines no longer matter: q8 forgets them.
_MERGED: Final[Mapping[_State, str]] = MappingProxyType(
    {
        _State(mines=0, needs=None): "q1",
        _State(mines=2, needs=None): "q2",
        _State(mines=1, needs=None): "q3",
        _State(mines=0, needs=0): "q4",
        _State(mines=0, needs=1): "q5",
        _State(mines=1, needs=1): "q6",
        _State(mines=1, needs=0): "q7",
        _State(mines=0, needs=2): "q8",
        _State(mines=1, needs=2): "q8",
    }
)


class ImpossibleColumnError(ValueError):
    """Two cells that stand in one column of no consistent board; the message says why."""


def encode_column(top: str, bottom: str) -> str:
    """Return the one of `SYMBOLS` for a column of two cells.

    Both cells see the same columns, so each column may be swapped by itself
    (Tables 1 and 2: 31 of the 64 pairs over 0 to 5, ``B`` and ``?`` are possible).

    Args:
        top: ``0`` to ``8``, ``B`` or ``?``.
        bottom: the cell below it.

    Raises:
        ImpossibleColumnError: the column makes any board inconsistent.
        ValueError: a cell is in no symbol at all, such as ``S``, which says nothing about whether
            the board is consistent.
    """
    for cell in (top, bottom):
        if cell not in _CELLS:
            raise ValueError(_explain_foreign_cell(cell))
    symbol = "".join(sorted((top, bottom)))
    if symbol not in SYMBOLS:
        raise ImpossibleColumnError(
            f"no consistent board has {top} over {bottom} in a column: "
            f"{_explain_impossible_column(symbol)}"
        )
    return symbol


@cache
def build_machine() -> Machine:
    """Build the machine of Table 4: 43 states by name, 19 symbols and 342 transitions.

    A name is the symbol read with a subscript after each cell: for a clue the
    mines seen so far (in this column and the one to its left), for an unknown
    0 or B, for a mine B. ``?0?B`` stands for either order, so for two columns.
    """
    states = _list_states()
    columns: dict[str, list[Column]] = {name: [] for name in states}
    for mines_before, symbol in product(range(3), SYMBOLS):
        for name, column, _ in _iterate_readings(symbol, mines_before):
            if column not in columns[name]:
                columns[name].append(column)
    return Machine(
        name="hu-lin",
        rows=2,
        states=tuple(states),
        symbols=SYMBOLS,
        start=_START,
        accepting=frozenset(name for name, state in states.items() if state.needs in (None, 0)),
        moves={name: _list_moves(state) for name, state in states.items()},
        columns={name: tuple(columns_of_state) for name, columns_of_state in columns.items()},
    )


@cache
def build_merged_machine() -> Machine:
    """Build the machine of Table 5: nine merged states and 105 transitions.

    It only recognises: q2 after ``??`` and after ``BB`` hold different columns.
    """
    members = list_classes()
    merged_name = {name: merged for merged, names in members.items() for name in names}
    table = build_machine()
    return Machine(
        name="hu-lin-merged",
        rows=table.rows,
        states=tuple(members),
        symbols=SYMBOLS,
        start=merged_name[_START],
        accepting=frozenset(merged_name[name] for name in table.accepting),
        moves={
            # States of a class move alike, so any one of them shows where the class goes.
            merged: {
                symbol: tuple(sorted({merged_name[target] for target in targets}))
                for symbol, targets in table.moves[names[0]].items()
            }
            for merged, names in members.items()
        },
        columns={},
    )


@cache
def list_classes() -> Mapping[str, tuple[str, ...]]:
    """List q0 to q8 of section 4, each with those of the 43 states that it stands for.

    The paper keeps its start apart, although q0 and q1 do the same.
    """
    members: dict[str, list[str]] = {name: [] for name in (_MERGED_START, *_MERGED.values())}
    for name, state in _list_states().items():
        members[_MERGED_START if name == _START else _MERGED[state]].append(name)
    return MappingProxyType({merged: tuple(names) for merged, names in members.items()})


def read_memory(state: str) -> tuple[int, int | None]:
    """Return the mines in the column of a state, and those that its clues need from the next.

    The second is None for a column without a clue.

    Raises:
        KeyError: it is none of the 43 states.
    """
    return _list_states()[state]


@cache
def _list_states() -> Mapping[str, _State]:
    """List the 43 states by name."""
    states = {_START: _State(mines=0, needs=None)}
    for mines_before, symbol in product(range(3), SYMBOLS):
        states.update((name, state) for name, _, state in _iterate_readings(symbol, mines_before))
    return MappingProxyType(states)


def _list_moves(state: _State) -> dict[str, tuple[str, ...]]:
    """Return symbol -> next states, for the symbols that have any: one row of Table 4."""
    targets = {
        symbol: dict.fromkeys(
            name
            for name, _, target in _iterate_readings(symbol, state.mines)
            if state.needs in (None, target.mines)
        )
        for symbol in SYMBOLS
    }
    return {symbol: tuple(names) for symbol, names in targets.items() if names}


def _iterate_readings(symbol: str, mines_before: int) -> Iterator[tuple[str, Column, _State]]:
    """Yield every way to read a column with ``mines_before`` mines in the column before it."""
    for column in product(*map(_list_contents, symbol)):
        mines = sum(column)
        mines_seen = mines_before + mines
        needs = {int(cell) - mines_seen for cell in symbol if cell.isdigit()}
        # Two clues in a column see the same cells, so they need the same from the next one.
        if len(needs) <= 1 and needs <= {0, 1, 2}:
            name = "".join(sorted(map(_subscript_cell, symbol, column, repeat(mines_seen))))
            yield name, column, _State(mines, next(iter(needs), None))


def _list_contents(cell: str) -> tuple[bool, ...]:
    """Return the possible contents of a cell, safe before mine."""
    return (False, True) if cell == "?" else (cell == "B",)


def _subscript_cell(cell: str, mine: bool, mines_seen: int) -> str:
    if cell.isdigit():
        return f"{cell}{mines_seen}"
    return cell + ("B" if mine else "0")


def _explain_foreign_cell(cell: str) -> str:
    """Explain why a cell is in none of the symbols."""
    if cell == "S":
        return "S is outside Hu and Lin's alphabet, which has no safe cell without its number"
    return f"{cell!r} is outside Hu and Lin's alphabet: a cell is a number from 0 to 8, ? or B"


def _explain_impossible_column(symbol: str) -> str:
    """Explain why no consistent board has a column of these two cells, the greater number last."""
    greatest = max(cell for cell in symbol if cell.isdigit())
    if int(greatest) > _MOST_NEIGHBOURS:
        return f"a cell of two rows has at most five neighbours, so none shows {greatest}"
    if not symbol.isdigit():
        return "0 means no mine around it, and the cell beside it is one"
    if symbol[0] != symbol[1]:
        return "the two cells see the same mines, so their numbers must be equal"
    return "5 needs a mine in all five cells around it, and one of them shows a number"
