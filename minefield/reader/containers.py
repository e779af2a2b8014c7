"""Containers that boards are sent in: links, curl commands, JSON objects and code fences.

Tested in tests/minefield/reader/test_read.py.
"""

import html
import re
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from json import JSONDecodeError
from types import MappingProxyType, UnionType
from typing import Any, Final
from urllib.parse import parse_qsl, unquote

from minecheck.minefield.board import BoardError
from minecheck.minefield.formats.encodings import RepeatedFieldError, inflate_text, load_json
from minecheck.minefield.notation import Notation
from minecheck.minefield.reader.flat_boards import cut_flat_rows
from minecheck.minefield.reader.legends import MEANINGS
from minecheck.minefield.reader.literals import read_literal
from minecheck.minefield.reader.odd_lines import check_meant
from minecheck.minefield.reader.programs import open_string
from minecheck.minefield.reader.reading import (
    NAME_OF_MASK,
    BoardReading,
    make_masked_board_error,
    make_no_board_error,
    make_several_boards_error,
)
from minecheck.minefield.reader.sizes import list_named_sizes, note_size
from minecheck.minefield.reader.strings import has_cells
from minecheck.minefield.reader.totals import find_total, is_total_name
from minecheck.minefield.symbols import read_symbols

#: The most characters of a board that a link holds deflated.
_LONGEST_INFLATED: Final = 2_000_000
_LINK_OF_PAGE: Final = re.compile(r"^\S*#(?:analyse|strips|play)(?:\?(\S*))?$", re.IGNORECASE)
_LINK: Final = re.compile(r"^<?(?:https?://|www\.)\S+>?$", re.IGNORECASE)
_INNER_LINK: Final = re.compile(r"(?:https?://|www\.)[^\s<>()\[\]\"'`]+", re.IGNORECASE)
#: The beginning of a JSON object whose quotation marks are escaped.
_ESCAPED_OBJECT: Final = re.compile(r"(?:\[\s*)?\{\s*\\\"\w")
#: Signs around a link that say nothing.
_AROUND_LINK: Final = " \t<>()[]!*\"'`~.,;:→-"
#: A link in a link to a page that leads on to it.
_LED_ON: Final = re.compile(
    r"https?://\S*[?&](?:url|q|u|to|target|link)=(https?(?::|%3a)[^&\s]+).*", re.IGNORECASE
)
#: A link of Markdown, and one in bold.
_MARKED_LINK: Final = re.compile(
    r"!?\[[^\]\n]*\]\((https?://[^\s)]+)\)|\*\*(https?://\S+?)\*\*", re.IGNORECASE
)
#: Words around a link: no code, and no rows.
_SENTENCE: Final = re.compile(r"(?=.*[A-Za-z]{3})(?!\s*(?:curl|[#%/]))[^{}=;|]*")
_GAME_ID: Final = re.compile(r"\A\s*(?:the )?game id(?::| is)\s*", re.IGNORECASE)
#: A link without its beginning; the name of the host has a letter that is not a symbol of a cell.
_BARE_LINK: Final = re.compile(r"^(?=[^/]*[acdgi-lnpqrtvwyz])(?:[\w-]+\.)+[a-z]{2,12}/\S*$", re.I)
#: A link to a picture, and one to a puzzle of pzpr that is of another kind.
_PICTURE: Final = re.compile(r"\.(?:png|jpe?g|gif|webp|bmp|svg)(?:[?#]\S*)?>?\Z", re.IGNORECASE)
_OTHER_PUZZLE: Final = re.compile(r"/p(?:\.html)?\?(?!mines\b)([a-z]\w{1,20})/", re.IGNORECASE)
#: The query of a link.
_QUERY: Final = re.compile(r"\w+=[^\s&=]*(?:&\w+=[^\s&=]*)*")
#: The first line of a form with parts, and the name of one.
_FORM_DATA: Final = re.compile(
    r"(?P<boundary>--\S{1,70})\r?\nContent-Disposition:\s*form-data", re.I
)
_FIELD_NAME: Final = re.compile(r"\bname=\"?([^\";\n]{1,40})")
#: The JSON object of a curl command: in quotation marks of either kind, or in lines that follow.
_QUOTED_OBJECTS: Final = (
    re.compile(r"'(\{.*\})'", re.DOTALL),
    re.compile(r"\"(\{.*\})\"", re.DOTALL),
    re.compile(r"<<[^\n]*\n\s*(\{.*\})\s*\n\w+\s*\Z", re.DOTALL),
)
#: Fields of JSON that hold a board, the likelier ones first.
_BOARD_FIELDS: Final = (
    *("board", "layout", "grid", "cells", "field", "minefield", "map", "rows", "data", "tiles"),
    *("matrix", "squares", "view", "puzzle", "state", "gameboard", "game_board", "gameBoard"),
    *("current_board", "currentBoard", "board_state", "boardState", "position", "visible"),
    *("values", "numbers"),
    *("minesweeper", "text", "content", "input"),
)
#: Another name of a board, such as initial_board.
_NAMED_BOARD: Final = re.compile(r"(?:board|grid|field)\Z", re.IGNORECASE)
#: What letters stand for beside those for width and height.
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
_SYMBOL_FIELDS: Final = ("symbols", "legend")
#: Names of what is true of a cell or a game, and no total: isMine, hasMines.
_OF_A_CELL: Final = re.compile("is|has", re.IGNORECASE)
#: Names of lists that say which cells are opened or marked.
_MASK: Final = re.compile(
    rf"{NAME_OF_MASK}|flags|flagged|marked|marks|known_?mines|safe(?:_?cells)?|states?",
    re.IGNORECASE,
)
_MOST_MINES: Final = 999_999_999


