"""Save files of Mines in Tatham's puzzle collection: a game ID, and the moves of the player.

A file is a sequence of fields, each with a key of eight characters, a length in bytes, and a value:
`GAME    :5:Mines`. `CPARAMS` and `DESC` are a game ID, `PRIVDESC` is one without the square that is
opened at the start. Each `MOVE`, `SOLVE` or `RESTART` leads to a new state, and `STATEPOS` says how
many states there are up to the one that is shown; those behind it were undone.

In a move, `Ox,y` opens a square, with all that a 0 opens, except flags; `Fx,y` sets or removes a
flag; `Cx,y` opens all squares around that have no flag; `S` shows the solution. As soon as all safe
squares are open, flags are set on all mines.
Source: midend.c (midend_serialise, midend_deserialise) and mines.c (execute_move, open_square).
"""

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from minecheck.minefield.board import FLAG, MINE, SAFE, UNKNOWN, Board
from minecheck.minefield.formats import tatham
from minecheck.minefield.formats.grid import NUMBER
from minecheck.minefield.formats.opened import FormatError, Opened
from minecheck.minefield.formats.tatham_replay import CHORD, MARK, OPEN, SOLVE, replay_steps
from minecheck.minefield.layout import Layout
from minecheck.minefield.numerals import format_count
from minecheck.minefield.openings import dilate_cells

NAME: Final = "tatham-save"

_MAGIC: Final = "Simon Tatham's Portable Puzzle Collection"
_TITLE: Final = f"SAVEFILE:{len(_MAGIC)}:{_MAGIC}"
_VERSION: Final = "1"
_GAME: Final = "Mines"
#: The byte order mark, a character for each byte.
_MARK_OF_UTF_8: Final = "\xef\xbb\xbf"
_HEAD: Final = re.compile(r"[\r\n]*+([A-Z ]{8}):([0-9]{1,9}):")
_STEP: Final = re.compile(r"([OFC])([0-9]{1,5}),([0-9]{1,5})(?:;|\Z)")
_STATES: Final = ("MOVE", "SOLVE", "RESTART")
_SAVED: Final = "Send the whole file, unchanged, as the program saved it."
_KINDS: Final = {"O": OPEN, "F": MARK, "C": CHORD}


class _Field(NamedTuple):
    """A field of a file; ``start`` is the byte with which its value begins."""

    key: str
    value: str
    start: int

    @property
    def end(self) -> int:
        """Offset of the byte after the value."""
        return self.start + len(self.value)


def is_recognised(text: str) -> bool:
    """Return True if a text begins as save files do, of whatever puzzle."""
    return text.startswith(_TITLE)


def read(data: bytes | str, most: int) -> Opened:
    """Read the layout of a game, and the board that the player saw when the game was saved.

    Raises:
        FormatError: it is another file or puzzle, ends early, has no mines yet, or has a move that
            the program does not make.
    """
    # A character for each byte: lengths are in bytes, and a seed may have any bytes.
    text = (data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data).decode(
        "latin-1"
    )
    fields, states = _read_fields(text)
    _check_game(fields)
    count = _read_count(fields, "NSTATES") - 1
    shown = _read_count(fields, "STATEPOS") - 1
    if not 0 <= shown <= count:
        raise FormatError(
            "wrong-field",
            f"STATEPOS is {shown + 1}, and NSTATES is {count + 1}.",
            "Write a STATEPOS from 1 to NSTATES.",
            offset=fields["STATEPOS"].start,
        )
    if len(states) < count:
        raise FormatError(
            "wrong-length",
            f"The file has {format_count(len(states), 'move')}, and NSTATES requires {count}.",
            _SAVED,
            offset=len(text),
        )
    desc = _require(fields, "DESC")
    start = _read_description(fields, desc, most)
    game = _Game(fields, fields.get("PRIVDESC", desc), most)
    game.play(states[:shown])
    return Opened(Board(game.cells), game.layout, first=game.first or start.first)


def write(opened: Opened) -> str:
    """Write a game in which the board of a player is reached, or else one before its first move.

    Raises:
        FormatError: there is no layout, it has a side above 32,767, or no moves lead to the board.
    """
    layout = opened.require_layout()
    desc = tatham.write(opened).partition(":")[2]
    parameters = _write_parameters(layout)
    moves = [] if opened.board is None else _find_moves(opened.board, layout)
    states = str(1 + len(moves))
    fields = [
        ("SAVEFILE", _MAGIC),
        ("VERSION", _VERSION),
        ("GAME", _GAME),
        ("PARAMS", parameters),
        ("CPARAMS", parameters),
        ("DESC", desc),
        ("PRIVDESC", desc[desc.index("m") :]),
        ("NSTATES", states),
        ("STATEPOS", states),
        *moves,
    ]
    return "".join(f"{key:8}:{len(value)}:{value}\n" for key, value in fields)


