"""Windows of boards, and the cells that they cover."""

from hypothesis import strategies as st

from minecheck.automata import Window
from minecheck.minefield.board import Board
from tests import boards
from tests.oracle import Cell


def cells_of(window: Window) -> list[Cell]:
    """The cells of the board in a window, in reading order."""
    return [
        (row, col)
        for row in range(window.row, window.row + window.rows)
        for col in range(window.col, window.col + window.cols)
    ]


@st.composite
def windows(draw: st.DrawFn) -> tuple[Board, Window]:
    """A window of a game, somewhere on it and perhaps all of it."""
    board = draw(boards.strip_boards(cells=30, unknown=13) | boards.small_boards())
    row = draw(st.integers(0, board.height - 1))
    col = draw(st.integers(0, board.width - 1))
    height = draw(st.integers(1, board.height - row))
    width = draw(st.integers(1, board.width - col))
    return board, Window(row, col, height, width)
