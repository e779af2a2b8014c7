"""The way of a text to a board."""

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from itertools import chain
from typing import Final
from urllib.parse import unquote

from minecheck.minefield.board import Board, BoardError
from minecheck.minefield.formats import AUTO, FORMATS, MOST_CELLS, FormatError, find_format, mbf
from minecheck.minefield.formats import read as read_format
from minecheck.minefield.notation import parse
from minecheck.minefield.reader.characters import decode_text, simplify_characters
from minecheck.minefield.reader.comments import COMMENT_NOTE, open_comment, strip_comments
from minecheck.minefield.reader.containers import Container, extract_link, open_container
from minecheck.minefield.reader.enclosed_rows import check_enclosed_rows
from minecheck.minefield.reader.fences import strip_fence
from minecheck.minefield.reader.labels import has_rows, list_cells
from minecheck.minefield.reader.legends import check_legend, find_constants, split_legend
from minecheck.minefield.reader.literals import read_json_rows, read_literal
from minecheck.minefield.reader.markup import strip_markup
from minecheck.minefield.reader.meanings import (
    interpret_grid,
    is_cells,
    is_contradictory,
)
from minecheck.minefield.reader.odd_lines import check_odd_lines
from minecheck.minefield.reader.reading import (
    AmbiguousBoardError,
    BoardReading,
    Grid,
    make_no_board_error,
    make_one_row_error,
)
from minecheck.minefield.reader.rows import cut_alike, cut_characters, cut_declared, cut_rows
from minecheck.minefield.reader.side_by_side import check_side_by_side
from minecheck.minefield.reader.sizes import list_stated_sizes, note_size
from minecheck.minefield.reader.totals import (
    SIZE,
    choose_total,
    find_total,
    name_numbers,
    say_unread_counts,
)
from minecheck.minefield.symbols import read_symbols

#: Longer texts are read in the standard notation only, which takes the least time and memory.
#: A million cells fit, with a sign between every two of them.
_LONGEST: Final = 2_100_000
#: Signs around a short text.
_QUOTES: Final = "\"'`"
#: Signs of code, which lines of words do not have.
_CODE: Final = frozenset("[](){}=\"'")
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
#: A word, which the title of a file has.
_TITLE: Final = re.compile(r"[^\W\d_]{3}")
_XML: Final = re.compile(r"\s*<(?:\?xml|legup\b)", re.IGNORECASE)
#: A field of JSON with a link to a puzzle, and one with a board.
_FIELD_OF_LINK: Final = re.compile(r"\"(?:url|link|href|puzzle)\"\s*:\s*\"(https?://[^\"\s]+)\"")
_FIELD_OF_BOARD: Final = re.compile(r"\"(?:board|grid|cells|field|map|rows)\"\s*:")
#: Rows as they stand in a link, with escapes for line ends.
_ESCAPED_LINES: Final = re.compile(r"\s*[^\s:]*%0[ad][^\s:]*\s*", re.IGNORECASE)
#: First bytes of files that hold no text, and what they are.
_FILES: Final = (
    (b"\x89PNG", "a picture"),
    (b"\xff\xd8\xff", "a picture"),
    (b"GIF8", "a picture"),
    (b"%PDF", "a PDF"),
    (b"PK\x03\x04", "a spreadsheet or an archive"),
    (b"\x1f\x8b", "compressed"),
)
#: Codes of errors about rows, which say nothing to the sender of a text without any.
_OF_ROWS: Final = ("stray-blank", "ragged-rows", "unknown-symbol", "empty-board")
#: Bytes as hexadecimal digits, at least the head of a file.
_HEX: Final = re.compile(r"[0-9a-fA-FxX,\s]{8,}")
#: Names of numbers of rows or columns.
_SIDE: Final = re.compile(r"(?:n_?)?(?:width|height|rows?|cols?|columns?|size|[whnrc])", re.I)
_COUNTED_SIDE: Final = re.compile(r"\b([0-9]{1,5})\s+(rows|cols|columns)\b", re.IGNORECASE)
#: Rows without anything else: they can be read in one way only, unless the first or last one counts
#: the columns further than clues at an edge can, or is a wall.
_PLAIN: Final = re.compile(r"\n?[0-8?B*SF]+(?:\r?\n[0-8?B*SF]+)*(?:\r?\n)*")
_NO_ROW: Final = re.compile(r"0?1234[5-8]*|\*{3,}")