@dataclass(frozen=True, slots=True)
class Container:
    """A board taken out of what it was sent in.

    ``board`` is text, a list of strings, or nested lists; ``notation`` is the one that the
    container names, None if it names none. It may state sizes, as (rows, cols), and the codes of
    ``symbols``.
    """

    board: Any
    kind: str
    mines: int | None = None
    notation: str | None = None
    notes: tuple[str, ...] = ()
    sizes: tuple[tuple[int, int], ...] = ()
    symbols: Mapping[str, int] = field(default_factory=dict)

    def complete(self, reading: BoardReading) -> BoardReading:
        """Return a reading of the board with the total and the notes of the container."""
        total = reading.mines if self.mines is None else self.mines
        whole = replace(reading, mines=total, notation=self.kind).with_notes(*self.notes)
        return note_size(self.sizes, whole)


def open_container(text: str) -> Container | None:
    """Return the board that a link, a curl command or a JSON object holds, None for other texts.

    Raises:
        BoardError: the text is one of them, and holds no board that can be read.
    """
    whole = text.strip()
    if _ESCAPED_OBJECT.match(whole):
        # What stands in a string of a program, without its quotation marks.
        whole = whole.replace('\\"', '"')
    if "\n" not in whole and (link := _open_link(whole)) is not None:
        return link
    if (fields := _FORM_DATA.match(whole)) is not None:
        return _open_form_data(whole, fields["boundary"])
    if whole[:1] == '"':
        with suppress(ValueError):
            inner = str(load_json(whole))
            return open_container(inner) or Container(inner, "json")
    if not re.match(r"curl\s", whole):
        return _open_json(whole, "json") if re.match(r"(?:\[\s*)?\{\s*\"", whole) else None
    whole = re.sub(r"\^(.)", r"\1", whole) if '^"' in whole else whole
    queries = filter(None, map(_open_query, _INNER_LINK.findall(whole)))
    if (sent := next(queries, None)) is not None:
        return replace(sent, kind="curl")
    body = next(filter(None, (quoted.search(whole) for quoted in _QUOTED_OBJECTS)), None)
    form = re.search(r"\s(['\"])(\w+=\S*)\1", whole)
    if body is None and form is not None and (board := _open_query(form[2])) is not None:
        total = find_total(whole) if board.mines is None else board.mines
        return replace(board, kind="curl", mines=total)
    if body is None:
        if (opened_string := open_string(whole)) is not None:
            rows, notes = opened_string
            return Container(rows, "curl", notes=notes)
        raise make_no_board_error("The curl command holds no JSON object with a board.")
    # A quotation mark within others is escaped, or doubled.
    source = body[1].replace('\\"', '"')
    source = source.replace('""', '"') if re.match(r'\{\s*""\w', source) else source
    opened = _open_json(source, "curl")
    return opened if opened.mines is not None else replace(opened, mines=find_total(whole))


