"""Whether strips one or two cells wide are consistent: the papers' machines, as fast as they go.

A deterministic machine is a table, and reading a board a walk through it: one
look-up a column. Kadlac's machine decides boards of one row, Hu and Lin's,
made deterministic, those of two; of one row, two columns are looked up at once.
Neither alphabet has a symbol for a safe cell whose number is not known; boards
with such cells are decided by the sets of mine counts of `automata.two_rows`.
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
from minefield.compiled import FixedCube, FixedMatrix, Matrix, compiled, inlined

_SYMBOLS: Final = {UNKNOWN: "?", FLAG: "?", MINE: "B", **{clue: str(clue) for clue in range(9)}}
#: What `SAFE` is to machines that have no symbol for it, and the state it leads to.
_FOREIGN: Final = "S"
#: What no consistent board has, so no alphabet holds, and the state it leads to.
_IMPOSSIBLE: Final = ""
#: Numbers of the state a board starts in, and of the one that `_FOREIGN` leads to. The latter and
#: state 0, of `_IMPOSSIBLE`, are never left.
_START: Final = 1
_UNREAD: Final = 2
#: In place of the second of two columns of one row, where there is none.
_NO_COLUMN: Final = CODES - 1


@dataclass(frozen=True, slots=True, eq=False)
class _Table:
    """A deterministic machine, complete.

    Attributes:
        moves: two cells, numbered ``CODES * first + second``, and state -> state, (256, states). Of
            two rows they are the top and the bottom of a column, of one row those of two columns.
        accepting: state -> whether a board may end there, (states,).
    """

    moves: NDArray[np.uint8]
    accepting: NDArray[np.bool_]


def consistent(cells: Cells) -> bool:
    """Whether a board of one or two rows has a layout; ``cells`` are its codes."""
    return verdict(cells)[0]


def verdict(cells: Cells) -> tuple[bool, bool]:
    """As `consistent`, and whether the machine of the paper has said so."""
    paper, counts = _tables(len(cells))
    (end,) = _ends(cells[np.newaxis], paper.moves)
    if end != _UNREAD:
        return bool(paper.accepting[end]), True
    (end,) = _ends(cells[np.newaxis], counts.moves)
    return bool(counts.accepting[end]), False


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
    ends = _ends(boards, paper.moves)
    found = paper.accepting[ends]
    foreign = ends == _UNREAD
    if foreign.any():
        found[foreign] = counts.accepting[_ends(boards[foreign], counts.moves)]
    return np.asarray(found)


@cache
def _tables(rows: int) -> tuple[_Table, _Table]:
    """The paper's machine, and the sets of mine counts for what it cannot read."""
    counts = two_rows.tables()
    machine = kadlac.deciding() if rows == 1 else determinised(hu_lin.merged())
    read = _table(rows, *_of_paper(machine))
    return read, _table(rows, counts.kinds, counts.onward, counts.accepting)


def _table(
    rows: int, kinds: NDArray[np.uint8], moves: NDArray[np.uint8], accepting: NDArray[np.bool_]
) -> _Table:
    """A machine that reads columns of two cells, or of one and a safe one."""
    of_columns = moves[kinds]
    if rows == 1:
        one = of_columns.reshape(CODES, CODES, -1)[:, SAFE]
        two = one[:, one].swapaxes(0, 1)
        two[:, _NO_COLUMN] = one
        of_columns = two.reshape(CODES**2, -1)
    return _Table(np.ascontiguousarray(of_columns), accepting)


def _of_paper(machine: Machine) -> tuple[NDArray[np.uint8], NDArray[np.uint8], NDArray[np.bool_]]:
    """Symbols of columns, (256,); state after symbol and state; accepting states."""
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
    return kinds, moves, np.array([state in machine.accepting for state in numbers])


@inlined
def _end(cells: FixedMatrix[np.int8], moves: Matrix[np.uint8]) -> np.uint8:
    """The number of the state that a board leads to."""
    rows, length = cells.shape
    state = np.uint8(_START)
    if rows == 2:
        for column in range(length):
            state = moves[_pair(cells[0, column], cells[1, column]), state]
        return state
    for column in range(0, length - 1, 2):
        state = moves[_pair(cells[0, column], cells[0, column + 1]), state]
    if length % 2:
        state = moves[_pair(cells[0, length - 1], _NO_COLUMN), state]
    return state


@inlined
def _pair(first: int, second: int) -> np.uint64:
    """The number of two cells; unsigned, as an index that may be negative is looked at twice."""
    return np.uint64(np.uint8(first)) * np.uint64(CODES) + np.uint64(np.uint8(second))


@compiled
def _ends(boards: FixedCube[np.int8], moves: Matrix[np.uint8]) -> NDArray[np.uint8]:
    """The number of the state that each board leads to, (boards,)."""
    ends = np.empty(len(boards), np.uint8)
    for board in range(len(boards)):
        ends[board] = _end(boards[board], moves)
    return ends
