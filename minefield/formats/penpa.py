"""Links of Penpa-edit to Minesweeper puzzles: `#m=edit&p=` or `#m=solve&p=`, perhaps with `&a=`.

`p` is base64 of a raw deflated text of lines, in which common names are abbreviated. The first line
has the type of the grid and its size, the fourth what the setter wrote, the fifth what a player
marked, the sixth which cells are the board, the eighteenth the tags of the genre. Every cell has a
number: the rows in reading order with two cells of margin on each side. `a`, packed alike, lists
what a solution must have, its mines among that.

A digit is a clue, `?` a clue whose number is not given; bombs, stars and circles of the setter are
mines, those of the player are claims and read as flags. Everything else, such as rules, lines and
shades, is left out, and notes say so. `penpa_first` is about links of the first version.
Source: general.js (load, decrypt_data), class_p.js (COMPRESS_SUB, maketext_solve, make_solution,
re_combi_mines) and class_square.js of swaroopg92/penpa-edit.
"""

import json
import re
from collections.abc import Iterator, Mapping
from itertools import accumulate, pairwise
from typing import Any, Final, NamedTuple
from urllib.parse import unquote

import numpy as np

from minecheck.minefield.board import FLAG, MINE, SAFE, UNKNOWN, Board, Cells
from minecheck.minefield.formats import grid
from minecheck.minefield.formats.encodings import deflate_text, inflate_text, load_json
from minecheck.minefield.formats.opened import FormatError, Opened
from minecheck.minefield.formats.penpa_first import (
    MARGIN,
    is_first_version,
    number_cell,
    update_lines,
)
from minecheck.minefield.layout import Layout

NAME: Final = "penpa"

_ADDRESS: Final = "https://swaroopg92.github.io/penpa-edit/#m="
_SIGN: Final = re.compile(
    r"[^\s#?]*[#?]m=(?:edit|solve)&(?:amp;)?(?:\w{1,9}=\w{0,20}&(?:amp;)?)?p=\S*"
    r"|[^\s#?]*penpa[^\s#?]*[#?]p=\S*"
)
#: Bytes of a text that was deflated.
_MOST_BYTES: Final = 8_000_000
#: The text that each letter behind a z abbreviates.
_ABBREVIATED: Final[Mapping[str, str]] = {
    "Z": "z",
    "O": "null",
    "_": '"__a"',
    **{
        letter: f'"{name}"'
        for letter, name in (
            *(("9", "qa"), ("Q", "pu_q"), ("A", "pu_a"), ("G", "grid"), ("M", "edit_mode")),
            *(("S", "surface"), ("L", "line"), ("E", "lineE"), ("W", "wall"), ("C", "cage")),
            *(("N", "number"), ("Y", "symbol"), ("P", "special"), ("B", "board")),
            *(("R", "command_redo"), ("U", "command_undo"), ("8", "command_replay")),
            *(("1", "numberS"), ("F", "freeline"), ("2", "freelineE"), ("T", "thermo")),
            *(("3", "arrows"), ("D", "direction"), ("0", "squareframe"), ("5", "polygon")),
            *(("4", "deletelineE"), ("6", "killercages"), ("7", "nobulbthermo")),
        )
    },
}
_ABBREVIATION: Final = re.compile("z(.)", re.DOTALL)
#: Fields of the first line, and lines.
_TITLE, _RULES = 15, 18
_SPACE, _MODE, _SETTER, _PLAYER, _CELLS, _CHECKED, _TAGS = 1, 2, 3, 4, 5, 7, 17
_GENRE: Final = "minesweeper"
_OF_MINES: Final = re.compile(r"\bmine|\bbomb|地雷", re.IGNORECASE)
_DOUBLE: Final = re.compile(r'"doublemines"|double\s*mine', re.IGNORECASE)
_LARGEST_CLUE: Final = 8
#: The symbol of a bomb: its group, and its number there; the next one is two bombs in one cell.
_BOMBS, _BOMB, _TWO_BOMBS = "sun_moon", 4, 5
_MINE_SHAPES: Final = re.compile(r"star|circle_(?:L|M|S|SS)")
_SOLUTION: Final = re.compile(r"([0-9]{1,9}),[0-9]{1,3}I")
#: Parts of a layer that are about no game but the history of the page.
_HISTORY: Final = frozenset(("command_redo", "command_undo", "command_replay"))
#: All other parts of a layer.
_TABLES: Final = (
    *("surface", "number", "numberS", "symbol", "line", "lineE", "wall"),
    *("freeline", "freelineE", "cage", "deletelineE"),
)
_LISTS: Final = (
    *("thermo", "nobulbthermo", "arrows", "direction", "squareframe", "polygon", "killercages"),
)
_COPY: Final = "Copy the whole link again."


