"""Boards whose cells are objects, as games store them: {"open": true, "adjacent": 2}.

Tested in tests/minefield/reader/test_read.py.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import chain
from typing import Any, Final

from minecheck.minefield.board import FLAG, MINE, SAFE, UNKNOWN, BoardError
from minecheck.minefield.reader.container import BOARD_FIELDS
from minecheck.minefield.reader.flat_boards import cut_flat_rows
from minecheck.minefield.reader.legends import MEANINGS
from minecheck.minefield.reader.meanings import is_symbol


class _Says(Enum):
    """A kind of field, and the names that fields of the kind have."""

    OPENED = """open opened revealed uncovered visible shown clicked discovered dug exposed visited
        explored seen"""
    COVERED = "covered hidden closed unopened unrevealed cover"
    FLAGGED = "flag flagged marked"
    MINED = "mine mined bomb mines bombs"
    NUMBER = """adj adjacent adjacentmines adjacentbombs adjacentminecount adjacentcount neighbors
        neighbours neighbormines neighbourmines neighboringmines neighbouringmines neighborcount
        neighbourcount nearby nearbymines nearbybombs surroundingmines surroundingbombs minesaround
        bombsaround minesnearby minecount bombcount count number num n hint clue"""
    VALUE = "value val v symbol char display text label content"
    STATE = "state status type kind"
    ROW = "row r y rowindex"
    COL = "col c x column colindex"


_FIELDS: Final = {name: said for said in _Says for name in said.value.split()}
_PREFIX: Final = re.compile(r"(?:is|has|was)(?=[A-Z_])_?")
#: Names of states beside the words for meanings.
_STATES: Final = {
    **MEANINGS,
    **dict.fromkeys(("visible", "shown", "number"), 0),
    **dict.fromkeys(("default", "initial"), UNKNOWN),
}
_FIX: Final = (
    "Send each cell as 0 to 8, ? for unknown, B for a mine, S for safe, F for a flag; or as an "
    'object such as {"open": true, "adjacent": 2} or {"open": false, "flag": true}.'
)
#: Names of fields about how a cell looks.
_LOOK: Final = re.compile(r"colou?r|style|class|font|size|width|height|id\Z|key", re.IGNORECASE)
#: What says whether a cell is opened.
_SHOWN: Final = (_Says.OPENED, _Says.COVERED, _Says.STATE)
_LEAST_CELLS: Final = 2
_FLAG_SIGNS: Final = ("F", "P", "🚩", "⚑", "flag")
#: Objects are looked for within so many others.
_DEEPEST: Final = 9
#: Numbers that programs give a mine.
_MINE_NUMBERS: Final = (-1, 9)
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
    """A cell as the fields of its object tell it; None stands for what they do not."""

    row: int
    col: int
    opened: bool | None = None
    flagged: bool = False
    mined: bool | None = None
    number: int | None = None
    value: str | None = None


def replace_cell_objects(value: Any) -> tuple[Any, tuple[str, ...]]:
    """Return a JSON value with the symbol of each cell in place of its object, and notes.

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
        if not all(isinstance(cell, dict) for cell in cells) or not any(map(_is_cell, cells)):
            return None
        _check_places(part)
        return [*part]
    if len(part) < _LEAST_CELLS or not all(map(_is_cell, part)):
        return None
    placed = {found: cell for cell in part if (found := _find_place(cell)) is not None}
    if not placed:
        shown = all(any(said in _SHOWN for said, _, _ in _list_said(cell)) for cell in part)
        return [[*part]] if shown else None
    rows = sorted({row for row, _ in placed})
    cols = sorted({col for _, col in placed})
    if not len(rows) * len(cols) == len(part) == len(placed):
        raise BoardError("board-type", "Some cells of the board are missing, or twice.", _FIX)
    return [[placed[row, col] for col in cols] for row in rows]


def _check_places(rows: Sequence[Sequence[Mapping[str, Any]]]) -> None:
    """Check that cells in rows are where their own fields say, counted from the first.

    Raises:
        BoardError: they are not.
    """
    first_row, first_col = _find_place(rows[0][0]) or (None, None)
    if first_row is None or first_col is None:
        return
    for row, line in enumerate(rows):
        for col, cell in enumerate(line):
            if _find_place(cell) != (first_row + row, first_col + col):
                detail = f"The object at row {row}, column {col} says that it is another cell."
                raise BoardError("board-type", detail, _FIX, row, col)


def _find_place(cell: Mapping[str, Any]) -> tuple[int, int] | None:
    """Return the row and column that a cell names, None if it names none."""
    said = {kind: value for kind, value, _ in _list_said(cell)}
    row, col = said.get(_Says.ROW), said.get(_Says.COL)
    return (row, col) if isinstance(row, int) and isinstance(col, int) else None


