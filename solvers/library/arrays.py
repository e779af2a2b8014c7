"""Arrays and data frames of cells as cell codes: any shape, one cell an entry.

An entry is a symbol of the standard notation or a clue from 0 to 8. What is missing (NaN, None, a
null of pandas or polars) is an unknown cell: so frames have it. Other numbers mean nothing by
themselves, since -1 is an unknown cell in some programs and a mine in others: ``symbols`` says it.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from minecheck.minefield.board import UNKNOWN, Board, BoardError, Cells
from minecheck.minefield.notation import NO_CODE, Notation, build_code_table
from minecheck.minefield.symbols import read_symbols

#: The kinds of arrays whose entries are single characters, with the type of their codes.
_CHARACTERS: Final[Mapping[str, str]] = MappingProxyType({"<U1": "<u4", "|S1": "|u1"})
_FIX: Final = (
    "A cell is a symbol of the standard notation, or a clue from 0 to 8. If it is another, say "
    'what it means: minecheck.parse(board, symbols={{"{0}": "unknown"}}).'
)


def read_cells(array: NDArray[Any], symbols: Mapping[str, str] | None = None) -> Cells:
    """Return the codes of cells that are given as symbols, clues, or missing.

    Args:
        array: the cells, of any shape and dtype.
        symbols: what further symbols and numbers mean, as `read_symbols` takes them.

    Returns:
        Read-only int8 of the same shape.

    Raises:
        BoardError: an entry is no cell; it names its row and column, and its board if there are
            many.
    """
    own = read_symbols(symbols)
    if array.dtype.str in _CHARACTERS:
        codes = _translate_characters(array, own)
    else:
        codes = _translate_values(array, own)
    wrong = codes == np.uint8(NO_CODE)
    if wrong.any():
        raise _make_cell_error(array, tuple(map(int, np.argwhere(wrong)[0])))
    cells = codes.view(np.int8)
    cells.setflags(write=False)
    return cells


def read_array(array: NDArray[Any], symbols: Mapping[str, str] | None) -> Board:
    """Return the board whose cells an array of two dimensions holds.

    Args:
        array: the cells: (height, width).
        symbols: as for `read_cells`.

    Raises:
        BoardError: the array has another shape, or an entry is no cell.
    """
    if array.ndim != 2 or not array.size:
        if not array.size:
            detail, fix = "The board has no cells.", "Send at least one row with one cell."
            raise BoardError("empty-board", detail, fix)
        raise BoardError(
            "board-type",
            f"An array of the shape {array.shape} is not a board.",
            "A board has two dimensions: rows and columns. Many boards of one size are for "
            "minecheck.analyze_many.",
        )
    return Board.read_only(read_cells(array, symbols))


def _translate_characters(array: NDArray[Any], own: Mapping[str, int]) -> NDArray[np.uint8]:
    """Return the codes of single characters, NO_CODE for those that are no symbols."""
    table = np.frombuffer(build_code_table(Notation.STANDARD), np.uint8).copy()
    numbers = np.ascontiguousarray(array).view(_CHARACTERS[array.dtype.str])
    further = {ord(symbol): code for symbol, code in own.items() if len(symbol) == 1}
    for number, code in further.items():
        if number < table.size:
            table[number] = code
    codes = table[np.minimum(numbers, table.size - 1)]
    beyond = numbers >= table.size
    if beyond.any():
        codes[beyond] = NO_CODE
        for number, code in further.items():
            codes[numbers == number] = code
    return np.asarray(codes, np.uint8)


def _translate_values(array: NDArray[Any], own: Mapping[str, int]) -> NDArray[np.uint8]:
    """Return the codes of numbers and of other entries: each that occurs is looked up once."""
    if array.dtype.kind in "iuf":
        values, inverse = np.unique(array, return_inverse=True)
        table = np.array([_find_code(value, own) for value in values.tolist()], np.uint8)
        return (
            table[inverse].reshape(array.shape) if array.size else np.empty(array.shape, np.uint8)
        )
    codes_by_value: dict[tuple[type, object], int] = {}
    codes = np.empty(array.shape, np.uint8)
    into = codes.reshape(-1)
    for index, entry in enumerate(array.ravel().tolist()):
        key = type(entry), entry if isinstance(entry, str | int | float) else repr(entry)
        code = codes_by_value.get(key)
        if code is None:
            code = codes_by_value[key] = _find_code(entry, own)
        into[index] = code
    return codes


def _find_code(entry: object, own: Mapping[str, int]) -> int:
    """Return the cell code of an entry, NO_CODE if it has none."""
    if is_missing(entry):
        return own.get("null", own.get("nan", UNKNOWN))
    if isinstance(entry, bool):
        return NO_CODE
    if isinstance(entry, float) and entry.is_integer():
        entry = int(entry)
    name = entry.decode("latin-1") if isinstance(entry, bytes) else str(entry)
    if name in own:
        return own[name]
    if isinstance(entry, int):
        return entry if 0 <= entry <= 8 else NO_CODE
    if isinstance(entry, str | bytes) and len(name) == 1 and ord(name) < 256:
        return build_code_table(Notation.STANDARD)[ord(name)]
    return NO_CODE


def is_missing(entry: object) -> bool:
    """Return True for None, NaN, and the null of pandas, which is not equal to anything either."""
    return entry is None or type(entry).__name__ in ("NAType", "NaTType") or entry != entry


def _make_cell_error(array: NDArray[Any], index: tuple[int, ...]) -> BoardError:
    """Return the error for an entry that is no cell."""
    entry = array[index]
    name = entry.decode("latin-1") if isinstance(entry, bytes) else str(entry)
    shown = repr(name[:20]) if isinstance(entry, str | bytes) else name[:20]
    row, col = (0, *index)[-2:]
    board = f" of board {index[0]}" if len(index) > 2 else ""
    return BoardError(
        "unknown-symbol",
        f"The cell at row {row}, column {col}{board} is {shown}, which means nothing by itself.",
        _FIX.format(name[:20]),
        row,
        col,
    )
