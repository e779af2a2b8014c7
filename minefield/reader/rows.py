"""Boards as lines of text, cut into grids of cells.

Tested in tests/minefield/reader/test_read.py.
"""

import csv
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from typing import Final

from minecheck.minefield.board import BoardError
from minecheck.minefield.notation import make_stray_blank_error
from minecheck.minefield.reader.characters import unescape
from minecheck.minefield.reader.edges import check_framed_margins, has_open_edge, strip_quotes
from minecheck.minefield.reader.frames import (
    BARS,
    FIELD_END,
    check_patch,
    drop_empty_lines,
    join_items,
    strip_bold,
    strip_brackets,
    strip_bullets,
    strip_edges,
    strip_frames,
    strip_full_stops,
)
from minecheck.minefield.reader.labels import strip_labels, strip_prefix
from minecheck.minefield.reader.meanings import is_symbol
from minecheck.minefield.reader.other_grids import list_other_grids
from minecheck.minefield.reader.probst import cut_probst
from minecheck.minefield.reader.reading import Grid, make_empty_board_error, make_no_board_error
from minecheck.minefield.reader.remarks import strip_remarks
from minecheck.minefield.reader.ruled_columns import cut_under_ruler
from minecheck.minefield.reader.rulers import (
    RULERS_NOTE,
    check_ruler,
    is_sequence,
    part_numbers,
    strip_row_labels,
    strip_rulers,
    strip_tens,
)
from minecheck.minefield.reader.sizes import confirm_size, read_bare_size, strip_sizes
from minecheck.minefield.reader.totals import find_lettered_total, find_total

#: A cell in quotation marks; the only item of a numbered list; a row of cells with a blank on both
#: sides of each.
_QUOTES: Final = ("'", '"')
_QUOTED: Final = re.compile(r"(['\"])(.+)\1")
_NUMBERED: Final = re.compile(r"\s*[01][.)]\s+([^.)]*)")
_NUMBER: Final = re.compile(r"-?[0-9]+")
_PADDED: Final = re.compile(r"(?: \S(?: |\Z))+")
#: A word of a line, which may hold all rows: 1?/??/11.
_WORD: Final = re.compile(r"[^\s=:,;()]+")
#: A name before rows in one line.
_LABEL: Final = re.compile(r"\s*[A-Za-z]{2,20}\s?[:=]\s*")
#: Cells of a row between which blanks are no cells if they are as many each time.
_MANY: Final = 3
#: At least every second line has the sign between fields.
_LEAST_SHARE: Final = 2
_SEPARATORS: Final = (FIELD_END, ",", ";", "\t")
_ROW_SEPARATORS: Final = ("/", ",", ";", " ", "|", "\\", ":", "+")
#: Signs that may stand between every two cells; three cells may have one in the middle by chance.
_BETWEEN: Final = frozenset("-_:~=")
_MOST_BY_CHANCE: Final = 3
_SEPARATOR_NAMES: Final = {"/": "Slashes", ",": "Commas", ";": "Semicolons", " ": "Blanks"}


def cut_rows(text: str) -> list[Grid]:
    """Return the grids that lines of text can be cut into; one, where there is no doubt.

    Raises:
        BoardError: there are none: it names the row, and the column where there is one.
    """
    probst = cut_probst(text)
    try:
        return [*_cut_text(text), *probst]
    except BoardError:
        if grids := probst or cut_under_ruler(text):
            return grids
        raise


