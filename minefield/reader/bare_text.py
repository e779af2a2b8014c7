"""The way of a text that is in no container to a board.

Tested in tests/minefield/reader/test_read.py.
"""

import re
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from itertools import chain, product
from typing import Final
from urllib.parse import unquote

from minecheck.minefield.board import MINE, SAFE, Board, BoardError
from minecheck.minefield.reader.characters import simplify_characters, strip_smileys
from minecheck.minefield.reader.comments import strip_comments
from minecheck.minefield.reader.declared_rows import cut_alike, cut_characters, cut_declared
from minecheck.minefield.reader.enclosed_rows import check_enclosed_rows
from minecheck.minefield.reader.fences import strip_fence
from minecheck.minefield.reader.labels import has_rows, list_cells
from minecheck.minefield.reader.legends import check_legend, find_constants, split_legend
from minecheck.minefield.reader.literals import read_literal
from minecheck.minefield.reader.markup import strip_markup
from minecheck.minefield.reader.meanings import (
    interpret_grid,
    is_cells,
    is_contradictory,
    is_symbol,
)
from minecheck.minefield.reader.mentions import find_mentions, is_compatible
from minecheck.minefield.reader.odd_lines import check_meant, check_odd_lines
from minecheck.minefield.reader.reading import (
    AmbiguousBoardError,
    BoardReading,
    Grid,
    make_no_board_error,
)
from minecheck.minefield.reader.rows import cut_rows
from minecheck.minefield.reader.side_by_side import check_side_by_side
from minecheck.minefield.reader.sizes import check_one_row, list_stated_sizes, note_size
from minecheck.minefield.reader.totals import join_headings, say_unread_counts

#: Signs of code, which lines of words do not have.
_CODE: Final = frozenset("[](){}=\"'")
#: Rows as they stand in a link, with escapes for line ends.
_ESCAPED_LINES: Final = re.compile(r"\s*[^\s:]*%0[ad][^\s:]*\s*", re.IGNORECASE)
#: Codes of errors about rows, which say nothing to the sender of a text without any.
_OF_ROWS: Final = ("stray-blank", "ragged-rows", "unknown-symbol", "empty-board")
_QUOTED: Final = 60
#: A word in brackets before cells.
_HEAD: Final = re.compile(r"\s*\[([A-Za-z]{2,20})\]\s+\S")


def read_bare(text: str, codes: dict[str, int]) -> BoardReading:
    """Return the board of a text that is in no container."""
    codes = _simplify_symbols(codes)
    text = unquote(text) if _ESCAPED_LINES.fullmatch(text) else text
    _check_heads(text)
    plain, opened, around = _strip_around(text)
    plain, legend = split_legend(plain)
    if " " not in codes:
        check_enclosed_rows(plain.split("\n"))
    literals = read_literal(plain, legend | codes)
    used = {cell for grid in literals for row in grid.cells for cell in row}
    constants = find_constants(plain) if used else {}
    legend |= {symbol: code for symbol, code in constants.items() if symbol in used}
    if legend.get("1") == MINE and legend.get("0", 0) == 0:
        # Nothing can be said of clues where 1 is no clue.
        legend["0"] = SAFE
    around += tuple(f"The text says what {symbol} means." for symbol in legend)
    given = codes.keys()
    codes = legend | codes
    errors: list[BoardError] = []
    try:
        grids = literals or _cut_rows(plain, codes, given)
    except BoardError as error:
        grids, errors = [], [error]
    # A symbol with a given meaning is a cell, and no bullet or label.
    grids = [grid for grid in grids if codes.keys() <= {*chain(*grid.cells)}] or grids
    if not literals:
        cells = chain.from_iterable(row for grid in grids for row in grid.cells)
        check_legend(plain, {*cells} - codes.keys())
    grids = [replace(grid, notes=(*around, *grid.notes), opened=opened) for grid in grids]
    readings = _interpret_grids(grids, codes, errors)
    if grids:
        check_meant(text, grids[0].cells)
    said, line = _read_said(text, grids, readings, codes, given)
    readings = said | readings
    for reading in readings.values():
        check_one_row(text, reading.board)
    readings = _note_numbers(readings, text, bool(literals))
    if len(readings) == 1 and not any(isinstance(error, AmbiguousBoardError) for error in errors):
        return next(iter(readings.values()))
    if said:
        detail = f'The line "{line[:_QUOTED]}" may say what a symbol means.'
        raise AmbiguousBoardError(tuple(readings.values()), detail)
    if not readings and not literals and errors[0].code in _OF_ROWS:
        _check_rows(plain, codes)
    if not readings and errors[0].code == "several-boards":
        check_odd_lines(plain)
    if not readings or len(grids) == 1:
        raise errors[0]
    raise AmbiguousBoardError(
        tuple(readings.values()),
        "The text can be cut into rows and columns in different ways.",
    )


