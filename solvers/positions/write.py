"""Answers about positions, written as JSON by a compiled loop; see `solvers.positions`.

This is a second way to write JSON, beside orjson, for what has a text for each cell: a single
analyze takes less time with it, and the lines of a batch are written without the interpreter.

What its loops branch on would differ from cell to cell, and be guessed wrong: texts are copied with
all the room they may take instead, and the next begins where this one ends.
"""

from collections.abc import Sequence
from itertools import accumulate
from typing import Final, NamedTuple, TypeAlias

import numpy as np
import orjson
from numpy.typing import NDArray

from minecheck.minefield.compiled import (
    FixedMatrix,
    FixedVector,
    Matrix,
    Vector,
    compile_inner,
    compile_kernel,
    inline_kernel,
)
from minecheck.minefield.layout import draw_mines
from minecheck.minefield.numerals import MOST_DIGITS, format_integer
from minecheck.solvers.counting.safest import SAFEST, find_safest
from minecheck.solvers.positions import fields as table
from minecheck.solvers.positions.fields import (
    BITS,
    CERTAIN,
    CHANCES,
    COUNT,
    COUNTS,
    FORCED,
    LAYOUT,
    LEAST,
    NAME_STARTS,
    NAMES,
    ODDS,
    SIZE,
    TEXT_ROOM,
    bound_letters,
    is_requested,
)
from minecheck.solvers.positions.letters import (
    CLOSE,
    COMMA,
    END,
    NEWLINE,
    OPEN,
    QUOTE,
    close_list,
    copy_text,
    write_comma,
    write_digits,
    write_text,
)
from minecheck.solvers.positions.solve import ANY, NAME, LayoutCounts, Position


def _to_letters(letters: bytes) -> NDArray[np.uint8]:
    return np.frombuffer(letters, np.uint8)


_SAFE_ARE: Final = _to_letters(table.SAFE_ARE)
_CELL_IS: Final = _to_letters(table.CELL_IS)
_CHANCE_IS: Final = _to_letters(table.CHANCE_IS)
_COLS_ARE: Final = _to_letters(table.COLS_ARE)
_MINES_ARE: Final = _to_letters(table.MINES_ARE)
_SOLVER_IS: Final = _to_letters(table.SOLVER_IS)
_NULL: Final = _to_letters(table.NULL)

# Columns of the records: how far the position got; its size, its total or ANY; where its cells and
# its kinds end, and where the text of its counts.
STATE: Final = 0
ROWS: Final = 1
COLS: Final = 2
TOTAL: Final = 3
CELLS_END: Final = 4
KINDS_END: Final = 5
_COUNT_END: Final = 6
#: The number of these columns; others are not read here.
SOLVED_COLUMNS: Final = 7
#: The state of a position that is answered; others are passed over.
SOLVED: Final = 4

#: Texts of the rows and columns of cells, and their lengths.
_CoordinateTexts: TypeAlias = tuple[Matrix[np.uint8], Matrix[np.uint8], Matrix[np.int64]]


class SolvedPositions(NamedTuple):
    """Positions, one after the other, as far as they are solved.

    ``records`` are int64 (positions, SOLVED_COLUMNS or more). Of all cells, as `Position` has them,
    there are ``layouts``, bool, and ``kinds``, int32, both (cells,), and of all kinds ``chances``,
    float64. ``counts`` are the numbers of layouts, if these are requested; None where a position is
    not answered.
    """

    records: NDArray[np.int64]
    layouts: NDArray[np.bool_]
    kinds: NDArray[np.int32]
    chances: NDArray[np.float64]
    counts: Sequence[LayoutCounts | None]


def write_answer(position: Position, fields: int, seconds: float) -> bytes:
    """Return the answer about one position as JSON, without a newline.

    Args:
        position: the position.
        fields: the bits of the fields that the answer has.
        seconds: how long it took.
    """
    rows, cols = position.kinds.shape
    total = ANY if position.total is None else position.total
    kinds, chances = position.kinds.ravel(), position.kind_chances
    records = np.array([(SOLVED, rows, cols, total, kinds.size, chances.size, 0)])
    solved = SolvedPositions(records, position.layout.ravel(), kinds, chances, [position])
    return write_answers(solved, fields, seconds)[0][:-1]


