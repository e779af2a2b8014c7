"""Boards in the forms that programs have them in.

Tested in tests/solvers/library/test_questions.py and tests/solvers/library/test_arrays.py.
"""

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from minecheck.minefield import notation as notations
from minecheck.minefield.board import Board, BoardError
from minecheck.minefield.notation import Notation
from minecheck.minefield.rules import Puzzle, Rules
from minecheck.minefield.variant import Variant
from minecheck.solvers.library.arrays import read_array

#: The forms in which a board can be given.
BoardLike: TypeAlias = (
    Puzzle | str | Sequence[str] | Sequence[Sequence[str | int | float | None]] | NDArray[Any]
)


def parse(
    board: BoardLike,
    notation: str = Notation.STANDARD,
    symbols: Mapping[str, str] | None = None,
) -> Board:
    """Read a board from text, a list of rows, nested lists, an array or a data frame of cells.

    Cells are symbols of the standard notation and clues from 0 to 8; None and NaN are unknown
    cells. Other symbols and numbers have a meaning only if ``symbols`` gives them one.

    >>> print(parse([[None, 1, None]]))
    ?1?
    >>> print(parse([[-1, 1, -1]], symbols={"-1": "unknown"}))
    ?1?

    Args:
        board: the board, of any of these forms.
        notation: the name of the dialect of text and lists.
        symbols: the meaning of further symbols: unknown, mine, safe, flag, or 0 to 8.

    Raises:
        BoardError: no such dialect, no cells, ragged rows, or a symbol that has no meaning; it
            names the row and column.
    """
    if isinstance(board, Board):
        return board
    if isinstance(board, Rules | Variant):
        raise BoardError(
            "board-type",
            f"{type(board).__name__} is not a board of cells and clues only.",
            "Ask about it as it is: every question takes it in place of a board.",
        )
    if (array := _find_array(board)) is not None:
        if array.ndim > 1 and notation == Notation.STANDARD:
            return read_array(array, symbols)
        board = array.tolist()
    return notations.parse(board, notation, symbols)


def read_board(board: BoardLike) -> Puzzle:
    """Return the board that is given in any of the forms of `BoardLike`.

    Raises:
        BoardError: it cannot be read; the error names the row and column.
    """
    # A board is ready, and looked for first: that is the way of programs that ask many times.
    if isinstance(board, Board | Rules | Variant):
        return board
    return parse(board)


def _find_array(board: object) -> NDArray[Any] | None:
    """Return arrays, data frames, and nested lists in which cells are missing, as arrays."""
    if hasattr(board, "__array__"):
        return np.asarray(board)
    if isinstance(board, list | tuple) and board and isinstance(board[0], list | tuple):
        rows: Sequence[Any] = board
        is_regular = {type(row) for row in rows} <= {list, tuple} and len(set(map(len, rows))) == 1
        if is_regular and any(_is_from_frame(cell) for row in rows for cell in row):
            return np.array(rows, object).reshape(len(rows), -1)
    return None


def _is_from_frame(cell: object) -> bool:
    """Return True for what JSON boards have not: missing cells, floats, and other numbers."""
    return cell is None or isinstance(cell, float) or (isinstance(cell, int) and not 0 <= cell <= 8)
