"""Boards in JSON objects: the field with the board, and what others say of it.

Tested in tests/minefield/reader/test_read.py.
"""

import re
from collections import deque
from collections.abc import Collection, Iterator, Mapping, Sequence
from json import JSONDecodeError
from types import MappingProxyType, UnionType
from typing import Any, Final

from minecheck.minefield.board import BoardError
from minecheck.minefield.formats.encodings import RepeatedFieldError, load_json
from minecheck.minefield.notation import Notation
from minecheck.minefield.reader.cell_objects import replace_cell_objects
from minecheck.minefield.reader.container import BOARD_FIELDS, Container
from minecheck.minefield.reader.flat_boards import cut_flat_rows
from minecheck.minefield.reader.literals import read_literal
from minecheck.minefield.reader.odd_lines import check_meant
from minecheck.minefield.reader.reading import (
    NAME_OF_MASK,
    make_masked_board_error,
    make_no_board_error,
    make_several_boards_error,
)
from minecheck.minefield.reader.sizes import list_named_sizes
from minecheck.minefield.reader.totals import is_total_name
from minecheck.minefield.reader.vocabulary import MEANINGS, split_words
from minecheck.minefield.symbols import MEANING_NAMES, read_symbols

#: Another name of a board, such as initial_board.
_NAMED_BOARD: Final = re.compile(r"(?:board|grid|field)\Z", re.IGNORECASE)
#: Letters and their fields, in objects with letters for width and height.
_SHORT_FIELDS: Final[Mapping[str, tuple[str, type | UnionType]]] = MappingProxyType(
    {"m": ("mines", int), "b": ("board", str | list)}
)
#: The name of the value of a cell: MINE, which is no total if it is below 0, or mineValue.
_VALUE_OF: Final = re.compile(
    r"(mine|bomb|unknown|hidden|covered|closed|flag|empty|safe)_?(value|symbol|code|char|cell)?",
    re.IGNORECASE,
)
_LONGEST_SYMBOL: Final = 4
#: Fields that say what symbols mean.
_SYMBOL_FIELDS: Final = ("symbols", "legend", "codes", "meanings", "encoding")
#: Names of what is true of a cell or a game, and no total: isMine, hasMines.
_OF_A_CELL: Final = re.compile("is|has", re.IGNORECASE)
#: Names of lists that say which cells are opened or marked.
_MASK: Final = re.compile(
    rf"{NAME_OF_MASK}|flags|flagged|marked|marks|known_?mines|safe(?:_?cells)?|states?",
    re.IGNORECASE,
)
#: Fields of objects about other games, such as statistics.
_OF_OTHER_GAMES: Final = frozenset(("games", "wins", "won", "losses", "played", "best", "record"))
#: Names of objects about other games, or levels of some difficulty.
_LEVELS: Final = split_words(
    """levels difficulty difficulties easy medium hard beginner expert defaults limits previous
    best next_level opponent score selected hint statistics stats"""
)
_MOST_MINES: Final = 999_999_999


def open_json(text: str, kind: str) -> Container:
    """Return the board and the total that a JSON object holds, perhaps in objects within it.

    Raises:
        BoardError: it is not valid JSON, it has no board or several, or the total is not a number.
    """
    try:
        value = load_json(text)
    except RepeatedFieldError as error:
        detail = f"The JSON has the field {str(error)[:40]!a} twice, with different values."
        raise BoardError("bad-value", detail, "Keep one of the two.") from None
    except (ValueError, RecursionError) as error:
        where = ""
        if isinstance(error, JSONDecodeError):
            where = f" from its character {error.pos}"
            if error.msg == "Extra data" and text[error.pos] == "{":
                detail = "Several JSON objects follow one another."
                raise make_several_boards_error(detail) from None
        if read_literal(text):
            # Programs write objects in other ways as well.
            return Container(text, kind)
        raise BoardError(
            "invalid-json",
            f"The text begins as a JSON object, and is not valid JSON{where}.",
            "Correct the JSON, or send only the rows of the board, one a line.",
        ) from None
    value, cell_notes = replace_cell_objects(value)
    symbols = _find_symbols(value)
    objects = [_name_fields(fields) for fields in _list_objects(value)]
    name, fields = _find_board(objects)
    ignored = [
        key
        for holder in objects
        for key, value in holder.items()
        if key not in (name, "notation") and not isinstance(value, dict) and not is_total_name(key)
    ]
    _check_no_mask(fields, name)
    words = (text for key, text in fields.items() if key != name and isinstance(text, str))
    check_meant("\n".join(words), ())
    of_game = [_name_fields(other) for other in _list_objects(value, without=_LEVELS)]
    total = _find_json_total(fields, of_game)
    notes = cell_notes + say_ignored(ignored)
    notes += tuple(f"The JSON says what {symbol} means." for symbol in symbols)
    return Container(
        cut_flat_rows(fields[name], fields),
        kind,
        total,
        _read_notation(fields),
        notes,
        tuple(list_named_sizes(fields)),
        symbols,
    )


