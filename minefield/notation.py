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

from minecheck.minefield.board import (
    CLUE_CODES,
    FLAG,
    MINE,
    SAFE,
    UNKNOWN,
    Board,
    BoardError,
    format_symbol_rows,
)
from minecheck.minefield.numerals import format_count
from minecheck.minefield.spelling import suggest_name
from minecheck.minefield.symbols import STANDARD_CODES, read_symbols, translate_cells


class Notation(StrEnum):
    """The dialects, by name."""

    STANDARD = "standard"
    PROBST = "probst"
    MINESWEEPR = "minesweepr"


#: Symbols of each dialect; where two mean the same, the first is drawn.
DIALECTS: Final[Mapping[str, Mapping[str, int]]] = MappingProxyType(
    {
        Notation.STANDARD: STANDARD_CODES,
        Notation.PROBST: {**CLUE_CODES, "-": UNKNOWN, "+": MINE, " ": SAFE},
        Notation.MINESWEEPR: {".": 0, **CLUE_CODES, "x": UNKNOWN, "*": MINE},
    }
)

#: The code of symbols that a dialect does not have.
NO_CODE: Final = 0xFF

#: Cells of nested lists, with their types: True is not 1 here.
_SYMBOLS: Final[dict[tuple[object, type], str]] = {
    **{(symbol, str): symbol for symbols in DIALECTS.values() for symbol in symbols},
    **{(clue, int): str(clue) for clue in range(9)},
}

#: Characters that may stand between cells, where they are not cells.
_BLANKS: Final = " \t"

#: The meaning of each cell code in words.
_MEANINGS: Final[Mapping[int, str]] = MappingProxyType(
    {
        0: "a clue 0",
        UNKNOWN: "an unknown cell",
        MINE: "a mine",
        SAFE: "a safe cell without its number",
        FLAG: "a flag",
    }
)

#: Common meanings of symbols outside the dialects.
_COMMON: Final[Mapping[str, tuple[int, ...]]] = MappingProxyType(
    {
        ".": (UNKNOWN,),
        "-": (0,),
        "x": (MINE,),
        "_": (UNKNOWN, 0),
        "#": (UNKNOWN, MINE),
        " ": (0, UNKNOWN),
        "X": (UNKNOWN, MINE),
        **dict.fromkeys("Hh", (UNKNOWN,)),
        **dict.fromkeys("bMm@", (MINE,)),
        **dict.fromkeys("f", (FLAG,)),
        **dict.fromkeys("s", (SAFE,)),
    }
)

#: Characters that may separate cells.
_SEPARATORS: Final = " \t,;|"

#: The most characters of a row that a message repeats.
_QUOTED: Final = 40
_CHARACTERS: Final = frozenset(chain.from_iterable(DIALECTS.values()))

#: A cell as text: row,col.
_CELL: Final = re.compile(r"([0-9]{1,9}),([0-9]{1,9})")


def parse(source: object, notation: str = Notation.STANDARD, symbols: object = None) -> Board:
    """Read a board from text, a list of strings, or nested lists of symbols and clues 0..8.

    Args:
        source: the board, of any of these forms.
        notation: the name of the dialect.
        symbols: what further symbols mean, in the standard notation only, as `read_symbols` takes
            them: ``{"X": "mine", "-1": "unknown"}``.

    Raises:
        BoardError: no such dialect, no cells, ragged rows, or a symbol that
            the dialect does not have; it names the row and column.
    """
    _require_notation(notation)
    if codes := read_symbols(symbols):
        if notation != Notation.STANDARD:
            raise BoardError(
                "unknown-meaning",
                f"symbols are for the standard notation, and the board is in {notation}.",
                "Leave notation or symbols out.",
            )
        source = translate_cells(source, codes)
    rows, text = _normalise_rows(source, notation)
    if not text:
        raise BoardError(
            "empty-board", "The board has no cells.", "Send at least one row with one cell."
        )
    height, width = len(rows), len(rows[0])
    if len(set(map(len, rows))) > 1:
        raise _make_ragged_error(rows)
    # Bytes are read-only, and so is an array on top of them.
    return Board.read_only(np.ndarray((height, width), np.int8, _to_codes(text, notation, width)))