def _cut_text(text: str) -> list[Grid]:
    """Return the grids of a text in which blanks are no cells.

    Raises:
        BoardError: as `cut_rows`.
    """
    lengths = {len(line) for line in text.strip("\n").split("\n")}
    width = max(len(line.rstrip()) for line in text.split("\n"))
    # Lines that are all as long have blanks for cells.
    width = max(lengths) if len(lengths) == 1 else width
    for row, line in enumerate(text.split("\n")):
        if line and not line.strip(" ") and len(line) == width > 1:
            raise make_stray_blank_error(row, 0, line)
    check_patch(text.split("\n"))
    text, said = _split_sentence(_join_barred_rows(text))
    escaped = "\n" not in text.strip() and "\\n" in text and not {*"'\""} & {*text}
    if escaped:
        text = unescape(text).strip("\n")
    unquoted, _ = strip_quotes(text.strip("\n").split("\n"))
    lines, remarks = strip_remarks(_clear_blank_lines(unquoted))
    lines, prefix = strip_prefix(lines)
    lines, total, notes = strip_labels(lines)
    total = find_total(remarks) if total is None else total
    if total is None and (total := find_total(said)) is None:
        total = find_lettered_total(said)
    notes += (f"Labels were left out: {said[:200]}.",) if said else ()
    notes += ("The characters \\n were read as the ends of rows.",) if escaped else ()
    notes += (f"Remarks behind the rows were left out: {remarks[:200]}.",) if remarks else ()
    notes += (f"The text before each row was left out: {prefix[:200]}.",) if prefix else ()
    filled = [number for number, line in enumerate(lines) if line]
    if not filled:
        raise make_empty_board_error()
    lines = lines[filled[0] : filled[-1] + 1]
    if len(lines) == 1 and notes and len(lines[0].strip()) > _MANY:
        check_ruler(lines[0], text)
    grids: list[Grid] = []
    errors = []
    lines, quoted = strip_quotes(lines)
    notes += ("Quotation marks around the rows were left out.",) if quoted else ()
    ways = strip_full_stops(join_items(strip_edges(strip_brackets(lines))))
    for way in chain.from_iterable(map(strip_bullets, chain.from_iterable(map(strip_bold, ways)))):
        above = notes
        above += ("Bullets, brackets or signs around cells were left out.",) if way != lines else ()
        try:
            cut = _cut_table(way)
        except BoardError as error:
            errors.append(error)
            continue
        grids += [
            replace(
                grid,
                mines=total if grid.mines is None else grid.mines,
                notes=(*above, *grid.notes),
            )
            for grid in cut
        ]
    if not grids:
        raise errors[0]
    return [*grids, *(list_other_grids(text, grids[0]) if len(grids) == 1 else [])]


def _join_barred_rows(text: str) -> str:
    """Return one line of rows with bars at their ends, such as 0 1 ?|1 2 ?, without its blanks."""
    label = _LABEL.match(text)
    start = label.end() if label else 0
    rows = [part.split() for part in text[start:].strip().split("|")]
    alike = len({*map(len, rows)}) == 1 < min(len(rows), len(rows[0]))
    if "\n" in text.strip() or not alike:
        return text
    single = all(len(cell) == 1 and is_symbol(cell) for cell in chain.from_iterable(rows))
    return text[:start] + "|".join(map("".join, rows)) if single else text


def _split_sentence(text: str) -> tuple[str, str]:
    """Return the only word of a line that holds several rows, and the words around it."""
    if "/" not in text or "\n" in text.strip():
        return text, ""
    words = [word for word in _WORD.finditer(text) if _holds_rows(word[0])]
    if len(words) != 1:
        return text, ""
    (word,) = words
    said = f"{text[: word.start()]} {text[word.end() :]}".strip(" \t\n.,;:()")
    return (word[0], said) if said else (text, "")


def _holds_rows(word: str) -> bool:
    """Return True for two rows or more of as many cells, two at least, with slashes between."""
    rows = word.split("/")
    widths = {*map(len, rows)}
    return len(rows) > 1 == len(widths) < min(widths) and all(map(is_symbol, {*"".join(rows)}))


def _cut_table(lines: list[str]) -> list[Grid]:
    """Return the grids of lines which may be those of a table, or in quotation marks.

    Raises:
        BoardError: as `cut_rows`.
    """
    size = read_bare_size(lines[0])
    barred = any(bar in line for bar in BARS for line in lines[1:])
    if size is not None and barred and not is_sequence(lines[0].split()):
        return [confirm_size(grid, size) for grid in _cut_table(lines[1:])]
    check_framed_margins(lines)
    edges = (False, True) if has_open_edge(lines) else (False,)
    return [grid for with_edges in edges for grid in _cut_framed(lines, with_edges)]


