"""Boards as programs write them: lists and arrays of Python, NumPy, C, MiniZinc and others.

Tested in tests/minefield/reader/test_read.py.
"""

import re
from collections.abc import Sequence
from itertools import islice
from typing import Any, Final

from minecheck.minefield.board import BoardError
from minecheck.minefield.reader.reading import Grid

#: What a literal begins with: perhaps a declaration or a call, then a bracket within a bracket, or
#: a bracket around quoted rows, or the signs of a table of MiniZinc.
_BEGIN: Final = re.compile(
    r"""^(?:[\w\s.,:<>\[\]*&()]{0,120}=\s*)?          # int board[3][3] =, const board: number[][] =
        (?:(?:new\s+)?[\w.]{1,40}(?:\[\])*\s*\(?\s*)?  # np.array(, Matrix(
        (?:[\w.]+\s*,\s*)*                             # array2d(1..3, 1..3,
        (?:[\[({]\s*[\[({"']|\[\s*\||[\[{]\s*[-\w?.*_]+\s*[,\s])""",
    re.VERBOSE,
)
#: Characters of a text within which a literal shows that it is one.
_LONGEST_HEAD: Final = 400
#: The most statements of a program that are searched for a literal.
_MOST_STATEMENTS: Final = 20
_INNERMOST: Final = re.compile(r"[\[({]([^\[\](){}]*)[\])}]")
_ITEM: Final = re.compile(r"""'([^']*)'|"([^"]*)"|([^\s,;]+)""")
_EMPTY_ITEM: Final = re.compile(r"(^|[,;])\s*(?=[,;])")
_COMMENT: Final = re.compile(r"//.*|/\*[^*\n]{0,400}\*/|%.*$", re.MULTILINE)
_STRING: Final = re.compile(r"\"([^\"\n]*)\"|'([^'\n]*)'")
_SIZES: Final = re.compile(r"array2d\(\s*1\s*\.\.\s*(\w+)\s*,\s*1\s*\.\.\s*(\w+)\s*,")
#: A statement of a program such as mines = 10.
_NUMBER: Final = re.compile(r"\b(\w+)\s*(?::\s*\w+\s*)?[:=]\s*([0-9]{1,9})\b")


def read_literal(text: str, total_names: Sequence[str]) -> list[Grid]:
    """Return the grids that a literal of a program can be, none for other texts.

    Args:
        text: the source code.
        total_names: lower-case names of variables that hold the total of mines.

    Raises:
        BoardError: the rows differ in length.
    """
    whole = _COMMENT.sub("", text).strip() if "//" in text or "/*" in text or "%" in text else text
    whole = whole.strip()
    start = _find_start(whole)
    if start is None:
        return []
    totals = [int(value) for name, value in _NUMBER.findall(whole) if name.lower() in total_names]
    ways = _read_strings(whole[start:]) or [_read_lists(whole, start)]
    notes = ("Read a list or array of a program.",)
    total = totals[0] if totals else None
    return [Grid(_check_lengths(rows), "literal", total, notes) for rows in ways if rows]


def read_json_rows(source: Any, notation: str = "json") -> Grid | None:
    """Return the grid of a list of strings or of lists, None if it is neither.

    Args:
        source: any JSON value.
        notation: the notation that the grid is said to have.

    Raises:
        BoardError: the rows differ in length.
    """
    if not isinstance(source, list) or not source:
        return None
    if all(isinstance(row, str) for row in source):
        return Grid(_check_lengths([list(row) for row in source]), notation)
    if all(isinstance(row, list) for row in source):
        rows = [["" if cell is None else str(cell) for cell in row] for row in source]
        return Grid(_check_lengths(rows), notation)
    return None


def _find_start(whole: str) -> int | None:
    """Return where the first bracket of a literal is, None if there is none.

    A text of several statements is searched for the one that holds lists.
    """
    if _BEGIN.match(whole[:_LONGEST_HEAD]):
        return _find_bracket(whole, 0)
    for found in islice(re.finditer(r"=\s*(?=\S)", whole), _MOST_STATEMENTS):
        if _BEGIN.match(whole[found.end() : found.end() + _LONGEST_HEAD]):
            return _find_bracket(whole, found.end())
    return None


def _find_bracket(whole: str, start: int) -> int | None:
    """Return where the first bracket from ``start`` on is that begins rows."""
    brackets = (found.start() for found in re.finditer(r"[\[({]", whole[start:]))
    return next((start + at for at in brackets if _opens_rows(whole, start + at)), None)


def _opens_rows(text: str, place: int) -> bool:
    """Return True if the bracket at a place begins rows, and is no index such as [3] or []."""
    head = text[place : place + _LONGEST_HEAD]
    return len(head) > 1 and not re.match(r"\[\s*\w*\s*\]|\(\s*\)", head)


def _read_strings(literal: str) -> list[list[list[str]]] | None:
    """Return the rows of a list of strings, None for any other; single symbols can be one row."""
    bare = _STRING.sub("", literal)
    if len(re.findall(r"[\[({]", bare)) > 1 or not _STRING.search(literal):
        return None
    rows = [one or other for one, other in _STRING.findall(literal)]
    if re.search(r"[\w?*]", re.sub(r"\b(?:dtype|int|str|object|np)\b", "", bare.split("]")[0])):
        return None
    below = [list(row) for row in rows]
    return [below] if any(len(row) > 1 for row in rows) else [[rows], below]


def _read_lists(whole: str, start: int) -> list[list[str]]:
    """Return the rows of lists in a list, or of one list whose lines or bars are the rows."""
    literal = whole[start:]
    inner = _INNERMOST.findall(literal)
    inner = [one for one in inner if one.strip()]
    if len(inner) > 1 or re.match(r"[\[({]\s*[\[({]", literal):
        return [_split_items(one) for one in inner]
    if not inner:
        return []
    content = inner[0].strip()
    if "|" in content:
        return [
            _split_items(one.strip().rstrip(","))
            for one in content.strip("|").split("|")
            if one.strip()
        ]
    lines = [one.strip().rstrip(",") for one in content.split("\n") if one.strip(" ,\t")]
    if len(lines) > 1:
        return [_split_items(one) for one in lines]
    items = _split_items(content)
    if (sizes := _SIZES.search(whole)) and sizes[1].isdigit() and sizes[2].isdigit():
        rows, cols = int(sizes[1]), int(sizes[2])
        if rows * cols == len(items):
            return [items[at : at + cols] for at in range(0, len(items), cols)]
    return [items]


def _split_items(content: str) -> list[str]:
    """Return the items of a list; an empty one stands for nothing, a comma at the end for none."""
    filled = content.strip().rstrip(",;")
    if "," in filled:
        filled = _EMPTY_ITEM.sub(r"\1null", filled)
    return [one or other or bare for one, other, bare in _ITEM.findall(filled)]


def _check_lengths(rows: Sequence[Sequence[str]]) -> tuple[tuple[str, ...], ...]:
    """Return the rows, which must be of one length.

    Raises:
        BoardError: they are not, or there are no cells.
    """
    if not rows or not rows[0]:
        raise BoardError("empty-board", "The board has no cells.", "Send at least one cell.")
    width = len(rows[0])
    for number, row in enumerate(rows):
        if len(row) != width:
            raise BoardError(
                "ragged-rows",
                f"Row {number} has {len(row)} cells where row 0 has {width}.",
                "Make all rows the same length.",
                row=number,
            )
    return tuple(tuple(row) for row in rows)
