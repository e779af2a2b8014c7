"""The safest cells against sorting all of them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from minecheck.solvers.counting.safest import find_safest

CHANCES = st.lists(st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.75, 1.0, float("nan")]), max_size=40)


@pytest.mark.parametrize("most", [1, 2, 10])
@given(chances=CHANCES)
def test_find_safest_returns_the_first_cells_by_chance(most: int, chances: list[float]) -> None:
    known = [(chance, cell) for cell, chance in enumerate(chances) if chance == chance]
    found = find_safest(np.array(chances, np.float64), most)
    assert found.tolist() == [cell for _, cell in sorted(known)][:most]