class _Frame(NamedTuple):
    """Where the board is: the width of all rows, margins included, and the board in them."""

    wide: int
    top: int
    left: int
    height: int
    width: int

    def find_cell(self, key: object) -> tuple[int, int] | None:
        """Return (row, col) on the board of the cell with a number, None for any other square."""
        if not isinstance(key, str) or not re.fullmatch("[0-9]{1,9}", key):
            return None
        row, col = divmod(int(key), self.wide)
        row, col = row - self.top, col - self.left
        return (row, col) if 0 <= row < self.height and 0 <= col < self.width else None


def is_recognised(text: str) -> bool:
    """Return True if a text is a link of the program."""
    return _SIGN.fullmatch(text.strip()) is not None


def read(data: bytes | str, most: int) -> Opened:
    """Read the board of a link, and its layout if the link has the solution.

    Raises:
        FormatError: it is another link, damaged, or of another puzzle; or the board is not a
            rectangle, or has a number that is not a clue.
    """
    parts = _split_link(grid.decode_text(data).strip())
    lines = _expand(_inflate(parts["p"])).split("\n")
    if is_first_version(lines):
        try:
            lines = update_lines(lines, most)
        except FormatError:
            raise
        except (ValueError, RecursionError):
            raise _make_damage_error() from None
    head = lines[0].split(",")
    _check_head(head, lines)
    frame = _find_frame(head, lines, most)
    setter = _read_layer(lines, _SETTER)
    player = _read_layer(lines, _PLAYER)
    _check_genre(head, lines, setter)
    cells = np.full((frame.height, frame.width), UNKNOWN, np.int8)
    ignored = [*_read_numbers(setter, frame, cells), *_read_mines(setter, frame, cells, MINE)]
    ignored += _read_mines(player, frame, cells, FLAG)
    ignored += [name for name in ("number",) if player.get(name)]
    ignored += [name for layer in (setter, player) for name in _list_others(layer)]
    if len(head) > _RULES and head[_RULES]:
        ignored.append("rules")
    board = Board(cells)
    layout = _read_solution(parts.get("a"), frame, board)
    names = ", ".join(dict.fromkeys(ignored))
    notes: tuple[str, ...] = ()
    if names:
        notes = (f"Parts of the link were left out: {names}.",)
    if layout is None and parts.get("a"):
        notes += ("The link's solution was left out: it is damaged, or does not fit the board.",)
    return Opened(board, layout, notes=notes)