def write_answers(solved: SolvedPositions, fields: int, seconds: float) -> tuple[bytes, list[int]]:
    """Return the answers, one a line, and where each ends.

    Args:
        solved: the positions.
        fields: the bits of the fields that each answer has.
        seconds: how long each took.
    """
    counts = chances = b""
    if fields & COUNT:
        texts = [
            b"" if layout_counts is None else _write_counts(layout_counts)
            for layout_counts in solved.counts
        ]
        counts = b"".join(texts)
        solved.records[:, _COUNT_END] = list(accumulate(map(len, texts)))
    if fields & CHANCES:
        # Digits are made once for all cells of a kind; NaN, for known cells, becomes null.
        chances = orjson.dumps(solved.chances, option=orjson.OPT_SERIALIZE_NUMPY)
    solver = orjson.dumps({"name": NAME, "complete": True, "elapsed_ms": round(seconds * 1000, 3)})
    text, ends = _write_fields(
        fields,
        solved.records,
        solved.layouts,
        solved.kinds,
        solved.chances,
        # The last number is copied with all the room that it may take.
        np.frombuffer(counts + solver + chances + bytes(TEXT_ROOM), np.uint8),
        len(counts),
        len(solver),
    )
    return text.tobytes(), ends.tolist()


def _write_counts(layout_counts: LayoutCounts) -> bytes:
    """Return the count of all layouts, and by number of mines, as fields with a comma each."""
    count = format_integer(layout_counts.count)
    by_mines = "null"
    if layout_counts.total is not None:
        by_mines = f'{{"{layout_counts.total}":"{count}"}}'
    elif layout_counts.soon_by_mines:
        # None of them is larger than their sum, and this calls less for each.
        spell = str if len(count) <= MOST_DIGITS else format_integer
        texts = {str(mines): spell(ways) for mines, ways in layout_counts.by_mines().items()}
        by_mines = orjson.dumps(texts).decode()
    return f'"count":"{count}","by_mines":{by_mines},'.encode()


@inline_kernel
def _write_cell_field(
    buffer: Vector[np.uint8],
    begin: int,
    field: int,
    layout: FixedMatrix[np.bool_],
    chances: FixedVector[np.float64],
    kinds: FixedMatrix[np.int32],
    coordinates: _CoordinateTexts,
    texts: Matrix[np.uint8],
    lengths: Vector[np.int64],
) -> int:
    """Write the value of a field that lists cells, and a comma; return where they end.

    Of other fields nothing is written. ``chances`` are by kind, and ``texts`` with their
    ``lengths`` write them.
    """
    if field == LAYOUT:
        return write_comma(buffer, _write_rows(buffer, begin, layout))
    if field == CERTAIN:
        return write_comma(buffer, _write_forced(buffer, begin, chances, kinds, coordinates))
    if field == ODDS:
        return write_comma(buffer, _write_chances(buffer, begin, kinds, texts, lengths))
    if field == LEAST:
        safest = find_safest(chances[kinds.ravel()], SAFEST)
        return write_comma(buffer, _write_safest(buffer, begin, safest, kinds, texts, lengths))
    return begin