def _note_numbers(
    readings: Mapping[Board, BoardReading], text: str, is_literal: bool
) -> dict[Board, BoardReading]:
    """Return readings with notes on other sizes that the text states, and on totals not read."""
    sizes = list_stated_sizes(text)
    noted = {board: note_size(sizes, reading) for board, reading in readings.items()}
    if any(reading.mines is not None for reading in noted.values()):
        return noted
    widths = {reading.board.width for reading in noted.values()}
    unread = say_unread_counts(_list_wordy_lines(text, is_literal, widths))
    return {
        board: replace(reading, notes=(*reading.notes, *unread)) for board, reading in noted.items()
    }


def _check_heads(text: str) -> None:
    """Check that the rows do not have the same word in brackets before them that may be cells.

    Raises:
        BoardError: they have.
    """
    heads = {found[1] if (found := _HEAD.match(line)) else "" for line in text.split("\n") if line}
    head = heads.pop() if len(heads) == 1 else ""
    if head and is_cells(head):
        raise make_no_board_error(
            f"The word {head} stands in brackets before each row.",
            "Send the rows of the board without it.",
        )


def _cut_rows(text: str, codes: Mapping[str, int], given: Collection[str]) -> list[Grid]:
    """Return the ways to cut a text into rows, where symbols have a meaning or the sender gave one.

    Raises:
        BoardError: there are none.
    """
    if " " in codes:
        return cut_characters(text)
    others = [symbol for symbol in codes if not is_symbol(symbol)]
    if rows := cut_declared(text, others):
        # Rows of such letters look like words.
        return rows
    declared = cut_declared(text, given)
    try:
        return [*declared, *cut_rows(text)]
    except BoardError:
        if not declared:
            raise
        return declared


def _strip_around(text: str) -> tuple[str, bool, tuple[str, ...]]:
    """Return a text in plain characters without what stands around its rows.

    Returns:
        The text; True if it had spoilers; notes about what was left out or replaced.
    """
    uncommented, comment_notes = strip_comments(join_headings(text))
    marked, fence_notes = strip_fence(uncommented)
    bare, markup_notes = strip_markup(marked)
    plain, opened, notes = simplify_characters(bare)
    if (without := strip_smileys(plain)) != plain and without.strip():
        plain, notes = without, (*notes, "Smileys were left out.")
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


def _read_said(
    text: str,
    grids: list[Grid],
    readings: dict[Board, BoardReading],
    codes: Mapping[str, int],
    given: Collection[str],
) -> tuple[dict[Board, BoardReading], str]:
    """Return the boards that words of a text give, where no reading has what they say of a symbol.

    Args:
        text: the text.
        grids: the ways to cut it.
        readings: what they were read as.
        codes: cell codes of symbols, by the sender or by a legend.
        given: symbols that the sender has given a meaning, which decides.

    Returns:
        The readings with the meanings that the words give; the first line with such words.
    """
    used = {*chain.from_iterable(row for grid in grids for row in grid.cells)}
    said: dict[tuple[str, str], list[int]] = {}
    for symbol, code, line in find_mentions(text, used.difference(given)) if readings else ():
        said.setdefault((symbol, line), []).append(code)
    meant, first = dict(codes), ""
    for (symbol, line), meanings in said.items():
        shown = [*_list_codes(symbol, grids, readings)]
        if not any(is_compatible(code, meaning) for code in shown for meaning in meanings):
            meant[symbol] = meanings[0]
            first = first or line
    return (_interpret_grids(grids, meant, []) if first else {}), first


def _list_codes(
    symbol: str, grids: list[Grid], readings: dict[Board, BoardReading]
) -> Iterator[int]:
    """Yield what each reading has where a grid has a symbol."""
    for grid, board in product(grids, readings):
        found = (
            (row, cells.index(symbol)) for row, cells in enumerate(grid.cells) if symbol in cells
        )
        cell = next(found, None)
        if cell is not None and board.cells.shape == (len(grid.cells), len(grid.cells[0])):
            yield int(board.cells[cell])


def _list_wordy_lines(text: str, has_code: bool, widths: set[int]) -> Iterator[str]:
    """Yield lines with numbers that are no cells, unless they have a bomb, or numbers of code.

    Numbers in a legend are symbols.

    Args:
        text: the lines.
        has_code: whether the board is a list of a program.
        widths: the numbers of columns that the board may have.
    """
    for line in text.split("\n"):
        is_code = has_code and (not line.isascii() or not _CODE.isdisjoint(line))
        if "💣" in line or is_code or len(list_cells(line)) in widths:
            continue
        if not split_legend(line)[1]:
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
