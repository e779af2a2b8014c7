"""The answers about positions of games, written as JSON by a compiled loop.

This is a second way to write JSON, beside orjson, for what has a text for each cell: a single
analyze takes less time with it, and the lines of a batch are written without the interpreter.

What its loops branch on would differ from cell to cell, and be guessed wrong:
texts are copied with all the room they may take instead, and the next begins
where this one ends.
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate
from typing import Any, Final, NamedTuple, TypeAlias, cast

import numpy as np
import orjson
from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numba.extending import intrinsic
from numpy.typing import NDArray

from app.answers import numbers
from minefield.compiled import (
    FixedMatrix,
    FixedVector,
    Matrix,
    Vector,
    borrowing,
    compiled,
    inlined,
    inner,
)
from minefield.layout import drawn
from solvers.counting.position import ANY, Counts, Position
from solvers.counting.safest import SAFEST, safest


def _text(told: bytes) -> NDArray[np.uint8]:
    return np.frombuffer(told, np.uint8)


_QUOTE: Final = ord('"')
_COMMA: Final = ord(",")
_OPEN: Final = ord("[")
_CLOSE: Final = ord("]")
_END: Final = ord("}")
_ZERO: Final = ord("0")
_NEWLINE: Final = ord("\n")
_VERDICT: Final = _text(b'{"consistent":true,')
_WITNESS_IS: Final = _text(b'"witness":')
_FORCED_ARE: Final = _text(b'"forced":{"mines":')
_SAFE_ARE: Final = _text(b',"safe":')
_CHANCES_ARE: Final = _text(b'"probabilities":')
_SAFEST_ARE: Final = _text(b',"safest":')
_CELL: Final = _text(b'{"cell":')
_CHANCE: Final = _text(b',"probability":')
_ROWS_ARE: Final = _text(b'"conflict":null,"rows":')
_COLS_ARE: Final = _text(b',"cols":')
_MINES_ARE: Final = _text(b',"mines":')
_SOLVER_IS: Final = _text(b',"solver":')
_NULL: Final = _text(b"null")
#: All of these but for the safest cells, and three numbers.
_NAMES_ROOM: Final = 256
#: Room for a text that is copied as a whole: a chance, of up to 24 digits and signs, or half a
#: place; commas included.
_TEXT_ROOM: Final = 32
#: What of it half a place takes at most.
_HALF_LETTERS: Final = 8
#: What is told of one of the safest cells takes less.
_SAFEST_ROOM: Final = 128


# What an answer may tell, as bits: chances are those of a mine in each cell, and the safest cells.
WITNESS: Final = 1
COUNT: Final = 2
FORCED: Final = 4
CHANCES: Final = 8
EVERYTHING: Final = WITNESS | COUNT | FORCED | CHANCES

# Of a position: its size, its total or ANY, where its kinds end, and where the text of its counts.
HEIGHT: Final = 0
_WIDTH: Final = 1
_TOTAL: Final = 2
_KINDS_END: Final = 3
_COUNT_END: Final = 4


#: Texts of halves of places, and their lengths.
_Halves: TypeAlias = tuple[Matrix[np.uint8], Matrix[np.uint8], Matrix[np.int64]]


class Told(NamedTuple):
    """What is told of positions, one after the other.

    ``places`` are height, width, total, which is ANY without one, where the chances end, room for
    one number, and what else there may be: int64 (positions, 5 or more). Of what has the height 0
    nothing is told. Of all cells, as `Position` has them, ``layouts`` are
    bool and ``kinds`` int32, (cells,), and ``chances`` float64, (kinds,). ``counts`` are the
    numbers of layouts.
    """

    places: NDArray[np.int64]
    layouts: NDArray[np.bool_]
    kinds: NDArray[np.int32]
    chances: NDArray[np.float64]
    counts: Sequence[Counts | None]


def of_one(found: Position) -> Told:
    """What is told of a single position."""
    height, width = found.kinds.shape
    total = ANY if found.total is None else found.total
    places = np.array([(height, width, total, found.kind_chances.size, 0)])
    return Told(places, found.layout.ravel(), found.kinds.ravel(), found.kind_chances, [found])


def written(told: Told, fields: int, solver: Mapping[str, Any]) -> tuple[bytes, list[int]]:
    """The answers, each a line, and where each of them ends."""
    counts = digits = b""
    if fields & COUNT:
        texts = [b"" if one is None else _count(one) for one in told.counts]
        counts = b"".join(texts)
        told.places[:, _COUNT_END] = list(accumulate(map(len, texts)))
    if fields & CHANCES:
        # Digits are made once for all cells of a kind; NaN, for known cells, becomes null.
        digits = orjson.dumps(told.chances, option=orjson.OPT_SERIALIZE_NUMPY)
    by = orjson.dumps(solver)
    text, ends = _written(
        fields,
        told.places,
        told.layouts,
        told.kinds,
        told.chances,
        # The last number is copied with all the room that it may take.
        np.frombuffer(counts + by + digits + bytes(_TEXT_ROOM), np.uint8),
        len(counts),
        len(by),
    )
    return text.tobytes(), ends.tolist()


def _count(found: Counts) -> bytes:
    """How many layouts there are, in all and by number of mines, as fields with a comma each."""
    count = numbers.digits(found.count)
    by_mines = "null"
    if found.total is not None:
        by_mines = f'{{"{found.total}":"{count}"}}'
    elif found.soon_by_mines:
        shown = {str(mines): numbers.digits(some) for mines, some in found.by_mines().items()}
        by_mines = orjson.dumps(shown).decode()
    return f'"count":"{count}","by_mines":{by_mines},'.encode()


@compiled
def _written(
    fields: int,
    places: FixedMatrix[np.int64],
    layouts: FixedVector[np.bool_],
    kinds: FixedVector[np.int32],
    chances: FixedVector[np.float64],
    texts: FixedVector[np.uint8],
    count_letters: int,
    solver_letters: int,
) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """As `written`, of which ``texts`` are ready: all counts, the solver, and all chances."""
    positions = places.shape[0]
    room, longest = count_letters, 0
    for position in range(positions):
        room += _room(places[position, HEIGHT], places[position, _WIDTH]) + solver_letters
        longest = max(longest, places[position, HEIGHT], places[position, _WIDTH])
    told = np.empty(room, np.uint8)
    ends = np.empty(positions, np.int64)
    halves = _halves(longest if fields & FORCED else 0)
    solver = texts[count_letters : count_letters + solver_letters]
    # The first chance stands after the bracket.
    at, cell, kind, count, digit = 0, 0, 0, 0, count_letters + solver_letters + 1
    for position in range(positions):
        height, width = places[position, HEIGHT], places[position, _WIDTH]
        ends[position] = at
        if height == 0:
            continue
        total, kinds_end = places[position, _TOTAL], places[position, _KINDS_END]
        count_end = places[position, _COUNT_END]
        cells = slice(cell, cell + height * width)
        of_cells = kinds[cells].reshape(height, width)
        of_kinds = chances[kind:kinds_end]
        at = _put(told, at, _VERDICT, _VERDICT.size)
        if fields & WITNESS:
            at = _put(told, at, _WITNESS_IS, _WITNESS_IS.size)
            at = _rows(told, at, layouts[cells].reshape(height, width))
            at = _comma(told, at)
        at = _put(told, at, texts[count:], count_end - count)
        if fields & FORCED:
            at = _certain(told, at, of_kinds, of_cells, halves)
            at = _comma(told, at)
        if fields & CHANCES:
            digits, lengths, digit = _texts(texts, digit, of_kinds.size)
            at = _put(told, at, _CHANCES_ARE, _CHANCES_ARE.size)
            at = _chances(told, at, of_cells, digits, lengths)
            at = _put(told, at, _SAFEST_ARE, _SAFEST_ARE.size)
            least = safest(of_kinds[kinds[cells]], SAFEST)
            at = _comma(told, _safest(told, at, least, of_cells, digits, lengths))
        at = _size(told, at, height, width, total)
        at = _put(told, at, solver, solver_letters)
        told[at] = _END
        told[at + 1] = _NEWLINE
        at += 2
        ends[position] = at
        cell, kind, count = cells.stop, kinds_end, count_end
    return told[:at], ends


@inlined
def _room(height: int, width: int) -> int:
    """Letters that an answer may take, but for the count and the solver."""
    cells = height * width + 1
    layout = height * (width + 3)
    halves = 2 * _HALF_LETTERS * cells
    every = cells * _TEXT_ROOM + 2 * height
    return int(layout + halves + every + (SAFEST + 1) * _SAFEST_ROOM + _NAMES_ROOM)


@inlined
def _size(told: Vector[np.uint8], at: int, height: int, width: int, mines: int) -> int:
    """Write that there is no conflict, and how large the board is; where that ends."""
    at = _put(told, at, _ROWS_ARE, _ROWS_ARE.size)
    at = _put(told, _digits(told, at, height), _COLS_ARE, _COLS_ARE.size)
    at = _put(told, _digits(told, at, width), _MINES_ARE, _MINES_ARE.size)
    at = _put(told, at, _NULL, _NULL.size) if mines == ANY else _digits(told, at, mines)
    return int(_put(told, at, _SOLVER_IS, _SOLVER_IS.size))


@inlined
def _comma(told: Vector[np.uint8], at: int) -> int:
    told[at] = _COMMA
    return int(at + 1)


@inlined
def _rows(told: Vector[np.uint8], begin: int, mines: FixedMatrix[np.bool_]) -> int:
    """Write a layout; where it ends."""
    height, width = mines.shape
    symbols = drawn(mines)
    told[begin] = _OPEN
    at = begin + 1
    for row in range(height):
        told[at] = told[at + width + 1] = _QUOTE
        told[at + 1 : at + 1 + width] = symbols[row]
        told[at + width + 2] = _COMMA
        at += width + 3
    return _closed(told, begin, at)


@inlined
def _closed(told: Vector[np.uint8], begin: int, end: int) -> int:
    """End a list: its last comma, if it has any, becomes the bracket."""
    if end == begin + 1:
        end += 1
    told[end - 1] = _CLOSE
    return int(end)


@inner
def _certain(
    told: Vector[np.uint8],
    begin: int,
    chances: FixedVector[np.float64],
    kinds: FixedMatrix[np.int32],
    halves: _Halves,
) -> int:
    """Write the cells that are mines for certain, and the safe ones; where they end."""
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
    at = _put(told, begin, _FORCED_ARE, _FORCED_ARE.size)
    at = _places(told, at, mines[:mine_cells], halves)
    at = _put(told, at, _SAFE_ARE, _SAFE_ARE.size)
    at = _places(told, at, safe[:safe_cells], halves)
    told[at] = _END
    return int(at + 1)


@inlined
def _places(
    told: Vector[np.uint8],
    begin: int,
    places: Matrix[np.int32],
    halves: _Halves,
) -> int:
    """Write places, (cells, 2), of which either half is there as text; where they end."""
    rows, cols, lengths = halves
    told[begin] = _OPEN
    at = begin + 1
    for cell in range(places.shape[0]):
        row, col = places[cell, 0], places[cell, 1]
        _copy(told, at, rows, row * _TEXT_ROOM)
        at += lengths[0, row]
        _copy(told, at, cols, col * _TEXT_ROOM)
        at += lengths[1, col]
    return _closed(told, begin, at)


@inlined
def _halves(longest: int) -> _Halves:
    """The beginnings and the ends of places, up to so many, and how long they are, (2, longest)."""
    rows = np.empty((longest, _TEXT_ROOM), np.uint8)
    cols = np.empty((longest, _TEXT_ROOM), np.uint8)
    lengths = np.empty((2, longest), np.int64)
    for number in range(longest):
        rows[number, 0] = _OPEN
        end = _digits(rows[number], 1, number)
        rows[number, end] = _COMMA
        lengths[0, number] = end + 1
        end = _digits(cols[number], 0, number)
        cols[number, end] = _CLOSE
        cols[number, end + 1] = _COMMA
        lengths[1, number] = end + 2
    return rows, cols, lengths


@borrowing
def _digits(told: Vector[np.uint8], at: int, number: int) -> int:
    """Write a number; where it ends."""
    end = at + 1
    bound = 10
    while number >= bound:
        bound *= 10
        end += 1
    for place in range(end - 1, at - 1, -1):
        told[place] = _ZERO + number % 10
        number //= 10
    return end


@inlined
def _texts(
    digits: FixedVector[np.uint8], begin: int, count: int
) -> tuple[NDArray[np.uint8], NDArray[np.int64], int]:
    """So many numbers of a list, each with its comma, (count, room), their lengths, and the end."""
    texts = np.empty((count, _TEXT_ROOM), np.uint8)
    lengths = np.empty(count, np.int64)
    place = begin
    for one in range(count):
        first = place
        while digits[place] != _COMMA and digits[place] != _CLOSE:
            place += 1
        _copy(texts, one * _TEXT_ROOM, digits, first)
        # The last number of all gets a comma as well.
        texts[one, place - first] = _COMMA
        place += 1
        lengths[one] = place - first
    return texts, lengths, place


@inlined
def _chances(
    told: Vector[np.uint8],
    begin: int,
    kinds: FixedMatrix[np.int32],
    texts: Matrix[np.uint8],
    lengths: Vector[np.int64],
) -> int:
    """Write the chances of all cells, whose texts are by kind; where they end."""
    height, width = kinds.shape
    told[begin] = _OPEN
    at = begin + 1
    for row in range(height):
        told[at] = _OPEN
        at += 1
        for col in range(width):
            kind = kinds[row, col]
            _copy(told, at, texts, kind * _TEXT_ROOM)
            at += lengths[kind]
        told[at - 1] = _CLOSE
        told[at] = _COMMA
        at += 1
    return _closed(told, begin, at)


@inlined
def _safest(
    told: Vector[np.uint8],
    begin: int,
    cells: Vector[np.int64],
    kinds: FixedMatrix[np.int32],
    texts: Matrix[np.uint8],
    lengths: Vector[np.int64],
) -> int:
    """Write the safest cells with their chances; where they end."""
    width = kinds.shape[1]
    told[begin] = _OPEN
    at = begin + 1
    for cell in cells:
        row, col = cell // width, cell % width
        at = _put(told, at, _CELL, _CELL.size)
        told[at] = _OPEN
        at = _digits(told, at + 1, row)
        told[at] = _COMMA
        at = _digits(told, at + 1, col)
        told[at] = _CLOSE
        at = _put(told, at + 1, _CHANCE, _CHANCE.size)
        kind = kinds[row, col]
        at = _put(told, at, texts[kind], int(lengths[kind]) - 1)
        told[at] = _END
        told[at + 1] = _COMMA
        at += 2
    return _closed(told, begin, at)


@inlined
def _put(told: Vector[np.uint8], at: int, text: FixedVector[np.uint8], length: int) -> int:
    """Write the beginning of a text; where it ends."""
    for letter in range(length):
        told[at + letter] = text[letter]
    return int(at + length)


def _copy_as_ir(
    typing_context: Any, told: Any, at: Any, texts: Any, begin: Any
) -> tuple[Any, Callable[..., Any]]:
    """Copy all the room of a text, `_TEXT_ROOM` letters, from a place in those of ``texts``."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        def text(kind: Any, array: Any, place: Any) -> Any:
            letters = context.make_array(kind)(context, builder, array).data
            return builder.bitcast(builder.gep(letters, [place]), whole.as_pointer())

        whole = ir.VectorType(ir.IntType(8), _TEXT_ROOM)
        target, place, source, first = arguments
        copied = builder.load(text(texts, source, first), align=1)
        builder.store(copied, text(told, target, place), align=1)
        return context.get_dummy_value()

    return types.void(told, types.int64, texts, types.int64), generate


# The loop over the letters takes seven times as long.
_copy = cast(
    Callable[[Vector[np.uint8], int, Matrix[np.uint8] | FixedVector[np.uint8], int], None],
    intrinsic(_copy_as_ir),
)
