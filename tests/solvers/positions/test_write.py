"""Whatever the size of a position, what is written of it has room."""

import json
from itertools import product

import numpy as np
import pytest

from minecheck.solvers.positions.fields import FORCED
from minecheck.solvers.positions.solve import ANY
from minecheck.solvers.positions.write import SOLVED, SolvedPositions, write_answers


@pytest.mark.slow
@pytest.mark.parametrize(
    ("height", "width"), [(1, 1), (1, 10), (11, 10), (101, 100), (1, 1_000_001), (100_001, 2)]
)
def test_write_position_writes_coordinates_of_any_number_of_digits(height: int, width: int) -> None:
    cells = height * width
    # All cells are of the one kind that is a mine for certain.
    solved = SolvedPositions(
        np.array([(SOLVED, height, width, ANY, cells, 1, 0)]),
        np.ones(cells, np.bool_),
        np.zeros(cells, np.int32),
        np.ones(1),
        [None],
    )
    text, ends = write_answers(solved, FORCED, 0.0)
    assert ends == [len(text)]
    forced = json.loads(text)["forced"]
    assert forced["safe"] == []
    assert [tuple(cell) for cell in forced["mines"]] == [*product(range(height), range(width))]
