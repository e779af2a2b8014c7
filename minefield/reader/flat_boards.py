"""Boards in one list or string of cells, cut into rows by a size that another field states.

Tested in tests/minefield/reader/test_read.py.
"""

import re
from collections.abc import Iterator, Mapping
from itertools import combinations_with_replacement
from typing import Any, Final

from minecheck.minefield.reader.meanings import is_symbol
from minecheck.minefield.reader.reading import make_one_row_error
from minecheck.minefield.reader.vocabulary import split_words

#: Fields that hold the number of columns, without underscores and in lower case.
_WIDTHS: Final = split_words(
    """width w cols columns ncols ncolumns numcols numcolumns colcount columncount boardwidth
    gridwidth"""
)
#: Names of fields with a number of rows or columns, or both.
_SIDE: Final = re.compile(r"width|height|rows?|col|size|dim|shape|^[whnmrcxy]$", re.IGNORECASE)
_ONE_SIDE: Final = re.compile(r"(?:n|num)?(?:width|height|rows?)|[wh]")


def cut_flat_rows(rows: Any, fields: Mapping[str, Any]) -> Any:
    """Return a board, cut into rows if it is one list or string of cells with a width in a field.

    Args:
        rows: the board.
        fields: the fields beside it.

    Raises:
        BoardError: the fields state a size, and not which of its numbers is the width.
    """
    cells = list(rows.strip()) if isinstance(rows, str) else rows
    if not isinstance(cells, list) or any(
        isinstance(cell, list) or not is_symbol(str(cell)) for cell in cells
    ):
        return rows
    sides = [pair for pair in _list_sides(fields) if pair[1] > 1]
    cols = next((side for name, side in sides if name in _WIDTHS), 0)
    if cols and len(cells) % cols == 0:
        return [cells[at : at + cols] for at in range(0, len(cells), cols)]
    if 1 < cols < len(cells):
        raise make_one_row_error(f"a width of {cols}", len(cells))
    for (_, first), (_, second) in combinations_with_replacement(sides, 2):
        if first * second == len(cells):
            raise make_one_row_error(f"{first} and {second}", len(cells))
    for name, side in sides:
        if _ONE_SIDE.fullmatch(name) and side < len(cells) and len(cells) % side == 0:
            raise make_one_row_error(f"{name} {side}", len(cells))
    return rows


def _list_sides(fields: Mapping[str, Any]) -> Iterator[tuple[str, int]]:
    """Yield the names and values of fields, perhaps within another, that state the size."""
    for name, value in fields.items():
        if isinstance(value, Mapping):
            yield from _list_sides(value)
        elif _SIDE.search(name):
            for number in re.findall(r"\b[0-9]{1,5}\b", str(value).replace("x", " ")):
                yield name.lower().replace("_", ""), int(number)
