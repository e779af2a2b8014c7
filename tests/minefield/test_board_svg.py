"""Boards are drawn as pictures: a square for each cell, and 0 and 100 for certainties alone."""

import numpy as np
import pytest

from minecheck.minefield import Layout, parse
from minecheck.minefield.board_svg import MOST_CELLS, draw_svg, format_percentage
from tests.minefield.svg import list_cells


def test_draw_svg_draws_each_cell_once() -> None:
    assert list_cells(draw_svg(["01?", "BSF"])) == ["", "1", "", "✹", "✓", "⚑"]


def test_draw_svg_shows_chances_in_percent_and_proofs_as_signs() -> None:
    chances = np.array([[0.0, 1.0, 0.25, np.nan]])
    assert list_cells(draw_svg(["???1"], chances)) == ["✓", "✹", "25", "1"]


@pytest.mark.parametrize(
    ("chance", "text"), [(0, "0"), (1e-9, "<1"), (0.5, "50"), (1 - 1e-9, ">99"), (1, "100")]
)
def test_format_percentage_keeps_0_and_100_for_what_is_certain(chance: float, text: str) -> None:
    assert format_percentage(chance) == text


def test_draw_svg_escapes_the_caption() -> None:
    assert "&lt;b&gt;" in draw_svg(["?"], caption="<b>")


def test_draw_svg_shows_large_boards_as_text() -> None:
    large = draw_svg(["?" * (MOST_CELLS + 1)], caption="wide")
    assert large.startswith("<pre>?")
    assert "wide" in large


def test_draw_svg_outlines_marks_in_their_colour() -> None:
    assert "#ad2a22" in draw_svg(["1"], marks={(0, 0): "conflict"})
    assert "#ad2a22" not in draw_svg(["?"])


def test_draw_svg_needs_no_style_sheet() -> None:
    assert "style" not in draw_svg(["?1"], marks={(0, 0): "best"}, caption="a board")


def test_boards_and_layouts_are_shown_as_text_pictures_and_arrays() -> None:
    board, layout = parse(["?1"]), Layout(np.array([[True, False]]))
    assert (str(board), repr(board)) == ("?1", "parse(['?1'])")
    assert (str(layout), repr(layout)) == ("B1", "Layout(['B1'])")
    assert list_cells(board._repr_html_()) == ["", "1"]
    assert list_cells(layout._repr_html_()) == ["✹", "1"]
    assert board.to_numpy().tolist() == [["?", "1"]]
    assert layout.to_numpy().tolist() == [[True, False]]
