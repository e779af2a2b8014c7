"""Containers that boards are sent in: links, curl commands, forms, and JSON objects.

Tested in tests/minefield/reader/test_read.py.
"""

import re
from contextlib import suppress
from dataclasses import replace
from typing import Final
from urllib.parse import parse_qsl, unquote

from minecheck.minefield.board import BoardError
from minecheck.minefield.formats.encodings import inflate_text, load_json
from minecheck.minefield.reader.cell_objects import write_as_json
from minecheck.minefield.reader.characters import decode_entities
from minecheck.minefield.reader.container import BOARD_FIELDS, Container
from minecheck.minefield.reader.flat_boards import cut_flat_rows
from minecheck.minefield.reader.json_objects import open_json, say_ignored
from minecheck.minefield.reader.programs import open_string
from minecheck.minefield.reader.reading import make_no_board_error, make_several_boards_error
from minecheck.minefield.reader.strings import has_cells
from minecheck.minefield.reader.totals import find_total, is_total_name

#: The most characters of a board that a link holds deflated.
_LONGEST_INFLATED: Final = 2_000_000
_LINK_OF_PAGE: Final = re.compile(r"^\S*#(?:analyse|strips|play)(?:\?(\S*))?$", re.IGNORECASE)
_LINK: Final = re.compile(r"^<?(?:https?://|www\.)\S+>?$", re.IGNORECASE)
_INNER_LINK: Final = re.compile(r"(?:https?://|www\.)[^\s<>()\[\]\"'`]+", re.IGNORECASE)
#: The beginning of a JSON object whose quotation marks are escaped.
_ESCAPED_OBJECT: Final = re.compile(r"(?:\[\s*)?\{\s*\\\"\w")
#: The beginning of JSON with objects: one, a list of them, or rows.
_OBJECTS: Final = re.compile(r"(?:\[\s*){0,2}\{\s*\"")
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


def open_container(text: str) -> Container | None:
    """Return the board that a link, a curl command or a JSON object holds, None for other texts.

    Raises:
        BoardError: the text is one of them, and holds no board that can be read.
    """
    whole = text.strip()
    if _ESCAPED_OBJECT.match(whole):
        # The text is the content of a string of a program, whose quotation marks are gone.
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
        whole = write_as_json(whole)
        return open_json(whole, "json") if _OBJECTS.match(whole) else None
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
    opened = open_json(source, "curl")
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
        elif value.strip() and (name[1].lower() in BOARD_FIELDS or "filename=" in head):
            boards.append(value.strip("\n"))
        else:
            ignored.append(name[1])
    if not boards:
        raise make_no_board_error("The form has no field board, and no file.")
    if len(boards) > 1:
        raise make_several_boards_error("Several fields of the form may hold the board.")
    total = find_total("\n".join(totals))
    return Container(boards[0], "form", total, notes=say_ignored(ignored))


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
    link = _LINK_OF_PAGE.match(decode_entities(whole).strip("<>"))
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
    plain = decode_entities(whole).strip("<>")
    queries = [plain.partition(sign)[2] for sign in "?#"] if _LINK.match(whole) else [whole]
    query = next(filter(_QUERY.fullmatch, queries), None)
    if query is None:
        return None
    fields = parse_qsl(query.replace("+", "%2B"))
    boards = [
        value
        for name, value in fields
        # Digits alone are rather the number of a game.
        if name.lower() in BOARD_FIELDS and has_cells(value) and not value.isdigit()
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
