"""Files `pzprv3` of puzz.link: the clues of a Minesweeper puzzle, and the marks of a player.

Behind `pzprv3`, the genre, rows and columns come the clues, a line for each row, with a blank
behind each cell: a digit, `-` for a clue whose number is not given, `.` for a cell without a clue.
Only such cells can be mines. Then come as many lines of marks: `#` a mine, `+` a safe cell, `.`
nothing.
Slashes may stand for the ends of lines, as in links that hold a whole file.

The marks are a player's claims: `#` is read as a flag, `+` as an unknown cell. If every cell has a
clue or a mark, and all numbers agree, the marks are a layout as well.
Source: FileData.js (decodeCellQnum, decodeCellAns), parser.js and kurotto.js of robx/pzprjs.
"""

import re
from collections.abc import Sequence
from typing import Final
from urllib.parse import unquote

import numpy as np
from numpy.typing import NDArray

from minecheck.minefield.board import CLUE_CODES, FLAG, MINE, SAFE, UNKNOWN, Board, Cells
from minecheck.minefield.formats import grid
from minecheck.minefield.formats.opened import FormatError, Opened
from minecheck.minefield.layout import Layout

NAME: Final = "pzprv3"

_GENRE: Final = "mines"
_TITLE: Final = re.compile(r"pzprv3(?:\.[0-9]{1,3})?[ \t]*+(?:[\r\n/]|\Z)")
#: The beginning of a link that holds a whole file.
_LINK: Final = re.compile(r"[^\s?]*+\?(?:\w++=\w++&(?:amp;)?)*+(?=pzprv3(?:\.[0-9]{1,3})?/)")
#: Parts that may follow the marks, or the clues if there are no marks.
_AFTER: Final = re.compile(r"info:|history:|__HISTORY__|TrialData|https?:")
_CLUES: Final = {**CLUE_CODES, "-": SAFE, ".": UNKNOWN}
_SAFE_MARK: Final = 0
_MARKS: Final = {"#": MINE, "+": _SAFE_MARK, ".": UNKNOWN}
_LINES_OF_HEAD: Final = 4


def is_recognised(text: str) -> bool:
    """Return True if a text begins as such files do, or is a link that holds one."""
    bare = text.lstrip()
    return _TITLE.match(bare) is not None or _LINK.match(bare) is not None


def read(data: bytes | str, most: int) -> Opened:
    """Read the board of a file or link, and its layout if the marks are a solution.

    Raises:
        FormatError: it is of another genre, its size is missing, rows or cells are missing or too
            many, a symbol is unknown, or a cell with a clue is marked as a mine.
    """
    lines = _split_file(grid.decode_text(data))
    height, width = _read_head(lines)
    grid.check_size(height, width, most)
    board_start = _LINES_OF_HEAD
    clues = grid.read_cells(
        _join_cells(lines[board_start : board_start + height]), height, width, _CLUES
    )
    marks = _read_marks(lines[board_start + height :], height, width)
    marked = marks == MINE
    for row, col in np.argwhere(marked & (clues != UNKNOWN))[:1].tolist():
        raise FormatError(
            "unknown-symbol",
            f"The cell at row {row}, column {col} has a clue, so it is safe, and the mark #.",
            "Write . for the mark, or for the clue.",
            row=row,
            col=col,
        )
    board = Board(np.where(marked, np.int8(FLAG), clues))
    layout = None
    if np.all((clues != UNKNOWN) | (marks != UNKNOWN)):
        solution = Layout(marked)
        layout = solution if solution.fits_board(board) else None
    return Opened(board, layout)


