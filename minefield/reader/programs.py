"""Programs and commands with a string that holds the board.

Tested in tests/minefield/reader/test_read.py.
"""

import re
from collections.abc import Iterable
from typing import Final

from minecheck.minefield.reader.literals import find_lists
from minecheck.minefield.reader.meanings import is_cells, is_symbol
from minecheck.minefield.reader.reading import (
    LIST_AND_STRING,
    make_computed_error,
    make_several_boards_error,
)
from minecheck.minefield.reader.strings import (
    StringLiteral,
    find_building,
    find_strings,
    is_version,
    say_left_out,
)
from minecheck.minefield.reader.totals import add_total

#: An option, or a number with a name, next to a string.
_NAMED: Final = re.compile(
    r"--?\w[\w-]*(?:[ =][0-9]{1,9}\b)?|\b\w+\s*(?::?=+|:\s)\s*[0-9]{1,9}\b|(?<!\S)\S+?:[0-9/]\S*"
    r"|[=!<>]=\s*[0-9]{1,9}\b|\b[0-9]{1,9}\s+(?:mines|bombs)\b"
)
#: A cell outside of the string.
_CELL: Final = re.compile(r"(?<![\w=-])[0-8?*.](?![\w./])")
#: A line that may be a row: two cells, one of them a digit or a sign.
_ROW: Final = re.compile(r"(?=.*[0-8?*])\s*\S.*\S")
#: Strings that follow one another, of which each but the last ends a line.
_JOINED: Final = re.compile(r"\\n(['\"])[\s+\\]{0,200}\1")
#: Methods and indices behind a string, and those among them, or before it, that change its cells.
_METHODS: Final = re.compile(
    r"(?:\s*\.\w{1,20}\([^()\n]{0,80}\)|\s*\[[^\[\]\n]{0,20}\])*(?:\s*[*+]\s*\w)?"
)
_CHANGED: Final = re.compile(
    r"\[::-1\]|\*\s*[0-9]|\+\s*[^\W\d]|\.(?:translate|reverse|maketrans)\("
    r"|\.replace\w*\(\s*[rbu]?(['\"/])(?P<old>(?:\\?[^\w\s'\"/\\]|\w){1,20})\1"
)
_CHANGED_BEFORE: Final = re.compile(r"(?:zip\(\s*\*|reversed\(|sorted\(|[\w)]\s*[*+])\s*\Z")


def open_string(text: str) -> tuple[str, tuple[str, ...]] | None:
    """Return the rows in the string of a program or command that is its board, and notes.

    It is the only string with cells, if there are none around it; or the only one with several
    rows, if no list has any. A total that is stated beside the string follows as a last line.

    Raises:
        BoardError: several strings or lists have rows, or the program changes the string.
    """
    text = _JOINED.sub(r"\\n", text)
    literals = [*find_strings(text)]
    strings = [string for string in literals if string.has_cells]
    boards = [string for string in strings if string.has_rows]
    if len({string.content for string in boards}) > 1:
        raise make_several_boards_error("Several strings of the text hold rows.")
    board = next(iter(boards or strings), None)
    if board is None or is_symbol(board.content.strip()) or is_version(board.content):
        return None
    notes: tuple[str, ...] = ()
    if len(strings) > 1 or _CELL.search(_NAMED.sub("", _cut_strings(text, literals))):
        if not boards:
            return None
        lists, have_rows = find_lists(f"{text[: board.start]}''{text[board.end :]}")
        if have_rows:
            raise make_several_boards_error(LIST_AND_STRING)
        others = [other for other in strings if other != board and other.has_several_cells]
        notes = say_left_out(lists, others)
    beside = _cut_strings(text, strings, "''")
    if any(_ROW.match(line) and is_cells(line) for line in beside.split("\n")):
        raise make_several_boards_error("Rows stand in a string and outside of it.")
    _check_unchanged(text, board)
    return add_total(board.content, beside), notes


def _cut_strings(text: str, strings: Iterable[StringLiteral], instead: str = "") -> str:
    """Return a text with something instead of each of some strings in it."""
    parts, end = [], 0
    for string in strings:
        parts += [text[end : string.start], instead]
        end = string.end
    return "".join([*parts, text[end:]])


def _check_unchanged(text: str, board: StringLiteral) -> None:
    """Check that no method changes the cells of a string, or their order.

    Raises:
        BoardError: one does.
    """
    methods = _METHODS.match(text, board.end)
    changed = _CHANGED.search(methods[0]) if methods else None
    changed = changed or _CHANGED_BEFORE.search(text[max(0, board.start - 20) : board.start])
    old = (changed.groupdict().get("old") or "").replace("\\", "") if changed else ""
    code = changed[0] if changed and old in board.content else find_building(text, board.start)
    if code is not None:
        raise make_computed_error(code)