@compile_kernel
def _write_fields(
    fields: int,
    records: FixedMatrix[np.int64],
    layouts: FixedVector[np.bool_],
    kinds: FixedVector[np.int32],
    chances: FixedVector[np.float64],
    texts: FixedVector[np.uint8],
    count_letters: int,
    solver_letters: int,
) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Write the fields of all answers, as `write_answers` does, and where each answer ends.

    ``texts`` are ready: all counts, the solver, and all chances. Each field takes at most what its
    row of the table says, which is asserted where it ends, and the last `copy_text` goes at most
    TEXT_ROOM beyond that.
    """
    room, longest = _measure_answers(fields, records, solver_letters)
    buffer = np.empty(room + count_letters + TEXT_ROOM, np.uint8)
    ends = np.empty(records.shape[0], np.int64)
    coordinates = _build_coordinate_texts(longest if fields & FORCED else 0)
    solver = texts[count_letters : count_letters + solver_letters]
    # The first chance stands after the bracket.
    at, cell, kind, count, digit = 0, 0, 0, 0, count_letters + solver_letters + 1
    for position in range(records.shape[0]):
        record = records[position]
        cells, of_kinds = slice(cell, record[CELLS_END]), chances[kind : record[KINDS_END]]
        counts = texts[count : record[_COUNT_END]]
        cell, kind, count = record[CELLS_END], record[KINDS_END], record[_COUNT_END]
        letters, lengths, digit = _write_numbers(
            texts, digit, of_kinds.size if fields & CHANCES else 0
        )
        ends[position] = at
        if record[STATE] != SOLVED:
            continue
        rows, cols = record[ROWS], record[COLS]
        of_cells = kinds[cells].reshape(rows, cols)
        for field in range(BITS.size):
            if not is_requested(field, fields):
                continue
            bound = at + bound_letters(field, rows, cols)
            name = NAMES[NAME_STARTS[field] : NAME_STARTS[field + 1]]
            at = write_text(buffer, at, name, name.size)
            if field == COUNTS:
                at = write_text(buffer, at, counts, counts.size)
                bound += counts.size
            elif field == SIZE:
                at = _write_size(buffer, at, rows, cols, record[TOTAL])
                at = write_text(buffer, at, solver, solver_letters)
                buffer[at : at + 2] = END, NEWLINE
                at += 2
                bound += solver_letters
            else:
                layout = layouts[cells].reshape(rows, cols)
                at = _write_cell_field(
                    buffer, at, field, layout, of_kinds, of_cells, coordinates, letters, lengths
                )
            assert at <= bound, "a field takes more than its row says"
        ends[position] = at
    return buffer[:at], ends


@inline_kernel
def _measure_answers(
    fields: int, records: FixedMatrix[np.int64], solver_letters: int
) -> tuple[int, int]:
    """Return the most letters of all answers, without their counts, and the longest side."""
    room = longest = 0
    for position in range(records.shape[0]):
        if records[position, STATE] == SOLVED:
            rows, cols = records[position, ROWS], records[position, COLS]
            longest = max(longest, rows, cols)
            room += solver_letters
            for field in range(BITS.size):
                if is_requested(field, fields):
                    room += bound_letters(field, rows, cols)
    return room, longest


@inline_kernel
def _write_size(buffer: Vector[np.uint8], at: int, rows: int, cols: int, mines: int) -> int:
    """Write how large the board is, and its total; return where that ends."""
    at = write_text(buffer, write_digits(buffer, at, rows), _COLS_ARE, _COLS_ARE.size)
    at = write_text(buffer, write_digits(buffer, at, cols), _MINES_ARE, _MINES_ARE.size)
    at = (
        write_text(buffer, at, _NULL, _NULL.size)
        if mines == ANY
        else write_digits(buffer, at, mines)
    )
    return int(write_text(buffer, at, _SOLVER_IS, _SOLVER_IS.size))


@inline_kernel
def _write_rows(buffer: Vector[np.uint8], begin: int, mines: FixedMatrix[np.bool_]) -> int:
    """Write a layout, (height, width), and return where it ends.

    A row takes width + 3 letters.
    """
    height, width = mines.shape
    symbols = draw_mines(mines)
    buffer[begin] = OPEN
    at = begin + 1
    for row in range(height):
        buffer[at] = buffer[at + width + 1] = QUOTE
        buffer[at + 1 : at + 1 + width] = symbols[row]
        buffer[at + width + 2] = COMMA
        at += width + 3
    return close_list(buffer, begin, at)


@compile_inner
def _write_forced(
    buffer: Vector[np.uint8],
    begin: int,
    chances: FixedVector[np.float64],
    kinds: FixedMatrix[np.int32],
    coordinates: _CoordinateTexts,
) -> int:
    """Write the cells that are mines for certain, and the safe ones; return where they end.

    Each cell is written before it is known to count, so that the lists have a spare row.
    """
    height, width = kinds.shape
    mines = np.empty((kinds.size + 1, 2), np.int32)
    safe = np.empty((kinds.size + 1, 2), np.int32)
    mine_cells = safe_cells = 0
    for row in range(height):
        for col in range(width):
            chance = chances[kinds[row, col]]
            mines[mine_cells, 0] = safe[safe_cells, 0] = row
            mines[mine_cells, 1] = safe[safe_cells, 1] = col
            mine_cells += chance == 1.0
            safe_cells += chance == 0.0
    at = _write_cells(buffer, begin, mines[:mine_cells], coordinates)
    at = write_text(buffer, at, _SAFE_ARE, _SAFE_ARE.size)
    at = _write_cells(buffer, at, safe[:safe_cells], coordinates)
    buffer[at] = END
    return int(at + 1)


@inline_kernel
def _write_cells(
    buffer: Vector[np.uint8],
    begin: int,
    cells: Matrix[np.int32],
    coordinates: _CoordinateTexts,
) -> int:
    """Write cells, (cells, 2), whose coordinates are there as texts; return where they end.

    A coordinate is copied with TEXT_ROOM letters; the next one overwrites the letters beyond it.
    """
    rows, cols, lengths = coordinates
    buffer[begin] = OPEN
    at = begin + 1
    for index in range(cells.shape[0]):
        row, col = cells[index, 0], cells[index, 1]
        copy_text(buffer, at, rows, row * TEXT_ROOM)
        at += lengths[0, row]
        copy_text(buffer, at, cols, col * TEXT_ROOM)
        at += lengths[1, col]
    return close_list(buffer, begin, at)


@inline_kernel
def _build_coordinate_texts(longest: int) -> _CoordinateTexts:
    """Build the beginnings and ends of coordinates and their lengths, (2, longest)."""
    rows = np.empty((longest, TEXT_ROOM), np.uint8)
    cols = np.empty((longest, TEXT_ROOM), np.uint8)
    lengths = np.empty((2, longest), np.int64)
    for number in range(longest):
        rows[number, 0] = OPEN
        end = write_digits(rows[number], 1, number)
        rows[number, end] = COMMA
        lengths[0, number] = end + 1
        end = write_digits(cols[number], 0, number)
        cols[number, end] = CLOSE
        cols[number, end + 1] = COMMA
        lengths[1, number] = end + 2
    return rows, cols, lengths


@inline_kernel
def _write_numbers(
    digits: FixedVector[np.uint8], begin: int, count: int
) -> tuple[NDArray[np.uint8], NDArray[np.int64], int]:
    """Return the numbers of a list, each with a comma, (count, room), lengths, and the end."""
    texts = np.empty((count, TEXT_ROOM), np.uint8)
    lengths = np.empty(count, np.int64)
    at = begin
    for index in range(count):
        number_begin = at
        while digits[at] != COMMA and digits[at] != CLOSE:
            at += 1
        copy_text(texts, index * TEXT_ROOM, digits, number_begin)
        # The last number of all gets a comma as well.
        texts[index, at - number_begin] = COMMA
        at += 1
        lengths[index] = at - number_begin
    return texts, lengths, at


@inline_kernel
def _write_chances(
    buffer: Vector[np.uint8],
    begin: int,
    kinds: FixedMatrix[np.int32],
    texts: Matrix[np.uint8],
    lengths: Vector[np.int64],
) -> int:
    """Write the chances of all cells, whose texts are by kind; return where they end.

    A text is copied with TEXT_ROOM letters, of which the next one overwrites what is too much.
    """
    height, width = kinds.shape
    buffer[begin] = OPEN
    at = begin + 1
    for row in range(height):
        buffer[at] = OPEN
        at += 1
        for col in range(width):
            kind = kinds[row, col]
            copy_text(buffer, at, texts, kind * TEXT_ROOM)
            at += lengths[kind]
        buffer[at - 1] = CLOSE
        buffer[at] = COMMA
        at += 1
    return close_list(buffer, begin, at)


@inline_kernel
def _write_safest(
    buffer: Vector[np.uint8],
    begin: int,
    cells: Vector[np.int64],
    kinds: FixedMatrix[np.int32],
    texts: Matrix[np.uint8],
    lengths: Vector[np.int64],
) -> int:
    """Write the safest cells with their chances, and return where they end."""
    width = kinds.shape[1]
    buffer[begin] = OPEN
    at = begin + 1
    for cell in cells:
        row, col = cell // width, cell % width
        at = write_text(buffer, at, _CELL_IS, _CELL_IS.size)
        buffer[at] = OPEN
        at = write_digits(buffer, at + 1, row)
        buffer[at] = COMMA
        at = write_digits(buffer, at + 1, col)
        buffer[at] = CLOSE
        at = write_text(buffer, at + 1, _CHANCE_IS, _CHANCE_IS.size)
        kind = kinds[row, col]
        at = write_text(buffer, at, texts[kind], int(lengths[kind]) - 1)
        buffer[at] = END
        buffer[at + 1] = COMMA
        at += 2
    return close_list(buffer, begin, at)