def _find_board(objects: Sequence[dict[str, Any]]) -> tuple[str, dict[str, Any]]:
    """Return the name of the field with the board, and the object that has it.

    Raises:
        BoardError: there is none, or there are several.
    """
    name = next(
        (name for name in BOARD_FIELDS if any(_has_rows(fields, name) for fields in objects)), ""
    )
    if not name:
        names = (key for fields in objects for key in fields if _has_rows(fields, key))
        name = next(filter(_NAMED_BOARD.search, names), "")
    holders = [fields for fields in objects if _has_rows(fields, name)]
    if not holders:
        raise make_no_board_error(
            "The JSON object has no field board with text or rows.",
            'Send {"board": ["1?", "??"]}.',
        )
    fields = holders[0]
    _check_one_board(fields, name)
    if any(other[name] != fields[name] for other in holders):
        raise make_several_boards_error(f"Several objects of the JSON have a field {name}.")
    return name, fields


def _check_one_board(fields: Mapping[str, Any], name: str) -> None:
    """Check that no other field has as many rows as the board, of the same length.

    Raises:
        BoardError: one has.
    """
    board = fields[name]
    if not _is_list_of_rows(board):
        return
    for other in BOARD_FIELDS:
        rows = fields.get(other)
        differs = other != name and _is_list_of_rows(rows) and rows != board
        if differs and [*map(len, board)] == [*map(len, rows or ())]:
            raise make_several_boards_error(f"{name} and {other} can both be the board.")


def _is_list_of_rows(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(row, str | list) for row in value)


def _check_no_mask(fields: Mapping[str, Any], name: str) -> None:
    """Check that no other field lists what players know of the cells.

    Raises:
        BoardError: one does: which cells are opened, or where flags are.
    """
    for other, mask in fields.items():
        if other != name and mask and isinstance(mask, list) and _MASK.fullmatch(other):
            raise make_masked_board_error(other)


def _read_notation(fields: Mapping[str, Any]) -> str | None:
    """Return the notation that an object names, None if it names none.

    Raises:
        BoardError: there is no such notation.
    """
    notation = fields.get("notation")
    if notation is not None and notation not in tuple(Notation):
        raise BoardError(
            "unknown-notation",
            f"Unknown notation {str(notation)[:80]!a}.",
            f"Use one of: {', '.join(Notation)}.",
        )
    return notation


def _name_meaning(word: object) -> object:
    """Return the name of a meaning that people have another word for, any other value as it is."""
    code = MEANINGS.get(str(word).lower())
    return word if code is None else MEANING_NAMES[code]


def _find_symbols(value: Any) -> dict[str, int]:
    """Return what a JSON value says that symbols mean.

    Raises:
        BoardError: it gives one a meaning that does not exist.
    """
    if not isinstance(value, dict):
        return {}
    for name in _SYMBOL_FIELDS:
        if isinstance(value.get(name), dict):
            meanings = value.pop(name)
            named = {symbol: _name_meaning(word) for symbol, word in meanings.items()}
            return read_symbols(named, name)
    constants = {
        str(symbol): _VALUE_OF.fullmatch(name)
        for name, symbol in value.items()
        if isinstance(symbol, str | int) and len(str(symbol)) <= _LONGEST_SYMBOL
    }
    return {
        symbol: MEANINGS[name[1].lower()]
        for symbol, name in constants.items()
        if name and (name[2] or symbol.startswith("-"))
    }


def _name_fields(fields: dict[str, Any]) -> dict[str, Any]:
    """Return an object with full names for the letters m and b, if it has w and h.

    A field with the full name goes before one of another value: that is of something else.
    """
    if not {"w", "h"} <= fields.keys():
        return fields
    named = dict(fields)
    for short, (name, kinds) in _SHORT_FIELDS.items():
        if isinstance(fields.get(short), kinds) and name not in fields:
            named[name] = named.pop(short)
    return named


def say_ignored(names: Sequence[str]) -> tuple[str, ...]:
    """Return the note about fields that were left out, none if there are none."""
    return (f"Other fields were left out: {', '.join(names)[:200]}.",) if names else ()


def _list_objects(value: Any, without: Collection[str] = frozenset()) -> Iterator[dict[str, Any]]:
    """Yield the objects of a JSON value, the outer ones first; none in fields ``without``."""
    waiting = deque([value])
    while waiting:
        outer = waiting.popleft()
        if isinstance(outer, dict):
            yield outer
            outer = [inner for name, inner in outer.items() if name not in without]
        waiting += [inner for inner in outer if isinstance(inner, dict | list) and inner]


def _has_rows(fields: Mapping[str, Any], name: str) -> bool:
    return isinstance(fields.get(name), str | list)


def _find_json_total(fields: Mapping[str, Any], objects: Sequence[Mapping[str, Any]]) -> int | None:
    """Return the total that the object with the board states, or else any other one.

    Raises:
        BoardError: it is not a number of mines, or there are several.
    """
    own = [(name, value) for name, value in fields.items() if is_total_name(name)]
    others = [
        pair
        for holder in objects
        if holder.keys().isdisjoint(_OF_OTHER_GAMES)
        for pair in holder.items()
        if is_total_name(pair[0])
    ]
    totals = [
        (name, int(value) if re.fullmatch("[0-9]{1,9}", str(value)) else value)
        for name, value in own or others
        if value is not None and not (isinstance(value, bool) and _OF_A_CELL.match(name))
    ]
    for name, value in totals:
        whole = type(value) in (int, float) and 0 <= value <= _MOST_MINES and value == int(value)
        if not whole or value != totals[0][1]:
            detail = (
                f"{name} is not a number of mines."
                if not whole
                else f"{totals[0][0]} and {name} differ."
            )
            raise BoardError("bad-value", detail, "Send a whole number.")
    return int(totals[0][1]) if totals else None
