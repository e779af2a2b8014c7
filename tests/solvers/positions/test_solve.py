"""Ordinary positions in one call: every number against enumeration, to the last bit."""

from fractions import Fraction
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from minecheck.automata import make_strip
from minecheck.minefield import MINE, UNKNOWN, Board, Layout, parse
from minecheck.solvers.budget import Budget
from minecheck.solvers.counting.whole_board import BoardTally
from minecheck.solvers.deadline import Deadline
from minecheck.solvers.positions.solve import solve_position
from tests import oracle
from tests.boards import boards_with_totals, small_boards
from tests.oracle import Cell
from tests.rule_constraints import reduce_board


def exact_chances(board: Board, mines: int | None, density: Fraction) -> dict[Cell, Fraction]:
    """Chance of each unknown cell, by adding up the weights of all layouts."""
    unknown = list(zip(*(indices.tolist() for indices in board.unknown.nonzero()), strict=True))
    known = int((board.cells == 10).sum())
    weights = {}
    for layout in oracle.answer(board, mines).layouts:
        held = len(layout) - known
        weights[layout] = (
            Fraction(1)
            if mines is not None
            else density**held * (1 - density) ** (len(unknown) - held)
        )
    whole = sum(weights.values())
    return {
        cell: sum((w for layout, w in weights.items() if cell in layout), Fraction()) / whole
        for cell in unknown
    }


@given(boards_with_totals())
def test_solve_position_agrees_with_enumeration(case: tuple[Board, int | None]) -> None:
    board, mines = case
    expected = oracle.answer(board, mines)
    found = solve_position(board, mines)
    if not expected.consistent:
        assert found is None
        return
    assert found is not None
    assert found.count == expected.count
    assert Layout(found.layout).fits_board(board, mines)
    chances = exact_chances(board, mines, Fraction(1, 2))
    for cell in np.ndindex(board.shape):
        if cell in chances:
            assert found.chances[cell] == float(chances[cell])
            assert (found.chances[cell] == 1) == (cell in expected.forced_mines)
            assert (found.chances[cell] == 0) == (cell in expected.forced_safe)
        else:
            assert np.isnan(found.chances[cell])


@given(small_boards(), st.fractions(min_value=Fraction(1, 1000), max_value=Fraction(999, 1000)))
def test_solve_position_weighs_layouts_by_the_density(board: Board, density: Fraction) -> None:
    found = solve_position(board, None, density)
    expected = oracle.answer(board)
    if not expected.consistent:
        assert found is None
        return
    assert found is not None
    assert found.count == expected.count
    for cell, chance in exact_chances(board, None, density).items():
        assert found.chances[cell] == float(chance)


def test_solve_position_gives_tiny_chances_exactly() -> None:
    # A mine in the middle serves four clues at once; without it each takes one of its own.
    block = ["?SSS?", "S1S1S", "SS?SS", "S1S1S", "?SSS?"]
    board = parse([row + "?" * 195 for row in block] + ["?" * 200] * 95)
    loose = 200 * 100 - 25
    found = solve_position(board, 4)
    assert found is not None
    assert found.count == 1 + comb(loose, 3)
    assert found.chances[0, 0] == float(Fraction(1, 1 + comb(loose, 3)))
    assert found.chances[2, 2] == float(1 - Fraction(1, 1 + comb(loose, 3)))
    assert found.chances[50, 50] == float(Fraction(comb(loose - 1, 2), found.count))


@pytest.mark.parametrize("seed", range(8))
def test_solve_position_agrees_with_the_diagram_on_games(seed: int) -> None:
    random = np.random.default_rng(seed)
    layout = Layout(random.random((12, 30)) < 0.18)
    shown = ~layout.mines & (random.random(layout.mines.shape) < 0.7)
    board = Board(np.where(shown, layout.count_neighbours(), np.int8(UNKNOWN)))
    for mines in (None, layout.total):
        found = solve_position(board, mines)
        expected = make_strip(board, mines)
        assert found is not None
        assert Layout(found.layout).fits_board(board, mines)
        assert found.count == expected.count()
        chances = np.where(board.unknown, expected.compute_chances(), np.nan)
        np.testing.assert_allclose(found.chances, chances, rtol=1e-9)
        must, never = expected.find_forced()
        assert np.array_equal(found.chances == 1, must & board.unknown)
        assert np.array_equal(found.chances == 0, never & board.unknown)


@pytest.mark.parametrize("width", [1, 2, 3, 61, 62, 63, 64, 65, 125, 126, 127, 128, 189, 190, 200])
@pytest.mark.parametrize("density", [0.1, 0.3, 0.6])
def test_solve_position_is_right_for_rows_around_word_length(width: int, density: float) -> None:
    random = np.random.default_rng([width, int(10 * density)])
    for _ in range(20):
        layout = Layout(random.random((4, width)) < density)
        shown = ~layout.mines & (random.random(layout.mines.shape) < 0.8)
        cells = np.where(shown, layout.count_neighbours(), np.int8(UNKNOWN))
        known_mines = layout.mines & (random.random(layout.mines.shape) < 0.1)
        cells[known_mines] = MINE
        if random.random() < 0.5:
            # One clue that is wrong, and may contradict others.
            cells[random.integers(4), random.integers(width)] = random.integers(9)
        board = Board(cells)
        expected, found = make_strip(board), solve_position(board)
        if found is None:
            assert not expected.is_consistent()
            continue
        assert found.count == expected.count()
        assert Layout(found.layout).fits_board(board)
        must, never = expected.find_forced()
        assert np.array_equal(found.chances == 1, must & board.unknown)
        assert np.array_equal(found.chances == 0, never & board.unknown)


@pytest.mark.parametrize("seed", range(10))
def test_solve_position_agrees_bit_by_bit_with_exact_integers(seed: int) -> None:
    random = np.random.default_rng(seed)
    layout = Layout(random.random(random.integers(8, 25, 2)) < 0.2)
    shown = ~layout.mines & (random.random(layout.mines.shape) < random.choice([0.5, 0.7]))
    board = Board(np.where(shown, layout.count_neighbours(), np.int8(UNKNOWN)))
    for mines, density in ((None, None), (layout.total, None), (None, Fraction(33, 160))):
        found = solve_position(board, mines, density)
        if found is None:
            continue
        exact = BoardTally(reduce_board(board, mines), Budget(10**12, Deadline()))
        assert found.count == exact.count
        chances = exact.compute_probabilities(density).reshape(board.shape)
        assert np.array_equal(found.chances, chances, equal_nan=True)
        if density is None:
            assert found.by_mines() == exact.by_mines


@pytest.mark.parametrize("rows", [["????"] * 3, ["0?", "??"], ["B?1"], ["8"], ["SB", "BS"]])
def test_solve_position_counts_boards_with_few_clues(rows: list[str]) -> None:
    board = parse(rows)
    expected = oracle.answer(board)
    found = solve_position(board)
    assert (found.count if found else 0) == expected.count


def test_solve_position_returns_none_for_boards_too_wide() -> None:
    cells = np.full((41, 41), UNKNOWN, np.int8)
    cells[1::2, 1::2] = 3
    assert solve_position(Board(cells)) is None
