"""Links of puzz.link and pzv.jp to Minesweeper puzzles, as `https://puzz.link/p?mines/3/2/1g.i`.

Behind the genre stand the columns, the rows, and the cells in reading order: `0`-`8` is a clue, `.`
a clue whose number is not given, and `g`-`z` are 1 to 20 cells without a clue. Only such cells can
be mines, so a clue without a number is a safe cell here. Larger numbers, `9`-`f` and `-` with two
hexadecimal digits, exist in the code, and are no clues of this genre.
Source: Encode.js (decodeNumber16), parser.js and kurotto.js of robx/pzprjs.
"""

import re
from typing import Final

import numpy as np
from numpy.typing import NDArray

from minecheck.minefield.board import CLUE_CODES, FLAG, MINE, SAFE, UNKNOWN, Board
from minecheck.minefield.formats import grid
from minecheck.minefield.formats.opened import FormatError, Opened
from minecheck.minefield.numerals import format_count

NAME: Final = "puzzlink"

_ADDRESS: Final = "https://puzz.link/p?mines"
#: The beginning of a link, up to the genre, perhaps with the mode in which the page opens.
_HEAD: Final = re.compile(r"[^\s?]*+\?(?:\w++=\w++&(?:amp;)?)*+mines(?:_edit|_play)?/")
_SIZE: Final = re.compile(r"([0-9]{1,9})/([0-9]{1,9})(?:/|\Z)")
#: The code of this genre; a digit may be written as two digits behind a minus.
_CODE: Final = re.compile(r"(?:[0-8.g-z]|-0[0-8])*+")
_LONG_DIGIT: Final = re.compile(r"-0([0-8])")
_NUMBER: Final = re.compile(r"[0-9a-f]|-[0-9a-f]{2}|[+=%@][0-9a-f]{3}")
_CLUES: Final = {**CLUE_CODES, ".": SAFE}
_WRITTEN: Final = {code: symbol for symbol, code in _CLUES.items()}
#: Runs of cells without a clue: `g` is 1 cell, `z` is 20.
_RUNS: Final = {chr(ord("f") + length): length for length in range(1, 21)}
_LONGEST_RUN: Final = 20
_COPY: Final = "Copy the whole link."


def is_recognised(text: str) -> bool:
    """Return True if a text is a link to a puzzle of this genre."""
    return _HEAD.match(text.lstrip()) is not None


def read(data: bytes | str, most: int) -> Opened:
    """Read the board of a link.

    Raises:
        FormatError: it is another link, it holds only a size, its code describes more or fewer
            cells than there are, or a clue is above 8.
    """
    text = grid.decode_text(data).rstrip()
    start = len(text) - len(text.lstrip())
    head = _HEAD.match(text, start)
    size = None if head is None else _SIZE.match(text, head.end())
    if size is None:
        raise FormatError(
            "wrong-head",
            f"{text[start : start + 40]!r} is not a link to a Minesweeper puzzle with its size.",
            f"Send one such as {_ADDRESS}/3/2/1g.i",
            offset=start,
        )
    width, height = int(size[1]), int(size[2])
    grid.check_size(height, width, most)
    code = text[size.end() :].removesuffix("/")
    if not code:
        raise FormatError(
            "no-board",
            "The link tells the size of a puzzle, but has no clues.",
            "Write clues on the page first, then copy the link again.",
            offset=size.end(),
        )
    _check_code(code, size.end())
    cells = _decode_cells(_LONG_DIGIT.sub(r"\1", code), height, width, size.end() + len(code))
    return Opened(Board(cells))


def write(opened: Opened) -> str:
    """Write the link to a puzzle with the clues of a board, or else with all clues of a layout.

    Raises:
        FormatError: there is neither, or the board has mines or flags.
    """
    cells = opened.to_board().cells
    if opened.board is not None:
        grid.require_writable(cells == FLAG, "flag", "Make it unknown")
        grid.require_writable(cells == MINE, "mine", "Make it unknown")
    height, width = cells.shape
    clue = (cells <= 8) | (cells == SAFE)
    flat = cells.ravel()
    parts = []
    next_index = 0
    for index in [*np.flatnonzero(clue).tolist(), flat.size]:
        full, remainder = divmod(index - next_index, _LONGEST_RUN)
        parts.append("z" * full + (chr(ord("f") + remainder) if remainder else ""))
        if index < flat.size:
            parts.append(_WRITTEN[int(flat[index])])
        next_index = index + 1
    code = "".join(parts)
    # A full stop at the end of an address is often taken for the end of a sentence.
    return f"{_ADDRESS}/{width}/{height}/{code}" + "/" * code.endswith(".")


def _check_code(code: str, start: int) -> None:
    """Check that the code of a link, which begins at character ``start``, has only known parts."""
    match = _CODE.match(code)
    end = 0 if match is None else match.end()
    if end == len(code):
        return
    if number := _NUMBER.match(code, end):
        raise FormatError(
            "clue-too-large",
            f"Character {start + end}, {number[0]!r}, is a clue above 8.",
            "Correct the clue.",
            offset=start + end,
        )
    raise FormatError(
        "unknown-symbol",
        f"Character {start + end} is {code[end]!r}, which the code of such links does not have.",
        _COPY,
        offset=start + end,
    )


def _decode_cells(code: str, height: int, width: int, end: int) -> NDArray[np.int8]:
    """Return the cells of a code in which every character is a clue or a run.

    Args:
        code: digits, full stops, and letters from g.
        height: the rows of the board.
        width: the columns of the board.
        end: the offset in the text at which the code ends, for messages.

    Returns:
        int8 of shape (height, width).

    Raises:
        FormatError: the code describes more or fewer cells.
    """
    symbols = np.frombuffer(code.encode("ascii"), np.uint8)
    lengths = np.ones(256, np.int64)
    codes = np.full(256, UNKNOWN, np.int8)
    for symbol, length in _RUNS.items():
        lengths[ord(symbol)] = length
    for symbol, clue in _CLUES.items():
        codes[ord(symbol)] = clue
    ends = np.cumsum(lengths[symbols])
    total = int(ends[-1])
    if total != height * width:
        raise FormatError(
            "wrong-size",
            f"The link describes {format_count(total, 'cell')} of a board of {width} by {height}, "
            f"which has {height * width}.",
            _COPY,
            offset=end,
        )
    cells = np.full(height * width, UNKNOWN, np.int8)
    # The last cell of a run is as unknown as the others.
    cells[ends - 1] = codes[symbols]
    return cells.reshape(height, width)
