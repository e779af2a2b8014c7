"""Links of JSMinesweeper: `?analysis=` is what a player sees, `?b=&m=` where the mines are.

An analysis is base 62: two digits for the width, two for the height, four for the mines,
then runs of equal cells. Each kind of cell has digits of its own, and the length of a run is
written in as many of them as it takes. A clue is written without its neighbours `F`, a flag,
and `I`, a mine that is plain to see but not flagged; `O` is a flag that a clue has no room for.
In the other form b is the size and each character of m, in base 32, five cells.
Source: Compressor and getSimpleCompressedData in Board.js, interpretBMParms in main.js,
getMinesString in MinesweeperGame.js. Llamasweeper and the ZiNi calculator share b and m.

Tested in tests/minefield/formats/test_formats.py.
"""

import re
from functools import cache
from typing import Final, NamedTuple
from urllib.parse import parse_qsl, unquote

import numpy as np

from minecheck.minefield.board import FLAG, MINE, SAFE, UNKNOWN, Board, Cells
from minecheck.minefield.formats.grid import (
    check_mine_count,
    check_sides,
    check_size,
    decode_text,
    require_writable,
)
from minecheck.minefield.formats.opened import FormatError, Opened, make_nothing_to_write_error
from minecheck.minefield.layout import Layout
from minecheck.minefield.numerals import format_count

NAME: Final = "jsminesweeper"

_PAGE: Final = "https://davidnhill.github.io/JSMinesweeper/index.html?"
#: The longest side that its own pages allow.
_MOST_SIDE: Final = 250
#: Characters, more than boards of that side take in both forms.
_MOST_LINK: Final = 200_000
_BASE_62: Final = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
_BASE_32: Final = "0123456789abcdefghijklmnopqrstuv"
_HEAD: Final = 8
#: Kinds of cells behind the clues, by their index in `_RADICES`.
_PLAIN, _HIDDEN, _FLAGGED, _OVER = range(9, 13)
#: The number of digits for each kind of cell; one digit stands for one cell.
_RADICES: Final = (10, 7, 5, 5, 4, 3, 3, 1, 1, 4, 10, 8, 1)
#: (width, height) by b, and by what game b stands for.
_SIZES: Final = {"1": (9, 9), "2": (16, 16), "3": (30, 16)}
_GAMES: Final = {(9, 9, 10): "1", (16, 16, 40): "2", (30, 16, 99): "3"}
_SIGN: Final = re.compile(r"\s*[^\s?]*\?(?:[^\s&]*&){0,20}?(?:analysis|b)=\S*\s*")


class _Digit(NamedTuple):
    kind: int
    value: int
    radix: int


def is_recognised(text: str) -> bool:
    """Return True if a text is a link, or the end of one, that holds a board."""
    return _SIGN.fullmatch(_unescape_link(text)) is not None


def read(data: bytes | str, most: int) -> Opened:
    """Read the board and the layout of a link, or of what follows its question mark.

    Raises:
        FormatError: there is neither, they differ in size or number of mines,
            or one of them cannot be read.
    """
    fields = _parse_fields(decode_text(data).strip())
    view = _read_view(fields["analysis"], most) if "analysis" in fields else None
    layout = _decode_layout(fields["b"], fields["m"], most) if {"b", "m"} <= fields.keys() else None
    if view is None:
        if layout is None:
            raise FormatError(
                "no-board",
                "The link has neither analysis= nor b= and m=.",
                "Copy the link of a position, or save it there as a .mine or .mbf file: "
                "a size and a seed do not tell where the mines are.",
            )
        return Opened(None, layout)
    board, mines = view
    if layout is not None and (board.shape, mines) != (layout.mines.shape, layout.total):
        raise FormatError(
            "two-boards",
            "The link shows two boards, of different sizes or numbers of mines.",
            "Keep only analysis=, or only b= and m=.",
        )
    return Opened(board, layout, mines)


def write(opened: Opened) -> str:
    """Write a link that holds the board for analysis, the layout as a game, or both.

    An analysis is, character for character, what JSMinesweeper makes of the board.

    Raises:
        FormatError: there is neither, a side is above 250, the number of mines
            is not known, or a cell is known but has no number.
    """
    parts = []
    if opened.board is not None:
        parts.append(f"analysis={_encode_view(opened.board, opened.require_mines())}")
    if opened.layout is not None:
        size, mines = _encode_layout(opened.layout)
        parts.append(f"b={size}&m={mines}")
    if not parts:
        raise make_nothing_to_write_error()
    return _PAGE + "&".join(parts)


