"""The boards that automata read: which machine reads which, as which symbols."""

import re
from collections.abc import Callable
from http import HTTPStatus
from typing import Annotated, Any, Final

from pydantic import Field

from minecheck.app.limits import Limits
from minecheck.app.problems import ProblemError, reject_field
from minecheck.app.questions import puzzles
from minecheck.app.questions.fields import AskBoard, Cutting
from minecheck.app.quoting import quote_text
from minecheck.automata import Window, cut_window, hu_lin, kadlac
from minecheck.automata.diagram import WIDEST
from minecheck.automata.machine import Reader
from minecheck.automata.profiles import Profiles, read_word
from minecheck.automata.windows import OVERFULL, Cut
from minecheck.minefield import Board
from minecheck.minefield.spelling import suggest_name
from minecheck.solvers.documents.cells import render_window

#: The field that names a machine, as a path has it.
MachineName = Annotated[
    str,
    Field(description="kadlac, hu-lin, or strip-1 to strip-12", examples=["hu-lin", "strip-4"]),
]


class AskReading(AskBoard):
    """A board, or a window of it, that an automaton reads."""

    machine: MachineName
    window: Cutting | None = Field(
        default=None,
        description="What is read instead of the whole board, as for /v1/strips: an object, or "
        "row,col,rows,cols in one string",
    )


#: The most columns of a board whose run is listed.
MOST_COLUMNS: Final = 10_000
#: The most states in all sets of a run that is listed: some ten megabytes of JSON.
MOST_STATES: Final = 1_000_000
#: The machines of the papers.
PAPERS: Final = ("kadlac", "hu-lin")
#: The message about a cell for which the machines of the papers have no symbol.
_FOREIGN: Final = {
    "S": "is safe with its number unknown",
    OVERFULL: "has more mines around it than it says",
}


def count_rows_read(name: str) -> int:
    """Return the number of rows that a machine reads.

    Raises:
        ProblemError: 404 for a name that is none, 422 for a strip too wide.
    """
    rows = parse_name(name)
    if rows > WIDEST:
        reject_field(
            "too-wide",
            f"{name} is too wide: strips are read up to {WIDEST} cells across.",
            f"Use strip-1 to strip-{WIDEST}.",
        )
    return rows


def parse_name(name: str) -> int:
    """Return the number of rows in the name of a machine.

    Raises:
        ProblemError: 404 for a name that is none.
    """
    if name in PAPERS:
        return 1 if name == "kadlac" else 2
    match = re.fullmatch(r"strip-([1-9][0-9]{0,8})", name)
    if not match:
        raise ProblemError(
            HTTPStatus.NOT_FOUND,
            "unknown-machine",
            f"There is no automaton {quote_text(name)}.",
            f"{suggest_name(name, PAPERS)}Use kadlac, hu-lin, or strip-1 to strip-{WIDEST}.",
        )
    return int(match[1])


def cut_part(
    board: Board, window: Window | None, check: Callable[[], None] = lambda: None
) -> Cut | None:
    """Cut out the part of a board that is read; None if that is all of it.

    ``check`` is called in whatever takes long with the part; what it raises ends that.
    """
    return None if window is None else cut_window(board, window, check)


def read_by(name: str, ask: AskReading, limits: Limits) -> tuple[Board, Window | None]:
    """Return the board that a machine reads, and the window if it reads a part.

    Raises:
        ProblemError: there is no such machine, or it does not read such a board.
    """
    count_rows_read(name)
    board = puzzles.board_of_request(ask, limits.max_cells)
    window = None if ask.window is None else puzzles.read_window(ask.window, board)
    list_columns(name, board, cut_part(board, window))
    return board, window


def list_columns(name: str, board: Board, cut_out: Cut | None = None) -> list[str]:
    """List the symbols that the machine reads, of a board or of what is cut out of it.

    Args:
        name: the name of the machine.
        board: the board.
        cut_out: the part of it that is read, None for all.

    Raises:
        ProblemError: what is read is not of the machine's width, too long, or
            has a cell that the machine has no symbol for.
    """
    breadth = count_rows_read(name)
    pointer = "board" if cut_out is None else "window"
    height, length = board.shape if cut_out is None else (cut_out.frame.rows, cut_out.frame.cols)
    if breadth not in (height, length):
        if cut_out is None:
            detail = f"this one is {height}x{length}."
            fix = f"Send a board of height or width {breadth}."
            if min(height, length) <= WIDEST:
                fix = f"Use strip-{min(height, length)}. {fix}"
        else:
            detail = f"with the unknown cells that its clues see, the window is {height}x{length}."
            fix = f"Use one of: {', '.join(cut_out.machines)}."
        detail = f"{name} reads boards of height or width {breadth}; {detail}"
        reject_field("wrong-width", detail, fix, f"/{pointer}")
    steps = length if height == breadth else height
    if steps > MOST_COLUMNS:
        reject_field(
            "over-the-limit",
            f"The {pointer} has {steps} columns; runs are shown of at most {MOST_COLUMNS}.",
            f"Send a shorter {pointer}, or use /v1/check.",
            f"/{pointer}",
        )
    rows = _transpose_rows(read_word(board)) if cut_out is None else cut_out.symbols
    if not name.startswith("strip-"):
        _check_alphabet(name, rows, cut_out)
    return _transpose_rows(rows) if height == breadth else rows


def _check_alphabet(name: str, rows: list[str], cut_out: Cut | None) -> None:
    """Reject what the machines of the papers have no symbol for."""
    foreign = (
        (row, col, symbol)
        for row, symbols in enumerate(rows)
        for col, symbol in enumerate(symbols)
        if symbol in _FOREIGN
    )
    for row, col, symbol in foreign:
        why = _FOREIGN[symbol]
        if cut_out is not None:
            row, col = cut_out.frame.row + row, cut_out.frame.col + col
            if (row, col) not in cut_out.window:
                why = "is outside the window and takes no part"
        reject_field(
            "outside-the-alphabet",
            f"The cell in row {row}, column {col} {why}: {name} has no symbol for that.",
            f"Use strip-{count_rows_read(name)}.",
            f"/board/{row}/{col}",
            cell=(row, col),
        )


def _transpose_rows(lines: list[str]) -> list[str]:
    """Transpose rows to columns, or columns to rows."""
    return ["".join(line) for line in zip(*lines, strict=True)]


def describe_part(cut_out: Cut | None) -> dict[str, Any]:
    """Return a description of the part of the board that is read, if that is a window."""
    return {} if cut_out is None else {"read": render_window(cut_out.frame)}


def find_reader(name: str) -> Reader:
    """Return the machine with this name as it reads."""
    if name in PAPERS:
        return kadlac.build_machine() if name == "kadlac" else hu_lin.build_machine()
    return Profiles(count_rows_read(name))