def read_board(
    data: bytes | str,
    symbols: object = None,
    name: str = "symbols",
    most: int = MOST_CELLS,
    format: str = AUTO,
) -> BoardReading:
    """Return the board that a file or a text holds: in a format that bears signs, or as text.

    Args:
        data: the file.
        symbols: as in `read_text_board`.
        name: as in `read_text_board`.
        most: the largest number of cells that a file of a format may have.
        format: the name of the format. Those without signs, such as MBF, are not recognised.

    Raises:
        FormatError: the file is of a format, and damaged, or there is no such format.
        BoardError: as `read_text_board`.
    """
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
            lambda: _read_decoded(text, notes, codes),
            lambda reading: _read_total_beside(reading, decoded, text),
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
        if is_cells(title) or not _TITLE.search(title):
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


def _read_decoded(text: str, notes: tuple[str, ...], codes: dict[str, int]) -> BoardReading:
    """Return the board of a text, with notes about its bytes."""
    return _change_readings(
        lambda: _read_text(text, codes), lambda reading: reading.with_notes(*notes)
    )


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


def read_text_board(
    data: bytes | str, symbols: object = None, name: str = "symbols"
) -> BoardReading:
    """Return the board that a text holds, however people write it.

    Args:
        data: rows, a table, a literal of a program, emoji, JSON, a link or a command.
        symbols: what symbols mean, by the names unknown, mine, safe, flag and 0 to 8.
        name: how the sender's field or option for ``symbols`` is called, for messages.

    Raises:
        BoardError: the text holds no board that can be read; it names the row and column.
        AmbiguousBoardError: it can be read as different boards.
    """
    return _read_decoded(*decode_text(data), read_symbols(symbols, name))


def _read_text(text: str, codes: dict[str, int]) -> BoardReading:
    if not text.strip():
        raise BoardError(
            "empty-board", "The text is empty.", "Send at least one row with one cell."
        )
    if not codes and (len(text) > _LONGEST or _is_plain(text)):
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
        return _read_bare(text, codes)
    return _change_readings(lambda: _read_container(container, codes), container.complete)


def _read_container(container: Container, codes: dict[str, int]) -> BoardReading:
    codes = {**container.symbols, **codes}
    grid = read_json_rows(container.board, container.kind)
    if container.notation is not None and not codes:
        return BoardReading(parse(container.board, container.notation))
    if grid is not None:
        # The total tells which meanings are likely.
        return interpret_grid(replace(grid, mines=container.mines), codes)
    if not isinstance(container.board, str):
        raise BoardError(
            "board-type",
            "The board is neither text nor a list of rows.",
            'Send {"board": ["1?", "??"]}.',
        )
    return _read_bare(container.board, codes)


def _is_plain(text: str) -> bool:
    """Return True for rows in the standard notation that can be read in one way only."""
    lines = text.strip("\r\n").split("\n", 1)
    edges = (lines[0], lines[-1].rpartition("\n")[2])
    bold = edges[0].startswith("**") and edges[0].rstrip().endswith("**")
    if bold or any(map(_NO_ROW.fullmatch, map(str.strip, edges))):
        return False
    return _PLAIN.fullmatch(text) is not None


def _read_bare(text: str, codes: dict[str, int]) -> BoardReading:
    """Return the board of a text that is in no container."""
    codes = _simplify_symbols(codes)
    text = unquote(text) if _ESCAPED_LINES.fullmatch(text) else text
    plain, opened, around = _strip_around(text)
    plain, legend = split_legend(plain)
    if " " not in codes:
        check_enclosed_rows(plain.split("\n"))
    literals = read_literal(plain, legend | codes)
    used = {cell for grid in literals for row in grid.cells for cell in row}
    constants = find_constants(plain) if used else {}
    legend |= {symbol: code for symbol, code in constants.items() if symbol in used}
    around += tuple(f"The text says what {symbol} means." for symbol in legend)
    codes = legend | codes
    errors: list[BoardError] = []
    try:
        declared = (
            cut_characters(plain) if " " in codes else cut_declared(plain, codes.keys() - legend)
        )
        grids = literals or declared or cut_rows(plain)
    except BoardError as error:
        grids, errors = [], [error]
    # A symbol with a given meaning is a cell, and no bullet or label.
    grids = [grid for grid in grids if codes.keys() <= {*chain(*grid.cells)}] or grids
    if not literals:
        cells = chain.from_iterable(row for grid in grids for row in grid.cells)
        check_legend(plain, {*cells} - codes.keys())
    readings = _interpret_grids(
        [replace(grid, notes=(*around, *grid.notes), opened=opened) for grid in grids],
        codes,
        errors,
    )
    for reading in readings.values():
        _check_size(text, reading.board)
    sizes = list_stated_sizes(text)
    readings = {board: note_size(sizes, reading) for board, reading in readings.items()}
    if all(reading.mines is None for reading in readings.values()):
        widths = {reading.board.width for reading in readings.values()}
        unread = say_unread_counts(_list_wordy_lines(text, bool(literals), widths))
        readings = {
            board: replace(reading, notes=(*reading.notes, *unread))
            for board, reading in readings.items()
        }
    if len(readings) == 1 and not any(isinstance(error, AmbiguousBoardError) for error in errors):
        return next(iter(readings.values()))
    if not readings and not literals and errors[0].code in _OF_ROWS:
        _check_rows(plain, codes)
    if not readings or len(grids) == 1:
        raise errors[0]
    raise AmbiguousBoardError(
        tuple(readings.values()),
        "The text can be cut into rows and columns in different ways.",
    )


