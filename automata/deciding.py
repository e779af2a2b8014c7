"""Whether strips one or two cells wide are consistent: the papers' machines, as fast as they go.

A deterministic machine is a table, and reading a board a walk through it: one
look-up a column. Kadlac's machine decides boards of one row, Hu and Lin's,
made deterministic, those of two. Neither alphabet has a symbol for a safe cell
whose number is not known; boards with such cells are decided by the sets of
mine counts of `automata.two_rows`.
"""

from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import Final

import numpy as np
from numpy.typing import NDArray

from automata import hu_lin, kadlac, two_rows
from automata.determinising import determinised
from automata.machine import Machine
from minefield.board import CODES, FLAG, MINE, SAFE, UNKNOWN, Cells
from minefield.compiled import FixedCube, FixedMatrix, Matrix, Vector, compiled

_SYMBOLS: Final = {UNKNOWN: "?", FLAG: "?", MINE: "B", **{clue: str(clue) for clue in range(9)}}
#: What `SAFE` is to machines that have no symbol for it, and the state it leads to.
_FOREIGN: Final = "S"
#: What no consistent board has, so no alphabet holds, and the state it leads to.
_IMPOSSIBLE: Final = ""
#: Numbers of the state a board starts in, and of the one that `_FOREIGN` leads to. The latter and
#: state 0, of `_IMPOSSIBLE`, are never left.
_START: Final = 1
_UNREAD: Final = 2


@dataclass(frozen=True, slots=True, eq=False)
class _Table:
    """A deterministic machine, complete.

    Attributes:
        kinds: column, numbered ``CODES * top + bottom`` -> its symbol, (256,).
        moves: symbol, state -> state, (symbols, states).
        accepting: state -> whether a board may end there, (states,).
    """

    kinds: NDArray[np.uint8]
    moves: NDArray[np.uint8]
    accepting: NDArray[np.bool_]


def consistent(cells: Cells) -> bool:
    """Whether a board of one or two rows has a layout; ``cells`` are its codes."""
    return verdict(cells)[0]


def verdict(cells: Cells) -> tuple[bool, bool]:
    """As `consistent`, and whether the machine of the paper has said so."""
    paper, counts = _tables(len(cells))
    end = _end(cells, paper.kinds, paper.moves)
    if end != _UNREAD:
        return bool(paper.accepting[end]), True
    return bool(counts.accepting[_end(cells, counts.kinds, counts.moves)]), False


def consistent_each(boards: NDArray[np.int8]) -> NDArray[np.bool_]:
    """Whether each of many boards of one or two rows has a layout.

    ``boards`` are their codes, (boards, rows, columns); shorter boards are
    filled up with columns of `SAFE` cells, which ask nothing and change
    nothing. Returns bool, (boards,).

    Raises:
        ValueError: boards of more than two rows.
    """
    if boards.shape[1] > 2:
        raise ValueError(f"these machines read one row or two, not {boards.shape[1]}")
    paper, counts = _tables(boards.shape[1])
    ends = _ends(boards, paper.kinds, paper.moves)
    found = paper.accepting[ends]
    foreign = ends == _UNREAD
    if foreign.any():
        found[foreign] = counts.accepting[_ends(boards[foreign], counts.kinds, counts.moves)]
    return np.asarray(found)


@cache
def _tables(rows: int) -> tuple[_Table, _Table]:
    """The paper's machine, and the sets of mine counts for what it cannot read."""
    counts = two_rows.tables()
    machine = kadlac.deciding() if rows == 1 else determinised(hu_lin.merged())
    return _table(machine), _Table(counts.kinds, counts.onward, counts.accepting)


def _table(machine: Machine) -> _Table:
    rest = (state for state in machine.states if state != machine.start)
    numbers = {state: n for n, state in enumerate([_IMPOSSIBLE, machine.start, _FOREIGN, *rest])}
    symbols = {symbol: n for n, symbol in enumerate([_IMPOSSIBLE, *machine.symbols, _FOREIGN])}
    moves = np.zeros((len(symbols), len(numbers)), np.uint8)
    moves[symbols[_FOREIGN]] = moves[:, numbers[_FOREIGN]] = numbers[_FOREIGN]
    for state, row in machine.moves.items():
        for symbol, (target,) in row.items():
            moves[symbols[symbol], numbers[state]] = numbers[target]
    kinds = np.zeros(CODES**2, np.uint8)
    for codes in product(range(FLAG + 1), repeat=2):
        column = codes[: machine.rows]
        symbol = "".join(sorted(_SYMBOLS.get(code, _FOREIGN) for code in column))
        known = _FOREIGN if SAFE in column else symbol
        kinds[CODES * codes[0] + codes[1]] = symbols.get(known, symbols[_IMPOSSIBLE])
    return _Table(kinds, moves, np.array([state in machine.accepting for state in numbers]))


@compiled
def _end(cells: FixedMatrix[np.int8], kinds: Vector[np.uint8], moves: Matrix[np.uint8]) -> np.uint8:
    """The number of the state that a board leads to."""
    rows, length = cells.shape
    state = np.uint8(_START)
    for column in range(length):
        bottom = cells[1, column] if rows == 2 else SAFE
        state = moves[kinds[CODES * cells[0, column] + bottom], state]
    return state


@compiled
def _ends(
    boards: FixedCube[np.int8], kinds: Vector[np.uint8], moves: Matrix[np.uint8]
) -> NDArray[np.uint8]:
    """The number of the state that each board leads to, (boards,)."""
    ends = np.empty(len(boards), np.uint8)
    for board in range(len(boards)):
        ends[board] = _end(boards[board], kinds, moves)
    return ends
