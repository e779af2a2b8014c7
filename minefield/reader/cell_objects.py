"""Boards whose cells are objects, as games store them: {"open": true, "adjacent": 2}.

Tested in tests/minefield/reader/test_read.py.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import chain
from typing import Any, Final

from minecheck.minefield.board import FLAG, MINE, SAFE, UNKNOWN, BoardError
from minecheck.minefield.reader.container import BOARD_FIELDS
from minecheck.minefield.reader.flat_boards import cut_flat_rows
from minecheck.minefield.reader.meanings import is_symbol
from minecheck.minefield.reader.sizes import list_named_sizes
from minecheck.minefield.reader.vocabulary import MEANINGS


class _Kind(Enum):
    """A kind of field, and the names that fields of the kind have."""

    OPENED = """open opened revealed uncovered visible shown clicked discovered dug exposed visited
        explored seen"""
    COVERED = "covered hidden closed unopened unrevealed cover"
    FLAGGED = "flag flagged marked"
    MINED = "mine mined bomb"
    NUMBER = """adj adjacent adjacentmines adjacentbombs adjacentminecount adjacentcount neighbors
        neighbours neighbormines neighbourmines neighboringmines neighbouringmines neighborcount
        neighbourcount nearby nearbymines nearbybombs surroundingmines surroundingbombs minesaround
        bombsaround minesnearby minecount bombcount mines bombs count number num n hint clue"""
    VALUE = "value val v symbol char display text label content"
    STATE = "state status type kind"
    ROW = "row r y rowindex"
    COL = "col c x column colindex"


_FIELDS: Final = {name: kind for kind in _Kind for name in kind.value.split()}
_PREFIX: Final = re.compile(r"(?:is|has|was)(?=[A-Z_])_?")
#: Names of states: the words for meanings, and a few more.
_STATES: Final = {
    **MEANINGS,
    **dict.fromkeys(("visible", "shown", "number"), 0),
    **dict.fromkeys(("default", "initial"), UNKNOWN),
}
_TRUTHS: Final = {
    **dict.fromkeys(("true", "1", "yes", "flag", "flagged", "🚩"), True),
    **dict.fromkeys(("false", "0", "no", "none", ""), False),
}
_FIX: Final = (
    "Send each cell as 0 to 8, ? for unknown, B for a mine, S for safe, F for a flag; or as an "
    'object such as {"open": true, "adjacent": 2} or {"open": false, "flag": true}.'
)
#: Names of fields about how a cell looks.
_LOOK: Final = re.compile(r"colou?r|style|font|size|width|height|key", re.IGNORECASE)
#: The kinds of fields that say whether a cell is opened.
_SHOWN: Final = (_Kind.OPENED, _Kind.COVERED, _Kind.STATE)
_LEAST_CELLS: Final = 2
_FLAG_SIGNS: Final = ("F", "P", "🚩", "⚑", "flag")
#: The most objects around that of a cell.
_DEEPEST: Final = 9
#: Numbers that programs give a mine.
_MINE_NUMBERS: Final = (-1, 9)
_WHOLE: Final = re.compile(r"(-?[0-9]{1,2})(?:\.0)?")
#: Rows of objects in a program without a double quote, and what JSON writes in another way.
_LITERAL: Final = re.compile(
    r"(?:(?:const|let|var)\s+)?(?:\w{1,40}\s*=\s*)?((?:\[\s*){2}\{[^\"]*\}\s*,?\s*\]\s*,?\s*\])\s*;?\s*"
)
_IN_QUOTES: Final = re.compile(r"'([^'\\\n]*)'")
_BARE_NAME: Final = re.compile(r"([{,]\s*)([A-Za-z_]\w*)\s*:")
_LAST_COMMA: Final = re.compile(r",(\s*[\]}])")
_CONSTANTS: Final = {"True": "true", "False": "false", "None": "null", "undefined": "null"}
_CONSTANT: Final = re.compile(rf"\b(?:{'|'.join(_CONSTANTS)})\b")


@dataclass(slots=True)
class _Cell:
    """A cell as the fields of its object describe it; None stands for what they leave open."""

    row: int
    col: int
    opened: bool | None = None
    flagged: bool = False
    mined: bool | None = None
    number: int | None = None
    value: str | None = None
    #: Its state, if that is a mine or safe.
    shown: str | None = None


def replace_cell_objects(value: Any) -> tuple[Any, tuple[str, ...]]:
    """Return a JSON value in which each object of a cell is replaced by its symbol, and notes.

    Args:
        value: the JSON value. Its cells are in a list of rows, or in one list with their places, or
            with a width beside it.

    Raises:
        BoardError: the fields of a cell contradict each other, or do not say enough.
    """
    notes: dict[str, None] = {}

    def replace(part: Any, beside: Mapping[str, Any], depth: int) -> Any:
        if isinstance(part, dict) and depth < _DEEPEST:
            return {
                name: replace(inner, part, depth + 1)
                if name in BOARD_FIELDS or isinstance(inner, dict)
                else inner
                for name, inner in part.items()
            }
        rows = _list_rows(part) if isinstance(part, list) else None
        if rows is None:
            return part
        symbols, said = _read_rows(rows)
        notes.update(dict.fromkeys(said))
        if isinstance(part[0], list):
            return symbols
        if _find_place(part[0]) is not None:
            sizes = [*list_named_sizes(beside)]
            if sizes and (len(symbols), len(symbols[0])) not in sizes:
                raise BoardError("board-type", "Some cells of the board are missing.", _FIX)
            if {"x", "y"} <= part[0].keys():
                notes["x was read as the column, y as the row."] = None
            return symbols
        cut = cut_flat_rows(symbols[0], beside)
        if cut is symbols[0]:
            detail = "The cells are in one list, and nothing says how many a row has."
            raise BoardError("board-type", detail, _FIX)
        return cut

    replaced = replace(value, {}, 0)
    return ({"board": replaced} if notes and isinstance(replaced, list) else replaced), (*notes,)


def write_as_json(text: str) -> str:
    """Return cells that are objects of JavaScript or Python as JSON, any other text as it is."""
    literal = _LITERAL.fullmatch(text)
    if literal is None:
        return text
    quoted = _IN_QUOTES.sub(r'"\1"', literal[1])
    quoted = _LAST_COMMA.sub(r"\1", _BARE_NAME.sub(r'\1"\2":', quoted))
    return _CONSTANT.sub(lambda word: _CONSTANTS[word[0]], quoted)


def _list_rows(part: Sequence[Any]) -> list[list[dict[str, Any]]] | None:
    """Return the rows of a list that are nothing but cells as objects, None for other lists.

    Cells in one list without places are one row.

    Raises:
        BoardError: the places of cells are not those of a board.
    """
    if part and all(isinstance(row, list) and row for row in part):
        cells = [*chain(*part)]
        if not all(isinstance(cell, dict) for cell in cells):
            return None
        named = iter(_name_states(cells))
        rows = [[next(named) for _ in row] for row in part]
        if not any(map(_is_cell, chain(*rows))):
            return None
        _check_places(rows)
        return rows
    if len(part) < _LEAST_CELLS or not all(isinstance(cell, dict) for cell in part):
        return None
    part = _name_states(part)
    if not all(map(_is_cell, part)):
        return None
    placed = {found: cell for cell in part if (found := _find_place(cell)) is not None}
    if not placed:
        shown = all(any(kind in _SHOWN for kind, _, _ in _list_known(cell)) for cell in part)
        if not shown:
            return None
        _list_ignored(part, in_order=False)
        return [[*part]]
    lines = sorted({row for row, _ in placed})
    cols = sorted({col for _, col in placed})
    whole = all(side[0] in (0, 1) and side[-1] == side[0] + len(side) - 1 for side in (lines, cols))
    if not (whole and len(lines) * len(cols) == len(part) == len(placed)):
        raise BoardError("board-type", "Some cells of the board are missing, or twice.", _FIX)
    return [[placed[row, col] for col in cols] for row in lines]


def _name_states(cells: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the objects of cells with the name state for a field that has nothing but states."""
    values: dict[str, set[str]] = {}
    for cell in cells:
        for name, value in cell.items():
            values.setdefault(name, set()).add(value.lower() if isinstance(value, str) else "")
    names = {
        name: "state"
        for name, found in values.items()
        if _find_kind(name) is None and len(found) > 1 and found <= _STATES.keys()
    }
    if len(names) != 1 or "state" in values:
        names = {}
    return [{names.get(name, name): value for name, value in cell.items()} for cell in cells]


