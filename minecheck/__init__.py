"""Minesweeper boards checked exactly: verdicts, counts, layouts, forced cells and reasons.

>>> import minecheck
>>> answer = minecheck.analyze("?1??", mines=1)
>>> answer.count, answer.forced.safe
(2, [(0, 3)])

A board is text with one line for each row, a list of strings, a nested list, an array or a data
frame of cells, or a `Board`. Symbols are 0 to 8 for a clue, ``?`` for an unknown cell, ``B`` for a
mine, ``S`` for a safe cell whose number is not known, and ``F`` for a flag; None and NaN are
unknown cells, too. `parse` reads boards with other symbols. Coordinates are (row, col)
from 0. Each question is a function: `check`, `count`, `forced`, `analyze`, `layouts`, `sample`,
`explain`, `conflicts`, `repair`, `moves`, `compose` and `strips`; `analyze_many` takes arrays,
lists and columns of boards.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from minecheck.automata import Window, WindowError
    from minecheck.minefield import (
        Board,
        BoardError,
        Clue,
        Layout,
        Rule,
        RuleError,
        Rules,
        Shape,
        Topology,
        TopologyError,
        Variant,
        VariantError,
        draw,
        parse_rules,
    )
    from minecheck.solvers import (
        Analyses,
        Answer,
        Backend,
        BackendError,
        Composition,
        Deadline,
        QuestionError,
        analyze,
        analyze_many,
        check,
        compose,
        conflicts,
        count,
        explain,
        forced,
        layouts,
        moves,
        parse,
        repair,
        sample,
        strips,
    )

__version__ = "0.7.0"

__all__ = [
    "Analyses",
    "Answer",
    "Backend",
    "BackendError",
    "Board",
    "BoardError",
    "Clue",
    "Composition",
    "Deadline",
    "Layout",
    "QuestionError",
    "Rule",
    "RuleError",
    "Rules",
    "Shape",
    "Topology",
    "TopologyError",
    "Variant",
    "VariantError",
    "Window",
    "WindowError",
    "__version__",
    "analyze",
    "analyze_many",
    "check",
    "compose",
    "conflicts",
    "count",
    "draw",
    "explain",
    "forced",
    "layouts",
    "moves",
    "parse",
    "parse_rules",
    "repair",
    "sample",
    "strips",
]

#: Where the public names are defined. They are loaded when they are first used, since the command
#: line and the service import this package, too, and need only some of it.
_FLOORS = ("minecheck.solvers", "minecheck.automata", "minecheck.minefield")


def __getattr__(name: str) -> object:
    if name in __all__:
        for floor in map(import_module, _FLOORS):
            # A floor also has its modules as attributes, and one may have the name of a function.
            if name in floor.__all__:
                return globals().setdefault(name, getattr(floor, name))
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
