"""Files of Minegauler: where the mines are, and which boards are of another kind."""

import json
from typing import Any

import pytest

from minecheck.minefield import FormatError, formats
from minecheck.minefield.formats import find_format_by_name
from minecheck.minefield.reader import read_board
from tests.minefield.formats.saved_files import MGB_FILE


def test_mgb_reads_columns_before_rows() -> None:
    opened = formats.read(MGB_FILE)
    assert opened.format == "mgb"
    assert opened.require_layout().rows() == ["1B2", "12B"]
    assert read_board(MGB_FILE.encode()).mines == 2
    assert find_format_by_name("board.mgb") == "mgb"


def test_mgb_reads_files_of_older_versions() -> None:
    text = '{"x_size": 1, "y_size": 2, "mine_coords": [[0, 1]], "per_cell": 3}'
    assert formats.read(text).require_layout().rows() == ["1", "B"]


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"type": "split_cell"}, "wrong-field"),
        ({"reach": 24}, "wrong-field"),
        ({"x_size": None}, "wrong-field"),
        ({"y_size": 0}, "empty-board"),
        ({"y_size": 99_999_999}, "board-too-large"),
        ({"mine_coords": [[3, 0]]}, "mine-off-the-board"),
        ({"mine_coords": [[-1, 0]]}, "mine-off-the-board"),
        ({"mine_coords": [[1, 0], [1, 0]]}, "mine-repeated"),
        ({"mine_coords": [[1]]}, "wrong-field"),
        ({"mine_coords": [[1, 0.5]]}, "wrong-field"),
        ({"mine_coords": 3}, "wrong-field"),
    ],
)
def test_mgb_rejects_other_boards_and_wrong_fields(change: dict[str, Any], code: str) -> None:
    with pytest.raises(FormatError) as caught:
        formats.read(json.dumps(json.loads(MGB_FILE) | change), "mgb")
    assert caught.value.code == code


@pytest.mark.parametrize("text", ["", "[]", "{", "3x2x1"])
def test_mgb_rejects_what_is_no_json_object(text: str) -> None:
    with pytest.raises(FormatError) as caught:
        formats.read(text, "mgb")
    assert caught.value.code == "wrong-head"
