"""Reading and drawing boards in the notations people use.

A dialect is named, never guessed: ``?`` is an unknown cell here and a mine in
``.mine`` files, and no board can tell which was meant.
"""

import re
from collections.abc import Mapping, Sequence
from enum import StrEnum
from functools import cache
from itertools import chain
from types import MappingProxyType
from typing import Final, cast

import numpy as np
from numpy.typing import NDArray

from minefield.amounts import several
from minefield.board import FLAG, MINE, SAFE, UNKNOWN, Board, BoardError
from minefield.spelling import meant


class Notation(StrEnum):
    """The dialects, by name."""

    STANDARD = "standard"
    PROBST = "probst"
    MINESWEEPR = "minesweepr"


_CLUES: Final = {str(clue): clue for clue in range(9)}

#: Symbols of each dialect; where two mean the same, the first is drawn.
DIALECTS: Final[Mapping[str, Mapping[str, int]]] = MappingProxyType(
    {
        Notation.STANDARD: {**_CLUES, "?": UNKNOWN, "B": MINE, "*": MINE, "S": SAFE, "F": FLAG},
        Notation.PROBST: {**_CLUES, "-": UNKNOWN, "+": MINE, " ": SAFE},
        Notation.MINESWEEPR: {".": 0, **_CLUES, "x": UNKNOWN, "*": MINE},
    }
)

#: In place of a cell code, where a dialect has no such symbol.
NO_CODE: Final = 0xFF

#: Cells of nested lists, with their types: True is not 1 here.
_SYMBOLS: Final[dict[tuple[object, type], str]] = {
    **{(symbol, str): symbol for symbols in DIALECTS.values() for symbol in symbols},
    **{(clue, int): str(clue) for clue in range(9)},
}

#: Characters between cells, which are none.
_BLANKS: Final = {ord(blank): None for blank in " \t"}

_CHARACTERS: Final = frozenset(chain.from_iterable(DIALECTS.values()))

#: A cell as text: row,col.
_PLACE: Final = re.compile(r"([0-9]{1,9}),([0-9]{1,9})")


def parse(source: object, notation: str = Notation.STANDARD) -> Board:
    """Read a board from text, a list of strings, or nested lists of symbols and clues 0..8.

    Raises:
        BoardError: no such dialect, no cells, ragged rows, or a symbol that
            the dialect does not have; it names the row and column.
    """
    _known(notation)
    rows, text = _rows(source, notation)
    if not text:
        raise BoardError(
            "empty-board", "The board has no cells.", "Send at least one row with one cell."
        )
    height, width = len(rows), len(rows[0])
    if len(set(map(len, rows))) > 1:
        raise _ragged(rows)
    # Bytes are read-only, and so is an array on top of them.
    return Board.read_only(np.ndarray((height, width), np.int8, _codes(text, notation, width)))


def draw(board: Board, notation: str = Notation.STANDARD) -> list[str]:
    """The rows of a board as strings.

    Raises:
        BoardError: no such dialect, or it has no symbol for one of the cells.
    """
    _known(notation)
    symbols = {code: symbol for symbol, code in reversed(list(DIALECTS[notation].items()))}
    table = np.array([ord(symbols.get(code, "\0")) for code in range(FLAG + 1)], dtype=np.uint8)
    drawn = table[board.cells]
    if not drawn.all():
        row, col = (int(place[0]) for place in np.nonzero(drawn == 0))
        raise BoardError(
            "symbol-missing",
            f"The notation {notation} has no symbol for the cell at row {row}, column {col}.",
            "Use the standard notation.",
            row,
            col,
        )
    return rows_of_symbols(drawn)


def rows_of_symbols(symbols: NDArray[np.uint8]) -> list[str]:
    """ASCII codes of shape (height, width) as one string a row."""
    height, width = symbols.shape
    text = symbols.tobytes().decode("ascii")
    return [text[start : start + width] for start in range(0, height * width, width)]


def parse_place(text: str) -> tuple[int, int] | None:
    """(row, col) of the cell that is written as row,col, both from 0; None for any other text."""
    found = _PLACE.fullmatch(text)
    return (int(found[1]), int(found[2])) if found else None


def _known(notation: str) -> None:
    if notation not in DIALECTS:
        raise BoardError(
            "unknown-notation",
            f"Unknown notation {str(notation)[:80]!a}.",
            f"{meant(notation, DIALECTS)}Use one of: {', '.join(DIALECTS)}.",
        )


def _lines(text: str, notation: str) -> list[str]:
    """The rows of a text; where blanks are no cells, they and empty lines around do not count."""
    # To look for a symbol takes a fraction of the time that taking it out, or cutting there, does.
    lines = text.replace("\r\n", "\n") if "\r" in text else text
    if " " in DIALECTS[notation]:
        return lines.removesuffix("\n").split("\n")
    if " " in lines or "\t" in lines:
        lines = lines.translate(_BLANKS)
    lines = lines.strip("\n")
    return lines.split("\n") if "\n" in lines else [lines]


