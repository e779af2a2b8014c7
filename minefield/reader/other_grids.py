"""Other grids that a text may stand for: without a wall or a word, with blanks at the ends.

Tested in tests/minefield/reader/test_read.py.
"""

import re
from collections import Counter
from dataclasses import replace
from typing import Final

from minecheck.minefield.reader.meanings import is_symbol
from minecheck.minefield.reader.reading import Grid

#: Symbols of walls, of unknown cells, and of covers; with these, opened cells are often blank.
_WALLS: Final = frozenset("#*@=xXoO█■⬛")
_UNKNOWN_CELLS: Final = frozenset("?.-_")
_COVERS: Final = frozenset("#■█▓▒░?-_~⬜")
#: Signs of lines above and below rows.
_RULES: Final = frozenset("*+=~#@")
#: A word with other letters than those of the standard notation, and a move that is typed.
_A_WORD: Final = re.compile(r"(?=.*[^BSF0-9!?.])[A-Za-z]{3,}[0-9]*[!?.]{0,3}")
_MOVE: Final = re.compile(r"[a-z][0-9]{1,2}\??")
_LEAST_ROWS: Final = 2
_DIGITS_OF_COUNTER: Final = 3


def list_other_grids(text: str, grid: Grid) -> list[Grid]:
    """Return the grids that a text may stand for, apart from the only one that it was cut into."""
    others = (
        _strip_wall(grid),
        _restore_blanks(text, grid),
        _drop_word(grid, 0),
        _drop_word(grid, len(grid.cells) - 1),
        _drop_rules(grid),
        _drop_dots(grid),
        _drop_numbers(grid),
    )
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


def _drop_word(grid: Grid, at: int) -> Grid | None:
    """Return a grid without its first or last row if that may be a word, or a typed move.

    It has letters only, of which no other row has one; a move has a small letter and a number.
    """
    row, others = "".join(grid.cells[at]), grid.cells[1:] if at == 0 else grid.cells[:at]
    letters = {sign.lower() for sign in row if sign.isalpha()}
    own = letters - {sign.lower() for cells in others for cell in cells for sign in cell}
    is_word = _A_WORD.fullmatch(row) is not None and len(letters) > 1 and own != set()
    is_move = _MOVE.fullmatch(row) is not None and own == letters
    known = len(row) == len(grid.cells[at]) and all(map(is_symbol, row.rstrip("!?.")))
    if not others or not known or not (is_word or is_move):
        return None
    return replace(grid, cells=others).with_notes(f"The word was left out: {row}.")


def _drop_rules(grid: Grid) -> Grid | None:
    """Return a grid without a first and last row of the same sign, which no other row has."""
    first, *inner, last = grid.cells if len(grid.cells) > _LEAST_ROWS else ((), ())
    signs = {*first, *last}
    if len(signs) != 1 or not signs <= _RULES or len(first) < _LEAST_ROWS:
        return None
    within = {cell for row in inner for cell in row}
    if signs & within or not within & _UNKNOWN_CELLS:
        return None
    return replace(grid, cells=tuple(inner)).with_notes("The lines around the rows were left out.")


def _drop_dots(grid: Grid) -> Grid | None:
    """Return a grid without a last row of three dots, which may stand for further rows."""
    *rows, last = grid.cells
    if "".join(last) != "..." or not rows or any("." in row for row in rows):
        return None
    return replace(grid, cells=tuple(rows)).with_notes("The dots below the rows were left out.")


def _drop_numbers(grid: Grid) -> Grid | None:
    """Return a grid without a first row that may count something: 003, or 2 3 3 above 3x3 cells.

    It is one only if the clues contradict each other with it.
    """
    first, *rows = grid.cells
    if len(first) != _DIGITS_OF_COUNTER or not all(map(str.isdigit, first)) or not rows:
        return None
    if any("*" in row for row in rows):
        # Clues may contradict each other for asterisks that are covers.
        return None
    size = Counter(map(str, (len(rows), len(first))))
    counts = first[0] == "0" != first[-1] or not size - Counter(first)
    other = replace(grid, cells=tuple(rows), doubtful=True)
    return other.with_notes(f"The first line was left out: {' '.join(first)}.") if counts else None


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
