"""From an answer to JSON."""

from collections.abc import Callable
from dataclasses import asdict
from decimal import MAX_EMAX, MAX_PREC, MIN_EMIN, Decimal, localcontext
from fractions import Fraction
from functools import cache
from typing import Any, Final, TypeAlias

import numpy as np
import orjson
from numpy.typing import NDArray

from automata import Window, cut, drawn
from minefield import Board, Layout, Rules
from minefield.certificates.document import together
from solvers import Answer, Question, Task
from solvers.answer import Conflict, Explanation, Statement
from solvers.question import CERTIFIED, Place

#: Numbers of up to so many bits have less than the 4300 digits that `str` takes.
_SHORT_BITS: Final = 14_000
#: Numbers of up to so many bits are turned into digits at once.
_FEW_BITS: Final = 30_000


def rendered(question: Question, answer: Answer) -> bytes:
    """The JSON body of the answer to a question."""
    return orjson.dumps(document(question, answer), option=orjson.OPT_SERIALIZE_NUMPY)


def document(question: Question, answer: Answer) -> dict[str, Any]:
    """The answer as what orjson writes; counts are decimal strings."""
    draw = drawing(question)
    found: dict[str, Any] = {"consistent": answer.consistent}
    for part in _parts(question.task):
        found |= part(question, answer, draw)
    found["conflict"] = _conflict(answer.conflict, draw)
    if answer.feasible is not None:
        least, most = answer.feasible
        found["feasible_mines"] = {"least": least, "most": most}
    if question.flags:
        found["flags"] = answer.flags and asdict(answer.flags)
    found["solver"] = solver(answer.method, answer.complete, answer.elapsed)
    if answer.note:
        found["solver"]["note"] = answer.note
    return found


def solver(name: str, complete: bool, elapsed: float) -> dict[str, Any]:
    """Who answered, whether that is all, and how long it took, from seconds."""
    return {"name": name, "complete": complete, "elapsed_ms": round(elapsed * 1000, 3)}


class OnBoard:
    """Cells as [row, col], layouts and chances as rows."""

    def layout(self, layout: Layout) -> Any:
        """A layout."""
        return layout.rows()

    def cells(self, places: list[Place]) -> Any:
        """Cells."""
        return places

    def all_cells(self, places: list[Place]) -> Any:
        """Cells, those without a name included."""
        return places

    def clues(self, places: list[Place]) -> Any:
        """Clues."""
        return places

    def chances(self, chances: NDArray[Any]) -> Any:
        """A chance for each cell, (height, width)."""
        # orjson writes arrays, too, if they are in one piece.
        exact = chances.dtype == np.object_
        return _numbers(chances) if exact else np.ascontiguousarray(chances)

    def others(self, answer: Answer) -> dict[str, Any]:
        """The field for what is known of the cells without names, where there may be such."""
        return {}


class OnRules(OnBoard):
    """Cells by name, those without by their place among them; rules by position."""

    def __init__(self, rules: Rules) -> None:
        self.names = list(rules.number)
        self.unnamed = rules.shape[1] - len(self.names)

    def layout(self, layout: Layout) -> Any:
        mines, named = layout.mines[0], len(self.names)
        return {
            "mines": [self.names[cell] for cell in np.flatnonzero(mines[:named]).tolist()],
            "others": np.flatnonzero(mines[named:]).tolist(),
        }

    def cells(self, places: list[Place]) -> Any:
        return [self.names[col] for _, col in places if col < len(self.names)]

    def all_cells(self, places: list[Place]) -> Any:
        named = len(self.names)
        return [self.names[col] if col < named else col - named for _, col in places]

    def clues(self, places: list[Place]) -> Any:
        return [rule for _, rule in places]

    def chances(self, chances: NDArray[Any]) -> Any:
        named = _numbers(chances[:, : len(self.names)])[0]
        return dict(zip(self.names, named, strict=True))

    def others(self, answer: Answer) -> dict[str, Any]:
        if not self.unnamed or answer.consistent is False:
            return {}
        if answer.forced is None:
            return {"others": None}
        chances, forced = answer.probabilities, answer.forced
        last = (0, len(self.names) + self.unnamed - 1)
        verdicts = {"mines": forced.mines, "safe": forced.safe}
        known = {
            "cells": self.unnamed,
            "probability": None if chances is None else _numbers(chances[:, -1:])[0][0],
            "forced": next((name for name, cells in verdicts.items() if last in cells[-1:]), None),
        }
        return {"others": known}