def write(opened: Opened) -> str:
    """Write the link to a puzzle with the clues of a board, or else with all clues of a layout.

    With a layout, the link has the solution as well, and the page checks it. With flags, it is a
    link to edit, since links to solve have no marks of a player.

    Raises:
        FormatError: there is neither a board nor a layout.
    """
    layout = opened.layout
    cells = opened.to_board().cells
    if opened.board is None:
        cells = np.where(cells == MINE, np.int8(UNKNOWN), cells)
    height, width = map(int, cells.shape)
    # Every cell has its number as its key.
    keys = [str(number_cell(index, width)) for index in range(height * width)]
    codes = dict(zip(keys, cells.ravel().tolist(), strict=True))
    bomb = [_BOMB, _BOMBS, 2]
    setter = {
        "number": {
            key: ["?" if code == SAFE else str(code), 1, "1"]
            for key, code in codes.items()
            if code <= _LARGEST_CLUE or code == SAFE
        },
        "symbol": {key: bomb for key, code in codes.items() if code == MINE},
    }
    flags = {key: bomb for key, code in codes.items() if code == FLAG}
    text = "\n".join(_compose_lines(height, width, setter, flags))
    # Names need not be abbreviated, but a z would be taken for an abbreviation.
    link = f"{_ADDRESS}{'edit' if flags else 'solve'}&p={deflate_text(text.replace('z', 'zZ'))}"
    if layout is None:
        return link
    mines = zip(keys, layout.mines.ravel().tolist(), strict=True)
    solution = sorted(f"{key},{_BOMB}I" for key, mine in mines if mine and codes[key] != MINE)
    return f"{link}&a={deflate_text(_dump([[], [], [], [], [], solution]))}"


def _compose_lines(
    height: int, width: int, setter: dict[str, Any], flags: dict[str, Any]
) -> list[str]:
    """Return the lines of a link as the program writes them, to edit if there are flags."""
    size = 38
    wide, tall = width + 2 * MARGIN, height + 2 * MARGIN
    cells = [number_cell(index, width) for index in range(height * width)]
    # The point in the middle: a cell, a corner or the middle of an edge, which follow each other.
    group = {(1, 1): 0, (0, 0): 1, (0, 1): 2, (1, 0): 3}[height % 2, width % 2]
    row, col = MARGIN + (height - 1) // 2, MARGIN + (width - 1) // 2
    center = group * wide * tall + row * wide + col
    head = (
        *("square", width, height, size, 0, 1, 1, (width + 1) * size, (height + 1) * size),
        *(center, center, 0, 0, 0, 0, "Title: Minesweeper", "Author: ", "", "", "OFF", "false"),
    )
    empty: dict[str, Any] = {
        **{name: {"__a": []} for name in sorted(_HISTORY)},
        **{name: {} for name in _TABLES},
        **{name: [] for name in _LISTS},
    }
    steps = [cells[0], *(after - before for before, after in pairwise(cells))]
    return [
        ",".join(map(str, head)),
        "[0,0,0,0]",
        "{}" if flags else '["1","2","1"]~"combi"~["mines",""]',
        _dump({**empty, **setter}),
        _dump({**empty, "symbol": flags}) if flags else "",
        _dump(steps),
        '["Surface","Composite"]',
        '{"sol_mine":true}',
        *('"x"', '"x"', "[3,2,4]", "", "", "0"),
        _dump(empty),
        _dump(empty) if flags else "x",
        "{}",
        _dump([_GENRE]),
        "false",
    ]


def _split_link(text: str) -> dict[str, str]:
    """Return the parts of a link by name; p is among them.

    Raises:
        FormatError: it is not a link of the program.
    """
    if _SIGN.fullmatch(text) is None:
        raise FormatError(
            "wrong-head",
            f"{text[:40]!r} is not a Penpa-edit link with a puzzle.",
            f"Send one such as {_ADDRESS}solve&p= and letters.",
            offset=0,
        )
    query = re.split("[#?]", text.replace("&amp;", "&"), maxsplit=1)[1]
    parts = dict(part.partition("=")[::2] for part in query.split("&"))
    if not parts["p"] or unquote(parts["p"]).startswith("http"):
        raise FormatError(
            "no-board",
            "The link holds no puzzle, or only the address of one.",
            "Open it, and copy the link that Share writes there; or send the address itself.",
        )
    return parts


def _inflate(packed: str) -> str:
    """Return a text that was deflated and written in base64, whose padding may be missing.

    Raises:
        FormatError: it is damaged, or too large.
    """
    text = inflate_text(unquote(packed).replace(" ", "+"), _MOST_BYTES)
    if text is None:
        raise _make_damage_error()
    return text


