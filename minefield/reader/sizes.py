"""Sizes of a board that its text states, before the rows or in a label.

Tested in tests/minefield/reader/test_read.py.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from minecheck.minefield.board import Board, BoardError
from minecheck.minefield.reader.meanings import is_cells
from minecheck.minefield.reader.reading import (
    BoardReading,
    Grid,
    make_one_row_error,
    make_several_boards_error,
)
from minecheck.minefield.reader.remarks import has_long_word
from minecheck.minefield.reader.rulers import is_sequence
from minecheck.minefield.reader.totals import BETWEEN_SIDES, ONLY_SIZE, SIZE, name_numbers

#: The numbers of rows and columns alone in a line, as in contests.
_BARE_SIZE: Final = re.compile(r"([1-9][0-9]{0,3})[ \t]([1-9][0-9]{0,3})")
#: Digits of a total that stands above the rows alone; rows or columns below it.
_LONGEST_TOTAL: Final = 6
_LEAST_ROWS: Final = 2
#: A word, which a line that states a size has; longer lines state none.
_LONGEST_LABEL: Final = 300
#: Names of the numbers of rows and columns.
_SIDES: Final = (
    *(("rows", "columns"), ("rows", "cols"), ("height", "width"), ("ydim", "xdim")),
    *(("r", "c"), ("h", "w")),
)
#: A number of rows and one of columns.
_COUNTED: Final = re.compile(
    r"\b([0-9]{1,4})\s+rows?\b\W+(?:and\s+)?([0-9]{1,4})\s+(?:columns?|cols?)\b", re.IGNORECASE
)
#: Arrays whose sizes are declared, in C and Rust. Strings of C have room for one more character.
_IN_C: Final = re.compile(
    r"\b(?:(char)|[A-Za-z]\w{1,20})\s+\w{1,40}\[([0-9]{1,4})\]\[([0-9]{1,4})\]\s*="
)
_IN_RUST: Final = re.compile(r"\[\[\w+;\s*([0-9]{1,4})\];\s*([0-9]{1,4})\]")
#: Names of numbers of rows or columns.
_SIDE: Final = re.compile(r"(?:n_?)?(?:width|height|rows?|cols?|columns?|size|[whnrc])", re.I)
_COUNTED_SIDE: Final = re.compile(r"\b([0-9]{1,5})\s+(rows|cols|columns)\b", re.IGNORECASE)
_SIZES: Final = re.compile(
    rf"\s*([1-9][0-9]{{0,4}})(?:(?: |\s*[,;]\s*|{BETWEEN_SIDES})([1-9][0-9]{{0,4}})"
    rf"(?:(?: |\s*[,;]\s*|{BETWEEN_SIDES})([0-9]{{1,9}}))?)?\s*",
    re.IGNORECASE,
)


def strip_sizes(lines: list[str]) -> tuple[list[str], str, int | None] | None:
    """Return the lines after the sizes of the board, a note, and the total that they state.

    The sizes stand on a line, on two, or on one if they are the same. In contests the number of
    boards may stand before them, and zeros behind the last board.
    """
    start = 1 if lines[0].strip() == "1" else 0
    zeros = lines[-1].split()
    # Zeros are a row if they are as many as the rows have cells.
    ends = set(zeros) == {"0"} and len(zeros) != len(lines[-2:][0].split())
    end = len(lines) - 1 if ends else len(lines)
    for first, last in ((0, len(lines)), (0, end), (start, len(lines)), (start, end)):
        for count in (1, 2, 3):
            stated = [line.strip() for line in lines[first : first + count]]
            size = _SIZES.fullmatch(" ".join(stated))
            # Of several lines, only the last can be the total: before 3 3, a 1 counts boards.
            alone = count == 1 or " " not in "".join(stated[-1:])
            if size is None or (size[3] and not alone) or size[0].strip() == "1":
                continue
            sizes = (int(size[1]), int(size[2] or size[1]))
            rest = lines[first + count : last]
            cells = len(rest[0].strip()) if len(rest) == 1 and size[2] else 0
            if min(sizes) > 1 and cells == sizes[0] * sizes[1]:
                raise make_one_row_error(size[0].strip(), cells)
            fields = any(sign in size[0] and sign in line for sign in ",;" for line in rest)
            # Rows of fields differ in length, and 3*3 may be one of several rows of three cells.
            if (fields and not (size[3] and min(sizes) > 1 and _has_sizes(rest, *sizes))) or (
                "*" in size[0] and rest and len(size[0]) == len(rest[0])
            ):
                continue
            if any(_has_sizes(rest, rows, cols) for rows, cols in (sizes, sizes[::-1])):
                said = ("first line was", "first two lines were", "first three lines were")[
                    count - 1
                ]
                total = int(size[3]) if size[3] else None
                return rest, f"The {said} read as the size of the board.", total
    _check_second_size(lines)
    return _strip_total(lines)


def _strip_total(lines: list[str]) -> tuple[list[str], str, int] | None:
    """Return the lines below a number that is neither their size nor a row, as `strip_sizes`."""
    head, rest = lines[0].strip(), lines[1:]
    widths = {len(line.split()) if " " in line.strip() else len(line.strip()) for line in rest}
    if not head.isdecimal() or len(head) > _LONGEST_TOTAL or len(rest) < _LEAST_ROWS:
        return None
    if is_sequence(rest[0].split()) or is_sequence(list(rest[0].strip())):
        # It is the tens of a ruler.
        return None
    width = widths.pop()
    is_row = len(head) == width and not any(" " in line.strip() for line in rest)
    sides = (len(rest), width)
    if widths or is_row or width < _LEAST_ROWS or not 0 < int(head) <= len(rest) * width:
        return None
    if int(head) in sides:
        return None
    return rest, "The first line was read as the total of mines.", int(head)


def read_bare_size(line: str) -> tuple[int, int] | None:
    """Return the numbers of rows and columns if a line has nothing else, in any order."""
    size = _BARE_SIZE.fullmatch(line.strip())
    return (int(size[1]), int(size[2])) if size else None


def confirm_size(grid: Grid, size: tuple[int, int]) -> Grid:
    """Return a grid with the note that its size was stated.

    Raises:
        BoardError: it has another size.
    """
    rows, cols = len(grid.cells), len(grid.cells[0])
    if sorted(size) == sorted((rows, cols)):
        return grid.with_notes("The first line was read as the size of the board.")
    raise BoardError(
        "ragged-rows",
        f"The first line is {size[0]} {size[1]}, and the board below it has {rows} rows and "
        f"{cols} columns.",
        "Leave the first line out, or send all rows.",
    )


def list_stated_sizes(text: str) -> list[tuple[int, int]]:
    """Return the sizes that a text states, as (rows, cols): of 3x5, either side may be the rows."""
    lines = [line for line in text.split("\n") if len(line) < _LONGEST_LABEL]
    said = "\n".join(filter(has_long_word, lines))
    sides = SIZE.findall(said)
    sides += [(size[1], size[2]) for size in map(ONLY_SIZE.fullmatch, lines) if size]
    stated = [size for one, other in sides for size in ((one, other), (other, one))]
    stated += _COUNTED.findall(said)
    stated += [(rows, cols) for cols, rows in _IN_RUST.findall(text)]
    sizes = [(int(rows), int(cols)) for rows, cols in stated]
    sizes += [(int(rows), int(cols) - bool(char)) for char, rows, cols in _IN_C.findall(text)]
    named = {name.lower(): number for name, number in name_numbers("\n".join(lines))}
    return sizes + list_named_sizes(named)


def list_named_sizes(fields: Mapping[str, Any]) -> list[tuple[int, int]]:
    """Return the sizes that fields of known names state together, such as rows and cols."""
    pairs = [(fields[rows], fields[cols]) for rows, cols in _SIDES if {rows, cols} <= fields.keys()]
    return [(int(rows), int(cols)) for rows, cols in pairs if f"{rows}{cols}".isdigit()]


def note_size(sizes: Sequence[tuple[int, int]], reading: BoardReading) -> BoardReading:
    """Return a reading with a note if sizes are stated, of which none is that of the board.

    Args:
        sizes: as (rows, cols).
        reading: the reading.
    """
    rows, cols = reading.board.height, reading.board.width
    if not sizes or (rows, cols) in sizes:
        return reading
    stated = f"{sizes[0][0]}x{sizes[0][1]}"
    note = f"The text says {stated}, and the board has {rows} rows and {cols} columns."
    return replace(reading, notes=(*reading.notes, note))


def check_one_row(text: str, board: Board) -> None:
    """Check that a text with all cells in one row does not state another size: 3x3, or width = 3.

    Raises:
        BoardError: it does.
    """
    if len(board.cells) > 1:
        return
    cells = board.cells.size
    for _, rows, cols in _IN_C.findall(text):
        if int(rows) > 1:
            raise make_one_row_error(f"[{rows}][{cols}]", cells)
    # 3*3 may be cells.
    for rows, cols in SIZE.findall(text.replace("*", " ")):
        if int(rows) > 1 < int(cols) and int(rows) * int(cols) == cells:
            raise make_one_row_error(f"{rows}x{cols}", cells)
    counted = [(name, number) for number, name in _COUNTED_SIDE.findall(text)]
    for name, number in (*name_numbers(text), *counted):
        if _SIDE.fullmatch(name) and 1 < int(number) < cells and cells % int(number) == 0:
            raise make_one_row_error(f"{name} {number}", cells)


def is_size(text: str, lines: Sequence[str]) -> bool:
    """Return True for the size of a board; 3*3 may be cells unless that is the size of the rows."""
    size = SIZE.fullmatch(text)
    if size is None or "*" not in text:
        return size is not None
    rows = [re.sub(r"[\s,;|]", "", line) for line in lines if is_cells(line) and line.strip()]
    sides = sorted((len(rows), len(rows[0]))) if rows else []
    return sides == sorted(map(int, size.groups()))


def _check_second_size(lines: Sequence[str]) -> None:
    """Check that no second size stands below as many rows as the first one states.

    Raises:
        BoardError: one does.
    """
    # The number of boards stands before them in contests.
    lines = lines[1:] if len(lines) > 1 and lines[0].strip().isdigit() else lines
    size = _BARE_SIZE.fullmatch(lines[0].strip())
    if size is None:
        return
    # Lines that all have two fields are rows of two cells.
    between = "\t" if "\t" in lines[0] else None
    if all(len(line.split(between)) == 2 for line in lines):
        return
    sides = (int(size[1]), int(size[2]))
    for rows, cols in (sides, sides[::-1]):
        below = lines[rows + 1].strip() if len(lines) > rows + 2 else ""
        if _BARE_SIZE.fullmatch(below) and _has_sizes(lines[1 : rows + 1], rows, cols):
            raise make_several_boards_error(f'The line "{below}" states the size of another board.')


def _has_sizes(lines: Sequence[str], rows: int, cols: int) -> bool:
    """Return True if lines have this number of rows and cells, with or without signs between."""
    words = [re.split(r"[\s,;]+", line.strip()) for line in lines]
    widths = (
        {len(row), len(line.strip())} if len(row) > 1 else {len(row[0])}
        for row, line in zip(words, lines, strict=True)
    )
    return len(lines) == rows > 0 < cols and all(cols in width for width in widths)