def _strip_around(text: str) -> tuple[str, bool, tuple[str, ...]]:
    """Return a text in plain characters without what stands around its rows.

    Returns:
        The text; True if it had spoilers; notes about what was left out or replaced.
    """
    uncommented, comment_notes = strip_comments(text)
    marked, fence_notes = strip_fence(uncommented)
    bare, markup_notes = strip_markup(marked)
    plain, opened, notes = simplify_characters(bare)
    return plain, opened, (*comment_notes, *fence_notes, *markup_notes, *notes)


def _check_rows(text: str, codes: Mapping[str, int]) -> None:
    """Check that nothing else is wrong with a text than the rows that could not be cut.

    Raises:
        BoardError: it has boards side by side, a line of words between or around its rows, rows
            with a symbol that is not known, or no row.
    """
    check_side_by_side(text)
    for grid in cut_alike(text):
        # These are some of the rows only: no reading of them is one of the text.
        with suppress(AmbiguousBoardError):
            interpret_grid(grid, codes)
    check_odd_lines(text)
    if not has_rows(text):
        raise make_no_board_error(
            "No line of the text is a row of a board.",
            "Send the rows of the board, one a line; and of a file what it holds, not its name.",
        )


def _interpret_grids(
    grids: list[Grid], codes: Mapping[str, int], errors: list[BoardError]
) -> dict[Board, BoardReading]:
    """Return the different boards that grids of symbols can stand for, and add what is wrong.

    Args:
        grids: the ways to cut a text.
        codes: cell codes of symbols whose meaning is given.
        errors: the errors so far, which is changed.
    """
    readings: dict[Board, BoardReading] = {}
    for grid in sorted(grids, key=lambda grid: grid.doubtful):
        if grid.doubtful and not all(map(is_contradictory, readings)):
            continue
        try:
            reading = interpret_grid(grid, codes)
            if grid.doubtful and is_contradictory(reading.board):
                continue
            readings.setdefault(reading.board, reading)
        except AmbiguousBoardError as error:
            for reading in error.readings:
                readings.setdefault(reading.board, reading)
            errors.append(error)
        except BoardError as error:
            errors.append(error)
    return readings


def _list_wordy_lines(text: str, has_code: bool, widths: set[int]) -> Iterator[str]:
    """Yield lines whose numbers are no cells: a bomb beside one is, and code has other numbers.

    Args:
        text: the lines.
        has_code: whether the board is a list of a program.
        widths: the numbers of columns that the board may have.
    """
    for line in text.split("\n"):
        is_code = has_code and (not line.isascii() or not _CODE.isdisjoint(line))
        is_legend = bool(split_legend(line)[1])
        if (
            "💣" not in line
            and not is_code
            and not is_legend
            and len(list_cells(line)) not in widths
        ):
            yield line


def _simplify_symbols(codes: Mapping[str, int]) -> dict[str, int]:
    """Return symbols and their codes with the plain characters that the text will have.

    Raises:
        BoardError: two symbols of different meaning are read as the same character.
    """
    plain: dict[str, int] = {}
    for symbol, code in codes.items():
        simple = simplify_characters(symbol)[0]
        if plain.setdefault(simple, code) != code:
            raise BoardError(
                "unknown-meaning",
                f"Two symbols with different meanings are both read as {simple[:20]!a}.",
                "Use other symbols for them in the board.",
            )
    return plain


def _check_size(text: str, board: Board) -> None:
    """Check that a text with all cells in one row does not state another size: 3x3, or width = 3.

    Raises:
        BoardError: it does.
    """
    if len(board.cells) > 1:
        return
    cells = board.cells.size
    for rows, cols in SIZE.findall(text):
        if int(rows) > 1 < int(cols) and int(rows) * int(cols) == cells:
            raise make_one_row_error(f"{rows}x{cols}", cells)
    counted = [(name, number) for number, name in _COUNTED_SIDE.findall(text)]
    for name, number in (*name_numbers(text), *counted):
        if _SIDE.fullmatch(name) and 1 < int(number) < cells and cells % int(number) == 0:
            raise make_one_row_error(f"{name} {number}", cells)
