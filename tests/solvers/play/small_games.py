"""Positions of small games, for Hypothesis."""

import numpy as np
from hypothesis import strategies as st

from minecheck.minefield import Board
from minecheck.minefield.board import UNKNOWN
from minecheck.minefield.game import Game
from minecheck.minefield.layout import Layout


@st.composite
def positions(draw: st.DrawFn, cells: int = 12) -> tuple[Board, int]:
    """A game after some clicks, and its number of mines."""
    height = draw(st.integers(1, 4))
    width = draw(st.integers(1, cells // height))
    mined = draw(st.lists(st.booleans(), min_size=height * width, max_size=height * width))
    layout = Layout(np.array(mined).reshape(height, width))
    board = Board(np.full((height, width), UNKNOWN, np.int8))
    safe = [(row, col) for row, col in np.argwhere(~layout.mines).tolist()]
    if safe:
        clicks = draw(st.lists(st.sampled_from(safe), max_size=4))
        board = Game(layout, safe[0]).open_cells(board, clicks)
    return board, int(layout.mines.sum())
