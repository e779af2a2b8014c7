"""The way of any text to a board: links, files of formats, containers, or rows.

Tested in tests/minefield/reader/test_read.py.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Final
from urllib.parse import unquote

from minecheck.minefield.board import BoardError
from minecheck.minefield.formats import AUTO, FORMATS, FormatError, find_format, mbf
from minecheck.minefield.formats import read as read_format
from minecheck.minefield.notation import parse
from minecheck.minefield.reader.bare_text import read_bare
from minecheck.minefield.reader.characters import decode_text
from minecheck.minefield.reader.comments import COMMENT_NOTE, open_comment
from minecheck.minefield.reader.container import Container
from minecheck.minefield.reader.containers import extract_link, open_container
from minecheck.minefield.reader.fences import strip_fence
from minecheck.minefield.reader.literals import read_json_rows
from minecheck.minefield.reader.meanings import interpret_grid, is_contradictory
from minecheck.minefield.reader.plain_rows import is_plain
from minecheck.minefield.reader.reading import AmbiguousBoardError, BoardReading
from minecheck.minefield.reader.remarks import has_long_word
from minecheck.minefield.reader.totals import choose_total, find_total
from minecheck.minefield.symbols import read_symbols

#: Longer texts are read in the standard notation only, which takes the least time and memory.
#: A million cells fit, with a sign between every two of them.
_LONGEST: Final = 2_100_000
#: Signs around a short text.
_QUOTES: Final = "\"'`"
#: The most lines of words before a file of a format.
_MOST_TITLES: Final = 5
#: Characters that no text has. Terminals show colours by escapes.
_BINARY: Final = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
#: A link with escapes in its path or query.
_ESCAPED_LINK: Final = re.compile(r"https?(?::|%3a)\S*%[0-9a-f]{2}\S*", re.IGNORECASE)
#: The ID of a game in a text, and a puzzle of pzpr.
_DESCRIBED: Final = re.compile(
    r"(?<![\w:#])[0-9]{1,3}x[0-9]{1,3}:[0-9]{1,3},[0-9]{1,3},[mu][0-9a-f]{2,}(?!\w)"
    r"|(?<![\w/])pzprv3(?:\.1)?/mines/[0-9]{1,3}/[0-9]{1,3}/[^\"'\n]{1,99999}/(?=[\"'])"
)
_XML: Final = re.compile(r"\s*<(?:\?xml|legup\b)", re.IGNORECASE)
#: A field of JSON with a link to a puzzle, and one with a board.
_FIELD_OF_LINK: Final = re.compile(r"\"(?:url|link|href|puzzle)\"\s*:\s*\"(https?://[^\"\s]+)\"")
_FIELD_OF_BOARD: Final = re.compile(r"\"(?:board|grid|cells|field|map|rows)\"\s*:")
#: First bytes of files that hold no text, and what they are.
_FILES: Final = (
    (b"\x89PNG", "a picture"),
    (b"\xff\xd8\xff", "a picture"),
    (b"GIF8", "a picture"),
    (b"%PDF", "a PDF"),
    (b"PK\x03\x04", "a spreadsheet or an archive"),
    (b"\x1f\x8b", "compressed"),
)
#: Bytes as hexadecimal digits, at least the head of a file.
_HEX: Final = re.compile(r"[0-9a-fA-FxX,\s]{8,}")


def read_any_board(
    data: bytes | str, symbols: object, name: str, most: int, format: str
) -> BoardReading:
    """Return the board that a file or a text holds; for all arguments see `read_board`."""
    if format != AUTO:
        return _read_format(data, format, most)
    decoded, notes = _decode_file(data)
    if (game := _find_game(decoded)) is not None:
        reading = _read_format(game, find_format(game) or AUTO, most)
        reading = _read_total_beside(reading, decoded, game)
        return reading.with_notes("The text around the game was left out.")
    bare = open_comment(decoded)
    notes += (COMMENT_NOTE,) if bare != decoded else ()
    text = _cut_markup(extract_link(bare))
    for link in (text, unquote(text) if _ESCAPED_LINK.fullmatch(text.strip()) else text):
        if (known := find_format(link)) is not None:
            return _read_total_beside(_read_format(link, known, most), decoded, text)
    for inner in _list_inner_texts(text):
        if (known := find_format(inner)) is not None:
            reading = _read_total_beside(_read_format(inner, known, most), decoded, inner)
            return reading.with_notes("The text around the file was left out.")
    codes = read_symbols(symbols, name)
    in_hex = _read_hex(text, most)
    if in_hex is None:
        return _change_readings(
            lambda: _read_text(text, codes),
            lambda reading: _read_total_beside(reading.with_notes(*notes), decoded, text),
        )
    try:
        rows = _read_text(text, codes)
    except BoardError:
        return in_hex
    if not in_hex.mines:
        # Any short board of digits could be one without mines.
        return rows
    note = "The digits can also be an MBF file in hexadecimal; if so, name the format hex."
    return replace(rows, notes=(*rows.notes, note))


def _find_game(text: str) -> str | None:
    """Return the only ID of a game, or puzzle of pzpr, in a text with more than that."""
    # A million cells without these signs need no search.
    if ":" not in text and "pzprv3" not in text:
        return None
    described = {*_DESCRIBED.findall(text)} - {text.strip()}
    return described.pop() if len(described) == 1 else None


def _cut_markup(text: str) -> str:
    """Return a file in XML without the words behind it, any other text as it is."""
    return text[: text.rindex(">") + 1] if _XML.match(text) and ">" in text else text


def _list_inner_texts(text: str) -> Iterator[str]:
    """Yield the parts of a text that may be a file of a format, with something around it."""
    stripped = text.strip()
    if (link := _FIELD_OF_LINK.search(stripped)) and not _FIELD_OF_BOARD.search(stripped):
        yield link[1]
    inner = strip_fence(text)[0] if any(sign in text for sign in ("```", "~~~", ">")) else text
    unquoted = stripped.strip(_QUOTES)
    yield from dict.fromkeys(part for part in (stripped, inner.strip(), unquoted) if part != text)
    lines = inner.split("\n")
    for at, title in enumerate(lines[: min(len(lines), _MOST_TITLES) - 1]):
        if not title.strip():
            continue
        if not has_long_word(title):
            return
        yield "\n".join(lines[at + 1 :]).strip()


def _read_total_beside(reading: BoardReading, text: str, inner: str) -> BoardReading:
    """Return a reading with the total that the text around a file or a link states.

    Raises:
        BoardError: the file or link states another one.
    """
    before, found, behind = text.partition(inner)
    around = f"{before}\n{behind}"
    if not found or not around.strip():
        return reading
    return replace(reading, mines=choose_total([reading.mines, find_total(around)]))


def _change_readings(
    read: Callable[[], BoardReading], change: Callable[[BoardReading], BoardReading]
) -> BoardReading:
    """Return what is read after a change, which all readings have if there are several."""
    try:
        return change(read())
    except AmbiguousBoardError as error:
        raise error.map(change) from None


def _decode_file(data: bytes | str) -> tuple[str, tuple[str, ...]]:
    """Return the text of a file, and notes about its encoding.

    Raises:
        FormatError: it is binary.
    """
    head = data[:8] if isinstance(data, bytes) else b""
    if kind := next((kind for sign, kind in _FILES if head.startswith(sign)), None):
        fix = "Send the rows of the board as text or CSV."
        raise FormatError("format-unknown", f"The file is {kind}.", fix)
    try:
        text, notes = decode_text(data)
        if (binary := _BINARY.search(text)) is None:
            return text, notes
        reason = f"Its character {binary.start()} is {binary[0]!a}."
    except BoardError as error:
        reason = error.detail
    raise FormatError(
        "format-unknown",
        f"The file is not text, and does not show which format it has. {reason}",
        f"Save a text as UTF-8; or name the format of a file: {', '.join(FORMATS)}. A binary file "
        "may be mbf.",
    )


def _read_format(data: bytes | str, format: str, most: int) -> BoardReading:
    opened = read_format(data, format, most)
    return BoardReading(
        opened.to_board(),
        opened.mines,
        format,
        opened.notes,
        layout=opened.layout,
        first=opened.first,
        only_layout=opened.board is None,
    )


def _read_hex(text: str, most: int) -> BoardReading | None:
    """Return the board of an MBF file in hexadecimal digits, None if the text is none."""
    if len(text) > _LONGEST or not _HEX.fullmatch(text):
        return None
    try:
        return _read_format(text, mbf.HEX, most)
    except FormatError:
        return None


def _read_text(text: str, codes: dict[str, int]) -> BoardReading:
    if not text.strip():
        raise BoardError(
            "empty-board", "The text is empty.", "Send at least one row with one cell."
        )
    if not codes and (len(text) > _LONGEST or is_plain(text)):
        try:
            board = parse(text)
            # Asterisks may be covered cells.
            covers = "*" in text and (not text.strip("*\r\n") or is_contradictory(board))
            if len(text) > _LONGEST or not covers:
                return BoardReading(board)
        except BoardError as error:
            # The first lines may be the size of the board.
            if len(text) > _LONGEST:
                reason = f"A text of more than {_LONGEST:,} characters is read as plain rows only."
                fix = f"{error.fix} {reason}"
                raise BoardError(error.code, error.detail, fix, error.row, error.col) from None
    container = open_container(text)
    if container is None:
        return read_bare(text, codes)
    return _change_readings(lambda: _read_container(container, codes), container.complete)


def _read_container(container: Container, codes: dict[str, int]) -> BoardReading:
    codes = {**container.symbols, **codes}
    grid = read_json_rows(container.board, container.kind, with_blanks=" " in codes)
    if container.notation is not None and not codes:
        return BoardReading(parse(container.board, container.notation))
    if grid is not None:
        # Readings with another number of mines are unlikely.
        return interpret_grid(replace(grid, mines=container.mines), codes)
    if not isinstance(container.board, str):
        raise BoardError(
            "board-type",
            "The board is neither text nor a list of rows.",
            'Send {"board": ["1?", "??"]}.',
        )
    return read_bare(container.board, codes)
