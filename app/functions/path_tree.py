"""The paths of an automaton over a board, as JSON or as a picture."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from math import prod
from time import perf_counter
from typing import Any, Final, NamedTuple

import orjson

from minecheck.app import problems
from minecheck.app.functions import machines
from minecheck.app.problems import ProblemError
from minecheck.automata import Window, dead_ends, hu_lin, kadlac, tree_drawing
from minecheck.automata.drawing import TooLargeToDraw
from minecheck.automata.machine import Column, Reader
from minecheck.automata.paths import Fate, PathNode, Paths, TooManyStates, iterate_leaves
from minecheck.automata.windows import Cut
from minecheck.minefield import Board
from minecheck.minefield.numerals import format_count
from minecheck.solvers import Deadline, DeadlinePassed
from minecheck.solvers.documents import numbers, render

#: Paths that are listed, at most, and states on all of them.
MOST_PATHS: Final = 5_000
MOST_LISTED: Final = 200_000

_CLUES: Final = "012345678"


class PathsInput(NamedTuple):
    """The paths that are requested, the word that they read, and the format of a picture."""

    name: str
    board: Board
    window: Window | None
    offset: int
    limit: int
    outcome: str | None
    picture: bool


def answer_paths(request: PathsInput, deadline: Deadline) -> bytes:
    """Return the paths over columns that the machine reads, as far as they are found in time.

    Raises:
        ProblemError: the offset in the request is above the number of paths; or they are requested
            as a picture, and are too many or not found in time.
    """
    started = perf_counter()
    reading = _Reading(request)
    fields: dict[str, Any] = {}
    with suppress(DeadlinePassed, TooManyStates):
        paths = Paths(reading.machine, reading.word, machines.MOST_STATES, deadline.check)
        counts = {"accepted": paths.counts.accepted, "rejected": paths.counts.rejected}
        fields["consistent"] = counts["accepted"] > 0
        fields |= {name: numbers.format_integer(count) for name, count in counts.items()}
        outcomes = {name: request.outcome in (None, name) for name in counts}
        most = max(1, min(request.limit, MOST_LISTED // (len(reading.word) + 1)))
        whole = sum(count for name, count in counts.items() if outcomes[name])
        if request.offset > whole:
            raise problems.make_offset_problem(request.offset, whole, "path")
        tree = paths.build_tree(most, first_path=request.offset, **outcomes)
        ends = sum(node.fate is not Fate.GOES_ON for node in tree)
        if request.picture:
            return _render_picture(tree, reading.word, _write_caption(ends, fields, request))
        listed = [_render_path(reading, tree, path, deadline) for path in iterate_leaves(tree)]
        nodes = [_render_node(reading, tree, number) for number in range(len(tree))]
        following = request.offset + ends
        has_more = following < whole
        fields |= {"offset": numbers.format_integer(request.offset), "paths": listed, "tree": nodes}
        fields |= {
            "more": has_more,
            "next_offset": numbers.format_integer(following) if has_more else None,
        }
    elapsed = perf_counter() - started
    return _render_answer(request, reading.cut_out, fields, elapsed, complete="tree" in fields)


def partial_answer(request: PathsInput, elapsed: float) -> bytes:
    """Return the answer where nothing was found in time.

    Raises:
        ProblemError: a picture is requested.
    """
    return _render_answer(request, machines.cut_part(request.board, request.window), {}, elapsed)


def _render_answer(
    request: PathsInput,
    cut_out: Cut | None,
    fields: Mapping[str, Any],
    elapsed: float,
    *,
    complete: bool = False,
) -> bytes:
    if request.picture:
        raise _make_drawing_problem("the tree was not found in time, or takes too much memory")
    unknown = dict.fromkeys(
        ("consistent", "accepted", "rejected", "offset", "paths", "tree", "more", "next_offset")
    )
    solver = render.describe_automaton(request.name, complete, elapsed)
    header = {"machine": request.name, **machines.describe_part(cut_out)}
    return orjson.dumps({**header, **unknown, **fields, "solver": solver})


class _Reading:
    """A machine's input, and where each of its columns is on the board.

    Attributes:
        columns: the cells of each column, from top to bottom.
        word: the same as the machine spells them.
    """

    def __init__(self, request: PathsInput) -> None:
        self.name = request.name
        self.board = request.board
        self.cut_out = machines.cut_part(request.board, request.window)
        self.columns = machines.list_columns(request.name, request.board, self.cut_out)
        self.word = self.columns
        if self.name == "hu-lin":
            self.word = ["".join(sorted(column)) for column in self.columns]

    @cached_property
    def machine(self) -> Reader:
        """Kadlac's machine stops where it would go on in its error."""
        machine = machines.find_reader(self.name)
        return _Stopping(machine, kadlac.ERROR) if self.name == "kadlac" else machine

    def locate_cell(self, column: int, index: int) -> tuple[int, int]:
        """Return the row and the column on the board of a cell in a column that is read."""
        shape = self.board.shape
        row, col = 0, 0
        if self.cut_out is not None:
            frame = self.cut_out.frame
            shape, row, col = (frame.rows, frame.cols), frame.row, frame.col
        if shape[0] != machines.count_rows_read(self.name):
            column, index = index, column
        return row + index, col + column

    def columns_of_state(self, node: PathNode) -> list[str] | None:
        """Return the columns of cells that a state stands for."""
        if self.name == "kadlac" or node.read == 0:
            return None if self.name == "kadlac" else []
        cells = self.columns[node.read - 1]
        return [
            "".join(
                "B" if mine else cell if cell in _CLUES else "S"
                for cell, mine in zip(cells, mines, strict=True)
            )
            for mines in self._mines_of_state(node.state, cells)
        ]

    def _mines_of_state(self, state: str, cells: str) -> list[Column]:
        if self.name != "hu-lin":
            return [tuple(cell == "B" for cell in state)]
        columns = list(hu_lin.build_machine().columns[state])
        # A symbol has its cells sorted, the board has not.
        if cells != "".join(sorted(cells)):
            columns = [column[::-1] for column in columns]
        return columns

    def list_blamed(self, node: PathNode) -> list[tuple[int, int]]:
        """List the clues that end a path, as a column that is read and an index in it."""
        read = node.read
        if self.name == "kadlac":
            error = kadlac.run_machine("".join(self.columns)).inconsistency
            assert error is not None, "the path is rejected"
            squares = range(error.start, error.stop)
            return [(square, 0) for square in squares if self.columns[square] in _CLUES]
        before = self.columns[read - 1] if read else ""
        profile = dead_ends.find_profile(self.name, node.state, before)
        if read == len(self.columns):
            return [(read - 1, row) for row in dead_ends.list_unmet_rows(profile)]
        clues = dead_ends.find_contradiction(profile, self.columns[read])
        return [(read - 1 + side, row) for side, row in clues]

    def explain_rejection(self, node: PathNode, clues: Sequence[tuple[int, int]]) -> str:
        """Explain in a sentence why a path is rejected."""
        named = [self._describe_clue(*clue) for clue in clues]
        if self.name == "kadlac":
            ends = " at the end of the board" if node.read == len(self.columns) else ""
            them = "it" if len(named) == 1 else "them"
            return f"The cells around the {' and the '.join(named)} contradict {them}{ends}."
        if node.read == len(self.columns):
            before = self.columns[-1]
            profile = dead_ends.find_profile(self.name, node.state, before)
            needs = [format_count(profile[row], "mine") for _, row in clues]
            shortfalls = [
                f"the {clue_name} still needs {need}"
                for clue_name, need in zip(named, needs, strict=True)
            ]
            return f"The board ends, and {' and '.join(shortfalls)}."
        where = "row" if self._turned else "column"
        number = self.locate_cell(node.read, 0)[0 if self._turned else 1]
        verb = "forbids" if len(named) == 1 else "forbid together"
        return f"The {' and the '.join(named)} {verb} all that {where} {number} may hold."

    @property
    def _turned(self) -> bool:
        """True if the board is read row by row."""
        return self.locate_cell(1, 0)[0] != self.locate_cell(0, 0)[0]

    def _describe_clue(self, column: int, index: int) -> str:
        row, col = self.locate_cell(column, index)
        return f"{self.board.cells[row, col]} at row {row}, column {col}"


