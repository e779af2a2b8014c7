"""The automata as documents: what they are, drawn or in JSON, and what they do with a board."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict
from functools import cache
from http import HTTPStatus
from pathlib import Path
from time import perf_counter
from types import MappingProxyType
from typing import Any, Final

import orjson

from app.answers import render
from app.problems import ProblemError
from automata import DiagramTooLarge, Window, cut, drawn, hu_lin, kadlac, strip
from automata.determinising import determinised, minimised
from automata.diagram import WIDEST
from automata.drawing import check_size, dot
from automata.hu_lin import ImpossibleColumn
from automata.machine import Machine, Reader
from automata.profiles import WIDEST_LISTED, Profiles, word
from automata.runs import Transition, trace
from automata.windows import OVERFULL, Cut
from minefield import Board
from minefield.spelling import meant

#: Columns of a board whose run is told, at most.
MOST_COLUMNS: Final = 10_000
#: States in all sets of a run that is told, at most: some ten megabytes of JSON.
MOST_STATES: Final = 1_000_000
#: The formats of a machine and their media types.
FORMATS: Final = MappingProxyType(
    {"json": "application/json", "dot": "text/vnd.graphviz", "svg": "image/svg+xml"}
)
#: Where the pictures are.
PICTURES: Final = Path(__file__).parents[1] / "pictures"
#: The machines of the papers.
_PAPERS: Final = ("kadlac", "hu-lin")
#: The machines that can be had as a whole.
NAMES: Final = (*_PAPERS, *(f"strip-{width}" for width in range(1, WIDEST_LISTED + 1)))
#: Sets of profiles are worked out on demand for strips so wide.
_WIDEST_DETERMINISED: Final = 2
#: What is said of a cell that the machines of the papers have no symbol for.
_FOREIGN: Final = {
    "S": "is safe with its number unknown",
    OVERFULL: "has more mines around it than it says",
}


def width(name: str) -> int:
    """How many rows a machine reads.

    Raises:
        ProblemError: 404 for a name that is none, 422 for a strip too wide.
    """
    if name in _PAPERS:
        return 1 if name == "kadlac" else 2
    found = re.fullmatch(r"strip-([1-9][0-9]{0,8})", name)
    if not found:
        raise ProblemError(
            HTTPStatus.NOT_FOUND,
            "unknown-machine",
            f"Unknown machine {name[:40]!a}.",
            f"{meant(name, _PAPERS)}Use kadlac, hu-lin, or strip-1 to strip-{WIDEST}.",
        )
    if int(found[1]) > WIDEST:
        raise ProblemError(
            HTTPStatus.UNPROCESSABLE_ENTITY,
            "too-wide",
            f"{name} is too wide: strips are read up to {WIDEST} cells across.",
            f"Use strip-1 to strip-{WIDEST}.",
        )
    return int(found[1])


def forms(name: str) -> dict[str, Callable[[], Machine]]:
    """What a machine can be had as, the form in which it is given first.

    Raises:
        ProblemError: as `width`, and 422 for a strip too wide to be listed.
    """
    rows = width(name)
    if name == "kadlac":
        return {"given": kadlac.deciding, "minimal": lambda: minimised(kadlac.deciding())}
    small: Callable[[], Machine]
    if name == "hu-lin":
        small = hu_lin.merged
        found: dict[str, Callable[[], Machine]] = {"given": hu_lin.machine, "merged": small}
    elif rows <= WIDEST_LISTED:
        small = Profiles(rows).machine
        found = {"given": small}
    else:
        raise ProblemError(
            HTTPStatus.UNPROCESSABLE_ENTITY,
            "too-wide",
            f"{name} has too many moves to be listed: {WIDEST_LISTED} rows are the limit.",
            f"Use strip-1 to strip-{WIDEST_LISTED}; runs are shown up to strip-{WIDEST}.",
        )
    if rows <= _WIDEST_DETERMINISED:
        found["deterministic"] = lambda: determinised(small())
        found["minimal"] = lambda: minimised(determinised(small()))
    return found


def in_form(name: str, form: str) -> Callable[[], Machine]:
    """What makes a machine in one of its forms.

    Raises:
        ProblemError: as `forms`, and 422 for a form that it does not have.
    """
    known = forms(name)
    if form not in known:
        raise ProblemError(
            HTTPStatus.UNPROCESSABLE_ENTITY,
            "unknown-form",
            f"{name} has no form {form[:40]!a}.",
            f"{meant(name, known)}Use one of: {', '.join(known)}.",
        )
    return known[form]


@cache
def written(name: str, form: str, kind: str) -> bytes:
    """A machine as a file in one of the `FORMATS`.

    Raises:
        TooLargeToDraw: the picture would have too many states or edges.
    """
    described = in_form(name, form)()
    if kind == "svg":
        check_size(described)
        return picture(name, form).read_bytes()
    if kind == "dot":
        return dot(described).encode()
    tables = _tables() if (name, form) == ("kadlac", "given") else {}
    return orjson.dumps(
        {
            "name": name,
            "form": form,
            "forms": list(forms(name)),
            "rows": described.rows,
            "symbols": described.symbols,
            "states": described.states,
            "start": described.start,
            "accepting": [state for state in described.states if state in described.accepting],
            "moves": dict(described.moves),
            **tables,
        }
    )


def _tables() -> dict[str, Any]:
    """What Kadlac's tables have beside moves: state -> letter, and state -> state at the end."""
    return {"outputs": dict(kadlac.OUTPUTS), "ends": dict(kadlac.ends())}