def _check_places(rows: Sequence[Sequence[Mapping[str, Any]]]) -> None:
    """Check that cells in rows are where their own fields say, counted from the first.

    Raises:
        BoardError: they are not.
    """
    if (first := _find_place(rows[0][0])) is None:
        return
    first_row, first_col = first
    for row, line in enumerate(rows):
        for col, cell in enumerate(line):
            if _find_place(cell) != (first_row + row, first_col + col):
                detail = f"The object at row {row}, column {col} says that it is another cell."
                raise BoardError("board-type", detail, _FIX, row, col)


def _find_place(cell: Mapping[str, Any]) -> tuple[int, int] | None:
    """Return the row and column that a cell names, None if it names none."""
    said = {kind: value for kind, value, _ in _list_known(cell)}
    row, col = (str(said.get(kind)) for kind in (_Kind.ROW, _Kind.COL))
    return (int(row), int(col)) if row.isdecimal() and col.isdecimal() else None


def _is_cell(fields: Mapping[str, Any]) -> bool:
    """Return True for an object with a field that says something of a cell but where it is."""
    return any(
        kind not in (_Kind.ROW, _Kind.COL) and not isinstance(value, list | dict)
        for kind, value, _ in _list_known(fields)
    )


def _find_kind(name: str) -> _Kind | None:
    """Return the kind of fields of a name, None if it is not known."""
    return _FIELDS.get(_PREFIX.sub("", name).replace("_", "").lower())


