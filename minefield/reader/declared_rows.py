"""Grids of lines by their characters alone: declared symbols, lines that look alike.

Tested in tests/minefield/reader/test_read.py.
"""

from collections.abc import Collection
from itertools import chain
from typing import Final

from minecheck.minefield.reader.frames import BARS
from minecheck.minefield.reader.meanings import is_symbol
from minecheck.minefield.reader.reading import Grid
from minecheck.minefield.reader.totals import find_total

#: The fewest cells of a row that is known by its looks, and signs that part cells.
_MANY: Final = 3
_NO_CELLS: Final = frozenset(f"{BARS},;/")


def cut_declared(text: str, symbols: Collection[str]) -> list[Grid]:
    """Return the grid of rows of declared and known symbols, side by side or with blanks between.

    There is none, or one in which no cell is taken for a label. Lines around the rows are.
    """
    if not symbols:
        return []
    lines = text.strip("\n").split("\n")
    for rows in ([line.split() for line in lines], [list(line.strip()) for line in lines]):
        known = [
            bool(row) and all(cell in symbols or is_symbol(cell) for cell in row) for row in rows
        ]
        inner = [at for at, row in enumerate(rows) if known[at] and len(row) > 1]
        whole = slice(inner[0], inner[-1] + 1) if len(inner) > 1 else slice(None)
        cells, width = {*chain(*rows[whole])}, len(rows[whole][0])
        even = all(known[whole]) and {*map(len, rows[whole])} == {width}
        # A line as long as a row is one with a symbol that is not known.
        alike = sum(len(row) == width and " " not in row for row in rows) > len(rows[whole])
        if even and not alike and not cells.isdisjoint(symbols):
            around = lines[: whole.start or 0] + lines[whole.stop or len(lines) :]
            grid = Grid(tuple(map(tuple, rows[whole])), mines=find_total("\n".join(around)))
            labels = [line.strip() for line in around if line.strip() and find_total(line) is None]
            said = "; ".join(label[:40] for label in labels)
            return [grid.with_notes(f"Labels were left out: {said[:200]}.") if said else grid]
    return []


def cut_alike(text: str) -> list[Grid]:
    """Return the grid of the first lines that look alike, whatever their symbols mean.

    They have as many cells, with blanks between all of them or none, and one of each is a symbol.
    """
    group: list[list[str]] = []
    for line in [*text.split("\n"), ""]:
        words = line.split()
        row = words if len(words) > 1 else [*line.strip()]
        signs = any(is_symbol(cell) and not cell.isalpha() for cell in row)
        single = all(len(cell) == 1 and cell not in _NO_CELLS for cell in row)
        is_row = len(row) >= _MANY and signs and single
        if is_row and (not group or len(group[0]) == len(row)):
            group.append(row)
        elif len(group) > 1:
            return [Grid(tuple(map(tuple, group)))]
        else:
            group = [row] if is_row else []
    return []


def cut_characters(text: str) -> list[Grid]:
    """Return the grid of lines in which every character is a cell, also the blanks at their ends.

    Raises:
        BoardError: no line has a character.
    """
    rows = text.strip("\n").split("\n")
    width = max(map(len, rows))
    return [Grid(tuple(tuple(row.ljust(width)) for row in rows)).require_rectangle()]