def _cut_framed(lines: list[str], with_edges: bool) -> list[Grid]:
    """Return the grids of lines which may be those of a table; see `strip_frames`.

    Raises:
        BoardError: as `cut_rows`.
    """
    lines, framed = strip_frames(lines, with_edges=with_edges)
    if len(lines) > 2 and not lines[1] and all(lines[2:]) and is_sequence(lines[0].split()):
        del lines[1]
    lines, spaced = drop_empty_lines(lines)
    notes = (
        *(("The lines of the table were left out.",) if framed else ()),
        *(("Empty lines were left out.",) if spaced else ()),
    )
    return [
        replace(grid.require_rectangle(), notes=(*notes, *grid.notes)) for grid in _cut_lines(lines)
    ]


def _clear_blank_lines(lines: list[str]) -> list[str]:
    """Return lines without blanks at their ends, and empty where there is nothing but blanks.

    In a table of fields with tabs between them, a line with as many tabs as most is a row.
    """
    tabs = Counter(line.count("\t") for line in lines if line.strip() and "\t" in line)
    between = tabs.most_common(1)[0][0] if tabs else 0
    return [
        line.rstrip(" ") if line.strip() or (between and line.strip(" ") == "\t" * between) else ""
        for line in lines
    ]


def _cut_lines(lines: list[str]) -> list[Grid]:
    """Return the grids of lines, also without those that state the size of the board."""
    if len(lines) == 1:
        lines = _split_sized(lines[0])
    if (headed := strip_sizes(lines)) is None:
        try:
            return _cut_rows(lines)
        except BoardError:
            size = read_bare_size(lines[0])
            # Rows of two cells look alike.
            pairs = any(len(line.split()) == 2 for line in lines[1:])
            if size is None or pairs or len(lines) == 1:
                raise
            # The rows may be fewer or more than stated.
            return [confirm_size(grid.require_rectangle(), size) for grid in _cut_rows(lines[1:])]
    rest, note, mines = headed
    sized = [replace(grid.with_notes(note), mines=mines) for grid in _cut_rows(rest)]
    if "x" in lines[0] and mines is not None:
        return sized
    try:
        plain = _cut_rows(lines)
    except BoardError:
        plain = []
    return [*sized, *(grid for grid in plain if len({len(row) for row in grid.cells}) == 1)]


def _check_margins(lines: Sequence[str]) -> None:
    """Check that blanks before dense rows are no cells: with them, all lines are as long.

    Raises:
        BoardError: they may be.
    """
    bare = {len(line.strip()) for line in lines}
    row = next((at for at, line in enumerate(lines) if line[:1] == " "), None)
    if row is not None and len(bare) > 1 == len({len(line.rstrip()) for line in lines}):
        raise make_stray_blank_error(row, 0, lines[row])


def _split_sized(line: str) -> list[str]:
    """Return the size and the rows of a line that has both, with blanks between; else the line."""
    words = line.split()
    size, rows = words[:2], words[2:]
    widths = {str(len(row)) for row in rows}
    sized = len(rows) > 1 == len(widths) < min(map(len, rows), default=0) and sorted(
        size
    ) == sorted((str(len(rows)), *widths))
    return [" ".join(size), *rows] if sized else [line]


def _cut_rows(lines: list[str]) -> list[Grid]:
    if len(lines) == 1 and (numbered := _NUMBERED.fullmatch(lines[0])) is not None:
        return [grid.with_notes(RULERS_NOTE) for grid in _cut_rows([numbered[1]])]
    if len(lines) == 1:
        lines, separator = _split_one_line(lines[0])
        if separator is not None and len(lines) > 1:
            name = _SEPARATOR_NAMES.get(separator, f"The characters {separator}")
            parted = f"{name} were read as the ends of rows."
            return [grid.with_notes(parted) for grid in _cut_lines(lines)]
    lines = part_numbers(strip_tens(lines))
    if (unlabelled := strip_row_labels(lines)) is not None:
        return [Grid(tuple(map(tuple, unlabelled))).with_notes(RULERS_NOTE)]
    separator = _find_separator(lines)
    if separator == "\t" and not any("\t" in line.strip() for line in lines):
        # Every tab is next to a single cell or at a margin; none is between two cells.
        separator = "\t" if all(len(line.strip()) < 2 for line in lines) else None
    if separator is not None:
        return _cut_fields(lines, separator)
    if any(re.search(r"\s", line.strip()) for line in lines):
        return _cut_words(lines)
    if between := _cut_between(lines):
        return between
    _check_margins(lines)
    grid = Grid(tuple(tuple(line.strip()) for line in lines))
    readings = [reading for reading in strip_rulers(grid) if not reading.doubtful]
    if readings[0] is grid:
        _check_indents(lines)
    return readings


