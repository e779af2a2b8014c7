"""The ends of rows: blanks between bars or quotation marks, which may be cells.

Tested in tests/minefield/reader/test_read.py.
"""

import re
from collections.abc import Sequence
from typing import Final

from minecheck.minefield.notation import make_stray_blank_error
from minecheck.minefield.reader.frames import BARS, EDGES
from minecheck.minefield.reader.meanings import is_cells, is_symbol
from minecheck.minefield.reader.rulers import is_sequence

_BAR: Final = re.compile(rf"[{BARS}]")
#: Around a table of AsciiDoc, whose fields begin with bars.
_TABLE: Final = "|==="
#: Several rows in quotation marks in one line.
_QUOTED_ROWS: Final = re.compile(
    r"\s*(['\"])[^'\"\s]{2,999}\1(?:(?:\s*[,;])?\s*\1[^'\"\s]{2,999}\1)+(?:\s*[,;])?\s*"
)
#: Rows, and bars in each.
_SEVERAL: Final = 2


def check_framed_margins(lines: Sequence[str]) -> None:
    """Check the margins of rows with a bar at both ends, and none between, as `check_margins`.

    Raises:
        BoardError: a blank may be a cell.
    """
    framed = _list_rows(lines)
    if all(row.startswith("|") and row.endswith("|") for row in framed):
        rows = [row[1:-1] for row in framed]
        if not any("|" in row for row in rows):
            check_margins(rows)


def check_margins(rows: Sequence[str]) -> None:
    """Check that no blank at one end of every row, as it stands in a frame, may be a cell.

    Where blanks stand between cells, there may be one more before or behind each.

    Raises:
        BoardError: one may be.
    """
    filled = [row for row in rows if row.strip()]
    if len(filled) < _SEVERAL or not all(map(is_cells, filled)):
        return
    left = min(len(row) - len(row.lstrip()) for row in filled)
    right = min(len(row) - len(row.rstrip()) for row in filled)
    bare = [row.strip() for row in filled]
    dense = not any(" " in row for row in bare)
    spaced = all(row[1::2].isspace() for row in bare if len(row) > 1)
    if (dense and left != right) or (spaced and abs(left - right) > 1):
        col = 0 if left > right else len(filled[0].rstrip())
        raise make_stray_blank_error(0, col, filled[0])


def strip_quotes(lines: list[str]) -> tuple[list[str], bool]:
    """Return lines without quotation marks around each, or around all, and whether they had them.

    Raises:
        BoardError: a blank between marks may be a cell.
    """
    if len(lines) == 1 and (quoted := _QUOTED_ROWS.fullmatch(lines[0])):
        return [
            row[1:-1] for row in re.findall(rf"{quoted[1]}[^{quoted[1]}]*{quoted[1]}", lines[0])
        ], True
    bare = [re.sub(r"^\s*(['\"])([^'\"]*)\1\s*[,;]?\s*$", r"\2", line) for line in lines]
    if all(inner != line for inner, line in zip(bare, lines, strict=True)):
        check_margins(bare)
        return bare, True
    whole = "\n".join(lines).strip()
    if (
        len(whole) > 1
        and whole[0] == whole[-1]
        and whole[0] in "'\""
        and whole.count(whole[0]) == 2
    ):
        return whole[1:-1].split("\n"), True
    return lines, False


def has_open_edge(lines: Sequence[str]) -> bool:
    """Return True if bars part fields, and stand at one end of all rows only: that of a field.

    Behind the labels of rows they are no more than a frame.
    """
    rows = _list_rows(lines)
    first = all(row.startswith("|") for row in rows)
    last = all(row.endswith("|") for row in rows)
    bars = {row.count("|") for row in rows}
    if _TABLE in rows or first == last or len(bars) != 1 or min(bars) < _SEVERAL:
        return False
    ends = [row.split("|")[0 if last else -1].strip() for row in rows]
    # Labels of columns may stand below.
    ends = ends[:-1] if ends[-1] == "_" else ends
    return all(map(is_symbol, ends)) and not is_sequence(ends, downwards=True)


def _list_rows(lines: Sequence[str]) -> list[str]:
    """Return the lines with bars that are rows, without blanks around them."""
    bare = (_BAR.sub("|", line.strip()) for line in lines if _BAR.search(line))
    return [line for line in bare if line == _TABLE or not EDGES.match(line)]
