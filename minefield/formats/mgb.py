"""Files *.mgb of Minegauler: a JSON object with the size of a board and where its mines are.

`x_size` and `y_size` are columns and rows, `mine_coords` has [x, y] for each mine, from 0. The
program also has boards with several mines in a cell (`per_cell`; such a cell appears as often),
with clues that count other cells than the eight around (`reach`, if it is not 8), and with cells
that split into four (`type` is `split_cell`). Those are no boards of Minesweeper here.
Source: to_json and from_json in core/regular/minefield.py and core/split_cell/minefield.py of
LewisGaul/minegauler.
"""

import json
import re
from typing import Any, Final

import numpy as np

from minecheck.minefield.formats import grid
from minecheck.minefield.formats.encodings import load_json
from minecheck.minefield.formats.opened import FormatError, Opened
from minecheck.minefield.layout import Layout

NAME: Final = "mgb"

_SIGN: Final = re.compile(r"\s*\{[^\[\]{}]{0,400}\"mine_coords\"\s*:")
_REGULAR: Final = "regular"
_NEIGHBOURS: Final = 8
_LONGEST_SIDE: Final = 999_999_999
_COPY: Final = "Send the file as the program saved it."


def is_recognised(text: str) -> bool:
    """Return True if a text is a JSON object that begins with what such files have."""
    return _SIGN.match(text) is not None


def read(data: bytes | str, most: int) -> Opened:
    """Read the layout of a file.

    Raises:
        FormatError: it is not a JSON object, a field is missing or wrong, a mine is off the board,
            or the board is of another kind.
    """
    fields = _read_fields(grid.decode_text(data))
    width, height = _read_side(fields, "x_size"), _read_side(fields, "y_size")
    grid.check_size(height, width, most)
    _check_kind(fields)
    mines = np.zeros((height, width), np.bool_)
    coordinates = fields.get("mine_coords")
    if not isinstance(coordinates, list):
        raise _make_field_error("mine_coords", "a list of mines, each as [x, y]")
    for pair in coordinates:
        col, row = _read_coordinates(pair)
        if not (0 <= row < height and 0 <= col < width):
            raise FormatError(
                "mine-off-the-board",
                f"A mine is at row {row}, column {col} of a board of {width} by {height}.",
                "Correct its coordinates, or the size.",
                row=row,
                col=col,
            )
        if mines[row, col]:
            raise FormatError(
                "mine-repeated",
                f"The cell at row {row}, column {col} has more than one mine.",
                "Save a board with at most one mine in a cell.",
                row=row,
                col=col,
            )
        mines[row, col] = True
    return Opened(None, Layout(mines))


def write(opened: Opened) -> str:
    """Write a layout.

    Raises:
        FormatError: there is none.
    """
    layout = opened.require_layout()
    height, width = layout.mines.shape
    return json.dumps(
        {
            "type": _REGULAR,
            "x_size": width,
            "y_size": height,
            "mine_coords": [[col, row] for row, col in np.argwhere(layout.mines).tolist()],
            "per_cell": 1,
            "reach": _NEIGHBOURS,
        }
    )


def _read_fields(text: str) -> dict[str, Any]:
    try:
        fields = load_json(text)
    except (ValueError, RecursionError):
        fields = None
    if not isinstance(fields, dict):
        raise FormatError(
            "wrong-head",
            f"The file begins {text.lstrip()[:40]!r}, and is no JSON object.",
            _COPY,
            offset=0,
        )
    return fields


def _read_side(fields: dict[str, Any], name: str) -> int:
    side = fields.get(name)
    if type(side) is not int or not 0 <= side <= _LONGEST_SIDE:
        raise _make_field_error(name, "a whole number of cells")
    return side


def _check_kind(fields: dict[str, Any]) -> None:
    """Reject boards whose clues count otherwise."""
    kind, reach = fields.get("type", _REGULAR), fields.get("reach", _NEIGHBOURS)
    if kind != _REGULAR:
        raise _make_field_error("type", f'"{_REGULAR}": other boards have cells that split')
    if reach != _NEIGHBOURS:
        raise _make_field_error("reach", "8: other clues do not count the eight cells around them")


def _read_coordinates(pair: object) -> tuple[int, int]:
    """Return (col, row) of a mine."""
    if isinstance(pair, list) and len(pair) == 2:
        col, row = pair
        if all(type(number) is int and abs(number) <= _LONGEST_SIDE for number in pair):
            return col, row
    raise _make_field_error("mine_coords", "a list of mines, each as [x, y]")


def _make_field_error(name: str, right: str) -> FormatError:
    return FormatError("wrong-field", f"The field {name} is missing or not {right}.", _COPY)