def _split_one_line(line: str) -> tuple[list[str], str | None]:
    """Return the rows of a line that holds several, and what parts them; None if it is one row."""
    if "/" in line and "," not in line and " " not in line.strip():
        return line.strip().strip("/").split("/"), "/"
    for separator in _ROW_SEPARATORS:
        parts = [part.strip() for part in line.strip().strip(separator).split(separator)]
        longest = max(map(len, parts))
        even = len(parts) > 1 and longest > 1 and {len(part) for part in parts} == {longest}
        symbols = even and all(all(map(is_symbol, part)) for part in parts)
        if separator == "+" and not ("?" in line and "-" not in line):
            # The sign is a mine in Probst's notation.
            continue
        fields = len(parts) > 1 and all("," in part or " " in part for part in parts)
        if symbols or (even and (separator in "/;" or "," in line)):
            return parts, separator
        if separator in "/;" and fields:
            return parts, separator
    return [line], None


def _find_separator(lines: Sequence[str]) -> str | None:
    """Return the sign between fields: one that every line has as often, or else half of them."""
    used = [
        sign
        for sign in _SEPARATORS
        if sum(sign in line for line in lines) * _LEAST_SHARE >= len(lines)
    ]
    even = [sign for sign in used if len({line.count(sign) for line in lines}) == 1]
    return next(iter(even or used), None)


def _cut_between(lines: Sequence[str]) -> list[Grid]:
    """Return the grids of lines in which the same sign stands between every two cells, or none."""
    bare = [line.strip() for line in lines]
    signs = {*chain(*(line[1::2] for line in bare))}
    cells = tuple(tuple(line[::2]) for line in bare)
    if len(signs) != 1 or not signs <= _BETWEEN or min(map(len, cells)) < _MOST_BY_CHANCE:
        return []
    if any(len(line) % 2 == 0 for line in bare) or signs & {*chain(*cells)}:
        return []
    whole = [Grid(tuple(map(tuple, bare)))] if is_symbol(min(signs)) else []
    return [Grid(cells).with_notes("The signs between cells were left out."), *whole]


def _cut_fields(lines: list[str], separator: str) -> list[Grid]:
    """Return the grids of separated values: empty fields are cells."""
    try:
        fields = list(csv.reader(lines, delimiter=separator, skipinitialspace=True))
    except csv.Error as error:
        raise make_no_board_error(f"The table cannot be read: {error}.") from None
    rows = [_strip_cell_quotes([field.strip() for field in row]) or [""] for row in fields]
    grid = Grid(tuple(map(tuple, rows)), "tsv" if separator == "\t" else "csv")
    readings = [
        reading
        for reading in strip_rulers(grid)
        if all(len(field) <= 1 or is_symbol(field) for field in {*chain(*reading.cells)})
    ] or [grid]
    likeliest = readings[0]
    for end, inner in (
        ((-1, slice(None, -1)), (0, slice(1, None))) if separator != FIELD_END else ()
    ):
        # A field, or one separator too many: nobody but the sender knows.
        if len(likeliest.cells[0]) > 1 and all(row and row[end] == "" for row in likeliest.cells):
            cells = tuple(row[inner] for row in likeliest.cells)
            note = "A separator at the edge was left out."
            readings.append(replace(likeliest, cells=cells).with_notes(note))
    if separator == "\t" and len(likeliest.cells) > 1 and not any(likeliest.cells[-1]):
        # Spreadsheets copy empty lines below a board.
        note = "The empty last row was left out."
        readings.append(replace(likeliest, cells=likeliest.cells[:-1]).with_notes(note))
    return readings