class InWindow(OnBoard):
    """Layouts of a window, with the numbers of its clues only; cells as on the board."""

    def __init__(self, board: Board, window: Window) -> None:
        self.board = board
        self.window = window

    def layout(self, layout: Layout) -> Any:
        return drawn(self.board, self.window, layout.mines)


def drawing(question: Question) -> OnBoard:
    """How cells and layouts of the question are written."""
    if isinstance(question.board, Rules):
        return OnRules(question.board)
    return InWindow(question.board, question.window) if question.window else OnBoard()


def _conflict(conflict: Conflict | None, draw: OnBoard) -> dict[str, Any] | None:
    """Clues that contradict each other, or that force a cell."""
    if conflict is None:
        return None
    return {
        "clues": draw.clues(conflict.clues),
        "total": conflict.mines,
        "minimal": conflict.minimal,
        "smallest": conflict.smallest,
    }


def _strip(question: Question, answer: Answer, draw: OnBoard) -> dict[str, Any]:
    assert question.window is not None, "a strip is cut out by a window"
    assert isinstance(question.board, Board), "a window is cut out of a board"
    witness = answer.witness
    return {
        "window": asdict(question.window),
        "loosened": answer.loosened
        and [
            {
                "clue": (clue.row, clue.col),
                "number": clue.number,
                "low": clue.low,
                "high": clue.high,
            }
            for clue in answer.loosened
        ],
        "witness": witness and draw.layout(witness),
        "machines": cut(question.board, question.window).machines,
    }


def _witness(question: Question, answer: Answer, draw: OnBoard) -> dict[str, Any]:
    return {"witness": answer.witness and draw.layout(answer.witness)}


def _count(question: Question, answer: Answer, draw: OnBoard) -> dict[str, Any]:
    return {"count": digits(answer.count)}


def _by_mines(question: Question, answer: Answer, draw: OnBoard) -> dict[str, Any]:
    counts = answer.by_mines
    about, estimate = answer.approximate, answer.estimate
    found: dict[str, Any] = {
        "by_mines": None if counts is None else {str(m): digits(n) for m, n in counts.items()}
    }
    if question.density is not None:
        found["likelihood"] = _number(answer.likelihood)
    if about is not None:
        found["approximate"] = {
            "count": digits(about.count),
            "epsilon": about.epsilon,
            "delta": about.delta,
        }
    if estimate is not None:
        # orjson writes what is infinite as null.
        found["estimate"] = {"products": estimate.products, "table": estimate.table}
    return found


def _page(question: Question, answer: Answer, draw: OnBoard) -> dict[str, Any]:
    sampled = question.task is Task.SAMPLE
    # An inconsistent board has none: that is known.
    layouts = [] if answer.consistent is False else answer.layouts
    return {
        **({"seed": question.seed} if sampled else {}),
        "offset": digits(question.offset),
        ("samples" if sampled else "layouts"): (
            None if layouts is None else [draw.layout(layout) for layout in layouts]
        ),
        "next_offset": digits(answer.next_offset),
        **({"rank": digits(answer.rank)} if question.layout is not None else {}),
    }


def _forced(question: Question, answer: Answer, draw: OnBoard) -> dict[str, Any]:
    forced = answer.forced
    return {
        "forced": forced and {"mines": draw.cells(forced.mines), "safe": draw.cells(forced.safe)}
    }


def _others(question: Question, answer: Answer, draw: OnBoard) -> dict[str, Any]:
    return draw.others(answer)


def _probabilities(question: Question, answer: Answer, draw: OnBoard) -> dict[str, Any]:
    chances = answer.probabilities
    return {"probabilities": None if chances is None else draw.chances(chances)}


def _safest(question: Question, answer: Answer, draw: OnBoard) -> dict[str, Any]:
    safest = answer.safest
    return {
        "safest": safest
        and [
            {"cell": draw.cells([place])[0], "probability": _number(chance)}
            for place, chance in safest
        ]
    }


def _certificate(question: Question, answer: Answer, draw: OnBoard) -> dict[str, Any]:
    certificates = answer.certificates
    if not question.certificate:
        return {}
    if certificates is None:
        return {"certificate": None}
    if question.task is Task.CHECK or answer.consistent is False:
        return {"certificate": certificates[0].document()}
    return {"certificate": together(question.board, question.mines, certificates)}