def _expand(text: str) -> str:
    """Return a text with the abbreviated names written out."""
    return _ABBREVIATION.sub(lambda match: _ABBREVIATED.get(match[1], match[0]), text)


def _dump(value: object) -> str:
    return json.dumps(value, separators=(",", ":"))


def _load(lines: list[str], number: int) -> Any:
    """Return a line as JSON, None if there is no such line, or nothing in it.

    Raises:
        FormatError: it is not JSON.
    """
    line = lines[number].strip() if number < len(lines) else ""
    if not line or line in ("x", "undefined"):
        return None
    try:
        return load_json(line)
    except (ValueError, RecursionError):
        raise _make_damage_error() from None


def _make_damage_error() -> FormatError:
    return FormatError("wrong-length", "The link is damaged or incomplete.", _COPY)


def _check_head(head: list[str], lines: list[str]) -> None:
    """Reject grids that are not square, and those that are shown turned or mirrored."""
    if len(head) <= _TITLE - 4 or len(lines) <= _CELLS:
        raise _make_damage_error()
    if head[0] != "square":
        raise FormatError(
            "wrong-head",
            f"The link has a grid of the type {head[0][:40]!r}.",
            "Send one with a square grid.",
        )
    if head[4:7] != ["0", "1", "1"]:
        raise FormatError(
            "wrong-field",
            "The grid of the link is turned or mirrored.",
            "Turn it back in Penpa-edit, and copy the link again.",
        )


def _check_genre(head: list[str], lines: list[str], setter: Mapping[str, Any]) -> None:
    """Reject a puzzle that is, or may be, no Minesweeper."""
    tags = _load(lines, _TAGS) or []
    text = " ".join(head[_TITLE : _TITLE + 1] + head[_RULES : _RULES + 1])
    genres = [str(tag) for tag in tags] if isinstance(tags, list) else []
    double = _DOUBLE.search(text) or _DOUBLE.search(lines[_MODE])
    if genres and _GENRE not in genres:
        kind = f"is of the genre {', '.join(genres)[:80]}"
    elif double:
        kind = "has two mines in some cells"
    elif (
        genres
        or _OF_MINES.search(text)
        or '"mines"' in lines[_MODE]
        or any(entry[1:2] == [_BOMBS] for _, entry in _list_entries(setter, "symbol"))
    ):
        return
    else:
        kind = "does not say that it is Minesweeper"
    raise FormatError(
        "wrong-head",
        f"The puzzle of the link {kind}.",
        "Send a puzzle of Minesweeper. If it is one, open it in Penpa-edit, choose the genre among "
        "the tags, and copy the link that Share writes there.",
    )


