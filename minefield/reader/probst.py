"""Texts in Probst's notation, in which a blank is a safe cell.

Tested in tests/minefield/reader/test_read.py.
"""

import re
from typing import Final

from minecheck.minefield.reader.reading import Grid

_NUMBER: Final = re.compile(r"-?[0-9]+")
#: A row of more characters may have a blank between every two cells.
_LEAST_SPACED: Final = 2


def cut_probst(text: str) -> list[Grid]:
    """Return the grid of a text in Probst's notation in which blanks are safe cells, if it is one.

    Blanks between every two cells separate them in every notation, as they do numbers.
    """
    rows = text.strip("\n").split("\n")
    if " " not in text or not _is_probst("".join(rows)) or len(set(map(len, rows))) > 1:
        return []
    words = [row.split() for row in rows]
    numbers = all(_NUMBER.fullmatch(word) for row in words for word in row)
    spaced = not any(row[1::2].strip() for row in rows) and len(rows[0]) > _LEAST_SPACED
    if spaced or (numbers and len({*map(len, words)}) == 1 < len(words[0])):
        return []
    return [Grid(tuple(map(tuple, rows)), "probst")]


def _is_probst(text: str) -> bool:
    """Return True for symbols of Probst's notation, in which a blank is a safe cell."""
    return bool(set("-+") & set(text)) and not set(text) - set("-+ 012345678")
