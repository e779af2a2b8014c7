"""The first version of links of Penpa-edit, rewritten as lines of the present one.

The first line has columns, rows, the size of a cell, and how many rows or columns at each side are
no cells. The second is what the setter wrote, the third, in links to edit, what a player marked:
lists of tables, of which each is about one kind of sign and has the index of a cell, in reading
order and without margins, as its key. There is neither a title nor a genre.
Source: general.js (loadver1, loadqa_arrayver1) of swaroopg92/penpa-edit.
Tested in tests/minefield/formats/test_penpa.py.
"""

import json
from collections.abc import Mapping
from itertools import pairwise
from typing import Any, Final

from minecheck.minefield.formats.grid import check_size

#: The kind of signs of each table; signs at edges and corners have keys that are no cell's.
_NAMES: Final = (
    *("surface", "line", "line", "line", "line", "lineE", "lineE", "lineE", "lineE", "wall"),
    *("wall", "number", "numberS", "numbers at edges", "cage", "cage", "symbol"),
    *("symbols at edges", "freeline", "freelineE", "thermo", "arrows", "direction"),
)
#: Rows, or columns, of squares at each side that are no cells of the board.
MARGIN: Final = 2


def is_first_version(lines: list[str]) -> bool:
    """Return True if the lines of a link begin with a size and not with the name of a grid."""
    return lines[0][:1].isdigit()


def update_lines(lines: list[str], most_cells: int) -> list[str]:
    """Return the lines that a link of the present version has for the same puzzle.

    Args:
        lines: the lines of the first version.
        most_cells: the most cells that the board may have.

    Raises:
        FormatError: the board has no cells, or more than these.
        ValueError: they are damaged. (RecursionError, too, comes from JSON within JSON.)
    """
    cols, rows, _, above, below, left, right = map(int, lines[0].split(",")[:7])
    if min(cols, rows, above, below, left, right) < 0 or len(lines) < 2:
        raise ValueError("no size, or no tables")
    check_size(rows, cols, most_cells)
    cells = [
        number_cell(row * cols + col, cols)
        for row in range(above, rows - below)
        for col in range(left, cols - right)
    ]
    steps = [*cells[:1], *(after - before for before, after in pairwise(cells))]
    layers = [_name_tables(json.loads(line), cols) for line in lines[1:3] if line.strip()]
    setter, player = (json.dumps(layer) for layer in [*layers, {}][:2])
    return [f"square,{cols},{rows},38,0,1,1,0,0,0,0,0", "", "", setter, player, str(steps), "", ""]


def number_cell(index: int, cols: int) -> int:
    """Return the number of a cell, which counts margins, by its index in reading order."""
    row, col = divmod(index, cols)
    return (row + MARGIN) * (cols + 2 * MARGIN) + col + MARGIN


def _name_tables(tables: Any, cols: int) -> Mapping[str, Any]:
    """Return tables by the kind of their signs, with the numbers of cells that have margins.

    Raises:
        ValueError: it is no list of tables.
    """
    if not isinstance(tables, list):
        raise ValueError("no list of tables")
    named: dict[str, Any] = {}
    for name, table in zip(_NAMES, tables, strict=False):
        if name not in ("number", "symbol"):
            named[name] = named.get(name) or table
        elif isinstance(table, dict) and all(key.isdecimal() and key.isascii() for key in table):
            named[name] = {str(number_cell(int(key), cols)): entry for key, entry in table.items()}
        else:
            raise ValueError("a key is no cell's index")
    return named
