"""The outlook of a position, against all layouts of small boards."""

import numpy as np
import pytest
from hypothesis import given

from minecheck.minefield import Board, parse
from minecheck.minefield.board import SAFE
from minecheck.solvers.play.outlook import compute_outlook
from minecheck.solvers.play.weights import load_weights
from minecheck.solvers.positions.solve import solve_position
from tests.examples import examples
from tests.solvers.play.expectimax import Expectimax
from tests.solvers.play.small_games import positions


def compute_slowly(board: Board, mines: int) -> float:
    slow = Expectimax(board, mines)
    total = len(slow.layouts)
    safe_and_dead = []
    for cell in slow.closed:
        left = slow.after(slow.layouts, cell)
        if left:
            safe_and_dead.append((sum(map(len, left.values())) / total, len(left) == 1))
    if not safe_and_dead:
        return 1.0
    living = sorted((safe for safe, dead in safe_and_dead if not dead), reverse=True)
    if not living:
        return max(safe for safe, _ in safe_and_dead)
    first, second = [*living, 0.0][:2]
    weight = load_weights().second
    return (1 - weight) * first + weight * second


@given(positions())
@examples(150)
def test_outlook_is_that_of_all_layouts(given: tuple[Board, int]) -> None:
    board, mines = given
    position = solve_position(board, mines)
    assert position is not None
    assert compute_outlook(board, mines, position) == pytest.approx(compute_slowly(board, mines))


def test_outlook_takes_cells_that_are_given_as_safe() -> None:
    board = parse(["S?1", "??1", "11?"])
    mines = 2
    position = solve_position(board, mines)
    assert position is not None
    assert np.count_nonzero(board.cells == SAFE) == 1
    assert compute_outlook(board, mines, position) == pytest.approx(compute_slowly(board, mines))