def draw(board: Board, notation: str = Notation.STANDARD) -> list[str]:
    """Draw the rows of a board as strings.

    Args:
        board: the board.
        notation: the name of the dialect.

    Raises:
        BoardError: no such dialect, or it has no symbol for one of the cells.
    """
    _require_notation(notation)
    symbols = {code: symbol for symbol, code in reversed(list(DIALECTS[notation].items()))}
    table = np.array([ord(symbols.get(code, "\0")) for code in range(FLAG + 1)], dtype=np.uint8)
    drawn = table[board.cells]
    if not drawn.all():
        row, col = (int(indices[0]) for indices in np.nonzero(drawn == 0))
        raise BoardError(
            "symbol-missing",
            f"The notation {notation} has no symbol for the cell at row {row}, column {col}.",
            "Use the standard notation.",
            row,
            col,
        )
    return format_symbol_rows(drawn)


def parse_cell(text: str) -> tuple[int, int] | None:
    """Return the cell that is written as row,col, both from 0; None for any other text."""
    match = _CELL.fullmatch(text)
    return (int(match[1]), int(match[2])) if match else None


def _require_notation(notation: str) -> None:
    if notation not in DIALECTS:
        raise BoardError(
            "unknown-notation",
            f"There is no notation {str(notation)[:80]!r}.",
            f"{suggest_name(notation, DIALECTS)}Use one of: {', '.join(DIALECTS)}.",
        )


def _split_rows(text: str, notation: str) -> list[str]:
    """Split a text into rows.

    Where blanks are no cells, they and empty lines around the board do not count.
    """
    # Searching for a symbol takes a fraction of the time of removing it or splitting there.
    lines = text.replace("\r\n", "\n") if "\r" in text else text
    if " " in DIALECTS[notation]:
        rows = lines.removesuffix("\n").split("\n")
        _check_not_spaced(rows)
        return rows
    if " " in lines or "\t" in lines:
        return strip_blanks(lines)
    lines = lines.strip("\n")
    return lines.split("\n") if "\n" in lines else [lines]