class _Stopping:
    """A machine without one of its states."""

    def __init__(self, machine: Reader, without: str) -> None:
        self.start = machine.start
        self.is_accepting = machine.is_accepting
        self._machine = machine
        self._without = without

    def follow(self, state: str, symbol: str) -> tuple[str, ...]:
        """Return the states that ``symbol`` leads to."""
        targets = self._machine.follow(state, symbol)
        return tuple(target for target in targets if target != self._without)


def _render_path(
    reading: _Reading, tree: Sequence[PathNode], path: Sequence[int], deadline: Deadline
) -> dict[str, Any]:
    deadline.check()
    end = tree[path[-1]]
    fields = {"leaf": path[-1], "states": [tree[number].state for number in path]}
    if end.fate is Fate.ACCEPTED:
        placed = [reading.columns_of_state(tree[number]) for number in path[1:]]
        layouts = (
            None
            if reading.name == "kadlac"
            else prod(len(layouts_of_column or ()) for layouts_of_column in placed)
        )
        ending: dict[str, Any] = {"stops_at": None, "clues": [], "why": None}
        return {
            "outcome": "accepted",
            **fields,
            "layouts": numbers.format_integer(layouts),
            **ending,
        }
    clues = reading.list_blamed(end)
    return {
        "outcome": "rejected",
        **fields,
        "layouts": None,
        "stops_at": end.read,
        "clues": [reading.locate_cell(*clue) for clue in clues],
        "why": reading.explain_rejection(end, clues),
    }


def _render_node(reading: _Reading, tree: Sequence[PathNode], number: int) -> dict[str, Any]:
    node = tree[number]
    return {
        "id": number,
        "parent": node.parent,
        "column": node.read - 1 if node.read else None,
        "symbol": reading.word[node.read - 1] if node.read else None,
        "state": node.state,
        "placed": reading.columns_of_state(node),
        "fate": node.fate,
    }


def _render_picture(tree: Sequence[PathNode], symbols: Sequence[str], caption: str) -> bytes:
    try:
        return tree_drawing.render_svg(tree, symbols, caption)
    except TooLargeToDraw as error:
        raise _make_drawing_problem(str(error)) from None


def _make_drawing_problem(why: str) -> ProblemError:
    """Return the problem of a tree that is too large for a picture."""
    return problems.make_field_problem(
        "too-large-to-draw",
        f"{why.capitalize()}.",
        "Ask for fewer paths by a limit, for one outcome, or for no picture.",
        "/picture",
    )


def _write_caption(drawn: int, counts: Mapping[str, Any], request: PathsInput) -> str:
    """Return a caption: how much of the tree the picture shows."""
    counted = [f"{counts[name]} {name}" for name in ("accepted", "rejected")]
    only = "" if request.outcome is None else f"{request.outcome} "
    start = f", from number {request.offset} on" if request.offset else ""
    return f"{format_count(drawn, f'{only}path')} of {' and '.join(counted)}{start}"
