"""Boards as pictures, which notebooks show, in the colours of the page.

A picture is SVG with attributes alone: no style sheet of a notebook changes it, and no policy of a
page forbids it.

Tested in tests/minefield/test_board_svg.py.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from html import escape
from types import MappingProxyType
from typing import Final

import numpy as np
from numpy.typing import NDArray

from minecheck.minefield.heat_colors import USUAL_DENSITY, find_heat, pick_heat_color

#: Larger boards are shown as text: a picture of more cells is slow to draw.
MOST_CELLS: Final = 10_000

#: The side of a cell.
_SIZE: Final = 26
_CLOSED: Final = "#c6d3da"
_OPEN: Final = "#f8faf8"
_INK: Final = "#1f2a33"
_SAFE: Final = "#c2e8cb"
_MINE: Final = "#f6bdb4"
_INKS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "1": "#1d4ed8",
        "2": "#166534",
        "3": "#b91c1c",
        "4": "#4c2a91",
        "5": "#86330f",
        "6": "#0f5f6b",
        "7": "#1f2a33",
        "8": "#535e68",
    }
)
#: Signs on covered cells; a proved mine is drawn as a bomb as well.
_SIGNS: Final[Mapping[str, str]] = MappingProxyType(
    {"0": "", "?": "", "B": "✹", "F": "⚑", "S": "✓"}
)
#: The outlines of cells that are pointed out.
_OUTLINES: Final[Mapping[str, str]] = MappingProxyType(
    {"conflict": "#ad2a22", "mine": "#ad2a22", "safe": "#18653a", "best": "#8a4b00"}
)


def draw_svg(
    rows: Sequence[str],
    chances: NDArray[np.float64] | None = None,
    marks: Mapping[tuple[int, int], str] = MappingProxyType({}),
    caption: str = "",
    density: float = USUAL_DENSITY,
) -> str:
    """Draw a board as an SVG picture within HTML.

    Args:
        rows: the symbols of the standard notation, one string a row.
        chances: the chance of a mine in each unknown cell, NaN elsewhere: (height, width).
        marks: what is pointed out, by (row, col): ``conflict``, ``mine``, ``safe`` or ``best``.
        caption: a line of text below the board.
        density: mines per cell of the board, for the colours of chances.
    """
    below = f"<div>{escape(caption)}</div>" if caption else ""
    height, width = len(rows), max(map(len, rows))
    if height * width > MOST_CELLS:
        return f"<pre>{escape(chr(10).join(rows))}</pre>{below}"
    cells = []
    for row, symbols in enumerate(rows):
        for col, symbol in enumerate(symbols):
            chance = None if chances is None or np.isnan(chances[row, col]) else chances[row, col]
            drawn = _draw_cell(symbol, chance, density, marks.get((row, col), ""))
            cells.append(f'<g transform="translate({_SIZE * col},{_SIZE * row})">{drawn}</g>')
    right, bottom = _SIZE * width, _SIZE * height
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="{" / ".join(rows)}" '
        f'width="{right + 8}" height="{bottom + 8}" viewBox="-4 -4 {right + 8} {bottom + 8}" '
        'font-family="sans-serif" font-size="13" font-weight="600" text-anchor="middle">'
        f"{''.join(cells)}</svg>{below}"
    )


def format_percentage(chance: float | Fraction) -> str:
    """Return a chance in whole percent, such as <1; only what is certain is 0 or 100."""
    if chance in (0, 1):
        return str(int(100 * chance))
    whole = round(100 * chance)
    return "<1" if whole == 0 else ">99" if whole == 100 else str(whole)


def _draw_cell(symbol: str, chance: float | None, density: float, mark: str) -> str:
    """Return a square with its sign, for the corner 0, 0."""
    ground = _OPEN if symbol in "012345678" else _CLOSED
    sign, title = _SIGNS.get(symbol, symbol), ""
    if chance is not None:
        certain = {0.0: _SAFE, 1.0: _MINE}.get(float(chance))
        ground = certain or pick_heat_color(find_heat(chance, density))
        sign = {0.0: "✓", 1.0: "✹"}.get(float(chance), escape(format_percentage(chance)))
        title = f"<title>{100 * chance:.6g} % mine</title>"
    square = f'<rect width="{_SIZE}" height="{_SIZE}" fill="{ground}" stroke="#9aa7af"/>'
    if mark in _OUTLINES:
        square += (
            f'<rect x="2" y="2" width="{_SIZE - 4}" height="{_SIZE - 4}" fill="none" '
            f'stroke="{_OUTLINES[mark]}" stroke-width="2"/>'
        )
    ink = _INKS.get(symbol, _INK)
    text = f'<text x="{_SIZE / 2:g}" y="{_SIZE / 2 + 5:g}" fill="{ink}">{sign}</text>'
    return title + square + (text if sign else "")