def _list_known(cell: Mapping[str, Any]) -> Iterator[tuple[_Kind, Any, str]]:
    """Yield the kind of each known field of a cell, its value, and its name."""
    for name, value in cell.items():
        if (kind := _find_kind(name)) is not None:
            yield kind, value, name


def _list_ignored(cells: Sequence[Mapping[str, Any]], *, in_order: bool) -> list[str]:
    """Return the names of fields that are left out, sorted.

    Args:
        cells: the objects of all cells.
        in_order: whether it is known where the cells are.

    Raises:
        BoardError: one may say what state a cell is in, or where it is: cells differ in it, and it
            is neither a look nor a name of its own.
    """
    names = sorted({name for cell in cells for name in cell if _find_kind(name) is None})
    for name in names:
        values = [cell.get(name) for cell in cells]
        distinct = {repr(value) for value in values}
        plain = all(isinstance(value, str | int) for value in values)
        named = plain and in_order and len(distinct) == len(cells) > _LEAST_CELLS
        if len(distinct) > 1 and not named and not (plain and _LOOK.search(name)):
            detail = f"The cells have the field {name[:40]!a}, which may say what they are."
            raise BoardError("board-type", detail, _FIX)
    return names


def _read_rows(rows: Sequence[Sequence[Mapping[str, Any]]]) -> tuple[list[list[str]], list[str]]:
    """Return the symbols of cells, and notes.

    Raises:
        BoardError: a cell contradicts itself, or does not say enough.
    """
    objects = [*chain(*rows)]
    ignored = _list_ignored(objects, in_order=True)
    cells = [
        [_read_cell(fields, _Cell(row, col)) for col, fields in enumerate(line)]
        for row, line in enumerate(rows)
    ]
    every = [*chain(*cells)]
    # Fields that are false are often left out.
    has_covers = any(cell.opened is not None for cell in every)
    symbols = [[_choose_symbol(cell, has_covers) for cell in line] for line in cells]
    notes = ["Each cell was read from the fields of its object."]
    if ignored:
        notes.append(f"Other fields of cells were left out: {', '.join(ignored)[:200]}.")
    covered = [cell for cell in every if has_covers and not cell.opened]
    if any(cell.mined is not None or cell.number is not None for cell in covered):
        notes.append("What fields say of a cell that is not opened was left out.")
    return symbols, notes