def _parse_fields(link: str) -> dict[str, str]:
    """Return the parameters of the query; of repeated names the first counts."""
    if len(link) > _MOST_LINK:
        raise FormatError(
            "link-too-long",
            f"The link has more than {_MOST_LINK} characters.",
            "Send one link, and nothing else.",
            offset=_MOST_LINK,
        )
    link = _unescape_link(link)
    query = link.partition("?")[2] if "?" in link else link
    try:
        pairs = parse_qsl(query.partition("#")[0], keep_blank_values=True, max_num_fields=50)
    except ValueError:
        raise FormatError(
            "no-board", "The link has more than 50 parts.", "Send a link of JSMinesweeper."
        ) from None
    return dict(reversed(pairs))


def _unescape_link(link: str) -> str:
    """Undo the escapes of a link that was escaped for HTML or percent-encoded as a whole."""
    if "?" not in link and "%3f" in link.lower():
        link = unquote(link)
    return re.sub("&(?:amp;|#38;)+", "&", link)


def _read_view(code: str, most: int) -> tuple[Board, int]:
    """Read the board of an analysis, and its number of mines."""
    width, height, mines = (_read_number(code, *part) for part in ((0, 2), (2, 4), (4, _HEAD)))
    check_sides(height, width, _MOST_SIDE)
    check_size(height, width, most)
    check_mine_count(mines, height, width)
    kinds = np.frombuffer(_read_kinds(code, height * width), np.uint8).reshape(height, width)
    clue = kinds < _PLAIN
    # Add what was subtracted from the clues.
    cells = kinds + Layout((kinds == _PLAIN) | (kinds == _FLAGGED)).count_neighbours()
    for row, col in np.argwhere(clue & (cells > 8))[:1].tolist():
        raise FormatError(
            "clue-too-large",
            f"The clue at row {row}, column {col} comes to {cells[row, col]}.",
            "Copy the whole link.",
            row=row,
            col=col,
        )
    flag = (kinds == _FLAGGED) | (kinds == _OVER)
    return Board(np.where(clue, cells, np.where(flag, FLAG, UNKNOWN))), mines


def _read_number(code: str, start: int, end: int) -> int:
    number = 0
    for offset in range(start, end):
        digit = _BASE_62.find(code[offset]) if offset < len(code) else -1
        if digit < 0:
            raise _make_digit_error(code, offset)
        number = number * len(_BASE_62) + digit
    return number


def _read_kinds(code: str, area: int) -> bytes:
    """Read the kinds of the cells, one byte each, from the runs of an analysis."""
    kinds = bytearray()
    digits = _build_digits()
    kind, run = -1, 0
    for offset in range(_HEAD, len(code)):
        digit = digits.get(code[offset])
        if digit is None:
            raise _make_digit_error(code, offset)
        if digit.kind != kind:
            kinds += bytes([max(kind, 0)]) * run
            kind, run = digit.kind, 0
        run = run * digit.radix + digit.value
        # Looked at for each digit: a long run of them is a number without bound.
        if len(kinds) + run > area:
            raise _make_area_error(f"more than {area}", area, offset)
    kinds += bytes([max(kind, 0)]) * run
    if len(kinds) != area:
        raise _make_area_error(str(len(kinds)), area, len(code))
    return bytes(kinds)


@cache
def _build_digits() -> dict[str, _Digit]:
    """Return the meaning of each digit of a run."""
    characters = iter(_BASE_62)
    return {
        next(characters): _Digit(kind, value if radix > 1 else 1, radix)
        for kind, radix in enumerate(_RADICES)
        for value in range(radix)
    }


def _encode_view(board: Board, mines: int) -> str:
    """Encode a board in base 62; a cell that is MINE or SAFE has no digit there."""
    require_writable((board.cells == MINE) | (board.cells == SAFE))
    height, width = board.shape
    check_sides(height, width, _MOST_SIDE)
    kinds = _deflate_clues(_with_plain_mines(board.cells)).ravel()
    starts = np.flatnonzero(np.diff(kinds, prepend=-1))
    runs = np.diff(starts, append=kinds.size)
    head = _write_in_base(width, _BASE_62).rjust(2, "a") + _write_in_base(height, _BASE_62).rjust(
        2, "a"
    )
    head += _write_in_base(mines, _BASE_62).rjust(4, "a")
    return head + "".join(map(_encode_run, kinds[starts].tolist(), runs.tolist()))


