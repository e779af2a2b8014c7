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

from minecheck.automata import hu_lin, kadlac, two_rows
from minecheck.automata.determinising import determinise
from minecheck.automata.machine import Machine
from minecheck.minefield.board import CODES, FLAG, MINE, SAFE, UNKNOWN, Cells
from minecheck.minefield.compiled import FixedMatrix, Matrix, compile_kernel, inline_kernel

_SYMBOLS: Final = {UNKNOWN: "?", FLAG: "?", MINE: "B", **{clue: str(clue) for clue in range(9)}}
#: The symbol that machines without one for `SAFE` see, and the state it leads to.
_FOREIGN: Final = "S"
#: A symbol that no consistent board has, so no alphabet holds it, and the state it leads to.
_IMPOSSIBLE: Final = ""
#: Numbers of the state a board starts in, and of the one that `_FOREIGN` leads to. The latter and
#: state 0, of `_IMPOSSIBLE`, are never left.
_START: Final = 1
_UNREAD: Final = 2
#: The value of a missing second column, for one row.
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


def decide_strip(cells: Cells) -> tuple[bool, bool]:
    """Decide a board of one row or two, given by its codes.

    Returns:
        Whether it has a layout, and whether the paper's machine has decided that.
    """
    paper, counts = _build_tables(len(cells))
    end = _find_end(cells, paper.moves)
    if end != _UNREAD:
        return bool(paper.accepting[end]), True
    return bool(counts.accepting[_find_end(cells, counts.moves)]), False


@cache
def _build_tables(rows: int) -> tuple[_Table, _Table]:
    """Build the paper's machine, and the sets of mine counts for what it cannot read."""
    counts = two_rows.build_tables()
    machine = kadlac.build_machine() if rows == 1 else determinise(hu_lin.build_merged_machine())
    paper_table = _build_table(rows, *_encode_paper_machine(machine))
    return paper_table, _build_table(rows, counts.kinds, counts.onward, counts.accepting)


def _build_table(
    rows: int, kinds: NDArray[np.uint8], moves: NDArray[np.uint8], accepting: NDArray[np.bool_]
) -> _Table:
    """Build a machine that reads columns of two cells, or of one and a safe one."""
    of_columns = moves[kinds]
    if rows == 1:
        single_column = of_columns.reshape(CODES, CODES, -1)[:, SAFE]
        two_columns = single_column[:, single_column].swapaxes(0, 1)
        two_columns[:, _NO_COLUMN] = single_column
        of_columns = two_columns.reshape(CODES**2, -1)
    return _Table(np.ascontiguousarray(of_columns), accepting)


def _encode_paper_machine(
    machine: Machine,
) -> tuple[NDArray[np.uint8], NDArray[np.uint8], NDArray[np.bool_]]:
    """Return symbols of columns, (256,); state after symbol and state; accepting states."""
    other_states = (state for state in machine.states if state != machine.start)
    state_numbers = {
        state: number
        for number, state in enumerate([_IMPOSSIBLE, machine.start, _FOREIGN, *other_states])
    }
    symbols = {
        symbol: number for number, symbol in enumerate([_IMPOSSIBLE, *machine.symbols, _FOREIGN])
    }
    moves = np.zeros((len(symbols), len(state_numbers)), np.uint8)
    moves[symbols[_FOREIGN]] = moves[:, state_numbers[_FOREIGN]] = state_numbers[_FOREIGN]
    for state, row in machine.moves.items():
        for symbol, (target,) in row.items():
            moves[symbols[symbol], state_numbers[state]] = state_numbers[target]
    kinds = np.zeros(CODES**2, np.uint8)
    for codes in product(range(FLAG + 1), repeat=2):
        column = codes[: machine.rows]
        symbol = "".join(sorted(_SYMBOLS.get(code, _FOREIGN) for code in column))
        readable = _FOREIGN if SAFE in column else symbol
        kinds[CODES * codes[0] + codes[1]] = symbols.get(readable, symbols[_IMPOSSIBLE])
    return kinds, moves, np.array([state in machine.accepting for state in state_numbers])


@compile_kernel
def _find_end(cells: FixedMatrix[np.int8], moves: Matrix[np.uint8]) -> int:
    """Return the number of the state that a board, (1 or 2, columns), leads to.

    A state is below 256, and so is a code, so that uint8 holds them.
    """
    rows, length = cells.shape
    state = np.uint8(_START)
    if rows == 2:
        for column in range(length):
            state = moves[_number_pair(cells[0, column], cells[1, column]), state]
        return int(state)
    for column in range(0, length - 1, 2):
        state = moves[_number_pair(cells[0, column], cells[0, column + 1]), state]
    if length % 2:
        state = moves[_number_pair(cells[0, length - 1], _NO_COLUMN), state]
    return int(state)


@inline_kernel
def _number_pair(first_code: int, second_code: int) -> np.uint64:
    """Return the number of two cells; unsigned, as a signed index would be checked twice.

    Both codes are below CODES, so the number is below CODES**2.
    """
    return np.uint64(np.uint8(first_code)) * np.uint64(CODES) + np.uint64(np.uint8(second_code))
