"""Files *.board, MINESWEEPER-BOARD v0.1: a layout, a view, or both, with their size.

A view has `U` for an unopened cell, `F` a flag, `?` a question mark, `X` and `@` mines that the
end of a game has shown, `#` a flag that it has shown to be wrong: no mine is there, and the
number is not seen. So every board can be written.
Source: the specification in the repository ms-toollib (eee555), which has no program for it yet.

Tested in tests/minefield/formats/test_formats.py.
"""

from itertools import islice
from typing import Final

from minecheck.minefield.board import CLUE_CODES, FLAG, MINE, SAFE, UNKNOWN, Board
from minecheck.minefield.formats import grid
from minecheck.minefield.formats.opened import FormatError, Opened, make_nothing_to_write_error
from minecheck.minefield.layout import Layout
from minecheck.minefield.numerals import format_count

NAME: Final = "board"

_TITLE: Final = "# MINESWEEPER-BOARD"
_VERSION: Final = "v0.1"
_REAL: Final = {**CLUE_CODES, "*": MINE}
_VIEW: Final = {
    **CLUE_CODES,
    "U": UNKNOWN,
    "F": FLAG,
    "?": UNKNOWN,
    "X": MINE,
    "@": MINE,
    "#": SAFE,
}
_WRITTEN: Final = {
    **{clue: symbol for symbol, clue in CLUE_CODES.items()},
    UNKNOWN: "U",
    FLAG: "F",
    MINE: "@",
    SAFE: "#",
}
#: A keycap is a digit and two marks; without them each emoji is one character.
_EMOJI: Final = str.maketrans("⬜🚩❓💥💣❌", "UF?X@#", "\ufe0f\u20e3")
_RENDERS: Final = ("ascii", "emoji")


def is_recognised(text: str) -> bool:
    """Return True if a text begins with the title of the format."""
    return text.startswith(_TITLE)


def read(data: bytes | str, most: int) -> Opened:
    """Read the board and the layout of a file in either render.

    Raises:
        FormatError: another version or render, a field or section that is
            missing or there twice, rows or symbols that are wrong, numbers
            that the mines of the layout do not give, or more or fewer mines
            than said.
    """
    lines = iter(grid.split_lines(data))
    _check_title(next(lines))
    fields: dict[str, str] = {}
    sections: dict[str, list[str]] = {}
    emoji = False
    for line in lines:
        if line in ("[real]", "[view]"):
            if line in sections:
                raise _make_line_error(line, "appears twice")
            # In a section a # is a cell and no comment: its lines are counted, not looked at.
            sections[line] = [*islice(lines, _read_size(fields, most)[0])]
        elif line.startswith("#"):
            emoji = _read_render(line, emoji)
        elif line.strip():
            name, colon, value = line.partition(":")
            if not colon:
                raise _make_line_error(line, "is not a field, comment or section")
            fields[name.strip()] = value.strip()
    return _build_file(fields, sections, emoji, most)


def write(opened: Opened) -> str:
    """Write all that is known, in ASCII.

    Raises:
        FormatError: there is no board or layout, or the number of mines is not known.
    """
    parts = []
    if opened.layout is not None:
        numbers = opened.layout.to_codes()
        symbols = {code: symbol for symbol, code in _REAL.items()}
        parts.append("\n".join(["[real]", *grid.draw_cells(numbers, symbols)]))
    if opened.board is not None:
        parts.append("\n".join(["[view]", *grid.draw_cells(opened.board.cells, _WRITTEN)]))
    if not parts:
        raise make_nothing_to_write_error()
    height, width = opened.to_board().shape
    head = f"{_TITLE} {_VERSION}\n# Render: ascii"
    size = f"rows: {height}\ncolumns: {width}\nmines: {opened.require_mines()}"
    return "\n\n".join([head, size, "game_mode: classic", *parts]) + "\n"


def _check_title(line: str) -> None:
    if not is_recognised(line):
        raise FormatError(
            "wrong-head", f"The first line is {line[:40]!r}.", f"Begin with {_TITLE} {_VERSION}."
        )
    version = line.removeprefix(_TITLE).strip()
    if version != _VERSION:
        raise FormatError(
            "unknown-version",
            f"The file has version {version[:40]!r}.",
            f"Write it as {_VERSION}.",
        )


def _read_render(comment: str, before: bool) -> bool:
    """Return True if cells are emoji: the comment above a section may say so, or what came before.

    Raises:
        FormatError: the comment names another render.
    """
    name, _, render = comment.removeprefix("#").partition(":")
    if name.strip().lower() != "render":
        return before
    if render.strip() not in _RENDERS:
        raise FormatError(
            "unknown-render",
            f"The file is rendered in {render.strip()[:40]!r}.",
            f"Render it in {' or '.join(_RENDERS)}.",
        )
    return render.strip() == "emoji"


def _read_size(fields: dict[str, str], most: int) -> tuple[int, int]:
    """Return (height, width), which are stated before the first section."""
    height, width = _read_number(fields, "rows"), _read_number(fields, "columns")
    grid.check_size(height, width, most)
    return height, width


def _read_number(fields: dict[str, str], name: str) -> int:
    value = fields.get(name, "")
    if not grid.NUMBER.fullmatch(value):
        fault = f"is {value[:40]!r}" if name in fields else "is missing"
        raise FormatError(
            "wrong-field",
            f"The field {name} {fault}.",
            f"Write it before the sections, as in {name}: 16.",
        )
    return int(value)


def _build_file(
    fields: dict[str, str], sections: dict[str, list[str]], emoji: bool, most: int
) -> Opened:
    height, width = _read_size(fields, most)
    mines = _read_number(fields, "mines")
    grid.check_mine_count(mines, height, width)
    if emoji:
        sections = {
            name: [row.translate(_EMOJI) for row in rows] for name, rows in sections.items()
        }
    layout = board = None
    if "[real]" in sections:
        # The specification has no emoji for a mine in a layout, so the one of a view is used.
        symbols = _REAL | {"@": MINE} if emoji else _REAL
        layout = _build_layout(
            Board(grid.read_cells(sections["[real]"], height, width, symbols)), mines
        )
    if "[view]" in sections:
        board = Board.read_only(grid.read_cells(sections["[view]"], height, width, _VIEW))
    if layout is None and board is None:
        raise FormatError(
            "no-board", "The file has no [real] and no [view].", "Add one of the two sections."
        )
    return Opened(board, layout, mines)


def _build_layout(real: Board, mines: int) -> Layout:
    """Return the layout of which ``real`` shows every cell, after checking its numbers."""
    layout = Layout(real.cells == MINE)
    for row, col in layout.list_contradictions(real)[:1]:
        raise FormatError(
            "wrong-number",
            f"The cell at row {row}, column {col} shows {real.cells[row, col]}, but the cells "
            f"around it hold {format_count(layout.count_neighbours()[row, col], 'mine')}.",
            "Correct the number or the mines.",
            row=row,
            col=col,
        )
    if layout.total != mines:
        raise FormatError(
            "mines-differ",
            f"The layout has {format_count(layout.total, 'mine')}, and the field mines "
            f"says {mines}.",
            "Correct one of the two.",
        )
    return layout


def _make_line_error(line: str, fault: str) -> FormatError:
    return FormatError(
        "wrong-line",
        f"The line {line[:40]!r} {fault}.",
        "Write fields as name: value, and rows directly after [real] or [view].",
    )