def _with_plain_mines(cells: Cells) -> Cells:
    """Return the kinds of cells, with mines where a clue leaves hidden neighbours no choice."""
    kinds = np.select([cells == UNKNOWN, cells == FLAG], [_HIDDEN, _FLAGGED], cells)
    full = (kinds < _PLAIN) & (Layout(kinds >= _PLAIN).count_neighbours() == kinds)
    plain = (kinds == _HIDDEN) & (Layout(full).count_neighbours() > 0)
    return np.where(plain, _PLAIN, kinds).astype(np.int8)


def _deflate_clues(kinds: Cells) -> Cells:
    """Take each flag and plain mine off the clues around it, in reading order.

    A flag or mine beside a clue that has come down to 0 is left on the others.
    """
    height, width = kinds.shape
    padded = np.full((height + 2, width + 2), _HIDDEN, np.int8)
    padded[1:-1, 1:-1] = kinds
    remaining = padded.ravel().tolist()
    around = [down * (width + 2) + side for down in (-1, 0, 1) for side in (-1, 0, 1)]
    for cell in np.flatnonzero((padded == _PLAIN) | (padded == _FLAGGED)).tolist():
        clues = [cell + step for step in around if remaining[cell + step] < _PLAIN]
        if all(remaining[clue] for clue in clues):
            for clue in clues:
                remaining[clue] -= 1
        else:
            remaining[cell] = _OVER if remaining[cell] == _FLAGGED else _HIDDEN
    return np.array(remaining, np.int8).reshape(padded.shape)[1:-1, 1:-1]


def _encode_run(kind: int, length: int) -> str:
    start = sum(_RADICES[:kind])
    digits = _BASE_62[start : start + _RADICES[kind]]
    return digits * length if len(digits) == 1 else _write_in_base(length, digits)


def _write_in_base(number: int, digits: str) -> str:
    written = ""
    while number:
        number, digit = divmod(number, len(digits))
        written = digits[digit] + written
    return written


def _decode_layout(size: str, mines: str, most: int) -> Layout:
    """Return the layout that ``b`` and ``m`` encode."""
    half = len(size) // 2
    if size in _SIZES:
        width, height = _SIZES[size]
    elif re.fullmatch(r"[0-9]{2,8}", size):
        width, height = int(size[:half]), int(size[half:])
    else:
        raise FormatError(
            "wrong-head",
            f"The size b is {size[:40]!r}.",
            "Send 1, 2, 3, or width and height with as many digits each, such as 0810.",
        )
    check_sides(height, width, _MOST_SIDE)
    check_size(height, width, most)
    area = height * width
    values = [_BASE_32.find(character) for character in mines[: area + 1].lower()]
    if -1 in values:
        raise _make_digit_error(mines, values.index(-1))
    if len(mines) != -(-area // 5):
        raise _make_area_error(f"{5 * len(mines)}", area, len(mines))
    bits = np.unpackbits(np.array(values, np.uint8)[:, None], axis=1)[:, 3:].ravel()
    if bits[area:].any():
        raise _make_area_error("a mine beyond the board", area, len(mines) - 1)
    return Layout(bits[:area].reshape(height, width) > 0)


def _encode_layout(layout: Layout) -> tuple[str, str]:
    """Return the b and m of a layout."""
    height, width = layout.mines.shape
    check_sides(height, width, _MOST_SIDE)
    digits = len(str(max(height, width)))
    size = _GAMES.get((width, height, layout.total), f"{width:0{digits}}{height:0{digits}}")
    bits = np.zeros(-(-layout.mines.size // 5) * 5, np.uint8)
    bits[: layout.mines.size] = layout.mines.ravel()
    values = (np.packbits(bits.reshape(-1, 5), axis=1)[:, 0] >> 3).tolist()
    return size, "".join(_BASE_32[value] for value in values)


def _make_digit_error(code: str, offset: int) -> FormatError:
    if offset >= len(code):
        detail = f"The code ends after {format_count(len(code), 'character')}."
    else:
        detail = f"Character {offset} of the code is {code[offset]!r}, which means nothing there."
    return FormatError("unknown-symbol", detail, "Copy the whole link.", offset=offset)


def _make_area_error(cells: str, area: int, offset: int) -> FormatError:
    return FormatError(
        "wrong-size",
        f"The code shows {cells} where there should be {format_count(area, 'cell')}.",
        "Copy the whole link.",
        offset=offset,
    )
