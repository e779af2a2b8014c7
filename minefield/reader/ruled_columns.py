"""Cells below a ruler, each in the column of its number, where blanks are cells too.

Programs that print opened cells as blanks draw boards so.
Tested in tests/minefield/reader/test_read.py.
"""

import re
from collections.abc import Sequence
from typing import Final

from minecheck.minefield.reader.frames import BARS, EDGES
from minecheck.minefield.reader.meanings import is_cells, is_symbol
from minecheck.minefield.reader.reading import Grid
from minecheck.minefield.reader.rulers import RULERS_NOTE, is_sequence
from minecheck.minefield.reader.totals import find_total

_LEAST_COLUMNS: Final = 3
_LEAST_ROWS: Final = 2
#: Signs between cells, and around the label of a row.
_BETWEEN: Final = f"{BARS}:.[]() \t"


def cut_under_ruler(text: str) -> list[Grid]:
    """Return the grid of the rows below a ruler, an empty field for each blank; none without it.

    Args:
        text: lines, of which those around the rows are no cells.
    """
    lines = text.expandtabs().split("\n")
    for at, line in enumerate(lines):
        columns = _find_columns(line)
        if columns:
            body = [below for below in lines[at + 1 :] if not _draws(below, line)]
            rows = _read_rows(body, columns)
            around = [*lines[:at], *body[len(rows) :]]
            blank = any("" in row for row in rows)
            if _continues(body, len(rows), columns[0]):
                return []
            if len(rows) < _LEAST_ROWS or not blank or not all(map(_is_around, around)):
                return []
            total = find_total("\n".join(around))
            return [Grid(tuple(map(tuple, rows)), mines=total).with_notes(RULERS_NOTE)]
    return []


def _find_columns(line: str) -> list[int]:
    """Return where the cells are that a ruler counts, the same distance apart; none of others."""
    labels = [*re.finditer(r"[^\s|]+", line)]
    if len(labels) < _LEAST_COLUMNS or not is_sequence([label[0] for label in labels]):
        return []
    ways = ([label.start() for label in labels], [label.end() - 1 for label in labels])
    return next((way for way in ways if _is_even(way)), [])


def _is_even(columns: Sequence[int]) -> bool:
    step = columns[1] - columns[0]
    return step > 1 and columns == [*range(columns[0], columns[-1] + 1, step)]


def _read_rows(lines: Sequence[str], columns: Sequence[int]) -> list[list[str]]:
    """Return the cells of the first lines, as far as these are labelled rows."""
    first, last = columns[0], columns[-1]
    rows, labels = [], []
    for line in lines:
        padded = line.ljust(last + 1)
        cells = [padded[column] for column in columns]
        between = "".join(
            sign for at, sign in enumerate(padded[first:last], first) if at not in columns
        )
        label, behind = padded[:first].strip(_BETWEEN), padded[last + 1 :].strip(_BETWEEN)
        known = all(map(_may_be_cell, cells))
        if not known or between.strip(_BETWEEN) or not label or behind not in ("", label):
            break
        rows.append([cell.strip() for cell in cells])
        labels.append(label)
    return rows if labels and is_sequence(labels, downwards=True) else []


def _continues(lines: Sequence[str], rows: int, first: int) -> bool:
    """Return True if the line below the last row has the next label: it is a row, too."""
    labels = [line[:first].strip(_BETWEEN) for line in lines[:rows]]
    further = lines[rows].split()[:1] if len(lines) > rows else []
    return bool(labels and further) and is_sequence([*labels, *further], downwards=True)


def _may_be_cell(sign: str) -> bool:
    """Return True for a blank, a symbol, or a sign that may be one."""
    return is_symbol(sign) or not (sign.isalnum() or sign in BARS)


def _draws(line: str, ruler: str) -> bool:
    """Return True for a line of a table that has no cells, and for the ruler once more."""
    return not line.strip() or EDGES.match(line) is not None or line.split() == ruler.split()


def _is_around(line: str) -> bool:
    """Return True for a line that may stand above or below all rows: it is no row itself."""
    return not line.strip() or not is_cells(line) or EDGES.match(line) is not None
