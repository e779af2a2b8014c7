"""Files *.mine of JSMinesweeper: a line `WxHxM`, then one symbol a cell.

`F` is a flag, `H` a hidden cell, `M` and `?` are mines, the digits are clues. So `?` is not an
unknown cell here: JSMinesweeper writes it for the mine that ended a game.
Source: getPositionData, stringToArray and newBoardFromString of its client.

Tested in tests/minefield/formats/test_formats.py.
"""

import re
from typing import Final

import numpy as np

from minecheck.minefield.board import CLUE_CODES, FLAG, MINE, UNKNOWN, Board
from minecheck.minefield.formats import grid
from minecheck.minefield.formats.opened import FormatError, Opened, make_nothing_to_write_error
from minecheck.minefield.layout import Layout

NAME: Final = "mine"

_HEAD: Final = re.compile(r"([0-9]{1,9})x([0-9]{1,9})x([0-9]{1,9})[ \t]*")
_READ: Final = {**CLUE_CODES, "H": UNKNOWN, "F": FLAG, "M": MINE, "?": MINE}
_WRITTEN: Final = {code: symbol for symbol, code in _READ.items() if symbol != "?"}


def is_recognised(text: str) -> bool:
    """Return True if a text begins with the line that such a file begins with.

    Of several question marks, at most one is the mine that ended the game: they are unknown cells.
    """
    head = text.partition("\n")[0].rstrip("\r")
    return _HEAD.fullmatch(head) is not None and text.count("?") <= 1


def read(data: bytes | str, most: int) -> Opened:
    """Read the board, and its layout if as many mines are drawn as there are in all.

    Raises:
        FormatError: the first line, the rows or a symbol are not of this format.
    """
    head, *rows = grid.split_lines(data)
    match = _HEAD.fullmatch(head)
    if match is None:
        raise FormatError(
            "wrong-head",
            f"The first line is {head[:40]!r}.",
            "Begin with width, height and number of mines, such as 30x16x99.",
            offset=0,
        )
    width, height, mines = map(int, match.groups())
    grid.check_size(height, width, most)
    grid.check_mine_count(mines, height, width)
    board = Board.read_only(grid.read_cells(rows, height, width, _READ))
    # A flag is a claim; only drawn mines show where mines are.
    layout = Layout(board.cells == MINE)
    return Opened(board, layout if layout.fits_board(board, mines) else None, mines)


def write(opened: Opened) -> str:
    """Write the board, or else the layout as mines among hidden cells, a whole game there.

    Raises:
        FormatError: there is neither, the number of mines is not known, or a
            cell is known to be safe without its number.
    """
    if opened.board is not None:
        cells = opened.board.cells
    elif opened.layout is not None:
        cells = np.where(opened.layout.mines, MINE, UNKNOWN).astype(np.int8)
    else:
        raise make_nothing_to_write_error()
    height, width = cells.shape
    rows = grid.draw_cells(cells, _WRITTEN)
    return "\n".join([f"{width}x{height}x{opened.require_mines()}", *rows, ""])
