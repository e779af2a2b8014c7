"""Numbers of things in words, and messages in the singular."""

import numpy as np
import pytest

from minecheck.minefield import (
    BoardError,
    FormatError,
    Layout,
    Opened,
    RuleError,
    formats,
    parse,
    parse_rules,
)
from minecheck.minefield.numerals import format_count

ONE_MINE = "# MINESWEEPER-BOARD v0.1\nrows: 1\ncolumns: 2\nmines: 2\n[real]\n*1\n"


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (0, "0 rows"),
        (1, "1 row"),
        (2, "2 rows"),
        (11, "11 rows"),
        ("1", "1 row"),
        ("10", "10 rows"),
    ],
)
def test_format_count_uses_the_singular_for_one(number: int | str, words: str) -> None:
    assert format_count(number, "row") == words


@pytest.mark.parametrize(
    ("format", "data", "detail"),
    [
        ("mbf", bytes([2, 2, 0, 1, 0]), "A file with 1 mine has 6 bytes, not 5."),
        ("mine", "1x2x0\nH", "There should be 2 rows, not 1."),
        ("mine", "2x1x0\nH", "Row 0 has 1 cell where there should be 2."),
        ("jsminesweeper", "?b=11&m=", "The code shows 0 where there should be 1 cell."),
        ("board", ONE_MINE, "The layout has 1 mine, and the field mines says 2."),
        ("tatham", "2x3:a", "The ID has 1 digit of mines where 6 cells should have 2."),
    ],
)
def test_format_errors_use_the_singular_for_one(
    format: str, data: bytes | str, detail: str
) -> None:
    with pytest.raises(FormatError) as caught:
        formats.read(data, format)
    assert caught.value.detail == detail


def test_board_and_rule_errors_use_the_singular_for_one() -> None:
    with pytest.raises(BoardError, match=r"Row 1 has 1 cell where row 0 has 2\."):
        parse(["??", "?"])
    with pytest.raises(RuleError, match=r"The rules name 1 cell, more than there are in all\."):
        parse_rules([{"cells": ["a"], "mines": 1}], 0)


def test_layout_errors_use_the_singular_for_one_mine() -> None:
    opened = Opened(None, Layout(np.array([[True, False]])), 2)
    with pytest.raises(FormatError, match="The layout has 1 mine, but the number given is 2"):
        formats.write(opened, "mbf")