def _explained(question: Question, answer: Answer, draw: OnBoard) -> dict[str, Any]:
    either, explanations = answer.either, answer.explanations
    found: dict[str, Any] = {
        "explanations": explanations and [_explanation(one, draw) for one in explanations]
    }
    if either is not None:
        found["either"] = {
            "cell": draw.cells([either.cell])[0],
            "mine": draw.layout(either.mine),
            "safe": draw.layout(either.safe),
        }
    if answer.consistent is False:
        found["steps"] = _steps(answer.steps, draw)
    return found


def _explanation(one: Explanation, draw: OnBoard) -> dict[str, Any]:
    return {
        "cells": draw.all_cells(one.cells),
        "value": "mine" if one.mine else "safe",
        "difficulty": one.difficulty,
        "reasons": _conflict(one.reasons, draw),
        "steps": _steps(one.steps, draw),
    }


def _steps(steps: list[Statement] | None, draw: OnBoard) -> list[dict[str, Any]] | None:
    if steps is None:
        return None
    return [
        {
            "rule": step.rule,
            "cells": draw.all_cells(step.cells),
            "low": step.low,
            "high": step.high,
            "sources": step.sources,
            "under": step.under,
            "clue": step.clue and draw.clues([step.clue])[0],
            "text": step.text,
        }
        for step in steps
    ]


def _repairs(question: Question, answer: Answer, draw: OnBoard) -> dict[str, Any]:
    found = answer.repairs
    return {
        "changes": found and found.changes,
        "repairs": found
        and [
            [
                {
                    "clue": draw.clues([change.clue])[0],
                    "was": change.was,
                    "number": change.number,
                }
                for change in repair
            ]
            for repair in found.sets
        ],
        "more": found and found.more,
        "repairable": found and found.possible,
    }


_Part: TypeAlias = Callable[[Question, Answer, OnBoard], dict[str, Any]]

#: What stands in the answers to which tasks, in this order.
_PARTS: Final[tuple[tuple[tuple[Task, ...], _Part], ...]] = (
    ((Task.STRIPS,), _strip),
    ((Task.CHECK, Task.ANALYZE), _witness),
    ((Task.COUNT, Task.LAYOUTS, Task.ANALYZE, Task.STRIPS, Task.SAMPLE), _count),
    ((Task.COUNT, Task.ANALYZE), _by_mines),
    ((Task.LAYOUTS, Task.SAMPLE), _page),
    ((Task.FORCED, Task.ANALYZE, Task.STRIPS), _forced),
    ((Task.FORCED, Task.ANALYZE), _others),
    ((Task.ANALYZE, Task.STRIPS), _probabilities),
    ((Task.ANALYZE,), _safest),
    (CERTIFIED, _certificate),
    ((Task.EXPLAIN,), _explained),
    ((Task.REPAIR,), _repairs),
)


@cache
def _parts(task: Task) -> list[_Part]:
    """What stands in the answer to a task."""
    return [part for tasks, part in _PARTS if task in tasks]


def _numbers(chances: NDArray[Any]) -> list[list[Any]]:
    """Chances of shape (height, width) as JSON types."""
    rows: list[list[Any]] = chances.tolist()
    if chances.dtype != np.object_:
        # orjson writes NaN, which stands for a known cell, as null.
        return rows
    # Cells share their fractions: each is written once.
    written = {id(chance): _number(chance) for row in rows for chance in row}
    return [[written[id(chance)] for chance in row] for row in rows]


def _number(chance: float | Fraction | None) -> float | str | None:
    """A fraction as its two numbers, a float as it is."""
    if not isinstance(chance, Fraction):
        return chance
    return f"{digits(chance.numerator)}/{digits(chance.denominator)}"


def line(draw: OnBoard, layout: Layout) -> bytes:
    """A layout as one line of NDJSON: the list of its rows."""
    return orjson.dumps(draw.layout(layout)) + b"\n"


def digits(number: int | None) -> str | None:
    """The decimal digits of a number of any size (`str` refuses more than 4300)."""
    if number is None:
        return None
    if number.bit_length() <= _SHORT_BITS:
        return str(number)
    with localcontext(prec=MAX_PREC, Emax=MAX_EMAX, Emin=MIN_EMIN):
        return f"{_decimal(number, number.bit_length()):f}"


def _decimal(number: int, bits: int) -> Decimal:
    """A number of so many bits, by halves: those are multiplied in nearly linear time."""
    if bits <= _FEW_BITS:
        return Decimal(number)
    low = bits // 2
    rest = _decimal(number & ((1 << low) - 1), low)
    return _decimal(number >> low, bits - low) * Decimal(2) ** low + rest