@cache
def windows() -> bytes:
    """Kadlac's Appendix B as JSON."""
    return orjson.dumps(
        [
            {
                "window": window,
                "consistent": error is None,
                "type": error and error.type,
                "subtype": error and error.subtype,
            }
            for window, error in kadlac.windows().items()
        ]
    )


def picture(name: str, form: str) -> Path:
    """Where the picture of a machine is, which `make pictures` draws."""
    return PICTURES / f"{name}-{form}.svg"


def format_of(asked: str | None, accept: str) -> str:
    """The one of `FORMATS` asked for, by name or else by an Accept header; JSON by default.

    Raises:
        ProblemError: 422, no format of this name.
    """
    if asked is not None:
        if asked not in FORMATS:
            raise ProblemError(
                HTTPStatus.UNPROCESSABLE_ENTITY,
                "unknown-format",
                f"Unknown format {asked[:40]!a}.",
                f"Use one of: {', '.join(FORMATS)}.",
            )
        return asked
    ranges: dict[str, tuple[float, int]] = {}
    for place, part in enumerate(accept.lower().split(",")):
        media, *parameters = (piece.strip() for piece in part.split(";"))
        ranges.setdefault(media, (_quality(parameters), place))

    def preference(kind: str) -> tuple[float, int, int]:
        """By quality, then explicit before wildcards, then what stands first."""
        media = FORMATS[kind]
        for general, fitting in enumerate((media, f"{media.partition('/')[0]}/*", "*/*")):
            if fitting in ranges:
                quality, place = ranges[fitting]
                return -quality, general, place
        return 0.0, 0, 0

    preferred = min(FORMATS, key=preference)
    return preferred if preference(preferred)[0] else "json"


def _quality(parameters: list[str]) -> float:
    weight = next((value for value in parameters if value.startswith("q=")), "")[2:]
    return float(weight) if re.fullmatch(r"0(\.[0-9]{0,3})?|1(\.0{0,3})?", weight) else 1.0


def part(board: Board, window: Window | None) -> Cut | None:
    """The part of a board that is read, where that is a window; it can be cut."""
    return None if window is None else cut(board, window)


def columns(name: str, board: Board, cut_out: Cut | None = None) -> list[str]:
    """The symbols that the machine reads, of a board or of what is cut out of it.

    Raises:
        ProblemError: what is read is not of the machine's width, too long, or
            has a cell that the machine has no symbol for.
    """
    breadth = width(name)
    pointer = "board" if cut_out is None else "window"
    height, length = board.shape if cut_out is None else (cut_out.frame.height, cut_out.frame.width)
    if breadth not in (height, length):
        if cut_out is None:
            detail = f"this one is {height}x{length}."
            fix = f"Send a board of height or width {breadth}."
        else:
            detail = f"with the unknown cells that its clues see, the window is {height}x{length}."
            fix = f"Use one of: {', '.join(cut_out.machines)}."
        raise ProblemError(
            HTTPStatus.UNPROCESSABLE_ENTITY,
            "wrong-width",
            f"{name} reads boards of height or width {breadth}; {detail}",
            fix,
            pointer=f"/{pointer}",
        )
    steps = length if height == breadth else height
    if steps > MOST_COLUMNS:
        raise ProblemError(
            HTTPStatus.UNPROCESSABLE_ENTITY,
            "over-the-limit",
            f"The {pointer} has {steps} columns; runs are shown of at most {MOST_COLUMNS}.",
            f"Send a shorter {pointer}, or use /v1/check.",
            pointer=f"/{pointer}",
        )
    rows = _turned(word(board)) if cut_out is None else cut_out.symbols
    if not name.startswith("strip-"):
        _check_alphabet(name, rows, cut_out)
    return _turned(rows) if height == breadth else rows


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
            f"Use strip-{width(name)}.",
            pointer=f"/board/{row}/{col}",
            row=row,
            col=col,
        )


