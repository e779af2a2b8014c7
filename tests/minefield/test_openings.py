"""Openings and the 3BV, against floods in plain Python."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from minecheck.minefield.layout import Layout
from minecheck.minefield.openings import count_least_clicks, dilate_cells, find_openings
from tests.oracle import Cell, neighbours


@st.composite
def layouts(draw: st.DrawFn) -> Layout:
    height, width = draw(st.tuples(st.integers(1, 9), st.integers(1, 9)))
    dense = draw(st.sampled_from([0.0, 0.1, 0.2, 0.5]))
    seed = draw(st.integers(0, 2**32))
    return Layout(np.random.default_rng(seed).random((height, width)) < dense)


def flood_openings(layout: Layout) -> list[set[Cell]]:
    """The openings, in the order of their first cells."""
    height, width = layout.mines.shape
    rows = layout.rows()
    left = [(row, col) for row in range(height) for col in range(width) if rows[row][col] == "0"]
    found = []
    while left:
        opening, waiting = {left[0]}, [left[0]]
        while waiting:
            for near in neighbours(waiting.pop(), height, width):
                if near in left and near not in opening:
                    opening.add(near)
                    waiting.append(near)
        found.append(opening)
        left = [cell for cell in left if cell not in opening]
    return found


@given(layouts())
def test_find_openings_numbers_the_zeros_that_one_click_shows(layout: Layout) -> None:
    found = find_openings(layout)
    expected = flood_openings(layout)
    assert found.max(initial=-1) + 1 == len(expected)
    for number, opening in enumerate(expected):
        assert set(map(tuple, np.argwhere(found == number).tolist())) == opening


@given(layouts())
def test_least_clicks_counts_openings_and_numbers_outside(layout: Layout) -> None:
    height, width = layout.mines.shape
    shown = set().union(*flood_openings(layout))
    shown |= {near for cell in shown for near in neighbours(cell, height, width)}
    alone = height * width - layout.total - len(shown)
    assert count_least_clicks(layout) == len(flood_openings(layout)) + alone


def test_least_clicks_of_one_cell_is_one_or_none() -> None:
    assert count_least_clicks(Layout(np.array([[False]]))) == 1
    assert count_least_clicks(Layout(np.array([[True]]))) == 0


def test_dilate_cells_grows_a_corner_to_four_cells() -> None:
    corner = np.zeros((3, 4), np.bool_)
    corner[2, 3] = True
    assert np.argwhere(dilate_cells(corner)).tolist() == [[1, 2], [1, 3], [2, 2], [2, 3]]
