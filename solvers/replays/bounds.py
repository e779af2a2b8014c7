"""The largest boards and the most clicks of replays, whatever their format is.

Tested in tests/solvers/replays/test_rawvf.py and tests/solvers/replays/test_msor.py.
"""

from typing import Final

#: Programs have boards of some ten thousand cells at most.
_MOST_CELLS: Final = 100_000
#: The most clicks that are read; a game of expert has a few hundred.
MOST_CLICKS: Final = 20_000


def require_size(rows: int, cols: int) -> None:
    """Raise ValueError if a board has no cells, or too many."""
    if not (rows > 0 and cols > 0 and rows * cols <= _MOST_CELLS):
        raise ValueError("its board is too large, or has no cells")


def require_clicks(clicks: int) -> None:
    """Raise ValueError if there are too many clicks."""
    if clicks > MOST_CLICKS:
        raise ValueError("there are too many clicks")
