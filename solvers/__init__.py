"""Questions about any board: is it consistent, how many layouts, which cells are forced.

>>> from minefield import Board, parse
>>> from solvers import analyze
>>> analyze(parse("?1?")).count
2
"""

from solvers.answer import Answer, BackendRefusal, Conflict, Flags, Forced
from solvers.deadline import Deadline, DeadlinePassed, Turn
from solvers.effort import BOUNDED, FULL, INLINE, Effort, NeedsWorker
from solvers.progress import Progress
from solvers.question import SEEDS, Backend, Question, QuestionError, Task, fresh_seed
from solvers.router import analyze, answer, check, count, forced, layouts, sample

__all__ = [
    "BOUNDED",
    "FULL",
    "INLINE",
    "SEEDS",
    "Answer",
    "Backend",
    "BackendRefusal",
    "Conflict",
    "Deadline",
    "DeadlinePassed",
    "Effort",
    "Flags",
    "Forced",
    "NeedsWorker",
    "Progress",
    "Question",
    "QuestionError",
    "Task",
    "Turn",
    "analyze",
    "answer",
    "check",
    "count",
    "forced",
    "fresh_seed",
    "layouts",
    "sample",
]
