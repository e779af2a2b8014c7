"""Strips of one and of two rows: their forced cells and first layouts."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from minecheck.automata import two_rows
from minecheck.automata.columns import Columns
from minecheck.automata.diagram import Diagram
from minecheck.minefield.board import FLAG, MINE, UNKNOWN, Board
from minecheck.minefield.notation import parse
from tests import boards, oracle

NARROW = st.integers(1, 2)


def diagram_of(board: Board) -> Diagram:
    return Diagram(Columns.from_cells(np.ascontiguousarray(board.cells.T)))


def agrees_with_the_oracle(board: Board) -> None:
    """Compare what the loops find with all layouts."""
    layouts = np.zeros((oracle.answer(board).count, *board.shape), np.bool_)
    for layout, held in zip(layouts, oracle.answer(board).layouts, strict=True):
        layout[tuple(zip(*held, strict=True)) or ([], [])] = True
    witness = two_rows.find_witness(board.cells)
    mines, safe = two_rows.find_forced(board.cells)
    assert mines.shape == safe.shape == board.shape
    if len(layouts):
        assert np.array_equal(mines, layouts.all(axis=0) & board.unknown)
        assert np.array_equal(safe, ~layouts.any(axis=0) & board.unknown)
        first = min(layout.T.ravel().tolist() for layout in layouts)
        assert witness is not None
        assert witness.T.ravel().tolist() == first
    else:
        assert witness is None
        assert not mines.any()
        assert not safe.any()


def agrees_with_the_diagram(board: Board) -> None:
    """The same, for boards with too many layouts to list."""
    diagram = diagram_of(board)
    witness = two_rows.find_witness(board.cells)
    mines, safe = two_rows.find_forced(board.cells)
    if diagram.empty:
        assert witness is None
        assert not mines.any()
        assert not safe.any()
    else:
        may_be_safe, may_be_mine = (cells.T for cells in diagram.find_possible())
        assert witness is not None
        assert np.array_equal(witness, diagram.unrank(0).T)
        assert np.array_equal(mines, ~may_be_safe & board.unknown)
        assert np.array_equal(safe, ~may_be_mine & board.unknown)


@given(boards.strip_boards(NARROW, cells=20))
def test_two_row_answers_agree_with_the_oracle(board: Board) -> None:
    agrees_with_the_oracle(board)


@pytest.mark.parametrize("neighbour", ["none", UNKNOWN, MINE])
def test_two_row_answers_agree_with_the_oracle_on_every_column(neighbour: int | str) -> None:
    """Alone, and between unknown columns or columns of mines."""
    beside = [[], []] if neighbour == "none" else [[neighbour], [neighbour]]
    for above, below in product(range(FLAG + 1), repeat=2):
        agrees_with_the_oracle(Board(np.hstack([beside, [[above], [below]], beside]).astype(int)))
        agrees_with_the_oracle(Board(np.hstack([beside[:1], [[above]], beside[:1]]).astype(int)))


@given(boards.strip_boards(NARROW, cells=160, unknown=140))
def test_two_row_answers_agree_with_the_diagram_on_many_layouts(board: Board) -> None:
    agrees_with_the_diagram(board)


@pytest.mark.parametrize("height", [1, 2])
@pytest.mark.parametrize("length", [513, 3000])
def test_two_row_answers_agree_with_the_diagram_on_long_strips(height: int, length: int) -> None:
    agrees_with_the_diagram(boards.hidden_layout(height, length, 0.6, seed=length))


@pytest.mark.parametrize("end", ["B", "0"])
def test_two_row_end_of_a_chain_decides_all_its_cells(end: str) -> None:
    """Every second unknown cell is a mine, from the end back to the start."""
    board = parse(["?1" * 1000 + end])
    holds = np.zeros(board.shape, np.bool_)
    holds[0, 0 if end == "B" else 2 :: 4] = True
    mines, safe = two_rows.find_forced(board.cells)
    witness = two_rows.find_witness(board.cells)
    assert witness is not None
    assert np.array_equal(witness, holds)
    assert np.array_equal(mines, holds & board.unknown)
    assert np.array_equal(safe, ~holds & board.unknown)


def test_two_row_functions_do_not_change_the_cells() -> None:
    board = parse(["?1F?", "??S?"])
    two_rows.find_forced(board.cells)
    two_rows.find_witness(board.cells)
    assert board == parse(["?1F?", "??S?"])