def _read_cell(fields: Mapping[str, Any], cell: _Cell) -> _Cell:
    """Return a cell with what the fields of its object say.

    Raises:
        BoardError: they contradict each other, or a value is not understood.
    """
    opened: set[bool] = set()
    numbers: set[int] = set()
    for kind, value, name in _list_known(fields):
        if value is None or kind in (_Kind.ROW, _Kind.COL):
            continue
        if kind in (_Kind.OPENED, _Kind.COVERED):
            opened.add(_read_truth(value, name, cell) is (kind is _Kind.OPENED))
        elif kind is _Kind.FLAGGED:
            cell.flagged |= _read_truth(value, name, cell)
        elif kind is _Kind.MINED:
            cell.mined = _read_truth(value, name, cell)
        elif kind is _Kind.NUMBER:
            if (whole := _WHOLE.fullmatch(str(value))) is None:
                raise _make_value_error(cell, name, value)
            numbers.add(int(whole[1]))
        elif kind is _Kind.VALUE:
            cell.value = str(value)
        else:
            opened |= _read_state(str(value), name, cell)
    if len(opened) > 1 or len(numbers) > 1:
        raise _make_error(cell, "is opened and covered" if len(opened) > 1 else "has two numbers")
    cell.opened = next(iter(opened), None)
    cell.number = next(iter(numbers), None)
    return cell


def _read_truth(value: Any, name: str, cell: _Cell) -> bool:
    """Return whether a field is true.

    Raises:
        BoardError: its value says neither.
    """
    truth = _TRUTHS.get(str(value).lower())
    if truth is None:
        raise _make_value_error(cell, name, value)
    return truth


def _read_state(word: str, name: str, cell: _Cell) -> set[bool]:
    """Add what a word says to a cell; return whether it is opened, nothing if it does not say.

    Raises:
        BoardError: the word is not known.
    """
    code = _STATES.get(word.lower())
    if code is None:
        raise _make_value_error(cell, name, word)
    if code in (MINE, SAFE):
        cell.shown = "B" if code == MINE else "S"
        return set()
    cell.flagged |= code == FLAG
    return {code == 0}


def _choose_symbol(cell: _Cell, has_covers: bool) -> str:
    """Return the symbol of a cell.

    Args:
        cell: the cell.
        has_covers: whether fields of some cell say that it is opened or covered.

    Raises:
        BoardError: it is opened, and has no number.
    """
    value = cell.value if cell.value is not None and is_symbol(cell.value) else None
    if has_covers and not cell.opened:
        if cell.opened is None and cell.shown is not None:
            return cell.shown
        return "F" if cell.flagged or value in _FLAG_SIGNS else "?"
    if cell.flagged and not cell.opened:
        return "F"
    if value is not None and not value.isdigit():
        return value
    if cell.mined or cell.shown == "B" or (has_covers and cell.number in _MINE_NUMBERS):
        return "B"
    number = value if cell.number is None else str(cell.number)
    if number is not None and value in (None, number):
        return number
    if number is None and not has_covers:
        return cell.value or cell.shown or ("S" if cell.mined is False else "?")
    raise _make_error(cell, "has two numbers" if value else "is opened, and has no number")


def _make_value_error(cell: _Cell, name: str, value: object) -> BoardError:
    """Return the error of a cell with a field whose value is not understood."""
    return _make_error(cell, f"has the {name[:40]} {str(value)[:20]!a}, which is not known")


def _make_error(cell: _Cell, said: str) -> BoardError:
    """Return the error of a cell, of which something is said."""
    detail = f"The cell at row {cell.row}, column {cell.col} {said}."
    return BoardError("board-type", detail, _FIX, cell.row, cell.col)