def _is_cell(value: Any) -> bool:
    """Return True for an object with a field that says something of a cell but where it is."""
    return isinstance(value, dict) and any(
        said not in (_Says.ROW, _Says.COL) and not isinstance(inner, list | dict)
        for said, inner, _ in _list_said(value)
    )


def _list_said(cell: Mapping[str, Any]) -> Iterator[tuple[_Says, Any, str]]:
    """Yield what each known field of a cell says, its value, and its name."""
    for name, value in cell.items():
        said = _FIELDS.get(_PREFIX.sub("", name).replace("_", "").lower())
        if said is None and isinstance(value, str) and value.lower() in _STATES:
            said = _Says.STATE
        if said is not None:
            yield said, value, name


def _read_rows(rows: Sequence[Sequence[Mapping[str, Any]]]) -> tuple[list[list[str]], list[str]]:
    """Return the symbols of cells, and notes.

    Raises:
        BoardError: a cell contradicts itself, or does not say enough.
    """
    names = {name for cell in chain(*rows) for _, _, name in _list_said(cell)}
    ignored = {name for cell in chain(*rows) for name in cell} - names
    _check_ignored([*chain(*rows)], ignored)
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
        notes.append(f"Other fields of cells were left out: {', '.join(sorted(ignored))[:200]}.")
    covered = [cell for cell in every if has_covers and not cell.opened]
    if any(cell.mined is not None or cell.number is not None for cell in covered):
        notes.append("What fields say of a cell that is not opened was left out.")
    return symbols, notes


def _check_ignored(cells: Sequence[Mapping[str, Any]], names: Collection[str]) -> None:
    """Check that no field that is not known may say what state a cell is in.

    Raises:
        BoardError: one may: it has a few values that many cells share.
    """
    for name in sorted(names):
        values = [cell[name] for cell in cells if isinstance(cell.get(name), str | int)]
        shared = 1 < len({*values}) < max(len(values), _LEAST_CELLS + 1)
        if shared and not _LOOK.search(name):
            detail = f"The cells have the field {name[:40]!a}, which may say what is shown of them."
            raise BoardError("board-type", detail, _FIX)


def _read_cell(fields: Mapping[str, Any], cell: _Cell) -> _Cell:
    """Return a cell with what the fields of its object say.

    Raises:
        BoardError: they contradict each other, or a field with true or false is not known.
    """
    known = {name for _, _, name in _list_said(fields)}
    for name, value in fields.items():
        if name not in known and isinstance(value, bool):
            raise _make_error(cell, f"has the field {name[:40]!a}, which is not known")
    opened: set[bool] = set()
    for said, value, name in _list_said(fields):
        if said in (_Says.OPENED, _Says.COVERED) and value is not None:
            opened.add(bool(value) is (said is _Says.OPENED))
        elif said is _Says.FLAGGED:
            cell.flagged |= bool(value)
        elif said is _Says.MINED and isinstance(value, bool):
            cell.mined = value
        elif said in (_Says.NUMBER, _Says.MINED) and isinstance(value, int):
            cell.number = value
        elif said is _Says.VALUE and value is not None:
            cell.value = str(value)
        elif said is _Says.STATE and value is not None:
            opened |= _read_state(str(value), name, cell)
    if len(opened) > 1:
        raise _make_error(cell, "is opened and covered")
    cell.opened = next(iter(opened), None)
    return cell


def _read_state(word: str, name: str, cell: _Cell) -> set[bool]:
    """Add what a word says to a cell; return whether it is opened, nothing if it does not say.

    Raises:
        BoardError: the word is not known.
    """
    code = _STATES.get(word.lower())
    if code is None:
        raise _make_error(cell, f"has the {name[:40]} {word[:20]!a}, which is not known")
    if code in (MINE, SAFE):
        cell.mined = code == MINE
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
    if has_covers and not cell.opened:
        return "F" if cell.flagged or cell.value in _FLAG_SIGNS else "?"
    number = str(cell.number) if cell.number is not None else cell.value
    if cell.flagged and not cell.opened:
        return "F"
    if cell.mined or (has_covers and cell.number in _MINE_NUMBERS):
        return "B"
    if number is not None and (is_symbol(number) or not has_covers):
        return number
    if not has_covers:
        return "S" if cell.mined is False else "?"
    raise _make_error(cell, "is opened, and has no number")


def _make_error(cell: _Cell, said: str) -> BoardError:
    """Return the error of a cell, of which something is said."""
    detail = f"The cell at row {cell.row}, column {cell.col} {said}."
    return BoardError("board-type", detail, _FIX, cell.row, cell.col)
