"""Symmetric boards have one form in common, and everything goes where its cells go."""

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.execution.symmetry import SYMMETRIES, UNMOVED, Symmetry, canonical
from minefield import Board
from minefield.board import Cells
from tests.boards import small_boards


def pictures(cells: Cells) -> Iterator[Cells]:
    """All eight, by turning in quarters and by mirroring."""
    for quarters in range(4):
        turned = np.rot90(cells, quarters)
        yield turned
        yield np.fliplr(turned)


def moved(symmetry: Symmetry, cells: Cells) -> Cells:
    return np.array(symmetry.grid(cells.tolist()), np.int8)


symmetries = st.sampled_from(SYMMETRIES)


@given(small_boards(), small_boards())
def test_boards_have_a_form_in_common_exactly_if_one_is_a_picture_of_the_other(
    one: Board, other: Board
) -> None:
    form, _ = canonical(one.cells)
    for picture in pictures(one.cells):
        assert canonical(picture)[0] == form
    alike = any(np.array_equal(picture, other.cells) for picture in pictures(one.cells))
    areas = {tuple(sorted(board.shape)) for board in (one, other)}
    assert (canonical(other.cells)[0] == form and len(areas) == 1) == alike


@given(small_boards())
def test_the_symmetry_makes_the_form(board: Board) -> None:
    form, symmetry = canonical(board.cells)
    cells = moved(symmetry, board.cells)
    assert cells.tobytes() == form
    assert cells.shape[0] <= cells.shape[1]


@pytest.mark.parametrize("symmetry", SYMMETRIES)
def test_the_symmetries_are_eight_different_pictures(symmetry: Symmetry) -> None:
    cells = np.arange(6, dtype=np.int8).reshape(2, 3)
    known = {(picture.shape, picture.tobytes()) for picture in pictures(cells)}
    found = moved(symmetry, cells)
    assert (found.shape, found.tobytes()) in known
    every = {(m.shape, m.tobytes()) for m in (moved(one, cells) for one in SYMMETRIES)}
    assert every == known


@given(small_boards(), symmetries, symmetries)
def test_since_leads_from_one_board_to_the_other(
    board: Board, before: Symmetry, after: Symmetry
) -> None:
    # Two boards that their symmetries move to the same place.
    ones = list(pictures(board.cells))
    for one in ones:
        for other in ones:
            if np.array_equal(moved(before, one), moved(after, other)):
                assert np.array_equal(moved(after.since(before), one), other)


@given(symmetries)
def test_since_itself_nothing_moves(symmetry: Symmetry) -> None:
    assert symmetry.since(symmetry) == UNMOVED


@given(st.integers(1, 5), st.integers(1, 5), symmetries)
def test_places_go_where_the_grid_goes(height: int, width: int, symmetry: Symmetry) -> None:
    grid = symmetry.grid([[[row, col] for col in range(width)] for row in range(height)])
    shape = len(grid), len(grid[0])
    for row, line in enumerate(grid):
        for col, before in enumerate(line):
            assert symmetry.place(before, shape) == [row, col]
