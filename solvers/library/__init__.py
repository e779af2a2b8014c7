"""The public library: every question as a function, on boards in any form."""

from minecheck.solvers.library.boards import BoardLike, parse, read_board
from minecheck.solvers.library.many import Analyses, analyze_many
from minecheck.solvers.library.questions import (
    analyze,
    check,
    compose,
    conflicts,
    count,
    explain,
    forced,
    layouts,
    moves,
    repair,
    sample,
    strips,
)

__all__ = [
    "Analyses",
    "BoardLike",
    "analyze",
    "analyze_many",
    "check",
    "compose",
    "conflicts",
    "count",
    "explain",
    "forced",
    "layouts",
    "moves",
    "parse",
    "read_board",
    "repair",
    "sample",
    "strips",
]
