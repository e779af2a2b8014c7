"""Boards with a component that is too wide for a position, and others beside it."""

import numpy as np
import pytest

from minecheck.minefield import MINE, SAFE, UNKNOWN, Board, Layout
from minecheck.solvers import analyze, check, count
from minecheck.solvers.backends.auto import Auto
from minecheck.solvers.budget import Budget
from minecheck.solvers.counting.whole_board import BoardTally
from minecheck.solvers.deadline import Deadline
from minecheck.solvers.effort import FULL
from minecheck.solvers.position_answers import look_at_position
from minecheck.solvers.positions.solve import solve_narrow_components
from minecheck.solvers.progress import Progress
from minecheck.solvers.router import choose_method
from minecheck.solvers.tasks.count import Count
from tests.boards import lattice
from tests.rule_constraints import reduce_board

#: The side of a lattice that is too wide, and soon counted.
_WIDE = 11


def join_boards(*boards: Board) -> Board:
    """Boards side by side, with safe cells between that have no numbers."""
    height = max(board.height for board in boards)
    parts = [np.full((height, 1), SAFE, np.int8)]
    for board in boards:
        below = np.full((height - board.height, board.width), SAFE, np.int8)
        parts += [np.concatenate((board.cells, below)), parts[0]]
    return Board(np.concatenate(parts, axis=1))


def random_board(seed: int) -> Board:
    """A random layout with 18 % mines, of which half is shown, and some known mines."""
    random = np.random.default_rng(seed)
    layout = Layout(random.random((_WIDE, 12)) < 0.18)
    codes = np.where(layout.mines, np.int8(MINE), layout.count_neighbours())
    shown = random.random(codes.shape) < np.where(layout.mines, 0.1, 0.5)
    return Board(np.where(shown, codes, np.int8(UNKNOWN)))


@pytest.mark.parametrize("seed", range(6))
def test_position_and_rest_answers_as_one_count_of_the_whole_board(seed: int) -> None:
    board = join_boards(random_board(seed), lattice(_WIDE), random_board(seed + 100))
    found = solve_narrow_components(board)
    assert found is not None
    assert found.left_out == 1
    answer = analyze(board)
    exact = BoardTally(reduce_board(board), Budget(10**12, Deadline()))
    assert answer.complete
    assert answer.count == exact.count
    chances = exact.compute_probabilities().reshape(board.shape)
    assert answer.probabilities is not None
    assert np.array_equal(answer.probabilities, chances, equal_nan=True)
    assert answer.forced is not None
    assert answer.witness is not None
    assert answer.safest
    assert np.array_equal(answer.forced.mines, np.argwhere(chances == 1).tolist())
    assert np.array_equal(answer.forced.safe, np.argwhere(chances == 0).tolist())
    assert answer.witness.fits_board(board)
    assert [chance for _, chance in answer.safest] == sorted(chances[board.unknown])[:10]
    assert count(board).by_mines == answer.by_mines == exact.by_mines


def test_position_and_rest_leaves_out_two_wide_components() -> None:
    board = join_boards(lattice(_WIDE), lattice(_WIDE), random_board(1))
    found = solve_narrow_components(board)
    assert found is not None
    assert found.left_out == 2
    one, other = count(lattice(_WIDE)).count, count(random_board(1)).count
    assert one
    assert other
    assert count(board).count == one**2 * other


def test_position_and_rest_conflict_names_clues_of_the_whole_board() -> None:
    # No clue of the last row decides a cell, but all together contradict each other.
    last = np.full((1, _WIDE), SAFE, np.int8)
    last[0, :5] = 1, 2, 1, 1, 2
    wide = Board(np.concatenate((lattice(_WIDE).cells, last)))
    first = random_board(2)
    board = join_boards(first, wide)
    found = check(board)
    assert found.consistent is False
    assert found.conflict is not None
    left = first.width + 2
    assert found.conflict.clues == [(_WIDE, left + col) for col in (0, 1, 3, 4)]


def test_position_and_rest_finds_an_inconsistent_narrow_part() -> None:
    narrow = Board(np.array([[1, 1, 1], [UNKNOWN] * 3, [2, 2, 2]], np.int8))
    found = check(join_boards(narrow, lattice(_WIDE)))
    alone = check(join_boards(narrow))
    assert found.consistent is False
    assert found.conflict == alone.conflict


def test_position_and_rest_counts_a_board_with_a_total_together() -> None:
    board = join_boards(random_board(3), lattice(_WIDE))
    by_mines = count(board).by_mines
    assert by_mines is not None
    for mines in list(by_mines)[::7]:
        assert count(board, mines).count == by_mines[mines]


def test_position_and_rest_is_not_used_for_a_single_wide_component() -> None:
    question = Count(lattice(_WIDE))
    progress = Progress()
    assert look_at_position(question, progress) is not None
    assert isinstance(choose_method(question, Deadline(), FULL, progress), Auto)