def _open_form_data(whole: str, boundary: str) -> Container:
    """Return the board in a body of multipart/form-data: a field of a known name, or the only file.

    Raises:
        BoardError: it has none, or several.
    """
    boards: list[str] = []
    totals: list[str] = []
    ignored: list[str] = []
    for part in whole.replace("\r\n", "\n").split(boundary)[1:]:
        head, _, value = part.partition("\n\n")
        if (name := _FIELD_NAME.search(head)) is None:
            continue
        if is_total_name(name[1]):
            totals.append(f"{name[1]}={value.strip()}")
        elif value.strip() and (name[1].lower() in _BOARD_FIELDS or "filename=" in head):
            boards.append(value.strip("\n"))
        else:
            ignored.append(name[1])
    if not boards:
        raise make_no_board_error("The form has no field board, and no file.")
    if len(boards) > 1:
        raise make_several_boards_error("Several fields of the form may hold the board.")
    total = find_total("\n".join(totals))
    return Container(boards[0], "form", total, notes=_say_ignored(ignored))


def extract_link(text: str) -> str:
    """Return the only link or game ID in a sentence or in brackets, any other text as it is.

    Raises:
        BoardError: there are several links.
    """
    bare = _GAME_ID.sub("", text)
    if led_on := _LED_ON.fullmatch(bare.strip()):
        return unquote(led_on[1])
    if marked := _MARKED_LINK.fullmatch(bare.strip()):
        return str(marked[1] or marked[2])
    found: list[str] = _INNER_LINK.findall(bare)
    links = list(dict.fromkeys(link.rstrip(".,;:!?") for link in found))
    around = [line for line in _INNER_LINK.sub("", bare).split("\n") if line.strip(_AROUND_LINK)]
    if not links or not all(_SENTENCE.fullmatch(line) for line in around):
        return bare
    if len(links) > 1:
        raise BoardError("several-boards", "The text has several links.", "Send one of them.")
    # If nothing but signs stands around it, the last one may be a part of it.
    return links[0] if around else found[0]


def _open_link(whole: str) -> Container | None:
    if "%" in whole and re.search(r"(?:#|%23)[a-z]+%3f", whole, re.IGNORECASE):
        whole = unquote(whole)
    link = _LINK_OF_PAGE.match(html.unescape(whole).strip("<>"))
    if link is not None:
        return _open_page_link(link[1] or "")
    if (board := _open_query(whole)) is not None:
        return board
    if _LINK.match(whole) or _BARE_LINK.match(whole):
        raise _make_no_link_error(whole)
    return None


def _make_no_link_error(link: str) -> BoardError:
    """Return the error of a link without a board, which says what else it is."""
    host = re.sub(r"^<?(?:https?://)?", "", link, flags=re.IGNORECASE).split("/")[0][:80]
    fix = "Copy the cells themselves, as text, or export the board there to a file."
    detail = f"The link to {host} holds no board: only that site knows the board it shows."
    if _PICTURE.search(link) is not None:
        detail = f"The link to {host} is one to a picture, which is not read."
        fix = "Write the cells as text, a row a line."
    elif (puzzle := _OTHER_PUZZLE.search(link)) is not None:
        detail = f"The link to {host} is a puzzle of the kind {puzzle[1]}, not Minesweeper."
        fix = "Send a link to a puzzle of the kind mines."
    return BoardError("link-without-board", detail, fix)


def _open_query(whole: str) -> Container | None:
    """Return the board in the fields of a link or of a form, None if it has none."""
    plain = html.unescape(whole).strip("<>")
    queries = [plain.partition(sign)[2] for sign in "?#"] if _LINK.match(whole) else [whole]
    query = next(filter(_QUERY.fullmatch, queries), None)
    if query is None:
        return None
    fields = parse_qsl(query.replace("+", "%2B"))
    boards = [
        value
        for name, value in fields
        # Digits alone are rather the number of a game.
        if name.lower() in _BOARD_FIELDS and has_cells(value) and not value.isdigit()
    ]
    if len(boards) != 1:
        return None
    totals = [f"{name}={value}" for name, value in fields if is_total_name(name)]
    board = cut_flat_rows(boards[0], dict(fields))
    return Container(board, "link", find_total("\n".join(totals)))


