"""Boards of environments as text and as pixels."""

import numpy as np

from minecheck.minefield.board import MINE, UNKNOWN
from minecheck.minefield.topology import Shape
from minecheck.solvers.environment.pictures import CELL, draw_pixels, draw_with_rulers


def test_draw_with_rulers_aligns_the_rulers() -> None:
    cells = np.full((2, 11), UNKNOWN, np.int8)
    cells[0, 0], cells[1, 10] = 3, MINE
    assert draw_with_rulers(cells).split("\n") == [
        "     0  1  2  3  4  5  6  7  8  9 10",
        "0 |  3  ?  ?  ?  ?  ?  ?  ?  ?  ?  ?",
        "1 |  ?  ?  ?  ?  ?  ?  ?  ?  ?  ?  B",
    ]


def test_draw_pixels_draws_each_symbol_differently() -> None:
    codes = np.arange(11, dtype=np.int8).reshape(1, 11)
    picture = draw_pixels(codes, Shape.RECTANGLE)
    assert picture.shape == (CELL, 11 * CELL, 3)
    cells = {picture[:, col * CELL : (col + 1) * CELL].tobytes() for col in range(11)}
    assert len(cells) == 11


def test_draw_pixels_shifts_rows_of_hexagons() -> None:
    picture = draw_pixels(np.zeros((2, 3), np.int8), Shape.HEXAGONAL)
    assert picture.shape == (2 * CELL, 3 * CELL + CELL // 2, 3)
    assert (picture[CELL:, : CELL // 2] == 255).all()
    assert (picture[:CELL, -CELL // 2 :] == 255).all()
    assert np.array_equal(picture[:CELL, :CELL], picture[CELL:, CELL // 2 : CELL // 2 + CELL])
