"""The paths of an automaton over a board, as JSON or as a picture."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from http import HTTPStatus
from math import prod
from time import perf_counter
from typing import Any, Final, NamedTuple

import orjson

from app import problems
from app.answers import numbers, render
from app.errands import machines
from app.problems import ProblemError
from automata import Window, dead_ends, hu_lin, kadlac, tree_drawing
from automata.drawing import TooLargeToDraw
from automata.machine import Column, Reader
from automata.paths import Fate, Node, Paths, TooManyStates, leaves
from automata.windows import Cut
from minefield import Board
from minefield.amounts import several
from solvers import Deadline, DeadlinePassed

#: Paths that are listed, at most, and states on all of them.
MOST_PATHS: Final = 5_000
MOST_LISTED: Final = 200_000

_CLUES: Final = "012345678"


class Wanted(NamedTuple):
    """Which paths are wanted, over what, and whether as a picture."""

    name: str
    board: Board
    window: Window | None
    offset: int
    limit: int
    outcome: str | None
    picture: bool


def told(wanted: Wanted, deadline: Deadline) -> bytes:
    """The paths of what `machines.columns` lets pass, as far as they are found in time.

    Raises:
        ProblemError: there is no path of the number that was asked for; or they are wanted as a
            picture, and are too many or not found in time.
    """
    started = perf_counter()
    reading = _Reading(wanted)
    found: dict[str, Any] = {}
    with suppress(DeadlinePassed, TooManyStates):
        paths = Paths(reading.machine, reading.word, machines.MOST_STATES, deadline.check)
        counts = {"accepted": paths.counts.accepted, "rejected": paths.counts.rejected}
        found["consistent"] = counts["accepted"] > 0
        found |= {name: numbers.digits(count) for name, count in counts.items()}
        outcomes = {name: wanted.outcome in (None, name) for name in counts}
        most = max(1, min(wanted.limit, MOST_LISTED // (len(reading.word) + 1)))
        whole = sum(count for name, count in counts.items() if outcomes[name])
        if wanted.offset >= max(1, whole):
            raise problems.beyond(wanted.offset, whole, "path")
        tree = paths.tree(most, first=wanted.offset, **outcomes)
        ends = sum(node.fate is not Fate.GOES_ON for node in tree)
        if wanted.picture:
            return _picture(tree, reading.word, _caption(ends, found, wanted))
        listed = [_path(reading, tree, path, deadline) for path in leaves(tree)]
        nodes = [_node(reading, tree, number) for number in range(len(tree))]
        following = wanted.offset + ends
        more = following < whole
        found |= {"offset": numbers.digits(wanted.offset), "paths": listed, "tree": nodes}
        found |= {"more": more, "next_offset": numbers.digits(following) if more else None}
    elapsed = perf_counter() - started
    return _rendered(wanted, reading.cut_out, found, elapsed, complete="tree" in found)


def untold(wanted: Wanted, elapsed: float) -> bytes:
    """The answer where nothing was found in time; ``elapsed`` is in seconds.

    Raises:
        ProblemError: a picture is wanted.
    """
    return _rendered(wanted, machines.part(wanted.board, wanted.window), {}, elapsed)


def _rendered(
    wanted: Wanted,
    cut_out: Cut | None,
    found: Mapping[str, Any],
    elapsed: float,
    *,
    complete: bool = False,
) -> bytes:
    if wanted.picture:
        raise _not_drawn("the tree was not found in time, or takes too much memory")
    unknown = dict.fromkeys(
        ("consistent", "accepted", "rejected", "offset", "paths", "tree", "more", "next_offset")
    )
    solver = render.solver(wanted.name, complete, elapsed)
    known = {"machine": wanted.name, **machines.read(cut_out)}
    return orjson.dumps({**known, **unknown, **found, "solver": solver})


class _Reading:
    """What a machine reads, and where it is on the board.

    Attributes:
        columns: the cells of each column, from top to bottom.
        word: the same as the machine spells them.
    """

    def __init__(self, wanted: Wanted) -> None:
        self.name = wanted.name
        self.board = wanted.board
        self.cut_out = machines.part(wanted.board, wanted.window)
        self.columns = machines.columns(wanted.name, wanted.board, self.cut_out)
        self.word = self.columns
        if self.name == "hu-lin":
            self.word = ["".join(sorted(column)) for column in self.columns]

    @cached_property
    def machine(self) -> Reader:
        """Kadlac's machine stops where it would go on in its error."""
        machine = machines.reader(self.name)
        return _Stopping(machine, kadlac.ERROR) if self.name == "kadlac" else machine

    def cell(self, column: int, place: int) -> tuple[int, int]:
        """The row and the column on the board of a cell in a column that is read."""
        shape = self.board.shape
        row, col = 0, 0
        if self.cut_out is not None:
            frame = self.cut_out.frame
            shape, row, col = (frame.height, frame.width), frame.row, frame.col
        if shape[0] != machines.width(self.name):
            column, place = place, column
        return row + place, col + column

    def placed(self, node: Node) -> list[str] | None:
        """The columns of cells that a state stands for."""
        if self.name == "kadlac" or node.read == 0:
            return None if self.name == "kadlac" else []
        cells = self.columns[node.read - 1]
        return [
            "".join(
                "B" if mine else cell if cell in _CLUES else "S"
                for cell, mine in zip(cells, mines, strict=True)
            )
            for mines in self._mines(node.state, cells)
        ]

    def _mines(self, state: str, cells: str) -> list[Column]:
        if self.name != "hu-lin":
            return [tuple(cell == "B" for cell in state)]
        columns = list(hu_lin.machine().columns[state])
        # A symbol has its cells sorted, the board has not.
        if cells != "".join(sorted(cells)):
            columns = [column[::-1] for column in columns]
        return columns

    def blamed(self, node: Node) -> list[tuple[int, int]]:
        """The clues that end a path, as a column that is read and a place in it."""
        read = node.read
        if self.name == "kadlac":
            error = kadlac.run("".join(self.columns)).inconsistency
            assert error is not None, "the path is rejected"
            squares = range(error.start, error.stop)
            return [(square, 0) for square in squares if self.columns[square] in _CLUES]
        before = self.columns[read - 1] if read else ""
        profile = dead_ends.profile(self.name, node.state, before)
        if read == len(self.columns):
            return [(read - 1, row) for row in dead_ends.unmet(profile)]
        found = dead_ends.contradiction(profile, self.columns[read])
        return [(read - 1 + side, row) for side, row in found]

    def why(self, node: Node, clues: Sequence[tuple[int, int]]) -> str:
        """Why a path is rejected, in a sentence."""
        named = [self._clue(*clue) for clue in clues]
        if self.name == "kadlac":
            ends = " at the end of the board" if node.read == len(self.columns) else ""
            them = "it" if len(named) == 1 else "them"
            return f"The cells around the {' and the '.join(named)} contradict {them}{ends}."
        if node.read == len(self.columns):
            before = self.columns[-1]
            profile = dead_ends.profile(self.name, node.state, before)
            needs = [several(profile[row], "mine") for _, row in clues]
            each = [f"the {one} still needs {need}" for one, need in zip(named, needs, strict=True)]
            return f"The board ends, and {' and '.join(each)}."
        where = "row" if self._turned else "column"
        at = self.cell(node.read, 0)[0 if self._turned else 1]
        verb = "forbids" if len(named) == 1 else "forbid together"
        return f"The {' and the '.join(named)} {verb} all that {where} {at} may hold."

    @property
    def _turned(self) -> bool:
        """Whether the board is read by its rows."""
        return self.cell(1, 0)[0] != self.cell(0, 0)[0]

    def _clue(self, column: int, place: int) -> str:
        row, col = self.cell(column, place)
        return f"{self.board.cells[row, col]} at row {row}, column {col}"


