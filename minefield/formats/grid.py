"""Cells in text: the rows that a format writes, one symbol a cell, and how many there may be.

Tested in tests/minefield/formats/test_formats.py.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from minecheck.minefield.board import Cells, format_symbol_rows
from minecheck.minefield.formats.opened import FormatError
from minecheck.minefield.numerals import format_count

#: The most cells that are read, unless the caller sets another bound.
MOST_CELLS: Final = 2_000_000
#: A number of rows, columns, mines or moves.
NUMBER: Final = re.compile(r"[0-9]{1,9}")


def decode_text(data: bytes | str) -> str:
    """Return the text of a file in UTF-8, without its byte order mark.

    Raises:
        FormatError: it is not UTF-8.
    """
    if isinstance(data, str):
        return data.removeprefix("\ufeff")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        # The decoder counts from behind a byte order mark.
        start = error.start + len(data) - len(error.object)
        raise FormatError(
            "invalid-utf-8",
            f"The format is text, and byte {start} is not UTF-8.",
            "Send the file unchanged, or name its format.",
            offset=start,
        ) from None


def split_lines(data: bytes | str) -> list[str]:
    """Split a text into lines, on any system's line ends, without empty ones at the end.

    Raises:
        FormatError: it is not UTF-8.
    """
    return decode_text(data).replace("\r\n", "\n").rstrip("\n").split("\n")


def check_size(height: int, width: int, most: int) -> None:
    """Reject a board without cells, or with more than ``most``.

    Raises:
        FormatError: ``height * width`` is above ``most``, or one of the two is below 1.
    """
    if height < 1 or width < 1:
        raise FormatError(
            "empty-board", f"A board of {width} by {height} has no cells.", "Correct its size."
        )
    if height * width > most:
        raise FormatError(
            "board-too-large",
            f"A board of {width} by {height} has more than {format_count(most, 'cell')}.",
            "Send a smaller board.",
        )


def check_sides(height: int, width: int, side: int) -> None:
    """Reject a board with a side above the longest that a format has.

    Raises:
        FormatError: ``height`` or ``width`` is above ``side``.
    """
    if max(height, width) > side:
        raise FormatError(
            "side-too-long",
            f"A board of {width} by {height} has a side above {side}, the limit of the format.",
            "Choose a format without that limit, such as board.",
        )


def check_mine_count(mines: int, height: int, width: int) -> None:
    """Reject more mines than cells.

    Raises:
        FormatError: ``mines`` is above ``height * width``.
    """
    if mines > height * width:
        raise FormatError(
            "too-many-mines",
            f"{mines} mines do not fit on a board of {width} by {height}.",
            "Correct the size or the number of mines.",
        )


def read_cells(rows: Sequence[str], height: int, width: int, symbols: Mapping[str, int]) -> Cells:
    """Read cell codes from rows of ASCII symbols.

    Args:
        rows: one string a row.
        height: how many rows there must be.
        width: how many symbols each row must have.
        symbols: the cell code of each ASCII symbol.

    Returns:
        Read-only int8 of shape (height, width), a view of bytes.

    Raises:
        FormatError: other numbers of rows or cells, or a symbol that has no code.
    """
    if len(rows) != height:
        raise FormatError(
            "wrong-size",
            f"There should be {format_count(height, 'row')}, not {len(rows)}.",
            "Correct the rows or the size.",
            row=min(len(rows), height),
        )
    for row, text in enumerate(rows):
        if len(text) != width:
            raise FormatError(
                "wrong-size",
                f"Row {row} has {format_count(len(text), 'cell')} where there should be {width}.",
                "Correct the row or the size.",
                row=row,
            )
    text = "".join(rows)
    if not symbols.keys() >= set(text):
        offset = next(index for index, symbol in enumerate(text) if symbol not in symbols)
        raise _make_symbol_error(text[offset], symbols, *divmod(offset, width))
    table = bytearray(256)
    for symbol, code in symbols.items():
        table[ord(symbol)] = code
    return np.frombuffer(text.encode("ascii").translate(table), np.int8).reshape(height, width)


def draw_cells(cells: Cells, symbols: Mapping[int, str]) -> list[str]:
    """Draw the rows of cell codes as strings.

    Args:
        cells: codes of shape (height, width).
        symbols: the ASCII symbol of each code.

    Raises:
        FormatError: there is no symbol for one of the cells.
    """
    table = np.zeros(256, np.uint8)
    for code, symbol in symbols.items():
        table[code] = ord(symbol)
    drawn = table[cells]
    require_writable(drawn == 0)
    return format_symbol_rows(drawn)


def require_writable(
    missing: NDArray[np.bool_], cell: str = "cell", fix: str = "Make it unknown or a flag"
) -> None:
    """Reject a board with cells that a format cannot write.

    Args:
        missing: where they are: (height, width).
        cell: what they are.
        fix: the beginning of a sentence: how such a cell can be changed so that it can be written.

    Raises:
        FormatError: there is one; it names the first.
    """
    for row, col in np.argwhere(missing)[:1].tolist():
        raise FormatError(
            "symbol-missing",
            f"The format has no symbol for the {cell} at row {row}, column {col}.",
            f"{fix}, or choose the format board, which has them all.",
            row=row,
            col=col,
        )


def _make_symbol_error(symbol: str, symbols: Mapping[str, int], row: int, col: int) -> FormatError:
    return FormatError(
        "unknown-symbol",
        f"The symbol {symbol!r} at row {row}, column {col} is not in the format.",
        f"Use one of the symbols {' '.join(symbols)}.",
        row=row,
        col=col,
    )
