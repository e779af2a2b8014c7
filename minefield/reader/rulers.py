"""Rulers: numbers or letters along the edges of a grid that count its rows and columns.

Tested in tests/minefield/reader/test_read.py.
"""

import re
from collections.abc import Sequence
from typing import Final

from minecheck.minefield.reader.frames import CORNERS
from minecheck.minefield.reader.reading import Grid

Rows = list[list[str]]

#: A row or column of clues may count up from 0 or 1 by chance, but hardly further than this.
_BY_CHANCE: Final = 3
#: A word and the number of a row, before its cells.
_ROW_NAME: Final = re.compile(r"^\s*(?:row|line|r)\s*#?[0-9]{1,4}\s*[:.)|=-]\s*", re.IGNORECASE)
_NOTE: Final = "The rulers were left out: they count rows and columns."


def strip_rulers(grid: Grid) -> list[Grid]:
    """Return the grids that a grid of fields can be: without its rulers, or as it is.

    ``grid`` may be ragged here: a ruler above the cells has no label of its own at the left.
    One grid is returned where it is certain; two where labels may be clues, the likelier first.
    """
    rows = _normalise_rulers([list(row) for row in grid.cells])
    if len(rows) < 2 and not _counts_far(rows[0] if rows else []):
        return [grid]
    ragged = len({len(row) for row in rows[1:]}) > 1
    if ragged or not rows[0]:
        return [grid]
    body = rows[1:]
    width = len(body[0])
    if not width:
        return [grid]
    left = _is_sequence([row[0] for row in body], downwards=True)
    if left and len(rows[0]) == width - 1 and _is_sequence(rows[0]):
        return [_build_without_rulers(grid, [row[1:] for row in body])]
    corner = rows[0][0] if len(rows[0]) == width else None
    if left and corner in CORNERS and width > 1 and _is_sequence(rows[0][1:]):
        return [_build_without_rulers(grid, [row[1:] for row in body])]
    if len(rows[0]) != width:
        return [grid]
    readings = [grid]
    if _is_sequence(rows[0]) and body:
        certain = any(not _is_symbol_like(one) for one in rows[0])
        if certain:
            return [_build_without_rulers(grid, body)]
        if width > _BY_CHANCE:
            readings.append(_build_without_rulers(grid, body))
    column = [row[0] for row in rows]
    if _is_sequence(column) and width > 1:
        without = _build_without_rulers(grid, [row[1:] for row in rows])
        if any(not _is_symbol_like(one) for one in column):
            return [without]
        if len(rows) > _BY_CHANCE:
            readings.append(without)
    return readings


def _normalise_rulers(rows: Rows) -> Rows:
    """Return rows with a ruler above instead of below them, and without rulers that are repeated.

    A ruler above or below has no label of its own; one at the right has the labels of the left.
    """
    # Below a single row, numbers may be another one.
    if (
        len(rows) < (3 if rows[-1][:1] in (["0"], ["1"]) else 2)
        or len(rows[-1]) < 2
        or len(rows[-1]) == len(rows[-2])
    ):
        return rows
    if not _is_sequence(rows[-1]):
        return rows
    body = rows[:-1] if rows[0] != rows[-1] else rows[1:-1]
    if len(body) > 1 and all(len(row) == len(rows[-1]) + 2 and row[0] == row[-1] for row in body):
        body = [row[:-1] for row in body]
    return [rows[-1], *body]


def strip_row_names(lines: list[str]) -> list[str]:
    """Return lines without the name of each row, as in Row 1: ?10."""
    named = all(_ROW_NAME.match(line) for line in lines if line)
    return [_ROW_NAME.sub("", line) for line in lines] if named else lines


def strip_row_labels(lines: Sequence[str]) -> tuple[list[str], bool]:
    """Return lines without the labels before their cells, and whether there were any.

    Such a line has two words: a label, perhaps with a colon, and all cells of the row together.
    A line above them with the columns, all together, goes as well.
    """
    words = [line.replace(":", " ").replace("|", " ").split() for line in lines]
    top = bool(words) and len(words[0]) == 1 and len(words) > 1
    body = words[1:] if top else words
    if len(body) < 1 or any(len(one) != 2 for one in body):
        return list(lines), False
    widths = {len(one[1]) for one in body}
    if (
        len(widths) != 1
        or not _is_sequence([one[0] for one in body])
        or (len(body) == 1 and not top)
    ):
        return list(lines), False
    (width,) = widths
    if top and (len(words[0][0]) != width or not _counts_digits(words[0][0])):
        return list(lines), False
    if width < 2:
        return list(lines), False
    return [one[1] for one in body], True


def strip_tens(lines: list[str]) -> list[str]:
    """Return lines without a first one that only has the tens of the numbers in the second."""
    if len(lines) > 2 and not lines[0].strip("0123456789 ") and " " in lines[0].strip("123456789"):
        ones = lines[1].strip()
        if len(ones) > 9 and _counts_digits(ones):
            return lines[1:]
    return lines


def strip_column_digits(grid: Grid) -> Grid:
    """Return a grid without a first row of the last digits of at least ten column numbers."""
    first = "".join(grid.cells[0]) if grid.cells else ""
    if len(grid.cells) > 1 and len(first) > 9 and _counts_digits(first):
        return _build_without_rulers(grid, [list(row) for row in grid.cells[1:]])
    return grid


def _build_without_rulers(grid: Grid, rows: Rows) -> Grid:
    cells = tuple(tuple(row) for row in rows)
    return Grid(cells, grid.notation, grid.mines, (*grid.notes, _NOTE), grid.opened)


def _is_sequence(labels: Sequence[str], downwards: bool = False) -> bool:
    """Return True if labels are consecutive numbers from 0 or 1, or letters from A.

    Args:
        labels: the labels.
        downwards: whether numbers may also end with 1 or 0, as on the left of chess boards.
    """
    bare = [one.rstrip(".:)") for one in labels]
    if not bare or not all(bare):
        return False
    if all(one.isdigit() for one in bare) and len({len(one) for one in bare}) == 1:
        bare = [str(int(one)) for one in bare]
    if downwards and bare[-1] in ("0", "1") and bare[0].isdigit():
        bare = bare if bare[0] in ("0", "1") else bare[::-1]
    if bare[0] in ("0", "1"):
        return bare == [str(number) for number in range(int(bare[0]), int(bare[0]) + len(bare))]
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    return len(bare) <= len(letters) and "".join(bare).upper() == letters[: len(bare)]


def _counts_digits(text: str) -> bool:
    """Return True for 0123… or 1234…, of which only the last digit of each number is written."""
    start = int(text[0]) if text[0] in "01" else None
    if start is None:
        return text.upper() == "ABCDEFGHIJKLMNOPQRSTUVWXYZ"[: len(text)]
    return text == "".join(str((start + at) % 10) for at in range(len(text)))


def _counts_far(labels: Sequence[str]) -> bool:
    return len(labels) > _BY_CHANCE and _is_sequence(labels)


def _is_clue(text: str) -> bool:
    return len(text) == 1 and text in "012345678"


def _is_symbol_like(text: str) -> bool:
    """Return True if a label could be a cell: one digit of a clue, or a letter of a symbol."""
    return _is_clue(text) or text.upper() in ("B", "F", "S", "M", "H", "U", "X", "O")
