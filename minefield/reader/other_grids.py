"""Other grids that a text may stand for: without a wall or a title, with blanks at the ends.

Tested in tests/minefield/reader/test_read.py.
"""

import re
from dataclasses import replace
from typing import Final

from minecheck.minefield.reader.meanings import is_symbol
from minecheck.minefield.reader.reading import Grid

#: Symbols of walls, of unknown cells, and of covers; with these, opened cells are often blank.
_WALLS: Final = frozenset("#*@=xXoO█■⬛")
_UNKNOWN_CELLS: Final = frozenset("?.-_")
_COVERS: Final = frozenset("#■█▓▒░?-_~⬜")


def list_other_grids(text: str, grid: Grid) -> list[Grid]:
    """Return the grids that a text may stand for beside the only one that it was cut into."""
    others = (_strip_wall(grid), _restore_blanks(text, grid), _drop_title(grid))
    return [other for other in others if other is not None]


def _strip_wall(grid: Grid) -> Grid | None:
    """Return a grid without a wall of one symbol around it, None if it has none.

    It is no wall if the symbol is also inside, or if it may be the only one of unknown cells.
    """
    edge = {*grid.cells[0], *grid.cells[-1], *(row[at] for row in grid.cells for at in (0, -1))}
    inner = tuple(row[1:-1] for row in grid.cells[1:-1])
    within = {cell for row in inner for cell in row}
    if len(edge) > 1 or not edge <= _WALLS or edge & within or not within & _UNKNOWN_CELLS:
        return None
    return replace(grid, cells=inner).with_notes("The wall around the board was left out.")


def _drop_title(grid: Grid) -> Grid | None:
    """Return a grid without a first row that may be a word: only it has letters, two or more."""
    first, *others = ("".join(row) for row in grid.cells)
    word = len(re.findall(r"[A-Za-z]", first)) > 1 and re.fullmatch(r"[A-Za-z]+[0-9]*", first)
    if (
        not word
        or len(first) > len(grid.cells[0])
        or not all(map(is_symbol, first))
        or not others
        or any(sign.isalpha() for row in others for sign in row)
    ):
        return None
    return replace(grid, cells=grid.cells[1:]).with_notes(f"The title was left out: {first}.")


def _restore_blanks(text: str, grid: Grid) -> Grid | None:
    """Return a grid with the blanks at the ends of its lines as cells, None if they are none.

    They may be opened cells if all lines are as long with them, and no other cell is an opened 0.
    """
    rows = text.strip("\n").split("\n")
    same = len({len(row) for row in rows}) == 1 and len(rows) == len(grid.cells)
    bare = tuple(tuple(row.rstrip(" ")) for row in rows)
    used = {cell for row in bare for cell in row}
    if not same or bare != grid.cells or not rows[0].endswith(" ") or not used & _COVERS:
        return None
    return None if used & {"0", "."} else Grid(tuple(map(tuple, rows)), grid.notation, grid.mines)
