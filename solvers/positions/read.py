"""Lines that are a board, perhaps with a total, read by compiled code; see `solvers.positions`.

Games write such lines in one of few forms. Any other line is left to the strict reader of JSON,
be it right or wrong: what is read here is what that reads, too.

Tested in tests/app/execution/test_at_once_lines.py.
"""

from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from minecheck.minefield.board import FLAG
from minecheck.minefield.compiled import (
    FixedVector,
    Vector,
    compile_without_references,
    inline_kernel,
)
from minecheck.minefield.notation import NO_CODE, Notation, build_code_table
from minecheck.solvers.positions.letters import CLOSE, COMMA, END, OPEN, QUOTE, ZERO
from minecheck.solvers.positions.solve import ANY

_COLON: Final = ord(":")
_BEGIN: Final = ord("{")
_BACKSLASH: Final = ord("\\")
_N: Final = ord("n")
_BLANKS: Final = (ord(" "), ord("\t"), ord("\r"))
_BOARD: Final = np.frombuffer(b'"board"', np.uint8)
_MINES: Final = np.frombuffer(b'"mines"', np.uint8)
#: Totals of more digits are left alone.
_MOST_DIGITS: Final = 9


@cache
def list_cell_codes() -> NDArray[np.uint8]:
    """Return the code of each byte that is a cell, (256,); flags are claims, and none of these."""
    codes = np.frombuffer(build_code_table(Notation.STANDARD), np.uint8)
    return np.where(codes == FLAG, np.uint8(NO_CODE), codes)


@compile_without_references
def read_line(
    text: FixedVector[np.uint8],
    begin: int,
    end: int,
    symbols: FixedVector[np.uint8],
    total: int,
    cells: Vector[np.int8],
    next_cell: int,
) -> tuple[int, int, int]:
    """Read a line as a board; return rows, columns and total, no rows where it is left alone.

    ``text[end]`` is a newline, which is no part of any form that is read: no loop goes beyond it.

    Args:
        text: letters of many lines.
        begin: where the line begins.
        end: where it ends, at a newline.
        symbols: the cell code of each byte: (256,).
        total: the total of a line that has none of its own.
        cells: cell codes, of which at most one for each letter is written.
        next_cell: where the first of them goes.
    """
    left_alone = (0, 0, ANY)
    height = width = 0
    has_total = False
    at = _skip_blanks(text, begin)
    if text[at] == QUOTE:
        height, width, at = _read_text(text, at + 1, symbols, cells, next_cell)
        return (height, width, total) if _is_at_end(text, at, end) else left_alone
    if text[at] != _BEGIN:
        return left_alone
    while True:
        at = _skip_blanks(text, at + 1)
        if height == 0 and _is_text(text, at, _BOARD):
            at = _skip_blanks(text, at + _BOARD.size)
            if text[at] != _COLON:
                return left_alone
            at = _skip_blanks(text, at + 1)
            if text[at] == OPEN:
                height, width, at = _read_rows(text, at + 1, symbols, cells, next_cell)
            elif text[at] == QUOTE:
                height, width, at = _read_text(text, at + 1, symbols, cells, next_cell)
            if height == 0:
                return left_alone
        elif not has_total and _is_text(text, at, _MINES):
            at = _skip_blanks(text, at + _MINES.size)
            if text[at] != _COLON:
                return left_alone
            total, at = _read_number(text, _skip_blanks(text, at + 1))
            if total == ANY:
                return left_alone
            has_total = True
        else:
            return left_alone
        at = _skip_blanks(text, at)
        if text[at] == END:
            return (height, width, total) if _is_at_end(text, at + 1, end) else left_alone
        if text[at] != COMMA:
            return left_alone


@inline_kernel
def _skip_blanks(text: FixedVector[np.uint8], at: int) -> int:
    """Return the position of the next letter that is no blank; a newline, which ends, is none."""
    while text[at] in _BLANKS:
        at += 1
    return at


@compile_without_references
def _is_at_end(text: FixedVector[np.uint8], at: int, end: int) -> bool:
    """Return True if only blanks follow."""
    return bool(_skip_blanks(text, at) == end)


@compile_without_references
def _is_text(text: FixedVector[np.uint8], at: int, name: FixedVector[np.uint8]) -> bool:
    """Return True if a text without newlines is at this position."""
    letter = 0
    while letter < name.size and text[at + letter] == name[letter]:
        letter += 1
    return letter == name.size


@inline_kernel
def _read_number(text: FixedVector[np.uint8], at: int) -> tuple[int, int]:
    """Read a whole number of few digits, as JSON has it, and where it ends; ANY if none."""
    number = 0
    begin = at
    while ZERO <= text[at] <= ZERO + 9 and at - begin < _MOST_DIGITS:
        number = 10 * number + text[at] - ZERO
        at += 1
    if at == begin or (text[begin] == ZERO and at > begin + 1):
        return ANY, begin
    return number, at


@compile_without_references
def _read_rows(
    text: FixedVector[np.uint8],
    at: int,
    symbols: FixedVector[np.uint8],
    cells: Vector[np.int8],
    next_cell: int,
) -> tuple[int, int, int]:
    """Read a list of strings; return height, width and where it ends, height 0 for no list."""
    height = width = 0
    while True:
        at = _skip_blanks(text, at)
        if text[at] != QUOTE:
            return 0, 0, at
        length = _read_row(text, at + 1, symbols, cells, next_cell + height * width)
        at += length + 1
        if text[at] != QUOTE or length == 0 or (height > 0 and length != width):
            return 0, 0, at
        height, width = height + 1, length
        at = _skip_blanks(text, at + 1)
        if text[at] == CLOSE:
            return height, width, at + 1
        if text[at] != COMMA:
            return 0, 0, at
        at += 1


@compile_without_references
def _read_text(
    text: FixedVector[np.uint8],
    at: int,
    symbols: FixedVector[np.uint8],
    cells: Vector[np.int8],
    next_cell: int,
) -> tuple[int, int, int]:
    """Read a string with newlines between the rows; return the same as `_read_rows`."""
    height = width = 0
    while True:
        length = _read_row(text, at, symbols, cells, next_cell + height * width)
        at += length
        if length == 0 or (height > 0 and length != width):
            return 0, 0, at
        height, width = height + 1, length
        if text[at] == QUOTE:
            return height, width, at + 1
        if text[at] != _BACKSLASH or text[at + 1] != _N:
            return 0, 0, at
        at += 2


@inline_kernel
def _read_row(
    text: FixedVector[np.uint8],
    at: int,
    symbols: FixedVector[np.uint8],
    cells: Vector[np.int8],
    next_cell: int,
) -> int:
    """Write the cells at this position, and return their number; ``cells`` has room for each."""
    length = 0
    code = symbols[text[at]]
    while code != NO_CODE:
        cells[next_cell + length] = code
        length += 1
        code = symbols[text[at + length]]
    return length