def _open_page_link(query: str) -> Container:
    """Return the board of a link to a tab of the page; see app/page/shared/position-link.js.

    Raises:
        BoardError: the link has no board, parts that are not understood, or is damaged.
    """
    parts: dict[str, str] = {}
    for name, value in parse_qsl(query.replace("+", "%2B"), keep_blank_values=True):
        if name not in ("b", "m", "d", "t", "w"):
            raise _make_link_error(f"has the part {name[:20]!a}, which is unknown", "Leave it out.")
        if name in parts:
            raise _make_link_error(f"has the part {name!a} twice", "Keep one.")
        parts[name] = value
    if "b" not in parts:
        raise _make_link_error(
            "holds no board", "Copy the link again, from the page that shows one."
        )
    total = parts.get("m", "")
    if total and not re.fullmatch("[0-9]{1,9}", total):
        raise _make_link_error(
            f"has the total {total[:20]!a}, which is not a number", "Correct its part m."
        )
    board = parts["b"]
    plain = inflate_text(board[1:], _LONGEST_INFLATED) if board.startswith("~") else board
    if plain is None:
        raise _make_link_error(
            "is damaged, or its board is too large", "Copy the whole link again."
        )
    notes = [
        f"The link's {name} was left out."
        for part, name in (("d", "density"), ("w", "window"))
        if parts.get(part)
    ]
    if parts.get("t", "plane") != "plane":
        raise _make_link_error(
            f"is about another topology, {parts['t'][:20]}",
            'Open it on the page, or send the board with "topology".',
        )
    rows = plain.replace("_", "?").split(".")
    return Container(rows, "link", int(total) if total else None, "standard", tuple(notes))


def _make_link_error(detail: str, fix: str) -> BoardError:
    return BoardError("bad-link", f"The link {detail}.", fix)


def _open_json(text: str, kind: str) -> Container:
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
    total = _find_json_total(fields, objects)
    notes = _say_ignored(ignored) + tuple(
        f"The JSON says what {symbol} means." for symbol in symbols
    )
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
        (name for name in _BOARD_FIELDS if any(_has_rows(fields, name) for fields in objects)), ""
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
    if any(other[name] != fields[name] for other in holders):
        raise make_several_boards_error(f"Several objects of the JSON have a field {name}.")
    return name, fields


def _check_no_mask(fields: Mapping[str, Any], name: str) -> None:
    """Check that no list beside the board, in a field, says what players know of its cells.

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


def _find_symbols(value: Any) -> dict[str, int]:
    """Return what a JSON value says that symbols mean.

    Raises:
        BoardError: it gives one a meaning that does not exist.
    """
    if not isinstance(value, dict):
        return {}
    for name in _SYMBOL_FIELDS:
        if isinstance(value.get(name), dict):
            return read_symbols(value.pop(name), name)
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
    """Return an object with full names for the letters m and b, if w and h stand beside them.

    A field with the full name goes before one of another value: that is of something else.
    """
    if not {"w", "h"} <= fields.keys():
        return fields
    named = dict(fields)
    for short, (name, kinds) in _SHORT_FIELDS.items():
        if isinstance(fields.get(short), kinds) and name not in fields:
            named[name] = named.pop(short)
    return named


def _say_ignored(names: Sequence[str]) -> tuple[str, ...]:
    """Return the note about fields that were left out, none if there are none."""
    return (f"Other fields were left out: {', '.join(names)[:200]}.",) if names else ()


def _list_objects(value: Any) -> Iterator[dict[str, Any]]:
    """Yield the objects of a JSON value, the outer ones first."""
    waiting = deque([value])
    while waiting:
        outer = waiting.popleft()
        if isinstance(outer, dict):
            yield outer
        inner = outer.values() if isinstance(outer, dict) else outer
        waiting += [other for other in inner if isinstance(other, dict | list) and other]


def _has_rows(fields: Mapping[str, Any], name: str) -> bool:
    return isinstance(fields.get(name), str | list)


def _find_json_total(fields: Mapping[str, Any], objects: Sequence[Mapping[str, Any]]) -> int | None:
    """Return the total that the object with the board states, or else any other one.

    Raises:
        BoardError: it is not a number of mines, or there are several.
    """
    own = [(name, value) for name, value in fields.items() if is_total_name(name)]
    others = [pair for holder in objects for pair in holder.items() if is_total_name(pair[0])]
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
