"""Column profiles: one automaton for the boards of each fixed width, read column by column.

It answers the question Hu and Lin leave open in their closing remarks, whether
there is an automaton for 3 x n: there is one for m x n, whatever m is. Once a
column has been read, the columns after it need not know the columns before it,
only which of its cells are mines and how many mines each of its clues still
needs. That is a profile, and the state of the automaton.

A profile has one character a row: ``B`` for a mine, ``-`` for a safe cell
without a clue, or a digit for a clue, which says how many mines are still due
in the next column. A symbol is a column of the board, also one character a row.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import chain, product
from typing import Final

import numpy as np

from minecheck.automata.machine import Column, Machine
from minecheck.minefield.board import UNKNOWN, Board
from minecheck.minefield.notation import draw

#: What a cell of a symbol can be: clues, unknown, mine, safe with its number not known.
CELLS: Final = "012345678?BS"

#: Listing all moves of a wider automaton would take minutes: 20,736 symbols for four rows.
WIDEST_LISTED: Final = 3

#: The possible contents of a cell, safe before mine.
_CONTENTS: Final = {"?": "-B", "B": "B", "S": "-", **dict.fromkeys("012345678", "-")}

_REMEMBERED: Final = 1 << 14


@dataclass(frozen=True)
class Profiles:
    """The automaton for ``width`` rows: nondeterministic, unambiguous, made as it is read.

    A state and a symbol have at most one next state for each way to place the
    mines of the column, so the accepting runs over a board are its layouts. A
    profile whose dues no next column can meet together is never a state: 4, 19,
    94 and 452 states are left for widths 1 to 4.

    Raises:
        ValueError: ``width`` is not positive.
    """

    width: int

    def __post_init__(self) -> None:
        if self.width < 1:
            raise ValueError(f"a board has at least one row, not {self.width}")

    @property
    def start(self) -> str:
        """The state before the first column: the same as after a column without mines or clues."""
        return "-" * self.width

    def follow(self, state: str, symbol: str) -> tuple[str, ...]:
        """Return the states that a symbol leads to, by their mines, a safe cell before a mine.

        There are none for a symbol of another width, or with a cell not in `CELLS`.

        Args:
            state: the profile before.
            symbol: the cells of the column, from top to bottom.
        """
        return _list_next(state, symbol) if len(symbol) == self.width else ()

    def is_accepting(self, state: str) -> bool:
        """Return True if the board may end here: nothing is due."""
        return not set(state) & set("123")

    def list_columns(self, state: str) -> tuple[Column, ...]:
        """Return the mines of the column just read: a profile says them all, so there is one."""
        return (tuple(cell == "B" for cell in state),)

    def build_machine(self, cells: str = CELLS) -> Machine:
        """Build all that can be reached by columns of ``cells``, as a table.

        Raises:
            ValueError: wider than `WIDEST_LISTED`.
        """
        if self.width > WIDEST_LISTED:
            raise ValueError(
                f"an automaton is listed up to width {WIDEST_LISTED}, not {self.width}: "
                "use follow() instead"
            )
        states = [self.start]
        moves = {}
        for state in states:  # which grow on the way
            moves[state] = _list_moves(state, cells)
            new_states = dict.fromkeys(chain.from_iterable(moves[state].values()))
            states += [target for target in new_states if target not in states]
        return Machine(
            name=f"strip-{self.width}",
            rows=self.width,
            states=tuple(states),
            symbols=tuple(map("".join, product(cells, repeat=self.width))),
            start=self.start,
            accepting=frozenset(filter(self.is_accepting, states)),
            moves=moves,
            columns={state: self.list_columns(state) for state in states},
        )


def read_word(board: Board) -> list[str]:
    """Return the symbols of a board, first column to last; a flag counts as unknown."""
    cells = np.where(board.unknown, np.int8(UNKNOWN), board.cells)
    return ["".join(column) for column in zip(*draw(Board(cells)), strict=True)]


@lru_cache(maxsize=_REMEMBERED)
def _list_next(state: str, symbol: str) -> tuple[str, ...]:
    """List the next states as `Profiles.follow` does: mines are guessed, the rest follows."""
    targets = []
    for rows in _iterate_readings(state, symbol):
        target = "".join(row.get(cell, " ") for row, cell in zip(rows, symbol, strict=True))
        if " " not in target and _can_be_met(target):
            targets.append(target)
    return tuple(targets)


def _list_moves(state: str, cells: str) -> dict[str, tuple[str, ...]]:
    """Return symbol -> next states, for the columns of ``cells`` that have any."""
    moves: dict[str, tuple[str, ...]] = {}
    for rows in _iterate_readings(state, "?" * len(state)):
        cells_by_row = ([(cell, row[cell]) for cell in cells if cell in row] for row in rows)
        for pairs in product(*cells_by_row):
            symbol, target = map("".join, zip(*pairs, strict=True))
            if _can_be_met(target):
                moves[symbol] = (*moves.get(symbol, ()), target)
    return moves


def _iterate_readings(state: str, symbol: str) -> Iterator[list[dict[str, str]]]:
    """Yield, for each way to place the mines of the next column, how its rows can be read."""
    bordered_state = f"-{state}-"
    for column in _list_placements(state, symbol):
        windows = [slice(row - 1, row + 2) for row in range(1, len(column) - 1)]
        yield [
            _read_row(column[window][1], (bordered_state[window] + column[window]).count("B"))
            for window in windows
        ]


@cache
def _read_row(content: str, mines_seen: int) -> dict[str, str]:
    """Return cell of symbol -> cell of profile, with ``mines_seen`` mines around it so far."""
    if content == "B":
        return {"?": "B", "B": "B"}
    clues = {str(mines_seen + due): str(due) for due in range(4)}
    return {"?": "-", "S": "-", **clues}


def _list_placements(dues: str, symbol: str) -> list[str]:
    """List columns of ``-`` and ``B`` which ``symbol`` allows and which meet ``dues``, in order.

    Each comes with the safe cells that may be thought above and below the board.
    """
    columns = ["-" + content for content in _CONTENTS.get(symbol[0], "")]
    for due, below in zip(dues, symbol[1:] + "S", strict=True):
        columns = [
            column + content
            for column in columns
            for content in _CONTENTS.get(below, "")
            if _is_met(due, column[-2:] + content)
        ]
    return columns


@lru_cache(maxsize=_REMEMBERED)
def _can_be_met(dues: str) -> bool:
    """Return True if some column meets all ``dues``. Later columns depend on its last two cells."""
    ends = {"--", "-B"}
    for due in dues:
        windows = {end + content for end in ends for content in "-B"}
        ends = {window[1:] for window in windows if _is_met(due, window)}
    return not ends.isdisjoint({"--", "B-"})


def _is_met(due: str, window: str) -> bool:
    """Return True if the three cells next to a profile's cell hold the mines that it needs."""
    return due in "-B" or window.count("B") == int(due)
