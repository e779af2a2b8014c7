"""Strips one and two cells wide against the oracle, diagrams and numbers known by hand."""

from itertools import product
from math import log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from automata import narrow
from automata.diagram import Columns, Diagram
from minefield.board import FLAG, MINE, UNKNOWN, Board
from minefield.notation import parse
from tests import boards, oracle

NARROW = st.integers(1, 2)
LOG_ODDS = [0.0, -1.2, 2.0, -19.0, 25.0, -700.0, 2000.0]


def diagram_of(board: Board) -> Diagram:
    return Diagram(Columns.of(np.ascontiguousarray(board.cells.T)))


def agrees_with_the_oracle(board: Board, log_odds: float = 0.0) -> None:
    """What the loops find is what all layouts show."""
    layouts = np.zeros((oracle.answer(board).count, *board.shape), np.bool_)
    for layout, mines in zip(layouts, oracle.answer(board).layouts, strict=True):
        layout[tuple(zip(*mines, strict=True)) or ([], [])] = True
    witness = narrow.witness(board.cells)
    mines, safe = narrow.forced(board.cells)
    chances = narrow.probabilities(board.cells, log_odds)
    assert mines.shape == safe.shape == chances.shape == board.shape
    if len(layouts):
        assert np.array_equal(mines, layouts.all(axis=0) & board.unknown)
        assert np.array_equal(safe, ~layouts.any(axis=0) & board.unknown)
        first = min(layout.T.ravel().tolist() for layout in layouts)
        assert witness is not None
        assert witness.T.ravel().tolist() == first
        logs = log_odds * layouts.sum(axis=(1, 2))
        weights = np.exp(logs - logs.max())
        assert np.allclose(chances, np.average(layouts, axis=0, weights=weights))
        assert (chances[mines] == 1).all()
        assert (chances[safe] == 0).all()
    else:
        assert witness is None
        assert not mines.any()
        assert not safe.any()
        assert np.isnan(chances).all()


def agrees_with_the_diagram(board: Board, log_odds: float = 0.0) -> None:
    """The same, for boards with too many layouts to list."""
    diagram = diagram_of(board)
    witness = narrow.witness(board.cells)
    mines, safe = narrow.forced(board.cells)
    chances = narrow.probabilities(board.cells, log_odds)
    assert np.allclose(chances, diagram.probabilities(log_odds).T, equal_nan=True)
    if diagram.empty:
        assert witness is None
        assert not mines.any()
        assert not safe.any()
    else:
        may_be_safe, may_be_mine = (cells.T for cells in diagram.possible())
        assert np.array_equal(witness, diagram.layout(0).T)
        assert np.array_equal(mines, ~may_be_safe & board.unknown)
        assert np.array_equal(safe, ~may_be_mine & board.unknown)


@given(boards.strip_boards(NARROW, cells=20), st.sampled_from(LOG_ODDS))
def test_strips_that_can_be_written_out(board: Board, log_odds: float) -> None:
    agrees_with_the_oracle(board, log_odds)


@pytest.mark.parametrize("neighbour", ["none", UNKNOWN, MINE])
def test_every_column(neighbour: int | str) -> None:
    """Alone, and between unknown columns or columns of mines."""
    beside = [[], []] if neighbour == "none" else [[neighbour], [neighbour]]
    for above, below in product(range(FLAG + 1), repeat=2):
        agrees_with_the_oracle(Board(np.hstack([beside, [[above], [below]], beside]).astype(int)))
        agrees_with_the_oracle(Board(np.hstack([beside[:1], [[above]], beside[:1]]).astype(int)))


@given(boards.strip_boards(NARROW, cells=160, unknown=140), st.sampled_from(LOG_ODDS))
def test_strips_with_many_layouts(board: Board, log_odds: float) -> None:
    agrees_with_the_diagram(board, log_odds)


@pytest.mark.parametrize("height", [1, 2])
@pytest.mark.parametrize("length", [511, 512, 513, 1024, 1025, 3000])
def test_strips_longer_than_a_block_of_kept_weights(height: int, length: int) -> None:
    agrees_with_the_diagram(boards.hidden_layout(height, length, 0.6, seed=length), -0.9)


@pytest.mark.parametrize("end", ["B", "0"])
def test_the_end_of_a_chain_decides_all_of_it(end: str) -> None:
    """Every second unknown cell is a mine, from the end back to the start."""
    board = parse(["?1" * 1000 + end])
    holds = np.zeros(board.shape, np.bool_)
    holds[0, 0 if end == "B" else 2 :: 4] = True
    mines, safe = narrow.forced(board.cells)
    assert np.array_equal(narrow.witness(board.cells), holds)
    assert np.array_equal(mines, holds & board.unknown)
    assert np.array_equal(safe, ~holds & board.unknown)
    assert np.array_equal(narrow.probabilities(board.cells), holds)


def chain(pieces: int) -> Board:
    """Either all columns at 0, 4, ... have a mine, or all columns at 2, 6, ...; never both.

    The former have two ways to place it, the latter one. In the second half of
    the board it is the other way round.
    """
    half = np.tile(parse(["?1?1", "?SSS"]).cells, pieces)
    return Board(np.hstack([half, np.roll(half, 2, axis=1)])[:, :-1])


@pytest.mark.parametrize("pieces", [1, 10, 200, 2000])
def test_chances_of_a_chain(pieces: int) -> None:
    """On the way weights are up to 2 ** pieces apart; both halves together are equal again."""
    board = chain(pieces)
    chances = narrow.probabilities(board.cells)
    two_open = board.unknown.all(axis=0)
    assert np.allclose(chances[:, two_open], 0.25, rtol=1e-9)
    assert np.allclose(chances[0, board.unknown[0] & ~two_open], 0.5, rtol=1e-9)
    assert not chances[~board.unknown].any()


def test_chances_when_each_layout_weighs_next_to_nothing() -> None:
    chances = narrow.probabilities(np.full((2, 100_000), UNKNOWN, np.int8), log(1e-3))
    assert np.allclose(chances, 1e-3 / (1 + 1e-3), rtol=1e-9)


def test_the_loops_leave_the_cells_as_they_are() -> None:
    board = parse(["?1F?", "??S?"])
    narrow.forced(board.cells)
    narrow.witness(board.cells)
    narrow.probabilities(board.cells)
    assert board == parse(["?1F?", "??S?"])