def write(opened: Opened) -> str:
    """Write the clues and flags of a board, or all clues of a layout.

    A layout that fits the board is written as marks, so the file holds the solved puzzle.

    Raises:
        FormatError: there is neither, or the board has mines, and there is no layout that fits.
    """
    layout = opened.layout
    cells = opened.to_board().cells
    if layout is not None and _is_solution(layout, cells):
        marks = np.where(layout.mines, np.int8(MINE), np.int8(UNKNOWN))
        marks[(cells >= UNKNOWN) & (cells != SAFE) & ~layout.mines] = _SAFE_MARK
    else:
        grid.require_writable(cells == MINE, "mine")
        marks = np.where(cells == FLAG, np.int8(MINE), np.int8(UNKNOWN))
    clues = np.where((cells == FLAG) | (cells == MINE), np.int8(UNKNOWN), cells)
    height, width = cells.shape
    rows = [
        " ".join([*row, ""])
        for shown, symbols in ((clues, _CLUES), (marks, _MARKS))
        for row in grid.draw_cells(shown, {code: symbol for symbol, code in symbols.items()})
    ]
    return "\n".join(["pzprv3", _GENRE, str(height), str(width), *rows, ""])


def _split_file(text: str) -> list[str]:
    """Return the lines of a file, also of one in a link."""
    bare = text.lstrip()
    if (link := _LINK.match(bare)) is not None:
        bare = unquote(bare[link.end() :].rstrip())
    # The program reads a slash anywhere as the end of a line.
    return bare.replace("\r\n", "\n").replace("/", "\n").split("\n")


def _read_head(lines: Sequence[str]) -> tuple[int, int]:
    """Return (rows, columns), which the first lines of a file state.

    Raises:
        FormatError: the title, the genre or the size is missing.
    """
    if not _TITLE.fullmatch(lines[0]):
        raise FormatError(
            "wrong-head",
            f"The first line is {lines[0][:40]!r}.",
            f"Begin with the lines pzprv3, {_GENRE}, rows and columns.",
            offset=0,
        )
    genre = lines[1].strip() if len(lines) > 1 else ""
    if genre != _GENRE:
        raise FormatError(
            "wrong-head",
            f"The second line is {genre[:40]!r}, and the genre of Minesweeper puzzles is {_GENRE}.",
            "Send the file of a Minesweeper puzzle.",
        )
    sizes = [line.strip() for line in lines[2:_LINES_OF_HEAD]]
    if len(sizes) < 2 or not all(map(grid.NUMBER.fullmatch, sizes)):
        raise FormatError(
            "wrong-field",
            "The third and fourth line are not the numbers of rows and columns.",
            "Write each on a line of its own.",
        )
    return int(sizes[0]), int(sizes[1])


def _read_marks(lines: Sequence[str], height: int, width: int) -> Cells:
    """Return the marks: `MINE`, `_SAFE_MARK` or `UNKNOWN`, int8 of shape (height, width).

    Args:
        lines: all lines behind the clues.
        height: the rows of the board.
        width: the columns of the board.
    """
    end = next((number for number, line in enumerate(lines) if _AFTER.match(line)), len(lines))
    while end and not lines[end - 1].strip():
        end -= 1
    if end == 0:
        return np.full((height, width), UNKNOWN, np.int8)
    if end > height:
        raise FormatError(
            "wrong-size",
            f"There are {end} lines behind the clues, where marks take {height}.",
            "Correct the rows or the size.",
            row=height,
        )
    return grid.read_cells(_join_cells(lines[:end]), height, width, _MARKS)


def _join_cells(lines: Sequence[str]) -> list[str]:
    """Return rows of symbols, without the blanks between them.

    Raises:
        FormatError: a symbol has several characters.
    """
    rows = [line.split() for line in lines]
    for row, symbols in enumerate(rows):
        for col, symbol in enumerate(symbols):
            if len(symbol) != 1:
                raise FormatError(
                    "unknown-symbol",
                    f"The cell at row {row}, column {col} is {symbol[:40]!r}.",
                    "Put a blank behind each cell, and write a clue as a digit from 0 to 8.",
                    row=row,
                    col=col,
                )
    return ["".join(symbols) for symbols in rows]


def _is_solution(layout: Layout, cells: NDArray[np.int8]) -> bool:
    """Return True if a layout has the mines of a board, its numbers, and mines under its flags."""
    return layout.fits_board(Board(cells)) and bool(np.all(layout.mines[cells == FLAG]))
