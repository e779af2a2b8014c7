"""The scale of colours of chances, the same as on the page.

It goes by how dense the mines of a board are, so that a chance has one colour on every position of
the board. The colours are at even distances in OKLab, in which equal steps look equal; dark text is
readable on all of them.

Tested in tests/minefield/test_heat_colors.py.
"""

from math import cos, radians, sin
from typing import Final

import numpy as np

#: Mines per cell of usual boards, where nothing says how dense they are.
USUAL_DENSITY: Final = 0.2
#: The point of the scale for the density; better cells are below it, worse ones above.
_MIDDLE: Final = 0.45
#: Lightness, chroma and hue of OKLCH at even distances.
_STOPS: Final = ((0.78, 0.13, 160), (0.84, 0.13, 105), (0.74, 0.15, 65), (0.62, 0.19, 27))
#: OKLab to the cubic roots of cone responses, and those to linear sRGB (Ottosson, 2020).
_TO_CONES: Final = (
    (1, 0.3963377774, 0.2158037573),
    (1, -0.1055613458, -0.0638541728),
    (1, -0.0894841775, -1.291485548),
)
_TO_RGB: Final = (
    (4.0767416621, -3.3077115913, 0.2309699292),
    (-1.2684380046, 2.6097574011, -0.3413193965),
    (-0.0041960863, -0.7034186147, 1.707614701),
)


def find_heat(chance: float, density: float) -> int:
    """Return the heat of a chance, its position on the scale of colours.

    Args:
        chance: the chance of a mine.
        density: mines per cell of the board, more than 0.

    Returns:
        0 for what is proved safe, 100 for a proved mine, between them 1 to 99.
    """
    if chance <= 0 or chance >= 1:
        return 0 if chance <= 0 else 100
    usual = min(0.99, density)
    if chance < usual:
        part = _MIDDLE * chance / usual
    else:
        part = _MIDDLE + (1 - _MIDDLE) * (chance - usual) / (1 - usual)
    return min(99, max(1, int(100 * part + 0.5)))


def pick_heat_color(heat: int) -> str:
    """Return the colour of a heat, 0 to 100, as #rrggbb."""
    along = heat / 100 * (len(_STOPS) - 1)
    index = min(len(_STOPS) - 2, int(along))
    pairs = zip(_STOPS[index], _STOPS[index + 1], strict=True)
    lightness, chroma, hue = (low + (along - index) * (high - low) for low, high in pairs)
    lab = np.array([lightness, chroma * cos(radians(hue)), chroma * sin(radians(hue))])
    linear = np.clip(np.array(_TO_RGB) @ (np.array(_TO_CONES) @ lab) ** 3, 0, 1)
    shares = np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1 / 2.4) - 0.055)
    return "#" + "".join(f"{int(255 * share + 0.5):02x}" for share in shares.tolist())
