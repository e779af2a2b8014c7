"""Even guesses to come, against all layouts of small boards."""

from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from minecheck.minefield import Board, parse
from minecheck.minefield.board import UNKNOWN
from minecheck.minefield.layout import Layout
from minecheck.solvers import Deadline
from minecheck.solvers.play.even_guesses import EvenGuesses
from minecheck.solvers.play.weights import load_weights
from minecheck.solvers.positions.solve import solve_position
from tests import oracle
from tests.examples import examples
from tests.oracle import Cell, neighbours
from tests.solvers.play.expectimax import Expectimax

Held = frozenset[Cell]


def find_even_guesses(board: Board, mines: int) -> EvenGuesses:
    known = solve_position(board, mines)
    assert known is not None
    return EvenGuesses(board, mines, known, Deadline())


def is_guess(ones: set[Cell], others: set[Cell], held: Held, board: Board) -> bool:
    """True if a layout has mines in the ones, and in all that see but a part of the guess."""
    height, width = board.shape
    if not ones <= held or others & held:
        return False
    cells = ones | others
    for cell in product(range(height), range(width)):
        around = set(neighbours(cell, height, width))
        uneven = len(around & ones) != len(around & others)
        if cell not in cells and uneven and cell not in held:
            return False
    return True


def guesses(board: Board) -> list[tuple[set[Cell], set[Cell]]]:
    """All pairs and boxes on a board."""
    height, width = board.shape
    every = []
    for row, col in product(range(height), range(width)):
        every.append(({(row, col)}, {(row, col + 1)}))
        every.append(({(row, col)}, {(row + 1, col)}))
        every.append(({(row, col), (row + 1, col + 1)}, {(row, col + 1), (row + 1, col)}))
    return [
        (ones, others)
        for ones, others in every
        if all(row < height and col < width for row, col in ones | others)
    ]


@st.composite
def positions(draw: st.DrawFn) -> tuple[Board, int]:
    height, width = draw(st.tuples(st.integers(1, 4), st.integers(2, 4)))
    draws = np.random.default_rng(draw(st.integers(0, 2**32)))
    mines = draws.random((height, width)) < draw(st.sampled_from([0.2, 0.4]))
    shown = draws.random((height, width)) < draw(st.sampled_from([0.2, 0.5]))
    layout = Layout(mines)
    board = Board(np.where(shown & ~mines, layout.to_codes(), np.int8(UNKNOWN)))
    assume(np.any(board.unknown) and solve_position(board, layout.total) is not None)
    return board, layout.total


@given(positions())
@examples(150)
def test_even_guess_free_cells_are_mines_in_even_guesses_only(
    given: tuple[Board, int],
) -> None:
    board, mines = given
    even = find_even_guesses(board, mines)
    layouts = oracle.answer(board, mines).layouts
    held = [frozenset(layout) for layout in layouts]
    for cell in even.free:
        lost = [layout for layout in held if cell in layout]
        assert any(
            all(is_guess(*sides, layout, board) for layout in lost)
            for ones, others in guesses(board)
            if cell in ones | others
            for sides in ((ones, others), (others, ones))
        )


@pytest.mark.slow
def test_even_guess_on_a_free_cell_seldom_costs_anything() -> None:
    draws = np.random.default_rng(5)
    worse = tried = 0
    while tried < 1000:
        height, width = draws.integers(2, 5, 2)
        layout = Layout(draws.random((height, width)) < draws.choice([0.2, 0.4]))
        shown = ~layout.mines & (draws.random((height, width)) < draws.choice([0.2, 0.5]))
        board = Board(np.where(shown, layout.to_codes(), np.int8(UNKNOWN)))
        if not np.any(board.unknown) or solve_position(board, layout.total) is None:
            continue
        free = find_even_guesses(board, layout.total).free
        best = Expectimax(board, layout.total)
        if not free or len(best.layouts) > 40:
            continue
        tried += 1
        opened = max(best.opened(best.layouts, cell) for cell in free)
        worse += opened < best.value(best.layouts)
    assert worse <= 2


@given(positions())
@examples(150)
def test_even_guess_share_is_bounded_by_mines_and_safe_cells(
    given: tuple[Board, int],
) -> None:
    board, mines = given
    even = find_even_guesses(board, mines)
    layouts = [frozenset(layout) for layout in oracle.answer(board, mines).layouts]
    for row, col in np.argwhere(board.unknown).tolist():
        cell = (row, col)
        chance = sum(cell in layout for layout in layouts) / len(layouts)
        share = even.compute_lost_share(cell)
        assert -1e-12 <= share <= min(chance, 1 - chance) + 1e-12
        part = any(
            is_guess(*sides, layout, board)
            for layout in layouts
            for ones, others in guesses(board)
            for sides in ((ones, others), (others, ones))
        )
        assert share == 0 or part


def test_even_guess_pair_at_a_wall_is_free_with_share_one_half() -> None:
    even = find_even_guesses(parse(["?1", "?1"]), 1)
    assert even.free == {(0, 0), (1, 0)}
    assert even.compute_lost_share((0, 0)) == even.compute_lost_share((1, 0)) == 0.5


def test_even_guess_shares_of_a_likely_guess_are_at_most_one_half() -> None:
    # If the third cell of the column is a mine, the two above it are a pair.
    board = parse(["?1", "?2", "?2", "?1"])
    even = find_even_guesses(board, 2)
    shares = {cell: even.compute_lost_share(cell) for cell in even.cells}
    assert all(0 <= share <= 0.5 for share in shares.values())


def test_even_guess_weights_are_between_0_and_1() -> None:
    assert 0 < load_weights().even <= 1
    assert 0 < load_weights().near < 1


@pytest.mark.parametrize("rows", [["??", "??"], ["???"]])
def test_even_guess_shares_exist_for_boards_without_clues(rows: list[str]) -> None:
    even = find_even_guesses(parse(rows), 1)
    assert all(0 <= even.compute_lost_share((0, col)) <= 0.5 for col in range(2))


def test_even_guesses_handle_more_layouts_than_floats_can_count() -> None:
    rows = ["?" * 34] * 34
    rows[0] = "1" + rows[0][1:]
    even = find_even_guesses(parse(rows), 500)
    assert even.free == set()
    assert all(0 <= even.compute_lost_share((row, 0)) <= 0.5 for row in range(1, 3))
