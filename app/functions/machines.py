"""The automata as documents: what they are, drawn or in JSON, and what they do with a board."""

import re
from collections.abc import Callable
from functools import cache
from http import HTTPStatus
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, Final

import orjson
from pydantic import Field

from minecheck.app.limits import Limits
from minecheck.app.problems import ProblemError, reject_field
from minecheck.app.questions import puzzles
from minecheck.app.questions.fields import AskBoard, Cutting
from minecheck.app.quoting import quote_text
from minecheck.app.requests.accept import parse_weights
from minecheck.automata import Window, cut_window, hu_lin, kadlac
from minecheck.automata.determinising import determinise, minimise
from minecheck.automata.diagram import WIDEST
from minecheck.automata.drawing import check_size, render_dot
from minecheck.automata.machine import Machine, Reader
from minecheck.automata.profiles import WIDEST_LISTED, Profiles, read_word
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
#: The formats of a machine and their media types.
FORMATS: Final = MappingProxyType(
    {"json": "application/json", "dot": "text/vnd.graphviz", "svg": "image/svg+xml"}
)
#: The folder of the pictures.
PICTURES: Final = Path(__file__).parents[1] / "pictures"
#: The machines of the papers.
_PAPERS: Final = ("kadlac", "hu-lin")
#: The machines that can be had as a whole.
NAMES: Final = (*_PAPERS, *(f"strip-{width}" for width in range(1, WIDEST_LISTED + 1)))
#: Sets of profiles are worked out on demand for strips so wide.
_WIDEST_DETERMINISED: Final = 2
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
    rows = _parse_name(name)
    if rows > WIDEST:
        raise ProblemError(
            HTTPStatus.UNPROCESSABLE_ENTITY,
            "too-wide",
            f"{name} is too wide: strips are read up to {WIDEST} cells across.",
            f"Use strip-1 to strip-{WIDEST}.",
        )
    return rows


def _parse_name(name: str) -> int:
    """Return the number of rows in the name of a machine.

    Raises:
        ProblemError: 404 for a name that is none.
    """
    if name in _PAPERS:
        return 1 if name == "kadlac" else 2
    match = re.fullmatch(r"strip-([1-9][0-9]{0,8})", name)
    if not match:
        raise ProblemError(
            HTTPStatus.NOT_FOUND,
            "unknown-machine",
            f"There is no automaton {quote_text(name)}.",
            f"{suggest_name(name, _PAPERS)}Use kadlac, hu-lin, or strip-1 to strip-{WIDEST}.",
        )
    return int(match[1])


def list_forms(name: str) -> dict[str, Callable[[], Machine]]:
    """Return the forms of a machine, the default one first.

    Raises:
        ProblemError: 404 for a name that is none, 422 for a strip too wide to be listed.
    """
    rows = _parse_name(name)
    if name == "kadlac":
        return {"given": kadlac.build_machine, "minimal": lambda: minimise(kadlac.build_machine())}
    small: Callable[[], Machine]
    if name == "hu-lin":
        small = hu_lin.build_merged_machine
        forms: dict[str, Callable[[], Machine]] = {"given": hu_lin.build_machine, "merged": small}
    elif rows <= WIDEST_LISTED:
        small = Profiles(rows).build_machine
        forms = {"given": small}
    else:
        raise ProblemError(
            HTTPStatus.UNPROCESSABLE_ENTITY,
            "too-wide",
            f"{name} has too many moves to be listed: {WIDEST_LISTED} rows are the limit.",
            f"Use strip-1 to strip-{WIDEST_LISTED}; runs are shown up to strip-{WIDEST}.",
        )
    if rows <= _WIDEST_DETERMINISED:
        forms["deterministic"] = lambda: determinise(small())
        forms["minimal"] = lambda: minimise(determinise(small()))
    return forms


def build_in_form(name: str, form: str) -> Callable[[], Machine]:
    """Return the function that builds a machine in one of its forms.

    Raises:
        ProblemError: as `list_forms`, and 422 for a form that it does not have.
    """
    forms = list_forms(name)
    if form not in forms:
        raise ProblemError(
            HTTPStatus.UNPROCESSABLE_ENTITY,
            "unknown-form",
            f"{name} has no form {quote_text(form)}.",
            f"{suggest_name(name, forms)}Use one of: {', '.join(forms)}.",
        )
    return forms[form]


@cache
def write_machine(name: str, form: str, kind: str) -> bytes:
    """Write a machine as a file in one of the `FORMATS`.

    Raises:
        TooLargeToDraw: the picture would have too many states or edges.
    """
    described = build_in_form(name, form)()
    if kind == "svg":
        check_size(described)
        return picture_path(name, form).read_bytes()
    if kind == "dot":
        return render_dot(described).encode()
    tables = _render_kadlac_tables() if (name, form) == ("kadlac", "given") else {}
    return orjson.dumps(
        {
            "name": name,
            "form": form,
            "forms": list(list_forms(name)),
            "rows": described.rows,
            "symbols": described.symbols,
            "states": described.states,
            "start": described.start,
            "accepting": [state for state in described.states if state in described.accepting],
            "moves": dict(described.moves),
            **tables,
        }
    )


def _render_kadlac_tables() -> dict[str, Any]:
    """Return Kadlac's tables besides moves: state -> letter, and state -> state at the end."""
    return {"outputs": dict(kadlac.OUTPUTS), "ends": dict(kadlac.list_end_states())}


@cache
def render_windows() -> bytes:
    """Return Kadlac's Appendix B as JSON."""
    return orjson.dumps(
        [
            {
                "window": window,
                "consistent": error is None,
                "type": error and error.type,
                "subtype": error and error.subtype,
            }
            for window, error in kadlac.list_windows().items()
        ]
    )


def picture_path(name: str, form: str) -> Path:
    """Return the path of the picture of a machine, which `make pictures` draws."""
    return PICTURES / f"{name}-{form}.svg"


def choose_format(accepted: str | None, accept: str) -> str:
    """Return the one of `FORMATS` asked for, by name or else by an Accept header.

    Args:
        accepted: the name of the format, None if none is given.
        accept: the Accept header; without a format in it, JSON is taken.

    Raises:
        ProblemError: 422, no format of this name.
    """
    if accepted is not None:
        if accepted not in FORMATS:
            raise ProblemError(
                HTTPStatus.UNPROCESSABLE_ENTITY,
                "unknown-format",
                f"There is no format {quote_text(accepted)}.",
                f"Use one of: {', '.join(FORMATS)}.",
            )
        return accepted
    weights = parse_weights(accept)
    order = {media: index for index, media in enumerate(weights)}

    def rank_format(kind: str) -> tuple[float, int, int]:
        """Return the rank of a media type: weight, explicit before wildcards, then position."""
        media = FORMATS[kind]
        for general, fitting in enumerate((media, f"{media.partition('/')[0]}/*", "*/*")):
            if fitting in weights:
                return -weights[fitting], general, order[fitting]
        return 0.0, 0, 0

    preferred = min(FORMATS, key=rank_format)
    return preferred if rank_format(preferred)[0] else "json"


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
        raise ProblemError(
            HTTPStatus.UNPROCESSABLE_ENTITY,
            "outside-the-alphabet",
            f"The cell in row {row}, column {col} {why}: {name} has no symbol for that.",
            f"Use strip-{count_rows_read(name)}.",
            pointer=f"/board/{row}/{col}",
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
    if name in _PAPERS:
        return kadlac.build_machine() if name == "kadlac" else hu_lin.build_machine()
    return Profiles(count_rows_read(name))