def _turned(lines: list[str]) -> list[str]:
    """Rows as columns, or columns as rows."""
    return ["".join(line) for line in zip(*lines, strict=True)]


def _witness(board: Board, cut_out: Cut | None) -> list[str] | None:
    """A layout of the board, or of the window alone."""
    if cut_out is None:
        layout = strip(board).witness()
        return None if layout is None else layout.rows()
    mines = next(cut_out.layouts(), None)
    return None if mines is None else drawn(board, cut_out.window, mines)


def read(cut_out: Cut | None) -> dict[str, Any]:
    """What is said of the part of the board that is read, where that is a window."""
    return {} if cut_out is None else {"read": asdict(cut_out.frame)}


def told(name: str, board: Board, window: Window | None = None) -> bytes:
    """What a machine does with what `columns` lets pass, as JSON."""
    started = perf_counter()
    cut_out = part(board, window)
    symbols = columns(name, board, cut_out)
    known = read(cut_out)
    try:
        witness = _witness(board, cut_out)
    except DiagramTooLarge:
        return untold(name, perf_counter() - started, known)
    found: dict[str, Any] = {
        "machine": name,
        **known,
        "consistent": witness is not None,
        "witness": witness,
    }
    if name == "hu-lin":
        found["impossible"] = list(_impossible(symbols))
        symbols = ["".join(sorted(column)) for column in symbols]
    try:
        run = trace(_Counted(reader(name)), symbols)
    except _TooManyStates:
        return untold(name, perf_counter() - started, found)
    if sum(len(step.reached) + len(step.live) for step in run.steps) > MOST_STATES:
        return untold(name, perf_counter() - started, found)
    found |= {"start": run.start, "stops_at": run.dies}
    found["steps"] = [_step(step) for step in run.steps]
    if name == "kadlac":
        row = "".join(symbols)
        output = kadlac.run(row)
        found |= {"output": output.output, "stops_at": output.failed_at}
        found["errors"] = [asdict(error) for error in kadlac.errors(row)]
    if name == "hu-lin":
        merged = {state: q for q, states in hu_lin.classes().items() for state in states}
        for shown, step in zip(found["steps"], run.steps, strict=True):
            shown["merged"] = sorted({merged[state] for state in step.reached})
    found["solver"] = render.solver(name, True, perf_counter() - started)
    return orjson.dumps(found)


def untold(name: str, elapsed: float, known: Mapping[str, Any] = MappingProxyType({})) -> bytes:
    """The answer for a run that took too much time or memory; ``elapsed`` is in seconds."""
    solver = render.solver(name, False, elapsed)
    unknown = dict.fromkeys(("consistent", "witness", "stops_at", "steps"))
    start = reader(name).start
    return orjson.dumps({"machine": name, "start": start, **unknown, **known, "solver": solver})


class _TooManyStates(Exception):
    """A run goes through more than `MOST_STATES`."""


class _Counted:
    """A reader that counts the states it leads to; `_TooManyStates` above `MOST_STATES`."""

    def __init__(self, reader: Reader) -> None:
        self.start = reader.start
        self.accepts = reader.accepts
        self._next = reader.next
        self._left = MOST_STATES

    def next(self, state: str, symbol: str) -> tuple[str, ...]:
        """The states that ``symbol`` leads to."""
        found = self._next(state, symbol)
        self._left -= len(found)
        if self._left < 0:
            raise _TooManyStates
        return found


def reader(name: str) -> Reader:
    """The machine as it reads, with this name."""
    if name in _PAPERS:
        return kadlac.deciding() if name == "kadlac" else hu_lin.machine()
    return Profiles(width(name))


def _step(step: Transition) -> dict[str, Any]:
    return {
        "symbol": step.symbol,
        "reached": sorted(step.reached),
        "live": sorted(step.live),
    }


def _impossible(columns: list[str]) -> Iterator[dict[str, Any]]:
    """The columns that occur in no consistent board, and why."""
    for place, column in enumerate(columns):
        try:
            hu_lin.symbol_of(*column)
        except ImpossibleColumn as error:
            yield {"column": place, "why": str(error)}
