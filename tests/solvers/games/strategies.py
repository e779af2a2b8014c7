"""Hypothesis strategies for games."""

import numpy as np
from hypothesis import strategies as st

from minecheck.minefield.game import Game
from minecheck.minefield.layout import Layout


@st.composite
def games(draw: st.DrawFn, most: int = 7) -> Game:
    height, width = draw(st.tuples(st.integers(1, most), st.integers(1, most)))
    seed = draw(st.integers(0, 2**32))
    mines = np.random.default_rng(seed).random((height, width)) < draw(st.sampled_from([0.1, 0.2]))
    first = draw(st.tuples(st.integers(0, height - 1), st.integers(0, width - 1)))
    mines[first] = False
    return Game(Layout(mines), first)