def _write_parameters(layout: Layout) -> str:
    """Return a size and a number of mines with which the program generates a game.

    It takes no parameters with more mines, and none with fewer than three rows or columns unless
    games need not be solvable without guessing. The mines of the saved game are in its description.
    """
    height, width = map(int, layout.mines.shape)
    mines = max(1, min(layout.total, height * width - 9))
    return f"{width}x{height}n{mines}" + "a" * (min(height, width) < 3)


def _find_moves(board: Board, layout: Layout) -> list[tuple[str, str]]:
    """Return the fields of moves that lead to a board.

    Flags come first, also where an open 0 would open a cell that is to stay closed. Then all
    numbers are opened; then the flags that the board does not have are removed, and mines opened.
    Flags that turned out to be wrong are shown by a solution, after the game is lost.

    Raises:
        FormatError: a cell of the board is not what the player would see then.
    """
    cells = board.cells
    numbers = cells <= 8
    beside = dilate_cells(cells == 0)
    wrong = cells == SAFE
    marks = _list_steps(MARK, (cells == FLAG) | wrong | (beside & (cells == UNKNOWN)))
    steps = np.concatenate([marks, _list_steps(OPEN, numbers & ~layout.mines)])
    reached = _replay(layout, steps)[1]
    to_mark = (reached == FLAG) & ((cells == UNKNOWN) | (cells == MINE))
    mines = (cells == MINE) & layout.mines
    if wrong.any():
        # One mine loses the game; the solution shows the others.
        mines.ravel()[np.flatnonzero(mines)[1:]] = False
    steps = np.concatenate([steps, _list_steps(MARK, to_mark), _list_steps(OPEN, mines)])
    solve = np.array([[SOLVE, 0, 0, 1]], np.int64)[: int(wrong.any())]
    reached = _replay(layout, np.concatenate([steps, solve]))[1]
    for row, col in np.argwhere(reached != cells)[:1].tolist():
        raise FormatError(
            "symbol-missing",
            f"No moves of a game lead to the cell at row {row}, column {col} as it is.",
            "Leave out the board, or choose the format board, which needs no moves.",
            row=row,
            col=col,
        )
    letters = {kind: letter for letter, kind in _KINDS.items()}
    written = ";".join(f"{letters[kind]}{col},{row}" for kind, row, col, _ in steps.tolist())
    return [("MOVE", written)] * bool(written) + [("SOLVE", "S")] * len(solve)


