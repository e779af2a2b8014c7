"""Deciding narrow strips against all boards that some layout shows, at every length."""

from collections.abc import Callable
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from minecheck.automata import deciding, hu_lin, make_strip, two_rows
from minecheck.automata.columns import Columns
from minecheck.automata.diagram import Diagram
from minecheck.minefield.board import Board
from minecheck.minefield.notation import parse
from tests import boards, oracle

LONG = 100_000

#: Column of the board, its cells from top to bottom -> its index in an alphabet.
Alphabet = dict[str, int]


def words_shown(alphabet: Alphabet, length: int) -> NDArray[np.bool_]:
    """Return whether each word of the alphabet is consistent, words in order: (symbols ** length,).

    Every layout is taken and hidden in every way: all words that come about
    are consistent, and no others.
    """
    height = len(next(iter(alphabet)))
    cells = list(product(range(height), range(length)))
    shown = np.zeros(len(alphabet) ** length, np.bool_)
    for held in product([False, True], repeat=len(cells)):
        mines = {cell for cell, mine in zip(cells, held, strict=True) if mine}
        words = np.zeros(1, np.int64)
        for col in range(length):
            looks = [
                "?B"
                if (row, col) in mines
                else f"?S{len(mines.intersection(oracle.neighbours((row, col), height, length)))}"
                for row in range(height)
            ]
            columns = [alphabet.get("".join(column), -1) for column in product(*looks)]
            known = np.array([number for number in columns if number >= 0], np.int64)
            words = (words[:, None] * len(alphabet) + known).ravel()
        shown[words] = True
    return shown


def all_words(alphabet: Alphabet, length: int) -> NDArray[np.int8]:
    """The boards of all words, in order: (symbols ** length, height, length)."""
    codes = np.stack([parse(list(column)).cells[:, 0] for column in alphabet])
    indices = np.indices((len(alphabet),) * length).reshape(length, -1)
    return np.ascontiguousarray(codes[indices].transpose(1, 2, 0))


def is_consistent(cells: NDArray[np.int8]) -> bool:
    """Return what the machines decide about a board."""
    return deciding.decide_strip(cells)[0]


@pytest.mark.parametrize(
    ("cells", "longest"), [("012B?", 8), ("012B?S3", 6), ("012345678?BS", 4)], ids=str
)
def test_decide_strip_decides_every_row_as_all_layouts_do(cells: str, longest: int) -> None:
    alphabet = {cell: number for number, cell in enumerate(cells)}
    for length in range(1, longest + 1):
        found = list(map(is_consistent, all_words(alphabet, length)))
        assert np.array_equal(found, words_shown(alphabet, length))


@pytest.mark.parametrize(
    ("columns", "longest"),
    [
        # The papers print a clue before `?`, and `?` before `B`.
        (hu_lin.SYMBOLS, 4),
        (tuple(symbol[::-1] for symbol in hu_lin.SYMBOLS), 3),
        (tuple(map("".join, product("012?BS", repeat=2))), 3),
        (tuple(map("".join, product("012345678?BS", repeat=2))), 2),
    ],
    ids=["paper", "upside down", "few clues", "all"],
)
def test_decide_strip_decides_every_strip_of_two_rows_as_all_layouts_do(
    columns: tuple[str, ...], longest: int
) -> None:
    alphabet = {column: number for number, column in enumerate(columns)}
    for length in range(1, longest + 1):
        found = list(map(is_consistent, all_words(alphabet, length)))
        assert np.array_equal(found, words_shown(alphabet, length))


@given(boards.strip_boards(st.integers(1, 2), cells=24))
def test_decide_strip_agrees_with_the_oracle(board: Board) -> None:
    assert is_consistent(board.cells) is oracle.answer(board).consistent


@given(boards.strip_boards(st.integers(1, 2), cells=160, unknown=140))
def test_decide_strip_agrees_with_the_diagram_on_strips_with_many_layouts(board: Board) -> None:
    columns = Columns.from_cells(np.ascontiguousarray(board.cells.T))
    assert is_consistent(board.cells) is not Diagram(columns).empty


def test_decide_strip_takes_flags_as_unknown() -> None:
    flagged = parse(["F2F0", "F2FF"]).cells
    unknown = parse(["?2?0", "?2??"]).cells
    assert is_consistent(flagged) is is_consistent(unknown) is True
    assert not is_consistent(parse(["F0", "0B"]).cells)


@pytest.mark.parametrize(
    "consistent",
    [
        is_consistent,
        lambda cells: two_rows.find_witness(cells) is not None,
        lambda cells: not np.isnan(make_strip(Board(cells)).compute_chances()).any(),
        lambda cells: not Diagram(Columns.from_cells(np.ascontiguousarray(cells.T))).empty,
    ],
    ids=["machine", "witness", "chances", "diagram"],
)
@pytest.mark.parametrize(
    "alphabet",
    [
        ("B", "0", "1", "?"),
        ("B", "S", "1", "?"),
        ("B1", "00", "11", "??"),
        ("BS", "SS", "1S", "??"),
    ],
    ids=["one row", "one row and S", "two rows", "two rows and S"],
)
def test_last_column_of_a_long_strip_can_contradict_the_first(
    consistent: Callable[[NDArray[np.int8]], bool], alphabet: tuple[str, ...]
) -> None:
    """Every second unknown column has a mine, so what the first says the last must say too."""
    mine, safe, clue, unknown = (parse(list(column)).cells for column in alphabet)
    chain = np.hstack([clue, np.tile(np.hstack([unknown, clue]), LONG // 2 - 1)])
    for first, last in product([mine, safe], [mine, safe, unknown]):
        assert consistent(np.hstack([first, chain, last])) == (last is first or last is unknown)
