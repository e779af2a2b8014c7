"""Questions about any board: is it consistent, how many layouts, which cells are forced.

>>> from minecheck.minefield import Board, parse
>>> from minecheck.solvers import analyze
>>> analyze(parse("?1?")).count
2
"""

from minecheck.solvers.answer import Answer, BackendError
from minecheck.solvers.backend import Backend
from minecheck.solvers.composition import Composition
from minecheck.solvers.deadline import Deadline, DeadlinePassed, Turn
from minecheck.solvers.effort import BOUNDED, FULL, INLINE, Effort, NeedsMoreEffort
from minecheck.solvers.findings import Conflict, Flags, Forced
from minecheck.solvers.library.boards import parse
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
from minecheck.solvers.progress import Progress
from minecheck.solvers.question import SEEDS, Question, QuestionError, fresh_seed
from minecheck.solvers.router import answer_question

__all__ = [
    "BOUNDED",
    "FULL",
    "INLINE",
    "SEEDS",
    "Analyses",
    "Answer",
    "Backend",
    "BackendError",
    "Composition",
    "Conflict",
    "Deadline",
    "DeadlinePassed",
    "Effort",
    "Flags",
    "Forced",
    "NeedsMoreEffort",
    "Progress",
    "Question",
    "QuestionError",
    "Turn",
    "analyze",
    "analyze_many",
    "answer_question",
    "check",
    "compose",
    "conflicts",
    "count",
    "explain",
    "forced",
    "fresh_seed",
    "layouts",
    "moves",
    "parse",
    "repair",
    "sample",
    "strips",
]
