"""Rows between the same two signs, such as [ * ], in which blanks may be cells.

Tested in tests/minefield/reader/test_read.py.
"""

import re
from collections.abc import Sequence
from typing import Final

from minecheck.minefield.notation import make_stray_blank_error
from minecheck.minefield.reader.frames import BARS

#: A row between two bars, or in brackets.
_ENCLOSED: Final = re.compile(
    rf"\s*(?:(?P<bar>[{BARS}])|\[)([^\[\]{BARS},;]+)(?(bar)(?P=bar)|\])\s*"
)
#: A line that draws a table, a number with a point, and a word.
_NO_CELLS: Final = re.compile(r"\A[-=:]+\Z|[0-9]\.|[A-Za-z]{2}")
_LEAST_ROWS: Final = 2


def check_enclosed_rows(lines: Sequence[str]) -> None:
    """Check that blanks in rows between the same two signs are no cells, as in [ * ].

    They may be if single characters stand in other columns than those of another row.

    Raises:
        BoardError: they may be.
    """
    found = [(at, row[2]) for at, line in enumerate(lines) if (row := _ENCLOSED.fullmatch(line))]
    if any(_NO_CELLS.search(row) for _, row in found):
        return
    numbers, rows = [at for at, _ in found], [row for _, row in found]
    together = bool(rows) and numbers == [*range(numbers[0], numbers[0] + len(rows))]
    dense = not any(" " in row.strip() for row in rows)
    single = dense or all(map(_is_single, " ".join(rows).split()))
    if len(rows) < _LEAST_ROWS or not together or len({*map(len, rows)}) > 1 or not single:
        return
    columns = {tuple(at for at, sign in enumerate(row) if sign != " ") for row in rows}
    if len(columns) > 1:
        number = next(at for at, row in found if " " in row)
        blank = rows[number - numbers[0]].index(" ") + 1
        raise make_stray_blank_error(number, blank, lines[number])


def _is_single(word: str) -> bool:
    """Return True for a character, or several that are no number or name."""
    return len(word) == 1 or not any(sign.isalnum() or sign in "-." for sign in word)
