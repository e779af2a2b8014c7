"""Game IDs of Mines in Tatham's puzzle collection, as `9x9:4,4,mb071b49fbd1cb6a0d5868`.

Behind the size stand the column and the row of the first square opened, then the mines as bits
in reading order, in hexadecimal digits: after `u` as they are, after `m` masked, so that the
ID does not give the game away.
Source: mines.c (describe_layout, validate_desc) and misc.c (obfuscate_bitmap).

Tested in tests/minefield/formats/test_formats.py.
"""

import re
from hashlib import sha1
from typing import Final
from urllib.parse import unquote

import numpy as np

from minecheck.minefield.formats.grid import check_sides, check_size, decode_text
from minecheck.minefield.formats.opened import FormatError, Opened
from minecheck.minefield.layout import Layout
from minecheck.minefield.numerals import format_count

NAME: Final = "tatham"

_PARAMETERS: Final = (
    r"([0-9]{1,5})(?:x([0-9]{1,5}))?(?:n[0-9.]{1,9})?a?(?:X[0-9]{1,5})?(?:Y[0-9]{1,5})?"
)
#: The longest side that the program takes.
_MOST_SIDE: Final = 32_767
_PAGE: Final = re.compile(r"https?://[^\s#]*/mines(?:\.html)?#")
#: A game ID, or the parameters or the seed of one, which have an x and an n.
_ID: Final = re.compile(rf"{_PARAMETERS}:\S*|(?=[0-9]+x[0-9]+n){_PARAMETERS}(?:#\S*)?")
_SIZE: Final = re.compile(_PARAMETERS)
_FIRST: Final = re.compile(r"([0-9]{1,5}),([0-9]{1,5}),")
_NO_DIGIT: Final = re.compile(r"[^0-9a-fA-F]")


def is_recognised(text: str) -> bool:
    """Return True if a text is a game ID, or an address that ends in one."""
    page = _PAGE.match(text.strip())
    return page is not None or _ID.fullmatch(text.strip()) is not None


def read(data: bytes | str, most: int) -> Opened:
    """Read the layout of a game ID, and the cell that is opened first if it names one.

    Raises:
        FormatError: it has no mines, or not as many digits as there are cells
            to tell of, or the first cell is not on the board.
    """
    text = decode_text(data).rstrip()
    page = _PAGE.match(text.lstrip())
    game_id = text.lstrip()
    if page:
        game_id = unquote(game_id[page.end() :])
    parameters, colon, description = game_id.partition(":")
    size = _SIZE.fullmatch(parameters)
    if size is None or not colon or description.startswith("r"):
        raise _make_mineless_error(game_id)
    width = int(size[1])
    height = int(size[2] or width)
    check_sides(height, width, _MOST_SIDE)
    check_size(height, width, most)
    first, digits = _read_first_cell(description, height, width)
    return Opened(None, _read_layout(digits, height, width, len(text)), first=first)


def write(opened: Opened) -> str:
    """Write the game ID of a layout, masked.

    Raises:
        FormatError: there is no layout, or it has a side above 32,767.
    """
    layout = opened.require_layout()
    height, width = layout.mines.shape
    check_sides(height, width, _MOST_SIDE)
    bits = mask_bits(np.packbits(layout.mines).tobytes(), layout.mines.size)
    first_click = "" if opened.first is None else f"{opened.first[1]},{opened.first[0]},"
    return f"{width}x{height}:{first_click}m{bits.hex()[: -(-layout.mines.size // 4)]}"


def mask_bits(plain: bytes, bits: int) -> bytes:
    """Mask the bits of a layout as IDs hide them.

    Each half of the bytes is masked by the other, the first half first.

    Args:
        plain: the bits in reading order, padded to bytes with zeros.
        bits: the number of bits without the padding.
    """
    half = len(plain) // 2
    masked_half = _masked_by(plain[half:], plain[:half])
    return masked_half + _clear_padding(_masked_by(masked_half, plain[half:]), bits)


def unmask_bits(hidden: bytes, bits: int) -> bytes:
    """Undo `mask_bits`.

    Args:
        hidden: the masked bytes.
        bits: the number of bits without the padding.
    """
    half = len(hidden) // 2
    second_half = _clear_padding(_masked_by(hidden[:half], hidden[half:]), bits)
    return _masked_by(second_half, hidden[:half]) + second_half


def _masked_by(seed: bytes, target: bytes) -> bytes:
    """Mask the target by exclusive-or with SHA-1 digests of the seed and a counter.

    Digest k is of the seed followed by k in decimal digits, from 0.
    """
    begun = sha1(seed, usedforsecurity=False)
    digests = []
    for counter in range(-(-len(target) // begun.digest_size)):
        counted = begun.copy()
        counted.update(b"%d" % counter)
        digests.append(counted.digest())
    mask = b"".join(digests)[: len(target)]
    return (np.frombuffer(target, np.uint8) ^ np.frombuffer(mask, np.uint8)).tobytes()


def _clear_padding(half: bytes, bits: int) -> bytes:
    """Return half of the bytes with zeros behind the last of all bits."""
    return half[:-1] + bytes([half[-1] & 0xFF << -bits % 8 & 0xFF])


def _read_first_cell(
    description: str, height: int, width: int
) -> tuple[tuple[int, int] | None, str]:
    """Read the cell opened first, as (row, col), and return it with the rest of the ID."""
    match = _FIRST.match(description)
    if match is None:
        return None, description
    col, row = int(match[1]), int(match[2])
    if col >= width or row >= height:
        raise FormatError(
            "first-off-the-board",
            f"The game begins in column {col}, row {row} of a board of {width} by {height}.",
            "Copy the whole ID.",
            row=row,
            col=col,
        )
    return (row, col), description[match.end() :]


def _read_layout(body: str, height: int, width: int, end: int) -> Layout:
    """Read the mines from the last part of an ID, which ends before character ``end``."""
    form, digits = (body[0], body[1:]) if body[:1] in ("m", "u") else ("u", body)
    start = end - len(digits)
    if wrong := _NO_DIGIT.search(digits):
        offset = start + wrong.start()
        raise FormatError(
            "unknown-symbol",
            f"Character {offset} is {wrong[0]!r}, not a hexadecimal digit.",
            "Copy the whole ID.",
            offset=offset,
        )
    area = height * width
    if len(digits) != -(-area // 4):
        raise FormatError(
            "wrong-size",
            f"The ID has {format_count(len(digits), 'digit')} of mines where "
            f"{format_count(area, 'cell')} "
            f"should have {-(-area // 4)}.",
            "Copy the whole ID.",
            offset=end,
        )
    packed = bytes.fromhex(digits + "0" * (len(digits) % 2))
    if packed != _clear_padding(packed, area):
        raise FormatError(
            "wrong-size",
            "The last digit describes cells after the last one.",
            "Copy the whole ID.",
            offset=end - 1,
        )
    plain = unmask_bits(packed, area) if form == "m" else packed
    bits = np.unpackbits(np.frombuffer(plain, np.uint8))[:area]
    return Layout(bits.reshape(height, width) > 0)


def _make_mineless_error(game_id: str) -> FormatError:
    if _SIZE.fullmatch(re.split("[:#]", game_id, maxsplit=1)[0]):
        return FormatError(
            "no-board",
            "The ID tells the size of a game, and how to draw one, but not where the mines are.",
            "Open a square there first, then copy the game ID, such as 9x9:4,4,m and digits.",
        )
    return FormatError(
        "wrong-head",
        f"{game_id[:40]!r} is not a game ID.",
        "Send one such as 9x9:4,4,m and hexadecimal digits.",
        offset=0,
    )