def _cut_words(lines: list[str]) -> list[Grid]:
    """Return the grids of words with blanks between them, or of rows in which blanks are cells."""
    words = [_strip_cell_quotes(line.split()) for line in lines]
    grid = Grid(tuple(map(tuple, words)))
    even = len({len(row) for row in words}) == 1
    readings = strip_rulers(grid)
    rows = readings[0].cells
    widths = {*map(len, rows)}
    singles = all(len(cell) <= 1 or is_symbol(cell) for cell in {*chain(*rows)})
    ruled = len(rows) < len(words) or len(rows[0]) < len(words[-1])
    # Blanks between cells may be cells themselves if there are no rulers at the sides.
    whole = len(words[len(words) // 2]) == len(rows[0])
    above = len(words) - len(rows)
    gaps = whole and _has_gaps(lines[above:], words[above:])
    if singles and len(widths) == 1 and (even or ruled) and not gaps:
        if readings[0] is grid:
            _check_indents(lines)
        return readings
    cells = {*chain(*words)}
    if even and len({*map(len, cells)}) > 1 and all(map(_NUMBER.fullmatch, cells - {"?"})):
        # Numbers too large for a clue.
        return readings
    _check_lengths(lines, words)
    raise _make_first_blank_error(lines)


def _check_lengths(lines: Sequence[str], words: Sequence[Sequence[str]]) -> None:
    """Check that rows of cells with a blank between every two are as long as most of them.

    Raises:
        BoardError: one is not.
    """
    counts = Counter(map(len, words))
    usual, many = counts.most_common(1)[0]
    spaced = all(line.strip() == " ".join(line.split()) for line in lines)
    single = all(len(word) == 1 for row in words for word in row)
    if spaced and single and usual > 1 and many * _LEAST_SHARE > len(words):
        Grid(tuple(map(tuple, words))).require_rectangle()


def _strip_cell_quotes(cells: list[str]) -> list[str]:
    """Return cells without quotation marks around each."""
    quoted = any(cell[:1] in _QUOTES for cell in cells if cell)
    return [_QUOTED.sub(r"\2", cell) for cell in cells] if quoted else cells


def _check_indents(lines: Sequence[str]) -> None:
    """Check that no row of single cells is further to the right than the others, by a cell or more.

    A copy may have lost the blanks before the first row.

    Raises:
        BoardError: blanks before a row may be cells.
    """
    step = 2 if any(" " in line.strip() for line in lines) else 1
    indents = [len(line) - len(line.lstrip(" ")) for line in lines]
    single = all(len(word) == 1 for line in lines for word in line.split()) or step == 1
    least = min(indents[1:], default=0)
    even = len({len("".join(line.split())) for line in lines}) == 1
    row = next((at for at, indent in enumerate(indents) if at and indent >= least + step), 0)
    if single and even and len(lines) > 2 and row:
        raise make_stray_blank_error(row, 0, lines[row])


def _has_gaps(lines: Sequence[str], words: Sequence[Sequence[str]]) -> bool:
    """Return True if blanks between single symbols may be cells: more than one stands together."""
    if any(len(word) > 1 for row in words for word in row) or all(map(_PADDED.fullmatch, lines)):
        return False
    gaps = {len(gap) for line in lines for gap in re.findall(r"(?<=\S)\s+(?=\S)", line)}
    # The same between every two of many cells.
    return max(gaps, default=1) > 1 and (len(gaps) > 1 or min(map(len, words)) < _MANY)


def _make_first_blank_error(lines: Sequence[str]) -> BoardError:
    """Return the error of the first blank in lines that is at the margin or between cells."""
    blanks = ((row, re.search(r"(?<=\S)\s|^\s", line)) for row, line in enumerate(lines))
    row, col = next((row, blank.start()) for row, blank in blanks if blank is not None)
    return make_stray_blank_error(row, col, lines[row])