def strip_blanks(text: str) -> list[str]:
    """Return the rows of a text without its blanks, at margins or between all cells.

    Raises:
        BoardError: a blank may stand for something else.
    """
    rows = text.split("\n")
    full = [number for number, row in enumerate(rows) if row.strip(_BLANKS)]
    rows = rows[full[0] : full[-1] + 1] if full else []
    bare = [row.strip(_BLANKS) for row in rows]
    blank = next((symbol for symbol in _BLANKS for cells in bare if symbol in cells), None)
    _check_margins(rows, blank)
    if blank is None:
        return bare
    for number, (row, cells) in enumerate(zip(rows, bare, strict=True)):
        # Cells stand at even indices, and exactly this blank at all others.
        fits = cells[1::2] == blank * (len(cells) // 2) and len(cells) % 2
        if not fits or any(symbol in cells[::2] for symbol in _BLANKS):
            raise _make_stray_blank_error(number, row, blank, rows)
    return [cells[::2] for cells in bare]


def _check_margins(rows: Sequence[str], blank: str | None) -> None:
    """Make sure that blanks around the rows, which are separated by ``blank``, hold no cells.

    A cell that was left empty is one, at the left of some rows, or beside a tab.

    Raises:
        BoardError: they may.
    """
    by_tabs = blank == "\t" or (blank is None and all(len(row.strip(_BLANKS)) < 2 for row in rows))
    margin = [len(row) - len(row.lstrip(_BLANKS)) for row in rows]
    for number, row in enumerate(rows):
        if margin[number] != margin[0] and margin[number] < len(row):
            # The longer margin of the two has the blank.
            col = number if margin[number] > margin[0] else 0
            raise make_stray_blank_error(col, min(margin[number], margin[0]), rows[col])
        margins = row[: margin[number]] + row[len(row.rstrip(_BLANKS)) :]
        if by_tabs and "\t" in margins:
            col = row.index("\t") if "\t" in row[: margin[number]] else row.rindex("\t")
            raise make_stray_blank_error(number, col, row)


def _make_stray_blank_error(number: int, row: str, blank: str, rows: Sequence[str]) -> BoardError:
    """Return the error for a blank of this row that separates no cells, or else of another row."""
    begin = len(row) - len(row.lstrip(_BLANKS))
    for col in range(begin, len(row.rstrip(_BLANKS))):
        is_cell = row[col] not in _BLANKS
        if is_cell == bool((col - begin) % 2) or (not is_cell and row[col] != blank):
            if is_cell:
                # Two cells stand side by side: what is wrong is that there are blanks elsewhere.
                break
            return make_stray_blank_error(number, col, row)
    for other, text in [(number, row), *enumerate(rows)]:
        begin = len(text) - len(text.lstrip(_BLANKS))
        offsets = (col for col in range(begin, len(text.rstrip(_BLANKS))) if text[col] in _BLANKS)
        if (offset := next(offsets, None)) is not None:
            return make_stray_blank_error(other, offset, text)
    raise AssertionError("some row has a blank between its cells")


def make_stray_blank_error(row: int, col: int, text: str) -> BoardError:
    """Return the error of a blank or tab, in the text of its row, that may stand for a cell."""
    name = "tab" if text[col] == "\t" else "blank"
    return BoardError(
        "stray-blank",
        f"The {name} at row {row}, column {col} may stand for a cell, or for the end of a row: "
        f'"{text[:_QUOTED]}".',
        "Put each row on a line of its own, with nothing between its cells, or exactly one blank "
        "between every two of them in every row. Write ? for a cell that is unknown.",
        row,
        col,
    )


def _check_not_spaced(rows: Sequence[str]) -> None:
    """Make sure that blanks, which are cells here, do not just separate all the others.

    Raises:
        BoardError: they may.
    """
    wide = [row for row in rows if len(row) > 2]
    if wide and all(
        len(row) % 2 and " " not in row[::2] and not row[1::2].strip(" ") for row in rows
    ):
        row = rows.index(wide[0])
        raise BoardError(
            "stray-blank",
            f"The blank at row {row}, column 1 may be a cell, or separate two of them, as all "
            "blanks of this board.",
            "If they separate cells, leave them out. If they are safe cells, send the board in the "
            "standard notation, where those are S.",
            row,
            1,
        )


def _normalise_rows(source: object, notation: str) -> tuple[Sequence[str], str]:
    """Return one string a row, whichever of three forms the board came in, and all joined."""
    if isinstance(source, str):
        rows = _split_rows(source, notation)
        return rows, "".join(rows)
    # The test for a list is instant; the one for a sequence is slow.
    if not isinstance(source, list) and (
        isinstance(source, bytes) or not isinstance(source, Sequence)
    ):
        raise BoardError(
            "board-type",
            f"A board cannot be {_name_json_type(source)}.",
            'Send text, a list of strings such as ["1?", "??"], or nested lists of symbols.',
        )
    try:
        text = "".join(source)
        if (" " in text or "\t" in text) and " " not in DIALECTS[notation]:
            cells = _strip_separators(source)
            return cells, "".join(cells)
        return source, text
    except TypeError:
        rows = _read_symbol_rows(source) or [
            _join_row(row, cells) for row, cells in enumerate(source)
        ]
        return rows, "".join(rows)


def _strip_separators(rows: Sequence[str]) -> Sequence[str]:
    """Return rows without the blank, or tab, that stands between every two cells of all rows."""
    gaps = {gap for row in rows for gap in row[1::2]}
    spaced = len(gaps) == 1 and gaps <= set(_BLANKS) and all(len(row) % 2 for row in rows)
    cells = [row[::2] for row in rows]
    return cells if spaced and not any(gaps & set(row) for row in cells) else rows


def _read_symbol_rows(source: Sequence[object]) -> list[str] | None:
    """Return the rows of nested lists of symbols, None if there is anything else in them."""
    if not set(map(type, source)) <= {str, list}:
        return None
    nested = cast(Sequence[Sequence[str]], source)
    try:
        # The joined items are strings; all must be symbols of some dialect.
        rows = list(map("".join, nested))
        return rows if set(chain.from_iterable(nested)) <= _CHARACTERS else None
    except TypeError:
        return None


def _join_row(row: int, cells: object) -> str:
    if isinstance(cells, str):
        return cells
    if not isinstance(cells, Sequence):
        raise BoardError(
            "board-type",
            f"Row {row} is {_name_json_type(cells)}.",
            "Make each row a string or a list of symbols.",
            row=row,
        )
    try:
        return "".join([_SYMBOLS[cell, type(cell)] for cell in cells])
    except (KeyError, TypeError):
        return "".join(_read_symbol(row, col, cell) for col, cell in enumerate(cells))


def _read_symbol(row: int, col: int, cell: object) -> str:
    if isinstance(cell, str) and len(cell) == 1:
        return cell
    if isinstance(cell, int | np.integer) and not isinstance(cell, bool) and 0 <= cell <= 8:
        return str(cell)
    raise BoardError(
        "unknown-symbol",
        f"The cell at row {row}, column {col} is {_describe_symbol(cell)}.",
        "Send one symbol, or a clue from 0 to 8, for each cell.",
        row,
        col,
    )


def _describe_symbol(cell: object) -> str:
    if isinstance(cell, str):
        return repr(cell[:20])
    if isinstance(cell, int) and not isinstance(cell, bool) and -1000 < cell < 1000:
        return str(cell)
    return "a number out of range" if type(cell) is int else _name_json_type(cell)


def _to_codes(text: str, notation: str, width: int) -> bytes:
    """Return the cell codes of the joined rows, one byte a cell."""
    if not text.isascii():
        offset = next(index for index, symbol in enumerate(text) if not symbol.isascii())
        raise _make_symbol_error(text, offset, notation, width)
    codes = text.encode("ascii").translate(build_code_table(notation))
    if NO_CODE in codes:
        offset = codes.index(NO_CODE)
        raise _make_symbol_error(text, offset, notation, width)
    return codes


@cache
def build_code_table(notation: str) -> bytes:
    """Return the cell code of each byte, `NO_CODE` where the dialect has none."""
    table = bytearray([NO_CODE]) * 256
    for symbol, code in DIALECTS[notation].items():
        table[ord(symbol)] = code
    return bytes(table)


def _make_ragged_error(rows: Sequence[str]) -> BoardError:
    """Return the error for the first row that is not as long as row 0."""
    width = len(rows[0])
    row = next(row for row, cells in enumerate(rows) if len(cells) != width)
    blank = next((number for number in (0, row) if rows[number][-1:].isspace()), None)
    return BoardError(
        "ragged-rows",
        f"Row {row} has {format_count(len(rows[row]), 'cell')} where row 0 has {width}.",
        "Make all rows the same length."
        if blank is None
        else f"Delete the blank at the end of row {blank}.",
        row=row,
    )


def _make_symbol_error(text: str, offset: int, notation: str, width: int) -> BoardError:
    """Return the error for a symbol, at an index of the joined rows, that the dialect lacks."""
    symbol, (row, col) = text[offset], divmod(offset, width)
    return BoardError(
        "unknown-symbol",
        f"The symbol {symbol!r} at row {row}, column {col} is not in the {notation} notation.",
        _list_offers(symbol, text, notation)
        or "Use one of the symbols "
        f"{' '.join(symbol.strip() or 'blank' for symbol in DIALECTS[notation])}.",
        row,
        col,
    )


def _list_offers(symbol: str, text: str, notation: str) -> str:
    """Return the possible fixes for a symbol, one for each meaning; empty if it has none.

    A dialect is only offered where it has all symbols of the text.
    """
    drawn = {code: written for written, code in reversed(list(DIALECTS[notation].items()))}
    dialects: dict[int, list[str]] = {}
    for name, symbols in DIALECTS.items():
        if symbol in symbols:
            dialects.setdefault(symbols[symbol], [])
            if all(drawn_symbol in symbols for drawn_symbol in set(text)):
                dialects[symbols[symbol]].append(name)
    offers = []
    for code in dict.fromkeys((*dialects, *_COMMON.get(symbol, ()))):
        ways = [f"name the notation {' or '.join(names)}"] if (names := dialects.get(code)) else []
        ways += [f"write {drawn[code]}"] if code in drawn else []
        if ways:
            offers.append(f"If it is {_MEANINGS[code]}, {', or '.join(ways)}.")
    if symbol in _SEPARATORS:
        offers.append("If it separates cells, leave it out, and write ? where a cell is left out.")
    return " ".join(offers)


def _name_json_type(value: object) -> str:
    names = {
        bool: "a boolean",
        dict: "an object",
        int: "a number",
        list: "an array",
        type(None): "null",
    }
    # Readers of JSON have types of their own for numbers that are not floats.
    other = "a number with a fraction" if hasattr(value, "__float__") else type(value).__name__
    return names.get(type(value), other)
