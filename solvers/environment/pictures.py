"""Boards of an environment as text with rulers, and as pictures of pixels.

Tested in tests/solvers/environment/test_pictures.py.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from minecheck.minefield.board import MINE, SYMBOLS, UNKNOWN
from minecheck.minefield.topology import Shape

#: The pixels of a cell in each direction, and those of a square of its digit.
CELL: Final = 20
_DOT: Final = 3
_HIDDEN: Final = (160, 168, 178)
_SHOWN: Final = (232, 235, 239)
_EDGE: Final = (120, 126, 134)
_BURST: Final = (214, 60, 52)
#: The colours of the numbers 0 to 8, as players know them.
_INKS: Final = (
    (232, 235, 239),
    (25, 60, 214),
    (14, 118, 34),
    (204, 24, 24),
    (24, 16, 120),
    (122, 20, 20),
    (0, 122, 122),
    (20, 20, 20),
    (96, 96, 96),
)
#: Digits of three by five squares, row by row.
_DIGITS: Final = (
    "...............",
    ".#.##..#..#.###",
    "##...#.#.#..###",
    "##...#.#...###.",
    "#.##.####..#..#",
    "####..##...###.",
    ".###..###.#.#.#",
    "###..#.#..#..#.",
    "###.##.#.##.###",
)


def draw_with_rulers(cells: NDArray[np.int8]) -> str:
    """Return a board as text, with the numbers of rows and columns around it.

    Args:
        cells: cell codes: (rows, cols).
    """
    rows, cols = cells.shape
    high, wide = len(str(rows - 1)), len(str(cols - 1))
    heading = " " * (high + 2) + "".join(f" {col:>{wide}}" for col in range(cols))
    lines = [
        f"{row:>{high}} |" + "".join(f" {SYMBOLS[code]:>{wide}}" for code in codes)
        for row, codes in enumerate(cells.tolist())
    ]
    return "\n".join([heading, *lines])


def draw_pixels(cells: NDArray[np.int8], shape: Shape) -> NDArray[np.uint8]:
    """Return a board as a picture; rows of hexagons are shifted as they touch.

    Args:
        cells: cell codes: (rows, cols).
        shape: the shape of the board.

    Returns:
        uint8 (rows * `CELL`, width, 3); a board of hexagons is half a cell wider.
    """
    rows, cols = cells.shape
    shift = CELL // 2 if shape is Shape.HEXAGONAL else 0
    picture = np.full((rows * CELL, cols * CELL + shift, 3), 255, np.uint8)
    for row, codes in enumerate(cells.tolist()):
        for col, code in enumerate(codes):
            left = col * CELL + (shift if row % 2 else 0)
            picture[row * CELL : (row + 1) * CELL, left : left + CELL] = _PICTURES[code]
    return picture


def _draw_cell(code: int) -> NDArray[np.uint8]:
    """Return the picture of a cell, (CELL, CELL, 3)."""
    ground = _HIDDEN if code == UNKNOWN else _BURST if code == MINE else _SHOWN
    picture = np.full((CELL, CELL, 3), ground, np.uint8)
    picture[-1], picture[:, -1] = _EDGE, _EDGE
    if code < len(_DIGITS):
        for index, square in enumerate(_DIGITS[code]):
            if square == "#":
                top, left = 2 + index // 3 * _DOT, 5 + index % 3 * _DOT
                picture[top : top + _DOT, left : left + _DOT] = _INKS[code]
    if code == MINE:
        picture[6:14, 6:14] = 0
    return picture


_PICTURES: Final = tuple(_draw_cell(code) for code in range(len(SYMBOLS)))