def _rows(source: object, notation: str) -> tuple[Sequence[str], str]:
    """One string a row, whichever of the three forms the board came in, and all of them joined."""
    if isinstance(source, str):
        rows = _lines(source, notation)
        return rows, "".join(rows)
    # Whether it is a list is known at once, whether it is a sequence takes a while.
    if not isinstance(source, (list, Sequence)):
        raise BoardError(
            "board-type",
            f"A board cannot be {_json_type(source)}.",
            'Send text, a list of strings such as ["1?", "??"], or nested lists of symbols.',
        )
    try:
        return source, "".join(source)
    except TypeError:
        rows = _of_symbols(source) or [_row(row, cells) for row, cells in enumerate(source)]
        return rows, "".join(rows)


def _of_symbols(source: Sequence[object]) -> list[str] | None:
    """The rows of nested lists of symbols, None if there is anything else, right or wrong."""
    if not set(map(type, source)) <= {str, list}:
        return None
    nested = cast(Sequence[Sequence[str]], source)
    try:
        # What is joined are strings; all must be known symbols of some dialect.
        rows = list(map("".join, nested))
        return rows if set(chain.from_iterable(nested)) <= _CHARACTERS else None
    except TypeError:
        return None


def _row(row: int, cells: object) -> str:
    if isinstance(cells, str):
        return cells
    if not isinstance(cells, Sequence):
        raise BoardError(
            "board-type",
            f"Row {row} is {_json_type(cells)}.",
            "Make each row a string or a list of symbols.",
            row=row,
        )
    try:
        return "".join([_SYMBOLS[cell, type(cell)] for cell in cells])
    except (KeyError, TypeError):
        return "".join(_symbol(row, col, cell) for col, cell in enumerate(cells))


def _symbol(row: int, col: int, cell: object) -> str:
    if isinstance(cell, str) and len(cell) == 1:
        return cell
    if isinstance(cell, int) and not isinstance(cell, bool) and 0 <= cell <= 8:
        return str(cell)
    raise BoardError(
        "unknown-symbol",
        f"The cell at row {row}, column {col} is {_shown(cell)}.",
        "A cell is one symbol, or a clue from 0 to 8.",
        row,
        col,
    )


def _shown(cell: object) -> str:
    if isinstance(cell, str):
        return ascii(cell[:20])
    if isinstance(cell, int) and not isinstance(cell, bool) and -1000 < cell < 1000:
        return str(cell)
    return "a number out of range" if type(cell) is int else _json_type(cell)


def _codes(text: str, notation: str, width: int) -> bytes:
    """Cell codes of the joined rows, one byte a cell."""
    if not text.isascii():
        at = next(place for place, symbol in enumerate(text) if not symbol.isascii())
        raise _unknown_symbol(text[at], notation, *divmod(at, width))
    found = text.encode("ascii").translate(codes(notation))
    if NO_CODE in found:
        at = found.index(NO_CODE)
        raise _unknown_symbol(text[at], notation, *divmod(at, width))
    return found


@cache
def codes(notation: str) -> bytes:
    """Cell code of each byte, `NO_CODE` where the dialect has none."""
    table = bytearray([NO_CODE]) * 256
    for symbol, code in DIALECTS[notation].items():
        table[ord(symbol)] = code
    return bytes(table)


def _ragged(rows: Sequence[str]) -> BoardError:
    """The first row that is not as long as row 0."""
    width = len(rows[0])
    row = next(row for row, cells in enumerate(rows) if len(cells) != width)
    blank = next((place for place in (0, row) if rows[place][-1:].isspace()), None)
    return BoardError(
        "ragged-rows",
        f"Row {row} has {several(len(rows[row]), 'cell')} where row 0 has {width}.",
        "Make all rows the same length."
        if blank is None
        else f"Delete the blank at the end of row {blank}.",
        row=row,
    )


def _unknown_symbol(symbol: str, notation: str, row: int, col: int) -> BoardError:
    knowing = [name for name, symbols in DIALECTS.items() if symbol in symbols]
    if knowing:
        fix = f"It belongs to the notation {' and '.join(knowing)}: name it, or change the symbol."
    else:
        fix = f"The symbols are {' '.join(map(repr, DIALECTS[notation]))}."
    return BoardError(
        "unknown-symbol",
        f"The symbol {symbol!a} at row {row}, column {col} is not in the {notation} notation.",
        fix,
        row,
        col,
    )


def _json_type(value: object) -> str:
    names = {
        bool: "a boolean",
        dict: "an object",
        int: "a number",
        list: "an array",
        type(None): "null",
    }
    # Readers of JSON have types of their own for numbers that are no floats.
    other = "a number with a fraction" if hasattr(value, "__float__") else type(value).__name__
    return names.get(type(value), other)