class _Stopping:
    """A machine without one of its states."""

    def __init__(self, machine: Reader, without: str) -> None:
        self.start = machine.start
        self.accepts = machine.accepts
        self._machine = machine
        self._without = without

    def next(self, state: str, symbol: str) -> tuple[str, ...]:
        """The states that ``symbol`` leads to."""
        targets = self._machine.next(state, symbol)
        return tuple(target for target in targets if target != self._without)


def _path(
    reading: _Reading, tree: Sequence[Node], path: Sequence[int], deadline: Deadline
) -> dict[str, Any]:
    deadline.check()
    last = tree[path[-1]]
    told = {"leaf": path[-1], "states": [tree[number].state for number in path]}
    if last.fate is Fate.ACCEPTED:
        placed = [reading.placed(tree[number]) for number in path[1:]]
        layouts = None if reading.name == "kadlac" else prod(len(one or ()) for one in placed)
        ending: dict[str, Any] = {"stops_at": None, "clues": [], "why": None}
        return {"outcome": "accepted", **told, "layouts": numbers.digits(layouts), **ending}
    clues = reading.blamed(last)
    return {
        "outcome": "rejected",
        **told,
        "layouts": None,
        "stops_at": last.read,
        "clues": [reading.cell(*clue) for clue in clues],
        "why": reading.why(last, clues),
    }


def _node(reading: _Reading, tree: Sequence[Node], number: int) -> dict[str, Any]:
    node = tree[number]
    return {
        "id": number,
        "parent": node.parent,
        "column": node.read - 1 if node.read else None,
        "symbol": reading.word[node.read - 1] if node.read else None,
        "state": node.state,
        "placed": reading.placed(node),
        "fate": node.fate,
    }


def _picture(tree: Sequence[Node], symbols: Sequence[str], caption: str) -> bytes:
    try:
        return tree_drawing.svg(tree, symbols, caption)
    except TooLargeToDraw as error:
        raise _not_drawn(str(error)) from None


def _not_drawn(why: str) -> ProblemError:
    """A tree that is too large for a picture."""
    return ProblemError(
        HTTPStatus.UNPROCESSABLE_ENTITY,
        "too-large-to-draw",
        f"{why.capitalize()}.",
        "Ask for fewer paths by a limit, for one outcome, or for no picture.",
        pointer="/picture",
    )


def _caption(drawn: int, counts: Mapping[str, Any], wanted: Wanted) -> str:
    """What the picture shows, of how many."""
    known = [f"{counts[name]} {name}" for name in ("accepted", "rejected")]
    only = "" if wanted.outcome is None else f"{wanted.outcome} "
    start = f", from number {wanted.offset} on" if wanted.offset else ""
    return f"{several(drawn, f'{only}path')} of {' and '.join(known)}{start}"
