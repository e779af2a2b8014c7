"""MBF and ABF: where the mines are, in binary or as hexadecimal digits.

One byte is the width, one the height, two are the number of mines, the higher
first; then each mine has a byte for its column and one for its row, both from 0.
Source: what JSMinesweeper (D. Hill) reads and writes; it reads ABF no differently.

Tested in tests/minefield/formats/test_formats.py.
"""

import re
import struct
from typing import Final

import numpy as np

from minecheck.minefield.formats.grid import check_sides, check_size, decode_text
from minecheck.minefield.formats.opened import FormatError, Opened
from minecheck.minefield.layout import Layout
from minecheck.minefield.numerals import format_count

NAME: Final = "mbf"
ALIKE: Final = "abf"
HEX: Final = "hex"

_HEAD: Final = struct.Struct(">BBH")
_MOST_SIDE: Final = 255
_MOST_BYTES: Final = _HEAD.size + 2 * _MOST_SIDE**2
_NO_DIGIT: Final = re.compile(r"[^0-9a-fA-F]")


def read(data: bytes | str, most: int) -> Opened:
    """Read the layout of a binary file.

    Raises:
        FormatError: it is text, is too short or too long, or has a mine off
            the board or twice.
    """
    if isinstance(data, str):
        raise FormatError(
            "not-binary",
            "MBF files are binary, but this is text.",
            "Send the bytes of the file, or name the format hex for hexadecimal digits.",
        )
    if len(data) < _HEAD.size:
        raise _make_length_error(f"The header takes {_HEAD.size} bytes", data, len(data))
    width, height, mines = _HEAD.unpack_from(data)
    check_size(height, width, most)
    due = _HEAD.size + 2 * mines
    if len(data) != due:
        raise _make_length_error(
            f"A file with {format_count(mines, 'mine')} has {due} bytes", data, min(len(data), due)
        )
    cols, rows = np.frombuffer(data, np.uint8, offset=_HEAD.size).reshape(mines, 2).T
    for mine in np.flatnonzero((cols >= width) | (rows >= height))[:1].tolist():
        raise _make_mine_error("mine-off-the-board", "is not on the board", mine, rows, cols)
    cells = rows.astype(np.int64) * width + cols
    fresh = np.unique(cells, return_index=True)[1]
    for mine in np.setdiff1d(np.arange(mines), fresh)[:1].tolist():
        raise _make_mine_error("mine-repeated", "is there already", mine, rows, cols)
    layout = np.zeros((height, width), np.bool_)
    layout[rows, cols] = True
    return Opened(None, Layout(layout))


def write(opened: Opened) -> bytes:
    """Write the binary file of a layout, mines in reading order.

    Raises:
        FormatError: there is no layout, or it has a side above 255.
    """
    layout = opened.require_layout()
    height, width = layout.mines.shape
    check_sides(height, width, _MOST_SIDE)
    pairs = np.argwhere(layout.mines)[:, ::-1].astype(np.uint8)
    return _HEAD.pack(width, height, layout.total) + pairs.tobytes()


def read_hex(data: bytes | str, most: int) -> Opened:
    """Read the layout of the same bytes as pasted digits; blanks, commas and 0x are allowed.

    Raises:
        FormatError: there is anything else, or half a byte, or as `read`.
    """
    digits = []
    for match in re.finditer(r"[^\s,]+", decode_text(data)):
        token = match[0][2:] if match[0][:2] in ("0x", "0X") else match[0]
        start = match.end() - len(token)
        if wrong := _NO_DIGIT.search(token):
            offset = start + wrong.start()
            raise FormatError(
                "unknown-symbol",
                f"Character {offset} is {wrong[0]!r}, not a hexadecimal digit.",
                "Send digits 0-9 and a-f, with blanks or commas between bytes.",
                offset=offset,
            )
        # 0xA alone is a byte; of longer runs nobody knows where a digit is missing.
        if (len(token) % 2 and len(token) > 1) or not token:
            raise FormatError(
                "half-a-byte",
                f"The {len(token)} digits at character {start} are not a whole number of bytes.",
                "Write two digits for each byte.",
                offset=start,
            )
        digits.append(token.zfill(2))
        # Reading on would take long, and come to nothing.
        if len(digits) > _MOST_BYTES:
            raise FormatError(
                "wrong-length",
                f"There are more than {_MOST_BYTES} bytes, the most that a file can have.",
                "Send one file and nothing else.",
                offset=start,
            )
    return read(bytes.fromhex("".join(digits)), most)


def write_hex(opened: Opened) -> str:
    """Write the digits of the binary file, in one run.

    Raises:
        FormatError: there is no layout, or it has a side above 255.
    """
    return write(opened).hex()


def _make_length_error(due: str, data: bytes, offset: int) -> FormatError:
    return FormatError(
        "wrong-length",
        f"{due}, not {len(data)}.",
        "Send the whole file and nothing else.",
        offset=offset,
    )


def _make_mine_error(
    code: str,
    fault: str,
    mine: int,
    rows: np.ndarray[tuple[int], np.dtype[np.uint8]],
    cols: np.ndarray[tuple[int], np.dtype[np.uint8]],
) -> FormatError:
    offset = _HEAD.size + 2 * mine
    row, col = int(rows[mine]), int(cols[mine])
    return FormatError(
        code,
        f"The mine in byte {offset}, at row {row}, column {col}, {fault}.",
        "Correct the file, or name its format.",
        offset,
        row,
        col,
    )
