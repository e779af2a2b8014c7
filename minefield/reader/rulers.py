"""Rulers: numbers, letters or names along the edges of a grid that count its rows and columns.

Tested in tests/minefield/reader/test_read.py.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain, pairwise, product
from string import ascii_uppercase
from typing import Final

from minecheck.minefield.board import BoardError
from minecheck.minefield.reader.frames import CORNERS, check_columns, is_header
from minecheck.minefield.reader.reading import Grid, make_no_board_error

Rows = list[list[str]]

#: A row or column of clues may count up from 0 or 1 by chance, but hardly further than this.
_BY_CHANCE: Final = 2
#: Ten numbers from 0 on have one digit.
_TENS: Final = 10
#: Labels with a gap are more than these. As many of the last ones are looked at, which count up to
#: this number at least: it is no clue.
_FEW_LABELS: Final = 5
_MOST_LABELS: Final = 1000
_LEAST_LAST: Final = 9
RULERS_NOTE: Final = "The rulers were left out: they count rows and columns."
_FLOAT: Final = re.compile(r"\A([0-9])\.\Z")
#: Signs around the label of a row.
_AFTER_LABEL: Final = re.compile(r"[\[\]():|=]|-{0,9}>|→")
#: Digits of the longest number of a row or column, zeros before it included.
_MOST_DIGITS: Final = 9
_LETTERS: Final = [*ascii_uppercase, *map("".join, product(ascii_uppercase, repeat=2))]
#: Cells that may as well be no more than where two rulers meet.
_CORNER_SIGNS: Final = "x*.-_⬛⬜"


def strip_rulers(grid: Grid) -> list[Grid]:
    """Return the grids that a grid of fields can be: without its rulers, or as it is.

    ``grid`` may be ragged here: a ruler above the cells has no label of its own at the left.
    One grid is returned where it is certain; two where labels may be clues, the likelier first.

    Raises:
        BoardError: it is a table of cells with their coordinates.
    """
    rows = _normalise_rulers(_strip_points([list(row) for row in grid.cells]))
    _check_gaps([row[0] for row in rows if row][-_MOST_LABELS:])
    rows = _move_right_labels(rows)
    if len(rows) < 2 and not _counts_far(rows[0] if rows else []):
        return [grid]
    if len({len(row) for row in rows[1:]}) > 1 or not rows[0]:
        return [grid]
    top, body = rows[0], rows[1:]
    width = len(body[0]) if body else len(top)
    if body and is_header(top[-1:]):
        check_columns(top)
    left = is_sequence([row[0] for row in body], downwards=True) if width else False
    corner = top[0].lower() if len(top) == width else ""
    names = top[1:] if len(top) == width else top
    labelled = is_sequence(names) or is_header(names)
    certain = len(body) > 1 or is_sequence(names)
    if left and width > 1 and len(names) == width - 1 and certain and labelled:
        without = _build_without_rulers(grid, [row[1:] for row in body])
        labels = [*names, *(row[0] for row in body)]
        far = (len(names) > 1 and len(body) > 1) or not all(map(_is_symbol_like, labels))
        lettered = (
            is_sequence(names) and not is_sequence(top) and not all(map(_is_symbol_like, names))
        )
        if len(top) < width and _counts_far([row[-1] for row in body]):
            # The labels may be those at the right as well.
            return [without, _build_without_rulers(grid, [row[:-1] for row in body])]
        if len(top) < width or lettered or (far and corner in CORNERS):
            return [without]
        if corner in CORNERS:
            return [grid, without]
        if is_header(top) and not is_sequence(top):
            return [replace(grid, cells=tuple(map(tuple, body))), without]
        used = {cell.lower() for row in body for cell in row}
        if corner == "0" and far:
            return [without, *_strip_edges(grid, rows)]
        if corner in {*_CORNER_SIGNS} - used and len(names) > 1 and is_sequence(names):
            return [grid, without]
    if len(top) != width:
        return [grid]
    if is_header(top) and body and not is_header(body[0]):
        return strip_rulers(replace(grid, cells=tuple(map(tuple, body))))
    return _strip_edges(grid, rows)


def _strip_edges(grid: Grid, rows: Rows) -> list[Grid]:
    """Return a grid without a ruler along each edge that may be one, the grid itself among them."""
    readings = [grid]
    edges = {
        "above": (rows[0], rows[1:]),
        "left": ([row[0] for row in rows], [row[1:] for row in rows]),
        "below": (rows[-1], rows[:-1]),
        "right": ([row[-1] for row in rows], [row[:-1] for row in rows]),
    }
    for edge, (labels, inner) in edges.items():
        down = edge in ("left", "right")
        if not inner or not inner[0] or not is_sequence(labels, downwards=down):
            continue
        # Labels on the other sides that may be no cells are taken for no rulers.
        if edge in ("above", "left") and not all(map(_is_symbol_like, labels)):
            return [_build_without_rulers(grid, inner)]
        if len(labels) > _BY_CHANCE:
            readings.append(_build_without_rulers(grid, inner))
        elif edge == "left" and len(labels) == _BY_CHANCE and len(inner[0]) > 1:
            readings.append(replace(_build_without_rulers(grid, inner), doubtful=True))
    lefts, rights = edges["left"][0], edges["right"][0]
    if lefts == rights and _counts_far(lefts) and len(rows[0]) > _BY_CHANCE:
        readings.insert(1, _build_without_rulers(grid, [row[1:-1] for row in rows]))
    tops, belows = rows[0], rows[-1]
    if tops == belows and _counts_far(tops) and len(rows) > _BY_CHANCE:
        readings.insert(1, _build_without_rulers(grid, rows[1:-1]))
    if len(rows) > _BY_CHANCE and _has_labels_below(rows):
        # The first row may be labels of columns as well.
        readings.insert(1, _build_without_rulers(grid, [row[1:] for row in rows[:-1]]))
    return readings


def _strip_points(rows: Rows) -> Rows:
    """Return rows of whole floats such as 1. without the points, which are none behind a label."""
    floats = any(map(_FLOAT.match, {*chain(*(row[1:] for row in rows[1:]))}))
    return [[_FLOAT.sub(r"\1", cell) for cell in row] for row in rows] if floats else rows


def _normalise_rulers(rows: Rows) -> Rows:
    """Return rows with a ruler above instead of below them, and without rulers that are repeated.

    A ruler above or below has no label of its own; one at the right has the labels of the left.
    """
    even = len({*map(len, rows)}) == 1
    if even and len(rows) > _BY_CHANCE and _has_labels_below(rows) and not is_sequence(rows[0][1:]):
        return [["", *rows[-1][1:]], *rows[:-1]]
    # Below a single row, numbers may be another one.
    if (
        len(rows) < (3 if rows[-1][:1] in (["0"], ["1"]) else 2)
        or len(rows[-1]) < 2
        or len(rows[-1]) == len(rows[-2])
    ):
        return rows
    if not is_sequence(rows[-1]):
        return rows
    body = rows[:-1] if rows[0] != rows[-1] else rows[1:-1]
    if len(body) > 1 and all(len(row) == len(rows[-1]) + 2 and row[0] == row[-1] for row in body):
        body = [row[:-1] for row in body]
    return [rows[-1], *body]


def _has_labels_below(rows: Rows) -> bool:
    """Return True for labels of columns below rows with labels at their left."""
    *body, below = rows
    labels = [row[0] for row in body]
    return below[0] in ("", "_") and is_sequence(below[1:]) and is_sequence(labels, downwards=True)


def _move_right_labels(rows: Rows) -> Rows:
    """Return rows below a ruler with the labels at their right, if they have some, at the left."""
    top, body = rows[:1], rows[1:]
    extra = {len(row) - len(top[0]) for row in body}
    right = [row[-1] for row in body if row]
    if extra == {2} and right == [row[0] for row in body] and is_sequence(right, downwards=True):
        return [*top, *(row[:-1] for row in body)]
    left = [row[0] for row in body if row]
    if extra == {1} and _counts_far(right) and not is_sequence(left, downwards=True):
        return [*top, *([row[-1], *row[:-1]] for row in body)]
    return rows


def strip_row_labels(lines: Sequence[str]) -> list[str] | None:
    """Return lines without the labels before or behind their cells, None if there are none.

    Such a line has two words: a label, perhaps with a colon, and all cells of the row together.
    A line above or below them with the columns, all together, goes as well.
    """
    words = [_AFTER_LABEL.sub(" ", line).split() for line in lines]
    if len(words) > 2 and len(words[0]) == 1 and words[0] == words[-1]:
        words = words[:-1]
    elif len(words) > 1 and len(words[-1]) == 1:
        words = [words[-1], *words[:-1]]
    top = bool(words) and len(words[0]) == 1 and len(words) > 1
    body = words[1:] if top else words
    if all(len(row) == 3 and row[0] == row[-1] for row in body):
        body = [row[:-1] for row in body]
    right = [row[-1] for row in body if len(row) == 2]
    left = [row[0] for row in body if row]
    if (
        len(right) == len(body) > _BY_CHANCE
        and is_sequence(right, downwards=True)
        and not (top and is_sequence(left, downwards=True))
    ):
        body = [row[::-1] for row in body]
    if any(len(row) != 2 for row in body) or len(words) < 2:
        return None
    widths = {len(cells) for _, cells in body}
    even = len(widths) == 1 and min(widths) > 1 and (not top or widths == {len(words[0][0])})
    if not even or (top and not is_sequence(list(words[0][0]))):
        return None
    return (
        [cells.strip("'\"") for _, cells in body]
        if is_sequence([label for label, _ in body], True)
        else None
    )


def strip_tens(lines: list[str]) -> list[str]:
    """Return lines without a first one that only has the tens of the numbers in the second."""
    if len(lines) > 2 and not lines[0].strip("0123456789 ") and " " in lines[0].strip("123456789"):
        ones = lines[1].strip()
        if len(ones) > 9 and is_sequence(list(ones)):
            return lines[1:]
    return lines


def check_ruler(line: str, text: str) -> None:
    """Check that the only row of a text of several lines does not just count its columns.

    Raises:
        BoardError: it does, so that the rows below it were not read.
    """
    words = line.split()
    labels = words if len(words) > 1 else list(line.strip())
    if is_sequence(labels) and sum(bool(other.strip()) for other in text.split("\n")) > _BY_CHANCE:
        raise BoardError(
            "unknown-symbol",
            f'The line "{line.strip()[:40]}" counts columns, and no other line was read as a row.',
            'Say what the symbols in the rows mean with symbols, such as {"C": "unknown"}.',
        )


def _check_gaps(labels: Sequence[str]) -> None:
    """Check that no row is missing between labels that count further than clues do.

    Raises:
        BoardError: the labels have a gap.
    """
    numbers = [int(label) for label in labels if re.fullmatch("[0-9]{1,4}", label)]
    gaps = [(one, other) for one, other in pairwise(numbers) if other != one + 1]
    counted = len(numbers) >= max(len(labels) - 1, _FEW_LABELS + 1) and numbers[-1] >= _LEAST_LAST
    if counted and len(gaps) == 1 and gaps[0][1] > gaps[0][0]:
        raise make_no_board_error(
            f"The labels of the rows go from {gaps[0][0]} to {gaps[0][1]}: a row may be missing.",
            "Send all rows, or leave out their labels.",
        )


def part_numbers(lines: list[str]) -> list[str]:
    """Return lines with blanks between all numbers of a ruler above, of which some touch."""
    digits = "".join(lines[0].split())
    count = len(lines[1].split()) if len(lines) > 1 and " " in lines[0].strip() else 0
    for first, columns in ((0, count), (1, count), (0, count - 1), (1, count - 1)):
        numbers = [*map(str, range(first, first + columns))]
        if columns > _TENS and "".join(numbers) == digits:
            return [" ".join(numbers), *lines[1:]]
    return lines


def _build_without_rulers(grid: Grid, rows: Rows) -> Grid:
    return replace(grid, cells=tuple(map(tuple, rows))).with_notes(RULERS_NOTE)


def is_sequence(labels: Sequence[str], downwards: bool = False) -> bool:
    """Return True if labels are consecutive numbers from 0 or 1, or letters from A.

    Of ten numbers or more, perhaps only the last digits are written. A word may be before each.

    Args:
        labels: the labels.
        downwards: whether numbers may also end with 1 or 0, as on the left of chess boards.
    """
    bare = [label.rstrip(".:)") for label in labels]
    if len({len(label) - len(short) for label, short in zip(labels, bare, strict=True)}) > 1:
        return False
    words = {label.rstrip("0123456789") for label in bare}
    if (
        len(words) == 1
        and min(words).isidentifier()
        and all(label[-1].isdecimal() for label in bare)
    ):
        bare = [label[len(min(words)) :] for label in bare]
    if not bare or not all(bare):
        return False
    if all(map(str.isdecimal, bare)):
        if len({len(label) for label in bare}) == 1 and len(bare[0]) <= _MOST_DIGITS:
            bare = [str(int(label)) for label in bare]
        if downwards and bare[-1] in ("0", "1") and bare[0] not in ("0", "1"):
            bare = bare[::-1]
        counted = [str(int(bare[0][:5]) + at) for at in range(len(bare))]
        return bare[0] in ("0", "1") and bare in (counted, [label[-1] for label in counted])
    return [label.upper() for label in bare] == _LETTERS[: len(bare)]


def _counts_far(labels: Sequence[str]) -> bool:
    return len(labels) > _BY_CHANCE and is_sequence(labels, downwards=True)


def _is_symbol_like(text: str) -> bool:
    """Return True if a label could be a cell: one digit of a clue, or a letter of a symbol."""
    return text in tuple("012345678BFSMHUXObfsmhuxo")