def _list_steps(kind: int, where: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return a step of a kind for every true cell, none of which begins a move: (steps, 4)."""
    cells = np.argwhere(where)
    ends = np.zeros((len(cells), 1), np.int64)
    return np.hstack([ends + kind, cells, ends])


def _replay(layout: Layout, steps: NDArray[np.int64]) -> tuple[int, NDArray[np.int8]]:
    """Return how many steps of a game are possible, and what the player sees after them."""
    codes = layout.to_codes()
    cells = np.full(codes.shape, UNKNOWN, np.int8)
    fixed = np.ascontiguousarray(steps, np.int64)
    fixed.setflags(write=False)
    return replay_steps(codes, fixed, cells), cells


def _read_fields(text: str) -> tuple[dict[str, _Field], list[_Field]]:
    """Return the fields by key, and those that lead to new states, in order.

    Raises:
        FormatError: the title is missing, a field is damaged, or one appears twice.
    """
    offset = len(_MARK_OF_UTF_8) if text.startswith(_MARK_OF_UTF_8) else 0
    if not text.startswith(_TITLE, offset):
        raise FormatError(
            "wrong-head",
            f"The file begins {text[offset : offset + 40]!r}.",
            f"Begin with {_TITLE}.",
            offset=offset,
        )
    fields: dict[str, _Field] = {}
    states: list[_Field] = []
    end = len(text.rstrip("\r\n"))
    while offset < end:
        head = _HEAD.match(text, offset)
        if head is None:
            raise FormatError(
                "wrong-line",
                f"At byte {offset} is {text[offset : offset + 40]!r}, which is not a field.",
                "Write each field as a key of 8 characters, a length, and a value of that length.",
                offset=offset,
            )
        key, length = head[1].rstrip(), int(head[2])
        field = _Field(key, text[head.end() : head.end() + length], head.end())
        if len(field.value) < length:
            raise FormatError(
                "wrong-length",
                f"The file ends within the field {key}, which should have "
                f"{format_count(length, 'byte')}.",
                _SAVED,
                offset=len(text),
            )
        if key in _STATES:
            states.append(field)
        elif key in fields:
            raise FormatError(
                "wrong-line", f"The field {key} appears twice.", "Keep one.", offset=offset
            )
        else:
            fields[key] = field
        offset = field.end
    return fields, states


def _check_game(fields: dict[str, _Field]) -> None:
    version, game = _require(fields, "VERSION"), _require(fields, "GAME")
    if version.value != _VERSION:
        raise FormatError(
            "unknown-version",
            f"The file has version {version.value[:40]!r}.",
            f"Save it as version {_VERSION}.",
            offset=version.start,
        )
    if game.value != _GAME:
        raise FormatError(
            "wrong-head",
            f"The file is a game of {game.value[:40]!r}, not of {_GAME}.",
            f"Send a game of {_GAME}.",
            offset=game.start,
        )


def _require(fields: dict[str, _Field], key: str) -> _Field:
    if key not in fields:
        raise FormatError("wrong-field", f"The field {key} is missing.", _SAVED)
    return fields[key]


def _read_count(fields: dict[str, _Field], key: str) -> int:
    field = _require(fields, key)
    if not NUMBER.fullmatch(field.value):
        raise FormatError(
            "wrong-field",
            f"The field {key} is {field.value[:40]!r}.",
            "Write a whole number.",
            offset=field.start,
        )
    return int(field.value)


def _read_description(fields: dict[str, _Field], field: _Field, most: int) -> Opened:
    """Read the game ID of which a field is the second part.

    Raises:
        FormatError: the ID is damaged, or does not say where the mines are.
    """
    parameters = _require(fields, "CPARAMS").value
    try:
        return tatham.read(f"{parameters}:{field.value}", most)
    except FormatError as error:
        shift = field.start - len(parameters) - 1
        raise FormatError(
            error.code,
            f"The fields CPARAMS and {field.key} do not describe a game with mines. {error.detail}",
            "Open a square in the game, then save it again."
            if error.code == "no-board"
            else _SAVED,
            offset=None if error.offset is None else max(0, error.offset + shift),
            row=error.row,
            col=error.col,
        ) from None


class _Game:
    """A game and its moves.

    ``cells`` is what the player sees, int8 of shape (height, width); ``first`` is the square that
    is open from the beginning, as (row, col), None if there is none.
    """

    layout: Layout
    cells: NDArray[np.int8]
    first: tuple[int, int] | None

    def __init__(self, fields: dict[str, _Field], description: _Field, most: int) -> None:
        self._fields = fields
        self._most = most
        self._begin(description)

    def play(self, states: Sequence[_Field]) -> None:
        """Make the moves that lead to the last of some states.

        Raises:
            FormatError: the program cannot make one of the moves.
        """
        begun = 0
        for index, field in enumerate(states):
            if field.key == "RESTART":
                self._make_moves(states[begun:index])
                self._begin(field)
                begun = index + 1
        self._make_moves(states[begun:])

    def _begin(self, description: _Field) -> None:
        """Begin the game that a field describes."""
        game = _read_description(self._fields, description, self._most)
        self.layout = game.require_layout()
        self.first = game.first

    def _make_moves(self, fields: Sequence[_Field]) -> None:
        """Make moves from the beginning of a game on."""
        steps = [] if self.first is None else [(OPEN, *self.first, 0)]
        # The field of each step.
        origins = [-1] * len(steps)
        for number, field in enumerate(fields):
            field_steps = _read_steps(field, self.layout)
            steps += field_steps
            origins += [number] * len(field_steps)
        replayed, self.cells = _replay(self.layout, np.array(steps, np.int64).reshape(-1, 4))
        if replayed < len(steps):
            raise _make_move_error(fields[origins[replayed]])


def _read_steps(field: _Field, layout: Layout) -> list[tuple[int, int, int, int]]:
    """Return the steps of a move: kind, row, column, and 1 if it is the first, else 0.

    Raises:
        FormatError: it is not a move, or about a square that is not on the board.
    """
    height, width = layout.mines.shape
    if field.value == "S":
        return [(SOLVE, 0, 0, 1)]
    steps: list[tuple[int, int, int, int]] = []
    offset = 0
    while offset < len(field.value):
        match = _STEP.match(field.value, offset)
        if match is None or int(match[2]) >= width or int(match[3]) >= height:
            raise _make_move_error(field)
        steps.append((_KINDS[match[1]], int(match[3]), int(match[2]), int(not steps)))
        offset = match.end()
    return steps


def _make_move_error(field: _Field) -> FormatError:
    return FormatError(
        "wrong-line",
        f"The move {field.value[:40]!r} is not possible in this game.",
        _SAVED,
        offset=field.start,
    )