def _find_frame(head: list[str], lines: list[str], most: int) -> _Frame:
    """Return where the board is.

    Raises:
        FormatError: there are no cells, too many, or they are not a rectangle.
    """
    if not all(re.fullmatch("[0-9]{1,9}", side) for side in head[1:3]):
        raise _make_damage_error()
    wide, tall = (int(side) + 2 * MARGIN for side in head[1:3])
    grid.check_size(tall - 2 * MARGIN, wide - 2 * MARGIN, most)
    steps = _load(lines, _CELLS)
    if not isinstance(steps, list) or not all(type(step) is int for step in steps):
        raise _make_damage_error()
    cells = set(accumulate(steps))
    if not cells:
        raise FormatError("empty-board", "The link has no cells.", "Send one with a grid.")
    rows, cols = {cell // wide for cell in cells}, {cell % wide for cell in cells}
    top, left = min(rows), min(cols)
    height, width = max(rows) - top + 1, max(cols) - left + 1
    if top < 0 or max(rows) >= tall:
        raise _make_damage_error()
    if len(cells) != height * width:
        raise FormatError(
            "wrong-size",
            f"The grid of the link has {len(cells)} cells, which do not make a rectangle.",
            "Send a puzzle on a rectangle without holes.",
        )
    return _Frame(wide, top, left, height, width)


def _read_layer(lines: list[str], number: int) -> Mapping[str, Any]:
    layer = _load(lines, number) or {}
    if not isinstance(layer, dict):
        raise _make_damage_error()
    return layer


def _list_entries(layer: Mapping[str, Any], name: str) -> Iterator[tuple[str, list[Any]]]:
    """Yield the key and the contents of each entry of a part of a layer."""
    part = layer.get(name)
    if isinstance(part, dict):
        yield from ((key, entry) for key, entry in part.items() if isinstance(entry, list))


def _read_numbers(layer: Mapping[str, Any], frame: _Frame, cells: Cells) -> list[str]:
    """Write the clues of a layer into ``cells``, and return names for what was left out.

    Raises:
        FormatError: a cell has a text that is not a clue.
    """
    ignored = []
    for key, entry in _list_entries(layer, "number"):
        text = entry[0] if entry else ""
        if isinstance(text, str) and not text.strip():
            continue
        cell = frame.find_cell(key)
        if cell is None:
            ignored.append("numbers outside the board")
        elif isinstance(text, str) and text.strip() in "012345678?":
            cells[cell] = SAFE if text.strip() == "?" else int(text)
        else:
            raise _make_number_error(text, *cell)
    return ignored


def _make_number_error(text: object, row: int, col: int) -> FormatError:
    number = isinstance(text, str) and text.strip().isdigit()
    return FormatError(
        "clue-too-large" if number else "unknown-symbol",
        f"The cell at row {row}, column {col} has the text {str(text)[:20]!r}, which is not a clue "
        "from 0 to 8.",
        "Write 0 to 8, or ? for a clue whose number is not given.",
        row=row,
        col=col,
    )


def _read_mines(layer: Mapping[str, Any], frame: _Frame, cells: Cells, code: int) -> list[str]:
    """Write the mines of a layer into ``cells`` as a code, and return names for the other symbols.

    Raises:
        FormatError: a cell has two mines, or a mine and a clue.
    """
    ignored = []
    for key, entry in _list_entries(layer, "symbol"):
        number, name = (entry[0], str(entry[1])) if len(entry) > 1 else (None, "")
        cell = frame.find_cell(key)
        bomb = name == _BOMBS and number in (_BOMB, _TWO_BOMBS)
        shape = _MINE_SHAPES.fullmatch(name) is not None and number != 0
        if cell is None or not (bomb or (shape and cells[cell] == UNKNOWN)):
            ignored.append(f"symbols {name}" if name else "symbols")
        elif bomb and (number == _TWO_BOMBS or cells[cell] not in (UNKNOWN, MINE)):
            row, col = cell
            fault = "two mines" if number == _TWO_BOMBS else "a mine and a clue"
            raise FormatError(
                "unknown-symbol",
                f"The cell at row {row}, column {col} has {fault}.",
                "Leave one of the two.",
                row=row,
                col=col,
            )
        elif cells[cell] == UNKNOWN:
            cells[cell] = code
    return ignored


def _list_others(layer: Mapping[str, Any]) -> list[str]:
    """Return the names of the parts of a layer, with something in them, that no board has."""
    read_layers = _HISTORY | {"number", "symbol"}
    return [name for name, part in layer.items() if part and name not in read_layers]


def _read_solution(packed: str | None, frame: _Frame, board: Board) -> Layout | None:
    """Return the layout that a link has as its solution, None if it has none that fits."""
    if not packed:
        return None
    try:
        parts = load_json(_inflate(packed))
        matches = [_SOLUTION.fullmatch(entry) for entry in parts[5]]
    except (ValueError, RecursionError, LookupError, TypeError, FormatError):
        return None
    mined = [frame.find_cell(entry[1]) for entry in matches if entry is not None]
    mines = board.cells == MINE
    for cell in mined:
        if cell is None:
            return None
        mines[cell] = True
    layout = Layout(mines)
    complete = len(mined) == len(matches) and (mined or not (board.cells == UNKNOWN).any())
    return layout if complete and layout.fits_board(board) else None
